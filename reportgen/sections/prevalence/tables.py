"""The rows of a prevalence section: what moves, the table, the curve, the mix to collect."""

from __future__ import annotations

import math
from collections.abc import Sequence

from reportgen.language import _, mark
from reportgen.result import Estimate
from reportgen.sections.prevalence.figures import UNITS, at_prevalence, odds, predictive_value
from reportgen.sections.prevalence.points import Point
from reportgen.sections.prevalence.result import (
    CurveRow,
    FrequencyRow,
    MetricRow,
    MovesRow,
    SampleMixRow,
)
from reportgen.stats.prevalence import (
    best_negatives_per_positive,
    natural_frequencies,
    prevalence_grid,
)
from reportgen.stats.prevalence_intervals import mercaldo

_POSITIVES = mark("of the positives alone")
_NEGATIVES = mark("of the negatives alone")
_RATES = mark("of sensitivity and specificity alone")
_BOTH = mark("sets true against false decisions of both classes, in the mix they come in")
_ALL = mark("an average over all rows, in the mix they come in")
STAYS = {
    "sensitivity": _POSITIVES,
    "specificity": _NEGATIVES,
    "false_positive_rate": _NEGATIVES,
    "false_negative_rate": _POSITIVES,
    "auc": mark("of pairs of one positive and one negative row"),
    "balanced_accuracy": _RATES,
    "youden": _RATES,
    "positive_likelihood_ratio": _RATES,
    "negative_likelihood_ratio": _RATES,
    "diagnostic_odds_ratio": _RATES,
}
MOVES = {
    "precision": mark("true alarms come from the positives, false ones from the negatives"),
    "npv": mark("true all-clears come from the negatives, false ones from the positives"),
    "accuracy": mark(
        "an average over all rows, in the mix they come in; it stays only where sensitivity equals"
        " specificity"
    ),
    "f1": _BOTH,
    "mcc": _BOTH,
    "kappa": _BOTH,
    "lift": mark("precision over prevalence"),
    "average_precision": mark("an average of precisions"),
    "brier": _ALL,
    "log_loss": _ALL,
    "calibration": mark(
        "probabilities that hold at one class mix are too high or too low at another"
    ),
    "net_benefit": _BOTH,
    "selection_rate": _ALL,
    "flagged_per_1000": _ALL,
    "true_positives_per_1000": mark("sensitivity times the positives there are"),
    "missed_per_1000": mark("the false negative rate times the positives there are"),
    "false_alarms_per_1000": mark("the false positive rate times the negatives there are"),
}


def moves() -> tuple[MovesRow, ...]:
    """Return every figure with whether it moves with the class mix under label shift."""
    stays = [MovesRow(name, False, _(why)) for name, why in STAYS.items()]
    return (*stays, *(MovesRow(name, True, _(why)) for name, why in MOVES.items()))


def metric_rows(
    points: Sequence[Point], prevalences: Sequence[float], confidence: float
) -> tuple[MetricRow, ...]:
    """Return each figure at each threshold and prevalence."""
    return tuple(
        _metric_row(point, name, prevalence, confidence)
        for point in points
        for prevalence in prevalences
        for name in UNITS
    )


def _metric_row(point: Point, name: str, prevalence: float, confidence: float) -> MetricRow:
    low = high = None
    if name in ("precision", "npv"):
        low, high = _mercaldo(point, name, prevalence, confidence)
    value = at_prevalence(point, name, prevalence, confidence)
    return MetricRow(
        point.threshold, prevalence, name, value, low, high, name in MOVES, UNITS[name]
    )


def _mercaldo(
    point: Point, name: str, prevalence: float, confidence: float
) -> tuple[float | None, float | None]:
    """Return Mercaldo's limits, where units have one row each."""
    se, sp = point.sides
    clustered = se.draws is not None or sp.draws is not None or point.how
    if clustered or se.counts is None or sp.counts is None:
        return None, None
    limits = mercaldo(se.counts, sp.counts, prevalence, confidence=confidence)
    return limits[0 if name == "precision" else 1] or (None, None)


def frequency_rows(
    points: Sequence[Point], prevalences: Sequence[float]
) -> tuple[FrequencyRow, ...]:
    """Return the decisions in whole numbers, where both rates are known."""
    return tuple(
        _frequencies(point, prevalence)
        for point in points
        if point.sensitivity.value is not None and point.specificity.value is not None
        for prevalence in prevalences
    )


def _frequencies(point: Point, prevalence: float) -> FrequencyRow:
    found = natural_frequencies(point.sensitivity.number, point.specificity.number, prevalence)
    return FrequencyRow(
        threshold=point.threshold,
        prevalence=prevalence,
        of=found.of,
        positives=found.true_positives + found.false_negatives,
        flagged=found.true_positives + found.false_positives,
        rightly_flagged=found.true_positives,
        wrongly_flagged=found.false_positives,
        missed=found.false_negatives,
    )


def curve_rows(
    points: Sequence[Point], prevalences: Sequence[float], confidence: float
) -> tuple[CurveRow, ...]:
    """Return precision and negative predictive value over a grid of prevalences."""
    return tuple(
        CurveRow(
            point.threshold,
            float(prevalence),
            predictive_value(point, "precision", float(prevalence), confidence),
            predictive_value(point, "npv", float(prevalence), confidence),
        )
        for point in points
        for prevalence in prevalence_grid(prevalences)
    )


def sample_mix_rows(points: Sequence[Point], confidence: float) -> tuple[SampleMixRow, ...]:
    """Return the class mix a study should collect, for each threshold."""
    return tuple(_sample_mix(point, confidence) for point in points)


def _sample_mix(point: Point, confidence: float) -> SampleMixRow:
    tp, fn, fp, tn = point.cells
    positives = None if tp is None or fn is None else tp + fn
    negatives = None if fp is None or tn is None else fp + tn
    ratio = _best_ratio(point, confidence)
    best: tuple[int | None, int | None] = None, None
    if ratio.estimate is not None and positives is not None and negatives is not None:
        total = positives + negatives
        share = min(max(round(total / (1 + ratio.estimate)), 1), total - 1)
        best = share, total - share
    return SampleMixRow(point.threshold, ratio, positives, negatives, *best)


def _best_ratio(point: Point, confidence: float) -> Estimate:
    """Return the square root of the diagnostic odds ratio, which the best ratio is."""
    se, sp = point.sides
    for side in point.sides:
        if side.value is None:
            return Estimate.missing(side.reason)
    value = best_negatives_per_positive(se.number, sp.number)
    if math.isnan(value):
        return Estimate.missing(_("a sensitivity or specificity of 0 or 1 leaves it open"))
    ratio = odds(point, confidence)
    if ratio.low is None or ratio.high is None:
        return Estimate(value, reason=ratio.reason)
    return Estimate(
        value,
        math.sqrt(ratio.low),
        math.sqrt(ratio.high),
        confidence,
        _("square root of the diagnostic odds ratio, {method}").format(method=ratio.method),
    )
