"""Differences of figures between two sets of scores of the same units, by one set of resamples.

Units (patients) are drawn with replacement; every figure of both sides is taken from the same
draws, so that what the two sides have in common falls out of their difference. Figures are made of
two things only: counts of rows of a kind, and areas under the ROC curve. A :class:`Tally` collects
those that are wanted, each once; a :class:`Recipe` says how a figure is made of them.

References
----------
Efron & Tibshirani (1993), An Introduction to the Bootstrap, ch. 8 and 13; Rutter (2000), Acad
Radiol 7:413 (units with several rows); Hesterberg (2015), Am Stat 69:371 (few units).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from reportgen.stats.bands import percentile_interval
from reportgen.stats.detection.removal import expanded_confidence
from reportgen.stats.subgroups.draws import BLOCK_PATIENTS, PatientDraws
from reportgen.stats.subgroups.ranking import AreaPlan

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.intp]
BoolArray = NDArray[np.bool_]
Scale = Literal["difference", "ratio", "size"]

EXACT = 2**24
"""Whole numbers up to this are exact in 32 bits."""


@dataclass(frozen=True)
class Parts:
    """What figures are made of, in one look at the units or in each of B draws.

    Attributes
    ----------
    counts : (C, B) float array
    areas : (A, B) float array
        NaN where a draw holds one class only.
    """

    counts: FloatArray
    areas: FloatArray


@dataclass(frozen=True)
class Recipe:
    """How a figure is made.

    Attributes
    ----------
    value : callable
        Takes `Parts` and returns (B,); NaN where undefined.
    counts, areas : tuple of int
        The counts and areas that it takes.
    support : tuple of tuple of int
        The denominators, each as the counts that add up to it.
    """

    value: Callable[[Parts], FloatArray]
    counts: tuple[int, ...]
    areas: tuple[int, ...]
    support: tuple[tuple[int, ...], ...]


@dataclass(frozen=True)
class Found:
    """A figure on both sides, and its difference.

    Attributes
    ----------
    old, new : float
        The figures themselves, NaN where undefined.
    low, high : float
        Percentile limits of the difference on its scale; NaN where there are none.
    correlation : float
        Of the two sides over the draws; 0 where one of them does not vary.
    support : int
        Units behind the smallest of the figure's denominators, on either side.
    differing : int
        Units whose share in the figure is not the same on both sides.
    undefined : float
        Share of draws without the difference, 0 to 1.
    """

    old: float
    new: float
    low: float
    high: float
    correlation: float
    support: int
    differing: int
    undefined: float


class Tally:
    """The counts and areas that figures of both sides are made of.

    Parameters
    ----------
    unit : (n,) int array
        The unit of each row, 0 to U - 1, each of them met.
    """

    def __init__(self, unit: IntArray) -> None:
        self.unit = unit
        self.n_units = int(unit.max(initial=-1)) + 1
        self._terms: list[NDArray[np.float32] | FloatArray] = []
        self._plans: list[AreaPlan] = []
        self._ranked: list[tuple[IntArray, FloatArray]] = []

    def count(self, rows: BoolArray) -> int:
        """Add the number of these rows and return its place among the counts."""
        self._terms.append(np.bincount(self.unit[rows], minlength=self.n_units).astype(np.float32))
        return len(self._terms) - 1

    def total(self, values: FloatArray, rows: BoolArray) -> int:
        """Add the sum of `values`, (n,), over these rows and return its place among the counts."""
        held = np.bincount(self.unit[rows], values[rows], minlength=self.n_units)
        self._terms.append(held.astype(np.float64))
        return len(self._terms) - 1

    def area(self, positive: BoolArray, score: FloatArray, rows: BoolArray) -> int:
        """Add the area under the ROC curve of these rows and return its place among the areas."""
        at = np.flatnonzero(rows)
        self._plans.append(AreaPlan(positive[at], score[at], self.unit[at]))
        self._ranked.append((at, score[at]))
        return len(self._plans) - 1

    def point(self) -> Parts:
        """Return all parts, every unit taken once: B is 1."""
        once = np.ones((1, self.n_units), dtype=np.int32)
        areas = [plan.areas(once) for plan in self._plans]
        counts = [np.array([term.sum(dtype=np.float64)]) for term in self._terms]
        return Parts(_stacked(counts, 1), _stacked(areas, 1))

    def draws(self, rng: np.random.Generator, *, resamples: int) -> Parts:
        """Return all parts in `resamples` draws of the units."""
        rows = len(self.unit)
        counts = np.empty((len(self._terms), resamples))
        areas = np.empty((len(self._plans), resamples))
        terms = np.column_stack(self._terms) if self._terms else np.empty((self.n_units, 0))
        whole = terms.dtype == np.float32 and rows * 64 < EXACT
        exact = np.dtype(np.float32 if whole else np.float64)
        terms = np.asarray(terms, dtype=exact)
        done = 0
        for block in _unit_draws(self.n_units, rng, resamples=resamples).blocks(rows):
            span = slice(done, done + len(block))
            counts[:, span] = np.matmul(block.astype(exact), terms).T
            for at, plan in enumerate(self._plans):
                areas[at, span] = plan.areas(block)
            done += len(block)
        return Parts(counts, areas)

    def support(self, recipe: Recipe) -> int:
        """Return how many units are behind the smallest denominator of a figure."""
        held = [self._holding(counts) for counts in recipe.support]
        return min(held, default=self.n_units)

    def _holding(self, counts: tuple[int, ...]) -> int:
        """Return how many units hold a row of at least one of these counts."""
        held = np.zeros(self.n_units, dtype=bool)
        for at in counts:
            held |= self._terms[at] > 0
        return int(np.count_nonzero(held))

    def differing(self, old: Recipe, new: Recipe) -> int:
        """Return how many units have another share in one figure than in the other."""
        apart = np.zeros(self.n_units, dtype=bool)
        if (len(old.counts), len(old.areas)) != (len(new.counts), len(new.areas)):
            return self.n_units
        for first, second in zip(old.counts, new.counts, strict=True):
            apart |= self._terms[first] != self._terms[second]
        for first, second in zip(old.areas, new.areas, strict=True):
            (rows, score), (others, other) = self._ranked[first], self._ranked[second]
            if not np.array_equal(rows, others):
                return self.n_units
            apart[self.unit[rows[score != other]]] = True
        return int(np.count_nonzero(apart))


def _stacked(parts: Sequence[FloatArray], width: int) -> FloatArray:
    return np.array(parts) if parts else np.empty((0, width))


def _unit_draws(n_units: int, rng: np.random.Generator, *, resamples: int) -> PatientDraws:
    """Plan draws of all units among themselves, in blocks with seeds of their own."""
    block = max(1, min(resamples, 1000, BLOCK_PATIENTS // n_units))
    root = np.random.SeedSequence(rng.integers(0, 2**63, size=2).tolist())
    seeds = tuple(root.spawn(math.ceil(resamples / block)))
    return PatientDraws((slice(0, n_units),), n_units, resamples, block, seeds)


def paired_differences(
    tally: Tally,
    recipes: Sequence[tuple[Recipe, Recipe, Scale]],
    rng: np.random.Generator,
    *,
    resamples: int,
    confidence: float,
) -> list[Found]:
    """Return the difference of each figure between the two sides, from the same draws of units.

    Parameters
    ----------
    tally : Tally
        Holds the parts of all recipes.
    recipes : sequence of (Recipe, Recipe, scale)
        The figure of the old side and of the new; "difference" is new less old, "size" the same of
        absolute values, "ratio" new over old (its limits from the logarithms).
    rng : numpy.random.Generator
        Two numbers are taken from it.
    resamples : int
        Draws B, > 0.
    confidence : float
        0 < confidence < 1; widened by the number of units behind the figure.
    """
    once, drawn = tally.point(), tally.draws(rng, resamples=resamples)
    return [
        _found(tally, old, new, scale, once, drawn, confidence=confidence)
        for old, new, scale in recipes
    ]


def _found(
    tally: Tally,
    old: Recipe,
    new: Recipe,
    scale: Scale,
    once: Parts,
    drawn: Parts,
    *,
    confidence: float,
) -> Found:
    support = min(tally.support(old), tally.support(new))
    sides = [_scaled(recipe.value(drawn), scale) for recipe in (old, new)]
    with np.errstate(invalid="ignore"):
        change = sides[1] - sides[0]
    low = high = math.nan
    if support > 1:
        wider = expanded_confidence(confidence, support)
        low, high = (float(end) for end in percentile_interval(change, confidence=wider))
    if scale == "ratio":
        low, high = math.exp(low), math.exp(high)
    return Found(
        float(old.value(once)[0]),
        float(new.value(once)[0]),
        low if math.isfinite(low) else math.nan,
        high if math.isfinite(high) else math.nan,
        _correlation(*sides),
        support,
        tally.differing(old, new),
        float(np.mean(np.isnan(change))),
    )


def _scaled(values: FloatArray, scale: Scale) -> FloatArray:
    if scale == "size":
        return np.abs(values)
    if scale == "ratio":
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.log(values)
    return values


def _correlation(first: FloatArray, second: FloatArray) -> float:
    """Return the correlation over the draws that define both; 0 where one does not vary."""
    known = np.isfinite(first) & np.isfinite(second)
    if np.count_nonzero(known) < 2:
        return 0.0
    one, other = first[known] - first[known].mean(), second[known] - second[known].mean()
    scale = math.sqrt(float(one @ one) * float(other @ other))
    return float(one @ other) / scale if scale > 0 else 0.0
