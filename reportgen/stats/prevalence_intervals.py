"""Intervals of figures at another class mix, from the counts behind sensitivity and specificity.

One row a patient is assumed; with several, see :mod:`reportgen.stats.unit_counts`.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import expit, logit

from reportgen.stats.prevalence import CURVED, Linear, npv, precision
from reportgen.stats.proportions import (
    Interval,
    Proportion,
    linear_mover,
    normal_quantile,
    ratio_score,
    rising_interval,
)

FloatArray = NDArray[np.float64]


def curved_interval(
    name: str,
    sensitivity: Proportion,
    specificity: Proportion,
    prevalence: float,
    *,
    confidence: float,
) -> Interval:
    """Return the interval of F1, MCC or kappa by propagating imprecision from Wilson limits."""
    figure = CURVED[name]
    return rising_interval(
        lambda se, sp: figure(se, sp, prevalence), sensitivity, specificity, confidence=confidence
    )


def linear_interval(
    figure: Linear,
    sensitivity: Proportion | None,
    specificity: Proportion | None,
    *,
    confidence: float,
) -> Interval:
    """Return the MOVER interval of a linear figure from Wilson limits.

    Raises
    ------
    ValueError
        If a side that the figure rests on has no counts.
    """
    sides = []
    for weight, share in ((figure.a, sensitivity), (figure.b, specificity)):
        if weight:
            if share is None:
                raise ValueError("a side of this figure has no counts")
            sides.append((weight, share))
    return linear_mover(sides, constant=figure.constant, confidence=confidence)


def likelihood_ratio_intervals(
    sensitivity: Proportion, specificity: Proportion, *, confidence: float
) -> tuple[Interval, Interval]:
    """Return the score intervals of LR+ = se / (1 - sp) and of LR- = (1 - se) / sp."""
    positive = ratio_score(sensitivity, specificity.complement, confidence=confidence)
    negative = ratio_score(sensitivity.complement, specificity, confidence=confidence)
    return positive, negative


def _logit(prevalence: ArrayLike) -> FloatArray:
    return np.asarray(logit(np.asarray(prevalence, dtype=float)))


def precision_from_ratio(ratio: ArrayLike, prevalence: ArrayLike) -> FloatArray:
    """Return the precision of a positive likelihood ratio, 0 to infinity, at a prevalence.

    logit(PPV) = logit(prevalence) + ln(LR+): one interval of LR+ gives that of the precision at
    every prevalence.
    """
    with np.errstate(divide="ignore"):
        return np.asarray(expit(_logit(prevalence) + np.log(np.asarray(ratio, dtype=float))))


def npv_from_ratio(ratio: ArrayLike, prevalence: ArrayLike) -> FloatArray:
    """Return the negative predictive value of a negative likelihood ratio, 0 to infinity.

    logit(NPV) = -logit(prevalence) - ln(LR-); it falls as the ratio rises.
    """
    with np.errstate(divide="ignore"):
        return np.asarray(expit(-_logit(prevalence) - np.log(np.asarray(ratio, dtype=float))))


def mercaldo(
    sensitivity: Proportion, specificity: Proportion, prevalence: float, *, confidence: float
) -> tuple[Interval | None, Interval | None]:
    """Return the standard logit intervals of precision and negative predictive value.

    Returns
    -------
    precision, npv : (float, float) or None
        None where a cell that the interval divides by is zero, or its width is (everybody flagged,
        or nobody).

    References
    ----------
    Mercaldo, Lau & Zhou (2007), Stat Med 26:2170.
    """
    z = normal_quantile(confidence)
    missed, alarms = sensitivity.complement, specificity.complement

    def limits(centre: FloatArray, top: Proportion, bottom: Proportion) -> Interval | None:
        variance = sum((1 - share.value) / share.k for share in (top, bottom))
        if variance == 0:
            return None
        half = z * math.sqrt(variance)
        return float(expit(logit(centre) - half)), float(expit(logit(centre) + half))

    se, sp = sensitivity.value, specificity.value
    ppv_limits = npv_limits = None
    if sensitivity.k and alarms.k:
        centre = precision(se, sp, prevalence)
        ppv_limits = limits(centre, sensitivity, alarms)
    if specificity.k and missed.k:
        centre = npv(se, sp, prevalence)
        npv_limits = limits(centre, missed, specificity)
    return ppv_limits, npv_limits


def odds_ratio_interval(
    sensitivity: Proportion, specificity: Proportion, *, confidence: float
) -> Interval:
    """Return the logit interval of the diagnostic odds ratio; NaN where a cell is zero.

    References
    ----------
    Woolf (1955), Ann Hum Genet 19:251.
    """
    cells = (sensitivity.k, sensitivity.complement.k, specificity.k, specificity.complement.k)
    if not all(cells):
        return math.nan, math.nan
    centre = math.log(cells[0] * cells[2] / (cells[1] * cells[3]))
    half = normal_quantile(confidence) * math.sqrt(sum(1 / cell for cell in cells))
    return math.exp(centre - half), math.exp(centre + half)
