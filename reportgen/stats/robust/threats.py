"""What else can move a gap, with no model at hand: another mix of patients.

Each threat has a size and an exact worst case. All work on one value a record: its score, or its
decision as 0 or 1; for a rate within one label, pass the records of that label alone.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import brentq

from reportgen.stats.robust.intervals import CLOSED, FloatArray
from reportgen.stats.robust.spreads import Spread, badness, figure

IntArray = NDArray[np.intp]


@dataclass(frozen=True)
class ShiftGap:
    """The worst gap under a shift of the population.

    Attributes
    ----------
    gap : float
        The difference or the ratio; NaN with fewer than two groups met, or a ratio of 0 to 0.
    highest, lowest : int
    low, high : (L,) float arrays
        Range of each group's mean; NaN for groups not met.
    """

    gap: float
    highest: int
    lowest: int
    low: FloatArray
    high: FloatArray


def _worst(low: FloatArray, high: FloatArray, spread: Spread) -> ShiftGap:
    gap = badness(spread, high[:, None], low[None, :])
    np.fill_diagonal(gap, -np.inf)
    up, down = (int(i) for i in np.unravel_index(np.argmax(gap), gap.shape))
    if math.isinf(gap[up, down]):
        return ShiftGap(math.nan, -1, -1, low, high)
    return ShiftGap(figure(spread, float(gap[up, down])), up, down, low, high)


def worst_mix(
    value: FloatArray,
    group: IntArray,
    gamma: float,
    *,
    n_groups: int,
    spread: Spread = "difference",
) -> ShiftGap:
    """Return the worst difference or ratio of group means if the mix within groups may shift.

    Parameters
    ----------
    value : (n,) float array
    group : (n,) int array
    gamma : float
        Each record's weight within its group may lie between 1 / gamma and gamma of the even one,
        their sum kept; >= 1.
    n_groups : int
    spread : {"difference", "ratio"}
        The largest mean minus the smallest, or the smallest over the largest (values >= 0).

    Notes
    -----
    The mean is largest with weight gamma on the top share 1 / (gamma + 1) and 1 / gamma on the
    rest. The family is that of marginal sensitivity models.

    References
    ----------
    Tan (2006), J Am Stat Assoc 101:1619 (bounded weights); solution by sorting as Aronow & Lee
    (2013), Biometrika 100:235.
    """
    if not gamma >= 1:
        raise ValueError(f"the mix cannot shift by {gamma!r}: at least 1")
    low, high = np.full(n_groups, np.nan), np.full(n_groups, np.nan)
    for g in range(n_groups):
        own = np.sort(value[group == g])
        if len(own):
            low[g] = -_top_heavy(-own[::1], gamma)
            high[g] = _top_heavy(own[::-1], gamma)
    return _worst(low, high, spread)


def _top_heavy(falling: FloatArray, gamma: float) -> float:
    """Return the mean with weight gamma on the first share 1 / (gamma + 1), 1 / gamma after."""
    n = len(falling)
    heavy = np.clip(n / (gamma + 1) - np.arange(n), 0.0, 1.0)
    return float(falling @ (heavy * gamma + (1 - heavy) / gamma)) / n


def critical_mix(
    value: FloatArray,
    group: IntArray,
    *,
    n_groups: int,
    tolerance: float,
    most: float = 1e6,
    spread: Spread = "difference",
) -> float:
    """Return the smallest gamma past which the gap passes the tolerance.

    Returns
    -------
    float
        1 where the gap passes it already; infinite where no gamma up to `most` does.
    """

    def excess(gamma: float) -> float:
        gap = worst_mix(value, group, gamma, n_groups=n_groups, spread=spread).gap
        return figure(spread, gap) - figure(spread, tolerance)

    return _critical(excess, 1.0, most)


def _critical(excess: Callable[[float], float], start: float, most: float) -> float:
    """Return where a rising continuous function passes 0."""
    if excess(start) > CLOSED:
        return start
    if not excess(most) > CLOSED:
        return math.inf
    if excess(start) >= 0:  # on the edge from the start, but for rounding
        return start
    return float(brentq(excess, start, most, xtol=1e-14, rtol=1e-14))


def worst_prevalence(
    value: FloatArray,
    group: IntArray,
    positive: NDArray[np.bool_],
    shift: float,
    *,
    n_groups: int,
    spread: Spread = "difference",
) -> ShiftGap:
    """Return the worst difference or ratio of group means if each group's prevalence may shift.

    A mean is linear in prevalence, so that its extremes are at the ends. Rates within a label do
    not depend on prevalence at all.

    Parameters
    ----------
    value : (n,) float array
    group : (n,) int array
    positive : (n,) bool array
    shift : float
        Largest change of a group's prevalence, 0 to 1; it stays within [0, 1].
    n_groups : int
    spread : {"difference", "ratio"}
        As in `worst_mix`.

    Returns
    -------
    ShiftGap
        A group without rows of one class keeps its prevalence unless `shift` is 0: its range is NaN
        then, for nothing is known of the other class.
    """
    if not 0 <= shift <= 1:
        raise ValueError(f"a prevalence cannot shift by {shift!r}")
    low, high = np.full(n_groups, np.nan), np.full(n_groups, np.nan)
    for g in range(n_groups):
        own = group == g
        with np.errstate(invalid="ignore"):
            means = [_mean(value[own & positive]), _mean(value[own & ~positive])]
        share = float(np.mean(positive[own])) if own.any() else math.nan
        if shift == 0:
            low[g] = high[g] = _mean(value[own])
            continue
        ends = [
            p * means[0] + (1 - p) * means[1]
            for p in (max(0.0, share - shift), min(1.0, share + shift))
        ]
        low[g], high[g] = min(ends), max(ends)
    return _worst(low, high, spread)


def _mean(values: FloatArray) -> float:
    return float(values.mean()) if len(values) else math.nan


def critical_prevalence(
    value: FloatArray,
    group: IntArray,
    positive: NDArray[np.bool_],
    *,
    n_groups: int,
    tolerance: float,
    spread: Spread = "difference",
) -> float:
    """Return the smallest shift of prevalence past which the gap passes the tolerance.

    Returns
    -------
    float
        0 where the gap passes it already; infinite where no shift does.
    """

    def excess(shift: float) -> float:
        gap = worst_prevalence(value, group, positive, shift, n_groups=n_groups, spread=spread).gap
        return figure(spread, gap) - figure(spread, tolerance)

    return _critical(excess, 0.0, 1.0)
