"""Decisions counted by unit (patient), and their cluster bootstrap.

A unit is described by how many of its rows are positive, how many negative, and how many of each
reach every threshold. Units with the same description are interchangeable, so a bootstrap draws
how often each description occurs. Descriptions are sorted: no figure depends on row order.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]

_BLOCK = 2_000_000  # numbers held at once while resampling


@dataclass(frozen=True)
class Units:
    """The distinct descriptions of units, and how many units have each.

    Attributes
    ----------
    count : (K,) int array
        Units with the description, > 0.
    positives, negatives : (K,) int array
        Rows of each class in one such unit.
    true_positives, false_positives : (K, T) int array
        Rows of each class with score >= threshold.
    """

    count: IntArray
    positives: IntArray
    negatives: IntArray
    true_positives: IntArray
    false_positives: IntArray

    @property
    def n_units(self) -> int:
        """Number of units."""
        return int(self.count.sum())

    @property
    def n_rows(self) -> int:
        """Number of rows."""
        return int(np.dot(self.count, self.positives + self.negatives))

    @property
    def clustered(self) -> bool:
        """Whether any unit has several rows."""
        return bool((self.positives + self.negatives > 1).any())

    def cells(self) -> tuple[IntArray, IntArray, IntArray, IntArray]:
        """Return TP, FN, FP and TN over all rows, each (T,)."""
        tp, fp = self.count @ self.true_positives, self.count @ self.false_positives
        positives, negatives = self.count @ self.positives, self.count @ self.negatives
        return tp, positives - tp, fp, negatives - fp

    def fewest_units(self) -> IntArray:
        """Return, for each threshold, the units in the cell that rests on the fewest, (T,)."""
        missed = self.positives[:, None] - self.true_positives
        spared = self.negatives[:, None] - self.false_positives
        cells = (self.true_positives, missed, self.false_positives, spared)
        return np.asarray(np.min([self.count @ (cell > 0) for cell in cells], axis=0))

    def units_with(self) -> tuple[int, int]:
        """Return how many units have a positive row, and how many a negative one."""
        return (
            int(self.count[self.positives > 0].sum()),
            int(self.count[self.negatives > 0].sum()),
        )

    def effective_sizes(self) -> tuple[float, float]:
        """Return Kish's effective numbers of positive and negative rows, if a unit were one row.

        (sum of m)^2 / sum of m^2 over units with m rows: exact if all rows of a unit agree, else
        too small, so intervals that use it are too wide rather than too narrow.

        References
        ----------
        Kish (1965), Survey Sampling, section 5.4.
        """
        sizes = []
        for rows in (self.positives, self.negatives):
            total = float(self.count @ rows)
            sizes.append(total * total / float(self.count @ (rows * rows)) if total else 0.0)
        return sizes[0], sizes[1]


def describe(
    positive: NDArray[np.bool_], score: FloatArray, unit: NDArray[np.intp], thresholds: ArrayLike
) -> Units:
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

    Raises
    ------
    ValueError
        If there are no rows.
    """
    if not len(positive):
        raise ValueError("no rows")
    flagged = score[:, None] >= np.asarray(thresholds, dtype=float)
    rows = np.column_stack(
        [positive, ~positive, flagged & positive[:, None], flagged & ~positive[:, None]]
    )
    totals = np.zeros((int(unit.max()) + 1, rows.shape[1]), dtype=np.int64)
    np.add.at(totals, unit, rows)
    kinds, count = np.unique(totals, axis=0, return_counts=True)
    _, _, tp, fp = np.split(kinds, [1, 2, 2 + flagged.shape[1]], axis=1)
    return Units(count.astype(np.int64), kinds[:, 0], kinds[:, 1], tp, fp)


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


def resample(units: Units, *, rng: np.random.Generator, resamples: int) -> Draws:
    """Return the rates of `resamples` bootstrap samples of units, drawn with replacement."""
    thresholds = units.true_positives.shape[1]
    columns = np.column_stack(
        [units.positives, units.negatives, units.true_positives, units.false_positives]
    ).astype(float)
    share = units.count / units.n_units
    block = max(1, _BLOCK // len(share))
    parts = []
    for start in range(0, resamples, block):
        size = min(block, resamples - start)
        parts.append(rng.multinomial(units.n_units, share, size=size) @ columns)
    totals = np.concatenate(parts)
    n1, n0 = totals[:, :1], totals[:, 1:2]
    tp, fp = totals[:, 2 : 2 + thresholds], totals[:, 2 + thresholds :]
    with np.errstate(invalid="ignore"):  # 0/0: the resample has no such row
        return Draws(tp / n1, 1 - fp / n0, (n1 / (n1 + n0))[:, 0])


def percentile_interval(draws: FloatArray, *, confidence: float) -> tuple[float, float]:
    """Return the percentile interval of the defined draws; NaN if there are none.

    References
    ----------
    Efron & Tibshirani (1993), An Introduction to the Bootstrap, section 13.3.
    """
    defined = draws[~np.isnan(draws)]
    if not len(defined):
        return math.nan, math.nan
    tail = (1 - confidence) / 2
    low, high = np.quantile(defined, [tail, 1 - tail])
    return float(low), float(high)
