"""The p value of a gap between groups that share patients."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.stats import ttest_rel

from reportgen.stats.subgroups.draws import patient_draws
from reportgen.stats.subgroups.estimate import GroupEstimate
from reportgen.stats.subgroups.gaps import (
    BOOTSTRAP,
    INVERTED,
    LEAST_P,
    compare,
    gap_interval,
    interval_test,
)
from reportgen.stats.subgroups.metrics import group_figures
from reportgen.stats.subgroups.rates import rate
from reportgen.stats.subgroups.resampling import resample
from reportgen.stats.subgroups.study import Pair, Study, arrange


def share(k: int, n: int, first: int = 0) -> GroupEstimate:
    return rate(np.repeat([1.0, 0.0], [k, n - k]), np.ones(n), first + np.arange(n), empty="")


def method_of(study: Study, metric: str) -> str:
    rng = np.random.default_rng(8)
    resampled = resample(study, patient_draws(study, rng, resamples=50), thresholds=[0.5])
    one, zero = (group_figures(study, level, threshold=0.5)[metric] for level in (1, 0))
    return compare(study, Pair(metric, 1, 0), one, zero, resampled, rng).test.method


def two_scanners(seed: int, patients: int = 40) -> tuple[GroupEstimate, GroupEstimate]:
    """Return the areas of two scanners that image the same patients, with a gap or without."""
    rng = np.random.default_rng(seed)
    patient = np.repeat(np.arange(patients), 4)
    y = np.repeat(rng.random(patients) < 0.4, 4)
    level = rng.integers(0, 2, len(patient))
    own = np.repeat(rng.normal(size=patients), 4)
    score = (1.5 - 0.1 * (seed % 10) * level) * y + own + 0.6 * rng.normal(size=len(y))
    study = arrange(y, score, level, patient, n_levels=2)
    one, zero = (group_figures(study, k, threshold=1, probability=False)["auc"] for k in (1, 0))
    return one, zero


@pytest.mark.parametrize("seed", range(20))
def test_the_p_value_of_shared_patients_is_that_of_the_interval(seed: int) -> None:
    """The interval at 1 - p just reaches 0, and that at 95 % holds 0 unless p is below 5 %."""
    one, zero = two_scanners(seed)
    p = interval_test(one, zero).p
    reached = gap_interval(one, zero, confidence=1 - p)
    assert min(abs(reached.low), abs(reached.high)) == pytest.approx(0, abs=1e-9)
    printed = gap_interval(one, zero, confidence=0.95)
    assert (p < 0.05) == (not printed.low <= 0 <= printed.high)
    assert interval_test(zero, one).p == pytest.approx(p, rel=1e-9)


def test_small_groups_that_share_patients_have_the_p_value_of_their_interval() -> None:
    """Large groups with few positives have few degrees of freedom; calibration has no draws."""
    rng = np.random.default_rng(12)
    for patients, positive, method in (
        (60, 30, INVERTED),
        (600, 20, INVERTED),
        (600, 300, BOOTSTRAP),
    ):
        patient = np.tile(np.arange(patients), 2)
        y = patient < positive
        score = 1 / (1 + np.exp(-rng.normal(size=2 * patients) - y))
        study = arrange(y, score, np.repeat([0, 1], patients), patient, n_levels=2)
        assert method_of(study, "auc") == method
        assert method_of(study, "calibration_slope") == INVERTED


def test_the_p_value_of_the_same_patients_twice_is_that_of_a_paired_t_test() -> None:
    """Squared errors of 400 patients in both groups, against scipy's paired t test."""
    rng = np.random.default_rng(6)
    n = 400
    y = rng.random(n) < 0.5
    score = np.clip(0.5 + rng.normal(0, 0.2, n) + [[0.02], [0.0]] * rng.random(n), 0.01, 0.99)
    study = arrange(
        np.tile(y, 2), score.ravel(), np.repeat([0, 1], n), np.tile(np.arange(n), 2), n_levels=2
    )
    one, zero = (group_figures(study, k, threshold=0.5)["brier"] for k in (1, 0))
    first, second = np.square(score - y)
    assert one.value - zero.value == pytest.approx(float((second - first).mean()))
    assert interval_test(one, zero).p == pytest.approx(ttest_rel(second, first).pvalue, rel=0.02)


def test_the_ends_of_an_inverted_interval() -> None:
    assert interval_test(share(30, 100), share(30, 100)).p == 1
    assert interval_test(share(990, 1000), share(10, 1000, first=2000)).p == LEAST_P
    missing = GroupEstimate(math.nan, reason="no rows")
    assert interval_test(missing, share(3, 10)).reason == "no rows"
