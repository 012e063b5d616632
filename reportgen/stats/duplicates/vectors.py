"""Near pairs among vectors with missing values: standardised columns and a search tree."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray
from scipy.spatial import cKDTree

from reportgen.stats.duplicates.hits import FloatArray, Hits, IntArray, as_lying, joined

_BLOCK = 4096
_WIDER = 1 + 1e-9
"""The tree searches a little wider; the distance that decides is computed anew."""


def standardised(values: FloatArray) -> tuple[FloatArray, NDArray[np.bool_]]:
    """Return the columns that vary, in standard deviations from their mean, and which they are.

    Missing values (NaN) stay missing. The standard deviation has n in its denominator.
    """
    present = ~np.isnan(values)
    low = np.min(values, axis=0, where=present, initial=np.inf)
    high = np.max(values, axis=0, where=present, initial=-np.inf)
    varies = low < high
    largest = np.maximum(np.abs(low), np.abs(high))[varies]
    held, there = values[:, varies] / largest, present[:, varies]
    centre = held.mean(axis=0, where=there)
    return (held - centre) / held.std(axis=0, where=there), varies


def near_vectors(
    vectors: FloatArray, first: IntArray, second: IntArray | None, *, limit: float
) -> Hits:
    """Find pairs of distinct vectors within a root mean square difference of `limit`.

    Parameters
    ----------
    vectors : (n, d) float array
        In standard deviations; only vectors that miss the same values are compared.
    first, second : int arrays
        Which of them may be the one and which the other; without the second, any two of the first.
    limit : float
        >= 0.

    Returns
    -------
    Hits
        Positions in `vectors`, `first` < `second`, each pair once.
    """
    present = ~np.isnan(vectors)
    found = []
    for pattern in np.unique(present[first], axis=0):
        if pattern.any():
            ours = first[(present[first] == pattern).all(axis=1)]
            theirs = ours
            if second is not None:
                theirs = second[(present[second] == pattern).all(axis=1)]
            some = vectors[:, pattern]
            found += [_near(some, i, j, limit) for i, j in _candidates(some, ours, theirs, limit)]
    return _each_once(joined(found))


def _candidates(
    vectors: FloatArray, first: IntArray, second: IntArray, limit: float
) -> Iterator[tuple[IntArray, IntArray]]:
    """Yield pairs that the tree finds, block by block."""
    tree = cKDTree(vectors[first])
    radius = limit * np.sqrt(vectors.shape[1]) * _WIDER + 1e-12
    for start in range(0, len(second), _BLOCK):
        block = second[start : start + _BLOCK]
        lists = tree.query_ball_point(vectors[block], radius)
        lengths = [len(found) for found in lists]
        inner = np.array([place for found in lists for place in found], dtype=np.intp)
        yield first[inner], np.repeat(block, lengths)


def _near(vectors: FloatArray, i: IntArray, j: IntArray, limit: float) -> Hits:
    """Return the pairs within the limit, of two distinct vectors, the lower position first."""
    i, j = np.minimum(i, j)[i != j], np.maximum(i, j)[i != j]
    distance = np.sqrt(((vectors[i] - vectors[j]) ** 2).mean(axis=1))
    near = distance <= limit
    return as_lying(i[near], j[near], distance[near])


def _each_once(hits: Hits) -> Hits:
    """Drop repeats of a pair; the hits are sorted."""
    again = (np.diff(hits.first, prepend=-1) == 0) & (np.diff(hits.second, prepend=-1) == 0)
    return hits.take(~again)
