"""What the worst move is made of: features, groups and the records whose decision it changes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import combinations
from math import factorial

import numpy as np

from reportgen.stats.robust.gaps import WorstGap
from reportgen.stats.robust.intervals import BoolArray, FloatArray, ScoreIntervals
from reportgen.stats.robust.metrics import QUALITY, AuditSample

MOST_EXACT = 10
"""Features up to which Shapley values are exact: 2^10 coalitions."""


def worst_records(
    values: FloatArray, sample: AuditSample, gap: WorstGap, intervals: ScoreIntervals
) -> FloatArray:
    """Return the records at the witness of the found gap, (n, d).

    The highest group is moved up and the lowest down; for measures of quality up means its
    positives up and negatives down (the Brier score the other way). Other groups stay.

    Parameters
    ----------
    values : (n, d) float array
    sample : AuditSample
    gap : WorstGap
        Of these intervals.
    intervals : ScoreIntervals
        With witnesses.

    Raises
    ------
    ValueError
        If the intervals carry no witnesses.
    """
    if intervals.witness_low is None or intervals.witness_high is None:
        raise ValueError("the score intervals carry no witnesses")
    up = np.zeros(len(values), dtype=np.bool_)
    down = np.zeros(len(values), dtype=np.bool_)
    overall = gap.highest < 0 or gap.lowest < 0  # all other groups then go the other way
    for group, ends in ((gap.highest, (up, down)), (gap.lowest, (down, up))):
        own = sample.group == group
        if overall and group < 0:
            own = sample.group != max(gap.highest, gap.lowest)
        rising, falling = ends
        if gap.metric in QUALITY and sample.positive is not None:
            better = sample.positive != (gap.metric == "brier")
            rising |= own & better
            falling |= own & ~better
        else:
            rising |= own
    moved = np.where(up[:, None], intervals.witness_high, values)
    return np.where(down[:, None], intervals.witness_low, moved)


def linear_shares(moves: FloatArray, coefficients: FloatArray) -> FloatArray:
    """Return the share of each feature in the movement of a linear margin, (d,), sum 1.

    Parameters
    ----------
    moves : (n, d) float array
        Moved records minus records.
    coefficients : (d,) float array

    Returns
    -------
    (d,) float array
        |w_j move_ij| summed over records, over the sum of all; NaN if nothing moves the margin.
        Along the dual vector: eps|w| under L-infinity, (eps w)^2 under L2, one feature under L1,
        each over its sum.
    """
    parts = np.abs(moves * coefficients).sum(axis=0)
    total = parts.sum()
    return np.asarray(parts / total) if total > 0 else np.full(len(parts), np.nan)


@dataclass(frozen=True)
class Shapley:
    """Shapley values of a worst move.

    Attributes
    ----------
    value : (d,) float array
        What each feature adds to the gap; features that do not move have 0.
    share : (d,) float array
        Over the sum; NaN if the sum is 0.
    total : float
        Change of the gap by the whole move.
    completeness : float
        Sum of the values minus `total`: 0 but for rounding.
    error : (d,) float array
        Standard error over permutations; 0 where exact.
    exact : bool
    """

    value: FloatArray
    share: FloatArray
    total: float
    completeness: float
    error: FloatArray
    exact: bool


def shapley_shares(
    gap_of: Callable[[FloatArray], float],
    values: FloatArray,
    moved: FloatArray,
    *,
    rng: np.random.Generator,
    permutations: int = 200,
    units: Sequence[Sequence[int]] | None = None,
) -> Shapley:
    """Return how much of the gap's change each feature brings about.

    Parameters
    ----------
    gap_of : callable
        (n, d) records to the gap.
    values, moved : (n, d) float arrays
        The records, and where the worst move puts them.
    rng : numpy.random.Generator
        Draws the orders where there are more than MOST_EXACT moving units.
    permutations : int
        Orders drawn, each with its reverse.
    units : sequence of sequences of int, optional
        Columns that move together (a category); absent: each column alone. The value of a unit
        stands at its first column.

    References
    ----------
    Shapley (1953); sampling as Castro, Gómez & Tejada (2009), Comput Oper Res 36:1726.
    """
    d = values.shape[1]
    grouped = [list(unit) for unit in (units or [[j] for j in range(d)])]
    moving = [unit for unit in grouped if (moved[:, unit] != values[:, unit]).any()]
    known: dict[frozenset[int], float] = {}

    def worth(players: frozenset[int]) -> float:
        if players not in known:
            columns = [j for player in sorted(players) for j in moving[player]]
            mixed = values.copy()
            mixed[:, columns] = moved[:, columns]
            known[players] = gap_of(mixed)
        return known[players]

    exact = len(moving) <= MOST_EXACT
    if exact:
        found, error = _all_coalitions(worth, len(moving)), np.zeros(len(moving))
    else:
        found, error = _permuted(worth, len(moving), rng, permutations)
    total = worth(frozenset(range(len(moving)))) - worth(frozenset())
    value, spread = np.zeros(d), np.zeros(d)
    first = [unit[0] for unit in moving]
    value[first], spread[first] = found, error
    share = value / total if total != 0 else np.full(d, np.nan)
    return Shapley(value, share, total, float(value.sum() - total), spread, exact)


def _all_coalitions(worth: Callable[[frozenset[int]], float], players: int) -> FloatArray:
    value = np.zeros(players)
    for player in range(players):
        others = [k for k in range(players) if k != player]
        for size in range(players):
            weight = factorial(size) * factorial(players - size - 1) / factorial(players)
            for chosen in combinations(others, size):
                without = frozenset(chosen)
                value[player] += weight * (worth(without | {player}) - worth(without))
    return value


def _permuted(
    worth: Callable[[frozenset[int]], float],
    players: int,
    rng: np.random.Generator,
    permutations: int,
) -> tuple[FloatArray, FloatArray]:
    """Return mean marginal gains over random orders and their reverses, with standard errors."""
    gains = np.zeros((permutations, players))
    for row in gains:
        order = rng.permutation(players)
        for one in (order, order[::-1]):
            before, inside = worth(frozenset()), frozenset[int]()
            for player in one:
                inside = inside | {int(player)}
                after = worth(inside)
                row[player] += (after - before) / 2
                before = after
    error = gains.std(axis=0, ddof=1) / np.sqrt(permutations)
    return gains.mean(axis=0), np.asarray(error)


def linear_critical_alone(
    radius: float, reach: float, coefficients: FloatArray, eps: FloatArray
) -> FloatArray:
    """Return how far each feature must move alone to pass the tolerance, in its own unit.

    Parameters
    ----------
    radius : float
        Critical radius of all features together, in multiples of eps.
    reach : float
        What one multiple of eps adds to the margin: the dual norm.
    coefficients, eps : (d,) float arrays

    Returns
    -------
    (d,) float array
        Critical change of the margin over |w|; infinite for a feature with no weight or no eps.
        It holds where no bound is in the way.
    """
    with np.errstate(divide="ignore"):
        alone = radius * reach / np.abs(coefficients)
    return np.where(eps > 0, alone, np.inf)


def mean_moves(values: FloatArray, moved: FloatArray, sample: AuditSample) -> FloatArray:
    """Return the mean move of each feature in each group, in units, (L, d); NaN: no records."""
    rows = np.bincount(sample.group, minlength=sample.n_groups).astype(np.float64)
    moves = moved - values
    sums = np.zeros((sample.n_groups, values.shape[1]))
    np.add.at(sums, sample.group, moves)
    with np.errstate(invalid="ignore"):
        return np.asarray(sums / rows[:, None])


@dataclass(frozen=True)
class Flips:
    """Records of a group and label whose decision a move changes.

    Attributes
    ----------
    group : int
    positive : bool or None
        The label; None without labels.
    rows, selected, deselected : int
        All such records, and those that become selected and stop being it.
    """

    group: int
    positive: bool | None
    rows: int
    selected: int
    deselected: int


def flips(sample: AuditSample, moved_score: FloatArray) -> tuple[Flips, ...]:
    """Return, by group and label, the records whose decision a move changes.

    Parameters
    ----------
    sample : AuditSample
        Decisions by its threshold, whatever the measure uses.
    moved_score : (n,) float array
        Scores of the moved records.
    """
    before = sample.score >= sample.threshold
    after = moved_score >= sample.threshold
    labels: tuple[bool | None, ...] = (None,) if sample.positive is None else (True, False)
    result = []
    for group in range(sample.n_groups):
        for label in labels:
            own = _stratum(sample, group, label)
            result.append(
                Flips(
                    group,
                    label,
                    int(np.count_nonzero(own)),
                    int(np.count_nonzero(own & ~before & after)),
                    int(np.count_nonzero(own & before & ~after)),
                )
            )
    return tuple(result)


def _stratum(sample: AuditSample, group: int, label: bool | None) -> BoolArray:
    own = sample.group == group
    if label is None or sample.positive is None:
        return np.asarray(own)
    return np.asarray(own & (sample.positive == label))


def near_boundary(down: FloatArray, up: FloatArray, *, radius: float = 0.5) -> int:
    """Return how many records change their decision within `radius` of the budget.

    Parameters
    ----------
    down, up : (n,) float arrays
        From `critical.flip_radii`.
    radius : float
        In multiples of eps.
    """
    return int(np.count_nonzero(np.minimum(down, up) <= radius))
