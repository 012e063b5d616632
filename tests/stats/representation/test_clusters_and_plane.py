"""Failure clusters found and confirmed on different patients; the plane that is drawn."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray
from sklearn.decomposition import PCA

from reportgen.stats.representation.clusters import FailureClusters, failure_clusters
from reportgen.stats.representation.plane import principal_plane, thinned

Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]
Ints = NDArray[np.intp]


def with_a_bad_region(seed: int) -> tuple[Floats, Bools, Ints]:
    """120 patients of three images: a fourth lies at f2 = 5 and fails in 60 %, others in 10 %."""
    rng = np.random.default_rng(seed)
    person = rng.normal(size=(120, 4))
    person[:30, 1] += 5
    unit = np.repeat(np.arange(120), 3)
    features = person[unit] + rng.normal(0, 0.3, (360, 4))
    failed = rng.random(360) < np.where(unit < 30, 0.6, 0.1)
    return features, failed, unit


def test_a_bad_region_is_found_confirmed_and_described() -> None:
    features, failed, unit = with_a_bad_region(1)
    found = failure_clusters(
        features, failed, unit, np.random.default_rng(1), names=["f1", "f2", "f3", "f4"]
    )
    worst = found.clusters[0]
    assert worst.confirmed
    assert worst.describing[0][0] == "f2"
    assert worst.describing[0][1] > 1
    assert worst.found_rate > worst.found_elsewhere
    assert found.of_row is not None
    bad = found.of_row[unit < 30]
    assert (bad == bad[0]).mean() > 0.9 or len(found.clusters) > 2
    # Its error rate is that of the patients it was not found on.
    assert worst.rate.value == pytest.approx(worst.n_failed / worst.n_rows)
    rest = [c for c in found.clusters if not c.found]
    assert all(c.confirmed is None and c.p is None for c in rest)


def test_search_and_confirmation_share_no_patient() -> None:
    features, failed, unit = with_a_bad_region(2)
    found = failure_clusters(features, failed, unit, np.random.default_rng(2))
    # Each patient lies in one half with all three images: the confirming half is half of them all.
    assert sum(c.n_rows for c in found.clusters) == 180


def test_neither_row_order_nor_names_of_patients_matter() -> None:
    features, failed, unit = with_a_bad_region(3)
    order, renamed = (np.random.default_rng(9).permutation(n) for n in (360, 120))

    def clusters(rows: Ints, names: Ints) -> FailureClusters:
        generator = np.random.default_rng(3)
        return failure_clusters(features[rows], failed[rows], names[unit[rows]], generator)

    plain = clusters(np.arange(360), np.arange(120))
    other = clusters(order, renamed)
    assert plain.clusters == other.clusters
    assert plain.of_row is not None
    assert other.of_row is not None
    np.testing.assert_array_equal(plain.of_row[order], other.of_row)


def test_two_failures_are_too_few() -> None:
    rng = np.random.default_rng(4)
    failed = np.zeros(100, dtype=bool)
    failed[:2] = True
    found = failure_clusters(rng.normal(size=(100, 3)), failed, np.arange(100), rng)
    assert found.clusters == ()
    assert found.reason == "too few failures: 2 patients with an error; 20 are needed"
    # Fifty wrong images of two patients are two failures still.
    many = failure_clusters(
        rng.normal(size=(100, 3)), np.arange(100) < 50, np.minimum(np.arange(100) // 25, 50), rng
    )
    assert many.reason.startswith("too few failures: 2 patients")


def test_missing_and_constant_features_are_noted() -> None:
    features, failed, unit = with_a_bad_region(5)
    features[7, 2] = np.nan
    features[:, 3] = 1.0
    found = failure_clusters(features, failed, unit, np.random.default_rng(1))
    assert found.notes == (
        "1 rows left out: a feature is missing",
        "feature 4 left out: constant in the half searched",
    )
    assert found.of_row is not None
    assert found.of_row[7] == 0
    assert (found.of_row > 0).sum() == 359
    flat = failure_clusters(features[:, 3:], failed, unit, np.random.default_rng(1))
    assert flat.reason == "no feature varies"


def test_the_plane_is_scikit_learns() -> None:
    rng = np.random.default_rng(6)
    features = rng.normal(size=(80, 5)) @ rng.normal(size=(5, 5))
    plane, other = principal_plane(features), PCA(2, svd_solver="full").fit(features)
    np.testing.assert_allclose(plane.explained, other.explained_variance_ratio_)
    np.testing.assert_allclose(np.abs(plane.loadings), np.abs(other.components_), atol=1e-9)
    np.testing.assert_allclose(np.abs(plane.x), np.abs(other.transform(features)[:, 0]))
    largest = np.abs(plane.loadings).argmax(axis=1)
    assert (plane.loadings[[0, 1], largest] > 0).all()
    # The sign is the data's own: the mirrored data give the mirrored plane.
    np.testing.assert_allclose(principal_plane(-features).x, -plane.x)


def test_one_feature_is_a_line() -> None:
    plane = principal_plane(np.arange(5.0)[:, None])
    np.testing.assert_allclose(plane.x, [-2, -1, 0, 1, 2])
    np.testing.assert_array_equal(plane.y, 0)
    np.testing.assert_array_equal(plane.explained, [1, 0])
    with pytest.raises(ValueError, match="no features"):
        principal_plane(np.zeros((4, 0)))


def test_thinned_points_keep_the_shares() -> None:
    rng = np.random.default_rng(7)
    group, failed = rng.integers(0, 2, 5000) * 3, rng.random(5000) < 0.08
    group[0], failed[0] = 7, True  # a set of one row
    plane = principal_plane(rng.normal(size=(5000, 4)))
    rows, stands_for = thinned(plane, group, failed)
    assert len(rows) == len(np.unique(rows)) == 400
    assert stands_for.sum() == 5000
    assert stands_for.min() >= 1
    assert 0 in rows
    assert failed[rows].mean() == pytest.approx(failed.mean(), abs=4 / 400)
    for kind in np.unique(group):
        assert stands_for[group[rows] == kind].sum() == (group == kind).sum()


def test_few_points_are_all_drawn() -> None:
    plane = principal_plane(np.random.default_rng(8).normal(size=(9, 2)))
    rows, stands_for = thinned(plane, np.zeros(9, dtype=np.intp), np.zeros(9, dtype=bool))
    assert sorted(rows.tolist()) == list(range(9))
    assert stands_for.tolist() == [1] * 9
