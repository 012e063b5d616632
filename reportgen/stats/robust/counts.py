"""Metrics that depend on counts of decisions, at both ends of what the decisions can become."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from reportgen.stats.robust.intervals import BoolArray, FloatArray


@dataclass(frozen=True)
class Ends:
    """Lowest and highest value of a metric by group, (L,), and where 0/0 can be reached."""

    low: FloatArray
    high: FloatArray
    undefined: BoolArray


def counted_ends(metric: str, counts: Counts) -> Ends:
    """Return the ends of a metric that depends on counts of decisions; any shape (..., L)."""
    with np.errstate(divide="ignore", invalid="ignore"):
        return _COUNTED[metric](counts)


@dataclass(frozen=True)
class Counts:
    """True and false positives of each group at both ends, (..., L), and rows of each class."""

    tp_low: FloatArray
    tp_high: FloatArray
    fp_low: FloatArray
    fp_high: FloatArray
    positives: FloatArray
    negatives: FloatArray

    @classmethod
    def of(
        cls,
        group: NDArray[np.intp],
        positive: BoolArray | None,
        low: FloatArray,
        high: FloatArray,
        *,
        n_groups: int,
    ) -> Counts:
        """Count decisions (0 to 1) at both ends; without labels all rows count as negative."""
        # One pass for both classes: positives of group g are cell 2 g + 1.
        cell = 2 * group if positive is None else 2 * group + positive

        def by_class(value: FloatArray | None) -> FloatArray:
            sums = np.bincount(cell, value, minlength=2 * n_groups).astype(np.float64)
            return sums.reshape(n_groups, 2).T

        fp_low, tp_low = by_class(low)
        fp_high, tp_high = (fp_low, tp_low) if low is high else by_class(high)
        negatives, positives = by_class(None)
        return cls(tp_low, tp_high, fp_low, fp_high, positives, negatives)


def always_defined(low: FloatArray, high: FloatArray) -> Ends:
    """Return the ends of a metric whose denominator no move changes."""
    return Ends(low, high, np.zeros(low.shape, dtype=np.bool_))


def _selection(c: Counts) -> Ends:
    rows = c.positives + c.negatives
    return always_defined((c.tp_low + c.fp_low) / rows, (c.tp_high + c.fp_high) / rows)


def _sensitivity(c: Counts) -> Ends:
    return always_defined(c.tp_low / c.positives, c.tp_high / c.positives)


def _false_alarms(c: Counts) -> Ends:
    return always_defined(c.fp_low / c.negatives, c.fp_high / c.negatives)


def _accuracy(c: Counts) -> Ends:
    rows = c.positives + c.negatives
    return always_defined(
        (c.tp_low + c.negatives - c.fp_high) / rows, (c.tp_high + c.negatives - c.fp_low) / rows
    )


def _balanced(c: Counts) -> Ends:
    hit, alarm = _sensitivity(c), _false_alarms(c)
    return always_defined((hit.low + 1 - alarm.high) / 2, (hit.high + 1 - alarm.low) / 2)


def _f1(c: Counts) -> Ends:
    # Without positives F1 says nothing, whatever is selected.
    some = np.where(c.positives > 0, c.positives, np.nan)
    low = 2 * c.tp_low / (c.tp_low + c.fp_high + some)
    return always_defined(low, 2 * c.tp_high / (c.tp_high + c.fp_low + some))


def _precision(c: Counts) -> Ends:
    return _right_among_called(c.tp_low, c.tp_high, c.fp_low, c.fp_high)


def _npv(c: Counts) -> Ends:
    return _right_among_called(
        c.negatives - c.fp_high,
        c.negatives - c.fp_low,
        c.positives - c.tp_high,
        c.positives - c.tp_low,
    )


def _right_among_called(
    right_low: FloatArray, right_high: FloatArray, wrong_low: FloatArray, wrong_high: FloatArray
) -> Ends:
    """Return the ends of right / (right + wrong) over moves that call any row at all.

    Where the best end calls nobody, no right call is possible: any call made is wrong, which gives
    0. Where the worst end calls nobody, every call that can be made is right, which gives 1.
    """
    high = right_high / (right_high + wrong_low)
    high = np.where(np.isnan(high) & (wrong_high > 0), 0.0, high)
    low = right_low / (right_low + wrong_high)
    low = np.where(np.isnan(low) & (right_high > 0), 1.0, low)
    return Ends(low, high, np.asarray(right_low + wrong_low == 0))


_COUNTED = {
    "selection_rate": _selection,
    "sensitivity": _sensitivity,
    "false_positive_rate": _false_alarms,
    "accuracy": _accuracy,
    "balanced_accuracy": _balanced,
    "precision": _precision,
    "npv": _npv,
    "f1": _f1,
}
