"""What the manifest says of a set of images: a table of them, or one folder a split."""

from __future__ import annotations

from typing import Literal

from pydantic import Field, model_validator

from reportgen.inputs.settings import SHA256, Reading
from reportgen.settings import Settings

MOST_PIXELS = 50_000_000
"""Pixels above which an image is named and not opened, unless the manifest says otherwise."""


class ImageColumns(Settings):
    """The columns of an image table and their roles."""

    file: str = Field(description="path of the image below root")
    id: str | None = Field(default=None, description="identifier; the file if absent")
    split: str | None = None
    source: str | None = Field(default=None, description="the picture it was made from")
    unit: str | None = Field(default=None, description="independent unit: the patient")
    site: str | None = None
    acquired: str | None = Field(default=None, description="date, or date and time, ISO 8601")
    label: str | None = None
    width: str | None = None
    height: str | None = None


class ImagesSettings(Settings):
    """One entry of ``images``: a table with its columns, or folders, one a split."""

    path: str | None = Field(default=None, description="the image table")
    sha256: str | None = Field(default=None, pattern=SHA256)
    root: str = Field(default=".", description="folder of the images")
    columns: ImageColumns | None = None
    folders: dict[str, str] = Field(default_factory=dict, description="split: folder below root")
    label_from: Literal["subfolder"] | None = Field(
        default=None, description="folders: the first folder below a split's names the label"
    )
    label_separator: str | None = Field(
        default=None, min_length=1, description="splits a cell into several labels"
    )
    missing: list[str] = Field(default_factory=lambda: [""])
    read: Reading = Reading()
    max_pixels: int = Field(
        default=MOST_PIXELS, ge=1, description="larger images are named and not opened"
    )

    @model_validator(mode="after")
    def _table_or_folders(self) -> ImagesSettings:
        if bool(self.path) == bool(self.folders):
            raise ValueError("give either a path with columns, or folders")
        if self.path and self.columns is None:
            raise ValueError("name the columns of the image table: columns: {file: …}")
        return self
