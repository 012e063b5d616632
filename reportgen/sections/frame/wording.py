"""Gaps, p values and lists as the statements of a FRAME section print them."""

from __future__ import annotations

from collections.abc import Sequence

from reportgen.result import Estimate
from reportgen.wording import fixed, interval_decimals, quoted, reads_zero, sided_decimals

DECIMALS = 3
MOST_NAMED = 10


def signed(value: float, decimals: int = DECIMALS) -> str:
    """Return a gap with its sign: +0.012, −0.080."""
    text = fixed(value, decimals)
    return f"+{text}" if value > 0 and not reads_zero(text) else text


def signed_interval(one: Estimate) -> str:
    """Return a gap with its interval, or why there is none."""
    if one.estimate is None:
        return f"not estimable ({one.reason})"
    if one.low is None or one.high is None:
        return f"{signed(one.estimate)} (no interval: {one.reason})"
    decimals = interval_decimals(one.low, one.high) or DECIMALS
    # The reader must see on which side of 0 a limit lies.
    decimals = sided_decimals(decimals, one.low, one.high)
    value, low, high = (signed(part, decimals) for part in (one.estimate, one.low, one.high))
    return f"{value} ({low} to {high})"


def p_value(p: float | None) -> str:
    """Return a p value: "p = 0.22", "p = 0.031", "p < 0.001"."""
    if p is None:
        return "p not available"
    if p < 0.001:
        return "p < 0.001"
    return f"p = {fixed(p, 2 if p >= 0.1 else 3)}"


def counted(k: int, noun: str) -> str:
    """Return a count with its noun: "1 row", "2,000 rows"."""
    return f"{k:,} {noun}{'' if k == 1 else 's'}"


def side(attribute: str, group: str) -> str:
    """Return a group by its attribute, in quotation marks: “sex F”."""
    return quoted(f"{attribute} {group}")


def listed(names: Sequence[str], most: int = MOST_NAMED) -> str:
    """Return the first names and how many more there are."""
    more = f" and {len(names) - most} more" if len(names) > most else ""
    return f"{', '.join(names[:most])}{more}"


def before_after(before: float, after: float) -> str:
    """Return a gap before and after a check: "−0.200 → −0.050"."""
    return f"{signed(before)} → {signed(after)}"


def recalibration_reading(moved: Sequence[tuple[str, float, float]]) -> str:
    """Return one reading of what recalibration does, beside a gap in ranking that it leaves alone.

    Parameters
    ----------
    moved : sequence of (str, float, float)
        Metric in words, its gap before, its gap after.
    """
    less, more = (
        [words for words, before, after in moved if (abs(after) < abs(before)) == narrower]
        for narrower in (True, False)
    )
    if less and more:
        does = f"moves the gap from {_both(less)} to {_both(more)}"
    elif less:
        does = f"narrows the gap in {_both(less)}"
    else:
        does = f"does not narrow the gap in {_both(more)}"
    told = ", ".join(f"{words} {before_after(before, after)}" for words, before, after in moved)
    return f"recalibration {does} ({told}); it does not explain the gap in ranking"


def _both(names: Sequence[str]) -> str:
    return " and ".join(names)
