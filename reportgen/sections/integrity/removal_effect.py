"""What the figures become when the duplicates leave the evaluation."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from reportgen.inputs.detections import DetectionSet
from reportgen.language import _, mark
from reportgen.result import Estimate
from reportgen.sections.integrity.audits import Audited, Job
from reportgen.sections.integrity.joined import detections_of
from reportgen.sections.integrity.records import overall, recorded, split_up
from reportgen.sections.integrity.removal_facts import CODES, not_testable, removal_facts
from reportgen.sections.integrity.removal_images import Removed, removed_images
from reportgen.sections.integrity.removal_words import reason_told
from reportgen.sections.integrity.result_evaluation import (
    ControlBin,
    RemovalEffect,
    RemovalRow,
    StratumRow,
)
from reportgen.sections.integrity.settings import RemovalEffectSettings
from reportgen.sections.integrity.shares import FloatArray
from reportgen.stats.detection import (
    Controls,
    Matches,
    Strata,
    WeightedStudy,
    control_removals,
    holm,
    match,
    removal_strata,
    weighted_study,
)
from reportgen.stats.detection import RemovalEffect as Effect
from reportgen.stats.detection import removal_effect as effect_of
from reportgen.stats.detection.removal import INTERVAL_METHOD
from reportgen.wording import fixed, typed

__all__ = ["CODES", "audit"]

SHOWN = ("map50", "map50_95", "recall")
BINS = 30
RECALL_IOU = 0.5
CONTROL_RULE = mark(
    "as many images of each stratum, drawn without replacement from all images of the stratum,"
    " duplicates not excluded; p counts sets as far from their mean as the duplicates, with those"
    " themselves: (1 + k) / (1 + B)"
)


def audit(job: Job) -> Audited:
    """Leave the duplicates out, against a cluster bootstrap and matched control removals.

    Returns
    -------
    Audited
        With a RemovalEffect; None if it was not asked for.
    """
    settings = job.settings.removal_effect
    if settings is None:
        return Audited()
    detections = detections_of(job)
    reason = _untestable(detections)
    removed = None
    if detections is not None and reason is None:
        removed = removed_images(job, detections)
        reason = removed.reason
    if detections is None or removed is None or reason is not None:
        said = reason or ""
        pair = recorded(job, not_testable(said))
        origin = removed.origin if removed else ""
        result = RemovalEffect("not testable", reason, duplicates_from=origin)
        return Audited(result, *split_up([pair]))
    made = _measured(job, settings, detections, removed)
    pairs = [recorded(job, facts) for facts in removal_facts(made, job)]
    status, why = overall(pairs)
    return Audited(replace(made, status=status, reason=why), *split_up(pairs))


def _untestable(detections: DetectionSet | None) -> str | None:
    if detections is None:
        return _("no detections were named")
    if detections.predicted is None or detections.predicted.score is None:
        return _("there are no predictions with scores")
    if not (~detections.truth.crowd & ~detections.truth.ignore).any():
        return _("there is no labelled box")
    return None


def _measured(
    job: Job, settings: RemovalEffectSettings, detections: DetectionSet, removed: Removed
) -> RemovalEffect:
    matches = _matches(detections)
    study = weighted_study(matches, confidence=settings.confidence, recall_iou=RECALL_IOU)
    resamples = settings.resamples or job.context.resamples
    effect = effect_of(
        study,
        removed.images,
        removed.cluster,
        job.context.rng,
        resamples=resamples,
        confidence=job.context.confidence,
    )
    strata = removal_strata(matches.positives, by=settings.strata)
    controls = control_removals(
        study,
        removed.images,
        strata,
        job.context.rng,
        draws=settings.controls,
        central=job.context.confidence,
    )
    boxes = matches.positives.sum(axis=0)
    held = [
        int((matches.positives[:, part].sum(axis=1) > 0).sum())
        for part in (slice(None), ~removed.images, removed.images)
    ]
    return RemovalEffect(
        "not found",
        None,
        rows=_rows(study, effect, controls, detections.categories, job.context.confidence),
        strata=_strata(strata, controls, detections.categories),
        controls_histogram=_histogram(controls),
        images=len(removed.images),
        duplicates=int(removed.images.sum()),
        instances_share=float(boxes[removed.images].sum() / boxes.sum()),
        clusters=effect.n_clusters,
        resamples=resamples,
        controls=settings.controls,
        seed=job.seed,
        cluster_rule=removed.rule,
        duplicates_from=removed.origin,
        control_rule=_(CONTROL_RULE),
        n_classes=held[0],
        n_classes_without=held[1],
        n_classes_duplicates=held[2],
        recall_rule=(
            _("boxes found at IoU {iou} with a score of at least {score}").format(
                iou=typed(RECALL_IOU), score=typed(settings.confidence)
            )
        ),
    )


def _matches(detections: DetectionSet) -> Matches:
    assert detections.predicted is not None  # noqa: S101 - seen to by `_untestable`
    return match(
        detections.truth,
        detections.predicted,
        n_images=len(detections.images),
        n_classes=len(detections.categories),
    )


def _rows(
    study: WeightedStudy,
    effect: Effect,
    controls: Controls,
    categories: tuple[str, ...],
    confidence: float,
) -> tuple[RemovalRow, ...]:
    """Return the contrasts of means and of each class with boxes: one family for Holm."""
    held = study.positives.sum(axis=0) > 0
    chosen = [
        at
        for at, (metric, category) in enumerate(
            zip(effect.contrasts.metric, effect.contrasts.category.tolist(), strict=True)
        )
        if metric in SHOWN and (category < 0 or held[category])
    ]
    adjusted = holm(controls.p[chosen])
    return tuple(
        _row(effect, controls, at, float(p), categories, confidence)
        for at, p in zip(chosen, adjusted, strict=True)
    )


def _known(value: float) -> float | None:
    return None if np.isnan(value) else float(value)


def _row(
    effect: Effect,
    controls: Controls,
    at: int,
    adjusted: float,
    categories: tuple[str, ...],
    confidence: float,
) -> RemovalRow:
    category = int(effect.contrasts.category[at])
    tested = not np.isnan(controls.p[at])
    low, high = effect.change_low[at], effect.change_high[at]
    rare = bool(tested and adjusted <= 1 - confidence)
    apart = bool(low > 0 or high < 0)  # from zero; false where there is no interval
    least = _known(effect.minimum_detectable_effect[at])
    return RemovalRow(
        metric=effect.contrasts.metric[at],
        class_="all" if category < 0 else categories[category],
        all_images=_known(effect.all_images[at]),
        without=_known(effect.without[at]),
        change=_estimate(effect.change[at], low, high, effect.change_reason[at], confidence),
        control_mean=_known(controls.mean[at]),
        control_low=_known(controls.low[at]),
        control_high=_known(controls.high[at]),
        p=_known(controls.p[at]),
        p_low=_known(controls.p_low[at]),
        p_high=_known(controls.p_high[at]),
        p_adjusted=adjusted if tested else None,
        minimum_detectable_effect=least,
        gap=_estimate(
            effect.gap[at],
            effect.gap_low[at],
            effect.gap_high[at],
            effect.gap_reason[at],
            confidence,
        ),
        detected=rare and apart,
        reading=_reading(
            reason_told(effect.change_reason[at] or controls.reason[at]),
            rare=rare,
            apart=apart,
            least=least,
        ),
    )


def _estimate(value: float, low: float, high: float, reason: str, confidence: float) -> Estimate:
    if np.isnan(value):
        return Estimate.missing(reason_told(reason) or _("not defined"))
    if np.isnan(low) or np.isnan(high):
        return Estimate(float(value), reason=reason_told(reason) or _("it has no interval"))
    return Estimate(float(value), float(low), float(high), confidence, _(INTERVAL_METHOD))


def _reading(reason: str, *, rare: bool, apart: bool, least: float | None) -> str:
    """Return the verdict in words; "no detectable change" always with what could be detected.

    The interval and the matched removals may disagree: then neither "detected" nor "no detectable
    change" would be true.
    """
    if rare and apart:
        return _("change detected: beyond matched removals, and its interval excludes zero")
    if apart and reason:
        return _(
            "the interval of the change excludes zero; whether it is that of the duplicates cannot"
            " be told from matched removals: {reason}"
        ).format(reason=reason)
    if apart:
        return _(
            "the interval of the change excludes zero, but matched removals change the figure as"
            " much: no more than leaving out any images like these does"
        )
    if rare and least is None:
        said = _("matched removals seldom change it as much, but it has no interval: {reason}")
        return said.format(reason=reason)
    if rare:
        return _(
            "matched removals seldom change it as much, but its interval includes zero; the minimum"
            " detectable effect is {least} (half the width of the interval)"
        ).format(least=fixed(least or 0.0, 4))
    if least is None:
        said = _("no detectable change; what could be detected is not known: {reason}")
        return said.format(reason=reason or _("there is no interval"))
    return _(
        "no detectable change; the minimum detectable effect is {least} (half the width of the"
        " interval)"
    ).format(least=fixed(least, 4))


def _strata(
    strata: Strata, controls: Controls, categories: tuple[str, ...]
) -> tuple[StratumRow, ...]:
    return tuple(
        StratumRow(
            dominant_class=_dominant(int(strata.dominant[at]), categories),
            instance_quartile=_quartile(int(strata.quartile[at]), strata.bounds),
            duplicates=int(controls.removed[at]),
            pool=int(controls.others[at]),
            short=bool(controls.short[at]),
        )
        for at in range(len(strata.dominant))
    )


def _dominant(category: int, categories: tuple[str, ...]) -> str:
    if category >= 0:
        return categories[category]
    return _("no box") if category == -1 else mark("all")


def _quartile(quarter: int, bounds: FloatArray) -> str:
    """Return a quarter of the images with its numbers of boxes: "2 (above 3 to 5 boxes)"."""
    if not quarter:
        return "all"
    low = typed(float(bounds[quarter - 2])) if quarter > 1 else ""
    high = typed(float(bounds[quarter - 1])) if quarter < 4 else ""
    said = _("{quarter} (above {low} up to {high} boxes)")
    if not low:
        said = _("{quarter} (up to {high} boxes)")
    elif not high:
        said = _("{quarter} (above {low} boxes)")
    return said.format(quarter=quarter, low=low, high=high)


def _histogram(controls: Controls) -> tuple[ControlBin, ...]:
    """Return how often the control removals change each mean by how much."""
    bins: list[ControlBin] = []
    for metric in SHOWN[:2]:
        draws = controls.draws[:, controls.contrasts.metric.index(metric)]
        draws = draws[~np.isnan(draws)]
        if not len(draws) or np.ptp(draws) <= 1e-12:
            continue
        counts, edges = np.histogram(draws, bins=BINS)
        bins += [
            ControlBin(metric, float(low), float(high), int(k))
            for k, low, high in zip(counts, edges[:-1], edges[1:], strict=True)
        ]
    return tuple(bins)
