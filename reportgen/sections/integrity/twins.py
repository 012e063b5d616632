"""The duplicate pairs that the audits of labels rest on, and labels carried from twin to image."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from reportgen.inputs.images import ImageSet
from reportgen.language import _
from reportgen.result import Estimate
from reportgen.sections.integrity.audits import Job, Pairs
from reportgen.sections.integrity.joined import Joined
from reportgen.sections.integrity.near_search import oriented
from reportgen.sections.integrity.shares import SAME_VALUE, from_draws
from reportgen.sections.integrity.splits import SplitPair, split_pairs
from reportgen.stats.duplicates import Hits, apply_to_boxes
from reportgen.stats.label_agreement import Drawn

IntArray = NDArray[np.intp]
FloatArray = NDArray[np.float64]


@dataclass(frozen=True)
class Twins:
    """Images with a twin each.

    Attributes
    ----------
    first, second : str
        The twins' split and the images' split; "all" without splits.
    image, twin, symmetry : (p,) int arrays
        Positions in the set; the symmetry carries the twin onto the image.
    cluster : (p,) int array
        From 0, each met: the cluster of duplicates of each pair.
    """

    first: str
    second: str
    image: IntArray
    twin: IntArray
    symmetry: IntArray
    cluster: IntArray

    def __len__(self) -> int:
        return len(self.image)

    def take(self, rows: NDArray[np.bool_]) -> Twins:
        """Return some of the pairs."""
        return Twins(
            self.first,
            self.second,
            self.image[rows],
            self.twin[rows],
            self.symmetry[rows],
            _from_zero(self.cluster[rows]),
        )


def pairs_of(job: Job) -> Pairs | None:
    """Return the pairs of the detector that the later audits rest on; None if there are none."""
    near = job.done.get("near_duplicates")
    return near.pairs[0] if near is not None and near.pairs else None


def why_none(job: Job) -> str:
    """Return why there are no pairs to look at."""
    if job.settings.near_duplicates is None:
        return _("near duplicates were not looked for")
    near = job.done.get("near_duplicates")
    if near is None or not near.pairs:
        return _("no detector could compare the images")
    return _("no near duplicates were found")


def twins_by_split(job: Job, images: ImageSet, pairs: Pairs) -> Iterator[Twins]:
    """Yield the pairs of each two splits that have any, each image with its nearest twin.

    Within one split, and without splits, every pair is taken once.
    """
    settings = job.settings.near_duplicates
    between = "all" if settings is None else settings.between
    wanted: tuple[SplitPair | None, ...] = split_pairs(images, between, within=True) or (None,)
    for pair in wanted:
        found = _twins(pairs, pair, images.n_images)
        if len(found):
            yield found


def _twins(pairs: Pairs, pair: SplitPair | None, n: int) -> Twins:
    hits = Hits(pairs.image, pairs.twin, pairs.symmetry, pairs.distance, pairs.distance)
    found = oriented(hits, pair, n)
    rows = np.lexsort((found.twin, found.distance, found.image))
    if pair is not None and not pair.within:
        rows = rows[np.flatnonzero(np.diff(found.image[rows], prepend=-1))]
    return Twins(
        "all" if pair is None else pair.first,
        "all" if pair is None else pair.second,
        found.image[rows],
        found.twin[rows],
        found.symmetry[rows],
        _from_zero(pairs.cluster[found.image[rows]]),
    )


def _from_zero(codes: IntArray) -> IntArray:
    return np.unique(codes, return_inverse=True)[1].astype(np.intp)


@dataclass(frozen=True)
class Labelled:
    """Boxes with their classes, in the frame of an image."""

    xywh: FloatArray
    category: IntArray


def own_labels(joined: Joined, image: int) -> Labelled:
    """Return the ground-truth boxes of an image; crowd and ignored regions aside."""
    truth = joined.detections.truth
    if joined.at[image] < 0:
        return Labelled(np.empty((0, 4)), np.empty(0, dtype=np.intp))
    rows = joined.truth(image)
    rows = rows[~(truth.crowd[rows] | truth.ignore[rows])]
    return Labelled(truth.xywh[rows], truth.category[rows])


def carried_labels(joined: Joined, image: int, twin: int, symmetry: int) -> Labelled:
    """Return the twin's boxes through the symmetry, in the image's pixels."""
    labels = own_labels(joined, twin)
    size = joined.box_size(twin)
    boxes = apply_to_boxes(labels.xywh, symmetry, size=size)
    turned = apply_to_boxes(np.array([[0.0, 0.0, *size]]), symmetry, size=size)[0, 2:]
    scale = np.array(joined.box_size(image)) / turned
    return Labelled(boxes * np.tile(scale, 2), labels.category)


def predictions(joined: Joined, image: int, *, confidence: float) -> Labelled:
    """Return the predictions on an image with at least that score."""
    predicted = joined.detections.predicted
    if predicted is None or predicted.score is None:
        return Labelled(np.empty((0, 4)), np.empty(0, dtype=np.intp))
    rows = joined.predicted(image)
    rows = rows[predicted.score[rows] >= confidence]
    return Labelled(predicted.xywh[rows], predicted.category[rows])


def drawn_estimate(job: Job, drawn: Drawn, clusters: IntArray, *, undefined: str) -> Estimate:
    """Return a figure with its percentile interval over resampled clusters.

    Where all resamples give one value they show no interval: as when all pairs agree.
    """
    draws = drawn.draws[~np.isnan(drawn.draws)]
    if not np.isnan(drawn.value) and len(draws) and np.ptp(draws) == 0:
        return Estimate(drawn.value, reason=_(SAME_VALUE))
    return from_draws(
        drawn.value,
        drawn.draws,
        confidence=job.context.confidence,
        units=len(np.unique(clusters)),
        undefined=undefined,
    )
