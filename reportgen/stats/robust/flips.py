"""Wrong groups: how far a gap goes if the group of a few records is recorded wrongly.

Flips at random pull groups together, so that testing with them makes a model look fairer; the worst
flips are what is solved here. They work on one value a record: its score, or its decision as 0 or
1; for a rate within one label, pass the records of that label alone.

References
----------
Celis, Mehrotra & Vishnoi (2021), NeurIPS (adversarial changes of a share of attributes).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from reportgen.stats.robust.intervals import CLOSED, FloatArray
from reportgen.stats.robust.spreads import Spread, badness, figure

IntArray = NDArray[np.intp]

_SPLITS = 33  # divisions of the budget that are tried with three groups or more


@dataclass(frozen=True)
class FlipGap:
    """The worst gap if the group of a few records is wrong.

    Attributes
    ----------
    found : float
        With the groups in `group`; NaN with fewer than two groups met.
    certified : float
        No flips pass it; with two groups it is `found`.
    group : (n,) int array
        The groups that give `found`.
    highest, lowest : int
        The groups of that gap.
    flips : int
        Records whose group changed; fewer than allowed where more would not help.
    """

    found: float
    certified: float
    group: IntArray
    highest: int
    lowest: int
    flips: int


def worst_flips(
    value: FloatArray, group: IntArray, flips: int, *, spread: Spread = "difference"
) -> FlipGap:
    """Return the worst difference or ratio of group means if up to `flips` records change groups.

    Parameters
    ----------
    value : (n,) float array
    group : (n,) int array
        0 upwards.
    flips : int
        Records that may be wrong, >= 0.
    spread : {"difference", "ratio"}
        The largest mean minus the smallest, or the smallest over the largest (values >= 0).

    Returns
    -------
    FlipGap
        No group may be emptied; NaN for a ratio of means that are all 0 whatever is flipped. Exact
        with two groups. With more, `certified` lets either group of a pair spend all flips on
        itself, and `found` is the better of exchanges within the pair and of divisions of the flips
        between them and the other groups.

    Notes
    -----
    To raise m_a - m_b, the lowest of a leave and the highest of b leave; for a given change in size
    each further exchange of a pair gains less, so that prefix sums and a bisection find the best.
    To lower m_b / m_a the same exchange is best for each change in size: it raises m_a most and
    lowers m_b most.
    """
    if flips < 0:
        raise ValueError(f"{flips} records cannot change groups")
    met = np.unique(group)
    if len(met) < 2:
        return FlipGap(math.nan, math.nan, group, -1, -1, 0)
    best, certified = None, -math.inf
    for a in met:
        for b in met[met != a]:
            pair = _Pair(value, group, int(a), int(b), spread)
            for candidate in pair.candidates(flips, alone=len(met) == 2):
                gap = _gap(value, candidate, pair, len(met))
                if best is None or gap > best[0]:
                    best = (gap, candidate, pair)
            certified = max(certified, pair.ceiling(flips))
    assert best is not None  # noqa: S101 (there are two groups)
    found, changed, pair = best
    if math.isinf(found):
        return FlipGap(math.nan, math.nan, group, -1, -1, 0)
    certified = found if len(met) == 2 else max(certified, found)
    count = int(np.count_nonzero(changed != group))
    shown = figure(spread, found), figure(spread, certified)
    return FlipGap(*shown, changed, pair.first, pair.second, count)


@dataclass(frozen=True)
class _Pair:
    """Two groups whose figures are to be driven apart, among all records."""

    value: FloatArray
    group: IntArray
    first: int
    second: int
    spread: Spread

    def candidates(self, flips: int, *, alone: bool) -> Iterator[IntArray]:
        """Yield groups after flips, each within the budget."""
        yield self._exchanged(flips)
        if not alone:
            for share in np.unique(np.linspace(0, flips, _SPLITS).astype(int)):
                yield self._divided(int(share), flips - int(share))

    def _exchanged(self, flips: int) -> IntArray:
        """Let records change between the two groups: the best there is with no third."""
        a, b = (np.flatnonzero(self.group == g) for g in (self.first, self.second))
        leaving, joining = _best_exchange(self.value, a, b, flips, both=self.spread)
        changed = self.group.copy()
        changed[leaving], changed[joining] = self.second, self.first
        return changed

    def _divided(self, up: int, down: int) -> IntArray:
        """Raise the first group with some flips and lower the second with others, by the rest."""
        changed = self.group.copy()
        for own, budget, sign in ((self.first, up, 1.0), (self.second, down, -1.0)):
            pool = np.flatnonzero((changed != self.first) & (changed != self.second))
            members = np.flatnonzero(changed == own)
            leaving, joining = _best_exchange(sign * self.value, members, pool, budget)
            if len(pool):
                changed[leaving] = changed[pool[0]]
            changed[joining] = own
        return changed

    def ceiling(self, flips: int) -> float:
        """Return what no flips make worse: each group spends every flip on itself."""
        ends = []
        for own, sign in ((self.first, 1.0), (self.second, -1.0)):
            value = sign * self.value
            members, pool = np.flatnonzero(self.group == own), np.flatnonzero(self.group != own)
            leaving, joining = _best_exchange(value, members, pool, flips)
            after = np.concatenate([np.setdiff1d(members, leaving), joining])
            ends.append(float(value[after].mean()))
        return badness(self.spread, ends[0], -ends[1])


def _gap(value: FloatArray, group: IntArray, pair: _Pair, met: int) -> float:
    """Return how bad the pair is; minus infinity if a group was emptied or it is not defined."""
    if len(np.unique(group)) < met:
        return -math.inf
    means = [float(value[group == g].mean()) for g in (pair.first, pair.second)]
    return badness(pair.spread, means[0], means[1])


def _best_exchange(
    value: FloatArray,
    first: IntArray,
    second: IntArray,
    flips: int,
    *,
    both: Spread | None = None,
) -> tuple[IntArray, IntArray]:
    """Return who leaves the first group, and who joins it from the second, to widen the gap.

    With `both` the gap is that of mean(first) and mean(second); else it is mean(first) alone, and
    the second may be emptied.
    """
    leavers = first[np.argsort(value[first], kind="stable")]
    joiners = second[np.argsort(-value[second], kind="stable")]
    low, high = value[leavers], value[joiners]
    n1, n0 = len(low), len(high)
    lost, won = (np.concatenate([[0.0], np.cumsum(part)]) for part in (low, high))
    # c: records that leave the first group beyond those that join it.
    change = np.arange(-min(flips, n0 - (both is not None)), min(flips, n1 - 1) + 1)
    joining = _pairs_worth(low, high, change, flips)
    leaving = joining + change
    moved = won[joining] - lost[leaving]
    gap = (lost[-1] + moved) / (n1 - change)
    if both is not None:
        gap = badness(both, gap, (won[-1] - moved) / (n0 + change))
    k = int(np.argmax(gap))
    return leavers[: leaving[k]], joiners[: joining[k]]


def _pairs_worth(low: FloatArray, high: FloatArray, change: IntArray, flips: int) -> IntArray:
    """Return, for each change in size, how many records should join the first group.

    Exchanging one more pair gains high[b] - low[b + c], which falls with b: the number worth it is
    found by bisection, capped by the budget b + (b + c) <= flips.
    """
    least = np.maximum(0, -change)
    if not len(high):
        return least
    cap = np.minimum((flips - change) // 2, np.minimum(len(high), len(low) - change))
    down, up = least.copy(), np.maximum(cap, least)
    while np.any(down < up):
        middle = (down + up) // 2
        gains = high[np.minimum(middle, len(high) - 1)]
        gains = gains - low[np.clip(middle + change, 0, len(low) - 1)]
        worth = (gains > 0) & (down < up)
        down = np.where(worth, middle + 1, down)
        up = np.where(worth, up, middle)
    return down


def critical_flips(
    value: FloatArray, group: IntArray, *, tolerance: float, spread: Spread = "difference"
) -> tuple[int | None, int | None]:
    """Return the fewest wrong groups that take the gap past the tolerance.

    Returns
    -------
    possible, found : int or None
        The fewest that are not certified to keep it, and the fewest found to pass it; one number
        with two groups. 0 where it is passed already; None where no number of flips does it.
    """

    def gap(flips: int) -> FlipGap:
        return worst_flips(value, group, flips, spread=spread)

    def passes(which: str) -> Callable[[int], bool]:
        edge = figure(spread, tolerance) + CLOSED
        return lambda flips: figure(spread, getattr(gap(flips), which)) > edge

    found = _fewest(passes("found"), len(value))
    if len(np.unique(group)) == 2:
        return found, found
    return _fewest(passes("certified"), len(value)), found


def _fewest(passes: Callable[[int], bool], most: int) -> int | None:
    near, far = -1, most
    if not passes(far):
        return None
    while far - near > 1:
        middle = (near + far) // 2
        near, far = (near, middle) if passes(middle) else (middle, far)
    return far
