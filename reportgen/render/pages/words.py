"""Phrases and choices that the pages of several kinds of section share."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from decimal import Decimal
from typing import Any

from reportgen import wording
from reportgen.language import _
from reportgen.render.view import Plain

PRINTED_STEPS = ("0.01", "0.02", "0.05", "0.1", "0.2")
PRINTED_AT_MOST = 12


def coverage(result: Plain) -> str:
    """Return the confidence of a section's intervals: "95 %"."""
    return wording.coverage(result["confidence"])


def unique(values: Iterable[Any]) -> list[Any]:
    """Return `values`, each once, in the order in which they first appear."""
    return list(dict.fromkeys(values))


def listed(parts: Sequence[str]) -> str:
    """Return `parts` as people enumerate them: "a, b and c"."""
    return wording.listed(parts)


def name_part(text: str) -> str:
    """Return `text` of ours as part of a key: "as deployed" becomes "as_deployed"."""
    return text.replace(" ", "_")


def printed(values: Sequence[float], named: Iterable[float] = ()) -> tuple[list[float], str]:
    """Choose the few of a grid that a printed table shows, and say by which rule.

    All of them if there are at most twelve; else the multiples of the smallest round step (0.01,
    0.02, 0.05, 0.1, 0.2) that leaves at most twelve, together with both ends and with those of
    `named` that the grid holds.

    Parameters
    ----------
    values : sequence of float
        The grid, in any order.
    named : iterable of float
        What a reader will look for: values that a finding names or at which a verdict changes.

    Returns
    -------
    list of float, str
        The chosen values, ascending, and the rule in words.
    """
    grid = sorted(set(values))
    if len(grid) <= PRINTED_AT_MOST:
        return grid, _("every threshold")
    chosen, rule = _few(grid)
    more = {value for value in named if value in grid} - set(chosen)
    if not more:
        return chosen, _("{rule} and both ends of the range").format(rule=rule)
    with_more = _(
        "{rule}, both ends of the range, and the thresholds that a finding names or a verdict ends"
        " at"
    )
    return sorted({*chosen, *more}), with_more.format(rule=rule)


def _few(grid: Sequence[float]) -> tuple[list[float], str]:
    ends = {grid[0], grid[-1]}
    for step in PRINTED_STEPS:
        chosen = [v for v in grid if v in ends or not Decimal(repr(v)) % Decimal(step)]
        if 3 < len(chosen) <= PRINTED_AT_MOST:
            return chosen, _("the multiples of {step}").format(step=wording.plainly(step))
    every = -(-(len(grid) - 1) // (PRINTED_AT_MOST - 1))
    rule = _("one threshold in {every}").format(every=every)
    return sorted({*grid[::every], grid[-1]}), rule


def limits(value: Plain | None) -> str:
    """Return only the limits of an estimate, as `numbers.estimate` writes them; "" without any."""
    if not value or value.get("low") is None or value.get("high") is None:
        return ""
    return wording.interval(value["low"], value["high"])
