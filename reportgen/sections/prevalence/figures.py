"""Each figure of an operating point, alone and at a prevalence, as an Estimate."""

from __future__ import annotations

import math

import numpy as np

from reportgen.language import _, mark
from reportgen.result import Estimate
from reportgen.sections.prevalence.points import Point, Side, drawn, estimate
from reportgen.sections.prevalence.result import OperatingPoint
from reportgen.stats import prevalence as figures
from reportgen.stats.prevalence_intervals import (
    curved_interval,
    linear_interval,
    npv_from_ratio,
    odds_ratio_interval,
    precision_from_ratio,
)
from reportgen.stats.proportions import Interval, Proportion
from reportgen.stats.unit_counts import FloatArray
from reportgen.wording import coverage, number

SCORE = mark("score interval of {ratio} (Koopman) mapped by the logit identity")
MOVER = mark("MOVER of Wilson limits")
WILSON = mark("Wilson score")
PROPIMP = mark("propagated imprecision (PropImp) of Wilson limits")
NOBODY_FLAGGED = mark("0 of 0: nobody is flagged")
EVERYBODY_FLAGGED = mark("0 of 0: everybody is flagged")
UNITS = {
    "precision": "share",
    "npv": "share",
    "accuracy": "share",
    "f1": "none",
    "mcc": "none",
    "kappa": "none",
    "lift": "ratio",
    "flagged_per_1000": "per 1,000",
    "true_positives_per_1000": "per 1,000",
    "missed_per_1000": "per 1,000",
    "false_alarms_per_1000": "per 1,000",
    "selection_rate": "share",
    "net_benefit": "share",
}
"""The figures of the prevalence table, in order, with their units."""


def at_prevalence(point: Point, name: str, prevalence: float, confidence: float) -> Estimate:
    """Return the figure `name`, one of UNITS, at a prevalence in (0, 1)."""
    if name in ("precision", "npv"):
        return predictive_value(point, name, prevalence, confidence)
    if name == "lift":
        return _lift(point, prevalence, confidence)
    if name in figures.CURVED:
        return _curved(point, name, prevalence, confidence)
    if name == "net_benefit" and point.decision_threshold is None:
        return Estimate.missing(point.no_net_benefit)
    figure = figures.linear_figures(prevalence, threshold=point.decision_threshold)[name]
    return _linear(point, figure, confidence)


def predictive_value(point: Point, name: str, prevalence: float, confidence: float) -> Estimate:
    """Return precision or npv at a prevalence."""
    positive = name == "precision"
    function = figures.precision if positive else figures.npv
    return estimate(
        point,
        point.sides,
        float(function(point.sensitivity.number, point.specificity.number, prevalence)),
        undefined=_(NOBODY_FLAGGED if positive else EVERYBODY_FLAGGED),
        method=_(SCORE).format(ratio="LR+" if positive else "LR−"),
        closed=lambda: _mapped(point, prevalence, positive=positive),
        resampled=lambda: function(drawn(point.sensitivity), drawn(point.specificity), prevalence),
        confidence=confidence,
    )


def _mapped(point: Point, prevalence: float, *, positive: bool) -> Interval:
    ratio = point.positive_ratio if positive else point.negative_ratio
    if ratio is None:
        return math.nan, math.nan
    if positive:
        low, high = precision_from_ratio(ratio, prevalence)
    else:
        high, low = npv_from_ratio(ratio, prevalence)
    return float(low), float(high)


def _lift(point: Point, prevalence: float, confidence: float) -> Estimate:
    share = predictive_value(point, "precision", prevalence, confidence)
    if share.estimate is None:
        return share
    value = share.estimate / prevalence
    if share.low is None or share.high is None:
        return Estimate(value, reason=share.reason)
    method = _("{method}, over the prevalence").format(method=share.method)
    return Estimate(value, share.low / prevalence, share.high / prevalence, confidence, method)


def _curved(point: Point, name: str, prevalence: float, confidence: float) -> Estimate:
    function = figures.CURVED[name]
    se, sp = point.sides
    return estimate(
        point,
        point.sides,
        float(function(se.number, sp.number, prevalence)),
        undefined=_("0 of 0: everybody or nobody is flagged"),
        method=_(PROPIMP),
        closed=lambda: curved_interval(name, *_both(se, sp), prevalence, confidence=confidence),
        resampled=lambda: function(drawn(se), drawn(sp), prevalence),
        confidence=confidence,
    )


def _both(first: Side, second: Side) -> tuple[Proportion, Proportion]:
    if first.counts is None or second.counts is None:
        raise ValueError("no counts")
    return first.counts, second.counts


def _linear(point: Point, figure: figures.Linear, confidence: float) -> Estimate:
    se, sp = point.sides
    sides = [side for weight, side in ((figure.a, se), (figure.b, sp)) if weight]
    return estimate(
        point,
        sides,
        float(figure.value(se.number, sp.number)),
        undefined=_("not defined"),
        method=_(WILSON if len(sides) == 1 else MOVER),
        closed=lambda: linear_interval(figure, se.counts, sp.counts, confidence=confidence),
        resampled=lambda: figure.value(drawn(se), drawn(sp)),
        confidence=confidence,
    )


def operating_point(point: Point, confidence: float) -> OperatingPoint:
    """Return the figures of a threshold that do not move with the class mix."""
    tp, fn, fp, tn = point.cells
    return OperatingPoint(
        threshold=point.threshold,
        sensitivity=_linear(point, figures.Linear(0, 1, 0), confidence),
        specificity=_linear(point, figures.Linear(0, 0, 1), confidence),
        positive_likelihood_ratio=_ratio(point, confidence, positive=True),
        negative_likelihood_ratio=_ratio(point, confidence, positive=False),
        balanced_accuracy=_linear(point, figures.Linear(0, 0.5, 0.5), confidence),
        youden=_linear(point, figures.Linear(-1, 1, 1), confidence),
        diagnostic_odds_ratio=odds(point, confidence),
        true_positives=tp,
        false_negatives=fn,
        false_positives=fp,
        true_negatives=tn,
    )


def _ratio(point: Point, confidence: float, *, positive: bool) -> Estimate:
    se, sp = point.sides
    interval = point.positive_ratio if positive else point.negative_ratio

    def value(first: FloatArray, second: FloatArray) -> FloatArray:
        top, bottom = (first, 1 - second) if positive else (1 - first, second)
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.asarray(top / bottom)

    undefined = (
        _("not finite: no false positive") if positive else _("not finite: no true negative")
    )
    if interval is not None and interval[0] > 0:
        text = _("{undefined}; at least {low} (score interval, {coverage})")
        undefined = text.format(
            undefined=undefined, low=number(interval[0]), coverage=coverage(confidence)
        )
    return estimate(
        point,
        point.sides,
        float(value(np.asarray(se.number), np.asarray(sp.number))),
        undefined=undefined,
        method=_("score (Koopman)"),
        closed=lambda: (math.nan, math.nan) if interval is None else interval,
        resampled=lambda: value(drawn(se), drawn(sp)),
        confidence=confidence,
    )


def _odds(first: FloatArray, second: FloatArray) -> FloatArray:
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.asarray(first * second / ((1 - first) * (1 - second)))


def odds(point: Point, confidence: float) -> Estimate:
    """Return the diagnostic odds ratio."""
    se, sp = point.sides
    return estimate(
        point,
        point.sides,
        float(_odds(np.asarray(se.number), np.asarray(sp.number))),
        undefined=_("not finite: no false positive or no false negative"),
        method=_("logit (Woolf)"),
        closed=lambda: odds_ratio_interval(*_both(se, sp), confidence=confidence),
        resampled=lambda: _odds(drawn(se), drawn(sp)),
        confidence=confidence,
    )
