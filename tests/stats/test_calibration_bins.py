"""Calibration in bins: counts by hand, laws of the bins, and the level of the test."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from reportgen.stats.calibration_bins import NORMAL, By, errors_if_calibrated, risk_bins


def test_by_hand() -> None:
    # Bins (0, .5] and (.5, 1]: means .2 and .8, rates 1/3 and 1/2: (3 × .1333 + 2 × .3) / 5.
    positive = np.array([True, False, False, True, False])
    risk = np.array([0.1, 0.0, 0.5, 0.7, 0.9])
    found = risk_bins(positive, risk, bins=2)
    assert found.n.tolist() == [3, 2]
    assert found.mean.tolist() == pytest.approx([0.2, 0.8])
    assert found.rate.tolist() == pytest.approx([1 / 3, 1 / 2])
    error = (3 * (Fraction(1, 3) - Fraction(2, 10)) + 2 * Fraction(3, 10)) / 5
    assert found.error == pytest.approx(float(error), abs=1e-15)


def test_the_upper_end_is_in_the_last_bin() -> None:
    found = risk_bins(np.array([True, True]), np.array([0.95, 1.0]))
    assert found.n.tolist() == [0] * 9 + [2]
    edges = np.arange(11) / 10
    found = risk_bins(np.ones(11, dtype=bool), edges)
    assert found.code.tolist() == [0, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9]


@pytest.mark.parametrize(("by", "filled"), [("width", 3), ("counts", 2)])
def test_ties_merge_bins(by: By, filled: int) -> None:
    positive = np.arange(20) < 8
    risk = np.array([0.3] * 18 + [0.1, 0.9])
    found = risk_bins(positive, risk, by=by)
    assert found.n.sum() == 20
    assert np.count_nonzero(found.n) == filled
    assert (by == "width") == (len(found.n) == 10)


@pytest.mark.parametrize("by", ["width", "counts"])
def test_one_value_gives_one_bin_and_its_distance(by: By) -> None:
    positive = np.arange(20) < 8
    found = risk_bins(positive, np.full(20, 0.3), by=by)
    assert found.error == pytest.approx(abs(0.3 - 0.4))


@pytest.mark.parametrize("by", ["width", "counts"])
def test_every_row_lies_within_its_bin(by: By) -> None:
    rng = np.random.default_rng(1)
    risk = rng.random(500).round(2)
    found = risk_bins(rng.random(500) < risk, risk, bins=7, by=by)
    assert found.n.sum() == 500
    first = found.code == 0
    assert (risk <= found.high[found.code]).all()
    assert (risk > found.low[found.code])[~first].all()
    assert (risk >= found.low[0])[first].all()


def test_equal_counts_hold_equal_counts() -> None:
    risk = np.random.default_rng(2).random(1000)
    found = risk_bins(risk < 0.5, risk, by="counts")
    assert found.n.tolist() == [100] * 10


def test_draws_have_the_mean_of_exact_enumeration() -> None:
    # Risks .2 .4 in one bin: sums 0, 1, 2 with their chances, distance from .6 over two rows.
    found = risk_bins(np.array([True, False]), np.array([0.2, 0.4]), bins=1)
    chances = {0: 0.8 * 0.6, 1: 0.2 * 0.6 + 0.8 * 0.4, 2: 0.2 * 0.4}
    expected = sum(chance * abs(k - 0.6) / 2 for k, chance in chances.items())
    spread = sum(chance * (abs(k - 0.6) / 2 - expected) ** 2 for k, chance in chances.items())
    rng = np.random.default_rng(3)
    drawn = errors_if_calibrated(np.array([0.2, 0.4]), found, rng, draws=20_000)
    assert drawn.mean() == pytest.approx(expected, abs=4 * np.sqrt(spread / 20_000))


def test_wide_bins_are_drawn_from_the_normal_with_the_same_spread() -> None:
    rng = np.random.default_rng(4)
    risk = rng.random(10_000)
    found = risk_bins(rng.random(10_000) < risk, risk, bins=1)
    variance = float((risk * (1 - risk)).sum())
    assert variance > NORMAL
    drawn = errors_if_calibrated(risk, found, rng, draws=4000)
    # The mean of a half normal.
    expected = np.sqrt(2 * variance / np.pi) / 10_000
    assert drawn.mean() == pytest.approx(expected, rel=4 * np.sqrt(np.pi / 2 - 1) / np.sqrt(4000))


def test_draws_do_not_depend_on_the_order_of_rows() -> None:
    risk = np.random.default_rng(5).random(50)
    found = risk_bins(risk < 0.4, risk)
    first = errors_if_calibrated(risk, found, np.random.default_rng(6), draws=20)
    again = errors_if_calibrated(risk[::-1], found, np.random.default_rng(6), draws=20)
    assert (first == again).all()


@pytest.mark.slow
@pytest.mark.parametrize("n", [60, 400])
def test_level_of_the_test(n: int, simulation_share: float) -> None:
    """Scores that are right are called uncalibrated in 5 % of samples, within 3 standard errors."""
    rng = np.random.default_rng(n)
    worlds, draws = max(100, round(2000 * simulation_share)), 199
    rejected = 0
    for _ in range(worlds):
        risk = rng.beta(2, 5, n)
        found = risk_bins(rng.random(n) < risk, risk)
        drawn = errors_if_calibrated(risk, found, rng, draws=draws)
        at_least = int(np.count_nonzero(drawn >= found.error - 1e-12))
        rejected += (1 + at_least) / (1 + draws) <= 0.05
    assert abs(rejected / worlds - 0.05) <= 3 * np.sqrt(0.05 * 0.95 / worlds)
