"""Coverage of the intervals: by enumerating every table where that can be done, else simulated."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from scipy.stats import binom

from reportgen.stats import prevalence as figures
from reportgen.stats.bands import percentile_interval
from reportgen.stats.prevalence_intervals import (
    curved_interval,
    likelihood_ratio_intervals,
    linear_interval,
)
from reportgen.stats.proportions import Interval, Proportion
from reportgen.stats.quantification import rogan_gladen_interval
from reportgen.stats.unit_counts import describe, resample

pytestmark = pytest.mark.slow

DESIGNS = (
    (34, 0.9, 44, 0.27),
    (50, 0.8, 500, 0.01),
    (100, 0.9, 200, 0.02),
    (500, 0.8, 500, 0.002),
    (20, 0.95, 100, 0.05),
)


def _coverage(
    n1: int,
    se: float,
    n0: int,
    fpr: float,
    covers: Callable[[Proportion, Proportion], bool],
    *,
    ignored: float = 1e-7,
) -> float:
    """Return the exact coverage, but for cells whose margins hold less than `ignored` each."""
    total = 0.0
    for tp in _likely(n1, se, ignored):
        for fp in _likely(n0, fpr, ignored):
            if covers(Proportion(tp, n1), Proportion(n0 - fp, n0)):
                total += float(binom.pmf(tp, n1, se) * binom.pmf(fp, n0, fpr))
    return total


def _likely(n: int, rate: float, ignored: float) -> range:
    low, high = np.asarray(binom.ppf([ignored, 1 - ignored], n, rate), dtype=int)
    return range(max(int(low), 0), int(high) + 1)


# Enumerated in the project's notes for the score interval of LR+; three decimals.
SCORE_COVERAGE = (0.949, 0.957, 0.943, 0.930, 0.957)


@pytest.mark.parametrize(("design", "wanted"), list(zip(DESIGNS, SCORE_COVERAGE, strict=True)))
def test_precision(design: tuple[int, float, int, float], wanted: float) -> None:
    # The logit identity maps LR+ to the precision at any prevalence, so their coverage is one.
    n1, se, n0, fpr = design

    def covers(sensitivity: Proportion, specificity: Proportion) -> bool:
        (low, high), _ = likelihood_ratio_intervals(sensitivity, specificity, confidence=0.95)
        return low <= se / fpr <= high

    assert _coverage(n1, se, n0, fpr, covers) == pytest.approx(wanted, abs=6e-4)


@pytest.mark.parametrize("design", DESIGNS)
@pytest.mark.parametrize("prevalence", [0.01, 0.3])
@pytest.mark.parametrize("name", ["f1", "mcc", "kappa", "accuracy", "net_benefit"])
def test_figures_of_both_rates(
    design: tuple[int, float, int, float], prevalence: float, name: str
) -> None:
    n1, se, n0, fpr = design
    linear = figures.linear_figures(prevalence, threshold=0.1)

    def interval(sensitivity: Proportion, specificity: Proportion) -> Interval:
        if name in linear:
            return linear_interval(linear[name], sensitivity, specificity, confidence=0.95)
        return curved_interval(name, sensitivity, specificity, prevalence, confidence=0.95)

    if name in linear:
        truth = float(linear[name].value(se, 1 - fpr))
    else:
        truth = float(figures.CURVED[name](se, 1 - fpr, prevalence))

    def covers(sensitivity: Proportion, specificity: Proportion) -> bool:
        low, high = interval(sensitivity, specificity)
        return low <= truth <= high

    # MOVER leans on one Wilson interval where a weight is small, and is as uneven as that one.
    least, most = (0.93, 0.98) if name in linear else (0.94, 0.965)
    assert least <= _coverage(n1, se, n0, fpr, covers) <= most


@pytest.mark.parametrize(("p", "n"), [(0.05, 300), (0.3, 300), (0.5, 1000)])
@pytest.mark.parametrize(("se", "sp", "m"), [(0.9, 0.95, 60), (0.7, 0.8, 150)])
def test_rogan_gladen(
    p: float, n: int, se: float, sp: float, m: int, simulation_share: float
) -> None:
    rng = np.random.default_rng(11)
    size = max(int(20_000 * simulation_share), 200)
    apparent = rng.binomial(n, p * se + (1 - p) * (1 - sp), size=size)
    hits = rng.binomial(m, se, size=size), rng.binomial(m, sp, size=size)
    inside = 0
    for k, k1, k0 in zip(apparent, *hits, strict=True):
        low, high = rogan_gladen_interval(
            Proportion(k, n), Proportion(k1, m), Proportion(k0, m), confidence=0.95
        )
        inside += low <= p <= high
    noise = 3 * np.sqrt(0.95 * 0.05 / size)
    # Lang & Reiczigel aim at 95 % or a little more
    assert 0.94 - noise <= inside / size <= 0.985 + noise


def test_cluster_bootstrap_of_the_precision(simulation_share: float) -> None:
    rng = np.random.default_rng(12)
    size = max(int(1000 * simulation_share), 100)
    patients, rows = 200, 4
    inside = naive = 0
    for _ in range(size):
        positive = np.repeat(rng.random(patients) < 0.4, rows)
        # Beta(6, 2) and Beta(1, 4): sensitivity .75 and false positive rate .2 on average
        rate = np.where(
            positive,
            np.repeat(rng.beta(6, 2, size=patients), rows),
            np.repeat(rng.beta(1, 4, size=patients), rows),
        )
        flagged = (rng.random(patients * rows) < rate).astype(float)
        units = describe(positive, flagged, np.repeat(np.arange(patients), rows), [0.5])
        draws = resample(units, rng=rng, resamples=500)
        truth = float(figures.precision(0.75, 0.8, 0.05))
        drawn = figures.precision(draws.sensitivity[:, 0], draws.specificity[:, 0], 0.05)
        low, high = map(float, percentile_interval(drawn, confidence=0.95))
        inside += low <= truth <= high
        tp, fn, fp, tn = (int(cell[0]) for cell in units.cells())
        (low, high), _ = likelihood_ratio_intervals(
            Proportion(tp, tp + fn), Proportion(tn, tn + fp), confidence=0.95
        )
        naive += low <= 0.75 / 0.2 <= high
    noise = 3 * np.sqrt(0.95 * 0.05 / size)
    assert 0.93 - noise <= inside / size <= 0.965 + noise
    assert naive < inside  # rows taken as patients: too narrow


def test_few_patients_in_a_cell_give_wide_intervals(simulation_share: float) -> None:
    # Where the section does not resample but takes Kish's effective numbers of rows.
    rng = np.random.default_rng(13)
    size = max(int(600 * simulation_share), 100)
    inside = used = 0
    for _ in range(size):
        rows = rng.integers(1, 8, size=60)
        unit = np.repeat(np.arange(60), rows)
        positive = np.repeat(rng.random(60) < 0.4, rows)
        # Beta(6, 2) and Beta(.02, 1.98): false positives are rare and come in patients
        rate = np.where(
            positive,
            np.repeat(rng.beta(6, 2, size=60), rows),
            np.repeat(rng.beta(0.02, 1.98, size=60), rows),
        )
        flagged = (rng.random(len(unit)) < rate).astype(float)
        units = describe(positive, flagged, unit, [0.5])
        if units.fewest_units()[0] >= 5:
            continue
        used += 1
        tp, fn, fp, tn = (int(cell[0]) for cell in units.cells())
        n1, n0 = units.effective_sizes()
        (low, high), _ = likelihood_ratio_intervals(
            Proportion(tp / (tp + fn) * n1, n1),
            Proportion(tn / (tn + fp) * n0, n0),
            confidence=0.95,
        )
        inside += low <= 0.75 / 0.01 <= high
    assert used > size / 2
    assert inside / used >= 0.95 - 3 * np.sqrt(0.95 * 0.05 / used)
