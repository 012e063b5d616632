"""The trees of an ensemble laid out as flat arrays, and the leaves that a box of inputs can reach.

Closed boxes are used throughout: a leaf that asks ``x > t`` begins at the next number after t, so
that every box of numbers is attained at its own ends.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import NamedTuple, TypeAlias

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
    left = np.where(inner, np.concatenate([tree.left for tree in trees]) + shift, -1)
    right = np.where(inner, np.concatenate([tree.right for tree in trees]) + shift, -1)
    takes = [tree.missing_left for tree in trees if tree.missing_left is not None]
    nodes = _Nodes(
        feature,
        np.concatenate([tree.threshold for tree in trees]).astype(np.float64),
        left.astype(np.intp),
        right.astype(np.intp),
        np.concatenate(takes) if len(takes) == len(trees) else np.zeros(len(feature), dtype=bool),
    )
    levels = _levels(nodes, roots)
    leaf = np.flatnonzero(~inner)
    low, high = _boxes(nodes, levels, n_features)
    return Forest(
        nodes.feature,
        nodes.threshold,
        nodes.left,
        nodes.right,
        np.concatenate([tree.value for tree in trees]).astype(np.float64),
        nodes.missing_left,
        roots,
        len(takes) == len(trees),
        levels,
        leaf,
        np.repeat(np.arange(len(trees)), sizes)[leaf],
        low[leaf],
        high[leaf],
    )


class _Nodes(NamedTuple):
    feature: IntArray
    threshold: FloatArray
    left: IntArray
    right: IntArray
    missing_left: BoolArray


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


def _levels(nodes: _Nodes, roots: IntArray) -> tuple[IntArray, ...]:
    level, levels = roots[nodes.feature[roots] >= 0], []
    while len(level):
        levels.append(level)
        below = np.concatenate([nodes.left[level], nodes.right[level]])
        level = below[nodes.feature[below] >= 0]
    return tuple(levels)


def _boxes(
    nodes: _Nodes, levels: tuple[IntArray, ...], n_features: int
) -> tuple[FloatArray, FloatArray]:
    """Return the closed box of every node."""
    shape = (len(nodes.feature), n_features)
    low, high = np.full(shape, -np.inf), np.full(shape, np.inf)
    for level in levels:
        feature, threshold = nodes.feature[level], nodes.threshold[level]
        left, right = nodes.left[level], nodes.right[level]
        for child in (left, right):
            low[child], high[child] = low[level], high[level]
        high[left, feature] = np.minimum(high[left, feature], threshold)
        with np.errstate(over="ignore"):  # nothing lies beyond the largest number
            after = np.nextafter(threshold, np.inf)
        low[right, feature] = np.maximum(low[right, feature], after)
    return low, high


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
        goes_left = (t >= low[:, f].T) | (gone & by_default)
        goes_right = (t < high[:, f].T) | (gone & ~by_default)
        reach[forest.left[level]] = reach[level] & goes_left
        reach[forest.right[level]] = reach[level] & goes_right
    return np.ascontiguousarray(reach[forest.leaf].T)
