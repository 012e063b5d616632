"""One set of patient draws for every metric, group and model of an attribute.

Patients are drawn with replacement within strata; a stratum is the set of groups its patients have
rows in. Each draw keeps the number of patients in every stratum, and a patient with rows in two
groups brings both, so that the covariance of the two groups is kept.

References
----------
Rutter (2000), Acad Radiol 7:413 (bootstrap of patients with several images); Efron & Tibshirani
(1993), An Introduction to the Bootstrap, chapter 8.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from reportgen.stats.subgroups.study import FloatArray, IntArray, Study

CountArray = NDArray[np.int32]

BLOCK_PATIENTS = 250_000
"""Patients times draws of a block with a seed of its own."""

PIECE_ROWS = 200_000
"""Rows times draws looked at together: what is made of them fits in the caches."""

UNSTABLE = 0.01
"""A figure undefined in a larger share of draws than this is marked as unstable."""

NO_INTERVAL = 0.05
"""A figure undefined in a larger share of draws than this has no percentile interval."""


@dataclass(frozen=True)
class PatientDraws:
    """Draws of patients, made anew (and equal) each time `blocks` is called.

    Attributes
    ----------
    edges : (S + 1,) int array
        The strata, as in `Study`.
    resamples : int
        Number of draws B.
    block : int
        Draws a block; each block has a seed of its own, so that workers do not matter. It follows
        from the number of patients alone: repeating their images changes no draw.
    seeds : tuple of SeedSequence
        One a block.
    """

    edges: IntArray
    resamples: int
    block: int
    seeds: tuple[np.random.SeedSequence, ...]

    def blocks(self, rows: int = 0) -> Iterator[CountArray]:
        """Yield how often each draw takes each patient, (b, P) with b <= `block`.

        Parameters
        ----------
        rows : int
            Rows that will be looked at for each draw; blocks are cut so that not too many are held
            at once. The draws are the same.
        """
        most = max(1, PIECE_ROWS // max(rows, 1))
        for number, seed in enumerate(self.seeds):
            size = min(self.block, self.resamples - number * self.block)
            counts = _counts(self.edges, np.random.default_rng(seed), draws=size)
            for start in range(0, size, most):
                yield counts[start : start + most]


def patient_draws(study: Study, rng: np.random.Generator, *, resamples: int) -> PatientDraws:
    """Plan `resamples` draws of the patients of a study.

    Parameters
    ----------
    study : Study
    rng : numpy.random.Generator
        Two numbers are taken from it; they seed one child sequence a block.
    resamples : int
        Number of draws, > 0.

    Raises
    ------
    ValueError
        If `resamples` is below 1.
    """
    if resamples < 1:
        raise ValueError(f"at least one draw is needed, not {resamples}")
    block = max(1, min(resamples, 1000, BLOCK_PATIENTS // study.n_patients))
    root = np.random.SeedSequence(rng.integers(0, 2**63, size=2).tolist())
    return PatientDraws(
        study.edges, resamples, block, tuple(root.spawn(math.ceil(resamples / block)))
    )


def _counts(edges: IntArray, rng: np.random.Generator, *, draws: int) -> CountArray:
    """Draw patients within strata and count them."""
    counts = np.empty((draws, int(edges[-1])), dtype=np.int32)
    for start, stop in pairwise(edges.tolist()):
        size = stop - start
        if size == 1:
            counts[:, start] = 1
            continue
        drawn = rng.integers(0, size, size=(draws, size))
        if size < 512:  # few patients: all draws in one count
            drawn += np.arange(draws)[:, None] * size
            flat = np.bincount(drawn.ravel(), minlength=draws * size)
            counts[:, start:stop] = flat.reshape(draws, size)
        else:  # many: a count of one draw stays in the cache
            for row, taken in zip(counts, drawn, strict=True):
                row[start:stop] = np.bincount(taken, minlength=size)
    return counts


@dataclass(frozen=True)
class DrawnInterval:
    """The percentile interval of a figure under patient draws.

    Attributes
    ----------
    low, high : float
        NaN where `reason` says why.
    undefined : float
        Share of draws in which the figure is undefined, 0 to 1.
    unstable : bool
        Whether that share is above 1 %.
    reason : str
        Why there is no interval; "" if there is one.
    """

    low: float
    high: float
    undefined: float
    unstable: bool
    reason: str = ""


def undefined_share(values: FloatArray) -> float:
    """Return the share of draws in which a figure is undefined (NaN), 0 to 1."""
    return int(np.count_nonzero(np.isnan(values))) / len(values)


def drawn_interval(values: FloatArray, *, confidence: float) -> DrawnInterval:
    """Return the percentile interval of a figure under draws, NaN where undefined.

    Undefined draws are never replaced: their share is reported, and above 5 % there is no interval.

    Parameters
    ----------
    values : (B,) float array
    confidence : float
        0 < confidence < 1.
    """
    defined = values[~np.isnan(values)]
    undefined = undefined_share(values)
    if undefined > NO_INTERVAL:
        reason = f"undefined in {100 * undefined:.1f} % of the draws"
        return DrawnInterval(math.nan, math.nan, undefined, True, reason)
    tail = (1 - confidence) / 2
    low, high = np.quantile(defined, [tail, 1 - tail])
    return DrawnInterval(float(low), float(high), undefined, undefined > UNSTABLE)
