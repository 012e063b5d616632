"""How often the interval of a removal holds the truth, and what the p of control removals is worth.

Allowed is the nominal share plus or minus 3.3 Monte-Carlo standard errors of the size that is run
(about one in a thousand runs of a right method falls outside). Read the figures with
``pytest -m slow -s``.
"""

from __future__ import annotations

import math
import sys

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.stats import norm

from reportgen.stats.detection import (
    control_removals,
    match,
    removal_effect,
    removal_strata,
    weighted_ap,
    weighted_study,
)
from reportgen.stats.detection.contrasts import figure_columns
from reportgen.stats.detection.removal import FEW
from reportgen.stats.detection.units import Pool, Stratum
from tests.support.detection import Columns, columns, made_up

pytestmark = pytest.mark.slow

CLUSTER = 3
DRAWS = 199  # with 199 the level of 5 % is reached exactly
WIDTH = 3.3


def write(line: str) -> None:
    sys.stdout.write(f"{line}\n")


def population(seed: int, *, clusters: int) -> tuple[Columns, Columns, NDArray[np.bool_]]:
    """Return boxes of clusters of three images, alike in ease; every fourth one is a duplicate.

    Duplicates are easier. Images of a cluster share the chance that a box is found.
    """
    rng = np.random.default_rng(seed)
    duplicate = np.arange(clusters) % 4 == 0
    ease = rng.beta(4, 2, clusters) * 0.8 + 0.2 * duplicate
    n = CLUSTER * clusters
    truth, seen = made_up(
        rng, n_images=n, n_boxes=5 * n, n_classes=2, found=np.repeat(ease, CLUSTER)
    )
    return truth, seen, np.repeat(duplicate, CLUSTER)


def sampled(table: Columns, edges: NDArray[np.intp], images: NDArray[np.intp]) -> Columns:
    """Return the boxes of some images, which become images 0, 1, …; `table` ascends by image."""
    counts = edges[images + 1] - edges[images]
    starts = np.repeat(edges[images] - np.cumsum(counts) + counts, counts)
    row = starts + np.arange(counts.sum())
    score = None if table.score is None else table.score[row] + 1e-9 * np.arange(len(row))
    image = np.repeat(np.arange(len(images)), counts)
    return columns(image, table.category[row], table.xywh[row], score=score)


def by_image(table: Columns, n: int) -> tuple[Columns, NDArray[np.intp]]:
    order = np.argsort(table.image, kind="stable")
    score = None if table.score is None else table.score[order]
    image = table.image[order]
    ordered = columns(image, table.category[order], table.xywh[order], score=score)
    return ordered, np.searchsorted(image, np.arange(n + 1))


def test_the_interval_of_a_change_holds_the_truth(simulation_share: float) -> None:
    """Samples of 60 clusters, about 15 of them duplicates, from 6,000; intervals at 95 %.

    A sample with fewer than 10 clusters of duplicates has no interval: it is drawn and not counted.
    """
    clusters, size, repeats = 6000, 60, round(400 * simulation_share)
    n = CLUSTER * clusters
    truth, seen, duplicate = population(1, clusters=clusters)
    study = weighted_study(match(truth, seen, n_images=n, n_classes=2))
    _, without, only = figure_columns(
        weighted_ap(study, np.stack([np.ones(n), ~duplicate, duplicate]))
    )
    change, gap = without - figure_columns(weighted_ap(study, np.ones(n)))[0], only - without
    (truth, truth_edges), (seen, seen_edges) = by_image(truth, n), by_image(seen, n)
    held, counted = np.zeros((2, len(change))), 0
    rng = np.random.default_rng(2)
    for _ in range(repeats):
        drawn = rng.integers(0, clusters, size)
        images = (CLUSTER * drawn[:, None] + np.arange(CLUSTER)).ravel()
        boxes = sampled(truth, truth_edges, images)
        detections = sampled(seen, seen_edges, images)
        sample = weighted_study(match(boxes, detections, n_images=len(images), n_classes=2))
        cluster = np.arange(len(images)) // CLUSTER
        effect = removal_effect(sample, duplicate[images], cluster, rng, resamples=400)
        if effect.n_clusters_removed < FEW:
            continue
        counted += 1
        held[0] += (effect.change_low <= change) & (change <= effect.change_high)
        held[1] += (effect.gap_low <= gap) & (gap <= effect.gap_high)
    share = held / counted
    write(f"held of {counted}, change and gap of mAP50, mAP75, mAP50-95, two recalls:\n{share}")
    error = math.sqrt(0.95 * 0.05 / counted)
    assert counted >= repeats / 2
    assert (np.abs(share - 0.95) <= WIDTH * error).all()


BOTH: tuple[Stratum, ...] = ("dominant_class", "instance_quartile")


def null_ps(
    pool: Pool, *, repeats: int, seed: int, by: tuple[Stratum, ...] = BOTH
) -> NDArray[np.float64]:
    """Return p of the change of mAP50 and of a recall where a random fifth of images is removed."""
    ps = []
    rng = np.random.default_rng(seed)
    for _ in range(repeats):
        truth, seen = made_up(rng, n_images=100, n_boxes=400, n_classes=2)
        matches = match(truth, seen, n_images=100, n_classes=2)
        removed = np.isin(np.arange(100), rng.choice(100, 20, replace=False))
        controls = control_removals(
            weighted_study(matches), removed, removal_strata(matches.positives, by=by), rng,
            draws=DRAWS, pool=pool,
        )  # fmt: skip
        ps.append(controls.p[[0, 3]])
    return np.array(ps)


def test_p_is_uniform_where_the_removed_images_are_like_others(simulation_share: float) -> None:
    repeats = round(800 * simulation_share)
    ps = null_ps("all", repeats=repeats, seed=3)
    for level in (0.05, 0.25, 0.5, 0.75):
        share = (ps <= level).mean(axis=0)
        write(f"\np <= {level}: {share}")
        assert (np.abs(share - level) <= WIDTH * math.sqrt(level * (1 - level) / repeats)).all()


def test_p_from_other_images_alone_is_too_small(simulation_share: float) -> None:
    """With a fifth removed, controls vary too little by sqrt(1 - 2/5): 13 % reject at 5 %.

    One stratum, so that none runs short: that would add to it.
    """
    repeats = round(800 * simulation_share)
    ps = null_ps("others", repeats=repeats, seed=4, by=())
    share = (ps <= 0.05).mean(axis=0)
    theory = 2 * norm.sf(norm.isf(0.025) * math.sqrt(1 - 2 / 5))
    write(f"\np <= 0.05 from others alone: {share}; by the normal argument {theory:.3f}")
    assert theory == pytest.approx(0.129, abs=5e-4)
    assert (np.abs(share - theory) <= WIDTH * math.sqrt(theory * (1 - theory) / repeats)).all()
