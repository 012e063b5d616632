"""What changed, as pages: the answer, charts by unit, tables cut by a rule that is said."""

from __future__ import annotations

import copy
import re
from typing import Any

import pytest

from reportgen.render.html import Pages, render_pages
from reportgen.render.pages import comparison
from reportgen.render.pages.comparison_figures import MOST_ROWS as MOST_DRAWN
from reportgen.render.pages.comparison_figures import unit_of
from reportgen.render.pages.comparison_tables import MOST_PRINTED, MOST_ROWS
from reportgen.render.pages.comparison_words import MOST
from reportgen.render.view import FigureView, TableView
from tests.support.bare_pages import without_fonts
from tests.support.comparison import sample_comparison

Sample = dict[str, Any]


@pytest.fixture
def data() -> Sample:
    return sample_comparison()


def figures(data: Sample) -> dict[str, FigureView]:
    return {view.key: view for view in comparison.figures(comparison.section_of(data))}


def tables(data: Sample) -> dict[str, TableView]:
    return {view.key: view for view in comparison.tables(comparison.section_of(data))}


def many(data: Sample, n: int) -> Sample:
    """Return a comparison with n figures more, of which the last alone is worse."""
    row = next(row for row in data["figures"] if row["change"] == "not shown")
    for at in range(n):
        more = copy.deepcopy(row)
        more["of"] = f"threshold 0.{at:04}"
        data["figures"].append(more)
    worst = next(row for row in data["figures"] if row["change"] == "worse")
    data["figures"][-1] = {**copy.deepcopy(worst), "of": "the very last", "p_adjusted": 1e-9}
    return data


def test_the_answer_is_said_in_words(data: Sample) -> None:
    said = comparison.section_of(data)["result"]["answer"]
    assert said == "The decision is worse: from conditional to hold. 5 regressions."
    data["decision"] = {"old": "hold", "new": "hold", "change": "same"}
    data["regressions"] = []
    same = comparison.section_of(data)["result"]["answer"]
    assert same == "The decision stays hold. No regression is shown."


def test_what_is_worse_and_what_is_better(data: Sample) -> None:
    result = comparison.section_of(data)["result"]
    assert result["worsenings"] == [one["statement"] for one in data["regressions"]]
    better = result["improvements"]
    assert better[0] == "Milder finding, warn before and pass now: logistic: undecided."
    assert any(one.startswith("AUC, logistic, overall all: 0.842 before") for one in better) or any(
        one.startswith("AUC, logistic") for one in better
    )
    # A note that is gone is no improvement: nothing was asked of it.
    assert not any("Precision moves" in one for one in better)


def test_long_lists_name_the_surest_and_count_the_rest(data: Sample) -> None:
    worse = next(row for row in data["figures"] if row["change"] == "worse")
    for at in range(2 * MOST):
        row = {**copy.deepcopy(worse), "of": f"group {at}", "p_adjusted": 0.02 - at / 1000}
        data["figures"].append(row)
        data["regressions"].append({"kind": "figure", "section": "frame", "statement": f"{at}"})
    told = comparison.section_of(data)["result"]["worsenings"]
    figures_told = told[3:]
    assert len(figures_told) == MOST + 1
    assert figures_told[-1].endswith("more are in the table below.")
    assert "group 15" in " ".join(figures_told)  # the smallest p value, and the last of the list
    assert "group 0" not in " ".join(figures_told)


def test_each_unit_of_measure_has_a_chart_of_its_own(data: Sample) -> None:
    drawn = figures(data)
    assert list(drawn) == ["differences_share", "differences_net_benefit", "differences_ratio"]
    units = {row["metric"]: unit_of(row) for row in data["figures"]}
    assert units["net_benefit_gain"] == "net_benefit"
    assert units["positive_likelihood_ratio"] == "ratio"
    assert units["sensitivity"] == units["sensitivity_gap"] == "share"
    # On the scale of shares, a slope of calibration or a count would squeeze all else together.
    row = {**data["figures"][0], "metric": "calibration_slope"}
    assert unit_of(row) == "own"
    assert unit_of({**row, "metric": "false_alarms_per_1000"}) == "per_1000"


def test_a_chart_says_its_figures_to_those_who_do_not_see_it(data: Sample) -> None:
    alt = figures(data)["differences_share"].alt
    assert "2 are shown to be worse" in alt
    assert "−0.19 (−0.27 to −0.11)" in alt
    assert "sex F, threshold 0.5" in alt
    ratio = figures(data)["differences_ratio"].alt
    assert "1.7 (1.2 to 2.5) ×" in ratio


def test_a_chart_shows_those_that_differ_first(data: Sample) -> None:
    n = 3 * MOST_DRAWN
    view = figures(many(data, n))["differences_net_benefit"]
    # One was there; of the n put in, the last is no net benefit.
    left = re.search(r"(\d+) more are in the table", view.caption)
    assert left is not None
    shown = view.alt.count("not shown")
    assert 1 < shown <= MOST_DRAWN
    assert int(left[1]) == n - shown
    share = figures(data)["differences_share"]
    assert "the very last" in share.alt


def test_tables_are_cut_by_a_rule_that_is_said(data: Sample) -> None:
    view = tables(many(data, 300))["figures"]
    assert len(view.rows) == MOST_ROWS
    assert view.print_rows is not None
    assert len(view.print_rows) == MOST_PRINTED
    assert f"the page shows {MOST_ROWS} and the PDF {MOST_PRINTED}" in view.note
    assert view.csv == "comparison-figures.csv"
    assert any("the very last" in row["figure"] for row in view.print_rows)


def test_the_figures_of_robust_stand_apart(data: Sample) -> None:
    found = tables(data)
    assert [row["section"] for row in found["robust"].rows] == ["robust"]
    assert "robust" not in {row["section"] for row in found["figures"].rows}
    assert "Drift of the robust figures" in found["robust"].caption


def test_how_a_difference_was_had_is_said(data: Sample) -> None:
    caption = tables(data)["figures"].caption
    assert re.search(r"Paired: [^.]*paired bootstrap", caption)
    assert re.search(r"Not paired: [^.]*square-and-add \(MOVER\)", caption)
    rows = {row["figure"]: row for row in tables(data)["figures"].rows}
    auc = next(row for name, row in rows.items() if name.startswith("AUC, logistic, overall"))
    assert (auc["paired"], auc["difference"]) == ("paired", "+0.019 (0.004 to 0.035)")


def test_values_of_the_manifest_stand_as_typed(data: Sample) -> None:
    rows = {row["name"]: (row["old"], row["new"]) for row in tables(data)["manifest"].rows}
    assert rows["sections.frame.threshold"] == ("0.4", "0.5")
    assert rows["sections.robust.exact"] == ("true", "false")
    assert rows["sections.dca.harm.logistic"] == (None, "0.002")


def test_only_findings_and_inputs_that_moved_are_listed(data: Sample) -> None:
    found = tables(data)
    assert [row["change"] for row in found["findings"].rows] == ["new", "worse", "better", "gone"]
    assert found["findings"].note == "1 finding is as it was."
    assert {row["name"] for row in found["inputs"].rows} == {"tables.test", "tables.field", "plan"}


@pytest.fixture
def pages(results: Sample, data: Sample, monkeypatch: pytest.MonkeyPatch) -> Pages:
    without_fonts(monkeypatch)
    data["figures"][0]["of"] = "<b>sex</b> & \x07"
    return render_pages({**results, "comparison": data})


def test_a_dossier_has_it_as_a_chapter_before_its_sections(pages: Pages, results: Sample) -> None:
    html = pages.html
    first = results["sections"][0]["id"]
    place = html.index('id="section-comparison"')
    assert html.index('id="reading"') < place < html.index(f'id="section-{first}"')
    assert 'href="#section-comparison"' in html
    assert 'id="methods-comparison"' in html
    assert "Zou GY, Donner A." in html
    ids = re.findall(r'\bid="([^"]+)"', html)
    assert len(ids) == len(set(ids))
    assert set(re.findall(r'href="#([^"]+)"', html)) <= set(ids)


def test_its_tables_lie_beside_the_pages_and_text_stays_text(pages: Pages) -> None:
    assert "comparison-figures.csv" in pages.tables
    assert pages.tables["comparison-packages.csv"].splitlines()[1].startswith("numpy,2.3.4,")
    assert "<b>sex</b>" not in pages.html
    assert "&lt;b&gt;sex&lt;/b&gt; &amp; \\x07" in pages.html


def test_without_the_key_there_is_no_chapter(
    results: Sample, monkeypatch: pytest.MonkeyPatch
) -> None:
    without_fonts(monkeypatch)
    assert "section-comparison" not in render_pages(results).html
