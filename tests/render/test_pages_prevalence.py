"""Figures and tables of prevalence tables: pivoted and labelled, each figure as computed."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest

from reportgen.inputs import Inputs
from reportgen.render.pages import prevalence
from reportgen.render.pages.prevalence_rows import LABELS, share
from reportgen.render.view import FigureView, TableView
from reportgen.result import plain
from reportgen.section import Context
from reportgen.sections.prevalence import SECTION
from reportgen.sections.prevalence.figures import UNITS

Sample = dict[str, Any]


def published(**settings: Any) -> Sample:
    """A section computed from published figures."""
    chosen = SECTION.settings.model_validate({"kind": "prevalence", **settings})
    context = Context(np.random.default_rng(1), 100, 0.95)
    outcome = SECTION.compute(Inputs({}, ()), chosen, context)
    return {"id": "prevalence", "kind": "prevalence", "result": plain(outcome.result)}


@pytest.fixture(scope="module")
def counted() -> Sample:
    """Sensitivity 80 of 100, specificity 400 of 500."""
    return published(
        sensitivity={"k": 80, "n": 100},
        specificity={"k": 400, "n": 500},
        prevalences=[0.9, 0.01],
    )


@pytest.fixture
def section(results: Sample) -> Sample:
    chosen: Sample = next(one for one in results["sections"] if one["id"] == "prevalence")
    return chosen


def figure(section: Sample, key: str) -> FigureView:
    return next(view for view in prevalence.figures(section) if view.key == key)


def table(section: Sample, key: str) -> TableView:
    return next(view for view in prevalence.tables(section) if view.key == key)


def cells(view: TableView, heading: str) -> list[str]:
    """The cells of the row that `heading` heads, with plain blanks."""
    row = next(row for row in view.rows if row[view.columns[0].key] == heading)
    return [str(row[column.key]).replace("\u00a0", " ") for column in view.columns[1:]]


def test_keys_are_names_and_unique(section: Sample, counted: Sample) -> None:
    for one in (section, counted):
        for views in (prevalence.figures(one), prevalence.tables(one)):
            keys = [view.key for view in views]
            assert all(re.fullmatch(r"[a-z0-9_]+", key) for key in keys)
            assert len(set(keys)) == len(keys)


def test_every_column_has_a_value_in_every_row(section: Sample, counted: Sample) -> None:
    for one in (section, counted):
        for view in prevalence.tables(one):
            for row in view.rows:
                assert {column.key for column in view.columns} <= set(row), view.key


def test_every_figure_of_the_section_has_a_name(counted: Sample) -> None:
    metrics = {row["metric"] for row in counted["result"]["moves"]} | set(UNITS)
    assert metrics <= set(LABELS)


def test_precision_stands_under_its_prevalence(counted: Sample) -> None:
    # source 004: 0.972973 at nine positives to one negative; 0.8/20.6 at 1 %, by counting
    view = table(counted, "metrics")
    assert [column.heading for column in view.columns[1:]] == ["90\u00a0%", "1\u00a0%"]
    first, second = cells(view, LABELS["precision"])
    assert first.startswith("0.97")
    assert second.startswith("0.039")
    assert cells(view, "Accuracy")[0][:4] == cells(view, "Accuracy")[1][:4] == "0.80"


def test_mercaldo_stands_below_where_it_is_defined(counted: Sample) -> None:
    view = table(counted, "metrics")
    headings = [row["figure"] for row in view.rows]
    below = headings[headings.index(LABELS["precision"]) + 1]
    assert "Mercaldo" in below
    source = next(
        row
        for row in counted["result"]["rows"]
        if row["metric"] == "precision" and row["prevalence"] == 0.01
    )
    low, high = cells(view, below)[1].split(" to ")
    assert float(low) == pytest.approx(source["low_mercaldo"], abs=0.0006)
    assert float(high) == pytest.approx(source["high_mercaldo"], abs=0.0006)


def test_without_counts_there_is_no_mercaldo_and_the_reason_stands() -> None:
    section = published(sensitivity=0.8, specificity=0.8, prevalences=[0.1])
    view = table(section, "metrics")
    assert not any("Mercaldo" in row["figure"] for row in view.rows)
    assert "published without counts" in cells(view, LABELS["precision"])[0]
    assert figure(section, "precision").chart is not None


def test_natural_frequencies_by_counting(counted: Sample) -> None:
    # of 10,000 at 1 %: 100 positives, 80 flagged; 9,900 negatives, a fifth flagged: 1,980
    words = [row["words"] for row in table(counted, "frequencies").rows]
    assert words[1] == (
        "Of 10,000 in all, 100 are positive and 2,060 are flagged, 80 of them rightly and 1,980 "
        "wrongly; 20 positives are missed."
    )
    assert words[0].startswith("Of 1,000 in all, 900 are positive and 740 are flagged, 720 of them")


def test_rare_positives_are_counted_among_more(counted: Sample) -> None:
    """At 1 in 1,000: 0.8 flagged and 0.2 missed of 1,000 are 80 and 20 of 100,000."""
    rare = published(
        sensitivity={"k": 80, "n": 100}, specificity={"k": 400, "n": 500}, prevalences=[0.001]
    )
    (row,) = table(rare, "frequencies").rows
    assert row["words"].startswith("Of 100,000 in all, 100 are positive and 20,060 are flagged,")


def test_no_two_tables_have_one_title() -> None:
    many = published(
        sensitivity={"k": 80, "n": 100},
        specificity={"k": 400, "n": 500},
        prevalences=[0.5, 0.3, 0.1, 0.05, 0.01],
    )
    point = many["result"]["operating_points"][0]
    many["result"]["operating_points"] = [{**point, "threshold": i / 10} for i in (1, 2, 3, 4, 5)]
    titles = [view.caption.partition(". ")[0] for view in prevalence.tables(many)]
    assert len(set(titles)) == len(titles)
    assert "Figures by prevalence, as published, at 5\u00a0% and 1\u00a0%" in titles
    assert "Operating points, threshold 0.4 and threshold 0.5" in titles


def test_limits_below_zero_are_drawn_and_said(section: Sample) -> None:
    row = next(r for r in section["result"]["unlabelled"] if r["prevalence"]["estimate"])
    row["prevalence"] |= {"estimate": 0.02, "low": -0.031, "high": 0.07, "method": "x"}
    view = figure(section, "unlabelled")
    domains = re.findall(r"'domain': \[(-?[\d.]+), (-?[\d.]+)\]", str(view.chart.to_dict()))
    assert min(float(low) for low, _ in domains) < -0.031
    assert "No limit is cut to the edge: one below 0 is consistent with" in view.caption
    assert "line without words marks 0" in view.caption
    assert "(−3 to 7)" in view.alt


def test_columns_are_parted_evenly(section: Sample) -> None:
    many = published(
        sensitivity={"k": 80, "n": 100},
        specificity={"k": 400, "n": 500},
        prevalences=[0.5, 0.3, 0.1, 0.05, 0.01],
    )
    views = [v for v in prevalence.tables(many) if v.key.startswith("metrics")]
    assert [len(view.columns) - 1 for view in views] == [3, 2]
    assert views[0].note
    assert not views[1].note


def test_what_moves_is_all_there(counted: Sample) -> None:
    rows = table(counted, "moves").rows
    moving = {row["figure"] for row in rows if row["moves_with_mix"]}
    staying = {row["figure"] for row in rows if not row["moves_with_mix"]}
    assert {LABELS["precision"], LABELS["npv"], "F1", "Net benefit"} <= moving
    assert {"Sensitivity", "Specificity", LABELS["auc"]} <= staying


def test_the_alt_text_gives_the_stated_prevalences(counted: Sample) -> None:
    alt = figure(counted, "precision").alt.replace("\u00a0", " ")
    assert re.search(
        r"Precision, as published: 0\.97\d* \([\d.]+ to [\d.]+\) at a prevalence of 90 %", alt
    )
    assert "at a prevalence of 1 %" in alt
    assert "100 positive and 500 negative" in figure(counted, "precision").caption


def test_an_estimate_that_cannot_be_had_is_shown_with_its_reason(section: Sample) -> None:
    assert "not identifiable" in figure(section, "unlabelled").alt
    view = table(section, "unlabelled")
    assert any(row["prevalence"]["estimate"] is None for row in view.rows)
    chart = str(figure(section, "unlabelled").chart.to_dict())
    assert "not identifiable" in chart


def test_a_threshold_where_nobody_is_flagged() -> None:
    section = published(
        sensitivity={"k": 0, "n": 34}, specificity={"k": 44, "n": 44}, prevalences=[0.07]
    )
    assert "precision" not in [view.key for view in prevalence.figures(section)]
    assert "nobody is flagged" in cells(table(section, "metrics"), LABELS["precision"])[0]


@pytest.mark.parametrize(
    ("value", "written"),
    [(0.5, "50"), (0.1, "10"), (0.01, "1"), (0.001, "0.1"), (1 / 3, "33.3333"), (0.07, "7")],
)
def test_prevalences_are_written_as_meant(value: float, written: str) -> None:
    assert share(value) == f"{written}\u00a0%"


def test_a_section_that_could_not_be_assessed_has_no_figures() -> None:
    section = {"id": "p", "kind": "prevalence", "result": {"not_applicable": "one class only"}}
    assert prevalence.figures(section) == []
    assert prevalence.tables(section) == []


@pytest.mark.parametrize("medium", ["html", "print_html"])
def test_the_page_states_what_it_must(pages: Any, medium: str) -> None:
    html = getattr(pages, medium)
    text = re.sub(r"\s+", " ", re.sub(r"<[^>]+>", " ", html))
    assert "Label shift" in text
    assert "{{ 7*7 }}" in text
    assert "Mercaldo" in text
    assert "Which mix a study should collect" in text
    assert "not identifiable" in text
