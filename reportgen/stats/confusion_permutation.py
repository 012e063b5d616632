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


def resampled_gain(
    shown: IntArray,
    true: IntArray,
    unit: IntArray,
    assignment: Assignment,
    same: BoolArray,
    *,
    rng: np.random.Generator,
    resamples: int,
) -> FloatArray:
    """Return the gain of this assignment in bootstrap samples of units.

    The assignment is held as found: were it sought anew in each sample, no gain could be below
    zero and chance alone would show one.

    Parameters
    ----------
    shown, true : (m,) int arrays
        Name and class of each match: row and column of the confusion.
    unit : (m,) int array
        Image or patient of each match, 0 upwards.
    assignment : Assignment
    same : (r, c) bool array
        As in `best_assignment`.
    rng : numpy.random.Generator
    resamples : int

    Returns
    -------
    (B,) float array
        -1 to 1.
    """
    won = assignment.chosen[shown, true].astype(np.float64) - same[shown, true]
    _, codes = np.unique(unit, return_inverse=True)
    sums = sums_by_unit(np.column_stack([won, np.ones(len(won))]), codes)
    drawn = resampled_sums(sums, rng, resamples=resamples)
    return np.asarray(drawn[:, 0] / drawn[:, 1])
