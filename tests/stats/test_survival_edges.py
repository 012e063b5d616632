"""Survival shares where follow-up ends, at ties, in blocks, and with what does not fit."""

from __future__ import annotations

import tracemalloc
from typing import Any

import numpy as np
import pytest

from reportgen.stats import survival
from reportgen.stats.survival import survival_counts, survival_shares
from reportgen.stats.survival_influence import survival_net_benefit_se


def test_follow_up_that_ends_before_the_horizon() -> None:
    time = np.array([1.0, 2.0, 3.0, 5.0, 5.0, 5.0])
    score = np.array([[0.9, 0.9, 0.9, 0.1, 0.1, 0.1]])
    ends_censored = survival_shares(score, time, [1, 1, 0, 0, 0, 0], at=4, thresholds=[0.5, 0.95])
    assert np.isnan(ends_censored.true_positive[0, 0])
    assert np.isnan(ends_censored.false_positive[0, 0])
    assert ends_censored.true_positive[0, 1] == ends_censored.false_positive[0, 1] == 0
    assert ends_censored.prevalence == pytest.approx(1 / 3)
    ends_with_event = survival_shares(score, time, [0, 1, 1, 0, 0, 0], at=4, thresholds=[0.5])
    assert ends_with_event.true_positive[0, 0] == pytest.approx(0.5)
    competing = survival_shares(score, time, [1, 0, 2, 0, 0, 0], at=4, thresholds=[0.5])
    assert competing.true_positive[0, 0] == pytest.approx(1 / 6)
    nobody = survival_shares(score, time, [1, 1, 0, 0, 0, 0], at=6, thresholds=[0.05])
    assert np.isnan(nobody.prevalence)
    tied = survival_shares([[1.0, 1.0]], [2, 2], [1, 0], at=4, thresholds=[0.5])
    assert np.isnan(tied.prevalence)


def test_ties_at_the_horizon() -> None:
    """Events come before censorings at one time, and an event at the horizon counts."""
    shares = survival_shares([[1.0] * 4], [1, 2, 2, 3], [0, 1, 0, 1], at=2, thresholds=[0.5])
    assert shares.prevalence == pytest.approx(1 / 3)
    just_before = survival_shares(
        [[1.0] * 4], [1, 2, 2, 3], [0, 1, 0, 1], at=np.nextafter(2, 0), thresholds=[0.5]
    )
    assert just_before.prevalence == 0


def test_a_score_equal_to_the_threshold_is_flagged_and_at_zero_everyone_is() -> None:
    shares = survival_shares(
        [[0.3, 0.0, 0.1 + 0.2]],
        [1, 2, 3],
        [1, 1, 1],
        at=3,
        thresholds=[0.3, 0, 0.30000000000000004],
    )
    np.testing.assert_allclose(shares.true_positive, [[2 / 3, 1, 1 / 3]])


def test_counts_of_known_states() -> None:
    time = [1, 2, 2, 2, 3, 1, 2, 1]
    event = [1, 1, 0, 2, 1, 0, 1, 2]
    score = [[0.9, 0.9, 0.9, 0.9, 0.9, 0.9, 0.1, 0.1]]
    counts = survival_counts(score, time, event, at=2, thresholds=[0.5, 0, 0.95])
    np.testing.assert_array_equal(counts.true_positive, [[2, 3, 0]])
    np.testing.assert_array_equal(counts.false_negative, [[1, 0, 3]])
    # Censored at 2 and the event at 3 are free at 2, the competing events for good.
    np.testing.assert_array_equal(counts.false_positive, [[3, 4, 0]])


def test_blocks_of_resamples_do_not_show(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(11)
    time, event = rng.exponential(1, 60), rng.integers(0, 3, 60)
    scores = rng.uniform(size=(2, 60))
    weights = rng.multinomial(60, np.full(60, 1 / 60), size=70)
    arguments: dict[str, Any] = {"at": 1.0, "thresholds": [0.2, 0.9], "weights": weights}
    whole = survival_shares(scores, time, event, **arguments)
    monkeypatch.setattr(survival, "BLOCK_BYTES", 0)
    blocks = survival_shares(scores, time, event, **arguments)
    np.testing.assert_array_equal(whole.true_positive, blocks.true_positive)
    np.testing.assert_array_equal(whole.prevalence, blocks.prevalence)
    alone = survival_shares(scores, time, event, **{**arguments, "weights": weights[41:42]})
    np.testing.assert_array_equal(whole.false_positive[41:42], alone.false_positive)


def test_memory_does_not_grow_with_the_resamples(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(survival, "BLOCK_BYTES", 1_000_000)
    rng = np.random.default_rng(12)
    n = 2000
    time, event = rng.exponential(1, n), rng.integers(0, 2, n)

    def peak(resamples: int) -> int:
        weights = rng.integers(0, 3, (resamples, n), dtype=np.int8)
        tracemalloc.start()
        survival_shares([time], time, event, at=0.1, thresholds=[0.05, 0.1], weights=weights)
        _, most = tracemalloc.get_traced_memory()
        tracemalloc.stop()
        return most

    # All weights as floats at once would take 10 and 20 MB.
    assert peak(1280) < peak(640) + 1_000_000 < 6_000_000


@pytest.mark.parametrize(
    "change",
    [
        {"scores": [0.5, 0.5]},
        {"scores": [[0.5, 0.5, 0.5]]},
        {"scores": [[np.nan, 0.5]]},
        {"time": [1, -1]},
        {"time": [1, np.inf]},
        {"event": [0, 3]},
        {"event": [0, np.nan]},
        {"event": [0]},
        {"at": 0},
        {"at": np.inf},
        {"thresholds": []},
        {"thresholds": [np.nan]},
        {"weights": [1, 1]},
        {"weights": [[1, -1]]},
        {"weights": [[1, np.nan]]},
        {"weights": [[0, 0]]},
    ],
)
def test_what_does_not_fit_is_refused(change: dict[str, Any]) -> None:
    good: dict[str, Any] = {
        "scores": [[0.5, 0.5]],
        "time": [1, 2],
        "event": [0, 1],
        "at": 1,
        "thresholds": [0.5],
    }
    survival_shares(**good)
    with pytest.raises(ValueError):
        survival_shares(**{**good, **change})


def test_errors_refuse_a_threshold_of_one_and_units_that_do_not_fit() -> None:
    with pytest.raises(ValueError, match=r"\[0, 1\)"):
        survival_net_benefit_se([[0.5]], [1], [1], at=1, thresholds=[1])
    with pytest.raises(ValueError, match="target"):
        survival_net_benefit_se([[0.5]], [1], [1], at=1, thresholds=[0.5], target=1.0)
    with pytest.raises(ValueError, match="shape"):
        survival_net_benefit_se([[0.5]], [1], [1], at=1, thresholds=[0.5], cutoffs=[0.1, 0.2])
    with pytest.raises(ValueError, match="unit"):
        survival_net_benefit_se([[0.5]], [1], [1], at=1, thresholds=[0.5], unit=["a", "b"])
