"""Percentile intervals and sup-t bands against numpy, normal theory and 200,000 resamples."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import numpy as np
import pytest
from scipy.stats import norm

from reportgen.stats import decision
from reportgen.stats.bands import percentile_interval, standard_deviation, sup_t_band
from reportgen.stats.decision_draws import binary_sample, draw_binary


def test_percentiles_are_those_of_numpy() -> None:
    draws = np.random.default_rng(1).normal(size=(997, 3, 5))
    low, high = percentile_interval(draws, confidence=0.9)
    np.testing.assert_allclose(low, np.quantile(draws, 0.05, axis=0), rtol=1e-12)
    np.testing.assert_allclose(high, np.quantile(draws, 0.95, axis=0), rtol=1e-12)


def test_undefined_resamples_are_passed_over_up_to_a_share() -> None:
    draws = np.random.default_rng(1).normal(size=(1000, 2))
    draws[:50, 0] = np.nan
    draws[:51, 1] = np.nan
    low, high = percentile_interval(draws, confidence=0.95)
    assert low[0] == pytest.approx(np.nanquantile(draws[:, 0], 0.025), rel=1e-12)
    assert high[0] == pytest.approx(np.nanquantile(draws[:, 0], 0.975), rel=1e-12)
    assert np.isnan([low[1], high[1]]).all()
    error = standard_deviation(draws)
    assert error[0] == pytest.approx(np.nanstd(draws[:, 0], ddof=1), rel=1e-12)
    assert np.isnan(error[1])
    band = sup_t_band(np.zeros(2), draws, confidence=0.95)
    assert np.isfinite([band.low[0], band.high[0], band.critical]).all()
    assert np.isnan([band.low[1], band.high[1]]).all()


def test_infinite_draws_are_draws() -> None:
    """Ranks by hand: the 5 % and the 95 % quantile of 101 draws are the 6th and the 96th."""
    draws = np.concatenate([np.arange(98.0), np.full(3, np.inf)])
    low, high = percentile_interval(draws, confidence=0.9)
    assert (float(low), float(high)) == pytest.approx((5, 95))
    _, high = percentile_interval(draws, confidence=0.98)
    assert np.isinf(high)


def test_a_constant_does_not_vary() -> None:
    rounding = 0.3 + np.array([0, 1e-17, -1e-16, 5e-17])[:, None]
    assert standard_deviation(rounding).tolist() == [0.0]
    band = sup_t_band(np.array([0.3]), rounding, confidence=0.95)
    assert band.low.tolist() == band.high.tolist() == [0.3]
    assert np.isnan(band.critical)


def test_one_point_has_the_normal_quantile() -> None:
    draws = np.random.default_rng(2).normal(size=(200_000, 1))
    band = sup_t_band(np.zeros(1), draws, confidence=0.95)
    assert band.critical == pytest.approx(norm.ppf(0.975), abs=0.02)


def test_independent_points_have_the_sidak_quantile() -> None:
    draws = np.random.default_rng(3).normal(size=(100_000, 10))
    band = sup_t_band(np.zeros(10), draws, confidence=0.95)
    sidak = norm.ppf(1 - (1 - 0.95 ** (1 / 10)) / 2)
    assert band.critical == pytest.approx(sidak, abs=0.02)


def test_curves_have_factors_of_their_own() -> None:
    draws = np.random.default_rng(4).normal(size=(5000, 2, 6))
    draws[:, 0] = draws[:, 0, :1]
    band = sup_t_band(np.zeros((2, 6)), draws, confidence=0.95)
    alone = sup_t_band(np.zeros(6), draws[:, 1], confidence=0.95)
    assert band.critical[0] < band.critical[1] == alone.critical


def test_against_two_hundred_thousand_resamples(shared: Path) -> None:
    """Tolerances are those of the file's note: 0.0003 for limits at this size."""
    folder = shared / "data" / "dca"
    extra = json.loads((folder / "reference.json").read_text())["extra_own_calculation"]
    expected = extra["binary_bootstrap_200k"]
    with (folder / "df_binary.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    label = np.array([float(row["cancer"] == "TRUE") for row in rows])
    scores = np.array([[float(row[expected["model"]]) for row in rows]])
    thresholds = np.array(expected["thresholds"])
    sample = binary_sample(scores, label, thresholds=thresholds, unit=None)
    draws = draw_binary(sample, np.random.default_rng(5), resamples=60_000)
    point = decision.binary_shares(scores, label, thresholds=thresholds)
    benefit = decision.net_benefit(decision.with_defaults(draws), thresholds=thresholds)
    curve = decision.net_benefit(decision.with_defaults(point), thresholds=thresholds)
    gain = decision.gain_over_defaults(benefit)[:, 0]
    pairs = [
        (percentile_interval(benefit[:, 0], confidence=0.95), "lower", "upper"),
        (
            percentile_interval(gain, confidence=0.95),
            "gain_over_best_default_lower",
            "gain_over_best_default_upper",
        ),
    ]
    for limits, low, high in pairs:
        np.testing.assert_allclose(limits[0], expected[low], rtol=0, atol=0.0005)
        np.testing.assert_allclose(limits[1], expected[high], rtol=0, atol=0.0005)
    better = (gain > decision.TIE).mean(axis=0)
    # Five Monte-Carlo errors of a share of 0.99 in 60,000.
    np.testing.assert_allclose(better, expected["prob_better_than_defaults"], rtol=0, atol=0.002)
    evpi = decision.expected_value_of_perfect_information(benefit)
    np.testing.assert_allclose(evpi, expected["evpi"], rtol=0, atol=2e-6)
    band = sup_t_band(curve, benefit, confidence=0.95)
    assert band.critical[0] == pytest.approx(expected["sup_t_critical_value"], abs=0.02)
