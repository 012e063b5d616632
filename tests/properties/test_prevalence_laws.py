"""Laws that figures at another class mix obey, whatever the numbers."""

from __future__ import annotations

import math

import numpy as np
from hypothesis import assume, given
from hypothesis import strategies as st
from scipy.special import logit

from reportgen.stats import prevalence as figures
from reportgen.stats.prevalence_intervals import (
    curved_interval,
    likelihood_ratio_intervals,
    linear_interval,
    npv_from_ratio,
    precision_from_ratio,
)
from reportgen.stats.proportions import Proportion, ratio_score, wilson
from reportgen.stats.quantification import rogan_gladen

rates = st.floats(0.001, 0.999)
mixes = st.floats(1e-4, 1 - 1e-4)
EPS = 1e-9


@st.composite
def shares(draw: st.DrawFn, most: int = 300) -> Proportion:
    n = draw(st.integers(1, most))
    return Proportion(draw(st.integers(0, n)), n)


@given(rates, rates, mixes)
def test_logit_identities(se: float, sp: float, p: float) -> None:
    ppv, npv = float(figures.precision(se, sp, p)), float(figures.npv(se, sp, p))
    assert math.isclose(logit(ppv), logit(p) + math.log(se / (1 - sp)), abs_tol=1e-7)
    assert math.isclose(logit(npv), -logit(p) - math.log((1 - se) / sp), abs_tol=1e-7)
    assert math.isclose(ppv, float(precision_from_ratio(se / (1 - sp), p)), rel_tol=1e-9)
    assert math.isclose(npv, float(npv_from_ratio((1 - se) / sp, p)), rel_tol=1e-9)


@given(st.floats(0, 1), st.floats(0, 1), mixes)
def test_natural_frequencies_add_up_and_lose_no_kind(se: float, sp: float, p: float) -> None:
    found = figures.natural_frequencies(se, sp, p)
    cells = (
        found.true_positives, found.false_negatives, found.false_positives, found.true_negatives
    )  # fmt: skip
    shares = (se * p, (1 - se) * p, (1 - sp) * (1 - p), sp * (1 - p))
    assert sum(cells) == found.of
    for cell, share in zip(cells, shares, strict=True):
        assert abs(cell - found.of * share) <= 1 + 1e-6
        assert cell >= 0
        if share > 1e-7:
            assert cell > 0
        if share == 0:
            assert cell == 0
    if min(share for share in shares if share) >= 0.005:
        assert found.of == 1000


@given(rates, rates, mixes, mixes)
def test_precision_rises_and_npv_falls_with_prevalence(
    se: float, sp: float, one: float, other: float
) -> None:
    low, high = sorted((one, other))
    assert figures.precision(se, sp, low) <= figures.precision(se, sp, high) + EPS
    assert figures.npv(se, sp, low) + EPS >= figures.npv(se, sp, high)


@given(st.integers(0, 400), st.integers(0, 400), st.integers(0, 400), st.integers(0, 400))
def test_at_the_sample_prevalence_the_counts_come_back(tp: int, fn: int, fp: int, tn: int) -> None:
    assume(tp + fn and fp + tn)
    n = tp + fn + fp + tn
    se, sp, p = tp / (tp + fn), tn / (tn + fp), (tp + fn) / n
    for name, top, bottom in (
        ("precision", tp, tp + fp),
        ("npv", tn, tn + fn),
        ("accuracy", tp + tn, n),
        ("f1", 2 * tp, 2 * tp + fp + fn),
        ("selection_rate", tp + fp, n),
    ):
        value = float(getattr(figures, name)(se, sp, p))
        if bottom == 0:
            assert math.isnan(value)
        else:
            assert math.isclose(value, top / bottom, rel_tol=1e-12, abs_tol=1e-15)


@given(rates, rates, mixes)
def test_swapping_the_classes_swaps_the_predictive_values(se: float, sp: float, p: float) -> None:
    assert math.isclose(
        float(figures.precision(se, sp, p)), float(figures.npv(sp, se, 1 - p)), rel_tol=1e-9
    )
    for name in ("accuracy", "mcc", "kappa"):
        function = getattr(figures, name)
        assert math.isclose(
            float(function(se, sp, p)), float(function(sp, se, 1 - p)), abs_tol=1e-9
        )


@given(shares(), shares(), mixes)
def test_swapping_the_classes_swaps_the_intervals(se: Proportion, sp: Proportion, p: float) -> None:
    positive, negative = likelihood_ratio_intervals(se, sp, confidence=0.95)
    swapped, _ = likelihood_ratio_intervals(sp, se, confidence=0.95)
    np.testing.assert_allclose(
        npv_from_ratio(negative, p)[::-1], precision_from_ratio(swapped, 1 - p), atol=1e-7
    )
    assert positive[0] <= positive[1]


@given(rates, rates, rates, mixes)
def test_f1_mcc_and_kappa_rise_with_either_rate(a: float, b: float, other: float, p: float) -> None:
    # what the propagated intervals rest on
    low, high = sorted((a, b))
    for function in figures.CURVED.values():
        assert function(low, other, p) <= function(high, other, p) + EPS
        assert function(other, low, p) <= function(other, high, p) + EPS


@given(shares(), shares(), mixes, st.sampled_from([0.8, 0.95, 0.99]))
def test_every_interval_holds_its_estimate(
    se: Proportion, sp: Proportion, p: float, confidence: float
) -> None:
    positive, negative = likelihood_ratio_intervals(se, sp, confidence=confidence)
    pairs = [
        (figures.precision(se.value, sp.value, p), precision_from_ratio(positive, p)),
        (figures.npv(se.value, sp.value, p), npv_from_ratio(negative, p)[::-1]),
    ]
    for name, function in figures.CURVED.items():
        interval = curved_interval(name, se, sp, p, confidence=confidence)
        pairs.append((function(se.value, sp.value, p), np.array(interval)))
    for linear in figures.linear_figures(p, threshold=0.2).values():
        limits = linear_interval(linear, se, sp, confidence=confidence)
        pairs.append((linear.value(se.value, sp.value), np.array(limits)))
    for value, (low, high) in pairs:
        if not np.isnan(value):
            slack = EPS * max(1.0, abs(float(value)))
            assert low - slack <= value <= high + slack


@given(shares(), shares())
def test_a_higher_confidence_holds_the_lower_one(top: Proportion, bottom: Proportion) -> None:
    narrow, wide = (ratio_score(top, bottom, confidence=c) for c in (0.8, 0.95))
    assert wide[0] <= narrow[0] * (1 + EPS)
    assert wide[1] >= narrow[1] * (1 - EPS)
    narrow, wide = (wilson(top, confidence=c) for c in (0.8, 0.95))
    assert wide[0] <= narrow[0]
    assert narrow[1] <= wide[1]


@given(rates, rates, mixes)
def test_rogan_gladen_undoes_the_selection_rate(se: float, sp: float, p: float) -> None:
    assume(abs(se + sp - 1) > 0.01)
    apparent = figures.selection_rate(se, sp, p)
    assert math.isclose(float(rogan_gladen(apparent, se, sp)), p, abs_tol=1e-9)


@given(rates, rates, mixes)
def test_the_per_thousand_figures_add_up(se: float, sp: float, p: float) -> None:
    linear = figures.linear_figures(p)
    value = {name: float(figure.value(se, sp)) for name, figure in linear.items()}
    assert math.isclose(
        value["true_positives_per_1000"] + value["false_alarms_per_1000"],
        value["flagged_per_1000"],
        abs_tol=1e-8,
    )
    assert math.isclose(
        value["true_positives_per_1000"] + value["missed_per_1000"], 1000 * p, abs_tol=1e-8
    )
