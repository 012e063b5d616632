"""What a declared tool and version say about the rule behind its average precision."""

from __future__ import annotations

import re

from reportgen.inputs.detections import EvaluatorPins

_COCO_TOOLS = ("pycocotools", "cocoapi", "fastercocoeval", "hotcoco", "torchmetrics", "detectron2")
_FIRST_NEW = (8, 4, 37)


def declared_convention(pins: EvaluatorPins) -> str | None:
    """Return the convention of the declared tool, None where it does not follow from it.

    Ultralytics needs its version: what it adds beyond the highest recall was taken out in 8.4.37.
    """
    tool = re.sub(r"[^a-z0-9]", "", (pins.tool or "").casefold())
    if tool in _COCO_TOOLS:
        return "coco_101"
    if tool in ("sklearn", "scikitlearn"):
        return "step"
    if tool == "ultralytics" and pins.version:
        numbers = tuple(int(part) for part in re.findall(r"\d+", pins.version)[:3])
        if len(numbers) == 3:
            return "ultralytics_8_4_37" if numbers >= _FIRST_NEW else "ultralytics_8_4_36"
    return None
