"""The bootstrap of independent units, such that the order of the rows cannot matter.

Rows that count alike fall into one *cell*; units (patients) whose rows fall into the same cells
have one *signature*. A resample is a number of units for each signature. Cells and signatures are
sorted by what they hold, so equal data in another order give equal resamples from equal generators.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.intp]

BLOCK_NUMBERS = 1_500_000
"""Numbers held at once for a block of resamples: 12 MB."""


@dataclass(frozen=True)
class Cells:
    """Rows that are equal in every column, taken together.

    Attributes
    ----------
    row : (K,) int array
        One row of each cell; cells ascend lexicographically by the columns.
    of_row : (n,) int array
        The cell of each row.
    """

    row: IntArray
    of_row: IntArray


def joint_cells(columns: Sequence[NDArray[Any]]) -> Cells:
    """Return the distinct combinations of `columns`, in lexicographic order.

    Parameters
    ----------
    columns : sequence of (n,) arrays
        At least one; numbers without NaN.
    """
    code = np.zeros(len(columns[0]), dtype=np.intp)
    for column in columns:
        rank, n_ranks = _ranks(column)
        # Ranked again after each column: the code stays below n and can never overflow.
        code, _ = _ranks(code * n_ranks + rank)
    row = np.empty(int(code.max(initial=-1)) + 1, dtype=np.intp)
    row[code] = np.arange(len(code))
    return Cells(row, code)


def _ranks(values: NDArray[Any]) -> tuple[IntArray, int]:
    """Return the rank of each value among the distinct ones, and how many those are."""
    if np.issubdtype(values.dtype, np.integer) and values.min(initial=0) >= 0:
        top = int(values.max(initial=0)) + 1
        if top <= 8 * len(values) + 1024:  # a table is cheaper than a sort
            present = np.zeros(top, dtype=np.intp)
            present[values] = 1
            return np.asarray((np.cumsum(present) - 1)[values]), int(present.sum())
    distinct, rank = np.unique(values, return_inverse=True)
    return rank.astype(np.intp), len(distinct)


@dataclass(frozen=True)
class Units:
    """Independent units, those with equal rows taken together.

    Attributes
    ----------
    count : (S,) int array
        Units of each signature, > 0.
    cells : (S, K) sparse array
        Rows of each cell in one unit of that signature.
    """

    count: IntArray
    cells: csr_array[Any]

    @property
    def n(self) -> int:
        """Number of units."""
        return int(self.count.sum())


def unit_signatures(cell: IntArray, unit: IntArray | None, *, n_cells: int) -> Units:
    """Group units by the cells of their rows.

    Parameters
    ----------
    cell : (n,) int array
        The cell of each row, 0 to n_cells - 1, each of them met at least once.
    unit : (n,) int array or None
        The unit of each row, 0 upwards; None if each row is its own.
    n_cells : int
        Number of cells.

    Returns
    -------
    Units
        Signatures ascend by their number of rows, then lexicographically by their sorted cells.
    """
    if unit is None:
        identity = csr_array(
            (np.ones(n_cells), np.arange(n_cells), np.arange(n_cells + 1)),
            shape=(n_cells, n_cells),
        )
        return Units(np.bincount(cell, minlength=n_cells), identity)
    size_of_unit = np.bincount(unit)
    sorted_cells = cell[np.lexsort((cell, unit))]
    size_of_row = np.repeat(size_of_unit, size_of_unit)
    counts, members, sizes = [], [], []
    for size in np.unique(size_of_unit[size_of_unit > 0]):
        same = sorted_cells[size_of_row == size].reshape(-1, size)
        signatures = joint_cells(list(same.T))
        counts.append(np.bincount(signatures.of_row))
        members.append(same[signatures.row].ravel())
        sizes.append(np.full(len(signatures.row), size))
    edges = np.concatenate([[0], np.cumsum(np.concatenate(sizes))])
    columns = np.concatenate(members)
    cells = csr_array((np.ones(len(columns)), columns, edges), shape=(len(edges) - 1, n_cells))
    cells.sum_duplicates()
    return Units(np.concatenate(counts), cells)


def resampled_counts(
    units: Units, generator: np.random.Generator, *, resamples: int, block: int | None = None
) -> Iterator[FloatArray]:
    """Draw units with replacement, as many as there are, and count them by signature.

    Where signatures are few the counts are drawn from the multinomial distribution they have; where
    they are many, units are drawn one by one. Both are the same distribution.

    Parameters
    ----------
    units : Units
        From `unit_signatures`.
    generator : numpy.random.Generator
        Source of randomness; which numbers it gives decides the draws, blocks do not.
    resamples : int
        Number of resamples B, > 0.
    block : int, optional
        Resamples a block; chosen so that a block holds 12 MB if absent.

    Yields
    ------
    (b, S) float array
        Number of units of each signature in each resample of the block; rows sum to `units.n`.
    """
    n, width = units.n, len(units.count)
    block = block or max(1, min(resamples, BLOCK_NUMBERS // width))
    few = width * 8 < n
    signature = np.repeat(np.arange(width), units.count)
    for start in range(0, resamples, block):
        size = min(block, resamples - start)
        if few:
            yield generator.multinomial(n, units.count / n, size=size).astype(np.float64)
            continue
        counts = np.empty((size, width))
        for row in counts:
            drawn = generator.integers(0, n, size=n)
            row[:] = np.bincount(signature[drawn], minlength=width)
        yield counts


def units_within(low: IntArray, high: IntArray, unit: IntArray, *, steps: int) -> IntArray:
    """Count, at each step j, the units with a row for which ``low <= j < high``.

    Parameters
    ----------
    low, high : (n,) int arrays
        0 <= low, high <= steps; a row with low >= high counts nowhere.
    unit : (n,) int array
        The unit of each row, 0 upwards.
    steps : int
        Number of steps.

    Returns
    -------
    (steps,) int array
    """
    if not len(low):
        return np.zeros(steps, dtype=np.intp)
    # Each unit gets a stretch of the number line of its own; there its intervals are merged.
    offset = unit * (steps + 1)
    order = np.argsort(low + offset, kind="stable")
    begin, end, base = (low + offset)[order], (high + offset)[order], offset[order]
    covered = np.concatenate([[0], np.maximum.accumulate(end)[:-1]])
    begin = np.maximum(begin, covered)
    new = begin < end
    starts = np.bincount((begin - base)[new], minlength=steps + 1)
    stops = np.bincount((end - base)[new], minlength=steps + 1)
    return np.asarray(np.cumsum(starts - stops)[:steps])
