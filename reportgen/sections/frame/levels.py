"""An attribute as a whole: worst pairs, heterogeneity with shrunken figures, the plain picture."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import replace

import numpy as np
from scipy.special import expit

from reportgen.language import _, mark
from reportgen.result import Estimate
from reportgen.sections.frame.analysis import Analysis, cutoff
from reportgen.sections.frame.data import Data, FloatArray
from reportgen.sections.frame.metrics import METRICS, Metric, figure
from reportgen.sections.frame.minimum import too_few
from reportgen.sections.frame.result import (
    HeterogeneityRow,
    ParityRow,
    PlainPictureRow,
    ShrunkenRow,
)
from reportgen.sections.frame.rows import group_estimate
from reportgen.sections.frame.settings import FrameSettings
from reportgen.sections.frame.told import told
from reportgen.sections.frame.wording import level_shown
from reportgen.stats.subgroups.estimate import GroupEstimate, covariance
from reportgen.stats.subgroups.heterogeneity import Heterogeneity, heterogeneity, on_logit_scale
from reportgen.stats.subgroups.metrics import GroupSize
from reportgen.stats.subgroups.parity import RateGap, parity, rate_gap
from reportgen.stats.subgroups.picture import QUANTILES
from reportgen.stats.subgroups.ranking import AreaPlan
from reportgen.stats.subgroups.resampling import row_terms
from reportgen.wording import clauses, separated

DESCRIPTIVE = mark(
    "the largest of several differences is a description: it is above 0 by "
    "construction and is not tested"
)
RATES = ("demographic_parity", "equal_opportunity", "false_positive_rate")
PICTURE_DRAWS = 1000
_BLOCK = 1_000_000


def parity_rows(analysis: Analysis, data: Data, settings: FrameSettings) -> Iterator[ParityRow]:
    """Yield the worst pair of groups of an attribute, by metric.

    A group takes no part, and is named, where its rate has no denominator or rests on fewer than
    two patients.
    """
    for score, name in enumerate(data.names):
        areas = np.array([figures["auc"].value for figures in analysis.figures[score]])
        areas[[bool(_lack(size, "auc")) for size in analysis.sizes]] = math.nan
        yield _pair(analysis, name, "auc", rate_gap(areas), ratio=False)
        if settings.threshold is None:
            continue
        found = parity(
            *_counts(analysis, score, settings),
            taking_part=[[not _lack(size, rate) for size in analysis.sizes] for rate in RATES],
        )
        opportunity, false_alarm = found.equal_opportunity, found.false_positive_rate
        gaps = (found.demographic_parity, opportunity, false_alarm)
        for metric, gap in zip(RATES, gaps, strict=True):
            yield _pair(analysis, name, metric, gap, ratio=False)
            yield _pair(analysis, name, f"{metric}_ratio", gap, ratio=True)
        both = (opportunity, false_alarm)
        yield _odds(analysis, name, both, found.equalized_odds_difference, ratio=False)
        yield _odds(analysis, name, both, found.equalized_odds_ratio, ratio=True)


def _lack(size: GroupSize, metric: str) -> str:
    """Return why a group takes no part in the worst pair of a metric, "" if it does."""
    of_either = (
        too_few(size.positive_patients, "positive"),
        too_few(size.negative_patients, "negative"),
    )
    match metric.removesuffix("_ratio"):
        case "demographic_parity":
            return too_few(size.patients)
        case "equal_opportunity":
            return of_either[0]
        case "false_positive_rate":
            return of_either[1]
    return separated(filter(None, of_either))  # the area and the equalized odds need both


def _odds(
    analysis: Analysis, score: str, both: tuple[RateGap, RateGap], value: float, *, ratio: bool
) -> ParityRow:
    """Return the row of equalized odds, which names the groups left out of either rate."""
    worst = next((gap for gap in both if _value(gap, ratio) == value), both[0])
    left_out = tuple(sorted({at for gap in both for at in gap.left_out}))
    reason = clauses(dict.fromkeys(filter(None, (_reason(gap, ratio) for gap in both))))
    metric = "equalized_odds_ratio" if ratio else "equalized_odds"
    return _row(analysis, score, metric, replace(worst, left_out=left_out), value, reason)


def _counts(analysis: Analysis, score: int, settings: FrameSettings) -> FloatArray:
    """Return true positives, false positives, positives and negatives of every group, (4, L)."""
    study = analysis.study
    columns = []
    for level in range(study.n_levels):
        terms = row_terms(
            study, study.rows(level), model=score, threshold=cutoff(settings), probability=False
        )
        positive, negative, tp, fp, _brier = terms.sum(axis=0)
        columns.append([tp, fp, positive, negative])
    return np.array(columns).T


def _value(gap: RateGap, ratio: bool) -> float:
    return gap.ratio if ratio else gap.difference


def _reason(gap: RateGap, ratio: bool) -> str:
    return told(gap.reason or (gap.ratio_reason if ratio else ""))


def _pair(analysis: Analysis, score: str, metric: str, gap: RateGap, *, ratio: bool) -> ParityRow:
    return _row(analysis, score, metric, gap, _value(gap, ratio), _reason(gap, ratio))


def _row(
    analysis: Analysis, score: str, metric: str, gap: RateGap, value: float, reason: str
) -> ParityRow:
    levels = analysis.attribute.levels
    missing = math.isnan(value)
    return ParityRow(
        score=score,
        attribute=analysis.attribute.name,
        metric=metric,
        value=Estimate.missing(reason or _("undefined"))
        if missing
        else Estimate(value, reason=_(DESCRIPTIVE)),
        highest_group=levels[gap.highest] if gap.highest >= 0 and not missing else "",
        lowest_group=levels[gap.lowest] if gap.lowest >= 0 and not missing else "",
        left_out=tuple(
            _("{group} ({reason})").format(
                group=level_shown(levels[at]),
                reason=_lack(analysis.sizes[at], metric) or _("undefined"),
            )
            for at in gap.left_out
        ),
    )


def heterogeneity_rows(
    analysis: Analysis, data: Data, settings: FrameSettings, confidence: float
) -> tuple[list[HeterogeneityRow], list[ShrunkenRow]]:
    """Return, for an attribute of more than two groups, how they differ and the shrunken figures.

    On the logit scale, with the covariance of groups that share patients; groups without a figure
    strictly between 0 and 1 take no part.
    """
    tests: list[HeterogeneityRow] = []
    shrunken: list[ShrunkenRow] = []
    if len(analysis.attribute.levels) <= 2:
        return tests, shrunken
    for score, name in enumerate(data.names):
        for metric in (METRICS[primary] for primary in settings.primary):
            own = [figure(f, metric, threshold=True) for f in analysis.figures[score]]
            found = heterogeneity(*_on_logits(own), confidence=confidence)
            if found.reason:
                continue
            tests.append(
                HeterogeneityRow(
                    name,
                    analysis.attribute.name,
                    metric.name,
                    int(np.count_nonzero(found.used)),
                    found.q,
                    found.p,
                    found.i_squared,
                    found.tau,
                )
            )
            shrunken += _shrunken(analysis, name, metric, own, found, confidence)
    return tests, shrunken


def _on_logits(own: list[GroupEstimate]) -> tuple[FloatArray, FloatArray]:
    """Return the figures on the logit scale and their covariances; NaN where there is none."""
    pairs = [on_logit_scale(one.value, one.variance) for one in own]
    values = np.array([value for value, _variance in pairs])
    matrix = np.diag([variance for _value, variance in pairs])
    for i, first in enumerate(own):
        for j, second in enumerate(own[:i]):
            if math.isnan(values[i]) or math.isnan(values[j]):
                continue
            slope = first.value * (1 - first.value) * second.value * (1 - second.value)
            matrix[i, j] = matrix[j, i] = covariance(first, second) / slope
    return values, matrix


def _shrunken(
    analysis: Analysis,
    score: str,
    metric: Metric,
    own: list[GroupEstimate],
    found: Heterogeneity,
    confidence: float,
) -> Iterator[ShrunkenRow]:
    for at, level in enumerate(analysis.attribute.levels):
        drawn = (
            Estimate(
                float(expit(found.shrunken[at])),
                float(expit(found.low[at])),
                float(expit(found.high[at])),
                confidence,
                _("empirical Bayes on the logit scale (Paule & Mandel)"),
            )
            if found.used[at]
            else Estimate.missing(_("no figure with a variance between 0 and 1"))
        )
        raw = group_estimate(own[at], confidence)
        yield ShrunkenRow(score, analysis.attribute.name, level, metric.name, raw, drawn)


def picture_rows(
    analysis: Analysis, data: Data, rng: np.random.Generator
) -> Iterator[PlainPictureRow]:
    """Yield what the reference's area does in draws of as many patients as the group has."""
    attribute = analysis.attribute
    groups = attribute.others if attribute.reference >= 0 else ()
    for group, child in zip(groups, rng.spawn(len(groups)), strict=True):
        units = min(analysis.sizes[group].patients, analysis.sizes[attribute.reference].patients)
        if not units:
            continue
        areas = _drawn_areas(analysis, units, child)
        for score, name in enumerate(data.names):
            defined = areas[score][~np.isnan(areas[score])]
            if len(defined) < 0.95 * PICTURE_DRAWS:
                continue
            observed = analysis.figures[score][group]["auc"].value
            there = not math.isnan(observed)
            for quantile, auc in zip(QUANTILES, np.quantile(defined, QUANTILES), strict=True):
                yield PlainPictureRow(
                    score=name,
                    attribute=attribute.name,
                    group=attribute.levels[group],
                    reference=attribute.levels[attribute.reference],
                    units=units,
                    quantile=quantile,
                    auc=float(auc),
                    observed=float(observed) if there else None,
                    share_at_or_below=float((defined <= observed).mean()) if there else None,
                )


def _drawn_areas(analysis: Analysis, units: int, rng: np.random.Generator) -> FloatArray:
    """Return each score's area in the reference in draws of `units` of its patients, (M, B)."""
    study = analysis.study
    rows = study.rows(analysis.attribute.reference)
    found, code = np.unique(study.patient[rows], return_inverse=True)
    plans = [
        AreaPlan(study.positive[rows], scores[rows], code.astype(np.intp))
        for scores in study.scores
    ]
    parts, width = [], len(found)
    block = max(1, min(PICTURE_DRAWS, _BLOCK // len(rows)))
    for start in range(0, PICTURE_DRAWS, block):
        size = min(block, PICTURE_DRAWS - start)
        drawn = rng.integers(0, width, size=(size, units)) + np.arange(size)[:, None] * width
        counts = np.bincount(drawn.ravel(), minlength=size * width).astype(np.int32)
        parts.append([plan.areas(counts.reshape(size, width)) for plan in plans])
    return np.concatenate(parts, axis=1)
