"""Exact and near duplicates of rows equal what comparing every two rows gives."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from sklearn.datasets import load_breast_cancer

from reportgen.stats.duplicates import row_duplicates

Table = NDArray[np.float64]
NAN = np.nan


def table(seed: int, n: int, d: int) -> Table:
    """Return rows of few values, missing ones, near copies and a constant column."""
    rng = np.random.default_rng(seed)
    values = rng.integers(0, 3, (n, d)).astype(float)
    values[rng.random((n, d)) < 0.1] = NAN
    values += rng.choice([0.0, 0.0, 0.02], (n, 1))
    if d > 1:
        values[:, -1] = 7.0
    return values


def distances(first: Table, second: Table | None) -> Table:
    """Return distances of all rows by the definition; infinite where they are not comparable."""
    other = first if second is None else second
    pooled = first if second is None else np.concatenate([first, second])
    varies = np.array([len(set(column[~np.isnan(column)])) > 1 for column in pooled.T])
    scale = np.array([np.std(column[~np.isnan(column)]) for column in pooled.T[varies]])
    apart = (first[:, None, varies] - other[None][:, :, varies]) / scale
    held = (~np.isnan(apart)).sum(axis=2)
    squares = np.nansum(apart**2, axis=2) / np.maximum(held, 1)
    alike = (np.isnan(first)[:, None] == np.isnan(other)[None]).all(axis=2)
    return np.where(alike & (held > 0), np.sqrt(squares), np.inf)


def same_rows(first: Table, second: Table) -> NDArray[np.bool_]:
    rows = [[np.array_equal(a, b, equal_nan=True) for b in second] for a in first]
    return np.array(rows, np.bool_).reshape(len(first), len(second))


@settings(deadline=None, max_examples=60, derandomize=True)
@given(
    st.integers(0, 10**6), st.integers(1, 14), st.integers(0, 8), st.integers(1, 4), st.booleans(),
    st.sampled_from([None, 0.0, 0.02, 0.5, 1.1]),
)  # fmt: skip
def test_flags_conflicts_and_pairs_equal_brute_force(
    seed: int, n: int, m: int, d: int, cross: bool, limit: float | None
) -> None:
    both = table(seed, n + m, d)
    label = np.random.default_rng(seed).integers(0, 2, n + m)
    first, second = (both[:n], both[n:]) if cross else (both, None)
    mine, theirs = (label[:n], label[n:]) if cross else (label, label)
    found = row_duplicates(first, second, distance=1.3)
    apart = distances(first, second)
    exact = same_rows(first, both[n:] if cross else both)
    twin = exact if limit is None else exact | (apart <= limit)
    if not cross:
        np.fill_diagonal(twin, False)
    np.testing.assert_array_equal(found.flagged(limit), twin.any(axis=0))
    crossed = twin & (mine[:, None] != theirs)
    got = found.conflicting(mine, theirs if cross else None, limit)
    np.testing.assert_array_equal(got, crossed.any(axis=0))
    pairs = found.pairs(limit, most=10_000)
    expected = sorted(
        (0.0 if exact[i, j] else round(float(apart[i, j]), 9), int(i), int(j))
        for i, j in zip(*np.nonzero(twin), strict=True)
        if cross or i < j
    )
    listed = zip(pairs.distance.tolist(), pairs.first.tolist(), pairs.second.tolist(), strict=True)
    assert sorted((round(distance, 9), i, j) for distance, i, j in listed) == expected
    few = found.pairs(limit, most=3)
    np.testing.assert_array_equal(few.distance, pairs.distance[:3])


def test_real_rows_with_planted_copies_equal_brute_force() -> None:
    values = load_breast_cancer().data[:300]
    values[250:260] = values[:10]
    values[260:270] = values[10:20] + 0.02 * values.std(axis=0)
    found = row_duplicates(values, distance=0.3)
    exact, near = found.flagged(), found.flagged(0.05)
    assert np.flatnonzero(exact).tolist() == [*range(10), *range(250, 260)]
    assert np.flatnonzero(near).tolist() == [*range(20), *range(250, 270)]
    assert len(np.unique(found.groups()[found.first])) == 290
    assert len(np.unique(found.groups(0.05)[found.first])) == 280
    apart = distances(values, None)
    pairs = found.pairs(0.3, most=10**6)
    wanted = np.argwhere(np.triu(apart <= 0.3, 1))
    got = np.stack([pairs.first, pairs.second], axis=1)
    np.testing.assert_array_equal(got[np.lexsort(got.T[::-1])], wanted)
    np.testing.assert_allclose(pairs.distance, apart[pairs.first, pairs.second], atol=1e-12)


def test_minus_zero_and_missing_values_are_equal_to_themselves() -> None:
    rows = np.array([[0.0, NAN], [-0.0, -NAN], [0.0, 1.0], [1e-300, 1.0]])
    found = row_duplicates(rows, distance=0)
    assert found.first.tolist() == [0, 0, 1, 2]
    assert found.flagged().tolist() == [True, True, False, False]


def test_a_table_of_two_distinct_rows_costs_two() -> None:
    rows = np.repeat([[0.0, 1.0], [1.0, 0.0]], 50_000, axis=0)
    found = row_duplicates(rows, distance=0.05)
    assert found.n_distinct == 2
    assert found.flagged().all()
    pairs = found.pairs(most=7)
    assert pairs.first.tolist() == [0] * 7
    assert pairs.second.tolist() == [1, 2, 3, 4, 5, 6, 7]


def test_columns_that_do_not_vary_do_not_dilute_a_distance() -> None:
    rows = np.array([[0.0, 5.0, 5.0], [1.0, 5.0, 5.0]])  # SD 0.5: two of them apart
    found = row_duplicates(rows, distance=3)
    assert found.compared.tolist() == [True, False, False]
    assert found.near.distance.tolist() == [2.0]
    assert row_duplicates(rows * 1e300, distance=3).near.distance.tolist() == [2.0]


def test_what_cannot_be_compared_is_refused() -> None:
    one = np.zeros((2, 2))
    with pytest.raises(ValueError, match="0 or more"):
        row_duplicates(one, distance=-1)
    with pytest.raises(ValueError, match="numbers of columns"):
        row_duplicates(one, np.zeros((1, 3)), distance=1)
    with pytest.raises(ValueError, match="infinite"):
        row_duplicates(np.array([[np.inf]]), distance=1)
    with pytest.raises(ValueError, match="each table"):
        row_duplicates(one, distance=1).conflicting(np.zeros(2, int), np.zeros(2, int))
