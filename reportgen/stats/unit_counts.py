"""Decisions at thresholds, counted by unit (patient), and their cluster bootstrap.

Rows enter by their class and the thresholds they reach; units whose rows enter alike are taken
together and drawn as :mod:`reportgen.stats.resampling` has it, so no figure depends on row order.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from reportgen.stats.resampling import Units, joint_cells, resampled_counts, unit_signatures

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]


@dataclass(frozen=True)
class UnitCounts:
    """What units hold, those that hold the same taken together.

    Attributes
    ----------
    units : Units
        Signatures S with the number of units of each.
    positives, negatives : (S,) int arrays
        Rows of each class in one such unit.
    true_positives, false_positives : (S, T) int arrays
        Rows of each class with score >= threshold.
    """

    units: Units
    positives: IntArray
    negatives: IntArray
    true_positives: IntArray
    false_positives: IntArray

    @property
    def n_units(self) -> int:
        """Number of units."""
        return self.units.n

    @property
    def n_rows(self) -> int:
        """Number of rows."""
        return int(np.dot(self.units.count, self.positives + self.negatives))

    @property
    def clustered(self) -> bool:
        """Whether any unit has several rows."""
        return bool((self.positives + self.negatives > 1).any())

    @property
    def prevalence(self) -> float:
        """Share of rows that are positive, 0 to 1."""
        return int(np.dot(self.units.count, self.positives)) / self.n_rows

    def cells(self) -> tuple[IntArray, IntArray, IntArray, IntArray]:
        """Return TP, FN, FP and TN over all rows, each (T,)."""
        count = self.units.count
        tp, fp = count @ self.true_positives, count @ self.false_positives
        positives, negatives = count @ self.positives, count @ self.negatives
        return tp, positives - tp, fp, negatives - fp

    def fewest_units(self) -> IntArray:
        """Return, for each threshold, the units in the cell that rests on the fewest, (T,)."""
        missed = self.positives[:, None] - self.true_positives
        spared = self.negatives[:, None] - self.false_positives
        cells = (self.true_positives, missed, self.false_positives, spared)
        return np.asarray(np.min([self.units.count @ (cell > 0) for cell in cells], axis=0))

    def units_with(self) -> tuple[int, int]:
        """Return how many units have a positive row, and how many a negative one."""
        return (
            int(self.units.count[self.positives > 0].sum()),
            int(self.units.count[self.negatives > 0].sum()),
        )

    def effective_sizes(self) -> tuple[float, float]:
        """Return Kish's effective numbers of positive and of negative rows."""
        count = self.units.count
        return effective_size(self.positives, count), effective_size(self.negatives, count)


def effective_size(rows: ArrayLike, count: ArrayLike) -> float:
    """Return Kish's effective number of rows, were all rows of a unit one.

    (sum of m)^2 / sum of m^2 over units with m rows: exact if all rows of a unit agree, else too
    small, so intervals that use it are too wide rather than too narrow.

    Parameters
    ----------
    rows : (S,) array_like
        Rows of a unit of each kind, >= 0.
    count : (S,) array_like
        Units of each kind.

    Returns
    -------
    float
        0 if there are no rows; the number of rows if no unit has several.

    References
    ----------
    Kish (1965), Survey Sampling, section 5.4.
    """
    size, units = np.asarray(rows, dtype=float), np.asarray(count, dtype=float)
    total = float(units @ size)
    return total * total / float(units @ np.square(size)) if total else 0.0


def describe(
    positive: NDArray[np.bool_], score: FloatArray, unit: NDArray[np.intp], thresholds: ArrayLike
) -> UnitCounts:
    """Return the units of a table by what they contribute at each threshold.

    Parameters
    ----------
    positive : (n,) bool array
        Whether the row is positive.
    score : (n,) float array
        A row is flagged where score >= threshold.
    unit : (n,) int array
        Unit of each row, 0 to U - 1.
    thresholds : (T,) array_like of float
        In any order.

    Raises
    ------
    ValueError
        If there are no rows.
    """
    if not len(positive):
        raise ValueError("no rows")
    cuts = np.asarray(thresholds, dtype=float)
    reached = np.searchsorted(np.sort(cuts), score, side="right")
    cells = joint_cells([positive.astype(np.intp), reached])
    units = unit_signatures(cells.of_row, unit, n_cells=len(cells.row))
    of_class = np.column_stack([positive, ~positive])[cells.row]
    flagged = score[cells.row, None] >= cuts
    kinds = np.hstack([of_class, flagged & of_class[:, :1], flagged & of_class[:, 1:]])
    held = np.rint(units.cells @ kinds.astype(float)).astype(np.int64)
    return UnitCounts(
        units, held[:, 0], held[:, 1], held[:, 2 : 2 + len(cuts)], held[:, 2 + len(cuts) :]
    )


@dataclass(frozen=True)
class Draws:
    """Resampled rates; NaN where a resample holds no row of the class.

    Attributes
    ----------
    sensitivity, specificity : (B, T) float array
    prevalence : (B,) float array
        Share of positives.
    """

    sensitivity: FloatArray
    specificity: FloatArray
    prevalence: FloatArray


def resample(counts: UnitCounts, *, rng: np.random.Generator, resamples: int) -> Draws:
    """Return the rates of `resamples` bootstrap samples of units, drawn with replacement."""
    thresholds = counts.true_positives.shape[1]
    held = np.column_stack(
        [counts.positives, counts.negatives, counts.true_positives, counts.false_positives]
    ).astype(float)
    drawn = resampled_counts(counts.units, rng, resamples=resamples)
    totals = np.concatenate([block @ held for block in drawn])
    n1, n0 = totals[:, :1], totals[:, 1:2]
    tp, fp = totals[:, 2 : 2 + thresholds], totals[:, 2 + thresholds :]
    with np.errstate(invalid="ignore"):  # 0/0: the resample has no such row
        return Draws(tp / n1, 1 - fp / n0, (n1 / (n1 + n0))[:, 0])
