"""What a table of decisions says, and whether it decides anything at all."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from reportgen.stats.proportions import Interval
from reportgen.stats.unit_sums import resampled_sums, sums_by_unit

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.intp]
BoolArray = NDArray[np.bool_]

NEARLY = 0.1
"""Decisions of the rarer kind below this share of the rows of the rarer class: near-constant."""
MOST_UNDEFINED = 0.05
"""A figure undefined in a larger share of resamples than this has no percentile interval."""


@dataclass(frozen=True)
class Decided:
    """A 2 by 2 table: rows of each class by the decision."""

    tp: int
    fn: int
    fp: int
    tn: int

    @property
    def n(self) -> int:
        """All rows."""
        return self.tp + self.fn + self.fp + self.tn

    @property
    def positives(self) -> int:
        """Rows of the positive class."""
        return self.tp + self.fn

    @property
    def negatives(self) -> int:
        """Rows of the other class."""
        return self.fp + self.tn

    @property
    def called_positive(self) -> int:
        """Rows that were called positive."""
        return self.tp + self.fp

    @property
    def constant(self) -> bool:
        """Whether every row was called the same."""
        return self.called_positive in (0, self.n)

    @property
    def nearly_constant(self) -> bool:
        """Whether, of both classes, next to nothing was called like the rarer decision.

        The rarer decision was made, on fewer than a tenth as many rows as the rarer class has.
        """
        rarer = min(self.called_positive, self.n - self.called_positive)
        return 0 < rarer < NEARLY * min(self.positives, self.negatives)

    @property
    def right(self) -> int:
        """Rows called what they are."""
        return self.tp + self.tn

    @property
    def commonest(self) -> int:
        """Rows of the commoner class: what a constant decision gets right."""
        return max(self.positives, self.negatives)


def decide(positive: BoolArray, score: FloatArray, threshold: float) -> Decided:
    """Count decisions: a row is called positive where score >= threshold."""
    called = score >= threshold
    return Decided(
        int(np.count_nonzero(positive & called)),
        int(np.count_nonzero(positive & ~called)),
        int(np.count_nonzero(~positive & called)),
        int(np.count_nonzero(~positive & ~called)),
    )


def f1(table: Decided) -> float:
    """Return 2 TP / (2 TP + FP + FN), 0 to 1; NaN (0/0) without positives, real or called."""
    below = 2 * table.tp + table.fp + table.fn
    return 2 * table.tp / below if below else math.nan


def f1_of_jaccard(share: float) -> float:
    """Return F1 from Jaccard's index, 2 J / (1 + J).

    J = TP / (TP + FP + FN) is the share of true positives among the rows that are positive or
    called so. F1 rises with it, so that limits of J, a plain proportion, are carried over.
    """
    return 2 * share / (1 + share)


def kappa_and_mcc(cells: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return Cohen's kappa and Matthews' correlation coefficient.

    Parameters
    ----------
    cells : (..., 4) float array
        TP, FN, FP, TN.

    Returns
    -------
    kappa, mcc : (...) float arrays
        -1 to 1; NaN where they are 0/0: kappa where rows and decisions are all of one and the same
        class, the coefficient where a class or a decision does not occur.

    References
    ----------
    Cohen (1960), Educ Psychol Meas 20:37; Matthews (1975), Biochim Biophys Acta 405:442.
    """
    tp, fn, fp, tn = np.moveaxis(cells, -1, 0)
    called, spared, real, other = tp + fp, fn + tn, tp + fn, fp + tn
    n = real + other
    with np.errstate(invalid="ignore", divide="ignore"):
        chance = (called * real + spared * other) / np.square(n)
        kappa = np.where(chance < 1, ((tp + tn) / n - chance) / (1 - chance), np.nan)
        below = np.sqrt(called) * np.sqrt(spared) * np.sqrt(real) * np.sqrt(other)
        mcc = np.where(below > 0, (tp * tn - fp * fn) / below, np.nan)
    return kappa, mcc


def resampled_agreement(
    positive: BoolArray,
    called: BoolArray,
    unit: IntArray,
    *,
    rng: np.random.Generator,
    resamples: int,
) -> tuple[FloatArray, FloatArray]:
    """Return kappa and the correlation coefficient in bootstrap samples of units, each (B,).

    NaN where a sample leaves one undefined.
    """
    cells = np.column_stack(
        [positive & called, positive & ~called, ~positive & called, ~positive & ~called]
    ).astype(np.float64)
    drawn = resampled_sums(sums_by_unit(cells, unit), rng, resamples=resamples)
    return kappa_and_mcc(drawn)


def percentile_limits(draws: FloatArray, *, confidence: float) -> Interval | None:
    """Return the percentile interval of draws; None if over 5 % of them are undefined.

    References
    ----------
    Efron & Tibshirani (1993), An Introduction to the Bootstrap, chapter 13.
    """
    defined = draws[~np.isnan(draws)]
    if len(defined) < (1 - MOST_UNDEFINED) * len(draws) or not len(defined):
        return None
    tail = (1 - confidence) / 2
    low, high = np.quantile(defined, [tail, 1 - tail])
    return float(low), float(high)
