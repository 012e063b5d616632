"""Parquet: columns keep their type until their role decides what they become."""

from __future__ import annotations

import io
from collections.abc import Collection
from typing import Any, Protocol

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from numpy.typing import NDArray

from reportgen.inputs.grid import Grid
from reportgen.inputs.trouble import FileFaults
from reportgen.inputs.unpacking import refuse_unfolding


class Bytes(Protocol):
    """What can be read whole."""

    def read(self) -> bytes:
        """Return all bytes."""
        ...


def read_parquet(content: Bytes, *, wanted: Collection[str]) -> Grid:
    """Read the wanted columns of a parquet file.

    Raises
    ------
    FileFaults
        If it is no sound parquet file, or has no rows.
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
        repeated = _repeated(file)
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
    return Grid(names, data, file.metadata.num_rows, None, repeated)


def _decoded(column: pa.ChunkedArray[Any]) -> pa.ChunkedArray[Any]:
    if pa.types.is_dictionary(column.type):
        return column.cast(column.type.value_type)
    return column


def _repeated(file: pq.ParquetFile) -> NDArray[np.bool_] | None:
    """Return which rows repeat an earlier one in every column; None if columns are nested."""
    types = [field.type for field in file.schema_arrow]
    if len(set(file.schema_arrow.names)) != len(types) or any(map(pa.types.is_nested, types)):
        return None
    table = file.read()
    flat = pa.table({f"c{i}": _decoded(table.column(i)) for i in range(table.num_columns)})
    numbered = flat.append_column("row", pa.array(np.arange(flat.num_rows)))
    first = numbered.group_by(flat.column_names).aggregate([("row", "min")])["row_min"]
    repeated = np.ones(flat.num_rows, dtype=bool)
    repeated[first.to_numpy()] = False
    return repeated
