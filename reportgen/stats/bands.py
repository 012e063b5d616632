"""Intervals and bands from resamples: pointwise percentiles, and sup-t for a whole curve at once.

References
----------
Efron & Tibshirani (1993), An Introduction to the Bootstrap, ch. 13 (percentile interval).
Montiel Olea & Plagborg-Møller (2019), J Appl Econom 34:1 (sup-t bands from resamples).
Pfeiffer & Gail (2020), Biom J 62:764 (simultaneous bands of net benefit).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

FloatArray = NDArray[np.float64]

STILL = 1e-12
"""Resamples that spread no further than this do not vary: it is the rounding of a constant."""

MOST_UNDEFINED = 0.05
"""A point undefined (NaN) in a larger share of resamples than this gets no limits."""


@dataclass(frozen=True)
class Band:
    """Limits that hold for all points of a curve at once.

    Attributes
    ----------
    low, high : (..., T) float arrays
        NaN where the point has no limits.
    critical : (...) float array
        The factor of the standard error; NaN if no point of the curve varies.
    """

    low: FloatArray
    high: FloatArray
    critical: FloatArray


def percentile_interval(draws: FloatArray, *, confidence: float) -> tuple[FloatArray, FloatArray]:
    """Return the percentile interval at each point.

    Parameters
    ----------
    draws : (B, ...) float array
        Resamples; NaN where a resample leaves the point undefined. They may be infinite.
    confidence : float
        0 < confidence < 1.

    Returns
    -------
    low, high : (...) float arrays
        From the resamples that define the point; NaN if a larger share than MOST_UNDEFINED of
        them does not.
    """
    tail = (1 - confidence) / 2
    # Sorted once along the last axis: both limits are then look-ups; NaN are sorted last.
    ordered = np.sort(np.moveaxis(draws, 0, -1), axis=-1)
    defined = np.count_nonzero(~np.isnan(ordered), axis=-1)
    usable = defined >= (1 - MOST_UNDEFINED) * len(draws)
    limits = [_quantile_of_sorted(ordered, defined, share) for share in (tail, 1 - tail)]
    low, high = (np.where(usable, limit, np.nan) for limit in limits)
    return low, high


def _quantile_of_sorted(ordered: FloatArray, defined: NDArray[np.intp], share: float) -> FloatArray:
    """Return the quantile of the first `defined` values, as numpy's default (linear) gives it."""
    position = np.maximum(defined - 1, 0) * share
    below = np.floor(position).astype(np.intp)
    above = np.minimum(below + 1, np.maximum(defined - 1, 0))
    first = np.take_along_axis(ordered, below[..., None], axis=-1)[..., 0]
    second = np.take_along_axis(ordered, above[..., None], axis=-1)[..., 0]
    part = position - below
    # Draws may be infinite (a ratio over zero); between two equals there is nothing to weigh.
    with np.errstate(invalid="ignore"):
        between = first + (second - first) * part
    return np.where((part == 0) | (first == second), first, between)


def standard_deviation(draws: FloatArray) -> FloatArray:
    """Return the standard deviation over the first axis, exactly 0 where the draws do not vary.

    Parameters
    ----------
    draws : (B, ...) float array
        At least two resamples; NaN where undefined.

    Returns
    -------
    (...) float array
        NaN if over MOST_UNDEFINED of the resamples are undefined.
    """
    undefined = np.isnan(draws)
    known = len(draws) - undefined.sum(axis=0)
    filled = np.where(undefined, 0.0, draws) if undefined.any() else draws
    mean = filled.sum(axis=0) / np.maximum(known, 1)
    residual = filled - mean
    residual[undefined] = 0.0
    still = np.abs(residual).max(axis=0) <= STILL * np.maximum(1.0, np.abs(mean))
    spread = np.sqrt((residual**2).sum(axis=0) / np.maximum(known - 1, 1))
    usable = known >= (1 - MOST_UNDEFINED) * len(draws)
    return np.where(usable, np.where(still, 0.0, spread), np.nan)


def sup_t_band(point: FloatArray, draws: FloatArray, *, confidence: float) -> Band:
    """Return the band that holds the whole curve with the given confidence.

    The critical value is the quantile, over resamples, of the largest deviation from the point
    estimate in standard errors, over the points of the curve. Points that do not vary take no part
    in it, and there the band is the point.

    Parameters
    ----------
    point : (..., T) float array
        The curves; NaN where undefined.
    draws : (B, ..., T) float array
        Their resamples; NaN where undefined.
    confidence : float
        0 < confidence < 1.
    """
    error = standard_deviation(draws)
    varies = (error > 0) & ~np.isnan(point)
    deviation = draws - np.where(varies, point, 0.0)
    np.abs(deviation, out=deviation)
    deviation *= np.where(varies, 1 / np.where(varies, error, 1.0), 0.0)
    # fmax passes over NaN, the points that a resample leaves undefined.
    largest = np.fmax.reduce(deviation, axis=-1, initial=0.0)
    critical = np.quantile(largest, confidence, axis=0)
    half = critical[..., None] * error
    return Band(point - half, point + half, np.where(varies.any(axis=-1), critical, np.nan))
