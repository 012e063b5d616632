"""Images: found, decoded one way, described; each conversion and each failure is counted.

`reportgen.inputs.images.reading.read_images` reads them; it is not imported here, so that a run
without images does not load Pillow.
"""

from __future__ import annotations

from reportgen.inputs.images.content import ImageSet, ImageTrouble
from reportgen.inputs.images.settings import ImageColumns, ImagesSettings

__all__ = ["ImageColumns", "ImageSet", "ImageTrouble", "ImagesSettings"]
