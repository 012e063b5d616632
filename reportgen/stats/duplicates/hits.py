"""What a search for duplicates returns: one search at the largest threshold, counted at any below.

A section searches once, at the largest threshold it reports, and then takes `Hits.within` for
each of the others and `Hits.aligned` for what a comparison without flips would have found.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

IntArray = NDArray[np.intp]
FloatArray = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Hits:
    """Pairs that a search found, in ascending order of `first`, then `second`.

    Attributes
    ----------
    first, second : (p,) int array
        Positions in the two sets; within one set first < second. A search for the nearest has one
        row an item of the second set, in its order, and -1 as `first` where there is none.
    symmetry : (p,) int array
        Position in `SYMMETRIES`: carries the second picture onto the first with the least distance,
        the first of them in a tie; -1 where there is none.
    distance : (p,) float array
        Under that symmetry; infinite where there is none.
    fixed : (p,) float array
        Distance of the two as they lie, without flip or rotation; >= `distance`.
    """

    first: IntArray
    second: IntArray
    symmetry: IntArray
    distance: FloatArray
    fixed: FloatArray

    def __len__(self) -> int:
        return len(self.first)

    def take(self, rows: NDArray[np.bool_] | IntArray) -> Hits:
        """Return the chosen rows, a mask or positions, in the order given."""
        return Hits(
            self.first[rows],
            self.second[rows],
            self.symmetry[rows],
            self.distance[rows],
            self.fixed[rows],
        )

    def within(self, limit: float) -> Hits:
        """Return the pairs with a distance of at most `limit`.

        They are what a search at `limit` would find, if `limit` is not above the one searched at.
        """
        return self.take(self.distance <= limit)

    def aligned(self, limit: float) -> Hits:
        """Return the pairs that a comparison without flips and rotations finds within `limit`."""
        return self.take(self.fixed <= limit)


def joined(parts: Iterable[Hits]) -> Hits:
    """Return the pairs of all parts as one, in ascending order of first, then second."""
    found = list(parts)
    none = np.empty(0, np.intp)
    hits = Hits(
        np.concatenate([none, *(part.first for part in found)]),
        np.concatenate([none, *(part.second for part in found)]),
        np.concatenate([none, *(part.symmetry for part in found)]),
        np.concatenate([np.empty(0), *(part.distance for part in found)]),
        np.concatenate([np.empty(0), *(part.fixed for part in found)]),
    )
    return hits.take(np.lexsort((hits.second, hits.first)))


def as_lying(first: IntArray, second: IntArray, distance: FloatArray) -> Hits:
    """Return pairs of things that have no symmetries, such as rows of a table."""
    return Hits(first, second, np.zeros(len(first), np.intp), distance, distance)
