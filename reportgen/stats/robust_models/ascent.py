"""Search by scoring alone: what any model can be shown to reach, never what it cannot.

Each record is moved one feature at a time to the end of its room that scores best, sweep by sweep;
later sweeps also try points drawn inside. It asks for scores of whole batches, one a feature and
candidate, and keeps the best move of every record on its own.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from reportgen.stats.robust.moves import MoveSet

FloatArray: TypeAlias = NDArray[np.float64]
BoolArray: TypeAlias = NDArray[np.bool_]
Scorer: TypeAlias = Callable[[FloatArray], FloatArray]

SWEEPS = 3
INSIDE = 2
"""Points drawn inside a feature's room in every sweep but the first."""


def climb(
    score: Scorer,
    x: FloatArray,
    moves: MoveSet,
    *,
    sign: float,
    rng: np.random.Generator,
    starts: Sequence[FloatArray] = (),
    sweeps: int = SWEEPS,
) -> FloatArray:
    """Return allowed points that score as high (sign 1) or low (sign -1) as was found, (n, d).

    Parameters
    ----------
    score : callable
        (k, d) records to (k,) scores.
    x : (n, d) float array
    moves : MoveSet
    sign : float
        1 to raise the score, -1 to lower it.
    rng : numpy.random.Generator
    starts : sequence of (n, d) arrays
        Points to begin from beside the records; those that break a constraint are not used.
    sweeps : int
        Rounds over all features; a round that moves no record ends the search.
    """
    best, value = x.copy(), sign * score(x)
    for start in starts:
        _keep(best, value, start, sign * score(start), ~moves.violations(x, start))
    low, high = moves.box(x)
    for sweep in range(sweeps):
        before = value.copy()
        for feature in np.flatnonzero(moved_alone(moves)):
            ends = _room(x, best, moves, int(feature), low, high)
            for target in _targets(ends, x[:, feature], moves, int(feature), sweep, rng):
                moved = best.copy()
                moved[:, feature] = target
                _keep(best, value, moved, sign * score(moved), ~moves.violations(x, moved))
        _swap(score, x, moves, sign, best, value)
        if not np.any(value > before):
            break
    return best


def moved_alone(moves: MoveSet) -> BoolArray:
    """Return the features that may move and are no column of a category, (d,)."""
    single = np.array([kind != "category" for kind in moves.kinds], dtype=np.bool_)
    return np.asarray(moves.mutable & single)


def _room(
    x: FloatArray, best: FloatArray, moves: MoveSet, feature: int, low: FloatArray, high: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """Return how far one feature may go while the others stay where they are."""
    ends = low[:, feature], high[:, feature]
    if moves.norm == "linf":
        return ends
    others = best - x
    others[:, feature] = 0.0
    spent = np.minimum(moves.cost(others), 1.0)
    left = 1.0 - spent if moves.norm == "l1" else np.sqrt(1.0 - spent**2)
    room = left * moves.eps[feature]
    if moves.stepped[feature]:
        room = np.floor(room * (1 + 1e-9))
    at = x[:, feature]
    return np.maximum(ends[0], at - room), np.minimum(ends[1], at + room)


def _targets(
    ends: tuple[FloatArray, FloatArray],
    at: FloatArray,
    moves: MoveSet,
    feature: int,
    sweep: int,
    rng: np.random.Generator,
) -> list[FloatArray]:
    inside = []
    for _ in range(INSIDE if sweep else 0):
        drawn = ends[0] + rng.random(len(at)) * (ends[1] - ends[0])
        inside.append(at + np.rint(drawn - at) if moves.stepped[feature] else drawn)
    return [*ends, at, *inside]


def _swap(
    score: Scorer,
    x: FloatArray,
    moves: MoveSet,
    sign: float,
    best: FloatArray,
    value: FloatArray,
) -> None:
    """Try every other level of every category that may be swapped."""
    for columns in moves.categories:
        if moves.eps[columns[0]] <= 0 or not moves.swappable(columns):
            continue
        for column in columns:
            moved = best.copy()
            moved[:, list(columns)] = 0.0
            moved[:, column] = 1.0
            _keep(best, value, moved, sign * score(moved), ~moves.violations(x, moved))


def _keep(
    best: FloatArray, value: FloatArray, moved: FloatArray, scored: FloatArray, allowed: BoolArray
) -> None:
    better = allowed & (scored > value)
    best[better] = moved[better]
    value[better] = scored[better]
