"""Near duplicates by the cosine of whitened low-frequency DCT coefficients.

A 64 × 64 grey thumbnail gives its orthonormal DCT-II coefficients (u, v) in [0, 16)², the mean
(0, 0) set to zero, each divided by R(u, v) = sqrt((m(u, v) + m(v, u)) / 2), m being the mean
square over all usable images of the set. Dividing by R weighs all frequencies alike, and R is
symmetric, so that it commutes with the eight symmetries. The similarity is the cosine, largest over
the eight.

It does not see brightness or contrast and needs detail: an image with a side below 64 pixels, or
with no variation, is not comparable.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.fft import dctn

from reportgen.stats.duplicates.hits import FloatArray, Hits, IntArray, joined
from reportgen.stats.duplicates.products import (
    UNIT,
    Parts,
    largest_products,
    parity_parts,
    products_by_symmetry,
    rows_of,
)
from reportgen.stats.duplicates.symmetries import INVERSE

SIDE, KEPT = 64, 16
LEAST_SIDE = SIDE
"""Images with a shorter side are not comparable; the caller leaves them out of `usable`."""

ROWS, COLUMNS = 512, 2048
_CHUNK = 2048
_NOTHING = 1e-9  # grey levels; less is the rounding of a coefficient that is zero
DECIMALS = 12
"""Cosines are rounded to so many places before they are compared with anything."""
SLACK = (KEPT * KEPT + 16) * UNIT + 10.0**-DECIMALS
"""How far a cosine in float32 may lie below the rounded one in float64."""


@dataclass(frozen=True, eq=False)
class WdctFeatures:
    """Whitened coefficients of a set of images.

    Attributes
    ----------
    parts : Parts of float64
        Unit vectors by parities (see `products`), 4 × (n, 64); zeros where not comparable.
    comparable : (n,) bool array
        Usable and not flat.
    root_mean_square : (16, 16) float array
        R(u, v); 0 where the coefficient is dropped.
    """

    parts: Parts[np.float64]
    comparable: NDArray[np.bool_]
    root_mean_square: FloatArray


def wdct_features(grey64: NDArray[np.uint8], usable: NDArray[np.bool_]) -> WdctFeatures:
    """Return the whitened coefficients of (n, 64, 64) grey thumbnails.

    Parameters
    ----------
    grey64 : (n, 64, 64) uint8 array
    usable : (n,) bool array
        Which images count; R rests on all of them and on no other.

    Raises
    ------
    ValueError
        If the shapes do not fit.
    """
    if grey64.shape[1:] != (SIDE, SIDE) or usable.shape != (len(grey64),):
        raise ValueError(f"thumbnails are (n, 64, 64), usable (n,), not {grey64.shape}")
    blocks = np.zeros((len(grey64), KEPT, KEPT))
    for start in range(0, len(grey64), _CHUNK):
        rows = slice(start, start + _CHUNK)
        blocks[rows] = _low_block(grey64[rows])
    blocks[~usable] = 0.0
    square = np.add.reduce(blocks**2, axis=0) / max(1, np.count_nonzero(usable))
    scale = np.sqrt((square + square.T) / 2)
    scale[scale < _NOTHING] = 0.0
    white = np.divide(blocks, scale, out=np.zeros_like(blocks), where=scale > 0)
    norm = np.sqrt((white.reshape(len(white), -1) ** 2).sum(axis=1))
    white /= np.where(norm > 0, norm, 1.0)[:, None, None]
    return WdctFeatures(parity_parts(white), usable & (norm > 0), scale)


def _low_block(grey: NDArray[np.uint8]) -> FloatArray:
    """Return the low coefficients; those of a flat picture are exactly zero, not nearly."""
    values = grey.astype(np.float64) - grey[:, :1, :1]
    low: FloatArray = dctn(values, axes=(1, 2), norm="ortho")[:, :KEPT, :KEPT]
    low[:, 0, 0] = 0.0
    return low


def cosine_distance(cosine: float) -> float:
    """Return 1 - cosine as `Hits.distance` holds it: ``hits.within(cosine_distance(0.6))``."""
    return round(1.0 - cosine, DECIMALS)


def wdct_pairs(
    features: WdctFeatures,
    first_index: IntArray,
    second_index: IntArray | None = None,
    *,
    threshold: float,
) -> Hits:
    """Find every pair with a similarity of at least `threshold`, flips and rotations included.

    Parameters
    ----------
    features : WdctFeatures
    first_index, second_index : (n,), (m,) int arrays
        Positions of the images of the two sets; without the second, the unordered pairs within the
        first. Images that are not comparable are in no pair.
    threshold : float
        Least cosine, -1 to 1.

    Returns
    -------
    Hits
        Positions in `first_index` and `second_index`; `distance` is 1 - cosine, 0 to 2.

    Raises
    ------
    ValueError
        If the threshold is not between -1 and 1.

    Notes
    -----
    Pairs are sorted out in float32 with an allowance for its rounding and decided in float64 by
    sums of fixed order, rounded to twelve places: neither block size nor threads change the result,
    and symmetries that tie in exact arithmetic tie here, the first of them being named.
    """
    if not -1 <= threshold <= 1:
        raise ValueError(f"a cosine lies between -1 and 1, not {threshold}")
    left = _Side(features, first_index)
    right = left if second_index is None else _Side(features, second_index)
    within = second_index is None
    limit = cosine_distance(threshold)
    return joined(
        _decided(left, right, i, j, within=within).within(limit)
        for i, j in _candidates(left, right, np.float32(threshold - SLACK), within=within)
    )


class _Side:
    """One set of a search: its comparable images, in both precisions."""

    def __init__(self, features: WdctFeatures, index: IntArray) -> None:
        index = np.asarray(index, dtype=np.intp)
        self.place = np.flatnonzero(features.comparable[index])
        self.size = len(index)
        self.exact = rows_of(features.parts, index[self.place])
        a, b, c, d = (part.astype(np.float32) for part in self.exact)
        self.coarse: Parts[np.float32] = (a, b, c, d)

    def __len__(self) -> int:
        return len(self.place)


def _candidates(
    first: _Side, second: _Side, least: np.float32, *, within: bool
) -> Iterator[tuple[IntArray, IntArray]]:
    for top in range(0, len(first), ROWS):
        rows = slice(top, min(top + ROWS, len(first)))
        mine = rows_of(first.coarse, rows)
        for edge in range(top if within else 0, len(second), COLUMNS):
            columns = slice(edge, edge + COLUMNS)
            near = largest_products(mine, rows_of(second.coarse, columns)) >= least
            i, j = np.nonzero(near)
            i, j = i + top, j + edge
            if within:
                i, j = i[i < j], j[i < j]
            for start in range(0, len(i), _CHUNK):
                yield i[start : start + _CHUNK], j[start : start + _CHUNK]


def _decided(first: _Side, second: _Side, i: IntArray, j: IntArray, *, within: bool) -> Hits:
    """Return pairs with their distances in float64, positions in the index arrays."""
    cosine = products_by_symmetry(rows_of(first.exact, i), rows_of(second.exact, j))
    distance = np.clip(np.round(1.0 - cosine, DECIMALS), 0.0, 2.0)
    ours, theirs = first.place[i], second.place[j]
    if within:
        turned = ours > theirs
        ours, theirs = np.minimum(ours, theirs), np.maximum(ours, theirs)
        distance = np.where(turned[:, None], distance[:, INVERSE], distance)
    symmetry = np.argmin(distance, axis=1)
    return Hits(ours, theirs, symmetry, distance.min(axis=1, initial=2.0), distance[:, 0])


def wdct_nearest(
    features: WdctFeatures, first_index: IntArray, second_index: IntArray | None = None
) -> Hits:
    """Find for each item of `second_index` the most similar of `first_index`.

    Without `second_index` each item of the first is compared with all others of it. One row an
    item, in its order; the lowest position in a tie; -1 and an infinite distance where the item or
    everything else is not comparable. Otherwise as `wdct_pairs`.
    """
    left = _Side(features, first_index)
    right = left if second_index is None else _Side(features, second_index)
    none, far = np.full(right.size, -1, np.intp), np.full(right.size, np.inf)
    result = Hits(none, np.arange(right.size), none.copy(), far, far.copy())
    if not len(left):
        return result
    step = max(1, min(ROWS, (1 << 24) // len(left)))
    for top in range(0, len(right), step):
        columns = np.arange(top, min(top + step, len(right)))
        best = largest_products(rows_of(right.coarse, columns), left.coarse)
        if second_index is None:
            best[np.arange(len(columns)), columns] = -np.inf
        j, i = np.nonzero(best >= np.maximum(best.max(axis=1, keepdims=True) - 2 * SLACK, -2))
        _write_nearest(_decided(left, right, i, j + top, within=False), result)
    return result


def _write_nearest(hits: Hits, result: Hits) -> None:
    """Write the nearest of each second item among `hits` into `result`."""
    order = np.lexsort((hits.first, hits.distance, hits.second))
    sorted_hits = hits.take(order)
    chosen = sorted_hits.take(np.flatnonzero(np.diff(sorted_hits.second, prepend=-1)))
    for name in ("first", "symmetry", "distance", "fixed"):
        getattr(result, name)[chosen.second] = getattr(chosen, name)
