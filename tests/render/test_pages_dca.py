"""Figures and tables of decision curves: they choose, order and label; they change no figure."""

from __future__ import annotations

import copy
import re
from typing import Any

import pytest

from reportgen.render.pages import dca, dca_rows
from reportgen.render.pages.words import limits, printed
from reportgen.render.placing import placed_tables
from reportgen.render.view import FigureView, TableView
from reportgen.result import plain
from reportgen.sections.dca import result as section_words
from tests.support import dca as sections

Sample = dict[str, Any]
TAG = "<script>alert(1)</script>"


@pytest.fixture
def section(results: Sample) -> Sample:
    """The sample's section, with gains of one model over the other beside those it has."""
    chosen: Sample = next(one for one in results["sections"] if one["kind"] == "dca")
    gains = chosen["result"]["gains"]
    chosen["result"]["gains"] = [
        *gains,
        *({**g, "against": TAG} for g in gains if g["model"] != TAG),
    ]
    return chosen


def figure(section: Sample, key: str) -> FigureView:
    return next(view for view in dca.figures(section) if view.key == key)


def table(section: Sample, key: str) -> TableView:
    return next(view for view in dca.tables(section) if view.key == key)


def fine_grid(section: Sample, n: int = 46) -> Sample:
    """The sample's rows at 0.05, again at each of 0.05, 0.06, …"""
    finer = copy.deepcopy(section)
    for name in ("curve", "gains", "evpi"):
        first = [row for row in section["result"][name] if row["threshold"] == 0.05]
        finer["result"][name] = [
            {**row, "threshold": (5 + i) / 100} for i in range(n) for row in first
        ]
    return finer


def test_the_words_are_those_of_the_results() -> None:
    assert dca_rows.TREAT_ALL == section_words.TREAT_ALL
    assert dca_rows.TREAT_NONE == section_words.TREAT_NONE
    assert dca_rows.BETTER_DEFAULT == section_words.BETTER_DEFAULT


def test_keys_are_names_and_unique(section: Sample) -> None:
    keys = [view.key for view in dca.figures(section)] + [v.key for v in dca.tables(section)]
    assert all(re.fullmatch(r"[a-z0-9_]+", key) for key in keys)
    tables = [view.key for view in dca.tables(section)]
    assert len(set(tables)) == len(tables)
    assert [view.key for view in dca.figures(section)] == ["curve", "gain", "between", "avoided"]


def test_every_column_has_a_value_in_every_row(section: Sample) -> None:
    for view in dca.tables(section):
        for row in [*view.rows, *(view.print_rows or [])]:
            assert {column.key for column in view.columns} <= set(row), view.key


def test_the_alt_text_gives_the_figures_of_the_middle_row(section: Sample) -> None:
    row = next(
        r for r in section["result"]["curve"] if r["model"] == "logistic" and r["threshold"] == 0.3
    )
    row["net_benefit"] |= {"estimate": 0.1234, "low": 0.0456, "high": 0.2012}
    alt = figure(section, "curve").alt.replace("\u00a0", " ")
    assert "threshold 0.3" in alt
    assert "logistic 0.12 (0.05 to 0.20)" in alt
    assert "treat none 0" in alt


def test_the_alt_text_of_the_gain_names_the_verdicts(section: Sample) -> None:
    alt = figure(section, "gain").alt
    for run in section["result"]["verdicts"]:
        if run["against"] == section_words.BETTER_DEFAULT:
            assert run["verdict"] in alt
    assert "undecided from 0.05 to 0.1" in alt


def test_the_caption_says_units_n_method_and_what_was_cut(section: Sample) -> None:
    lowest = next(
        r
        for r in section["result"]["curve"]
        if r["model"] == section_words.TREAT_ALL and r["threshold"] == 0.5
    )
    lowest["net_benefit"]["estimate"] = -5.25
    caption = figure(section, "curve").caption
    assert "net true positives per row" in caption
    assert "n = 200 rows of 180 units, 60 positive" in caption
    assert "2,000 percentile-bootstrap resamples of patients" in caption
    assert "score >= threshold" in caption
    assert re.search(r"cut at −0\.\d+: treat all falls to −5\.25\d* at 0\.5", caption)


def test_a_model_that_is_never_useful_stays_in_sight(section: Sample) -> None:
    for row in section["result"]["gains"]:
        row["gain"] |= {"estimate": -3.0, "low": -3.1, "high": -2.9}
        row["simultaneous_low"], row["simultaneous_high"] = -3.2, -2.8
    chart = figure(section, "gain").chart.to_dict()
    domains = re.findall(r"'domain': \[(-?[\d.]+), (-?[\d.]+)\]", str(chart))
    assert min(float(low) for low, _ in domains) < -3.0


def test_rows_are_the_results_own(section: Sample) -> None:
    curve = table(section, "curve")
    own = section["result"]["curve"]
    assert len(curve.rows) == len(own)
    for row in curve.rows:
        source = next(r for r in own if all(row[key] == r[key] for key in ("model", "threshold")))
        assert all(row[key] == source[key] for key in source)
    thresholds = [row["threshold"] for row in curve.rows]
    assert thresholds == sorted(thresholds)


def test_the_print_keeps_the_ends_and_says_its_rule(section: Sample) -> None:
    view = table(fine_grid(section), "gains")
    assert view.print_rows is not None
    shown = sorted({row["threshold"] for row in view.print_rows})
    assert shown == [0.05, 0.1, 0.15, 0.2, 0.25, 0.3, 0.35, 0.4, 0.45, 0.5]
    assert "multiples of 0.05 and both ends" in view.note
    assert view.csv == "dca-gains.csv"
    assert len(view.rows) == 46 * 2
    assert table(fine_grid(section), "between").print_rows is not None


def test_the_print_shows_what_findings_name_and_where_verdicts_end(section: Sample) -> None:
    fine = fine_grid(section)
    fine["result"]["overall"][0]["deciding_threshold"] = 0.49
    fine["result"]["verdicts"][0] |= {"from": 0.05, "to": 0.23}
    fine["result"]["between_models"] = [{**fine["result"]["overall"][0], "against": TAG}]
    for key, named in (("gains", {0.23, 0.49}), ("between", {0.49})):
        view = table(fine, key)
        shown = {row["threshold"] for row in view.print_rows or ()}
        assert named <= shown, key
        assert len(shown) < 46
        assert "the thresholds that a finding names or a verdict ends at" in view.note


def test_every_figure_of_a_verdict_can_be_found_in_print() -> None:
    """A section as computed: the threshold, the gain and both limits of each finding."""
    grid = {"from": 0.1, "to": 0.4, "step": 0.01, **sections.STATED}
    outcome = sections.run(sections.informative(300), thresholds=grid, prevalence=0.15)
    made = {"id": "dca", "kind": "dca", "result": plain(outcome.result)}
    printed_rows = table(made, "gains").print_rows
    assert printed_rows is not None
    found = [f for f in outcome.findings if "gain" in f.evidence]
    assert len(found) == 2
    for finding in found:
        (row,) = [
            row
            for row in printed_rows
            if row["threshold"] == finding.evidence["threshold"]
            and row["probabilities"] == finding.evidence["probabilities"]
        ]
        assert f"limits {row['band']}) net" in finding.statement
        pointwise = limits(row["gain"])
        assert f"interval {pointwise};" in finding.statement
    moved = next(f for f in outcome.findings if f.code == "DCA-011")
    place = re.search(r"at threshold ([\d.]+), where", moved.statement)
    assert place is not None
    shift_rows = table(made, "recalibration").print_rows or ()
    assert float(place[1]) in {row["threshold"] for row in shift_rows}


def test_small_values_stand_as_decimals(section: Sample) -> None:
    rows = section["result"]["evpi"]
    rows[0]["value"], rows[1]["value"] = 2.00e-6, 3e-9
    written = placed_tables([table(section, "evpi")], "dca", iter([1]))["evpi"].written_rows
    cells = [row[-1].text for row in written[:2]]
    assert cells == ["0.000002", "< 0.000001"]


@pytest.mark.parametrize(
    ("grid", "chosen"),
    [
        ([0.1, 0.2], [0.1, 0.2]),
        ([i / 100 for i in range(1, 100)], [0.01, *(i / 10 for i in range(1, 10)), 0.99]),
        ([i / 1000 for i in range(5, 31)], [0.005, 0.01, 0.02, 0.03]),
    ],
)
def test_printed_thresholds(grid: list[float], chosen: list[float]) -> None:
    assert printed(grid)[0] == chosen


def test_a_grid_without_round_values_is_thinned() -> None:
    grid = [0.1 + i / 7919 for i in range(101)]
    chosen, rule = printed(grid)
    assert chosen[0] == grid[0]
    assert chosen[-1] == grid[-1]
    assert set(chosen) <= set(grid)
    assert len(chosen) <= 12
    assert "one threshold in 10" in rule


def test_simultaneous_limits_stand_beside_the_pointwise_ones(section: Sample) -> None:
    row = section["result"]["curve"][0]
    row["simultaneous_low"], row["simultaneous_high"] = -0.0412, 0.3588
    first = next(r for r in table(section, "curve").rows if r["model"] == row["model"])
    assert first["band"].replace("\u00a0", " ") == "−0.04 to 0.36"
    row["simultaneous_low"] = None
    first = next(r for r in table(section, "curve").rows if r["model"] == row["model"])
    assert first["band"] == ""


def test_a_target_prevalence_gives_both_readings(section: Sample) -> None:
    result = section["result"]
    result["target_prevalence"] = 0.1
    for name in ("curve", "gains", "evpi", "verdicts", "overall", "self_check"):
        again = [{**row, "probabilities": "recalibrated"} for row in result[name]]
        result[name] = [*result[name], *again]
    keys = [view.key for view in dca.figures(section)]
    for kind in ("curve", "gain", "between", "avoided"):
        assert f"{kind}_as_deployed" in keys
        assert f"{kind}_recalibrated" in keys
    assert (
        "prevalence of 10.0\u00a0%, probabilities recalibrated"
        in figure(section, "curve_recalibrated").title
    )
    names = {row["name"] for row in table(section, "curve").rows}
    assert {"logistic, as deployed", "logistic, recalibrated"} <= names


def test_a_survival_result_has_no_counts(section: Sample) -> None:
    section["result"] |= {"n_positive": None, "n_negative": None, "horizon": 1.5}
    for row in section["result"]["curve"]:
        for key in ("true_positives", "false_positives", "false_negatives", "true_negatives"):
            row[key] = None
    assert "TP" not in [column.heading for column in table(section, "avoided").columns]
    assert "positive;" not in figure(section, "curve").caption


def test_interventions_avoided_are_left_open_at_zero(section: Sample) -> None:
    for row in section["result"]["curve"]:
        if row["threshold"] == 0.05:
            row["threshold"] = 0.0
            gone = {"estimate": None, "reason": "not defined at threshold 0"}
            row["interventions_avoided_per_100"] = gone
    assert figure(section, "avoided").chart is not None
    written = placed_tables([table(section, "avoided")], "dca", iter([1]))["avoided"]
    assert any("not defined at threshold 0" in reason for _, reason in written.reasons)


def test_a_section_that_could_not_be_assessed_has_no_figures() -> None:
    section = {"id": "dca", "kind": "dca", "result": {"not_applicable": "one class only"}}
    assert dca.figures(section) == []
    assert dca.tables(section) == []


@pytest.mark.parametrize("medium", ["html", "print_html"])
def test_the_page_states_what_it_must(pages: Any, medium: str) -> None:
    html = getattr(pages, medium)
    text = re.sub(r"\s+", " ", re.sub(r"<[^>]+>", " ", html))
    assert "score &gt;= threshold" in text
    assert "How to read this" in text
    assert "What this cannot show" in text
    assert "net true positives per row" in text
    assert "Clinical lead" in text
    assert not re.search(r"best threshold|optimal threshold", text, re.IGNORECASE)
    assert "<script>alert(1)" not in html
