"""The gap between two groups: interval, p value and what draws of patients say of it."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from scipy.optimize import brentq
from scipy.stats import norm
from scipy.stats import t as student

from reportgen.stats.subgroups.draws import (
    NO_INTERVAL,
    DrawnInterval,
    drawn_interval,
    undefined_share,
)
from reportgen.stats.subgroups.estimate import GroupEstimate, covariance, mover, satterthwaite
from reportgen.stats.subgroups.permutation import PERMUTATIONS, permutation_test
from reportgen.stats.subgroups.resampling import METRICS, Resampled
from reportgen.stats.subgroups.study import FloatArray, Pair, Study

SMALL = 500
"""Patients below which the smaller group's p value comes from permutations or the interval."""

FEW_DF = 100
"""Degrees of freedom below which z is too short for a gap: 1.96 is exceeded in 5.3 % at 100."""

LEAST_P = 1e-15
"""An interval at a confidence nearer to 1 cannot be told from that of 1 in floating point."""

MOST_P = 0.9999
"""A p value above it is given as 1: quantiles at the middle of t are exact to no more."""

PERMUTATION = "studentised permutation of patients"
PERMUTATION_WITHIN = "studentised permutation of patients within labels"
INVERTED = "inverted MOVER interval, with the covariance of shared patients"
BOOTSTRAP = "z, standard error from joint draws of patients"
T_TEST = "t, variance between patients"


@dataclass(frozen=True)
class GapInterval:
    """The interval of a gap made from the intervals of its groups.

    Attributes
    ----------
    low, high : float
        NaN where `reason` says why.
    method : str
        As printed.
    one_sided : bool
        Whether a group sits at the end of the scale, so that one of its limits is only that end.
    reason : str
        "" if there is an interval.
    """

    low: float
    high: float
    method: str
    one_sided: bool
    reason: str = ""


@dataclass(frozen=True)
class PValue:
    """A two-sided p value with its test, or why there is none.

    Attributes
    ----------
    p : float
        NaN where `reason` says why.
    method : str
    reason : str
    """

    p: float
    method: str
    reason: str = ""


@dataclass(frozen=True)
class Gap:
    """Group minus reference, in the unit of the metric.

    Attributes
    ----------
    value : float
        NaN where `reason` says why.
    interval : GapInterval
        MOVER, at the confidence asked for.
    equivalence : GapInterval
        MOVER at confidence 1 - 2 alpha (90 %), for two one-sided tests against a margin.
    drawn : DrawnInterval
        Percentile interval of the same gap under joint patient draws.
    standard_error : float
        From the variances between patients, with the covariance of shared patients.
    df : float
        Satterthwaite's degrees of freedom of that error.
    test : PValue
        Of no gap, not adjusted for other comparisons.
    shared_patients : int
        Patients with rows in both groups.
    reason : str
        Why there is no gap; "" if there is one.
    """

    value: float
    interval: GapInterval
    equivalence: GapInterval
    drawn: DrawnInterval
    standard_error: float
    df: float
    test: PValue
    shared_patients: int
    reason: str = ""


def gap_interval(
    group: GroupEstimate, reference: GroupEstimate, *, confidence: float
) -> GapInterval:
    """Return the interval of group minus reference by MOVER from the groups' own intervals.

    Parameters
    ----------
    group, reference : GroupEstimate
        Of the same metric; correlated through the patients they share.
    confidence : float
        0 < confidence < 1.

    References
    ----------
    Zou & Donner (2008), Stat Med 27:1693; Zou (2007), Psychol Methods 12:399.
    """
    own, other = group.limits(confidence), reference.limits(confidence)
    low, high, reason = mover([(1.0, group, own), (-1.0, reference, other)])
    named = own.method if own.method == other.method else f"{own.method}; {other.method}"
    one_sided = own.one_sided or other.one_sided
    return GapInterval(low, high, f"MOVER: {named}", one_sided, reason)


def compare(
    study: Study,
    pair: Pair,
    own: GroupEstimate,
    other: GroupEstimate,
    resampled: Resampled,
    rng: np.random.Generator,
    *,
    confidence: float = 0.95,
    alpha: float = 0.05,
    permutations: int = PERMUTATIONS,
) -> Gap:
    """Return the gap between two groups with all that sampling says of it.

    Where the groups share patients the p value comes from the standard error of joint draws, or,
    if either has fewer than 500 patients or the variance fewer than 100 degrees of freedom, from
    the interval itself. Else it comes from a studentised permutation if either group has fewer than
    500 patients, and from t if not.

    Parameters
    ----------
    study : Study
    pair : Pair
        Calibration has neither draws nor permutations: without shared patients its p value comes
        from t, with them from the interval.
    own, other : GroupEstimate
        The metric in the group and in the reference, from `metrics.group_figures`.
    resampled : Resampled
        Joint draws of the same study.
    rng : numpy.random.Generator
        For the permutations.
    confidence : float
        Of the interval.
    alpha : float
        Level of the two one-sided tests: the equivalence interval is one of 1 - 2 alpha.
    permutations : int
    """
    reason = _hindrance(own, other)
    value = own.value - other.value
    shared = len(
        np.intersect1d(
            study.patients(pair.group), study.patients(pair.reference), assume_unique=True
        )
    )
    drawn = gap_draws(resampled, pair) if pair.metric in METRICS else None
    error, df = standard_error(own, other), satterthwaite([*own.pieces, *other.pieces])
    if reason or math.isnan(error):
        test = PValue(math.nan, "", reason or own.reason or other.reason)
    elif shared and (drawn is None or df < FEW_DF or _smallest(study, pair) < SMALL):
        test = interval_test(own, other)
    elif shared and drawn is not None:
        test = bootstrap_test(value, drawn)
    elif drawn is not None and _smallest(study, pair) < SMALL:
        test = _permuted(study, pair, rng, permutations)
    else:
        test = t_test(value, error, df)
    return Gap(
        value,
        gap_interval(own, other, confidence=confidence),
        gap_interval(own, other, confidence=1 - 2 * alpha),
        _drawn_interval(drawn, reason, confidence),
        error,
        df,
        test,
        shared,
        reason,
    )


def _hindrance(own: GroupEstimate, other: GroupEstimate) -> str:
    named = (("group", own), ("reference", other))
    return "; ".join(f"{name}: {one.reason}" for name, one in named if math.isnan(one.value))


def _smallest(study: Study, pair: Pair) -> int:
    return min(len(study.patients(pair.group)), len(study.patients(pair.reference)))


def standard_error(own: GroupEstimate, other: GroupEstimate) -> float:
    """Return the standard error of a gap, with the covariance of shared patients; NaN without."""
    variance = own.variance + other.variance - 2 * covariance(own, other)
    return math.nan if math.isnan(variance) else math.sqrt(max(0.0, variance))


def gap_draws(resampled: Resampled, pair: Pair) -> FloatArray:
    """Return the gap in every joint draw, (B,); NaN where either group's figure is undefined."""
    group, reference = (
        resampled.draws_of(pair.metric, model=pair.model, level=level)
        for level in (pair.group, pair.reference)
    )
    return group - reference


def _drawn_interval(drawn: FloatArray | None, reason: str, confidence: float) -> DrawnInterval:
    if reason or drawn is None:
        told = reason or "this figure is not drawn"
        return DrawnInterval(math.nan, math.nan, math.nan, False, told)
    return drawn_interval(drawn, confidence=confidence)


def interval_test(own: GroupEstimate, other: GroupEstimate) -> PValue:
    """Return the p value of no gap that the MOVER interval implies.

    It is 1 minus the confidence at which the interval of the gap just reaches 0, so that p < 0.05
    and a 95 % interval without 0 are the same thing. The groups' own intervals bring their scale
    (logit) and their degrees of freedom (Satterthwaite); MOVER the covariance of shared patients.

    Parameters
    ----------
    own, other : GroupEstimate
        The metric in the group and in the reference.

    Returns
    -------
    PValue
        Not below 1e-15, the least by which a confidence can differ from 1, and 1 above 0.9999; NaN
        without an interval.

    References
    ----------
    Zou & Donner (2008), Stat Med 27:1693; Casella & Berger (2002), Statistical Inference, theorem
    9.2.2 (an interval and the test that it inverts).
    """
    value = own.value - other.value

    def nearest(log_p: float) -> float:
        interval = gap_interval(own, other, confidence=-math.expm1(log_p))
        return interval.low if value > 0 else -interval.high

    widest, narrowest = math.log(LEAST_P), math.log(MOST_P)
    reason = gap_interval(own, other, confidence=0.95).reason
    if reason:
        return PValue(math.nan, INVERTED, reason)
    if value == 0 or nearest(narrowest) <= 0:
        return PValue(1.0, INVERTED)
    if nearest(widest) > 0:
        return PValue(LEAST_P, INVERTED)
    return PValue(math.exp(brentq(nearest, widest, narrowest, xtol=1e-12)), INVERTED)


def bootstrap_test(value: float, drawn: FloatArray) -> PValue:
    """Return the p value of no gap from the standard deviation of its joint draws.

    Parameters
    ----------
    value : float
    drawn : (B,) float array
        NaN where undefined; above 5 % of them there is no p value.
    """
    defined = drawn[~np.isnan(drawn)]
    undefined = undefined_share(drawn)
    if undefined > NO_INTERVAL or len(defined) < 2:
        return PValue(math.nan, BOOTSTRAP, f"undefined in {100 * undefined:.1f} % of the draws")
    error = float(np.std(defined, ddof=1))
    if not error > 0:
        return PValue(math.nan, BOOTSTRAP, "the draws do not vary")
    return PValue(float(2 * norm.sf(abs(value) / error)), BOOTSTRAP)


def t_test(value: float, error: float, df: float) -> PValue:
    """Return the p value of no gap by t; NaN where the standard error is not above 0."""
    if not error > 0:
        return PValue(math.nan, T_TEST, "the standard error is not above 0")
    return PValue(float(2 * student.sf(abs(value) / error, df)), T_TEST)


def _permuted(study: Study, pair: Pair, rng: np.random.Generator, permutations: int) -> PValue:
    result = permutation_test(study, pair, rng, permutations=permutations)
    method = PERMUTATION_WITHIN if result.within_label else PERMUTATION
    reason = "the standard error is not above 0" if math.isnan(result.p) else ""
    return PValue(result.p, f"{method}, {permutations:,} draws", reason)
