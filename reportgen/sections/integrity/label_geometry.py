"""Boxes that cannot be right as they stand, and how they may have come to be."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from reportgen.inputs.detections import DetectionSet
from reportgen.language import _, mark
from reportgen.section import Code
from reportgen.sections.integrity.audits import Audited, Job
from reportgen.sections.integrity.declared_sizes import size_facts
from reportgen.sections.integrity.evaluator_facts import no_predictions
from reportgen.sections.integrity.joined import (
    detections_of,
    images_of,
    index_boxes,
    join,
    joined_of,
)
from reportgen.sections.integrity.label_hints import format_hint, outside
from reportgen.sections.integrity.label_predictions import predicted_geometry
from reportgen.sections.integrity.label_problems import Problem, problem_facts, problem_row
from reportgen.sections.integrity.label_turned import CODES as TURNED_CODES
from reportgen.sections.integrity.label_turned import turned_facts
from reportgen.sections.integrity.label_unmatched import CODES as UNMATCHED_CODES
from reportgen.sections.integrity.label_unmatched import unmatched_facts
from reportgen.sections.integrity.records import (
    Facts,
    overall,
    recorded,
    sentence,
    split_up,
    written_share,
)
from reportgen.sections.integrity.result_labels import LabelGeometry
from reportgen.stats.detection.boxes import iou_matrix

FloatArray = NDArray[np.float64]
BoolArray = NDArray[np.bool_]

SAME_BOX = 0.95
"""Two boxes of one class with an IoU above this are one box twice."""

CODES: tuple[Code, ...] = (
    Code(
        "INT-035",
        ("fail", "warn", "pass", "note"),
        mark(
            "Boxes reach beyond their image by more than half a pixel. Fail from 5 % of the"
            " labelled boxes on; a note for predictions."
        ),
    ),
    Code(
        "INT-036",
        ("fail", "warn", "pass", "note"),
        mark(
            "Boxes have no area, a negative width or height, or an area of 0 or less in the file"
            " beside a good box. Fail from 5 % of the labelled boxes on; a warning for predictions."
        ),
    ),
    Code(
        "INT-037",
        ("fail", "warn", "pass", "note"),
        mark(
            "Boxes stand twice: the same class with an IoU above .95 on one image. Fail from 5 %"
            " on."
        ),
    ),
    Code(
        "INT-038",
        ("warn", "note"),
        mark(
            "Boxes look as if they had been read in another format (warn), or are the bounding"
            " boxes of polygons (note)."
        ),
    ),
    Code(
        "INT-039",
        ("note",),
        mark(
            "Boxes lie on images whose size is not known: whether they leave them is not testable."
        ),
    ),
    *TURNED_CODES,
    *UNMATCHED_CODES,
)


def audit(job: Job) -> Audited:
    """Look for boxes of the ground truth that cannot be right as they stand.

    Returns
    -------
    Audited
        With a `LabelGeometry`; without result if no detections are named or the check is off.
    """
    detections = detections_of(job)
    if not job.settings.label_geometry or job.settings.detections is None:
        return Audited()
    if detections is None or not len(detections.truth.image):
        reason, title = _("there is no ground-truth box"), _("Boxes")
        facts = Facts("INT-035", "label_geometry", "label", title, reason, "not testable")
        made = [recorded(job, facts)]
        return Audited(LabelGeometry("not testable", reason), *split_up(made))
    truth, sizes = detections.truth, _sizes(job, detections)
    size = sizes[truth.image]
    known: BoolArray = np.asarray(np.isfinite(size).all(axis=1))
    hint = format_hint(truth.xywh[known], size[known])
    problems = list(_problems(detections, size, known))
    rows = tuple(problem_row(job, detections, truth, one) for one in problems)
    predicted = predicted_geometry(job, detections, sizes)
    joined = joined_of(job)
    facts_of = [
        *(problem_facts(one, row) for one, row in zip(problems, rows, strict=True)),
        *_format_facts(hint, detections),
        *predicted.facts,
        *(no_predictions(detections) if job.settings.evaluator is None else ()),
        *unmatched_facts(job),
        *size_facts(job, "label_geometry"),
        *_size_facts(known),
        *(() if joined is None else turned_facts(joined)),
    ]
    made = [recorded(job, facts) for facts in facts_of]
    result = LabelGeometry(
        *overall(made), (*rows, *predicted.rows), hint, predicted_hint=predicted.hint
    )
    return Audited(result, *split_up(made))


def _sizes(job: Job, detections: DetectionSet) -> FloatArray:
    """Return width and height of each image in the boxes' pixels; NaN where not known.

    What the boxes' own file declares wins; then the image table's columns; then the files.
    """
    size = detections.size.astype(np.float64)
    images = images_of(job)
    if images is None:
        return size
    for at, place in enumerate(join(images, detections).at):
        if place < 0 or np.isfinite(size[place]).all():
            continue
        declared = images.declared_size
        found = images.size[at] if declared is None or 0 in declared[at] else declared[at]
        if 0 not in found:
            size[place] = found
    return size


def _problems(detections: DetectionSet, size: FloatArray, known: BoolArray) -> Iterator[Problem]:
    truth = detections.truth
    width, height = truth.xywh[:, 2], truth.xywh[:, 3]
    everyone = np.ones(len(truth.image), dtype=bool)
    yield Problem(
        mark("out of bounds"),
        "INT-035",
        outside(truth.xywh, size),
        known,
        mark("{share} boxes reach beyond their image by more than half a pixel"),
        mark("Find how the boxes were converted; convert the labels again from their source."),
    )
    negative = (width < 0) | (height < 0)
    flat = ~negative & ((width == 0) | (height == 0))
    yield Problem(
        mark("zero area"),
        "INT-036",
        flat,
        everyone,
        mark("{share} boxes have no area"),
        mark("Draw them again or take them out: no detection can match them, so they cost recall."),
    )
    yield Problem(
        mark("negative size"),
        "INT-036",
        negative,
        everyone,
        mark("{share} boxes have a negative width or height"),
        mark("Look whether two corners were swapped."),
    )
    yield Problem(
        mark("area 0 or less in the file"),
        "INT-036",
        (truth.area <= 0) & (width > 0) & (height > 0),
        everyone,
        mark("{share} boxes have a size, but an area of 0 or less in the file"),
        mark("Compute the area again: evaluators sort boxes by it, and may leave these out."),
    )
    yield Problem(
        mark("duplicated"),
        "INT-037",
        _twice(detections),
        everyone,
        mark("{share} boxes have a twin of the same class on the same image (IoU > .95)"),
        mark("Keep one of each: the second can only count as missed."),
    )


def _twice(detections: DetectionSet) -> BoolArray:
    """Return which boxes have a twin of their class on their image; crowd regions aside."""
    truth = detections.truth
    hit = np.zeros(len(truth.image), dtype=bool)
    index = index_boxes(truth, len(detections.images))
    for image in range(len(detections.images)):
        members = index.of(image)
        members = members[~truth.crowd[members]]
        if len(members) < 2:
            continue
        boxes, category = truth.xywh[members], truth.category[members]
        same = iou_matrix(boxes, boxes) > SAME_BOX
        same &= category[:, None] == category[None, :]
        np.fill_diagonal(same, val=False)
        hit[members] = same.any(axis=1)
    return hit


def _format_facts(hint: str | None, detections: DetectionSet) -> Iterator[Facts]:
    """Yield that the boxes may have been read in another format, and what polygons became."""
    if hint is not None:
        yield Facts(
            "INT-038",
            "label_geometry",
            "label",
            _("Boxes may have been read in another format"),
            sentence(hint),
            "found",
            "minor",
            affected_claim=_("Every figure against these boxes"),
            remedy=_(
                "Compare a few boxes with their pictures, then declare the format or convert."
            ),
            limits=_("The pattern suggests it; only the source of the labels can tell."),
        )
    k, n = int(detections.truth.polygon.sum()), len(detections.truth.image)
    if k:
        yield Facts(
            "INT-038",
            "label_geometry",
            "label",
            _("Bounding boxes of polygons"),
            _("{share} boxes are the bounding boxes of polygon lines.").format(
                share=written_share(k, n)
            ),
            "found",
            "info",
            k,
            n,
            interval=False,
            limits=_("A bounding box is larger than what the polygon encloses."),
        )


def _size_facts(known: BoolArray) -> Iterator[Facts]:
    """Yield that some boxes lie on images of unknown size."""
    k, n = int(np.count_nonzero(~known)), len(known)
    if k:
        yield Facts(
            "INT-039",
            "label_geometry",
            "label",
            _("Images of unknown size"),
            _("{share} boxes lie on images whose width and height are not known").format(
                share=written_share(k, n)
            ),
            "not testable",
            None,
            k,
            n,
            interval=False,
            remedy=_("Declare the size in the boxes' file, or name the images."),
        )
