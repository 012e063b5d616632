"""Families of p values, spread over levels, parity and adjusted gaps."""

from __future__ import annotations

import math

import numpy as np
import pytest
from sklearn.metrics import roc_auc_score

from reportgen.stats.subgroups.draws import patient_draws
from reportgen.stats.subgroups.estimate import covariance_matrix
from reportgen.stats.subgroups.heterogeneity import heterogeneity, on_logit_scale
from reportgen.stats.subgroups.matching import matched_gaps
from reportgen.stats.subgroups.multiplicity import benjamini_hochberg, holm
from reportgen.stats.subgroups.parity import parity, rate_gap
from reportgen.stats.subgroups.rates import rate
from reportgen.stats.subgroups.recalibration import recalibrated_gaps
from reportgen.stats.subgroups.study import Pair, arrange

# The example of Benjamini & Hochberg (1995), section 3.2; adjusted values as R's p.adjust gives.
FIFTEEN = [
    0.0001, 0.0004, 0.0019, 0.0095, 0.0201, 0.0278, 0.0298, 0.0344, 0.0459, 0.3240, 0.4262, 0.5719,
    0.6528, 0.7590, 1.0,
]  # fmt: skip


def test_the_example_of_benjamini_and_hochberg() -> None:
    """At 5 % the procedure rejects the four smallest, Bonferroni and Holm the three smallest."""
    assert (benjamini_hochberg(FIFTEEN) <= 0.05).sum() == 4
    assert (holm(FIFTEEN) <= 0.05).sum() == 3
    assert holm(FIFTEEN)[:3] == pytest.approx([0.0015, 0.0056, 0.0247])
    assert benjamini_hochberg(FIFTEEN)[3] == pytest.approx(0.035625)


def test_holm_by_hand_in_any_order() -> None:
    assert holm([0.03, 0.01, 0.04, 0.02]) == pytest.approx([0.06, 0.04, 0.06, 0.06])


def test_what_is_not_tested_does_not_count_for_the_false_discovery_rate() -> None:
    found = benjamini_hochberg([0.01, math.nan, 0.02])
    assert found == pytest.approx([0.02, math.nan, 0.02], nan_ok=True)
    assert np.isnan(benjamini_hochberg([math.nan])).all()


def test_what_cannot_be_estimated_keeps_its_place_in_the_family() -> None:
    assert holm([0.01, math.nan, math.nan]) == pytest.approx([0.03, 1, 1])
    assert len(holm([])) == len(benjamini_hochberg([])) == 0
    with pytest.raises(ValueError, match="between 0 and 1"):
        holm([1.2])


# Trials of BCG vaccine against tuberculosis (Colditz et al. 1994, JAMA 271:698): cases and others,
# vaccinated and not.
BCG = np.array([
    [4, 119, 11, 128], [6, 300, 29, 274], [3, 228, 11, 209], [62, 13536, 248, 12619],
    [33, 5036, 47, 5761], [180, 1361, 372, 1079], [8, 2537, 10, 619], [505, 87886, 499, 87892],
    [29, 7470, 45, 7232], [17, 1699, 65, 1600], [186, 50448, 141, 27197], [5, 2493, 3, 2338],
    [27, 16886, 29, 17825],
], dtype=float)  # fmt: skip


def bcg() -> tuple[np.ndarray, np.ndarray]:
    a, b, c, d = BCG.T
    return np.log(a / (a + b) / (c / (c + d))), 1 / a - 1 / (a + b) + 1 / c - 1 / (c + d)


def test_q_and_i_squared_as_the_r_package_metafor_prints_them() -> None:
    y, v = bcg()
    found = heterogeneity(y, v)
    assert found.q == pytest.approx(152.2330, abs=5e-5)
    assert found.df == 12
    assert 100 * found.i_squared == pytest.approx(92.12, abs=5e-3)


def test_tau_solves_its_equation_and_figures_shrink_as_blup_does() -> None:
    y, v = bcg()
    found = heterogeneity(y, v)
    weight = 1 / (v + found.tau**2)
    mean = (weight * y).sum() / weight.sum()
    assert (weight * (y - mean) ** 2).sum() == pytest.approx(12)  # Paule & Mandel's definition
    pull = found.tau**2 * weight
    assert found.shrunken == pytest.approx(pull * y + (1 - pull) * mean)
    variance = pull * v + (1 - pull) ** 2 / weight.sum()
    assert (found.high - found.low) / 2 == pytest.approx(1.959964 * np.sqrt(variance))


def test_levels_that_agree_shrink_to_their_mean() -> None:
    found = heterogeneity([0.8, 0.81, 0.79], [0.01, 0.01, 0.01])
    assert (found.tau, found.i_squared) == (0, 0)
    assert found.shrunken == pytest.approx([0.8] * 3)
    assert found.p == pytest.approx(math.exp(-found.q / 2))  # chi-square with 2 df


def test_a_covariance_matrix_changes_q_as_contrasts_say() -> None:
    """Two levels: Q is the squared difference over its variance."""
    found = heterogeneity([1.0, 2.0], [[0.5, 0.2], [0.2, 0.3]])
    assert found.q == pytest.approx(1 / (0.5 + 0.3 - 0.4))


def test_levels_without_a_figure_are_left_out() -> None:
    found = heterogeneity([0.5, math.nan, 0.7, 0.9], [0.1, 0.1, 0.1, 0.0])
    assert found.used.tolist() == [True, False, True, False]
    assert np.isnan(found.shrunken).tolist() == [False, True, False, True]
    assert heterogeneity([0.5, math.nan], [0.1, 0.1]).reason


def test_covariances_of_levels_that_share_patients() -> None:
    rows = np.ones(6)
    one = rate(np.array([1.0, 0, 1, 0, 1, 0]), rows, np.arange(6), empty="")
    same = rate(np.array([1.0, 0, 1, 0, 1, 0]), rows, np.arange(6), empty="")
    other = rate(np.array([1.0, 0, 1, 0, 1, 0]), rows, 6 + np.arange(6), empty="")
    matrix = covariance_matrix([one, same, other])
    assert matrix[0, 1] == pytest.approx(one.variance)
    assert matrix[0, 2] == matrix[2, 1] == 0


def test_logit_scale() -> None:
    assert on_logit_scale(0.8, 0.0016) == pytest.approx((math.log(4), 0.0016 / 0.16**2))
    assert math.isnan(on_logit_scale(1.0, 0.0)[0])


def test_a_group_without_positives_is_left_out_and_named() -> None:
    """Catalogue D30: labels and decisions of three groups, where fairlearn prints a gap of 1."""
    found = parity([2, 1, 0], [1, 0, 1], [2, 2, 0], [2, 2, 2])
    assert found.demographic_parity.difference == 0.5
    assert found.equal_opportunity.difference == 0.5
    assert found.equal_opportunity.left_out == (2,)
    assert found.equalized_odds_difference == 0.5


def test_nobody_selected_has_no_ratio() -> None:
    """Catalogue D31."""
    found = parity([0, 0], [0, 0], [3, 4], [5, 6])
    assert found.demographic_parity.difference == 0
    assert math.isnan(found.demographic_parity.ratio)
    assert "0/0" in found.demographic_parity.ratio_reason
    assert math.isnan(found.equalized_odds_ratio)


def test_the_gap_is_the_largest_between_two_groups() -> None:
    """Catalogue D36."""
    found = rate_gap(np.array([0.2, 0.5, 0.6]))
    assert (found.difference, found.ratio) == pytest.approx((0.4, 1 / 3))
    assert (found.highest, found.lowest, found.left_out) == (2, 0, ())
    assert rate_gap(np.array([0.2, np.nan])).reason


def test_matching_takes_a_difference_of_case_mix_away() -> None:
    """Both groups rank alike within each bin; the reference has more of the easy bin."""
    rng = np.random.default_rng(1)
    n = 16_000
    level = np.arange(n) % 2
    easy = (rng.random(n) < np.where(level == 0, 0.8, 0.2)).astype(int)
    y = rng.random(n) < 0.4
    score = rng.normal(size=n) + y * np.where(easy == 1, 3.0, 0.5)
    study = arrange(y, score, level, np.arange(n), n_levels=2, covariate=easy)
    draws = patient_draws(study, rng, resamples=200)
    pair = Pair("auc", 1, 0, threshold=1.0)
    found = matched_gaps(study, pair, draws, metrics=["auc", "sensitivity"], probability=False)
    assert found["auc"].unadjusted < -0.1
    for gap in found.values():
        # The true adjusted gap is 0; limits of 95 % and room for this one draw of the world.
        half = (gap.drawn.high - gap.drawn.low) / 2
        assert abs(gap.value) < 2 * half
        assert gap.kept == 1


def test_matching_is_what_resampling_rows_tends_to() -> None:
    rng = np.random.default_rng(2)
    n = 400
    level, bins = np.arange(n) % 2, rng.integers(0, 3, n)
    bins[level == 1] = np.minimum(bins[level == 1], 1)
    y = rng.random(n) < np.where(bins == 0, 0.3, 0.6)
    score = np.round(rng.normal(size=n) + y * (1 + bins), 1)
    study = arrange(y, score, level, np.arange(n), n_levels=2, covariate=bins)
    draws = patient_draws(study, rng, resamples=10)
    found = matched_gaps(study, Pair("auc", 1, 0), draws, metrics=["auc"], probability=False)["auc"]
    own = level == 1
    copies = []
    for row in np.flatnonzero(~own):  # whole copies in the proportions wanted
        cell = (bins == bins[row]) & (y == y[row])
        copies.append(round(10_000 * (cell & own).sum() / (cell & ~own).sum()))
    weighted = roc_auc_score(y[~own], score[~own], sample_weight=copies)
    assert found.value == pytest.approx(roc_auc_score(y[own], score[own]) - weighted, abs=1e-4)


def test_rows_without_their_like_take_no_part() -> None:
    y = np.array([1, 0, 1, 0, 1, 0, 1, 0], dtype=bool)
    bins = np.array([0, 0, 0, 0, 0, 0, 1, 1])
    level = np.array([0, 0, 0, 0, 1, 1, 1, 1])
    score = np.array([0.9, 0.1, 0.8, 0.2, 0.7, 0.3, 0.1, 0.9])
    study = arrange(y, score, level, np.arange(8), n_levels=2, covariate=bins)
    draws = patient_draws(study, np.random.default_rng(3), resamples=5)
    found = matched_gaps(study, Pair("auc", 1, 0), draws, metrics=["auc"])["auc"]
    assert (found.value, found.unadjusted, found.kept) == (0, -0.75, 0.5)


def test_recalibration_takes_a_shift_of_the_threshold_away() -> None:
    """Equal ranking, but the group's scores are shifted on the logit scale."""
    rng = np.random.default_rng(4)
    n = 16_000
    level = np.arange(n) % 2
    z = rng.normal(0, 1.5, n)
    y = rng.random(n) < 1 / (1 + np.exp(-z))
    score = 1 / (1 + np.exp(-(z + np.where(level == 1, -1.5, 0))))
    study = arrange(y, score, level, np.arange(n), n_levels=2)
    draws = patient_draws(study, rng, resamples=200)
    found = recalibrated_gaps(study, Pair("sensitivity", 1, 0, threshold=0.5), draws)
    assert found["sensitivity"].unadjusted < -0.2
    for name in ("sensitivity", "specificity", "balanced_accuracy"):
        gap = found[name]
        assert abs(gap.value) < gap.drawn.high - gap.drawn.low


def test_recalibration_that_cannot_be_had_says_why() -> None:
    y = np.array([1, 0, 1, 0, 1, 0], dtype=bool)
    score = np.array([0.9, 0.1, 0.4, 0.6, 0.7, 0.3])
    study = arrange(y, score, [0, 0, 0, 0, 1, 1], np.arange(6), n_levels=2)
    draws = patient_draws(study, np.random.default_rng(5), resamples=5)
    found = recalibrated_gaps(study, Pair("auc", 1, 0), draws, metrics=["sensitivity"])
    assert found["sensitivity"].reason == "group: the scores separate the classes"
    odd = recalibrated_gaps(study, Pair("auc", 0, 1, threshold=1.0), draws, metrics=["npv"])
    assert "has no logit" in odd["npv"].reason
