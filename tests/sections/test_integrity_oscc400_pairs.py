"""The pairs of the histology set, one by one, against the definitions written out in numpy.

Nothing here is taken from the package: pictures are read by Pillow, reduced by means of 5 × 5
pixels (rms32) or Pillow's BOX filter (wdct), turned by numpy, and every pair is compared under
every symmetry. The boxes of twins are matched by a greedy loop of its own.
"""

from __future__ import annotations

import csv
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from PIL import Image
from scipy.fft import dctn

from reportgen.sections.integrity import label_agreement, near_duplicates
from reportgen.sections.integrity.audits import Audited
from tests.support.integrity_images import BOXES, OSCC400, oscc400, oscc400_boxes
from tests.support.integrity_jobs import job

Array = NDArray[np.float64]
NAMES = (
    "identity",
    "rotate_90",
    "rotate_180",
    "rotate_270",
    "flip_left_right",
    "flip_top_bottom",
    "transpose",
    "transverse",
)
SIDE = 640.0
Box = tuple[str, float, float, float, float]


def turned(stack: Array) -> Iterator[Array]:
    """Yield a stack of pictures under the eight symmetries, in the order of NAMES."""
    for quarter in range(4):
        yield np.rot90(stack, quarter, axes=(1, 2))
    yield stack[:, :, ::-1]
    yield stack[:, ::-1]
    yield stack.transpose(0, 2, 1)
    yield np.rot90(stack, 2, axes=(1, 2)).transpose(0, 2, 1)


class Truth:
    """Distances and similarities of all pairs under all symmetries: [symmetry, image, twin]."""

    def __init__(self, folder: Path) -> None:
        with (folder / "manifest.csv").open(encoding="utf-8", newline="") as handle:
            rows = sorted(csv.DictReader(handle), key=lambda row: row["file"])
        self.files = [row["file"] for row in rows]
        self.split = np.array([row["resplit"] for row in rows])
        grey = [Image.open(folder / "images" / name).convert("L") for name in self.files]
        full = np.stack([np.asarray(one, dtype=np.int64) for one in grey])
        sums = full.reshape(-1, 32, 5, 32, 5).sum(axis=(2, 4))
        self.rms = self._rms(((2 * sums + 25) // 50).astype(float))
        box = Image.Resampling.BOX
        large = np.stack([np.asarray(one.resize((64, 64), box), dtype=float) for one in grey])
        self.cosine = self._cosine(large)

    @staticmethod
    def _rms(small: Array) -> Array:
        flat = small.reshape(len(small), -1)
        square = (flat**2).sum(axis=1)
        parts = []
        for one in turned(small):
            product = flat @ one.reshape(len(small), -1).T
            parts.append(np.sqrt((square[:, None] + square - 2 * product) / 1024))
        return np.stack(parts)

    @staticmethod
    def _cosine(large: Array) -> Array:
        def low(stack: Array) -> Array:
            block: Array = dctn(stack, axes=(1, 2), norm="ortho")[:, :16, :16]
            return block

        mean = (low(large) ** 2).mean(axis=0)
        scale = np.sqrt((mean + mean.T) / 2)

        def unit(stack: Array) -> Array:
            flat = (low(stack) / scale).reshape(len(stack), -1)[:, 1:]
            result: Array = flat / np.linalg.norm(flat, axis=1, keepdims=True)
            return result

        own = unit(large)
        return np.stack([own @ unit(one).T for one in turned(large)])


@pytest.fixture(scope="module")
def truth(shared: Path) -> Truth:
    return Truth(shared / OSCC400)


@pytest.fixture(scope="module")
def inputs(shared: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    patch = pytest.MonkeyPatch()
    patch.setenv("REPORTGEN_CACHE", "off")
    images = oscc400(shared)
    patch.undo()
    boxes = oscc400_boxes(shared, BOXES)
    return {"images": {"scans": images}, "detections": {"boxes": boxes}}


@pytest.fixture(scope="module")
def found(inputs: dict[str, Any]) -> Audited:
    near = {"detectors": {"wdct": 0.6, "rms32": 15.0}, "show": 0}
    return near_duplicates.audit(job({"images": "scans", "near_duplicates": near}, **inputs))


@pytest.mark.parametrize(("detector", "pairs"), [("rms32", 88), ("wdct", 234)])
def test_every_pair_and_no_other(found: Audited, truth: Truth, detector: str, pairs: int) -> None:
    place = {name: at for at, name in enumerate(truth.files)}
    rows = [row for row in found.result.rows if row.detector == detector]
    listed = {tuple(sorted((place[row.image], place[row.twin]))) for row in rows}
    near = truth.rms.min(axis=0) <= 15 if detector == "rms32" else truth.cosine.max(axis=0) >= 0.6
    wanted = {(i, j) for i, j in np.argwhere(np.triu(near, 1)).tolist()}
    assert len(rows) == len(wanted) == pairs
    assert listed == wanted
    for row in rows:
        i, j = place[row.image], place[row.twin]
        if detector == "rms32":
            best = NAMES[int(np.argmin(truth.rms[:, i, j]))]
            # Pillow's reduction may round a mean just below its own value down by one level.
            assert row.rms == pytest.approx(truth.rms[:, i, j].min(), abs=0.05)
        else:
            best = NAMES[int(np.argmax(truth.cosine[:, i, j]))]
            assert row.similarity == pytest.approx(truth.cosine[:, i, j].max(), abs=1e-6)
        assert row.symmetry == best


def carried(box: Box, symmetry: int) -> Box:
    """Return a box where a symmetry of Pillow's puts it; rotations are anticlockwise."""
    name, x, y, w, h = box
    corners = []
    for left, top in ((x, y), (x + w, y + h)):
        right, bottom = SIDE - left, SIDE - top
        corners.append(
            (
                (left, top),
                (top, right),
                (right, bottom),
                (bottom, left),
                (right, top),
                (left, bottom),
                (top, left),
                (bottom, right),
            )[symmetry]
        )
    (a, b), (c, d) = corners
    return name, min(a, c), min(b, d), abs(a - c), abs(b - d)


def overlap(one: Box, other: Box) -> float:
    _, x, y, w, h = one
    _, u, v, p, q = other
    inner = max(0.0, min(x + w, u + p) - max(x, u)) * max(0.0, min(y + h, v + q) - max(y, v))
    return inner / (w * h + p * q - inner) if one[0] == other[0] and inner else 0.0


def matched(own: list[Box], other: list[Box]) -> int:
    pairs = sorted(
        ((overlap(a, b), i, j) for i, a in enumerate(own) for j, b in enumerate(other)),
        key=lambda pair: -pair[0],
    )
    left, right = set(range(len(own))), set(range(len(other)))
    for size, i, j in pairs:
        if size >= 0.5 and i in left and j in right:
            left.discard(i)
            right.discard(j)
    return len(own) - len(left)


def test_boxes_of_leaked_validation_images_against_those_of_their_nearest_copy(
    inputs: dict[str, Any], truth: Truth, shared: Path
) -> None:
    boxes: dict[str, list[Box]] = {}
    with (shared / OSCC400 / "boxes.csv").open(encoding="utf-8", newline="") as handle:
        for row in csv.DictReader(handle):
            x, y, w, h = (float(row[key]) for key in "xywh")
            boxes.setdefault(row["file"], []).append((row["class_name"], x, y, w, h))
    train, valid = (np.flatnonzero(truth.split == name) for name in ("train", "valid"))
    hits = boxes_own = boxes_twin = same = n = 0
    for image in valid:
        best = truth.cosine[:, image, train].max(axis=0)
        if best.max() < 0.6:
            continue
        twin = train[int(np.argmax(best))]
        symmetry = int(np.argmax(truth.cosine[:, image, twin]))
        own = boxes.get(truth.files[image], [])
        other = [carried(box, symmetry) for box in boxes.get(truth.files[twin], [])]
        hits += matched(own, other)
        boxes_own, boxes_twin = boxes_own + len(own), boxes_twin + len(other)
        same += {box[0] for box in own} == {box[0] for box in other}
        n += 1
    near = {"detectors": {"wdct": 0.6}, "between": [["train", "valid"]], "show": 0}
    settings = {
        "images": "scans",
        "detections": "boxes",
        "near_duplicates": near,
        "label_agreement": {},
    }
    done = {"near_duplicates": near_duplicates.audit(job(settings, **inputs))}
    (row,) = label_agreement.audit(job(settings, done=done, **inputs)).result.rows
    assert (row.k, row.n) == (same, n) == (59, 59)
    assert row.box_f1.estimate == pytest.approx(2 * hits / (boxes_own + boxes_twin), abs=1e-12)
    assert row.box_f1.estimate == pytest.approx(604 / 848, abs=1e-12)
