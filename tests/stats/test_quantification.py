"""Prevalence of unlabelled sets against published figures and the plain EM."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from reportgen.stats.proportions import Proportion, clopper_pearson
from reportgen.stats.quantification import (
    FloatArray,
    arrange,
    resample_unlabelled,
    rogan_gladen,
    rogan_gladen_interval,
    saerens,
)


def test_epir_examples(published_tests: dict[str, Any]) -> None:
    cases: list[dict[str, Any]] = published_tests["rogan_gladen"]
    assert len(cases) == 5
    for case in cases:
        apparent = Proportion(case["pos"], case["n"])
        # epiR takes sensitivity and specificity as known and maps the limits of the apparent one
        limits = clopper_pearson(apparent, confidence=0.95)
        found = 100 * rogan_gladen([apparent.value, *limits], case["se"], case["sp"])
        # epiR's intervals are Blaker's in some examples, hence half a unit more for the limits
        assert found[0] == pytest.approx(case["published_percent"][0], abs=0.5)
        assert found[1:] == pytest.approx(case["published_percent"][1:], abs=1.0)
        if "point" in case:
            assert found[0] == pytest.approx(case["point"], abs=5e-4)
            assert found[1:] == pytest.approx(case["clopper_pearson"], abs=5e-3)


def test_a_negative_value_is_not_cut() -> None:
    assert float(rogan_gladen(6 / 151, 0.964, 0.927)) == pytest.approx(-0.03733, abs=5e-6)
    assert math.isnan(rogan_gladen(0.3, 0.4, 0.6))


def test_lang_reiczigel_by_hand() -> None:
    # every sample so large that the adjustments vanish: the delta-method interval remains
    low, high = rogan_gladen_interval(
        Proportion(3e8, 1e9), Proportion(8e8, 1e9), Proportion(9e8, 1e9), confidence=0.95
    )
    p = 0.2 / 0.7
    variance = (0.3 * 0.7 + p**2 * 0.8 * 0.2 + (1 - p) ** 2 * 0.9 * 0.1) / 1e9 / 0.7**2
    half = 1.959963984540054 * math.sqrt(variance)
    assert (low, high) == pytest.approx((p - half, p + half), abs=1e-8)


def test_lang_reiczigel_is_wider_than_with_known_rates() -> None:
    apparent = Proportion(45, 150)
    limits = clopper_pearson(apparent, confidence=0.95)
    known = np.ptp(rogan_gladen(limits, 0.9, 0.9))
    low, high = rogan_gladen_interval(
        apparent, Proportion(36, 40), Proportion(36, 40), confidence=0.95
    )
    assert high - low > known


def test_lang_reiczigel_needs_a_test_better_than_chance() -> None:
    limits = rogan_gladen_interval(
        Proportion(3, 10), Proportion(3, 10), Proportion(6, 10), confidence=0.95
    )
    assert all(map(math.isnan, limits))


def _plain_em(probability: FloatArray, source: float, steps: int = 20_000) -> float:
    """Return the EM of Saerens et al., equations 2.9, iterated as they print it."""
    prior = source
    for _ in range(steps):
        first = prior / source * probability
        second = (1 - prior) / (1 - source) * (1 - probability)
        prior = float((first / (first + second)).mean())
    return prior


@pytest.mark.parametrize("source", [0.1, 0.3, 0.6])
def test_saerens_is_the_limit_of_the_em(source: float) -> None:
    probability = np.random.default_rng(1).beta(0.7, 1.2, size=300)
    wanted = _plain_em(probability, source)
    assert saerens(probability, source) == pytest.approx(wanted, abs=1e-9)


def test_saerens_counts_weights_as_repeated_rows() -> None:
    probability = np.array([0.1, 0.2, 0.7, 0.9])
    weight = np.array([3.0, 1.0, 2.0, 1.0])
    repeated = np.repeat(probability, weight.astype(int))
    assert saerens(probability, 0.4, weight=weight) == pytest.approx(saerens(repeated, 0.4))


def test_saerens_with_certain_predictions_counts_them() -> None:
    assert saerens(np.array([0.0, 1.0, 1.0, 0.0, 0.0]), 0.5) == pytest.approx(0.4, abs=1e-9)


def test_saerens_at_the_edges() -> None:
    assert saerens(np.full(9, 0.1), 0.5) == 0.0
    assert saerens(np.full(9, 0.9), 0.5) == 1.0
    assert math.isnan(saerens(np.full(9, 0.5), 0.5))
    with pytest.raises(ValueError, match="source prevalence"):
        saerens(np.full(9, 0.5), 1.0)


def test_resamples_do_not_depend_on_row_order() -> None:
    rng = np.random.default_rng(4)
    score, unit = rng.random(60), rng.integers(0, 20, size=60)
    _, unit = np.unique(unit, return_inverse=True)
    order = rng.permutation(60)
    renamed = rng.permutation(unit.max() + 1)[unit]
    found = []
    for rows in (arrange(score, unit), arrange(score[order], renamed[order])):
        draws = resample_unlabelled(
            rows, [0.3, 0.6], np.full(50, 0.4), rng=np.random.default_rng(7), resamples=50
        )
        assert draws.likelihood is not None
        found.append(np.column_stack([draws.apparent, draws.likelihood]))
    np.testing.assert_array_equal(found[0], found[1])


def test_kish_effective_size() -> None:
    rows = arrange(np.arange(6.0), np.array([0, 0, 0, 0, 1, 1]))
    assert rows.effective_size == pytest.approx(36 / 20)
    assert arrange(np.arange(6.0), np.arange(6)).effective_size == 6


def test_rows_of_one_score_are_counted_together() -> None:
    score = np.array([0.2, 0.7, 0.2, 0.5, 0.2])
    rows = arrange(score, np.array([0, 1, 1, 2, 2]))
    assert (rows.n_rows, rows.n_units) == (5, 3)
    assert rows.flagged_share(0.5) == pytest.approx(2 / 5)
    assert rows.saerens(0.4) == pytest.approx(saerens(score, 0.4), abs=1e-12)
    with pytest.raises(ValueError, match="no rows"):
        arrange(np.empty(0), np.empty(0, dtype=np.intp))


def test_units_are_drawn_whole() -> None:
    """Two units of three rows, one flagged whole: the share is k / 2 with k binomial."""
    rows = arrange(np.array([0.9, 0.8, 0.7, 0.1, 0.2, 0.3]), np.array([0, 0, 0, 1, 1, 1]))
    draws = resample_unlabelled(
        rows, [0.5], None, rng=np.random.default_rng(2), resamples=20_000
    ).apparent[:, 0]
    shares = [float((draws == wanted).mean()) for wanted in (0.0, 0.5, 1.0)]
    # five Monte-Carlo errors of a share of one half
    assert shares == pytest.approx([0.25, 0.5, 0.25], abs=5 * 0.5 / np.sqrt(20_000))


def test_blocks_keep_the_source_of_each_resample() -> None:
    """With one score the estimate is 0 or 1 by which side of its source it lies."""
    source = np.where(np.arange(40) % 3 == 0, 0.2, 0.8)
    rows = arrange(np.full(50_000, 0.5), np.arange(50_000))
    wide = arrange(np.linspace(0.4, 0.6, 60_000), np.arange(60_000))
    for one in (rows, wide):
        draws = resample_unlabelled(
            one, [0.5], source, rng=np.random.default_rng(3), resamples=len(source)
        )
        assert draws.likelihood is not None
        assert (draws.likelihood == np.where(source == 0.2, 1.0, 0.0)).all()
