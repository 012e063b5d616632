"""The link test: its formula, its spline, and what it must and must not see."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.interpolate import CubicSpline
from scipy.special import expit, logit
from scipy.stats import norm

from reportgen.stats.representation.link import (
    KNOTS,
    brier_loss,
    link_test,
    log_loss,
    score_basis,
)


def test_losses_are_theirs() -> None:
    p, y = np.array([0.2, 0.2, 1.0]), np.array([True, False, False])
    np.testing.assert_allclose(brier_loss(p, y), [0.64, 0.04, 1.0])
    np.testing.assert_allclose(log_loss(p, y), [-math.log(0.2), -math.log(0.8), -math.log(1e-6)])


def test_z_by_hand_where_the_score_is_constant() -> None:
    # Residuals are then deviations from the mean: 30 patients, two images each.
    loss, distance = np.tile([0.0, 1.0, 2.0], 20), np.tile([1.0, 3.0], 30)
    unit = np.repeat(np.arange(30), 2)
    product = (loss - 1) * (distance - 2)
    sums = product.reshape(30, 2).sum(axis=1)
    z = sums.sum() / math.sqrt((sums**2).sum())
    found = link_test(loss, distance, np.full(60, 0.3), unit)
    assert found.z == pytest.approx(z, abs=1e-9)
    assert found.p == pytest.approx(norm.sf(z))


def test_the_basis_holds_every_natural_spline_of_its_knots() -> None:
    rng = np.random.default_rng(1)
    p = expit(rng.normal(size=400))
    basis, x = score_basis(p), logit(p)
    at = np.quantile(x, np.linspace(0.025, 0.975, KNOTS), method="inverted_cdf")
    spline = CubicSpline(at, rng.normal(size=KNOTS), bc_type="natural")
    inner = spline(np.clip(x, at[0], at[-1]))
    outer = np.where(
        x < at[0],
        spline(at[0], 1) * (x - at[0]),
        np.where(x > at[-1], spline(at[-1], 1) * (x - at[-1]), 0.0),
    )
    natural = inner + outer
    assert basis.shape == (400, KNOTS)
    fitted = basis @ np.linalg.lstsq(basis, natural, rcond=None)[0]
    np.testing.assert_allclose(fitted, natural, atol=1e-9)


def test_few_scores_have_a_mean_each_and_heavy_ties_do_no_harm() -> None:
    p = np.array([0.1, 0.1, 0.5, 0.9, 0.5])
    np.testing.assert_array_equal(score_basis(p), np.eye(3)[[0, 0, 1, 2, 1]])
    tied = np.concatenate([np.zeros(500), np.linspace(0, 1, 40)])
    assert np.isfinite(score_basis(tied)).all()


def test_a_link_is_seen_and_its_opposite_is_not() -> None:
    rng = np.random.default_rng(2)
    p = rng.uniform(0.05, 0.95, 2000)
    distance = rng.gamma(4, size=2000)
    y = rng.random(2000) < 0.5 + (p - 0.5) * np.exp(-distance / 8)
    unit = np.arange(2000) // 4
    found = link_test(brier_loss(p, y), distance, p, unit)
    assert found.z is not None
    assert found.p is not None
    assert found.p < 0.001
    assert link_test(brier_loss(p, y), -distance, p, unit).z == pytest.approx(-found.z)
    # Neither the unit of the distance nor the names and order of patients matter.
    order, names = rng.permutation(2000), rng.permutation(500)
    other = link_test(
        brier_loss(p, y)[order], 7 * distance[order] + 3, p[order], names[unit][order]
    )
    assert other.z == pytest.approx(found.z)


def test_every_image_twice_changes_nothing() -> None:
    rng = np.random.default_rng(3)
    p, distance, y = rng.random(90), rng.random(90), rng.random(90) < 0.5
    unit = np.arange(90) // 3
    loss = brier_loss(p, y)
    once = link_test(loss, distance, p, unit)
    twice = link_test(np.tile(loss, 2), np.tile(distance, 2), np.tile(p, 2), np.tile(unit, 2))
    assert twice.z == pytest.approx(once.z)


def test_reasons_for_no_link_test() -> None:
    p = np.linspace(0.1, 0.9, 40)
    few = link_test(p, p, p, np.arange(40) // 2)
    assert few.reason == "fewer than 30 patients in the group"
    flat = link_test(np.random.default_rng(4).random(40), np.ones(40), p, np.arange(40))
    assert flat.z is None
    assert flat.reason == "loss or distance does not vary beyond the score"
