"""Pages of integrity audits: all that was found is placed once, and user text is never markup."""

from __future__ import annotations

import copy
import csv
import io
import re
from dataclasses import fields
from itertools import pairwise
from typing import Any

import pytest

from reportgen.render.fonts import missing_characters
from reportgen.render.html import Pages, render_pages
from reportgen.render.pages import integrity, integrity_words
from reportgen.render.view import TableView
from reportgen.result import Outcome
from reportgen.sections.integrity.result import IntegrityResult
from reportgen.stats.detection import CONVENTIONS
from reportgen.stats.duplicates import SYMMETRIES
from tests.support import integrity_pages as sample
from tests.support.bare_pages import without_fonts

Plain = dict[str, Any]
FORBIDDEN = re.compile(r"\b(unbiased|proves?|proven|guarantees?d?)\b", re.IGNORECASE)
NOT_TESTABLE = {
    "near_duplicates": {},
    "leakage": {},
    "label_agreement": {},
    "memorisation": {},
    "removal_effect": {},
    "evaluator": {},
    "counting_heads": {"table": "counts", "heads": {"x": {"true": "no", "predicted": "no"}}},
    "pipeline": {"of": "app"},
}


def rendered(results: Plain, pictures: Any = None) -> Pages:
    """Return the pages without their fonts: cutting those takes seconds."""
    with pytest.MonkeyPatch.context() as patch:
        without_fonts(patch)
        return render_pages(results, pictures)


def text_of(html: str) -> str:
    return re.sub(r"\s+", " ", re.sub(r"<[^>]+>", " ", html)).replace("\u00a0", " ")


def table(section: Plain, key: str) -> TableView:
    return next(view for view in integrity.tables(section) if view.key == key)


@pytest.fixture(scope="module")
def outcome() -> Outcome:
    return sample.outcome()


@pytest.fixture
def section(outcome: Outcome) -> Plain:
    return sample.section(outcome)


@pytest.fixture(scope="module")
def pages(outcome: Outcome) -> Pages:
    return rendered(sample.results(outcome), outcome.pictures)


@pytest.fixture(scope="module")
def hostile() -> Outcome:
    return sample.outcome(hostile=True)


@pytest.fixture(scope="module")
def hostile_pages(hostile: Outcome) -> Pages:
    return rendered(sample.results(hostile), hostile.pictures)


def test_the_sample_has_every_sub_audit(section: Plain) -> None:
    for key in sample.AUDITS:
        assert section["result"][key]["status"] in ("found", "not found"), key


def test_words_are_those_of_the_results() -> None:
    assert {key: one.title for key, one in CONVENTIONS.items()} == integrity_words.CONVENTIONS
    assert set(integrity_words.SYMMETRIES) == set(SYMMETRIES)
    assert set(integrity_words.SHORT_CONVENTIONS) <= set(CONVENTIONS)


def test_every_part_of_the_result_has_its_tables(section: Plain) -> None:
    order = [one.name for one in fields(IntegrityResult) if one.name in sample.AUDITS]
    alone = {}
    for key in order:
        bare = dict.fromkeys(order) | {key: section["result"][key]}
        one = {**section, "result": {**section["result"], **bare, "records": []}}
        alone[key] = [view.key for view in integrity.tables(one)]
        assert alone[key], key
    whole = [view.key for view in integrity.tables(section)]
    assert whole == ["records", "remedies", *(name for key in order for name in alone[key])]


@pytest.mark.parametrize("bad_names", [False, True])
def test_keys_are_names_and_every_column_has_a_value(
    outcome: Outcome, hostile: Outcome, *, bad_names: bool
) -> None:
    made = sample.section(hostile if bad_names else outcome)
    before = copy.deepcopy(made)
    for views in (integrity.figures(made), integrity.tables(made)):
        names = [view.key for view in views]
        assert len(set(names)) == len(names)
        assert all(re.fullmatch(r"[a-z0-9_]+", name) for name in names)
    for view in integrity.tables(made):
        for row in [*view.rows, *(view.print_rows or [])]:
            assert {column.key for column in view.columns} <= set(row), view.key
    assert made == before


@pytest.mark.parametrize("medium", ["html", "print_html"])
def test_every_figure_and_table_is_placed_once_and_in_order(
    section: Plain, pages: Pages, medium: str
) -> None:
    html = getattr(pages, medium)
    for kind, views in (
        ("figure", integrity.figures(section)),
        ("table", integrity.tables(section)),
    ):
        anchors = [f"{kind}-integrity-{view.key.replace('_', '-')}" for view in views]
        found = re.findall(rf'id="({kind}-integrity-[a-z0-9-]+)"', html)
        assert [one for one in found if not one.endswith("-caption")] == anchors
    assert html.count("<h3>Evaluator</h3>") == 1


def test_every_csv_that_a_table_names_is_written(section: Plain, pages: Pages) -> None:
    named = {view.csv for view in integrity.tables(section) if view.csv}
    assert named <= set(pages.tables)
    assert len(named) > 20


def test_every_figure_tells_its_finding_in_words(section: Plain) -> None:
    for view in integrity.figures(section):
        assert re.search(r"\d", view.alt), view.key
        assert view.caption.rstrip().endswith((".", ")")), view.key
        assert "  " not in view.caption
        assert not FORBIDDEN.search(f"{view.caption} {view.alt}")


def test_figures_have_their_table_behind_them(section: Plain) -> None:
    behind = {
        "nearest": "counts",
        "pair": "pairs",
        "removal": "removal",
        "controls": "controls",
        "conventions": "conventions",
        "funnel": "funnel",
    }
    tables = {view.key for view in integrity.tables(section)}
    for view in integrity.figures(section):
        assert behind[view.key.rstrip("_0123456789")] in tables


def test_the_wording_is_careful(pages: Pages) -> None:
    assert not FORBIDDEN.search(text_of(pages.html))


def test_hostile_names_stay_text(hostile: Outcome, hostile_pages: Pages) -> None:
    for html in (hostile_pages.html, hostile_pages.print_html, *hostile_pages.figures.values()):
        assert "<script" not in html
        assert "49" not in re.findall(r"t01(\S{2})", html)
    seen = hostile_pages.html
    assert "&lt;script&gt;alert(1)&lt;/script&gt;" in seen
    assert f"t01{sample.BRACES}" in seen
    assert sample.LONG in seen
    drawn = " ".join(hostile_pages.figures.values())
    assert "&lt;script&gt;alert(1)&lt;/script&gt;" in drawn
    assert sample.section(hostile)["result"]["evaluator"]["rows"]


def test_no_cell_of_a_csv_is_run_as_a_formula(hostile_pages: Pages) -> None:
    cells = [
        cell
        for text in hostile_pages.tables.values()
        for row in csv.reader(io.StringIO(text))
        for cell in row
    ]
    assert not [cell for cell in cells if cell.startswith("=")]
    assert f"'{sample.FORMULA}" in cells


def test_a_check_without_its_inputs_says_why_in_its_place() -> None:
    found = sample.outcome(NOT_TESTABLE)
    made = sample.section(found)
    html = rendered(sample.results(found)).html
    reasons = [
        made["result"][key]["reason"]
        for key in NOT_TESTABLE
        if made["result"][key]["status"] == "not testable"
    ]
    assert len(reasons) >= 6
    told = text_of(html).replace("&#34;", '"').replace("&#39;", "'")
    for reason in reasons:
        assert f"Not testable. {reason}" in told


def test_nothing_asked_for_is_said() -> None:
    found = sample.outcome({"label_geometry": False})
    made = sample.section(found)
    assert not [*integrity.figures(made), *integrity.tables(made)]
    told = text_of(rendered(sample.results(found)).html)
    assert "Nothing: the manifest asks for no check in this section." in told
    assert "How to read this dossier" in told
    assert "What this cannot show" not in told


def test_a_section_that_could_not_be_assessed_has_no_views() -> None:
    made = {"id": "integrity", "kind": "integrity", "result": {"not_applicable": "no data"}}
    assert not [*integrity.figures(made), *integrity.tables(made)]


def test_what_was_planted_stands_first() -> None:
    found = sample.outcome({"planted": f"A flip, {sample.SCRIPT}", "label_geometry": False})
    html = rendered(sample.results(found)).html
    assert "Planted.</span> A flip, &lt;script&gt;" in html


def test_pictures_stand_in_the_page_and_nowhere_else(outcome: Outcome, pages: Pages) -> None:
    rows = outcome.result.near_duplicates.pictures
    assert {row.picture for row in rows} == set(outcome.pictures)
    assert pages.html.count('<img class="picture"') == len(rows) > 0
    assert pages.print_html.count('<img class="chart picture"') == len(rows)
    assert not [name for name in pages.figures if "pair" in name]


def test_ids_leave_every_picture_out(section: Plain) -> None:
    near = {**sample.SETTINGS["near_duplicates"], "pictures": "ids"}
    found = sample.outcome({"images": "scans", "near_duplicates": near})
    assert not found.pictures
    made = sample.section(found)
    assert not [view for view in integrity.figures(made) if view.picture]
    html = rendered(sample.results(found)).html
    assert "data:image/png" not in html
    assert "Pictures are left out, as the manifest asks" in text_of(html)
    named = {row["image"] for row in table(made, "pairs").rows}
    assert named == {row["image"] for row in table(section, "pairs").rows}


def test_a_long_list_of_pairs_is_cut_in_print_alone(outcome: Outcome) -> None:
    results = sample.results(outcome)
    near = results["sections"][0]["result"]["near_duplicates"]
    first = near["rows"][0]
    near["rows"] = [{**first, "image": f"{'p' * 40}{at:03d}"} for at in range(400)]
    view = table(results["sections"][0], "pairs")
    assert (len(view.rows), len(view.print_rows or [])) == (400, 20)
    assert "The PDF shows the first 20 of 400 pairs." in view.note
    assert "long names stand without their middle" in view.note
    made = rendered(results, outcome.pictures)
    whole = f"{'p' * 40}399"
    assert whole in made.html
    assert whole not in made.print_html
    assert len(made.tables["integrity-near-duplicates-rows.csv"].splitlines()) == 401


def test_printed_names_keep_both_ends() -> None:
    name = "OSCC_400x_177_jpg.rf.3e2324c311bf9e44ae9212e561a731.jpg"
    short = integrity_words.shortened(name)
    assert len(short) == integrity_words.LONGEST_NAME
    assert (short[:10], short[-8:]) == (name[:10], name[-8:])
    assert integrity_words.shortened("plain.png") == "plain.png"


def test_the_gravest_check_stands_first(section: Plain) -> None:
    view = table(section, "records")
    order = ["critical", "major", "minor", "info", "–"]
    places = [order.index(row["grade_text"]) for row in view.rows]
    assert all(one <= two for one, two in pairwise(places))
    printed = view.print_rows or view.rows
    assert {row["status"] for row in view.rows} >= {"found", "not found", "not testable"}
    assert [row for row in printed if row["status"] == "found"] == [
        row for row in view.rows if row["status"] == "found"
    ]
    if view.print_rows is not None:
        left = len(view.rows) - len(view.print_rows)
        assert f"leaves out {left} of {len(view.rows)} checks" in view.note


def test_confirmatory_checks_are_told_apart_where_there_are_any(section: Plain) -> None:
    headings = [column.heading for column in table(section, "records").columns]
    assert "Analysis" not in headings
    assert "All checks are exploratory." in table(section, "records").note
    section["result"]["records"][0]["analysis"] = "confirmatory"
    assert "Analysis" in [column.heading for column in table(section, "records").columns]


def test_the_font_draws_every_character(pages: Pages) -> None:
    assert missing_characters(text_of(pages.html)) == []
