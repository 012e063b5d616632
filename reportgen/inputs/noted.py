"""What is noticed in a file and is no mistake, in words."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from reportgen.inputs.convert import Coded
from reportgen.inputs.grid import Grid
from reportgen.inputs.grouping import variants
from reportgen.language import _, n_
from reportgen.wording import clauses, separated

MOST = 5
"""Lines or spellings that are named."""


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


def of_spellings(column: str, coded: Coded) -> Iterator[str]:
    """Yield which values of a column may be spellings of one."""
    found = variants(coded)
    if not found:
        return
    spelt = clauses(" / ".join(map(repr, one)) for one in sorted(found)[:MOST])
    text = _("spelling variants in {column}, kept apart: {variants} (levels merges them)")
    if len(found) > MOST:
        text = _(
            "spelling variants in {column}, kept apart: {variants}; and {more} more"
            " (levels merges them)"
        )
    yield text.format(column=column, variants=spelt, more=len(found) - MOST)


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
