"""How a paired difference is written: percentiles, or stored intervals where few units differ."""

from __future__ import annotations

import math

import numpy as np
import pytest
from numpy.typing import NDArray

from reportgen.against.estimates import FEWEST, is_stored, paired_estimate
from reportgen.comparison.shape import Scale
from reportgen.result import Estimate
from reportgen.stats.paired import Found, Parts, Recipe, Tally, paired_differences
from reportgen.stats.proportions import Proportion, wilson

FOUND = Found(0.8, 0.7, -0.15, -0.06, 0.5, support=100, differing=30, undefined=0.0)


def stored(value: float, half: float | None = 0.08) -> Estimate:
    if half is None:
        return Estimate(value, reason="none")
    return Estimate(value, value - half, value + half, 0.95, "Wald")


def written(found: Found, old: Estimate, new: Estimate, how: Scale = "difference") -> Estimate:
    return paired_estimate(found, old, new, how, n_units=100, resamples=500, confidence=0.95)


def test_percentiles_where_enough_units_differ() -> None:
    made = written(FOUND, stored(0.8), stored(0.7))
    assert (made.low, made.high) == (-0.15, -0.06)
    assert made.estimate == pytest.approx(-0.1)
    assert made.method == "paired bootstrap of 100 units, percentile of 500 draws"


@pytest.mark.parametrize("change", [{"differing": FEWEST - 1}, {"support": FEWEST - 1}])
def test_few_units_take_the_stored_intervals_and_what_both_share(change: dict[str, int]) -> None:
    few = Found(**{**FOUND.__dict__, **change})
    made = written(few, stored(0.8), stored(0.7))
    half = 0.08 * math.sqrt(2 - 2 * 0.5)  # Newcombe (1998), paired: 2 rho falls out
    assert (made.low, made.high) == pytest.approx((-0.1 - half, -0.1 + half))
    assert "too few for percentiles" in str(made.method)
    without = written(few, stored(0.8, None), stored(0.7))
    assert (without.low, without.high) == (None, None)
    assert without.reason == "too few units to resample, and no stored interval"


def test_a_figure_undefined_in_many_draws_says_so() -> None:
    gone = Found(**{**FOUND.__dict__, "low": math.nan, "high": math.nan, "undefined": 0.2})
    made = written(gone, stored(0.8), stored(0.7))
    assert "undefined in too many draws" in str(made.method)
    assert made.low is not None


def test_no_unit_differing_gives_no_interval_of_width_0() -> None:
    same = Found(0.8, 0.8, 0.0, 0.0, 1.0, support=100, differing=0, undefined=0.0)
    made = written(same, stored(0.8), stored(0.8))
    assert (made.estimate, made.low, made.high) == (0.0, None, None)
    assert written(same, stored(0.8), stored(0.8), "ratio").estimate == 1


def test_a_figure_made_again_must_be_the_stored_one() -> None:
    assert is_stored(0.8 + 1e-12, stored(0.8))
    assert not is_stored(0.8 + 1e-6, stored(0.8))
    assert not is_stored(math.nan, stored(0.8))


def share_of(at: int, n: int) -> Recipe:
    def value(parts: Parts) -> NDArray[np.float64]:
        return np.asarray(parts.counts[at] / n)

    return Recipe(value, (at,), (), ())


def proportion(k: int, n: int) -> Estimate:
    return Estimate(k / n, *wilson(Proportion(k, n), confidence=0.95), 0.95, "Wilson score")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("n", "both", "gained", "lost"), [(100, 0.88, 0.0, 0.08), (50, 0.8, 0.04, 0.04)]
)
def test_coverage_where_few_units_differ(
    n: int, both: float, gained: float, lost: float, simulation_share: float
) -> None:
    runs = max(60, int(600 * simulation_share))
    rng = np.random.default_rng(n)
    covered, counted = 0, 0
    for _run in range(runs):
        cell = rng.choice(4, size=n, p=[both, lost, gained, 1 - both - lost - gained])
        before, after = cell <= 1, (cell == 0) | (cell == 2)
        tally = Tally(np.arange(n))
        pair = share_of(tally.count(before), n), share_of(tally.count(after), n)
        (found,) = paired_differences(
            tally, [(*pair, "difference")], rng, resamples=500, confidence=0.95
        )
        made = written(found, proportion(int(before.sum()), n), proportion(int(after.sum()), n))
        if made.low is not None and made.high is not None:
            counted += 1
            covered += made.low <= gained - lost <= made.high
    error = math.sqrt(0.95 * 0.05 / counted)
    assert covered / counted > 0.95 - 3 * error
