"""Gaps, p values, counts and lists as the statements of a FRAME section print them."""

from __future__ import annotations

from collections.abc import Sequence

from reportgen.language import _, mark, n_
from reportgen.result import Estimate
from reportgen.sections.frame.result import BETWEEN, OVERALL
from reportgen.wording import (
    BLANK,
    between,
    fixed,
    interval_decimals,
    listed_first,
    quoted,
    reads_zero,
    separated,
    sided_decimals,
)
from reportgen.wording import (
    listed as enumerated,
)

DECIMALS = 3
MOST_NAMED = 10


def signed(value: float, decimals: int = DECIMALS) -> str:
    """Return a gap with its sign: +0.012, −0.080."""
    text = fixed(value, decimals)
    return f"+{text}" if value > 0 and not reads_zero(text) else text


def signed_interval(one: Estimate) -> str:
    """Return a gap with its interval, or why there is none."""
    if one.estimate is None:
        return _("not estimable ({reason})").format(reason=one.reason)
    if one.low is None or one.high is None:
        text = _("{figure} (no interval: {reason})")
        return text.format(figure=signed(one.estimate), reason=one.reason)
    decimals = interval_decimals(one.low, one.high) or DECIMALS
    # The reader must see on which side of 0 a limit lies.
    decimals = sided_decimals(decimals, one.low, one.high)
    value, low, high = (signed(part, decimals) for part in (one.estimate, one.low, one.high))
    return _("{figure} ({interval})").format(figure=value, interval=between(low, high))


def rows(k: int) -> str:
    """Return a count of rows: "1 row", "2,000 rows"."""
    return n_("{n} row", "{n} rows", k).format(n=fixed(k, 0))


def patients(k: int) -> str:
    """Return a count of patients: "1 patient", "2,000 patients"."""
    return n_("{n} patient", "{n} patients", k).format(n=fixed(k, 0))


def level_shown(group: str) -> str:
    """Return a group as it is shown: the rows without a value in words, user text as it is."""
    parts = group.split(BETWEEN)
    if not any(part in BLANK for part in parts):
        return group
    return BETWEEN.join(_(part) if part in BLANK else part for part in parts)


def side(attribute: str, group: str) -> str:
    """Return a group by its attribute, in quotation marks: “sex F”."""
    if attribute == OVERALL:
        return quoted(_("overall all"))
    return quoted(f"{attribute} {level_shown(group)}")


def group_quoted(group: str) -> str:
    """Return a group alone, in quotation marks: “F”."""
    return quoted(level_shown(group))


def listed(names: Sequence[str], most: int = MOST_NAMED) -> str:
    """Return the first names and how many more there are."""
    return listed_first(names, most)


def before_after(before: float, after: float) -> str:
    """Return a gap before and after a check: "−0.200 → −0.050"."""
    return f"{signed(before)} → {signed(after)}"


_MOVES = mark("recalibration moves the gap from {less} to {more}")
_NARROWS = mark("recalibration narrows the gap in {less}")
_DOES_NOT = mark("recalibration does not narrow the gap in {more}")
_FIRST = {
    _MOVES: mark("Recalibration moves the gap from {less} to {more}"),
    _NARROWS: mark("Recalibration narrows the gap in {less}"),
    _DOES_NOT: mark("Recalibration does not narrow the gap in {more}"),
}
"""The same at the head of a sentence."""


def recalibration_reading(
    moved: Sequence[tuple[str, float, float]], *, sentence: bool = False
) -> str:
    """Return one reading of what recalibration does, beside a gap in ranking that it leaves alone.

    Parameters
    ----------
    moved : sequence of (str, float, float)
        Metric in words, its gap before, its gap after.
    sentence : bool
        Whether it stands alone, with a full stop.
    """
    less, more = (
        [words for words, before, after in moved if (abs(after) < abs(before)) == narrower]
        for narrower in (True, False)
    )
    does = _MOVES if less and more else _NARROWS if less else _DOES_NOT
    told = separated(f"{words} {before_after(before, after)}" for words, before, after in moved)
    text = _("{does} ({figures}); it does not explain the gap in ranking")
    if sentence:
        does, text = _FIRST[does], _("{does} ({figures}); it does not explain the gap in ranking.")
    return text.format(
        does=_(does).format(less=enumerated(less), more=enumerated(more)), figures=told
    )
