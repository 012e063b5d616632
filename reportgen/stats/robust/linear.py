"""Exact score intervals of a linear score with a rising link.

A record gains most by a move along the dual vector: with no bound in the way the reach of the
margin w x + b is the dual norm of eps w. Bounds, directions and whole steps keep the problem exact
(`filling`); the link carries the ends over, because it rises.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

import numpy as np
from scipy.special import expit

from reportgen.stats.robust.filling import Filling, Items, fill, fill_whole
from reportgen.stats.robust.intervals import FloatArray, ScoreIntervals, exact_intervals
from reportgen.stats.robust.moves import MoveSet, check_features

Link = Literal["logit", "identity"]

_BLOCK = 2_000_000  # numbers of one block of records: 16 MB an array


@dataclass(frozen=True)
class LinearModel:
    """A score link(w x + b).

    Attributes
    ----------
    coefficients : (d,) float array
    intercept : float
    link : {"logit", "identity"}
        "logit": the score is expit(margin), a probability; "identity": the margin itself.
    """

    coefficients: FloatArray
    intercept: float
    link: Link = "logit"

    def margin(self, values: FloatArray) -> FloatArray:
        """Return w x + b of each record, (n,)."""
        return np.asarray(values @ self.coefficients + self.intercept)

    def linked(self, margin: FloatArray) -> FloatArray:
        """Return the score of margins."""
        return np.asarray(expit(margin)) if self.link == "logit" else margin

    def score(self, values: FloatArray) -> FloatArray:
        """Return the score of each record, (n,)."""
        return self.linked(self.margin(values))

    def margin_at(self, score: float) -> float:
        """Return the margin with this score; infinite where none has it."""
        if self.link == "identity":
            return score
        with np.errstate(divide="ignore", invalid="ignore"):
            return float(np.log(score) - np.log1p(-score)) if 0 < score < 1 else _beyond(score)


def _beyond(score: float) -> float:
    return float(np.inf) if score >= 1 else float(-np.inf)


def without_scaling(model: LinearModel, mean: FloatArray, scale: FloatArray) -> LinearModel:
    """Return the model on unscaled features, given its features were (x - mean) / scale.

    Parameters
    ----------
    model : LinearModel
    mean, scale : (d,) float arrays
        `scale` must not be 0.
    """
    if np.any(scale == 0):
        raise ValueError("a scale is 0")
    folded = model.coefficients / scale
    return LinearModel(folded, model.intercept - float(folded @ mean), model.link)


@dataclass(frozen=True)
class Reach:
    """How far each record's margin can be moved one way.

    Attributes
    ----------
    attained, certified : (n,) float arrays
        Largest change of the margin in that way, >= 0; equal where exact.
    moves : (n, d) float array or None
        A move that attains it.
    exact : bool
    """

    attained: FloatArray
    certified: FloatArray
    moves: FloatArray | None
    exact: bool


def linear_intervals(
    values: FloatArray, model: LinearModel, moves: MoveSet, *, witness: bool = True
) -> ScoreIntervals:
    """Return the interval of scores each record can reach.

    Parameters
    ----------
    values : (n, d) float array
        Features in their own units.
    model : LinearModel
    moves : MoveSet
    witness : bool
        Whether to keep the moved records; two (n, d) arrays.

    Returns
    -------
    ScoreIntervals
        On the scale of the score. Exact, unless steps of whole-number features or swaps of
        categories under an L1 or L2 norm are too many to go through: then a bracket.

    Raises
    ------
    ValueError
        If features do not fit the moves or are missing.
    """
    check_features(values, moves)
    margin = model.margin(values)
    up = margin_reach(values, model.coefficients, moves, witness=witness)
    down = margin_reach(values, -model.coefficients, moves, witness=witness)
    witness_low = None if down.moves is None else values + down.moves
    witness_high = None if up.moves is None else values + up.moves
    low, high = model.linked(margin - down.attained), model.linked(margin + up.attained)
    if up.exact and down.exact:
        return exact_intervals(low, high, witness_low=witness_low, witness_high=witness_high)
    lowest, highest = model.linked(margin - down.certified), model.linked(margin + up.certified)
    return ScoreIntervals(low, high, lowest, highest, witness_low, witness_high)


def margin_reach(
    values: FloatArray, weights: FloatArray, moves: MoveSet, *, witness: bool = True
) -> Reach:
    """Return the largest rise of ``weights @ x`` each record can make.

    Parameters
    ----------
    values : (n, d) float array
    weights : (d,) float array
    moves : MoveSet
    witness : bool
        Whether to keep the moves.
    """
    n, d = values.shape
    attained, certified = np.empty(n), np.empty(n)
    kept = np.empty((n, d)) if witness else None
    exact = True
    for rows in row_blocks(n, d):
        items = arranged_items(values[rows], weights, moves)
        filling = fill_whole(items, 1.0, norm=moves.norm)
        attained[rows], certified[rows] = filling.attained, filling.certified
        exact = exact and filling.exact
        if kept is not None:
            kept[rows] = _as_moves(filling, values[rows], weights, moves)
    return Reach(attained, certified, kept, exact)


def continuous_reach(
    values: FloatArray, weights: FloatArray, moves: MoveSet, radius: FloatArray
) -> FloatArray:
    """Return the reach of each record where eps is multiplied by its own `radius`, (n,).

    Features that move in steps or swaps are held still.
    """
    reach = np.empty(len(values))
    for rows in row_blocks(*values.shape):
        items = arranged_items(values[rows], weights, moves).continuous()
        share = fill(items.room, items.gain, radius[rows, None], norm=moves.norm)
        reach[rows] = (share * items.gain).sum(axis=1)
    return reach


def row_blocks(n: int, d: int) -> Iterator[slice]:
    """Yield slices of rows that hold few enough numbers."""
    size = max(1, _BLOCK // max(d, 1))
    for start in range(0, n, size):
        yield slice(start, min(start + size, n))


def arranged_items(values: FloatArray, weights: FloatArray, moves: MoveSet) -> Items:
    """Return what can be moved to raise ``weights @ x``, in units of eps."""
    eps, mutable = moves.eps, moves.mutable
    single = np.flatnonzero(mutable & (weights != 0) & ~_in_category(moves))
    room = _room(values, weights, moves, single)
    gain = np.broadcast_to(eps[single] * np.abs(weights[single]), room.shape)
    step = np.where(moves.stepped[single], 1 / eps[single], 0.0)
    swaps = [c for c in moves.categories if mutable[c[0]]]
    if swaps:
        swap_gain = np.column_stack([_best_swap(values, weights, c)[1] for c in swaps])
        cost = np.array([1 / eps[c[0]] for c in swaps])
        worth = swap_gain > 0
        room = np.hstack([np.broadcast_to(room, (len(values), len(single))), worth * cost])
        gain = np.hstack([np.broadcast_to(gain, (len(values), len(single))), swap_gain / cost])
        step = np.concatenate([step, cost])
    return Items(room, np.maximum(gain, 0.0), step, tuple(single.tolist()), tuple(swaps))


def _in_category(moves: MoveSet) -> np.ndarray[tuple[int], np.dtype[np.bool_]]:
    return np.array([kind == "category" for kind in moves.kinds], dtype=np.bool_)


def _room(
    values: FloatArray, weights: FloatArray, moves: MoveSet, single: np.ndarray
) -> FloatArray:
    """Return how far features may go in their gainful direction, in eps; one row if all alike."""
    rising = weights[single] > 0
    allowed = np.where(rising, moves.up[single], moves.down[single])
    bound = np.where(rising, moves.upper[single], moves.lower[single])
    if np.isinf(bound).all():
        free = np.where(allowed, np.inf, 0.0)
        room = np.broadcast_to(free, (1, len(single)))
    else:
        own = values[:, single]
        room = np.where(allowed, np.maximum(np.where(rising, bound - own, own - bound), 0.0), 0.0)
        stepped = moves.stepped[single]
        room = np.where(stepped, np.floor(room + 1e-9), room)
    return np.asarray(room / moves.eps[single])


def _best_swap(
    values: FloatArray, weights: FloatArray, columns: tuple[int, ...]
) -> tuple[int, FloatArray]:
    """Return the column of largest weight and what swapping to it gains each record."""
    chosen = list(columns)
    best = int(np.argmax(weights[chosen]))
    return chosen[best], weights[chosen[best]] - values[:, chosen] @ weights[chosen]


def _as_moves(
    filling: Filling, values: FloatArray, weights: FloatArray, moves: MoveSet
) -> FloatArray:
    """Return the moves in the features' own units, (n, d)."""
    items = filling.items
    result = np.zeros(values.shape)
    single = list(items.features)
    # Whole steps are restored exactly: k / eps * eps need not be k.
    amount = filling.share[:, : len(single)] * moves.eps[single]
    amount = np.where(items.step[: len(single)] > 0, np.rint(amount), amount)
    result[:, single] = np.sign(weights[single]) * amount
    for k, columns in enumerate(items.swaps):
        swapped = filling.share[:, len(single) + k] > 0
        best, _ = _best_swap(values, weights, columns)
        chosen = list(columns)
        result[:, chosen] = np.where(swapped[:, None], -values[:, chosen], 0.0)
        result[swapped, best] += 1
    return result
