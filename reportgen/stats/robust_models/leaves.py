"""The trees of an ensemble laid out as flat arrays, and the leaves that a box of inputs can reach.

Closed boxes are used throughout: a leaf that asks ``x > t`` begins at the next number after t, so
that every box of numbers is attained at its own ends.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

FloatArray: TypeAlias = NDArray[np.float64]
IntArray: TypeAlias = NDArray[np.intp]
BoolArray: TypeAlias = NDArray[np.bool_]


@dataclass(frozen=True)
class Tree:
    """One binary tree; node 0 is the root and a record goes left where ``x <= threshold``.

    Attributes
    ----------
    feature : (m,) int array
        Feature that each node splits on, -1 at a leaf.
    threshold : (m,) float array
        Not read at leaves.
    left, right : (m,) int array
        Children, -1 at a leaf.
    value : (m,) float array
        What a leaf adds to the raw score; not read at inner nodes.
    missing_left : (m,) bool array or None
        Whether a missing value goes left; None where the tree takes no missing values.
    """

    feature: IntArray
    threshold: FloatArray
    left: IntArray
    right: IntArray
    value: FloatArray
    missing_left: BoolArray | None = None


@dataclass(frozen=True)
class Forest:
    """All trees in one set of node arrays, ordered level by level where that is needed.

    Attributes
    ----------
    feature, threshold, left, right, value, missing_left : (N,) arrays
        As in `Tree`, with children counted over all nodes.
    roots : (T,) int array
    levels : tuple of int arrays
        The inner nodes of each depth, the roots first.
    leaf : (L,) int array
        The leaf nodes, tree by tree.
    leaf_tree : (L,) int array
        The tree of each leaf, ascending.
    low, high : (L, d) float arrays
        The closed box of each leaf; infinite where the leaf does not ask.
    takes_missing : bool
        Whether every tree says where missing values go.
    leaf_takes : (L, d) bool array
        Whether a record whose feature j is missing can come to the leaf.
    """

    feature: IntArray
    threshold: FloatArray
    left: IntArray
    right: IntArray
    value: FloatArray
    missing_left: BoolArray
    roots: IntArray
    takes_missing: bool
    levels: tuple[IntArray, ...] = field(repr=False)
    leaf: IntArray = field(repr=False)
    leaf_tree: IntArray = field(repr=False)
    low: FloatArray = field(repr=False)
    high: FloatArray = field(repr=False)
    leaf_takes: BoolArray = field(repr=False)


def plant(trees: Sequence[Tree], *, n_features: int) -> Forest:
    """Lay trees out as one forest.

    Parameters
    ----------
    trees : sequence of Tree
    n_features : int
        Number of inputs d.

    Raises
    ------
    ValueError
        If a tree is not one: children out of range, reached twice or never, a feature that is not
        there, a threshold or a leaf's value that is not finite. The message says which node.
    """
    if not trees:
        raise ValueError("an ensemble needs at least one tree")
    for number, tree in enumerate(trees):
        problem = tree_problem(tree, n_features=n_features)
        if problem is not None:
            raise ValueError(f"tree {number}: {problem}")
    sizes = np.array([len(tree.feature) for tree in trees])
    roots = np.concatenate([[0], np.cumsum(sizes)[:-1]]).astype(np.intp)
    shift = np.repeat(roots, sizes)
    feature = np.concatenate([tree.feature for tree in trees]).astype(np.intp)
    inner = feature >= 0
    children = [
        np.where(inner, np.concatenate([getattr(tree, side) for tree in trees]) + shift, -1)
        for side in ("left", "right")
    ]
    nodes = {
        "feature": feature,
        "threshold": np.concatenate([tree.threshold for tree in trees]).astype(np.float64),
        "left": children[0].astype(np.intp),
        "right": children[1].astype(np.intp),
        "value": np.concatenate([tree.value for tree in trees]).astype(np.float64),
    }
    takes = all(tree.missing_left is not None for tree in trees)
    missing = (
        np.concatenate([np.asarray(tree.missing_left, dtype=bool) for tree in trees])
        if takes
        else np.zeros(len(feature), dtype=bool)
    )
    levels = _levels(nodes["left"], nodes["right"], feature, roots)
    leaf = np.flatnonzero(~inner)
    low, high, leaf_takes = _boxes(nodes, missing, levels, n_features)
    tree_of = np.repeat(np.arange(len(trees)), sizes)
    return Forest(
        **nodes,
        missing_left=missing,
        roots=roots,
        takes_missing=takes,
        levels=levels,
        leaf=leaf,
        leaf_tree=tree_of[leaf],
        low=low[leaf],
        high=high[leaf],
        leaf_takes=leaf_takes[leaf],
    )


def tree_problem(tree: Tree, *, n_features: int) -> str | None:
    """Return what keeps arrays from being a tree, or None.

    Every node must be reached exactly once from node 0, so that a cycle, a shared child and an
    orphan are all found.
    """
    size = len(tree.feature)
    arrays = (tree.threshold, tree.left, tree.right, tree.value)
    if size == 0:
        return "it has no nodes"
    if any(len(array) != size for array in arrays):
        return "its arrays differ in length"
    if tree.missing_left is not None and len(tree.missing_left) != size:
        return "missing_left differs in length from the other arrays"
    inner = tree.feature >= 0
    checks = (
        (tree.feature >= n_features, f"its feature is not below {n_features}"),
        (tree.feature < -1, "its feature is below -1"),
        (inner & ~np.isfinite(tree.threshold), "its threshold is not a finite number"),
        (~inner & ~np.isfinite(tree.value), "its value is not a finite number"),
        (inner & _outside(tree.left, size), f"its left child is not one of nodes 0 to {size - 1}"),
        (
            inner & _outside(tree.right, size),
            f"its right child is not one of nodes 0 to {size - 1}",
        ),
    )
    for wrong, what in checks:
        if wrong.any():
            return f"node {int(np.argmax(wrong))}: {what}"
    reached = np.bincount(
        np.concatenate([[0], tree.left[inner], tree.right[inner]]), minlength=size
    )
    if (reached != 1).any():
        node = int(np.argmax(reached != 1))
        times = "never reached" if reached[node] == 0 else f"reached {reached[node]} times"
        return f"node {node}: it is {times}, so this is no tree"
    # One parent each and as many edges as nodes less one can still hide a cycle beside the root's
    # own part: walk down and count.
    seen = sum(len(level) for level in _walk(tree.left, tree.right, inner))
    return None if seen == size else f"{size - seen} nodes form a cycle apart from the root"


def _outside(child: IntArray, size: int) -> BoolArray:
    return np.asarray((child < 0) | (child >= size))


def _walk(left: IntArray, right: IntArray, inner: BoolArray) -> list[IntArray]:
    level, levels = np.array([0], dtype=np.intp), []
    while len(level):
        levels.append(level)
        split = level[inner[level]]
        level = np.concatenate([left[split], right[split]]).astype(np.intp)
    return levels


def _levels(
    left: IntArray, right: IntArray, feature: IntArray, roots: IntArray
) -> tuple[IntArray, ...]:
    level, levels = roots[feature[roots] >= 0], []
    while len(level):
        levels.append(level)
        below = np.concatenate([left[level], right[level]])
        level = below[feature[below] >= 0]
    return tuple(levels)


def _boxes(
    nodes: dict[str, NDArray[np.generic]],
    missing_left: BoolArray,
    levels: tuple[IntArray, ...],
    n_features: int,
) -> tuple[FloatArray, FloatArray, BoolArray]:
    """Return the closed box of every node, and which missing features can come to it."""
    feature, left, right = nodes["feature"], nodes["left"], nodes["right"]
    shape = (len(feature), n_features)
    low, high = np.full(shape, -np.inf), np.full(shape, np.inf)
    takes = np.ones(shape, dtype=bool)
    for level in levels:
        f, t, at = feature[level], nodes["threshold"][level], missing_left[level]
        for child, goes in ((left[level], at), (right[level], ~at)):
            low[child], high[child], takes[child] = low[level], high[level], takes[level]
            takes[child, f] &= goes
        high[left[level], f] = np.minimum(high[left[level], f], t)
        after = np.nextafter(t, np.inf)
        low[right[level], f] = np.maximum(low[right[level], f], after)
    return low, high, takes


def raw_values(forest: Forest, x: FloatArray) -> FloatArray:
    """Return the value of the leaf that each record comes to in each tree, (n, T)."""
    node = np.broadcast_to(forest.roots, (len(x), len(forest.roots))).copy()
    rows = np.arange(len(x))[:, None]
    for _ in forest.levels:
        feature = forest.feature[node]
        at = x[rows, feature]
        goes_left = (at <= forest.threshold[node]) | (np.isnan(at) & forest.missing_left[node])
        below = np.where(goes_left, forest.left[node], forest.right[node])
        node = np.where(feature >= 0, below, node)
    return np.asarray(forest.value[node])


def reachable(forest: Forest, low: FloatArray, high: FloatArray) -> BoolArray:
    """Return which leaves each box reaches, (n, L).

    Parameters
    ----------
    low, high : (n, d) float arrays
        Closed boxes; NaN in both where a feature is missing and stays so.
    """
    reach = np.zeros((len(forest.feature), len(low)), dtype=bool)
    reach[forest.roots] = True
    for level in forest.levels:
        f, t = forest.feature[level], forest.threshold[level][:, None]
        gone = np.isnan(low[:, f]).T
        by_default = forest.missing_left[level][:, None]
        goes_left = (low[:, f].T <= t) | (gone & by_default)
        goes_right = (high[:, f].T > t) | (gone & ~by_default)
        reach[forest.left[level]] = reach[level] & goes_left
        reach[forest.right[level]] = reach[level] & goes_right
    return np.ascontiguousarray(reach[forest.leaf].T)
