"""Two pictures compared at full resolution under a given flip or rotation."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from reportgen.stats.duplicates.hits import FloatArray
from reportgen.stats.duplicates.symmetries import apply_symmetry

_FLAT = 1e-9  # grey levels; less is the rounding of a mean


class Comparison(NamedTuple):
    """Root mean square difference in grey levels, and Pearson's r, None if a picture is flat."""

    rms: float
    r: float | None


def compare_full(first: NDArray[np.uint8], second: NDArray[np.uint8], symmetry: int) -> Comparison:
    """Compare two grey pictures, the second after a symmetry.

    Parameters
    ----------
    first, second : (h, w) uint8 arrays
        Not empty.
    symmetry : int
        Position in `SYMMETRIES`; carries the second onto the first.

    Returns
    -------
    Comparison
        `rms`, 0 to 255; `r`, -1 to 1, or None where one of the two does not vary.

    Notes
    -----
    Where sizes differ after the symmetry, both are brought to the smaller height and the smaller
    width by exact area means: pixels cut by an edge count by the share inside. The aspect ratio is
    not kept, since a thumbnail does not keep it either. Nothing is ever enlarged.
    """
    twin = apply_symmetry(second, symmetry)
    height, width = np.minimum(first.shape, twin.shape)
    a, b = (_reduced(picture, int(height), int(width)) for picture in (first, twin))
    rms = float(np.sqrt(np.mean((a - b) ** 2)))
    if min(np.ptp(a), np.ptp(b)) < _FLAT:
        return Comparison(rms, None)
    a, b = a - a.mean(), b - b.mean()
    r = float(np.sum(a * b) / np.sqrt(np.sum(a * a) * np.sum(b * b)))
    return Comparison(rms, min(1.0, max(-1.0, r)))


def _reduced(picture: NDArray[Any], height: int, width: int) -> FloatArray:
    return area_means(area_means(picture.astype(np.float64), height).T, width).T


def area_means(values: FloatArray, n: int) -> FloatArray:
    """Return `values` brought to `n` rows, each the mean of the stretch it covers.

    The running sum is linear within a pixel, so that its differences at the edges give the sums.
    """
    have = len(values)
    if n == have:
        return values
    running = np.concatenate([np.zeros((1, values.shape[1])), np.cumsum(values, axis=0)])
    whole, part = np.divmod(np.arange(n + 1) * have, n)
    beyond = values[np.minimum(whole, have - 1)]
    at_edges = running[whole] + (part / n)[:, None] * beyond
    means: FloatArray = np.diff(at_edges, axis=0) * (n / have)
    return means
