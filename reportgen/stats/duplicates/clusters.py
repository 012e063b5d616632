"""Duplicates of duplicates: the connected components of pairs."""

from __future__ import annotations

import numpy as np
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

from reportgen.stats.duplicates.hits import IntArray


def clusters(n: int, first: IntArray, second: IntArray) -> IntArray:
    """Return the cluster of each of `n` items that `first` and `second` link, (n,).

    Codes count from 0 in the order of the first member; an item in no pair is a cluster of its own.

    Raises
    ------
    ValueError
        If a position is not in [0, n).
    """
    ends = np.concatenate([first, second])
    if ends.min(initial=0) < 0 or ends.max(initial=-1) >= n:
        raise ValueError(f"pairs hold positions outside 0 … {n - 1}")
    if n == 0:
        return np.empty(0, np.intp)
    graph = coo_array((np.ones(len(first)), (first, second)), shape=(n, n))
    _, label = connected_components(graph, directed=False)
    return in_order_of_first_member(label.astype(np.intp))


def in_order_of_first_member(label: IntArray) -> IntArray:
    """Return codes that count from 0 in the order in which the labels first occur."""
    _, begin, code = np.unique(label, return_index=True, return_inverse=True)
    rank = np.empty(len(begin), np.intp)
    rank[np.argsort(begin)] = np.arange(len(begin))
    return rank[code.reshape(len(label))]
