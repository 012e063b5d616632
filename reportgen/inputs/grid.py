"""A file as it lies on disk: its columns as Arrow arrays, and the line of every row."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from reportgen.inputs.cells import Cells
from reportgen.inputs.trouble import NAMED, At, stretch


@dataclass
class Lines:
    """The line of every data row, kept as the few rows where the distance changes.

    Quoted line breaks and blank lines make a row's line run ahead of its number.
    """

    rows: list[int] = field(default_factory=list)
    ahead: list[int] = field(default_factory=list)

    def note(self, row: int, line: int) -> None:
        """Keep that data row `row`, counted from 0, starts in `line`, counted from 1."""
        ahead = line - row
        if not self.ahead or self.ahead[-1] != ahead:
            self.rows.append(row)
            self.ahead.append(ahead)

    def of(self, row: int) -> int:
        """Return the line in which data row `row`, counted from 0, starts."""
        return row + self.ahead[bisect_right(self.rows, row) - 1]


@dataclass(frozen=True)
class Grid:
    """The columns of a file that were asked for, as they lie there.

    Attributes
    ----------
    columns : tuple of str
        The whole header, in order, blanks around names removed.
    data : mapping of text to Arrow array
        The columns asked for: text from csv and tsv, typed from parquet.
    n_rows : int
        Data rows.
    lines : Lines or None
        Where rows start; None if the file has no lines (parquet).
    repeated : (n_rows,) bool array or None
        Whether a row repeats an earlier row in every column; None if that cannot be told.
    notes : tuple of str
        What was noticed and is no fault.
    short : (n_rows,) bool array or None
        Whether a row has fewer fields than the header, and so no cell; None where none can.
    categories : mapping of text to Arrow array
        The categories of the columns that are categorical (parquet), with or without rows.
    others : tuple of Cells
        The cells, counted, of the columns that were not asked for; empty if that was not asked.
    """

    columns: tuple[str, ...]
    data: Mapping[str, pa.ChunkedArray[Any]]
    n_rows: int
    lines: Lines | None
    repeated: NDArray[np.bool_] | None
    notes: tuple[str, ...] = ()
    short: NDArray[np.bool_] | None = None
    categories: Mapping[str, pa.ChunkedArray[Any]] = field(default_factory=dict)
    others: tuple[Cells, ...] = ()

    @property
    def repeats(self) -> int:
        """How many rows repeat an earlier row in every column."""
        return 0 if self.repeated is None else int(np.count_nonzero(self.repeated))

    def place(self, row: int) -> str:
        """Return where data row `row`, counted from 0, is: ":17", or ": row 16" without lines."""
        return f": row {row + 1}" if self.lines is None else f":{self.lines.of(row)}"

    def at(self, row: int) -> At:
        """Return the same place as one that can be counted."""
        return At("row", row + 1) if self.lines is None else At("line", self.lines.of(row))

    def rest(self, rows: NDArray[np.intp], noun: str = "rows") -> str:
        """Return how many more rows have a mistake: ``… and 9 more rows, in lines 5–13``.

        Parameters
        ----------
        rows : (k,) int array
            Data rows counted from 0, ascending; at least two.
        noun : str
            What they are.
        """
        where = stretch(self.at(int(rows[0])), self.at(int(rows[-1])), len(rows))
        return f"… and {len(rows)} more {noun}, {where}"


def parted(rows: NDArray[np.intp]) -> tuple[list[int], NDArray[np.intp]]:
    """Return the rows of one mistake that are named one by one, and those that are counted."""
    named = len(rows) if len(rows) <= NAMED + 1 else NAMED
    return rows[:named].tolist(), rows[named:]
