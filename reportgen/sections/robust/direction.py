"""What the worst move is made of, by feature, group and decision."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from reportgen.language import _, mark
from reportgen.sections.robust.audit import Audit, MetricAudit
from reportgen.sections.robust.data import Data, FloatArray
from reportgen.sections.robust.reach import Reach
from reportgen.sections.robust.reasons import told
from reportgen.sections.robust.result import AttributionRow, DirectionRow, FlipRow
from reportgen.sections.robust.rows import STRATUM, number
from reportgen.sections.robust.rungs import FARTHEST, Moved
from reportgen.sections.robust.settings import RobustSettings
from reportgen.sections.robust.subject import linear_of, moved_score, moved_units
from reportgen.stats.robust.attribution import (
    Shapley,
    flips,
    linear_shares,
    mean_moves,
    near_boundary,
    shapley_shares,
    worst_records,
)
from reportgen.stats.robust.critical import (
    CriticalRadius,
    bracketed_critical,
    flip_radii,
    linear_critical,
)
from reportgen.stats.robust.gaps import WorstGap, worst_gap
from reportgen.stats.robust.intervals import ScoreIntervals, static_intervals
from reportgen.stats.robust.metrics import AuditSample

ALONE_STEPS = 6
"""Halvings of the bracket of one feature's stand-alone move, without a closed form."""
MARGIN = mark("shares of the movement of the margin")
ALL_SUBSETS = mark("Shapley values over all subsets")
RANDOM_ORDERS = mark("Shapley values over random orders")
NOT_REACHED = mark("not reached")
"""Codes in the results: pages look them up, and translate them."""


@dataclass(frozen=True)
class Directions:
    """The rows on the worst moves of all metrics."""

    direction: tuple[DirectionRow, ...] = ()
    attribution: tuple[AttributionRow, ...] = ()
    flips: tuple[FlipRow, ...] = ()
    n_near_boundary: int | None = None


def directions(audit: Audit, data: Data, settings: RobustSettings, seed: int) -> Directions:
    """Return what the worst move of every metric is made of; nothing without a model."""
    moved = audit.moved
    if moved is None:
        return Directions()
    rows: list[DirectionRow] = []
    shares: list[AttributionRow] = []
    changed: list[FlipRow] = []
    decided = settings.decisions == "hard" or settings.threshold is not None
    for at, one in enumerate(audit.metrics):
        gap = witnessed(one, one.sample, moved)
        if gap.reason:
            continue
        worst = moved_records(gap, one.sample, moved, data)
        shapley = _shares(one, gap, worst, one.sample, moved, np.random.default_rng([seed, at]))
        rows += _rows(one, worst, shapley, one.sample, moved, data, settings)
        shares.append(_attribution(one, shapley))
        if decided:
            changed += _flips(one, worst, one.sample, moved, data)
    return Directions(tuple(rows), tuple(shares), tuple(changed), _near(audit.sample, moved))


def witnessed(one: MetricAudit, sample: AuditSample, moved: Moved) -> WorstGap:
    """Return the gap that the witnesses of single records attain, in its leading metric."""
    gap = worst_gap(one.measure, sample, moved.reach.at(1.0))
    for part in gap.parts:
        if part.metric == gap.metric:
            return part
    return gap


def moved_records(gap: WorstGap, sample: AuditSample, moved: Moved, data: Data) -> FloatArray:
    """Return the records at the witness of a gap; rows its metric is not taken over stay."""
    values = moved.reach.values
    worst = worst_records(values, sample, gap, moved.reach.at(1.0))
    label = STRATUM.get(gap.metric)
    if label is None or data.positive is None:
        return worst
    return np.where((data.positive == label)[:, None], worst, values)


def _shares(
    one: MetricAudit,
    gap: WorstGap,
    worst: FloatArray,
    sample: AuditSample,
    moved: Moved,
    rng: np.random.Generator,
) -> Shapley | FloatArray:
    values, linear = moved.reach.values, linear_of(moved.model)
    if linear is not None:
        return linear_shares(worst - values, linear.coefficients)
    single = replace(one.measure, metrics=(gap.metric,))

    def gap_of(records: FloatArray) -> float:
        score = moved_score(moved.model, records)
        at = replace(sample, score=score)
        return float(worst_gap(single, at, static_intervals(score)).base)

    units = moved_units(moved.allowed.moves)
    return shapley_shares(gap_of, values, worst, rng=rng, units=units)


def _rows(
    one: MetricAudit,
    worst: FloatArray,
    shares: Shapley | FloatArray,
    sample: AuditSample,
    moved: Moved,
    data: Data,
    settings: RobustSettings,
) -> Iterator[DirectionRow]:
    values, moves = np.nan_to_num(moved.reach.values), moved.allowed.moves
    mean = mean_moves(values, np.nan_to_num(worst), sample)
    share = shares.share if isinstance(shares, Shapley) else shares
    error = shares.error if isinstance(shares, Shapley) else None
    total = shares.total if isinstance(shares, Shapley) else 1.0
    for columns in moved_units(moves):
        first = columns[0]
        if not moves.mutable[first]:
            continue
        alone = _alone(one, columns, sample, moved, settings)
        for group, name in enumerate(data.levels):
            spread = None if error is None or total == 0 else float(error[first] / abs(total))
            for column in columns:
                yield DirectionRow(
                    metric=one.measure.name,
                    group=name,
                    feature=moved.model.features[column],
                    move=number(float(mean[group, column])),
                    unit=moved.allowed.units[column],
                    share=number(float(share[list(columns)].sum())),
                    share_error=spread,
                    move_alone=number(alone.unsafe * float(moves.eps[first])),
                    move_alone_reason=_alone_reason(alone),
                )


def _alone_reason(alone: CriticalRadius) -> str:
    if alone.reason:
        return told(alone.reason)
    return NOT_REACHED if math.isinf(alone.unsafe) else ""


def _alone(
    one: MetricAudit,
    columns: Sequence[int],
    sample: AuditSample,
    moved: Moved,
    settings: RobustSettings,
) -> CriticalRadius:
    """Return the radius at which one feature by itself passes the tolerance."""
    moves, values = moved.allowed.moves.only(list(columns)), moved.reach.values
    linear = linear_of(moved.model)
    if linear is not None:
        return linear_critical(values, linear, moves, sample, one.measure, tolerance=one.tolerance)
    if one.record is not None and one.record.critical.unsafe in (0.0, math.inf):
        return one.record.critical  # what all features together do not pass, one does not
    whole = moved.reach
    reach = Reach(
        moved.model, values, moves, sample, whole.decisions_only, settings.node_budget, whole.seed
    )
    reach.at(FARTHEST)

    def gap_at(radius: float) -> WorstGap:
        return worst_gap(one.measure, sample, reach.at(radius))

    return bracketed_critical(
        gap_at, one.measure, tolerance=one.tolerance, farthest=FARTHEST, steps=ALONE_STEPS
    )


def _attribution(one: MetricAudit, shares: Shapley | FloatArray) -> AttributionRow:
    if not isinstance(shares, Shapley):
        nothing = bool(np.isnan(shares).any())
        return AttributionRow(
            metric=one.measure.name,
            method=MARGIN,
            change=number(one.worst.found - one.worst.base),
            sum_of_values=None,
            completeness=None,
            reason=_("nothing moves the margin") if nothing else "",
        )
    return AttributionRow(
        metric=one.measure.name,
        method=ALL_SUBSETS if shares.exact else RANDOM_ORDERS,
        change=number(shares.total),
        sum_of_values=number(float(shares.value.sum())),
        completeness=number(shares.completeness),
        reason=_("the move changes no gap") if shares.total == 0 else "",
    )


def _flips(
    one: MetricAudit, worst: FloatArray, sample: AuditSample, moved: Moved, data: Data
) -> Iterator[FlipRow]:
    for row in flips(sample, moved_score(moved.model, worst)):
        label = {None: "all", True: "positive", False: "negative"}[row.positive]
        yield FlipRow(
            metric=one.measure.name,
            group=data.levels[row.group],
            label=label,  # type: ignore[arg-type]
            n_rows=row.rows,
            selected=row.selected,
            deselected=row.deselected,
        )


def _near(sample: AuditSample, moved: Moved) -> int | None:
    """Return how many records change their decision within half the budget."""
    if sample.decisions != "hard":
        return None
    linear, moves = linear_of(moved.model), moved.allowed.moves
    if linear is not None and not (~moves.continuous & moves.mutable).any():
        values = moved.reach.values
        return near_boundary(*flip_radii(values, linear, moves, threshold=sample.threshold))
    half: ScoreIntervals = moved.reach.at(0.5)
    cut = sample.threshold
    chosen = sample.score >= cut
    return int(
        np.count_nonzero(np.where(chosen, half.attained_low < cut, half.attained_high >= cut))
    )
