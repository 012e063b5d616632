"""Area under the ROC curve against scikit-learn and a count over all pairs."""

from __future__ import annotations

import math

import numpy as np
import pytest
from sklearn.metrics import roc_auc_score

from reportgen.stats.roc import FloatArray, area_and_variance, logit_interval


def _data(n: int, seed: int) -> tuple[np.ndarray[tuple[int], np.dtype[np.bool_]], FloatArray]:
    rng = np.random.default_rng(seed)
    positive = rng.random(n) < 0.3
    return positive, np.round(rng.normal(size=n) + positive, 1)  # rounded, so that there are ties


def _delong(positive: np.ndarray[tuple[int], np.dtype[np.bool_]], score: FloatArray) -> float:
    """Return DeLong's variance by counting every pair, as the paper writes it."""
    x, y = score[positive], score[~positive]
    kernel = np.array([[1.0 if a > b else 0.5 if a == b else 0.0 for b in y] for a in x])
    v10, v01 = kernel.mean(axis=1), kernel.mean(axis=0)
    return float(v10.var(ddof=1) / len(x) + v01.var(ddof=1) / len(y))


@pytest.mark.parametrize("seed", range(3))
def test_area_and_delong(seed: int) -> None:
    positive, score = _data(80, seed)
    area, variance = area_and_variance(positive, score, np.arange(80))
    assert area == pytest.approx(roc_auc_score(positive, score), abs=1e-14)
    assert variance == pytest.approx(_delong(positive, score), rel=1e-12)


def test_copies_within_patients_add_no_certainty() -> None:
    positive, score = _data(80, 1)
    alone = area_and_variance(positive, score, np.arange(80))
    copied = area_and_variance(np.tile(positive, 3), np.tile(score, 3), np.tile(np.arange(80), 3))
    assert copied == pytest.approx(alone, rel=1e-12)


def test_interval_on_the_logit_scale() -> None:
    limits = logit_interval(0.8, 0.05**2, confidence=0.95)
    assert limits is not None
    half = 1.959963984540054 * 0.05 / 0.16
    wanted = [1 / (1 + 0.25 * math.exp(half)), 1 / (1 + 0.25 * math.exp(-half))]
    assert limits == pytest.approx(wanted, abs=1e-12)
    assert logit_interval(1.0, 0.0, confidence=0.95) is None
    assert logit_interval(0.8, math.nan, confidence=0.95) is None


def test_one_class_is_refused_and_one_patient_has_no_variance() -> None:
    with pytest.raises(ValueError, match="positives and negatives"):
        area_and_variance(np.ones(3, dtype=bool), np.arange(3.0), np.arange(3))
    _, variance = area_and_variance(
        np.array([True, False, False]), np.array([0.9, 0.1, 0.2]), np.arange(3)
    )
    assert math.isnan(variance)
