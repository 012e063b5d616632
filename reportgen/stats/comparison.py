"""The difference of two figures from their intervals, and how sure it is that there is one.

Two figures with a value and two limits each, such as two dossiers hold them, are subtracted by the
square-and-add rule (MOVER, the method of variance estimates recovery): the distance of each limit
of the difference is the root of the summed squares of the distances that bring it about. It keeps
the skewness of the intervals that go in and needs nothing but them. Two figures that are correlated
lie closer together than two independent ones; where their correlation is known it goes in too.

All functions are on arrays of figures; NaN in gives NaN out.

References
----------
Newcombe (1998), Stat Med 17:873 (method 10) and 17:2635 (paired, method 10); Zou & Donner (2008),
Stat Med 27:1693 (general form, and ratios on the log scale); Zou (2007), Psychol Methods 12:399
(correlated estimates); Benjamini & Hochberg (1995), J R Stat Soc B 57:289.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.stats import false_discovery_control, norm

from reportgen.stats.proportions import normal_quantile

FloatArray = NDArray[np.float64]


@dataclass(frozen=True)
class Limits:
    """Figures with their limits, all arrays of one shape.

    Attributes
    ----------
    value : (F,) float array
    low, high : (F,) float array
        low <= value <= high.
    """

    value: FloatArray
    low: FloatArray
    high: FloatArray

    @classmethod
    def of(cls, value: ArrayLike, low: ArrayLike, high: ArrayLike) -> Limits:
        """Return figures given as anything that makes an array."""
        made = [np.atleast_1d(np.asarray(part, dtype=np.float64)) for part in (value, low, high)]
        return cls(*made)


def difference(old: Limits, new: Limits, *, correlation: ArrayLike = 0.0) -> Limits:
    """Return new less old, by square-and-add.

    Parameters
    ----------
    old, new : Limits
        At one level of confidence, which is that of the result.
    correlation : (F,) array_like
        Of the two estimates, -1 to 1; 0 if they are independent. Where it is above 0 and taken for
        0, the interval is too wide.

    Returns
    -------
    Limits
    """
    rho = np.asarray(correlation, dtype=np.float64)
    value = new.value - old.value
    down = _square_and_add(new.value - new.low, old.high - old.value, rho)
    up = _square_and_add(new.high - new.value, old.value - old.low, rho)
    return Limits(value, value - down, value + up)


def _square_and_add(a: FloatArray, b: FloatArray, rho: FloatArray) -> FloatArray:
    return np.asarray(np.sqrt(np.maximum(a**2 + b**2 - 2 * rho * a * b, 0.0)))


def ratio(old: Limits, new: Limits, *, correlation: ArrayLike = 0.0) -> Limits:
    """Return new over old: the difference of the logarithms, taken back.

    Returns
    -------
    Limits
        NaN where a value or a lower limit is not above 0.
    """
    gap = difference(_logs(old), _logs(new), correlation=correlation)
    return Limits(*(np.exp(part) for part in (gap.value, gap.low, gap.high)))


def _logs(figures: Limits) -> Limits:
    with np.errstate(divide="ignore", invalid="ignore"):
        parts = [np.log(part) for part in (figures.value, figures.low, figures.high)]
    return Limits(*(np.where(np.isfinite(part), part, np.nan) for part in parts))


def size(figures: Limits) -> Limits:
    """Return the absolute value of figures that have a sign, with the limits that follow.

    An interval of a figure that holds 0 gives one of its size that begins at 0: wherever the figure
    lies in the one, its size lies in the other.
    """
    low, high = np.abs(figures.low), np.abs(figures.high)
    across = (figures.low <= 0) & (figures.high >= 0)
    return Limits(
        np.abs(figures.value),
        np.where(across, 0.0, np.minimum(low, high)),
        np.maximum(low, high),
    )


def two_sided_p(change: Limits, *, confidence: float, none: ArrayLike = 0.0) -> FloatArray:
    """Return the p value of no change that agrees with an interval.

    The error is taken from the limit on the side of no change, so that p is below 1 - confidence
    where the interval excludes no change, and only there.

    Parameters
    ----------
    change : Limits
        A difference, or a ratio of which the logarithms were taken.
    confidence : float
        Of the interval, 0 < confidence < 1.
    none : (F,) array_like
        The value that means no change.

    Returns
    -------
    (F,) float array
        NaN where there is no interval; NaN too where it is a point away from no change.
    """
    away = change.value - np.asarray(none, dtype=np.float64)
    reach = np.where(away > 0, change.value - change.low, change.high - change.value)
    with np.errstate(divide="ignore", invalid="ignore"):
        z = np.abs(away) / (reach / normal_quantile(confidence))
    z = np.where(away == 0, 0.0, np.where(np.isfinite(z), z, np.nan))
    return np.asarray(np.where(np.isnan(reach), np.nan, 2 * norm.sf(z)))


def adjusted(p: FloatArray) -> FloatArray:
    """Return Benjamini and Hochberg's adjusted p values; NaN are no part of the family.

    If no figure changed at all, one falls below a level with a probability of at most that level;
    of those that fall below, the expected share that did not change is at most that level (for
    figures that are independent or positively dependent).
    """
    found = np.full(len(p), np.nan)
    known = ~np.isnan(p)
    if known.any():
        found[known] = false_discovery_control(p[known], method="bh")
    return found
