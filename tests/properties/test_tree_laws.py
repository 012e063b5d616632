"""Laws of the score intervals of tree ensembles, against every cell of small random ones."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.support.trees import a_move_set, a_record, brute_force, random_ensemble, walk

SEEDS = st.integers(0, 2**32 - 1)
NORMS = st.sampled_from(["linf", "l2", "l1"])
PLENTY = 10_000


@settings(max_examples=150, deadline=None)
@given(seed=SEEDS, norm=NORMS)
def test_search_equals_going_through_every_cell(seed: int, norm: str) -> None:
    rng = np.random.default_rng(seed)
    ensemble = random_ensemble(rng, d=5, trees=4, depth=3)
    x, moves = a_record(rng), a_move_set(rng, norm)
    low, high = brute_force(ensemble, x, moves)
    got = ensemble.intervals(x[None], moves, budget=PLENTY)
    assert got.exact
    assert got.attained_low[0] == pytest.approx(low, abs=1e-12)
    assert got.attained_high[0] == pytest.approx(high, abs=1e-12)


@settings(max_examples=150, deadline=None)
@given(seed=SEEDS, norm=NORMS, budget=st.integers(0, 4))
def test_any_budget_gives_a_bracket_around_the_truth(seed: int, norm: str, budget: int) -> None:
    rng = np.random.default_rng(seed)
    ensemble = random_ensemble(rng, d=5, trees=6, depth=3)
    x, moves = a_record(rng), a_move_set(rng, norm, largest=2.0)
    low, high = brute_force(ensemble, x, moves)
    got = ensemble.intervals(x[None], moves, budget=budget)
    assert got.certified_low[0] - 1e-12 <= low <= got.attained_low[0] + 1e-12
    assert got.attained_high[0] - 1e-12 <= high <= got.certified_high[0] + 1e-12


@settings(max_examples=150, deadline=None)
@given(seed=SEEDS, norm=NORMS, budget=st.sampled_from([0, 3, PLENTY]))
def test_witness_is_allowed_and_scores_what_is_said(seed: int, norm: str, budget: int) -> None:
    rng = np.random.default_rng(seed)
    ensemble = random_ensemble(rng, d=5, trees=6, depth=3)
    x, moves = np.stack([a_record(rng) for _ in range(5)]), a_move_set(rng, norm, largest=2.0)
    got = ensemble.intervals(x, moves, budget=budget)
    ends = (got.witness_low, got.attained_low), (got.witness_high, got.attained_high)
    for witness, attained in ends:
        assert witness is not None
        assert not moves.violations(x, witness).any()
        np.testing.assert_allclose(attained, walk(ensemble, witness), rtol=0, atol=1e-12)


@settings(max_examples=60, deadline=None)
@given(seed=SEEDS, norm=NORMS, budget=st.sampled_from([1, PLENTY]))
def test_a_grid_of_eps_is_nested_and_holds_each_bracket(seed: int, norm: str, budget: int) -> None:
    rng = np.random.default_rng(seed)
    ensemble = random_ensemble(rng, d=5, trees=6, depth=3)
    x, moves = a_record(rng), a_move_set(rng, norm)
    grid = [moves.scaled(factor) for factor in (0.0, 0.5, 1.0, 2.0)]
    curve = ensemble.curve(x[None], grid, budget=budget)
    assert curve[0].attained_high == curve[0].attained_low == ensemble.score(x[None])
    for at, one in zip(grid, curve, strict=True):
        low, high = brute_force(ensemble, x, at)
        assert one.certified_low[0] - 1e-12 <= low <= one.attained_low[0] + 1e-12
        assert one.attained_high[0] - 1e-12 <= high <= one.certified_high[0] + 1e-12
    for narrow, wide in pairwise(curve):
        assert narrow.attained_high <= wide.attained_high
        assert narrow.certified_high <= wide.certified_high
        assert narrow.attained_low >= wide.attained_low
        assert narrow.certified_low >= wide.certified_low


@settings(max_examples=150, deadline=None)
@given(seed=SEEDS, norm=NORMS)
def test_missing_values_stay_missing(seed: int, norm: str) -> None:
    rng = np.random.default_rng(seed)
    ensemble = random_ensemble(rng, d=5, trees=4, depth=3, missing=True)
    x, moves = a_record(rng), a_move_set(rng, norm)
    x[rng.integers(2)] = np.nan
    low, high = brute_force(ensemble, x, moves)
    got = ensemble.intervals(x[None], moves, budget=PLENTY)
    assert got.attained_low[0] == pytest.approx(low, abs=1e-12)
    assert got.attained_high[0] == pytest.approx(high, abs=1e-12)
    assert got.witness_high is not None
    assert np.array_equal(np.isnan(got.witness_high[0]), np.isnan(x))
