"""What a set of images does to the figures of a detector: their removal, with its uncertainty.

Two questions are kept apart. How far does the change vary from sample to sample: a bootstrap of
clusters of images. Could any images like these have done the same: removals of matched sets.

A removal dilutes: the change of a mean-like figure is about the removed share times the gap between
removed images and the others, which is given beside it.

References
----------
Efron & Tibshirani (1993), An Introduction to the Bootstrap, ch. 13 (percentile interval).
Davison & Hinkley (1997), Bootstrap Methods and their Application, sec. 4.2 (p of B draws).
Ernst (2004), Stat Sci 19:676 (permutation within strata: exact if images are exchangeable there).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from reportgen.stats.bands import MOST_UNDEFINED, percentile_interval
from reportgen.stats.detection.boxes import BoolArray, FloatArray, IntArray
from reportgen.stats.detection.units import Pool, Strata, cluster_weights, matched_sets
from reportgen.stats.detection.weighted import WeightedFigures, WeightedStudy, weighted_ap

FEW = 10
"""Clusters on each side below which the bootstrap gives no interval."""

ROUNDING = 1e-12
"""Changes nearer than this are equal: sums in another order differ by less."""

MINIMUM_DETECTABLE_EFFECT = (
    "half the width of the interval of the change: a true change of this size would be told from "
    "none in about half of such samples, a smaller one less often"
)

AGGREGATES = ("map50", "map75", "map50_95")


@dataclass(frozen=True)
class Contrasts:
    """Which figures the columns of a result are.

    Attributes
    ----------
    metric : tuple of str
        "map50", "map75", "map50_95", then "recall" once a class.
    category : (M,) int array
        Position of the class; -1 for the means over classes.
    """

    metric: tuple[str, ...]
    category: IntArray


@dataclass(frozen=True)
class RemovalEffect:
    """Figures with and without the removed images; NaN where not defined.

    Attributes
    ----------
    contrasts : Contrasts
    all_images, without, removed_only : (M,) float arrays
        Of all images, of those kept, of those removed.
    change, change_low, change_high : (M,) float arrays
        `without` minus `all_images`, with its interval.
    minimum_detectable_effect : (M,) float array
        See the constant of that name.
    gap, gap_low, gap_high : (M,) float arrays
        `removed_only` minus `without`, with its interval.
    change_reason, gap_reason : tuple of str
        Why there is no figure or interval; "" where there is one.
    n_clusters, n_clusters_removed, n_clusters_kept : int
        Clusters, those that hold a removed image, those that hold another one.
    confidence : float
    resamples : int
    """

    contrasts: Contrasts
    all_images: FloatArray
    without: FloatArray
    removed_only: FloatArray
    change: FloatArray
    change_low: FloatArray
    change_high: FloatArray
    minimum_detectable_effect: FloatArray
    gap: FloatArray
    gap_low: FloatArray
    gap_high: FloatArray
    change_reason: tuple[str, ...]
    gap_reason: tuple[str, ...]
    n_clusters: int
    n_clusters_removed: int
    n_clusters_kept: int
    confidence: float
    resamples: int


def removal_effect(
    study: WeightedStudy,
    removed: BoolArray,
    cluster: IntArray,
    rng: np.random.Generator,
    *,
    resamples: int,
    confidence: float = 0.95,
    compiled: bool | None = None,
) -> RemovalEffect:
    """Return how the figures change without some images, with a cluster bootstrap.

    A resample draws whole clusters with replacement; both figures of a difference are computed on
    the same resample. Means are over the classes that have boxes in the images they are of.

    Parameters
    ----------
    study : WeightedStudy
    removed : (n,) bool array
        Some, but not all, images.
    cluster : (n,) int array
        The independent unit of each image, 0 upwards, as of `merge_codes`.
    rng : numpy.random.Generator
    resamples : int
    confidence : float
        0 < confidence < 1, of the percentile intervals.
    compiled : bool, optional
        As in `weighted_ap`.

    Returns
    -------
    RemovalEffect
        No interval where fewer than `FEW` clusters hold boxes (of the class, for its recall) among
        the removed images or among the others; with that many, hardly a resample leaves a
        difference undefined, and such resamples are passed over.

    Raises
    ------
    ValueError
        If no image or every image is removed, or an array has another length.
    """
    _check(study, removed, cluster)
    contrasts = contrasts_of(study)
    three = np.stack([np.ones(len(removed)), ~removed, removed]).astype(np.float64)
    all_images, without, only = _columns(weighted_ap(study, three, compiled=compiled))
    changes, gaps = [], []
    for weights in cluster_weights(cluster, rng, resamples=resamples):
        drawn = [_columns(weighted_ap(study, weights * part, compiled=compiled)) for part in three]
        changes.append(drawn[1] - drawn[0])
        gaps.append(drawn[2] - drawn[1])
    change, gap = without - all_images, only - without
    few = _few_clusters(study, removed, cluster, contrasts)
    low, high, reasons = _interval(change, np.concatenate(changes), few, confidence)
    gap_low, gap_high, gap_reasons = _interval(gap, np.concatenate(gaps), few, confidence)
    return RemovalEffect(
        contrasts=contrasts,
        all_images=all_images,
        without=without,
        removed_only=only,
        change=change,
        change_low=low,
        change_high=high,
        minimum_detectable_effect=(high - low) / 2,
        gap=gap,
        gap_low=gap_low,
        gap_high=gap_high,
        change_reason=reasons,
        gap_reason=gap_reasons,
        n_clusters=len(np.unique(cluster)),
        n_clusters_removed=len(np.unique(cluster[removed])),
        n_clusters_kept=len(np.unique(cluster[~removed])),
        confidence=confidence,
        resamples=resamples,
    )


def contrasts_of(study: WeightedStudy) -> Contrasts:
    """Return which figures the columns of a result are."""
    metric = (*AGGREGATES, *["recall"] * study.n_classes)
    return Contrasts(metric, np.concatenate([[-1] * len(AGGREGATES), np.arange(study.n_classes)]))


def _columns(figures: WeightedFigures) -> FloatArray:
    means = [getattr(figures, name)[:, None] for name in AGGREGATES]
    return np.concatenate([*means, figures.recall], axis=1)


def _check(study: WeightedStudy, removed: BoolArray, codes: IntArray) -> None:
    for name, values in (("removed", removed), ("clusters or strata", codes)):
        if values.shape != (study.n_images,):
            raise ValueError(f"{study.n_images} images, but {name} of the shape {values.shape}")
    if not removed.any() or removed.all():
        raise ValueError(
            f"{int(removed.sum())} of {len(removed)} images removed: nothing to compare"
        )


def _few_clusters(
    study: WeightedStudy, removed: BoolArray, cluster: IntArray, contrasts: Contrasts
) -> tuple[str, ...]:
    """Return, for each figure, why its clusters are too few; "" where they are not."""
    has_boxes = study.positives > 0
    reasons = []
    for category in contrasts.category.tolist():
        holds = has_boxes.any(axis=1) if category < 0 else has_boxes[:, category]
        out, kept = (len(np.unique(cluster[holds & part])) for part in (removed, ~removed))
        what = "boxes" if category < 0 else "boxes of this class"
        few = min(out, kept) < FEW
        reasons.append(
            f"{what} are held by removed images of {out} and by others of {kept} clusters; an "
            f"interval needs {FEW} on each side"
            if few
            else ""
        )
    return tuple(reasons)


def _interval(
    point: FloatArray, draws: FloatArray, few: Sequence[str], confidence: float
) -> tuple[FloatArray, FloatArray, tuple[str, ...]]:
    """Return percentile limits, NaN with a reason where there are none."""
    low, high = percentile_interval(draws, confidence=confidence)
    reasons = [
        "no box on one of the two sides: the difference is not defined"
        if np.isnan(value)
        else few_clusters
        for value, few_clusters in zip(point.tolist(), few, strict=True)
    ]
    usable = np.array([not reason for reason in reasons])
    return np.where(usable, low, np.nan), np.where(usable, high, np.nan), tuple(reasons)


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
    _check(study, removed, strata.of_image)
    two = np.stack([np.ones(len(removed)), ~removed]).astype(np.float64)
    whole, without = _columns(weighted_ap(study, two, compiled=compiled))
    changes = np.concatenate(
        [
            _columns(weighted_ap(study, ~chosen, compiled=compiled)) - whole
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
