"""Images: found, decoded one way, described; each conversion and each failure is counted."""

from __future__ import annotations

from reportgen.inputs.images.content import ImageSet, ImageTrouble
from reportgen.inputs.images.reading import read_images
from reportgen.inputs.images.settings import ImageColumns, ImagesSettings

__all__ = ["ImageColumns", "ImageSet", "ImageTrouble", "ImagesSettings", "read_images"]
