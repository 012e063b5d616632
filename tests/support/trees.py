"""Random ensembles, and their worst case by going through every cell of their thresholds."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product

import numpy as np
from numpy.typing import NDArray

from reportgen.stats.robust.moves import MoveSet, move_set
from reportgen.stats.robust_models import Tree, TreeEnsemble, tree_ensemble

Floats = NDArray[np.float64]


def random_tree(rng: np.random.Generator, *, d: int, depth: int, missing: bool = False) -> Tree:
    """Return a tree whose thresholds are eighths, so that records and moves fall on them."""
    rows: list[list[float]] = []

    def grow(level: int) -> int:
        node = len(rows)
        rows.append([-1, 0.0, -1, -1, float(rng.integers(-20, 21)) / 16, 0])
        if level < depth and rng.random() < 0.85:
            rows[node][0] = int(rng.integers(d))
            rows[node][1] = float(rng.integers(-12, 13)) / 8
            rows[node][5] = int(rng.integers(2))
            rows[node][2] = grow(level + 1)
            rows[node][3] = grow(level + 1)
        return node

    grow(0)
    columns = list(zip(*rows, strict=True))
    whole = [np.array(columns[k], dtype=np.intp) for k in (0, 2, 3)]
    sides = np.array(columns[5], dtype=bool) if missing else None
    return Tree(whole[0], np.array(columns[1]), whole[1], whole[2], np.array(columns[4]), sides)


def random_ensemble(
    rng: np.random.Generator, *, d: int, trees: int, depth: int, missing: bool = False
) -> TreeEnsemble:
    grown = [random_tree(rng, d=d, depth=depth, missing=missing) for _ in range(trees)]
    return tree_ensemble([f"x{j}" for j in range(d)], grown, intercept=0.25, link="logit")


def walk(ensemble: TreeEnsemble, x: Floats) -> Floats:
    """Return the scores of records, going down every tree by parting them at each node."""
    forest = ensemble.forest
    total = np.full(len(x), ensemble.intercept)

    def down(node: int, rows: NDArray[np.intp]) -> None:
        if not len(rows):
            return
        if forest.feature[node] < 0:
            total[rows] += forest.value[node]
            return
        values = x[rows, forest.feature[node]]
        left = np.where(
            np.isnan(values), forest.missing_left[node], values <= forest.threshold[node]
        )
        down(int(forest.left[node]), rows[left])
        down(int(forest.right[node]), rows[~left])

    for root in forest.roots.tolist():
        down(root, np.arange(len(x)))
    return np.asarray(1 / (1 + np.exp(-total)))


def every_cell(ensemble: TreeEnsemble, x: Floats, moves: MoveSet) -> Iterator[Floats]:
    """Yield, of every cell that the thresholds cut out of the moves' box, the point nearest to x.

    Whole-number features give every whole step; every level of a category is tried.
    """
    forest = ensemble.forest
    low, high = (ends[0] for ends in moves.box(x[None]))
    candidates: list[list[float]] = []
    for j in range(len(x)):
        if np.isnan(x[j]) or not moves.mutable[j] or moves.kinds[j] == "category":
            candidates.append([float(x[j])])
        elif moves.stepped[j]:
            candidates.append(np.arange(low[j], high[j] + 0.5).tolist())
        else:
            cuts = np.unique(forest.threshold[forest.feature == j])
            starts = [-np.inf, *np.nextafter(cuts, np.inf)]
            cells = zip(starts, [*cuts, np.inf], strict=True)
            nearest = [
                float(np.clip(x[j], max(a, low[j]), min(b, high[j])))
                for a, b in cells
                if max(a, low[j]) <= min(b, high[j])
            ]
            candidates.append(nearest)
    for point in product(*candidates):
        yield from _swapped(np.array(point), moves)


def _swapped(point: Floats, moves: MoveSet) -> Iterator[Floats]:
    groups = [g for g in moves.categories if moves.eps[g[0]] > 0 and moves.swappable(g)]
    for levels in product(*groups):
        moved = point.copy()
        for group, level in zip(groups, levels, strict=True):
            moved[list(group)] = 0.0
            moved[level] = 1.0
        yield moved


def brute_force(ensemble: TreeEnsemble, x: Floats, moves: MoveSet) -> tuple[float, float]:
    """Return the lowest and highest score over all allowed cells."""
    points = np.array(list(every_cell(ensemble, x, moves)))
    shifts = np.nan_to_num(points, nan=0.0) - np.nan_to_num(x, nan=0.0)
    scores = walk(ensemble, points[moves.cost(shifts) <= 1 + 1e-12])
    return float(scores.min()), float(scores.max())


def a_move_set(rng: np.random.Generator, norm: str, *, largest: float = 1.0) -> MoveSet:
    """Return moves of five features: two free, one whole, a category of two columns."""
    eps = [
        largest * float(rng.integers(1, 9)) / 8,
        largest * float(rng.integers(0, 9)) / 8,
        float(rng.integers(0, 3)),
        1.5,
        1.5,
    ]
    return move_set(
        eps,
        norm=norm,  # type: ignore[arg-type]
        lower=[-1.5, -np.inf, -3, 0, 0],
        upper=[np.inf, 1.5, 3, 1, 1],
        directions=["both", rng.choice(["both", "up", "down"]), "both", "both", "both"],
        kinds=["continuous", "continuous", "integer", "category", "category"],
        categories=[(3, 4)],
    )


def a_record(rng: np.random.Generator) -> Floats:
    """Return a record of those features; its free values lie on eighths, as thresholds do."""
    level = int(rng.integers(2))
    free = rng.integers(-10, 11, 2) / 8
    return np.array([*free, float(rng.integers(-2, 3)), float(level == 0), float(level == 1)])
