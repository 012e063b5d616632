"""Base figures against fairlearn (Bird et al. 2020), where it is installed; and where it is wrong.

Frozen figures of fairlearn 0.15.0 stand in test_article_001; these compare with it on more data.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from reportgen.stats.robust.gaps import MEASURES, worst_gap
from reportgen.stats.robust.intervals import static_intervals
from reportgen.stats.robust.metrics import audit_sample


@pytest.fixture(scope="module")
def theirs() -> Any:
    return pytest.importorskip("fairlearn.metrics", reason="fairlearn, an oracle, is not installed")


def base(measure: str, score: Any, group: Any, positive: Any) -> float:
    sample = audit_sample(score, group, positive, threshold=0.5)
    return worst_gap(MEASURES[measure], sample, static_intervals(sample.score)).base


@pytest.mark.parametrize("n_groups", [2, 3, 5])
def test_gaps_of_decisions_are_those_of_fairlearn(theirs: Any, n_groups: int) -> None:
    rng = np.random.default_rng(n_groups)
    for _ in range(10):
        n = 60 * n_groups
        score, group = rng.random(n), rng.integers(0, n_groups, n)
        positive = rng.random(n) < 0.4
        given = {"y_true": positive, "y_pred": score >= 0.5, "sensitive_features": group}
        for ours, name, more in (
            ("demographic_parity", "demographic_parity_difference", {}),
            (
                "demographic_parity_overall",
                "demographic_parity_difference",
                {"method": "to_overall"},
            ),
            ("demographic_parity_ratio", "demographic_parity_ratio", {}),
            ("equalized_odds", "equalized_odds_difference", {}),
            ("equalized_odds_mean", "equalized_odds_difference", {"agg": "mean"}),
            ("equalized_odds_ratio", "equalized_odds_ratio", {}),
            ("equal_opportunity", "equal_opportunity_difference", {}),
        ):
            expected = getattr(theirs, name)(**given, **more)
            assert base(ours, score, group, positive) == pytest.approx(expected, abs=1e-12), ours


def test_a_group_without_positives_has_no_rate_but_0_at_fairlearn(theirs: Any) -> None:
    positive = np.array([1] * 10 + [0] * 10 + [0] * 20, dtype=bool)
    score = np.array([1.0] * 9 + [0.0] * 31)
    group = np.repeat([0, 1], 20)
    said = theirs.equalized_odds_difference(positive, score >= 0.5, sensitive_features=group)
    assert said == pytest.approx(0.9)
    sample = audit_sample(score, group, positive, threshold=0.5)
    gap = worst_gap(MEASURES["equalized_odds"], sample, static_intervals(sample.score))
    assert np.isnan(gap.base)
    assert gap.left_out == (1,)
