"""Boxes against boxes: intersection over union, and greedy one-to-one pairs of two label sets.

References
----------
Lin et al. (2014), ECCV, and cocodataset/cocoapi, ``common/maskApi.c`` (``bbIou``, crowd regions).
Everingham et al. (2010), Int J Comput Vis 88:303 (VOC; its code counts pixels, hence the +1).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.intp]
BoolArray = NDArray[np.bool_]


def iou_matrix(
    detections: FloatArray, truth: FloatArray, *, crowd: BoolArray | None = None, pixel: float = 0.0
) -> FloatArray:
    """Return the intersection over union of each detection with each labelled box.

    Parameters
    ----------
    detections : (d, 4) float array
        Left, top, width, height.
    truth : (g, 4) float array
        The same, in the same unit.
    crowd : (g,) bool array, optional
        Regions of many: there the intersection is divided by the detection's area alone.
    pixel : float
        Added to each width and height: 1 in VOC's code, where edges are inclusive pixels.

    Returns
    -------
    (d, g) float array
        0 to 1; 0 where boxes do not overlap, boxes without size included.

    Raises
    ------
    ValueError
        If an array has not four columns.
    """
    for name, boxes in (("detections", detections), ("truth", truth)):
        if boxes.ndim != 2 or boxes.shape[1] != 4:
            raise ValueError(f"{name} must have the shape (n, 4), not {boxes.shape}")
    first, second = detections[:, None, :], truth[None, :, :]
    low = np.maximum(first[..., :2], second[..., :2])
    high = np.minimum(first[..., :2] + first[..., 2:], second[..., :2] + second[..., 2:])
    sides = high - low + pixel
    shared = np.where((sides > 0).all(axis=-1), sides[..., 0] * sides[..., 1], 0.0)
    own = (first[..., 2] + pixel) * (first[..., 3] + pixel)
    union = own + (second[..., 2] + pixel) * (second[..., 3] + pixel) - shared
    if crowd is not None:
        union = np.where(crowd[None, :], own, union)
    return np.divide(shared, union, out=np.zeros_like(shared), where=shared > 0)


@dataclass(frozen=True)
class BoxAgreement:
    """How far two sets of boxes of one picture agree.

    Attributes
    ----------
    pairs : (k, 2) int array
        Rows of the first and of the second set that were paired, by descending overlap.
    n_first, n_second : int
        Boxes of each set.
    """

    pairs: IntArray
    n_first: int
    n_second: int

    @property
    def matched(self) -> int:
        """Number of pairs."""
        return len(self.pairs)

    @property
    def f1(self) -> float | None:
        """2 k / (n_first + n_second), 0 to 1; None where neither set has a box."""
        boxes = self.n_first + self.n_second
        return 2 * self.matched / boxes if boxes else None


def greedy_f1(
    first: FloatArray,
    first_category: IntArray,
    second: FloatArray,
    second_category: IntArray,
    *,
    iou: float = 0.5,
) -> BoxAgreement:
    """Pair the boxes of two sets one to one: same class, the largest overlap first.

    Parameters
    ----------
    first, second : (n, 4) and (m, 4) float arrays
        Left, top, width, height in one frame.
    first_category, second_category : (n,) and (m,) int arrays
        Classes; only boxes of one class are paired.
    iou : float
        Least intersection over union of a pair, 0 < iou <= 1.

    Returns
    -------
    BoxAgreement
        Ties of the overlap go to the earlier row of the first set, then of the second.

    Raises
    ------
    ValueError
        If `iou` does not lie in (0, 1].
    """
    if not 0 < iou <= 1:
        raise ValueError(f"iou must lie in (0, 1], not {iou!r}")
    overlap = iou_matrix(first, second)
    overlap[first_category[:, None] != second_category[None, :]] = 0.0
    # x + w - x need not be w in floats: a box overlaps itself by a little less than 1.
    rows, columns = np.nonzero(overlap >= min(iou, 1 - 1e-10))
    order = np.argsort(-overlap[rows, columns], kind="stable")
    free_first = np.ones(len(first), dtype=bool)
    free_second = np.ones(len(second), dtype=bool)
    pairs = []
    for row, column in zip(rows[order].tolist(), columns[order].tolist(), strict=True):
        if free_first[row] and free_second[column]:
            free_first[row] = free_second[column] = False
            pairs.append((row, column))
    return BoxAgreement(np.array(pairs, dtype=np.intp).reshape(-1, 2), len(first), len(second))
