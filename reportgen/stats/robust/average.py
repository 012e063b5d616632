"""A budget on the average move (Wasserstein-1): few records may move far if most stay.

The groups and labels stay, features move, and the mean of the moves' norms over all records is at
most the budget, in multiples of eps. Hard decisions make it a knapsack over the records that must
cross the threshold; soft ones under a logistic link are solved through their Lagrangian dual.

References
----------
Taskesen, Blanchet, Kuhn & Nguyen (2021), arXiv:2012.04800; Si et al. (2021), arXiv:2106.01070
(optimal transport and group fairness); strong duality as in Blanchet & Murthy (2019), Math Oper Res
44:565.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize_scalar
from scipy.special import expit

from reportgen.stats.robust.intervals import CLOSED, FloatArray

IntArray = NDArray[np.intp]


@dataclass(frozen=True)
class AverageGap:
    """The worst difference of two groups under an average budget.

    Attributes
    ----------
    found : float
        With whole records moved.
    certified : float
        With fractions of records moved, as distributions may; never smaller.
    highest, lowest : int
        The groups; -1 with fewer than two groups met.
    records : int
        Records that cross the threshold in `found`; -1 with soft decisions.
    """

    found: float
    certified: float
    highest: int
    lowest: int
    records: int


@dataclass(frozen=True)
class _Crossings:
    """Records that could cross to widen one gap, the cheapest for their gain first."""

    base: float
    cost: FloatArray
    gain: FloatArray


def _crossings(
    down: FloatArray, up: FloatArray, selected: FloatArray, group: IntArray, first: int, second: int
) -> _Crossings:
    """Return what widens mean(first) - mean(second)."""
    a, b = group == first, group == second
    base = float(selected[a].mean() - selected[b].mean())
    cost = np.concatenate([up[a & (selected == 0)], down[b & (selected == 1)]])
    gain = np.concatenate(
        [
            np.full(np.count_nonzero(a & (selected == 0)), 1 / np.count_nonzero(a)),
            np.full(np.count_nonzero(b & (selected == 1)), 1 / np.count_nonzero(b)),
        ]
    )
    possible = np.isfinite(cost)
    cost, gain = cost[possible], gain[possible]
    order = np.argsort(cost / gain, kind="stable")
    return _Crossings(base, cost[order], gain[order])


def worst_average_hard(
    down: FloatArray,
    up: FloatArray,
    selected: FloatArray,
    group: IntArray,
    budget: float,
    *,
    n_groups: int,
    n_records: int | None = None,
) -> AverageGap:
    """Return the largest difference of selection rates under an average budget.

    Parameters
    ----------
    down, up : (n,) float arrays
        Radius at which each record leaves and enters the selected (`critical.flip_radii`).
    selected : (n,) float array
        1 or 0.
    group : (n,) int array
    budget : float
        Largest mean move over all records, in multiples of eps, >= 0.
    n_groups : int
    n_records : int, optional
        Records the mean is taken over, if more than are passed (a rate within one label).
    """
    if not budget >= 0:
        raise ValueError(f"the average move cannot be {budget!r}")
    total = budget * (n_records or len(group))
    best = AverageGap(math.nan, math.nan, -1, -1, 0)
    for a, b in _pairs(group, n_groups):
        c = _crossings(down, up, selected, group, a, b)
        spent = np.cumsum(c.cost)
        whole = int(np.searchsorted(spent, total, side="right"))
        found = c.base + float(c.gain[:whole].sum())
        certified = found
        if whole < len(spent):
            left = total - (float(spent[whole - 1]) if whole else 0.0)
            certified += float(c.gain[whole] * left / c.cost[whole])
        if not best.certified >= certified:
            best = AverageGap(max(found, _or(best.found)), certified, a, b, whole)
        elif found > best.found:
            best = AverageGap(found, best.certified, a, b, whole)
    return best


def _or(value: float) -> float:
    return -math.inf if math.isnan(value) else value


def _pairs(group: IntArray, n_groups: int) -> list[tuple[int, int]]:
    met = [g for g in range(n_groups) if (group == g).any()]
    return [(a, b) for a in met for b in met if a != b]


def critical_average_hard(
    down: FloatArray,
    up: FloatArray,
    selected: FloatArray,
    group: IntArray,
    *,
    n_groups: int,
    tolerance: float,
    n_records: int | None = None,
) -> tuple[float, float]:
    """Return the smallest average move past which the gap passes the tolerance.

    Returns
    -------
    safe, unsafe : float
        With fractions of records, and with whole ones (the first records, cheapest for their gain
        first). 0 where the gap passes it already; infinite where none does.
    """
    rows = n_records or len(group)
    safe = unsafe = math.inf
    for a, b in _pairs(group, n_groups):
        c = _crossings(down, up, selected, group, a, b)
        if c.base > tolerance + CLOSED:
            return 0.0, 0.0
        reached = c.base + np.cumsum(c.gain)
        first = int(np.argmax(reached > tolerance + CLOSED))
        if not (reached > tolerance + CLOSED).any():
            continue
        spent = np.cumsum(c.cost)
        before = c.base if first == 0 else float(reached[first - 1])
        paid = 0.0 if first == 0 else float(spent[first - 1])
        part = max(0.0, tolerance - before) / float(c.gain[first]) * float(c.cost[first])
        safe = min(safe, (paid + part) / rows)
        unsafe = min(unsafe, float(spent[first]) / rows)
    return safe, unsafe


def worst_average_soft(
    margin: FloatArray, reach: float, group: IntArray, budget: float, *, n_groups: int
) -> AverageGap:
    """Return the largest difference of mean logistic scores under an average budget.

    Parameters
    ----------
    margin : (n,) float array
        Of a linear model with logit link.
    reach : float
        What a move by one eps adds to the margin: the dual norm, no bounds in the way; > 0.
    group : (n,) int array
    budget : float
        Largest mean move over all records, in multiples of eps, >= 0.
    n_groups : int

    Returns
    -------
    AverageGap
        `certified` is the dual; `found` a feasible move of whole records.
    """
    if not budget >= 0:
        raise ValueError(f"the average move cannot be {budget!r}")
    best = AverageGap(math.nan, math.nan, -1, -1, -1)
    for a, b in _pairs(group, n_groups):
        found, certified = _soft_pair(margin, reach, group, budget, a, b)
        if not best.certified >= certified:
            best = AverageGap(max(found, _or(best.found)), certified, a, b, -1)
    return best


def _soft_pair(
    margin: FloatArray, reach: float, group: IntArray, budget: float, first: int, second: int
) -> tuple[float, float]:
    """Return the found and the dual value of mean(first) - mean(second)."""
    a, b = group == first, group == second
    # 1 - s(z) = s(-z): lowering the second group is raising it, mirrored.
    start = np.concatenate([margin[a], -margin[b]])
    weight = np.concatenate([np.full(a.sum(), 1 / a.sum()), np.full(b.sum(), 1 / b.sum())])
    base = float(weight @ expit(start)) - 1
    total = budget * len(margin) * reach
    if total == 0:
        return base, base

    def dual(price: float) -> float:
        gain, _ = _best_replies(start, weight, price)
        return price * total + float(gain.sum())

    top = float(weight.max()) / 4
    answer = minimize_scalar(dual, bounds=(0.0, top), method="bounded", options={"xatol": 1e-16})
    certified = base + float(min(answer.fun, dual(top)))
    gain, move = _best_replies(start, weight, float(answer.x))
    # Whole records up to the budget, the most worthwhile first: a feasible move.
    value = gain + float(answer.x) * move
    order = np.argsort(-value / np.where(move > 0, move, np.inf), kind="stable")
    fits = np.cumsum(move[order]) <= total
    found = base + float(value[order][fits].sum())
    left = total - float(move[order][fits].sum())
    rest = order[~fits]
    if len(rest):
        at = start[rest[0]]
        found += float(weight[rest[0]] * (expit(at + left) - expit(at)))
    return min(found, certified), certified


def _best_replies(
    start: FloatArray, weight: FloatArray, price: float
) -> tuple[FloatArray, FloatArray]:
    """Return, for each record, the largest of weight x rise - price x move, and that move.

    At the best move the slope s(1 - s) is price / weight, on the falling side of the bell.
    """
    slope = np.minimum(price / weight, 0.25)
    root = np.sqrt(np.maximum(0.25 - slope, 0.0))
    with np.errstate(divide="ignore"):
        end = np.log(0.5 + root) - np.log(slope / (0.5 + root))
    move = np.maximum(end - start, 0.0)
    with np.errstate(invalid="ignore"):
        gain = weight * (expit(start + move) - expit(start)) - np.where(
            price > 0, price * move, 0.0
        )
    worth = gain > 0
    return np.where(worth, gain, 0.0), np.where(worth, move, 0.0)
