"""Net benefit and its kin against published figures, another tool's output and exact counting."""

from __future__ import annotations

import csv
import json
from collections.abc import Sequence
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.special import expit, logit
from sklearn.datasets import make_classification
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import train_test_split

from reportgen.stats import decision, decision_errors
from reportgen.stats.decision import Shares
from reportgen.stats.survival import survival_shares

FloatArray = NDArray[np.float64]
Columns = dict[str, NDArray[np.str_]]
NINETY_NINE = np.array([k / 100 for k in range(1, 100)])
SURVIVAL_TIMES = {"survival_time_1": 1.0, "survival_time_1.5": 1.5}
CASES = (
    "binary_99",
    "binary_published_model",
    "binary_joint_conditional_harm",
    "binary_marker_logistic_harm",
    "binary_age_logistic",
    "binary_at_prevalence_0.05",
    "case_control_prevalence_0.15",
    "case_control_prevalence_0.20",
    "ties_two_decimals",
    *SURVIVAL_TIMES,
)


def read_columns(path: Path) -> Columns:
    with path.open(newline="") as file:
        rows = list(csv.DictReader(file))
    return {name: np.array([row[name] for row in rows]) for name in rows[0]}


@pytest.fixture(scope="module")
def folder(shared: Path) -> Path:
    return shared / "data" / "dca"


@pytest.fixture(scope="module")
def reference(folder: Path) -> dict[str, Any]:
    content: dict[str, Any] = json.loads((folder / "reference.json").read_text())
    return content


def scores_of(case: dict[str, Any], columns: Columns) -> FloatArray:
    """Make the case's scores as its `derived_columns` and `note` say."""
    risk = columns["cancerpredmarker"].astype(float)
    group, history = columns["risk_group"], columns["famhistory"].astype(float)
    age, marker = columns["age"].astype(float), columns["marker"].astype(float)
    high, middle = group == "high", group == "intermediate"
    known = {
        "famhistory": history,
        "cancerpredmarker": risk,
        "phat_brown": expit(0.75 * history + 0.26 * age - 17.5),
        "high_risk": high.astype(float),
        "joint": (high | (risk > 0.15)).astype(float),
        "conditional": (high | (middle & (risk > 0.15))).astype(float),
        "marker": expit(-2.6666691026 + 0.692850688338 * marker),
        "age": expit(-16.8697921238 + 0.225347515326 * age),
        "pred_2dp": np.round(risk, 2),
    }
    return np.array([known[name] for name in case["models"]])


def shares_of(case: dict[str, Any], folder: Path) -> Shares:
    columns = read_columns(folder / case["file"])
    scores, thresholds = scores_of(case, columns), np.array(case["thresholds"])
    positive = np.isin(columns[case["outcome"]], ("TRUE", "1"))
    if case["id"] in SURVIVAL_TIMES:
        return survival_shares(
            scores,
            columns["ttcancer"].astype(float),
            positive.astype(np.int64),
            at=SURVIVAL_TIMES[case["id"]],
            thresholds=thresholds,
        )
    shares = decision.binary_shares(scores, positive.astype(float), thresholds=thresholds)
    target = case["arguments"].get("prevalence")
    return shares if target is None else decision.at_prevalence(shares, target)


def close(ours: FloatArray, expected: Sequence[float | None] | FloatArray) -> None:
    """Compare to 1e-9 wherever the other tool has a finite value (null in the file elsewhere)."""
    theirs = np.array(expected, dtype=np.float64)
    finite = np.isfinite(theirs)
    assert finite.sum() >= 30
    np.testing.assert_allclose(ours[finite], theirs[finite], rtol=0, atol=1e-9)


@pytest.mark.parametrize("name", CASES)
def test_agrees_with_dcurves(name: str, reference: dict[str, Any], folder: Path) -> None:
    case = next(one for one in reference["cases"] if one["id"] == name)
    thresholds = np.array(case["thresholds"])
    shares = decision.with_defaults(shares_of(case, folder))
    strategies = (*case["models"], "all", "none")
    harms = case["arguments"].get("harm", {})
    harm = [harms.get(strategy, 0.0) for strategy in strategies]
    benefit = decision.net_benefit(shares, thresholds=thresholds, harm=harm)
    avoided = decision.interventions_avoided(benefit, benefit[-2], thresholds=thresholds)
    for m, strategy in enumerate(strategies):
        expected = case["results"].get(strategy)
        if expected is None:
            assert strategy == "none"
            expected = {"net_benefit": np.zeros(len(thresholds))}
        close(benefit[m], expected["net_benefit"])
        if "net_intervention_avoided" in expected:
            close(avoided[m] / 100, expected["net_intervention_avoided"])
    assert float(shares.prevalence) == pytest.approx(case["prevalence"], abs=1e-9)


R_FILES = {
    "r_case1_results.csv": ("df_binary.csv", "famhistory", None, 0.0),
    "r_case2_results.csv": ("df_surv.csv", "cancerpredmarker", 1.0, 0.0),
    "r_case3_results.csv": ("df_binary.csv", "marker", None, 0.0333),
    "r_simple_surv_dca_result_df.csv": ("df_surv.csv", "famhistory", 1.5, 0.0),
    "dca_tut_r_stdca_coxph_df.csv": ("df_surv.csv", "pr_failure18", 1.5, 0.0),
}


@pytest.mark.parametrize("name", R_FILES)
def test_agrees_with_the_r_package(name: str, folder: Path) -> None:
    source, model, at, harm = R_FILES[name]
    expected, columns = read_columns(folder / name), read_columns(folder / source)
    if model == "pr_failure18":
        cox = read_columns(folder / "dca_tut_coxph_pr_failure18_vals.csv")
        scores = cox[model].astype(float)[None]
    else:
        scores = scores_of({"models": [model]}, columns)
    # At 0 the R package moves risks of 0 below it; our rule treats everyone there.
    thresholds = np.array([float(t) for t in dict.fromkeys(expected["threshold"]) if float(t) > 0])
    thresholds = np.round(thresholds, 2)
    positive = columns["cancer"] == "TRUE"
    if at is None:
        shares = decision.binary_shares(scores, positive.astype(float), thresholds=thresholds)
    else:
        time = columns["ttcancer"].astype(float)
        event = positive.astype(np.int64)
        shares = survival_shares(scores, time, event, at=at, thresholds=thresholds)
    benefit = decision.net_benefit(
        decision.with_defaults(shares), thresholds=thresholds, harm=[harm, 0, 0]
    )
    avoided = decision.interventions_avoided(benefit, benefit[1], thresholds=thresholds) / 100
    checked = 0
    for m, strategy in enumerate((model, "all", "none")):
        rows = (expected["variable"] == strategy) & (expected["threshold"].astype(float) > 0)
        assert rows.sum() == len(thresholds)
        for column, ours in (("net_benefit", benefit), ("net_intervention_avoided", avoided)):
            if column not in expected:
                continue
            theirs = expected[column][rows]
            given = theirs != "NA"
            np.testing.assert_allclose(
                ours[m][given], theirs[given].astype(float), rtol=0, atol=1e-9
            )
            checked += int(given.sum())
    assert checked >= 100


def spot(reference: dict[str, Any], folder: Path, case: str, model: str) -> float:
    chosen = next(one for one in reference["cases"] if one["id"] == case)
    t = chosen["thresholds"].index(0.25)
    strategies = [*chosen["models"], "all", "none"]
    harms = chosen["arguments"].get("harm", {})
    benefit = decision.net_benefit(
        decision.with_defaults(shares_of(chosen, folder)),
        thresholds=chosen["thresholds"],
        harm=[harms.get(name, 0.0) for name in strategies],
    )
    return float(benefit[strategies.index(model), t])


@pytest.mark.parametrize(
    ("case", "model", "value"),
    [
        ("binary_99", "cancerpredmarker", 0.064),
        ("binary_99", "all", -0.146667),
        ("binary_99", "famhistory", -0.008444),
        ("binary_published_model", "phat_brown", -0.055111),
        ("binary_joint_conditional_harm", "joint", 0.019144),
        ("binary_joint_conditional_harm", "conditional", 0.036237),
        ("case_control_prevalence_0.15", "cancerpredmarker", 0.014957),
        ("survival_time_1", "cancerpredmarker", 0.056954),
    ],
)
def test_published_values_at_a_quarter(
    case: str, model: str, value: float, reference: dict[str, Any], folder: Path
) -> None:
    assert spot(reference, folder, case, model) == pytest.approx(value, abs=5e-7)


def test_figures_that_dcurves_lacks(reference: dict[str, Any], folder: Path) -> None:
    case = next(one for one in reference["cases"] if one["id"] == "binary_99")
    shares = decision.with_defaults(shares_of(case, folder))
    thresholds = np.array(case["thresholds"])
    benefit = decision.net_benefit(shares, thresholds=thresholds)
    effect = decision_errors.influence(shares, thresholds=thresholds)
    error = decision_errors.standard_error(shares, effect, n=case["n"])
    scaled = decision.standardised(benefit, shares.prevalence)
    gain = decision.gain_over_defaults(benefit)
    tradeoff = decision.test_tradeoff(gain)
    for m, model in enumerate(case["models"]):
        own = reference["extra_own_calculation"][f"binary_99:{model}"]
        np.testing.assert_allclose(error[m], own["wald_se"], rtol=0, atol=1e-9)
        np.testing.assert_allclose(scaled[m], own["standardised_net_benefit"], rtol=0, atol=1e-9)
        if "gain_over_best_default" not in own:
            continue
        np.testing.assert_allclose(gain[m], own["gain_over_best_default"], rtol=0, atol=1e-9)
        expected = np.array(own["test_trade_off"], dtype=np.float64)
        given = np.isfinite(expected)
        np.testing.assert_allclose(tradeoff[m, given], expected[given], rtol=1e-9)
        assert np.isnan(tradeoff[m][~given]).all()


def test_scores_equal_to_the_threshold_are_positive(
    reference: dict[str, Any], folder: Path
) -> None:
    case = next(one for one in reference["cases"] if one["id"] == "ties_two_decimals")
    strict = reference["extra_own_calculation"]["ties_two_decimals_strict_greater"]
    thresholds = np.array(case["thresholds"])
    ours = decision.net_benefit(shares_of(case, folder), thresholds=thresholds)[0]
    differs = np.abs(ours - np.array(strict["net_benefit"])) > 1e-9
    expected = strict["thresholds_that_differ_from_ge"]
    assert thresholds[differs].tolist() == expected
    assert len(expected) == 77


def test_example_of_the_article() -> None:
    """Article 002: better than both defaults over 0.01-0.94, negative at 0.95-0.98 only."""
    x, y = make_classification(n_samples=1000, n_features=10, n_informative=5, random_state=42)
    x_train, x_test, y_train, y_test = train_test_split(x, y, test_size=0.3, random_state=42)
    model = LogisticRegression(max_iter=1000).fit(x_train, y_train)
    scores = model.predict_proba(x_test)[:, 1][None]
    shares = decision.binary_shares(scores, y_test.astype(float), thresholds=NINETY_NINE)
    benefit = decision.net_benefit(decision.with_defaults(shares), thresholds=NINETY_NINE)
    gain = decision.gain_over_defaults(benefit)[0]
    assert NINETY_NINE[gain > 0].tolist() == [k / 100 for k in range(1, 95)]
    assert NINETY_NINE[benefit[0] < 0].tolist() == [0.95, 0.96, 0.97, 0.98]
    assert benefit[0, 0] == pytest.approx(0.468, abs=5e-4)
    assert benefit[0, 29] == pytest.approx(0.397, abs=5e-4)
    assert benefit[0].argmax() == 0


def test_case_d65_counted_by_hand() -> None:
    label = np.array([0.0, 0, 1, 1, 0])
    scores = np.array([[0, 0.2, 0.5, 1, 0.5]])
    thresholds = [0, 0.2, 0.5, 0.9]
    shares = decision.with_defaults(decision.binary_shares(scores, label, thresholds=thresholds))
    benefit = decision.net_benefit(shares, thresholds=thresholds)
    expected = np.array([[0.4, 0.3, 0.2, 0.2], [0.4, 0.25, -0.2, -5.0], [0, 0, 0, 0]])
    np.testing.assert_allclose(benefit, expected, rtol=0, atol=1e-12)
    untreated = decision.net_benefit_untreated(shares, thresholds=thresholds)
    # tn - fn / odds(t) by hand: 1/5 at 0.2; 2/5 at 0.5; 3/5 - (1/5) / 9 at 0.9.
    assert np.isnan(untreated[0, 0])
    np.testing.assert_allclose(untreated[0, 1:], [0.2, 0.4, 0.6 - 0.2 / 9], rtol=0, atol=1e-12)


def test_published_test_tradeoff() -> None:
    """Van Calster 2018: 0.0114 more net benefit is one in 88 patients tested."""
    assert round(float(decision.test_tradeoff(np.asarray(0.0114)))) == 88
    assert np.isnan(decision.test_tradeoff(np.array([0.0, -0.1, 1e-15]))).all()
    # "10 patients per biopsy avoided" there: at 10 % the same gain in interventions avoided.
    avoided = decision.interventions_avoided(
        np.array([[0.0114]]), np.array([0.0]), thresholds=[0.1]
    )
    assert round(100 / float(avoided[0, 0])) == 10


def test_published_exchange_rate() -> None:
    """Sadatsafavi 2023: at 2 %, 400 true positives weigh as much as 19,600 false positives."""
    assert 400 / float(decision.odds(0.02)) == pytest.approx(19_600, rel=1e-12)


def test_perfect_information_counted_by_hand() -> None:
    """Two resamples: the better strategy changes, knowing it adds (3 + 2) / 2 - 2."""
    draws = np.array([[[3.0], [1.0]], [[1.0], [2.0]]])
    value = decision.expected_value_of_perfect_information(draws)
    assert value.tolist() == [0.5]
    undefined = np.array([[[np.nan], [1.0]]])
    assert np.isnan(decision.expected_value_of_perfect_information(undefined)).all()


def test_recalibrated_thresholds_are_exact_on_ties() -> None:
    # Odds 1 at t = 0.5 times (1/2 : 9/1 prior odds) is 1/9, which is u = 0.1 on paper.
    cut = decision.recalibrated_thresholds([0.5], sample=Fraction(1, 10), target=0.5)
    assert cut.tolist() == [0.1]
    # The same by logits misses it in the last place; the score 0.1 would be called negative.
    assert expit(logit(0.5) + logit(0.1) - logit(0.5)) != 0.1


def test_recalibration_to_the_own_prevalence_changes_nothing() -> None:
    for k, n in ((1, 3), (105, 750), (2, 7)):
        cut = decision.recalibrated_thresholds(NINETY_NINE, sample=Fraction(k, n), target=k / n)
        assert cut.tolist() == NINETY_NINE.tolist()


def test_one_class_has_no_rate_at_another_prevalence() -> None:
    shares = decision.binary_shares(np.array([[0.2, 0.8]]), np.zeros(2), thresholds=[0.5])
    carried = decision.at_prevalence(shares, 0.3)
    assert np.isnan(carried.true_positive).all()
    assert carried.false_positive.tolist() == [[0.35]]
    assert np.isnan(decision.standardised(np.zeros((1, 1)), shares.prevalence)).all()


@pytest.mark.parametrize("bad", [1.0, -0.1, np.nan])
def test_thresholds_outside_the_unit_interval_are_refused(bad: float) -> None:
    with pytest.raises(ValueError, match="must lie in"):
        decision.odds([0.2, bad])


def test_rows_that_do_not_fit_are_refused() -> None:
    with pytest.raises(ValueError, match="do not fit"):
        decision.binary_shares(np.zeros((1, 3)), np.zeros(2), thresholds=[0.5])
    with pytest.raises(ValueError, match="do not fit"):
        decision.binary_shares(np.zeros((1, 0)), np.zeros(0), thresholds=[0.5])
    with pytest.raises(ValueError, match="must be 0 or 1"):
        decision.binary_shares(np.zeros((1, 2)), np.array([1.0, 2.0]), thresholds=[0.5])
    with pytest.raises(ValueError, match="must not be NaN"):
        decision.binary_shares(np.full((1, 2), np.nan), np.ones(2), thresholds=[0.5])
    for sample, target in ((0.0, 0.1), (0.2, 1.0)):
        with pytest.raises(ValueError, match=r"\(0, 1\)"):
            decision.recalibrated_thresholds([0.5], sample=sample, target=target)
