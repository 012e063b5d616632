"""What the manifest says of boxes: ground truth, predictions and how both were made."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from reportgen.inputs.settings import SHA256, Reading
from reportgen.settings import Settings


class BoxColumns(Settings):
    """The columns of a box table and their roles."""

    image: str
    class_: str = Field(alias="class")
    x: str = Field(description="left edge; with format xyxy as well")
    y: str = Field(description="top edge")
    w: str = Field(description="width; with format xyxy the right edge")
    h: str = Field(description="height; with format xyxy the bottom edge")
    score: str | None = None
    id: str | None = None
    crowd: str | None = None
    ignore: str | None = Field(default=None, description="counts neither way: VOC's difficult")
    polygon: str | None = Field(default=None, description="whether the label was a polygon")
    width: str | None = Field(default=None, description="width of the image")
    height: str | None = Field(default=None, description="height of the image")


class BoxFile(Settings):
    """A table of boxes, or a COCO file with its pin."""

    path: str
    sha256: str | None = Field(default=None, pattern=SHA256)
    columns: BoxColumns | None = Field(default=None, description="none: COCO JSON")
    format: Literal["xywh", "xyxy", "cxcywh"] = "xywh"
    normalised: bool = Field(default=False, description="0 to 1 of the image's size, as in YOLO")
    size: list[float] | None = Field(
        default=None, min_length=2, max_length=2, description="width and height of every image"
    )
    polygons: list[str] = Field(
        default_factory=list, description="values of the polygon column that mean a polygon"
    )
    read: Reading = Reading()


class PinSettings(Settings):
    """How the predictions were made and evaluated: what moves a figure when it changes."""

    tool: str | None = None
    version: str | None = None
    confidence: float | None = Field(default=None, ge=0, le=1)
    nms_iou: float | None = Field(default=None, ge=0, le=1)
    max_detections: int | None = Field(default=None, ge=1)


class DetectionsSettings(Settings):
    """One entry of ``detections``."""

    ground_truth: str | BoxFile
    predictions: str | BoxFile | None = None
    join: Literal["id", "file"] = Field(default="id", description="how boxes meet images")
    settings: PinSettings = PinSettings()

    @property
    def truth_file(self) -> BoxFile:
        """The ground truth's file, a bare path read as COCO JSON."""
        given = self.ground_truth
        return BoxFile(path=given) if isinstance(given, str) else given

    @property
    def predictions_file(self) -> BoxFile | None:
        """The predictions' file, a bare path read as COCO JSON; None if there is none."""
        given = self.predictions
        return BoxFile(path=given) if isinstance(given, str) else given
