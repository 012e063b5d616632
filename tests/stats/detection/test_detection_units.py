"""Clusters, strata and matched sets, by hand and by counting."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest

from reportgen.stats.detection import merge_codes, removal_strata
from reportgen.stats.detection.units import cluster_weights, matched_sets


def test_groupings_hang_together_through_each_other() -> None:
    duplicates = [0, 0, 1, 2, 3, 4]
    source = [5, 6, 6, 7, 8, 9]
    patient = [1, 2, 3, 4, 4, 5]
    # 0-1 by duplicate, 1-2 by source, 3-4 by patient.
    assert merge_codes(duplicates, source, patient).tolist() == [0, 0, 0, 1, 1, 2]


def test_what_is_unknown_joins_nothing() -> None:
    assert merge_codes([-1, -1, 7], [-1, 3, 3]).tolist() == [0, 1, 1]
    assert merge_codes([-1, -1, -1]).tolist() == [0, 1, 2]


def test_clusters_are_numbered_by_their_first_image() -> None:
    assert merge_codes([9, 4, 9, 0]).tolist() == [0, 1, 0, 2]


def test_groupings_of_different_length_are_refused() -> None:
    with pytest.raises(ValueError, match="of one length"):
        merge_codes([0, 1], [0])
    with pytest.raises(ValueError, match="at least one"):
        merge_codes()


def test_clusters_are_drawn_whole_and_as_many_as_there_are() -> None:
    cluster = np.array([0, 1, 1, 2, 3, 3, 3])
    blocks = list(cluster_weights(cluster, np.random.default_rng(0), resamples=1100))
    weights = np.concatenate(blocks)
    assert weights.shape == (1100, 7)
    assert (weights[:, 1] == weights[:, 2]).all()
    assert (weights[:, 4] == weights[:, 6]).all()
    assert (weights[:, [0, 1, 3, 4]].sum(axis=1) == 4).all()
    # A multiplicity is binomial (4 draws, 1/4 each): mean 1, variance 3/4.
    error = np.sqrt(0.75 / 1100)
    assert (np.abs(weights.mean(axis=0) - 1) < 4 * error).all()


def test_strata_are_the_class_with_most_boxes_and_the_quarter_of_the_counts() -> None:
    positives = np.array([[3, 0, 2, 0, 0, 1, 9, 1], [1, 4, 2, 0, 1, 0, 0, 5]])
    boxes = [4, 4, 4, 0, 1, 1, 9, 6]
    strata = removal_strata(positives)
    assert strata.bounds.tolist() == np.quantile(boxes, [0.25, 0.5, 0.75]).tolist() == [1, 4, 4.5]
    # Ties go to the first class; an image without boxes has none.
    assert strata.dominant[strata.of_image].tolist() == [0, 1, 0, -1, 1, 0, 0, 1]
    assert strata.quartile[strata.of_image].tolist() == [2, 2, 2, 1, 1, 1, 4, 4]


def test_strata_tell_apart_only_what_is_asked() -> None:
    positives = np.array([[3, 0, 2], [1, 4, 2]])
    by_class = removal_strata(positives, by=["dominant_class"])
    assert set(by_class.quartile) == {0}
    assert by_class.dominant.tolist() == [0, 1]
    assert removal_strata(positives, by=["instance_quartile"]).dominant.tolist() == [-2]
    assert removal_strata(positives, by=[]).of_image.tolist() == [0, 0, 0]


POSITIVES = np.array([[5, 5, 5, 5, 0, 0, 0, 0], [0, 0, 0, 0, 5, 5, 5, 5]])
REMOVED = np.array([1, 1, 0, 0, 1, 0, 0, 0], dtype=bool)


def test_matched_sets_hold_as_many_of_each_stratum() -> None:
    strata = removal_strata(POSITIVES)
    rng = np.random.default_rng(1)
    sets = np.concatenate(list(matched_sets(REMOVED, strata, rng, draws=3000, pool="all")))
    assert (sets[:, :4].sum(axis=1) == 2).all()
    assert (sets[:, 4:].sum(axis=1) == 1).all()
    # 6 pairs and 4 singles, each of the 24 sets alike: 125 expected, variance about 120.
    codes = sets @ (1 << np.arange(8))
    _, counts = np.unique(codes, return_counts=True)
    assert len(counts) == len(list(combinations(range(4), 2))) * 4
    assert (np.abs(counts - 125) < 5 * np.sqrt(125 * 23 / 24)).all()


def test_sets_of_others_leave_the_removed_images_alone() -> None:
    strata = removal_strata(POSITIVES)
    rng = np.random.default_rng(1)
    sets = np.concatenate(list(matched_sets(REMOVED, strata, rng, draws=50, pool="others")))
    assert not (sets & REMOVED).any()
    assert (sets[:, 2:4]).all()  # two wanted, two there
    assert (sets.sum(axis=1) == 3).all()


def test_a_short_stratum_gives_what_it_has() -> None:
    removed = np.array([1, 1, 1, 0, 0, 0, 0, 0], dtype=bool)
    rng = np.random.default_rng(1)
    (sets,) = matched_sets(removed, removal_strata(POSITIVES), rng, draws=9, pool="others")
    assert sets.sum(axis=1).tolist() == [1] * 9
