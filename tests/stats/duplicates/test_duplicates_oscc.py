"""Real pictures with known truth: the counts of the reference data (methods §4 and §11)."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray
from PIL import Image

from reportgen.stats.duplicates import (
    SYMMETRIES,
    clusters,
    compare_full,
    cosine_distance,
    rms32_nearest,
    rms32_pairs,
    wdct_features,
    wdct_nearest,
    wdct_pairs,
)
from tests.stats.duplicates.conftest import Oscc, thumbnail


def test_rms32_finds_88_pairs_and_25_validation_images(oscc: Oscc) -> None:
    hits = rms32_pairs(oscc.grey32, threshold=15)
    assert oscc.counts(hits) == (88, 0)
    assert oscc.counts(hits.aligned(15)) == (14, 0)
    assert oscc.leaked(hits) == 25


def test_one_rms32_search_gives_the_whole_table_of_thresholds(oscc: Oscc) -> None:
    hits = rms32_pairs(oscc.grey32, threshold=20)
    for threshold, row in oscc.reference["by_rms_threshold"].items():
        near, aligned = hits.within(float(threshold)), hits.aligned(float(threshold))
        assert oscc.counts(near) == (row["same_source"], row["other"])
        assert oscc.counts(aligned) == (
            row["fixed_alignment_same_source"], row["fixed_alignment_other"]
        )  # fmt: skip
        alone = rms32_pairs(oscc.grey32, threshold=float(threshold))
        np.testing.assert_array_equal(near.distance, alone.distance)
    other = oscc.source[hits.first] != oscc.source[hits.second]
    smallest = np.sort(hits.distance[other])[:3]
    np.testing.assert_allclose(smallest, oscc.reference["smallest_rms_other"], atol=5e-4)
    for threshold, found in (("10", 10), ("12", 17), ("15", 25)):
        said = oscc.reference["resplit"]["content_match"][f"rms<={threshold}"]
        assert oscc.leaked(hits.within(float(threshold))) == found == said["valid_images"]


def test_wdct_finds_234_pairs_and_59_validation_images(oscc: Oscc) -> None:
    features = wdct_features(oscc.grey64, np.ones(len(oscc.files), np.bool_))
    assert features.comparable.all()
    hits = wdct_pairs(features, np.arange(len(oscc.files)), threshold=0.5)
    for cosine, row in oscc.reference["whitened_dct"]["by_threshold"].items():
        near = hits.within(cosine_distance(float(cosine)))
        assert oscc.counts(near) == (row["same_source"], row["other"])
        aligned = oscc.counts(hits.aligned(cosine_distance(float(cosine))))
        assert aligned[0] == row["fixed_alignment_same_source"]
        assert oscc.leaked(near) == row["resplit_valid_found"]
    chosen = hits.within(cosine_distance(0.6))
    assert (oscc.counts(chosen), oscc.leaked(chosen)) == ((234, 0), 59)
    other = oscc.source[hits.first] != oscc.source[hits.second]
    largest = 1 - np.sort(hits.distance[other])[:3]
    np.testing.assert_allclose(largest, oscc.reference["whitened_dct"]["largest_other"], atol=5e-5)


def test_cross_set_search_counts_the_same_leaked_images(oscc: Oscc) -> None:
    train, valid = (np.flatnonzero(oscc.resplit == name) for name in ("train", "valid"))
    hits = rms32_pairs(oscc.grey32[train], oscc.grey32[valid], threshold=15)
    assert len(np.unique(hits.second)) == 25
    nearest = rms32_nearest(oscc.grey32[train], oscc.grey32[valid])
    assert np.count_nonzero(nearest.distance <= 15) == 25
    features = wdct_features(oscc.grey64, np.ones(len(oscc.files), np.bool_))
    pairs = wdct_pairs(features, train, valid, threshold=0.6)
    assert len(np.unique(pairs.second)) == 59
    nearest = wdct_nearest(features, train, valid)
    assert np.count_nonzero(nearest.distance <= cosine_distance(0.6)) == 59
    assert (oscc.source[train[nearest.first]] == oscc.source[valid])[nearest.distance <= 0.4].all()


def test_second_stage_of_rms_22_and_correlation_leaves_133_pairs(oscc: Oscc) -> None:
    hits = rms32_pairs(oscc.grey32, threshold=22)
    grey = [np.asarray(Image.open(oscc.folder / name).convert("L")) for name in oscc.files]
    r = [
        compare_full(grey[a], grey[b], k).r
        for a, b, k in zip(hits.first, hits.second, hits.symmetry.tolist(), strict=True)
    ]
    kept = hits.take(np.array([value is not None and value >= 0.5 for value in r]))
    assert oscc.counts(kept) == (133, 0)


def test_clusters_of_wdct_are_single_sources(oscc: Oscc) -> None:
    features = wdct_features(oscc.grey64, np.ones(len(oscc.files), np.bool_))
    hits = wdct_pairs(features, np.arange(len(oscc.files)), threshold=0.6)
    code = clusters(len(oscc.files), hits.first, hits.second)
    for members in np.split(np.argsort(code, kind="stable"), np.cumsum(np.bincount(code))[:-1]):
        assert len(set(oscc.source[members])) == 1


def eight_of(oscc: Oscc) -> list[Image.Image]:
    """Return a picture of 256 × 192 pixels under the eight symmetries, by Pillow."""
    with Image.open(oscc.folder / oscc.files[0]) as opened:
        picture = opened.convert("L").crop((0, 0, 128, 64)).resize((256, 192))
    return [carried(picture, k) for k in range(8)]


def carried(picture: Image.Image, k: int) -> Image.Image:
    """Return a picture after the k-th symmetry, by Pillow."""
    return picture.transpose(Image.Transpose[SYMMETRIES[k].upper()]) if k else picture


def reduced(picture: Image.Image, side: int) -> NDArray[np.uint8]:
    """Return the area means of a picture whose sides are multiples of `side`, rounded once."""
    return np.asarray(picture.reduce((picture.width // side, picture.height // side)))


@pytest.mark.parametrize("detector", ["rms32", "wdct"])
def test_the_eight_symmetries_of_a_picture_are_mutual_duplicates_at_distance_0(
    oscc: Oscc, detector: str
) -> None:
    turned = eight_of(oscc)
    if detector == "rms32":
        hits = rms32_pairs(np.stack([reduced(one, 32) for one in turned]), threshold=0)
    else:
        small = np.stack([reduced(one, 64) for one in turned])
        hits = wdct_pairs(wdct_features(small, np.ones(8, np.bool_)), np.arange(8), threshold=1)
    assert len(hits) == 28
    assert not hits.distance.any()
    for a, b, k in zip(hits.first, hits.second, hits.symmetry.tolist(), strict=True):
        assert carried(turned[b], k).tobytes() == turned[a].tobytes()


def test_what_carries_a_turned_copy_back_is_named(oscc: Oscc) -> None:
    small = np.stack([reduced(one, 32) for one in eight_of(oscc)])
    hits = rms32_pairs(small[:1], small, threshold=0)
    undoing = [SYMMETRIES[k] for k in hits.symmetry]
    assert undoing == [
        "identity", "rotate_270", "rotate_180", "rotate_90",
        "flip_left_right", "flip_top_bottom", "transpose", "transverse",
    ]  # fmt: skip


def test_box_reduction_that_rounds_twice_costs_less_than_a_grey_level(oscc: Oscc) -> None:
    """Pillow's resize rounds between its two passes, so orientation matters a little."""
    turned = eight_of(oscc)
    hits = rms32_pairs(np.stack([thumbnail(one, 32) for one in turned]), threshold=1)
    assert len(hits) == 28
    assert 0 < hits.distance.max() < 1
    for a, b, k in zip(hits.first, hits.second, hits.symmetry.tolist(), strict=True):
        assert carried(turned[b], k).tobytes() == turned[a].tobytes()
