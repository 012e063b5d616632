"""The rows of a subgroup analysis, arranged so that neither their order nor names can matter.

Patients are sorted by what their rows hold (scores, label, covariate, group), within strata that
share the same set of groups. Equal data in another order therefore give equal arrays, and equal
generators give equal draws.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from reportgen.stats.resampling import joint_cells

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.intp]
BoolArray = NDArray[np.bool_]


@dataclass(frozen=True)
class Study:
    """Rows (images) of one attribute, sorted by patient; made by `arrange`.

    Attributes
    ----------
    positive : (n,) bool array
        The label of each row.
    scores : (M, n) float array
        One row a model; higher means more likely positive.
    level : (n,) int array
        The group of each row, 0 to `n_levels` - 1. Missing values are a group like any other.
    patient : (n,) int array
        The patient of each row, 0 to P - 1, never falling. Patients of one stratum are neighbours.
    covariate : (n,) int array
        A bin of each row to match on, such as the age band; all 0 without one.
    n_levels : int
        Groups declared; some may hold no row.
    edges : (S + 1,) int array
        Patients edges[s] to edges[s + 1] - 1 are those of stratum s: one set of groups.
    strata : tuple of tuple of int
        The groups of each stratum, ascending.
    source : (n,) int array
        Where each row stood in the arrays given to `arrange`.
    """

    positive: BoolArray
    scores: FloatArray
    level: IntArray
    patient: IntArray
    covariate: IntArray
    n_levels: int
    edges: IntArray
    strata: tuple[tuple[int, ...], ...]
    source: IntArray

    @property
    def n(self) -> int:
        """Number of rows."""
        return len(self.patient)

    @property
    def n_patients(self) -> int:
        """Number of patients."""
        return int(self.edges[-1])

    @property
    def n_models(self) -> int:
        """Number of models."""
        return len(self.scores)

    @cached_property
    def _rows_by_level(self) -> tuple[IntArray, ...]:
        order = np.argsort(self.level, kind="stable")
        edges = np.cumsum(np.bincount(self.level, minlength=self.n_levels))
        return tuple(np.split(order, edges[:-1]))

    def rows(self, level: int | None) -> IntArray:
        """Return the rows of a group, ascending; all rows where `level` is None."""
        return np.arange(self.n) if level is None else self._rows_by_level[level]

    def patients(self, level: int | None) -> IntArray:
        """Return the patients with a row in a group, ascending."""
        if level is None:
            return _distinct(self.patient)
        return self._patients_by_level[level]

    @cached_property
    def _patients_by_level(self) -> tuple[IntArray, ...]:
        return tuple(_distinct(self.patient[rows]) for rows in self._rows_by_level)


def _distinct(ascending: IntArray) -> IntArray:
    """Return the distinct values of numbers that never fall."""
    return ascending[np.diff(ascending, prepend=-1) > 0]


@dataclass(frozen=True)
class Pair:
    """What is compared: one metric of one model, in a group and in its reference.

    Attributes
    ----------
    metric : str
        A name of `metrics.FIGURES`.
    group, reference : int
        Groups of the study. A gap is group minus reference.
    model : int
    threshold : float
        A row is selected where score >= threshold.
    """

    metric: str
    group: int
    reference: int
    model: int = 0
    threshold: float = 0.5


def arrange(
    positive: ArrayLike,
    scores: ArrayLike,
    level: ArrayLike,
    patient: ArrayLike,
    *,
    n_levels: int,
    covariate: ArrayLike | None = None,
) -> Study:
    """Return the rows sorted by patient, and patients by what they hold.

    Parameters
    ----------
    positive : (n,) array_like of bool
        The label.
    scores : (n,) or (M, n) array_like of float
        Scores of one or more models, finite.
    level : (n,) array_like of int
        The group of each row, 0 to `n_levels` - 1.
    patient : (n,) array_like of int
        Equal for rows of the same patient; the values themselves do not matter.
    n_levels : int
        Number of groups declared.
    covariate : (n,) array_like of int, optional
        Bins to match on, 0 upwards.

    Raises
    ------
    ValueError
        If there are no rows, lengths differ, a score is not finite or a group is out of range.
    """
    y = np.asarray(positive, dtype=bool)
    values = np.atleast_2d(np.asarray(scores, dtype=np.float64))
    group = np.asarray(level, dtype=np.intp)
    _, unit = np.unique(np.asarray(patient), return_inverse=True)
    extra = np.zeros(len(y), np.intp) if covariate is None else np.asarray(covariate, np.intp)
    _check(y, values, group, unit, extra, n_levels=n_levels)
    plain = joint_cells([*values, y, extra]).of_row
    # What a group is called decides nothing unless two groups look the same.
    known_as = _group_ranks(plain, y, group, n_levels=n_levels)
    cell = joint_cells([plain, known_as[group]]).of_row
    content = _sequence_ranks(cell, unit)
    stratum, sets = _strata(group, known_as, unit, content)
    order_of_patients = np.lexsort((content, stratum))
    place = np.empty(len(content), np.intp)
    place[order_of_patients] = np.arange(len(content))
    order = np.lexsort((cell, place[unit]))
    edges = np.concatenate([[0], np.cumsum(np.bincount(stratum))]).astype(np.intp)
    return Study(
        y[order],
        np.ascontiguousarray(values[:, order]),
        group[order],
        place[unit][order],
        extra[order],
        n_levels,
        edges,
        sets,
        order,
    )


def _check(
    y: BoolArray,
    values: FloatArray,
    group: IntArray,
    unit: IntArray,
    extra: IntArray,
    *,
    n_levels: int,
) -> None:
    n = len(y)
    if not n:
        raise ValueError("no rows")
    lengths = (values.shape[1], len(group), len(unit), len(extra))
    if any(length != n for length in lengths):
        raise ValueError(f"lengths differ: {n} labels, then {lengths}")
    if not np.isfinite(values).all():
        raise ValueError("a score is not finite")
    if group.min() < 0 or group.max() >= n_levels:
        raise ValueError(f"groups run from {group.min()} to {group.max()}, not 0 to {n_levels - 1}")
    if extra.min() < 0:
        raise ValueError("a bin of the covariate lies below 0")


def _group_ranks(plain: IntArray, y: BoolArray, group: IntArray, *, n_levels: int) -> IntArray:
    """Return a rank of each group by its rows and positives, then by sums over its contents."""
    weights = (np.ones(len(y)), y, plain, np.square(plain, dtype=np.float64))
    sums = [np.bincount(group, weight, minlength=n_levels) for weight in weights]
    rank = np.empty(n_levels, np.intp)
    rank[np.lexsort(sums[::-1])] = np.arange(n_levels)
    return rank


def _strata(
    group: IntArray, known_as: IntArray, unit: IntArray, content: IntArray
) -> tuple[IntArray, tuple[tuple[int, ...], ...]]:
    """Return the stratum of each patient, and the groups of each stratum.

    Strata are numbered by their first patient in the order of contents, not by names of groups.
    """
    n_levels = len(known_as)
    pairs = np.unique(unit * n_levels + known_as[group])
    members, groups = pairs // n_levels, pairs % n_levels
    code = _sequence_ranks(groups, members)
    first = np.full(int(code.max()) + 1, len(code), dtype=np.intp)
    # Among equal contents the smaller code is first: only then do names of groups matter.
    np.minimum.at(first, code, content)
    rank = np.empty(len(first), np.intp)
    rank[np.lexsort((np.arange(len(first)), first))] = np.arange(len(first))
    stratum = rank[code]
    starts = np.searchsorted(members, np.arange(len(code) + 1))
    one_of = np.empty(len(first), np.intp)
    one_of[stratum] = np.arange(len(code))
    named = np.argsort(known_as)[groups]
    sets = tuple(tuple(sorted(named[starts[p] : starts[p + 1]].tolist())) for p in one_of)
    return stratum, sets


def _sequence_ranks(item: IntArray, unit: IntArray) -> IntArray:
    """Return the rank of each unit by its items: by their number, then by their sorted values.

    Units with equal items share a rank. `unit` holds every number from 0 to U - 1.
    """
    in_order = item[np.lexsort((item, unit))]
    size = np.bincount(unit)
    size_of_row = np.repeat(size, size)
    rank = np.empty(len(size), dtype=np.intp)
    start = 0
    for length in np.unique(size):
        same = in_order[size_of_row == length].reshape(-1, length)
        cells = joint_cells(_columns(same))
        rank[size == length] = start + cells.of_row
        start += len(cells.row)
    return rank


def _columns(table: NDArray[Any]) -> Sequence[NDArray[Any]]:
    return [np.ascontiguousarray(column) for column in table.T]
