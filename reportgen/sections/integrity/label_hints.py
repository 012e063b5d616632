"""How boxes that leave their images may have come to be: read in another format than written."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from reportgen.language import _
from reportgen.wording import fixed

FloatArray = NDArray[np.float64]

MOST = 0.95
"""Share of the boxes that must fit another format before it is suggested."""
MANY = 0.20
"""Share of boxes that must leave the image, or look like polygons, before anything is suggested."""
CLOSE = 0.05
"""Polygon vertices that follow one another lie within this share of the image's sides."""
HALF_A_PIXEL = 0.5


def outside(xywh: FloatArray, size: FloatArray) -> NDArray[np.bool_]:
    """Return which boxes reach beyond their image by more than half a pixel.

    Parameters
    ----------
    xywh : (m, 4) float array
        Left, top, width, height.
    size : (m, 2) float array
        Width and height of the image of each; NaN where not known, which is never outside.
    """
    low, high = xywh[:, :2], xywh[:, :2] + xywh[:, 2:]
    beyond = (np.minimum(low, high) < -HALF_A_PIXEL) | (np.maximum(low, high) > size + HALF_A_PIXEL)
    return np.asarray(beyond.any(axis=1))


def format_hint(xywh: FloatArray, size: FloatArray, *, polygons: bool = True) -> str | None:
    """Return what the boxes look like if they were not left, top, width, height in pixels.

    Parameters
    ----------
    xywh : (m, 4) float array
        As read.
    size : (m, 2) float array
        Without NaN.
    polygons : bool
        Whether they may come from polygons, as labels may.

    Returns
    -------
    str or None
        A suggestion with its counts, never a conclusion; None where nothing suggests itself.
    """
    m = len(xywh)
    if not m:
        return None
    if float(np.abs(xywh).max()) <= 1 and float(size.min()) > 2:
        return shares_hint(m)
    beyond = int(outside(xywh, size).sum())
    if beyond < MANY * m:
        return None
    traced = _polygons(xywh, size) if polygons else None
    return traced or _corners(xywh, size, beyond) or _centres(xywh, size, beyond)


def shares_hint(m: int) -> str:
    """Return the hint that shares of the image's size were read as pixels."""
    text = _(
        "all numbers of the {m} boxes lie within 1: they may be shares of the image's size"
        " (normalised: true)"
    )
    return text.format(m=fixed(m, 0))


def _polygons(xywh: FloatArray, size: FloatArray) -> str | None:
    """Return the hint that two vertices of a polygon were read as centre and size."""
    centre = xywh[:, :2] + xywh[:, 2:] / 2
    k = int(np.count_nonzero((np.abs(centre - xywh[:, 2:]) <= CLOSE * size).all(axis=1)))
    if k < MANY * len(xywh):
        return None
    text = _(
        "in {k} of {m} boxes the centre lies within 5 % of the image of (width, height): as if the"
        " first two vertices of a polygon had been read as centre and size"
    )
    return text.format(k=fixed(k, 0), m=fixed(len(xywh), 0))


def _corners(xywh: FloatArray, size: FloatArray, beyond: int) -> str | None:
    """Return the hint that right and bottom edges were read as width and height."""
    fits = (xywh[:, :2] >= -HALF_A_PIXEL) & (xywh[:, 2:] >= xywh[:, :2])
    fits &= xywh[:, 2:] <= size + HALF_A_PIXEL
    if np.mean(fits.all(axis=1)) < MOST:
        return None
    right = int(np.count_nonzero(xywh[:, 0] + xywh[:, 2] > size[:, 0] + HALF_A_PIXEL))
    text = _(
        "x + w lies beyond the width in {right} of {m} boxes, and {beyond} leave the image; read as"
        " left, top, right, bottom they fit (format: xyxy)"
    )
    return text.format(right=fixed(right, 0), m=fixed(len(xywh), 0), beyond=fixed(beyond, 0))


def _centres(xywh: FloatArray, size: FloatArray, beyond: int) -> str | None:
    """Return the hint that the centre was read as the upper left corner."""
    moved = np.column_stack([xywh[:, :2] - xywh[:, 2:] / 2, xywh[:, 2:]])
    if np.mean(~outside(moved, size)) < MOST:
        return None
    text = _(
        "{beyond} of {m} boxes leave the image; read as centre and size they fit (format: cxcywh)"
    )
    return text.format(beyond=fixed(beyond, 0), m=fixed(len(xywh), 0))
