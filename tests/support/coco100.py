"""The 100 COCO images of the reference data, read as a manifest would have them read."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from reportgen.errors import key_text
from reportgen.inputs.beside import Finder
from reportgen.inputs.detections import DetectionSet, DetectionsSettings
from reportgen.inputs.detections.reading import read_detections


def coco100(shared: Path, name: str = "boxes", **declared: Any) -> DetectionSet:
    """Return the 839 boxes and 734 detections under a name, with declared settings."""
    folder = shared / "data/integrity/coco100"
    return coco_files(folder, name, **declared)


def coco_files(folder: Path, name: str = "boxes", **declared: Any) -> DetectionSet:
    """Return ground_truth.json and detections.json of a folder under a name."""
    settings = DetectionsSettings.model_validate(
        {"ground_truth": "ground_truth.json", "predictions": "detections.json", **declared}
    )
    return read_detections(name, settings, Finder(folder, key_text, allow_outside=False))[0]
