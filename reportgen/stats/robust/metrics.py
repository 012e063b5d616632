"""The range of a metric in each group, exact from the score intervals of its records.

Every metric here is monotone in each score while labels stay: with all scores up (a rate or a mean
score) or with positives up and negatives down (a measure of quality) it is at one end, mirrored at
the other. Records move on their own, so the ends of all groups are reached at once.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from reportgen.stats.robust.counts import Counts, Ends, always_defined, counted_ends
from reportgen.stats.robust.intervals import BoolArray, FloatArray, ScoreIntervals

Decisions = Literal["hard", "soft"]
RATES = ("selection_rate", "sensitivity", "false_positive_rate")
"""Metrics that rise with every score; with soft decisions they are mean scores."""
QUALITY = ("accuracy", "balanced_accuracy", "precision", "npv", "f1", "auc", "brier")
"""Metrics that are best with positives up and negatives down. Brier is best where it is lowest."""
METRICS = (*RATES, *QUALITY)
MEANS = ("selection_rate", "sensitivity", "false_positive_rate", "accuracy", "brier")
"""Metrics that are means over fixed rows, so that the overall figure is the groups' mean."""


class OutsideUnit(ValueError):  # noqa: N818 (a statement about the metric)
    """A metric of probabilities meets scores, stored or moved, outside [0, 1]."""


@dataclass(frozen=True)
class AuditSample:
    """Records with their scores, groups and labels.

    Attributes
    ----------
    score : (n,) float array
    group : (n,) int array
        0 to n_groups - 1.
    n_groups : int
    positive : (n,) bool array or None
        Labels; None if there are none.
    decisions : {"hard", "soft"}
        "hard": a record is selected where score >= threshold; "soft": rates are mean scores and
        counts are sums of scores. Scores must then lie in [0, 1]; moved ones may leave it (a linear
        model without link) as long as only rates are asked for.
    threshold : float
        Of the hard decisions.
    left_out : mapping of str to tuple of int
        Groups that take no part in a gap, by metric: too few patients.
    """

    score: FloatArray
    group: NDArray[np.intp]
    n_groups: int
    positive: BoolArray | None
    decisions: Decisions = "hard"
    threshold: float = 0.5
    left_out: Mapping[str, tuple[int, ...]] = field(default_factory=dict)

    def flags(self, score: FloatArray) -> FloatArray:
        """Return the decisions at other scores of the same records: 0 or 1, or the scores."""
        if self.decisions == "soft":
            return score
        return np.asarray(score >= self.threshold, dtype=np.float64)


def audit_sample(
    score: ArrayLike,
    group: ArrayLike,
    positive: ArrayLike | None = None,
    *,
    n_groups: int | None = None,
    decisions: Decisions = "hard",
    threshold: float = 0.5,
) -> AuditSample:
    """Return the records of an audit, checked.

    Parameters
    ----------
    score : (n,) array_like of float
    group : (n,) array_like of int
        0 upwards.
    positive : (n,) array_like of bool, optional
    n_groups : int, optional
        Number of groups L; those met if absent.
    decisions : {"hard", "soft"}
    threshold : float
        A record is selected where score >= threshold.

    Raises
    ------
    ValueError
        If there are no records, lengths differ, scores are missing or infinite, a group is
        negative or too large, or soft scores leave [0, 1].
    """
    scores = np.asarray(score, dtype=np.float64)
    groups = np.asarray(group, dtype=np.intp)
    labels = None if positive is None else np.asarray(positive, dtype=np.bool_)
    shapes = [a.shape for a in (scores, groups, labels) if a is not None]
    if len(set(shapes)) != 1 or len(shapes[0]) != 1 or not len(scores):
        raise ValueError(f"scores, groups and labels have the shapes {shapes}")
    if not np.isfinite(scores).all():
        raise ValueError("a score is missing or infinite")
    met = int(groups.max()) + 1
    count = met if n_groups is None else n_groups
    if groups.min() < 0 or met > count:
        raise ValueError(f"groups must be 0 to {count - 1}")
    if decisions == "soft" and (scores.min() < 0 or scores.max() > 1):
        raise OutsideUnit("mean scores need scores in [0, 1]")
    return AuditSample(scores, groups, count, labels, decisions, threshold)


@dataclass(frozen=True)
class GroupRanges:
    """What one metric can become in each group.

    Attributes
    ----------
    metric : str
    base : (L,) float array
        Without moves; NaN where 0/0 or a class is missing.
    attained_low, attained_high, certified_low, certified_high : (L,) float arrays
        Ends of the range over moves that define the metric; NaN where it is never defined.
    rows : (L,) float array
        Rows the metric is taken over.
    undefined : (L,) bool array
        Whether some allowed moves leave the metric undefined (0/0) in a group that has it.
    reasons : tuple of str
        Why a group has no figure; "" if it has one.
    """

    metric: str
    base: FloatArray
    attained_low: FloatArray
    attained_high: FloatArray
    certified_low: FloatArray
    certified_high: FloatArray
    rows: FloatArray
    undefined: BoolArray
    reasons: tuple[str, ...]


def group_ranges(metric: str, sample: AuditSample, intervals: ScoreIntervals) -> GroupRanges:
    """Return the range of a metric in each group.

    Parameters
    ----------
    metric : str
        One of METRICS.
    sample : AuditSample
    intervals : ScoreIntervals
        Of the same records.

    Raises
    ------
    ValueError
        If the metric is unknown or needs labels and there are none, lengths differ, or a Brier
        score or a soft measure of quality meets scores outside [0, 1].
    """
    _check(metric, sample, intervals)
    attained = metric_ends(metric, sample, intervals.attained_low, intervals.attained_high)
    certified = attained
    if not intervals.one_pair:
        certified = metric_ends(metric, sample, intervals.certified_low, intervals.certified_high)
    base = metric_ends(metric, sample, sample.score, sample.score)
    rows, reasons = strata(metric, sample)
    named = list(reasons)
    for g in np.flatnonzero(np.isnan(base.low)):
        named[g] = named[g] or _EMPTY[metric]
    out = list(sample.left_out.get(metric, ()))
    for small in out:
        named[small] = named[small] or TOO_FEW
    figures = np.array([base.low, attained.low, attained.high, certified.low, certified.high])
    figures[:, out] = np.nan
    return GroupRanges(
        metric,
        figures[0],
        figures[1],
        figures[2],
        figures[3],
        figures[4],
        rows,
        certified.undefined,
        tuple(named),
    )


TOO_FEW = "too few patients"
_EMPTY = {
    "precision": "no row is selected",
    "npv": "every row is selected",
    **dict.fromkeys((*RATES, "accuracy", "balanced_accuracy", "f1", "auc", "brier"), "no rows"),
}


def _check(metric: str, sample: AuditSample, intervals: ScoreIntervals) -> None:
    if metric not in METRICS:
        raise ValueError(f"{metric!r} is none of {', '.join(METRICS)}")
    if metric != "selection_rate" and sample.positive is None:
        raise ValueError(f"{metric} needs labels")
    if len(intervals) != len(sample.score):
        raise ValueError(f"{len(intervals)} score intervals for {len(sample.score)} records")
    outside = intervals.certified_low.min() < 0 or intervals.certified_high.max() > 1
    counted_soft = sample.decisions == "soft" and metric not in (*RATES, "auc")
    if outside and (metric == "brier" or counted_soft):
        raise OutsideUnit(f"{metric} needs scores in [0, 1], and moves can take them out")


def strata(metric: str, sample: AuditSample) -> tuple[FloatArray, tuple[str, ...]]:
    """Return the rows of each group the metric is taken over, (L,), and why a group has none."""
    every = np.bincount(sample.group, minlength=sample.n_groups).astype(np.float64)
    if sample.positive is None:
        return every, tuple("" if n else "no rows" for n in every)
    label = sample.positive.astype(np.float64)
    positives = np.bincount(sample.group, label, minlength=sample.n_groups).astype(np.float64)
    negatives = every - positives
    strata: dict[str, FloatArray] = {"sensitivity": positives, "false_positive_rate": negatives}
    rows = strata.get(metric, every)
    needs_positives = metric in ("sensitivity", "balanced_accuracy", "auc", "f1")
    needs_negatives = metric in ("false_positive_rate", "balanced_accuracy", "auc")
    reasons = [
        "no rows"
        if not n
        else "no positives"
        if needs_positives and not p
        else "no negatives"
        if needs_negatives and not q
        else ""
        for n, p, q in zip(every, positives, negatives, strict=True)
    ]
    return rows, tuple(reasons)


def metric_ends(metric: str, sample: AuditSample, low: FloatArray, high: FloatArray) -> Ends:
    """Return the ends of a metric by group, given the ends of each score.

    Parameters
    ----------
    metric : str
        One of METRICS; not checked.
    sample : AuditSample
    low, high : (n,) float arrays
        With ``low == high`` both ends are the metric at those scores.
    """
    if metric == "auc":
        return _area_ends(sample, low, high)
    if metric == "brier":
        return _brier_ends(sample, low, high)
    lower = sample.flags(low)
    upper = lower if low is high else sample.flags(high)
    return counted_ends(
        metric, Counts.of(sample.group, sample.positive, lower, upper, n_groups=sample.n_groups)
    )


def _labels(sample: AuditSample) -> BoolArray:
    if sample.positive is None:
        raise ValueError("this metric needs labels")
    return sample.positive


def _brier_ends(sample: AuditSample, low: FloatArray, high: FloatArray) -> Ends:
    label = _labels(sample)
    best = np.where(label, 1 - high, low) ** 2
    worst = np.where(label, 1 - low, high) ** 2
    rows = np.bincount(sample.group, minlength=sample.n_groups)
    with np.errstate(invalid="ignore"):
        ends = [np.bincount(sample.group, e, minlength=len(rows)) / rows for e in (best, worst)]
    return always_defined(*ends)


def _area_ends(sample: AuditSample, low: FloatArray, high: FloatArray) -> Ends:
    label = _labels(sample)
    best, worst = np.where(label, high, low), np.where(label, low, high)
    ends = np.full((2, sample.n_groups), np.nan)
    for g in range(sample.n_groups):
        own = sample.group == g
        for k, score in enumerate((worst, best)):
            ends[k, g] = area(score[own & label], score[own & ~label])
    return always_defined(ends[0], ends[1])


def area(positives: FloatArray, negatives: FloatArray) -> float:
    """Return the area under the ROC curve, ties one half; NaN without both classes."""
    if not len(positives) or not len(negatives):
        return float(np.nan)
    ordered = np.sort(negatives)
    below = np.searchsorted(ordered, positives, side="left")
    upto = np.searchsorted(ordered, positives, side="right")
    return float((below + upto).sum()) / (2.0 * len(positives) * len(negatives))
