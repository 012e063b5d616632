"""Control removals: what leaving out other images, matched by stratum, would have done.

References
----------
Davison & Hinkley (1997), Bootstrap Methods and their Application, ch. 4 (p of B draws).
Ernst (2004), Stat Sci 19:676 (permutation within strata: exact if images are exchangeable there).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from reportgen.stats.bands import MOST_UNDEFINED, percentile_interval
from reportgen.stats.detection.boxes import BoolArray, FloatArray, IntArray
from reportgen.stats.detection.contrasts import (
    Contrasts,
    check_removal,
    contrasts_of,
    figure_columns,
)
from reportgen.stats.detection.units import Pool, Strata, matched_sets
from reportgen.stats.detection.weighted import WeightedStudy, weighted_ap

ROUNDING = 1e-12
"""Changes nearer than this are equal: sums in another order differ by less."""


@dataclass(frozen=True)
class Controls:
    """Changes when matched sets of images are removed instead; NaN where not defined.

    Attributes
    ----------
    contrasts : Contrasts
    change : (M,) float array
        Of the removed images, as in `RemovalEffect`.
    draws : (B, M) float array
        Of the matched sets.
    mean, low, high : (M,) float arrays
        Of the draws, with the central share of them.
    p, p_low, p_high : (M,) float arrays
        Two-sided p, and the shares of sets with a change as low, and as high, as the observed one;
        each counts the observed one in: (1 + k) / (1 + B).
    reason : tuple of str
        Why there is no p; "" where there is one.
    removed, others : (S,) int arrays
        Removed images and others of each stratum.
    short : (S,) bool array
        Strata with fewer others than removed images.
    pool : {"all", "others"}
    """

    contrasts: Contrasts
    change: FloatArray
    draws: FloatArray
    mean: FloatArray
    low: FloatArray
    high: FloatArray
    p: FloatArray
    p_low: FloatArray
    p_high: FloatArray
    reason: tuple[str, ...]
    removed: IntArray
    others: IntArray
    short: BoolArray
    pool: Pool


def control_removals(
    study: WeightedStudy,
    removed: BoolArray,
    strata: Strata,
    rng: np.random.Generator,
    *,
    draws: int,
    pool: Pool = "all",
    central: float = 0.95,
    compiled: bool | None = None,
) -> Controls:
    """Return the changes that removing other images, matched by stratum, would have made.

    With the pool "all" a set is any set with as many images of each stratum, removed ones not
    excluded: if images are exchangeable within strata, p is valid. With the pool "others" sets
    are drawn from images that are not removed, as article 003 has it. The removed images then stay
    in every control evaluation, the controls vary too little, and p is too small: with a share s of
    the images removed, their standard deviation is too small by about sqrt(1 - 2 s).

    Parameters
    ----------
    study : WeightedStudy
    removed : (n,) bool array
        Some, but not all, images.
    strata : Strata
        Of `removal_strata`.
    rng : numpy.random.Generator
    draws : int
        Number of sets B.
    pool : {"all", "others"}
    central : float
        Share of the draws between `low` and `high`, 0 < central < 1.
    compiled : bool, optional
        As in `weighted_ap`.

    Raises
    ------
    ValueError
        If no image or every image is removed, or an array has another length.
    """
    check_removal(study, removed, strata.of_image)
    two = np.stack([np.ones(len(removed)), ~removed]).astype(np.float64)
    whole, without = figure_columns(weighted_ap(study, two, compiled=compiled))
    changes = np.concatenate(
        [
            figure_columns(weighted_ap(study, ~chosen, compiled=compiled)) - whole
            for chosen in matched_sets(removed, strata, rng, draws=draws, pool=pool)
        ]
    )
    change = without - whole
    low, high = percentile_interval(changes, confidence=central)
    mean, p, p_low, p_high, reasons = _randomisation_p(change, changes)
    size = len(strata.dominant)
    out = np.bincount(strata.of_image[removed], minlength=size)
    others = np.bincount(strata.of_image[~removed], minlength=size)
    return Controls(
        contrasts=contrasts_of(study),
        change=change,
        draws=changes,
        mean=mean,
        low=low,
        high=high,
        p=p,
        p_low=p_low,
        p_high=p_high,
        reason=reasons,
        removed=out,
        others=others,
        short=others < out,
        pool=pool,
    )


def _randomisation_p(
    change: FloatArray, draws: FloatArray
) -> tuple[FloatArray, FloatArray, FloatArray, FloatArray, tuple[str, ...]]:
    """Return mean of the draws, two-sided p, p of both tails, and why there are none."""
    known = ~np.isnan(draws)
    count = known.sum(axis=0)
    filled = np.where(known, draws, 0.0)
    mean = np.where(count > 0, filled.sum(axis=0) / np.maximum(count, 1), np.nan)
    with np.errstate(invalid="ignore"):
        away = np.abs(draws - mean) >= np.abs(change - mean) - ROUNDING
        below, above = draws <= change + ROUNDING, draws >= change - ROUNDING
        spread = np.where(known, np.abs(draws - mean), 0.0).max(axis=0)
    reasons = []
    for number in range(len(change)):
        if np.isnan(change[number]):
            reasons.append("the change is not defined")
        elif count[number] < (1 - MOST_UNDEFINED) * len(draws):
            reasons.append("undefined in too many control removals")
        elif spread[number] <= ROUNDING:
            reasons.append("every control removal makes the same change")
        else:
            reasons.append("")
    usable = np.array([not reason for reason in reasons])
    ps = [
        np.where(usable, (1 + hit.sum(axis=0)) / (1 + count), np.nan)
        for hit in (away, below, above)
    ]
    return mean, ps[0], ps[1], ps[2], tuple(reasons)
