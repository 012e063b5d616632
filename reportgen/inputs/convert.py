"""Columns as they lie on disk to numbers and to codes: one decision a column, by its role."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from reportgen.inputs.codes import canonical, scalar_text
from reportgen.inputs.table import FloatArray

PLAIN = r"^[+-]?([0-9]+(\.[0-9]*)?|\.[0-9]+)([eE][+-]?[0-9]+)?$"
COMMA = r"^[+-]?([0-9]+(,[0-9]*)?|,[0-9]+)([eE][+-]?[0-9]+)?$"

LONGEST_POWER = 9
"""Digits of a power of ten beyond which a number is 0 or infinite, whatever stands before it."""

Column: TypeAlias = "pa.ChunkedArray[Any]"
"""A column as it lies on disk."""

Role: TypeAlias = Literal["group", "outcome", "id"]
"""What a column of texts or codes is of; see `to_codes`."""

EXACT = {pa.float16(): 2**11, pa.float32(): 2**24, pa.float64(): 2**53}
"""Up to here floats of a type tell whole numbers apart."""


class RoleError(Exception):
    """The type of a column does not fit its role.

    Attributes
    ----------
    mend : str or None
        What to do, where it is something else than naming another column.
    """

    def __init__(self, held: str, mend: str | None = None) -> None:
        super().__init__(held)
        self.mend = mend


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
    value = _doubles(column.slice(row, 1))[0].as_py()
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
        Cells that count as missing, blanks around them aside; one that is a number means every
        cell of that value, ``9`` the cell ``9.0`` too, in text and in numbers alike.
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
    values = _float_array(_doubles(column))
    if not pa.types.is_boolean(kind):
        values[np.isin(values, _numbers_among(missing, decimal))] = np.nan
    bad = np.flatnonzero(np.isinf(values))
    values[bad] = np.nan
    if percent:
        values = np.array([_hundredth(repr(value)) for value in values.tolist()], dtype=np.float64)
    return Numbers(values, bad)


def _doubles(column: Column) -> Column:
    """Return floats of less than double precision as the decimals that they were written from.

    A score of 0.7 in single precision lies below a threshold of 0.7; its shortest digits do not.
    """
    if pa.types.is_float32(column.type):
        return pc.cast(pc.cast(column, pa.string()), pa.float64())
    if pa.types.is_float16(column.type):
        shortest = column.to_numpy(zero_copy_only=False).astype(np.float16).astype(str)
        doubles = pa.array(shortest.astype(np.float64), mask=pc.is_null(column).to_numpy())
        return pa.chunked_array([doubles])
    return column


def _numbers_among(missing: Collection[str], decimal: str) -> FloatArray:
    """Return the declared missing cells that are numbers."""
    plain = re.compile(COMMA if decimal == "," else PLAIN)
    cells = [cell.strip() for cell in missing]
    numbers = [cell.replace(",", ".") for cell in cells if plain.match(cell)]
    endless = [cell for cell in cells if cell.lstrip("+-").casefold() in ("inf", "infinity")]
    return np.array([float(cell) for cell in numbers + endless], dtype=np.float64)


def _text_to_numbers(
    column: Column, missing: Collection[str], decimal: str, percent: bool
) -> Numbers:
    text = pc.utf8_trim_whitespace(column)
    match = pc.match_substring_regex(text, COMMA if decimal == "," else PLAIN)
    numeric = pc.if_else(match, text, pa.scalar(None, text.type))
    numeric = pc.replace_substring(pc.utf8_ltrim(numeric, "+"), ",", ".")
    values = _float_array(numeric)
    absent = _missing(column, text, missing)
    absent |= np.isin(values, _numbers_among(missing, decimal))
    if percent:
        values = np.array([_hundredth(cell) for cell in numeric.to_pylist()], dtype=np.float64)
    bad = np.flatnonzero(~np.isfinite(values) & ~absent)
    values[bad] = np.nan
    values[absent] = np.nan
    return Numbers(values, bad)


def _hundredth(text: str | None) -> float:
    """Return a number over one hundred, on its decimal digits; NaN of None."""
    mantissa, _mark, power = (text or "nan").casefold().partition("e")
    if len(power.lstrip("+-").lstrip("0")) > LONGEST_POWER or mantissa.lstrip("+-") in (
        "nan",
        "inf",
    ):
        return float(text or "nan")
    return float(f"{mantissa}e{int(power or 0) - 2}")


def _float_array(column: Column) -> FloatArray:
    cast = pc.cast(column, pa.float64(), safe=is_text(column))
    return np.array(cast.to_numpy(zero_copy_only=False), dtype=np.float64)


def _missing(column: Column, text: Column, missing: Collection[str]) -> NDArray[np.bool_]:
    markers = pa.array(sorted(missing), column.type)
    either = pc.or_(pc.is_in(column, markers), pc.is_in(text, markers))
    absent = pc.or_(either, pc.is_null(column))
    return np.array(absent.to_numpy(zero_copy_only=False), dtype=bool)


def to_codes(column: Column, *, missing: Collection[str], role: Role = "group") -> Coded:
    """Return a column as codes of its distinct texts.

    Whole numbers of parquet become their digits, truth values ``true`` and ``false``, floats
    their shortest form.

    Parameters
    ----------
    column : Arrow array
        Text, or numbers or truth values from parquet.
    missing : collection of str
        Cells that count as missing, as spelt, blanks around them aside.
    role : {"group", "outcome", "id"}
        Of an outcome, and of any column of numbers, ``9`` means ``9.0`` too. Ids that are whole
        numbers held as floats, as a column with gaps often is, become their digits.

    Raises
    ------
    RoleError
        If the column holds lists, mappings, dates or bytes, or ids as floats so large that
        different ones are the same float.
    """
    kind = column.type
    simple = is_text(column) or pa.types.is_boolean(kind) or pa.types.is_null(kind)
    numeric = pa.types.is_integer(kind) or pa.types.is_floating(kind) or pa.types.is_decimal(kind)
    if not (simple or numeric):
        raise RoleError(str(kind))
    encoded = pc.dictionary_encode(_doubles(column)).combine_chunks()
    if isinstance(encoded, pa.ChunkedArray):
        encoded = encoded.chunk(0)
    indices = pc.fill_null(encoded.indices.cast(pa.int64()), -1)
    codes = np.array(indices.to_numpy(zero_copy_only=False), dtype=np.intp)
    found = encoded.dictionary.to_pylist()
    if role == "id" and not simple:
        found = _whole(found, kind)
    values = [_as_text(value) for value in found]
    return _without_missing(values, codes, missing, loosely=role == "outcome" or not simple)


def _whole(values: Sequence[Any], kind: Any) -> Sequence[Any]:
    """Return numbers as whole ones, if all are."""
    present = [value for value in values if value is not None and value == value]
    most = EXACT.get(kind)
    if most is not None and any(abs(value) >= most for value in present):
        held = f"{kind} as large as {max(map(abs, present)):g}, where ids run together"
        raise RoleError(held, "export the ids as text")
    if not all(value == int(value) for value in present):
        return values
    return [int(v) if v is not None and v == v else None for v in values]


def _as_text(value: Any) -> str | None:
    if value is None or value != value:  # NaN is how floats say missing
        return None
    return value if isinstance(value, str) else scalar_text(value)


def _without_missing(
    values: Sequence[str | None],
    codes: NDArray[np.intp],
    missing: Collection[str],
    *,
    loosely: bool,
) -> Coded:
    kept: list[str] = []
    absent = {canonical(cell) for cell in missing} if loosely else {*missing}
    table = np.full(len(values) + 1, -1, dtype=np.intp)
    for position, value in enumerate(values):
        if value is None or value in missing:
            continue
        if (canonical(value) if loosely else value.strip()) not in absent:
            table[position] = len(kept)
            kept.append(value)
    return Coded(tuple(kept), table[codes])
