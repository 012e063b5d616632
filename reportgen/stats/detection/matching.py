"""Which detection finds which labelled box, at each threshold of the overlap.

Detections of a class are taken by descending score; ties by image, ascending, then by row. Rows
stand for boxes throughout, so no annotation id (0, say) has a meaning of its own.

References
----------
cocodataset/cocoapi, ``PythonAPI/pycocotools/cocoeval.py`` (``evaluateImg``): best unmatched box.
Everingham et al. (2010), Int J Comput Vis 88:303, and the VOC development kit: best box alone.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, Protocol

import numpy as np
from numpy.typing import NDArray

from reportgen.stats.detection.boxes import BoolArray, FloatArray, IntArray, iou_matrix

Rule = Literal["coco", "voc", "voc_plus_1"]

COCO_THRESHOLDS: FloatArray = np.linspace(0.5, 0.95, 10)
COCO_MAX_DETECTIONS = 100
"""Detections of a class on one image that pycocotools looks at."""


class BoxColumns(Protocol):
    """Boxes as columns: what matching reads of labels and of detections."""

    @property
    def image(self) -> NDArray[np.intp]:
        """(m,) positions of images, 0 to n_images - 1, in ascending order of their ids."""

    @property
    def category(self) -> NDArray[np.intp]:
        """(m,) positions of classes, 0 to n_classes - 1."""

    @property
    def xywh(self) -> NDArray[np.float64]:
        """(m, 4) left, top, width, height."""

    @property
    def area(self) -> NDArray[np.float64]:
        """(m,) area that `area_range` is asked of."""

    @property
    def crowd(self) -> NDArray[np.bool_]:
        """(m,) regions of many; read of labels only."""

    @property
    def ignore(self) -> NDArray[np.bool_]:
        """(m,) labels that count neither way."""

    @property
    def score(self) -> NDArray[np.float64] | None:
        """(m,) scores; read of detections only."""


@dataclass(frozen=True)
class Matches:
    """What came of each detection, at each of T thresholds of the overlap.

    Detections (D of them, those beyond the maximum left out) ascend by class, then descend by
    score, then ascend by image and row.

    Attributes
    ----------
    rule : {"coco", "voc", "voc_plus_1"}
        How they were matched.
    iou_thresholds : (T,) float array
        Ascending.
    row, image, category : (D,) int arrays
        Row in the table of detections, image and class.
    score : (D,) float array
    truth_row : (T, D) int array
        Row of the labelled box that was found; -1 if none.
    ignored : (T, D) bool array
        Detections that count neither as found nor as false; other ones with a box are found.
    positives : (C, I) int array
        Labelled boxes that count, by class and image.
    edges : (C + 1,) int array
        Detections of class c are ``edges[c]`` to ``edges[c + 1] - 1``.
    max_detections : int or None
    """

    rule: Rule
    iou_thresholds: FloatArray
    row: IntArray
    image: IntArray
    category: IntArray
    score: FloatArray
    truth_row: IntArray
    ignored: BoolArray
    positives: IntArray
    edges: IntArray
    max_detections: int | None

    @property
    def n_images(self) -> int:
        """Number of images, those without boxes included."""
        return int(self.positives.shape[1])

    @property
    def n_classes(self) -> int:
        """Number of classes, those without boxes included."""
        return int(self.positives.shape[0])

    @property
    def found(self) -> BoolArray:
        """(T, D) true positives: detections with a box that counts."""
        return np.asarray((self.truth_row >= 0) & ~self.ignored)

    def hits(self, category: int, threshold: int) -> BoolArray:
        """Return whether each counting detection of a class is a true positive, best score first.

        Parameters
        ----------
        category, threshold : int
            Positions of the class and of the threshold.
        """
        own = slice(self.edges[category], self.edges[category + 1])
        counts = ~self.ignored[threshold, own]
        return np.asarray(self.truth_row[threshold, own][counts] >= 0)

    def level(self, iou: float) -> int:
        """Return the position of a threshold of the overlap.

        Raises
        ------
        ValueError
            If nothing was matched at it.
        """
        near = np.flatnonzero(np.isclose(self.iou_thresholds, iou, rtol=0, atol=1e-9))
        if not len(near):
            raise ValueError(f"no threshold {iou!r} among {self.iou_thresholds.tolist()}")
        return int(near[0])


def match(
    truth: BoxColumns,
    detections: BoxColumns,
    *,
    n_images: int,
    n_classes: int,
    iou_thresholds: FloatArray = COCO_THRESHOLDS,
    rule: Rule = "coco",
    max_detections: int | Literal["rule"] | None = "rule",
    area_range: tuple[float, float] | None = None,
) -> Matches:
    """Match detections with labelled boxes, class by class and image by image.

    "coco": each detection, by descending score, takes the unmatched box it overlaps most (ties: the
    later row), boxes that count before others; a crowd region can be taken again and again. "voc":
    each detection looks at the box it overlaps most (ties: the earlier row) and at no other; if
    that is taken already, the detection is false. "voc_plus_1": the same, edges counted as pixels.

    Parameters
    ----------
    truth, detections : BoxColumns
        Columns of equal length; detections have scores, finite.
    n_images, n_classes : int
        Number of images and of classes.
    iou_thresholds : (T,) float array
        Ascending, in (0, 1].
    rule : {"coco", "voc", "voc_plus_1"}
    max_detections : int, None or "rule"
        Detections of a class that count on one image, those with the best scores; None: all;
        "rule": as the tools have it, 100 with "coco", all with VOC's.
    area_range : (float, float), optional
        Labels of another area (ends included) are ignored, and so are unmatched detections.

    Raises
    ------
    ValueError
        If detections have no scores or one is not finite, or an image or class is out of range.
    """
    score = _scores(detections)
    if max_detections == "rule":
        max_detections = COCO_MAX_DETECTIONS if rule == "coco" else None
    for name, table in (("labels", truth), ("detections", detections)):
        _within(table.image, n_images, f"image of the {name}")
        _within(table.category, n_classes, f"class of the {name}")
    kept = _best_of_image(detections, score, max_detections)
    order = np.lexsort((kept, detections.image[kept], -score[kept], detections.category[kept]))
    row = kept[order]
    neutral = truth.crowd | truth.ignore
    if area_range is not None:
        neutral = neutral | _outside(truth.area, area_range)
    truth_row = _found_boxes(truth, detections, row, neutral, iou_thresholds, rule)
    # A sentinel row, so that looking up "no box" (-1) says False.
    ignored = np.append(neutral, False)[truth_row]
    if area_range is not None:
        ignored |= (truth_row < 0) & _outside(detections.area[row], area_range)
    positives = np.zeros((n_classes, n_images), dtype=np.intp)
    np.add.at(positives, (truth.category[~neutral], truth.image[~neutral]), 1)
    category = detections.category[row]
    return Matches(
        rule=rule,
        iou_thresholds=np.asarray(iou_thresholds, dtype=np.float64),
        row=row,
        image=detections.image[row],
        category=category,
        score=score[row],
        truth_row=truth_row,
        ignored=ignored,
        positives=positives,
        edges=np.searchsorted(category, np.arange(n_classes + 1)),
        max_detections=max_detections,
    )


def _scores(detections: BoxColumns) -> FloatArray:
    if detections.score is None:
        raise ValueError("detections need scores")
    if not np.isfinite(detections.score).all():
        raise ValueError("scores must be finite")
    return detections.score


def _within(values: IntArray, count: int, name: str) -> None:
    if len(values) and (values.min() < 0 or values.max() >= count):
        raise ValueError(f"{name} must lie in 0 to {count - 1}, not {values.min()}-{values.max()}")


def _outside(area: FloatArray, area_range: tuple[float, float]) -> BoolArray:
    return np.asarray((area < area_range[0]) | (area > area_range[1]))


def _best_of_image(detections: BoxColumns, score: FloatArray, most: int | None) -> IntArray:
    """Return the rows of the best `most` detections of each class on each image."""
    order = np.lexsort((np.arange(len(score)), -score, detections.image, detections.category))
    if most is None:
        return order
    group = np.stack([detections.category[order], detections.image[order]])
    starts = np.ones(len(order), dtype=bool)
    starts[1:] = (group[:, 1:] != group[:, :-1]).any(axis=0)
    first = np.maximum.accumulate(np.where(starts, np.arange(len(order)), 0))
    return np.asarray(order[np.arange(len(order)) - first < most])


def _found_boxes(
    truth: BoxColumns,
    detections: BoxColumns,
    row: IntArray,
    neutral: BoolArray,
    thresholds: FloatArray,
    rule: Rule,
) -> IntArray:
    """Return the row of the labelled box (or -1) of each detection at each threshold, (T, D)."""
    truth_row = np.full((len(thresholds), len(row)), -1, dtype=np.intp)
    for place, labels in _together(truth, detections, row):
        boxes = row[place]
        overlap = iou_matrix(
            detections.xywh[boxes],
            truth.xywh[labels],
            crowd=truth.crowd[labels] if rule == "coco" else None,
            pixel=1.0 if rule == "voc_plus_1" else 0.0,
        )
        if rule == "coco":
            chosen = _best_free_box(overlap, neutral[labels], truth.crowd[labels], thresholds)
        else:
            chosen = _best_box(overlap, neutral[labels], thresholds)
        truth_row[:, place] = np.where(chosen >= 0, labels[np.maximum(chosen, 0)], -1)
    return truth_row


def _together(
    truth: BoxColumns, detections: BoxColumns, row: IntArray
) -> list[tuple[IntArray, IntArray]]:
    """Return places in `row` and rows of labels that share a class and an image."""
    n_classes = 1 + max(truth.category.max(initial=0), detections.category.max(initial=0))
    own = detections.image[row] * n_classes + detections.category[row]
    theirs = truth.image * n_classes + truth.category
    by_own, by_theirs = np.argsort(own, kind="stable"), np.argsort(theirs, kind="stable")
    codes = np.intersect1d(own, theirs)
    ends = [
        np.searchsorted(sorted_codes, codes, side=side)
        for sorted_codes in (own[by_own], theirs[by_theirs])
        for side in ("left", "right")
    ]
    return [(by_own[a:b], by_theirs[c:d]) for a, b, c, d in np.transpose(ends).tolist()]


def _best_free_box(
    overlap: FloatArray, neutral: BoolArray, crowd: BoolArray, thresholds: FloatArray
) -> IntArray:
    """Return the box (or -1) that each detection takes at each threshold, COCO's way, (T, d)."""
    chosen = np.full((len(thresholds), len(overlap)), -1, dtype=np.intp)
    free = np.ones((len(thresholds), overlap.shape[1]), dtype=bool)
    # pycocotools lowers a threshold of 1 by this much, so that equal boxes reach it.
    least = np.minimum(thresholds, 1 - 1e-10)
    levels = np.arange(len(thresholds))
    for number in np.flatnonzero(overlap.max(axis=1) >= least[0]).tolist():
        open_ = (free | crowd) & (overlap[number] >= least[:, None])
        counting = open_ & ~neutral
        # Boxes that count come first; only where there is none may a neutral one be taken.
        usable = np.where(counting.any(axis=1)[:, None], counting, open_)
        value = np.where(usable, overlap[number], -1.0)[:, ::-1]
        best = overlap.shape[1] - 1 - value.argmax(axis=1)
        best = np.where(usable.any(axis=1), best, -1)
        chosen[:, number] = best
        taken = best >= 0
        free[levels[taken], best[taken]] = False
    return chosen


def _best_box(overlap: FloatArray, neutral: BoolArray, thresholds: FloatArray) -> IntArray:
    """Return the box (or -1) that each detection takes at each threshold, VOC's way, (T, d)."""
    chosen = np.full((len(thresholds), len(overlap)), -1, dtype=np.intp)
    best = overlap.argmax(axis=1)
    for level, least in enumerate(thresholds.tolist()):
        near = np.flatnonzero(overlap[np.arange(len(overlap)), best] >= least)
        again = neutral[best[near]]
        _, first = np.unique(best[near], return_index=True)
        again[first] = True  # the best scored one finds the box; VOC's difficult boxes find none
        chosen[level, near[again]] = best[near[again]]
    return chosen
