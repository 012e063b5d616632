"""Average precision with a weight for each image: resamples and subsets without matching again.

An image that is drawn w times counts w times, one that is left out has weight 0. Precision at a
true positive is then the cumulated weight of the true positives over that of all detections, and
the highest precision from there on needs to be looked for only at the last of true positives that
follow one another: within such a run precision never falls, whatever the weights.

With whole weights and scores that are distinct, the figures are those of pycocotools on the images
really repeated. Equal scores on one image are repeated by it in turns, which weights do not do.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from reportgen.stats.detection.boxes import BoolArray, FloatArray, IntArray
from reportgen.stats.detection.compiled import compiled_kernel
from reportgen.stats.detection.conventions import EPSILON, FIGURES, RECALL_GRID, STEP, figure_levels
from reportgen.stats.detection.matching import Matches

CHUNK = 64
"""Resamples that are computed together."""

Kernel = Callable[..., None]


@dataclass(frozen=True)
class WeightedStudy:
    """Matches arranged for weights: each cell is a class at a threshold, classes outermost.

    Attributes
    ----------
    n_images, n_classes, n_levels : int
    image : (E,) int array
        Images of the detections up to the last true positive of their class at any threshold.
    class_edges : (C + 1,) int array
        Where each class begins in `image`.
    hit : (H,) int array
        Places in `image` of the true positives, cell by cell, best score first.
    run_end : (H,) bool array
        Whether the next counting detection of the cell is none, or false.
    hit_edges : (C T + 1,) int array
        Where each cell begins in `hit`.
    neutral : (N,) int array
        Places in `image` of ignored detections, cell by cell.
    neutral_edges : (C T + 1,) int array
    positives : (I, C) float array
        Boxes that count, by image and class.
    recalled : (I, C) float array
        Boxes found at IoU `recall_iou` with a score of at least `confidence`.
    confidence, recall_iou : float
    levels : tuple of int arrays
        Positions of the thresholds of each of `FIGURES`.
    """

    n_images: int
    n_classes: int
    n_levels: int
    image: IntArray
    class_edges: IntArray
    hit: IntArray
    run_end: BoolArray
    hit_edges: IntArray
    neutral: IntArray
    neutral_edges: IntArray
    positives: FloatArray
    recalled: FloatArray
    confidence: float
    recall_iou: float
    levels: tuple[IntArray, ...]


@dataclass(frozen=True)
class WeightedFigures:
    """Figures of B weightings; NaN where a class (for a mean, every class) has no weighted box.

    Attributes
    ----------
    map50, map75, map50_95 : (B,) float arrays
        Means over the classes that have boxes in that weighting.
    ap50, ap75, ap50_95, recall : (B, C) float arrays
        By class.
    """

    map50: FloatArray
    map75: FloatArray
    map50_95: FloatArray
    ap50: FloatArray
    ap75: FloatArray
    ap50_95: FloatArray
    recall: FloatArray


def weighted_study(
    matches: Matches, *, confidence: float = 0.0, recall_iou: float = 0.5
) -> WeightedStudy:
    """Arrange matches at IoU 0.5, 0.55, …, 0.95 for `weighted_ap`.

    Parameters
    ----------
    matches : Matches
    confidence : float
        Least score of a detection that counts for recall; average precision takes all.
    recall_iou : float
        Overlap at which recall is counted.

    Raises
    ------
    ValueError
        If one of the thresholds was not matched.
    """
    levels = tuple(figure_levels(matches.iou_thresholds, figure) for figure in FIGURES)
    found = matches.found
    hits: list[IntArray] = []
    ends: list[BoolArray] = []
    neutral: list[IntArray] = []
    kept: list[IntArray] = []
    start = 0
    for category in range(matches.n_classes):
        own = slice(matches.edges[category], matches.edges[category + 1])
        places = np.flatnonzero(found[:, own].any(axis=0))
        length = int(places[-1]) + 1 if len(places) else 0
        kept.append(matches.image[own][:length])
        for level in range(len(matches.iou_thresholds)):
            passed = matches.ignored[level, own][:length]
            right = found[level, own][:length]
            counting = np.flatnonzero(~passed)
            following = np.append(right[counting][1:], False)
            hits.append(start + np.flatnonzero(right))
            ends.append(~following[right[counting]])
            neutral.append(start + np.flatnonzero(passed))
        start += length
    good = found[matches.level(recall_iou)] & (matches.score >= confidence)
    recalled = np.zeros((matches.n_images, matches.n_classes))
    np.add.at(recalled, (matches.image[good], matches.category[good]), 1.0)
    return WeightedStudy(
        n_images=matches.n_images,
        n_classes=matches.n_classes,
        n_levels=len(matches.iou_thresholds),
        image=_joined(kept),
        class_edges=_edges(kept),
        hit=_joined(hits),
        run_end=np.concatenate([np.zeros(0, dtype=bool), *ends]),
        hit_edges=_edges(hits),
        neutral=_joined(neutral),
        neutral_edges=_edges(neutral),
        positives=matches.positives.T.astype(np.float64),
        recalled=recalled,
        confidence=confidence,
        recall_iou=recall_iou,
        levels=levels,
    )


def _joined(parts: list[IntArray]) -> IntArray:
    return np.concatenate([np.zeros(0, dtype=np.intp), *parts]).astype(np.intp)


def _edges(parts: list[IntArray]) -> IntArray:
    return np.cumsum([0, *(len(part) for part in parts)], dtype=np.intp)


def weighted_ap(
    study: WeightedStudy, weights: NDArray[np.generic], *, compiled: bool | None = None
) -> WeightedFigures:
    """Return COCO average precision and recall for each weighting of the images.

    Parameters
    ----------
    study : WeightedStudy
    weights : (B, I) array, or (I,)
        Times each image counts, >= 0: multiplicities of a bootstrap, or 0 and 1 for a subset.
    compiled : bool, optional
        Whether numba does the sums; if absent, where it is installed. The figures are the same to
        the last bit: both do the same operations in the same order.

    Raises
    ------
    ValueError
        If the weights are of another length, negative or not finite.
    ImportError
        If `compiled` is True and numba is not installed.
    """
    given = np.atleast_2d(np.asarray(weights, dtype=np.float64))
    if given.ndim != 2 or given.shape[1] != study.n_images:
        raise ValueError(f"{study.n_images} images need as many weights, not {given.shape}")
    if not (np.isfinite(given).all() and (given >= 0).all()):
        raise ValueError("weights must be finite and not negative")
    kernel = compiled_kernel(required=bool(compiled)) if compiled is not False else None
    values = np.empty((3, len(given), study.n_classes))
    positives = given @ study.positives
    for start in range(0, len(given), CHUNK):
        some = slice(start, start + CHUNK)
        cells = cell_ap(study, given[some], positives[some], kernel=kernel)
        for place, levels in enumerate(study.levels):
            values[place, some] = cells[:, levels].mean(axis=1).T
    with np.errstate(invalid="ignore"):
        absent = positives == 0
        values[:, absent] = np.nan
        recall = np.where(absent, np.nan, given @ study.recalled / np.where(absent, 1, positives))
    map50, map75, map50_95 = (_mean_of_defined(each) for each in values)
    return WeightedFigures(map50, map75, map50_95, values[0], values[1], values[2], recall)


def _mean_of_defined(values: FloatArray) -> FloatArray:
    defined = ~np.isnan(values)
    total, count = np.where(defined, values, 0.0).sum(axis=1), defined.sum(axis=1)
    return np.where(count > 0, total / np.maximum(count, 1), np.nan)


def cell_ap(
    study: WeightedStudy,
    weights: FloatArray,
    positives: FloatArray,
    *,
    kernel: Kernel | None = None,
) -> FloatArray:
    """Return average precision of each class at each threshold, for a few weightings.

    Parameters
    ----------
    study : WeightedStudy
    weights : (b, I) float array
    positives : (b, C) float array
        Weighted boxes of each class.
    kernel : callable, optional
        `compiled.fill_cells`, compiled or not; numpy does the sums if absent.

    Returns
    -------
    (C, T, b) float array
        0 where a class has no weighted box: the caller says that it is not defined.
    """
    total = np.ascontiguousarray(np.where(positives == 0, np.inf, positives).T)
    out = np.zeros((study.n_classes, study.n_levels, len(weights)))
    if kernel is not None:
        cells = out.reshape(study.n_classes * study.n_levels, len(weights))
        kernel(
            study.image, study.class_edges, study.hit, study.run_end, study.hit_edges,
            study.neutral, study.neutral_edges, study.n_levels, weights, total, cells,
        )  # fmt: skip
        return out
    for category in range(study.n_classes):
        begin, end = study.class_edges[category : category + 2]
        # Weightings are rows: running sums along a row are several times as fast as along a column.
        weight = weights.take(study.image[begin:end], axis=1)
        seen = np.cumsum(weight, axis=1)
        for level in range(study.n_levels):
            cell = category * study.n_levels + level
            hit = slice(study.hit_edges[cell], study.hit_edges[cell + 1])
            passed = slice(study.neutral_edges[cell], study.neutral_edges[cell + 1])
            out[category, level] = _one_cell(
                weight, seen, study.hit[hit] - begin, study.run_end[hit],
                study.neutral[passed] - begin, total[category],
            )  # fmt: skip
    return out


def _one_cell(
    weight: FloatArray,
    seen: FloatArray,
    hit: IntArray,
    run_end: BoolArray,
    neutral: IntArray,
    total: FloatArray,
) -> FloatArray | float:
    """Return the 101-point sum of one class at one threshold, (b,)."""
    if not len(hit):
        return 0.0
    ends = np.flatnonzero(run_end)
    sums = weight.take(hit, axis=1)
    found = np.cumsum(sums, axis=1, out=sums).take(ends, axis=1)
    counted = seen.take(hit[ends], axis=1)
    if len(neutral):
        passed = np.cumsum(weight.take(neutral, axis=1), axis=1)
        before = np.searchsorted(neutral, hit[ends])
        counted -= np.pad(passed, ((0, 0), (1, 0))).take(before, axis=1)
    counted += EPSILON
    envelope = np.divide(found, counted, out=counted)[:, ::-1]
    np.maximum.accumulate(envelope, axis=1, out=envelope)
    found /= total[:, None]
    reached = _recalls_reached(found)[:, ::-1]
    envelope[:, :-1] *= reached[:, :-1] - reached[:, 1:]
    envelope[:, -1] *= reached[:, -1]
    # A running sum, unlike sum(), has one order of additions: that of the compiled loop.
    return np.asarray(np.add.accumulate(envelope, axis=1, out=envelope)[:, -1] / len(RECALL_GRID))


def _recalls_reached(recall: FloatArray) -> FloatArray:
    """Return how many of COCO's recalls are at most `recall`: searchsorted(…, "right"), faster.

    Those recalls are k times the float 0.01, as numpy's linspace has them.
    """
    below = recall * 100
    np.floor(below, out=below)
    reached = below + (below * STEP <= recall)
    below += 1
    reached += below * STEP <= recall
    return reached
