"""Best-first branch and bound over the leaves of a tree ensemble, for one record and one side.

A node of the search is a box of inputs. The sum over trees of the best leaf that the box can still
reach bounds every score in it; the point of the box nearest to the record is a real input and
attains what it attains. The search splits the box along the leaves of the tree that leaves most
open, the most promising box first, and ends when no box can beat the best point found. It counts
boxes, not seconds, so that the same search always ends in the same place.

References
----------
Chen H., Zhang H., Si S., Li Y., Boning D., Hsieh C.-J., "Robustness verification of tree-based
models", NeurIPS 2019 (the bound by trees); Devos L., Meert W., Davis J., "Versatile verification of
tree ensembles", ICML 2021 (best-first search over boxes).
"""

from __future__ import annotations

import heapq
from dataclasses import dataclass
from itertools import count
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from reportgen.stats.robust_models.ground import Ground

FloatArray: TypeAlias = NDArray[np.float64]
IntArray: TypeAlias = NDArray[np.intp]

TIE = 1e-12
"""Raw scores closer than this are the same: sums in another order differ by less."""


@dataclass(frozen=True)
class Leaves:
    """The leaves that one record can reach, tree by tree; constant trees are in `base`.

    Attributes
    ----------
    base : float
        Sum of the trees that give one value whatever the move.
    value : (A,) float array
        To be maximised.
    tree : (A,) int array
        Ascending; every tree of the search has at least one leaf.
    low, high : (A, m) float arrays
        Closed boxes over the columns that move.
    """

    base: float
    value: FloatArray
    tree: IntArray
    low: FloatArray
    high: FloatArray


@dataclass(frozen=True)
class Found:
    """What a search ended with: found <= true maximum <= bound.

    Attributes
    ----------
    bound : float
        No allowed point scores more (up to `TIE`).
    found : float
        The score of `point`.
    point : (m,) float array
        An allowed point.
    closed : bool
        Whether `found` is shown to be the maximum.
    boxes : int
        Boxes that were split.
    """

    bound: float
    found: float
    point: FloatArray
    closed: bool
    boxes: int


@dataclass(frozen=True)
class _Box:
    low: FloatArray
    high: FloatArray
    open: IntArray  # leaves that the box can reach


def maximise(leaves: Leaves, ground: Ground, *, budget: int) -> Found:
    """Return the largest score over the allowed moves of one record, or a bracket around it.

    Parameters
    ----------
    leaves : Leaves
    ground : Ground
    budget : int
        Most boxes to split; at 0 the bound is the sum of each tree's best leaf.
    """
    search = _Search(leaves, ground)
    search.push(_Box(ground.low, ground.high, np.arange(len(leaves.value))), search.root_bound())
    while search.heap and search.boxes < budget and search.top > search.best + TIE:
        search.split(search.pop())
    if search.heap and search.top > search.best + TIE:
        search.dive(search.heap[0][2])
    bound = max(search.top, search.best) if search.heap else search.best
    closed = bound <= search.best + TIE
    final = search.best if closed else bound
    base = leaves.base
    return Found(final + base, search.best + base, search.point, closed, search.boxes)


class _Search:
    """The open boxes, the most promising first, and the best point so far."""

    def __init__(self, leaves: Leaves, ground: Ground) -> None:
        self.leaves = leaves
        self.ground = ground
        self.heap: list[tuple[float, int, _Box]] = []
        self.order = count()
        self.boxes = 0
        self.best = -np.inf
        self.point = ground.nearest(ground.low, ground.high)
        self._try(self.point, np.arange(len(leaves.value)))

    @property
    def top(self) -> float:
        """The largest bound among the open boxes."""
        return -self.heap[0][0]

    def root_bound(self) -> float:
        """Return the sum of each tree's best leaf."""
        if not len(self.leaves.value):
            return 0.0
        starts = _starts(self.leaves.tree)
        return float(np.maximum.reduceat(self.leaves.value, starts).sum())

    def push(self, box: _Box, bound: float) -> None:
        """Add a box; the older one goes first among equals."""
        heapq.heappush(self.heap, (-bound, next(self.order), box))

    def pop(self) -> _Box:
        """Take the most promising box."""
        return heapq.heappop(self.heap)[2]

    def split(self, box: _Box) -> None:
        """Try the box's nearest point, then replace it by the boxes of one tree's leaves."""
        self.boxes += 1
        self._try(self.ground.nearest(box.low, box.high), box.open)
        for child, bound in self._children(box):
            if bound > self.best + TIE:
                self.push(child, bound)

    def dive(self, box: _Box) -> None:
        """Follow the most promising child down to one point: a better find when boxes ran out."""
        while True:
            self._try(self.ground.nearest(box.low, box.high), box.open)
            children = self._children(box)
            if not children:
                return
            box = max(children, key=lambda pair: pair[1])[0]

    def _try(self, point: FloatArray, open_: IntArray) -> None:
        leaves = self.leaves
        holds = ((leaves.low[open_] <= point) & (point <= leaves.high[open_])).all(axis=1)
        value = float(leaves.value[open_][holds].sum())
        if value > self.best:
            self.best, self.point = value, point

    def _children(self, box: _Box) -> list[tuple[_Box, float]]:
        """Return the boxes that the widest tree's leaves cut out, with their bounds."""
        value, tree = self.leaves.value[box.open], self.leaves.tree[box.open]
        starts = _starts(tree)
        spread = np.maximum.reduceat(value, starts) - np.minimum.reduceat(value, starts)
        widest = int(np.argmax(spread))
        if spread[widest] <= 0:
            return []
        end = starts[widest + 1] if widest + 1 < len(starts) else len(tree)
        cut = box.open[starts[widest] : end]
        low = np.maximum(box.low, self.leaves.low[cut])
        high = np.minimum(box.high, self.leaves.high[cut])
        within_low = np.maximum(low[:, None], self.leaves.low[box.open][None])
        within_high = np.minimum(high[:, None], self.leaves.high[box.open][None])
        reach = self.ground.allowed(within_low, within_high)
        bound = np.maximum.reduceat(np.where(reach, value, -np.inf), starts, axis=1).sum(axis=1)
        return [
            (_Box(low[c], high[c], box.open[reach[c]]), float(bound[c]))
            for c in range(len(cut))
            if np.isfinite(bound[c])
        ]


def _starts(tree: IntArray) -> IntArray:
    """Return where each tree's leaves begin."""
    return np.flatnonzero(np.diff(tree, prepend=-1))
