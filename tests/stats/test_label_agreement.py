"""Kappa against scikit-learn, F1 of boxes by hand, and both under resampled clusters."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.metrics import cohen_kappa_score

from reportgen.stats.label_agreement import class_agreement, pooled_f1


def rng() -> np.random.Generator:
    return np.random.default_rng(20261130)


def test_kappa_is_that_of_scikit_learn_by_class_and_overall() -> None:
    source = rng()
    first = source.random((200, 3)) < [0.2, 0.5, 0.9]
    second = first ^ (source.random((200, 3)) < 0.2)
    found = class_agreement(first, second, np.arange(200), rng=rng(), resamples=50)
    for at in range(3):
        expected = cohen_kappa_score(first[:, at], second[:, at])
        assert found.kappa[at].value == pytest.approx(expected, abs=1e-12)
        assert found.cells[at].sum() == 200
        assert found.cells[at][0] == np.count_nonzero(first[:, at] & second[:, at])
        assert found.cells[at][1] == np.count_nonzero(first[:, at] & ~second[:, at])
    pooled = cohen_kappa_score(first.ravel(), second.ravel())
    assert found.overall.value == pytest.approx(pooled, abs=1e-12)


def test_kappa_is_undefined_where_agreement_is_by_necessity() -> None:
    always = np.ones((5, 1), dtype=bool)
    found = class_agreement(always, always, np.arange(5), rng=rng(), resamples=20)
    assert np.isnan(found.kappa[0].value)
    assert np.isnan(found.kappa[0].draws).all()


def test_f1_pools_boxes_and_the_difference_is_drawn_together() -> None:
    matched = np.array([[2, 1], [0, 0], [3, 1]])
    boxes = np.array([[4, 4], [1, 2], [6, 5]])
    first, second, difference = pooled_f1(
        matched, boxes, np.array([0, 1, 2]), rng=rng(), resamples=400
    )
    assert first.value == pytest.approx(10 / 11)
    assert second.value == pytest.approx(4 / 11)
    assert difference.value == pytest.approx(6 / 11)
    assert np.allclose(difference.draws, first.draws - second.draws, equal_nan=True)


def test_clusters_are_drawn_whole() -> None:
    matched = np.array([[1], [1], [0], [0]])
    boxes = np.full((4, 1), 2)
    (apart,) = pooled_f1(matched, boxes, np.arange(4), rng=rng(), resamples=4000)
    (together,) = pooled_f1(matched, boxes, np.array([0, 0, 1, 1]), rng=rng(), resamples=4000)
    assert apart.value == together.value == 0.5
    # Two clusters of two give half the units, so twice the variance: 1/8 against 1/16.
    assert np.var(apart.draws) == pytest.approx(1 / 16, rel=0.1)
    assert np.var(together.draws) == pytest.approx(1 / 8, rel=0.1)


def test_f1_without_any_box_is_undefined() -> None:
    (found,) = pooled_f1(
        np.zeros((2, 1), dtype=np.intp),
        np.zeros((2, 1), dtype=np.intp),
        np.arange(2),
        rng=rng(),
        resamples=10,
    )
    assert np.isnan(found.value)
