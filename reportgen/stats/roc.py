"""Area under the ROC curve, with a variance that respects patients with several rows."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit, logit
from scipy.stats import rankdata

from reportgen.stats.proportions import Interval, normal_quantile

FloatArray = NDArray[np.float64]


def area_alone(positive: NDArray[np.bool_], score: FloatArray) -> float:
    """Return the area under the ROC curve without a variance.

    Parameters are those of `area_and_variance`; NaN if a class is missing.
    """
    n, m = int(np.count_nonzero(positive)), int(np.count_nonzero(~positive))
    if not n or not m:
        return math.nan
    ranks = float(rankdata(score)[positive].sum())
    return (ranks - n * (n + 1) / 2) / (n * m)


def area_and_variance(
    positive: NDArray[np.bool_], score: FloatArray, unit: NDArray[np.intp]
) -> tuple[float, float]:
    """Return the area under the ROC curve and its variance by structural components.

    Parameters
    ----------
    positive : (n,) bool array
        Whether the row is positive; both classes must occur.
    score : (n,) float array
        Higher means more likely positive; ties count one half.
    unit : (n,) int array
        Independent unit of each row, 0 to U - 1.

    Returns
    -------
    area : float
        0 to 1.
    variance : float
        Obuchowski's variance for clustered data; with one row a unit it is DeLong's. NaN where a
        class comes from a single unit.

    Raises
    ------
    ValueError
        If a class is missing.

    References
    ----------
    DeLong, DeLong & Clarke-Pearson (1988), Biometrics 44:837; Obuchowski (1997), Biometrics
    53:567; ranks as in Sun & Xu (2014), IEEE Signal Process Lett 21:1389.
    """
    parts = area_components(positive, score, unit)
    return parts.area, parts.variance


@dataclass(frozen=True)
class AreaComponents:
    """An area under the ROC curve with what each unit contributes to it.

    Attributes
    ----------
    area : float
        0 to 1.
    from_positives, from_negatives, shared : float
        Terms of Obuchowski's variance: S10 / M, S01 / N and 2 S11 / (M N), with M positive
        and N negative rows. NaN where a class comes from a single unit.
    units_positive, units_negative : int
        Units with a positive row (I10) and with a negative row (I01).
    influence : (U,) float array
        What each unit adds to the area beyond its share; sums to 0.
    """

    area: float
    from_positives: float
    from_negatives: float
    shared: float
    units_positive: int
    units_negative: int
    influence: FloatArray

    @property
    def variance(self) -> float:
        """Obuchowski's variance; NaN where a class comes from a single unit."""
        return self.from_positives + self.from_negatives + self.shared


def area_components(
    positive: NDArray[np.bool_], score: FloatArray, unit: NDArray[np.intp]
) -> AreaComponents:
    """Return the area under the ROC curve with the pieces of its variance.

    Parameters and errors are those of `area_and_variance`, which sums the pieces.
    """
    n1 = int(np.count_nonzero(positive))
    n0 = len(positive) - n1
    if not n1 or not n0:
        raise ValueError("the area needs positives and negatives")
    ranks = rankdata(score)
    above = (ranks[positive] - rankdata(score[positive])) / n0  # share of negatives below each
    below = 1 - (ranks[~positive] - rankdata(score[~positive])) / n1  # of positives above each
    area = float(above.mean())
    units = int(unit.max()) + 1
    first = _unit_sums(unit[positive], above - area, units)
    second = _unit_sums(unit[~positive], below - area, units)
    holding1 = len(np.unique(unit[positive]))
    holding0 = len(np.unique(unit[~positive]))
    known = min(holding1, holding0) >= 2
    return AreaComponents(
        area,
        _spread(first, first, holding1) / n1**2 if known else math.nan,
        _spread(second, second, holding0) / n0**2 if known else math.nan,
        2 * _spread(first, second, units) / (n1 * n0) if known else math.nan,
        holding1,
        holding0,
        first / n1 + second / n0,
    )


def _unit_sums(unit: NDArray[np.intp], values: FloatArray, units: int) -> FloatArray:
    return np.bincount(unit, weights=values, minlength=units).astype(np.float64)


def _spread(a: FloatArray, b: FloatArray, units: int) -> float:
    return float(np.dot(a, b)) * units / (units - 1)


def logit_interval(area: float, variance: float, *, confidence: float) -> Interval | None:
    """Return the interval of an area on the logit scale, or None where it has none.

    There is none at an area of 0 or 1 (the variance of a perfect separation is zero, which says
    nothing of how sure it is) nor without a variance above zero.

    References
    ----------
    Pepe (2003), The Statistical Evaluation of Medical Tests, section 5.2.
    """
    if not 0 < area < 1 or not variance > 0:
        return None
    half = normal_quantile(confidence) * math.sqrt(variance) / (area * (1 - area))
    return float(expit(logit(area) - half)), float(expit(logit(area) + half))
