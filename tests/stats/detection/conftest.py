"""What tests of detection statistics use: the shared data, and pycocotools as the outside judge."""

from __future__ import annotations

import contextlib
import io
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from pycocotools.coco import COCO
from pycocotools.cocoeval import COCOeval

from reportgen.stats.detection import Matches, match
from tests.support.detection import CocoFiles, read_coco

Judge = Callable[..., COCOeval]


@pytest.fixture(scope="session")
def reference(shared: Path) -> dict[str, Any]:
    """Return the right values of the integrity data."""
    text = (shared / "data/integrity/reference.json").read_text(encoding="utf-8")
    data: dict[str, Any] = json.loads(text)
    return data


@pytest.fixture(scope="session")
def coco100(shared: Path) -> CocoFiles:
    """Return 100 images of COCO with pycocotools' demonstration detections."""
    return read_coco(shared / "data/integrity/coco100")


@pytest.fixture(scope="session")
def coco100_matches(coco100: CocoFiles) -> Matches:
    return match(
        coco100.truth, coco100.detections, n_images=coco100.n_images, n_classes=coco100.n_classes
    )


@pytest.fixture(scope="session")
def pycocotools() -> Judge:
    """Return a function that evaluates COCO data with pycocotools."""

    def evaluate(
        truth: dict[str, Any], detections: list[dict[str, Any]], *, images: Any = None
    ) -> COCOeval:
        with contextlib.redirect_stdout(io.StringIO()):
            coco = COCO()
            coco.dataset = truth
            coco.createIndex()
            result = COCOeval(coco, coco.loadRes([dict(each) for each in detections]), "bbox")
            if images is not None:
                result.params.imgIds = list(images)
            result.evaluate()
            result.accumulate()
            result.summarize()
        return result

    return evaluate
