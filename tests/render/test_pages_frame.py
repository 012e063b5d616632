"""Figures and tables of subgroup gaps: they choose, order and label; they change no figure."""

from __future__ import annotations

import copy
import re
from itertools import count
from typing import Any

import pytest

from reportgen.render.html import Pages, render_pages
from reportgen.render.numbers import MINUS
from reportgen.render.pages import frame, frame_words
from reportgen.render.placing import placed_tables
from reportgen.render.view import FigureView, TableView
from reportgen.sections.frame import result as words
from tests.support.frame_pages import (
    GAPS,
    SCRIPT,
    frame_results,
    frame_section,
    many_sites,
)

Sample = dict[str, Any]


@pytest.fixture
def section() -> Sample:
    return frame_section()


@pytest.fixture(scope="module")
def pages() -> Pages:
    return render_pages(frame_results(frame_section()))


def figure(section: Sample, key: str) -> FigureView:
    return next(view for view in frame.figures(section) if view.key == key)


def table(section: Sample, key: str) -> TableView:
    return next(view for view in frame.tables(section) if view.key == key)


def drawn_names(view: FigureView) -> str:
    return str(view.chart.to_dict())


def text_of(html: str) -> str:
    return re.sub(r"\s+", " ", re.sub(r"<[^>]+>", " ", html)).replace("\u00a0", " ")


def test_the_words_are_those_of_the_results() -> None:
    assert frame_words.VERDICTS == (
        words.NOT_ESTIMABLE,
        words.NO_GAP,
        words.NOT_EXCLUDED,
        words.BELOW_MARGIN,
        words.WITH_EVIDENCE,
        words.WITHOUT_EVIDENCE,
        words.NOT_ASSESSED,
    )
    assert set(frame_words.SAYS) == set(frame_words.NEXT) == set(frame_words.VERDICTS)
    assert (frame_words.OVERALL, frame_words.ALL) == (words.OVERALL, words.ALL)


@pytest.mark.parametrize("scores", [("effusion",), ("old", "new:Q")])
@pytest.mark.parametrize("features", [True, False])
def test_keys_are_names_and_every_column_has_a_value(
    scores: tuple[str, ...], features: bool
) -> None:
    made = frame_section(scores=scores, features=features)
    figures, tables = frame.figures(made), frame.tables(made)
    for views in (figures, tables):
        keys = [view.key for view in views]
        assert len(set(keys)) == len(keys)
        assert all(re.fullmatch(r"[a-z0-9_]+", key) for key in keys)
    for view in tables:
        for row in [*view.rows, *(view.print_rows or [])]:
            assert {column.key for column in view.columns} <= set(row), view.key
    assert any(view.key == "coverage" for view in tables) == features
    assert any(view.key == "models" for view in tables) == (len(scores) > 1)


def test_the_verdicts_come_first_and_are_the_results_own(section: Sample) -> None:
    first = frame.tables(section)[0]
    assert first.key == "verdicts"
    primary = [row for row in GAPS if row[6] is not None]
    assert [row["verdict"] for row in first.rows] == [row[6] for row in primary]
    assert [row["release"] for row in first.rows] == [row[7] for row in primary]
    assert [row["gap"]["estimate"] for row in first.rows] == [row[3] for row in primary]
    assert "Holm over 4 comparisons" in first.caption
    assert "margin ±0.05" in first.caption
    assert "M: 3 positive units, fewer than 10" in first.note


def test_inconclusive_is_nowhere_a_pass(section: Sample) -> None:
    row = next(
        r for r in table(section, "next_steps").rows if r["verdict"].startswith(words.NOT_EXCLUDED)
    )
    assert "not a pass" in row["says"]
    assert "owner" in row["next"]


@pytest.mark.parametrize("verdict", frame_words.VERDICTS)
def test_every_verdict_has_its_next_step(section: Sample, verdict: str) -> None:
    for row in section["result"]["gaps"]:
        if row["primary"]:
            row["verdict"] = verdict
    rows = table(section, "next_steps").rows
    assert len(rows) == 1
    assert "{" not in rows[0]["next"]
    named = f"{rows[0]['says']} {rows[0]['next']}"
    assert not re.search(r"\b(caused by|unbiased|proves?|guarantees?)\b", named)
    if verdict == words.WITH_EVIDENCE:
        assert "consistent with" in rows[0]["says"]


def test_a_group_that_cannot_be_measured_stays(section: Sample) -> None:
    sizes = table(section, "sizes").rows
    missing = next(row for row in sizes if row["name"] == "site: missing")
    assert (missing["n_units"], missing["n_rows"], missing["n_positive"]) == (20, 33, 4)
    assert missing["estimable"] is False
    written = placed_tables([table(section, "ranking")], "frame", count(1))["ranking"]
    row = next(cells for cells in written.written_rows if cells[0].text == "site: missing")
    assert row[1].text == "not\u00a0estimable"
    assert ("a", "Not estimable: M: 3 positive units, fewer than 10") in written.reasons


def test_metrics_that_no_group_has_are_named_and_not_tabled(section: Sample) -> None:
    gone = {"estimate": None, "reason": "no threshold is declared"}
    for row in section["result"]["groups"]:
        for metric in ("sensitivity", "specificity", "balanced_accuracy", "precision", "npv",
                       "selection_rate"):  # fmt: skip
            row[metric] = gone
    section["result"]["threshold"] = None
    view = table(section, "ranking")
    assert [column.key for column in view.columns] == ["name", "auc", "design_effect"]
    assert "Sensitivity, Specificity and Balanced accuracy (no threshold is declared)" in view.note
    assert "decisions" not in [view.key for view in frame.tables(section)]


def test_the_gap_plot_tells_its_figures(section: Sample) -> None:
    view = figure(section, "gap_auc")
    gap = f"view: AP against PA {MINUS}0.080 ({MINUS}0.100 to {MINUS}0.061)"
    assert f"{gap}, {words.WITHOUT_EVIDENCE}" in view.alt
    assert "sex × view: F × AP against M × PA" in view.alt
    assert "exploratory" in view.alt
    assert "±0.05" in view.caption
    assert "2,000 joint draws of units" in view.caption
    drawn = drawn_names(view)
    assert SCRIPT in drawn
    assert str(3.34 * 0.0101)[:8] in drawn  # the detectable gap of AP against PA


def test_a_detectable_gap_far_off_is_said_and_not_drawn(section: Sample) -> None:
    for row in section["result"]["gaps"]:
        if row["group"] == "F":
            row["minimum_detectable_gap"] = 0.9
    view = figure(section, "gap_auc")
    assert "Detectable gaps beyond the axis: sex: F against M 0.900" in view.caption
    domains = re.findall(r"'domain': \[-[\d.]+, ([\d.]+)\]", drawn_names(view))
    assert max(map(float, domains)) < 0.2


def test_the_forest_names_sizes_and_the_reference(section: Sample) -> None:
    view = figure(section, "forest_auc")
    drawn = drawn_names(view)
    for text in (
        "1,828 units, 418 positive",
        "PA (reference)",
        "M (reference)",
        SCRIPT,
        "all rows",
    ):
        assert text in drawn
    assert "view: AP 0.830 (0.810 to 0.850)" in view.alt
    assert "site: missing not estimable" in view.alt
    assert "Open: the same drawn towards" in view.caption


def test_the_plain_picture_gives_draws_and_observation(section: Sample) -> None:
    view = figure(section, "picture")
    assert "view: AP against PA: 0.830 observed, draws of the reference from 0.906 to 0.916" in (
        view.alt
    )
    row = next(r for r in table(section, "picture").rows if r["group"] == "AP")
    assert (row["most"], row["half"]) == ("0.906 to 0.916", "0.908 to 0.913")
    assert "95.0\u00a0%" in view.caption


def test_several_models_stand_side_by_side() -> None:
    two = frame_section(scores=("old", "new:Q"))
    view = figure(two, "models_auc")
    assert "new:Q against old: gap changes by" in view.alt
    assert {"gap_auc_1", "gap_auc_2", "picture_1", "picture_2"} <= {
        view.key for view in frame.figures(two)
    }
    names = [row["name"] for row in table(two, "verdicts").rows]
    assert "view: AP against PA (old)" in names
    assert "view: AP against PA (new:Q)" in names


def test_a_shift_without_a_link_is_explained_with_its_figures(section: Sample) -> None:
    rows = table(section, "no_cause").rows
    assert [row["name"] for row in rows] == ["view: AP against PA"]
    assert "AUC of 0.963 (0.956 to 0.970)" in rows[0]["differs"]
    assert "44.3" in rows[0]["differs"].replace("44.30", "44.3")
    assert "90.0" in rows[0]["differs"]
    assert f"z = {MINUS}0.488, p = 0.687" in rows[0]["missing"]
    assert "is not shown" in rows[0]["missing"]


def test_without_a_shift_there_is_nothing_to_explain(section: Sample) -> None:
    row = section["result"]["representation"][0]
    row["domain_auc"] |= {"estimate": 0.5, "low": 0.45, "high": 0.55}
    row["coverage_p"] = 0.4
    assert "no_cause" not in [view.key for view in frame.tables(section)]


def test_a_link_that_could_not_be_tested_is_not_called_absent(section: Sample) -> None:
    row = section["result"]["representation"][0]
    row |= {"link_z": None, "link_p": None, "reason": "fewer than 30 patients in the group"}
    missing = table(section, "no_cause").rows[0]["missing"]
    assert "could not be tested: fewer than 30 patients" in missing


def test_what_cannot_be_checked_is_named_and_not_excluded(section: Sample) -> None:
    view = table(section, "alternatives")
    assert [row["alternative"] for row in view.rows] == ["case mix"]
    assert "Not checked, and not excluded: label bias (audit them)" in view.note


def test_regions_that_were_not_found_are_left_out_of_the_print(section: Sample) -> None:
    view = table(section, "clusters")
    assert len(view.rows) == 2
    assert view.print_rows is not None
    assert [row["cluster"] for row in view.print_rows] == [1]
    assert "1 region in which no more errors were found" in view.note


def test_a_ratio_stands_beside_its_difference(section: Sample) -> None:
    rows = table(section, "parity").rows
    assert len(rows) == 1
    assert (rows[0]["difference"], rows[0]["ratio"]) == ("0.200", "0.200")
    assert rows[0]["lowest_group"] == f"{SCRIPT} (400 units)"
    assert rows[0]["left_out"] == "missing: no rate"


@pytest.fixture(scope="module")
def sites() -> Sample:
    return many_sites()


def test_150_sites_are_capped_by_a_rule_that_is_said(sites: Sample) -> None:
    for key in ("sizes", "ranking", "verdicts", "power"):
        view = table(sites, key)
        assert view.print_rows is not None, key
        assert len(view.rows) >= 149
        assert len(view.print_rows) <= 30
        shown = " ".join(row["name"] for row in view.print_rows)
        for site in ("site 7", "site 8", "site 9"):
            assert site in shown, key
        assert "those that decide" in view.note
        assert view.csv
    estimable = [row["estimable"] for row in table(sites, "sizes").print_rows or []]
    assert 1 <= estimable.count(False) <= 7


def test_what_is_not_printed_is_counted(sites: Sample) -> None:
    view = table(sites, "sizes")
    printed = view.print_rows or []
    left = [row for row in view.rows if row["name"] not in {one["name"] for one in printed}]
    rows, positive = (sum(row[key] for row in left) for key in ("n_rows", "n_positive"))
    assert f"Not shown: {len(left)} groups with {rows:,} rows, {positive} of them positive" in (
        view.note
    )


def test_charts_of_150_sites_draw_those_that_decide(sites: Sample) -> None:
    forest, gaps = figure(sites, "forest_auc"), figure(sites, "gap_auc")
    for site in ("site 7", "site 8", "site 9"):
        assert f"'{site}'" in drawn_names(forest)
        assert site in gaps.alt or site in drawn_names(gaps)
    assert "137 more groups" in drawn_names(forest)
    assert "Drawn: 14 of 149 comparisons" in gaps.caption


def test_a_map_draws_at_most_400_points(section: Sample) -> None:
    section["result"]["map"] = [
        {"attribute": f"a{k}", "group": f"g{i % 9}", "x": i / 9, "y": -i / 7, "failure": i % 2 == 0,
         "n_rows": 1}
        for k in range(3) for i in range(400)
    ]  # fmt: skip
    view = figure(section, "map")
    assert view.alt.count("points") == 3
    points = re.findall(r"a\d: (\d+) points", view.alt)
    assert sum(map(int, points)) <= 400
    drawn = drawn_names(view)
    assert "4 other groups" in drawn
    assert "First component, 45.0\\xa0%" in drawn  # as written by repr


def test_figures_of_one_kind_share_no_figure_with_another_result(section: Sample) -> None:
    before = copy.deepcopy(section)
    frame.figures(section)
    frame.tables(section)
    assert section == before


def test_a_section_that_could_not_be_assessed_has_no_figures() -> None:
    section = {"id": "frame", "kind": "frame", "result": {"not_applicable": "one class only"}}
    assert frame.figures(section) == []
    assert frame.tables(section) == []


@pytest.mark.parametrize("medium", ["html", "print_html"])
def test_the_page_states_what_it_must(pages: Pages, medium: str) -> None:
    text = text_of(getattr(pages, medium))
    for phrase in (
        "never a pass",
        "How to read this",
        "What this cannot show",
        "this fixed model",
        "absence of evidence",
        "consistent with",
        "label bias",
        "difficulty",
        "selection",
        "Equal figures can go with unfair outcomes",
        "this tool’s own",
        "score &gt;= threshold",
        "sex: F (estimable)",
        "Left out: 5 rows (no label)",
        "6,187, by patient_id",
    ):
        assert phrase.lower() in text.lower(), phrase
    assert not re.search(r"\b(caused by|unbiased|guarantees?)\b", text)


def test_user_text_is_data(pages: Pages) -> None:
    for html in (pages.html, pages.print_html):
        assert "<script" not in html
    assert "&lt;script&gt;alert(1)" in pages.html
    assert all("<script" not in svg for svg in pages.figures.values())


def test_every_figure_and_table_is_placed_once_in_order(pages: Pages) -> None:
    for kind in ("figure", "table"):
        anchors = re.findall(rf'id="({kind}-frame-[a-z0-9-]+)"', pages.print_html)
        assert len(anchors) == len(set(anchors))
    section = frame_section()
    assert len(pages.figures) == len(frame.figures(section))
    numbers = re.findall(r"<b>Table (\d+)\.", pages.print_html)
    assert numbers == [str(i + 1) for i in range(len(frame.tables(section)))]


def test_two_scores_and_no_features_render() -> None:
    made = render_pages(frame_results(frame_section(scores=("old", SCRIPT), features=False)))
    assert "<script" not in made.html
    assert "Not assessed: no features were given" in text_of(made.html)
    assert "frame-models.csv" in made.tables


def test_a_gap_in_the_groups_favour_is_said_to_be_one(section: Sample) -> None:
    for row in section["result"]["gaps"]:
        if row["group"] == "AP" and row["primary"]:
            row["release"] = "release"
    note = table(section, "verdicts").note
    assert "In the group's favour, so that the release is not held: view: AP against PA." in note
