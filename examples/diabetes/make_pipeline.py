"""Simulate a detector and the application around it, with defects that an audit must find.

Nothing here was measured: images that do not exist, boxes, predictions, gates and displayed names
are drawn. What was planted is said in the manifest, under ``planted``.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

SEED = 20261201
IMAGES, EMPTY, DUPLICATES, PHOTOS = 160, 16, 24, 40
SIDE = 1024
MODEL = ("atelectasis", "consolidation", "effusion", "nodule", "pneumothorax")
SHOWN = ("Pneumothorax", "Nodule", "Effusion", "Consolidation", "Atelectasis")
"""Displayed for the model's classes in that order: the planted permutation, one name is right."""
THRESHOLD = {
    "Atelectasis": 0.60,
    "Consolidation": 0.45,
    "Effusion": 0.40,
    "Nodule": 0.35,
    "Pneumothorax": 0.25,
}
SHARE = (0.30, 0.18, 0.24, 0.18, 0.10)
FOUND = (0.90, 0.85, 0.90, 0.70, 0.80)
"""Share of the boxes of each class that the detector finds; of duplicates more."""
REJECTED, REJECTED_PNEUMOTHORAX = 0.06, 0.40
"""Share of chest images that the router stops, without and with a pneumothorax on them."""


def pipeline_files() -> dict[str, bytes]:
    """Return the files, name to bytes: truth, predictions, class maps, gates, displays, scores."""
    rng = np.random.default_rng(SEED)
    truth = _truth(rng)
    duplicates = np.sort(rng.choice(np.arange(EMPTY, IMAGES), DUPLICATES, replace=False)) + 1
    found = _predictions(truth, duplicates, rng)
    gates = _gates(truth, rng)
    files = {
        "truth.json": _coco(truth),
        "predictions.csv": _csv(found),
        "duplicates.csv": _csv({"image": duplicates}),
        "class_map.csv": _class_map(SHOWN),
        "class_map_kiosk.csv": _class_map(SHOWN),
        "class_map_web.csv": _class_map([name.capitalize() for name in MODEL]),
        "gates.csv": _csv(gates),
        "displayed.csv": _csv(_displayed(found, gates)),
        "screening.csv": _csv(_screening(truth, rng)),
    }
    return {f"pipeline/{name}": content for name, content in files.items()}


def _truth(rng: np.random.Generator) -> pd.DataFrame:
    """Return the boxes; the first images have none."""
    rows = [
        (image, int(rng.choice(len(MODEL), p=SHARE)), *_box(rng))
        for image in range(EMPTY + 1, IMAGES + 1)
        for _ in range(1 + rng.poisson(2.6))
    ]
    return pd.DataFrame(rows, columns=["image", "class", "x", "y", "w", "h"])


def _box(rng: np.random.Generator) -> tuple[int, ...]:
    width, height = rng.integers(40, 260, size=2)
    left, top = rng.integers(0, SIDE - width), rng.integers(0, SIDE - height)
    return int(left), int(top), int(width), int(height)


def _predictions(
    truth: pd.DataFrame, duplicates: NDArray[np.intp], rng: np.random.Generator
) -> pd.DataFrame:
    """Return what the detector says: most boxes, some under another class, some from nowhere."""
    rows: list[tuple[Any, ...]] = []
    for box in truth.itertuples(index=False):
        image, category, *place = box
        seen = FOUND[category] + (0.08 if image in duplicates else 0)
        if rng.random() > seen:
            continue
        said = category if rng.random() < 0.95 else int(rng.integers(len(MODEL)))
        moved = np.round(place + rng.normal(0, 0.06, 4) * np.tile(place[2:], 2)).astype(int)
        rows.append((image, said, *_inside(moved), rng.beta(5, 2.5)))
    rows += [
        (image, int(rng.integers(len(MODEL))), *_box(rng), rng.beta(2, 5))
        for image in range(1, IMAGES + 1)
        for _ in range(rng.poisson(0.9))
    ]
    found = pd.DataFrame(rows, columns=["image", "class", "x", "y", "w", "h", "score"])
    found = found[found["score"] >= 0.05].sort_values("image", kind="stable")
    found["class"] = [MODEL[at] for at in found["class"]]
    found["score"] = found["score"].round(4)
    found.insert(0, "detection", [f"p{number:04d}" for number in range(1, len(found) + 1)])
    return found


def _inside(box: NDArray[np.intp]) -> tuple[int, ...]:
    """Return a box cut to its image."""
    left, top = np.clip(box[:2], 0, SIDE - 20)
    width, height = np.clip(box[2:], 10, [SIDE - left, SIDE - top])
    return int(left), int(top), int(width), int(height)


def _gates(truth: pd.DataFrame, rng: np.random.Generator) -> pd.DataFrame:
    """Return what two gates say of every chest image and of photographs that are none."""
    rows = []
    ill = set(truth["image"][truth["class"] == MODEL.index("pneumothorax")])
    for image in range(1, IMAGES + 1):
        stopped = REJECTED_PNEUMOTHORAX if image in ill else REJECTED
        rows.append((image, "chest", "brightness", int(rng.random() > 0.03)))
        rows.append((image, "chest", "router", int(rng.random() > stopped)))
    for photo in range(1001, 1001 + PHOTOS):
        rows.append((photo, "photograph", "brightness", int(rng.random() > 0.10)))
        rows.append((photo, "photograph", "router", int(rng.random() > 0.85)))
    return pd.DataFrame(rows, columns=["image", "domain", "gate", "accepted"])


def _displayed(found: pd.DataFrame, gates: pd.DataFrame) -> pd.DataFrame:
    """Return what the application shows: by index, so under the wrong name and its threshold."""
    accepted = gates.groupby("image")["accepted"].min()
    names = found["class"].map(dict(zip(MODEL, SHOWN, strict=True)))
    shown = (found["score"] >= names.map(THRESHOLD)) & (found["image"].map(accepted) == 1)
    return pd.DataFrame({"image": found["image"], "detection": found["detection"], "name": names})[
        shown
    ]


def _screening(truth: pd.DataFrame, rng: np.random.Generator) -> pd.DataFrame:
    """Return a classifier that calls every image positive and a head that hardly counts."""
    images = np.arange(1, IMAGES + 1)
    count = truth["image"].value_counts().reindex(images, fill_value=0).to_numpy()
    ill = (count > 0).astype(int)
    score = rng.beta(6 + 2 * ill, 2) * 0.45 + 0.55
    counted = np.clip(rng.normal(0.08, 0.05, IMAGES) + 0.01 * count, 0, 0.4)
    return pd.DataFrame(
        {
            "image": images,
            "any_finding": ill,
            "score": score.round(4),
            "findings": count,
            "findings_counted": counted.round(3),
        }
    )


def _coco(truth: pd.DataFrame) -> bytes:
    """Return the boxes as COCO JSON, which lists the images without boxes too."""
    images = [{"id": at, "width": SIDE, "height": SIDE} for at in range(1, IMAGES + 1)]
    boxes = [
        {"id": at, "image_id": image, "category_id": category, "bbox": place}
        for at, (image, category, *place) in enumerate(truth.to_numpy().tolist(), start=1)
    ]
    names = [{"id": at, "name": name} for at, name in enumerate(MODEL)]
    lists = {"images": images, "categories": names, "annotations": boxes}
    parts = [f"{json.dumps(key)}: [\n{_lines(entries)}\n]" for key, entries in lists.items()]
    return ("{" + ",\n".join(parts) + "}\n").encode()


def _lines(entries: Iterable[dict[str, Any]]) -> str:
    return ",\n".join(json.dumps(one, separators=(",", ":")) for one in entries)


def _class_map(shown: Iterable[str]) -> bytes:
    table = pd.DataFrame({"class_id": range(len(MODEL)), "model": MODEL, "displayed": list(shown)})
    table["threshold"] = table["displayed"].map(THRESHOLD)
    return _csv(table)


def _csv(rows: object) -> bytes:
    return pd.DataFrame(rows).to_csv(index=False, lineterminator="\n").encode()
