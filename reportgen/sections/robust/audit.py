"""One audit: the worst gap of each metric on each rung, its critical radius, limits and verdict."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from reportgen.sections.robust.allowed import Allowed
from reportgen.sections.robust.data import Data, FloatArray
from reportgen.sections.robust.reach import Checked, Reach
from reportgen.sections.robust.result import Rung, Verdict
from reportgen.sections.robust.settings import RobustSettings
from reportgen.sections.robust.subject import linear_of, moved_score
from reportgen.stats.robust.critical import (
    CriticalRadius,
    bracketed_critical,
    linear_critical,
)
from reportgen.stats.robust.gaps import MEASURES, Measure, WorstGap, worst_gap
from reportgen.stats.robust.intervals import ScoreIntervals, static_intervals
from reportgen.stats.robust.limits import GapLimits, TooFew, gap_limits, too_few_units
from reportgen.stats.robust.metrics import RATES, AuditSample, audit_sample
from reportgen.stats.robust.rungs import linear_rungs
from reportgen.stats.robust.search import common_shift_search, group_shift_search
from reportgen.stats.robust.verdicts import empty_decision, verdict
from reportgen.stats.robust_models import Model

FARTHEST = 4.0
"""Multiples of eps up to which radii of models without a closed form are looked for."""
STEPS = 8
"""Halvings of such a bracket."""
SCORED = ("auc", "brier")
"""Metrics that ask for more of the scores than their decisions."""


@dataclass(frozen=True)
class RungAudit:
    """One metric on one rung.

    `critical_reason` says why no radius was found to pass the tolerance where one may exist.
    `borrowed` is whether the certified gap is no closer than the record rung's.
    """

    rung: Rung
    gap: WorstGap
    critical: CriticalRadius
    critical_reason: str = ""
    borrowed: bool = False


@dataclass(frozen=True)
class MetricAudit:
    """One metric.

    Attributes
    ----------
    measure : Measure
    tolerance : float
    static : WorstGap
    rungs : tuple of RungAudit
        Common, group, record; empty without a model.
    base, found, certified : GapLimits
        Of the static gap, and of the record rung's; the last two are the first without a model.
    too_few : tuple of TooFew
    verdict : str
    reason : str
        Why, in words; "" for nothing to add.
    lacking : tuple of int
        Groups that keep the verdict from being better than "not assessable".
    """

    measure: Measure
    tolerance: float
    static: WorstGap
    rungs: tuple[RungAudit, ...]
    base: GapLimits
    found: GapLimits
    certified: GapLimits
    too_few: tuple[TooFew, ...]
    verdict: Verdict
    reason: str
    lacking: tuple[int, ...] = ()

    @property
    def record(self) -> RungAudit | None:
        """The record rung, which decides; None without a model."""
        return self.rungs[-1] if self.rungs else None

    @property
    def worst(self) -> WorstGap:
        """The gap of the record rung, the static one without a model."""
        return self.rungs[-1].gap if self.rungs else self.static


@dataclass(frozen=True)
class Moved:
    """The model and what its records can reach."""

    model: Model
    allowed: Allowed
    reach: Reach
    checked: Checked


@dataclass(frozen=True)
class Audit:
    """All metrics of a section, with the sample they rest on."""

    sample: AuditSample
    metrics: tuple[MetricAudit, ...]
    moved: Moved | None


def sample_of(data: Data, settings: RobustSettings, model: Model | None) -> AuditSample:
    """Return the records with the scores the audit uses: the model's own where there is one."""
    score = data.score if model is None else model.score(data.features)
    return audit_sample(
        score,
        data.group,
        data.positive,
        n_groups=data.n_groups,
        decisions=settings.decisions,
        threshold=0.5 if settings.threshold is None else settings.threshold,
    )


def moved_of(
    data: Data,
    settings: RobustSettings,
    model: Model,
    allowed: Allowed,
    sample: AuditSample,
    seed: int,
) -> Moved:
    """Return what the records can reach; the widest radius is asked first, the others within it."""
    measures = [MEASURES[name] for name in settings.metrics]
    only = sample.decisions == "hard" and not any(
        metric in SCORED for measure in measures for metric in measure.metrics
    )
    reach = Reach(model, data.features, allowed.moves, sample, only, settings.node_budget, seed)
    _, checked = reach.checked(1.0)
    return Moved(model, allowed, reach, checked)


def audit(
    data: Data,
    settings: RobustSettings,
    sample: AuditSample,
    moved: Moved | None,
    *,
    confidence: float,
    seed: int,
    progress: Callable[[float], None],
) -> Audit:
    """Return every metric, audited."""
    done = []
    for at, name in enumerate(settings.metrics):
        rng = np.random.default_rng([seed, at])
        done.append(_metric(name, data, settings, sample, moved, confidence, rng))
        progress((at + 1) / len(settings.metrics))
    return Audit(sample, tuple(done), moved)


def _metric(
    name: str,
    data: Data,
    settings: RobustSettings,
    sample: AuditSample,
    moved: Moved | None,
    confidence: float,
    rng: np.random.Generator,
) -> MetricAudit:
    measure, tolerance = MEASURES[name], settings.tolerance_of(name)
    static = worst_gap(measure, sample, static_intervals(sample.score))
    base = gap_limits(measure, sample, data.unit, confidence=confidence)
    rungs: tuple[RungAudit, ...] = ()
    found = certified = base
    if moved is not None:
        rungs = _rungs(measure, tolerance, sample, moved, rng)
        ends = moved.reach.at(1.0)
        found, certified = (
            gap_limits(measure, sample, data.unit, intervals=ends, side=side, confidence=confidence)
            for side in ("attained", "certified")
        )
    few = too_few_units(measure, sample, data.unit, minimum=settings.minimum)
    worst = rungs[-1].gap if rungs else static
    judged, reason = _judged(measure, tolerance, sample, worst, certified, few, moved, data)
    lacking = sorted({one.group for one in few} | {*worst.left_out} | {*worst.undefined})
    return MetricAudit(
        measure,
        tolerance,
        static,
        rungs,
        base,
        found,
        certified,
        few,
        judged,
        reason,
        tuple(lacking) if judged == "not assessable" else (),
    )


def _rungs(
    measure: Measure,
    tolerance: float,
    sample: AuditSample,
    moved: Moved,
    rng: np.random.Generator,
) -> tuple[RungAudit, ...]:
    ends = moved.reach.at(1.0)
    record = worst_gap(measure, sample, ends)
    if record.reason:
        none = CriticalRadius(np.nan, np.nan, False, record.reason)
        return tuple(RungAudit(rung, record, none, record.reason) for rung in RUNGS)
    linear = _linear_rungs(measure, tolerance, sample, moved, ends)
    if linear is not None:
        return linear
    critical = _critical(measure, tolerance, sample, moved)
    common, group = _searched(measure, sample, moved, record, rng)
    record = replace(record, found=measure.worse(record.found, group.found))
    lower = [_lower("common", common, critical, measure, tolerance)]
    lower.append(_lower("group", group, critical, measure, tolerance))
    return (*lower, RungAudit("record", record, critical, _unreached(critical, NOT_WITHIN)))


RUNGS: tuple[Rung, ...] = ("common", "group", "record")


def _critical(
    measure: Measure, tolerance: float, sample: AuditSample, moved: Moved
) -> CriticalRadius:
    """Return the critical radius of the record rung: in closed form, or by halving."""
    linear = linear_of(moved.model)
    if linear is not None:
        values, moves = moved.reach.values, moved.allowed.moves
        return linear_critical(values, linear, moves, sample, measure, tolerance=tolerance)
    static = worst_gap(measure, sample, static_intervals(sample.score))
    if not measure.exceeds(static.base, tolerance):
        moved.reach.at(FARTHEST)  # the widest first: the others then lie within it

    def gap_at(radius: float) -> WorstGap:
        return worst_gap(measure, sample, moved.reach.at(radius))

    return bracketed_critical(gap_at, measure, tolerance=tolerance, farthest=FARTHEST, steps=STEPS)


def _linear_rungs(
    measure: Measure,
    tolerance: float,
    sample: AuditSample,
    moved: Moved,
    ends: ScoreIntervals,
) -> tuple[RungAudit, ...] | None:
    """Return all rungs in closed form, None where one shift does not move all records alike."""
    linear, values, moves = linear_of(moved.model), moved.reach.values, moved.allowed.moves
    if linear is None or not moves.mutable.any():
        return None
    rungs = linear_rungs(values, linear, moves, sample, measure, intervals=ends)
    if rungs is None:
        return None
    critical = _critical(measure, tolerance, sample, moved)

    def common_at(radius: float) -> WorstGap:
        scaled = linear_rungs(values, linear, moves.scaled(radius), sample, measure)
        return worst_gap(measure, sample, ends) if scaled is None else scaled.common

    common = (
        bracketed_critical(
            common_at, measure, tolerance=tolerance, farthest=FARTHEST, steps=2 * STEPS
        )
        if len(values) <= MOST_BISECTED
        else _outer(critical)
    )
    rates = all(metric in RATES for metric in measure.metrics)
    group = critical if rates else _outer(critical)
    looked = NOT_WITHIN if len(values) <= MOST_BISECTED else NOT_LOOKED_FOR
    return (
        RungAudit("common", rungs.common, common, _unreached(common, looked)),
        RungAudit("group", rungs.group, group, _unreached(group, "" if rates else NOT_LOOKED_FOR)),
        RungAudit("record", rungs.record, critical),
    )


MOST_BISECTED = 20_000
"""Records up to which the radius of the common shift is looked for beside the record rung's."""


def _outer(record: CriticalRadius) -> CriticalRadius:
    """Return what the record rung's radius says of a lower rung: safe there is safe here."""
    unsafe = 0.0 if record.unsafe == 0 else np.inf
    return CriticalRadius(record.safe, unsafe, record.unsafe == 0)


def _lower(
    rung: Rung, gap: WorstGap, record: CriticalRadius, measure: Measure, tolerance: float
) -> RungAudit:
    critical = _outer(record)
    if measure.exceeds(gap.found, tolerance) and critical.unsafe > 1:
        critical = replace(critical, unsafe=1.0)
    return RungAudit(rung, gap, critical, _unreached(critical, DECLARED_ALONE), borrowed=True)


NOT_WITHIN = f"not reached within {FARTHEST:g} times the declared moves, where the search stops"
NOT_LOOKED_FOR = "looked for on the per-record rung alone; what is safe there is safe here"
DECLARED_ALONE = "not reached at the declared moves, the only size at which shifts are searched"


def _unreached(critical: CriticalRadius, why: str) -> str:
    """Return why there is no unsafe radius, "" if there is one or none can be."""
    known = critical.reason or np.isfinite(critical.unsafe) or not np.isfinite(critical.safe)
    return "" if known else why


def _searched(
    measure: Measure,
    sample: AuditSample,
    moved: Moved,
    record: WorstGap,
    rng: np.random.Generator,
) -> tuple[WorstGap, WorstGap]:
    """Return the two lower rungs as searched; what no record can do, no shift can."""
    model, values, moves = moved.model, moved.reach.values, moved.allowed.moves

    def score(records: FloatArray) -> FloatArray:
        return moved_score(model, records)

    common = common_shift_search(score, values, moves, sample, measure, rng=rng).gap
    if measure.combine == "mean":
        group = common
    else:
        group = group_shift_search(score, values, moves, sample, measure, rng=rng).gap
        group = replace(group, found=measure.worse(group.found, common.found))
    return (
        replace(common, certified=measure.worse(record.certified, common.found)),
        replace(group, certified=measure.worse(record.certified, group.found)),
    )


def _judged(
    measure: Measure,
    tolerance: float,
    sample: AuditSample,
    worst: WorstGap,
    certified: GapLimits,
    few: Sequence[TooFew],
    moved: Moved | None,
    data: Data,
) -> tuple[Verdict, str]:
    """Return the verdict and why; without a model nothing is robust."""
    empty = empty_decision(sample)
    sure = moved is not None and moved.model.certifiable
    judged = verdict(
        measure,
        worst,
        tolerance=tolerance,
        limit=certified.limit if sure else np.nan,
        assessable=not few and not empty,
    )
    if judged == "not assessable":
        return judged, "; ".join(_obstacles(worst, few, data, empty=empty))
    if judged == "undetermined":
        return judged, _open_because(measure, tolerance, worst, certified, moved)
    return judged, ""


def _obstacles(worst: WorstGap, few: Sequence[TooFew], data: Data, *, empty: bool) -> Iterator[str]:
    if worst.reason:
        yield worst.reason
    for group in worst.left_out:
        yield f"group {data.levels[group]} has no such figure"
    for group in worst.undefined:
        yield f"some moves leave group {data.levels[group]} without the figure (0/0)"
    for one in few:
        rows = "" if one.stratum == "all" else f" with a {one.stratum} row"
        patients = "patient" if one.units == 1 else "patients"
        yield f"group {data.levels[one.group]} has {one.units} {patients}{rows}"
    if empty:
        yield "nobody is selected in any group"


def _open_because(
    measure: Measure,
    tolerance: float,
    worst: WorstGap,
    certified: GapLimits,
    moved: Moved | None,
) -> str:
    if moved is None:
        return "no model is given, so nothing is certified under moves"
    if not moved.model.certifiable:
        return f"a {moved.model.kind} model can only be searched, which certifies nothing"
    if measure.exceeds(worst.certified, tolerance):
        return "no move was found that passes the tolerance, and none was shown to keep it"
    if certified.reason:
        return f"the certified gap has no limit for sampling: {certified.reason}"
    return "the certified gap keeps the tolerance, its one-sided limit for sampling does not"
