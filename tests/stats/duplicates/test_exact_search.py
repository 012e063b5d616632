"""The searches return what comparing everything with everything returns, whatever the pictures."""

from __future__ import annotations

from itertools import combinations, product
from math import sqrt
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

import reportgen.stats.duplicates.rms32 as rms32
import reportgen.stats.duplicates.wdct as wdct
from reportgen.stats.duplicates import (
    Hits,
    apply_symmetry,
    rms32_nearest,
    rms32_pairs,
    wdct_features,
    wdct_nearest,
    wdct_pairs,
)

Stack = NDArray[np.uint8]
Row = tuple[int, int, int, float, float]


def compared(a: Stack, b: Stack) -> tuple[int, float, float]:
    """Return symmetry, distance and fixed distance of two thumbnails, by the definition."""
    squares = [
        int(((a.astype(int) - apply_symmetry(b, k).astype(int)) ** 2).sum()) for k in range(8)
    ]
    k = squares.index(min(squares))
    return k, sqrt(squares[k] / 1024), sqrt(squares[0] / 1024)


def every_pair(first: Stack, second: Stack | None, threshold: float) -> list[Row]:
    """Return all pairs within the threshold, one comparison after another."""
    ends = (
        combinations(range(len(first)), 2)
        if second is None
        else product(range(len(first)), range(len(second)))
    )
    other = first if second is None else second
    rows = [(i, j, *compared(first[i], other[j])) for i, j in ends]
    return [row for row in rows if row[3] <= threshold]


def rows_of(hits: Hits) -> list[Row]:
    columns: list[list[Any]] = [
        column.tolist()
        for column in (hits.first, hits.second, hits.symmetry, hits.distance, hits.fixed)
    ]
    return list(zip(*columns, strict=True))


def stack(seed: int, n: int, side: int = 32) -> Stack:
    """Return pictures of every kind: noise, smooth, flat, symmetric, extreme, and near copies."""
    rng = np.random.default_rng(seed)
    made: list[Stack] = []
    for kind in rng.integers(0, 8, n):
        noise = rng.integers(0, 256, (side, side), dtype=np.uint8)
        ramp = np.linspace(0, rng.integers(1, 256), side)[:, None] * np.ones(side)
        if kind == 1:
            noise = ramp.astype(np.uint8)
        elif kind == 2:
            noise = np.full((side, side), rng.choice([0, 1, 127, 128, 254, 255]), np.uint8)
        elif kind == 3:
            noise = np.maximum(noise, noise.T)
        elif kind == 4:
            noise = np.where(noise > 127, 255, 0).astype(np.uint8)
        elif kind >= 5 and made:
            copy = apply_symmetry(made[rng.integers(len(made))], int(rng.integers(8)))
            change = rng.integers(-3, 4, (side, side)) * (kind == 6) + (kind == 7)
            noise = np.clip(copy.astype(int) + change, 0, 255).astype(np.uint8)
        made.append(np.ascontiguousarray(noise))
    return np.array(made, np.uint8).reshape(n, side, side)


SEEDS = st.integers(0, 2**32 - 1)
THRESHOLDS = st.one_of(
    st.sampled_from([0.0, 1.0, 2.0, 4.0, 8.0, 15.0, 22.0, 60.0, 255.0, 1e9]), st.floats(0, 150)
)


@settings(deadline=None, max_examples=40)
@given(SEEDS, st.integers(0, 12), THRESHOLDS)
def test_rms32_within_a_set_equals_brute_force(seed: int, n: int, threshold: float) -> None:
    pictures = stack(seed, n)
    assert rows_of(rms32_pairs(pictures, threshold=threshold)) == every_pair(
        pictures, None, threshold
    )


@settings(deadline=None, max_examples=40)
@given(SEEDS, st.integers(0, 8), st.integers(0, 12), THRESHOLDS)
def test_rms32_across_sets_equals_brute_force(seed: int, n: int, m: int, threshold: float) -> None:
    both = stack(seed, n + m)
    found = rows_of(rms32_pairs(both[:n], both[n:], threshold=threshold))
    assert found == every_pair(both[:n], both[n:], threshold)


@settings(deadline=None, max_examples=20)
@given(SEEDS, st.integers(2, 8))
def test_a_threshold_read_off_a_pair_includes_it_and_the_next_below_does_not(
    seed: int, n: int
) -> None:
    pictures = stack(seed, n)
    for i, j, _, distance, _ in every_pair(pictures, None, 1e9)[:6]:
        at = rms32_pairs(pictures, threshold=distance)
        assert (i, j) in set(zip(at.first.tolist(), at.second.tolist(), strict=True))
        if distance > 0:
            below = rms32_pairs(pictures, threshold=float(np.nextafter(distance, 0)))
            assert (i, j) not in set(zip(below.first.tolist(), below.second.tolist(), strict=True))


@settings(deadline=None, max_examples=30)
@given(SEEDS, st.integers(0, 8), st.integers(0, 10))
def test_rms32_nearest_equals_brute_force(seed: int, n: int, m: int) -> None:
    both = stack(seed, n + m)
    first, second = both[:n], both[n:]
    expected = []
    for j in range(m):
        rows = [(i, j, *compared(first[i], second[j])) for i in range(n)]
        expected.append(
            min(rows, key=lambda row: (row[3], row[0]), default=(-1, j, -1, np.inf, np.inf))
        )
    assert rows_of(rms32_nearest(first, second)) == expected


@settings(deadline=None, max_examples=20)
@given(SEEDS, st.integers(0, 10))
def test_rms32_nearest_within_a_set_is_another_item(seed: int, n: int) -> None:
    pictures = stack(seed, n)
    for first, second, symmetry, distance, _ in rows_of(rms32_nearest(pictures)):
        rows = [(compared(pictures[i], pictures[second])[1], i) for i in range(n) if i != second]
        assert (distance, first) == min(rows, default=(np.inf, -1))
        if first >= 0:
            assert symmetry == compared(pictures[first], pictures[second])[0]


def photographs(seed: int, n: int, m: int) -> tuple[Stack, Stack]:
    """Return smooth random pictures; every tenth of the second is a turned, noisy copy."""
    rng = np.random.default_rng(seed)
    frequency = np.hypot(np.fft.fftfreq(32)[:, None], np.fft.rfftfreq(32))
    frequency[0, 0] = 1
    field = np.fft.irfft2(np.fft.rfft2(rng.normal(size=(n + m, 32, 32))) / frequency**1.3)
    field *= 25 / field.std(axis=(1, 2), keepdims=True)
    pictures = np.clip(field + rng.normal(120, 12, (n + m, 1, 1)), 0, 255).round().astype(np.uint8)
    first, second = pictures[:n], pictures[n:]
    for j in range(0, m, 10):
        copy = apply_symmetry(first[rng.integers(n)], int(rng.integers(8))).astype(float)
        noise = rng.normal(0, 1 + j / m * 9, (32, 32))
        second[j] = np.clip(copy + noise, 0, 255).round().astype(np.uint8)
    return first, second


def dense(first: Stack, second: Stack) -> NDArray[np.int64]:
    """Return the least squares over the symmetries of all pairs, in whole numbers."""
    a = first.reshape(len(first), -1).astype(np.int64)
    best = np.full((len(first), len(second)), np.iinfo(np.int64).max)
    for k in range(8):
        b = np.array([apply_symmetry(p, k).ravel() for p in second], np.int64)
        products = (a.astype(float) @ b.T.astype(float)).astype(np.int64)  # whole, below 2^53
        squares = (a**2).sum(axis=1)[:, None] + (b**2).sum(axis=1) - 2 * products
        best = np.minimum(best, squares)
    return best


@pytest.mark.parametrize("threshold", [4.0, 8.0, 15.0, 30.0])
def test_rms32_equals_brute_force_over_many_blocks(
    threshold: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    first, second = photographs(5, 150, 400)
    squares = dense(first, second)
    expected = np.stack(np.nonzero(squares <= threshold**2 * 1024))
    nearest = np.sqrt(squares.min(axis=0) / 1024)
    for rows, columns in ((512, 2048), (7, 31)):
        monkeypatch.setattr(rms32, "ROWS", rows)
        monkeypatch.setattr(rms32, "COLUMNS", columns)
        monkeypatch.setattr(rms32, "_FULL", 10 * rows)
        monkeypatch.setattr(rms32, "_PROMISING", 16 if rows == 512 else 1)
        hits = rms32_pairs(first, second, threshold=threshold)
        np.testing.assert_array_equal(np.stack([hits.first, hits.second]), expected)
        np.testing.assert_array_equal(rms32_nearest(first, second).distance, nearest)
    assert len(hits) >= 10


def test_nearest_of_many_equal_pictures_is_the_first_of_them() -> None:
    pictures = np.full((90, 32, 32), 60, np.uint8)
    pictures[40:] = 61
    nearest = rms32_nearest(pictures)
    assert nearest.first.tolist() == [1, *[0] * 39, 41, *[40] * 49]
    assert not nearest.distance.any()
    assert rms32_nearest(pictures[:40], pictures[40:]).first.tolist() == [0] * 50


def cosines(white: NDArray[np.float64], i: int, j: int) -> list[float]:
    """Return the cosines of two coefficient blocks by symmetry, from the definition."""
    signs = (-1.0) ** np.arange(16)
    result = []
    for k in range(8):
        corner = apply_symmetry(np.array([[1, 2], [3, 4]]), k)  # how this symmetry moves corners
        transpose = abs(corner[0, 0] - corner[0, 1]) == 2
        block = white[j].T if transpose else white[j]
        held = apply_symmetry(np.array([[1, 2], [3, 4]]), 6 if transpose else 0)
        rows, columns = corner[0, 0] in held[1], corner[0, 0] in held[:, 1]
        turned = block * (signs[:, None] if rows else 1) * (signs if columns else 1)
        result.append(round(float((white[i] * turned).sum()), 12))
    return result


def whitened(grey: Stack) -> NDArray[np.float64]:
    """Return unit blocks as methods §11 defines them, from the sum that defines the DCT."""
    u, x = np.arange(16)[:, None], np.arange(64)
    basis = np.cos(np.pi * (2 * x + 1) * u / 128) * np.where(u == 0, 1 / 8, np.sqrt(2) / 8)
    blocks = basis @ grey.astype(float) @ basis.T
    blocks[:, 0, 0] = 0
    mean = (blocks**2).mean(axis=0)
    blocks /= np.where((mean + mean.T) > 1e-15, np.sqrt((mean + mean.T) / 2), np.inf)
    norm = np.sqrt((blocks**2).sum(axis=(1, 2), keepdims=True))
    return np.where(norm > 1e-6, blocks / np.maximum(norm, 1e-6), 0)


@pytest.mark.parametrize("seed", range(8))
def test_wdct_equals_its_definition(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    grey = stack(seed, 14, 64)
    flat = np.ptp(grey, axis=(1, 2)) == 0
    white = whitened(grey)
    features = wdct_features(grey, np.ones(14, np.bool_))
    np.testing.assert_array_equal(features.comparable, ~flat)
    expected = {
        (i, j): cosines(white, i, j)
        for i, j in combinations(range(14), 2)
        if not flat[i] and not flat[j]
    }
    for rows, columns, threshold in ((512, 2048, -1.0), (3, 5, -1.0), (3, 5, 0.3)):
        monkeypatch.setattr(wdct, "ROWS", rows)
        monkeypatch.setattr(wdct, "COLUMNS", columns)
        hits = rows_of(wdct_pairs(features, np.arange(14), threshold=threshold))
        wanted = {pair: c for pair, c in expected.items() if max(c) >= threshold}
        assert [row[:2] for row in hits] == list(wanted)
        for i, j, k, distance, fixed in hits:
            assert k == expected[i, j].index(max(expected[i, j]))
            assert distance == pytest.approx(1 - max(expected[i, j]), abs=1e-11)
            assert fixed == pytest.approx(1 - expected[i, j][0], abs=1e-11)


def test_wdct_nearest_is_the_best_of_all_pairs_and_ignores_block_size(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    grey = stack(11, 30, 64)
    features = wdct_features(grey, np.ones(30, np.bool_))
    first, second = np.arange(0, 18), np.arange(12, 30)
    rows = rows_of(wdct_pairs(features, first, second, threshold=-1))
    for size in (512, 4):
        monkeypatch.setattr(wdct, "ROWS", size)
        nearest = rows_of(wdct_nearest(features, first, second))
        assert [row[1] for row in nearest] == list(range(18))
        for row in nearest:
            mine = [(d, i, k, f) for i, j, k, d, f in rows if j == row[1]]
            assert (row[3], row[0], row[2], row[4]) == min(mine, default=(np.inf, -1, -1, np.inf))
    alone = rows_of(wdct_nearest(features, first))
    assert all(row[0] != row[1] for row in alone)


def test_images_that_are_not_usable_are_in_no_pair_and_do_not_move_the_scale() -> None:
    grey = stack(2, 12, 64)
    usable = np.arange(12) < 9
    features, alone = wdct_features(grey, usable), wdct_features(grey[:9], usable[:9])
    np.testing.assert_array_equal(features.root_mean_square, alone.root_mean_square)
    hits = wdct_pairs(features, np.arange(12), threshold=-1)
    assert max(hits.second.tolist()) < 9
    nearest = wdct_nearest(features, np.array([10, 11]), np.array([0, 1]))
    assert nearest.first.tolist() == [-1, -1]
    assert np.isinf(nearest.distance).all()


@pytest.mark.parametrize("threshold", [-1.0, float("nan")])
def test_a_threshold_below_zero_is_refused(threshold: float) -> None:
    with pytest.raises(ValueError, match="0 or more"):
        rms32_pairs(stack(0, 3), threshold=threshold)


def test_other_shapes_and_cosines_are_refused() -> None:
    with pytest.raises(ValueError, match="uint8"):
        rms32_pairs(np.zeros((3, 16, 16), np.uint8), threshold=1)
    with pytest.raises(ValueError, match="64, 64"):
        wdct_features(stack(0, 3), np.ones(3, np.bool_))
    features = wdct_features(stack(0, 3, 64), np.ones(3, np.bool_))
    with pytest.raises(ValueError, match="between -1 and 1"):
        wdct_pairs(features, np.arange(3), threshold=15)
