"""Sampling limits: how often a model at its tolerance passes, counted exactly; and the verdict."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import beta, binom

from reportgen.stats.proportions import Proportion, linear_mover
from reportgen.stats.robust.gaps import MEASURES, WorstGap, worst_gap
from reportgen.stats.robust.intervals import ScoreIntervals, exact_intervals
from reportgen.stats.robust.limits import LEAST, TooFew, gap_limits, too_few_units
from reportgen.stats.robust.linear import linear_intervals
from reportgen.stats.robust.metrics import audit_sample
from reportgen.stats.robust.moves import move_set
from reportgen.stats.robust.verdicts import empty_decision, joint_verdict, verdict
from tests.stats.robust.conftest import Article

PARITY, RATIO = MEASURES["demographic_parity"], MEASURES["demographic_parity_ratio"]


def limits_of_all_tables(n: int, measure: str) -> np.ndarray:
    """Return the one-sided limit of every outcome of two groups of n, (n + 1, n + 1)."""
    group, unit = np.repeat([0, 1], n), np.arange(2 * n)
    limit = np.empty((n + 1, n + 1))
    for i in range(n + 1):
        for j in range(n + 1):
            score = np.concatenate([np.arange(n) < i, np.arange(n) < j]).astype(float)
            limit[i, j] = gap_limits(MEASURES[measure], audit_sample(score, group), unit).limit
    return limit


def chance(passes: np.ndarray, first: float, second: float) -> float:
    k = np.arange(len(passes))
    n = len(passes) - 1
    return float(binom.pmf(k, n, first) @ passes @ binom.pmf(k, n, second))


@pytest.mark.parametrize("n", [10, pytest.param(20, marks=pytest.mark.slow)])
def test_a_gap_at_the_tolerance_passes_in_at_most_five_percent(n: int) -> None:
    """Over all tables, not by simulation. The percentile bootstrap lets 34 % pass at n = 10."""
    limit = limits_of_all_tables(n, "demographic_parity")
    assert not np.isnan(limit).any()
    for tolerance in (0.05, 0.1, 0.2, 0.3, 0.4):
        passes = limit <= tolerance + 1e-12
        for p in np.linspace(0, 1 - tolerance, 41):
            assert chance(passes, p + tolerance, p) <= 0.05


def test_a_ratio_at_the_tolerance_passes_in_at_most_five_percent() -> None:
    limit = limits_of_all_tables(10, "demographic_parity_ratio")
    assert np.isnan(limit[0, 0])  # nobody selected: 0/0
    with np.errstate(invalid="ignore"):
        for tolerance in (0.9, 0.8, 0.6, 0.4, 0.2):
            passes = limit >= tolerance - 1e-12
            for p in np.linspace(0.02, 1, 40):
                assert chance(passes, p * tolerance, p) <= 0.05


@pytest.mark.slow
def test_clustered_and_soft_gaps_at_the_tolerance(simulation_share: float) -> None:
    """Patients with three alike rows, and mean scores: at most 5 % pass but for chance."""
    rng = np.random.default_rng(11)
    runs = max(100, int(2000 * simulation_share))
    error = 3 * np.sqrt(0.05 * 0.95 / runs)
    for n in (20, 50):
        passed = np.zeros(2)
        for _ in range(runs):
            level = [rng.beta(4 * p, 4 * (1 - p), n) for p in (0.3, 0.5)]
            rows = np.concatenate([np.repeat(one, 3) for one in level])
            unit, group = np.repeat(np.arange(2 * n), 3), np.repeat([0, 1], 3 * n)
            hard = audit_sample((rng.random(6 * n) < rows).astype(float), group)
            soft = audit_sample(np.concatenate(level), np.repeat([0, 1], n), decisions="soft")
            passed[0] += gap_limits(PARITY, hard, unit).limit <= 0.2
            passed[1] += gap_limits(PARITY, soft, np.arange(2 * n)).limit <= 0.2
        assert np.all(passed / runs <= 0.05 + error)


def test_a_limit_that_holds_with_one_half_is_the_gap_of_the_median_proportions() -> None:
    """Clopper-Pearson at one half: the k with P(X >= k) = P(X <= k) = 0.5 a side, by the binomial.

    The least confidence that a manifest may ask for; 2 x 0.5 - 1 is 0, and no interval has that.
    """
    n, selected = 12, (9, 4)
    score = np.concatenate([np.arange(n) < k for k in selected]).astype(float)
    sample = audit_sample(score, np.repeat([0, 1], n))
    found = gap_limits(PARITY, sample, np.arange(2 * n), confidence=0.5)
    assert found.low < 5 / 12 < found.high
    upper = beta.median(selected[0] + 1, n - selected[0]) - selected[0] / n
    lower = selected[1] / n - beta.median(selected[1], n - selected[1] + 1)
    assert found.limit == pytest.approx(5 / 12 + np.hypot(upper, lower), abs=LEAST)
    for unit in (np.arange(2 * n), np.arange(2 * n) // 2, np.arange(2 * n) // 5):
        assert 0 < gap_limits(RATIO, sample, unit, confidence=0.5).limit <= 4 / 9


def test_interval_is_newcombes_for_independent_rows() -> None:
    """56/70 against 48/80 (Newcombe 1998, Stat Med 17:873, method 10): 0.0524 to 0.3339."""
    score = np.concatenate([np.arange(70) < 56, np.arange(80) < 48]).astype(float)
    sample = audit_sample(score, np.repeat([0, 1], [70, 80]))
    limits = gap_limits(PARITY, sample, np.arange(150))
    assert [limits.low, limits.high] == pytest.approx([0.0524, 0.3339], abs=5e-5)
    both = linear_mover(
        [(1, Proportion(56, 70)), (-1, Proportion(48, 80))], constant=0, confidence=0.95
    )
    assert [limits.low, limits.high] == pytest.approx(both, abs=1e-12)
    assert limits.value < limits.limit < limits.high + 0.02


@pytest.mark.parametrize("name", ["demographic_parity_ratio", "equalized_odds", "precision"])
def test_rows_written_again_tell_nothing_new(article: Article, name: str) -> None:
    """Nothing moves, the limit that a verdict rests on least of all (catalogue D42)."""
    sample, unit = article.sample("hard"), np.arange(600)
    once = gap_limits(MEASURES[name], sample, unit)
    for times in (2, 8):
        again = audit_sample(
            *(np.repeat(a, times) for a in (sample.score, sample.group, article.positive))
        )
        many = gap_limits(MEASURES[name], again, np.repeat(unit, times))
        for figure in ("value", "low", "high", "limit"):
            assert getattr(many, figure) == pytest.approx(getattr(once, figure), abs=1e-9)
    twice = audit_sample(*(np.repeat(a, 2) for a in (sample.score, sample.group, article.positive)))
    taken_for_new = gap_limits(MEASURES[name], twice, np.arange(1200))
    assert taken_for_new.high - taken_for_new.low < 0.75 * (once.high - once.low)


def test_article_limits_enclose_what_the_bootstrap_gave(article: Article) -> None:
    """Soft base .2229, bootstrap [.190, .255]; worst under L2 .2420, bootstrap [.209, .274]."""
    sample = article.sample("soft")
    intervals = linear_intervals(article.values, article.model, move_set([0.05] * 2, norm="l2"))
    for ends, low, high in ((None, 0.190, 0.255), (intervals, 0.209, 0.274)):
        limits = gap_limits(PARITY, sample, np.arange(600), intervals=ends)
        assert [limits.low, limits.high] == pytest.approx([low, high], abs=3e-3)
        assert limits.low < limits.value < limits.limit < limits.high


def test_limits_rest_on_the_worst_gap(article: Article) -> None:
    for name in MEASURES:
        sample = article.sample("hard")
        intervals = linear_intervals(article.values, article.model, move_set([0.1] * 2, norm="l2"))
        limits = gap_limits(MEASURES[name], sample, np.arange(600), intervals=intervals)
        if name == "f1":
            assert limits.reason
            continue
        assert limits.value == pytest.approx(worst_gap(MEASURES[name], sample, intervals).certified)
        assert not limits.reason
        if MEASURES[name].falls:
            assert limits.limit <= limits.value <= limits.high
        else:
            assert limits.low <= limits.value <= limits.limit


def test_strata_with_too_few_units() -> None:
    label = np.array([True] * 12 + [False] * 12 + [True] * 12 + [False] * 3)
    group = np.repeat([0, 1], [24, 15])
    unit = np.concatenate([np.arange(24), 24 + np.arange(12) // 2, 50 + np.arange(3)])
    sample = audit_sample(np.zeros(39), group, label)
    positives, negatives = TooFew(1, "positive", 6), TooFew(1, "negative", 3)
    assert too_few_units(PARITY, sample, unit) == (TooFew(1, "all", 9),)  # of any label
    assert set(too_few_units(MEASURES["accuracy"], sample, unit)) == {positives, negatives}
    assert too_few_units(MEASURES["equal_opportunity"], sample, unit) == (positives,)
    assert too_few_units(MEASURES["false_positive_rate"], sample, unit) == (negatives,)
    bare = audit_sample(np.zeros(39), group)
    assert too_few_units(PARITY, bare, unit) == (TooFew(1, "all", 9),)


VERDICTS = [
    (0.3, 0.4, 0.4, 0.5, True, "static fail"),
    (0.3, 0.4, 0.4, 0.5, False, "static fail"),
    (0.1, 0.3, 0.3, 0.4, True, "fragile"),
    (0.1, 0.3, 0.3, 0.4, False, "fragile"),  # a gap over some groups is a lower bound for all
    (0.1, 0.15, 0.15, 0.19, False, "not assessable"),
    (0.1, 0.15, 0.15, 0.19, True, "robust"),
    (0.1, 0.15, 0.25, 0.19, True, "undetermined"),
    (0.1, 0.15, 0.15, 0.21, True, "undetermined"),
    (0.1, 0.15, 0.15, np.nan, True, "undetermined"),
    (0.1, 0.2, 0.2, 0.2, True, "robust"),  # equal to the tolerance passes
    (np.nan, np.nan, np.nan, np.nan, True, "not assessable"),
]


@pytest.mark.parametrize(("base", "found", "certified", "limit", "assessable", "word"), VERDICTS)
def test_verdicts_fail_closed(
    base: float, found: float, certified: float, limit: float, assessable: bool, word: str
) -> None:
    gap = WorstGap(base, found, certified, reason="none" if np.isnan(base) else "")
    assert verdict(PARITY, gap, tolerance=0.2, limit=limit, assessable=assessable) == word


def test_a_black_box_is_never_robust(article: Article) -> None:
    score = article.model.score(article.values)
    sample = article.sample("hard")
    box = ScoreIntervals(score, score, np.zeros(600), np.ones(600))
    gap = worst_gap(PARITY, sample, box)
    limit = gap_limits(PARITY, sample, np.arange(600), intervals=box).limit
    assert verdict(PARITY, gap, tolerance=0.9, limit=limit, assessable=True) == "undetermined"


def test_groups_left_out_or_undefined_are_not_assessable() -> None:
    for gap in (WorstGap(0.1, 0.1, 0.1, left_out=(2,)), WorstGap(0.1, 0.1, 0.1, undefined=(1,))):
        word = verdict(PARITY, gap, tolerance=0.2, limit=0.15, assessable=True)
        assert word == "not assessable"


def test_ratios_fail_downwards() -> None:
    gap = WorstGap(0.9, 0.75, 0.7)
    assert verdict(RATIO, gap, tolerance=0.8, limit=0.7, assessable=True) == "fragile"
    assert verdict(RATIO, gap, tolerance=0.6, limit=0.65, assessable=True) == "robust"
    assert verdict(RATIO, gap, tolerance=0.72, limit=0.75, assessable=True) == "undetermined"


def test_empty_decisions_and_joint_verdicts() -> None:
    assert empty_decision(audit_sample([0.1, 0.2], [0, 1]))
    assert not empty_decision(audit_sample([0.1, 0.5], [0, 1]))
    assert not empty_decision(audit_sample([0.1, 0.2], [0, 1], decisions="soft"))
    assert joint_verdict(["robust", "undetermined", "robust"]) == "undetermined"
    assert joint_verdict(["fragile", "not assessable"]) == "fragile"


def test_limits_need_two_groups() -> None:
    sample = audit_sample([0.2, 0.7], [0, 0])
    assert gap_limits(PARITY, sample, np.arange(2)).reason
    assert gap_limits(
        PARITY, sample, np.arange(2), intervals=exact_intervals(*[sample.score] * 2)
    ).reason
