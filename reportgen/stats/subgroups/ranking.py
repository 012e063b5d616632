"""The exact area under the ROC curve in every patient draw, with ties and several images a patient.

Rows are sorted by score once. In a draw each row weighs as often as its patient was taken: a
running sum over one class, looked up at every row of the other, counts the pairs in whole numbers.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from reportgen.stats.subgroups.draws import CountArray
from reportgen.stats.subgroups.study import BoolArray, FloatArray, IntArray

_LARGEST = 2.0**31  # pairs that 32 bits can count


class AreaPlan:
    """How to count the pairs of one set of rows in any draw of patients.

    Parameters
    ----------
    positive : (k,) bool array
    score : (k,) float array
    patient : (k,) int array
        Column of the draws that belongs to each row.
    """

    def __init__(self, positive: BoolArray, score: FloatArray, patient: IntArray) -> None:
        order = np.argsort(score, kind="stable")
        inner_class = np.count_nonzero(positive) <= len(positive) / 2  # the rarer class is summed
        inner = order[positive[order] == inner_class]
        outer = order[positive[order] != inner_class]
        self._sum_negatives = not inner_class
        self._inner, self._outer = patient[inner], patient[outer]
        self._below = np.searchsorted(score[inner], score[outer], side="left")
        upto = np.searchsorted(score[inner], score[outer], side="right")
        tied = np.flatnonzero(self._below != upto)
        self._tied, self._from, self._upto = self._outer[tied], self._below[tied], upto[tied]

    def areas(self, counts: CountArray) -> FloatArray:
        """Return the area in each draw; NaN where a draw holds one class only.

        Parameters
        ----------
        counts : (b, P) int array
            How often each draw takes each patient.

        Returns
        -------
        (b,) float array
            Equal to the area of the rows repeated as often as drawn; ties count one half.
        """
        draws = len(counts)
        running = np.zeros((draws, len(self._inner) + 1), dtype=np.int32)
        weight = _taken(counts, self._inner)
        np.cumsum(weight, axis=1, out=running[:, 1:])
        weight = _taken(counts, self._outer)
        pairs = weight.sum(axis=1, dtype=np.int32) * running[:, -1].astype(np.float64)
        small = bool(pairs.max(initial=0.0) < _LARGEST)
        twice = 2 * _sums(weight, _taken(running, self._below), small=small)
        if len(self._tied):
            ties = _taken(running, self._upto) - _taken(running, self._from)
            twice += _sums(_taken(counts, self._tied), ties, small=small)
        with np.errstate(invalid="ignore", divide="ignore"):  # 0/0: one class only
            share = twice / (2 * pairs)
            return share if self._sum_negatives else np.where(pairs > 0, 1 - share, np.nan)


def _taken(table: CountArray, columns: IntArray) -> CountArray:
    # "clip" spares the check of every index; all are in range by construction.
    return np.take(table, columns, axis=1, mode="clip")


def _sums(weight: CountArray, level: CountArray, *, small: bool) -> FloatArray:
    """Return the sum of products of each draw, exact: in 32 bits if `small`, else below 2^53."""
    if small:
        return np.asarray(np.einsum("br,br->b", weight, level), dtype=np.float64)
    return np.asarray(np.einsum("br,br->b", weight, level, dtype=np.float64, casting="safe"))


def weighted_areas(
    positive: BoolArray, score: FloatArray, weights: NDArray[np.float64]
) -> FloatArray:
    """Return the area with a weight for each row, one result a row of `weights`.

    Parameters
    ----------
    positive : (k,) bool array
    score : (k,) float array
    weights : (b, k) float array
        Not negative.

    Returns
    -------
    (b,) float array
        The weighted share of pairs ranked rightly, ties one half; NaN where a class weighs nothing.
    """
    order = np.argsort(score, kind="stable")
    negative, positives = order[~positive[order]], order[positive[order]]
    running = np.zeros((len(weights), len(negative) + 1))
    np.cumsum(weights[:, negative], axis=1, out=running[:, 1:])
    below = np.searchsorted(score[negative], score[positives], side="left")
    upto = np.searchsorted(score[negative], score[positives], side="right")
    weight = weights[:, positives]
    right = np.einsum("br,br->b", weight, running[:, below] + running[:, upto]) / 2
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.asarray(right / (weight.sum(axis=1) * running[:, -1]))
