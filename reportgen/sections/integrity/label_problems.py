"""One kind of defect of boxes: which have it, the row that counts them and what is said of it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from reportgen.inputs.detections import Boxes, DetectionSet
from reportgen.language import _, mark
from reportgen.sections.integrity.audits import Job
from reportgen.sections.integrity.records import (
    MAJOR_SHARE,
    MOST_ROWS,
    Facts,
    counted,
    share_of,
    stated,
    written_share,
)
from reportgen.sections.integrity.result import Grade
from reportgen.sections.integrity.result_labels import GeometryRow

BoolArray = NDArray[np.bool_]
CLAIM = mark("Every figure against these boxes: recall, precision, mAP")


@dataclass(frozen=True)
class Problem:
    """One kind of defect: which boxes have it, of which that could.

    `grade` is None where it hangs on the share: major from 5 % of the boxes on, else minor.
    """

    name: str
    code: str
    hit: BoolArray
    among: BoolArray
    meaning: str
    remedy: str
    grade: Grade | None = None


def problem_row(job: Job, detections: DetectionSet, boxes: Boxes, problem: Problem) -> GeometryRow:
    """Return how many of `boxes` have a defect, and the first of them by name."""
    hit = np.flatnonzero(problem.hit & problem.among)
    k, n = len(hit), int(problem.among.sum())
    box = _("image {image}, box {box}: {numbers}")
    named = tuple(
        box.format(
            image=detections.images[boxes.image[one]],
            box=boxes.ids[one],
            numbers=", ".join(f"{value:g}" for value in boxes.xywh[one]),
        )
        for one in hit[:MOST_ROWS]
    )
    of = mark("box on an image of known size")
    share = share_of(k, n, confidence=job.context.confidence, of=of)
    return GeometryRow(problem.name, k, n, share, len(np.unique(boxes.image[hit])), named)


def problem_facts(problem: Problem, row: GeometryRow) -> Facts:
    """Return what is said of a defect."""
    title = _("Boxes: {problem}").format(problem=_(row.problem))
    if not row.n:
        reason = _("no image has a known size")
        return Facts(problem.code, "label_geometry", "label", title, reason, "not testable")
    statement = _(problem.meaning).format(share=written_share(row.k, row.n, row.share))
    if row.k:
        text = _("{statement}, on {images}")
        statement = text.format(statement=statement, images=counted(row.images, "image"))
    grade: Grade = "major" if row.k >= MAJOR_SHARE * row.n else "minor"
    return Facts(
        problem.code,
        "label_geometry",
        "label",
        title,
        stated([statement]),
        "found" if row.k else "not found",
        (problem.grade or grade) if row.k else None,
        row.k,
        row.n,
        affected_claim=_(CLAIM),
        remedy=_(problem.remedy) if row.k else "",
        evidence=row.named,
        limits=_("A box that lies inside its image can be wrong as well."),
        summary=_("{share} boxes: {problem}").format(
            share=written_share(row.k, row.n), problem=_(row.problem)
        ),
    )
