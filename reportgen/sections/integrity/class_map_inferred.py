"""Which class each displayed name really stands for, as the boxes it was shown on suggest."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from reportgen.inputs.detections import DetectionSet
from reportgen.language import _, mark
from reportgen.result import Estimate
from reportgen.sections.integrity.audits import Job
from reportgen.sections.integrity.display import Display, some_boxes
from reportgen.sections.integrity.names import NameBook
from reportgen.sections.integrity.result_use import Inferred
from reportgen.sections.integrity.shares import IntArray, from_draws
from reportgen.stats.confusion_permutation import best_assignment, crossed_gain
from reportgen.stats.detection.matching import match

CHOSEN_HERE = mark("chosen on the matches it is counted on; see the gain on the other half")


@dataclass(frozen=True)
class Suggestion:
    """What the confusion of displayed names and true classes suggests.

    Attributes
    ----------
    summary : Inferred
    names : mapping of text to text
        Name shown: the class it stands for, where one class explains it best.
    """

    summary: Inferred
    names: dict[str, str]


def suggestion(
    display: Display,
    detections: DetectionSet,
    unit: IntArray,
    book: NameBook,
    job: Job,
    *,
    iou: float,
) -> Suggestion | None:
    """Return what the boxes under each displayed name suggest, None where none was matched.

    Displayed findings are matched with labelled boxes whatever the class of either, the best scored
    first, each box once.

    Parameters
    ----------
    display : Display
    detections : DetectionSet
    unit : (n,) int array
        Patient of each image: the unit of the bootstrap.
    book : NameBook
    job : Job
    iou : float
        Least overlap of a match.
    """
    boxes = detections.predicted
    used = np.flatnonzero((display.row >= 0) & (display.image >= 0))
    if boxes is None or boxes.score is None or not len(used):
        return None
    chosen = some_boxes(boxes, display.row[used])
    matches = match(
        replace(detections.truth, category=np.zeros_like(detections.truth.category)),
        replace(chosen, category=np.zeros_like(chosen.category)),
        n_images=len(detections.images),
        n_classes=1,
        iou_thresholds=np.array([iou]),
        max_detections=None,
    )
    hit = matches.found[0]
    if not hit.any():
        return None
    true = detections.truth.category[matches.truth_row[0, hit]]
    words = display.name[used][matches.row[hit]].astype(str)
    names, shown = np.unique(words, return_inverse=True)
    return _summed(
        shown.astype(np.intp),
        np.asarray(true),
        unit[matches.image[hit]],
        [str(name) for name in names],
        detections.categories,
        book,
        job,
    )


def _summed(
    shown: IntArray,
    true: IntArray,
    unit: IntArray,
    names: list[str],
    classes: tuple[str, ...],
    book: NameBook,
    job: Job,
) -> Suggestion:
    confusion = np.zeros((len(names), len(classes)), dtype=np.int64)
    np.add.at(confusion, (shown, true), 1)
    same = np.array([[book.means(one, name) for one in classes] for name in names], dtype=np.bool_)
    found = best_assignment(confusion, same)
    crossed = crossed_gain(
        shown,
        true,
        unit,
        same,
        rng=job.context.rng,
        resamples=job.context.resamples,
    )
    held_out = from_draws(
        crossed.value,
        crossed.draws,
        confidence=job.context.confidence,
        units=len(np.unique(unit)),
        undefined=_("it takes two units to choose on one half and to count on the other"),
    )
    gain = Estimate(found.gain, reason=_(CHOSEN_HERE))
    known = [at for at in range(len(names)) if found.column[at] >= 0]
    moved = sum(not same[at, found.column[at]] for at in known)
    return Suggestion(
        Inferred(found.total, found.diagonal, found.best, gain, int(moved), held_out),
        {names[at]: classes[found.column[at]] for at in known},
    )
