"""Three rungs of moves: one common shift, one shift for each group, each record on its own.

common <= group <= record: each rung allows what the one below does. Under a linear score one shift
of the features is one number t added to every margin, so the lower rungs are problems in t alone:
exact by breakpoints for hard decisions, and by chords with a bound on curvature for soft ones.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np

from reportgen.stats.robust.gaps import Measure, WorstGap, combined, gap_of_ranges, worst_gap
from reportgen.stats.robust.intervals import FloatArray, ScoreIntervals
from reportgen.stats.robust.linear import LinearModel, linear_intervals, margin_reach
from reportgen.stats.robust.lines import Line, common_shift
from reportgen.stats.robust.metrics import RATES, AuditSample, group_ranges
from reportgen.stats.robust.moves import MoveSet


@dataclass(frozen=True)
class Rungs:
    """The worst gap on each rung.

    Attributes
    ----------
    common, group, record : WorstGap
    shift : float
        What the worst common shift found adds to every margin; NaN without a gap.
    """

    common: WorstGap
    group: WorstGap
    record: WorstGap
    shift: float


def free_reach(
    values: FloatArray, model: LinearModel, moves: MoveSet
) -> tuple[float, float] | None:
    """Return how far one shift takes every margin, down (<= 0) and up, if nothing is in its way.

    None if a bound lies within eps of a record, or features move in steps or swaps: then one shift
    does not move all records alike.
    """
    moving = moves.mutable
    if (moving & ~moves.continuous).any():
        return None
    own, eps = values[:, moving], moves.eps[moving]
    rises = own + np.where(moves.up[moving], eps, 0.0)
    falls = own - np.where(moves.down[moving], eps, 0.0)
    if (rises > moves.upper[moving]).any() or (falls < moves.lower[moving]).any():
        return None
    one = values[:1]
    up = margin_reach(one, model.coefficients, moves, witness=False).attained[0]
    down = margin_reach(one, -model.coefficients, moves, witness=False).attained[0]
    return -float(down), float(up)


def linear_rungs(
    values: FloatArray,
    model: LinearModel,
    moves: MoveSet,
    sample: AuditSample,
    measure: Measure,
    *,
    intervals: ScoreIntervals | None = None,
) -> Rungs | None:
    """Return the worst gap of a linear score on each rung.

    Parameters
    ----------
    values : (n, d) float array
    model : LinearModel
    moves : MoveSet
    sample : AuditSample
        Of the same records, with the model's scores.
    measure : Measure
    intervals : ScoreIntervals, optional
        Of the record rung, if known already.

    Returns
    -------
    Rungs or None
        None where `free_reach` is: the lower rungs are then for `search.shift_search`. Where a rung
        is not exact its certified value is at worst that of the record rung.
    """
    reach = free_reach(values, model, moves)
    if reach is None:
        return None
    if intervals is None:
        intervals = linear_intervals(values, model, moves, witness=False)
    record = worst_gap(measure, sample, intervals)
    if record.reason:
        return Rungs(record, record, record, math.nan)
    line = Line(model, model.margin(values), sample, measure)
    common, shift = common_shift(line, *reach, record=record)
    return Rungs(common, group_shift(line, *reach, record=record), record, shift)


def group_shift(line: Line, low: float, high: float, *, record: WorstGap) -> WorstGap:
    """Return the worst gap with one shift of the margin for each group, low <= t <= high.

    A rate is worst with all records of a group moved one way, which one shift does: then this is
    the record rung. For measures of quality each group's own range over t is taken.

    Parameters
    ----------
    line : Line
    low, high : float
        low <= 0 <= high.
    record : WorstGap
        Of the record rung, which nothing here can pass.
    """
    if all(metric in RATES for metric in line.measure.metrics):
        return record
    exact = line.stepped
    shifts = line.breakpoints(low, high) if exact else np.linspace(low, high, 257)
    found = []
    for metric, values in zip(line.measure.metrics, line.values(shifts), strict=True):
        score = line.sample.score
        still = group_ranges(metric, line.sample, ScoreIntervals(score, score, score, score))
        with np.errstate(all="ignore"):
            ends = _without_nan(values, still.base)
        found.append(
            gap_of_ranges(
                line.measure,
                replace(
                    still,
                    attained_low=ends.min(axis=0),
                    attained_high=ends.max(axis=0),
                    certified_low=ends.min(axis=0),
                    certified_high=ends.max(axis=0),
                ),
            )
        )
    gap = combined(line.measure, found)
    return gap if exact else replace(gap, certified=record.certified)


def _without_nan(values: FloatArray, base: FloatArray) -> FloatArray:
    """Return the values by shift and group, 0/0 replaced by the base, and the base with them."""
    return np.vstack([np.where(np.isnan(values), base, values), base[None, :]])
