"""Shares and errors at a horizon, against R, Stata, published figures and exact fractions.

Sources of the figures written out here:

* Bone marrow transplants: 35 patients of Scrucca, Santucci & Aversa, Bone Marrow Transplantation
  2007, 40:381-387; the cumulative incidences as R's cmprsk gives them, to eight digits.
* Eighteen rows: R's cmprsk (incidences) and Stata's stcompet (standard errors), as in the tests of
  statsmodels' ``CumIncidenceRight``.
* Everything else comes from the reference files of R's dcurves.
"""

from __future__ import annotations

import csv
import json
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.optimize import minimize_scalar

from reportgen.stats.decision import Shares
from reportgen.stats.survival import survival_shares
from reportgen.stats.survival_influence import survival_net_benefit_se

Floats = NDArray[np.float64]
TOLERANCE = 1e-9

BMT_ALL = (
    [13, 1, 72, 7, 8, 9, 5, 1, 22, 0, 0, 35, 4, 14, 26, 3, 12],
    [2, 1, 0, 2, 2, 2, 2, 2, 2, 2, 1, 0, 2, 2, 2, 2, 1],
)
BMT_AML = (
    [67, 70, 4, 7, 68, 10, 7, 3, 4, 4, 3, 3, 8, 2, 35, 2, 8, 32],
    [0, 0, 0, 0, 0, 2, 2, 1, 1, 1, 1, 1, 1, 2, 0, 0, 0, 0],
)


class Cohort:
    """The simulated time-to-event data of dcurves."""

    def __init__(self, folder: Path) -> None:
        with (folder / "df_surv.csv").open(newline="") as file:
            rows = list(csv.DictReader(file))
        codes = {"censor": 0, "diagnosed with cancer": 1, "dead other causes": 2}
        self.columns = rows
        self.time = self.column("ttcancer")
        self.cause = np.array([codes[row["cancer_cr"]] for row in rows])
        self.event = np.array([row["cancer"] == "TRUE" for row in rows]).astype(int)

    def column(self, name: str) -> Floats:
        return np.array([float(row[name]) for row in self.columns])


@pytest.fixture(scope="module")
def folder(shared: Path) -> Path:
    return shared / "data" / "dca"


@pytest.fixture(scope="module")
def cohort(folder: Path) -> Cohort:
    return Cohort(folder)


def r_table(path: Path, variable: str) -> dict[str, Floats]:
    """Return the rows of one strategy without threshold 0, where dcurves shifts the risks."""
    with path.open(newline="") as file:
        rows = [row for row in csv.DictReader(file) if row["variable"] == variable][1:]
    names = ("threshold", "pos_rate", "tp_rate", "fp_rate", "net_benefit")
    return {
        name: np.array([np.nan if row[name] == "NA" else float(row[name]) for row in rows])
        for name in names
    }


def net_benefit(shares: Shares, thresholds: Floats) -> Floats:
    odds = thresholds / (1 - thresholds)
    return shares.true_positive - odds * shares.false_positive


def exact_incidence(time: Floats, event: NDArray[np.int64], at: float) -> Fraction | None:
    """Aalen-Johansen by its textbook definition, in fractions; None where it is not defined."""
    survival_before, incidence = Fraction(1), Fraction(0)
    for moment in sorted({t for t, e in zip(time, event, strict=True) if e and t <= at}):
        at_risk = sum(1 for t in time if t >= moment)
        of_interest = sum(1 for t, e in zip(time, event, strict=True) if t == moment and e == 1)
        of_any = sum(1 for t, e in zip(time, event, strict=True) if t == moment and e)
        incidence += survival_before * Fraction(of_interest, at_risk)
        survival_before *= 1 - Fraction(of_any, at_risk)
    followed = any(t >= at for t in time)
    return incidence if followed or survival_before == 0 else None


R_FILES = [
    ("r_case2_results.csv", "cancerpredmarker", 1.0),
    ("r_simple_surv_dca_result_df.csv", "famhistory", 1.5),
    ("dca_tut_r_stdca_coxph_df.csv", "pr_failure18", 1.5),
]


@pytest.mark.parametrize(("name", "variable", "at"), R_FILES)
def test_shares_equal_those_of_r(
    folder: Path, cohort: Cohort, name: str, variable: str, at: float
) -> None:
    table = r_table(folder / name, variable)
    thresholds = np.round(table["threshold"], 2)
    if variable == "pr_failure18":
        with (folder / "dca_tut_coxph_pr_failure18_vals.csv").open(newline="") as file:
            score = np.array([float(row[variable]) for row in csv.DictReader(file)])
    else:
        score = cohort.column(variable)
    shares = survival_shares([score], cohort.time, cohort.event, at=at, thresholds=thresholds)
    known = np.isfinite(table["tp_rate"])
    assert known.sum() >= 50
    for ours, theirs in (
        (shares.true_positive[0], table["tp_rate"]),
        (shares.false_positive[0], table["fp_rate"]),
        (net_benefit(shares, thresholds)[0], table["net_benefit"]),
    ):
        np.testing.assert_allclose(ours[known], theirs[known], rtol=0, atol=TOLERANCE)
    assert shares.prevalence == pytest.approx(table["pos_rate"][0], abs=TOLERANCE)


def test_where_r_gives_nothing_ours_is_nan_or_everyone_flagged_had_the_event(
    folder: Path, cohort: Cohort
) -> None:
    """R stops where nobody is left; Kaplan-Meier is 0, and so defined, if the last had an event."""
    table = r_table(folder / "r_case2_results.csv", "cancerpredmarker")
    score = cohort.column("cancerpredmarker")
    shares = survival_shares(
        [score], cohort.time, cohort.event, at=1, thresholds=table["threshold"]
    )
    missing = np.isnan(table["tp_rate"])
    assert not np.isnan(shares.true_positive[0, ~missing]).any()
    for cut, true, false in zip(
        table["threshold"][missing],
        shares.true_positive[0, missing],
        shares.false_positive[0, missing],
        strict=True,
    ):
        flagged = score >= cut
        assert cohort.time[flagged].max() < 1
        last_is_event = cohort.event[flagged][np.argmax(cohort.time[flagged])] == 1
        assert np.isnan(true) == np.isnan(false) == (not last_is_event)
        if last_is_event:
            assert true == pytest.approx(flagged.mean())
            assert false == pytest.approx(0)


@pytest.mark.parametrize("case", ["survival_time_1", "survival_time_1.5"])
def test_shares_equal_the_reference_cases(folder: Path, cohort: Cohort, case: str) -> None:
    reference = json.loads((folder / "reference.json").read_text(encoding="utf-8"))
    (entry,) = [entry for entry in reference["cases"] if entry["id"] == case]
    thresholds = np.array(entry["thresholds"])
    shares = survival_shares(
        [cohort.column(model) for model in entry["models"]],
        cohort.time,
        cohort.event,
        at=entry["arguments"]["time"],
        thresholds=thresholds,
    )
    assert shares.prevalence == pytest.approx(entry["prevalence"], abs=TOLERANCE)
    ours = net_benefit(shares, thresholds)
    for m, model in enumerate(entry["models"]):
        result = entry["results"][model]
        known = np.array([value is not None for value in result["net_benefit"]])
        for values, name in (
            (shares.true_positive[m], "tp_rate"),
            (shares.false_positive[m], "fp_rate"),
            (ours[m], "net_benefit"),
        ):
            expected = np.array(result[name], dtype=float)[known]
            np.testing.assert_allclose(values[known], expected, rtol=0, atol=TOLERANCE)


def test_net_benefit_at_a_quarter_and_one_year(cohort: Cohort) -> None:
    score = cohort.column("cancerpredmarker")
    shares = survival_shares([score], cohort.time, cohort.event, at=1, thresholds=[0.25])
    assert net_benefit(shares, np.array([0.25]))[0, 0] == pytest.approx(0.056954, abs=5e-7)


def cox_risk(time: Floats, event: NDArray[np.int64], x: Floats, at: float) -> Floats:
    """Return 1 - S(at) of a Cox model of one predictor, with Breslow's baseline (no ties here)."""
    order = np.argsort(-time)
    back, had, centred = time[order], event[order] == 1, (x - x.mean())[order]

    def minus_log_likelihood(slope: float) -> float:
        at_risk = np.logaddexp.accumulate(slope * centred)
        return -float(np.sum((slope * centred - at_risk)[had]))

    slope = minimize_scalar(minus_log_likelihood, bounds=(-1, 1), options={"xatol": 1e-12}).x
    at_risk = np.cumsum(np.exp(slope * centred))
    hazard = np.sum(1 / at_risk[had & (back <= at)])
    risk: Floats = 1 - np.exp(-hazard * np.exp(slope * (x - x.mean())))
    return risk


def test_a_risk_and_not_a_survival_probability_is_what_is_compared(cohort: Cohort) -> None:
    """As dcurves converts a predictor, S(t) instead of 1 - S(t), age would look harmful."""
    risk = cox_risk(cohort.time, cohort.event, cohort.column("age"), 1.0)
    shares = survival_shares([risk, 1 - risk], cohort.time, cohort.event, at=1, thresholds=[0.25])
    right, as_dcurves_does = net_benefit(shares, np.array([0.25]))[:, 0]
    assert right == pytest.approx(0.023742, abs=5e-7)
    assert as_dcurves_does == pytest.approx(-0.1424773, abs=5e-8)


@pytest.mark.parametrize(
    ("rows", "at", "mortality", "relapse"),
    [
        ((BMT_ALL[0] + BMT_AML[0], BMT_ALL[1] + BMT_AML[1]), 0, 0.02857143, 0.02857143),
        ((BMT_ALL[0] + BMT_AML[0], BMT_ALL[1] + BMT_AML[1]), 4, 0.20492611, 0.14482759),
        ((BMT_ALL[0] + BMT_AML[0], BMT_ALL[1] + BMT_AML[1]), 9.5, 0.23771164, 0.30563279),
        ((BMT_ALL[0] + BMT_AML[0], BMT_ALL[1] + BMT_AML[1]), 72, 0.27283899, 0.48126955),
        (BMT_ALL, 8, 0.11764706, 0.41176471),
        (BMT_ALL, 72, 0.17647059, 0.70588235),
        (BMT_AML, 7, 0.29513889, 0.12048611),
        (BMT_AML, 70, 0.36818576, 0.20570747),
    ],
)
def test_published_cumulative_incidences(
    rows: tuple[list[int], list[int]], at: float, mortality: float, relapse: float
) -> None:
    time, event = map(np.array, rows)
    for code, expected in ((event, mortality), ((3 - event) % 3, relapse)):
        shares = survival_shares(
            [np.zeros(time.size)], time, code, at=max(at, 0.5), thresholds=[0.5]
        )
        assert shares.prevalence == pytest.approx(expected, abs=5e-9)


def test_published_incidences_within_a_flagged_group() -> None:
    """Flagging the 18 with AML of the 35: their share times their own incidence."""
    time = np.array(BMT_ALL[0] + BMT_AML[0])
    event = np.array(BMT_ALL[1] + BMT_AML[1])
    score = np.array([0.1] * 17 + [0.4] * 18)
    shares = survival_shares([score], time, event, at=12, thresholds=[0.2, 0.4, 0.5])
    aml = 18 / 35
    np.testing.assert_allclose(
        shares.true_positive, [[0.36818576 * aml, 0.36818576 * aml, 0]], atol=5e-9
    )
    np.testing.assert_allclose(
        shares.false_positive, [[0.63181424 * aml, 0.63181424 * aml, 0]], atol=5e-9
    )


EIGHTEEN = (
    [1, 1, 2, 4, 4, 4, 6, 6, 7, 8, 9, 9, 9, 1, 2, 2, 4, 4],
    [1, 1, 1, 2, 2, 2, 3, 3, 3, 0, 0, 0, 0, 0, 0, 0, 0, 0],
)


@pytest.mark.parametrize(
    ("cause", "at", "incidence", "error"),
    [
        (1, 1, 0.11111111, 0.07407407),
        (1, 4, 0.17037037, 0.08976251),
        (2, 4, 0.20740741, 0.10610391),
        (2, 7, 0.20740741, 0.10610391),
        (3, 6, 0.17777778, 0.11196147),
        (3, 8, 0.26666667, 0.12787781),
    ],
)
def test_incidence_and_its_error_equal_those_of_r_and_stata(
    cause: int, at: float, incidence: float, error: float
) -> None:
    time, status = map(np.array, EIGHTEEN)
    event = np.where(status == cause, 1, np.where(status > 0, 2, 0))
    score = np.ones((1, time.size))
    shares = survival_shares(score, time, event, at=at, thresholds=[0.2])
    assert shares.prevalence == pytest.approx(incidence, abs=5e-9)
    errors = survival_net_benefit_se(score, time, event, at=at, thresholds=[0.2])
    # Everyone is flagged: net benefit p - w (1 - p), with 1 + w = 1.25 here.
    assert errors.treat_all[0] == pytest.approx(1.25 * error, abs=1e-8)
    assert errors.models[0, 0] == pytest.approx(1.25 * error, abs=1e-8)


@pytest.mark.parametrize("at", [1.0, 1.5, 5.0])
def test_competing_risks_equal_exact_fractions(cohort: Cohort, at: float) -> None:
    score = cohort.column("cancerpredmarker")
    thresholds = np.array([0, 0.05, 0.1, 0.25, 0.5, 0.75, 0.9])
    shares = survival_shares([score], cohort.time, cohort.cause, at=at, thresholds=thresholds)
    for t, cut in enumerate(thresholds):
        flagged = score >= cut
        incidence = exact_incidence(cohort.time[flagged], cohort.cause[flagged], at)
        if incidence is None:
            assert np.isnan(shares.true_positive[0, t])
            continue
        share = Fraction(int(flagged.sum()), flagged.size)
        assert shares.true_positive[0, t] == pytest.approx(float(incidence * share), abs=1e-14)
        false = float((1 - incidence) * share)
        assert shares.false_positive[0, t] == pytest.approx(false, abs=1e-14)
    everyone = exact_incidence(cohort.time, cohort.cause, at)
    assert everyone is not None
    assert shares.prevalence == pytest.approx(float(everyone), abs=1e-14)
