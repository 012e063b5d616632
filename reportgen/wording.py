"""How figures are written, in sentences and in tables, and the sentences that sections share.

A minus sign is U+2212; thousands are set off by commas and decimals by a point, or as the language
of the dossier has it (:mod:`reportgen.language`). An interval decides the decimals of its
estimate: two digits of its width are shown, for more would feign precision; but never so few that
a limit reads zero and its side of zero is lost. Names that a user chose stand in quotation marks.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Iterable, Iterator, Sequence
from datetime import date
from decimal import Decimal

from reportgen.language import SOURCE, _, current, mark, percent_sign, symbols
from reportgen.result import Estimate, Finding, LeftOut

MINUS = "\N{MINUS SIGN}"
MOST_DECIMALS = 6
ROUNDING = 1e-12
"""What is nearer to zero than this is the rounding of a sum that is zero."""
MUCH_LEFT_OUT = 0.05
"""A larger share of rows left out than this is a warning."""


def fixed(value: float, decimals: int) -> str:
    """Return `value` with that many decimals: 1,234.5; what rounds to zero has no sign."""
    text = _local(f"{abs(value):,.{decimals}f}")
    return MINUS + text if value < 0 and not reads_zero(text) else text


def _local(text: str) -> str:
    """Return a figure written as in English as the current language writes it."""
    group, point = symbols(current())
    return text.translate({ord(","): group, ord("."): point})


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
        return _local(f"{value:.2e}".replace("e-0", "e-").replace("-", MINUS))
    return fixed(value, max(0, (2 if power < 0 else 3) - power))


def typed(value: float) -> str:
    """Return a number as people type it, six digits at most: 0.25, not 0.250; never 1e-05."""
    return plainly(f"{value:.6g}")


def plainly(figure: str) -> str:
    """Return a figure that is written as a program does without idle zeros or powers of ten."""
    return _local(f"{Decimal(figure).normalize():f}".replace("-", MINUS))


def per_cent() -> str:
    """Return the percent sign as it follows a figure in the current language."""
    return percent_sign(current())


def percent(share: float) -> str:
    """Return a share of one in per cent: 12.3 %, and 0.012 % or 99.96 % near the ends."""
    return share_of(100 * share, 1, whole=100) + per_cent()


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
        near = f"< {bound:.{most}f}" if value == distance else f"> {whole - bound:.{most}f}"
        return _local(near)
    return fixed(value, min(max(least, 1 - _leading(distance)), most))


def coverage(confidence: float) -> str:
    """Return the coverage of an interval in per cent: 95 %, 98.33 %."""
    return _local(f"{100 * confidence:.4g}") + per_cent()


def quoted(name: str) -> str:
    """Return a name that a user chose, as typed, in quotation marks."""
    return f"“{name}”"


MISSING_GROUP = "missing"
NO_VALUE = mark("missing (no value)")
"""Name of the rows without a value where a group is called "missing" itself."""
BLANK = (mark("missing"), NO_VALUE)


def blank_level(levels: Iterable[str]) -> str:
    """Return the name of the group of rows without a value, beside those of the others."""
    return NO_VALUE if MISSING_GROUP in levels else MISSING_GROUP


def level_named(attribute: str, level: str) -> str:
    """Return a level so that it can stand alone: "F"; but "sex 1" where it is a bare number."""
    if level in BLANK:
        return _(level)
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
    if unit is not None:
        text = _("{n_rows} rows of {n_units} units ({unit})")
        return text.format(n_rows=n_rows, n_units=n_units, unit=unit)
    if n_units == n_rows:
        return _("{n_rows} rows").format(n_rows=n_rows)
    return _("{n_rows} rows of {n_units} units").format(n_rows=n_rows, n_units=n_units)


def undefined_in(k: int, resamples: int) -> str | None:
    """Return that `k` of the resamples left a figure undefined, None if none did."""
    if not k:
        return None
    return _("undefined in {k} of {resamples} resamples").format(k=k, resamples=resamples)


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
    reasons = separated(
        _("{k} {reason}").format(k=entry.k, reason=entry.reason) for entry in left_out
    )
    statement = _("{gone} of {n_read} rows of table {table} ({share}) were left out: {reasons}.")
    yield Finding(
        code,
        "warn" if share > MUCH_LEFT_OUT else "note",
        _("Rows left out"),
        statement.format(
            gone=gone, n_read=n_read, table=quoted(table), share=percent(share), reasons=reasons
        ),
        {"left_out": gone, "rows": n_read},
        _("Whether the rows left out differ from the others is not known."),
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
    return between(limit(low, decimals), limit(high, decimals))


def between(low: str, high: str) -> str:
    """Return two written limits as a range: "0.041 to 0.088"."""
    return _("{low} to {high}").format(low=low, high=high)


def estimate(found: Estimate) -> str:
    """Return an estimate with its interval, "0.064 (0.041 to 0.088)", or why there is none."""
    if found.estimate is None:
        return _("not estimable ({reason})").format(reason=found.reason)
    if found.low is None or found.high is None:
        text = _("{figure} (no interval: {reason})")
        return text.format(figure=number(found.estimate), reason=found.reason)
    return _("{figure} ({interval})").format(
        figure=point(found), interval=interval(found.low, found.high)
    )


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


def listed(parts: Sequence[str]) -> str:
    """Return `parts` as people enumerate them: "a, b and c"."""
    if len(parts) < 2:
        return "".join(parts)
    return _("{first} and {last}").format(first=separated(parts[:-1]), last=parts[-1])


def listed_first(names: Sequence[str], most: int) -> str:
    """Return the first names and how many more there are: "a, b and 3 more"."""
    first = separated(names[:most])
    if len(names) <= most:
        return first
    return _("{names} and {n} more").format(names=first, n=len(names) - most)


def either(parts: Sequence[str]) -> str:
    """Return `parts` as alternatives: "a, b or c"."""
    if len(parts) < 2:
        return "".join(parts)
    return _("{first} or {last}").format(first=separated(parts[:-1]), last=parts[-1])


def alternatives(parts: Iterable[str]) -> str:
    """Return `parts` as alternatives that may hold commas themselves: "a or b or c"."""
    text = _("{first} or {last}")
    return functools.reduce(lambda first, last: text.format(first=first, last=last), parts)


def p_value(p: float | None) -> str:
    """Return a p value: "p = 0.22", "p = 0.031", "p < 0.001"."""
    if p is None:
        return _("p not available")
    if p < 0.001:
        return "p < 0.001"
    return f"p = {fixed(p, 2 if p >= 0.1 else 3)}"


def separated(parts: Iterable[str]) -> str:
    """Return `parts` one after another: "a, b, c"."""
    return _("{first}, {next}").format(first="", next="").join(parts)


def clauses(parts: Iterable[str]) -> str:
    """Return `parts` of a sentence that hold commas themselves: "a; b; c"."""
    return _("{first}; {next}").format(first="", next="").join(parts)


def sentences(parts: Iterable[str]) -> str:
    """Return whole sentences one after another: "A. B."; empty ones are passed over."""
    return gap().join(filter(None, parts))


def gap() -> str:
    """Return what stands between two sentences: a space; in Chinese nothing."""
    return _("{first} {next}").format(first="", next="")


def named(name: str, text: str) -> str:
    """Return what is said of something behind its name: "name: text"."""
    return _("{name}: {text}").format(name=name, text=text)


def day(iso: str) -> str:
    """Return a date written YYYY-MM-DD as the current language writes it; in English as it is."""
    if current() == SOURCE:
        return iso
    from babel.dates import format_date

    return format_date(date.fromisoformat(iso), format="long", locale=current())


def _leading(value: float) -> int:
    """Return the power of ten of the first digit: 0.064 gives −2, 12 gives 1."""
    return math.floor(math.log10(abs(value)))
