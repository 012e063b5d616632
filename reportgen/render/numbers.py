"""How values are written on the page.

One function for each format of :data:`reportgen.render.view.Format`, all of them filters of the
templates. They round and they choose words; what is rounded was computed before. A minus sign is
U+2212, thousands are set off by commas (or as the language has it), an interval reads "0.064 (0.041
to 0.088)" and a value that cannot be had reads "not estimable: …" with its reason. The rules of
rounding are those of :mod:`reportgen.wording`, so that a figure reads alike in a finding and in a
table.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from reportgen import wording
from reportgen.language import _, mark
from reportgen.render.view import Column, Format, Plain

MINUS = wording.MINUS
NOTHING = "\N{EN DASH}"
NOT_ESTIMABLE = mark("not estimable: {reason}")
"""What stands for a figure that cannot be had; in a table the reason is a note below."""
NOT_ESTIMABLE_HERE = mark("not estimable")
NO_INTERVAL = mark("{figure} (no interval: {reason})")
NO_INTERVAL_HERE = mark("{figure} (no interval)")


def _plus(text: str) -> str:
    """Return `text` with a plus before it unless its first figure has a minus or is zero."""
    figure = text.split(" ")[0]
    has_none = figure.startswith(MINUS) or wording.reads_zero(figure)
    return text if has_none else "+" + text


def text(value: Any) -> str:
    """Return `value` as it is; a list is joined by commas, a number written as `number` does."""
    if value is None or value == "":
        return NOTHING
    if isinstance(value, bool):
        return yes_no(value)
    if isinstance(value, int | float):
        return count(value) if isinstance(value, int) else number(value)
    if isinstance(value, list | tuple):
        return wording.separated(map(text, value)) or NOTHING
    return str(value)


def count(value: float | None) -> str:
    """Return a whole number with thousands set off: 1,234."""
    return NOTHING if value is None else wording.fixed(value, 0)


def number(value: float | None) -> str:
    """Return a number with three significant digits, four from 1 on, all of them above 1,000.

    0.0641, 0.123, 1.234, 12.34, 123.4, 12,345; below 0.0001 as 1.23e−5.
    """
    return NOTHING if value is None else wording.number(value)


def signed(value: float | None) -> str:
    """Return a number with its sign: +0.0123, −0.0123, 0."""
    return NOTHING if value is None else _plus(number(value))


def percent(value: float | None) -> str:
    """Return a share of one in per cent: 12.3 %, and 0.012 % or 99.96 % near the ends."""
    return NOTHING if value is None else wording.percent(value)


def probability(value: float | None) -> str:
    """Return a probability with three decimals, with more near 0 and 1: 0.123, 0.00012."""
    return NOTHING if value is None else wording.share_of(value, 3, whole=1)


def threshold(value: float | None) -> str:
    """Return a number as it was typed: 0.25, not 0.250."""
    if value is None:
        return NOTHING
    return wording.plainly(repr(value))


def yes_no(value: bool | None) -> str:
    """Return "yes" or "no"."""
    return NOTHING if value is None else _("yes") if value else _("no")


def interval_decimals(value: Plain | None, scale: float = 1) -> int | None:
    """Return the decimals with which an estimate and its interval are written.

    Parameters
    ----------
    value : mapping
        An estimate as results.json holds it.
    scale : float
        What the figure is multiplied by before it is written (100 for per cent).

    Returns
    -------
    int or None
        0 to 6; None where there is no interval or it has no width.
    """
    if not value or value.get("low") is None or value.get("high") is None:
        return None
    return wording.shown_decimals(scale * value["low"], scale * value["high"])


def _estimate(
    value: Plain | None, least: int, *, scale: float, unit: str, point: Callable[[float], str]
) -> str:
    if value is None:
        return NOTHING
    if value["estimate"] is None:
        return _(NOT_ESTIMABLE).format(reason=value["reason"])
    if value["low"] is None or value["high"] is None:
        return _(NO_INTERVAL).format(figure=point(value["estimate"]), reason=value["reason"])
    decimals = interval_decimals(value, scale)
    figures = [value[key] for key in ("estimate", "low", "high")]
    if decimals is None:
        figure, low, high = (point(number).removesuffix(unit) for number in figures)
    else:
        # At most one idle digit for the sake of the column: more would feign precision.
        shown = max(decimals, min(least, decimals + 1))
        figure = wording.fixed(scale * figures[0], shown)
        low, high = (wording.limit(scale * number, shown) for number in figures[1:])
    return _("{figure} ({interval})").format(
        figure=f"{figure}{unit}", interval=wording.between(low, high)
    )


def estimate(value: Plain | None, least_decimals: int = 0) -> str:
    """Return an estimate with its interval: 0.064 (0.041 to 0.088).

    The width of the interval decides the decimals: two of its digits are shown, and as many more as
    keep a limit from reading zero.

    Parameters
    ----------
    value : mapping or None
        As results.json holds it: ``estimate``, ``low``, ``high``, or ``estimate`` null and a
        ``reason``.
    least_decimals : int
        Decimals that the column shows; one more than the interval warrants is added for it.
    """
    return _estimate(value, least_decimals, scale=1, unit="", point=number)


def signed_estimate(value: Plain | None, least_decimals: int = 0) -> str:
    """Return a difference with its interval: +0.012 (−0.003 to 0.030)."""
    written = estimate(value, least_decimals)
    return _plus(written) if value and value["estimate"] else written


def percent_estimate(value: Plain | None, least_decimals: int = 0) -> str:
    """Return a share with its interval, in per cent: 12.3 % (10.0 to 15.0)."""
    return _estimate(value, least_decimals, scale=100, unit=wording.per_cent(), point=percent)


def evidence(value: Any) -> str:
    """Return a value of a finding's evidence as its statement writes it.

    Text as it is, an estimate as such, a number of at most six digits as it was typed (a threshold,
    a count), any other rounded as `number` does.
    """
    if isinstance(value, Mapping):
        return estimate(value)
    if isinstance(value, float):
        stated = value != 0 and float(f"{value:.6g}") == value and abs(value) < 1000
        return threshold(value) if stated else number(value)
    return text(value)


FORMATS: Mapping[Format, Callable[..., str]] = {
    "text": text,
    "count": count,
    "number": number,
    "signed": signed,
    "percent": percent,
    "probability": probability,
    "threshold": threshold,
    "estimate": estimate,
    "signed_estimate": signed_estimate,
    "percent_estimate": percent_estimate,
    "yes_no": yes_no,
}
ESTIMATES: Mapping[Format, float] = {"estimate": 1, "signed_estimate": 1, "percent_estimate": 100}


def cells(column: Column, rows: Iterable[Plain]) -> list[str]:
    """Return one column of a table as text.

    Estimates of a column share the decimals that most of its rows need; a row that needs more keeps
    them, so no interval is rounded away.
    """
    values = [row[column.key] for row in rows]
    write = FORMATS[column.format]
    if column.format not in ESTIMATES:
        return [write(value) for value in values]
    common = _common_decimals(values, ESTIMATES[column.format])
    return [write(value, common) for value in values]


def _common_decimals(values: Sequence[Plain | None], scale: float) -> int:
    needed = [interval_decimals(value, scale) for value in values]
    tally = Counter(decimals for decimals in needed if decimals is not None)
    return max(tally, key=lambda decimals: (tally[decimals], decimals)) if tally else 0
