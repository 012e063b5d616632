"""The eight flips and rotations of a picture, and of boxes drawn on it.

Each is written as an optional transposition, then an optional reversal of the rows, then of the
columns; the three switches make all eight. Names are those of Pillow's ``Image.Transpose`` in lower
case, so that "rotate_90" turns anticlockwise.
"""

from __future__ import annotations

from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

Scalar = TypeVar("Scalar", bound=np.generic)

SYMMETRIES: tuple[str, ...] = (
    "identity",
    "rotate_90",
    "rotate_180",
    "rotate_270",
    "flip_left_right",
    "flip_top_bottom",
    "transpose",
    "transverse",
)
"""In the order in which ties are settled: the first wins."""

SWITCHES: tuple[tuple[bool, bool, bool], ...] = (
    (False, False, False),
    (True, True, False),
    (False, True, True),
    (True, False, True),
    (False, False, True),
    (False, True, False),
    (True, False, False),
    (True, True, True),
)
"""Transpose first, then reverse the rows, then the columns: one triple a symmetry."""


def apply_symmetry(picture: NDArray[Scalar], k: int) -> NDArray[Scalar]:
    """Return a picture after the `k`-th symmetry.

    Parameters
    ----------
    picture : (h, w) or (h, w, channels) array
    k : int
        Position in `SYMMETRIES`.

    Returns
    -------
    array
        A view of `picture`; (w, h, …) where the symmetry transposes.
    """
    transpose, rows, columns = SWITCHES[k]
    turned: NDArray[Any] = np.swapaxes(picture, 0, 1) if transpose else picture
    if rows:
        turned = np.flip(turned, 0)
    return np.flip(turned, 1) if columns else turned


def inverse_symmetry(k: int) -> int:
    """Return the symmetry that undoes the `k`-th."""
    return next(i for i in range(8) if compose_symmetries(i, k) == 0)


def compose_symmetries(after: int, before: int) -> int:
    """Return the one symmetry that equals `before` followed by `after`."""
    transpose, rows, columns = SWITCHES[before]
    swap, later_rows, later_columns = SWITCHES[after]
    if swap:
        rows, columns = columns, rows
    joint = (transpose != swap, rows != later_rows, columns != later_columns)
    return SWITCHES.index(joint)


def turned_size(size: tuple[int, int], k: int) -> tuple[int, int]:
    """Return the width and height of a picture of `size` (w, h) after the `k`-th symmetry."""
    return (size[1], size[0]) if SWITCHES[k][0] else size


def apply_to_boxes(
    xywh: NDArray[np.floating[Any]], k: int, *, size: tuple[float, float]
) -> NDArray[np.float64]:
    """Carry the boxes of a picture along with it through the `k`-th symmetry.

    Parameters
    ----------
    xywh : (n, 4) float array
        Left, top, width and height in pixels, of boxes on the picture before the symmetry: the
        twin's own boxes, to be carried into the image's frame.
    k : int
        Position in `SYMMETRIES`.
    size : (float, float)
        Width and height of that picture, before the symmetry.

    Returns
    -------
    (n, 4) float array
        Of the same boxes on the picture after the symmetry; they may leave it if they did before.
    """
    transpose, rows, columns = SWITCHES[k]
    boxes = np.array(xywh, dtype=np.float64).reshape(-1, 4)
    width, height = size
    if transpose:
        boxes, width, height = boxes[:, [1, 0, 3, 2]], height, width
    if rows:
        boxes[:, 1] = height - boxes[:, 1] - boxes[:, 3]
    if columns:
        boxes[:, 0] = width - boxes[:, 0] - boxes[:, 2]
    return boxes


INVERSE: tuple[int, ...] = tuple(inverse_symmetry(k) for k in range(8))
"""`inverse_symmetry` of each."""
