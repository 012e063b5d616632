"""Figures at another class mix against published values, and against counts of whole rows."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from scipy.stats.contingency import odds_ratio
from sklearn.metrics import cohen_kappa_score, f1_score, matthews_corrcoef

from reportgen.stats import prevalence as figures
from reportgen.stats.prevalence_intervals import (
    likelihood_ratio_intervals,
    linear_interval,
    mercaldo,
    npv_from_ratio,
    odds_ratio_interval,
    precision_from_ratio,
)
from reportgen.stats.proportions import Proportion


def _sides(case: dict[str, Any]) -> tuple[Proportion, Proportion]:
    return (
        Proportion(case["tp"], case["tp"] + case["fn"]),
        Proportion(case["tn"], case["tn"] + case["fp"]),
    )


def test_article_004(published_tests: dict[str, Any]) -> None:
    names = ("precision", "npv", "accuracy", "f1", "lift")
    for case in published_tests["seed_004"]:
        for name in names:
            value = float(getattr(figures, name)(0.8, 0.8, case["prevalence"]))
            assert value == pytest.approx(case[name], abs=1e-12)


def test_article_004_printed_values() -> None:
    assert figures.precision(0.8, 0.8, [0.9, 0.99, 0.1, 0.001]) == pytest.approx(
        [0.972973, 0.997481, 0.307692, 0.003988], abs=5e-7
    )
    assert float(figures.npv(0.8, 0.8, 0.001)) == pytest.approx(0.99975, abs=5e-6)
    assert float(figures.f1(0.8, 0.8, 0.001)) == pytest.approx(0.00794, abs=5e-6)
    assert figures.accuracy(0.8, 0.8, [0.001, 0.1, 0.5, 0.9, 0.99]) == pytest.approx(0.8)


def test_a_perfect_classifier_has_f1_of_one() -> None:
    # 2 TP / (TP + FP + FN), as article 004 has it, would be 2
    assert figures.f1(1, 1, [0.001, 0.5, 0.9]) == pytest.approx(1)


def test_negatives_needed_for_a_tenth_of_a_percent() -> None:
    # 100 positives at 0.1 % come with 99,900 negatives; article 004 says 99,990
    assert 100 / (100 + 99_900) == 0.001
    assert abs(100 / (100 + 99_990) - 0.001) > 1e-7
    rate = figures.selection_rate(1.0, 1.0, 0.001)
    assert float(rate) * (100 + 99_900) == pytest.approx(100)


def test_published_predictive_values(published_tests: dict[str, Any]) -> None:
    for case in published_tests["predictive_values_case_control"]:
        se, sp = _sides(case)
        if not case["method"].startswith("standard logit"):
            continue
        ppv, npv = mercaldo(se, sp, case["prevalence"], confidence=0.95)
        assert ppv is not None
        assert npv is not None
        point = float(figures.precision(se.value, sp.value, case["prevalence"]))
        assert (point, *ppv) == pytest.approx(case["ppv"], abs=6e-8)
        point = float(figures.npv(se.value, sp.value, case["prevalence"]))
        assert (point, *npv) == pytest.approx(case["npv"], abs=6e-8)


def test_score_interval_of_the_70_gene_signature(published_tests: dict[str, Any]) -> None:
    for case in published_tests["predictive_values_case_control"]:
        wanted = case.get("own_koopman_ppv_interval") or (
            case["ppv_interval"] if case["method"] == "score on LR+" else None
        )
        if wanted is None:
            continue
        positive, _ = likelihood_ratio_intervals(*_sides(case), confidence=0.95)
        found = precision_from_ratio(positive, case["prevalence"])
        assert found == pytest.approx(wanted, abs=1e-8)


def test_every_published_interval_overlaps_ours(published_tests: dict[str, Any]) -> None:
    # Bayes, delta, adjusted and skewness-corrected intervals are other methods: ours must be near
    for case in published_tests["predictive_values_case_control"]:
        positive, negative = likelihood_ratio_intervals(*_sides(case), confidence=0.95)
        ppv = precision_from_ratio(positive, case["prevalence"])
        npv = npv_from_ratio(negative, case["prevalence"])[::-1]
        for ours, key in ((ppv, "ppv"), (npv, "npv")):
            theirs = case.get(f"{key}_interval") or case.get(key, [None, *ours])[-2:]
            width = theirs[1] - theirs[0]
            assert np.abs(ours - theirs).max() <= 0.5 * width + 1e-12


def test_post_test_probability_after_a_negative(published_tests: dict[str, Any]) -> None:
    (case,) = published_tests["post_test"]
    after = 1 - float(figures.npv(case["se"], case["sp"], case["pretest"]))
    assert after == pytest.approx(case["exact"], abs=1e-15)


def test_few_negatives_against_a_balanced_plan() -> None:
    # notes: 500 + 500 at a false positive rate of .01 gives .074 (.033 to .158) at 0.1 %
    balanced, _ = likelihood_ratio_intervals(
        Proportion(400, 500), Proportion(495, 500), confidence=0.95
    )
    assert float(figures.precision(0.8, 0.99, 0.001)) == pytest.approx(0.074, abs=5e-4)
    balanced_limits = precision_from_ratio(balanced, 0.001)
    assert balanced_limits == pytest.approx([0.033, 0.158], abs=5e-4)
    # the same 1,000 as 50 + 950 give .078 with Mercaldo's .042 to .141, and a narrower interval
    se, sp = Proportion(40, 50), Proportion(941, 950)
    assert float(figures.precision(se.value, sp.value, 0.001)) == pytest.approx(0.078, abs=5e-4)
    skewed, _ = likelihood_ratio_intervals(se, sp, confidence=0.95)
    assert np.ptp(precision_from_ratio(skewed, 0.001)) < np.ptp(balanced_limits)
    logit_limits, _ = mercaldo(se, sp, 0.001, confidence=0.95)
    assert logit_limits == pytest.approx((0.042, 0.141), abs=5e-4)


@pytest.mark.parametrize(
    ("se", "sp", "ratio", "tolerance"),
    [(0.8, 0.8, 4, 1e-9), (0.8, 0.99, 19.9, 5e-3), (0.95, 0.999, 138, 0.5)],
)
def test_best_sample_mix(se: float, sp: float, ratio: float, tolerance: float) -> None:
    found = figures.best_negatives_per_positive(se, sp)
    assert found == pytest.approx(ratio, abs=tolerance)

    def variance(n1: float, n0: float) -> float:
        return (1 - se) / (se * n1) + sp / ((1 - sp) * n0)

    best = variance(1 / (1 + found), found / (1 + found))
    for other in (found * 0.9, found * 1.1):
        assert variance(1 / (1 + other), other / (1 + other)) > best


@pytest.mark.parametrize(("se", "sp"), [(1, 0.9), (0.9, 1), (0, 0.9), (0.9, 0)])
def test_best_sample_mix_is_open_at_the_edges(se: float, sp: float) -> None:
    assert math.isnan(figures.best_negatives_per_positive(se, sp))


def _rows(tp: int, fn: int, fp: int, tn: int) -> tuple[list[int], list[int]]:
    truth = [1] * (tp + fn) + [0] * (fp + tn)
    return truth, [1] * tp + [0] * fn + [1] * fp + [0] * tn


@pytest.mark.parametrize("cells", [(240, 178, 87, 288), (31, 3, 12, 32), (1, 9, 2, 88)])
def test_against_scikit_learn_at_the_sample_prevalence(cells: tuple[int, int, int, int]) -> None:
    tp, fn, fp, tn = cells
    se, sp, p = tp / (tp + fn), tn / (tn + fp), (tp + fn) / sum(cells)
    truth, decision = _rows(*cells)
    assert float(figures.f1(se, sp, p)) == pytest.approx(f1_score(truth, decision), abs=1e-13)
    assert float(figures.mcc(se, sp, p)) == pytest.approx(
        matthews_corrcoef(truth, decision), abs=1e-13
    )
    assert float(figures.kappa(se, sp, p)) == pytest.approx(
        cohen_kappa_score(truth, decision), abs=1e-13
    )


def test_what_is_undefined() -> None:
    assert math.isnan(figures.precision(0, 1, 0.1))
    assert math.isnan(figures.lift(0, 1, 0.1))
    assert math.isnan(figures.npv(1, 0, 0.1))
    assert math.isnan(figures.mcc(0, 1, 0.1))
    assert math.isnan(figures.mcc(1, 0, 0.1))
    assert float(figures.f1(0, 1, 0.1)) == 0
    assert float(figures.kappa(0, 1, 0.1)) == 0


@pytest.mark.parametrize("threshold", [1.0, 1.5, -0.1])
def test_net_benefit_refuses_other_thresholds(threshold: float) -> None:
    with pytest.raises(ValueError, match="threshold"):
        figures.net_benefit(0.8, 0.8, 0.1, threshold)


def test_net_benefit_of_the_reference_data() -> None:
    # df_binary at .25: TP/n - FP/n * 1/3; treating all at prevalence .14 gives -0.146667
    assert float(figures.net_benefit(1, 0, 0.14, 0.25)) == pytest.approx(-0.146667, abs=5e-7)
    linear = figures.linear_figures(0.14, threshold=0.25)["net_benefit"]
    for se, sp in ((1, 0), (0.3, 0.7)):
        assert float(linear.value(se, sp)) == pytest.approx(
            float(figures.net_benefit(se, sp, 0.14, 0.25)), abs=1e-15
        )


def test_linear_figures_per_thousand() -> None:
    # 10 of 1,000 are positive; 8 are caught, 2 missed; 99 of 990 are false alarms
    linear = figures.linear_figures(0.01)
    wanted = {
        "true_positives_per_1000": 8,
        "missed_per_1000": 2,
        "false_alarms_per_1000": 99,
        "flagged_per_1000": 107,
        "selection_rate": 0.107,
        "accuracy": 0.899,
    }
    for name, value in wanted.items():
        assert float(linear[name].value(0.8, 0.9)) == pytest.approx(value, abs=1e-10)
    assert "net_benefit" not in linear


def test_a_figure_of_one_side_needs_only_that_side() -> None:
    missed = figures.linear_figures(0.01)["missed_per_1000"]
    low, high = linear_interval(missed, Proportion(80, 100), None, confidence=0.95)
    assert 0 < low < 2 < high < 10
    with pytest.raises(ValueError, match="no counts"):
        linear_interval(missed, None, Proportion(80, 100), confidence=0.95)


def test_odds_ratio_against_scipy() -> None:
    theirs = odds_ratio(np.array([[31, 3], [12, 32]]), kind="sample").confidence_interval(0.95)
    ours = odds_ratio_interval(Proportion(31, 34), Proportion(32, 44), confidence=0.95)
    assert ours == pytest.approx((theirs.low, theirs.high), rel=1e-12)
    zero = odds_ratio_interval(Proportion(34, 34), Proportion(32, 44), confidence=0.95)
    assert all(map(math.isnan, zero))


@pytest.mark.parametrize(("tp", "tn"), [(0, 40), (34, 0), (34, 44)])
def test_mercaldo_is_none_where_it_divides_by_zero(tp: int, tn: int) -> None:
    ppv, npv = mercaldo(Proportion(tp, 34), Proportion(tn, 44), 0.1, confidence=0.95)
    assert ppv is None
    assert (npv is None) == (tp == 34 or tn == 0)


def test_grid_holds_the_stated_prevalences() -> None:
    grid = figures.prevalence_grid([0.3, 1e-6, 0.5])
    assert {0.3, 1e-6, 0.5} <= set(grid.tolist())
    assert grid[0] == 1e-6
    assert grid[-1] == pytest.approx(0.99)
    assert (np.diff(grid) > 0).all()
    assert 41 <= len(grid) <= 44
