"""Names inferred from a confusion: permutations put in come out; chance shows no gain."""

from __future__ import annotations

from itertools import permutations

import numpy as np
import pytest

from reportgen.stats.confusion_permutation import best_assignment, crossed_gain


def test_planted_permutation_comes_out() -> None:
    order = [2, 0, 1, 3]
    confusion = np.full((4, 4), 1)
    confusion[np.arange(4), order] = 20
    found = best_assignment(confusion, np.eye(4, dtype=bool))
    assert found.column.tolist() == order
    assert (found.best, found.diagonal, found.total) == (80, 23, 92)
    assert found.gain == pytest.approx((80 - 23) / 92)


@pytest.mark.parametrize("seed", range(8))
def test_against_every_permutation(seed: int) -> None:
    confusion = np.random.default_rng(seed).integers(0, 9, (5, 5))
    found = best_assignment(confusion, np.eye(5, dtype=bool))
    traces = [confusion[np.arange(5), order].sum() for order in permutations(range(5))]
    assert found.best == max(traces)
    best = [
        order
        for order, trace in zip(permutations(range(5)), traces, strict=True)
        if trace == max(traces)
    ]
    for name in range(5):
        classes = {order[name] for order in best}
        if found.column[name] >= 0:
            assert classes == {found.column[name]}
        else:
            assert len(classes) > 1 or confusion[name, found.chosen[name]].sum() == 0


def test_ties_go_to_the_names_as_shown_and_are_not_inferred() -> None:
    found = best_assignment(np.array([[3, 3], [3, 3]]), np.eye(2, dtype=bool))
    assert found.chosen.tolist() == np.eye(2, dtype=bool).tolist()
    assert found.column.tolist() == [-1, -1]
    assert found.gain == 0


def test_names_without_matches_are_not_inferred() -> None:
    found = best_assignment(np.array([[5, 0], [0, 0]]), np.eye(2, dtype=bool))
    assert found.column.tolist() == [0, -1]


def test_crossed_gain_of_like_units_is_the_gain_itself() -> None:
    """With every image alike each half finds the same assignment, and each draw the same gain."""
    shown = np.tile([0, 1, 1, 0, 0], 30)
    true = np.tile([1, 0, 0, 0, 1], 30)
    found = crossed_gain(
        shown,
        true,
        np.repeat(np.arange(30), 5),
        np.eye(2, dtype=bool),
        rng=np.random.default_rng(0),
        resamples=50,
    )
    assert found.value == pytest.approx((4 - 1) / 5)
    assert found.draws == pytest.approx(np.full(50, 3 / 5))


def test_chance_gains_nothing_on_the_other_half() -> None:
    """Names shown at random: the mean crossed gain of 200 data sets is zero within its error."""
    rng = np.random.default_rng(3)
    same = np.eye(4, dtype=bool)
    unit = np.arange(60)
    values = []
    for _ in range(200):
        shown, true = rng.integers(0, 4, (2, 60))
        values.append(crossed_gain(shown, true, unit, same, rng=rng, resamples=1).value)
    error = np.std(values) / np.sqrt(200)
    assert abs(np.mean(values)) < 3.5 * error


def test_one_unit_has_no_other_half() -> None:
    one = np.zeros(3, dtype=int)
    found = crossed_gain(
        one, one, one, np.eye(2, dtype=bool), rng=np.random.default_rng(0), resamples=5
    )
    assert np.isnan(found.value)
