"""An audit as flat rows: gaps, curve, risk list, joint radius, groups."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

import numpy as np

from reportgen.language import _, mark
from reportgen.result import Estimate
from reportgen.sections.robust.audit import Audit, MetricAudit
from reportgen.sections.robust.data import Data, FloatArray
from reportgen.sections.robust.reasons import told
from reportgen.sections.robust.result import (
    CurveRow,
    DirectionRow,
    GapRow,
    GroupRow,
    JointRow,
    RiskRow,
    WitnessRow,
)
from reportgen.sections.robust.rungs import Moved, RungAudit
from reportgen.sections.robust.settings import RobustSettings
from reportgen.sections.robust.wording import direction_words
from reportgen.stats.robust.critical import CriticalRadius
from reportgen.stats.robust.estimates import estimate_by_group
from reportgen.stats.robust.gaps import WorstGap, worst_gap
from reportgen.stats.robust.joint import joint_critical, normalised
from reportgen.stats.robust.limits import GapLimits
from reportgen.stats.robust.metrics import AuditSample, audit_sample
from reportgen.stats.robust.verdicts import joint_verdict
from reportgen.wording import clauses, level_named, listed_first

RECORD_ALONE = mark("no interval: a worst shift is a search over these very patients")
BORROWED = mark("bounded by the per-record rung")
MOST_NAMED = 20
"""Groups left out that are named; the table of groups has all."""
STRATUM = {"sensitivity": True, "false_positive_rate": False}
"""The label of the rows that a metric is taken over, where it is one."""
SEARCHED = mark("found by a search, bounded by the per-record rung")
NO_MODEL = mark("no model is given")


def number(value: float) -> float | None:
    """Return a finite number, None where it is not."""
    return float(value) if math.isfinite(value) else None


def limits_estimate(limits: GapLimits, value: float) -> Estimate:
    """Return a gap with its interval; `value` is the gap itself."""
    if math.isnan(value):
        return Estimate.missing(told(limits.reason) or _("not defined"))
    if limits.reason or not (math.isfinite(limits.low) and math.isfinite(limits.high)):
        reason = told(limits.reason) or _("an end of the interval is not finite")
        return Estimate(value, reason=reason)
    return Estimate(value, limits.low, limits.high, limits.confidence, told(limits.method))


def gap_rows(audit: Audit, data: Data, settings: RobustSettings) -> Iterator[GapRow]:
    """Yield one row a metric and rung; one a metric without a model."""
    for one in audit.metrics:
        if audit.moved is None:
            yield _static_row(one, data)
        for rung in one.rungs:
            yield _rung_row(one, rung, audit.moved, data, settings)


def _static_row(one: MetricAudit, data: Data) -> GapRow:
    return GapRow(
        metric=one.measure.name,
        sensitive=data.sensitive,
        rung=None,
        norm=None,
        eps=None,
        base=limits_estimate(one.base, one.static.base),
        found=Estimate.missing(_(NO_MODEL)),
        certified=Estimate.missing(_(NO_MODEL)),
        exact=None,
        critical_safe=None,
        critical_unsafe=None,
        critical_safe_raw=None,
        critical_unsafe_raw=None,
        critical_exact=None,
        critical_reason=_(NO_MODEL),
        tolerance=one.tolerance,
        highest_group=level(data, one.static.highest),
        lowest_group=level(data, one.static.lowest),
        left_out=_left_out(data, one.static),
        verdict=one.verdict,
        reason=one.reason,
    )


def _rung_row(
    one: MetricAudit, rung: RungAudit, moved: Moved | None, data: Data, settings: RobustSettings
) -> GapRow:
    gap, critical, record = rung.gap, rung.critical, rung.rung == "record"
    eps = None if moved is None else moved.allowed.one_eps
    # Of a linear score, a shift that is not solved exactly takes its bound from there, too.
    loose = not record and not gap.exact and gap.certified == one.worst.certified
    borrowed = rung.borrowed or loose
    # A search that happens to reach the record rung here need not on other patients.
    same = record or (rung.rung == "group" and not borrowed and _as_records(gap, one.worst))
    found, certified = (
        limits_estimate(limits, value)
        if same or math.isnan(value)
        else Estimate(float(value), reason=clauses([*how, _(RECORD_ALONE)]))
        for limits, value, how in (
            (one.found, gap.found, [_(SEARCHED)] if borrowed else []),
            (one.certified, gap.certified, [_(BORROWED)] if borrowed else []),
        )
    )
    safe, unsafe = number(critical.safe), number(critical.unsafe)
    return GapRow(
        metric=one.measure.name,
        sensitive=data.sensitive,
        rung=rung.rung,
        norm=None if settings.perturbation is None else settings.perturbation.norm,
        eps=eps,
        base=limits_estimate(one.base, gap.base),
        found=found,
        certified=certified,
        exact=None if math.isnan(gap.found) else gap.exact,
        critical_safe=safe,
        critical_unsafe=unsafe,
        critical_safe_raw=raw(safe, eps),
        critical_unsafe_raw=raw(unsafe, eps),
        critical_exact=None if critical.reason else critical.exact,
        critical_reason=told(critical.reason) or rung.critical_reason,
        tolerance=one.tolerance,
        highest_group=level(data, gap.highest),
        lowest_group=level(data, gap.lowest),
        left_out=_left_out(data, gap),
        verdict=one.verdict if record else None,
        reason=one.reason if record else "",
    )


def _left_out(data: Data, gap: WorstGap) -> str:
    """Return the groups that a gap leaves out, with their patients: "c (n = 1)"."""
    named = [
        _("{group} (n = {n})").format(
            group=level_named(data.sensitive, data.levels[g]), n=units_of(data, g)
        )
        for g in gap.left_out
    ]
    return listed_first(named, MOST_NAMED)


def units_of(data: Data, group: int, metric: str = "") -> int:
    """Return the patients of a group: those with a row that a metric is taken over."""
    own = data.group == group
    label = STRATUM.get(metric)
    if label is not None and data.positive is not None:
        own &= data.positive == label
    return len(np.unique(data.unit[own]))


def _units_or_none(data: Data, group: int, metric: str) -> int | None:
    return None if group < 0 else units_of(data, group, metric)


def _as_records(gap: WorstGap, record: WorstGap) -> bool:
    """Return whether shifts do exactly what single records can: theirs is its interval, then."""
    same = (gap.highest, gap.lowest, gap.metric) == (record.highest, record.lowest, record.metric)
    return same and gap.exact and record.exact and gap.found == record.found


def raw(multiple: float | None, eps: float | None) -> float | None:
    """Return a radius in the features' unit, None where they share no eps."""
    return None if multiple is None or eps is None else multiple * eps


def level(data: Data, group: int) -> str:
    """Return the name of a group, "" for none."""
    return data.levels[group] if group >= 0 and data.levels else ""


def risk_rows(audit: Audit, data: Data, directions: Sequence[DirectionRow]) -> Iterator[RiskRow]:
    """Yield the risk list, one row a metric."""
    for one in audit.metrics:
        record, worst = one.record, one.worst
        critical = _no_radius() if record is None else record.critical
        own = [row for row in directions if row.metric == one.measure.name]
        yield RiskRow(
            metric=one.measure.name,
            verdict=one.verdict,
            reason=one.reason,
            tolerance=one.tolerance,
            static=limits_estimate(one.base, one.static.base),
            worst_found=None if record is None else number(worst.found),
            worst_certified=None if record is None else number(worst.certified),
            exact=None if record is None or math.isnan(worst.found) else worst.exact,
            limit=_limit(one, audit.moved),
            critical_safe=number(critical.safe),
            critical_unsafe=number(critical.unsafe),
            critical_reason=told(critical.reason),
            leading_metric=worst.metric,
            highest_group=level(data, worst.highest),
            lowest_group=level(data, worst.lowest),
            fragile_direction=direction_words(own),
            highest_units=_units_or_none(data, worst.highest, worst.metric),
            lowest_units=_units_or_none(data, worst.lowest, worst.metric),
            compared=data.n_groups - len(worst.left_out),
            left_out=_left_out(data, worst),
        )


def _no_radius() -> CriticalRadius:
    return CriticalRadius(math.nan, math.nan, False, _(NO_MODEL))


def _limit(one: MetricAudit, moved: Moved | None) -> Estimate:
    if moved is None:
        return Estimate.missing(_(NO_MODEL))
    if not moved.model.certifiable:
        return Estimate.missing(_("nothing is certified of this model"))
    if math.isnan(one.certified.limit):
        return Estimate.missing(told(one.certified.reason) or _("not defined"))
    lower, upper = _("a one-sided lower limit itself"), _("a one-sided upper limit itself")
    return Estimate(one.certified.limit, reason=lower if one.measure.falls else upper)


def curve_rows(audit: Audit, settings: RobustSettings) -> Iterator[CurveRow]:
    """Yield the worst gap of the record rung at every multiple of eps."""
    moved = audit.moved
    if moved is None:
        return
    grid = sorted({0.0, 1.0, *settings.curve})
    for multiple in sorted(grid, reverse=True):
        moved.reach.at(multiple)  # the widest first: the others lie within it
    for one in audit.metrics:
        for multiple in grid:
            gap = worst_gap(one.measure, one.sample, moved.reach.at(multiple))
            if multiple == 1 and one.record is not None:
                gap = one.record.gap
            yield CurveRow(
                metric=one.measure.name,
                multiple=multiple,
                eps=raw(multiple, moved.allowed.one_eps),
                base=number(gap.base),
                found=number(gap.found),
                certified=number(gap.certified),
                exact=None if math.isnan(gap.found) else gap.exact,
                normalised_found=_share(one, gap.found),
                normalised_certified=_share(one, gap.certified),
                tolerance=one.tolerance,
            )


def _share(one: MetricAudit, value: float) -> float | None:
    if math.isnan(value):
        return None
    return number(normalised(one.measure, value, one.tolerance))


def joint_row(audit: Audit) -> JointRow:
    """Return the joint radius and the overall verdict."""
    radii = {
        one.measure.name: one.record.critical for one in audit.metrics if one.record is not None
    }
    joint = joint_critical(radii)
    safe, unsafe = number(joint.safe), number(joint.unsafe)
    eps = None if audit.moved is None else audit.moved.allowed.one_eps
    return JointRow(
        critical_safe=safe,
        critical_unsafe=unsafe,
        critical_safe_raw=raw(safe, eps),
        critical_unsafe_raw=raw(unsafe, eps),
        exact=None if joint.reason else joint.exact,
        binding_metric=joint.binding,
        verdict=joint_verdict([one.verdict for one in audit.metrics]),
        reason=told(joint.reason),
    )


def witness_rows(moved: Moved, n_rows: int) -> Iterator[WitnessRow]:
    """Yield what scoring the witnesses again found, one row an end of the intervals."""
    low, high = moved.checked.low, moved.checked.high
    yield WitnessRow("low", n_rows, *low)
    yield WitnessRow("high", n_rows, *high)


def group_rows(
    data: Data, sample: AuditSample, settings: RobustSettings, confidence: float
) -> Iterator[GroupRow]:
    """Yield one row a group: its sizes, the base rate of its label, its selected share."""
    truth = None
    if data.positive is not None:
        label = data.positive.astype(np.float64)
        truth = audit_sample(label, data.group, data.positive, n_groups=data.n_groups)
    decided = settings.decisions == "hard" or settings.threshold is not None
    hard = audit_sample(
        sample.score, data.group, n_groups=data.n_groups, threshold=sample.threshold
    )
    soft = (
        audit_sample(sample.score, data.group, n_groups=data.n_groups, decisions="soft")
        if (_unit_scores(sample.score))
        else None
    )
    base = _by_group(truth, data, confidence, _("no label"))
    selected = _by_group(hard if decided else None, data, confidence, _("no threshold"))
    means = _by_group(soft, data, confidence, _("the scores are no probabilities"))
    for group, name in enumerate(data.levels):
        own = data.group == group
        yield GroupRow(
            sensitive=data.sensitive,
            group=name,
            n_rows=int(own.sum()),
            n_units=len(np.unique(data.unit[own])),
            **_classes(data, own),
            base_rate=base[group],
            selection_rate=selected[group],
            mean_score=means[group],
            n_left_out=int(data.left_of[group]),
            left_out_share=int(data.left_of[group]) / max(1, int(own.sum() + data.left_of[group])),
        )


def _unit_scores(score: FloatArray) -> bool:
    return bool(score.min() >= 0 and score.max() <= 1)


def _classes(data: Data, own: np.ndarray) -> dict[str, int | None]:
    if data.positive is None:
        return dict.fromkeys(("n_positive", "n_negative", "n_positive_units", "n_negative_units"))
    positive, negative = own & data.positive, own & ~data.positive
    return {
        "n_positive": int(positive.sum()),
        "n_negative": int(negative.sum()),
        "n_positive_units": len(np.unique(data.unit[positive])),
        "n_negative_units": len(np.unique(data.unit[negative])),
    }


def _by_group(
    sample: AuditSample | None, data: Data, confidence: float, reason: str
) -> list[Estimate]:
    if sample is None:
        return [Estimate.missing(reason)] * data.n_groups
    own, _same = estimate_by_group("selection_rate", sample, sample.score, sample.score, data.unit)
    found = []
    for one in own:
        if math.isnan(one.value):
            found.append(Estimate.missing(told(one.reason)))
            continue
        limits = one.limits(confidence)
        found.append(
            Estimate(float(one.value), reason=told(limits.reason))
            if limits.reason
            else Estimate(
                float(one.value),
                float(limits.low),
                float(limits.high),
                confidence,
                told(limits.method),
            )
        )
    return found
