"""How figures are written, in sentences and in tables, and the sentences that sections share.

A minus sign is U+2212, thousands are set off by commas. An interval decides the decimals of its
estimate: two digits of its width are shown, for more would feign precision; but never so few that
a limit reads zero and its side of zero is lost. Names that a user chose stand in quotation marks.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from decimal import Decimal

from reportgen.result import Estimate, Finding, LeftOut

MINUS = "\N{MINUS SIGN}"
PER_CENT = "\N{NO-BREAK SPACE}%"
MOST_DECIMALS = 6
ROUNDING = 1e-12
"""What is nearer to zero than this is the rounding of a sum that is zero."""
MUCH_LEFT_OUT = 0.05
"""A larger share of rows left out than this is a warning."""


def fixed(value: float, decimals: int) -> str:
    """Return `value` with that many decimals: 1,234.5; what rounds to zero has no sign."""
    text = f"{abs(value):,.{decimals}f}"
    return MINUS + text if value < 0 and not reads_zero(text) else text


def reads_zero(text: str) -> bool:
    """Return whether a written figure shows no digit but zero."""
    return not any(digit in "123456789" for digit in text)


def number(value: float) -> str:
    """Return a number with three significant digits, four from 1 on: 0.0641, 0.123, 1.234, 12.34.

    From 1,000 on there are no decimals (12,345), nor with an int; below 0.0001 it reads 1.23e−5.
    """
    if isinstance(value, int) or value == 0:
        return fixed(value, 0)
    power = _leading(value)
    if power < -4:
        return f"{value:.2e}".replace("e-0", "e-").replace("-", MINUS)
    return fixed(value, max(0, (2 if power < 0 else 3) - power))


def typed(value: float) -> str:
    """Return a number as people type it, six digits at most: 0.25, not 0.250; never 1e-05."""
    return f"{Decimal(f'{value:.6g}').normalize():f}".replace("-", MINUS)


def percent(share: float) -> str:
    """Return a share of one in per cent: 12.3 %, and 0.012 % or 99.96 % near the ends."""
    return share_of(100 * share, 1, whole=100) + PER_CENT


def share_of(value: float, least: int, *, whole: float) -> str:
    """Return a share of `whole`, never to be mistaken for none or all of it.

    Near the ends up to three more decimals than `least` are shown; what is nearer still reads
    "< 0.000001" or "> 0.999999".
    """
    distance = min(abs(value), abs(whole - value))
    if distance == 0 or not 0 < value < whole:
        return fixed(value, least)
    most = least + 3
    if 2 * distance < 10.0**-most:
        bound = 10.0**-most
        return f"< {bound:.{most}f}" if value == distance else f"> {whole - bound:.{most}f}"
    return fixed(value, min(max(least, 1 - _leading(distance)), most))


def coverage(confidence: float) -> str:
    """Return the coverage of an interval in per cent: 95 %, 98.33 %."""
    return f"{100 * confidence:.4g}{PER_CENT}"


def quoted(name: str) -> str:
    """Return a name that a user chose, as typed, in quotation marks."""
    return f"“{name}”"


def level_named(attribute: str, level: str) -> str:
    """Return a level so that it can stand alone: "F"; but "sex 1" where it is a bare number."""
    try:
        float(level)
    except ValueError:
        return level
    return f"{attribute} {level}".lstrip()


def rows_of_units(n_rows: int, n_units: int, unit: str | None) -> str:
    """Return what a figure rests on: "300 rows", "300 rows of 180 units (patient_id)".

    Parameters
    ----------
    n_rows, n_units : int
    unit : str or None
        The column that names the unit, if one was declared.
    """
    rows = f"{n_rows} rows"
    if unit is None:
        return rows if n_units == n_rows else f"{rows} of {n_units} units"
    return f"{rows} of {n_units} units ({unit})"


def undefined_in(k: int, resamples: int) -> str | None:
    """Return that `k` of the resamples left a figure undefined, None if none did."""
    return f"undefined in {k} of {resamples} resamples" if k else None


def rows_left_out(
    code: str, left_out: Sequence[LeftOut], *, table: str, n_read: int
) -> Iterator[Finding]:
    """Yield the finding that rows were left out, if any were.

    Parameters
    ----------
    code : str
        The section's code of it.
    left_out : sequence of LeftOut
    table : str
        The table's name.
    n_read : int
        Rows of the table.
    """
    gone = sum(entry.k for entry in left_out)
    if not gone:
        return
    share = gone / n_read
    reasons = ", ".join(f"{entry.k} {entry.reason}" for entry in left_out)
    yield Finding(
        code,
        "warn" if share > MUCH_LEFT_OUT else "note",
        "Rows left out",
        f"{gone} of {n_read} rows of table {quoted(table)} ({percent(share)}) were left out:"
        f" {reasons}.",
        {"left_out": gone, "rows": n_read},
        "Whether the rows left out differ from the others is not known.",
    )


def interval_decimals(low: float, high: float) -> int | None:
    """Return the decimals that show two significant digits of an interval's width.

    Returns
    -------
    int or None
        0 to 6; None if it has no width.
    """
    # Cut to nine digits, so that 0.0301 − 0.0201 counts as 0.01 and not as a hair less.
    width = float(f"{high - low:.9g}")
    return min(max(0, 1 - _leading(width)), MOST_DECIMALS) if width > 0 else None


def sided_decimals(decimals: int, *limits: float) -> int:
    """Return `decimals`, or as many more (6 at most) as show on which side of 0 the limits lie."""
    needed = [-_leading(limit) for limit in limits if limit and round(limit, decimals) == 0]
    return max([decimals, *(one for one in needed if one <= MOST_DECIMALS)])


def shown_decimals(low: float, high: float) -> int | None:
    """Return the decimals with which an interval and its estimate are written.

    Two digits of its width, and as many more as keep a limit from reading zero; None if it has no
    width.
    """
    decimals = interval_decimals(low, high)
    return None if decimals is None else sided_decimals(decimals, low, high)


def limit(value: float, decimals: int | None) -> str:
    """Return a limit with that many decimals; with more where it would read zero and is not.

    `decimals` is None for an interval without width.
    """
    if decimals is None:
        return number(value)
    text = fixed(value, decimals)
    return number(value) if reads_zero(text) and abs(value) > ROUNDING else text


def interval(low: float, high: float) -> str:
    """Return the limits of an interval alone: "0.041 to 0.088"."""
    decimals = shown_decimals(low, high)
    return f"{limit(low, decimals)} to {limit(high, decimals)}"


def estimate(found: Estimate) -> str:
    """Return an estimate with its interval, "0.064 (0.041 to 0.088)", or why there is none."""
    if found.estimate is None:
        return f"not estimable ({found.reason})"
    if found.low is None or found.high is None:
        return f"{number(found.estimate)} (no interval: {found.reason})"
    return f"{point(found)} ({interval(found.low, found.high)})"


def point(found: Estimate) -> str:
    """Return an estimate without its interval, with the decimals that the interval warrants.

    Raises
    ------
    ValueError
        If there is no estimate.
    """
    if found.estimate is None:
        raise ValueError("no estimate to write")
    if found.low is None or found.high is None:
        return number(found.estimate)
    decimals = shown_decimals(found.low, found.high)
    return number(found.estimate) if decimals is None else fixed(found.estimate, decimals)


def _leading(value: float) -> int:
    """Return the power of ten of the first digit: 0.064 gives −2, 12 gives 1."""
    return math.floor(math.log10(abs(value)))
