"""Differences of two figures from their intervals, against published examples and laws."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from reportgen.stats.comparison import Limits, adjusted, difference, ratio, size, two_sided_p
from reportgen.stats.proportions import Proportion, wilson

Z = 1.959963984540054


def proportion(k: int, n: int) -> Limits:
    return Limits.of(k / n, *wilson(Proportion(k, n), confidence=0.95))


def ends(limits: Limits) -> tuple[float, float]:
    return float(limits.low[0]), float(limits.high[0])


@pytest.mark.parametrize(
    ("first", "second", "wanted"),
    [  # Newcombe (1998), Stat Med 17:873, table II, method 10
        ((56, 70), (48, 80), (0.0524, 0.3339)),
        ((9, 10), (3, 10), (0.1705, 0.8090)),
        ((10, 10), (0, 20), (0.6791, 1.0000)),
        ((10, 10), (0, 10), (0.6075, 1.0000)),
    ],
)
def test_proportions_of_independent_groups_as_published(
    first: tuple[int, int], second: tuple[int, int], wanted: tuple[float, float]
) -> None:
    made = difference(proportion(*second), proportion(*first))
    assert ends(made) == pytest.approx(wanted, abs=5e-5)


@pytest.mark.parametrize(
    ("cells", "wanted"),
    [  # Newcombe (1998), Stat Med 17:2635, method 10, its phi corrected for continuity
        ((36, 12, 2, 0), (0.0569, 0.3404)),
        ((20, 12, 2, 16), (0.0562, 0.3292)),
    ],
)
def test_proportions_of_the_same_units_as_published(
    cells: tuple[int, int, int, int], wanted: tuple[float, float]
) -> None:
    a, b, c, d = cells
    n = sum(cells)
    excess = a * d - b * c
    corrected = max(excess - n / 2, 0) if excess > 0 else excess
    phi = corrected / math.sqrt((a + b) * (c + d) * (a + c) * (b + d))
    made = difference(proportion(a + c, n), proportion(a + b, n), correlation=phi)
    assert ends(made) == pytest.approx(wanted, abs=5e-5)


def test_symmetric_intervals_give_the_error_of_a_difference() -> None:
    old, new = (Limits.of(x, x - Z * se, x + Z * se) for x, se in ((0.3, 0.02), (0.5, 0.03)))
    for rho in (0.0, 0.6, -0.4):
        error = math.sqrt(0.02**2 + 0.03**2 - 2 * rho * 0.02 * 0.03)
        made = difference(old, new, correlation=rho)
        assert ends(made) == pytest.approx((0.2 - Z * error, 0.2 + Z * error))


def test_ratios_add_the_errors_of_logarithms() -> None:
    old, new = (
        Limits.of(x, x * math.exp(-Z * se), x * math.exp(Z * se)) for x, se in ((2, 0.2), (3, 0.1))
    )
    half = Z * math.hypot(0.2, 0.1)
    assert ends(ratio(old, new)) == pytest.approx((1.5 * math.exp(-half), 1.5 * math.exp(half)))
    assert np.isnan(ratio(Limits.of(0, 0, 1), new).value).all()
    assert np.isnan(ratio(Limits.of(0.5, 0, 1), new).high).all()


finite = st.floats(-2, 2)
reach = st.floats(0, 1)


@given(finite, reach, reach)
def test_wherever_a_figure_lies_in_its_interval_its_size_lies_in_that_of_the_size(
    value: float, down: float, up: float
) -> None:
    signed = Limits.of(value, value - down, value + up)
    made = size(signed)
    for inside in np.linspace(float(signed.low[0]), float(signed.high[0]), 9):
        assert float(made.low[0]) - 1e-12 <= abs(inside) <= float(made.high[0]) + 1e-12
    assert made.low <= made.value <= made.high


@given(finite, st.floats(0.01, 1), st.floats(0.01, 1))
def test_p_is_small_only_where_the_interval_excludes_no_change(
    value: float, down: float, up: float
) -> None:
    limits = Limits.of(value, value - down, value + up)
    p = float(two_sided_p(limits, confidence=0.95)[0])
    excluded = not limits.low[0] <= 0 <= limits.high[0]
    assert (p < 0.05) == excluded or math.isclose(p, 0.05, rel_tol=1e-9)


def test_p_of_a_known_error() -> None:
    limits = Limits.of(2.5, 2.5 - Z, 2.5 + Z)
    assert two_sided_p(limits, confidence=0.95)[0] == pytest.approx(0.012419331)
    assert two_sided_p(Limits.of(0, 0, 0), confidence=0.95)[0] == 1
    assert np.isnan(two_sided_p(Limits.of(1, math.nan, math.nan), confidence=0.95)).all()
    assert np.isnan(two_sided_p(Limits.of(1, 1, 1), confidence=0.95)).all()


def test_adjustment_as_published_and_without_what_has_no_p() -> None:
    # Benjamini & Hochberg (1995), section 3: of these 15 the first four are below 0.05
    p = [0.0001, 0.0004, 0.0019, 0.0095, 0.0201, 0.0278, 0.0298, 0.0344, 0.0459, 0.3240, 0.4262]
    p += [0.5719, 0.6528, 0.7590, 1.0000]
    made = adjusted(np.array([*p, math.nan]))
    assert int(np.count_nonzero(made <= 0.05)) == 4
    assert made[3] == pytest.approx(0.0095 * 15 / 4)
    assert math.isnan(made[-1])
    assert np.isnan(adjusted(np.array([math.nan]))).all()


@pytest.mark.slow
@pytest.mark.parametrize(("n", "p"), [((30, 40), (0.9, 0.7)), ((200, 60), (0.55, 0.5))])
def test_coverage_of_independent_and_of_correlated_proportions(
    n: tuple[int, int], p: tuple[float, float], simulation_share: float
) -> None:
    runs = max(200, int(4000 * simulation_share))
    rng = np.random.default_rng(n[0])
    apart = [
        of_counts(rng.binomial(size, share, runs), size) for size, share in zip(n, p, strict=True)
    ]
    covered = coverage(difference(*apart), p[1] - p[0])
    error = math.sqrt(0.95 * 0.05 / runs)
    assert abs(covered - 0.95) < 0.02 + 3 * error
    # On the same patients, taken for independent, it is too wide: never too narrow.
    common = rng.random((runs, n[0]))
    same = [of_counts((common < share).sum(axis=1), n[0]) for share in p]
    assert coverage(difference(*same), p[1] - p[0]) > 0.95 - 3 * error


def of_counts(k: NDArray[np.int64], n: int) -> Limits:
    limits = [wilson(Proportion(int(one), n), confidence=0.95) for one in k]
    return Limits.of(k / n, [low for low, _ in limits], [high for _, high in limits])


def coverage(made: Limits, truth: float) -> float:
    return float(np.mean((made.low <= truth) & (truth <= made.high)))
