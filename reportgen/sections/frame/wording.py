"""Numbers and names as the statements of a FRAME section print them."""

from __future__ import annotations

from collections.abc import Sequence

from reportgen.result import Estimate

MINUS = "−"
MOST_NAMED = 10


def decimal(value: float) -> str:
    """Return a share or an area with three decimals."""
    return f"{value:.3f}".replace("-", MINUS)


def signed(value: float) -> str:
    """Return a gap with its sign."""
    return f"{value:+.3f}".replace("-", MINUS)


def p_value(p: float | None) -> str:
    """Return a p value: "p = .22", "p < .001"."""
    if p is None:
        return "p not available"
    if p < 0.001:
        return "p < .001"
    return f"p = {p:.2f}" if p >= 0.1 else f"p = {p:.3f}"


def interval(one: Estimate) -> str:
    """Return an estimate with its interval, or why there is none."""
    if one.estimate is None:
        return f"not estimable ({one.reason})"
    if one.low is None or one.high is None:
        return f"{decimal(one.estimate)} (no interval: {one.reason})"
    return f"{decimal(one.estimate)} ({decimal(one.low)} to {decimal(one.high)})"


def signed_interval(one: Estimate) -> str:
    """Return a gap with its interval, or why there is none."""
    if one.estimate is None:
        return f"not estimable ({one.reason})"
    if one.low is None or one.high is None:
        return f"{signed(one.estimate)} (no interval: {one.reason})"
    return f"{signed(one.estimate)} ({signed(one.low)} to {signed(one.high)})"


def percent(share: float) -> str:
    """Return a share in per cent: "95 %", "2.5 %"."""
    return f"{100 * share:.3g} %"


def counted(k: int, noun: str) -> str:
    """Return a count with its noun: "1 row", "2,000 rows"."""
    return f"{k:,} {noun}{'' if k == 1 else 's'}"


def listed(names: Sequence[str], most: int = MOST_NAMED) -> str:
    """Return the first names and how many more there are."""
    more = f" and {len(names) - most} more" if len(names) > most else ""
    return f"{', '.join(names[:most])}{more}"
