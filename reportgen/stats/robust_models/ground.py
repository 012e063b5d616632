"""Where one record may move, as a search over boxes needs it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from reportgen.stats.robust.moves import SLACK, MoveSet

FloatArray: TypeAlias = NDArray[np.float64]
IntArray: TypeAlias = NDArray[np.intp]
BoolArray: TypeAlias = NDArray[np.bool_]

ROUNDING = 1e-12
"""A cost of 1 computed in another order may pass 1 by this much."""


@dataclass(frozen=True)
class Terrain:
    """The columns that moves can change, the same for all records.

    Attributes
    ----------
    columns : (m,) int array
        Columns of the features that may move, ascending.
    eps : (m,) float array
    whole : (m,) bool array
        Columns that move in whole steps.
    groups : tuple of int arrays
        Positions in `columns` of the one-hot columns of each category that may be swapped.
    order : float
        The norm's exponent: 1, 2 or infinity.
    """

    columns: IntArray
    eps: FloatArray
    whole: BoolArray
    groups: tuple[IntArray, ...]
    order: float

    @classmethod
    def of(cls, moves: MoveSet) -> Terrain:
        """Return the columns that these moves can change."""
        may_move = moves.mutable.copy()
        swapped = []
        for group in moves.categories:
            if moves.eps[group[0]] > 0 and moves.swappable(group):
                may_move[list(group)] = True
                swapped.append(group)
            else:
                may_move[list(group)] = False
        columns = np.flatnonzero(may_move)
        groups = tuple(np.searchsorted(columns, group).astype(np.intp) for group in swapped)
        order = {"l1": 1.0, "l2": 2.0, "linf": np.inf}[moves.norm]
        whole = moves.stepped[columns]
        return cls(columns, moves.eps[columns], whole, groups, order)


@dataclass(frozen=True)
class Ground:
    """Where one record may move.

    Attributes
    ----------
    terrain : Terrain
    at : (m,) float array
        The record itself; 0 where its value is missing.
    low, high : (m,) float arrays
        The closed box around it; -inf and inf where its value is missing.
    """

    terrain: Terrain
    at: FloatArray
    low: FloatArray
    high: FloatArray

    def allowed(self, low: FloatArray, high: FloatArray) -> BoolArray:
        """Return which closed boxes (..., m) within `low` and `high` hold an allowed point."""
        terrain = self.terrain
        holds = np.asarray((low <= high).all(axis=-1))
        if not terrain.groups and np.isinf(terrain.order):
            return holds
        cost = np.maximum(np.maximum(low - self.at, self.at - high), 0.0) / terrain.eps
        for group in terrain.groups:
            can = _can_be_chosen(low[..., group], high[..., group])
            holds &= can.any(axis=-1)
            swapped = ~can[..., int(np.argmax(self.at[group]))]
            cost[..., group] = 0.0
            cost[..., group[0]] = swapped / terrain.eps[group[0]]
        if np.isinf(terrain.order):
            size = cost.max(axis=-1, initial=0.0)
            return np.asarray(holds & (size <= 1 + SLACK))
        size = cost.sum(axis=-1) if terrain.order == 1 else np.sqrt(np.square(cost).sum(axis=-1))
        return np.asarray(holds & (size <= 1 + ROUNDING))

    def nearest(self, low: FloatArray, high: FloatArray) -> FloatArray:
        """Return the point of a box nearest to the record; the box must hold an allowed one."""
        point = np.clip(self.at, low, high)
        for group in self.terrain.groups:
            can = _can_be_chosen(low[group], high[group])
            own = int(np.argmax(self.at[group]))
            chosen = own if can[own] else int(np.argmax(can))
            point[group] = 0.0
            point[group[chosen]] = 1.0
        return point


def _can_be_chosen(low: FloatArray, high: FloatArray) -> BoolArray:
    """Return which columns of a one-hot group can be its 1 within boxes (..., k)."""
    zero = (low <= 0) & (high >= 0)
    one = (low <= 1) & (high >= 1)
    forced = (~zero).sum(axis=-1, keepdims=True)
    return np.asarray(one & (forced - ~zero == 0))
