"""What images hang together, and which are alike: clusters for resampling, strata for controls."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

from reportgen.stats.detection.boxes import BoolArray, FloatArray, IntArray

Stratum = Literal["dominant_class", "instance_quartile"]
Pool = Literal["all", "others"]

BLOCK = 512
"""Resamples that are drawn together."""


def merge_codes(*codes: ArrayLike) -> IntArray:
    """Return the clusters in which images hang together by any of several groupings.

    Parameters
    ----------
    *codes : (n,) array_like of int
        One or more groupings (duplicates, source, patient …): images with the same code belong
        together; -1 is unknown and joins nothing.

    Returns
    -------
    (n,) int array
        Connected components, numbered from 0 by their first image.

    Raises
    ------
    ValueError
        If no grouping is given, or they differ in length.
    """
    columns = [np.asarray(each, dtype=np.intp) for each in codes]
    if len({len(column) for column in columns}) != 1:
        raise ValueError("groupings must be of one length, at least one")
    n = len(columns[0])
    nodes, starts, stops = n, [], []
    for column in columns:
        known = np.flatnonzero(column >= 0)
        distinct, code = np.unique(column[known], return_inverse=True)
        starts.append(known)
        stops.append(nodes + code)
        nodes += len(distinct)
    start, stop = np.concatenate(starts), np.concatenate(stops)
    graph = coo_array((np.ones(len(start)), (start, stop)), shape=(nodes, nodes))
    _, part = connected_components(graph.tocsr(), directed=False)
    _, first, code = np.unique(part[:n], return_index=True, return_inverse=True)
    rank = np.empty(len(first), dtype=np.intp)
    rank[np.argsort(first)] = np.arange(len(first))
    return np.asarray(rank[code])


def cluster_weights(
    cluster: IntArray, rng: np.random.Generator, *, resamples: int
) -> Iterator[FloatArray]:
    """Draw clusters with replacement, as many as there are, and say how often each image came.

    Parameters
    ----------
    cluster : (n,) int array
        The cluster of each image, 0 upwards, each met at least once.
    rng : numpy.random.Generator
    resamples : int

    Yields
    ------
    (b, n) float array
        Multiplicities, whole numbers.
    """
    n_clusters = int(cluster.max()) + 1
    for start in range(0, resamples, BLOCK):
        size = min(BLOCK, resamples - start)
        drawn = rng.integers(0, n_clusters, size=(size, n_clusters))
        drawn += np.arange(size)[:, None] * n_clusters
        counts = np.bincount(drawn.ravel(), minlength=size * n_clusters)
        yield counts.reshape(size, n_clusters)[:, cluster].astype(np.float64)


@dataclass(frozen=True)
class Strata:
    """Images that are alike in what they hold.

    Attributes
    ----------
    of_image : (n,) int array
        The stratum of each image; strata ascend by dominant class, then by quartile.
    dominant : (S,) int array
        The class with most boxes in an image, ties to the first; -1 for images without boxes;
        -2 where classes are not told apart.
    quartile : (S,) int array
        Quarter of the images by their number of boxes, 1 to 4; 0 where numbers are not told apart.
    bounds : (3,) float array
        Quartiles of the number of boxes: quarter q holds numbers above bound q - 2, up to q - 1.
    """

    of_image: IntArray
    dominant: IntArray
    quartile: IntArray
    bounds: FloatArray


def removal_strata(
    positives: IntArray, *, by: Sequence[Stratum] = ("dominant_class", "instance_quartile")
) -> Strata:
    """Group images by their dominant class and their number of boxes.

    Parameters
    ----------
    positives : (C, n) int array
        Boxes by class and image.
    by : sequence of {"dominant_class", "instance_quartile"}
        What to tell apart; nothing makes one stratum of all images.
    """
    boxes = positives.sum(axis=0)
    bounds = np.quantile(boxes, [0.25, 0.5, 0.75])
    dominant = np.full(len(boxes), -2, dtype=np.intp)
    quartile = np.zeros(len(boxes), dtype=np.intp)
    if "dominant_class" in by:
        dominant = np.where(boxes > 0, positives.argmax(axis=0), -1)
    if "instance_quartile" in by:
        quartile = 1 + np.searchsorted(bounds, boxes, side="left")
    pairs, of_image = np.unique(np.stack([dominant, quartile]), axis=1, return_inverse=True)
    return Strata(of_image.ravel().astype(np.intp), pairs[0], pairs[1], bounds)


def matched_sets(
    removed: BoolArray, strata: Strata, rng: np.random.Generator, *, draws: int, pool: Pool
) -> Iterator[BoolArray]:
    """Draw sets of images with as many of each stratum as `removed` has, without replacement.

    Parameters
    ----------
    removed : (n,) bool array
    strata : Strata
    rng : numpy.random.Generator
    draws : int
    pool : {"all", "others"}
        Draw from all images of a stratum, or from those that are not removed; where these are too
        few, all of them are taken.

    Yields
    ------
    (b, n) bool array
    """
    tasks = []
    for stratum in range(len(strata.dominant)):
        inside = strata.of_image == stratum
        wanted = int(np.count_nonzero(inside & removed))
        members = np.flatnonzero(inside if pool == "all" else inside & ~removed)
        if wanted:
            tasks.append((members, min(wanted, len(members))))
    for start in range(0, draws, BLOCK):
        size = min(BLOCK, draws - start)
        chosen = np.zeros((size, len(removed)), dtype=bool)
        for members, wanted in tasks:
            order = np.argsort(rng.random((size, len(members))), axis=1, kind="stable")
            np.put_along_axis(chosen, members[order[:, :wanted]], True, axis=1)
        yield chosen
