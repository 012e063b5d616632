"""Comparison at full resolution, clusters, and what Hits counts."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy.stats import pearsonr

from reportgen.stats.duplicates import (
    SYMMETRIES,
    apply_symmetry,
    clusters,
    compare_full,
    inverse_symmetry,
    rms32_pairs,
)
from reportgen.stats.duplicates.verification import area_means

RNG = np.random.default_rng(8)
PICTURE = RNG.integers(0, 256, (40, 60), dtype=np.uint8)


@pytest.mark.parametrize("k", range(8), ids=SYMMETRIES)
def test_a_turned_copy_is_the_same_at_full_resolution(k: int) -> None:
    assert compare_full(PICTURE, apply_symmetry(PICTURE, inverse_symmetry(k)), k) == (0.0, 1.0)


def test_rms_and_r_are_those_of_the_definition_and_of_scipy() -> None:
    other = np.clip(PICTURE * 0.5 + RNG.normal(60, 20, PICTURE.shape), 0, 255).astype(np.uint8)
    got = compare_full(PICTURE, other, 0)
    squares = (PICTURE.astype(int) - other.astype(int)) ** 2
    assert got.rms == pytest.approx(float(Fraction(int(squares.sum()), squares.size)) ** 0.5)
    assert got.r == pytest.approx(pearsonr(PICTURE.ravel(), other.ravel()).statistic)
    assert compare_full(PICTURE, 255 - PICTURE, 0).r == pytest.approx(-1)


def test_r_of_a_flat_picture_is_undefined() -> None:
    flat = np.full((40, 60), 77, np.uint8)
    got = compare_full(PICTURE, flat, 0)
    assert got.r is None
    assert got.rms == pytest.approx(np.sqrt(np.mean((PICTURE - 77.0) ** 2)))
    assert compare_full(flat, flat, 0) == (0.0, None)
    board = np.indices((40, 60)).sum(axis=0) % 2 * np.uint8(255)
    assert compare_full(board.astype(np.uint8), flat[::2, ::2], 0).r is None


@pytest.mark.parametrize("k", [0, 1])
def test_the_larger_is_brought_to_the_smaller(k: int) -> None:
    larger = np.kron(PICTURE, np.ones((3, 3), np.uint8))
    turned = apply_symmetry(larger, inverse_symmetry(k))
    assert tuple(compare_full(PICTURE, turned, k)) == pytest.approx((0, 1), abs=1e-9)
    back = apply_symmetry(PICTURE, inverse_symmetry(k))
    assert tuple(compare_full(larger, back, k)) == pytest.approx((0, 1), abs=1e-9)


@pytest.mark.parametrize(("have", "n"), [(5, 2), (7, 3), (9, 9), (10, 1), (13, 12)])
def test_area_means_weigh_cut_pixels_by_their_share(have: int, n: int) -> None:
    values = RNG.integers(0, 256, (have, 2))
    expected = np.empty((n, 2))
    for i in range(n):
        low, high = Fraction(i * have, n), Fraction((i + 1) * have, n)
        for column in range(2):
            total = sum(
                max(min(high, Fraction(y + 1)) - max(low, Fraction(y)), Fraction(0))
                * int(values[y, column])
                for y in range(have)
            )
            expected[i, column] = float(total / (high - low))
    np.testing.assert_allclose(area_means(values.astype(float), n), expected, rtol=1e-12)


def test_clusters_are_components_in_the_order_of_their_first_member() -> None:
    code = clusters(8, np.array([6, 1, 3]), np.array([2, 3, 7]))
    assert code.tolist() == [0, 1, 2, 1, 3, 4, 2, 1]
    assert clusters(0, np.empty(0, np.intp), np.empty(0, np.intp)).tolist() == []
    many = np.zeros(70_000, np.intp)
    assert clusters(2, many, many + 1).tolist() == [0, 0]
    with pytest.raises(ValueError, match="outside 0 … 2"):
        clusters(3, np.array([0]), np.array([3]))


@given(st.integers(1, 9), st.lists(st.tuples(st.integers(0, 8), st.integers(0, 8)), max_size=12))
def test_clusters_equal_repeated_merging(n: int, pairs: list[tuple[int, int]]) -> None:
    pairs = [(a % n, b % n) for a, b in pairs]
    label = list(range(n))
    for a, b in pairs:
        label = [label[a] if value == label[b] else value for value in label]
    first_seen = {value: rank for rank, value in enumerate(dict.fromkeys(label))}
    ends = np.array(pairs, np.intp).reshape(-1, 2)
    assert clusters(n, ends[:, 0], ends[:, 1]).tolist() == [first_seen[value] for value in label]


@given(arrays(np.uint8, (4, 1, 1)), st.floats(0, 300))
def test_one_search_counts_at_every_lower_threshold(levels: object, threshold: float) -> None:
    pictures = np.broadcast_to(np.asarray(levels), (4, 32, 32)).astype(np.uint8)
    hits = rms32_pairs(pictures, threshold=300)
    assert len(hits) == 6
    flat = pictures[:, 0, 0].astype(int)
    expected = [abs(flat[i] - flat[j]) <= threshold for i in range(4) for j in range(i + 1, 4)]
    assert len(hits.within(threshold)) == len(hits.aligned(threshold)) == sum(expected)
    assert (hits.symmetry == 0).all()
