"""How small a gap could have been seen, how many patients would see it, and whether it is small."""

from __future__ import annotations

import math
from functools import lru_cache

from scipy.stats import norm

from reportgen.stats.subgroups.gaps import GapInterval

POWER = 0.8


def minimum_detectable_gap(
    standard_error: float, *, comparisons: int = 1, alpha: float = 0.05, power: float = POWER
) -> float:
    """Return the true gap that the test would show with the given power.

    Parameters
    ----------
    standard_error : float
        Of the gap, > 0.
    comparisons : int
        Size of Holm's family; the level is that of its first step, alpha / comparisons.
    alpha : float
        Two-sided level of the family.
    power : float
        0 < power < 1.

    Returns
    -------
    float
        (z_{1 - alpha / (2 k)} + z_power) times the standard error; NaN without one.

    Notes
    -----
    It rests on the number of patients and the spread, never on the gap observed: power at the
    observed gap says no more than its p value.

    References
    ----------
    Hoenig & Heisey (2001), Am Stat 55:19.
    """
    if not standard_error > 0:
        return math.nan
    return _sum_of_quantiles(comparisons, alpha, power) * standard_error


def patients_needed(
    patients: int,
    standard_error: float,
    *,
    margin: float,
    comparisons: int = 1,
    alpha: float = 0.05,
    power: float = POWER,
) -> int | None:
    """Return the patients with which a gap of the margin would be shown with the given power.

    Parameters
    ----------
    patients : int
        Patients behind the standard error; the mix of groups and labels stays as it is.
    standard_error : float
        Of the gap with them.
    margin : float
        > 0, in the unit of the metric.
    comparisons, alpha, power
        As for `minimum_detectable_gap`.

    Returns
    -------
    int or None
        patients times (minimum detectable gap / margin)^2, rounded up; None without an error.

    Raises
    ------
    ValueError
        If the margin is not above 0.
    """
    if not margin > 0:
        raise ValueError(f"the margin must lie above 0, not {margin!r}")
    detectable = minimum_detectable_gap(
        standard_error, comparisons=comparisons, alpha=alpha, power=power
    )
    if math.isnan(detectable):
        return None
    return math.ceil(patients * (detectable / margin) ** 2)


def equivalent(interval: GapInterval, *, margin: float) -> bool | None:
    """Return whether two one-sided tests show the gap to be smaller than the margin.

    Parameters
    ----------
    interval : GapInterval
        At confidence 1 - 2 alpha: 90 % for tests at 5 %.
    margin : float
        > 0.

    Returns
    -------
    bool or None
        Whether the interval lies inside (-margin, margin); None without an interval.

    References
    ----------
    Schuirmann (1987), J Pharmacokinet Biopharm 15:657.
    """
    if interval.reason:
        return None
    return -margin < interval.low and interval.high < margin


@lru_cache(maxsize=64)
def _sum_of_quantiles(comparisons: int, alpha: float, power: float) -> float:
    return float(norm.isf(alpha / (2 * comparisons)) + norm.ppf(power))
