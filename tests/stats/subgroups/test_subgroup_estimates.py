"""Intervals of one group's figures: against brute force, other formulas and known values."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.optimize import minimize
from scipy.stats import t as student

from reportgen.stats.proportions import Proportion, wilson
from reportgen.stats.subgroups.calibration import calibration, recalibration, recalibrations
from reportgen.stats.subgroups.estimate import GroupEstimate, covariance, satterthwaite
from reportgen.stats.subgroups.metrics import FIGURES, area, group_figures, group_size
from reportgen.stats.subgroups.rates import mean_by_patient, rate
from reportgen.stats.subgroups.study import BoolArray, FloatArray, IntArray, Study, arrange


def one_group(positive: object, score: object, patient: object) -> Study:
    y = np.asarray(positive, dtype=bool)
    return arrange(y, np.asarray(score, float), np.zeros(len(y)), np.asarray(patient), n_levels=1)


def brute_force_pieces(study: Study) -> tuple[float, float, float, int, int]:
    """Return area, S10 / M, S01 / N, I10 and I01 by loops over the pairs (Obuchowski 1997)."""
    y, score, patient = study.positive, study.scores[0], study.patient
    m, n = int(y.sum()), int((~y).sum())
    won: dict[tuple[int, int], float] = {}
    for i in np.flatnonzero(y):
        for j in np.flatnonzero(~y):
            right = 1.0 if score[i] > score[j] else 0.5 if score[i] == score[j] else 0.0
            key = (int(patient[i]), int(patient[j]))
            won[key] = won.get(key, 0.0) + right
    total = sum(won.values()) / (m * n)
    first = [
        sum(v for (p, _), v in won.items() if p == unit) / n - y[patient == unit].sum() * total
        for unit in np.unique(patient[y])
    ]
    second = [
        sum(v for (_, q), v in won.items() if q == unit) / m - (~y[patient == unit]).sum() * total
        for unit in np.unique(patient[~y])
    ]
    a, b = len(first), len(second)
    s10 = a / ((a - 1) * m) * sum(v * v for v in first)
    s01 = b / ((b - 1) * n) * sum(v * v for v in second)
    return total, s10 / m, s01 / n, a, b


def test_pieces_and_degrees_of_freedom_by_brute_force() -> None:
    rng = np.random.default_rng(1)
    study = one_group(rng.random(30) < 0.4, np.round(rng.random(30), 1), rng.integers(0, 12, 30))
    total, s10, s01, a, b = brute_force_pieces(study)
    found = area(study, 0)
    assert found.value == pytest.approx(total, abs=1e-12)
    assert np.array(found.pieces) == pytest.approx(np.array([[s10, a - 1], [s01, b - 1]]))
    df = (s10 + s01) ** 2 / (s10**2 / (a - 1) + s01**2 / (b - 1))
    assert found.df == pytest.approx(df)
    half = student.ppf(0.975, df) * math.sqrt(found.variance) / (total * (1 - total))
    limits = found.limits(0.95)
    assert math.log(limits.low / (1 - limits.low)) == pytest.approx(
        math.log(total / (1 - total)) - half
    )
    assert math.log(limits.high / (1 - limits.high)) == pytest.approx(
        math.log(total / (1 - total)) + half
    )


def test_perfect_separation_gets_an_exact_bound() -> None:
    """Ten patients of the scarcer class, all right: 0.692 by Clopper-Pearson (catalogue D44)."""
    y = np.repeat([True, False], [10, 30])
    found = area(one_group(y, np.where(y, 0.9, 0.1), np.arange(40)), 0)
    limits = found.limits(0.95)
    assert (found.value, found.variance) == (1, 0)
    assert (round(limits.low, 3), limits.high) == (0.692, 1)
    assert limits.one_sided
    assert limits.method == "exact bound on 10 patients"


def test_a_ranking_all_wrong_gets_the_bound_of_the_other_end() -> None:
    y = np.repeat([True, False], [10, 30])
    limits = area(one_group(y, np.where(y, 0.1, 0.9), np.arange(40)), 0).limits(0.95)
    assert (limits.low, round(limits.high, 3)) == (0, 0.308)


@pytest.mark.parametrize(
    ("positive", "patient", "reason"),
    [
        ([0, 0, 0], [0, 1, 2], "no positives"),
        ([1, 1, 1], [0, 1, 2], "no negatives"),
        ([1, 1, 0, 0], [0, 0, 1, 2], "positives of one patient only"),
        ([1, 1, 0, 0], [0, 1, 2, 2], "negatives of one patient only"),
    ],
)
def test_an_area_that_cannot_be_had_says_why(
    positive: list[int], patient: list[int], reason: str
) -> None:
    score = np.linspace(0.2, 0.7, len(positive))
    found = area(one_group(positive, score, patient), 0)
    assert found.reason == reason
    assert found.limits(0.95).reason == reason
    assert math.isnan(found.limits(0.95).low)


def test_specificity_without_positives_leaves_balanced_accuracy_undefined() -> None:
    """Labels 0 0 0 0 0, decisions 0 0 1 0 1 (catalogue D29)."""
    study = one_group([0] * 5, [0, 0, 1, 0, 1], range(5))
    figures = group_figures(study, 0, threshold=0.5)
    assert figures["specificity"].value == 0.6
    assert figures["sensitivity"].reason == "no positives"
    assert figures["balanced_accuracy"].reason == "no positives"
    assert math.isnan(figures["balanced_accuracy"].value)


def test_every_figure_is_there_for_one_row_and_for_none() -> None:
    study = arrange([True], [0.4], [0], [0], n_levels=2)
    for level in (0, 1):
        figures = group_figures(study, level, threshold=0.5)
        assert tuple(figures) == FIGURES
        for figure in figures.values():
            assert figure.reason
            assert math.isnan(figure.limits(0.95).low)
    assert group_size(study, 1) == group_size(study, 1).__class__(0, 0, 0, 0, 0, 0)


def test_one_row_a_patient_is_wilsons_own_interval() -> None:
    ones = np.ones(40)
    found = rate(np.repeat([1.0, 0.0], [13, 27]), ones, np.arange(40), empty="")
    limits = found.limits(0.9)
    assert found.design_effect == pytest.approx(1)
    assert (limits.low, limits.high) == pytest.approx(wilson(Proportion(13, 40), confidence=0.9))


@pytest.mark.parametrize("k", [0, 10])
def test_zero_and_full_cells_count_patients_whose_rows_agree(k: int) -> None:
    """Ten patients with four rows each are worth ten rows: 10 of 10 gives 0.722 (D44)."""
    rows = np.full(10, 4.0)
    limits = rate(rows * (k > 0), rows, np.arange(10), empty="").limits(0.95)
    assert (limits.low, limits.high) == pytest.approx(wilson(Proportion(k, 10), confidence=0.95))
    assert round(max(limits.low, 1 - limits.high), 3) == 0.722


def test_alike_rows_have_the_number_of_rows_as_design_effect() -> None:
    patients = np.arange(1000)
    hit = np.where(patients < 300, 4.0, 0.0)
    found = rate(hit, np.full(1000, 4.0), patients, empty="")
    # p q / (I - 1) against p q / (m I - 1).
    assert found.design_effect == pytest.approx(3999 / 999)


def test_alike_rows_have_wilsons_interval_of_the_patients() -> None:
    """Eight alike rows a patient are worth one: 7 of 25 patients, 56 of 200 rows (D42)."""
    patients = np.arange(25)
    found = rate(np.where(patients < 7, 8.0, 0.0), np.full(25, 8.0), patients, empty="")
    limits = found.limits(0.95)
    own = wilson(Proportion(7, 25), confidence=0.95)
    assert (limits.low, limits.high) == pytest.approx(own, abs=1e-12)


def test_estimating_the_design_effect_has_its_price() -> None:
    """Rows that are not alike: Wilson's with n (z / t of 5)^2, worked out by hand.

    Six patients with 4 rows, of which 1, 1, 2, 2, 3, 3 count: p = 1/2, the squares of top - p
    bottom add up to 4, so the variance is 6/5 x 4 / 24^2 = 1/120 and n = 1/4 x 120 = 30 rows.
    """
    top, bottom = np.array([1.0, 1, 2, 2, 3, 3]), np.full(6, 4.0)
    n = 30 * (1.959964 / 2.570582) ** 2  # Fisher & Yates, table III
    own = wilson(Proportion(n / 2, n), confidence=0.95)
    for times in (1, 7):
        limits = rate(times * top, times * bottom, np.arange(6), empty="").limits(0.95)
        assert (limits.low, limits.high) == pytest.approx(own, abs=1e-6)


def test_rate_variance_by_the_jackknife() -> None:
    """The linear variance agrees with leaving patients out, whose bias is of higher order."""
    rng = np.random.default_rng(2)
    bottom = rng.integers(1, 5, 3000).astype(float)
    top = rng.binomial(bottom.astype(int), rng.beta(2, 3, 3000)).astype(float)
    found = rate(top, bottom, np.arange(3000), empty="")
    without = (top.sum() - top) / (bottom.sum() - bottom)
    jackknife = 2999 / 3000 * ((without - without.mean()) ** 2).sum()
    assert found.variance == pytest.approx(jackknife, rel=2e-3)


def test_mean_of_rows_with_one_row_a_patient_is_the_usual_variance() -> None:
    values = np.random.default_rng(3).random(50) ** 2
    ones = np.ones(50)
    found = mean_by_patient(values, values**2, ones, np.arange(50))
    assert found.variance == pytest.approx(values.var(ddof=1) / 50)
    assert found.design_effect == pytest.approx(1)


def test_covariance_of_a_figure_with_itself_is_its_variance() -> None:
    rng = np.random.default_rng(4)
    top, bottom = rng.integers(0, 3, 30).astype(float), np.full(30, 3.0)
    found = rate(top, bottom, np.arange(30), empty="")
    assert covariance(found, found) == pytest.approx(found.variance)


def test_balanced_accuracy_variance_counts_what_both_rates_share() -> None:
    """Duplicating one patient's rows in both classes: compare with the spread of joint draws."""
    rng = np.random.default_rng(5)
    n = 400
    leaning = rng.normal(size=n)
    y = np.tile([True, False], n)
    score = np.repeat(leaning, 2) + np.where(y, 0.5, -0.5) + rng.normal(size=2 * n)
    study = one_group(y, score, np.repeat(np.arange(n), 2))
    found = group_figures(study, 0, threshold=0.0, probability=False)["balanced_accuracy"]
    hit = (study.scores[0] >= 0) == study.positive
    tp, tn = hit[study.positive], hit[~study.positive]  # one of each a patient, in their order
    right = np.var((tp + tn.astype(float)) / 2, ddof=1) / n
    assert found.variance == pytest.approx(right)


def test_satterthwaite_of_one_piece_is_its_own() -> None:
    assert satterthwaite([(0.3, 7)]) == pytest.approx(7)
    assert satterthwaite([(1, 5), (1, 5)]) == pytest.approx(10)
    assert math.isinf(satterthwaite([(0, 3)]))


def calibration_data() -> tuple[BoolArray, FloatArray, IntArray]:
    rng = np.random.default_rng(6)
    patient = np.repeat(np.arange(80), 3)
    z = np.repeat(rng.normal(-0.5, 1, 80), 3) + rng.normal(0, 0.5, 240)
    y = rng.random(240) < 1 / (1 + np.exp(-(0.3 + 0.7 * z)))
    return y, 1 / (1 + np.exp(-z)), patient


def test_calibration_is_the_maximum_likelihood() -> None:
    y, p, patient = calibration_data()
    z = np.log(p / (1 - p))

    def loss(beta: FloatArray, slope: float | None = None) -> float:
        eta = beta[0] + (beta[1] if slope is None else slope) * z
        return float(np.sum(np.log1p(np.exp(eta)) - y * eta))

    both = minimize(loss, [0.0, 1.0], tol=1e-12).x
    alone = minimize(loss, [0.0], args=(1.0,), tol=1e-12).x
    found = calibration(y, p, patient)
    assert found.slope.value == pytest.approx(both[1], abs=1e-5)
    assert found.intercept.value == pytest.approx(alone[0], abs=1e-5)


def test_calibration_errors_are_the_derivatives_by_patients_weight() -> None:
    """A patient's influence is what the fit moves by when the patient counts a little more."""
    y, p, patient = calibration_data()
    start, reason = recalibration(y, p)
    assert start is not None
    assert not reason
    step = 1e-4
    weights = 1 + step * (patient[None] == np.arange(80)[:, None])
    moved = recalibrations(y, np.log(p / (1 - p)), weights, start=start)
    influence = (moved[:, 1] - start[1]) / step
    found = calibration(y, p, patient).slope
    assert found.influence == pytest.approx(influence, abs=2e-4)
    assert found.variance == pytest.approx(80 / 79 * (influence**2).sum(), rel=1e-2)


@pytest.mark.parametrize(
    ("positive", "score", "intercept", "slope"),
    [
        ([1, 1, 1], [0.2, 0.3, 0.4], "no negatives", "no negatives"),
        ([0, 0, 0], [0.2, 0.3, 0.4], "no positives", "no positives"),
        ([0, 1, 0], [0.0, 0.3, 1.0], "2 scores of 0 or 1", "2 scores of 0 or 1"),
        ([0, 1, 0, 1], [0.3] * 4, "", "all scores are equal"),
        ([0, 0, 1, 1], [0.1, 0.2, 0.2, 0.4], "", "separate the classes"),
    ],
)
def test_calibration_that_cannot_be_had_says_why(
    positive: list[int], score: list[float], intercept: str, slope: str
) -> None:
    y, p = np.array(positive, dtype=bool), np.array(score)
    found = calibration(y, p, np.arange(len(y)))
    for estimate, word in ((found.intercept, intercept), (found.slope, slope)):
        assert word in estimate.reason
        assert bool(estimate.reason) == bool(word) == math.isnan(estimate.value)


def test_scores_that_are_no_probabilities_have_no_brier_score() -> None:
    study = one_group([0, 1, 0, 1], [-3, 5, 1, 2], range(4))
    figures = group_figures(study, 0, threshold=0, probability=False)
    for name in ("brier", "calibration_intercept", "calibration_slope"):
        assert figures[name].reason == "the scores are no probabilities"


def test_a_brier_score_of_zero_has_no_interval() -> None:
    figures = group_figures(one_group([0, 1, 0, 1], [0, 1, 0, 1], range(4)), 0, threshold=0.5)
    assert figures["brier"].value == 0
    assert figures["brier"].limits(0.95).reason == "a value of 0 has no logit"


def test_a_missing_estimate_keeps_its_reason_in_its_limits() -> None:
    limits = GroupEstimate(math.nan, reason="no rows").limits(0.95)
    assert limits.reason == "no rows"
