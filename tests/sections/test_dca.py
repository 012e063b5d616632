"""The rows of the decision curve section."""

from __future__ import annotations

import csv
import json
import math
from pathlib import Path

import numpy as np
import pytest

from reportgen.inputs import Survival
from reportgen.result import plain
from reportgen.sections.dca import (
    AS_DEPLOYED,
    BETTER_DEFAULT,
    RECALIBRATED,
    TREAT_ALL,
    TREAT_NONE,
)
from reportgen.sections.dca.findings import self_check_tolerance
from tests.support.dca import informative, result_of, run, table_of


def test_case_d65() -> None:
    table = table_of({"m": [0, 0.2, 0.5, 1, 0.5]}, [0, 0, 1, 1, 0])
    result = result_of(run(table, thresholds=[0, 0.2, 0.5, 0.9, 1]))
    benefit = {
        name: [row.net_benefit.estimate for row in result.curve if row.model == name]
        for name in ("m", TREAT_ALL, TREAT_NONE)
    }
    assert benefit["m"] == pytest.approx([0.4, 0.3, 0.2, 0.2], abs=1e-12)
    assert benefit[TREAT_ALL] == pytest.approx([0.4, 0.25, -0.2, -5.0], abs=1e-12)
    assert benefit[TREAT_NONE] == [0, 0, 0, 0]
    assert any("threshold 1 was left out" in note for note in result.notes)
    assert result.rule == "score >= threshold"
    first = result.curve[0]
    assert (first.true_positives, first.false_positives) == (2, 3)
    assert (first.false_negatives, first.true_negatives) == (0, 0)
    assert first.interventions_avoided_per_100.estimate is None
    assert "threshold 0" in str(first.interventions_avoided_per_100.reason)
    third = result.curve[2]
    assert (third.true_positives, third.false_positives) == (2, 1)


def test_rows_stand_in_order() -> None:
    table = table_of({"b": [0.1, 0.6, 0.4, 0.9], "a": [0.2, 0.1, 0.9, 0.3]}, [0, 1, 0, 1])
    result = result_of(run(table, thresholds=[0.5, 0.2], prevalence=0.1))
    keys = [(row.probabilities, row.model, row.threshold) for row in result.curve]
    models = ["b", "a", TREAT_ALL, TREAT_NONE]
    kinds = [AS_DEPLOYED, RECALIBRATED]
    assert keys == [(kind, model, t) for kind in kinds for model in models for t in (0.2, 0.5)]
    chosen = result_of(run(table, thresholds=[0.5], scores=["a", "b"]))
    assert [row.model for row in chosen.curve] == ["a", "b", TREAT_ALL, TREAT_NONE]
    assert {row.probabilities for row in chosen.curve} == {AS_DEPLOYED}
    gains = [(row.model, row.against) for row in chosen.gains]
    assert gains == [("a", BETTER_DEFAULT), ("b", BETTER_DEFAULT), ("a", "b")]


def test_reference_values_end_to_end(shared: Path) -> None:
    folder = shared / "data" / "dca"
    with (folder / "df_binary.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    names = ("famhistory", "cancerpredmarker")
    table = table_of(
        {name: [float(row[name]) for row in rows] for name in names},
        [float(row["cancer"] == "TRUE") for row in rows],
    )
    result = result_of(run(table, thresholds={"from": 0.01, "to": 0.99, "step": 0.01}))
    cases = json.loads((folder / "reference.json").read_text())["cases"]
    expected = next(case for case in cases if case["id"] == "binary_99")["results"]
    for ours, theirs in (*zip(names, names, strict=True), (TREAT_ALL, "all")):
        curve = [row for row in result.curve if row.model == ours]
        benefit = [row.net_benefit.estimate for row in curve]
        assert benefit == pytest.approx(expected[theirs]["net_benefit"], abs=1e-9)
        if theirs != "all":
            saved = [row.interventions_avoided_per_100.estimate or math.nan for row in curve]
            per_patient = expected[theirs]["net_intervention_avoided"]
            assert np.array(saved) / 100 == pytest.approx(per_patient, abs=1e-9)


def test_harm_is_subtracted_from_the_model_alone() -> None:
    table = informative(400)
    plain_rows = result_of(run(table, thresholds=[0.2])).curve
    harmed = result_of(run(table, thresholds=[0.2], harm={"good": 0.03})).curve
    shift = [
        (a.net_benefit.estimate or 0) - (b.net_benefit.estimate or 0)
        for a, b in zip(plain_rows, harmed, strict=True)
    ]
    assert shift == pytest.approx([0.03, 0, 0], abs=1e-12)
    saved = [row.interventions_avoided_per_100 for row in (plain_rows[0], harmed[0])]
    # 0.03 true positives at odds 1/4 are 0.12 interventions per patient.
    for name in ("estimate", "low", "high"):
        assert getattr(saved[0], name) - getattr(saved[1], name) == pytest.approx(12, abs=1e-9)


def test_limits_stand_around_the_point_and_the_band_around_the_whole_curve() -> None:
    result = result_of(run(informative(), thresholds={"from": 0.1, "to": 0.4, "step": 0.05}))
    for row in result.curve[:7]:
        estimate = row.net_benefit
        assert estimate.low is not None
        assert estimate.high is not None
        assert estimate.estimate is not None
        assert row.simultaneous_low is not None
        assert estimate.low < estimate.estimate < estimate.high
        assert row.simultaneous_low < estimate.low
        assert estimate.method == "percentile bootstrap of rows, 400 resamples"
    assert result.critical_values["good (as deployed)"] > 1.96
    assert f"{TREAT_NONE} (as deployed)" not in result.critical_values


def test_row_order_changes_nothing() -> None:
    table = informative(500)
    assert table.label is not None
    order = np.random.default_rng(1).permutation(500)
    unit = np.array([f"p{i // 3}" for i in range(500)])
    one_way = table_of(table.scores, table.label, unit=unit)
    other = table_of({"good": table.scores["good"][order]}, table.label[order], unit=unit[order])
    grid = {"from": 0.05, "to": 0.5, "step": 0.05}
    first, second = (run(t, thresholds=grid, prevalence=0.1).result for t in (one_way, other))
    assert plain(first) == plain(second)


def test_units_are_resampled_whole() -> None:
    """Each row three times: as rows the interval is too narrow by about the root of three."""
    table = informative(400)
    assert table.label is not None
    three = np.repeat(np.arange(400), 3)
    scores, label = {"good": table.scores["good"][three]}, table.label[three]
    once = result_of(run(table, thresholds=[0.2], resamples=4000)).curve[0]
    rows = result_of(run(table_of(scores, label), thresholds=[0.2], resamples=4000)).curve[0]
    named = result_of(
        run(table_of(scores, label, unit=three.astype(str)), thresholds=[0.2], resamples=4000)
    )
    units = named.curve[0]
    assert (named.n_rows, named.n_units, named.resampled) == (1200, 400, "units")
    assert units.analytic_se == pytest.approx(once.analytic_se, rel=1e-9)
    assert units.bootstrap_se == pytest.approx(once.bootstrap_se, rel=0.06)
    assert rows.bootstrap_se is not None
    assert rows.bootstrap_se * math.sqrt(3) == pytest.approx(units.bootstrap_se, rel=0.06)


def test_the_target_prevalence_gives_two_views() -> None:
    table = informative(1000)
    assert table.label is not None
    own = float(table.label.mean())
    result = result_of(run(table, thresholds=[0.1, 0.2], prevalence=0.05))
    everyone = [row for row in result.curve if row.model == TREAT_ALL]
    expected = [0.05 - t / (1 - t) * 0.95 for t in (0.1, 0.2)] * 2
    assert [row.net_benefit.estimate for row in everyone] == pytest.approx(expected, abs=1e-12)
    assert all(row.bootstrap_se == 0 for row in everyone)
    assert all(row.simultaneous_low == row.net_benefit.estimate for row in everyone)
    # By hand: the flagged of each class at t as deployed, at the shifted cut-off recalibrated.
    odds = (0.2 / 0.8) * (own / (1 - own)) / (0.05 / 0.95)
    for kind, cut in ((AS_DEPLOYED, 0.2), (RECALIBRATED, odds / (1 + odds))):
        row = next(r for r in result.curve if (r.probabilities, r.threshold) == (kind, 0.2))
        flagged = table.scores["good"] >= cut
        tp = 0.05 * flagged[table.label == 1].mean()
        fp = 0.95 * flagged[table.label == 0].mean()
        assert row.net_benefit.estimate == pytest.approx(tp - 0.25 * fp, abs=1e-12)
        assert row.true_positives == int(flagged[table.label == 1].sum())
        assert row.standardised_net_benefit.estimate == pytest.approx((tp - 0.25 * fp) / 0.05)


def test_survival_end_to_end(shared: Path) -> None:
    folder = shared / "data" / "dca"
    with (folder / "df_surv.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    time = np.array([float(row["ttcancer"]) for row in rows])
    event = np.array([float(row["cancer"] == "TRUE") for row in rows])
    table = table_of(
        {"risk": [float(row["cancerpredmarker"]) for row in rows]},
        survival=Survival(time, event, 1.0),
    )
    result = result_of(run(table, thresholds=[0.25], resamples=200))
    assert result.curve[0].net_benefit.estimate == pytest.approx(0.056954, abs=5e-7)
    assert result.curve[0].true_positives is None
    assert "censored" in str(result.curve[0].counts_reason)
    assert result.n_positive is None
    assert result.horizon == 1.0
    assert result.outcome == "time to event (Kaplan–Meier at 1)"
    assert result.prevalence.estimate == pytest.approx(0.147287, abs=5e-7)
    assert result.prevalence.low is not None
    check = {row.model: row for row in result.self_check}["risk"]
    assert check.ratio_median == pytest.approx(1, abs=self_check_tolerance(200))
    codes = {"diagnosed with cancer": 1.0, "dead other causes": 2.0, "censor": 0.0}
    competing = np.array([codes[row["cancer_cr"]] for row in rows])
    other = table_of(dict(table.scores), survival=Survival(time, competing, 1.0))
    assert "Aalen–Johansen" in result_of(run(other, thresholds=[0.25], resamples=200)).outcome


def test_where_follow_up_ends_the_row_says_so() -> None:
    """High scores are all censored early: nothing is known of them at the horizon."""
    generator = np.random.default_rng(3)
    scores = generator.random(300)
    time = np.where(scores >= 0.8, 0.5, 2.0)
    event = np.where(scores < 0.8, generator.random(300) < 0.2, 0).astype(float)
    time[event == 1] = 0.8
    table = table_of({"m": scores}, survival=Survival(time, event, 1.0))
    result = result_of(run(table, thresholds=[0.5, 0.8]))
    known, unknown = result.curve[:2]
    assert known.net_benefit.low is not None
    assert unknown.net_benefit.estimate is None
    assert "follow-up" in str(unknown.net_benefit.reason)
    assert unknown.true_positive_share is None
    assert unknown.simultaneous_low is None
    assert unknown.analytic_se is None
    assert [row.verdict for row in result.gains][1] == "undecided"
    assert {row.threshold for row in result.evpi} == {0.5}


def test_no_rows_are_flagged_above_the_highest_score() -> None:
    table = informative(300)
    assert table.label is not None
    low = table_of({"m": table.scores["good"] * 0.4}, table.label)
    result = result_of(run(low, thresholds=[0.5]))
    row = result.curve[0]
    assert (row.net_benefit.estimate, row.net_benefit.low, row.net_benefit.high) == (0, 0, 0)
    assert (row.simultaneous_low, row.simultaneous_high) == (0, 0)
    assert result.gains[0].verdict == "undecided"
    assert "fewer than 5 rows with a true positive" in result.gains[0].reason
    assert row.counts_reason is None
    check = next(one for one in result.self_check if one.model == "m")
    assert (check.ratio_low, check.thresholds_checked) == (None, 0)
    assert "at no threshold" in str(check.reason)
