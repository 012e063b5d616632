"""Parquet: columns keep their type until their role decides what they become."""

from __future__ import annotations

import io
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Protocol

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
from numpy.typing import NDArray

from reportgen.inputs.cells import Cells, cells_of
from reportgen.inputs.convert import Column, is_text
from reportgen.inputs.grid import Grid
from reportgen.inputs.trouble import FileFaults
from reportgen.inputs.unpacking import refuse_unfolding


class Bytes(Protocol):
    """What can be read whole."""

    def read(self) -> bytes:
        """Return all bytes."""
        ...


def read_parquet(
    content: Bytes, *, wanted: Collection[str], missing: Collection[str] | None = None
) -> Grid:
    """Read the wanted columns of a parquet file; count the cells of the others, as `missing` says.

    Raises
    ------
    FileFaults
        If it is no sound parquet file, has no rows, or holds NUL bytes in names or cells, or text
        that is not UTF-8.
    """
    try:
        raw = content.read()
        file = pq.ParquetFile(io.BytesIO(raw))
        cells = file.metadata.num_rows * max(file.metadata.num_columns, 1)
        refuse_unfolding(cells, len(raw), of="cells")
        names = tuple(file.schema_arrow.names)
        columns = [name for name in dict.fromkeys(names) if name in wanted]
        unique = [name for name in columns if names.count(name) == 1]
        table = file.read(columns=unique)
        whole = file.read()
        repeated = _repeated(whole)
    except (pa.ArrowException, OSError) as error:
        first = str(error).splitlines()[0]
        what = f"this is no sound parquet file ({first})"
        raise FileFaults.one("", what, "copy or export it anew") from None
    if table.num_rows != file.metadata.num_rows:
        what = f"it says {file.metadata.num_rows} rows and holds {table.num_rows}"
        raise FileFaults.one("", what, "copy or export it anew")
    if file.metadata.num_rows == 0:
        raise FileFaults.one("", "there is a header but no row", "export it anew, with its rows")
    data = {name: _decoded(table.column(name)) for name in unique}
    _refuse_no_text(names, data)
    categories = {name: _categories(table.column(name)) for name in unique}
    known = {name: one for name, one in categories.items() if one is not None}
    others = () if missing is None else tuple(_others(whole, unique, missing))
    n_rows = file.metadata.num_rows
    return Grid(names, data, n_rows, None, repeated, categories=known, others=others)


def _decoded(column: Column) -> Column:
    """Return a column in the type of its values, text as plain text."""
    kind = column.type
    if isinstance(kind, pa.BaseExtensionType):
        storage = [chunk.storage for chunk in column.chunks]
        return _decoded(pa.chunked_array(storage, kind.storage_type))
    if pa.types.is_dictionary(kind):
        return _decoded(column.cast(kind.value_type))
    return column.cast(pa.large_string()) if pa.types.is_string_view(kind) else column


def _categories(column: Column) -> Column | None:
    """Return the categories of a column that is categorical, with or without rows; else None."""
    if not pa.types.is_dictionary(column.type):
        return None
    held = pa.chunked_array([chunk.dictionary for chunk in column.chunks], column.type.value_type)
    return pa.chunked_array([pc.unique(_decoded(held))])


def _refuse_no_text(names: Sequence[str], data: Mapping[str, Column]) -> None:
    faults = FileFaults()
    if any("\0" in name for name in names):
        faults.add("", "there is a NUL byte in the name of a column", "export it as plain text")
    for name, column in data.items():
        if is_text(column) and not _is_utf8(column):
            what = "it holds text that is not UTF-8"
            faults.add(f": column {name!r}", what, "export it as UTF-8")
        elif is_text(column):
            held = pc.match_substring(column, "\0").to_numpy(zero_copy_only=False)
            rows = np.flatnonzero(held == True)  # noqa: E712 - None where there is no cell
            if len(rows):
                place = f": row {rows[0] + 1}: column {name!r}"
                faults.add(place, "there is a NUL byte in this cell", "export it as plain text")
    faults.raise_if_any()


def _is_utf8(column: Column) -> bool:
    try:
        column.validate(full=True)
    except pa.ArrowInvalid:
        return False
    return True


def _others(whole: pa.Table, kept: Collection[str], missing: Collection[str]) -> Iterator[Cells]:
    """Yield the count of the cells of every column that is not kept."""
    for at, name in enumerate(whole.column_names):
        if name not in kept:
            yield cells_of(name, _decoded(whole.column(at)), missing)


def _repeated(whole: pa.Table) -> NDArray[np.bool_]:
    """Return which rows repeat an earlier one in every column.

    Lists and mappings are compared in the rows alone that are alike in all other columns.
    """
    columns = [_decoded(whole.column(at)) for at in range(whole.num_columns)]
    nested = [column for column in columns if pa.types.is_nested(column.type)]
    flat = {f"c{at}": one for at, one in enumerate(columns) if not pa.types.is_nested(one.type)}
    rows = pa.array(np.arange(whole.num_rows))
    # One column more, the same in every row, as nothing can be grouped by no column.
    alike = pa.table({**flat, "all": pa.nulls(whole.num_rows), "row": rows}).group_by(
        [*flat, "all"]
    )
    if not nested:
        first = alike.aggregate([("row", "min")])["row_min"]
        repeated = np.ones(whole.num_rows, dtype=bool)
        repeated[first.to_numpy()] = False
        return repeated
    repeated = np.zeros(whole.num_rows, dtype=bool)
    together = alike.aggregate([("row", "list")])["row_list"]
    for several in together.filter(pc.greater(pc.list_value_length(together), 1)):
        _mark_repeats(np.sort(several.values.to_numpy()), nested, repeated)
    return repeated


def _mark_repeats(
    rows: NDArray[np.intp], nested: Sequence[Column], repeated: NDArray[np.bool_]
) -> None:
    """Mark the rows, ascending, whose lists and mappings are those of an earlier one of them."""
    seen: set[str] = set()
    for row in rows.tolist():
        cells = repr([column[row].as_py() for column in nested])
        repeated[row] = cells in seen
        seen.add(cells)
