"""Gaps, their tests and intervals: published values, exact enumeration, the NIH demonstrations."""

from __future__ import annotations

import math
from collections.abc import Callable
from itertools import combinations

import numpy as np
import pytest
from scipy.stats import norm

from reportgen.stats.subgroups.draws import patient_draws
from reportgen.stats.subgroups.equivalence import (
    equivalent,
    minimum_detectable_gap,
    patients_needed,
)
from reportgen.stats.subgroups.estimate import GroupEstimate
from reportgen.stats.subgroups.gaps import (
    BOOTSTRAP,
    PERMUTATION_WITHIN,
    T_TEST,
    Gap,
    bootstrap_test,
    compare,
    gap_draws,
    gap_interval,
    standard_error,
    t_test,
)
from reportgen.stats.subgroups.metrics import group_figures
from reportgen.stats.subgroups.models import gap_change
from reportgen.stats.subgroups.permutation import permutation_test
from reportgen.stats.subgroups.picture import small_draws
from reportgen.stats.subgroups.rates import rate
from reportgen.stats.subgroups.resampling import resample
from reportgen.stats.subgroups.study import Pair, Study, arrange

Arranged = Callable[[str, str, str, str], tuple[Study, list[str]]]
NIH = "nih_cxr14_chexnet.csv"


def share(k: int, n: int, first: int = 0) -> GroupEstimate:
    return rate(np.repeat([1.0, 0.0], [k, n - k]), np.ones(n), first + np.arange(n), empty="")


@pytest.mark.parametrize(
    ("first", "second", "low", "high"),
    [
        ((56, 70), (48, 80), 0.0524, 0.3339),
        ((9, 10), (3, 10), 0.1705, 0.8090),
        ((10, 10), (0, 10), 0.6075, 1.0000),
        ((5, 56), (0, 29), -0.0381, 0.1926),
    ],
)
def test_independent_rates_give_newcombes_published_intervals(
    first: tuple[int, int], second: tuple[int, int], low: float, high: float
) -> None:
    """Method 10 of Newcombe (1998), Stat Med 17:873, table II."""
    interval = gap_interval(share(*first), share(*second, first=1000), confidence=0.95)
    assert (interval.low, interval.high) == pytest.approx((low, high), abs=6e-5)


def test_figures_of_the_same_patients_differ_by_nothing_surely() -> None:
    """With correlation 1 the error is 0, and MOVER's limits are the difference of the distances."""
    one = share(30, 100)
    again = share(30, 100)
    assert standard_error(one, again) == pytest.approx(0, abs=1e-9)
    interval = gap_interval(one, again, confidence=0.95)
    own = one.limits(0.95)
    skew = abs((one.value - own.low) - (own.high - one.value))
    assert (interval.low, interval.high) == pytest.approx((-skew, skew), abs=1e-9)


class Comparison:
    """One comparison of the NIH data, with 2,000 joint draws."""

    def __init__(self, study: Study, names: list[str], group: str, reference: str) -> None:
        self.study, self.pair = study, Pair("auc", names.index(group), names.index(reference))
        draws = patient_draws(study, np.random.default_rng(20261130), resamples=2000)
        self.resampled = resample(study, draws, thresholds=[0.5], overall=False)
        self.own, self.other = (
            group_figures(study, level, threshold=0.5)["auc"]
            for level in (self.pair.group, self.pair.reference)
        )
        self.gap: Gap = compare(
            study, self.pair, self.own, self.other, self.resampled, np.random.default_rng(1)
        )

    @property
    def image_error(self) -> float:
        return math.sqrt(self.own.image_variance + self.other.image_variance)

    @property
    def image_p(self) -> float:
        return float(2 * norm.sf(abs(self.gap.value) / self.image_error))

    @property
    def drawn_error(self) -> float:
        return float(np.nanstd(gap_draws(self.resampled, self.pair), ddof=1))


# Finding, attribute, group, reference, gap, image-level p, patient-level p, interval, ratio of
# standard errors, minimum detectable gap. Tolerances: the table's rounding, and for what it took
# from draws four Monte-Carlo errors of a standard deviation from 2,000 draws (6 %).
DEMONSTRATIONS = [
    ("effusion", "sex", "M", "F", -0.0118, 0.063, 0.22, (-0.031, 0.007), 1.51, 0.027),
    ("effusion", "view", "AP", "PA", -0.0803, 8e-32, 1e-15, (-0.100, -0.061), 1.47, 0.028),
    ("pneumothorax", "view", "AP", "PA", -0.0307, 0.0082, 0.11, (-0.070, 0.003), 1.63, 0.053),
    ("pneumothorax", "age_band", "<40", "40-59", 0.0515, 1e-5, 0.010, (0.013, 0.091), 1.72, 0.056),
    ("pneumothorax", "age_band", ">=60", "40-59", 0.0156, 0.27, 0.58, (-0.043, 0.066), 1.99, 0.079),
    (
        "cardiomegaly",
        "age_band",
        ">=60",
        "40-59",
        -0.0517,
        0.0066,
        0.023,
        (-0.097, -0.007),
        1.2,
        0.064,
    ),
    ("cardiomegaly", "view", "AP", "PA", -0.0887, 2e-11, 7e-8, (-0.122, -0.059), 1.25, 0.046),
]


@pytest.mark.parametrize(
    ("finding", "attribute", "group", "reference", "gap", "image_p", "p", "limits", "ratio", "mdg"),
    DEMONSTRATIONS,
)
def test_demonstrations(
    finding: str,
    attribute: str,
    group: str,
    reference: str,
    gap: float,
    image_p: float,
    p: float,
    limits: tuple[float, float],
    ratio: float,
    mdg: float,
    arranged: Arranged,
) -> None:
    study, names = arranged(NIH, f"y_{finding}", f"p_{finding}", attribute)
    found = Comparison(study, names, group, reference)
    error = found.gap.standard_error
    assert found.gap.value == pytest.approx(gap, abs=5.1e-5)
    assert f"{found.image_p:.0e}" == f"{image_p:.0e}"
    # z moves as the error does: 4 Monte-Carlo errors and the rounding of the printed p.
    z, printed_z = norm.isf(found.gap.test.p / 2), norm.isf(p / 2)
    assert z == pytest.approx(printed_z, rel=0.07, abs=0.02)
    assert found.gap.drawn.low == pytest.approx(limits[0], abs=0.35 * error)
    assert found.gap.drawn.high == pytest.approx(limits[1], abs=0.35 * error)
    assert found.drawn_error / found.image_error == pytest.approx(ratio, rel=0.07)
    assert minimum_detectable_gap(found.drawn_error) == pytest.approx(mdg, rel=0.07)
    assert found.gap.test.method == (BOOTSTRAP if found.gap.shared_patients else T_TEST)


def test_sex_effusion_is_equivalent_and_view_is_not(arranged: Arranged) -> None:
    sexes = Comparison(*arranged(NIH, "y_effusion", "p_effusion", "sex"), "M", "F").gap
    views = Comparison(*arranged(NIH, "y_effusion", "p_effusion", "view"), "AP", "PA").gap
    assert sexes.shared_patients == 0
    assert views.shared_patients == 1450
    assert equivalent(sexes.equivalence, margin=0.05) is True
    assert equivalent(views.equivalence, margin=0.05) is False
    assert views.interval.high < -0.05  # wholly beyond the margin


def test_the_flip_by_patients(arranged: Arranged) -> None:
    views = Comparison(*arranged(NIH, "y_pneumothorax", "p_pneumothorax", "view"), "AP", "PA")
    assert views.image_p == pytest.approx(0.0082, abs=5e-5)
    assert views.gap.test.p > 0.05
    assert views.gap.interval.low < 0 < views.gap.interval.high


def small_study(seed: int, patients: int = 9) -> Study:
    """Return few patients in two groups, with unlike numbers of images and ties."""
    rng = np.random.default_rng(seed)
    images = rng.integers(1, 4, patients)
    patient = np.repeat(np.arange(patients), images)
    group = np.repeat(np.arange(patients) % 2, images)
    y = np.repeat(np.arange(patients) % 4 < 2, images)
    score = np.round(rng.random(len(patient)) + 0.3 * y, 1)
    return arrange(y, score, group, patient, n_levels=2)


def every_split(study: Study, metric: str) -> list[float]:
    """Return |t| of every exchange of group labels among patients with like labels."""
    patients = np.arange(study.n_patients)
    positive = np.array([study.positive[study.patient == p].any() for p in patients])
    group = np.array([study.level[study.patient == p][0] for p in patients])
    values = []
    kinds = [patients[positive], patients[~positive]]
    sizes = [int(group[kind].sum()) for kind in kinds]
    for ones in combinations(kinds[0].tolist(), sizes[0]):
        for zeros in combinations(kinds[1].tolist(), sizes[1]):
            level = np.isin(study.patient, [*ones, *zeros]).astype(int)
            split = arrange(study.positive, study.scores, level, study.patient, n_levels=2)
            one, zero = (group_figures(split, k, threshold=0.6)[metric] for k in (1, 0))
            gap = one.value - zero.value
            error = math.sqrt(max(0.0, one.variance + zero.variance))
            values.append(0.0 if gap == 0 else abs(gap) / error if error > 0 else math.inf)
    return values


@pytest.mark.parametrize("metric", ["auc", "sensitivity", "specificity", "balanced_accuracy"])
def test_permutations_approach_the_exact_enumeration(metric: str) -> None:
    study = small_study(3)
    pair = Pair(metric, 1, 0, threshold=0.6)
    found = permutation_test(study, pair, np.random.default_rng(0), permutations=4999)
    one, zero = (group_figures(study, k, threshold=0.6)[metric] for k in (1, 0))
    gap, error = one.value - zero.value, standard_error(one, zero)
    assert found.statistic == pytest.approx(gap / error)
    values = np.array(every_split(study, metric))
    exact = float((values >= abs(found.statistic) * (1 - 1e-9)).mean())
    assert found.p == pytest.approx(exact, abs=4 * math.sqrt(exact * (1 - exact) / 4999) + 1e-3)
    assert found.within_label


@pytest.mark.parametrize("metric", ["ppv", "npv", "selection_rate", "prevalence", "brier"])
def test_figures_that_mix_classes_permute_all_patients(metric: str) -> None:
    study = small_study(5, patients=40)
    pair = Pair(metric, 1, 0, threshold=0.6)
    found = permutation_test(study, pair, np.random.default_rng(0), permutations=99)
    one, zero = (group_figures(study, k, threshold=0.6)[metric] for k in (1, 0))
    assert found.statistic == pytest.approx((one.value - zero.value) / standard_error(one, zero))
    assert not found.within_label
    assert 1 / 100 <= found.p <= 1


def test_permutation_needs_groups_without_shared_patients() -> None:
    study = arrange([1, 0, 1, 0], [0.1, 0.2, 0.3, 0.4], [0, 0, 1, 1], [0, 1, 0, 2], n_levels=2)
    with pytest.raises(ValueError, match="share patients"):
        permutation_test(study, Pair("auc", 0, 1), np.random.default_rng(0), permutations=9)


def compared(study: Study, pair: Pair, resamples: int = 200, permutations: int = 199) -> Gap:
    draws = patient_draws(study, np.random.default_rng(8), resamples=resamples)
    resampled = resample(study, draws, thresholds=[pair.threshold] * study.n_models)
    own, other = (
        group_figures(study, level, model=pair.model, threshold=pair.threshold)[pair.metric]
        for level in (pair.group, pair.reference)
    )
    rng = np.random.default_rng(9)
    return compare(study, pair, own, other, resampled, rng, permutations=permutations)


def test_small_groups_are_permuted_and_calibration_has_a_t_test() -> None:
    study = small_study(7, patients=80)
    assert compared(study, Pair("auc", 1, 0)).test.method == f"{PERMUTATION_WITHIN}, 199 draws"
    slope = compared(study, Pair("calibration_slope", 1, 0))
    assert slope.drawn.reason
    assert slope.test.method in (T_TEST, "")


def test_a_group_that_cannot_be_measured_has_a_gap_with_its_reason() -> None:
    study = arrange(
        [1, 0, 1, 0, 0], [0.1, 0.2, 0.3, 0.4, 0.5], [0, 0, 0, 0, 1], range(5), n_levels=2
    )
    gap = compared(study, Pair("auc", 1, 0))
    assert gap.reason == "group: no positives"
    for part in (gap.interval, gap.equivalence, gap.drawn, gap.test):
        assert part.reason
    assert math.isnan(gap.value)
    assert math.isnan(gap.test.p)


def test_an_area_of_one_is_flagged_and_keeps_an_interval() -> None:
    rng = np.random.default_rng(2)
    y = np.tile([True, False], 40)
    level = np.repeat([0, 1], 40)
    score = np.where(level == 1, y + 0.0, y + rng.normal(size=80))
    study = arrange(y, score, level, np.arange(80), n_levels=2)
    own, other = (group_figures(study, k, threshold=1, probability=False)["auc"] for k in (1, 0))
    interval = gap_interval(own, other, confidence=0.95)
    assert own.value == 1
    assert interval.one_sided
    assert "exact bound on 20 patients" in interval.method
    assert interval.low < 1 - other.value < interval.high


def test_tests_without_spread_say_so() -> None:
    assert t_test(0.1, 0.0, 5).reason
    assert bootstrap_test(0.1, np.full(10, 0.1)).reason
    assert (
        bootstrap_test(0.1, np.array([0.1, np.nan, 0.2])).reason
        == "undefined in 33.3 % of the draws"
    )


def test_detectable_gap_and_patients_at_holms_first_step() -> None:
    """Four comparisons need 1.42 times the patients of one; z by tables: 1.96, 2.498, 0.8416."""
    assert minimum_detectable_gap(0.01) == pytest.approx(0.01 * (1.95996 + 0.84162), rel=1e-4)
    one = patients_needed(100_000, 0.01, margin=0.05)
    four = patients_needed(100_000, 0.01, margin=0.05, comparisons=4)
    assert one is not None
    assert four is not None
    assert four / one == pytest.approx(1.42, abs=0.005)
    assert patients_needed(100, 0.05 / 2.8015852, margin=0.05) in (100, 101)
    assert patients_needed(100, math.nan, margin=0.05) is None
    assert math.isnan(minimum_detectable_gap(0.0))
    with pytest.raises(ValueError, match="margin"):
        patients_needed(100, 0.1, margin=0)


def test_no_interval_is_no_equivalence() -> None:
    missing = GroupEstimate(math.nan, reason="no rows")
    interval = gap_interval(missing, share(3, 10), confidence=0.9)
    assert equivalent(interval, margin=0.5) is None


def test_the_plain_picture_of_a_known_population() -> None:
    """AUC of normal scores, 400 draws of 100 patients: median near the truth, quartiles apart."""
    rng = np.random.default_rng(3)
    y = np.arange(4000) % 2 == 0
    study = arrange(y, rng.normal(size=4000) + y, np.zeros(4000), np.arange(4000), n_levels=1)
    picture = small_draws(study, rng, reference=0, patients=100, resamples=2000)
    truth = group_figures(study, 0, threshold=0, probability=False)["auc"]
    low, first, median, third, high = picture.quantiles
    error = math.sqrt(truth.variance * 40)  # a fortieth of the patients
    assert median == pytest.approx(truth.value, abs=0.15 * error)
    assert high - low == pytest.approx(3.92 * error, rel=0.1)
    assert third - first == pytest.approx(1.349 * error, rel=0.12)
    assert picture.undefined == 0
    few = small_draws(study, rng, reference=0, patients=3, resamples=2000)
    assert few.reason
    assert few.undefined == pytest.approx(0.25, abs=4 * math.sqrt(0.25 * 0.75 / 2000))


def test_two_models_on_the_same_patients() -> None:
    """A model that repeats another changes no gap; noise in one group alone widens it."""
    rng = np.random.default_rng(4)
    n = 1200
    y, level = rng.random(n) < 0.5, np.arange(n) % 2
    first = rng.normal(size=n) + 2 * y
    second = first + np.where(level == 1, rng.normal(0, 3, n), 0.0)
    study = arrange(y, np.stack([first, first, second]), level, np.arange(n), n_levels=2)
    draws = patient_draws(study, rng, resamples=500)
    resampled = resample(study, draws, thresholds=[1, 1, 1], probability=False)
    gaps = []
    for model in range(3):
        own, other = (
            group_figures(study, k, model=model, threshold=1, probability=False)["auc"].value
            for k in (1, 0)
        )
        gaps.append(own - other)
    pair = Pair("auc", 1, 0, model=0)
    same = gap_change(resampled, pair, new_model=1, old_gap=gaps[0], new_gap=gaps[1])
    assert (same.change, same.drawn.low, same.drawn.high) == (0, 0, 0)
    assert same.test.reason == "the draws do not vary"
    wider = gap_change(resampled, pair, new_model=2, old_gap=gaps[0], new_gap=gaps[2])
    assert wider.drawn.high < 0
    assert wider.narrowing_drawn.high < 0
    assert wider.test.p < 1e-6
    undefined = gap_change(resampled, pair, new_model=2, old_gap=math.nan, new_gap=0.1)
    assert undefined.reason
