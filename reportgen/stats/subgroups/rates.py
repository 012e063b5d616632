"""Rates and means of rows that come in patients, with the variance of a ratio of sums."""

from __future__ import annotations

import math

import numpy as np

from reportgen.stats.subgroups.estimate import GroupEstimate, covariance, missing
from reportgen.stats.subgroups.study import FloatArray, IntArray

WILSON = "Wilson, n / design effect"
ONE_PATIENT = "rests on one patient"
_STILL = 1e-24  # a variance this small is the rounding of none


def rate(top: FloatArray, bottom: FloatArray, patients: IntArray, *, empty: str) -> GroupEstimate:
    """Return a rate, sum of `top` over sum of `bottom`, with its patient-level variance.

    Parameters
    ----------
    top, bottom : (k,) float arrays
        Rows counted and rows that could count, by patient; 0 <= top <= bottom.
    patients : (k,) int array
        The patients, ascending.
    empty : str
        The reason to give where no row could count.

    Notes
    -----
    The variance is that of the ratio estimator, I / (I - 1) sum (top - p bottom)^2 / (sum bottom)^2
    over the I patients with bottom > 0. The interval is Wilson's with the effective number of rows,
    p (1 - p) over that variance, times (z / t_{I - 1})^2 because the variance is estimated from I
    patients (Korn & Graubard, with z for their t of the rows less 1). Two cases leave nothing to be
    estimated. Where all patients have as many rows, and each all alike, these are one row a patient
    written several times (or once): the interval is Wilson's own of I rows. Where patients do not
    differ (a rate of 0 or 1 above all) the data do not show how alike the rows of a patient are:
    they are taken to be all alike, n = (sum m)^2 / sum m^2, which is the widest. None of it depends
    on how often the same rows are written: there is no cap at the rows, which repeated images would
    lift.

    References
    ----------
    Rao & Scott (1992), Biometrics 48:577 (effective sizes of clustered binary data); Korn &
    Graubard (1998), Surv Methodol 24:193 (intervals from them); Kish (1965), Survey Sampling.
    """
    used = bottom > 0
    top, bottom, patients = top[used], bottom[used], patients[used]
    rows = float(bottom.sum())
    if not rows:
        return missing(empty)
    value = float(top.sum()) / rows
    influence = (top - value * bottom) / rows
    units = len(patients)
    if units < 2:
        return GroupEstimate(
            value, patients=patients, influence=influence, rows=rows, reason=ONE_PATIENT
        )
    variance = float(influence @ influence) * units / (units - 1)
    image_variance = value * (1 - value) / (rows - 1)
    effective, known = _effective(top, bottom, value, variance)
    return GroupEstimate(
        value,
        variance,
        image_variance,
        ((variance, units - 1),),
        patients,
        influence,
        "wilson",
        WILSON,
        rows,
        effective,
        known,
    )


def _effective(
    top: FloatArray, bottom: FloatArray, value: float, variance: float
) -> tuple[float, bool]:
    """Return the effective rows, and whether they are known without an estimated variance."""
    alike = bool(np.all((top == 0) | (top == bottom)))
    if alike and bool(np.all(bottom == bottom[0])):
        return float(len(bottom)), True
    if not variance > _STILL * value * (1 - value):
        return float(bottom.sum()) ** 2 / float(bottom @ bottom), True
    return value * (1 - value) / variance, False


def mean_of_rates(first: GroupEstimate, second: GroupEstimate) -> GroupEstimate:
    """Return the mean of two rates of one group, such as balanced accuracy.

    Its interval is made from those of the two rates by MOVER, correlated through patients with rows
    in both.
    """
    for part in (first, second):
        if math.isnan(part.value):
            return missing(part.reason)
    value = (first.value + second.value) / 2
    patients = np.union1d(first.patients, second.patients)
    influence = np.zeros(len(patients))
    for part in (first, second):
        influence[np.searchsorted(patients, part.patients)] += part.influence / 2
    variance = (first.variance + second.variance + 2 * covariance(first, second)) / 4
    return GroupEstimate(
        value,
        variance,
        (first.image_variance + second.image_variance) / 4,
        tuple((v / 4, df) for part in (first, second) for v, df in part.pieces),
        patients,
        influence,
        "mean",
        "MOVER of two Wilson intervals, n / design effect",
        first.rows + second.rows,
        parts=(first, second),
        reason=first.reason or second.reason,
    )


def mean_by_patient(
    total: FloatArray,
    squares: FloatArray,
    rows: FloatArray,
    patients: IntArray,
) -> GroupEstimate:
    """Return the mean of a quantity between 0 and 1 over rows, such as the Brier score.

    Parameters
    ----------
    total, squares : (k,) float arrays
        Sum of the quantity, and of its square, over the rows of each patient.
    rows : (k,) float array
        Rows of each patient, > 0.
    patients : (k,) int array

    Notes
    -----
    The interval is by t on the logit scale, with the ratio estimator's variance.
    """
    n, units = float(rows.sum()), len(patients)
    value = float(total.sum()) / n
    influence = (total - value * rows) / n
    if units < 2:
        return GroupEstimate(
            value, patients=patients, influence=influence, rows=n, reason=ONE_PATIENT
        )
    variance = float(influence @ influence) * units / (units - 1)
    image_variance = max(0.0, float(squares.sum()) / n - value**2) / (n - 1)
    return GroupEstimate(
        value,
        variance,
        image_variance,
        ((variance, units - 1),),
        patients,
        influence,
        "logit",
        "logit t, variance between patients",
        n,
    )
