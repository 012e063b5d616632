"""Near duplicates by 32 × 32 grey thumbnails: exact search under the eight flips and rotations.

The distance of two thumbnails is the root mean square of the differences of their 1,024 grey
levels, least over the eight symmetries. Pairs are first sorted out by lower bounds (`sketch`),
block by block and only where the means are near enough; what is left is compared in whole numbers.
The result is the one of comparing every pair under every symmetry. Memory is that of the sketches,
2 to 3.5 kB an image, and of one block.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from reportgen.stats.duplicates.hits import FloatArray, Hits, IntArray, joined
from reportgen.stats.duplicates.products import largest_products, rows_of
from reportgen.stats.duplicates.sketch import PIXELS, Sketch, sketch, slack, squares
from reportgen.stats.duplicates.symmetries import INVERSE

Thumbnails = NDArray[np.uint8]

ROWS, COLUMNS = 512, 2048
CROWDED = 0.05
"""Share of a block that the first bound leaves, from which the second, tighter one pays."""
_FULL = 1 << 20
_LARGEST = 255**2 * PIXELS
_BOUNDS = 1 << 24
_FAR = 8.0
NEAREST_KEPT = 16
_PROMISING = 16


def rms32_pairs(first: Thumbnails, second: Thumbnails | None = None, *, threshold: float) -> Hits:
    """Find every pair of thumbnails within `threshold`, flips and rotations included.

    Parameters
    ----------
    first : (n, 32, 32) uint8 array
        Grey thumbnails.
    second : (m, 32, 32) uint8 array, optional
        Those to be compared with them; by default the unordered pairs within `first`.
    threshold : float
        Largest distance in grey levels, >= 0. For counts at several thresholds search once at the
        largest and take `Hits.within`.

    Returns
    -------
    Hits
        Distances in grey levels, exact: the square root of a whole number over 1,024.

    Raises
    ------
    ValueError
        If the threshold is negative or NaN or the thumbnails are not (n, 32, 32) of uint8.
    """
    limit = largest_square(threshold)
    kept = 8 if threshold <= _FAR else 12
    left = sketch(first, kept=kept)
    right = left if second is None else sketch(second, kept=kept)
    within = second is None
    return joined(
        _verified(left, right, i, j, limit=limit, within=within)
        for i, j in _candidates(left, right, limit=limit, within=within)
    )


def largest_square(threshold: float) -> int:
    """Return the largest sum of squares whose printed distance is at most `threshold`.

    A threshold that was read off as the distance of a pair thus includes that pair.
    """
    if not threshold >= 0:
        raise ValueError(f"a threshold is 0 or more, not {threshold}")
    limit = int(min(threshold * threshold * PIXELS, _LARGEST))
    while limit < _LARGEST and np.sqrt((limit + 1) / PIXELS) <= threshold:
        limit += 1
    while limit > 0 and np.sqrt(limit / PIXELS) > threshold:
        limit -= 1
    return limit


def _candidates(
    first: Sketch, second: Sketch, *, limit: int, within: bool
) -> Iterator[tuple[IntArray, IntArray]]:
    """Yield rows of the two sketches that may be within the limit, in batches."""
    least = 0.5 * (first.energy - limit).astype(np.float64) - slack(first, second)
    reach = np.sqrt(limit) + 1e-6
    for top in range(0, len(first), ROWS):
        rows = slice(top, min(top + ROWS, len(first)))
        begin = np.searchsorted(second.mean, first.mean[rows][0] - reach)
        end = np.searchsorted(second.mean, first.mean[rows][-1] + reach, side="right")
        batch: list[tuple[IntArray, IntArray]] = []
        for edge in range(max(int(begin), top if within else 0), int(end), COLUMNS):
            columns = slice(edge, min(edge + COLUMNS, int(end)))
            i, j = _left_in_block(first, second, rows, columns, least)
            if within:
                i, j = i[i < j], j[i < j]
            batch.append((i, j))
            if sum(len(found) for found, _ in batch) > _FULL:
                yield _batched(batch)
                batch = []
        if batch:
            yield _batched(batch)


def _left_in_block(
    first: Sketch, second: Sketch, rows: slice, columns: slice, least: FloatArray
) -> tuple[IntArray, IntArray]:
    """Return the pairs of one block that the bounds leave."""
    floor = least[rows, None].astype(np.float32)
    left = first.invariant[rows] @ second.invariant_right[columns].T >= floor
    if np.count_nonzero(left) > CROWDED * left.size:
        parts = rows_of(first.parts, rows), rows_of(second.parts_right, columns)
        left &= largest_products(*parts) >= floor
    i, j = np.nonzero(left)
    return i + rows.start, j + columns.start


def _batched(batch: list[tuple[IntArray, IntArray]]) -> tuple[IntArray, IntArray]:
    i = np.concatenate([found for found, _ in batch])
    j = np.concatenate([found for _, found in batch])
    order = np.argsort(i, kind="stable")
    return i[order], j[order]


def _verified(
    first: Sketch, second: Sketch, i: IntArray, j: IntArray, *, limit: int, within: bool
) -> Hits:
    """Return the candidates that are within the limit, in whole numbers; `i` is sorted."""
    edges = np.flatnonzero(np.diff(i, prepend=-1, append=-1))
    found = [_nothing()]
    for begin, end in pairwise(edges):
        exact = squares(first, i[begin], second, j[begin:end], undo=True)
        near = np.flatnonzero(exact.min(axis=1) <= limit)
        if len(near):
            ours = np.full(len(near), first.order[i[begin]])
            theirs = second.order[j[begin:end][near]]
            found.append(_hits(ours, theirs, exact[near], swap=within))
    return joined(found)


def _nothing() -> Hits:
    none = np.empty(0, np.intp)
    return _hits(none, none, np.empty((0, 8), np.int64))


def _hits(
    first: IntArray, second: IntArray, exact: NDArray[np.int64], *, swap: bool = False
) -> Hits:
    """Return pairs from their squares by symmetry; with `swap` the lower position is the first.

    What carries b onto a is undone by what carries a onto b, so the columns swap along, and a tie
    is settled in the frame of the first.
    """
    if swap:
        turned = first > second
        first, second = np.minimum(first, second), np.maximum(first, second)
        exact = np.where(turned[:, None], exact[:, INVERSE], exact)
    symmetry = np.argmin(exact, axis=1)
    distance = np.sqrt(exact.min(axis=1, initial=_LARGEST) / PIXELS)
    return Hits(first, second, symmetry, distance, np.sqrt(exact[:, 0] / PIXELS))


def rms32_nearest(first: Thumbnails, second: Thumbnails | None = None) -> Hits:
    """Find for each item of `second` the nearest in `first`, flips and rotations included.

    Parameters
    ----------
    first : (n, 32, 32) uint8 array
    second : (m, 32, 32) uint8 array, optional
        By default `first` itself, an item not being compared with itself.

    Returns
    -------
    Hits
        One row an item of `second`, in its order; the lowest position in `first` in a tie; -1 and
        an infinite distance where there is nothing to compare with.

    Notes
    -----
    Exact. Of every pair the block bound is computed (16 × 16 signed coefficients, from eight small
    products); what the best one cannot exclude is compared in whole numbers. The time grows with
    n × m, whatever the pictures are.
    """
    left = sketch(first, kept=NEAREST_KEPT)
    right = left if second is None else sketch(second, kept=NEAREST_KEPT)
    chosen = np.full(len(right), -1, np.intp)
    exact = np.zeros((len(right), 8), np.int64)
    step = max(1, min(ROWS, _BOUNDS // max(1, len(left))))
    for top in range(0, len(right) if len(left) else 0, step):
        rows = np.arange(top, min(top + step, len(right)))
        bound = _bounds(right, left, rows)
        if second is None:
            bound[np.arange(len(rows)), rows] = -np.inf
        floor = _floors(right, left, rows, bound)
        for row, products, least in zip(rows, bound, floor, strict=True):
            candidates = np.flatnonzero(products >= least)
            if second is None:
                candidates = candidates[candidates != row]
            if len(candidates):
                candidates = _narrowed(right, left, int(row), candidates, products[candidates])
                chosen[row], exact[row] = _nearest(right, left, int(row), candidates)
    return _in_order(right.order, chosen, exact)


def _bounds(rows_from: Sketch, others: Sketch, rows: IntArray) -> NDArray[np.float32]:
    """Return the bounding products of some rows with all others: large means near."""
    bound = np.empty((len(rows), len(others)), np.float32)
    mine = rows_of(rows_from.parts, rows)
    for edge in range(0, len(others), COLUMNS):
        columns = slice(edge, edge + COLUMNS)
        bound[:, columns] = largest_products(mine, rows_of(others.parts_right, columns))
    return bound


def _floors(
    rows_from: Sketch, others: Sketch, rows: IntArray, bound: NDArray[np.float32]
) -> NDArray[np.float32]:
    """Return for each row the product below which nothing can be nearest.

    The other one of largest product lies at most as far as if the rests, of norms r and s, were
    opposed: its true product is at least the bounding one less 2 r s.
    """
    best = np.argmax(bound, axis=1)
    half = others.parts[0].shape[1] - 2
    rests = rows_from.parts[0][rows, half] * others.parts[0][best, half]
    largest = bound[np.arange(len(rows)), best]
    floor: NDArray[np.float32] = largest - 2 * rests - np.float32(2 * slack(rows_from, others))
    return floor


def _narrowed(
    item: Sketch, others: Sketch, row: int, candidates: IntArray, products: NDArray[np.float32]
) -> IntArray:
    """Return those of many candidates that the distance of the most promising cannot exclude."""
    if len(candidates) <= 2 * _PROMISING:
        return candidates
    some = candidates[np.argpartition(products, -_PROMISING)[-_PROMISING:]]
    best = squares(item, row, others, some, undo=False).min()
    least = (item.energy[row] - best) * 0.5 - slack(item, others)
    return candidates[products >= np.float32(least)]


def _nearest(
    item: Sketch, others: Sketch, row: int, candidates: IntArray
) -> tuple[int, NDArray[np.int64]]:
    """Return the position of the nearest candidate and its squares by symmetry."""
    exact = squares(item, row, others, candidates, undo=False)
    least = exact.min(axis=1)
    places = others.order[candidates]
    best = np.lexsort((places, least))[0]
    return int(places[best]), exact[best]


def _in_order(order: IntArray, chosen: IntArray, exact: NDArray[np.int64]) -> Hits:
    """Return one row an item, in the order of the set, from rows in the order of the sketch."""
    back = np.argsort(order)
    hits = _hits(chosen, order, exact).take(back)
    none = hits.first < 0
    hits.symmetry[none] = -1
    hits.distance[none] = hits.fixed[none] = np.inf
    return hits
