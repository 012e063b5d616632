"""Counting heads: exact figures, scikit-learn, and laws."""

from __future__ import annotations

import csv
from pathlib import Path

import numpy as np
import pytest
from sklearn.metrics import mean_absolute_error, r2_score

from reportgen.stats.counting import FIGURES, count_figures


def test_by_hand() -> None:
    true, predicted = np.array([0.0, 0, 2, 4]), np.array([0.1, 0.2, 0.49, 0.5])
    found = count_figures(
        true, predicted, np.arange(4), rng=np.random.default_rng(1), resamples=100
    )
    assert found.values["mae"] == pytest.approx((0.1 + 0.2 + 1.51 + 3.5) / 4)
    assert found.values["mae_zero"] == 1.5
    assert found.values["mae_mean"] == 1.5
    assert found.values["gain_over_zero"] == pytest.approx(1.5 - 5.31 / 4)
    assert found.values["share_zero"] == 0.75  # 0.5 itself is not counted
    assert found.values["true_zero"] == 0.5


def test_agrees_with_scikit_learn() -> None:
    rng = np.random.default_rng(2)
    true = rng.poisson(2, 200).astype(float)
    predicted = true + rng.normal(0, 1, 200)
    found = count_figures(true, predicted, np.arange(200), rng=rng, resamples=100)
    assert found.values["r2"] == pytest.approx(r2_score(true, predicted), abs=1e-12)
    assert found.values["mae"] == pytest.approx(mean_absolute_error(true, predicted), abs=1e-12)


def test_error_of_the_constant_zero_is_the_mean_count(shared: Path) -> None:
    """Of counts, which are never negative; on the 109 validation images of oscc400."""
    with (shared / "data/integrity/oscc400/manifest.csv").open() as file:
        rows = [row for row in csv.DictReader(file) if row["resplit"] == "valid"]
    true = np.array([float(row["n_mitotic"]) for row in rows])
    found = count_figures(
        true, np.zeros(109), np.arange(109), rng=np.random.default_rng(0), resamples=100
    )
    assert found.values["mae"] == found.values["mae_zero"] == pytest.approx(true.sum() / 109)
    assert found.values["gain_over_zero"] == 0
    assert found.values["r2"] < 0


def test_counts_that_do_not_vary_have_no_r2() -> None:
    found = count_figures(
        np.full(20, 0.1), np.zeros(20), np.arange(20), rng=np.random.default_rng(0), resamples=100
    )
    assert np.isnan(found.values["r2"])
    assert np.isnan(found.draws[:, FIGURES.index("r2")]).all()


def test_draws_have_the_standard_error_of_the_mean() -> None:
    rng = np.random.default_rng(3)
    true, predicted = rng.poisson(1, 400).astype(float), np.zeros(400)
    found = count_figures(true, predicted, np.arange(400), rng=rng, resamples=4000)
    spread = found.draws[:, FIGURES.index("mae")].std()
    # The bootstrap's error of a standard deviation from 4000 draws is 1 / sqrt(8000), 1.1 %.
    assert spread == pytest.approx(true.std() / 20, rel=0.045)


def test_order_of_rows_and_names_of_units_do_not_matter() -> None:
    rng = np.random.default_rng(4)
    true, predicted = rng.poisson(1, 60).astype(float), rng.random(60)
    unit = np.repeat(np.arange(20), 3)
    order = rng.permutation(60)
    renamed = rng.permutation(20)[unit]
    first, second = (
        count_figures(*columns, rng=np.random.default_rng(9), resamples=200).draws
        for columns in (
            (true, predicted, unit),
            (true[order], predicted[order], renamed[order]),
        )
    )
    np.testing.assert_allclose(first, second, atol=1e-12)
