"""The most a budget of moves can gain: a linear objective over a ball cut by per-item limits.

Each item (a feature, or a swap of a category) has a gain per unit of its eps, room (its largest
share) and perhaps a step in which it must move. The shares t solve

    maximise sum gain t   subject to   0 <= t <= room,  norm(t) <= radius,  t whole steps.

Without steps: L-infinity is separable, L1 is the fractional knapsack, L2 is water-filling, all
closed. With steps, the whole plans that fit the budget are gone through and the rest is filled.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from reportgen.stats.robust.moves import SLACK, FloatArray, Norm

MOST_PLANS = 4_096
"""Combinations of whole steps that are gone through; beyond, the result is a bracket."""


@dataclass(frozen=True)
class Items:
    """What can be moved, in units of eps; rows are records, or one row for all.

    Attributes
    ----------
    room, gain : (n or 1, D) float arrays
        Largest share and gain per share, >= 0. Room may be infinite.
    step : (D,) float array
        Share of one step; 0: any amount.
    features : tuple of int
        Column of each of the first items.
    swaps : tuple of tuple of int
        The categories that are the remaining items.
    """

    room: FloatArray
    gain: FloatArray
    step: FloatArray
    features: tuple[int, ...]
    swaps: tuple[tuple[int, ...], ...]

    def continuous(self) -> Items:
        """Return the same with all items that move in steps held still."""
        return replace(self, room=np.where(self.step > 0, 0.0, self.room))


@dataclass(frozen=True)
class Filling:
    """A solution.

    Attributes
    ----------
    share : (n or 1, D) float array
        Feasible shares with the gain `attained`.
    attained, certified : (n or 1,) float arrays
    exact : bool
    items : Items
    """

    share: FloatArray
    attained: FloatArray
    certified: FloatArray
    exact: bool
    items: Items


def fill(
    room: FloatArray, gain: FloatArray, radius: FloatArray | float, *, norm: Norm
) -> FloatArray:
    """Return the best shares without steps.

    Parameters
    ----------
    room, gain : (n, D) float arrays
        >= 0; room may be infinite.
    radius : float or (n, 1) float array
        Size of the ball, >= 0.
    norm : {"l1", "l2", "linf"}

    Returns
    -------
    (n, D) float array
    """
    room, gain = np.broadcast_arrays(np.minimum(room, radius), gain)
    if norm == "linf" or not room.shape[1]:
        return np.array(room)
    if norm == "l1":
        return _knapsack(room, gain, radius)
    return _level(np.where(gain > 0, room, 0.0), gain, radius)


def _knapsack(room: FloatArray, gain: FloatArray, radius: FloatArray | float) -> FloatArray:
    """Spend the budget on the items of largest gain first (Dantzig 1957, Oper Res 5:266)."""
    order = np.argsort(-gain, axis=1, kind="stable")
    sorted_room = np.take_along_axis(room, order, axis=1)
    spent = np.cumsum(sorted_room, axis=1) - sorted_room
    share = np.empty(room.shape)
    np.put_along_axis(share, order, np.clip(radius - spent, 0.0, sorted_room), axis=1)
    return share


def _level(room: FloatArray, gain: FloatArray, radius: FloatArray | float) -> FloatArray:
    """Return the shares along the gains, cut by the room only where it is in the way."""
    length = np.sqrt(np.square(gain).sum(axis=1, keepdims=True))
    share = gain * (radius / np.where(length > 0, length, 1.0))
    cut = (share > room).any(axis=1)
    if cut.any():
        own = radius[cut] if isinstance(radius, np.ndarray) else radius
        share[cut] = _water(room[cut], gain[cut], own)
    return share


def _water(room: FloatArray, gain: FloatArray, radius: FloatArray | float) -> FloatArray:
    """Return min(level x gain, room), the level such that the L2 norm is the radius."""
    with np.errstate(divide="ignore", invalid="ignore"):
        full_at = np.where(gain > 0, room / gain, 0.0)  # the level at which an item is full
        order = np.argsort(full_at, axis=1, kind="stable")
        filled = np.cumsum(np.square(np.take_along_axis(room, order, axis=1)), axis=1)
        squares = np.square(np.take_along_axis(gain, order, axis=1))
        # Sums from the back: a difference of totals would cancel where the last gains are small.
        rest = np.cumsum(squares[:, ::-1], axis=1)[:, ::-1]
        before = np.hstack([np.zeros((len(room), 1)), filled[:, :-1]])
        level = np.sqrt(np.maximum(np.square(radius) - before, 0.0) / rest)
    # The first item in the order that the level of itself and those after it does not fill.
    open_ = level <= np.take_along_axis(full_at, order, axis=1)
    open_ &= rest > 0
    first = np.argmax(open_, axis=1)[:, None]
    level = np.take_along_axis(level, first, axis=1)
    level = np.where(open_.any(axis=1, keepdims=True), level, np.inf)
    with np.errstate(invalid="ignore"):
        return np.where(gain > 0, np.minimum(level * gain, room), 0.0)


def fill_whole(items: Items, radius: float, *, norm: Norm) -> Filling:
    """Return the best shares, items with a step in whole steps.

    Parameters
    ----------
    items : Items
    radius : float
        Size of the ball, >= 0.
    norm : {"l1", "l2", "linf"}
    """
    stepped = items.step > 0
    if not stepped.any() or norm == "linf":
        return _separable(items, radius, norm=norm)
    plans = _plans(items, radius, norm=norm)
    if plans is None:
        return _rounded(items, radius, norm=norm)
    return _best_plan(items, plans, radius, norm=norm)


def _whole(share: FloatArray, step: FloatArray) -> FloatArray:
    """Round shares down to whole steps where there is a step."""
    size = np.where(step > 0, step, 1.0)
    return np.where(step > 0, np.floor(share / size * (1 + SLACK)) * size, share)


def _separable(items: Items, radius: float, *, norm: Norm) -> Filling:
    share = _whole(fill(items.room, items.gain, radius, norm=norm), items.step)
    total = (share * items.gain).sum(axis=1)
    return Filling(share, total, total, True, items)


def _plans(items: Items, radius: float, *, norm: Norm) -> FloatArray | None:
    """Return the shares of all whole plans within the budget, (P, D); None if too many."""
    power = 1 if norm == "l1" else 2
    budget = radius**power * (1 + SLACK)
    plans, cost = np.zeros((1, len(items.step))), np.zeros(1)
    top = items.room.max(axis=0)
    for j in np.flatnonzero(items.step > 0):
        most = int(np.floor(min(radius, top[j]) / items.step[j] * (1 + SLACK)))
        if len(plans) * (most + 1) > 16 * MOST_PLANS:
            return None
        steps = np.arange(most + 1) * items.step[j]
        plans = np.repeat(plans, most + 1, axis=0)
        plans[:, j] = np.tile(steps, len(cost))
        cost = np.repeat(cost, most + 1) + plans[:, j] ** power
        plans, cost = plans[cost <= budget], cost[cost <= budget]
        if len(plans) > MOST_PLANS:
            return None
    return plans


def _best_plan(items: Items, plans: FloatArray, radius: float, *, norm: Norm) -> Filling:
    """Go through all plans, fill the rest of each with what moves by any amount."""
    loose = items.continuous()
    best = np.full(len(items.room), -1.0)
    share = np.zeros(np.broadcast_shapes(items.room.shape, items.gain.shape))
    power = 1 if norm == "l1" else 2
    for plan in plans:
        left = max(radius**power - float((plan**power).sum()), 0.0) ** (1 / power)
        candidate = fill(loose.room, loose.gain, left, norm=norm) + plan
        total = (candidate * items.gain).sum(axis=1)
        fits = (plan <= items.room * (1 + SLACK)).all(axis=1)
        better = fits & (total > best)
        best[better] = total[better]
        share[better] = candidate[better]
    return Filling(share, best, best, True, items)


def _rounded(items: Items, radius: float, *, norm: Norm) -> Filling:
    """Return a bracket: steps of any size from above, rounded down to whole ones from below."""
    relaxed = fill(items.room, items.gain, radius, norm=norm)
    certified = (relaxed * items.gain).sum(axis=1)
    whole = np.where(items.step > 0, _whole(relaxed, items.step), 0.0)
    power = 1 if norm == "l1" else 2
    left = np.maximum(radius**power - (whole**power).sum(axis=1, keepdims=True), 0.0)
    loose = items.continuous()
    share = fill(loose.room, loose.gain, left ** (1 / power), norm=norm) + whole
    attained = (share * items.gain).sum(axis=1)
    return Filling(share, attained, np.maximum(certified, attained), False, items)
