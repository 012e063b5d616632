"""Images and classes that only predictions name, where a table of labels cannot list its own."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from reportgen.inputs.detections import Boxes
from reportgen.language import _, mark
from reportgen.section import Code
from reportgen.sections.integrity.audits import Job
from reportgen.sections.integrity.joined import detections_of, joined_of
from reportgen.sections.integrity.near_names import MOST_NAMED, near_names, with_nearest
from reportgen.sections.integrity.records import MOST_ROWS, Facts, counted, written_share
from reportgen.wording import listed_first

IntArray = NDArray[np.intp]

CODES: tuple[Code, ...] = (
    Code(
        "INT-042",
        ("warn",),
        mark(
            "Predictions name images or classes that the table of labelled boxes does not name, nor"
            " the images of the section: they count as false, or in no mean."
        ),
    ),
)


@dataclass(frozen=True)
class _Kind:
    """What predictions name: the noun that counts it, the title and the sentence, marked."""

    noun: str
    title: str
    meaning: str


IMAGE = _Kind(
    "image",
    mark("Predictions on images that no label names"),
    mark(
        "{share} predictions lie on {counted} that no labelled box names, so that each counts as"
        " false: {names}."
    ),
)
CLASS = _Kind(
    "class",
    mark("Predictions of classes that no label names"),
    mark(
        "{share} predictions are of {counted} that no labelled box names, and so in no mean:"
        " {names}."
    ),
)


def unmatched_facts(job: Job) -> Iterator[Facts]:
    """Yield which images and classes the predictions alone name.

    COCO files list both, and anything else is refused there; a table of boxes cannot list images
    without boxes, so that a wrong name looks like one of these. Images of the section are known.
    """
    detections = detections_of(job)
    if detections is None or detections.listed or detections.predicted is None:
        return
    boxes = detections.predicted
    joined = joined_of(job)
    known = detections.truth.image if joined is None else [*detections.truth.image, *joined.at]
    yield from _facts(IMAGE, boxes.image, detections.images, np.unique(known), boxes)
    names = np.array(detections.categories, dtype=object)
    yield from _facts(CLASS, boxes.category, names, np.unique(detections.truth.category), boxes)


def _facts(
    kind: _Kind, of: IntArray, names: NDArray[np.object_], known: IntArray, boxes: Boxes
) -> Iterator[Facts]:
    """Yield what of one kind is not known.

    Parameters
    ----------
    kind : _Kind
    of : (m,) int array
        Position of each prediction's image or class in `names`.
    names : (n,) object array
    known : (k,) int array
        Positions of those that are known.
    boxes : Boxes
        The predictions.
    """
    loose = np.setdiff1d(of, known)
    if not len(loose):
        return
    k, n = int(np.isin(of, loose).sum()), len(boxes.image)
    called = [str(name) for name in names[loose]]
    near = near_names(called, (str(names[at]) for at in known if at >= 0))
    told = with_nearest(sorted(called, key=lambda name: name not in near), near)
    yield Facts(
        "INT-042",
        "label_geometry",
        "label",
        _(kind.title),
        _(kind.meaning).format(
            share=written_share(k, n),
            counted=counted(len(loose), kind.noun),
            names=listed_first(told, MOST_NAMED),
        ),
        "found",
        "minor",
        k,
        n,
        interval=False,
        affected_claim=_("Every figure of these predictions: recall, precision, mAP"),
        remedy=_("Name them as the labels do; list images without a box in a COCO file."),
        evidence=told[:MOST_ROWS],
        summary=_("{counted} only in the predictions").format(
            counted=counted(len(loose), kind.noun)
        ),
    )
