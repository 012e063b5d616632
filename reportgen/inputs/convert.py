"""Columns as they lie on disk to numbers and to codes: one decision a column, by its role."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any, TypeAlias

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from reportgen.inputs.codes import scalar_text
from reportgen.inputs.table import FloatArray

PLAIN = r"^[+-]?([0-9]+(\.[0-9]*)?|\.[0-9]+)([eE][+-]?[0-9]+)?$"
COMMA = r"^[+-]?([0-9]+(,[0-9]*)?|,[0-9]+)([eE][+-]?[0-9]+)?$"

Column: TypeAlias = "pa.ChunkedArray[Any]"
"""A column as it lies on disk."""


class RoleError(Exception):
    """The type of a column does not fit its role; carries what it holds."""


@dataclass(frozen=True)
class Numbers:
    """A column of numbers.

    Attributes
    ----------
    values : (n,) float array
        NaN where missing or bad.
    bad : (k,) int array
        Rows that hold something else than a finite number, ascending.
    """

    values: FloatArray
    bad: NDArray[np.intp]


@dataclass(frozen=True)
class Coded:
    """A column of text with few or many distinct values.

    Attributes
    ----------
    values : tuple of str
        The distinct values, in the order in which they first occur.
    codes : (n,) int array
        Position of each row's value in `values`; -1 where missing.
    """

    values: tuple[str, ...]
    codes: NDArray[np.intp]

    def counts(self) -> NDArray[np.intp]:
        """Return how many rows hold each value."""
        return np.bincount(self.codes[self.codes >= 0], minlength=len(self.values))

    def renamed(self, names: Sequence[str]) -> Coded:
        """Return the column with `names` in place of `values`, equal names merged."""
        merged = tuple(dict.fromkeys(names))
        position = {name: index for index, name in enumerate(merged)}
        table = np.array([position[name] for name in names] + [-1], dtype=np.intp)
        return Coded(merged, table[self.codes])

    def text(self) -> NDArray[np.object_]:
        """Return the rows as text, "" where missing."""
        table = np.array([*self.values, ""], dtype=object)
        return table[self.codes]


def is_text(column: Column) -> bool:
    """Return whether a column holds text."""
    return bool(pa.types.is_string(column.type) or pa.types.is_large_string(column.type))


def cell_text(column: Column, row: int) -> str:
    """Return one cell as text, for faults."""
    value = column[row].as_py()
    text = "" if value is None else value if isinstance(value, str) else scalar_text(value)
    return text if len(text) <= 60 else text[:57] + "…"


def to_numbers(
    column: Column, *, missing: Collection[str], decimal: str = ".", percent: bool = False
) -> Numbers:
    """Return a column as numbers.

    Parameters
    ----------
    column : Arrow array
        Text, or numbers from parquet.
    missing : collection of str
        Cells that count as missing, blanks around them aside.
    decimal : {".", ","}
        The decimal mark of text cells. Thousands marks are never taken.
    percent : bool
        Whether to divide by one hundred; done on the decimal digits, so that 29.1 % is 0.291.

    Raises
    ------
    RoleError
        If the type of the column has no numbers.
    """
    if is_text(column):
        return _text_to_numbers(column, missing, decimal, percent)
    kind = column.type
    numeric = pa.types.is_integer(kind) or pa.types.is_floating(kind) or pa.types.is_decimal(kind)
    if not (numeric or pa.types.is_boolean(kind)):
        raise RoleError(str(kind))
    values = _float_array(column)
    bad = np.flatnonzero(np.isinf(values))
    values[bad] = np.nan
    if percent:
        values = np.array([_hundredth(repr(value)) for value in values.tolist()], dtype=np.float64)
    return Numbers(values, bad)


def _text_to_numbers(
    column: Column, missing: Collection[str], decimal: str, percent: bool
) -> Numbers:
    text = pc.utf8_trim_whitespace(column)
    match = pc.match_substring_regex(text, COMMA if decimal == "," else PLAIN)
    numeric = pc.if_else(match, text, pa.scalar(None, text.type))
    numeric = pc.replace_substring(pc.utf8_ltrim(numeric, "+"), ",", ".")
    values = _parsed(numeric, percent)
    absent = _missing(column, text, missing)
    bad = np.flatnonzero(~np.isfinite(values) & ~absent)
    values[bad] = np.nan
    values[absent] = np.nan
    return Numbers(values, bad)


def _parsed(text: Column, percent: bool) -> FloatArray:
    if percent:
        return np.array([_hundredth(cell) for cell in text.to_pylist()], dtype=np.float64)
    return _float_array(text)


def _hundredth(text: str | None) -> float:
    return float("nan") if text is None else float(Decimal(text).scaleb(-2))


def _float_array(column: Column) -> FloatArray:
    cast = pc.cast(column, pa.float64(), safe=is_text(column))
    return np.array(cast.to_numpy(zero_copy_only=False), dtype=np.float64)


def _missing(column: Column, text: Column, missing: Collection[str]) -> NDArray[np.bool_]:
    markers = pa.array(sorted(missing), column.type)
    either = pc.or_(pc.is_in(column, markers), pc.is_in(text, markers))
    absent = pc.or_(either, pc.is_null(column))
    return np.array(absent.to_numpy(zero_copy_only=False), dtype=bool)


def to_codes(column: Column, *, missing: Collection[str]) -> Coded:
    """Return a column as codes of its distinct texts.

    Whole numbers of parquet become their digits, truth values ``true`` and ``false``, floats
    their shortest form.

    Raises
    ------
    RoleError
        If the column holds lists, mappings, dates or bytes.
    """
    kind = column.type
    simple = is_text(column) or pa.types.is_boolean(kind) or pa.types.is_null(kind)
    numeric = pa.types.is_integer(kind) or pa.types.is_floating(kind) or pa.types.is_decimal(kind)
    if not (simple or numeric):
        raise RoleError(str(kind))
    encoded = pc.dictionary_encode(column).combine_chunks()
    if isinstance(encoded, pa.ChunkedArray):
        encoded = encoded.chunk(0)
    indices = pc.fill_null(encoded.indices.cast(pa.int64()), -1)
    codes = np.array(indices.to_numpy(zero_copy_only=False), dtype=np.intp)
    values = [_as_text(value) for value in encoded.dictionary.to_pylist()]
    return _without_missing(values, codes, missing)


def _as_text(value: Any) -> str | None:
    if value is None or value != value:  # NaN is how floats say missing
        return None
    return value if isinstance(value, str) else scalar_text(value)


def _without_missing(
    values: Sequence[str | None], codes: NDArray[np.intp], missing: Collection[str]
) -> Coded:
    kept: list[str] = []
    table = np.full(len(values) + 1, -1, dtype=np.intp)
    for position, value in enumerate(values):
        if value is not None and value not in missing and value.strip() not in missing:
            table[position] = len(kept)
            kept.append(value)
    return Coded(tuple(kept), table[codes])
