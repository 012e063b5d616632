"""Search by asking for scores alone: starts for single records, and shifts of whole groups.

Whatever is found is a lower bound with a witness; nothing here certifies. Moves are always chosen
for the gap as a whole or for each record by itself: a random direction for every record, kept or
dropped as one, averages out and finds next to nothing however many are drawn.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace

import numpy as np

from reportgen.stats.robust.filling import fill
from reportgen.stats.robust.gaps import Measure, WorstGap, combined, gap_of_ranges, worst_gap
from reportgen.stats.robust.intervals import FloatArray, static_intervals
from reportgen.stats.robust.metrics import AuditSample, GroupRanges, group_ranges, metric_ends
from reportgen.stats.robust.moves import SLACK, MoveSet

Scorer = Callable[[FloatArray], FloatArray]


def keep_best(
    score: Scorer, values: FloatArray, candidates: Iterable[FloatArray], *, sign: float
) -> FloatArray:
    """Return, for each record by itself, the candidate that scores best, or the record.

    Parameters
    ----------
    score : callable
        (n, d) records to (n,) scores.
    values : (n, d) float array
    candidates : iterable of (n, d) float arrays
        Moved records; that they are allowed is the caller's matter.
    sign : float
        1 for the highest score, -1 for the lowest.
    """
    best, reached = values.copy(), sign * score(values)
    for candidate in candidates:
        value = sign * score(candidate)
        better = value > reached
        best[better], reached[better] = candidate[better], value[better]
    return best


def dual_start(score: Scorer, values: FloatArray, moves: MoveSet, *, sign: float) -> FloatArray:
    """Return each record moved along what one feature at a time shows to pay.

    Every feature is tried alone at both its ends; the budget is then spent on the gains seen as if
    they were those of a linear score. Exact for linear margins, a good start elsewhere: coordinate
    steps alone spend an L1 or L2 budget on the first feature that helps.

    Parameters
    ----------
    score : callable
        Asked 2 d + 1 times at most.
    values : (n, d) float array
    moves : MoveSet
        Categories are left as they are.
    sign : float
        1 to raise the score, -1 to lower it.
    """
    low, high = moves.box(values)
    n, d = values.shape
    room, gain, way = np.zeros((n, d)), np.zeros((n, d)), np.zeros((n, d))
    start = sign * score(values)
    for j in _single(moves):
        for end in (low, high):
            moved = values.copy()
            moved[:, j] = end[:, j]
            share = np.abs(end[:, j] - values[:, j]) / moves.eps[j]
            rise = (sign * score(moved) - start) / np.where(share > 0, share, 1.0)
            better = (share > 0) & (rise > gain[:, j])
            gain[better, j], room[better, j] = rise[better], share[better]
            way[better, j] = np.sign(end[:, j] - values[:, j])[better]
    amount = fill(room, gain, 1.0, norm=moves.norm) * moves.eps
    amount = np.where(moves.stepped, np.floor(amount * (1 + SLACK)), amount)
    moved = np.clip(values + way * amount, low, high)
    moved[moves.violations(values, moved)] = values[moves.violations(values, moved)]
    return moved


def _single(moves: MoveSet) -> list[int]:
    """Return the moving features that are no column of a category."""
    category = np.array([kind == "category" for kind in moves.kinds], dtype=np.bool_)
    return [int(j) for j in np.flatnonzero(moves.mutable & ~category)]


def shifted(values: FloatArray, shift: FloatArray, moves: MoveSet) -> FloatArray:
    """Return all records moved by one shift, each as far as its bounds allow, (n, d)."""
    low, high = moves.box(values)
    moved = np.clip(values + shift, low, high)
    for columns in moves.categories:
        moved[:, list(columns)] = values[:, list(columns)]
    return moved


@dataclass(frozen=True)
class ShiftFound:
    """The worst shift a search came upon.

    Attributes
    ----------
    gap : WorstGap
        `certified` is infinite (0 for ratios) until a caller has a certificate, such as that of the
        record rung.
    shift : (d,) or (L, 2, d) float array
        The common shift; or for each group the shifts that lower and raise its figure, of the last
        metric.
    """

    gap: WorstGap
    shift: FloatArray


def common_shift_search(
    score: Scorer,
    values: FloatArray,
    moves: MoveSet,
    sample: AuditSample,
    measure: Measure,
    *,
    rng: np.random.Generator,
    sweeps: int = 2,
) -> ShiftFound:
    """Return the worst common shift found by coordinate ascent on the gap itself.

    Parameters
    ----------
    score : callable
        (n, d) records to (n,) scores; asked about (2 + 4 sweeps) d times.
    values : (n, d) float array
    moves : MoveSet
    sample : AuditSample
        Of the same records, with the model's scores.
    measure : Measure
    rng : numpy.random.Generator
    sweeps : int
    """

    def at(shift: FloatArray) -> WorstGap:
        moved = replace(sample, score=score(shifted(values, shift, moves)))
        return worst_gap(measure, moved, static_intervals(moved.score))

    start = worst_gap(measure, sample, static_intervals(sample.score))
    if start.reason:
        return ShiftFound(start, np.zeros(moves.n_features))
    sign = -1.0 if measure.falls else 1.0

    def height(shift: FloatArray) -> float:
        value = sign * at(shift).base
        return -np.inf if np.isnan(value) else value

    shift = _ascend(height, moves, rng, sweeps)
    found = at(shift)
    certified = 0.0 if measure.falls else np.inf
    gap = replace(found, base=start.base, found=found.base, certified=float(certified))
    return ShiftFound(gap, shift)


def group_shift_search(
    score: Scorer,
    values: FloatArray,
    moves: MoveSet,
    sample: AuditSample,
    measure: Measure,
    *,
    rng: np.random.Generator,
    sweeps: int = 2,
) -> ShiftFound:
    """Return the worst gap found with one shift for each group.

    Groups share no records: each is shifted to lower its figure and to raise it, by itself.

    Parameters
    ----------
    score, values, moves, sample, measure, rng, sweeps
        As `common_shift_search`; the measure must not be a mean of gaps, whose parts need not be
        attained by one shift.
    """
    if measure.combine == "mean":
        raise ValueError(f"{measure.name} is a mean of gaps, not searched by group")
    parts, shifts = [], np.zeros((sample.n_groups, 2, moves.n_features))
    for metric in measure.metrics:
        ranges = group_ranges(metric, sample, static_intervals(sample.score))
        low, high = ranges.base.copy(), ranges.base.copy()
        for g in np.flatnonzero(~np.isnan(ranges.base)):
            group = _Group(score, values, moves, sample, metric, int(g))
            for side, sign in enumerate((-1.0, 1.0)):
                shift = _ascend(group.heights(sign), moves, rng, sweeps)
                (low, high)[side][g] = group.figure(shift)
                shifts[g, side] = shift
        parts.append(gap_of_ranges(measure, _ranged(ranges, low, high)))
    gap = combined(measure, parts)
    certified = 0.0 if measure.falls else np.inf
    return ShiftFound(replace(gap, certified=float(certified)), shifts)


def _ranged(ranges: GroupRanges, low: FloatArray, high: FloatArray) -> GroupRanges:
    return replace(
        ranges, attained_low=low, attained_high=high, certified_low=low, certified_high=high
    )


@dataclass(frozen=True)
class _Group:
    """One group and the figure to move."""

    score: Scorer
    values: FloatArray
    moves: MoveSet
    sample: AuditSample
    metric: str
    group: int

    def figure(self, shift: FloatArray) -> float:
        """Return the figure of the group after a shift."""
        own = self.sample.group == self.group
        moved = self.score(shifted(self.values[own], shift, self.moves))
        label = None if self.sample.positive is None else self.sample.positive[own]
        alone = replace(
            self.sample,
            score=moved,
            group=np.zeros(len(moved), dtype=np.intp),
            n_groups=1,
            positive=label,
        )
        return float(metric_ends(self.metric, alone, moved, moved).low[0])

    def heights(self, sign: float) -> Callable[[FloatArray], float]:
        """Return the figure, signed, as what is to be raised; undefined is lowest."""

        def height(shift: FloatArray) -> float:
            value = sign * self.figure(shift)
            return -np.inf if np.isnan(value) else value

        return height


def _ascend(
    height: Callable[[FloatArray], float],
    moves: MoveSet,
    rng: np.random.Generator,
    sweeps: int,
) -> FloatArray:
    """Return the best shift found: the dual start, then one feature at a time.

    A shift of 0 is among the candidates, so that what is found is never below the static figure.
    """
    best = np.zeros(moves.n_features)
    reached = height(best)
    features = _single(moves)
    for candidate in (_dual_shift(height, moves, reached, features),):
        value = height(candidate)
        if value > reached:
            best, reached = candidate, value
    for sweep in range(sweeps):
        before = reached
        for j in features:
            for to in _targets(best, moves, j, rng, inside=2 if sweep else 0):
                candidate = best.copy()
                candidate[j] = to
                value = height(candidate)
                if value > reached:
                    best, reached = candidate, value
        if sweep and reached == before:
            break
    return best


def _dual_shift(
    height: Callable[[FloatArray], float], moves: MoveSet, start: float, features: list[int]
) -> FloatArray:
    gain, way = np.zeros(moves.n_features), np.zeros(moves.n_features)
    for j in features:
        for sign, allowed in ((1.0, moves.up[j]), (-1.0, moves.down[j])):
            shift = np.zeros(moves.n_features)
            shift[j] = sign * moves.eps[j]
            rise = height(shift) - start if allowed else 0.0
            if np.isfinite(rise) and rise > gain[j]:
                gain[j], way[j] = rise, sign
    room = np.where(gain > 0, 1.0, 0.0)
    share = fill(room[None, :], gain[None, :], 1.0, norm=moves.norm)[0]
    return _whole(way * share * moves.eps, moves)


def _whole(shift: FloatArray, moves: MoveSet) -> FloatArray:
    return np.where(moves.stepped, np.trunc(shift * (1 + SLACK)), shift)


def _targets(
    best: FloatArray, moves: MoveSet, j: int, rng: np.random.Generator, *, inside: int
) -> list[float]:
    """Return where feature j may go while the others stay: its ends, 0 and points inside."""
    others = best.copy()
    others[j] = 0.0
    spent = min(1.0, float(moves.cost(others[None, :])[0]))
    left = {"linf": 1.0, "l1": 1.0 - spent, "l2": float(np.sqrt(1.0 - spent**2))}[moves.norm]
    ends = np.array([-float(moves.down[j]), float(moves.up[j])]) * left * moves.eps[j]
    drawn = ends[0] + rng.random(inside) * (ends[1] - ends[0])
    targets = np.concatenate([ends, [0.0], drawn])
    return [float(t) for t in (np.trunc(targets) if moves.stepped[j] else targets)]
