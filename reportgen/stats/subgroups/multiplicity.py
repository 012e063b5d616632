"""Families of comparisons: Holm for the declared ones, Benjamini-Hochberg for the exploratory."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike
from scipy.stats import false_discovery_control

from reportgen.stats.subgroups.study import FloatArray


def holm(p: ArrayLike) -> FloatArray:
    """Return p values adjusted by Holm's method, which controls the family-wise error.

    Parameters
    ----------
    p : (k,) array_like of float
        0 to 1; NaN (not estimable) keeps its place in the family and counts as 1.

    Returns
    -------
    (k,) float array
        At most 1; compare with the level of the family.

    References
    ----------
    Holm (1979), Scand J Stat 6:65.
    """
    values = _counted(p)
    order = np.argsort(values, kind="stable")
    steps = np.arange(len(values), 0, -1) * values[order]
    adjusted = np.empty_like(values)
    adjusted[order] = np.minimum(1.0, np.maximum.accumulate(steps))
    return adjusted


def benjamini_hochberg(p: ArrayLike) -> FloatArray:
    """Return p values adjusted for the false discovery rate (q values).

    Parameters
    ----------
    p : (k,) array_like of float
        0 to 1; NaN is no test: it stays NaN and does not count.

    Returns
    -------
    (k,) float array

    References
    ----------
    Benjamini & Hochberg (1995), J R Stat Soc B 57:289.
    """
    adjusted = np.array(p, dtype=np.float64)
    tested = ~np.isnan(adjusted)
    if tested.any():
        adjusted[tested] = false_discovery_control(_counted(adjusted[tested]))
    return adjusted


def _counted(p: ArrayLike) -> FloatArray:
    values = np.array(p, dtype=np.float64)
    values[np.isnan(values)] = 1.0
    if ((values < 0) | (values > 1)).any():
        raise ValueError(f"p values lie between 0 and 1, not {values.tolist()}")
    return values
