"""What a deployed application displays: as its table says, or worked out from its class map."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from reportgen.inputs.deployed import ClassMap, Shown
from reportgen.inputs.detections import Boxes, DetectionSet
from reportgen.language import n_
from reportgen.sections.integrity.audits import Job
from reportgen.sections.integrity.joined import detections_of, images_of, join
from reportgen.sections.integrity.names import NameBook
from reportgen.sections.integrity.shares import BoolArray, FloatArray, IntArray, codes
from reportgen.wording import fixed

DISPLAYED = "displayed"
FROM_MAP = "class map"


@dataclass(frozen=True)
class Display:
    """Displayed findings.

    Attributes
    ----------
    image : (f,) int array
        Position among the images of the detections; -1 where they do not have it.
    row : (f,) int array
        Row of the prediction that is displayed; -1 where it is not known.
    name : (f,) object array
    origin : {"displayed", "class map"}
    named_rows : bool
        Whether the predictions behind the findings are known at all.
    repeats : int
        Rows left out because they display a prediction under a name that an earlier one has.
    """

    image: IntArray
    row: IntArray
    name: NDArray[np.object_]
    origin: str
    named_rows: bool
    repeats: int = 0


def image_positions(names: Iterable[str], detections: DetectionSet) -> IntArray:
    """Return where images stand among those of the detections, by id, else by file; -1: nowhere."""
    wanted = list(names)
    at = _found(wanted, detections.images)
    if detections.files is not None and (at < 0).all():
        at = _found(wanted, detections.files)
    return at


def _found(wanted: list[str], known: NDArray[np.object_]) -> IntArray:
    place = {str(name): at for at, name in enumerate(known)}
    return np.array([place.get(name, -1) for name in wanted], dtype=np.intp)


def name_book(job: Job) -> NameBook:
    """Return the book of names of the section: of its class map's classes, else its detections'."""
    detections = detections_of(job)
    class_map = job.inputs.class_maps.get(job.settings.class_map or "")
    if class_map is not None and class_map.model is not None:
        return NameBook(job.settings.same_names, class_map.model)
    return NameBook(job.settings.same_names, detections.categories if detections else ())


def map_rows(class_map: ClassMap, detections: DetectionSet, book: NameBook) -> IntArray:
    """Return the row of the class map for each class of the detections, -1 where there is none.

    By the model's own names; without those by the index, where it is the id of the class.
    """
    if class_map.model is not None:
        found = [book.position(name, class_map.model) for name in detections.categories]
    else:
        place = {index: at for at, index in enumerate(class_map.app.index)}
        found = [place.get(index) for index in detections.category_ids]
    return np.array([-1 if at is None else at for at in found], dtype=np.intp)


def deployed_thresholds(class_map: ClassMap | None, rows: IntArray) -> FloatArray:
    """Return the score from which each class is displayed, NaN where none is declared."""
    least = np.full(len(rows), np.nan)
    if class_map is not None and class_map.app.threshold is not None:
        known = rows >= 0
        least[known] = np.array(class_map.app.threshold)[rows[known]]
    return least


def work_out(
    class_map: ClassMap, detections: DetectionSet, rows: IntArray, *, least: float
) -> Display | None:
    """Return what the class map would display of every prediction, None without predictions.

    A prediction is displayed under the name of its row if its score reaches that row's threshold;
    `least` where the map has no thresholds.
    """
    boxes = detections.predicted
    if boxes is None or boxes.score is None:
        return None
    thresholds = deployed_thresholds(class_map, rows)
    thresholds[np.isnan(thresholds)] = least
    shown = (rows[boxes.category] >= 0) & (boxes.score >= thresholds[boxes.category])
    row = np.flatnonzero(shown)
    names = np.array(class_map.app.shown, dtype=object)[rows[boxes.category[row]]]
    return Display(boxes.image[row], row, names, FROM_MAP, named_rows=True)


def as_displayed(shown: Shown, detections: DetectionSet) -> Display:
    """Return what the table of displayed findings says, each with its prediction if it names it.

    A prediction is displayed once under a name, however often the table says so.
    """
    image = image_positions(shown.image, detections)
    row = np.full(len(image), -1, dtype=np.intp)
    boxes = detections.predicted
    if boxes is not None:
        place = {
            (int(at), str(name)): number
            for number, (at, name) in enumerate(zip(boxes.image, boxes.ids, strict=True))
        }
        keys = zip(image.tolist(), shown.detection, strict=True)
        row[:] = [place.get((at, str(name)), -1) if name else -1 for at, name in keys]
    first: dict[tuple[int, str], int] = {}
    pairs = zip(row.tolist(), shown.name.tolist(), strict=True)
    kept = np.array(
        [at < 0 or first.setdefault((at, name), i) == i for i, (at, name) in enumerate(pairs)],
        dtype=bool,
    )
    return Display(
        image[kept],
        row[kept],
        shown.name[kept],
        DISPLAYED,
        named_rows=bool((row >= 0).any()),
        repeats=int(np.count_nonzero(~kept)),
    )


def repeats_told(display: Display) -> Iterator[str]:
    """Yield how many rows of displayed findings were left out as repeats."""
    if display.repeats:
        yield n_(
            "{n} row left out: it displays a prediction under the same name again",
            "{n} rows left out: they display a prediction under the same name again",
            display.repeats,
        ).format(n=fixed(display.repeats, 0))


def on_images(display: Display, kept: BoolArray) -> Display:
    """Return what is displayed on the images that are `kept`, (n,) bool."""
    own = (display.image >= 0) & kept[display.image]
    return replace(display, image=display.image[own], row=display.row[own], name=display.name[own])


def clusters(job: Job, detections: DetectionSet) -> IntArray:
    """Return the patient (else the source) of each image; without them each image is its own."""
    names = np.full(len(detections.images), "", dtype=object)
    images = images_of(job)
    if images is not None:
        known = images.unit if images.unit is not None else images.source
        at = join(images, detections).at
        if known is not None:
            names[at[at >= 0]] = known[at >= 0]
    return codes(names)


def some_boxes(boxes: Boxes, rows: IntArray) -> Boxes:
    """Return some rows of boxes, in that order."""
    return Boxes(
        boxes.ids[rows],
        boxes.image[rows],
        boxes.category[rows],
        boxes.xywh[rows],
        boxes.area[rows],
        boxes.crowd[rows],
        boxes.ignore[rows],
        boxes.polygon[rows],
        None if boxes.score is None else boxes.score[rows],
    )
