"""The class map line by line, what it displays wrongly, and which copies still carry it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from reportgen.inputs.deployed import ClassMap, ShownClasses
from reportgen.inputs.detections import DetectionSet
from reportgen.language import _, mark
from reportgen.sections.integrity.display import Display
from reportgen.sections.integrity.names import NameBook
from reportgen.sections.integrity.result_use import CopyRow, MapRow, ThresholdRow, WrongNames
from reportgen.sections.integrity.shares import (
    BoolArray,
    IntArray,
    as_estimate,
    share_in_units,
    unit_rate,
)

PERHAPS = mark("nearly the same spelling: declare it under same_names if it means the same")
NO_FINDING = mark("nothing is displayed")


@dataclass(frozen=True)
class ModelNames:
    """The model's own class names by the rows of the class map; None where not known.

    Attributes
    ----------
    names : tuple of (text or None)
    origin : str
        "class map", the artefact they were taken from, or "".
    """

    names: tuple[str | None, ...]
    origin: str


def model_names(class_map: ClassMap) -> ModelNames:
    """Return the model's names: as the map has them, else of the first artefact with its indices.

    An artefact is asked by index: it must name every index of the map.
    """
    if class_map.model is not None:
        return ModelNames(class_map.model, "class map")
    for one in class_map.artefacts:
        named = dict(zip(one.index, one.classes, strict=True))
        if all(index in named for index in class_map.app.index):
            return ModelNames(tuple(named[index] for index in class_map.app.index), one.name)
    return ModelNames((None,) * len(class_map.app.index), "")


def row_of_map(
    class_map: ClassMap, names: ModelNames, inferred: dict[str, str], book: NameBook
) -> tuple[MapRow, ...]:
    """Return each class of the map with the name shown, its threshold and that of its right name.

    Parameters
    ----------
    class_map : ClassMap
    names : ModelNames
    inferred : mapping of text to text
        Name shown: class that the confusion suggests.
    book : NameBook
    """
    app, rows = class_map.app, []
    for at, (index, shown, model) in enumerate(zip(app.index, app.shown, names.names, strict=True)):
        same = None if model is None else book.same(model, shown)
        note = _(PERHAPS) if model is not None and same is None else ""
        rows.append(
            MapRow(
                index=index,
                model=model,
                shown=shown,
                same=same,
                threshold=None if app.threshold is None else app.threshold[at],
                threshold_of_right_name=_right_threshold(app, model, book),
                inferred=inferred.get(shown) if model is None else None,
                note=note,
            )
        )
    return tuple(rows)


def _right_threshold(app: ShownClasses, model: str | None, book: NameBook) -> float | None:
    """Return the threshold of the name that means this class, None if no name does."""
    if app.threshold is None or model is None:
        return None
    at = book.position(model, app.shown)
    return None if at is None else app.threshold[at]


def wrong_findings(display: Display, detections: DetectionSet, book: NameBook) -> BoolArray:
    """Return which displayed findings bear the name of another class than was predicted, (f,).

    Of the findings whose prediction is known; near spellings are not called wrong.
    """
    boxes = detections.predicted
    known = display.row >= 0
    wrong = np.zeros(len(known), dtype=np.bool_)
    if boxes is None:
        return wrong
    judged: dict[tuple[int, str], bool] = {}
    for at in np.flatnonzero(known).tolist():
        key = int(boxes.category[display.row[at]]), str(display.name[at])
        if key not in judged:
            judged[key] = book.same(detections.categories[key[0]], key[1]) is False
        wrong[at] = judged[key]
    return wrong


def wrong_names(
    display: Display, wrong: BoolArray, detections: DetectionSet, unit: IntArray, confidence: float
) -> tuple[WrongNames, ...]:
    """Return the share of findings and of images with wrong names.

    Parameters
    ----------
    display : Display
        Findings whose prediction is not known are left out.
    wrong : (f,) bool array
    detections : DetectionSet
    unit : (n,) int array
        Patient of each image.
    confidence : float
    """
    used = (display.row >= 0) & (display.image >= 0)
    image, bad = display.image[used], wrong[used]
    n_images = len(detections.images)
    shows = np.bincount(image, minlength=n_images)
    false = np.bincount(image, bad, minlength=n_images)
    every = np.ones(n_images, dtype=np.bool_)
    all_wrong = (shows > 0) & (false == shows)
    alone = np.arange(len(image), dtype=np.intp)
    findings = share_in_units(bad, alone >= 0, alone, confidence=confidence, empty=_(NO_FINDING))
    grouped = unit_rate(bad, alone >= 0, unit[image], empty=_(NO_FINDING))

    def images(of: str, hit: BoolArray, among: BoolArray) -> WrongNames:
        share = share_in_units(hit, among, unit, confidence=confidence, empty=_(NO_FINDING))
        return WrongNames(of, int((hit & among).sum()), int(among.sum()), share)

    return (
        WrongNames(
            "findings",
            int(bad.sum()),
            len(bad),
            findings,
            as_estimate(grouped, confidence=confidence),
        ),
        images("images", all_wrong, every),
        images("images that show something", all_wrong, shows > 0),
        images("images with any", false > 0, every),
    )


def threshold_rows(
    rows: tuple[MapRow, ...], detections: DetectionSet, map_row: IntArray
) -> tuple[ThresholdRow, ...]:
    """Return what each class's predictions would be shown or hidden by the right threshold.

    Only classes that are shown under another name, where both thresholds are known.
    """
    boxes, found = detections.predicted, []
    if boxes is None or boxes.score is None:
        return ()
    of_row = map_row[boxes.category]
    for at, row in enumerate(rows):
        if row.same is not False or row.model is None:
            continue
        used, meant = row.threshold, row.threshold_of_right_name
        if used is None or meant is None:
            continue
        score = boxes.score[of_row == at]
        found.append(
            ThresholdRow(
                row.model,
                row.shown,
                used,
                meant,
                wrongly_shown=int(((score >= used) & (score < meant)).sum()),
                wrongly_hidden=int(((score < used) & (score >= meant)).sum()),
                n=len(score),
            )
        )
    return tuple(found)


def copy_rows(
    class_map: ClassMap, names: ModelNames, inferred: dict[str, str], book: NameBook
) -> tuple[CopyRow, ...]:
    """Return each deployed copy with the number of its wrong names.

    Where the model's own names are not known, those that the confusion suggests stand for them.
    """
    guessed = [
        model or inferred.get(shown)
        for model, shown in zip(names.names, class_map.app.shown, strict=True)
    ]
    right = dict(zip(class_map.app.index, guessed, strict=True))
    rows = []
    for one in class_map.copies:
        judged = [
            None if right.get(index) is None else book.same(str(right[index]), shown)
            for index, shown in zip(one.index, one.shown, strict=True)
        ]
        known = any(right.get(index) for index in one.index)
        wrong = judged.count(False) if known else None
        rows.append(
            CopyRow(
                one.name,
                one.digest,
                one.digest == class_map.app.digest,
                wrong,
                len(one.index),
                None if wrong is None else wrong > 0,
            )
        )
    return tuple(rows)
