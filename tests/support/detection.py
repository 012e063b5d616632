"""Made-up boxes and detections for tests and benchmarks of detection statistics."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.intp]
BoolArray = NDArray[np.bool_]


@dataclass(frozen=True)
class Columns:
    """Boxes as columns, as `match` reads them."""

    image: IntArray
    category: IntArray
    xywh: FloatArray
    area: FloatArray
    crowd: BoolArray
    ignore: BoolArray
    score: FloatArray | None = None


def columns(
    image: Any,
    category: Any,
    xywh: Any,
    *,
    score: Any = None,
    crowd: Any = None,
    ignore: Any = None,
    area: Any = None,
) -> Columns:
    """Return columns from what is given, nothing crowded or ignored unless said."""
    boxes = np.asarray(xywh, dtype=float).reshape(-1, 4)
    none = np.zeros(len(boxes), dtype=bool)
    return Columns(
        np.asarray(image, dtype=np.intp),
        np.asarray(category, dtype=np.intp),
        boxes,
        boxes[:, 2] * boxes[:, 3] if area is None else np.asarray(area, dtype=float),
        none if crowd is None else np.asarray(crowd, dtype=bool),
        none if ignore is None else np.asarray(ignore, dtype=bool),
        None if score is None else np.asarray(score, dtype=float),
    )


@dataclass(frozen=True)
class CocoFiles:
    """A COCO pair of files as they are, and as columns."""

    truth_data: dict[str, Any]
    detections_data: list[dict[str, Any]]
    truth: Columns
    detections: Columns
    n_images: int
    n_classes: int


def coco_columns(truth_data: dict[str, Any], detections_data: list[dict[str, Any]]) -> CocoFiles:
    """Return COCO data as columns, images and categories by ascending id."""
    image = {each: k for k, each in enumerate(sorted(row["id"] for row in truth_data["images"]))}
    ids = sorted(row["id"] for row in truth_data["categories"])
    category = {each: k for k, each in enumerate(ids)}

    def read(rows: list[dict[str, Any]], **more: Any) -> Columns:
        return columns(
            [image[row["image_id"]] for row in rows],
            [category[row["category_id"]] for row in rows],
            [row["bbox"] for row in rows],
            **more,
        )

    labels = truth_data["annotations"]
    truth = read(
        labels,
        crowd=[row.get("iscrowd", 0) for row in labels],
        area=[row["area"] for row in labels],
    )
    detections = read(detections_data, score=[row["score"] for row in detections_data])
    return CocoFiles(truth_data, detections_data, truth, detections, len(image), len(ids))


def read_coco(folder: Path) -> CocoFiles:
    """Return the files ground_truth.json and detections.json of a folder."""
    texts = [
        (folder / name).read_text(encoding="utf-8")
        for name in ("ground_truth.json", "detections.json")
    ]
    return coco_columns(json.loads(texts[0]), json.loads(texts[1]))


def made_up(
    rng: np.random.Generator,
    *,
    n_images: int,
    n_boxes: int,
    n_classes: int,
    false_share: float = 1.0,
    found: float | FloatArray = 0.8,
) -> tuple[Columns, Columns]:
    """Return boxes, and detections: shaken copies of some boxes, and false ones with lower scores.

    `found` is the chance that a box has a copy, for all images or for each; `false_share` the
    number of false detections a box. Scores are distinct.
    """
    image = np.sort(rng.integers(0, n_images, n_boxes))
    category = rng.integers(0, n_classes, n_boxes)
    xywh = np.column_stack([rng.uniform(0, 500, (n_boxes, 2)), rng.uniform(20, 120, (n_boxes, 2))])
    chance = np.broadcast_to(np.asarray(found, dtype=float), n_images)[image]
    copied = rng.random(n_boxes) < chance
    shake = rng.normal(scale=0.06, size=(int(copied.sum()), 4)) * xywh[copied][:, [2, 3, 2, 3]]
    n_false = round(false_share * n_boxes)
    false = np.column_stack([rng.uniform(0, 500, (n_false, 2)), rng.uniform(20, 120, (n_false, 2))])
    score = np.concatenate([rng.beta(3, 2, copied.sum()), rng.beta(1, 3, n_false)])
    detections = columns(
        np.concatenate([image[copied], rng.integers(0, n_images, n_false)]),
        np.concatenate([category[copied], rng.integers(0, n_classes, n_false)]),
        np.concatenate([xywh[copied] + shake, false]),
        score=score + 1e-9 * np.arange(len(score)),
    )
    return columns(image, category, xywh), detections


def class_ap(result: Any) -> FloatArray:
    """Return pycocotools' average precision by threshold and class, NaN for its -1."""
    precision = result.eval["precision"][:, :, :, 0, -1]
    return np.where((precision > -1).all(axis=1), precision.mean(axis=1), np.nan)


def coco_data(
    truth: Columns, detections: Columns, *, n_images: int, n_classes: int
) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    """Return columns as COCO data; ids count from 1, as 0 means "unmatched" to pycocotools."""
    labels = [
        {
            "id": row + 1,
            "image_id": int(truth.image[row]) + 1,
            "category_id": int(truth.category[row]) + 1,
            "bbox": truth.xywh[row].tolist(),
            "area": float(truth.area[row]),
            "iscrowd": int(truth.crowd[row]),
        }
        for row in range(len(truth.image))
    ]
    found = [
        {
            "image_id": int(detections.image[row]) + 1,
            "category_id": int(detections.category[row]) + 1,
            "bbox": detections.xywh[row].tolist(),
            "score": float(score),
        }
        for row, score in enumerate(() if detections.score is None else detections.score)
    ]
    data = {
        "images": [{"id": k + 1, "width": 640, "height": 640} for k in range(n_images)],
        "categories": [{"id": k + 1, "name": str(k)} for k in range(n_classes)],
        "annotations": labels,
    }
    return data, found


def repeated(table: Columns, times: IntArray) -> Columns:
    """Return the boxes of images repeated: image i becomes times[i] images, one after another."""
    first = np.concatenate([[0], np.cumsum(times)[:-1]])
    row = np.repeat(np.arange(len(table.image)), times[table.image])
    starts = np.repeat(np.cumsum(times[table.image]) - times[table.image], times[table.image])
    copy = np.arange(len(row)) - starts
    return Columns(
        first[table.image[row]] + copy,
        table.category[row],
        table.xywh[row],
        table.area[row],
        table.crowd[row],
        table.ignore[row],
        None if table.score is None else table.score[row],
    )
