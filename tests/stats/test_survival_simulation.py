"""Do the intervals and errors of a survival decision curve hold what they promise?

Risk score U uniform; the event of interest comes at rate ``2 U^2`` and, in the second scenario, a
competing one at rate 0.3; censoring at rate 0.3, independently, and at 2.5. So the incidence by
time 1 given U is ``a / (a + b) (1 - exp(-a - b))``, and the true shares are its integrals.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.integrate import quad

from reportgen.stats.decision import Shares
from reportgen.stats.survival import survival_shares
from reportgen.stats.survival_influence import survival_net_benefit_se

Floats = NDArray[np.float64]
THRESHOLDS = np.array([0.1, 0.2, 0.3, 0.5])
ODDS = THRESHOLDS / (1 - THRESHOLDS)
AT = 1.0
N, RESAMPLES, SAMPLES = 400, 1000, 2000


def risk(score: float, competing_rate: float) -> float:
    rate = 2 * score**2
    both = rate + competing_rate
    return 0.0 if rate == 0 else rate / both * (1 - np.exp(-both * AT))


def true_net_benefit(competing_rate: float) -> tuple[Floats, Floats]:
    """Return the net benefit of the model and of treat all at the thresholds, by quadrature."""
    positive = np.array([quad(risk, cut, 1, args=(competing_rate,))[0] for cut in THRESHOLDS])
    prevalence = quad(risk, 0, 1, args=(competing_rate,))[0]
    model = positive - ODDS * (1 - THRESHOLDS - positive)
    return model, prevalence - ODDS * (1 - prevalence)


def draw(
    rng: np.random.Generator, competing_rate: float
) -> tuple[Floats, Floats, NDArray[np.intp]]:
    score = rng.uniform(size=N)
    of_interest = rng.exponential(1, N) / (2 * score**2)
    competing = rng.exponential(1, N) / competing_rate if competing_rate else np.full(N, np.inf)
    censored = np.minimum(rng.exponential(1 / 0.3, N), 2.5)
    times = np.stack([censored, of_interest, competing])
    return score, times.min(axis=0), times.argmin(axis=0)


def benefits(shares: Shares) -> Floats:
    """Return (..., 2, T): the net benefit of the model and of treat all."""
    model = shares.true_positive[..., 0, :] - ODDS * shares.false_positive[..., 0, :]
    prevalence = np.asarray(shares.prevalence)[..., None]
    return np.stack([model, prevalence - ODDS * (1 - prevalence)], axis=-2)


@pytest.mark.slow
@pytest.mark.parametrize("competing_rate", [0.0, 0.3])
def test_bootstrap_intervals_cover_and_analytic_errors_agree(
    competing_rate: float, simulation_share: float
) -> None:
    samples = max(50, round(SAMPLES * simulation_share))
    rng = np.random.default_rng(2008)
    truth = np.stack(true_net_benefit(competing_rate))
    covered = np.zeros(truth.shape)
    points, analytic, ratio = [], [], []
    for _ in range(samples):
        score, time, event = draw(rng, competing_rate)
        fixed: dict[str, Any] = {"at": AT, "thresholds": THRESHOLDS}
        weights = rng.multinomial(N, np.full(N, 1 / N), size=RESAMPLES)
        resampled = benefits(survival_shares([score], time, event, weights=weights, **fixed))
        low, high = np.quantile(resampled, [0.025, 0.975], axis=0)
        covered += (low <= truth) & (truth <= high)
        errors = survival_net_benefit_se([score], time, event, **fixed)
        analytic.append(np.stack([errors.models[0], errors.treat_all]))
        ratio.append(resampled.std(axis=0) / analytic[-1])
        points.append(benefits(survival_shares([score], time, event, **fixed)))
    # The interval itself at full size; at a smaller one the added Monte-Carlo error, three times.
    added = 3 * np.sqrt(0.95 * 0.05) * (samples**-0.5 - SAMPLES**-0.5)
    coverage = covered / samples
    assert (coverage >= 0.93 - added).all(), coverage
    assert (coverage <= 0.97 + added).all(), coverage
    np.testing.assert_allclose(np.median(ratio, axis=0), 1, atol=0.02)
    # A standard deviation of N values has relative error 1 / sqrt(2 N).
    spread = np.std(points, axis=0) / np.mean(analytic, axis=0)
    np.testing.assert_allclose(spread, 1, atol=0.02 + 3 / np.sqrt(2 * samples))
