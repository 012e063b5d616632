"""An estimate of one group with its patient-level variance, and its interval at any confidence."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Literal

import numpy as np
from scipy.special import expit, logit
from scipy.stats import t as student

from reportgen.stats.proportions import Proportion, clopper_pearson, wilson
from reportgen.stats.subgroups.study import FloatArray, IntArray

Scale = Literal["logit", "wilson", "mean", "plain"]

_NO_PATIENTS = np.zeros(0, dtype=np.intp)
_NOTHING = np.zeros(0)


@dataclass(frozen=True)
class Limits:
    """An interval with the name of its method.

    Attributes
    ----------
    low, high : float
        NaN where `reason` says why.
    method : str
        As printed: "logit t, Obuchowski variance".
    one_sided : bool
        Whether the other limit is only the end of the scale (an area of 0 or 1).
    reason : str
        Why there is no interval; "" if there is one.
    """

    low: float
    high: float
    method: str
    one_sided: bool = False
    reason: str = ""


@dataclass(frozen=True)
class GroupEstimate:
    """A figure of one group, with what its interval and its comparisons need.

    Attributes
    ----------
    value : float
        NaN where `reason` says why it cannot be had.
    variance : float
        Between patients; NaN with fewer than two of them.
    image_variance : float
        What the same formula gives if every row is taken for a patient of its own.
    pieces : tuple of (float, float)
        Terms of the variance with their degrees of freedom (Satterthwaite).
    patients : (k,) int array
        Patients the figure rests on, ascending.
    influence : (k,) float array
        What each of them adds to the figure beyond its share; sums to 0.
    scale : {"logit", "wilson", "mean", "plain"}
        How the interval is made: t on the logit scale, Wilson's with the effective size, from those
        of the two `parts`, or t on the scale itself.
    method : str
        Name of that method, as printed.
    rows : float
        Denominator: rows (images) of a rate.
    effective : float
        Rows that would tell as much if each came from another patient.
    effective_known : bool
        Whether they follow from the design, and not from an estimated variance.
    bound_on : int
        Patients an exact bound rests on where an area is 0 or 1; 0 where there is no such bound.
    parts : tuple of GroupEstimate
        The two rates of a mean of rates.
    reason : str
        Why there is no figure or no variance; "" if there are both.
    """

    value: float
    variance: float = math.nan
    image_variance: float = math.nan
    pieces: tuple[tuple[float, float], ...] = ()
    patients: IntArray = field(default_factory=lambda: _NO_PATIENTS)
    influence: FloatArray = field(default_factory=lambda: _NOTHING)
    scale: Scale = "plain"
    method: str = ""
    rows: float = math.nan
    effective: float = math.nan
    effective_known: bool = False
    bound_on: int = 0
    parts: tuple[GroupEstimate, ...] = ()
    reason: str = ""

    @property
    def design_effect(self) -> float:
        """Variance between patients over that between images; NaN where either is not above 0.

        References
        ----------
        Kish (1965), Survey Sampling, section 8.2.
        """
        if not (self.image_variance > 0 and self.variance > 0):
            return math.nan
        return self.variance / self.image_variance

    @property
    def df(self) -> float:
        """Degrees of freedom of the variance by Satterthwaite (1946), Biometrics Bull 2:110."""
        return satterthwaite(self.pieces)

    def effective_at(self, confidence: float) -> float:
        """Return the effective rows, fewer where they rest on a variance of few patients.

        References
        ----------
        Korn & Graubard (1998), Surv Methodol 24:193.
        """
        if self.effective_known:
            return self.effective
        return self.effective * (_t(confidence, math.inf) / _t(confidence, self.df)) ** 2

    def limits(self, confidence: float) -> Limits:
        """Return the interval at a confidence, 0 < confidence < 1."""
        if math.isnan(self.value):
            return Limits(math.nan, math.nan, self.method, reason=self.reason)
        if self.scale == "mean":
            return self._mean_limits(confidence)
        if math.isnan(self.variance):
            return Limits(math.nan, math.nan, self.method, reason=self.reason)
        if self.scale == "wilson":
            n = self.effective_at(confidence)
            low, high = wilson(Proportion(self.value * n, n), confidence=confidence)
            return Limits(low, high, self.method)
        if self.scale == "logit":
            return self._logit_limits(confidence)
        half = _t(confidence, self.df) * math.sqrt(self.variance)
        return Limits(self.value - half, self.value + half, self.method)

    def _logit_limits(self, confidence: float) -> Limits:
        value = self.value
        if value in (0.0, 1.0):
            if not self.bound_on:
                reason = f"a value of {value:.0f} has no logit"
                return Limits(math.nan, math.nan, self.method, reason=reason)
            whole = Proportion(value * self.bound_on, self.bound_on)
            low, high = clopper_pearson(whole, confidence=confidence)
            named = f"exact bound on {self.bound_on} patients"
            return Limits(low, high, named, one_sided=True)
        if not self.variance > 0:
            reason = "the estimated variance is not above 0"
            return Limits(math.nan, math.nan, self.method, reason=reason)
        half = _t(confidence, self.df) * math.sqrt(self.variance) / (value * (1 - value))
        middle = logit(value)
        return Limits(float(expit(middle - half)), float(expit(middle + half)), self.method)

    def _mean_limits(self, confidence: float) -> Limits:
        half = [(0.5, part, part.limits(confidence)) for part in self.parts]
        low, high, reason = mover(half)
        return Limits(low, high, self.method, reason=reason)


def missing(reason: str) -> GroupEstimate:
    """Return the estimate that cannot be had, because of `reason`."""
    return GroupEstimate(math.nan, reason=reason)


def satterthwaite(pieces: Sequence[tuple[float, float]]) -> float:
    """Return the degrees of freedom of a sum of variances; infinite where none is above 0."""
    total = sum(variance for variance, _ in pieces)
    below = sum(variance**2 / df for variance, df in pieces if variance > 0)
    return total**2 / below if below > 0 else math.inf


@lru_cache(maxsize=4096)
def _t(confidence: float, df: float) -> float:
    return float(student.isf((1 - confidence) / 2, df))


def covariance(first: GroupEstimate, second: GroupEstimate) -> float:
    """Return the covariance of two estimates that may rest on the same patients.

    It is 0 where they share none. With U patients behind either, the sum of products of what each
    patient adds to the one and the other, times U / (U - 1).
    """
    shared, a, b = np.intersect1d(
        first.patients, second.patients, assume_unique=True, return_indices=True
    )
    if not len(shared):
        return 0.0
    units = len(first.patients) + len(second.patients) - len(shared)
    if units < 2:
        return math.nan
    return float(np.dot(first.influence[a], second.influence[b])) * units / (units - 1)


def correlation(first: GroupEstimate, second: GroupEstimate) -> float:
    """Return the correlation of two estimates, -1 to 1; 0 where one does not vary."""
    scale = math.sqrt(max(first.variance, 0.0) * max(second.variance, 0.0))
    shared = covariance(first, second)
    if not scale > 0 or math.isnan(shared):
        return 0.0
    return min(1.0, max(-1.0, shared / scale))


def covariance_matrix(estimates: Sequence[GroupEstimate]) -> FloatArray:
    """Return the covariance matrix of estimates that may share patients; NaN where unknown."""
    matrix = np.diag(np.array([one.variance for one in estimates], dtype=np.float64))
    for i, one in enumerate(estimates):
        for j in range(i):
            matrix[i, j] = matrix[j, i] = covariance(one, estimates[j])
    return matrix


def mover(terms: Sequence[tuple[float, GroupEstimate, Limits]]) -> tuple[float, float, str]:
    """Return the limits of a weighted sum of estimates from their own limits.

    Parameters
    ----------
    terms : sequence of (float, GroupEstimate, Limits)
        Weight, estimate and its interval; correlated where estimates share patients.

    Returns
    -------
    low, high : float
        NaN if an interval is missing.
    reason : str
        Why; "" if there are limits.

    References
    ----------
    Zou & Donner (2008), Stat Med 27:1693; with correlation Zou (2007), Psychol Methods 12:399
    (method of variance estimates recovery, MOVER).
    """
    for _, _, own in terms:
        if own.reason:
            return math.nan, math.nan, own.reason
    weight = np.array([w for w, _, _ in terms])
    value = np.array([one.value for _, one, _ in terms])
    to_low = np.array([v - own.low for v, (_, _, own) in zip(value, terms, strict=True)])
    to_high = np.array([own.high - v for v, (_, _, own) in zip(value, terms, strict=True)])
    signed = np.array(
        [
            [1.0 if a is b else correlation(a, b) * np.sign(w * v) for v, b, _ in terms]
            for w, a, _ in terms
        ]
    )
    # The sum is lowest where positive terms are lowest and negative ones highest.
    down = np.abs(weight) * np.where(weight > 0, to_low, to_high)
    up = np.abs(weight) * np.where(weight > 0, to_high, to_low)
    middle = float(weight @ value)
    low = middle - math.sqrt(max(0.0, float(down @ signed @ down)))
    high = middle + math.sqrt(max(0.0, float(up @ signed @ up)))
    return low, high, ""
