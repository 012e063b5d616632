"""One set of patient draws for every metric, group and model of an attribute.

Patients are drawn with replacement within strata; a stratum is the set of groups its patients have
rows in. A patient with rows in two groups brings both, so that the covariance of the two is kept.
Strata of few patients are pooled with others whose groups they touch: a patient alone in a stratum
would be in every draw once, and add nothing to the variance. A draw keeps the number of patients of
every pool, and so of every group that shares none.

References
----------
Rutter (2000), Acad Radiol 7:413 (bootstrap of patients with several images); Efron & Tibshirani
(1993), An Introduction to the Bootstrap, chapter 8.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array
from scipy.sparse.csgraph import connected_components

from reportgen.stats.subgroups.study import FloatArray, IntArray, Study

CountArray = NDArray[np.int32]

FEW = 10
"""Patients below which a stratum is pooled: n patients drawn among themselves show (n - 1) / n of
their variance."""

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
    pools : tuple of slice or int array
        The patients drawn among themselves; each patient is in one.
    n_patients : int
        Number of patients P.
    resamples : int
        Number of draws B.
    block : int
        Draws a block; each block has a seed of its own, so that workers do not matter. It follows
        from the number of patients alone: repeating their images changes no draw.
    seeds : tuple of SeedSequence
        One a block.
    """

    pools: tuple[slice | IntArray, ...]
    n_patients: int
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
            counts = np.empty((size, self.n_patients), dtype=np.int32)
            rng = np.random.default_rng(seed)
            for pool in self.pools:
                patients = pool.stop - pool.start if isinstance(pool, slice) else len(pool)
                counts[:, pool] = _counts(patients, rng, draws=size)
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
    seeds = tuple(root.spawn(math.ceil(resamples / block)))
    return PatientDraws(draw_pools(study), study.n_patients, resamples, block, seeds)


def draw_pools(study: Study) -> tuple[slice | IntArray, ...]:
    """Return the patients that are drawn among themselves.

    A stratum of at least 10 patients is a pool, and so is one whose groups no other patient has.
    Of strata that hang together through their groups, those with fewer than 10 patients make one
    pool; if that has fewer than 10 itself, it takes in the smallest of the others.

    Returns
    -------
    tuple of slice or int array
        Strata that stay as they are, in their order, then the pooled ones.
    """
    size = np.diff(study.edges)
    alone: list[int] = []
    pooled: list[IntArray] = []
    for together in _hanging_together(study):
        # Strata are numbered by what their patients hold: so ties do not rest on names.
        by_size = sorted(together, key=lambda stratum: (size[stratum], stratum))
        taken = 0
        small: list[int] = []
        for stratum in by_size:
            if size[stratum] < FEW or 0 < taken < FEW:
                small.append(stratum)
                taken += int(size[stratum])
        alone += sorted(set(together) - set(small)) if len(small) > 1 else together
        if len(small) > 1:
            pooled.append(np.concatenate([_members(study, each) for each in sorted(small)]))
    whole = [slice(int(study.edges[each]), int(study.edges[each + 1])) for each in sorted(alone)]
    return (*whole, *pooled)


def _members(study: Study, stratum: int) -> IntArray:
    return np.arange(study.edges[stratum], study.edges[stratum + 1])


def _hanging_together(study: Study) -> list[list[int]]:
    """Return the strata that hang together through groups, each list and all lists ascending."""
    n = len(study.strata)
    links = [(each, n + level) for each, levels in enumerate(study.strata) for level in levels]
    start, stop = np.array(links).T
    nodes = n + study.n_levels
    graph = csr_array((np.ones(len(links)), (start, stop)), shape=(nodes, nodes))
    _, part = connected_components(graph, directed=False)
    lists: dict[int, list[int]] = {}
    for stratum, label in enumerate(part[:n].tolist()):
        lists.setdefault(label, []).append(stratum)
    return list(lists.values())


def _counts(patients: int, rng: np.random.Generator, *, draws: int) -> CountArray:
    """Draw as many patients as there are, and count them, (draws, patients)."""
    if patients == 1:
        return np.ones((draws, 1), dtype=np.int32)
    drawn = rng.integers(0, patients, size=(draws, patients))
    if patients < 512:  # few patients: all draws in one count
        drawn += np.arange(draws)[:, None] * patients
        flat = np.bincount(drawn.ravel(), minlength=draws * patients)
        return flat.reshape(draws, patients).astype(np.int32)
    counts = np.empty((draws, patients), dtype=np.int32)
    for row, taken in zip(counts, drawn, strict=True):  # many: a count of one draw stays in cache
        row[:] = np.bincount(taken, minlength=patients)
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
