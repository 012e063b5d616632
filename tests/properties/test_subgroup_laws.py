"""Laws of subgroup figures and gaps, on small tables full of ties and shared patients."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from reportgen.stats.subgroups.draws import patient_draws
from reportgen.stats.subgroups.gaps import Gap, compare, gap_draws
from reportgen.stats.subgroups.metrics import FIGURES, group_figures
from reportgen.stats.subgroups.multiplicity import benjamini_hochberg, holm
from reportgen.stats.subgroups.parity import rate_gap
from reportgen.stats.subgroups.resampling import METRICS, resample
from reportgen.stats.subgroups.study import Pair, Study, arrange

Ints = NDArray[np.intp]
RANKING = "auc"


@dataclass(frozen=True)
class Rows:
    """A table of few patients in two groups; scores in eighths, never 0 or 1."""

    positive: NDArray[np.bool_]
    score: NDArray[np.float64]
    level: Ints
    patient: Ints

    @property
    def study(self) -> Study:
        return arrange(self.positive, self.score, self.level, self.patient, n_levels=2)

    def take(self, rows: Ints) -> Rows:
        return Rows(self.positive[rows], self.score[rows], self.level[rows], self.patient[rows])


@st.composite
def tables(draw: st.DrawFn, largest: int = 24) -> Rows:
    n = draw(st.integers(4, largest))

    def ints(low: int, high: int) -> Ints:
        return np.array(draw(st.lists(st.integers(low, high), min_size=n, max_size=n)))

    return Rows(ints(0, 1) == 1, ints(1, 7) / 8, ints(0, 1), ints(0, n // 2))


def comparison(
    study: Study, metric: str, *, swapped: bool = False
) -> tuple[Gap, NDArray[np.float64]]:
    """Return the gap of group 1 to group 0 (or the reverse) and its draws, from fixed seeds."""
    pair = Pair(metric, 0, 1) if swapped else Pair(metric, 1, 0)
    draws = patient_draws(study, np.random.default_rng(1), resamples=40)
    resampled = resample(study, draws, thresholds=[0.5])
    own, other = (
        group_figures(study, level, threshold=0.5)[metric] for level in (pair.group, pair.reference)
    )
    rng = np.random.default_rng(2)
    gap = compare(study, pair, own, other, resampled, rng, permutations=39)
    return gap, gap_draws(resampled, pair)


def assert_same_figures(one: Study, other: Study, names: tuple[str, ...] = FIGURES) -> None:
    for level in (None, 0, 1):
        first, second = (group_figures(s, level, threshold=0.5) for s in (one, other))
        for name in names:
            np.testing.assert_array_equal(first[name].value, second[name].value)
            np.testing.assert_array_equal(first[name].variance, second[name].variance)
            assert first[name].reason == second[name].reason


@settings(deadline=None, max_examples=30)
@given(tables(), st.sampled_from(METRICS))
def test_row_order_and_patient_names_change_no_bit(rows: Rows, metric: str) -> None:
    order = np.random.default_rng(len(rows.score)).permutation(len(rows.score))
    names = np.random.default_rng(7).permutation(1000)
    other = replace(rows.take(order), patient=names[rows.patient[order]])
    assert_same_figures(rows.study, other.study)
    (gap, drawn), (again, redrawn) = (comparison(r.study, metric) for r in (rows, other))
    np.testing.assert_array_equal(drawn, redrawn)
    assert repr(gap) == repr(again)


@settings(deadline=None, max_examples=30)
@given(tables())
def test_a_rising_map_of_the_scores_leaves_the_ranking_alone(rows: Rows) -> None:
    mapped = replace(rows, score=np.exp(3 * rows.score) - 40)
    assert_same_figures(rows.study, mapped.study, (RANKING,))
    (gap, drawn), (again, redrawn) = (ranked(r.study) for r in (rows, mapped))
    np.testing.assert_array_equal(drawn, redrawn)
    assert repr(gap) == repr(again)


def ranked(study: Study) -> tuple[Gap, NDArray[np.float64]]:
    pair = Pair(RANKING, 1, 0)
    draws = patient_draws(study, np.random.default_rng(1), resamples=40)
    resampled = resample(study, draws, thresholds=[0.5], probability=False)
    own, other = (
        group_figures(study, level, threshold=0.5, probability=False)[RANKING] for level in (1, 0)
    )
    rng = np.random.default_rng(2)
    gap = compare(study, pair, own, other, resampled, rng, permutations=39)
    return gap, gap_draws(resampled, pair)


@settings(deadline=None, max_examples=30)
@given(tables(), st.sampled_from(METRICS))
def test_exchanging_group_and_reference_changes_the_sign_alone(rows: Rows, metric: str) -> None:
    study = rows.study
    (gap, drawn), (other, redrawn) = (comparison(study, metric, swapped=s) for s in (False, True))
    assert_mirrored(gap, other)
    np.testing.assert_array_equal(drawn, -redrawn)
    np.testing.assert_allclose(gap.test.p, other.test.p, rtol=1e-9)
    np.testing.assert_allclose(gap.drawn.low, -other.drawn.high, atol=1e-12)


@settings(deadline=None, max_examples=30)
@given(tables(), st.sampled_from(METRICS))
def test_a_group_relabelled_swaps_the_sign(rows: Rows, metric: str) -> None:
    renamed = replace(rows, level=1 - rows.level)
    (gap, drawn), (other, redrawn) = (comparison(r.study, metric) for r in (rows, renamed))
    assert_mirrored(gap, other)
    if np.diff(np.bincount(rows.level, minlength=2)):  # groups that can be told apart
        np.testing.assert_array_equal(drawn, -redrawn)
        np.testing.assert_allclose(gap.test.p, other.test.p, rtol=1e-9)


def assert_mirrored(gap: Gap, other: Gap) -> None:
    np.testing.assert_allclose(gap.value, -other.value, atol=1e-15)
    for mine, theirs in ((gap.interval, other.interval), (gap.equivalence, other.equivalence)):
        np.testing.assert_allclose(mine.low, -theirs.high, atol=1e-12)
        np.testing.assert_allclose(mine.high, -theirs.low, atol=1e-12)
    np.testing.assert_allclose(gap.standard_error, other.standard_error, atol=1e-14)
    assert gap.shared_patients == other.shared_patients


@settings(deadline=None, max_examples=30)
@given(tables(), st.integers(2, 4))
def test_repeating_every_image_moves_no_patient_level_interval(rows: Rows, times: int) -> None:
    """Every image several times under its patient: nothing new is known (catalogue D42)."""
    again = rows.take(np.repeat(np.arange(len(rows.score)), times))
    for level in (None, 0, 1):
        one, many = (group_figures(r.study, level, threshold=0.5) for r in (rows, again))
        for name in FIGURES:
            # A regression is solved to 1e-10 only; all else is exact.
            small = 1e-7 if name.startswith("calibration") else 1e-12
            np.testing.assert_allclose(one[name].value, many[name].value, atol=small)
            first, second = one[name].limits(0.95), many[name].limits(0.95)
            if not first.reason and not second.reason:
                ends = np.array([(one.low, one.high) for one in (first, second)])
                np.testing.assert_allclose(ends[0], ends[1], atol=max(small, 1e-9), err_msg=name)
    found = [drawn_metrics(r.study) for r in (rows, again)]
    np.testing.assert_allclose(found[0], found[1], atol=1e-12)


def drawn_metrics(study: Study) -> NDArray[np.float64]:
    draws = patient_draws(study, np.random.default_rng(1), resamples=40)
    resampled = resample(study, draws, thresholds=[0.5])
    return np.array([resampled.draws_of(name, model=0, level=0) for name in METRICS])


@settings(deadline=None, max_examples=30)
@given(tables(), st.sampled_from(FIGURES))
def test_the_estimate_lies_in_its_interval(rows: Rows, name: str) -> None:
    for level in (None, 0, 1):
        figure = group_figures(rows.study, level, threshold=0.5)[name]
        narrow, wide = figure.limits(0.8), figure.limits(0.99)
        if not wide.reason:
            assert wide.low <= narrow.low <= figure.value + 1e-12
            assert figure.value - 1e-12 <= narrow.high <= wide.high


@settings(deadline=None, max_examples=30)
@given(tables())
def test_influences_sum_to_nothing_and_figures_stay_in_range(rows: Rows) -> None:
    for level in (None, 0, 1):
        for name, figure in group_figures(rows.study, level, threshold=0.5).items():
            assert abs(figure.influence.sum()) < 1e-7
            assert bool(figure.reason) or not math.isnan(figure.value)
            if not name.startswith("calibration"):
                assert math.isnan(figure.value) or 0 <= figure.value <= 1


@given(st.lists(st.floats(0, 1), max_size=12))
def test_adjusted_p_values_keep_the_order_and_bounds(p: list[float]) -> None:
    adjust: Callable[[list[float]], NDArray[np.float64]]
    for adjust in (holm, benjamini_hochberg):
        adjusted = adjust(p)
        assert (adjusted >= np.array(p) - 1e-12).all()
        assert (adjusted <= 1).all()
        assert (np.diff(adjusted[np.argsort(p, kind="stable")]) >= -1e-12).all()
    assert (holm(p) >= benjamini_hochberg(p) - 1e-12).all()


@settings(max_examples=50)
@given(st.lists(st.one_of(st.floats(0, 1), st.just(math.nan)), min_size=1, max_size=8))
def test_the_largest_gap_bounds_every_pair(rates: list[float]) -> None:
    found = rate_gap(np.array(rates))
    known = [rate for rate in rates if not math.isnan(rate)]
    assert len(found.left_out) == len(rates) - len(known)
    if len(known) >= 2:
        assert found.difference == max(known) - min(known)
        assert all(abs(a - b) <= found.difference for a in known for b in known)
