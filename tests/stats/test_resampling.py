"""Cells, units and their resamples against counting by hand and the multinomial distribution."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from reportgen.stats import resampling
from reportgen.stats.resampling import joint_cells, resampled_counts, unit_signatures, units_within


def test_cells_ascend_by_their_columns() -> None:
    first, second = np.array([2, 0, 2, 0, 2]), np.array([0.5, 0.1, 0.2, 0.1, 0.5])
    cells = joint_cells([first, second])
    assert cells.of_row.tolist() == [2, 0, 1, 0, 2]
    held = [(int(first[row]), float(second[row])) for row in cells.row]
    assert held == [(0, 0.1), (2, 0.2), (2, 0.5)]


def test_many_columns_do_not_overflow() -> None:
    """Thirty columns of 200 values: their product has 69 digits."""
    generator = np.random.default_rng(1)
    columns = generator.integers(0, 200, (30, 500))
    columns[:, 100:200] = columns[:, :100]
    cells = joint_cells(list(columns))
    assert len(cells.row) == 400
    assert len({tuple(column) for column in columns.T}) == 400


def test_rows_that_are_their_own_units() -> None:
    units = unit_signatures(np.array([1, 0, 1, 1]), None, n_cells=2)
    assert units.count.tolist() == [1, 3]
    assert units.n == 4
    assert units.cells.toarray().tolist() == [[1, 0], [0, 1]]


def test_units_with_equal_rows_share_a_signature() -> None:
    cell = np.array([0, 1, 1, 0, 2, 2, 2])
    unit = np.array([0, 0, 1, 1, 2, 3, 3])
    units = unit_signatures(cell, unit, n_cells=3)
    # One row in cell 2; then {0, 1} twice; then {2, 2}.
    assert units.count.tolist() == [1, 2, 1]
    assert units.cells.toarray().tolist() == [[0, 0, 1], [1, 1, 0], [0, 0, 2]]


def test_units_of_one_row_are_rows() -> None:
    cell = np.array([3, 1, 0, 1, 2])
    named = unit_signatures(cell, np.array([4, 2, 0, 1, 3]), n_cells=4)
    unnamed = unit_signatures(cell, None, n_cells=4)
    assert named.count.tolist() == unnamed.count.tolist()
    assert (named.cells.toarray() == unnamed.cells.toarray()).all()


@pytest.mark.parametrize(("n_cells", "few"), [(3, True), (200, False)])
def test_counts_are_multinomial(n_cells: int, few: bool) -> None:
    """Means, variances and covariances of n p, n p (1 - p) and -n p q; both ways to draw."""
    n = 600
    cell = np.arange(n) % n_cells
    units = unit_signatures(cell, None, n_cells=n_cells)
    assert (n_cells * 8 < n) is few
    counts = np.concatenate(
        list(resampled_counts(units, np.random.default_rng(3), resamples=20_000))
    )
    assert counts.shape == (20_000, n_cells)
    assert (counts.sum(axis=1) == n).all()
    p = 1 / n_cells
    spread = np.sqrt(n * p * (1 - p))
    assert np.abs(counts.mean(axis=0) - n * p).max() < 5 * spread / np.sqrt(20_000)
    # The relative standard error of a variance is about sqrt(2 / B), more where counts are small.
    assert np.abs(counts.var(axis=0) / spread**2 - 1).max() < 6 * np.sqrt(3 / 20_000)
    covariance = np.cov(counts[:, 0], counts[:, 1])[0, 1]
    assert covariance == pytest.approx(-n * p * p, abs=5 * spread**2 / np.sqrt(20_000))


@pytest.mark.parametrize("n_cells", [3, 200])
def test_blocks_do_not_change_the_draws(n_cells: int) -> None:
    units = unit_signatures(np.arange(400) % n_cells, None, n_cells=n_cells)

    def drawn(block: int | None) -> NDArray[np.float64]:
        generator = np.random.default_rng(9)
        return np.concatenate(list(resampled_counts(units, generator, resamples=50, block=block)))

    assert (drawn(None) == drawn(7)).all()
    assert (drawn(None) == drawn(1)).all()


def test_memory_of_a_block_is_bounded() -> None:
    units = unit_signatures(np.arange(300_000), None, n_cells=300_000)
    blocks = resampled_counts(units, np.random.default_rng(1), resamples=7)
    assert next(blocks).size <= resampling.BLOCK_NUMBERS


def test_units_within_against_counting() -> None:
    generator = np.random.default_rng(4)
    for _ in range(50):
        n, steps = int(generator.integers(0, 40)), 12
        low, high = generator.integers(0, steps + 1, (2, n))
        unit = generator.integers(0, 8, n)
        rows = list(zip(low, high, unit, strict=True))
        counted = [len({u for a, b, u in rows if a <= j < b}) for j in range(steps)]
        assert units_within(low, high, unit, steps=steps).tolist() == counted
