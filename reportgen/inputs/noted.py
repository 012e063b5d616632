"""What is noticed in a file and is no mistake, in words."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from unicodedata import normalize

import numpy as np

from reportgen.inputs.convert import Coded
from reportgen.inputs.grid import Grid
from reportgen.inputs.spelling import variants
from reportgen.inputs.table import LabelClass
from reportgen.language import _, mark, n_
from reportgen.wording import clauses, fixed, separated

MOST = 5
"""Lines or spellings that are named."""

LONGEST = 40
"""Characters of a value of the outcome that are shown."""

_EVENTS = {
    "event": mark("outcome {column}, the event: {values} ({n})"),
    "competing": mark("outcome {column}, a competing event: {values} ({n})"),
    "censored": mark("outcome {column}, censored: {values} ({n})"),
}


def of_rows(grid: Grid) -> Iterator[str]:
    """Yield what is odd about whole rows of a file."""
    rows = [] if grid.short is None else np.flatnonzero(grid.short).tolist()
    if rows:
        yield _cut_short(grid, rows)
    if grid.repeats:
        text = n_(
            "{n} row repeats an earlier row in every column",
            "{n} rows repeat an earlier row in every column",
            grid.repeats,
        )
        yield text.format(n=grid.repeats)


def of_classes(classes: Sequence[LabelClass]) -> Iterator[str]:
    """Yield what the values of the outcome's column were taken for, and how many rows hold them."""
    by_role = {one.role: one for one in classes}
    if by_role.keys() == {"positive", "negative"}:
        yes, no = by_role["positive"], by_role["negative"]
        text = _("label {column}, positive: {positive} ({n}), negative: {negative} ({m})")
        yield text.format(
            column=yes.column,
            positive=_values(yes),
            n=fixed(yes.rows, 0),
            negative=_values(no),
            m=fixed(no.rows, 0),
        )
    for role, text in _EVENTS.items():
        if role in by_role:
            one = by_role[role]
            rows = fixed(one.rows, 0)
            yield _(text).format(column=one.column, values=_values(one), n=rows)


def _values(one: LabelClass) -> str:
    return separated(value[:LONGEST] for value in one.values)


def of_spellings(column: str, coded: Coded, *, levels: bool = True) -> Iterator[str]:
    """Yield which values of a column may be spellings of one, which `levels` may merge or not."""
    found = variants(coded.values)
    if not found:
        return
    spelt = clauses(" / ".join(_told_apart(one)) for one in sorted(found)[:MOST])
    more = len(found) - MOST
    if levels:
        text = _("spelling variants in {column}, kept apart: {variants} (levels merges them)")
        if more > 0:
            text = _(
                "spelling variants in {column}, kept apart: {variants}; and {more} more"
                " (levels merges them)"
            )
    else:
        text = _("spelling variants in {column}, kept apart: {variants}")
        if more > 0:
            text = _("spelling variants in {column}, kept apart: {variants}; and {more} more")
    yield text.format(column=column, variants=spelt, more=more)


def _told_apart(spellings: Sequence[str]) -> Iterator[str]:
    """Yield spellings, quoted; ones that look alike on a page with their characters' numbers."""
    looks = [normalize("NFC", one) for one in spellings]
    return (
        repr(one) if looks.count(look) == 1 else ascii(one)
        for one, look in zip(spellings, looks, strict=True)
    )


def _cut_short(grid: Grid, rows: list[int]) -> str:
    text = n_(
        "{n} row has fewer fields than the header: line {lines}",
        "{n} rows have fewer fields than the header: lines {lines}",
        len(rows),
    )
    if len(rows) > MOST:
        text = _("{n} rows have fewer fields than the header: lines {lines} and {more} more")
    lines = separated(grid.place(row).removeprefix(":") for row in rows[:MOST])
    return text.format(n=len(rows), lines=lines, more=len(rows) - MOST)
