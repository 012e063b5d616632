"""Exact and near duplicates of the rows of a table of features, within it or across two.

Exact means the same numbers, missing ones in the same places. Near means the same places missing
and a root mean square difference, in standard deviations of the columns, of at most a limit. Equal
rows are searched for once, as one distinct vector, so that a table of few distinct rows costs no
more than these.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from reportgen.stats.duplicates.clusters import clusters, in_order_of_first_member
from reportgen.stats.duplicates.hits import FloatArray, Hits, IntArray, as_lying, joined
from reportgen.stats.duplicates.vectors import near_vectors, standardised

BoolArray = NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class RowDuplicates:
    """Which rows share their vector, and which distinct vectors are near each other.

    Attributes
    ----------
    first : (n,) int array
        Distinct vector of each row, from 0 in the order of the first row that has it.
    second : (m,) int array or None
        The same of the rows of the second table, in the same numbering.
    n_distinct : int
        Number of distinct vectors.
    near : Hits
        Pairs of distinct vectors (their numbers) by distance in standard deviations, none of them
        exact, at the limit searched at; `Hits.within` gives those at a smaller one.
    compared : (d,) bool array
        Columns that vary; a constant one counts for nothing in a distance.
    """

    first: IntArray
    second: IntArray | None
    n_distinct: int
    near: Hits
    compared: BoolArray

    def groups(self, limit: float | None = None) -> IntArray:
        """Return the group of each distinct vector: itself (None), or linked within `limit`.

        The groups of the rows are ``groups(limit)[first]``.
        """
        near = self._near(limit)
        return clusters(self.n_distinct, near.first, near.second)

    def flagged(self, limit: float | None = None) -> BoolArray:
        """Return which rows have a twin: exact (None), or exact or near within `limit`.

        Of two tables the rows of the second with a twin in the first, (m,); of one the rows with
        another row like them, (n,).
        """
        copies = np.bincount(self.first, minlength=self.n_distinct)
        if self.second is None:
            return ((copies > 1) | self._beside(copies > 0, limit))[self.first]
        return ((copies > 0) | self._beside(copies > 0, limit))[self.second]

    def conflicting(
        self,
        first_label: IntArray,
        second_label: IntArray | None = None,
        limit: float | None = None,
    ) -> BoolArray:
        """Return which of the rows `flagged` have a twin with another label; codes as `flagged`.

        Raises
        ------
        ValueError
            If second labels are given for one table, or not for two.
        """
        if (second_label is None) != (self.second is None):
            raise ValueError("give labels of each table, and of no other")
        asked = self.first if self.second is None else self.second
        label = first_label if second_label is None else second_label
        result = np.zeros(len(asked), np.bool_)
        for value in np.unique(label):
            others = np.zeros(self.n_distinct, np.bool_)
            others[self.first[first_label != value]] = True
            twin = others | self._beside(others, limit)
            result |= (label == value) & twin[asked]
        return result

    def pairs(self, limit: float | None = None, *, most: int) -> Hits:
        """Return at most `most` pairs of rows, nearest first, then in the order of the rows.

        Within one table each unordered pair once, `first` < `second`; of two, `second` is a row of
        the second. Exact pairs come first, with distance 0.
        """
        found, left = [as_lying(*_EMPTY)], most
        for mine, theirs, distance in self._links(limit):
            i, j = _crossed(mine, theirs, left, unordered=self.second is None)
            found.append(as_lying(i, j, np.full(len(i), distance)))
            left -= len(i)
            if left <= 0:
                break
        pairs = joined(found)
        return pairs.take(np.lexsort((pairs.second, pairs.first, pairs.distance)))

    def _near(self, limit: float | None) -> Hits:
        return self.near.within(-1.0 if limit is None else limit)

    def _beside(self, present: BoolArray, limit: float | None) -> BoolArray:
        """Return which distinct vectors are near another one that is present."""
        near = self._near(limit)
        result = np.zeros(self.n_distinct, np.bool_)
        result[near.first[present[near.second]]] = True
        result[near.second[present[near.first]]] = True
        return result

    def _links(self, limit: float | None) -> Iterator[tuple[IntArray, IntArray, float]]:
        """Yield the rows of two like vectors, the rows of the first table first, with distance."""
        mine = _Members(self.first, self.n_distinct)
        theirs = mine if self.second is None else _Members(self.second, self.n_distinct)
        least = 1 if self.second is None else 0
        for code in np.flatnonzero((mine.count > least) & (theirs.count > 0)):
            yield mine.of(code), theirs.of(code), 0.0
        near = self._near(limit)
        near = near.take(np.lexsort((near.second, near.first, near.distance)))
        for a, b, distance in zip(near.first, near.second, near.distance.tolist(), strict=True):
            yield mine.of(a), theirs.of(b), distance
            if self.second is not None:
                yield mine.of(b), theirs.of(a), distance


_EMPTY = (np.empty(0, np.intp), np.empty(0, np.intp), np.empty(0))


class _Members:
    """The rows of each distinct vector."""

    def __init__(self, code: IntArray, n: int) -> None:
        self.count = np.bincount(code, minlength=n)
        self.order = np.argsort(code, kind="stable")
        self.end = np.cumsum(self.count)

    def of(self, code: np.intp) -> IntArray:
        """Return the rows of one vector, ascending."""
        return self.order[self.end[code] - self.count[code] : self.end[code]]


def _crossed(
    mine: IntArray, theirs: IntArray, most: int, *, unordered: bool
) -> tuple[IntArray, IntArray]:
    """Return the first `most` pairs of two lists of rows; unordered, each once and none twice."""
    mine, theirs = mine[: most + 1], theirs[: most + 1]
    i, j = (grid.ravel() for grid in np.meshgrid(mine, theirs, indexing="ij"))
    if unordered:
        same = np.array_equal(mine, theirs)
        kept = i < j if same else np.ones(len(i), np.bool_)
        i, j = np.minimum(i, j)[kept], np.maximum(i, j)[kept]
    return i[:most], j[:most]


def row_duplicates(
    first: FloatArray, second: FloatArray | None = None, *, distance: float
) -> RowDuplicates:
    """Find exact and near duplicates among rows of features.

    Parameters
    ----------
    first : (n, d) float array
        NaN where missing; 0 and -0 are the same.
    second : (m, d) float array, optional
        A second table with the same columns, to be compared with the first (training rows, say)
        and not within itself.
    distance : float
        Largest root mean square difference in standard deviations of what is near, >= 0. Search
        once at the largest and ask `RowDuplicates` for any below.

    Returns
    -------
    RowDuplicates

    Raises
    ------
    ValueError
        If `distance` is negative or NaN, the tables differ in columns, or a feature is infinite.

    Notes
    -----
    Standard deviations (n in the denominator) are those of the present values of both tables
    together, each row counted. The mean is over the columns that vary and are present in the two
    rows; with none there is no near duplicate.
    """
    if not distance >= 0:
        raise ValueError(f"a distance is 0 or more, not {distance}")
    tables = [first] if second is None else [first, second]
    if len({table.shape[1] for table in tables}) > 1:
        raise ValueError("the two tables have different numbers of columns")
    values = np.concatenate(tables).astype(np.float64) + 0.0
    if np.isinf(values).any():
        raise ValueError("a feature is infinite")
    code = _distinct(values)
    n = int(code.max(initial=-1)) + 1
    ours, theirs = code[: len(first)], code[len(first) :]
    scaled, compared = standardised(values)
    vectors = np.empty((n, scaled.shape[1]))
    vectors[code] = scaled
    near = near_vectors(
        vectors, np.unique(ours), None if second is None else np.unique(theirs), limit=distance
    )
    return RowDuplicates(ours, None if second is None else theirs, n, near, compared)


def _distinct(values: FloatArray) -> IntArray:
    """Return the number of each row's distinct vector, counted in the order of the rows."""
    if not values.size:
        return np.zeros(len(values), np.intp)
    present = np.where(np.isnan(values), np.nan, values)
    keys = np.ascontiguousarray(present).view(np.dtype((np.void, 8 * values.shape[1])))
    _, code = np.unique(keys.ravel(), return_inverse=True)
    return in_order_of_first_member(code.reshape(len(values)))
