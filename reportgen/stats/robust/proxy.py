"""Two groups whose membership is known only by a probability: what can be said of their gap.

Without assumptions only bounds hold. Within a cell of records with the same probability of
membership, any of them may be the members, as many as the probability says; the bounds are the two
extremes of that choice. The weighted estimate is a point within them that assumes value and group
to be independent given the probability. Cutting probabilities at 0.5 exaggerates or hides the gap.

References
----------
Kallus, Mao & Zhou (2022), Manag Sci 68:1959 (bounds for an unobserved group); Chen, Kallus, Mao,
Svacha & Udell (2019), FAT* (thresholded and weighted estimators, arXiv:1811.11154).
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from reportgen.stats.robust.intervals import FloatArray

THRESHOLDED_WARNING = (
    "members taken to be those with a probability of at least 0.5: this can exaggerate or hide a "
    "gap and bounds nothing"
)
NO_MASS = "the probabilities leave one group empty"


@dataclass(frozen=True)
class ProxyGap:
    """The gap, members minus others, when membership is a probability.

    Attributes
    ----------
    low, high : float
        Bounds of the signed gap without assumptions on how value and group go together in a cell.
    worst, least : float
        Bounds of its absolute value.
    weighted : float
        The estimate if value and group are independent given the probability.
    thresholded : float
        With members cut at 0.5; NaN where that leaves a group empty. Only to be shown with
        THRESHOLDED_WARNING.
    cells : int
        Cells the bounds were taken over.
    reason : str
        Why there is nothing; "" if there is.
    """

    low: float
    high: float
    worst: float
    least: float
    weighted: float
    thresholded: float
    cells: int
    reason: str = ""


def proxy_cells(probability: FloatArray, *, most: int = 10) -> NDArray[np.intp]:
    """Return cells of records with like probabilities, (n,), 0 upwards.

    Distinct probabilities are cells of their own if there are at most `most`; else they are cut at
    quantiles into so many. Coarser cells give wider, safer bounds: a cell of a single record would
    only repeat the weighted estimate.
    """
    distinct, cell = np.unique(probability, return_inverse=True)
    if len(distinct) <= most:
        return cell.astype(np.intp)
    edges = np.unique(np.quantile(probability, np.arange(1, most) / most))
    return np.searchsorted(edges, probability, side="right").astype(np.intp)


def proxy_gap(value: FloatArray, probability: FloatArray, cell: NDArray[np.intp]) -> ProxyGap:
    """Return what can be said of the gap between members and others.

    Parameters
    ----------
    value : (n,) float array
        Decisions as 0 and 1, or scores in [0, 1]. For a rate within one label, of its records.
    probability : (n,) float array
        Of being a member, 0 to 1.
    cell : (n,) int array
        From `proxy_cells`; within a cell the mean probability counts.

    Raises
    ------
    ValueError
        If there are no records, or a probability or value leaves [0, 1] or is missing.

    Notes
    -----
    With T the part of the mean value that belongs to members and p their share, the gap is
    T / p - (mean - T) / (1 - p), which rises with T. In a cell T is least with the lowest values
    taken for the members and largest with the highest: for decisions max(0, m + q - 1) and
    min(m, q). Sampling error is not in the bounds.
    """
    for name, array in (("value", value), ("probability", probability)):
        if not len(array) or not np.all((array >= 0) & (array <= 1)):
            raise ValueError(f"a {name} is missing or outside [0, 1]")
    share = float(probability.mean())
    n_cells = len(np.unique(cell))
    if not 0 < share < 1:
        nan = math.nan
        return ProxyGap(nan, nan, nan, nan, nan, nan, n_cells, NO_MASS)
    lowest = highest = 0.0
    for one in np.unique(cell):
        inside = np.sort(value[cell == one])
        members = float(probability[cell == one].sum())
        lowest += _first(inside, members)
        highest += _first(inside[::-1], members)
    n, mean = len(value), float(value.mean())
    low, high = (t / n / share - (mean - t / n) / (1 - share) for t in (lowest, highest))
    taken = float((value * probability).sum()) / n
    weighted = taken / share - (mean - taken) / (1 - share)
    likely = probability >= 0.5
    cut = math.nan
    if likely.any() and not likely.all():
        cut = float(value[likely].mean() - value[~likely].mean())
    least = 0.0 if low <= 0 <= high else min(abs(low), abs(high))
    return ProxyGap(low, high, max(abs(low), abs(high)), least, weighted, cut, n_cells)


def _first(ordered: FloatArray, amount: float) -> float:
    """Return the sum of the first `amount` values, the last of them in part."""
    return float(ordered @ np.clip(amount - np.arange(len(ordered)), 0.0, 1.0))
