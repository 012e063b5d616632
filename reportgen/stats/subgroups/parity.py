"""Parity between groups at the threshold: largest differences and smallest ratios of rates.

References
----------
Definitions as in fairlearn (Bird et al. 2020, MSR-TR-2020-32; "between groups", worst case); Hardt,
Price & Srebro (2016), NeurIPS (equalized odds, equal opportunity). A rate without a denominator is
undefined here, where fairlearn takes it for 0: such groups are left out and named.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from reportgen.stats.subgroups.study import FloatArray


@dataclass(frozen=True)
class RateGap:
    """Largest difference of one rate over groups: a description, not a test.

    Attributes
    ----------
    difference : float
        Highest minus lowest rate, 0 to 1; NaN where `reason` says why.
    ratio : float
        Lowest over highest rate; NaN with `ratio_reason`.
    highest, lowest : int
        The groups; the first of several; -1 without a difference, or where it is 0.
    left_out : tuple of int
        Groups whose rate is undefined.
    reason, ratio_reason : str
        "" if there is a figure.
    """

    difference: float
    ratio: float
    highest: int
    lowest: int
    left_out: tuple[int, ...]
    reason: str = ""
    ratio_reason: str = ""


@dataclass(frozen=True)
class Parity:
    """Parity of decisions over the groups of one attribute.

    Attributes
    ----------
    demographic_parity : RateGap
        Of the selection rate.
    equal_opportunity : RateGap
        Of the true positive rate.
    false_positive_rate : RateGap
    equalized_odds_difference, equalized_odds_ratio : float
        The larger difference, and the smaller ratio, of true and false positive rates; NaN unless
        both rates have one.
    """

    demographic_parity: RateGap
    equal_opportunity: RateGap
    false_positive_rate: RateGap
    equalized_odds_difference: float
    equalized_odds_ratio: float


def parity(
    true_positive: ArrayLike,
    false_positive: ArrayLike,
    positive: ArrayLike,
    negative: ArrayLike,
    *,
    taking_part: ArrayLike = True,
) -> Parity:
    """Return the parity of decisions from counts by group.

    Parameters
    ----------
    true_positive, false_positive, positive, negative : (L,) array_like
        Rows selected and rows in all, of either class, one entry a group.
    taking_part : (3, L) array_like of bool, optional
        Groups whose selection rate, true and false positive rate count; others are left out.
    """
    tp, fp, pos, neg = (
        np.asarray(a, dtype=np.float64) for a in (true_positive, false_positive, positive, negative)
    )
    with np.errstate(invalid="ignore", divide="ignore"):
        rates = np.stack([(tp + fp) / (pos + neg), tp / pos, fp / neg])
    rates[~np.broadcast_to(np.asarray(taking_part, dtype=bool), rates.shape)] = math.nan
    selection, opportunity, false_alarm = map(rate_gap, rates)
    both = (opportunity, false_alarm)
    difference = [gap.difference for gap in both]
    ratio = [gap.ratio for gap in both]
    return Parity(
        selection,
        opportunity,
        false_alarm,
        math.nan if any(map(math.isnan, difference)) else max(difference),
        math.nan if any(map(math.isnan, ratio)) else min(ratio),
    )


def rate_gap(rates: FloatArray) -> RateGap:
    """Return the largest difference and smallest ratio of one rate; NaN marks an undefined one."""
    defined = np.flatnonzero(~np.isnan(rates))
    left_out = tuple(np.flatnonzero(np.isnan(rates)).tolist())
    if len(defined) < 2:
        few = "fewer than two groups have this rate"
        return RateGap(math.nan, math.nan, -1, -1, left_out, few, few)
    highest = int(defined[np.argmax(rates[defined])])
    lowest = int(defined[np.argmin(rates[defined])])
    top, bottom = float(rates[highest]), float(rates[lowest])
    if top == bottom:
        highest = lowest = -1
    zero = "" if top > 0 else "not defined (0/0): the rate is 0 in every group"
    ratio = bottom / top if top > 0 else math.nan
    return RateGap(top - bottom, ratio, highest, lowest, left_out, ratio_reason=zero)
