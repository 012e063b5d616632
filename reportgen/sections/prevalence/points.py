"""Operating points: sensitivity and specificity at each threshold, and what intervals rest on.

An interval rests on counts (one row a unit, or published counts), on resamples of units (several
rows a unit), or there is none and a reason says why.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from reportgen.language import _, mark
from reportgen.result import Estimate
from reportgen.section import Context
from reportgen.settings import CountOf
from reportgen.stats.bands import percentile_interval
from reportgen.stats.prevalence_intervals import likelihood_ratio_intervals
from reportgen.stats.proportions import Interval, Proportion
from reportgen.stats.unit_counts import Draws, FloatArray, UnitCounts, resample
from reportgen.wording import undefined_in

BOOTSTRAP = mark("cluster bootstrap of units, percentile")
NO_COUNTS = mark("published without counts")
NO_LIMIT = mark("the interval has no finite limit")
FEWEST_UNITS = 5
"""Below so many units in a cell, resampling shows too little of what it could hold."""


@dataclass(frozen=True)
class Side:
    """Sensitivity or specificity at one threshold.

    Attributes
    ----------
    value : float or None
        The rate, 0 to 1; None for the reason in `reason`.
    counts : Proportion or None
        What counts-based intervals rest on: rows, or effective numbers of them.
    draws : (B,) float array or None
        Resampled rates; intervals rest on them if they are there.
    reason : str
        Why value or interval is missing.
    """

    value: float | None
    counts: Proportion | None = None
    draws: FloatArray | None = None
    reason: str = ""

    @property
    def number(self) -> float:
        """The rate, NaN where it is missing."""
        return math.nan if self.value is None else self.value


@dataclass(frozen=True)
class Point:
    """One threshold.

    Attributes
    ----------
    threshold : float or None
        None for published figures without one.
    decision_threshold : float or None
        The threshold as a probability in [0, 1), for the net benefit; None for `no_net_benefit`.
    sensitivity, specificity : Side
    positive_ratio, negative_ratio : (float, float) or None
        Score intervals of the likelihood ratios, where there are counts.
    how : str
        Added to the method of intervals that rest on counts.
    cells : (int, int, int, int) or None
        TP, FN, FP, TN.
    """

    threshold: float | None
    decision_threshold: float | None
    no_net_benefit: str
    sensitivity: Side
    specificity: Side
    positive_ratio: Interval | None
    negative_ratio: Interval | None
    how: str
    cells: tuple[int | None, int | None, int | None, int | None]

    @property
    def sides(self) -> tuple[Side, Side]:
        """Sensitivity, then specificity."""
        return self.sensitivity, self.specificity


def from_units(
    units: UnitCounts, thresholds: Sequence[float], *, scale: str, context: Context
) -> tuple[tuple[Point, ...], Draws | None]:
    """Return the operating points of a labelled table, and the resamples if it is clustered."""
    draws = None
    if units.clustered:
        draws = resample(units, rng=context.rng, resamples=context.resamples)
    fewest = units.fewest_units()
    points = []
    for at, threshold in enumerate(thresholds):
        tp, fn, fp, tn = (int(cell[at]) for cell in units.cells())
        enough = draws is not None and fewest[at] >= FEWEST_UNITS
        used = draws if enough else None
        n1, n0 = units.effective_sizes()  # the numbers of rows themselves with one row a unit
        points.append(
            _point(
                threshold,
                scale,
                _side(
                    tp,
                    tp + fn,
                    n1,
                    None if used is None else used.sensitivity[:, at],
                    _("no positive row"),
                ),
                _side(
                    tn,
                    tn + fp,
                    n0,
                    None if used is None else used.specificity[:, at],
                    _("no negative row"),
                ),
                how=_effective(int(fewest[at])) if units.clustered else "",
                cells=(tp, fn, fp, tn),
                confidence=context.confidence,
            )
        )
    return tuple(points), draws


def _effective(fewest: int) -> str:
    text = _(
        ", on Kish's effective numbers of rows (a cell holds rows of {fewest} units only,"
        " too few to resample)"
    )
    return text.format(fewest=fewest)


def _side(k: int, n: int, effective: float, draws: FloatArray | None, none: str) -> Side:
    if not n:
        return Side(None, reason=none)
    value = k / n
    return Side(value, Proportion(value * effective, effective), draws)


def from_published(
    sensitivity: CountOf | float,
    specificity: CountOf | float,
    threshold: float | None,
    *,
    confidence: float,
) -> Point:
    """Return the operating point of published figures."""
    tp, fn = _counts(sensitivity)
    tn, fp = _counts(specificity)
    return _point(
        threshold,
        "published",
        _published_side(sensitivity),
        _published_side(specificity),
        how="",
        cells=(tp, fn, fp, tn),
        confidence=confidence,
    )


def _counts(value: CountOf | float) -> tuple[int | None, int | None]:
    return (value.k, value.n - value.k) if isinstance(value, CountOf) else (None, None)


def _published_side(value: CountOf | float) -> Side:
    if isinstance(value, CountOf):
        return Side(value.k / value.n, Proportion(value.k, value.n))
    return Side(float(value), reason=_(NO_COUNTS))


def _point(
    threshold: float | None,
    scale: str,
    sensitivity: Side,
    specificity: Side,
    *,
    how: str,
    cells: tuple[int | None, int | None, int | None, int | None],
    confidence: float,
) -> Point:
    positive = negative = None
    if sensitivity.counts is not None and specificity.counts is not None:
        positive, negative = likelihood_ratio_intervals(
            sensitivity.counts, specificity.counts, confidence=confidence
        )
    why = _no_net_benefit(threshold, scale)
    return Point(
        threshold,
        None if why else threshold,
        why,
        sensitivity,
        specificity,
        positive,
        negative,
        how,
        cells,
    )


def _no_net_benefit(threshold: float | None, scale: str) -> str:
    if threshold is None:
        return _("no threshold stated")
    if scale == "score":
        return _("the threshold is a cut of a ranking score, not a probability")
    if threshold == 1:
        return _("not defined at threshold 1")
    if not 0 <= threshold < 1:
        return _("the threshold is no probability")
    return ""


def estimate(
    point: Point,
    sides: Sequence[Side],
    value: float,
    *,
    undefined: str,
    method: str,
    closed: Callable[[], Interval],
    resampled: Callable[[], FloatArray],
    confidence: float,
) -> Estimate:
    """Return a figure of an operating point with the interval its sides allow.

    Parameters
    ----------
    sides : sequence of Side
        Those the figure rests on.
    value : float
        The figure; not finite where it is undefined, for the reason `undefined`.
    method, closed : str and callable
        The counts-based interval and its name.
    resampled : callable
        Returns the figure in each resample, (B,).
    """
    for side in sides:
        if side.value is None:
            return Estimate.missing(side.reason)
    if not math.isfinite(value):
        return Estimate.missing(undefined)
    if all(side.draws is not None for side in sides):
        return from_draws(value, resampled(), method=_(BOOTSTRAP), confidence=confidence)
    if not all(side.counts is not None for side in sides):
        return Estimate(value, reason=next(side.reason for side in sides if side.reason))
    low, high = closed()
    if not (math.isfinite(low) and math.isfinite(high)):
        return Estimate(value, reason=_(NO_LIMIT))
    return Estimate(value, low, high, confidence, method + point.how)


def from_draws(value: float, draws: FloatArray, *, method: str, confidence: float) -> Estimate:
    """Return a figure with the percentile interval of its draws, (B,), NaN where undefined."""
    low, high = map(float, percentile_interval(draws, confidence=confidence))
    undefined = undefined_in(int(np.count_nonzero(np.isnan(draws))), len(draws))
    if not (math.isfinite(low) and math.isfinite(high)):
        return Estimate(value, reason=undefined if math.isnan(low) else _(NO_LIMIT))
    return Estimate(value, low, high, confidence, method, undefined)


def drawn(side: Side) -> FloatArray:
    """Return a side's resampled rates; an empty array where there are none."""
    return np.empty(0) if side.draws is None else side.draws
