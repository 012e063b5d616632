"""Each finding beside the verdicts fires where it should and nowhere else; laws of the section."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from reportgen.inputs import Table
from reportgen.inputs.table import Training
from reportgen.result import Outcome, plain
from reportgen.sections.frame import FrameResult
from reportgen.sections.frame.result import ModelRow
from tests.support.frame import (
    codes,
    finding,
    gap,
    group,
    objects,
    result,
    run,
    table_of,
    two_groups,
)


@pytest.fixture(scope="module")
def usual() -> Outcome:
    """A run with nothing to remark on but its verdict."""
    return run(two_groups(), threshold=0.5)


def test_a_usual_run_says_its_verdict_alone(usual: Outcome) -> None:
    assert set(codes(usual)) <= {"FRM-001", "FRM-002", "FRM-003"}


def test_rows_left_out_are_counted(usual: Outcome) -> None:
    table = two_groups()
    scores = table.scores["m"].copy()
    scores[:5] = np.nan
    few = finding(run(replace(table, scores={"m": scores})), "FRM-010")
    assert few.severity == "note"
    assert "5 of 500 rows" in few.statement
    scores[:50] = np.nan
    assert finding(run(replace(table, scores={"m": scores})), "FRM-010").severity == "warn"
    assert "FRM-010" not in codes(usual)


def test_without_patients_each_row_is_its_own(usual: Outcome) -> None:
    outcome = run(replace(two_groups(), unit=None))
    assert "counts as a patient of its own" in finding(outcome, "FRM-013").statement
    assert isinstance(outcome.result, FrameResult)
    assert (outcome.result.resampled, outcome.result.n_units) == ("rows", 500)
    assert "FRM-013" not in codes(usual)


def test_without_a_threshold_nothing_is_said_of_decisions(usual: Outcome) -> None:
    outcome = run(two_groups())
    found = outcome.result
    assert isinstance(found, FrameResult)
    assert "FRM-014" in codes(outcome)
    assert "FRM-014" not in codes(usual)
    row = group(found, "group", "small")
    assert row.sensitivity.estimate is None
    assert row.sensitivity.reason == "no threshold is declared"
    assert row.brier.estimate is not None
    assert {r.metric for r in found.gaps} == {
        "auc",
        "prevalence",
        "brier",
        "calibration_intercept",
        "calibration_slope",
    }
    assert {r.metric for r in found.parity} == {"auc"}


def test_scores_that_only_rank_have_no_calibration() -> None:
    table = two_groups()
    ranks = replace(table, scores={"m": 10 * table.scores["m"]}, scale="score")
    found = result(ranks, threshold=5.0)
    row, same = (group(one, "group", "small") for one in (found, result(table, threshold=0.5)))
    assert row.brier.estimate is None
    assert row.calibration_slope.estimate is None
    assert row.sensitivity == same.sensitivity
    assert row.auc == same.auc
    assert not {"brier", "calibration_slope"} & {r.metric for r in found.gaps}


def test_exploratory_gaps_are_named(usual: Outcome) -> None:
    table = two_groups(2, patients=(400, 400), images=1)
    names = np.asarray(table.groups["group"])
    score = np.where(names == "small", table.scores["m"] ** 3, table.scores["m"])
    outcome = run(replace(table, scores={"m": score}), threshold=0.5)
    told = finding(outcome, "FRM-009")
    assert "sensitivity of “group small” against “large”" in told.statement
    assert "decide nothing" in told.limits
    assert "FRM-009" not in codes(usual)


def clustered() -> Table:
    """Return rows that are decided wrongly in one corner of the features."""
    rng = np.random.default_rng(4)
    corner = rng.random(600) < 0.25
    x = rng.normal(size=(600, 3)) * 0.5 + 3 * corner[:, None] * np.array([1, 0, 0])
    label = rng.random(600) < 0.5
    wrong = rng.random(600) < np.where(corner, 0.6, 0.05)
    score = np.where(label ^ wrong, 0.8, 0.2) + rng.uniform(-0.1, 0.1, 600)
    return table_of(label, score, {"g": rng.choice(["a", "b"], 600)}, features=x)


def test_confirmed_failure_clusters_are_described() -> None:
    outcome = run(clustered(), threshold=0.5)
    told = finding(outcome, "FRM-017")
    assert "in all rows" in told.statement
    assert re.search(r"\(x0 \+\d", told.statement)
    found = outcome.result
    assert isinstance(found, FrameResult)
    (confirmed,) = [row for row in found.clusters if row.confirmed and row.attribute == "overall"]
    assert confirmed.error_rate.estimate == pytest.approx(0.6, abs=0.15)
    assert {row.failure for row in found.map} == {True, False}
    assert sum(row.n_rows for row in found.map) == 600
    rng = np.random.default_rng(4)
    table = clustered()
    spread = {name: rng.permutation(values) for name, values in table.features.items()}
    assert "FRM-017" not in codes(run(replace(table, features=spread), threshold=0.5))


def paired(old_small: float, new_small: float) -> Table:
    """Return two scores that are alike in the large group; the small one's signal differs."""
    parts = [two_groups(6, patients=(300, 300), signal=(2.0, s)) for s in (old_small, new_small)]
    scores = {"old": parts[0].scores["m"], "new": parts[1].scores["m"]}
    return replace(parts[0], scores=scores)


def change(outcome: Outcome, metric: str = "auc") -> ModelRow:
    assert isinstance(outcome.result, FrameResult)
    (row,) = [row for row in outcome.result.models if row.metric == metric]
    return row


def test_a_new_score_narrows_or_widens_a_gap(usual: Outcome) -> None:
    better = run(paired(0.3, 1.8), scores=["old", "new"])
    row = change(better)
    assert (row.score, row.against, row.reading) == ("new", "old", "narrower")
    assert isinstance(better.result, FrameResult)
    gaps = {one.score: one.gap.estimate for one in better.result.gaps if one.metric == "auc"}
    assert row.change.estimate == pytest.approx((gaps["new"] or 0) - (gaps["old"] or 0))
    assert "1 differs between the scores: " in finding(better, "FRM-018").statement
    assert change(run(paired(1.8, 0.3), scores=["old", "new"])).reading == "wider"
    same = run(paired(1.8, 1.8), scores=["old", "new"])
    assert change(same).reading == "no change shown"
    assert "none is shown to change" in finding(same, "FRM-018").statement
    assert "FRM-018" not in codes(usual)


def test_groups_that_differ_are_heterogeneous() -> None:
    rng = np.random.default_rng(3)
    name = np.repeat(list("abcd"), 300)
    label = rng.random(1200) < 0.4
    strength = np.repeat([0.0, 1.0, 2.0, 3.0], 300)
    score = 1 / (1 + np.exp(-(strength * (label - 0.5) + rng.normal(size=1200))))
    outcome = run(table_of(label, score, {"g": name}))
    assert "4 groups of g" in finding(outcome, "FRM-019").statement
    found = outcome.result
    assert isinstance(found, FrameResult)
    areas = [row.raw.estimate or 0 for row in found.shrunken]
    drawn = [row.shrunken.estimate or 0 for row in found.shrunken]
    # Shrinking draws every figure inward and keeps their order.
    assert min(areas) < min(drawn) < max(drawn) < max(areas)
    assert np.argsort(areas).tolist() == np.argsort(drawn).tolist()
    alike = 1 / (1 + np.exp(-(2 * (label - 0.5) + rng.normal(size=1200))))
    assert "FRM-019" not in codes(run(table_of(label, alike, {"g": name})))


def trained(unit: list[str]) -> Table:
    table = clustered()
    rng = np.random.default_rng(1)
    features = {name: rng.normal(size=len(unit)) for name in table.features}
    groups = {"g": objects(["a"] * len(unit))}
    names = objects([f"p{k}" for k in range(600)])
    return replace(table, unit=names, train=Training(len(unit), objects(unit), groups, features))


def test_test_patients_in_the_training_set_are_counted() -> None:
    new = [f"t{k}" for k in range(50)]
    outcome = run(trained([*new, "p3", "p3", "p4"]), threshold=0.5)
    told = finding(outcome, "FRM-021")
    assert told.severity == "warn"
    assert told.statement.startswith("2 patients of the test set, with 2 rows, are")
    assert told.statement.endswith("p3, p4.")
    found = outcome.result
    assert isinstance(found, FrameResult)
    assert found.representation[0].covered_by == "training set"
    assert "Rows of the training set by g: a 53." in found.notes
    assert "FRM-021" not in codes(run(trained(new), threshold=0.5))


def test_alternatives_are_named_and_checked_where_a_gap_is_shown(usual: Outcome) -> None:
    assert isinstance(usual.result, FrameResult)
    assert usual.result.alternatives == ()
    table = two_groups(4, patients=(400, 400), images=1, signal=(3.0, 0.5))
    rng = np.random.default_rng(1)
    groups = {**table.groups, "site": objects(rng.choice(["u", "v"], table.n_rows))}
    outcome = run(replace(table, groups=groups), groups=["group", "site"], threshold=0.5)
    found = outcome.result
    assert isinstance(found, FrameResult)
    rows = [row for row in found.alternatives if row.attribute == "group"]
    assert {row.alternative for row in rows} == {
        "case mix",
        "threshold or calibration shift",
        "label bias",
        "difficulty",
    }
    (mix,) = [row for row in rows if row.alternative == "case mix"]
    assert mix.gap.estimate is not None
    # Sites are drawn by lot: weighting to their mix explains nothing.
    assert mix.gap.estimate == pytest.approx(mix.gap_before, abs=0.02)
    assert "explains little" in mix.reading
    for row in rows:
        if row.alternative in ("label bias", "difficulty"):
            assert row.gap.estimate is None


def test_a_primary_false_positive_rate_mirrors_specificity() -> None:
    settings: dict[str, Any] = {"threshold": 0.5, "primary": ["false_positive_rate"]}
    found = result(two_groups(2), **settings)
    fpr = gap(found, "group", "small", "false_positive_rate")
    specificity = gap(found, "group", "small", "specificity")
    assert fpr.gap.estimate == pytest.approx(-(specificity.gap.estimate or 0))
    assert fpr.gap.low == pytest.approx(-(specificity.gap.high or 0))
    assert fpr.p == specificity.p
    assert (fpr.primary, specificity.primary) == (True, False)
    own = group(found, "group", "small")
    assert own.false_positive_rate.estimate == pytest.approx(1 - (own.specificity.estimate or 0))
    assert own.false_positive_rate.low == pytest.approx(1 - (own.specificity.high or 0))


def shuffled(table: Table, seed: int) -> Table:
    order = np.random.default_rng(seed).permutation(table.n_rows)
    return replace(
        table,
        label=None if table.label is None else table.label[order],
        scores={name: values[order] for name, values in table.scores.items()},
        unit=None if table.unit is None else table.unit[order],
        groups={name: values[order] for name, values in table.groups.items()},
        features={name: values[order] for name, values in table.features.items()},
    )


def test_the_order_of_rows_decides_nothing() -> None:
    table = trained([f"t{k}" for k in range(30)])
    first = run(table, threshold=0.5)
    for seed in (1, 2):
        again = run(shuffled(table, seed), threshold=0.5)
        assert plain(again.result) == plain(first.result)
        assert plain(again.findings) == plain(first.findings)


def test_a_monotone_map_leaves_ranking_alone() -> None:
    table = two_groups(7)
    mapped = replace(table, scores={"m": table.scores["m"] ** 3})
    first, second = (gap(result(one), "group", "small") for one in (table, mapped))
    assert first == second


def test_another_name_of_the_reference_turns_the_sign() -> None:
    table = two_groups(8, signal=(2.0, 1.0))
    one = gap(result(table, reference={"group": "large"}), "group", "small")
    other = gap(result(table, reference={"group": "small"}), "group", "large")
    assert other.gap.estimate == pytest.approx(-(one.gap.estimate or 0), abs=1e-12)
    assert other.gap.low == pytest.approx(-(one.gap.high or 0), abs=1e-12)
    assert other.gap_percentile.low == pytest.approx(-(one.gap_percentile.high or 0), abs=1e-12)
    assert other.p == one.p


def test_patients_needed_follow_from_the_detectable_gap() -> None:
    row = gap(result(two_groups(9)), "group", "small")
    assert row.minimum_detectable_gap is not None
    # 250 patients in both groups; the needed number grows with the square of the gap sought.
    assert row.units_needed == pytest.approx(250 * (row.minimum_detectable_gap / 0.05) ** 2, abs=1)


def test_the_plain_picture_is_of_the_reference() -> None:
    found = result(two_groups(1, patients=(400, 20)))
    rows = found.plain_picture
    assert {row.units for row in rows} == {20}
    areas = [row.auc for row in rows]
    assert areas == sorted(areas)
    reference = group(found, "group", "large").auc.estimate
    assert rows[2].quantile == 0.5
    # The median of draws lies near the area they are drawn from.
    assert rows[2].auc == pytest.approx(reference, abs=0.03)
    assert all(row.observed == group(found, "group", "small").auc.estimate for row in rows)


def test_no_statement_claims_too_much(usual: Outcome) -> None:
    for outcome in (usual, run(clustered(), threshold=0.5)):
        for one in outcome.findings:
            words = f"{one.title} {one.statement} {one.limits}"
            assert not re.search(r"caused by|proves|unbiased|guarantee|fair\b", words)
            assert not re.search(r"(?<![\w.-])-\.?\d", one.statement)
