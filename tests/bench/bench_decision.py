"""How long decision curves take, against the two ways article 002 computes them.

Run with ``make bench``. All ways take the same rows and thresholds in one run, so that only the
ratios mean something; values are compared before times are. The article's resampling is timed on
fewer resamples and scaled up, as it is linear in them.

Curves: one confusion matrix a threshold, and one comparison of all rows with all thresholds. Bands:
index resampling with the matrix way, and resampling in joint cells as the section does it.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from functools import partial

import numpy as np
from numpy.typing import NDArray
from sklearn.metrics import confusion_matrix

from reportgen.stats import decision
from reportgen.stats.bands import percentile_interval, sup_t_band
from reportgen.stats.decision_draws import binary_sample, draw_binary

FloatArray = NDArray[np.float64]

SIZES = (1_000, 10_000, 100_000)
THRESHOLDS = np.array([k / 100 for k in range(1, 100)])
RESAMPLES = 1000
TIMED_RESAMPLES = {1_000: 200, 10_000: 50, 100_000: 5}


def by_confusion_matrices(scores: FloatArray, label: FloatArray) -> FloatArray:
    """Net benefit with a confusion matrix at each threshold (the article's first way)."""
    benefits = []
    for threshold in THRESHOLDS:
        flagged = (scores > threshold).astype(int)
        (_, fp), (_, tp) = confusion_matrix(label, flagged, labels=[0, 1])
        benefits.append(tp / len(label) - fp / len(label) * threshold / (1 - threshold))
    return np.array(benefits)


def by_comparison(scores: FloatArray, label: FloatArray) -> FloatArray:
    """Net benefit from a threshold-by-row comparison (the article's second way)."""
    flagged = (scores > THRESHOLDS[:, None]).astype(int)
    tp = np.sum((flagged == 1) & (label == 1), axis=1)
    fp = np.sum((flagged == 1) & (label == 0), axis=1)
    return np.asarray(tp / len(label) - fp / len(label) * THRESHOLDS / (1 - THRESHOLDS))


def ours(scores: FloatArray, label: FloatArray) -> FloatArray:
    """Net benefit as the section computes it."""
    shares = decision.binary_shares(scores, label, thresholds=THRESHOLDS)
    return np.asarray(decision.net_benefit(shares, thresholds=THRESHOLDS)[0])


def bands_of_the_article(
    scores: FloatArray, label: FloatArray, resamples: int
) -> tuple[FloatArray, FloatArray]:
    """Percentile limits from rows drawn by index."""
    generator = np.random.default_rng(1)
    draws = []
    for _ in range(resamples):
        rows = generator.integers(0, len(label), len(label))
        draws.append(by_comparison(scores[rows], label[rows]))
    low, high = np.percentile(np.array(draws), [2.5, 97.5], axis=0)
    return low, high


def our_bands(
    scores: FloatArray, label: FloatArray, unit: NDArray[np.intp] | None = None
) -> tuple[FloatArray, FloatArray]:
    """Percentile limits and simultaneous bands of every model, from joint cells."""
    models = np.atleast_2d(scores)
    sample = binary_sample(models, label, thresholds=THRESHOLDS, unit=unit)
    shares = draw_binary(sample, np.random.default_rng(1), resamples=RESAMPLES)
    draws = decision.net_benefit(shares, thresholds=THRESHOLDS)
    point = decision.binary_shares(models, label, thresholds=THRESHOLDS)
    sup_t_band(decision.net_benefit(point, thresholds=THRESHOLDS), draws, confidence=0.95)
    return percentile_interval(draws, confidence=0.95)


def seconds(work: Callable[[], object], *, repeats: int = 3) -> float:
    """Return the least time of several runs."""
    times = []
    for _ in range(repeats):
        start = time.perf_counter()
        work()
        times.append(time.perf_counter() - start)
    return min(times)


def data(n: int) -> tuple[FloatArray, FloatArray, NDArray[np.intp]]:
    """Draw three correlated scores, a label and a unit of about four rows a patient."""
    generator = np.random.default_rng(n)
    predictor = generator.normal(-1.5, 1.3, n)
    label = (generator.random(n) < 1 / (1 + np.exp(-predictor))).astype(np.float64)
    noise = generator.normal(0, 0.5, (3, n))
    noise[0] = 0
    _, unit = np.unique(generator.integers(0, n // 4, n), return_inverse=True)
    return 1 / (1 + np.exp(-predictor - noise)), label, unit.astype(np.intp)


def check_values(scores: FloatArray, label: FloatArray) -> None:
    """Stop if the ways differ; no score meets a threshold here, so that > and >= agree."""
    expected = by_confusion_matrices(scores, label)
    np.testing.assert_allclose(by_comparison(scores, label), expected, rtol=0, atol=1e-12)
    np.testing.assert_allclose(ours(scores, label), expected, rtol=0, atol=1e-12)


def check_bands(scores: FloatArray, label: FloatArray, resamples: int) -> None:
    """Stop if the limits differ by more than resampling noise, five errors of a percentile."""
    theirs = bands_of_the_article(scores, label, resamples)
    error = (theirs[1] - theirs[0]) / 3.92
    # The standard error of a 2.5 % percentile of normal draws is 2.67 sd / sqrt(B).
    allowed = 5 * 2.67 * error * np.sqrt(1 / resamples + 1 / RESAMPLES) + 3 / len(label)
    for mine, other in zip(our_bands(scores, label), theirs, strict=True):
        far = np.abs(mine[0] - other) > allowed
        if far.any():
            raise SystemExit(f"bands differ at thresholds {THRESHOLDS[far]}")


def compared(n: int) -> list[tuple[str, float, float]]:
    """Return what was compared at this size, with the seconds of theirs and of ours."""
    scores, label, unit = data(n)
    first, few = scores[0], TIMED_RESAMPLES[n]
    check_values(first, label)
    if n <= 10_000:
        check_bands(first, label, 400)
    curve = seconds(partial(ours, first, label))
    drawn = seconds(partial(bands_of_the_article, first, label, few), repeats=1)
    drawn *= RESAMPLES / few
    return [
        (
            "curve, against confusion matrices",
            seconds(partial(by_confusion_matrices, first, label), repeats=1),
            curve,
        ),
        ("curve, against comparison", seconds(partial(by_comparison, first, label)), curve),
        ("bands, one model", drawn, seconds(partial(our_bands, first, label))),
        ("bands, three paired models", 3 * drawn, seconds(partial(our_bands, scores, label))),
        ("bands, 4 rows a unit", drawn, seconds(partial(our_bands, first, label, unit))),
    ]


def main() -> None:
    """Print times in milliseconds and ratios, one line a comparison and size."""
    line = "{:>8} {:<34} {:>12} {:>12} {:>8}\n".format
    sys.stdout.write(line("rows", "what", "theirs ms", "ours ms", "ratio"))
    for n in SIZES:
        for what, theirs, mine in compared(n):
            row = (f"{1000 * theirs:.3f}", f"{1000 * mine:.3f}", f"{theirs / mine:.0f}")
            sys.stdout.write(line(f"{n:,}", what, *row))


if __name__ == "__main__":
    main()
