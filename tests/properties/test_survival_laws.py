"""Laws of survival shares, counts and errors, on small cohorts full of ties."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from reportgen.stats.decision import Shares
from reportgen.stats.survival import survival_counts, survival_shares
from reportgen.stats.survival_influence import survival_influence, survival_net_benefit_se

Floats = NDArray[np.float64]
THRESHOLDS = np.array([0.5, 0.0, 0.25, 0.75, 0.9])
HORIZON = 4.0
PATIENT = settings(deadline=None)


@dataclass(frozen=True)
class Cohort:
    scores: Floats
    time: Floats
    event: NDArray[np.int64]

    @property
    def n(self) -> int:
        return self.time.size

    def shares(self, weights: NDArray[np.number] | None = None) -> Shares:
        return survival_shares(
            self.scores,
            self.time,
            self.event,
            at=HORIZON,
            thresholds=THRESHOLDS,
            weights=weights,
        )

    def take(self, rows: NDArray[np.intp]) -> Cohort:
        return Cohort(self.scores[:, rows], self.time[rows], self.event[rows])

    def relabelled(self, event: NDArray[np.int64]) -> Cohort:
        return Cohort(self.scores, self.time, event)


@st.composite
def cohorts(draw: st.DrawFn, largest: int = 14) -> Cohort:
    """Two models; whole times up to 6 around the horizon 4, scores in eighths."""
    n = draw(st.integers(1, largest))
    whole = st.lists(st.integers(0, 8), min_size=n, max_size=n)
    scores = np.array([draw(whole), draw(whole)]) / 8
    time = draw(st.lists(st.integers(0, 6), min_size=n, max_size=n))
    event = draw(st.lists(st.sampled_from([0, 1, 2]), min_size=n, max_size=n))
    return Cohort(scores, np.array(time, float), np.array(event))


def assert_same(one: Shares, other: Shares) -> None:
    for name in ("true_positive", "false_positive", "prevalence"):
        np.testing.assert_allclose(getattr(one, name), getattr(other, name), atol=1e-12, rtol=0)


@PATIENT
@given(cohorts(), st.data())
def test_whole_weights_are_replicated_rows(cohort: Cohort, data: st.DataObject) -> None:
    weight = st.lists(st.integers(0, 3), min_size=cohort.n, max_size=cohort.n).filter(any)
    weights = np.array([data.draw(weight), data.draw(weight)])
    weighted = cohort.shares(weights)
    for b, row in enumerate(weights):
        replicated = cohort.take(np.repeat(np.arange(cohort.n), row)).shares()
        assert_same(
            Shares(weighted.true_positive[b], weighted.false_positive[b], weighted.prevalence[b]),
            replicated,
        )


@PATIENT
@given(cohorts(), st.floats(0.01, 100))
def test_a_common_factor_of_the_weights_does_not_matter(cohort: Cohort, factor: float) -> None:
    weighted = cohort.shares(np.full((1, cohort.n), factor))
    plain = cohort.shares()
    np.testing.assert_allclose(weighted.true_positive[0], plain.true_positive, atol=1e-12)
    np.testing.assert_allclose(weighted.prevalence[0], plain.prevalence, atol=1e-12)


@PATIENT
@given(cohorts(), st.data())
def test_the_order_of_rows_does_not_matter(cohort: Cohort, data: st.DataObject) -> None:
    order = np.array(data.draw(st.permutations(range(cohort.n))))
    assert_same(cohort.take(order).shares(), cohort.shares())


@PATIENT
@given(cohorts())
def test_without_competing_events_it_is_one_minus_kaplan_meier(cohort: Cohort) -> None:
    plain = cohort.relabelled(np.minimum(cohort.event, 1))
    product = 1.0
    for moment in range(int(HORIZON) + 1):
        at_risk = np.sum(plain.time >= moment)
        if at_risk:
            product *= 1 - np.sum((plain.time == moment) & (plain.event == 1)) / at_risk
    expected = 1 - product if product == 0 or plain.time.max() >= HORIZON else np.nan
    np.testing.assert_allclose(plain.shares().prevalence, expected, atol=1e-12)


@PATIENT
@given(cohorts())
def test_without_censoring_shares_are_plain_proportions(cohort: Cohort) -> None:
    event = np.where(cohort.event == 0, 1, cohort.event)
    shares = cohort.relabelled(event).shares()
    had = (event == 1) & (cohort.time <= HORIZON)
    flagged = cohort.scores[:, None] >= THRESHOLDS[:, None]
    np.testing.assert_allclose(shares.true_positive, (flagged & had).mean(axis=-1), atol=1e-12)
    np.testing.assert_allclose(shares.false_positive, (flagged & ~had).mean(axis=-1), atol=1e-12)
    np.testing.assert_allclose(shares.prevalence, had.mean(), atol=1e-12)
    counts = survival_counts(cohort.scores, cohort.time, event, at=HORIZON, thresholds=THRESHOLDS)
    np.testing.assert_array_equal(counts.true_positive, (flagged & had).sum(axis=-1))
    np.testing.assert_array_equal(counts.false_positive, (flagged & ~had).sum(axis=-1))
    np.testing.assert_array_equal(counts.false_negative, (~flagged & had).sum(axis=-1))


@PATIENT
@given(cohorts())
def test_true_and_false_positives_make_up_the_flagged(cohort: Cohort) -> None:
    shares = cohort.shares()
    flagged = (cohort.scores[:, None] >= THRESHOLDS[:, None]).mean(axis=-1)
    total = shares.true_positive + shares.false_positive
    known = ~np.isnan(total)
    np.testing.assert_allclose(total[known], flagged[known], atol=1e-12)
    assert (shares.true_positive[known] >= 0).all()
    assert (shares.false_positive[known] >= -1e-12).all()
    everyone = shares.true_positive[:, THRESHOLDS == 0].ravel()
    np.testing.assert_allclose(everyone, [shares.prevalence] * 2, atol=1e-12)


@PATIENT
@given(cohorts())
def test_the_two_causes_add_up_to_any_event(cohort: Cohort) -> None:
    one = cohort.shares().true_positive
    other = cohort.relabelled((3 - cohort.event) % 3).shares().true_positive
    either = cohort.relabelled(np.minimum(cohort.event, 1)).shares().true_positive
    np.testing.assert_allclose(one + other, either, atol=1e-12)


@PATIENT
@given(cohorts())
def test_what_happens_after_the_horizon_is_follow_up_only(cohort: Cohort) -> None:
    censored = np.where(cohort.time > HORIZON, 0, cohort.event)
    later = np.where(cohort.time > HORIZON, cohort.time + 100, cohort.time)
    assert_same(Cohort(cohort.scores, later, censored).shares(), cohort.shares())


@PATIENT
@given(cohorts())
def test_the_influence_is_the_derivative_in_the_weights(cohort: Cohort) -> None:
    influence = survival_influence(
        cohort.scores, cohort.time, cohort.event, at=HORIZON, thresholds=THRESHOLDS
    )
    step = 1e-5 * np.eye(cohort.n)
    up, down = cohort.shares(1 + step), cohort.shares(1 - step)
    for name in ("true_positive", "false_positive", "prevalence"):
        slope = (getattr(up, name) - getattr(down, name)) / 2e-5
        ours = getattr(influence, name)
        np.testing.assert_allclose(ours, np.moveaxis(slope, 0, -1), atol=1e-7, rtol=0)
        total = ours.sum(axis=-1)
        np.testing.assert_allclose(total[~np.isnan(total)], 0, atol=1e-12)


def errors(
    cohort: Cohort, unit: NDArray[np.intp] | None = None, **options: Any
) -> tuple[Floats, Floats]:
    result = survival_net_benefit_se(
        cohort.scores,
        cohort.time,
        cohort.event,
        at=HORIZON,
        thresholds=THRESHOLDS,
        unit=unit,
        **options,
    )
    return result.models, result.treat_all


@PATIENT
@given(cohorts())
def test_the_error_for_treat_all_is_greenwoods(cohort: Cohort) -> None:
    plain = cohort.relabelled(np.minimum(cohort.event, 1))
    free, total = 1.0, 0.0
    for moment in range(int(HORIZON) + 1):
        at_risk = np.sum(plain.time >= moment)
        events = np.sum((plain.time == moment) & (plain.event == 1))
        if 0 < events < at_risk:
            total += events / (at_risk * (at_risk - events))
        if at_risk:
            free *= 1 - events / at_risk
    expected = free * np.sqrt(total) / (1 - THRESHOLDS)
    if free > 0 and plain.time.max() < HORIZON:
        expected = np.full(THRESHOLDS.size, np.nan)
    _, treat_all = errors(plain)
    np.testing.assert_allclose(treat_all, expected, atol=1e-12)


@PATIENT
@given(cohorts())
def test_without_censoring_the_error_is_that_of_a_binary_net_benefit(cohort: Cohort) -> None:
    whole = cohort.relabelled(np.where(cohort.event == 0, 1, cohort.event))
    shares = whole.shares()
    odds = THRESHOLDS / (1 - THRESHOLDS)
    benefit = shares.true_positive - odds * shares.false_positive
    second = shares.true_positive + odds**2 * shares.false_positive
    models, _ = errors(whole)
    np.testing.assert_allclose(models**2, (second - benefit**2) / whole.n, atol=1e-12)


@PATIENT
@given(cohorts(), st.floats(0.05, 0.95))
def test_the_error_at_a_target_prevalence_is_that_of_the_derivative(
    cohort: Cohort, target: float
) -> None:
    cutoffs = np.array([0.3, 0.0, 0.125, 0.5, 0.8])
    step = 1e-5 * np.eye(cohort.n)
    weights = np.concatenate([1 + step, 1 - step])
    shares = survival_shares(
        cohort.scores, cohort.time, cohort.event, at=HORIZON, thresholds=cutoffs, weights=weights
    )
    assume(np.all((shares.prevalence > 0.01) & (shares.prevalence < 0.99)))
    own = shares.prevalence[:, None, None]
    benefit = shares.true_positive * target / own - (
        THRESHOLDS / (1 - THRESHOLDS) * shares.false_positive * (1 - target) / (1 - own)
    )
    slope = (benefit[: cohort.n] - benefit[cohort.n :]) / 2e-5
    models, treat_all = errors(cohort, cutoffs=cutoffs, target=target)
    expected = np.sqrt(np.sum(slope**2, axis=0))
    np.testing.assert_allclose(models, expected, rtol=1e-5, atol=1e-5)
    # Treating all needs no data once the prevalence is known.
    np.testing.assert_allclose(treat_all, 0, atol=1e-12)


@PATIENT
@given(cohorts())
def test_rows_repeated_within_a_unit_add_no_information(cohort: Cohort) -> None:
    twice = np.repeat(np.arange(cohort.n), 2)
    repeated = errors(cohort.take(twice), unit=twice)
    for ours, once, apart in zip(repeated, errors(cohort), errors(cohort.take(twice)), strict=True):
        np.testing.assert_allclose(ours, once, atol=1e-12)
        np.testing.assert_allclose(apart, once / np.sqrt(2), atol=1e-12)


@pytest.mark.parametrize("seed", range(6))
def test_leaving_out_one_row_at_a_time_gives_nearly_the_same_error(seed: int) -> None:
    """The jackknife differs from the influence by terms of order 1 / (number flagged)."""
    rng = np.random.default_rng(seed)
    n = 400
    time, event = rng.exponential(4, n), rng.choice([0, 1, 2], n, p=[0.3, 0.5, 0.2])
    cohort = Cohort(rng.uniform(size=(2, n)), time, event)
    left_out = cohort.shares(1 - np.eye(n))
    odds = THRESHOLDS / (1 - THRESHOLDS)
    benefit = left_out.true_positive - odds * left_out.false_positive
    jackknife = np.sqrt((n - 1) / n * np.sum((benefit - benefit.mean(axis=0)) ** 2, axis=0))
    models, _ = errors(cohort)
    flagged = np.count_nonzero(cohort.scores[:, None] >= THRESHOLDS[:, None], axis=-1)
    assert (np.abs(jackknife / models - 1) < 3 / flagged).all()
