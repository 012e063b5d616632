"""Which name belongs to which class, inferred from what each name was shown on.

Rows of the confusion are the names shown, columns the classes that were really there. The one to
one assignment that explains most matches is found by the Hungarian method; how much more it
explains than the names as shown, as a share of all matches, is the gain.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import linear_sum_assignment

from reportgen.stats.unit_sums import resampled_sums, sums_by_unit

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.intp]
BoolArray = NDArray[np.bool_]


@dataclass(frozen=True)
class Assignment:
    """The best one to one assignment of names to classes.

    Attributes
    ----------
    column : (r,) int array
        The class of each name; -1 where the name was matched with nothing, where there are more
        names than classes, or where another class serves as well.
    best : int
        Matches that the assignment explains.
    diagonal : int
        Matches that the names as shown explain.
    total : int
        All matches.
    chosen : (r, c) bool array
        The assignment found, ambiguous cells among them: ties go to the names as shown.
    """

    column: IntArray
    best: int
    diagonal: int
    total: int
    chosen: BoolArray

    @property
    def gain(self) -> float:
        """Return (best - diagonal) / total, 0 to 1; NaN without matches."""
        return (self.best - self.diagonal) / self.total if self.total else float("nan")


def best_assignment(confusion: NDArray[np.int64], same: BoolArray) -> Assignment:
    """Return the assignment of names to classes that explains most matches.

    Parameters
    ----------
    confusion : (r, c) int array
        Matches by name shown and true class.
    same : (r, c) bool array
        Where the name shown is that of the class: at most one a row and a column.

    References
    ----------
    Kuhn (1955), Naval Res Logist Q 2:83 (the Hungarian method); SciPy's linear_sum_assignment.
    """
    # Whole numbers, so that a tie is a tie: it goes to the names as shown.
    worth = confusion * (min(confusion.shape) + 1) + same
    rows, columns = linear_sum_assignment(worth, maximize=True)
    best = int(confusion[rows, columns].sum())
    chosen = np.zeros(confusion.shape, dtype=np.bool_)
    chosen[rows, columns] = True
    found = np.full(len(confusion), -1, dtype=np.intp)
    for row, column in zip(rows, columns, strict=True):
        if confusion[row, column] and _needed(confusion, int(row), int(column), best):
            found[row] = column
    diagonal = int(confusion[same].sum())
    return Assignment(found, best, diagonal, int(confusion.sum()), chosen)


def _needed(confusion: NDArray[np.int64], row: int, column: int, best: int) -> bool:
    """Return whether every best assignment gives this class to this name."""
    without = confusion.copy()
    without[row, column] = -1
    rows, columns = linear_sum_assignment(without, maximize=True)
    return int(without[rows, columns].sum()) < best


@dataclass(frozen=True)
class CrossedGain:
    """The gain of assignments on matches that they were not chosen on.

    Attributes
    ----------
    value : float
        -1 to 1; NaN where there are fewer than two units.
    draws : (B,) float array
        In bootstrap samples of units.
    """

    value: float
    draws: FloatArray


def crossed_gain(
    shown: IntArray,
    true: IntArray,
    unit: IntArray,
    same: BoolArray,
    *,
    rng: np.random.Generator,
    resamples: int,
) -> CrossedGain:
    """Return what assignments gain on the other half of the units.

    The best assignment always gains something on the matches it was chosen on. Here units are
    halved at random, each half is explained by the assignment of the other, and the gain may fall
    below zero: without any order to be found it does so as often as not.

    Parameters
    ----------
    shown, true : (m,) int arrays
        Name and class of each match: row and column of the confusion.
    unit : (m,) int array
        Image or patient of each match.
    same : (r, c) bool array
        As in `best_assignment`.
    rng : numpy.random.Generator
    resamples : int

    References
    ----------
    Stone (1974), J R Stat Soc B 36:111 (cross-validatory choice and assessment).
    """
    names, code = np.unique(unit, return_inverse=True)
    if len(names) < 2:
        return CrossedGain(float("nan"), np.full(resamples, np.nan))
    half = (rng.permutation(len(names)) % 2 == 0)[code]
    won = -same[shown, true].astype(np.float64)
    for own in (half, ~half):
        confusion = np.zeros(same.shape, dtype=np.int64)
        np.add.at(confusion, (shown[~own], true[~own]), 1)
        won[own] += best_assignment(confusion, same).chosen[shown[own], true[own]]
    sums = sums_by_unit(np.column_stack([won, np.ones(len(won))]), code.astype(np.intp))
    drawn = resampled_sums(sums, rng, resamples=resamples)
    return CrossedGain(float(won.mean()), np.asarray(drawn[:, 0] / drawn[:, 1]))
