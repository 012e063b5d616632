"""Gaps from score intervals: hand cases, definitions, and the law of the interval engine."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

from reportgen.stats.robust.gaps import FEW, MEASURES, gap_of_ranges, worst_gap
from reportgen.stats.robust.intervals import ScoreIntervals, exact_intervals, static_intervals
from reportgen.stats.robust.metrics import (
    METRICS,
    AuditSample,
    Decisions,
    GroupRanges,
    audit_sample,
    group_ranges,
)


def by_hand(metric: str, sample: AuditSample, score: np.ndarray, group: int) -> float:
    """Compute one figure record by record, from its textbook definition."""
    assert sample.positive is not None
    own = [i for i in range(len(score)) if sample.group[i] == group]
    flag = {
        i: (score[i] if sample.decisions == "soft" else float(score[i] >= sample.threshold))
        for i in own
    }
    pos = [i for i in own if sample.positive[i]]
    neg = [i for i in own if not sample.positive[i]]
    tp, fp = sum(flag[i] for i in pos), sum(flag[i] for i in neg)
    tn, fn = len(neg) - fp, len(pos) - tp

    def over(a: float, b: float) -> float:
        return a / b if b else np.nan

    if metric == "auc":
        wins = [(score[i] > score[j]) + 0.5 * (score[i] == score[j]) for i in pos for j in neg]
        return over(sum(wins), len(wins))
    return {
        "selection_rate": over(tp + fp, len(own)),
        "sensitivity": over(tp, len(pos)),
        "false_positive_rate": over(fp, len(neg)),
        "accuracy": over(tp + tn, len(own)),
        "balanced_accuracy": (over(tp, len(pos)) + over(tn, len(neg))) / 2,
        "precision": over(tp, tp + fp),
        "npv": over(tn, tn + fn),
        "f1": over(2 * tp, 2 * tp + fp + fn) if pos else np.nan,
        "brier": over(sum((score[i] - sample.positive[i]) ** 2 for i in own), len(own)),
    }[metric]


@pytest.mark.parametrize("decisions", ["hard", "soft"])
@pytest.mark.parametrize("metric", METRICS)
def test_no_assignment_leaves_the_solved_range(metric: str, decisions: Decisions) -> None:
    """1,000 random choices inside the intervals; never outside, and the extremes are attained."""
    rng = np.random.default_rng(METRICS.index(metric))
    measure = MEASURES[metric]
    for _ in range(10):
        n = 24
        score, label = rng.random(n), rng.random(n) < 0.5
        group = np.concatenate([[0, 0, 1, 1, 2, 2], rng.integers(0, 3, n - 6)])
        label[:6] = [True, False] * 3
        low = np.maximum(score - rng.random(n) * 0.3, 0)
        high = np.minimum(score + rng.random(n) * 0.3, 1)
        sample = audit_sample(score, group, label, decisions=decisions)
        intervals = exact_intervals(low, high)
        ranges, gap = group_ranges(metric, sample, intervals), worst_gap(measure, sample, intervals)
        for g in range(3):
            assert ranges.base[g] == pytest.approx(by_hand(metric, sample, score, g), nan_ok=True)
        for _ in range(100):
            share = rng.random(n) if rng.random() < 0.5 else rng.integers(0, 2, n)
            at = low + share * (high - low)
            figures = np.array([by_hand(metric, sample, at, g) for g in range(3)])
            known = ~np.isnan(figures)
            assert np.all(figures[known] >= ranges.attained_low[known] - 1e-12)
            assert np.all(figures[known] <= ranges.attained_high[known] + 1e-12)
            assert ranges.undefined[~known].all()
            if known.all() and not gap.left_out:
                assert gap.least - 1e-12 <= np.ptp(figures) <= gap.found + 1e-12


@pytest.mark.parametrize("metric", METRICS)
def test_extremes_are_attained(metric: str) -> None:
    """Every choice of ends of eight records: the range and the gap are those of the best."""
    rng = np.random.default_rng(17)
    for _ in range(12):
        score = np.round(rng.random(8), 1)
        label, group = np.array([1, 0, 1, 0] * 2, dtype=bool), np.repeat([0, 1], 4)
        low, high = np.maximum(score - 0.3, 0), np.minimum(score + 0.3, 1)
        sample = audit_sample(score, group, label)
        intervals = exact_intervals(low, high)
        ranges = group_ranges(metric, sample, intervals)
        for g in (0, 1):
            seen = []
            for ends in product((0, 1), repeat=4):
                at = score.copy()
                at[group == g] = np.where(ends, high[group == g], low[group == g])
                seen.append(by_hand(metric, sample, at, g))
            known = [value for value in seen if not np.isnan(value)]
            assert ranges.undefined[g] == (len(known) < len(seen))
            if known:
                assert ranges.attained_low[g] == pytest.approx(min(known), abs=1e-12)
                assert ranges.attained_high[g] == pytest.approx(max(known), abs=1e-12)
            else:
                assert np.isnan(ranges.attained_low[g])
        gap = worst_gap(MEASURES[metric], sample, intervals)
        if not gap.left_out:
            one = ranges.attained_high[1] - ranges.attained_low[0]
            other = ranges.attained_high[0] - ranges.attained_low[1]
            assert gap.found == max(one, other)


def ranged(low: list[float], high: list[float]) -> GroupRanges:
    a, b = np.array(low), np.array(high)
    middle, none = (a + b) / 2, np.zeros(len(a), dtype=bool)
    return GroupRanges("selection_rate", middle, a, b, a, b, np.ones(len(a)), none, ("",) * len(a))


def test_worst_ratio_needs_two_groups() -> None:
    gap = gap_of_ranges(MEASURES["demographic_parity_ratio"], ranged([0.1, 0.4], [0.9, 0.5]))
    assert gap.found == pytest.approx(0.2)  # .1 / .5, not .1 / .9
    assert (gap.highest, gap.lowest) == (1, 0)


def counted(*counts: tuple[int, int, int, int]) -> AuditSample:
    """Return groups of (TP, FN, FP, TN) records."""
    score, group, label = [], [], []
    for g, (tp, fn, fp, tn) in enumerate(counts):
        score += [1.0] * tp + [0.0] * fn + [1.0] * fp + [0.0] * tn
        label += [True] * (tp + fn) + [False] * (fp + tn)
        group += [g] * (tp + fn + fp + tn)
    return audit_sample(score, group, label)


def test_d30_group_without_positives_is_left_out_and_named() -> None:
    # a: y 1100 p 1101; b: y 1100 p 1000; c: y 00 p 10
    sample = counted((2, 0, 1, 1), (1, 1, 0, 2), (0, 0, 1, 1))
    parity = worst_gap(MEASURES["demographic_parity"], sample, static_intervals(sample.score))
    odds = worst_gap(MEASURES["equalized_odds"], sample, static_intervals(sample.score))
    assert parity.base == 0.5
    assert odds.parts[0].base == 0.5
    assert odds.parts[0].left_out == odds.left_out == (2,)
    ranges = group_ranges("sensitivity", sample, static_intervals(sample.score))
    assert ranges.reasons == ("", "", "no positives")
    assert odds.base == 0.5  # fairlearn says 1.0: it takes c's rate for 0


def test_d31_nobody_selected() -> None:
    sample = counted((0, 3, 0, 3), (0, 2, 0, 5))
    parity = worst_gap(MEASURES["demographic_parity"], sample, static_intervals(sample.score))
    ratio = worst_gap(MEASURES["demographic_parity_ratio"], sample, static_intervals(sample.score))
    assert parity.base == 0
    assert np.isnan(ratio.base)
    assert "0/0" in ratio.reason


def test_d36_three_groups() -> None:
    sample = counted((1, 0, 1, 8), (3, 0, 2, 5), (3, 0, 3, 4))
    parity = worst_gap(MEASURES["demographic_parity"], sample, static_intervals(sample.score))
    ratio = worst_gap(MEASURES["demographic_parity_ratio"], sample, static_intervals(sample.score))
    assert parity.base == pytest.approx(0.4)
    assert (parity.highest, parity.lowest) == (2, 0)
    assert ratio.base == pytest.approx(1 / 3)


def test_precision_that_can_become_undefined_is_flagged() -> None:
    sample = audit_sample([0.6, 0.4, 0.6, 0.4], [0, 0, 1, 1], [True, False, True, False])
    moved = exact_intervals(sample.score - [0.2, 0, 0, 0], sample.score)
    gap = worst_gap(MEASURES["precision"], sample, moved)
    assert gap.undefined == (0,)
    assert gap.base == gap.found == 0


def test_one_group_has_no_gap() -> None:
    gap = worst_gap(
        MEASURES["demographic_parity"],
        audit_sample([0.1, 0.9], [0, 0]),
        static_intervals(np.array([0.1, 0.9])),
    )
    assert gap.reason == FEW


def test_distance_to_overall_by_search() -> None:
    rng = np.random.default_rng(5)
    score = rng.random(30)
    group = np.concatenate([np.zeros(5, int), np.ones(10, int), np.full(15, 2)])
    sample = audit_sample(score, group, decisions="soft")
    intervals = exact_intervals(np.maximum(score - 0.1, 0), np.minimum(score + 0.1, 1))
    gap = worst_gap(MEASURES["demographic_parity_overall"], sample, intervals)
    seen = []
    for way in product((0, 1), repeat=3):
        at = np.where(np.array(way)[group] == 1, intervals.attained_high, intervals.attained_low)
        seen.append(max(abs(at[group == g].mean() - at.mean()) for g in range(3)))
    assert gap.found == pytest.approx(max(seen), abs=1e-12)


def test_found_and_certified_are_kept_apart() -> None:
    score = np.array([0.3, 0.6])
    bracket = ScoreIntervals(score, score, score - 0.2, score + 0.2)
    gap = worst_gap(
        MEASURES["demographic_parity"], audit_sample(score, [0, 1], decisions="soft"), bracket
    )
    assert [gap.found, gap.certified] == pytest.approx([0.3, 0.7])
    assert not gap.exact


@pytest.mark.parametrize(
    ("score", "group", "options", "message"),
    [
        ([], [], {}, "shapes"),
        ([0.1, np.nan], [0, 1], {}, "missing"),
        ([0.1, 0.2], [0, 3], {"n_groups": 2}, "groups must be"),
        ([0.1, 1.2], [0, 1], {"decisions": "soft"}, r"\[0, 1\]"),
    ],
)
def test_records_that_cannot_be_audited(
    score: list[float], group: list[int], options: dict[str, object], message: str
) -> None:
    with pytest.raises(ValueError, match=message):
        audit_sample(score, group, **options)  # type: ignore[arg-type]
