"""Intervals of proportions, of sums of them and of their ratio.

Counts may be fractions (effective sample sizes), so everything is written for real numbers. Where
NumPy arrays are allowed they broadcast.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.optimize import brentq
from scipy.stats import beta, norm

FloatArray = NDArray[np.float64]
Interval = tuple[float, float]

_FARTHEST = 700.0  # |ln ratio| beyond which exp() leaves the range of a double


@dataclass(frozen=True)
class Proportion:
    """`k` of `n`, 0 <= k <= n, n > 0; fractions are allowed.

    Raises
    ------
    ValueError
        If the counts are not finite, negative, or k > n, or n is 0.
    """

    k: float
    n: float

    def __post_init__(self) -> None:
        if not (math.isfinite(self.n) and self.n > 0 and 0 <= self.k <= self.n):
            raise ValueError(f"not a proportion: {self.k!r} of {self.n!r}")

    @property
    def value(self) -> float:
        """The share k / n, 0 to 1."""
        return self.k / self.n

    @property
    def complement(self) -> Proportion:
        """The other rows: n - k of n."""
        return Proportion(self.n - self.k, self.n)


@lru_cache(maxsize=64)  # asked for every interval, always at the same few confidences
def normal_quantile(confidence: float) -> float:
    """Return z, the two-sided standard normal quantile: 1.959964 for 0.95.

    Raises
    ------
    ValueError
        If not 0 < confidence < 1.
    """
    if not 0 < confidence < 1:
        raise ValueError(f"confidence must lie between 0 and 1, not {confidence!r}")
    return float(norm.isf((1 - confidence) / 2))


def wilson_at(share: Proportion, z: ArrayLike) -> tuple[FloatArray, FloatArray]:
    """Return the Wilson score limits of a proportion at normal quantile(s) `z` >= 0.

    Parameters
    ----------
    share : Proportion
    z : array_like of float
        Any shape.

    Returns
    -------
    low, high : float arrays of the shape of `z`
        Exactly 0 where k = 0 and exactly 1 where k = n; never excludes k / n.

    References
    ----------
    Wilson (1927), J Am Stat Assoc 22:209.
    """
    square = np.square(np.asarray(z, dtype=float))
    p, n = share.value, share.n
    middle = (p + square / (2 * n)) / (1 + square / n)
    half = np.sqrt(square * (p * (1 - p) / n + square / (4 * n * n))) / (1 + square / n)
    low = np.zeros_like(square) if share.k == 0 else np.clip(middle - half, 0, p)
    high = np.ones_like(square) if share.k == share.n else np.clip(middle + half, p, 1)
    return low, high


def wilson(share: Proportion, *, confidence: float) -> Interval:
    """Return the Wilson score interval of a proportion."""
    low, high = wilson_at(share, normal_quantile(confidence))
    return float(low), float(high)


def clopper_pearson(share: Proportion, *, confidence: float) -> Interval:
    """Return the exact (Clopper-Pearson) interval of a proportion.

    References
    ----------
    Clopper & Pearson (1934), Biometrika 26:404.
    """
    tail = (1 - confidence) / 2
    k, n = share.k, share.n
    low = 0.0 if k == 0 else float(beta.ppf(tail, k, n - k + 1))
    high = 1.0 if k == n else float(beta.isf(tail, k + 1, n - k))
    return low, high


def ratio_score(top: Proportion, bottom: Proportion, *, confidence: float) -> Interval:
    """Return the score interval of the ratio of two independent proportions.

    Parameters
    ----------
    top, bottom : Proportion
        The ratio is ``top.value / bottom.value``.
    confidence : float
        Coverage, 0 < confidence < 1.

    Returns
    -------
    low, high : float
        0 <= low <= ratio <= high; `low` is 0 where no row of `top` counts and `high` is infinite
        where no row of `bottom` does. With both empty: (0, inf), for the data say nothing.

    Notes
    -----
    The limits are where Pearson's chi-square of the two samples, at the maximum likelihood under a
    given ratio, reaches the quantile. They need no correction at zero cells.

    References
    ----------
    Koopman (1984), Biometrics 40:513; Miettinen & Nurminen (1985), Stat Med 4:213 (here without
    their factor N / (N - 1)).
    """
    z = normal_quantile(confidence)

    def excess(log_ratio: float, wanted: float) -> float:
        return _ratio_z(top, bottom, math.exp(log_ratio)) - wanted

    start = 0.0 if top.k == 0 or bottom.k == 0 else math.log(top.value / bottom.value)
    low = 0.0 if top.k == 0 else math.exp(_crossing(excess, start, -1.0, z))
    high = math.inf if bottom.k == 0 else math.exp(_crossing(excess, start, 1.0, -z))
    return low, high


def _ratio_z(top: Proportion, bottom: Proportion, ratio: float) -> float:
    """Return the signed score statistic of `ratio`; it falls as the ratio rises."""
    first, second = _constrained(top, bottom, ratio)
    variance = first * (1 - first) / top.n + ratio**2 * second * (1 - second) / bottom.n
    distance = top.value - ratio * bottom.value
    if variance <= 0:
        return 0.0 if distance == 0 else math.copysign(math.inf, distance)
    return distance / math.sqrt(variance)


def _constrained(top: Proportion, bottom: Proportion, ratio: float) -> tuple[float, float]:
    """Return the two proportions of highest likelihood whose ratio is `ratio`."""
    a = (top.n + bottom.n) * ratio
    b = ratio * (top.n + bottom.k) + top.k + bottom.n
    c = top.k + bottom.k
    # The smaller root, written so that nothing cancels.
    second = 2 * c / (b + math.sqrt(max(b * b - 4 * a * c, 0.0)))
    second = min(second, 1.0, 1.0 / ratio)
    return min(ratio * second, 1.0), second


def _crossing(
    excess: Callable[[float, float], float], start: float, direction: float, wanted: float
) -> float:
    """Return where `excess` changes its sign on the way from `start` in `direction`."""
    # With an empty cell the start is no estimate: step back until it lies on the near side.
    near, step = start, 1.0
    while excess(near, wanted) * direction < 0 and abs(near) < _FARTHEST:
        near -= direction * step
        step *= 2
    far, step = near, 1.0
    while excess(far, wanted) * direction > 0 and abs(far) < _FARTHEST:
        far += direction * step
        step *= 2
    return float(brentq(excess, near, far, args=(wanted,), xtol=1e-13, rtol=1e-14))


def linear_mover(
    shares: Sequence[tuple[float, Proportion]], *, constant: float, confidence: float
) -> Interval:
    """Return the interval of ``constant + sum(weight * proportion)``, independent proportions.

    Each proportion's Wilson limits are combined by the method of variance estimates recovery
    (MOVER). With one proportion it is Wilson's interval, shifted and stretched.

    Parameters
    ----------
    shares : sequence of (float, Proportion)
        Weight and proportion; a weight may be negative or 0.
    constant : float
        Added to the sum.
    confidence : float
        Coverage, 0 < confidence < 1.

    References
    ----------
    Zou & Donner (2008), Stat Med 27:1693; Newcombe (1998), Stat Med 17:873.
    """
    centre, below, above = constant, 0.0, 0.0
    for weight, share in shares:
        limits = [weight * limit for limit in wilson(share, confidence=confidence)]
        term = weight * share.value
        centre += term
        below += (term - min(limits)) ** 2
        above += (max(limits) - term) ** 2
    return centre - math.sqrt(below), centre + math.sqrt(above)


def rising_interval(
    function: Callable[[FloatArray, FloatArray], FloatArray],
    first: Proportion,
    second: Proportion,
    *,
    confidence: float,
    angles: int = 361,
) -> Interval:
    """Return the interval of a function that rises with each of two independent proportions.

    The function is evaluated at Wilson limits taken at the quantiles z cos(a) and z sin(a) over the
    quarter circle; the lowest value at lower limits and the highest at upper limits bound it
    (propagating imprecision, "PropImp"). For a weighted sum it comes close to MOVER. The estimate
    always lies within.

    Parameters
    ----------
    function : callable
        Takes two arrays of equal shape; must not fall in either argument.
    first, second : Proportion
    confidence : float
        Coverage, 0 < confidence < 1.
    angles : int
        Points of the quarter circle.

    Returns
    -------
    low, high : float
        NaN where the function is undefined on the whole arc; undefined points are passed over.

    References
    ----------
    Newcombe (2011), Commun Stat Theory Methods 40:3154.
    """
    z = normal_quantile(confidence)
    angle = np.linspace(0, np.pi / 2, angles)
    first_low, first_high = wilson_at(first, z * np.cos(angle))
    second_low, second_high = wilson_at(second, z * np.sin(angle))
    low, high = function(first_low, second_low), function(first_high, second_high)
    return _extreme(low, min), _extreme(high, max)


def _extreme(values: FloatArray, pick: Callable[[FloatArray], float]) -> float:
    defined = values[~np.isnan(values)]
    return float(pick(defined)) if len(defined) else math.nan
