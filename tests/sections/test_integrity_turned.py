"""Boxes in the frame of the stored picture, on pictures that are read upright (D96)."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from reportgen.inputs.detections import DetectionSet
from reportgen.result import Finding
from reportgen.sections.integrity import (
    label_agreement,
    label_geometry,
    leakage,
    near_duplicates,
)
from reportgen.sections.integrity.audits import Audited
from tests.support.integrity_images import image_set, texture
from tests.support.integrity_jobs import boxes, detection_set, job

WIDE, HIGH = 128, 96
STORED = (100.0, 10.0, 20.0, 16.0)
"""A box in the stored frame of 128 × 96; a quarter turn clockwise puts (x, y) at (96 − y, x)."""
UPRIGHT = (HIGH - STORED[1] - STORED[3], STORED[0], STORED[3], STORED[2])


def audited(frame: tuple[int, int], box: tuple[float, float, float, float]) -> list[Audited]:
    """Audit two copies of an upright picture of 96 × 128; the first one's box is given."""
    upright = np.rot90(texture(1, side=128)[:HIGH], -1)
    images = image_set([upright, upright.copy()], ids=["a", "b"], split=["train", "test"])
    size = np.array([frame, (HIGH, WIDE)], dtype=float)
    truth = boxes([(0, 0, box), (1, 0, UPRIGHT)])
    detections: DetectionSet = detection_set("ab", ["x"], truth, None)
    object.__setattr__(detections, "size", size)
    settings: dict[str, Any] = {
        "images": "scans",
        "detections": "boxes",
        "near_duplicates": {"detectors": {"rms32": 15}, "between": [["train", "test"]]},
        "label_agreement": {},
    }
    inputs: dict[str, Any] = {"images": {"scans": images}, "detections": {"boxes": detections}}
    near = near_duplicates.audit(job(settings, **inputs))
    agreement = label_agreement.audit(job(settings, done={"near_duplicates": near}, **inputs))
    return [label_geometry.audit(job(settings, **inputs)), agreement]


@pytest.mark.parametrize("scale", [1, 2.5, 5])
def test_a_frame_with_swapped_sides_is_named_and_its_boxes_are_not_carried(scale: float) -> None:
    frame = (round(WIDE * scale), round(HIGH * scale))
    x, y, w, h = (value * scale for value in STORED)
    geometry, agreement = audited(frame, (x, y, w, h))
    (record,) = [one for one in geometry.records if one.code == "INT-034"]
    assert (record.status, record.k, record.n, record.grade) == ("found", 1, 2, "major")
    assert "picture 96 × 128" in record.evidence[0]
    (row,) = agreement.result.rows
    assert row.box_f1.estimate is None
    assert "not upright" in row.box_f1.reason
    assert (row.k, row.n) == (1, 1)


@pytest.mark.parametrize("frame", [(HIGH, WIDE), (480, 640), (640, 640)])
def test_a_scaled_or_stretched_frame_is_no_turned_one(frame: tuple[int, int]) -> None:
    """Shares of width and height stay right under both, and so does the box of the twin."""
    x, y, w, h = UPRIGHT
    wide, high = frame[0] / HIGH, frame[1] / WIDE
    geometry, agreement = audited(frame, (x * wide, y * high, w * wide, h * high))
    (record,) = [one for one in geometry.records if one.code == "INT-034"]
    assert (record.status, record.k, record.n) == ("not found", 0, 2)
    assert agreement.result.rows[0].box_f1.estimate == 1


def declared(sizes: list[tuple[int, int]] | None, **settings: Any) -> list[Finding]:
    """Return what is said of the declared sizes of three pictures of 96 × 128."""
    upright = np.rot90(texture(1, side=128)[:HIGH], -1)
    images = image_set([upright] * 3, split=["train", "test", "test"])
    size = None if sizes is None else np.array(sizes, dtype=np.int64)
    object.__setattr__(images, "declared_size", size)
    boxed = detection_set(images.ids.tolist(), ["x"], boxes([(0, 0, UPRIGHT)]), None)
    asked = job(
        {"images": "scans", "detections": "boxes", **settings},
        images={"scans": images},
        detections={"boxes": boxed},
    )
    made = [one.audit(asked) for one in (near_duplicates, leakage, label_geometry)]
    return [one for audited in made for one in audited.findings if one.code == "INT-008"]


@pytest.mark.parametrize("settings", [{"near_duplicates": {}, "leakage": {}}, {"leakage": {}}, {}])
def test_sizes_that_the_image_list_declares_otherwise_are_told_once(
    settings: dict[str, Any],
) -> None:  # D96
    (found,) = declared([(HIGH, WIDE), (WIDE, HIGH), (48, 0)], **settings)
    assert found.severity == "warn"
    assert found.statement == (
        "2 of 3 (66.7\xa0%) pictures have another width or height than the image list declares;"
        " 1 of them with width and height swapped."
    )
    (right,) = declared([(HIGH, WIDE), (0, WIDE), (0, 0)], **settings)
    assert (right.severity, right.evidence["n"]) == ("pass", 2)
    assert declared(None, **settings) == []
