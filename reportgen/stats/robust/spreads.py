"""Two figures as one: their difference, or the smaller over the larger.

What is solved for both is how bad they are together, larger being worse: the difference itself, or
the ratio with its sign turned.
"""

from __future__ import annotations

from typing import Literal, overload

import numpy as np

from reportgen.stats.robust.intervals import FloatArray

Spread = Literal["difference", "ratio"]


@overload
def badness(spread: Spread, high: float, low: float) -> float: ...
@overload
def badness(spread: Spread, high: FloatArray, low: FloatArray) -> FloatArray: ...
def badness(
    spread: Spread, high: float | FloatArray, low: float | FloatArray
) -> float | FloatArray:
    """Return how bad two figures are, larger being worse.

    Parameters
    ----------
    spread : {"difference", "ratio"}
    high, low : float or arrays that broadcast
        The figure said to be larger, and the one said to be smaller; >= 0 for ratios.

    Returns
    -------
    float or array
        high - low, or -(low / high); minus infinity where a figure is missing or the ratio is not
        defined (the larger figure is 0).
    """
    with np.errstate(divide="ignore", invalid="ignore"):
        if spread == "difference":
            bad = np.subtract(high, low)
        else:
            bad = np.where(np.greater(high, 0), -np.divide(low, high), np.nan)
    made = np.where(np.isnan(bad), -np.inf, bad)
    return float(made) if made.ndim == 0 else made


def figure(spread: Spread, bad: float) -> float:
    """Return the difference or the ratio behind a badness, and the badness behind a figure."""
    return bad if spread == "difference" else -bad
