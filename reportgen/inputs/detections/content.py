"""Boxes on images after reading: what is there, and what a detector said."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from reportgen.result import LeftOut

TextArray = NDArray[np.object_]


@dataclass(frozen=True)
class Boxes:
    """Boxes in the order of their file.

    Attributes
    ----------
    ids : (m,) object array
        Identifier of the annotation or detection as text; its row where the file has none.
    image : (m,) int array
        Position in the images of the set.
    category : (m,) int array
        Position in the categories of the set.
    xywh : (m, 4) float array
        Left, top, width, height in pixels of the declared size.
    area : (m,) float array
        As the file gives it, else width × height.
    crowd, ignore : (m,) bool array
        A region of many (COCO iscrowd), and a box that counts neither way (VOC difficult).
    score : (m,) float array or None
        Confidence of a detection; None for ground truth.
    polygon : (m,) bool array
        Whether the box is the bounding box of a polygon line.
    """

    ids: TextArray
    image: NDArray[np.intp]
    category: NDArray[np.intp]
    xywh: NDArray[np.float64]
    area: NDArray[np.float64]
    crowd: NDArray[np.bool_]
    ignore: NDArray[np.bool_]
    polygon: NDArray[np.bool_]
    score: NDArray[np.float64] | None = None


@dataclass(frozen=True)
class EvaluatorPins:
    """How the predictions were made and evaluated, as declared; None where nothing is said."""

    tool: str | None = None
    version: str | None = None
    confidence: float | None = None
    nms_iou: float | None = None
    max_detections: int | None = None


@dataclass(frozen=True)
class DetectionSet:
    """One entry of ``detections``.

    Attributes
    ----------
    name : str
        Its name in the manifest.
    images : (n,) object array
        Identifiers, ascending: by number where all are numbers, else as text. Images without boxes
        are in it where the ground truth lists them.
    files : (n,) object array or None
        File names, where the ground truth gives them.
    size : (n, 2) float array
        Declared width and height, NaN where not declared.
    categories : tuple of str
        Names in the order of the ground truth's ids.
    category_ids : tuple of str
        Their ids as text.
    truth : Boxes
    predicted : Boxes or None
    pins : EvaluatorPins
    join : {"id", "file"}
        How its images meet those of ``images``.
    predictions_digest : str or None
        SHA-256 of the file of predictions.
    left_out : tuple of LeftOut
        Rows that were not kept, by reason.
    notes : tuple of str
        What was noticed and is no fault.
    listed : bool
        Whether the ground truth lists its images (COCO), so that one not in `images` is unknown; a
        table of boxes cannot list images without boxes.
    """

    name: str
    images: TextArray
    files: TextArray | None
    size: NDArray[np.float64]
    categories: tuple[str, ...]
    category_ids: tuple[str, ...]
    truth: Boxes
    predicted: Boxes | None
    pins: EvaluatorPins = EvaluatorPins()
    join: str = "id"
    predictions_digest: str | None = None
    left_out: tuple[LeftOut, ...] = ()
    notes: tuple[str, ...] = field(default=())
    listed: bool = True
