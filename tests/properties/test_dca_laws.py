"""Laws of decision curves, on data that nobody chose."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from reportgen.stats import decision, decision_errors
from reportgen.stats.bands import percentile_interval, sup_t_band
from reportgen.stats.decision import Shares
from reportgen.stats.decision_draws import (
    binary_sample,
    clustered_error,
    draw_binary,
    draw_survival,
    support,
)
from reportgen.stats.resampling import IntArray

FloatArray = NDArray[np.float64]
THRESHOLDS = np.array([k / 20 for k in range(1, 20)])
TIGHT = 1e-10
law = settings(deadline=None, max_examples=60)
costly = settings(deadline=None, max_examples=15)


@dataclass(frozen=True)
class Rows:
    """A drawn table: scores of models, a label, a unit a row, and times for survival."""

    scores: FloatArray
    label: FloatArray
    unit: IntArray
    time: FloatArray

    def taken(self, rows: IntArray) -> Rows:
        """Return these rows, in this order."""
        return Rows(self.scores[:, rows], self.label[rows], self.unit[rows], self.time[rows])


@st.composite
def tables(draw: st.DrawFn, *, least: int = 2) -> Rows:
    """Draw scores with two decimals, so that ties with thresholds are common; both classes."""
    n = draw(st.integers(least, 40))
    models = draw(st.integers(1, 3))
    hundredths = st.lists(st.integers(0, 100), min_size=n, max_size=n)
    scores = np.array([draw(hundredths) for _ in range(models)]) / 100
    label = np.array(draw(st.lists(st.integers(0, 1), min_size=n, max_size=n)), dtype=float)
    label[:2] = 0, 1
    unit = np.array(draw(st.lists(st.integers(0, n // 2), min_size=n, max_size=n)))
    _, unit = np.unique(unit, return_inverse=True)
    time = np.array(draw(st.lists(st.integers(1, 30), min_size=n, max_size=n)), dtype=float)
    return Rows(scores, label, unit.astype(np.intp), time)


def shares_of(rows: Rows) -> Shares:
    return decision.binary_shares(rows.scores, rows.label, thresholds=THRESHOLDS)


def benefit_of(shares: Shares) -> FloatArray:
    return decision.net_benefit(decision.with_defaults(shares), thresholds=THRESHOLDS)


def drawn(rows: Rows, *, clustered: bool, seed: int = 7) -> Shares:
    unit = rows.unit if clustered else None
    sample = binary_sample(rows.scores, rows.label, thresholds=THRESHOLDS, unit=unit)
    return draw_binary(sample, np.random.default_rng(seed), resamples=60)


def equal(first: Shares, second: Shares) -> bool:
    return all(
        np.array_equal(getattr(first, name), getattr(second, name), equal_nan=True)
        for name in ("true_positive", "false_positive", "prevalence")
    )


@law
@given(tables(), st.booleans(), st.randoms(use_true_random=False))
def test_row_order_changes_nothing(rows: Rows, clustered: bool, random: object) -> None:
    order = np.arange(len(rows.label))
    random.shuffle(order)  # type: ignore[attr-defined]
    other = rows.taken(order)
    assert equal(shares_of(rows), shares_of(other))
    first, second = drawn(rows, clustered=clustered), drawn(other, clustered=clustered)
    assert equal(first, second)
    low, high = percentile_interval(benefit_of(first), confidence=0.95)
    low_other, high_other = percentile_interval(benefit_of(second), confidence=0.95)
    assert np.array_equal(low, low_other)
    assert np.array_equal(high, high_other)
    curve = benefit_of(shares_of(rows))
    band = sup_t_band(curve, benefit_of(first), confidence=0.95)
    again = sup_t_band(benefit_of(shares_of(other)), benefit_of(second), confidence=0.95)
    assert np.array_equal(band.low, again.low)
    assert np.array_equal(band.critical, again.critical, equal_nan=True)


@costly
@given(tables(), st.randoms(use_true_random=False))
def test_row_order_changes_nothing_with_survival(rows: Rows, random: object) -> None:
    order = np.arange(len(rows.label))
    random.shuffle(order)  # type: ignore[attr-defined]
    results = [
        draw_survival(
            one.scores,
            one.time,
            one.label,
            at=10.0,
            thresholds=THRESHOLDS,
            unit=one.unit,
            generator=np.random.default_rng(5),
            resamples=20,
        )
        for one in (rows, rows.taken(order))
    ]
    assert equal(*results)


@law
@given(tables())
def test_names_of_units_change_nothing(rows: Rows) -> None:
    renamed = Rows(rows.scores, rows.label, rows.unit.max() - rows.unit, rows.time)
    assert equal(drawn(rows, clustered=True), drawn(renamed, clustered=True))


@law
@given(tables())
def test_doubled_rows_keep_the_point_and_halve_the_variance(rows: Rows) -> None:
    n = len(rows.label)
    double = rows.taken(np.repeat(np.arange(n), 2))
    point, again = shares_of(rows), shares_of(double)
    assert equal(point, again)
    effect = decision_errors.influence(point, thresholds=THRESHOLDS)
    once = decision_errors.standard_error(point, effect, n=n)
    twice = decision_errors.standard_error(again, effect, n=2 * n)
    np.testing.assert_allclose(twice * np.sqrt(2), once, rtol=TIGHT, atol=TIGHT)


@law
@given(tables())
def test_doubled_rows_of_units_are_no_news(rows: Rows) -> None:
    double = rows.taken(np.repeat(np.arange(len(rows.label)), 2))
    assert equal(drawn(rows, clustered=True), drawn(double, clustered=True))
    errors = []
    for one in (rows, double):
        sample = binary_sample(one.scores, one.label, thresholds=THRESHOLDS, unit=one.unit)
        shares = decision.with_defaults(shares_of(one))
        effect = decision_errors.influence(shares, thresholds=THRESHOLDS)
        columns = np.arange(len(THRESHOLDS))
        errors.append(clustered_error(sample, effect, columns=columns))
    np.testing.assert_allclose(errors[0], errors[1], rtol=TIGHT, atol=TIGHT)
    counts = [
        support(one.scores, one.label == 1, one.label == 0, thresholds=THRESHOLDS, unit=one.unit)
        for one in (rows, double)
    ]
    assert np.array_equal(counts[0].false_negatives, counts[1].false_negatives)


@law
@given(tables())
def test_units_of_one_row_are_rows(rows: Rows) -> None:
    n = len(rows.label)
    alone = Rows(rows.scores, rows.label, np.arange(n)[::-1].copy(), rows.time)
    assert equal(drawn(alone, clustered=True), drawn(rows, clustered=False))
    sample = binary_sample(rows.scores, rows.label, thresholds=THRESHOLDS, unit=alone.unit)
    shares = decision.with_defaults(shares_of(rows))
    for target in (None, 0.07):
        effect = decision_errors.influence(shares, thresholds=THRESHOLDS, target=target)
        clustered = clustered_error(sample, effect, columns=np.arange(len(THRESHOLDS)))
        simple = decision_errors.standard_error(shares, effect, n=n)
        # Variances, as a root turns the rounding of a zero into 1e-9.
        np.testing.assert_allclose(clustered**2, simple**2, rtol=1e-9, atol=1e-12)


@law
@given(tables())
def test_flipped_labels_turn_benefit_into_interventions_avoided(rows: Rows) -> None:
    """With y' = 1 - y, score' = 1 - score and t' = 1 - t; away from ties, where >= turns to >."""
    scores = rows.scores * 0.9 + 0.0473  # no score meets a threshold now
    first = decision.binary_shares(scores, rows.label, thresholds=THRESHOLDS)
    flipped = decision.binary_shares(1 - scores, 1 - rows.label, thresholds=1 - THRESHOLDS)
    untreated = decision.net_benefit_untreated(first, thresholds=THRESHOLDS)
    treated = decision.net_benefit(flipped, thresholds=1 - THRESHOLDS)
    np.testing.assert_allclose(untreated, treated, rtol=0, atol=TIGHT)
    benefit = benefit_of(first)
    avoided = decision.interventions_avoided(benefit, benefit[-2], thresholds=THRESHOLDS)
    np.testing.assert_allclose(avoided[:-2] / 100, untreated, rtol=0, atol=TIGHT)


@law
@given(tables(), st.floats(0, 0.5))
def test_harm_shifts_the_curve_by_a_constant(rows: Rows, harm: float) -> None:
    shares = shares_of(rows)
    harms = np.full(len(rows.scores), harm)
    plain = decision.net_benefit(shares, thresholds=THRESHOLDS)
    shifted = decision.net_benefit(shares, thresholds=THRESHOLDS, harm=harms)
    np.testing.assert_allclose(plain - shifted, harm, rtol=0, atol=TIGHT)


@law
@given(tables())
def test_treating_all_crosses_zero_at_the_prevalence(rows: Rows) -> None:
    prevalence = rows.label.mean()
    shares = decision.binary_shares(rows.scores, rows.label, thresholds=[prevalence])
    benefit = decision.net_benefit(decision.with_defaults(shares), thresholds=[prevalence])
    assert abs(benefit[-2, 0]) < TIGHT
    everywhere = benefit_of(shares_of(rows))[-2]
    assert (everywhere[prevalence + 1e-9 < THRESHOLDS] < 0).all()
    assert (everywhere[prevalence - 1e-9 > THRESHOLDS] > 0).all()


@law
@given(tables())
def test_at_zero_everyone_is_treated(rows: Rows) -> None:
    shares = decision.binary_shares(rows.scores, rows.label, thresholds=[0.0])
    benefit = decision.net_benefit(decision.with_defaults(shares), thresholds=[0.0])
    np.testing.assert_allclose(benefit[:-1, 0], rows.label.mean(), rtol=TIGHT)


@law
@given(tables())
def test_the_own_prevalence_is_the_identity(rows: Rows) -> None:
    shares, n = shares_of(rows), len(rows.label)
    own = Fraction(int(rows.label.sum()), n)
    carried = decision.at_prevalence(shares, float(own))
    np.testing.assert_allclose(carried.true_positive, shares.true_positive, rtol=0, atol=TIGHT)
    np.testing.assert_allclose(carried.false_positive, shares.false_positive, rtol=0, atol=TIGHT)
    cut = decision.recalibrated_thresholds(THRESHOLDS, sample=own, target=float(own))
    assert np.array_equal(cut, THRESHOLDS)


@law
@given(tables(), st.integers(1, 99))
def test_prior_shift_identity(rows: Rows, percent: int) -> None:
    """NB at t and prevalence pi over pi equals NB at u in the sample over its prevalence."""
    target, own = percent / 100, Fraction(int(rows.label.sum()), len(rows.label))
    cut = decision.recalibrated_thresholds(THRESHOLDS, sample=own, target=target)
    sample = decision.binary_shares(rows.scores, rows.label, thresholds=cut)
    carried = decision.at_prevalence(sample, target)
    there = decision.net_benefit(carried, thresholds=THRESHOLDS) / target
    here = decision.net_benefit(sample, thresholds=cut) / float(own)
    np.testing.assert_allclose(there, here, rtol=TIGHT, atol=TIGHT)


@law
@given(tables())
def test_perfect_information_is_worth_something_and_never_less_than_nothing(rows: Rows) -> None:
    benefit = benefit_of(drawn(rows, clustered=False))
    value = decision.expected_value_of_perfect_information(benefit)
    assert (value >= 0).all()
    best = benefit.max(axis=1).mean(axis=0)
    np.testing.assert_allclose(best - value, benefit.mean(axis=0).max(axis=0), atol=TIGHT)


@costly
@given(tables(least=10))
def test_draws_agree_with_resampled_rows(rows: Rows) -> None:
    """Mean and spread of the shares are those of drawing units and counting their rows."""
    resamples = 1500
    sample = binary_sample(rows.scores, rows.label, thresholds=THRESHOLDS, unit=rows.unit)
    draws = draw_binary(sample, np.random.default_rng(3), resamples=resamples)
    generator, names = np.random.default_rng(4), np.unique(rows.unit)
    members = [np.flatnonzero(rows.unit == name) for name in names]
    column = 9
    expected = np.empty(resamples)
    for b in range(resamples):
        picked = np.concatenate([members[i] for i in generator.integers(0, len(names), len(names))])
        flagged = rows.scores[0, picked] >= THRESHOLDS[column]
        expected[b] = np.mean(flagged & (rows.label[picked] == 1))
    ours = draws.true_positive[:, 0, column]
    error = np.sqrt((ours.var() + expected.var()) / resamples)
    assert abs(ours.mean() - expected.mean()) <= 5 * error + 1e-12
