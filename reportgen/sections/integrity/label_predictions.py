"""Predicted boxes that cannot be right as they stand, and how they may have come to be."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from reportgen.inputs.detections import Boxes, DetectionSet
from reportgen.language import _, mark
from reportgen.sections.integrity.audits import Job
from reportgen.sections.integrity.joined import index_boxes
from reportgen.sections.integrity.label_hints import format_hint, outside, shares_hint
from reportgen.sections.integrity.label_problems import Problem, problem_facts, problem_row
from reportgen.sections.integrity.records import Facts
from reportgen.sections.integrity.result_labels import GeometryRow
from reportgen.stats.detection.boxes import iou_matrix
from reportgen.wording import fixed

FloatArray = NDArray[np.float64]

MET = 0.5
"""A labelled box is met by a prediction of at least this IoU, whatever its class."""
MOST_MET = 0.5
"""Share of the labelled boxes that predictions must meet in another format to suggest it."""
FEWEST = 5
"""With fewer labelled boxes on images with predictions another format is not looked for."""
MOST_IMAGES = 1000
"""Images on which other formats are tried."""


@dataclass(frozen=True)
class PredictedGeometry:
    """Rows, hint and facts of the predictions; empty without any."""

    rows: tuple[GeometryRow, ...] = ()
    hint: str | None = None
    facts: tuple[Facts, ...] = ()


def predicted_geometry(job: Job, detections: DetectionSet, sizes: FloatArray) -> PredictedGeometry:
    """Look for predicted boxes that cannot be right as they stand.

    Parameters
    ----------
    job : Job
    detections : DetectionSet
    sizes : (n, 2) float array
        Width and height of each image; NaN where not known.
    """
    boxes = detections.predicted
    if boxes is None or not len(boxes.image):
        return PredictedGeometry()
    size = sizes[boxes.image]
    problems = list(_problems(boxes, size))
    rows = tuple(problem_row(job, detections, boxes, one) for one in problems)
    hint = _hint(detections, boxes, size)
    facts = [problem_facts(one, row) for one, row in zip(problems, rows, strict=True) if row.k]
    if hint is not None:
        hint = _("Of the predictions: {hint}.").format(hint=hint)
        facts.append(_hint_facts(hint))
    return PredictedGeometry(rows, hint, tuple(facts))


def _problems(boxes: Boxes, size: FloatArray) -> Iterator[Problem]:
    known = np.asarray(np.isfinite(size).all(axis=1))
    yield Problem(
        mark("prediction out of bounds"),
        "INT-035",
        outside(boxes.xywh, size),
        known,
        mark("{share} predicted boxes reach beyond their image by more than half a pixel"),
        mark("Clip predictions to their image, as the labels are."),
        grade="info",
    )
    yield Problem(
        mark("prediction without area"),
        "INT-036",
        np.asarray((boxes.xywh[:, 2:] <= 0).any(axis=1)),
        np.ones(len(boxes.image), dtype=bool),
        mark("{share} predicted boxes have no area, or a negative width or height"),
        mark("Mend what wrote them: none can meet a label, so each counts as false."),
        grade="minor",
    )


def _hint(detections: DetectionSet, boxes: Boxes, size: FloatArray) -> str | None:
    known = np.isfinite(size).all(axis=1)
    labelled = np.abs(detections.truth.xywh)
    if float(np.abs(boxes.xywh).max()) <= 1 and float(labelled.max(initial=0)) > 2:
        return shares_hint(len(boxes.xywh))
    leave = format_hint(boxes.xywh[known], size[known], polygons=False)
    return leave or _met_hint(detections, boxes)


def _as_edges(xywh: FloatArray) -> FloatArray:
    return np.column_stack([xywh[:, :2], xywh[:, 2:] - xywh[:, :2]])


def _as_centres(xywh: FloatArray) -> FloatArray:
    return np.column_stack([xywh[:, :2] - xywh[:, 2:] / 2, xywh[:, 2:]])


FORMATS: tuple[tuple[str, Callable[[FloatArray], FloatArray]], ...] = (
    ("xyxy", _as_edges),
    ("cxcywh", _as_centres),
)


def _met_hint(detections: DetectionSet, boxes: Boxes) -> str | None:
    """Return that predictions meet the labels in another format, and hardly as they stand.

    Boxes in another format need not leave their image, so that only the labels tell.
    """
    met, n = _met(detections, boxes.xywh, boxes)
    if n < FEWEST or met >= MOST_MET * n:
        return None
    text = _(
        "{met} of {n} labelled boxes are met with an IoU of {iou}; if the predictions are read as"
        " {format}, {better} are"
    )
    for name, read in FORMATS:
        better, _same = _met(detections, read(boxes.xywh), boxes)
        if better >= MOST_MET * n and better >= 2 * met:
            return text.format(
                met=fixed(met, 0),
                n=fixed(n, 0),
                iou=MET,
                format=f"format: {name}",
                better=fixed(better, 0),
            )
    return None


def _met(detections: DetectionSet, xywh: FloatArray, boxes: Boxes) -> tuple[int, int]:
    """Return how many labelled boxes on images with predictions are met by one, and of how many.

    Parameters
    ----------
    detections : DetectionSet
    xywh : (m, 4) float array
        The predictions, read in some format.
    boxes : Boxes
        The same as they stand.
    """
    truth, n_images = detections.truth, len(detections.images)
    labels, predictions = index_boxes(truth, n_images), index_boxes(boxes, n_images)
    met = n = 0
    for image in np.intersect1d(truth.image, boxes.image)[:MOST_IMAGES].tolist():
        own = labels.of(image)
        own = own[~(truth.crowd[own] | truth.ignore[own])]
        overlap = iou_matrix(xywh[predictions.of(image)], truth.xywh[own])
        met += int(np.count_nonzero((overlap >= MET).any(axis=0)))
        n += len(own)
    return met, n


def _hint_facts(hint: str) -> Facts:
    return Facts(
        "INT-038",
        "label_geometry",
        "label",
        _("Predictions may have been read in another format"),
        hint,
        "found",
        "minor",
        affected_claim=_("Every figure of these predictions: recall, precision, mAP"),
        remedy=_("Compare a few boxes with their pictures, then declare the format or convert."),
        limits=_("The pattern suggests it; only what wrote the predictions can tell."),
    )
