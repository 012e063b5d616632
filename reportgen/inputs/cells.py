"""Cells of a column counted as they come: which are missing, and whether all others are dates."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Any, TypeAlias

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from reportgen.inputs.convert import RoleError, is_text, to_numbers

Column: TypeAlias = "pa.ChunkedArray[Any]"
Days: TypeAlias = tuple[str, str]
"""The first and the last day."""

LIKE_A_DATE = (
    r"^[0-9]{4}-(0[1-9]|1[0-2])-(0[1-9]|[12][0-9]|3[01])"
    r"([T ][0-9]{2}:[0-9]{2}(:[0-9]{2}([.,][0-9]+)?)?(Z|[+-][0-9]{2}(:?[0-9]{2})?)?)?$"
)
"""A date of ISO 8601 with dashes, or a date and a time."""
DATE = re.compile(LIKE_A_DATE)
DAY = len("2024-05-06")


@dataclass(frozen=True)
class Cells:
    """The cells of one column of a file.

    Attributes
    ----------
    column : str
        Its name in the file.
    missing : int
        Cells that are missing; all those of rows cut short are.
    days : (str, str) or None
        The first and the last day, YYYY-MM-DD, where every other cell is a date, with or without
        a time; else None.
    """

    column: str
    missing: int
    days: Days | None = None


class CellCounter:
    """Counts the text cells of one column, chunk by chunk, and holds none of them.

    Parameters
    ----------
    column : str
        Its name in the file.
    missing : collection of str
        Cells that count as missing beside empty ones, blanks around them aside.
    """

    def __init__(self, column: str, missing: Collection[str]) -> None:
        self.column = column
        self.codes = {code.strip() for code in (*missing, "")}
        self.missing = 0
        self.days: Days | None = None
        self.dated = True

    def take(self, cells: Sequence[str | None]) -> None:
        """Count cells; None is one of a row cut short."""
        codes = self.codes
        texts = [cell for cell in cells if cell is not None] if None in cells else cells
        # Of a million rows this is the step that takes time: no call but `strip` for a cell.
        absent = len([1 for cell in texts if cell.strip() in codes])  # type: ignore[union-attr]
        self.missing += absent + len(cells) - len(texts)
        if self.dated and absent < len(texts):
            self._look_for_days(texts)

    def _look_for_days(self, texts: Sequence[str | None]) -> None:
        """Widen the days by those of a chunk, or see that these are no dates."""
        first = next(text for cell in texts if (text := (cell or "").strip()) not in self.codes)
        found = None
        if DATE.match(first):
            column = pa.chunked_array([pa.array(texts, pa.large_string())])
            found = days_of_text(column, self.codes)
        self.dated = found is not None
        if found is None:
            self.days = None
        else:
            low, high = self.days or found
            self.days = min(low, found[0]), max(high, found[1])

    def cells(self) -> Cells:
        """Return what was counted."""
        return Cells(self.column, self.missing, self.days)


def cells_of(name: str, column: Column, missing: Collection[str]) -> Cells:
    """Return the count of a column that is held whole, in text or typed as in parquet."""
    codes = {code.strip() for code in (*missing, "")}
    if is_text(column):
        return _text_cells(name, column, codes)
    try:
        numbers = to_numbers(column, missing=codes)
        absent = int(np.count_nonzero(np.isnan(numbers.values))) - len(numbers.bad)
    except RoleError:
        absent = column.null_count
    return Cells(name, absent, days_of(column, codes))


def _text_cells(name: str, column: Column, codes: set[str]) -> Cells:
    try:
        texts = pc.utf8_trim_whitespace(column)
        days = days_of_text(column, codes)
    except pa.ArrowInvalid:  # a parquet file may hold text that is not UTF-8
        texts, days = pc.ascii_trim_whitespace(column), None
    empty = pc.is_in(texts, pa.array(sorted(codes), texts.type))
    return Cells(name, int(pc.sum(empty).as_py() or 0) + column.null_count, days)


def days_of(column: Column, missing: Collection[str]) -> Days | None:
    """Return the first and the last day of a column, None unless all but the missing are dates.

    Times with a time zone are those of UTC.
    """
    if is_text(column):
        return days_of_text(column, missing)
    if not (pa.types.is_date(column.type) or pa.types.is_timestamp(column.type)):
        return None
    if column.null_count == len(column):
        return None
    unit: Any = {pa.date32(): "D", pa.date64(): "ms"}.get(column.type) or column.type.unit
    ends = pc.min_max(column)
    # By NumPy: Python knows no year beyond 9999, and Arrow asks the system for time zones.
    days = [np.datetime64(ends[end].value, unit).astype("datetime64[D]") for end in ("min", "max")]
    return None if np.isnat(days).any() else (str(days[0]), str(days[1]))


def days_of_text(column: Column, missing: Collection[str]) -> Days | None:
    """Return the same of text."""
    texts = pc.utf8_trim_whitespace(pc.unique(column))
    markers = pa.array(sorted({code.strip() for code in (*missing, "")}), texts.type)
    present = texts.filter(pc.invert(pc.or_(pc.is_in(texts, markers), pc.is_null(texts))))
    if not len(present) or not pc.all(pc.match_substring_regex(present, LIKE_A_DATE)).as_py():
        return None
    days = pc.unique(pc.utf8_slice_codeunits(present, 0, DAY)).to_pylist()
    return (min(days), max(days)) if all(map(_is_day, days)) else None


def _is_day(text: str) -> bool:
    try:
        date.fromisoformat(text)
    except ValueError:
        return False
    return True
