"""The same matches under every convention, and how the predictions were made."""

from __future__ import annotations

from dataclasses import dataclass
from typing import cast

import numpy as np

from reportgen.inputs.detections import Boxes, DetectionSet
from reportgen.language import _, mark
from reportgen.sections.integrity.evaluator_words import rule_told, tool_told
from reportgen.sections.integrity.result_evaluation import ConventionRow, PinRow
from reportgen.stats.detection import CONVENTIONS, FIGURES, ApTable, ap_table, match
from reportgen.stats.detection.conventions import Figure
from reportgen.stats.detection.matching import Rule
from reportgen.wording import fixed, typed

ALL = "all"
NO_BOXES = mark("not defined: the class has no labelled box (pycocotools prints −1)")
NO_BOX_AT_ALL = mark("not defined: there is no labelled box")
OF_CLASS: tuple[tuple[str, Figure], ...] = (("ap50", "map50"), ("ap50_95", "map50_95"))
MOST_IN_TAIL = 0.05
"""Predictions that begin at this score or above lack the tail of the precision-recall curve."""
PINS = (
    ("tool", mark("which sum over recall is taken")),
    ("version", mark("the sum changes between versions of one tool")),
    (
        "confidence",
        mark("predictions below it are gone: recall ends earlier and precision drops to 0"),
    ),
    (
        "nms_iou",
        mark("how many overlapping boxes of one object remain, each beyond one counted false"),
    ),
    ("max_detections", mark("predictions beyond it are gone on crowded images")),
)


@dataclass(frozen=True)
class Evaluated:
    """A set of detections under some conventions.

    Attributes
    ----------
    detections : DetectionSet
    table : ApTable
    """

    detections: DetectionSet
    table: ApTable

    def value(self, convention: str, metric: str, category: int | None = None) -> float | None:
        """Return a figure; None where it is not defined."""
        figure = dict(OF_CLASS).get(metric, cast(Figure, metric))
        return self.table.figure(convention, figure, category=category)


def evaluate(detections: DetectionSet, conventions: tuple[str, ...]) -> Evaluated:
    """Match predictions with labels once for each matching rule, and sum by every convention.

    Raises
    ------
    ValueError
        If there are no predictions.
    """
    if detections.predicted is None:
        raise ValueError(f"{detections.name} has no predictions")
    rules: list[Rule] = [CONVENTIONS[key].matching for key in conventions]
    matches = [
        match(
            detections.truth,
            detections.predicted,
            n_images=len(detections.images),
            n_classes=len(detections.categories),
            rule=rule,
        )
        for rule in dict.fromkeys(rules)
    ]
    return Evaluated(detections, ap_table(matches, conventions))


def convention_rows(found: Evaluated) -> tuple[ConventionRow, ...]:
    """Return every figure under every convention: means over classes, then one a class."""
    rows = []
    for key in found.table.conventions:
        rows += [_row(found, key, metric, None) for metric in FIGURES]
        for category in range(len(found.detections.categories)):
            rows += [_row(found, key, metric, category) for metric, _figure in OF_CLASS]
    return tuple(rows)


def _row(found: Evaluated, key: str, metric: str, category: int | None) -> ConventionRow:
    value = found.value(key, metric, category)
    reason = None
    if value is None:
        reason = _(NO_BOX_AT_ALL) if category is None else _(NO_BOXES)
    return ConventionRow(
        convention=key,
        rule=rule_told(key),
        tool=tool_told(key),
        metric=metric,
        class_=ALL if category is None else found.detections.categories[category],
        value=value,
        reason=reason,
        n_classes=found.table.n_classes if category is None else int(value is not None),
    )


def pin_rows(detections: DetectionSet) -> tuple[PinRow, ...]:
    """Return each setting of the evaluation with what it moves; the value is None if not said."""
    rows = []
    for name, moves in PINS:
        value = getattr(detections.pins, name)
        text = None if value is None else typed(value) if isinstance(value, float) else str(value)
        rows.append(PinRow(name, text, _(moves)))
    return tuple(rows)


def cut_short(detections: DetectionSet) -> tuple[str, ...]:
    """Return how the predictions contradict their pins, begin too high, or that there are none."""
    boxes, pins = detections.predicted, detections.pins
    if boxes is None or boxes.score is None:
        return ()
    if not len(boxes.score):
        return (_("there is no prediction at all, so that every figure of predictions is 0"),)
    said = []
    least = float(boxes.score.min())
    if pins.confidence is not None and least < pins.confidence:
        below = int((boxes.score < pins.confidence).sum())
        said.append(
            _("{n} predictions score below the declared confidence {confidence}").format(
                n=fixed(below, 0), confidence=typed(pins.confidence)
            )
        )
    start = least if pins.confidence is None else pins.confidence
    if start >= MOST_IN_TAIL:
        begins = _(
            "predictions begin at a score of {score} (lowest): the curve ends early, so that the"
            " figure is that of an operating range and not comparable with one from 0.001"
        )
        if pins.confidence is not None:
            begins = _(
                "predictions begin at a score of {score} (declared): the curve ends early, so that"
                " the figure is that of an operating range and not comparable with one from 0.001"
            )
        said.append(begins.format(score=typed(start)))
    most = int(np.bincount(boxes.image).max())
    if pins.max_detections is not None and most > pins.max_detections:
        said.append(
            _("an image has {n} predictions, more than the declared {most}").format(
                n=fixed(most, 0), most=fixed(pins.max_detections, 0)
            )
        )
    return tuple(said)


def crowded(boxes: Boxes, most: int) -> int:
    """Return how many groups of one image and class have more than `most` predictions."""
    _groups, counts = np.unique(np.stack([boxes.image, boxes.category]), axis=1, return_counts=True)
    return int((counts > most).sum())


def never_predicted(detections: DetectionSet) -> tuple[str, ...]:
    """Return the classes with boxes that count and without a single prediction."""
    boxes, predicted = detections.truth, detections.predicted
    held = np.unique(boxes.category[~boxes.crowd & ~boxes.ignore])
    said = np.array([], dtype=np.intp) if predicted is None else predicted.category
    return tuple(detections.categories[at] for at in np.setdiff1d(held, said))


def without_boxes(detections: DetectionSet) -> tuple[str, ...]:
    """Return the classes without a box that counts: they are not in the means."""
    boxes = detections.truth
    held = np.unique(boxes.category[~boxes.crowd & ~boxes.ignore])
    every = np.arange(len(detections.categories))
    return tuple(detections.categories[at] for at in np.setdiff1d(every, held))
