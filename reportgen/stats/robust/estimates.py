"""Figures of every group at given scores, with their variance between patients."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from reportgen.stats.robust.intervals import BoolArray, FloatArray
from reportgen.stats.robust.metrics import QUALITY, AuditSample
from reportgen.stats.subgroups.estimate import GroupEstimate, missing
from reportgen.stats.subgroups.metrics import area
from reportgen.stats.subgroups.rates import mean_by_patient, mean_of_rates, rate
from reportgen.stats.subgroups.study import arrange

IntArray = NDArray[np.intp]

NO_INTERVAL = "there is no interval for this metric"


def estimate_by_group(
    metric: str, sample: AuditSample, low: FloatArray, high: FloatArray, unit: IntArray
) -> tuple[list[GroupEstimate], list[GroupEstimate]]:
    """Return the lowest and the highest figure of each group, with variances.

    Parameters
    ----------
    metric : str
        One of METRICS.
    sample : AuditSample
    low, high : (n,) float arrays
        Ends of the score of each record.
    unit : (n,) int array
        Patient of each record, 0 upwards.

    Returns
    -------
    lowest, highest : lists of GroupEstimate
        One entry a group; a figure that cannot be had carries its reason.
    """
    if metric not in QUALITY:
        ends = (low, high)
    elif sample.positive is None:
        none = [missing("no labels")] * sample.n_groups
        return none, none
    else:
        worst = np.where(sample.positive, low, high)
        best = np.where(sample.positive, high, low)
        ends = (best, worst) if metric == "brier" else (worst, best)
    lowest, highest = (
        [_estimate(metric, sample, score, unit, group) for group in range(sample.n_groups)]
        for score in ends
    )
    return lowest, highest


def _estimate(
    metric: str, sample: AuditSample, score: FloatArray, unit: IntArray, group: int
) -> GroupEstimate:
    own = sample.group == group
    if not own.any():
        return missing("no rows")
    label = np.zeros(len(own), dtype=np.bool_) if sample.positive is None else sample.positive
    if metric == "auc":
        level = np.where(own, 0, 1)
        study = arrange(label, score, level, unit, n_levels=2)
        return area(study, 0)
    if metric == "brier":
        return _mean(np.square(score - label), own, unit)
    return _decided(metric, sample.flags(score), label, own, unit, soft=sample.decisions == "soft")


def _decided(
    metric: str, flag: FloatArray, label: BoolArray, own: BoolArray, unit: IntArray, *, soft: bool
) -> GroupEstimate:
    """Return a figure of decisions (0 or 1) or of soft ones (scores)."""
    positive, negative = own & label, own & ~label
    right = np.where(label, flag, 1 - flag)
    average = _mean if soft else _rate
    if metric == "selection_rate":
        return average(flag, own, unit)
    if metric == "accuracy":
        return average(right, own, unit)
    if metric in ("sensitivity", "false_positive_rate"):
        rows, name = (positive, "positives") if metric == "sensitivity" else (negative, "negatives")
        return average(flag, rows, unit) if rows.any() else missing(f"no {name}")
    if metric == "balanced_accuracy" and not soft:
        if not (positive.any() and negative.any()):
            return missing("no positives" if not positive.any() else "no negatives")
        return mean_of_rates(_rate(right, positive, unit), _rate(right, negative, unit))
    if metric in ("precision", "npv") and not soft:
        called = own & (flag == (1 if metric == "precision" else 0))
        empty = "no row is selected" if metric == "precision" else "every row is selected"
        return _rate(right, called, unit) if called.any() else missing(empty)
    return GroupEstimate(math.nan, reason=NO_INTERVAL)


def _rate(value: FloatArray, rows: BoolArray, unit: IntArray) -> GroupEstimate:
    patients, index = np.unique(unit[rows], return_inverse=True)
    top = np.bincount(index, value[rows], minlength=len(patients)).astype(np.float64)
    bottom = np.bincount(index, minlength=len(patients)).astype(np.float64)
    return rate(top, bottom, patients.astype(np.intp), empty="no rows")


def _mean(value: FloatArray, rows: BoolArray, unit: IntArray) -> GroupEstimate:
    patients, index = np.unique(unit[rows], return_inverse=True)
    total, squares = (
        np.bincount(index, part, minlength=len(patients)).astype(np.float64)
        for part in (value[rows], np.square(value[rows]))
    )
    count = np.bincount(index, minlength=len(patients)).astype(np.float64)
    return mean_by_patient(total, squares, count, patients.astype(np.intp))
