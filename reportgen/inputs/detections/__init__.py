"""Boxes on images: COCO JSON and tables, read and checked, nothing dropped in silence."""

from __future__ import annotations

from reportgen.inputs.detections.content import Boxes, DetectionSet, EvaluatorPins
from reportgen.inputs.detections.settings import BoxColumns, BoxFile, DetectionsSettings

__all__ = ["BoxColumns", "BoxFile", "Boxes", "DetectionSet", "DetectionsSettings", "EvaluatorPins"]
