"""The scores each record can reach, at any multiple of the declared eps, kept and reused.

A larger ball of moves holds the smaller one. What is attained at a smaller radius is attained at a
larger one, and what is certified at a larger radius holds at a smaller one; so a record is asked
again only where its neighbours leave its decision open.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from reportgen.sections.robust.subject import linear_of, moved_score
from reportgen.stats.robust.intervals import ScoreIntervals, exact_intervals
from reportgen.stats.robust.linear import linear_intervals
from reportgen.stats.robust.metrics import AuditSample
from reportgen.stats.robust.moves import MoveSet
from reportgen.stats.robust_models import Model

FloatArray = NDArray[np.float64]
BoolArray = NDArray[np.bool_]
REPLAYED = 1e-9
"""Largest distance of a witness's score, asked again, from what was attained."""


@dataclass
class Reach:
    """Score intervals of all records by radius.

    Attributes
    ----------
    model : Model
    values : (n, d) float array
    moves : MoveSet
        At radius 1.
    sample : AuditSample
    decisions_only : bool
        Whether nothing but decisions at the threshold is asked of the scores.
    budget : int
        Boxes to split for one record and side.
    seed : int
        Of every search, so that no radius depends on those asked before.
    """

    model: Model
    values: FloatArray
    moves: MoveSet
    sample: AuditSample
    decisions_only: bool
    budget: int
    seed: int
    known: dict[float, ScoreIntervals] = field(default_factory=dict)

    def at(self, radius: float) -> ScoreIntervals:
        """Return the intervals at a multiple of eps, >= 0."""
        if radius not in self.known:
            self.known[radius] = self._made(radius)
        return self.known[radius]

    def _made(self, radius: float) -> ScoreIntervals:
        score, values = self.sample.score, self.values
        if radius == 0 or not self.moves.mutable.any():
            return exact_intervals(score, score, witness_low=values, witness_high=values)
        moves = self.moves.scaled(radius)
        linear = linear_of(self.model)
        if linear is not None:
            return linear_intervals(values, linear, moves, witness=radius == 1)
        near = [r for r in self.known if 0 < r < radius]
        far = [r for r in self.known if r > radius]
        below = self.known[max(near)] if near else self.at(0.0)
        above = self.known[min(far)] if far else None
        asked = self._open(below, above)
        rng = np.random.default_rng(self.seed)
        fresh = self.model.intervals(values[asked], moves, budget=self.budget, rng=rng)
        return _nested(below, above, asked, fresh, score)

    def _open(self, below: ScoreIntervals, above: ScoreIntervals | None) -> BoolArray:
        """Return the records whose ends the neighbouring radii leave open."""
        if above is None:
            return np.ones(len(self.values), dtype=np.bool_)
        if self.decisions_only:
            cut = self.sample.threshold
            low = (below.attained_low >= cut) != (above.certified_low >= cut)
            high = (below.attained_high >= cut) != (above.certified_high >= cut)
            return np.asarray(low | high)
        low = below.attained_low != above.certified_low
        return np.asarray(low | (below.attained_high != above.certified_high))

    def checked(self, radius: float) -> tuple[ScoreIntervals, Checked]:
        """Return the intervals with their witnesses scored again and held to the constraints.

        A witness that breaks a constraint, or does not score what it is said to, is dropped: that
        record then counts as not moved on the found side.
        """
        made = self.at(radius)
        if made.witness_low is None or made.witness_high is None:
            raise ValueError("the intervals carry no witnesses")
        moves = self.moves.scaled(radius)
        ends, sides = [], []
        for witness, attained, certified in (
            (made.witness_low, made.attained_low, made.certified_low),
            (made.witness_high, made.attained_high, made.certified_high),
        ):
            broken = moves.violations(self.values, witness) if len(witness) else np.zeros(0, bool)
            again = moved_score(self.model, witness) if len(witness) else attained
            off = np.abs(again - attained)
            dropped = broken | (off > REPLAYED)
            ends.append(
                (
                    np.where(dropped, self.sample.score, attained),
                    np.where(dropped[:, None], self.values, witness),
                )
            )
            closed = int(np.count_nonzero(np.abs(attained - certified) <= REPLAYED))
            far = float(off.max(initial=0.0))
            sides.append((int(np.count_nonzero(broken)), far, closed))
        (low, low_at), (high, high_at) = ends
        sound = replace(
            made,
            attained_low=low,
            attained_high=high,
            witness_low=low_at,
            witness_high=high_at,
        )
        self.known[radius] = sound
        return sound, Checked(sides[0], sides[1])


@dataclass(frozen=True)
class Checked:
    """For the low and the high end: violations, largest distance, records with a closed search."""

    low: tuple[int, float, int]
    high: tuple[int, float, int]

    @property
    def violations(self) -> int:
        """Witnesses that broke a constraint."""
        return self.low[0] + self.high[0]


def _nested(
    below: ScoreIntervals,
    above: ScoreIntervals | None,
    asked: BoolArray,
    fresh: ScoreIntervals,
    score: FloatArray,
) -> ScoreIntervals:
    """Put what was asked between what is attained below and what is certified above."""
    low, high = below.attained_low.copy(), below.attained_high.copy()
    witness = [
        None if one is None else one.copy() for one in (below.witness_low, below.witness_high)
    ]
    lower = fresh.attained_low < low[asked]
    higher = fresh.attained_high > high[asked]
    for end, attained, better, at, moved in (
        (low, fresh.attained_low, lower, witness[0], fresh.witness_low),
        (high, fresh.attained_high, higher, witness[1], fresh.witness_high),
    ):
        rows = np.flatnonzero(asked)[better]
        end[rows] = attained[better]
        if at is not None and moved is not None:
            at[rows] = moved[better]
    outer_low = np.zeros(len(score)) if above is None else above.certified_low.copy()
    outer_high = np.ones(len(score)) if above is None else above.certified_high.copy()
    if above is None:
        outer_low[asked], outer_high[asked] = fresh.certified_low, fresh.certified_high
    else:
        outer_low[asked] = np.maximum(outer_low[asked], fresh.certified_low)
        outer_high[asked] = np.minimum(outer_high[asked], fresh.certified_high)
    return ScoreIntervals(
        low,
        high,
        np.minimum(outer_low, low),
        np.maximum(outer_high, high),
        witness[0],
        witness[1],
        exact=bool(asked.all() and fresh.exact),
    )
