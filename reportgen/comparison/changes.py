"""What became of each figure: its difference, with an interval, and what that shows."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from reportgen.comparison.direction import better, scale
from reportgen.comparison.figures import Match, missing_side, told_apart, without_values
from reportgen.comparison.names import of_named
from reportgen.comparison.shape import Better, Change, FigureChange, Scale
from reportgen.language import _, mark
from reportgen.result import Estimate
from reportgen.stats.comparison import Limits, adjusted, difference, ratio, size, two_sided_p

SQUARE_AND_ADD = mark("square-and-add (MOVER) of the two stored intervals")
ON_LOGS = mark("square-and-add (MOVER) of the two stored intervals, on the log scale")
OF_SIZES = mark("square-and-add (MOVER) of the two stored intervals, of sizes")
METHODS: Mapping[Scale, str] = {"difference": SQUARE_AND_ADD, "ratio": ON_LOGS, "size": OF_SIZES}
NO_CHANGE: Mapping[Scale, float] = {"difference": 0.0, "ratio": 1.0, "size": 0.0}
ROUNDING = 1e-9
"""Figures whose difference is below this share of them are equal."""


def figure_changes(matches: Sequence[Match], paired: Mapping[int, Estimate]) -> list[FigureChange]:
    """Return what became of every figure.

    Parameters
    ----------
    matches : sequence of Match
    paired : mapping of int to Estimate
        By place among the matches: the difference between the same units, on the figure's scale.
    """
    found = [_changed(match, paired.get(at)) for at, match in enumerate(matches)]
    p = np.array([_p(change) for change in found], dtype=np.float64)
    family = np.array([change.better is not None for change in found], dtype=bool)
    corrected = adjusted(np.where(family, p, math.nan))
    return [
        replace(change, p=_number(own), p_adjusted=_number(other))
        for change, own, other in zip(found, p.tolist(), corrected.tolist(), strict=True)
    ]


def _number(value: float) -> float | None:
    return None if math.isnan(value) else value


def _changed(match: Match, paired: Estimate | None) -> FigureChange:
    held, both = match.held, missing_side(match)
    old, new = both.old, both.new
    if old is None or new is None:
        raise ValueError("a match without a side")
    how, side = scale(held.metric), better(held.metric, held.keys)
    reason = without_values(match)
    if reason:
        found = Estimate.missing(reason)
    else:
        found = unpaired(old.value, new.value, how) if paired is None else paired
    same = None not in (match.old, match.new) and _same(old.value, new.value)
    return FigureChange(
        section=held.section,
        kind=held.kind,
        rows=held.rows,
        metric=held.metric,
        of=of_named(told_apart(match)),
        keys=told_apart(match),
        old=old.value,
        new=new.value,
        difference=found,
        scale=how,
        paired=paired is not None and not reason,
        better=side,
        change="same" if same else change_of(found, side, how),
    )


def _same(old: Estimate, new: Estimate) -> bool:
    """Return whether a figure and its limits are equal in both, or it has no value in either."""
    pairs = ((old.estimate, new.estimate), (old.low, new.low), (old.high, new.high))
    return all(_equal(first, second) for first, second in pairs)


def _equal(first: float | None, second: float | None) -> bool:
    if first is None or second is None:
        return first is second
    return math.isclose(first, second, rel_tol=ROUNDING, abs_tol=ROUNDING)


def unpaired(old: Estimate, new: Estimate, how: Scale) -> Estimate:
    """Return the difference of two figures that have values, from their stored intervals.

    Where both rest on the same patients and are therefore correlated, the interval is too wide;
    where they rest on different ones, it is right.
    """
    first, second = (_limits(one) for one in (old, new))
    made = compared(first, second, how)
    value = float(made.value[0])
    if not math.isfinite(value):
        return Estimate.missing(_("the ratio is not defined: a figure is 0"))
    if old.low is None or new.low is None:
        return Estimate(value, reason=_("one of the two has no interval"))
    if old.confidence != new.confidence:
        return Estimate(value, reason=_("the two intervals differ in their confidence"))
    low, high = float(made.low[0]), float(made.high[0])
    if not (math.isfinite(low) and math.isfinite(high)):
        return Estimate(value, reason=_("an end of the interval is not finite"))
    return Estimate(value, low, high, new.confidence, _(METHODS[how]))


def _limits(figure: Estimate) -> Limits:
    given = (figure.estimate, figure.low, figure.high)
    return Limits.of(*(math.nan if one is None else one for one in given))


def compared(old: Limits, new: Limits, how: Scale, *, correlation: float = 0.0) -> Limits:
    """Return two figures set against each other on a scale, by square-and-add."""
    if how == "ratio":
        return ratio(old, new, correlation=correlation)
    if how == "size":
        old, new = size(old), size(new)
    return difference(old, new, correlation=correlation)


def change_of(found: Estimate, side: Better | None, how: Scale) -> Change:
    """Return what a difference shows."""
    none = NO_CHANGE[how]
    if found.estimate is None:
        return "not comparable"
    if found.low is None or found.high is None:
        return "same" if _equal(found.estimate, none) else "changed"
    if found.low <= none <= found.high:
        return "not shown"
    if side is None:
        return "changed"
    return "better" if (found.low > none) == (side == "higher") else "worse"


def _p(change: FigureChange) -> float:
    found, none = change.difference, NO_CHANGE[change.scale]
    if found.estimate is None or found.low is None or found.confidence is None:
        return math.nan
    limits = _limits(found)
    if change.scale == "ratio":
        limits = Limits(*(np.log(part) for part in (limits.value, limits.low, limits.high)))
        none = 0.0
    return float(two_sided_p(limits, confidence=found.confidence, none=none)[0])
