"""Three rungs of moves of one measure, each with its critical radius."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from reportgen.language import _, mark
from reportgen.sections.robust.allowed import Allowed
from reportgen.sections.robust.data import FloatArray
from reportgen.sections.robust.reach import Checked, Reach
from reportgen.sections.robust.reasons import told
from reportgen.sections.robust.result import Rung
from reportgen.sections.robust.subject import linear_of, moved_score
from reportgen.stats.robust.critical import (
    CriticalRadius,
    bracketed_critical,
    linear_critical,
)
from reportgen.stats.robust.gaps import Measure, WorstGap, worst_gap
from reportgen.stats.robust.intervals import ScoreIntervals, static_intervals
from reportgen.stats.robust.metrics import RATES, AuditSample
from reportgen.stats.robust.rungs import linear_rungs
from reportgen.stats.robust.search import common_shift_search, group_shift_search
from reportgen.stats.robust_models import Model
from reportgen.wording import typed

FARTHEST = 4.0
"""Multiples of eps up to which radii of models without a closed form are looked for."""
STEPS = 8
"""Halvings of such a bracket."""


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
class Moved:
    """The model and what its records can reach."""

    model: Model
    allowed: Allowed
    reach: Reach
    checked: Checked


def audited_rungs(
    measure: Measure,
    tolerance: float,
    sample: AuditSample,
    moved: Moved,
    rng: np.random.Generator,
) -> tuple[RungAudit, ...]:
    """Return the common, the group and the record rung of one measure.

    Exact where the model is linear and nothing is in the way of a shift, else the record rung by
    the model's own intervals and the lower ones by search.
    """
    ends = moved.reach.at(1.0)
    record = worst_gap(measure, sample, ends)
    if record.reason:
        none = CriticalRadius(np.nan, np.nan, False, record.reason)
        return tuple(RungAudit(rung, record, none, told(record.reason)) for rung in RUNGS)
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


NOT_WITHIN = mark("not reached within {times} times the declared moves, where the search stops")
NOT_LOOKED_FOR = mark("looked for on the per-record rung alone; what is safe there is safe here")
DECLARED_ALONE = mark(
    "not reached at the declared moves, the only size at which shifts are searched"
)


def _unreached(critical: CriticalRadius, why: str) -> str:
    """Return why there is no unsafe radius, "" if there is one or none can be."""
    known = critical.reason or np.isfinite(critical.unsafe) or not np.isfinite(critical.safe)
    return "" if known else _(why).format(times=typed(FARTHEST))


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
