"""Differences between two sets of scores of the same units, against exact laws and simulations."""

from __future__ import annotations

import math

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.stats import multivariate_normal, norm
from sklearn.datasets import load_breast_cancer
from sklearn.metrics import roc_auc_score

from reportgen.stats.paired import Found, Parts, Recipe, Scale, Tally, paired_differences

DRAWS = 4000


def rate(top: int, bottom: int) -> Recipe:
    def value(parts: Parts) -> NDArray[np.float64]:
        with np.errstate(invalid="ignore"):
            return np.asarray(parts.counts[top] / parts.counts[bottom])

    return Recipe(value, (top, bottom), (), ((bottom,),))


def area(at: int) -> Recipe:
    return Recipe(lambda parts: parts.areas[at], (), (at,), ())


def of_rates(
    first: NDArray[np.bool_],
    second: NDArray[np.bool_],
    unit: NDArray[np.intp] | None = None,
    *,
    seed: int = 1,
    resamples: int = DRAWS,
    confidence: float = 0.95,
) -> Found:
    """Return the difference of two shares of the same rows."""
    tally = Tally(np.arange(len(first)) if unit is None else unit)
    all_rows = tally.count(np.ones(len(first), dtype=bool))
    pair = rate(tally.count(first), all_rows), rate(tally.count(second), all_rows)
    (found,) = paired_differences(
        tally,
        [(*pair, "difference")],
        np.random.default_rng(seed),
        resamples=resamples,
        confidence=confidence,
    )
    return found


def width(found: Found) -> float:
    return (found.high - found.low) / (2 * norm.isf(0.025))


def close(se: float, wanted: float, *, draws: int = DRAWS) -> bool:
    """Return whether the error read from percentiles is the wanted one, up to Monte-Carlo error.

    The error of a quantile at tail q is sqrt(q (1 - q) / B) / density; of half a width, 1 / sqrt(2)
    of that in units of the error.
    """
    q = 0.025
    error = math.sqrt(q * (1 - q) / draws) / norm.pdf(norm.isf(q)) / norm.isf(q) / math.sqrt(2)
    return abs(se / wanted - 1) < 4 * error


def test_shares_of_the_same_units_have_the_variance_of_mcnemar() -> None:
    cells = {(True, True): 500, (True, False): 110, (False, True): 60, (False, False): 330}
    rows = np.array([pair for pair, k in cells.items() for _at in range(k)])
    found = of_rates(rows[:, 0], rows[:, 1])
    n, b, c = 1000, 110, 60
    assert found.new - found.old == pytest.approx(-(b - c) / n)
    assert found.differing == b + c
    assert found.support == n
    # McNemar (1947); Fleiss, Statistical Methods for Rates and Proportions, 13.1
    assert close(width(found), math.sqrt(b + c - (b - c) ** 2 / n) / n)
    assert found.low < found.new - found.old < found.high


def test_rows_of_one_unit_are_drawn_together() -> None:
    rng = np.random.default_rng(3)
    first, second = rng.random(300) < 0.5, rng.random(300) < 0.4
    alone = of_rates(first, second)
    four = of_rates(np.repeat(first, 4), np.repeat(second, 4), np.repeat(np.arange(300), 4))
    assert (four.low, four.high) == (alone.low, alone.high)
    apart = of_rates(np.repeat(first, 4), np.repeat(second, 4))
    assert width(apart) == pytest.approx(width(alone) / 2, rel=0.1)


def delong(
    positive: NDArray[np.bool_], first: NDArray[np.float64], second: NDArray[np.float64]
) -> float:
    """Return the standard error of the difference of two areas: every pair counted."""
    parts = []
    for score in (first, second):
        pairs = score[positive][:, None] - score[~positive][None, :]
        parts.append((pairs > 0) + 0.5 * (pairs == 0))
    n1, n0 = parts[0].shape
    v10 = np.cov([part.mean(axis=1) for part in parts])
    v01 = np.cov([part.mean(axis=0) for part in parts])
    weights = np.array([1, -1])
    return float(np.sqrt(weights @ (v10 / n1 + v01 / n0) @ weights))


def test_areas_on_real_data_have_the_error_of_delong() -> None:
    data = load_breast_cancer()
    positive = data.target == 0
    first, second = data.data[:, 1], data.data[:, 21]  # mean and worst texture, correlated
    tally = Tally(np.arange(len(positive)))
    rows = np.ones(len(positive), dtype=bool)
    pair = area(tally.area(positive, first, rows)), area(tally.area(positive, second, rows))
    rng = np.random.default_rng(5)
    (found,) = paired_differences(
        tally, [(*pair, "difference")], rng, resamples=DRAWS, confidence=0.95
    )
    assert found.old == pytest.approx(roc_auc_score(positive, first))
    assert found.new == pytest.approx(roc_auc_score(positive, second))
    wanted = delong(positive, first, second)
    assert close(width(found), wanted)
    independent = math.hypot(
        *(delong(positive, one, np.zeros_like(one)) for one in (first, second))
    )
    assert wanted < 0.5 * independent  # what pairing is for
    assert 0.7 < found.correlation < 1


def test_sizes_and_ratios() -> None:
    rng = np.random.default_rng(6)
    tally = Tally(np.arange(2000))
    bottom = tally.count(np.ones(2000, dtype=bool))
    few, many = tally.count(rng.random(2000) < 0.2), tally.count(rng.random(2000) < 0.4)

    def gap(sign: int) -> Recipe:
        def value(parts: Parts) -> NDArray[np.float64]:
            return np.asarray(sign * (parts.counts[many] - parts.counts[few]) / 2000)

        return Recipe(value, (few, many), (), ((bottom,),))

    by_ratio, by_size = paired_differences(
        tally,
        [(rate(few, bottom), rate(many, bottom), "ratio"), (gap(-1), gap(1), "size")],
        rng,
        resamples=DRAWS,
        confidence=0.95,
    )
    assert by_ratio.low < by_ratio.new / by_ratio.old < by_ratio.high
    # A log ratio of independent shares: the delta method.
    error = math.sqrt(1 / (2000 * by_ratio.old) + 1 / (2000 * by_ratio.new) - 2 / 2000)
    half = (math.log(by_ratio.high) - math.log(by_ratio.low)) / (2 * norm.isf(0.025))
    assert half == pytest.approx(error, rel=0.1)
    assert by_size.low == by_size.high == 0  # the sign alone changed


def test_equal_sides_do_not_differ_and_undefined_draws_give_no_interval() -> None:
    same = of_rates(np.arange(50) < 20, np.arange(50) < 20)
    assert (same.low, same.high, same.differing) == (0, 0, 0)
    tally = Tally(np.arange(40))
    one_row = tally.count(np.arange(40) == 0)  # in 37 % of the draws it is not there
    recipe = rate(one_row, one_row)
    (found,) = paired_differences(
        tally,
        [(recipe, recipe, "difference")],
        np.random.default_rng(1),
        resamples=DRAWS,
        confidence=0.95,
    )
    assert math.isnan(found.low)
    assert found.support == 1
    gone = (1 - 1 / 40) ** 40
    assert abs(found.undefined - gone) < 4 * math.sqrt(gone * (1 - gone) / DRAWS)


def test_draws_depend_on_neither_the_other_figures_nor_their_number() -> None:
    rng = np.random.default_rng(7)
    first, second = rng.random(400) < 0.5, rng.random(400) < 0.45
    tally = Tally(np.arange(400))
    rows = tally.count(np.ones(400, dtype=bool))
    one, two, three = (rate(tally.count(held), rows) for held in (first, second, ~first))
    pair: tuple[Recipe, Recipe, Scale] = (one, two, "difference")
    other: tuple[Recipe, Recipe, Scale] = (three, two, "difference")
    asked: list[list[tuple[Recipe, Recipe, Scale]]] = [[pair], [other, pair]]
    made = [
        paired_differences(tally, recipes, np.random.default_rng(8), resamples=200, confidence=0.9)
        for recipes in asked
    ]
    assert made[0][0] == made[1][1]


@pytest.mark.slow
@pytest.mark.parametrize(("n", "correlation"), [(60, 0.8), (300, 0.5)])
def test_coverage_of_the_paired_interval(
    n: int, correlation: float, simulation_share: float
) -> None:
    runs = max(50, int(600 * simulation_share))
    rng = np.random.default_rng(n)
    truth = norm.cdf(0.3) - norm.cdf(0.6)
    covered = 0
    narrow = []
    for _run in range(runs):
        latent = rng.multivariate_normal([0, 0], [[1, correlation], [correlation, 1]], size=n)
        found = of_rates(
            latent[:, 0] < 0.6, latent[:, 1] < 0.3, seed=int(rng.integers(2**31)), resamples=500
        )
        covered += found.low <= truth <= found.high
        p = np.array([found.old, found.new])
        independent = math.sqrt(float((p * (1 - p) / n).sum()))
        narrow.append(width(found) / independent)
    error = math.sqrt(0.95 * 0.05 / runs)
    assert abs(covered / runs - 0.95) < 0.02 + 3 * error
    # The exact law: what both share falls out of the variance of the difference.
    shares = np.array([norm.cdf(0.6), norm.cdf(0.3)])
    both = multivariate_normal.cdf([0.6, 0.3], cov=[[1, correlation], [correlation, 1]])
    alone = float((shares * (1 - shares)).sum())
    wanted = math.sqrt(1 - 2 * (both - shares.prod()) / alone)
    assert np.mean(narrow) == pytest.approx(wanted, rel=0.05)
