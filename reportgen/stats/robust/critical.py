"""The critical radius: how far moves may go before the worst gap passes the tolerance.

Radii are multiples of the declared eps. The worst gap never falls as the radius grows, for a larger
ball holds the smaller one.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
from scipy.optimize import brentq

from reportgen.stats.robust.gaps import Measure, WorstGap, worst_gap
from reportgen.stats.robust.intervals import FloatArray, ScoreIntervals, exact_intervals
from reportgen.stats.robust.linear import LinearModel, continuous_reach, linear_intervals
from reportgen.stats.robust.metrics import RATES, AuditSample
from reportgen.stats.robust.moves import MoveSet, check_features

FARTHEST = 2.0**20
"""Multiples of eps that are looked at; a gap that stays within them is "never reached"."""

LEAVES_UNIT = "moved scores of a linear model without link leave [0, 1]"

_HALVINGS = 200  # more than the doubles between two finite numbers need after doubling


@dataclass(frozen=True)
class CriticalRadius:
    """The bracket of the smallest radius at which the worst gap passes the tolerance.

    Attributes
    ----------
    safe : float
        Largest radius shown to be safe, 0 if none is: no move strictly inside passes the tolerance.
        Infinite where no radius up to FARTHEST reaches it.
    unsafe : float
        Smallest radius at (or just above) which a move that passes it was found; infinite if none
        was. 0 if the gap passes the tolerance without moves.
    exact : bool
        Whether both are the same number by construction.
    reason : str
        Why there is none; "" if there is one.
    """

    safe: float
    unsafe: float
    exact: bool
    reason: str = ""


def _no_gap(reason: str) -> CriticalRadius:
    return CriticalRadius(math.nan, math.nan, False, reason)


def linear_critical(
    values: FloatArray,
    model: LinearModel,
    moves: MoveSet,
    sample: AuditSample,
    measure: Measure,
    *,
    tolerance: float,
) -> CriticalRadius:
    """Return the critical radius of a linear score, in multiples of eps.

    Hard decisions: the gap steps only where a record reaches the threshold, so it is an order
    statistic of those radii. Soft ones: the gap is continuous, so it is a root. Where features move
    in steps or swaps the radius is bracketed by bisection.

    Parameters
    ----------
    values : (n, d) float array
    model : LinearModel
    moves : MoveSet
    sample : AuditSample
        Of the same records, with the model's scores.
    measure : Measure
    tolerance : float
        The gap may be as large (a ratio as small) as this.

    Returns
    -------
    CriticalRadius
        0 where the gap passes the tolerance without moves; infinite where no radius up to FARTHEST
        does it.
    """
    if model.link == "identity" and sample.decisions == "soft" and not _only_rates(measure):
        return _no_gap(LEAVES_UNIT)

    def intervals_at(radius: float) -> ScoreIntervals:
        return linear_intervals(values, model, moves.scaled(radius), witness=False)

    discrete = bool((~moves.continuous & moves.mutable).any())
    if discrete:
        return bracketed_critical(
            lambda r: worst_gap(measure, sample, intervals_at(r)), measure, tolerance=tolerance
        )
    if sample.decisions == "hard" and not _needs_scores(measure):
        down, up = flip_radii(values, model, moves, threshold=sample.threshold)
        return critical_of_flips(down, up, sample, measure, tolerance=tolerance)
    return smooth_critical(intervals_at, sample, measure, tolerance=tolerance)


def _only_rates(measure: Measure) -> bool:
    return all(metric in RATES for metric in measure.metrics)


def _needs_scores(measure: Measure) -> bool:
    return any(metric in ("auc", "brier") for metric in measure.metrics)


def flip_radii(
    values: FloatArray, model: LinearModel, moves: MoveSet, *, threshold: float
) -> tuple[FloatArray, FloatArray]:
    """Return the radius at which each record can leave, and enter, the selected.

    Parameters
    ----------
    values : (n, d) float array
    model : LinearModel
    moves : MoveSet
        Features that move by any amount.
    threshold : float
        Of the score.

    Returns
    -------
    down, up : (n,) float arrays
        In multiples of eps. `down` is infinite for records not selected, `up` for those that are,
        and either where no radius up to FARTHEST suffices. A selected record leaves just beyond its
        radius: the threshold itself still selects.

    Raises
    ------
    ValueError
        If features move in steps or swaps, or do not fit the moves.
    """
    check_features(values, moves)
    if (moves.mutable & ~moves.continuous).any():
        raise ValueError("radii are not solved where features move in steps or swaps")
    distance = model.margin_at(threshold) - model.margin(values)
    selected = model.score(values) >= threshold
    ends = []
    for sign, rows in ((-1.0, selected), (1.0, ~selected)):
        radius = np.full(len(values), np.inf)
        weights = sign * model.coefficients
        needed = np.maximum(sign * distance[rows], 0.0)
        radius[rows] = _radius_needed(values[rows], weights, moves, needed)
        ends.append(radius)
    return ends[0], ends[1]


def _radius_needed(
    values: FloatArray, weights: FloatArray, moves: MoveSet, needed: FloatArray
) -> FloatArray:
    """Return the smallest radius at which the reach is what is needed; infinite if none is."""
    if not len(values):
        return np.zeros(0)
    bound = np.where(weights > 0, moves.upper, moves.lower)
    if np.isinf(bound[moves.mutable]).all():
        with np.errstate(divide="ignore", invalid="ignore"):
            unit = continuous_reach(values[:1], weights, moves, np.ones(1))
            return np.where(needed == 0, 0.0, needed / unit)
    far = np.full(len(values), FARTHEST)
    possible = continuous_reach(values, weights, moves, far) >= needed
    low, high = np.zeros(len(values)), far
    for _ in range(_HALVINGS):
        middle = np.where(low > 0, np.sqrt(low * high), high * 2.0**-40)
        middle = np.where(high < 4 * low, (low + high) / 2, middle)
        if np.all((middle <= low) | (middle >= high)):
            break
        enough = continuous_reach(values, weights, moves, middle) >= needed
        high = np.where(enough, middle, high)
        low = np.where(enough, low, middle)
    return np.where(needed == 0, 0.0, np.where(possible, high, np.inf))


def critical_of_flips(
    down: FloatArray,
    up: FloatArray,
    sample: AuditSample,
    measure: Measure,
    *,
    tolerance: float,
) -> CriticalRadius:
    """Return the exact critical radius of hard decisions from the radii at which records flip.

    Parameters
    ----------
    down, up : (n,) float arrays
        From `flip_radii`, or from any model whose radii are exact.
    sample : AuditSample
        With hard decisions.
    measure : Measure
        Of a metric that depends on the scores through the decisions alone.
    tolerance : float
    """
    flags = sample.flags(sample.score)

    def gap_at(radius: float) -> float:
        low = np.where(down <= radius, 0.0, flags)
        high = np.where(up <= radius, 1.0, flags)
        return worst_gap(measure, _decided(sample, flags), exact_intervals(low, high)).found

    start = worst_gap(measure, _decided(sample, flags), exact_intervals(flags, flags))
    if start.reason:
        return _no_gap(start.reason)
    if measure.exceeds(start.base, tolerance):
        return CriticalRadius(0.0, 0.0, True)
    radii = np.unique(np.minimum(down, up))
    radii = radii[np.isfinite(radii)]
    first, last = 0, len(radii)
    while first < last:  # the first radius at which the gap passes the tolerance
        middle = (first + last) // 2
        if measure.exceeds(gap_at(float(radii[middle])), tolerance):
            last = middle
        else:
            first = middle + 1
    radius = float(radii[first]) if first < len(radii) else math.inf
    return CriticalRadius(radius, radius, True)


def _decided(sample: AuditSample, flags: FloatArray) -> AuditSample:
    """Return the sample with its decisions as scores."""
    return replace(sample, score=flags, decisions="hard", threshold=0.5)


def smooth_critical(
    intervals_at: Callable[[float], ScoreIntervals],
    sample: AuditSample,
    measure: Measure,
    *,
    tolerance: float,
) -> CriticalRadius:
    """Return the critical radius of a gap that is exact and continuous in the radius (Brent).

    Parameters
    ----------
    intervals_at : callable
        Exact score intervals at a multiple of eps.
    sample : AuditSample
    measure : Measure
    tolerance : float
    """
    start = worst_gap(measure, sample, intervals_at(0.0))
    if start.reason:
        return _no_gap(start.reason)
    if measure.exceeds(start.base, tolerance):
        return CriticalRadius(0.0, 0.0, True)

    def beyond(radius: float) -> float:
        return worst_gap(measure, sample, intervals_at(radius)).found - tolerance

    near, far = 0.0, 2.0**-10
    while not measure.exceeds(tolerance + beyond(far), tolerance):
        near, far = far, 2 * far
        if far > FARTHEST:
            return CriticalRadius(math.inf, math.inf, True)
    if beyond(near) * beyond(far) >= 0:  # at the tolerance from the start, but for rounding
        return CriticalRadius(near, near, True)
    radius = float(brentq(beyond, near, far, xtol=1e-15, rtol=1e-14))
    return CriticalRadius(radius, radius, True)


def bracketed_critical(
    gap_at: Callable[[float], WorstGap],
    measure: Measure,
    *,
    tolerance: float,
    farthest: float = 64.0,
    steps: int = 24,
) -> CriticalRadius:
    """Return the bracket of the critical radius for any model or rung, by bisection.

    Parameters
    ----------
    gap_at : callable
        The worst gap, found and certified, at a multiple of eps.
    measure : Measure
    tolerance : float
    farthest : float
        Largest multiple looked at: `safe` is no larger, and `unsafe` is infinite if nothing was
        found to pass the tolerance up to there.
    steps : int
        Halvings of either side; `gap_at` is called at most 2 steps + 12 times.

    Returns
    -------
    CriticalRadius
        `safe` is the largest radius looked at whose certified gap keeps the tolerance, `unsafe` the
        smallest looked at whose found gap passes it. Not exact, however close.
    """
    known: dict[float, WorstGap] = {}

    def gap(radius: float) -> WorstGap:
        if radius not in known:
            known[radius] = gap_at(radius)
        return known[radius]

    start = gap(0.0)
    if start.reason:
        return _no_gap(start.reason)
    if measure.exceeds(start.base, tolerance):
        return CriticalRadius(0.0, 0.0, True)
    # The certified side first: the found side then meets radii that are known already.
    _bisect(lambda r: measure.exceeds(gap(r).certified, tolerance), farthest, steps)
    _bisect(lambda r: measure.exceeds(gap(r).found, tolerance), farthest, steps)
    passed = [r for r, one in known.items() if measure.exceeds(one.found, tolerance)]
    unsafe = min(passed, default=math.inf)
    kept = [r for r, one in known.items() if not measure.exceeds(one.certified, tolerance)]
    return CriticalRadius(max(kept, default=0.0), unsafe, False)


def _bisect(passes: Callable[[float], bool], farthest: float, steps: int) -> None:
    """Close in on the radius where `passes` becomes true; what it looks at is kept by it."""
    near, far = 0.0, 1.0
    while not passes(far):
        near, far = far, 4 * far
        if far > farthest:
            return
    for _ in range(steps):
        middle = (near + far) / 2
        if passes(middle):
            far = middle
        else:
            near = middle
