"""Calibration intercept and slope of a group, with errors that respect patients.

References
----------
Cox (1958), Biometrika 45:562; Van Calster et al. (2019), BMC Med 17:230 (what the two say); Liang &
Zeger (1986), Biometrika 73:13 (the variance between patients).
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit, logit

from reportgen.stats.subgroups.estimate import GroupEstimate, missing
from reportgen.stats.subgroups.study import BoolArray, FloatArray, IntArray

METHOD = "t, logistic regression, variance between patients"
_STEPS = 60
_CLOSE = 1e-10


@dataclass(frozen=True)
class Calibration:
    """Both figures of calibration.

    Attributes
    ----------
    intercept : GroupEstimate
        Of a logistic regression on the logit of the score with slope 1: 0 where the mean risk is
        right, above 0 where risks are too low.
    slope : GroupEstimate
        Of the logistic regression with intercept and slope free: 1 is right, below 1 too extreme.
    """

    intercept: GroupEstimate
    slope: GroupEstimate


def calibration(positive: BoolArray, score: FloatArray, patient: IntArray) -> Calibration:
    """Return the calibration intercept and slope of one group.

    Parameters
    ----------
    positive : (k,) bool array
    score : (k,) float array
        Probabilities, 0 to 1.
    patient : (k,) int array
    """
    reason = _hindrance(positive, score)
    if reason:
        return Calibration(missing(reason), missing(reason))
    z, y = logit(score), positive.astype(np.float64)
    ones = np.ones((len(z), 1))
    intercept = _fit(ones, y, z, patient, column=0)
    reason = _no_slope(positive, z)
    if reason:
        return Calibration(intercept, missing(reason))
    slope = _fit(np.column_stack([ones, z]), y, np.zeros(len(z)), patient, column=1)
    return Calibration(intercept, slope)


def _hindrance(positive: BoolArray, score: FloatArray) -> str:
    if not positive.any():
        return "no positives"
    if positive.all():
        return "no negatives"
    ends = int(np.count_nonzero((score <= 0) | (score >= 1)))
    return f"{ends} scores of 0 or 1 have no logit" if ends else ""


def _no_slope(positive: BoolArray, z: FloatArray) -> str:
    if z.min() == z.max():
        return "all scores are equal"
    first, second = z[positive], z[~positive]
    if first.min() >= second.max() or first.max() <= second.min():
        return "the scores separate the classes"
    return ""


def _fit(
    design: FloatArray, y: FloatArray, offset: FloatArray, patient: IntArray, *, column: int
) -> GroupEstimate:
    """Return one coefficient of a logistic regression with its variance between patients."""
    beta = _newton(design, y, offset)
    if beta is None:
        return missing("the logistic regression does not converge")
    mu = expit(design @ beta + offset)
    bread = np.linalg.inv(design.T @ (design * (mu * (1 - mu))[:, None]))
    row_influence = (design * (y - mu)[:, None]) @ bread[:, column]
    units, code = np.unique(patient, return_inverse=True)
    influence = np.bincount(code, row_influence, minlength=len(units)).astype(np.float64)
    if len(units) < 2:
        return missing("rests on one patient")
    variance = float(influence @ influence) * len(units) / (len(units) - 1)
    n = len(y)
    return GroupEstimate(
        float(beta[column]),
        variance,
        float(row_influence @ row_influence) * n / (n - 1),
        ((variance, len(units) - 1),),
        units,
        influence,
        "plain",
        METHOD,
        float(n),
    )


def _newton(design: FloatArray, y: FloatArray, offset: FloatArray) -> FloatArray | None:
    """Return the maximum likelihood, or None where it is not reached.

    Steps are halved until the likelihood rises, so that far-off scores cannot throw it out.
    """
    beta = np.zeros(design.shape[1])
    now = _log_likelihood(design @ beta + offset, y)
    for _ in range(_STEPS):
        mu = expit(design @ beta + offset)
        information = design.T @ (design * (mu * (1 - mu))[:, None])
        try:
            step = np.linalg.solve(information, design.T @ (y - mu))
        except np.linalg.LinAlgError:
            return None
        size = 1.0
        while size > _CLOSE:
            then = _log_likelihood(design @ (beta + size * step) + offset, y)
            if then >= now - 1e-12 * abs(now):
                break
            size /= 2
        beta, now = beta + size * step, then
        if not np.isfinite(beta).all():
            return None
        if np.abs(step).max() < _CLOSE * (1 + np.abs(beta).max()):
            return beta
    return None


def _log_likelihood(eta: FloatArray, y: FloatArray) -> float:
    return float(-(np.logaddexp(0, eta) - y * eta).sum())


def recalibrations(
    positive: BoolArray, z: FloatArray, weights: NDArray[np.float64], *, start: FloatArray
) -> FloatArray:
    """Return intercept and slope of the logistic recalibration under each row of weights.

    Parameters
    ----------
    positive : (k,) bool array
    z : (k,) float array
        Logit of the scores.
    weights : (b, k) float array
        How often each row counts.
    start : (2,) float array
        The fit with all weights 1; Newton's steps begin there.

    Returns
    -------
    (b, 2) float array
        NaN where a draw holds one class, or eight steps do not settle it.
    """
    y = positive.astype(np.float64)
    beta = np.tile(start, (len(weights), 1))
    change = np.full(len(weights), math.inf)
    with np.errstate(invalid="ignore", divide="ignore", over="ignore"):
        for _ in range(8):
            mu = expit(beta[:, :1] + beta[:, 1:] * z)
            curve = weights * mu * (1 - mu)
            residual = weights * (y - mu)
            a, b, c = curve.sum(axis=1), curve @ z, curve @ (z * z)
            g, h = residual.sum(axis=1), residual @ z
            determinant = a * c - b * b
            step = np.column_stack([c * g - b * h, a * h - b * g]) / determinant[:, None]
            beta = beta + step
            change = np.abs(step).max(axis=1)
            if not (change > 1e-8).any():
                break
    beta[~(change <= 1e-6)] = np.nan
    return beta


def recalibration(positive: BoolArray, score: FloatArray) -> tuple[FloatArray | None, str]:
    """Return intercept and slope of the logistic recalibration of a group, or None and why not."""
    reason = _hindrance(positive, score) or _no_slope(positive, logit(np.clip(score, 1e-300, None)))
    if reason:
        return None, reason
    z = logit(score)
    design = np.column_stack([np.ones(len(z)), z])
    beta = _newton(design, positive.astype(np.float64), np.zeros(len(z)))
    return beta, "" if beta is not None else "the logistic regression does not converge"
