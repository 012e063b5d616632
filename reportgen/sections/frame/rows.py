"""Figures of the statistics as rows of results.json: a value, or why there is none."""

from __future__ import annotations

import math

from reportgen.language import _
from reportgen.result import Estimate
from reportgen.sections.frame.analysis import Analysis, Comparison
from reportgen.sections.frame.data import Data
from reportgen.sections.frame.metrics import METRICS, figure
from reportgen.sections.frame.minimum import lack
from reportgen.sections.frame.result import ALL, OVERALL, GapRow, GroupRow
from reportgen.sections.frame.settings import FrameSettings
from reportgen.sections.frame.told import told
from reportgen.sections.frame.verdicts import Judged
from reportgen.stats.representation.features import Measured
from reportgen.stats.subgroups.draws import DrawnInterval
from reportgen.stats.subgroups.equivalence import minimum_detectable_gap, patients_needed
from reportgen.stats.subgroups.estimate import GroupEstimate
from reportgen.stats.subgroups.metrics import GroupSize
from reportgen.stats.subgroups.study import FloatArray
from reportgen.wording import fixed


def number(value: float) -> float | None:
    """Return a finite number, None where it is not."""
    return float(value) if math.isfinite(value) else None


def group_estimate(one: GroupEstimate, confidence: float) -> Estimate:
    """Return a group's figure with its interval."""
    if math.isnan(one.value):
        return Estimate.missing(told(one.reason))
    limits = one.limits(confidence)
    if limits.reason:
        return Estimate(float(one.value), reason=told(limits.reason))
    method = told(limits.method)
    if limits.one_sided:
        method = _("{method}, one-sided").format(method=method)
    return Estimate(float(one.value), float(limits.low), float(limits.high), confidence, method)


def drawn_estimate(
    value: float, drawn: DrawnInterval, confidence: float, draws: int, reason: str = ""
) -> Estimate:
    """Return a figure with its percentile interval under patient draws."""
    if reason or math.isnan(value):
        return Estimate.missing(told(reason or drawn.reason or "undefined"))
    if drawn.reason:
        return Estimate(float(value), reason=told(drawn.reason))
    unstable = _("unstable: undefined in {share} % of the draws").format(
        share=fixed(100 * drawn.undefined, 1)
    )
    return Estimate(
        float(value),
        drawn.low,
        drawn.high,
        confidence,
        _("percentile of {draws} joint draws of patients").format(draws=fixed(draws, 0)),
        unstable if drawn.unstable else None,
    )


def measured(one: Measured, confidence: float) -> Estimate:
    """Return a figure of layer 3."""
    if one.value is None:
        return Estimate.missing(told(one.reason))
    if one.low is None or one.high is None:
        return Estimate(one.value, reason=told(one.reason or "no interval"))
    return Estimate(
        one.value, one.low, one.high, confidence, told(one.method), told(one.reason) or None
    )


def group_row(
    score: str,
    attribute: str,
    group: str,
    size: GroupSize,
    figures: dict[str, GroupEstimate],
    undefined_share: float | None,
    settings: FrameSettings,
    confidence: float,
    left_out: int = 0,
) -> GroupRow:
    """Return the row of one group."""

    def shown(name: str) -> Estimate:
        metric = METRICS[name]
        own = figure(figures, metric, threshold=settings.threshold is not None)
        return group_estimate(own, confidence)

    short = lack(size, settings)
    return GroupRow(
        score=score,
        attribute=attribute,
        group=group,
        n_units=size.patients,
        n_rows=size.images,
        n_positive=size.positives,
        n_negative=size.negatives,
        n_positive_units=size.positive_patients,
        n_negative_units=size.negative_patients,
        prevalence=shown("prevalence"),
        auc=shown("auc"),
        sensitivity=shown("sensitivity"),
        specificity=shown("specificity"),
        balanced_accuracy=shown("balanced_accuracy"),
        precision=shown("precision"),
        npv=shown("npv"),
        selection_rate=shown("selection_rate"),
        false_positive_rate=shown("false_positive_rate"),
        brier=shown("brier"),
        calibration_intercept=shown("calibration_intercept"),
        calibration_slope=shown("calibration_slope"),
        design_effect=number(figures["auc"].design_effect),
        undefined_share=undefined_share,
        estimable=not short,
        reason=short,
        n_left_out=left_out,
        left_out_share=number(left_out / max(1, left_out + size.images)),
    )


def group_rows(
    analysis: Analysis, data: Data, settings: FrameSettings, confidence: float
) -> tuple[GroupRow, ...]:
    """Return the rows of every group of an attribute, one a score."""
    return tuple(
        group_row(
            name,
            analysis.attribute.name,
            level,
            analysis.sizes[at],
            analysis.figures[score][at],
            _without_a_class(analysis.resampled.counts[score, at]),
            settings,
            confidence,
            int(analysis.attribute.left_out[at]),
        )
        for score, name in enumerate(data.names)
        for at, level in enumerate(analysis.attribute.levels)
    )


def overall_rows(
    analysis: Analysis,
    figures: tuple[dict[str, GroupEstimate], ...],
    size: GroupSize,
    data: Data,
    settings: FrameSettings,
    confidence: float,
) -> tuple[GroupRow, ...]:
    """Return the rows of the whole table, one a score; `analysis` lends its draws."""
    return tuple(
        group_row(
            name,
            OVERALL,
            ALL,
            size,
            figures[score],
            _without_a_class(analysis.resampled.counts[score, -1]),
            settings,
            confidence,
            data.n_read - data.n_rows,
        )
        for score, name in enumerate(data.names)
    )


def _without_a_class(counts: FloatArray) -> float:
    """Return the share of draws that lack a class, in which there is no area; counts are (5, B)."""
    return float(((counts[0] == 0) | (counts[1] == 0)).mean())


def gap_row(
    judged: Judged, data: Data, settings: FrameSettings, family: int, draws: int, confidence: float
) -> GapRow:
    """Return the row of one comparison."""
    one, gap = judged.comparison, judged.comparison.gap
    detectable = minimum_detectable_gap(
        gap.standard_error, comparisons=max(1, family), alpha=settings.alpha
    )
    return GapRow(
        score=data.names[one.score],
        attribute=one.attribute.name,
        group=one.group_name,
        reference=one.reference_name,
        metric=one.metric.name,
        primary=one.primary,
        gap=gap_estimate(one, confidence),
        gap_percentile=drawn_estimate(gap.value, gap.drawn, confidence, draws, gap.reason),
        p=number(gap.test.p),
        p_adjusted=number(judged.adjusted.p_adjusted),
        adjustment=judged.adjusted.adjustment,
        test=told(gap.test.method or gap.test.reason),
        margin=settings.stated_margin,
        equivalence_low=number(gap.equivalence.low),
        equivalence_high=number(gap.equivalence.high),
        minimum_detectable_gap=number(detectable),
        units_needed=patients_needed(
            one.patients,
            gap.standard_error,
            margin=settings.stated_margin,
            comparisons=max(1, family),
            alpha=settings.alpha,
        ),
        image_level_p=one.image_p,
        design_effect=one.design_effect,
        undefined_share=number(gap.drawn.undefined),
        units_in_both=gap.shared_patients,
        verdict=judged.verdict,
        release=judged.release,
        reason=judged.reason,
    )


def gap_estimate(one: Comparison, confidence: float) -> Estimate:
    """Return a gap with its interval."""
    gap = one.gap
    if math.isnan(gap.value):
        return Estimate.missing(told(gap.reason))
    if gap.interval.reason:
        return Estimate(float(gap.value), reason=told(gap.interval.reason))
    method = told(gap.interval.method)
    if gap.interval.one_sided:
        method = _("{method}, one-sided in a group").format(method=method)
    return Estimate(
        float(gap.value), float(gap.interval.low), float(gap.interval.high), confidence, method
    )
