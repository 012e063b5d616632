"""The prevalence section: right values, reasons, findings that fire and do not, faults."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from pydantic import ValidationError

from reportgen.errors import KeyFault
from reportgen.inputs import Inputs, Table, TableSettings
from reportgen.result import NotApplicable, Outcome, plain
from reportgen.section import Context
from reportgen.sections.prevalence import (
    CODES,
    SECTION,
    MetricRow,
    PrevalenceResult,
    PrevalenceSettings,
    check,
    compute,
)
from reportgen.sections.prevalence.figures import UNITS

PUBLISHED: dict[str, Any] = {
    "kind": "prevalence",
    "sensitivity": {"k": 31, "n": 34},
    "specificity": {"k": 32, "n": 44},
    "prevalences": [0.07],
}


def _settings(**changes: Any) -> PrevalenceSettings:
    base: dict[str, Any] = {
        "kind": "prevalence",
        "table": "test",
        "score": "m",
        "prevalences": [0.5, 0.01],
    }
    if "table" in changes or "sensitivity" not in changes:
        base |= {} if {"threshold", "thresholds"} & set(changes) else {"threshold": 0.5}
    else:
        del base["table"], base["score"]
    return PrevalenceSettings.model_validate(base | changes)


def _table(
    label: Sequence[float] | np.ndarray[Any, Any],
    score: Sequence[float] | np.ndarray[Any, Any],
    *,
    unit: list[str] | None = None,
    scale: str = "probability",
    name: str = "test",
) -> Table:
    return Table(
        name=name,
        n_rows=len(score),
        scale=scale,
        label=np.asarray(label, dtype=float),
        survival=None,
        scores={"m": np.asarray(score, dtype=float)},
        unit=None if unit is None else np.array(unit, dtype=object),
        groups={},
        features={},
    )


def _run(
    settings: PrevalenceSettings, *tables: Table, seed: int = 1, resamples: int = 300
) -> Outcome:
    context = Context(np.random.default_rng(seed), resamples, 0.95)
    outcome = compute(Inputs({t.name: t for t in tables}, ()), settings, context)
    plain(outcome.result)  # nothing in it is without a plain form
    assert {f.code for f in outcome.findings} <= {code.code for code in CODES}
    allowed = {code.code: code.severities for code in CODES}
    assert all(f.severity in allowed[f.code] for f in outcome.findings)
    return outcome


def _result(outcome: Outcome) -> PrevalenceResult:
    assert isinstance(outcome.result, PrevalenceResult)
    return outcome.result


def _codes(outcome: Outcome) -> list[str]:
    return [finding.code for finding in outcome.findings]


def _row(result: PrevalenceResult, metric: str, prevalence: float, at: int = 0) -> MetricRow:
    threshold = result.operating_points[at].threshold
    (row,) = [
        row
        for row in result.rows
        if (row.metric, row.prevalence, row.threshold) == (metric, prevalence, threshold)
    ]
    return row


def _sample(
    n: int, share: float, seed: int, *, name: str = "test", rows: int = 1, shift: float = 0.0
) -> Table:
    """Return patients whose scores are calibrated probabilities at a share of 0.3."""
    rng = np.random.default_rng(seed)
    label = np.repeat((rng.random(n) < share).astype(float), rows)
    patient = np.repeat(rng.normal(size=n), rows) * (0.6 if rows > 1 else 0)
    marker = rng.normal(size=n * rows) * (0.8 if rows > 1 else 1) + patient + 2 * label + shift
    odds = np.exp(2 * marker - 2) * 0.3 / 0.7
    unit = [f"p{i // rows}" for i in range(n * rows)] if rows > 1 else None
    return _table(label, odds / (1 + odds), unit=unit, name=name)


# --- right values ---------------------------------------------------------------------------------


def test_published_70_gene_signature() -> None:
    result = _result(_run(PrevalenceSettings.model_validate(PUBLISHED)))
    row = _row(result, "precision", 0.07)
    value = row.value
    assert (value.estimate, value.low, value.high) == pytest.approx(
        (0.2010444, 0.138428899, 0.297447722), abs=5e-8
    )
    assert (row.low_mercaldo, row.high_mercaldo) == pytest.approx((0.1331384, 0.2919216), abs=6e-8)
    npv = _row(result, "npv", 0.07)
    assert (npv.low_mercaldo, npv.high_mercaldo) == pytest.approx((0.9734141, 0.996956), abs=6e-8)
    ratio = result.operating_points[0].positive_likelihood_ratio
    assert (ratio.low, ratio.high) == pytest.approx((2.13461988, 5.62492725), abs=1e-8)
    assert result.source == "published figures"
    assert result.n_rows is None


def test_published_zero_false_positives() -> None:
    settings = PUBLISHED | {"specificity": {"k": 44, "n": 44}}
    outcome = _run(PrevalenceSettings.model_validate(settings))
    result = _result(outcome)
    row = _row(result, "precision", 0.07)
    value = row.value
    assert (value.estimate, value.low, value.high) == pytest.approx((1, 0.46058223, 1), abs=1e-8)
    assert row.low_mercaldo is None
    (finding,) = [f for f in outcome.findings if f.code == "PRV-004"]
    assert "not shown" in finding.statement
    assert "0.461" in finding.statement
    point = result.operating_points[0]
    assert point.positive_likelihood_ratio.estimate is None
    assert "no false positive" in str(point.positive_likelihood_ratio.reason)
    assert result.sample_mix[0].negatives_per_positive.estimate is None


def test_article_004_with_counts_and_mixes() -> None:
    settings = _settings(
        sensitivity={"k": 80, "n": 100},
        specificity={"k": 80, "n": 100},
        prevalences=[
            {"positives": 9, "negatives": 1},
            {"positives": 99, "negatives": 1},
            0.1,
            0.001,
        ],
    )
    result = _result(_run(settings))
    wanted = [0.972973, 0.997481, 0.307692, 0.003988]
    for prevalence, precision in zip(result.prevalences, wanted, strict=True):
        row = _row(result, "precision", prevalence)
        assert row.value.estimate == pytest.approx(precision, abs=5e-7)
        assert _row(result, "accuracy", prevalence).value.estimate == pytest.approx(0.8)
    assert result.sample_mix[0].negatives_per_positive.estimate == pytest.approx(4)
    assert (result.sample_mix[0].best_positives, result.sample_mix[0].best_negatives) == (40, 160)


def test_reference_table_of_the_decision_curves(shared: Path) -> None:
    # df_binary: net benefit of cancerpredmarker at .25 is 0.064 at the sample's own prevalence
    import pandas as pd

    data = pd.read_csv(shared / "data/dca/df_binary.csv")
    table = _table(data["cancer"].to_numpy(), data["cancerpredmarker"].to_numpy())
    own = float(data["cancer"].mean())
    result = _result(_run(_settings(threshold=0.25, prevalences=[own]), table))
    assert _row(result, "net_benefit", own).value.estimate == pytest.approx(0.064, abs=1e-9)
    point = result.operating_points[0]
    assert point.true_positives is not None
    assert point.false_positives is not None
    share = point.true_positives / (point.true_positives + point.false_positives)
    assert _row(result, "precision", own).value.estimate == pytest.approx(share, rel=1e-12)


def test_a_score_at_the_threshold_is_flagged() -> None:
    table = _table([1, 1, 0, 0], [0.1 + 0.2, 0.3, 0.3, 0.29999])
    point = _result(_run(_settings(threshold=0.3), table)).operating_points[0]
    assert (point.true_positives, point.false_positives) == (2, 1)


def test_every_figure_stands_for_every_threshold_and_prevalence() -> None:
    result = _result(_run(_settings(thresholds=[0.3, 0.5]), _sample(200, 0.3, 1)))
    assert len(result.rows) == 2 * 2 * len(UNITS)
    assert {row.metric for row in result.rows} == set(UNITS)
    assert all(row.value.low is not None for row in result.rows)
    named = {row.metric: row.moves_with_mix for row in result.moves}
    assert len(named) == len(result.moves)
    assert all(named[row.metric] is row.moves_with_mix for row in result.rows)
    assert [named[m] for m in ("auc", "sensitivity", "npv", "brier")] == [False, False, True, True]
    assert len(result.curve) >= 2 * 41
    assert result.threshold == 0.3
    assert result.sensitivity == result.operating_points[0].sensitivity


# --- several rows a patient -----------------------------------------------------------------------


def test_patients_with_several_rows_are_resampled() -> None:
    table = _sample(150, 0.3, 2, rows=4)
    clustered = _result(_run(_settings(), table, resamples=1000))
    alone = _result(_run(_settings(), _table(table.label, table.scores["m"])))  # type: ignore[arg-type]
    for metric in UNITS:
        wide, narrow = (_row(r, metric, 0.01).value for r in (clustered, alone))
        assert wide.estimate == narrow.estimate
        assert "bootstrap" in str(wide.method)
        assert wide.high is not None
        assert wide.low is not None
        assert narrow.high is not None
        assert narrow.low is not None
        assert wide.high - wide.low > narrow.high - narrow.low
    assert clustered.n_units == 150
    assert clustered.notes
    assert not alone.notes
    assert "Obuchowski" in str(clustered.auc.method)
    assert "DeLong" in str(alone.auc.method)
    assert all(row.low_mercaldo is None for row in clustered.rows)


def test_too_few_patients_in_a_cell_are_not_resampled() -> None:
    # three rows a patient, no false positive: resampling would call the specificity certain
    label = np.repeat([1.0, 0.0], [30, 60])
    score = np.where(label == 1, np.tile([0.9, 0.9, 0.2], 30), 0.1)
    unit = [f"p{i // 3}" for i in range(90)]
    value = _result(_run(_settings(), _table(label, score, unit=unit))).specificity
    # 20 patients with negatives count as 20 rows: Wilson's lower limit of 20 of 20
    assert value.low == pytest.approx(20 / (20 + 1.959963984540054**2), abs=1e-12)
    assert value.high == 1
    assert "Kish" in str(value.method)


@pytest.mark.parametrize("rows", [1, 3])
def test_row_order_does_not_matter(rows: int) -> None:
    table, field = _sample(80, 0.3, 3, rows=rows), _sample(60, 0.2, 4, name="field", rows=rows)
    settings = _settings(unlabelled="field", thresholds=[0.3, 0.5])
    first = _run(settings, table, field, resamples=100)
    order = np.random.default_rng(9).permutation(table.n_rows)
    label = table.label
    assert label is not None
    shuffled = _table(
        label[order],
        table.scores["m"][order],
        unit=None if table.unit is None else table.unit[order].tolist(),
    )
    other = np.random.default_rng(8).permutation(field.n_rows)
    turned = _table(
        np.zeros(field.n_rows),
        field.scores["m"][other],
        unit=None if field.unit is None else field.unit[other].tolist(),
        name="field",
    )
    second = _run(settings, shuffled, turned, resamples=100)
    assert plain(first.result) == plain(second.result)


# --- what cannot be had ---------------------------------------------------------------------------


def test_published_without_counts_has_values_and_no_intervals() -> None:
    outcome = _run(_settings(sensitivity=0.8, specificity={"k": 450, "n": 500}, prevalences=[0.01]))
    result = _result(outcome)
    value = _row(result, "precision", 0.01).value
    assert value.estimate == pytest.approx(0.008 / (0.008 + 0.099))
    assert (value.low, value.reason) == (None, "published without counts")
    alarms = _row(result, "false_alarms_per_1000", 0.01).value  # rests on the specificity alone
    assert alarms.low is not None
    assert "PRV-010" in _codes(outcome)
    assert "PRV-010" not in _codes(_run(PrevalenceSettings.model_validate(PUBLISHED)))
    assert _row(result, "net_benefit", 0.01).value.reason == "no threshold stated"


def test_one_class_tells_what_is_missing() -> None:
    outcome = _run(_settings(), _table(np.ones(30), np.linspace(0, 1, 30)))
    result = _result(outcome)
    assert result.sensitivity.estimate == pytest.approx(0.5)
    assert result.specificity.reason == "no negative row"
    assert result.auc.reason == "not defined: one class"
    assert _row(result, "precision", 0.01).value.reason == "no negative row"
    assert _row(result, "missed_per_1000", 0.01).value.estimate == pytest.approx(5)
    (finding,) = [f for f in outcome.findings if f.code == "PRV-005"]
    assert "specificity" in finding.statement
    assert "PRV-005" not in _codes(_run(_settings(), _sample(60, 0.4, 1)))


def test_decisions_of_a_group_without_positives() -> None:
    # catalogue D29: labels 0 0 0 0 0, decisions 0 0 1 0 1
    result = _result(_run(_settings(), _table([0] * 5, [0, 0, 1, 0, 1])))
    point = result.operating_points[0]
    assert point.specificity.estimate == pytest.approx(0.6)
    assert point.sensitivity.estimate is None
    assert point.balanced_accuracy.estimate is None


def test_nobody_flagged_leaves_the_precision_open() -> None:
    outcome = _run(_settings(threshold=0.9), _table([1, 0] * 20, [0.2] * 40))
    result = _result(outcome)
    for metric in ("precision", "lift"):
        assert _row(result, metric, 0.01).value.reason == "0 of 0: nobody is flagged"
    assert _row(result, "mcc", 0.01).value.estimate is None
    assert _row(result, "npv", 0.01).value.estimate == pytest.approx(0.99)
    assert "PRV-011" in _codes(outcome)
    assert "PRV-001" not in _codes(outcome)
    assert "PRV-004" not in _codes(outcome)
    assert "PRV-011" not in _codes(_run(_settings(), _sample(60, 0.4, 1)))


def test_a_ranking_score_has_thresholds_and_no_net_benefit() -> None:
    table = _table([1, 1, 1, 0, 0, 0], [12, 9, 3, 8, 2, 1], scale="score")
    result = _result(_run(_settings(threshold=8), table))
    assert result.sensitivity.estimate == pytest.approx(2 / 3)
    assert "ranking" in str(_row(result, "net_benefit", 0.01).value.reason)
    assert any("ranks" in note for note in result.notes)


def test_net_benefit_at_threshold_one() -> None:
    result = _result(_run(_settings(threshold=1), _sample(60, 0.4, 1)))
    assert _row(result, "net_benefit", 0.01).value.reason == "not defined at threshold 1"


def test_perfect_separation_has_no_interval_of_the_area() -> None:
    result = _result(_run(_settings(), _table([1] * 6 + [0] * 6, [0.9] * 6 + [0.1] * 6)))
    assert result.auc.estimate == 1
    assert result.auc.low is None
    assert "perfect separation" in str(result.auc.reason)


def test_no_usable_row_is_not_assessed() -> None:
    outcome = _run(_settings(), _table([np.nan, 1.0], [0.5, np.nan]))
    assert isinstance(outcome.result, NotApplicable)
    (finding,) = outcome.findings
    assert finding.code == "PRV-012"
    assert "1 for label missing; 1 for score of m missing" in finding.statement


# --- findings -------------------------------------------------------------------------------------


def test_headline_and_assumption_always_stand() -> None:
    outcome = _run(_settings(thresholds=[0.3, 0.5]), _sample(200, 0.3, 1))
    assert _codes(outcome) == ["PRV-001", "PRV-001", "PRV-002"]
    assert "0.01" in outcome.findings[0].statement


@pytest.mark.parametrize(("positives", "fires"), [(9, True), (10, False)])
def test_few_positives(positives: int, fires: bool) -> None:
    rng = np.random.default_rng(2)
    label = np.array([1] * positives + [0] * 40)
    outcome = _run(_settings(), _table(label, rng.random(len(label))))
    assert ("PRV-003" in _codes(outcome)) is fires


def test_few_patients_though_many_rows() -> None:
    table = _sample(12, 0.5, 5, rows=10)
    assert "PRV-003" in _codes(_run(_settings(), table))


@pytest.mark.parametrize(
    ("sensitivity", "specificity", "fires"),
    [((34, 34), (32, 44), True), ((31, 34), (44, 44), True), ((31, 34), (32, 44), False)],
)
def test_no_errors_of_a_kind(
    sensitivity: tuple[int, int], specificity: tuple[int, int], fires: bool
) -> None:
    sides = {
        name: {"k": k, "n": n}
        for name, (k, n) in (("sensitivity", sensitivity), ("specificity", specificity))
    }
    outcome = _run(PrevalenceSettings.model_validate(PUBLISHED | sides))
    assert ("PRV-004" in _codes(outcome)) is fires


def test_specificity_of_one_without_counts_is_no_certainty() -> None:
    outcome = _run(_settings(sensitivity=0.8, specificity=1.0))
    (finding,) = [f for f in outcome.findings if f.code == "PRV-004"]
    assert "unknown" in finding.statement


def test_reversed_score() -> None:
    table = _sample(100, 0.4, 1)
    label = table.label
    assert label is not None
    assert "PRV-006" in _codes(_run(_settings(), _table(1 - label, table.scores["m"])))
    assert "PRV-006" not in _codes(_run(_settings(), table))


@pytest.mark.parametrize(("gone", "severity"), [(0, None), (5, "note"), (6, "warn")])
def test_rows_left_out(gone: int, severity: str | None) -> None:
    score = np.linspace(0, 1, 100)
    score[1 : gone + 1] = np.nan
    outcome = _run(_settings(), _table([1, 0] * 50, score))
    found = [f.severity for f in outcome.findings if f.code == "PRV-007"]
    assert found == ([] if severity is None else [severity])
    assert sum(entry.k for entry in _result(outcome).left_out) == gone


# --- unlabelled -----------------------------------------------------------------------------------


def test_unlabelled_prevalence_under_label_shift() -> None:
    outcome = _run(
        _settings(unlabelled="field"), _sample(2000, 0.3, 1), _sample(3000, 0.1, 2, name="field")
    )
    rogan_gladen, em = _result(outcome).unlabelled
    for row in (rogan_gladen, em):
        assert row.prevalence.low is not None
        assert row.prevalence.high is not None
        assert row.prevalence.low < 0.1 < row.prevalence.high
        assert row.prevalence.high - row.prevalence.low < 0.1
        assert row.n_rows == 3000
    assert rogan_gladen.threshold == 0.5
    assert em.threshold is None
    assert not {"PRV-008", "PRV-009"} & set(_codes(outcome))


def test_shifted_scores_make_the_two_estimates_differ() -> None:
    outcome = _run(
        _settings(unlabelled="field"),
        _sample(2000, 0.3, 1),
        _sample(3000, 0.3, 2, name="field", shift=0.7),
    )
    assert "PRV-009" in _codes(outcome)


def test_a_raw_value_below_zero_is_not_cut() -> None:
    table = _sample(400, 0.4, 1)
    outcome = _run(
        _settings(unlabelled="field"), table, _table([0] * 50, [0.01] * 50, name="field")
    )
    row = _result(outcome).unlabelled[0]
    assert row.prevalence.estimate is None
    assert "not identifiable: the raw value is -0." in str(row.prevalence.reason)
    assert "below 0" in str(row.prevalence.reason)
    assert "PRV-008" in _codes(outcome)


def test_a_test_no_better_than_chance_identifies_nothing() -> None:
    rng = np.random.default_rng(3)
    outcome = _run(
        _settings(unlabelled="field"),
        _table([1, 0] * 30, rng.random(60)),
        _table([0] * 50, rng.random(50), name="field"),
    )
    assert "Youden" in str(_result(outcome).unlabelled[0].prevalence.reason)
    assert "PRV-008" in _codes(outcome)


def test_a_ranking_score_has_no_em() -> None:
    labelled = _sample(300, 0.3, 1)
    label = labelled.label
    assert label is not None
    table = _table(label, labelled.scores["m"], scale="score")
    field = _table([0] * 50, np.linspace(0, 1, 50), scale="score", name="field")
    rogan_gladen, em = _result(_run(_settings(unlabelled="field"), table, field)).unlabelled
    assert rogan_gladen.prevalence.estimate is not None
    assert "only rank" in str(em.prevalence.reason)


def test_an_unlabelled_table_without_scores() -> None:
    outcome = _run(
        _settings(unlabelled="field"),
        _sample(100, 0.3, 1),
        _table([0] * 3, [np.nan] * 3, name="field"),
    )
    assert all(r.prevalence.reason == "no row has a score" for r in _result(outcome).unlabelled)
    assert "PRV-007" in _codes(outcome)


# --- the manifest ---------------------------------------------------------------------------------


def _tables(**changes: Mapping[str, Any]) -> dict[str, TableSettings]:
    label = {"column": "y", "positive": 1}
    base: dict[str, dict[str, Any]] = {
        "test": {"path": "a.csv", "label": label, "scores": {"logistic": "p", "forest": "q"}},
        "field": {"path": "b.csv", "scores": {"logistic": "p"}},
    }
    for name, change in changes.items():
        base[name] = base.get(name, {"path": "c.csv"}) | dict(change)
    return {name: TableSettings.model_validate(value) for name, value in base.items()}


def _faults(tables: dict[str, TableSettings] | None = None, **settings: Any) -> list[KeyFault]:
    base = {"kind": "prevalence", "prevalences": [0.1]}
    parsed = PrevalenceSettings.model_validate(base | settings)
    return list(check(parsed, _tables() if tables is None else tables))


GOOD: dict[str, Any] = {"table": "test", "score": "logistic", "thresholds": [0.3, 0.5]}


def test_good_sections_have_no_fault() -> None:
    assert _faults(**GOOD, unlabelled="field") == []
    assert _faults(sensitivity={"k": 8, "n": 10}, specificity=0.9) == []
    assert _faults(sensitivity=1, specificity=0, threshold=4.0) == []
    assert (
        _faults(
            table="field",
            threshold=0,
            tables=_tables(field={"label": {"column": "y", "positive": 1}}),
        )
        == []
    )
    ranking = _tables(test={"scale": "score"})
    assert _faults(table="test", score="forest", threshold=-3.5, tables=ranking) == []


@pytest.mark.parametrize(
    ("settings", "key", "words"),
    [
        ({}, (), "neither"),
        ({"sensitivity": 0.8}, (), "specificity is missing"),
        ({"specificity": 0.8}, (), "sensitivity is missing"),
        (GOOD | {"sensitivity": 0.8}, ("sensitivity",), "beside a table"),
        (GOOD | {"specificity": {"k": 1, "n": 2}}, ("specificity",), "beside a table"),
        ({"score": "logistic", "threshold": 0.5}, ("score",), "without a table"),
        (GOOD | {"table": "tset"}, ("table",), "tset"),
        (GOOD | {"score": "logistik"}, ("score",), "logistik"),
        ({"table": "test", "threshold": 0.5}, ("table",), "2 scores"),
        ({"table": "test", "score": "forest"}, (), "no threshold"),
        ({"table": "field", "threshold": 0.5}, ("table",), "no label"),
        (GOOD | {"thresholds": [0.3, 1.5]}, ("thresholds", 1), "1.5"),
        ({"table": "test", "score": "forest", "threshold": -0.1}, ("threshold",), "-0.1"),
        (GOOD | {"thresholds": [0.3, 0.30]}, ("thresholds", 1), "twice"),
        (GOOD | {"thresholds": []}, ("thresholds",), "empty"),
        (GOOD | {"threshold": 0.2}, ("threshold",), "beside thresholds"),
        (
            GOOD | {"prevalences": [0.1, {"positives": 1, "negatives": 9}]},
            ("prevalences", 1),
            "0.1",
        ),
        (GOOD | {"unlabelled": "feild"}, ("unlabelled",), "feild"),
        (GOOD | {"unlabelled": "test"}, ("unlabelled",), "itself"),
        (GOOD | {"score": "forest", "unlabelled": "field"}, ("unlabelled",), "no score 'forest'"),
        ({"sensitivity": 0.8, "specificity": 0.8, "unlabelled": "field"}, ("unlabelled",), "needs"),
        ({"sensitivity": {"k": 11, "n": 10}, "specificity": 0.8}, ("sensitivity", "k"), "11 of 10"),
        ({"sensitivity": 80, "specificity": 0.8}, ("sensitivity",), "80 % is 0.8"),
        ({"sensitivity": 0.8, "specificity": -0.2}, ("specificity",), "-0.2"),
        ({"sensitivity": 0.8, "specificity": 0.8, "thresholds": [1, 2]}, ("thresholds",), "2 thre"),
    ],
)
def test_faults(settings: dict[str, Any], key: tuple[str | int, ...], words: str) -> None:
    (fault,) = _faults(**settings)
    assert fault.key == key
    assert words in fault.what
    assert fault.mend


def test_faults_name_the_nearest() -> None:
    (fault,) = _faults(**GOOD | {"table": "tset"})
    assert "did you mean 'test'?" in fault.mend
    (fault,) = _faults(**GOOD | {"score": "logistik"})
    assert "did you mean 'logistic'?" in fault.mend


def test_faults_of_the_tables() -> None:
    survival = {"time": "t", "event": "e", "positive": 1, "at": 1.5}
    (fault,) = _faults(_tables(test={"label": survival}), **GOOD)
    assert (fault.key, "time to an event" in fault.what) == (("table",), True)
    (fault,) = _faults(_tables(field={"scale": "score"}), **GOOD, unlabelled="field")
    assert (fault.key, "scale score" in fault.what) == (("unlabelled",), True)
    (fault,) = _faults(_tables(test={"scale": "percent"}), **GOOD | {"thresholds": [30]})
    assert "divided by 100" in fault.what


@pytest.mark.parametrize("prevalence", [1.5, -0.1, 3, "9:1", "3%", "", None, 0, 1, True])
def test_other_prevalences_are_refused(prevalence: Any) -> None:
    with pytest.raises(ValidationError):
        _settings(prevalences=[prevalence])


@pytest.mark.parametrize(
    "counts", [{"k": -1, "n": 5}, {"k": 0, "n": 0}, {"k": 1.5, "n": 5}, {"k": 1}, "4/5", True]
)
def test_other_counts_are_refused(counts: Any) -> None:
    with pytest.raises(ValidationError):
        PrevalenceSettings.model_validate(PUBLISHED | {"sensitivity": counts})


def test_the_section_reads_as_json_does() -> None:
    text = json.dumps(PUBLISHED)
    parsed = SECTION.settings.model_validate_json(text)
    assert isinstance(parsed, PrevalenceSettings)
    assert list(SECTION.check(parsed, {})) == []


def test_codes_are_documented_once() -> None:
    codes = [code.code for code in CODES]
    assert codes == sorted(set(codes))
    assert all(code.meaning.endswith(".") for code in CODES)
