"""Shares and bootstrap figures as estimates, with the rows of one patient taken together."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from reportgen.language import _, mark
from reportgen.result import Estimate
from reportgen.sections.integrity.records import share_of
from reportgen.stats.binary_decisions import percentile_limits
from reportgen.stats.subgroups.estimate import GroupEstimate
from reportgen.stats.subgroups.rates import rate
from reportgen.wording import undefined_in

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.intp]
BoolArray = NDArray[np.bool_]

BOOTSTRAP = mark("percentile bootstrap of units")
ROUNDING = 1e-12
"""Draws nearer than this are equal: sums in another order differ by less."""
SAME_VALUE = mark("all resamples give the same value")
"""Why a figure without any spread has no interval: what never varied here may vary elsewhere."""


def repeats(unit: IntArray) -> bool:
    """Return whether any unit has several rows."""
    return len(np.unique(unit)) < len(unit)


def unit_rate(hit: BoolArray, among: BoolArray, unit: IntArray, *, empty: str) -> GroupEstimate:
    """Return the share of `hit` in the rows `among`, with its variance between units."""
    units, code = np.unique(unit, return_inverse=True)
    top = np.bincount(code, hit & among, minlength=len(units)).astype(np.float64)
    bottom = np.bincount(code, among, minlength=len(units)).astype(np.float64)
    return rate(top, bottom, np.arange(len(units), dtype=np.intp), empty=empty)


def share_in_units(
    hit: BoolArray, among: BoolArray, unit: IntArray, *, confidence: float, empty: str
) -> Estimate:
    """Return the share of `hit` in the rows `among`.

    The interval is Clopper and Pearson's where each of those rows is a unit of its own, else
    Wilson's with the effective size.

    Parameters
    ----------
    hit, among : (n,) bool arrays
    unit : (n,) int array
        Patient, source or image of each row.
    confidence : float
    empty : str
        The reason to give where no row is `among`.
    """
    n = int(np.count_nonzero(among))
    if not n:
        return Estimate.missing(empty)
    if not repeats(unit[among]):
        return share_of(int(np.count_nonzero(hit & among)), n, confidence=confidence)
    return as_estimate(unit_rate(hit, among, unit, empty=empty), confidence=confidence)


def as_estimate(found: GroupEstimate, *, confidence: float) -> Estimate:
    """Return a figure with its variance between units as an estimate with its interval."""
    if math.isnan(found.value):
        return Estimate.missing(_(found.reason))
    limits = found.limits(confidence)
    if limits.reason or math.isnan(limits.low):
        return Estimate(found.value, reason=_(limits.reason) or _("it has no interval"))
    return Estimate(found.value, limits.low, limits.high, confidence, _(limits.method))


def from_draws(
    value: float, draws: FloatArray, *, confidence: float, units: int, undefined: str
) -> Estimate:
    """Return a figure with the percentile interval of its draws; none where they are all equal.

    Parameters
    ----------
    value : float
        NaN where it is undefined.
    draws : (B,) float array
    confidence : float
    units : int
        Units drawn from; of one there is no interval.
    undefined : str
        Why the figure cannot be had, where `value` is NaN.
    """
    if math.isnan(value):
        return Estimate.missing(undefined)
    if units < 2:
        return Estimate(value, reason=_("it rests on one unit"))
    limits = percentile_limits(draws, confidence=confidence)
    if limits is None:
        gone = int(np.count_nonzero(np.isnan(draws)))
        return Estimate(value, reason=undefined_in(gone, len(draws)))
    if np.ptp(draws[~np.isnan(draws)]) <= ROUNDING:
        return Estimate(value, reason=_(SAME_VALUE))
    return Estimate(value, *limits, confidence, _(BOOTSTRAP))


def codes(names: NDArray[Any]) -> IntArray:
    """Return an integer per name, equal for equal names and for no others, from 0 on.

    A blank name is one of its own.
    """
    code = np.unique(names.astype(str), return_inverse=True)[1].astype(np.intp)
    blank = np.flatnonzero(names == "")
    code[blank] = len(names) + np.arange(len(blank))
    return np.unique(code, return_inverse=True)[1].astype(np.intp)
