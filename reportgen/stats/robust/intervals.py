"""The scores each record can reach under the allowed moves: what is attained, what is certified."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

FloatArray = NDArray[np.float64]
BoolArray = NDArray[np.bool_]

ROUNDING = 1e-9
"""Attained may pass certified by this much: the rounding of two routes to one number."""

CLOSED = 1e-12
"""A bracket no wider than this counts as closed."""


@dataclass(frozen=True)
class ScoreIntervals:
    """The interval of scores that each record can reach, from inside and from outside.

    Attributes
    ----------
    attained_low, attained_high : (n,) float arrays
        Scores of the witnesses: reached for certain. The score without a move lies between them.
    certified_low, certified_high : (n,) float arrays
        No allowed move passes these. They enclose the attained ends.
    witness_low, witness_high : (n, d) float arrays or None
        The moved records that score `attained_low` and `attained_high`; None if not kept.
    exact : bool
        Whether attained and certified ends are equal by construction.

    Raises
    ------
    ValueError
        If shapes differ, an end is NaN, or a certified end lies inside an attained one.

    Notes
    -----
    Scores are on one scale throughout: probabilities in [0, 1] unless the maker says otherwise.
    """

    attained_low: FloatArray
    attained_high: FloatArray
    certified_low: FloatArray
    certified_high: FloatArray
    witness_low: FloatArray | None = None
    witness_high: FloatArray | None = None
    exact: bool = False

    def __post_init__(self) -> None:
        ends = (self.attained_low, self.attained_high, self.certified_low, self.certified_high)
        shapes = [end.shape for end in ends]
        if len(set(shapes)) != 1 or len(shapes[0]) != 1:
            raise ValueError(f"the ends of score intervals have the shapes {shapes}")
        if any(np.isnan(end).any() for end in (ends[:2] if self.one_pair else ends)):
            raise ValueError("an end of a score interval is NaN")
        inside = np.maximum(
            self.certified_low - self.attained_low, self.attained_high - self.certified_high
        )
        if np.any(inside > ROUNDING):
            row = int(np.argmax(inside))
            raise ValueError(f"record {row} attains a score outside its certified interval")
        for witness in (self.witness_low, self.witness_high):
            if witness is not None and (witness.ndim != 2 or len(witness) != len(ends[0])):
                raise ValueError(f"witnesses of {len(ends[0])} records have shape {witness.shape}")

    def __len__(self) -> int:
        return len(self.attained_low)

    @property
    def one_pair(self) -> bool:
        """Whether attained and certified ends are the same arrays, so that work is done once."""
        same_low = self.attained_low is self.certified_low
        return same_low and self.attained_high is self.certified_high

    @property
    def closed(self) -> BoolArray:
        """Records whose attained and certified ends meet on both sides, (n,)."""
        low = self.attained_low - self.certified_low
        high = self.certified_high - self.attained_high
        return np.asarray((low <= CLOSED) & (high <= CLOSED))

    def mapped(self, rising: Callable[[FloatArray], FloatArray]) -> ScoreIntervals:
        """Return the intervals on another scale.

        Parameters
        ----------
        rising : callable
            Must not fall anywhere, such as a logistic link or an isotonic calibration.
        """
        return ScoreIntervals(
            rising(self.attained_low),
            rising(self.attained_high),
            rising(self.certified_low),
            rising(self.certified_high),
            self.witness_low,
            self.witness_high,
            self.exact,
        )


def exact_intervals(
    low: FloatArray,
    high: FloatArray,
    *,
    witness_low: FloatArray | None = None,
    witness_high: FloatArray | None = None,
) -> ScoreIntervals:
    """Return intervals whose attained and certified ends are one."""
    return ScoreIntervals(low, high, low, high, witness_low, witness_high, exact=True)


def static_intervals(score: FloatArray) -> ScoreIntervals:
    """Return the intervals of records that do not move: every end is the score."""
    return exact_intervals(score, score)
