"""The worst gap between groups, from what their metric can become.

References
----------
Definitions as in fairlearn (Bird et al. 2020, MSR-TR-2020-32): between groups, the largest minus
the smallest, or the smallest over the largest; or the largest distance to the overall figure.
Equalized odds: the worse of the gaps in true and false positive rate, or their mean (Hardt, Price &
Srebro 2016, NeurIPS). A group without the figure is left out and named; fairlearn takes it for 0.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import Literal

import numpy as np

from reportgen.stats.robust.intervals import CLOSED, FloatArray, ScoreIntervals
from reportgen.stats.robust.metrics import (
    MEANS,
    METRICS,
    AuditSample,
    GroupRanges,
    group_ranges,
)

Form = Literal["difference", "ratio", "overall"]
Combine = Literal["worst", "mean"]

FEW = "fewer than two groups have this figure"
EMPTY_RATIO = "not defined (0/0): the figure is 0 in every group"


@dataclass(frozen=True)
class Measure:
    """A measure of the gap between groups.

    Attributes
    ----------
    name : str
    metrics : tuple of str
        Of METRICS; one, or those of equalized odds.
    form : {"difference", "ratio", "overall"}
        Largest minus smallest; smallest over largest; largest distance to the overall figure.
    combine : {"worst", "mean"}
        Of the gaps of several metrics.
    """

    name: str
    metrics: tuple[str, ...]
    form: Form = "difference"
    combine: Combine = "worst"

    @property
    def falls(self) -> bool:
        """Whether smaller is worse, as with ratios."""
        return self.form == "ratio"

    def exceeds(self, value: float, tolerance: float) -> bool:
        """Whether a value is worse than the tolerance; one equal to it, but for rounding, is not.

        NaN exceeds nothing.
        """
        return value < tolerance - CLOSED if self.falls else value > tolerance + CLOSED

    def worse(self, first: float, second: float) -> float:
        """Return the worse of two values."""
        return min(first, second) if self.falls else max(first, second)


_ODDS = ("sensitivity", "false_positive_rate")
MEASURES = {
    one.name: one
    for one in (
        Measure("demographic_parity", ("selection_rate",)),
        Measure("demographic_parity_ratio", ("selection_rate",), "ratio"),
        Measure("demographic_parity_overall", ("selection_rate",), "overall"),
        Measure("equal_opportunity", ("sensitivity",)),
        Measure("equal_opportunity_ratio", ("sensitivity",), "ratio"),
        Measure("equalized_odds", _ODDS),
        Measure("equalized_odds_mean", _ODDS, "difference", "mean"),
        Measure("equalized_odds_ratio", _ODDS, "ratio"),
        *(Measure(metric, (metric,)) for metric in METRICS),
    )
}
"""Every measure by name; a bare metric is its largest difference between groups."""


@dataclass(frozen=True)
class WorstGap:
    """How large a gap is and can become.

    Attributes
    ----------
    base : float
        Without moves; NaN where `reason` says why.
    found, certified : float
        The worst gap attained, and the value that no allowed moves pass.
    least : float
        The best gap that moves attain: the smallest difference. NaN for ratios and "overall".
    highest, lowest : int
        Groups of the found gap: the one moved up and the one moved down; -1 without a gap. To the
        overall figure, the other one is -1.
    metric : str
        The metric of that gap, where there are several.
    left_out : tuple of int
        Groups without the figure.
    undefined : tuple of int
        Groups that have the figure but lose it (0/0) under some moves: the certified value holds
        only for the moves that define it.
    reason : str
        Why there is no gap without moves; "" if there is one.
    parts : tuple of WorstGap
        One for each metric, where there are several.
    """

    base: float
    found: float
    certified: float
    least: float = math.nan
    highest: int = -1
    lowest: int = -1
    metric: str = ""
    left_out: tuple[int, ...] = ()
    undefined: tuple[int, ...] = ()
    reason: str = ""
    parts: tuple[WorstGap, ...] = ()

    @property
    def exact(self) -> bool:
        """Whether found and certified are one."""
        return abs(self.found - self.certified) <= CLOSED


def worst_gap(measure: Measure, sample: AuditSample, intervals: ScoreIntervals) -> WorstGap:
    """Return the worst gap over all moves, each record moving on its own.

    Parameters
    ----------
    measure : Measure
    sample : AuditSample
    intervals : ScoreIntervals
        Of the same records; where they are exact, so is the gap.

    Raises
    ------
    ValueError
        As `group_ranges`, or if the overall figure is no mean of the groups' figures.
    """
    ranges = [group_ranges(metric, sample, intervals) for metric in measure.metrics]
    return combined(measure, [gap_of_ranges(measure, one) for one in ranges])


def gap_of_ranges(measure: Measure, ranges: GroupRanges) -> WorstGap:
    """Return the worst gap in one metric, from its range in each group."""
    ends = np.column_stack([ranges.attained_low, ranges.attained_high, ranges.base])
    left_out = np.isnan(ends).any(axis=1)
    names = tuple(np.flatnonzero(left_out).tolist())
    used = np.flatnonzero(~left_out)
    if len(used) < 2:
        return WorstGap(math.nan, math.nan, math.nan, left_out=names, reason=FEW)
    if measure.form == "overall" and ranges.metric not in MEANS:
        raise ValueError(f"the overall {ranges.metric} is no mean of the groups'")
    solve = _SOLVERS[measure.form]
    rows = ranges.rows[used]
    base, _, _ = solve(ranges.base[used], ranges.base[used], rows)
    found, up, down = solve(ranges.attained_low[used], ranges.attained_high[used], rows)
    certified, _, _ = solve(ranges.certified_low[used], ranges.certified_high[used], rows)
    least = math.nan
    if measure.form == "difference":
        highest_floor = float(ranges.attained_low[used].max())
        least = max(0.0, highest_floor - float(ranges.attained_high[used].min()))
    return WorstGap(
        base,
        found,
        certified,
        least,
        int(used[up]) if up >= 0 else -1,
        int(used[down]) if down >= 0 else -1,
        ranges.metric,
        names,
        tuple(np.flatnonzero(ranges.undefined & ~left_out).tolist()),
        EMPTY_RATIO if math.isnan(base) else "",
    )


Solved = tuple[float, int, int]


def _difference(low: FloatArray, high: FloatArray, _: FloatArray) -> Solved:
    """Return max over a != b of high_a - low_b, with a and b."""
    gap = high[:, None] - low
    np.fill_diagonal(gap, -np.inf)
    up, down = np.unravel_index(np.argmax(gap), gap.shape)
    return float(gap[up, down]), int(up), int(down)


def _ratio(low: FloatArray, high: FloatArray, _: FloatArray) -> Solved:
    """Return min over a != b of low_a / high_b: the largest first, then the smallest."""
    with np.errstate(divide="ignore", invalid="ignore"):
        ratio = np.where(high > 0, low[:, None] / high, np.inf)
    np.fill_diagonal(ratio, np.inf)
    down, up = np.unravel_index(np.argmin(ratio), ratio.shape)
    value = float(ratio[down, up])
    return (value, int(up), int(down)) if math.isfinite(value) else (math.nan, -1, -1)


def _overall(low: FloatArray, high: FloatArray, rows: FloatArray) -> Solved:
    """Return the largest distance of a group to the mean of all, with the group moved away."""
    share = rows / rows.sum()
    up = high * (1 - share) - (share @ low - share * low)
    down = (share @ high - share * high) - low * (1 - share)
    if up.max() >= down.max():
        return float(up.max()), int(np.argmax(up)), -1
    return float(down.max()), -1, int(np.argmax(down))


_SOLVERS: dict[Form, Callable[[FloatArray, FloatArray, FloatArray], Solved]] = {
    "difference": _difference,
    "ratio": _ratio,
    "overall": _overall,
}


def combined(measure: Measure, gaps: Sequence[WorstGap]) -> WorstGap:
    """Return the gap of a measure from those of its metrics, over disjoint strata of labels.

    Strata share no records, so that all their extremes are attained at once.
    """
    if len(gaps) == 1:
        return gaps[0]
    left_out = tuple(sorted({g for gap in gaps for g in gap.left_out}))
    undefined = tuple(sorted({g for gap in gaps for g in gap.undefined}))
    for gap in gaps:
        if gap.reason:
            nan = math.nan
            return WorstGap(nan, nan, nan, left_out=left_out, reason=gap.reason, parts=tuple(gaps))
    worst = min if measure.falls else max
    pick: Callable[[list[float]], float] = fmean if measure.combine == "mean" else worst
    found = [gap.found for gap in gaps]
    leading = gaps[found.index(worst(found))]
    return WorstGap(
        pick([gap.base for gap in gaps]),
        pick(found),
        pick([gap.certified for gap in gaps]),
        pick([gap.least for gap in gaps]),
        leading.highest,
        leading.lowest,
        leading.metric,
        left_out,
        undefined,
        parts=tuple(gaps),
    )


def signed_range(ranges: GroupRanges, first: int, second: int) -> tuple[float, float]:
    """Return the attained range of one group's figure minus another's."""
    return (
        float(ranges.attained_low[first] - ranges.attained_high[second]),
        float(ranges.attained_high[first] - ranges.attained_low[second]),
    )
