"""Pictures of pairs: the image, its twin laid onto it, and where they differ."""

from __future__ import annotations

from collections.abc import Sequence
from io import BytesIO

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageDraw

Pixels = NDArray[np.uint8]
FloatArray = NDArray[np.float64]

GAIN = 4
"""By how much the absolute difference is multiplied, so that small ones can be seen."""
PANEL = 296
"""Longest side of one of the three panels: with the gaps the whole is 900 pixels wide."""
GAP = 6
PAPER = (255, 255, 255)
OWN_COLOUR, TWIN_COLOUR = (0, 114, 178), (213, 94, 0)
"""Blue and vermilion of Okabe and Ito: told apart with every kind of colour vision."""
LINE = 2
TINY = 64
"""Pictures up to this side are shown with sharp pixels."""


def pair_picture(
    image: Pixels,
    twin: Pixels,
    *,
    own_boxes: FloatArray | None = None,
    twin_boxes: FloatArray | None = None,
) -> bytes:
    """Return a PNG of image | twin | absolute difference × 4, side by side.

    Parameters
    ----------
    image, twin : (h, w, 3) uint8 arrays
        The twin already carried onto the image; where its size differs it is brought to the
        image's.
    own_boxes, twin_boxes : (k, 4) float arrays, optional
        Left, top, width, height as shares of the image's width and height. The image's are drawn in
        blue on it, the twin's in vermilion on it, both on the difference.

    Returns
    -------
    bytes
        The same for the same arguments; nothing is written on it, and nothing within it names the
        images.
    """
    first = _panel(Image.fromarray(image))
    turned = Image.fromarray(np.ascontiguousarray(twin))
    second = turned.resize(first.size, _way(max(turned.size)))
    apart = np.abs(np.asarray(first, dtype=np.int16) - np.asarray(second, dtype=np.int16))
    third = Image.fromarray(np.minimum(apart * GAIN, 255).astype(np.uint8))
    for panel, sets in (
        (first, ((own_boxes, OWN_COLOUR),)),
        (second, ((twin_boxes, TWIN_COLOUR),)),
        (third, ((own_boxes, OWN_COLOUR), (twin_boxes, TWIN_COLOUR))),
    ):
        for boxes, colour in sets:
            _draw(panel, boxes, colour)
    return _png(_beside([first, second, third]))


def _panel(picture: Image.Image) -> Image.Image:
    """Return a picture whose longer side is that of a panel; tiny ones keep their pixels sharp."""
    longest = max(picture.size)
    width, height = (max(1, round(side * PANEL / longest)) for side in picture.size)
    return picture.resize((width, height), _way(longest))


def _way(longest: int) -> Image.Resampling:
    """Return how a picture is brought to a panel: area means down, else smoothly; tiny ones not."""
    if longest > PANEL:
        return Image.Resampling.BOX
    return Image.Resampling.NEAREST if longest <= TINY else Image.Resampling.BICUBIC


def _draw(panel: Image.Image, boxes: FloatArray | None, colour: tuple[int, int, int]) -> None:
    if boxes is None:
        return
    pen = ImageDraw.Draw(panel)
    scale = np.array([panel.width, panel.height, panel.width, panel.height], dtype=np.float64)
    for x, y, w, h in np.asarray(boxes, dtype=np.float64).reshape(-1, 4) * scale:
        ends = np.clip([x, y, x + w, y + h], -PANEL, 2 * PANEL)
        left, right = sorted((float(ends[0]), float(ends[2])))
        top, bottom = sorted((float(ends[1]), float(ends[3])))
        pen.rectangle((left, top, right, bottom), outline=colour, width=LINE)


def _beside(panels: Sequence[Image.Image]) -> Image.Image:
    width = sum(panel.width for panel in panels) + GAP * (len(panels) - 1)
    sheet = Image.new("RGB", (width, max(panel.height for panel in panels)), PAPER)
    left = 0
    for panel in panels:
        sheet.paste(panel, (left, 0))
        left += panel.width + GAP
    return sheet


def _png(picture: Image.Image) -> bytes:
    out = BytesIO()
    picture.save(out, format="PNG", compress_level=6)
    return out.getvalue()
