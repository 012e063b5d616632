"""Intervals of proportions and their ratio against published and exact values."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from scipy.stats import binomtest

from reportgen.stats.proportions import (
    Proportion,
    clopper_pearson,
    linear_mover,
    normal_quantile,
    ratio_score,
    rising_interval,
    wilson,
)


@pytest.mark.parametrize(("k", "n"), [(-1, 3), (4, 3), (0, 0), (math.nan, 3), (1, math.inf)])
def test_a_proportion_refuses_impossible_counts(k: float, n: float) -> None:
    with pytest.raises(ValueError, match="not a proportion"):
        Proportion(k, n)


@pytest.mark.parametrize("confidence", [0.0, 1.0, 95.0, -0.5])
def test_confidence_is_a_share(confidence: float) -> None:
    with pytest.raises(ValueError, match="between 0 and 1"):
        normal_quantile(confidence)


@pytest.mark.parametrize(
    ("k", "n", "exact", "score"),
    [
        (10, 10, (0.692, 1), (0.722, 1)),  # catalogue D44
        (0, 4, (0, 0.602), None),  # catalogue D47
        (0, 30, (0, 0.116), (0, 0.1135)),  # catalogue D79
    ],
)
def test_catalogue_values(
    k: int, n: int, exact: tuple[float, float], score: tuple[float, float] | None
) -> None:
    share = Proportion(k, n)
    assert clopper_pearson(share, confidence=0.95) == pytest.approx(exact, abs=5e-4)
    if score is not None:
        assert wilson(share, confidence=0.95) == pytest.approx(score, abs=5e-4)


@pytest.mark.parametrize("k", range(18))
def test_against_scipy(k: int) -> None:
    for confidence in (0.8, 0.95, 0.99):
        test = binomtest(k, 17)
        ours = wilson(Proportion(k, 17), confidence=confidence)
        theirs = test.proportion_ci(confidence, method="wilson")
        assert ours == pytest.approx((theirs.low, theirs.high), abs=1e-12)
        ours = clopper_pearson(Proportion(k, 17), confidence=confidence)
        theirs = test.proportion_ci(confidence, method="exact")
        assert ours == pytest.approx((theirs.low, theirs.high), abs=1e-9)


def test_epir_sensitivity_and_specificity(published_tests: dict[str, Any]) -> None:
    case = published_tests["sensitivity_specificity"][0]
    for share, wanted in (
        (Proportion(case["tp"], case["tp"] + case["fn"]), case["sens"]),
        (Proportion(case["tn"], case["tn"] + case["fp"]), case["spec"]),
    ):
        assert share.value == pytest.approx(wanted[0], abs=1e-9)
        assert clopper_pearson(share, confidence=0.95) == pytest.approx(wanted[1:], abs=1e-9)


def test_epir_ratio_is_the_published_one_to_its_two_decimals(
    published_tests: dict[str, Any],
) -> None:
    # epiR prints a log (Wald) interval; at these sizes the score interval agrees to 0.01.
    case = published_tests["sensitivity_specificity"][0]
    top = Proportion(case["tp"], case["tp"] + case["fn"])
    bottom = Proportion(case["fp"], case["tn"] + case["fp"])
    # the stored figure is off in its tenth digit: the exact one is 670 * 842 / (744 * 202)
    assert top.value / bottom.value == pytest.approx(670 * 842 / (744 * 202), rel=1e-15)
    assert top.value / bottom.value == pytest.approx(case["lr_pos"][0], abs=5e-9)
    assert ratio_score(top, bottom, confidence=0.95) == pytest.approx(case["lr_pos"][1:], abs=0.01)


def test_koopman_against_statsmodels(published_tests: dict[str, Any]) -> None:
    (case,) = [
        c for c in published_tests["predictive_values_case_control"] if "lr_pos_interval" in c
    ]
    interval = ratio_score(
        Proportion(case["tp"], case["tp"] + case["fn"]),
        Proportion(case["fp"], case["fp"] + case["tn"]),
        confidence=0.95,
    )
    assert interval == pytest.approx(case["lr_pos_interval"], abs=1e-8)


@pytest.mark.parametrize(
    ("top", "bottom", "low", "high"),
    [
        ((0, 10), (0, 20), 0, math.inf),
        ((3, 10), (0, 20), None, math.inf),
        ((0, 9), (4, 9), 0, None),
    ],
)
def test_ratio_at_empty_cells(
    top: tuple[int, int], bottom: tuple[int, int], low: float | None, high: float | None
) -> None:
    found = ratio_score(Proportion(*top), Proportion(*bottom), confidence=0.95)
    for limit, wanted in zip(found, (low, high), strict=True):
        assert limit == wanted if wanted is not None else 0 < limit < math.inf


def _pearson(top: Proportion, bottom: Proportion, ratio: float) -> float:
    """Return Koopman's chi-square at a ratio, by a plain search for the likelihood's top."""
    grid = np.linspace(0, min(1, 1 / ratio), 2_000_001)[1:-1]
    log_likelihood = (
        top.k * np.log(ratio * grid)
        + (top.n - top.k) * np.log1p(-ratio * grid)
        + bottom.k * np.log(grid)
        + (bottom.n - bottom.k) * np.log1p(-grid)
    )
    second = grid[np.argmax(log_likelihood)]
    first = ratio * second
    return float(
        (top.k - top.n * first) ** 2 / (top.n * first * (1 - first))
        + (bottom.k - bottom.n * second) ** 2 / (bottom.n * second * (1 - second))
    )


@pytest.mark.parametrize(("top", "bottom"), [((31, 34), (12, 44)), ((5, 40), (1, 90))])
def test_ratio_limits_are_where_the_chi_square_is_1_96_squared(
    top: tuple[int, int], bottom: tuple[int, int]
) -> None:
    first, second = Proportion(*top), Proportion(*bottom)
    for limit in ratio_score(first, second, confidence=0.95):
        assert _pearson(first, second, limit) == pytest.approx(1.959963984540054**2, rel=1e-4)


def test_inverse_ratio_has_inverse_limits() -> None:
    first, second = Proportion(7, 20), Proportion(11, 60)
    low, high = ratio_score(first, second, confidence=0.9)
    assert ratio_score(second, first, confidence=0.9) == pytest.approx((1 / high, 1 / low))


def test_mover_is_newcombes_difference() -> None:
    # Newcombe 1998 (Stat Med 17:873), example (a) 56/70 - 48/80, method 10: 0.0524 to 0.3339
    interval = linear_mover(
        [(1.0, Proportion(56, 70)), (-1.0, Proportion(48, 80))], constant=0.0, confidence=0.95
    )
    assert interval == pytest.approx((0.0524, 0.3339), abs=5e-5)


def test_mover_of_one_proportion_is_wilson() -> None:
    share = Proportion(3, 40)
    low, high = wilson(share, confidence=0.95)
    found = linear_mover([(-2.0, share)], constant=5.0, confidence=0.95)
    assert found == pytest.approx((5 - 2 * high, 5 - 2 * low), abs=1e-14)


def test_rising_interval_of_one_proportion_is_wilson() -> None:
    share, other = Proportion(3, 40), Proportion(9, 11)
    found = rising_interval(lambda a, b: a + 0 * b, share, other, confidence=0.95)
    assert found == pytest.approx(wilson(share, confidence=0.95), abs=1e-12)
