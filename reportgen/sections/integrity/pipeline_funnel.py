"""Images of each class on their way to the user, and the boxes on them."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from reportgen.inputs.detections import DetectionSet
from reportgen.language import _, mark
from reportgen.result import Estimate
from reportgen.sections.integrity.display import Display
from reportgen.sections.integrity.names import NameBook
from reportgen.sections.integrity.result_use import FunnelRow
from reportgen.sections.integrity.shares import (
    BoolArray,
    FloatArray,
    IntArray,
    share_in_units,
)
from reportgen.stats.detection.matching import match

NOTHING = mark("there are no predictions and nothing displayed")
NO_PREDICTIONS = mark("there are no predictions")
NONE_ON_STOPPED = mark("there are no predictions on the images that gates stopped")
NO_MISS = mark("no image of the class is missed")


@dataclass(frozen=True)
class Way:
    """What is known of the way of each image and prediction to the user.

    Attributes
    ----------
    detections : DetectionSet
    accepted, decided : (n,) bool arrays
        Images that passed every gate, and images that any gate decided on.
    unit : (n,) int array
        Patient of each image.
    hits : list of (D,) int arrays, or None
        Rows of the predictions of each class that find a box, at any score; None without
        predictions.
    threshold : (C,) float array
        Deployed threshold of each class; NaN where none is known.
    display : Display or None
        What is displayed on accepted images.
    simulated : Display or None
        What the class map would display on every image, were there no gates.
    book : NameBook
    least : float
        Score from which something counts as detected.
    confidence : float
        Of the intervals.
    """

    detections: DetectionSet
    accepted: BoolArray
    decided: BoolArray
    unit: IntArray
    hits: list[IntArray] | None
    threshold: FloatArray
    display: Display | None
    simulated: Display | None
    book: NameBook
    least: float
    confidence: float


def hits_by_class(detections: DetectionSet, iou: float) -> list[IntArray] | None:
    """Return the rows of the predictions of each class that find a box of it."""
    boxes = detections.predicted
    if boxes is None:
        return None
    matches = match(
        detections.truth,
        boxes,
        n_images=len(detections.images),
        n_classes=len(detections.categories),
        iou_thresholds=np.array([iou]),
        max_detections=None,
    )
    right = matches.found[0]
    return [
        matches.row[right & (matches.category == at)] for at in range(len(detections.categories))
    ]


def images_with(detections: DetectionSet, category: int) -> BoolArray:
    """Return which images hold a box of a class that counts, (n,)."""
    boxes = detections.truth
    own = (boxes.category == category) & ~boxes.crowd & ~boxes.ignore
    held = np.zeros(len(detections.images), dtype=np.bool_)
    held[boxes.image[own]] = True
    return held


@dataclass(frozen=True)
class _Steps:
    """Images that came as far as each step; None where a step cannot be seen."""

    detected: BoolArray | None
    above: BoolArray | None
    shown: BoolArray | None
    named: BoolArray | None

    @property
    def last(self) -> BoolArray | None:
        """The last step that can be seen."""
        steps = (self.named, self.shown, self.above, self.detected)
        return next((step for step in steps if step is not None), None)


def funnel_row(way: Way, category: int) -> FunnelRow:
    """Return the way of the images of one class.

    Parameters
    ----------
    way : Way
    category : int
        Position of the class; it has boxes that count.
    """
    held = images_with(way.detections, category)
    passed = held & way.accepted
    steps = _steps(way, category, passed, way.display)
    reported = steps.last
    misses = None if reported is None else held & ~reported
    return FunnelRow(
        class_=way.detections.categories[category],
        n=int(held.sum()),
        accepted=int(passed.sum()),
        detected=_count(steps.detected),
        above_threshold=_count(steps.above),
        shown=_count(steps.shown),
        rightly_named=_count(steps.named),
        image_sensitivity=_share(way, reported, held),
        image_sensitivity_without_gates=_without_gates(way, category, held, steps),
        instance_sensitivity=_instances(way, category, way.accepted, way.display),
        misses=_count(misses),
        misses_never_analysed=_never_analysed(way, misses),
        instance_sensitivity_without_gates=_instances_without_gates(way, category),
        instances=_instance_count(way, category),
        image_sensitivity_of_detector=_of_detector(way, category, held),
    )


def _count(images: BoolArray | None) -> int | None:
    return None if images is None else int(images.sum())


def _share(way: Way, hit: BoolArray | None, among: BoolArray) -> Estimate:
    if hit is None:
        return Estimate.missing(_(NOTHING))
    return share_in_units(
        hit, among, way.unit, confidence=way.confidence, empty=_("no image of the class")
    )


def _never_analysed(way: Way, misses: BoolArray | None) -> Estimate:
    if misses is None:
        return Estimate.missing(_(NOTHING))
    return share_in_units(
        ~way.accepted, misses, way.unit, confidence=way.confidence, empty=_(NO_MISS)
    )


def _steps(way: Way, category: int, passed: BoolArray, display: Display | None) -> _Steps:
    """Return how far each of the images `passed` came."""
    detected = above = None
    rows = np.empty(0, dtype=np.intp)
    if way.hits is not None:
        floor, least = _floors(way, category)
        found = _on(way, way.hits[category], floor, passed)
        rows = _on(way, way.hits[category], least, passed)
        detected, above = _images(way, found), _images(way, rows)
    if display is None:
        return _Steps(detected, above, None, None)
    name = way.detections.categories[category]
    right = way.book.means_each(name, display.name)
    if display.named_rows and above is not None:
        on_box = np.isin(display.row, rows)
        return _Steps(
            detected, above, _shown(way, display, on_box), _shown(way, display, on_box & right)
        )
    within = passed if above is None else above
    every = np.ones(len(right), dtype=np.bool_)
    return _Steps(
        detected,
        above,
        within & _shown(way, display, every),
        within & _shown(way, display, right),
    )


def _floors(way: Way, category: int) -> tuple[float, float]:
    """Return the score of a detection and that of a displayed one; the first is no higher."""
    deployed = float(way.threshold[category])
    if np.isnan(deployed):
        return way.least, way.least
    return min(way.least, deployed), deployed


def _on(way: Way, rows: IntArray, least: float, images: BoolArray) -> IntArray:
    """Return the predictions with at least a score on some images."""
    boxes = way.detections.predicted
    assert boxes is not None  # noqa: S101 - there are hits
    assert boxes.score is not None  # noqa: S101
    return rows[(boxes.score[rows] >= least) & images[boxes.image[rows]]]


def _images(way: Way, rows: IntArray) -> BoolArray:
    """Return the images that some predictions lie on."""
    held = np.zeros(len(way.detections.images), dtype=np.bool_)
    if way.detections.predicted is not None:
        held[way.detections.predicted.image[rows]] = True
    return held


def _shown(way: Way, display: Display, chosen: BoolArray) -> BoolArray:
    held = np.zeros(len(way.detections.images), dtype=np.bool_)
    held[display.image[chosen & (display.image >= 0)]] = True
    return held


def _without_gates(way: Way, category: int, held: BoolArray, steps: _Steps) -> Estimate:
    """Return the share that would be reported if no gate stopped an image."""
    if way.accepted.all():
        return _share(way, steps.last, held)
    reason = _cannot_open(way)
    if reason:
        return Estimate.missing(reason)
    opened = _steps(way, category, held, way.simulated)
    return _share(way, opened.last, held)


def _of_detector(way: Way, category: int, held: BoolArray) -> Estimate:
    """Return the share that the detector alone finds: no gates, whatever name is shown."""
    reason = None if way.accepted.all() and way.hits is not None else _cannot_open(way)
    if reason:
        return Estimate.missing(reason)
    return _share(way, _steps(way, category, held, None).last, held)


def _cannot_open(way: Way) -> str | None:
    """Return why it cannot be said what would be without gates."""
    boxes = way.detections.predicted
    if boxes is None:
        return _(NO_PREDICTIONS)
    return None if (~way.accepted[boxes.image]).any() else _(NONE_ON_STOPPED)


def _instance_count(way: Way, category: int) -> int:
    boxes = way.detections.truth
    own = (boxes.category == category) & ~boxes.crowd & ~boxes.ignore
    return int(own.sum())


def _instances(way: Way, category: int, images: BoolArray, display: Display | None) -> Estimate:
    """Return the share of the boxes of a class that are reported under the right name.

    Each prediction that finds a box finds one that no other does, so counting those is counting
    boxes.
    """
    if way.hits is None:
        return Estimate.missing(_(NO_PREDICTIONS))
    rows = _on(way, way.hits[category], _floors(way, category)[1], images)
    if display is not None and display.named_rows:
        name = way.detections.categories[category]
        right = way.book.means_each(name, display.name)
        rows = rows[np.isin(rows, display.row[right])]
    return _of_boxes(way, category, rows)


def _of_boxes(way: Way, category: int, rows: IntArray) -> Estimate:
    """Return the share of boxes found, those of one patient (image) taken together."""
    boxes, predicted = way.detections.truth, way.detections.predicted
    assert predicted is not None  # noqa: S101 - there are hits
    own = (boxes.category == category) & ~boxes.crowd & ~boxes.ignore
    n_images = len(way.detections.images)
    total = np.bincount(boxes.image[own], minlength=n_images)
    found = np.bincount(predicted.image[rows], minlength=n_images)
    # One entry a box: which of an image's boxes were found does not matter to a share.
    image = np.repeat(np.arange(n_images), total)
    place = np.arange(len(image)) - np.repeat(np.cumsum(total) - total, total)
    return share_in_units(
        place < found[image],
        np.ones(len(image), dtype=np.bool_),
        way.unit[image],
        confidence=way.confidence,
        empty=_("no box of the class"),
    )


def _instances_without_gates(way: Way, category: int) -> Estimate:
    everywhere = np.ones(len(way.accepted), dtype=np.bool_)
    if way.accepted.all():
        return _instances(way, category, everywhere, way.display)
    reason = _cannot_open(way)
    if reason:
        return Estimate.missing(reason)
    return _instances(way, category, everywhere, way.simulated)


def specificity(way: Way) -> Estimate | None:
    """Return the share of analysed images without any box on which nothing is displayed.

    An image that a gate stopped is not analysed: its blank result is no negative one.

    Returns
    -------
    Estimate or None
        None if there is no image without a box.
    """
    boxes = way.detections.truth
    empty = np.bincount(boxes.image, minlength=len(way.detections.images)) == 0
    if not empty.any():
        return None
    if way.display is not None:
        shown = _shown(way, way.display, np.ones(len(way.display.image), dtype=np.bool_))
    elif way.detections.predicted is not None and way.detections.predicted.score is not None:
        enough = np.flatnonzero(way.detections.predicted.score >= way.least)
        shown = _images(way, enough)
    else:
        return Estimate.missing(_(NOTHING))
    found = share_in_units(
        ~shown,
        empty & way.accepted,
        way.unit,
        confidence=way.confidence,
        empty=_("every image without a finding was stopped by a gate"),
    )
    if found.method is None:
        return found
    method = _("{method}; of the images that were analysed").format(method=found.method)
    return replace(found, method=method)
