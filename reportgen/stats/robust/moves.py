"""Which moves of the features are allowed: a ball of moves, each in units of its feature's eps.

A feature without an eps does not move. The ball is the set of moves with norm(move / eps) <= 1, so
a feature alone may move by its eps, in its own unit. Whole-number features move in steps of one
(ordinal features: levels coded one apart), binary ones between 0 and 1; a category, held in one-hot
columns, is swapped for another at the price of a move by 1. No move may take a value out of its
bounds, or further out if it lies outside already.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal, get_args

import numpy as np
from numpy.typing import ArrayLike, NDArray

FloatArray = NDArray[np.float64]
BoolArray = NDArray[np.bool_]

Norm = Literal["l1", "l2", "linf"]
Kind = Literal["continuous", "integer", "ordinal", "binary", "category"]
Direction = Literal["both", "up", "down"]

SLACK = 1e-9
"""Rounding allowed when a witness is held against its constraints."""


@dataclass(frozen=True)
class MoveSet:
    """The allowed moves of d features; made and checked by `move_set`.

    Attributes
    ----------
    eps : (d,) float array
        Largest move of each feature alone, in its own unit, >= 0; 0: immutable.
    norm : {"l1", "l2", "linf"}
        Of the moves divided by their eps.
    lower, upper : (d,) float arrays
        Bounds of the values; infinite where there are none.
    up, down : (d,) bool arrays
        Whether the feature may rise, and fall.
    kinds : tuple of str, of length d
        "continuous", "integer", "ordinal", "binary" or "category".
    categories : tuple of tuple of int
        The one-hot columns of each category; their eps are equal.
    """

    eps: FloatArray
    norm: Norm
    lower: FloatArray
    upper: FloatArray
    up: BoolArray
    down: BoolArray
    kinds: tuple[Kind, ...]
    categories: tuple[tuple[int, ...], ...] = ()

    @property
    def n_features(self) -> int:
        """Number of features d."""
        return len(self.eps)

    @property
    def mutable(self) -> BoolArray:
        """Features that may move, (d,)."""
        return np.asarray((self.eps > 0) & (self.up | self.down))

    @property
    def stepped(self) -> BoolArray:
        """Features that move in steps of one (integer, ordinal, binary), (d,)."""
        return np.array([kind in ("integer", "ordinal", "binary") for kind in self.kinds])

    @property
    def continuous(self) -> BoolArray:
        """Features that move by any amount, (d,)."""
        return np.array([kind == "continuous" for kind in self.kinds])

    @property
    def one_eps(self) -> float | None:
        """The eps that all moving features share; None if they differ or none moves."""
        used = self.eps[self.mutable]
        return float(used[0]) if len(used) and np.all(used == used[0]) else None

    def scaled(self, factor: float) -> MoveSet:
        """Return the same set with every eps multiplied by `factor` >= 0."""
        if not (np.isfinite(factor) and factor >= 0):
            raise ValueError(f"eps cannot be multiplied by {factor!r}")
        return replace(self, eps=self.eps * factor)

    def only(self, features: Sequence[int]) -> MoveSet:
        """Return the same set with all features immutable but these."""
        eps = np.zeros_like(self.eps)
        eps[list(features)] = self.eps[list(features)]
        return replace(self, eps=eps)

    def box(self, values: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return the smallest box around all moved values of each record.

        Parameters
        ----------
        values : (n, d) float array

        Returns
        -------
        low, high : (n, d) float arrays
            low <= values <= high. A stepped feature's ends are whole steps from its value; the
            columns of a category that may be swapped have the ends 0 and 1.
        """
        reach = np.where(self.stepped, np.floor(self.eps * (1 + SLACK)), self.eps)
        fall = np.where(self.down, reach, 0.0)
        rise = np.where(self.up, reach, 0.0)
        low = np.minimum(values, np.maximum(values - fall, self.lower))
        high = np.maximum(values, np.minimum(values + rise, self.upper))
        low, high = self._whole_steps(values, low, high)
        for columns in self.categories:
            swaps = self.swappable(columns)
            chosen = list(columns)
            low[:, chosen] = np.where(swaps, 0.0, values[:, chosen])
            high[:, chosen] = np.where(swaps, 1.0, values[:, chosen])
        return low, high

    def _whole_steps(
        self, values: FloatArray, low: FloatArray, high: FloatArray
    ) -> tuple[FloatArray, FloatArray]:
        """Round the ends of stepped features inwards to whole steps from the value."""
        stepped = self.stepped
        if stepped.any():
            own = values[:, stepped]
            low[:, stepped] = own - np.floor(own - low[:, stepped] + SLACK)
            high[:, stepped] = own + np.floor(high[:, stepped] - own + SLACK)
        return low, high

    def swappable(self, columns: tuple[int, ...]) -> bool:
        """Return whether the budget suffices to swap the category in these columns."""
        return bool(self.eps[columns[0]] >= 1 - SLACK)

    def cost(self, moves: FloatArray) -> FloatArray:
        """Return the norm of each record's move in units of eps, (n,); allowed up to 1.

        Parameters
        ----------
        moves : (n, d) float array
            Moved values minus values.

        Returns
        -------
        (n,) float array
            Infinite where an immutable feature moves. A swap of a category counts once.
        """
        with np.errstate(divide="ignore", invalid="ignore"):
            share = np.where(moves == 0, 0.0, np.abs(moves) / self.eps)
        for columns in self.categories:
            share[:, columns[0]] = share[:, list(columns)].max(axis=1)
            share[:, list(columns[1:])] = 0.0
        if not share.shape[1]:
            return np.zeros(len(share))
        if self.norm == "linf":
            return np.asarray(share.max(axis=1))
        if self.norm == "l1":
            return np.asarray(share.sum(axis=1))
        return np.asarray(np.sqrt(np.square(share).sum(axis=1)))

    def violations(self, values: FloatArray, moved: FloatArray) -> BoolArray:
        """Return which moved records break a constraint, (n,).

        Parameters
        ----------
        values, moved : (n, d) float arrays
            The records, and where a witness puts them.
        """
        moves = moved - values
        low, high = self.box(values)
        scale = SLACK * np.maximum(1.0, np.abs(values))
        broken = ((moved < low - scale) | (moved > high + scale)).any(axis=1)
        # x + eps rounds in the last bits of x, which may be much beside a small eps.
        bits = 4 * np.spacing(np.maximum(np.abs(values), np.abs(moved)))
        still = np.abs(moves) <= bits
        rounding = (bits / np.where(self.mutable, self.eps, np.inf)).sum(axis=1)
        broken |= self.cost(np.where(still, 0.0, moves)) > 1 + SLACK + rounding
        stepped = moves[:, self.stepped]
        broken |= (np.abs(stepped - np.rint(stepped)) > SLACK).any(axis=1)
        for columns in self.categories:
            one_hot = moved[:, list(columns)]
            kept = (moves[:, list(columns)] == 0).all(axis=1)
            broken |= ~(kept | ((one_hot == 1).sum(axis=1) == 1) & (one_hot.sum(axis=1) == 1))
        return np.asarray(broken)


def move_set(
    eps: ArrayLike,
    *,
    norm: Norm,
    lower: ArrayLike | None = None,
    upper: ArrayLike | None = None,
    directions: Sequence[Direction] | None = None,
    kinds: Sequence[Kind] | None = None,
    categories: Sequence[Sequence[int]] = (),
) -> MoveSet:
    """Return the allowed moves of d features, checked.

    Parameters
    ----------
    eps : (d,) array_like
        Largest move of each feature alone, in its own unit, >= 0; 0: immutable.
    norm : {"l1", "l2", "linf"}
        Of the moves divided by their eps.
    lower, upper : (d,) array_like, optional
        Bounds of the values; absent or infinite: none.
    directions : sequence of {"both", "up", "down"}, optional
        "both" if absent.
    kinds : sequence of str, optional
        "continuous" if absent; columns of `categories` are "category" in any case. A "binary"
        feature stays within 0 and 1.
    categories : sequence of sequences of int
        One-hot columns that are one category.

    Raises
    ------
    ValueError
        If an eps is negative or not finite, a bound is crossed, a name is unknown, lengths differ,
        or columns of a category overlap or have different eps.
    """
    budget = np.array(eps, dtype=np.float64, ndmin=1)
    d = len(budget)
    low = np.full(d, -np.inf) if lower is None else np.array(lower, dtype=np.float64)
    high = np.full(d, np.inf) if upper is None else np.array(upper, dtype=np.float64)
    ways: list[Direction] = list(directions) if directions is not None else ["both"] * d
    named: list[Kind] = list(kinds) if kinds is not None else ["continuous"] * d
    groups = tuple(tuple(int(column) for column in columns) for columns in categories)
    for column in (column for columns in groups for column in columns):
        named[column] = "category"
    for column, kind in enumerate(named):
        if kind == "binary" and column < min(len(low), len(high)):
            low[column], high[column] = max(low[column], 0.0), min(high[column], 1.0)
    result = MoveSet(
        budget,
        norm,
        low,
        high,
        np.array([way != "down" for way in ways]),
        np.array([way != "up" for way in ways]),
        tuple(named),
        groups,
    )
    _check(result, ways)
    return result


def _check(moves: MoveSet, ways: Sequence[Direction]) -> None:
    """Raise ValueError with the first thing that is wrong."""
    d = moves.n_features
    lengths = [len(moves.lower), len(moves.upper), len(ways), len(moves.kinds)]
    if set(lengths) != {d}:
        raise ValueError(f"{d} eps, but bounds, directions and kinds of {lengths} features")
    if not np.all(np.isfinite(moves.eps) & (moves.eps >= 0)):
        raise ValueError(f"eps must be finite and not negative: {moves.eps.tolist()}")
    if not np.all(moves.lower <= moves.upper):
        raise ValueError("a lower bound lies above its upper bound")
    for value, allowed in (
        *((kind, get_args(Kind)) for kind in moves.kinds),
        *((way, get_args(Direction)) for way in ways),
        (moves.norm, get_args(Norm)),
    ):
        if value not in allowed:
            raise ValueError(f"{value!r} is none of {', '.join(allowed)}")
    _check_categories(moves)


def _check_categories(moves: MoveSet) -> None:
    columns = [column for group in moves.categories for column in group]
    if len(columns) != len(set(columns)):
        raise ValueError("a column belongs to two categories")
    if {i for i, kind in enumerate(moves.kinds) if kind == "category"} != set(columns):
        raise ValueError("the columns of a category must be named together in `categories`")
    for group in moves.categories:
        if len(group) < 2 or len(set(moves.eps[list(group)].tolist())) != 1:
            raise ValueError(f"columns {group} need one eps and at least two columns")


def check_features(values: FloatArray, moves: MoveSet) -> None:
    """Raise ValueError unless `values` is a finite (n, d) array that fits the moves.

    Whole-number features must hold whole numbers, binary ones 0 and 1, and one column of each
    category that may be swapped must be 1 and the others 0.
    """
    if values.ndim != 2 or values.shape[1] != moves.n_features:
        raise ValueError(f"features of shape {values.shape} for moves of {moves.n_features}")
    unknown = np.flatnonzero(~np.isfinite(values).all(axis=0))
    if len(unknown):
        raise ValueError(f"features {unknown.tolist()} have missing or infinite values")
    moving = moves.mutable
    for j in np.flatnonzero(moves.stepped & moving):
        if np.any(values[:, j] != np.rint(values[:, j])):
            raise ValueError(f"feature {j} is {moves.kinds[j]} but holds fractions")
        if moves.kinds[j] == "binary" and not np.isin(values[:, j], (0, 1)).all():
            raise ValueError(f"feature {j} is binary but holds other values than 0 and 1")
    for columns in moves.categories:
        chosen = values[:, list(columns)]
        if moving[columns[0]] and not (
            np.isin(chosen, (0, 1)).all() and (chosen.sum(axis=1) == 1).all()
        ):
            raise ValueError(f"columns {columns} are not one-hot")
