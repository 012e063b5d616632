"""How many images, pairs and clusters a detector found, and how far the nearest ones lie."""

from __future__ import annotations

import math
from collections.abc import Iterator
from itertools import chain, count

import numpy as np
from numpy.typing import NDArray

from reportgen.inputs.images import ImageSet
from reportgen.language import mark
from reportgen.result import Estimate
from reportgen.sections.integrity.joined import Joined
from reportgen.sections.integrity.near_search import STEP_WDCT, Search, oriented
from reportgen.sections.integrity.records import share_of
from reportgen.sections.integrity.result_partition import AllPairsCount, NearestBin, PairCount
from reportgen.sections.integrity.splits import SplitPair
from reportgen.stats.duplicates.clusters import clusters
from reportgen.stats.duplicates.wdct import DECIMALS

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.intp]

MOST_BINS = 30
EVERYTHING = "all"


def pair_count(
    search: Search, threshold: float, pair: SplitPair, joined: Joined | None, *, confidence: float
) -> PairCount:
    """Return the images of the second split with a near duplicate in the first.

    Within one split every image with a near duplicate counts. Where no image can be compared with
    another, none is in the denominator.
    """
    limit = search.limit(threshold)
    found = oriented(search.hits.within(limit), pair, len(search.comparable))
    ends = [found.image, found.twin] if pair.within else [found.image]
    images = np.unique(np.concatenate(ends))
    as_they_lie = found.fixed <= limit
    fixed = np.unique(np.concatenate([one[as_they_lie] for one in ends]))
    asked = pair.second_at[search.comparable[pair.second_at]]
    if comparable(search, pair)[0] < (2 if pair.within else 1):
        asked = asked[:0]
    k, n = len(images), len(asked)
    boxes_k, boxes_n, boxes = _instances(joined, images, asked, confidence=confidence)
    return PairCount(
        search.detector,
        threshold,
        pair.first,
        pair.second,
        k,
        n,
        share_of(k, n, confidence=confidence, of=mark("comparable image")),
        len(fixed),
        k - len(fixed),
        len(found.image),
        _n_clusters(found.image, found.twin),
        boxes_k,
        boxes_n,
        boxes,
        lower_bound=True,
    )


def comparable(search: Search, pair: SplitPair) -> tuple[int, int]:
    """Return how many images of the first and of the second split can be compared."""
    first, second = (int(search.comparable[at].sum()) for at in (pair.first_at, pair.second_at))
    return first, second


def _n_clusters(first: IntArray, second: IntArray) -> int:
    """Return the number of clusters that the pairs form."""
    if not len(first):
        return 0
    ends, code = np.unique(np.concatenate([first, second]), return_inverse=True)
    half = len(first)
    return int(clusters(len(ends), code[:half], code[half:]).max()) + 1


def _instances(
    joined: Joined | None, images: IntArray, asked: IntArray, *, confidence: float
) -> tuple[int | None, int | None, Estimate | None]:
    """Return the boxes on the flagged images, on all that were asked about, and the share."""
    if joined is None:
        return None, None, None
    k, n = int(joined.n_boxes[images].sum()), int(joined.n_boxes[asked].sum())
    return k, n, share_of(k, n, confidence=confidence, of=mark("box"))


def all_pairs_count(search: Search, threshold: float, images: ImageSet) -> AllPairsCount:
    """Return the pairs among all comparable images, whatever their split."""
    limit = search.limit(threshold)
    found = search.hits.within(limit)
    same = other = None
    if images.source is not None:
        first, second = images.source[found.first], images.source[found.second]
        known = (first != "") & (second != "")
        same = int(np.count_nonzero(known & (first == second)))
        other = int(np.count_nonzero(known & (first != second)))
    return AllPairsCount(
        search.detector,
        threshold,
        len(found),
        len(found.aligned(limit)),
        len(np.unique(np.concatenate([found.first, found.second]))),
        _n_clusters(found.first, found.second),
        same,
        other,
    )


def nearest_bins(search: Search, pair: SplitPair | None) -> Iterator[NearestBin]:
    """Yield how far the nearest image of the first split lies for each image of the second.

    Bins touch the threshold, and what lies at it is counted on the flagged side. Those beyond it up
    to the looser threshold are the review band. Without splits (None) each image is compared with
    all others.
    """
    distance = _nearest_distances(search, pair)
    if not len(distance):
        return
    edges = _edges(search, float(distance.max()))
    at = np.clip(np.searchsorted(edges, distance, side="left") - 1, 0, len(edges) - 2)
    counts = np.bincount(at, minlength=len(edges) - 1)
    loosest = max(search.limit(one) for one in search.others)
    first, second = (EVERYTHING, EVERYTHING) if pair is None else (pair.first, pair.second)
    bins = []
    for low, high, k in zip(edges[:-1], edges[1:], counts, strict=True):
        band = "apart" if low >= loosest else "review"
        if high <= search.limit(search.threshold):
            band = "flagged"
        start, end = sorted(round(search.own(float(edge)), 6) for edge in (low, high))
        bins.append(NearestBin(search.detector, first, second, start, end, int(k), band))
    yield from sorted(bins, key=lambda one: one.from_)


def _nearest_distances(search: Search, pair: SplitPair | None) -> FloatArray:
    if pair is None:
        found = search.nearest(np.flatnonzero(search.comparable))
    else:
        first = pair.first_at[search.comparable[pair.first_at]]
        second = pair.second_at[search.comparable[pair.second_at]]
        found = search.nearest(first, second)
    return found.distance[np.isfinite(found.distance)]


def _edges(search: Search, farthest: float) -> FloatArray:
    """Return edges of distance from 0 on, one of them the threshold, at most thirty bins."""
    limit = search.limit(search.threshold)
    step = STEP_WDCT if search.detector == "wdct" else _step(limit, farthest)
    below = np.arange(round(limit / step), 0, -1)
    lower = np.round(limit - step * below, DECIMALS)
    beyond = max(1, int(np.ceil((farthest - limit) / step)))
    upper = np.round(limit + step * np.arange(beyond + 1), DECIMALS)
    edges = np.concatenate([[0.0], lower, upper])
    edges = np.unique(edges[edges >= 0])
    # At a threshold of 0 what is flagged lies in a bin without width: the same, not nearly so.
    return edges if limit > 0 else np.concatenate([[0.0], edges])


def _step(limit: float, farthest: float) -> float:
    """Return the width of a bin of grey levels: a fifth, half, one, two … times the threshold."""
    whole = max(limit, 1.0)
    steps = chain([limit / 5, limit / 2], (math.ldexp(whole, power) for power in count()))
    return next(step for step in steps if step > 0 and farthest / step <= MOST_BINS)
