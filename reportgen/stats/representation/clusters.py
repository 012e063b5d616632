"""Regions of feature space with more errors, found on half the patients, confirmed on the rest."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from reportgen.stats.representation.features import (
    BoolArray,
    FloatArray,
    IntArray,
    Measured,
    canonical_order,
    complete_rows,
    standardise,
)
from reportgen.stats.representation.shares import SharesCompared, compare_shares
from reportgen.stats.subgroups.multiplicity import holm

FAILING_PATIENTS = 10
MOST_CLUSTERS = 8
ALPHA = 0.05
DESCRIBING = 3


@dataclass(frozen=True)
class Cluster:
    """One region, with its errors among the patients it was not found on.

    Attributes
    ----------
    number : int
        From 1, by descending error rate among the patients of the search.
    n_units, n_rows, n_failed : int
        Patients, images and errors in it, among the patients of the confirmation.
    found_rate, found_elsewhere : float
        Error rates in and outside it among the patients of the search, 0 to 1.
    found_p : float
        One-sided, there.
    found : bool
        Whether it went on to be confirmed: `found_p` <= alpha.
    rate, elsewhere, excess : Measured
        Error rates in and outside it, and their difference, among the others.
    p, p_adjusted : float or None
        One-sided there, and Holm's over the regions found; None for the others.
    confirmed : bool or None
        Whether `p_adjusted` <= alpha; None if not found.
    describing : tuple of (str, float)
        The features whose mean in it deviates most, in standard deviations, largest first.
    """

    number: int
    n_units: int
    n_rows: int
    n_failed: int
    found_rate: float
    found_elsewhere: float
    found_p: float
    found: bool
    rate: Measured
    elsewhere: Measured
    excess: Measured
    p: float | None
    p_adjusted: float | None
    confirmed: bool | None
    describing: tuple[tuple[str, float], ...]


@dataclass(frozen=True)
class FailureClusters:
    """The regions, or the reason why none were looked for.

    Attributes
    ----------
    clusters : tuple of Cluster
        All k, those found or not.
    of_row : (n,) int array or None
        Number of each row's region; 0 for rows left out.
    reason : str
        Why there are none.
    notes : tuple of str
        What was left out.
    """

    clusters: tuple[Cluster, ...]
    of_row: IntArray | None
    reason: str = ""
    notes: tuple[str, ...] = ()


def failure_clusters(
    features: FloatArray,
    failed: BoolArray,
    unit: IntArray,
    rng: np.random.Generator,
    *,
    names: Sequence[str] = (),
    alpha: float = ALPHA,
    confidence: float = 0.95,
) -> FailureClusters:
    """Look for regions with more errors on half the patients; confirm them on the other half.

    Parameters
    ----------
    features : (n, F) float array
        All images, wrong or right; NaN where missing.
    failed : (n,) bool array
        Whether the decision was wrong.
    unit : (n,) int array
        Patient, 0 upwards.
    rng : numpy.random.Generator
        Draws the halves and the starts of k-means. Neither row order nor patients' names change
        the result.
    names : sequence of str
        One a feature, for the descriptions.
    alpha : float
        One-sided level of the search and, after Holm, of the confirmation.
    confidence : float
        Of the intervals.

    Returns
    -------
    FailureClusters
        Without clusters where either half has fewer than 10 patients with an error.

    Notes
    -----
    k-means on features standardised on the search half, all its images. The number of regions is
    one for every ten failing patients of that half, at least 2 and at most 8: were errors spread
    evenly, each region would hold about ten. Patients of both halves are equally often failing.
    """
    used = complete_rows(features)
    order, codes = canonical_order(unit[used], failed[used], features[used])
    rows = np.flatnonzero(used)[order]
    x, wrong, u = features[rows], failed[rows], codes[order]
    left = int(np.count_nonzero(~used))
    notes: tuple[str, ...] = (f"{left} rows left out: a feature is missing",) if left else ()
    failing = len(np.unique(u[wrong]))
    if failing < 2 * FAILING_PATIENTS:
        needed = f"{failing} patients with an error; {2 * FAILING_PATIENTS} are needed"
        return FailureClusters((), None, f"too few failures: {needed}", notes)
    search = _half(u, wrong, rng)
    ready = standardise(x, on=search, names=names, called="the half searched")
    notes += ready.notes
    if not ready.names:
        return FailureClusters((), None, "no feature varies", notes)
    k = int(np.clip(len(np.unique(u[search & wrong])) // FAILING_PATIENTS, 2, MOST_CLUSTERS))
    k = min(k, len(np.unique(ready.values[search], axis=0)))
    region = _regions(ready.values, search, k, int(rng.integers(2**31)))
    region = _ranked(region, wrong & search, search, k)
    options = {"alpha": alpha, "confidence": confidence}
    clusters = _confirmed(region, wrong, u, search, ready.values, ready.names, **options)
    of_row = np.zeros(len(features), dtype=np.intp)
    of_row[rows] = region + 1
    return FailureClusters(clusters, of_row, "", notes)


def _half(unit: IntArray, failed: BoolArray, rng: np.random.Generator) -> BoolArray:
    """Return the rows of half the patients, as many failing ones among them as among the others."""
    units = int(unit.max()) + 1
    failing = np.bincount(unit[failed], minlength=units) > 0
    shuffled = rng.permutation(units)
    arranged = shuffled[np.argsort(failing[shuffled], kind="stable")]
    chosen = np.zeros(units, dtype=bool)
    chosen[arranged[::2]] = True
    return np.asarray(chosen[unit])


def _regions(features: FloatArray, search: BoolArray, k: int, seed: int) -> IntArray:
    """Return the region of every row, by k-means on the rows of the search."""
    from sklearn.cluster import KMeans
    from threadpoolctl import threadpool_limits  # type: ignore[import-untyped]

    # One thread: sums over several may differ in their last bits.
    with threadpool_limits(limits=1):
        model = KMeans(k, n_init=10, random_state=seed).fit(features[search])
        return np.asarray(model.predict(features), dtype=np.intp)


def _ranked(region: IntArray, failed: BoolArray, search: BoolArray, k: int) -> IntArray:
    """Return the regions numbered from 0 by descending error rate in the search."""
    held = np.bincount(region[search], minlength=k)
    rate = np.bincount(region[failed], minlength=k) / np.maximum(held, 1)
    rank = np.empty(k, dtype=np.intp)
    rank[np.argsort(-rate, kind="stable")] = np.arange(k)
    return np.asarray(rank[region])


def _confirmed(
    region: IntArray,
    failed: BoolArray,
    unit: IntArray,
    search: BoolArray,
    features: FloatArray,
    names: tuple[str, ...],
    *,
    alpha: float,
    confidence: float,
) -> tuple[Cluster, ...]:
    k = int(region.max()) + 1

    def compared(half: BoolArray, number: int) -> SharesCompared:
        _, code = np.unique(unit[half], return_inverse=True)
        inside = region[half] == number
        return compare_shares(failed[half], inside, code.astype(np.intp), confidence=confidence)

    searched = [compared(search, number) for number in range(k)]
    checked = [compared(~search, number) for number in range(k)]
    found = [s.p is not None and s.p <= alpha for s in searched]
    tested = [1.0 if c.p is None else c.p for c, f in zip(checked, found, strict=True) if f]
    adjusted = iter(holm(tested).tolist())
    clusters = []
    for number, (first, second) in enumerate(zip(searched, checked, strict=True)):
        inside = ~search & (region == number)
        p_adjusted = next(adjusted) if found[number] else None
        clusters.append(
            Cluster(
                number=number + 1,
                n_units=len(np.unique(unit[inside])),
                n_rows=int(inside.sum()),
                n_failed=int((inside & failed).sum()),
                found_rate=_rate(failed, search & (region == number)),
                found_elsewhere=_rate(failed, search & (region != number)),
                found_p=1.0 if first.p is None else first.p,
                found=found[number],
                rate=second.inside,
                elsewhere=second.outside,
                excess=second.excess,
                p=second.p if found[number] else None,
                p_adjusted=p_adjusted,
                confirmed=None if p_adjusted is None else p_adjusted <= alpha,
                describing=_describing(features, search & (region == number), names),
            )
        )
    return tuple(clusters)


def _rate(failed: BoolArray, rows: BoolArray) -> float:
    return float(failed[rows].mean())


def _describing(
    features: FloatArray, rows: BoolArray, names: tuple[str, ...]
) -> tuple[tuple[str, float], ...]:
    centre = features[rows].mean(axis=0)
    largest = np.argsort(-np.abs(centre), kind="stable")[:DESCRIBING]
    return tuple((names[j], float(centre[j])) for j in largest.tolist())
