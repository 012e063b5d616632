"""The two detectors of near duplicates, each searching once at the widest threshold reported."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

import numpy as np
from numpy.typing import NDArray

from reportgen.inputs.images import ImageSet
from reportgen.language import _, mark
from reportgen.result import LeftOut
from reportgen.sections.integrity.settings import Detector
from reportgen.sections.integrity.splits import SplitPair
from reportgen.stats.duplicates.clusters import clusters
from reportgen.stats.duplicates.hits import Hits
from reportgen.stats.duplicates.rms32 import rms32_nearest, rms32_pairs
from reportgen.stats.duplicates.symmetries import INVERSE
from reportgen.stats.duplicates.wdct import (
    LEAST_SIDE,
    WdctFeatures,
    cosine_distance,
    wdct_features,
    wdct_nearest,
    wdct_pairs,
)

IntArray = NDArray[np.intp]
BoolArray = NDArray[np.bool_]

DEFINITION: dict[Detector, str] = {
    "rms32": mark(
        "grey thumbnails of 32 × 32 (area means), root mean square difference in grey levels,"
        " least over the eight flips and rotations"
    ),
    "wdct": mark(
        "grey thumbnails of 64 × 64 (area means), the lowest 16 × 16 DCT coefficients without the"
        " mean, each divided by its root mean square over all readable images whose sides have 64"
        " px or more, cosine, largest over the eight flips and rotations"
    ),
}
STEP_WDCT = 0.05
STEP_RMS32 = 0.2


def small() -> str:
    """Return why wdct cannot compare an image: it lacks the detail."""
    return _("with a side under {least} px").format(least=LEAST_SIDE)


@dataclass(frozen=True)
class Search:
    """What one detector found among the comparable images of a set.

    Attributes
    ----------
    detector : str
    threshold : float
        In the detector's own measure: grey levels, or a cosine.
    others : (float, float)
        Two further thresholds, a stricter and a looser one.
    comparable : (n,) bool array
    not_comparable : tuple of LeftOut
    hits : Hits
        At the loosest threshold; positions in the set, first < second.
    nearest : callable
        ``nearest(first_at, second_at)`` gives the `Hits` of the nearest of some positions for each
        of others, in positions of these two arrays; without the second, among themselves.
    """

    detector: Detector
    threshold: float
    others: tuple[float, float]
    comparable: BoolArray
    not_comparable: tuple[LeftOut, ...]
    hits: Hits
    nearest: Callable[..., Hits]

    def limit(self, threshold: float) -> float:
        """Return a threshold as a distance, the largest that is flagged."""
        return threshold if self.detector == "rms32" else cosine_distance(threshold)

    def own(self, distance: float) -> float:
        """Return a distance in the detector's own measure."""
        return distance if self.detector == "rms32" else 1 - distance

    def within(self, threshold: float) -> Hits:
        """Return the pairs at a threshold that is not looser than the loosest."""
        return self.hits.within(self.limit(threshold))

    @property
    def found(self) -> Hits:
        """The pairs at the manifest's threshold."""
        return self.within(self.threshold)

    @property
    def cluster(self) -> IntArray:
        """The cluster of each image of the set at the manifest's threshold."""
        found = self.found
        return clusters(len(self.comparable), found.first, found.second)


def other_thresholds(detector: Detector, threshold: float) -> tuple[float, float]:
    """Return a stricter and a looser threshold: ± 20 % of grey levels, ± 0.05 of a cosine.

    Where one of them would mean nothing (a cosine above 1, fewer than no grey levels), both are
    looser.
    """
    if detector == "rms32":
        if threshold == 0:
            return 1.0, 2.0
        below, above = 1 - STEP_RMS32, 1 + STEP_RMS32
        return round(below * threshold, 6), round(above * threshold, 6)
    if threshold + STEP_WDCT > 1:
        return round(threshold - STEP_WDCT, 6), round(threshold - 2 * STEP_WDCT, 6)
    return round(threshold + STEP_WDCT, 6), max(-1.0, round(threshold - STEP_WDCT, 6))


def search(images: ImageSet, detector: Detector, threshold: float) -> Search:
    """Search a set of images with one detector; every pair of comparable images is compared."""
    comparable, not_comparable = _comparable(images, detector)
    others = other_thresholds(detector, threshold)
    places = np.flatnonzero(comparable)
    nearest: Callable[..., Hits]
    if detector == "rms32":
        found = rms32_pairs(images.grey32[places], threshold=max(threshold, *others))
        nearest = partial(_nearest_rms32, images)
    else:
        # R rests on all readable images that have the detail, blank ones too; those are only
        # left out of the comparison.
        features = wdct_features(images.grey64, images.readable & _large(images))
        found = wdct_pairs(features, places, threshold=min(threshold, *others))
        nearest = partial(_nearest_wdct, features)
    hits = Hits(
        places[found.first], places[found.second], found.symmetry, found.distance, found.fixed
    )
    return Search(detector, threshold, others, comparable, not_comparable, hits, nearest)


def _nearest_rms32(images: ImageSet, first: IntArray, second: IntArray | None = None) -> Hits:
    return rms32_nearest(images.grey32[first], None if second is None else images.grey32[second])


def _nearest_wdct(features: WdctFeatures, first: IntArray, second: IntArray | None = None) -> Hits:
    return wdct_nearest(features, first, second)


def _large(images: ImageSet) -> BoolArray:
    return np.asarray(images.size.min(axis=1, initial=LEAST_SIDE) >= LEAST_SIDE)


def _comparable(images: ImageSet, detector: Detector) -> tuple[BoolArray, tuple[LeftOut, ...]]:
    """Return which images a detector can compare, and why not the others, by first reason."""
    left_out: list[LeftOut] = []
    still = np.ones(images.n_images, dtype=bool)
    reasons = [
        (_("unreadable"), ~images.readable),
        (_("with hardly any contrast"), images.blank),
    ]
    if detector == "wdct":
        reasons.append((small(), ~_large(images)))
    for reason, gone in reasons:
        k = int(np.count_nonzero(still & gone))
        if k:
            left_out.append(LeftOut(reason, k))
        still &= ~gone
    return still, tuple(left_out)


@dataclass(frozen=True)
class Oriented:
    """Pairs of two splits, the image in the second, the twin in the first; or within one split.

    Attributes
    ----------
    hit : (p,) int array
        Row of each pair in the hits that were given.
    image, twin : (p,) int arrays
        Positions in the set.
    symmetry : (p,) int array
        Carries the twin onto the image.
    distance, fixed : (p,) float arrays
        As in `Hits`.
    """

    hit: IntArray
    image: IntArray
    twin: IntArray
    symmetry: IntArray
    distance: NDArray[np.float64]
    fixed: NDArray[np.float64]


def oriented(hits: Hits, pair: SplitPair | None, n: int) -> Oriented:
    """Return the hits of two splits, each turned so that its image lies in the second.

    Within one split, and without splits (None), the lower position is the image.
    """
    first_in, second_in = np.ones(n, dtype=bool), np.ones(n, dtype=bool)
    if pair is not None:
        first_in, second_in = np.zeros(n, dtype=bool), np.zeros(n, dtype=bool)
        first_in[pair.first_at] = True
        second_in[pair.second_at] = True
    straight = second_in[hits.first] & first_in[hits.second]
    turned = first_in[hits.first] & second_in[hits.second] & ~straight
    rows = np.flatnonzero(straight | turned)
    swap = turned[rows]
    chosen = hits.take(rows)
    inverse = np.array(INVERSE, dtype=np.intp)
    return Oriented(
        rows,
        np.where(swap, chosen.second, chosen.first),
        np.where(swap, chosen.first, chosen.second),
        np.where(swap, inverse[chosen.symmetry], chosen.symmetry),
        chosen.distance,
        chosen.fixed,
    )
