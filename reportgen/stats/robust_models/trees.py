"""Tree ensembles as plain data: scores, and the interval each record's score can reach."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import ClassVar, TypeAlias

import numpy as np
from numpy.typing import NDArray

from reportgen.stats.robust.intervals import ScoreIntervals
from reportgen.stats.robust.moves import MoveSet, check_features
from reportgen.stats.robust_models.ground import Ground, Terrain
from reportgen.stats.robust_models.leaves import Forest, Tree, plant, raw_values, reachable
from reportgen.stats.robust_models.links import Link, apply_link, check_matrix
from reportgen.stats.robust_models.search import Found, Leaves, maximise

FloatArray: TypeAlias = NDArray[np.float64]
BoolArray: TypeAlias = NDArray[np.bool_]

NODE_BUDGET = 300
"""Boxes that are split for one record and side, unless the caller says otherwise."""
CELLS = 20_000_000
"""Array cells that scoring and filtering hold at once."""


@dataclass(frozen=True)
class TreeEnsemble:
    """An additive ensemble of trees: ``link(intercept + sum over trees of a leaf's value)``.

    Attributes
    ----------
    features : tuple of str
        Names of the d inputs, in order.
    forest : Forest
    intercept : float
    link : {"logit", "identity"}
        "logit" turns the raw score into a probability; with "identity" it is one already.
    """

    features: tuple[str, ...]
    forest: Forest
    intercept: float
    link: Link
    kind: ClassVar[str] = "trees"
    certifiable: ClassVar[bool] = True

    @property
    def takes_missing(self) -> bool:
        """Whether records with missing values (NaN) can be scored."""
        return self.forest.takes_missing

    def score(self, x: FloatArray) -> FloatArray:
        """Return the probability of each record.

        Parameters
        ----------
        x : (n, d) float array

        Returns
        -------
        (n,) float array
            In [0, 1].

        Raises
        ------
        ValueError
            If `x` has another shape, misses values that the trees do not take, or the ensemble
            gives a figure outside [0, 1].
        """
        x = check_matrix(x, self.features, takes_missing=self.takes_missing)
        step = max(1, CELLS // max(1, len(self.forest.roots)))
        raw = [raw_values(self.forest, x[k : k + step]).sum(axis=1) for k in range(0, len(x), step)]
        return apply_link(np.concatenate(raw) + self.intercept if raw else np.zeros(0), self.link)

    def intervals(
        self,
        x: FloatArray,
        moves: MoveSet,
        *,
        budget: int = NODE_BUDGET,
        rng: np.random.Generator | None = None,  # noqa: ARG002 (the search is deterministic)
    ) -> ScoreIntervals:
        """Return the scores each record can reach under the allowed moves.

        Parameters
        ----------
        x : (n, d) float array
            A missing value stays missing.
        moves : MoveSet
        budget : int
            Boxes to split for one record and side; more narrow the bracket where it is open.
        rng : numpy.random.Generator, optional
            Not used: the search is deterministic.

        Returns
        -------
        ScoreIntervals
            Attained ends are scores of the witnesses; certified ends are equal to them where the
            search closed.
        """
        return self.curve(x, [moves], budget=budget)[0]

    def curve(
        self, x: FloatArray, grid: Sequence[MoveSet], *, budget: int = NODE_BUDGET
    ) -> list[ScoreIntervals]:
        """Return the intervals for several sets of moves of the same features.

        The leaves a record can reach are looked up once, for the largest of the boxes. Where each
        set holds the one before it, what is found for one holds for the next, and what is certified
        for one holds for the one before.

        Parameters
        ----------
        x : (n, d) float array
        grid : sequence of MoveSet
            Ascending, such as ``[moves.scaled(f) for f in (0.5, 1, 2)]``.
        budget : int
            As in `intervals`.
        """
        x = check_matrix(x, self.features, takes_missing=self.takes_missing)
        for moves in grid:
            check_features(np.nan_to_num(x, nan=0.0), moves)
        results = [_Ends(x) for _ in grid]
        boxes = [moves.box(x) for moves in grid]
        terrains = [Terrain.of(moves) for moves in grid]
        columns = [terrain.columns for terrain in terrains]
        moving = np.unique(np.concatenate(columns)) if columns else np.zeros(0, dtype=np.intp)
        for row, reach in self._reached(boxes, len(x)):
            for moves_at, terrain in enumerate(terrains):
                box = boxes[moves_at][0][row], boxes[moves_at][1][row]
                still = np.setdiff1d(moving, terrain.columns)
                own = self._holding(reach, x[row], still) if len(still) else reach
                self._search(results[moves_at], row, own, terrain, box, budget)
        made = [self._finish(ends) for ends in results]
        return _nested(made) if _are_nested(grid) else made

    def _reached(
        self, boxes: Sequence[tuple[FloatArray, FloatArray]], n: int
    ) -> Iterator[tuple[int, NDArray[np.intp]]]:
        """Yield each record with the leaves that the largest of its boxes reaches."""
        if not boxes:
            return
        low = np.minimum.reduce([low for low, _ in boxes])
        high = np.maximum.reduce([high for _, high in boxes])
        step = max(1, CELLS // len(self.forest.feature))
        for start in range(0, n, step):
            stop = min(n, start + step)
            reach = reachable(self.forest, low[start:stop], high[start:stop])
            for row in range(start, stop):
                yield row, np.flatnonzero(reach[row - start])

    def _holding(
        self, reach: NDArray[np.intp], x: FloatArray, still: NDArray[np.intp]
    ) -> NDArray[np.intp]:
        """Return the leaves that hold a record in features that move in other sets only."""
        known = still[~np.isnan(x[still])]
        cells = np.ix_(reach, known)
        inside = (self.forest.low[cells] <= x[known]) & (x[known] <= self.forest.high[cells])
        return reach[inside.all(axis=1)]

    def _search(
        self,
        ends: _Ends,
        row: int,
        reach: NDArray[np.intp],
        terrain: Terrain,
        box: tuple[FloatArray, FloatArray],
        budget: int,
    ) -> None:
        x, columns = ends.x[row], terrain.columns
        missing = np.isnan(x[columns])
        at = np.where(missing, 0.0, x[columns])
        low = np.where(missing, -np.inf, box[0][columns])
        high = np.where(missing, np.inf, box[1][columns])
        ground = Ground(terrain, at, low, high)
        leaves = self._leaves(ground, reach, missing)
        for sign, side in ((-1.0, 0), (1.0, 1)):
            signed = Leaves(
                sign * leaves.base, sign * leaves.value, leaves.tree, leaves.low, leaves.high
            )
            ends.put(row, side, sign, columns, missing, maximise(signed, ground, budget=budget))

    def _leaves(self, ground: Ground, reach: NDArray[np.intp], missing: BoolArray) -> Leaves:
        """Return the leaves that one record's ground holds; trees left with one are constant."""
        forest, terrain = self.forest, ground.terrain
        cells = np.ix_(reach, terrain.columns)
        low, high = forest.low[cells], forest.high[cells]
        if terrain.whole.any():
            low[:, terrain.whole] = np.ceil(low[:, terrain.whole])
            high[:, terrain.whole] = np.floor(high[:, terrain.whole])
        low[:, missing], high[:, missing] = -np.inf, np.inf
        low, high = np.maximum(low, ground.low), np.minimum(high, ground.high)
        held = ground.allowed(low, high)
        kept = reach[held]
        tree, value = forest.leaf_tree[kept], forest.value[forest.leaf[kept]]
        alone = np.bincount(tree, minlength=len(forest.roots))[tree] == 1
        free = ~alone
        base = float(value[alone].sum())
        return Leaves(base, value[free], tree[free], low[held][free], high[held][free])

    def _finish(self, ends: _Ends) -> ScoreIntervals:
        attained = [self.score(witness) for witness in ends.witness]
        certified = [
            apply_link(np.asarray(bound + self.intercept), self.link, clip=True)
            for bound in ends.bound
        ]
        outer = np.minimum(certified[0], attained[0]), np.maximum(certified[1], attained[1])
        return ScoreIntervals(
            attained[0],
            attained[1],
            np.where(ends.closed[0], attained[0], outer[0]),
            np.where(ends.closed[1], attained[1], outer[1]),
            ends.witness[0],
            ends.witness[1],
            exact=bool(ends.closed.all()),
        )


class _Ends:
    """What the searches of all records ended with: side 0 is the low end, side 1 the high one."""

    def __init__(self, x: FloatArray) -> None:
        self.x = x
        self.witness = [x.copy(), x.copy()]
        self.bound = np.zeros((2, len(x)))
        self.closed = np.zeros((2, len(x)), dtype=bool)

    def put(
        self,
        row: int,
        side: int,
        sign: float,
        columns: NDArray[np.intp],
        missing: BoolArray,
        found: Found,
    ) -> None:
        """Keep the result of one record and side."""
        self.bound[side, row] = sign * found.bound
        self.closed[side, row] = found.closed
        self.witness[side][row, columns[~missing]] = found.point[~missing]


def _are_nested(grid: Sequence[MoveSet]) -> bool:
    """Return whether each set of moves holds the one before it."""
    return all(
        a.norm == b.norm
        and bool((a.eps <= b.eps).all())
        and a.kinds == b.kinds
        and a.categories == b.categories
        and all(
            np.array_equal(getattr(a, name), getattr(b, name))
            for name in ("lower", "upper", "up", "down")
        )
        for a, b in pairwise(grid)
    )


def _nested(made: list[ScoreIntervals]) -> list[ScoreIntervals]:
    """Hand what is attained up the grid, and what is certified down."""
    made = list(made)
    for k in range(1, len(made)):
        made[k] = _with_attained(made[k], made[k - 1])
    for k in range(len(made) - 2, -1, -1):
        made[k] = _with_certified(made[k], made[k + 1])
    return made


def _with_attained(wide: ScoreIntervals, narrow: ScoreIntervals) -> ScoreIntervals:
    lower = narrow.attained_low < wide.attained_low
    higher = narrow.attained_high > wide.attained_high
    return ScoreIntervals(
        np.minimum(wide.attained_low, narrow.attained_low),
        np.maximum(wide.attained_high, narrow.attained_high),
        np.minimum(wide.certified_low, narrow.attained_low),
        np.maximum(wide.certified_high, narrow.attained_high),
        _choose(lower, narrow.witness_low, wide.witness_low),
        _choose(higher, narrow.witness_high, wide.witness_high),
        exact=wide.exact,
    )


def _choose(rows: BoolArray, new: FloatArray | None, old: FloatArray | None) -> FloatArray | None:
    return old if new is None or old is None else np.where(rows[:, None], new, old)


def _with_certified(narrow: ScoreIntervals, wide: ScoreIntervals) -> ScoreIntervals:
    low = np.maximum(narrow.certified_low, wide.certified_low)
    high = np.minimum(narrow.certified_high, wide.certified_high)
    return ScoreIntervals(
        narrow.attained_low,
        narrow.attained_high,
        np.minimum(low, narrow.attained_low),
        np.maximum(high, narrow.attained_high),
        narrow.witness_low,
        narrow.witness_high,
        exact=narrow.exact,
    )


def tree_ensemble(
    features: Sequence[str], trees: Sequence[Tree], *, intercept: float, link: Link
) -> TreeEnsemble:
    """Return an ensemble, its trees checked.

    Raises
    ------
    ValueError
        As in `plant`.
    """
    forest = plant(trees, n_features=len(features))
    return TreeEnsemble(tuple(features), forest, float(intercept), link)
