"""Row ids that occur more than once: harmless copies, or rows that contradict each other."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from reportgen.inputs.codes import canonical
from reportgen.inputs.convert import Coded


@dataclass(frozen=True)
class Repeat:
    """A key that several rows share.

    Attributes
    ----------
    value : str
        The key.
    rows : (k,) int array
        Its rows, ascending.
    differ : tuple of str
        Columns in use in which these rows differ; none if they are alike.
    """

    value: str
    rows: NDArray[np.intp]
    differ: tuple[str, ...]


def repeated_keys(
    keys: Coded, data: Mapping[str, pa.ChunkedArray[Any]], column: str
) -> list[Repeat]:
    """Return the keys that occur in more than one row, by their first row.

    Parameters
    ----------
    keys : Coded
        The key of every row; rows without one are left alone.
    data : mapping of text to Arrow array
        The columns in use.
    column : str
        The key's own column, which is not compared.
    """
    often = np.flatnonzero(keys.counts() > 1)
    rows = np.flatnonzero(np.isin(keys.codes, often))
    rows = rows[np.argsort(keys.codes[rows], kind="stable")]
    cells = {name: _comparable(data[name].take(rows)) for name in data if name != column}
    starts = np.flatnonzero(np.diff(keys.codes[rows], prepend=-2))
    found = []
    for start, end in pairwise([*starts.tolist(), len(rows)]):
        differ = tuple(name for name, values in cells.items() if len({*values[start:end]}) > 1)
        found.append(Repeat(keys.values[keys.codes[rows[start]]], rows[start:end], differ))
    return found


def _comparable(column: pa.ChunkedArray[Any]) -> list[str]:
    cells = column.to_pylist()
    return [canonical(cell) if isinstance(cell, str) else repr(cell) for cell in cells]
