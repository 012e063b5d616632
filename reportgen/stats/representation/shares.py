"""Two shares of rows compared, when patients have several rows and may stand on both sides."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from scipy.stats import t as student

from reportgen.stats.proportions import Interval, Proportion, wilson
from reportgen.stats.representation.features import BoolArray, FloatArray, IntArray, Measured

_ROUNDING = 1e-15  # a variance below this is none: every patient has the same share
METHOD_SHARE = "Wilson score, effective number of rows"
METHOD_DIFFERENCE = "MOVER of Wilson limits, clustered by patient"


@dataclass(frozen=True)
class SharesCompared:
    """A share inside, a share outside, and how much the inside one exceeds the outside one.

    Attributes
    ----------
    inside, outside : Measured
        Shares of rows, 0 to 1.
    excess : Measured
        Inside minus outside, -1 to 1.
    p : float or None
        One-sided: that an excess this large occurs where there is none.
    """

    inside: Measured
    outside: Measured
    excess: Measured
    p: float | None


@dataclass(frozen=True)
class _Share:
    value: float
    variance: float
    units: int
    influence: FloatArray  # (U,): what each unit adds to the estimate's deviation


def compare_shares(
    hit: BoolArray, inside: BoolArray, unit: IntArray, *, confidence: float = 0.95
) -> SharesCompared:
    """Compare how often rows inside and rows outside are hit, patients being independent.

    Parameters
    ----------
    hit : (n,) bool array
        What is counted.
    inside : (n,) bool array
        The rows of the first share; the others make the second.
    unit : (n,) int array
        Patient of each row, 0 to U - 1.
    confidence : float
        Of the intervals, 0 < confidence < 1.

    Returns
    -------
    SharesCompared
        Missing with its reason where a side has fewer than two patients.

    Notes
    -----
    Variances are those of ratio estimators over patients, with the covariance of the two sides when
    they share patients. A share of 0 or 1 varies in no resample; it is given the variance of
    (k + 1/2) / (I + 1) with I patients and the effective number I, as is a share that is the same
    in every patient. The test is Student's with Satterthwaite's degrees of freedom. The intervals
    are Wilson's with the effective number of rows, and their MOVER difference with the correlation
    of the two estimates.

    References
    ----------
    Cochran (1977), Sampling Techniques, section 6.3 (ratio estimator); Wilson (1927); Zou (2007),
    Psychol Methods 12:399 (MOVER with correlation); Satterthwaite (1946), Biometrics 2:110.
    """
    units = int(unit.max(initial=-1)) + 1
    sides = [_share(hit, rows, unit, units) for rows in (inside, ~inside)]
    for side, name in zip(sides, ("inside", "outside"), strict=True):
        if side.units < 2:
            missing = Measured.missing(f"fewer than two patients {name}")
            return SharesCompared(missing, missing, missing, None)
    a, b = sides
    limits = [_limits(side, confidence) for side in sides]
    both = len(np.unique(unit))
    covariance = float(a.influence @ b.influence) * both / (both - 1)
    most = math.sqrt(a.variance * b.variance)
    covariance = min(max(covariance, -most), most)
    difference = a.value - b.value
    variance = a.variance + b.variance - 2 * covariance
    p = 0.5 if difference == 0 else 0.0 if difference > 0 else 1.0
    if variance > 0:
        p = float(student.sf(difference / math.sqrt(variance), _degrees(a, b)))
    low, high = _mover(sides, limits, covariance / most if most else 0.0)
    excess = Measured(difference, low, high, METHOD_DIFFERENCE)
    shares = [Measured(s.value, *at, METHOD_SHARE) for s, at in zip(sides, limits, strict=True)]
    return SharesCompared(shares[0], shares[1], excess, p)


def _share(hit: BoolArray, rows: BoolArray, unit: IntArray, units: int) -> _Share:
    of_unit = np.bincount(unit[rows], minlength=units)
    held, n = int(np.count_nonzero(of_unit)), int(of_unit.sum())
    if held < 2:
        return _Share(math.nan, math.nan, held, np.zeros(units))
    hits = np.bincount(unit[rows], weights=hit[rows], minlength=units)
    value = float(hits.sum()) / n
    influence = (hits - value * of_unit) / n
    variance = float(influence @ influence) * held / (held - 1)
    if variance <= _ROUNDING:
        instead = (held * value + 0.5) / (held + 1)
        variance = instead * (1 - instead) / held
    return _Share(value, variance, held, influence)


def _limits(share: _Share, confidence: float) -> Interval:
    spread = share.value * (1 - share.value)
    known = spread > 0 and share.variance > _ROUNDING
    n = spread / share.variance if known else float(share.units)
    return wilson(Proportion(share.value * n, n), confidence=confidence)


def _degrees(a: _Share, b: _Share) -> float:
    each = a.variance**2 / (a.units - 1) + b.variance**2 / (b.units - 1)
    return (a.variance + b.variance) ** 2 / each


def _mover(sides: list[_Share], limits: list[Interval], correlation: float) -> Interval:
    (a, b), ((a_low, a_high), (b_low, b_high)) = (s.value for s in sides), limits

    def half(first: float, second: float) -> float:
        return math.sqrt(max(first**2 + second**2 - 2 * correlation * first * second, 0.0))

    return (
        max(-1.0, a - b - half(a - a_low, b_high - b)),
        min(1.0, a - b + half(a_high - a, b - b_low)),
    )
