"""The prevalence section: right values, patients with several rows, what cannot be had."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from reportgen.result import NotApplicable, Outcome, plain
from reportgen.sections.prevalence import MetricRow, PrevalenceResult, PrevalenceSettings
from reportgen.sections.prevalence.figures import UNITS
from tests.support.prevalence import PUBLISHED, codes, result_of

Make = Callable[..., Any]
Run = Callable[..., Outcome]


def _row(result: PrevalenceResult, metric: str, prevalence: float, at: int = 0) -> MetricRow:
    threshold = result.operating_points[at].threshold
    (row,) = [
        row
        for row in result.rows
        if (row.metric, row.prevalence, row.threshold) == (metric, prevalence, threshold)
    ]
    return row


def test_published_70_gene_signature(run_prevalence: Run) -> None:
    result = result_of(run_prevalence(PrevalenceSettings.model_validate(PUBLISHED)))
    row = _row(result, "precision", 0.07)
    value = row.value
    assert (value.estimate, value.low, value.high) == pytest.approx(
        (0.2010444, 0.138428899, 0.297447722), abs=5e-8
    )
    assert (row.low_mercaldo, row.high_mercaldo) == pytest.approx((0.1331384, 0.2919216), abs=6e-8)
    npv = _row(result, "npv", 0.07)
    assert (npv.low_mercaldo, npv.high_mercaldo) == pytest.approx((0.9734141, 0.996956), abs=6e-8)
    ratio = result.operating_points[0].positive_likelihood_ratio
    assert (ratio.low, ratio.high) == pytest.approx((2.13461988, 5.62492725), abs=1e-8)
    assert result.source == "published figures"
    assert result.n_rows is None


def test_published_zero_false_positives(run_prevalence: Run) -> None:
    settings = PUBLISHED | {"specificity": {"k": 44, "n": 44}}
    outcome = run_prevalence(PrevalenceSettings.model_validate(settings))
    result = result_of(outcome)
    row = _row(result, "precision", 0.07)
    value = row.value
    assert (value.estimate, value.low, value.high) == pytest.approx((1, 0.46058223, 1), abs=1e-8)
    assert row.low_mercaldo is None
    (finding,) = [f for f in outcome.findings if f.code == "PRV-004"]
    assert "not shown" in finding.statement
    assert "0.461" in finding.statement
    point = result.operating_points[0]
    assert point.positive_likelihood_ratio.estimate is None
    assert "no false positive" in str(point.positive_likelihood_ratio.reason)
    assert result.sample_mix[0].negatives_per_positive.estimate is None


def test_article_004_with_counts_and_mixes(prevalence_settings: Make, run_prevalence: Run) -> None:
    settings = prevalence_settings(
        sensitivity={"k": 80, "n": 100},
        specificity={"k": 80, "n": 100},
        prevalences=[
            {"positives": 9, "negatives": 1},
            {"positives": 99, "negatives": 1},
            0.1,
            0.001,
        ],
    )
    result = result_of(run_prevalence(settings))
    wanted = [0.972973, 0.997481, 0.307692, 0.003988]
    for prevalence, precision in zip(result.prevalences, wanted, strict=True):
        row = _row(result, "precision", prevalence)
        assert row.value.estimate == pytest.approx(precision, abs=5e-7)
        assert _row(result, "accuracy", prevalence).value.estimate == pytest.approx(0.8)
    assert result.sample_mix[0].negatives_per_positive.estimate == pytest.approx(4)
    assert (result.sample_mix[0].best_positives, result.sample_mix[0].best_negatives) == (40, 160)


def test_reference_table_of_the_decision_curves(
    shared: Path, prevalence_settings: Make, score_table: Make, run_prevalence: Run
) -> None:
    # df_binary: net benefit of cancerpredmarker at .25 is 0.064 at the sample's own prevalence
    import pandas as pd

    data = pd.read_csv(shared / "data/dca/df_binary.csv")
    table = score_table(data["cancer"].to_numpy(), data["cancerpredmarker"].to_numpy())
    own = float(data["cancer"].mean())
    result = result_of(
        run_prevalence(prevalence_settings(threshold=0.25, prevalences=[own]), table)
    )
    assert _row(result, "net_benefit", own).value.estimate == pytest.approx(0.064, abs=1e-9)
    point = result.operating_points[0]
    assert point.true_positives is not None
    assert point.false_positives is not None
    share = point.true_positives / (point.true_positives + point.false_positives)
    assert _row(result, "precision", own).value.estimate == pytest.approx(share, rel=1e-12)


def test_a_score_at_the_threshold_is_flagged(
    prevalence_settings: Make, score_table: Make, run_prevalence: Run
) -> None:
    table = score_table([1, 1, 0, 0], [0.1 + 0.2, 0.3, 0.3, 0.29999])
    point = result_of(run_prevalence(prevalence_settings(threshold=0.3), table)).operating_points[0]
    assert (point.true_positives, point.false_positives) == (2, 1)


def test_every_figure_stands_for_every_threshold_and_prevalence(
    prevalence_settings: Make, sample_table: Make, run_prevalence: Run
) -> None:
    result = result_of(
        run_prevalence(prevalence_settings(thresholds=[0.3, 0.5]), sample_table(200, 0.3, 1))
    )
    assert len(result.rows) == 2 * 2 * len(UNITS)
    assert {row.metric for row in result.rows} == set(UNITS)
    assert all(row.value.low is not None for row in result.rows)
    named = {row.metric: row.moves_with_mix for row in result.moves}
    assert len(named) == len(result.moves)
    assert all(named[row.metric] is row.moves_with_mix for row in result.rows)
    assert [named[m] for m in ("auc", "sensitivity", "npv", "brier")] == [False, False, True, True]
    assert len(result.curve) >= 2 * 41
    assert result.threshold == 0.3
    assert result.sensitivity == result.operating_points[0].sensitivity


def test_patients_with_several_rows_are_resampled(
    prevalence_settings: Make, score_table: Make, sample_table: Make, run_prevalence: Run
) -> None:
    table = sample_table(150, 0.3, 2, rows=4)
    clustered = result_of(run_prevalence(prevalence_settings(), table, resamples=1000))
    alone = result_of(
        run_prevalence(prevalence_settings(), score_table(table.label, table.scores["m"]))
    )
    for metric in UNITS:
        wide, narrow = (_row(r, metric, 0.01).value for r in (clustered, alone))
        assert wide.estimate == narrow.estimate
        assert "bootstrap" in str(wide.method)
        assert wide.high is not None
        assert wide.low is not None
        assert narrow.high is not None
        assert narrow.low is not None
        assert wide.high - wide.low > narrow.high - narrow.low
    assert clustered.n_units == 150
    assert clustered.notes
    assert not alone.notes
    assert "Obuchowski" in str(clustered.auc.method)
    assert "DeLong" in str(alone.auc.method)
    assert all(row.low_mercaldo is None for row in clustered.rows)


def test_too_few_patients_in_a_cell_are_not_resampled(
    prevalence_settings: Make, score_table: Make, run_prevalence: Run
) -> None:
    # three rows a patient, no false positive: resampling would call the specificity certain
    label = np.repeat([1.0, 0.0], [30, 60])
    score = np.where(label == 1, np.tile([0.9, 0.9, 0.2], 30), 0.1)
    unit = [f"p{i // 3}" for i in range(90)]
    value = result_of(
        run_prevalence(prevalence_settings(), score_table(label, score, unit=unit))
    ).specificity
    # 20 patients with negatives count as 20 rows: Wilson's lower limit of 20 of 20
    assert value.low == pytest.approx(20 / (20 + 1.959963984540054**2), abs=1e-12)
    assert value.high == 1
    assert "Kish" in str(value.method)


@pytest.mark.parametrize("rows", [1, 3])
def test_row_order_does_not_matter(
    rows: int, prevalence_settings: Make, score_table: Make, sample_table: Make, run_prevalence: Run
) -> None:
    table, field = (
        sample_table(80, 0.3, 3, rows=rows),
        sample_table(60, 0.2, 4, name="field", rows=rows),
    )
    settings = prevalence_settings(unlabelled="field", thresholds=[0.3, 0.5])
    first = run_prevalence(settings, table, field, resamples=100)
    order = np.random.default_rng(9).permutation(table.n_rows)
    label = table.label
    assert label is not None
    shuffled = score_table(
        label[order],
        table.scores["m"][order],
        unit=None if table.unit is None else table.unit[order].tolist(),
    )
    other = np.random.default_rng(8).permutation(field.n_rows)
    turned = score_table(
        np.zeros(field.n_rows),
        field.scores["m"][other],
        unit=None if field.unit is None else field.unit[other].tolist(),
        name="field",
    )
    second = run_prevalence(settings, shuffled, turned, resamples=100)
    assert plain(first.result) == plain(second.result)


def test_published_without_counts_has_values_and_no_intervals(
    prevalence_settings: Make, run_prevalence: Run
) -> None:
    outcome = run_prevalence(
        prevalence_settings(sensitivity=0.8, specificity={"k": 450, "n": 500}, prevalences=[0.01])
    )
    result = result_of(outcome)
    value = _row(result, "precision", 0.01).value
    assert value.estimate == pytest.approx(0.008 / (0.008 + 0.099))
    assert (value.low, value.reason) == (None, "published without counts")
    alarms = _row(result, "false_alarms_per_1000", 0.01).value  # rests on the specificity alone
    assert alarms.low is not None
    assert "PRV-010" in codes(outcome)
    assert "PRV-010" not in codes(run_prevalence(PrevalenceSettings.model_validate(PUBLISHED)))
    assert _row(result, "net_benefit", 0.01).value.reason == "no threshold stated"


def test_one_class_tells_what_is_missing(
    prevalence_settings: Make, score_table: Make, sample_table: Make, run_prevalence: Run
) -> None:
    outcome = run_prevalence(prevalence_settings(), score_table(np.ones(30), np.linspace(0, 1, 30)))
    result = result_of(outcome)
    assert result.sensitivity.estimate == pytest.approx(0.5)
    assert result.specificity.reason == "no negative row"
    assert result.auc.reason == "not defined: one class"
    assert _row(result, "precision", 0.01).value.reason == "no negative row"
    assert _row(result, "missed_per_1000", 0.01).value.estimate == pytest.approx(5)
    (finding,) = [f for f in outcome.findings if f.code == "PRV-005"]
    assert "specificity" in finding.statement
    assert "PRV-005" not in codes(run_prevalence(prevalence_settings(), sample_table(60, 0.4, 1)))


def test_decisions_of_a_group_without_positives(
    prevalence_settings: Make, score_table: Make, run_prevalence: Run
) -> None:
    # catalogue D29: labels 0 0 0 0 0, decisions 0 0 1 0 1
    result = result_of(run_prevalence(prevalence_settings(), score_table([0] * 5, [0, 0, 1, 0, 1])))
    point = result.operating_points[0]
    assert point.specificity.estimate == pytest.approx(0.6)
    assert point.sensitivity.estimate is None
    assert point.balanced_accuracy.estimate is None


def test_nobody_flagged_leaves_the_precision_open(
    prevalence_settings: Make, score_table: Make, sample_table: Make, run_prevalence: Run
) -> None:
    outcome = run_prevalence(
        prevalence_settings(threshold=0.9), score_table([1, 0] * 20, [0.2] * 40)
    )
    result = result_of(outcome)
    for metric in ("precision", "lift"):
        assert _row(result, metric, 0.01).value.reason == "0 of 0: nobody is flagged"
    assert _row(result, "mcc", 0.01).value.estimate is None
    assert _row(result, "npv", 0.01).value.estimate == pytest.approx(0.99)
    assert "PRV-011" in codes(outcome)
    assert "PRV-001" not in codes(outcome)
    assert "PRV-004" not in codes(outcome)
    assert "PRV-011" not in codes(run_prevalence(prevalence_settings(), sample_table(60, 0.4, 1)))


def test_a_ranking_score_has_thresholds_and_no_net_benefit(
    prevalence_settings: Make, score_table: Make, run_prevalence: Run
) -> None:
    table = score_table([1, 1, 1, 0, 0, 0], [12, 9, 3, 8, 2, 1], scale="score")
    result = result_of(run_prevalence(prevalence_settings(threshold=8), table))
    assert result.sensitivity.estimate == pytest.approx(2 / 3)
    assert "ranking" in str(_row(result, "net_benefit", 0.01).value.reason)
    assert any("ranks" in note for note in result.notes)


def test_net_benefit_at_threshold_one(
    prevalence_settings: Make, sample_table: Make, run_prevalence: Run
) -> None:
    result = result_of(run_prevalence(prevalence_settings(threshold=1), sample_table(60, 0.4, 1)))
    assert _row(result, "net_benefit", 0.01).value.reason == "not defined at threshold 1"


def test_perfect_separation_has_no_interval_of_the_area(
    prevalence_settings: Make, score_table: Make, run_prevalence: Run
) -> None:
    result = result_of(
        run_prevalence(prevalence_settings(), score_table([1] * 6 + [0] * 6, [0.9] * 6 + [0.1] * 6))
    )
    assert result.auc.estimate == 1
    assert result.auc.low is None
    assert "perfect separation" in str(result.auc.reason)


def test_no_usable_row_is_not_assessed(
    prevalence_settings: Make, score_table: Make, run_prevalence: Run
) -> None:
    outcome = run_prevalence(prevalence_settings(), score_table([np.nan, 1.0], [0.5, np.nan]))
    assert isinstance(outcome.result, NotApplicable)
    (finding,) = outcome.findings
    assert finding.code == "PRV-012"
    assert "1 for label missing; 1 for score of m missing" in finding.statement
