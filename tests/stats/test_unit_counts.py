"""Patients with several rows: counting and resampling."""

from __future__ import annotations

import numpy as np
import pytest

from reportgen.stats.bands import percentile_interval
from reportgen.stats.unit_counts import describe, effective_size, resample

POSITIVE = np.array([True, True, False, False, True, False])
SCORE = np.array([0.5, 0.2, 0.5, 0.1, 0.9, 0.7])
UNIT = np.array([0, 0, 1, 1, 2, 0])


def test_cells_by_hand() -> None:
    units = describe(POSITIVE, SCORE, UNIT, [0.5, 0.0])
    tp, fn, fp, tn = units.cells()
    assert tp.tolist() == [2, 3]
    assert fn.tolist() == [1, 0]
    assert fp.tolist() == [2, 3]
    assert tn.tolist() == [1, 0]
    assert (units.n_units, units.n_rows, units.clustered) == (3, 6, True)
    assert units.units_with() == (2, 2)
    assert units.fewest_units().tolist() == [1, 0]
    # positives 2 + 1, negatives 1 + 2: (3^2) / (4 + 1)
    assert units.effective_sizes() == pytest.approx((9 / 5, 9 / 5))


def test_one_row_a_patient_counts_in_full() -> None:
    units = describe(POSITIVE, SCORE, np.arange(6), [0.5])
    assert not units.clustered
    assert units.effective_sizes() == (3, 3)


def test_effective_size_by_hand() -> None:
    # two units of three rows and one of one: 7^2 / (9 + 9 + 1)
    assert effective_size([3, 1], [2, 1]) == pytest.approx(49 / 19)
    assert effective_size([0, 0], [2, 1]) == 0


def test_the_share_of_positives_is_that_of_the_rows() -> None:
    assert describe(POSITIVE, SCORE, UNIT, [0.5]).prevalence == pytest.approx(3 / 6)


def test_no_rows_are_refused() -> None:
    with pytest.raises(ValueError, match="no rows"):
        describe(np.empty(0, dtype=bool), np.empty(0), np.empty(0, dtype=np.intp), [0.5])


def test_resamples_do_not_depend_on_row_order_nor_on_names() -> None:
    rng = np.random.default_rng(3)
    positive, score = rng.random(90) < 0.4, rng.random(90)
    unit = np.repeat(np.arange(30), 3)
    order, renamed = rng.permutation(90), rng.permutation(30)[unit]
    found = []
    for p, s, u in ((positive, score, unit), (positive[order], score[order], renamed[order])):
        draws = resample(describe(p, s, u, [0.3, 0.6]), rng=np.random.default_rng(1), resamples=40)
        found.append(np.column_stack([draws.sensitivity, draws.specificity, draws.prevalence]))
    np.testing.assert_array_equal(found[0], found[1])


def test_bootstrap_se_is_the_linearised_cluster_se() -> None:
    rng = np.random.default_rng(5)
    size = rng.integers(1, 6, size=400)
    unit = np.repeat(np.arange(400), size)
    lean = np.repeat(rng.normal(size=400), size)
    positive = rng.random(len(unit)) < 0.5
    score = lean + rng.normal(size=len(unit))
    draws = resample(describe(positive, score, unit, [0.0]), rng=rng, resamples=4000)
    rows, hits = np.bincount(unit, positive), np.bincount(unit, positive & (score >= 0))
    rate = hits.sum() / rows.sum()
    linearised = np.sqrt(np.square(hits - rate * rows).sum()) / rows.sum()
    # the SE of an SD from 4,000 draws is 1.1 %; four of them, and 1 % for linearising
    assert draws.sensitivity.std() == pytest.approx(linearised, rel=0.055)


def test_undefined_draws_are_left_out_of_the_interval() -> None:
    draws = np.array([np.nan, *np.linspace(0, 1, 101)])
    assert percentile_interval(draws, confidence=0.9) == pytest.approx((0.05, 0.95))
    assert np.isnan(percentile_interval(np.array([np.nan]), confidence=0.9)).all()
