"""The sentences of all findings: one precision, true minus signs, quoted names, the unit's name."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from reportgen.result import Estimate, Outcome
from tests.support import dca, prevalence

HYPHEN_MINUS = re.compile(r"(?<![\w.-])-\.?\d")
INTERVAL = re.compile(r"(−?[\d.]+) \((?:95\xa0% interval )?(−?[\d.]+) to (−?[\d.]+)")


def _statements(outcome: Outcome) -> list[str]:
    return [finding.statement for finding in outcome.findings]


@pytest.fixture(scope="module")
def curves() -> list[Outcome]:
    table = dca.informative(600)
    noise = np.random.default_rng(4).normal(0, 0.25, 600)
    scores = {"good": table.scores["good"], "noisy": np.clip(table.scores["good"] + noise, 0, 1)}
    unit = (np.arange(600) // 2).astype(str)
    named = replace(dca.table_of(scores, table.label, unit=unit), unit_name="patient_id")
    grid = {"from": 0.1, "to": 0.3, "step": 0.1, **dca.STATED}
    return [
        dca.run(named, thresholds=grid, prevalence=0.05),
        dca.run(table, thresholds=grid),
        dca.run(dca.table_of({"m": [-0.5, 2.0]}, [0, 1]), thresholds=grid),
    ]


@pytest.fixture(scope="module")
def mixes(
    prevalence_settings: Callable[..., Any],
    sample_table: Callable[..., Any],
    score_table: Callable[..., Any],
    run_prevalence: Callable[..., Outcome],
) -> list[Outcome]:
    named = replace(sample_table(150, 0.3, 1, rows=2), unit_name="patient_id")
    labelled = sample_table(2000, 0.3, 1)
    shifted = sample_table(3000, 0.3, 2, name="field", shift=-0.7)
    low = score_table([0] * 50, [0.01] * 50, name="field")
    turned = score_table(1 - labelled.label, labelled.scores["m"])
    settings = prevalence_settings(unlabelled="field", thresholds=[0.3, 0.5])
    return [
        run_prevalence(prevalence_settings(), named),
        run_prevalence(settings, labelled, shifted),
        run_prevalence(settings, labelled, low),
        run_prevalence(prevalence_settings(), turned),
    ]


def test_no_hyphen_stands_for_a_minus(curves: list[Outcome], mixes: list[Outcome]) -> None:
    texts = [text for outcome in (*curves, *mixes) for text in _statements(outcome)]
    assert [text for text in texts if HYPHEN_MINUS.search(text)] == []
    assert sum("−" in text for text in texts) >= 5


def test_an_estimate_and_its_limits_have_the_same_decimals(
    curves: list[Outcome], mixes: list[Outcome]
) -> None:
    texts = " ".join(text for outcome in (*curves, *mixes) for text in _statements(outcome))
    found = INTERVAL.findall(texts)
    assert len(found) >= 10
    for figures in found:
        assert len({len(figure.partition(".")[2]) for figure in figures}) == 1, figures


def test_limits_show_the_side_that_the_verdict_names(curves: list[Outcome]) -> None:
    for outcome in curves[:2]:
        for finding in outcome.findings:
            band = finding.evidence.get("gain_with_simultaneous_limits")
            if isinstance(band, Estimate) and band.low is not None and band.low > 0:
                shown = re.search(r"limits ([\d.]+) to", finding.statement)
                assert shown is not None
                assert float(shown[1]) > 0


def test_the_unit_is_named_where_it_was_declared(
    curves: list[Outcome], mixes: list[Outcome]
) -> None:
    assert dca.result_of(curves[0]).unit == "patient_id"
    assert "600 rows of 300 units (patient_id)" in curves[0].findings[0].statement
    assert dca.result_of(curves[1]).unit is None
    assert " units" not in curves[1].findings[0].statement
    clustered = prevalence.result_of(mixes[0])
    assert clustered.unit == "patient_id"
    assert clustered.notes[0].startswith("300 rows of 150 units (patient_id): ")
    assert prevalence.result_of(mixes[1]).unit is None


def test_names_of_models_and_tables_are_quoted(curves: list[Outcome], mixes: list[Outcome]) -> None:
    verdicts = [f for f in curves[0].findings if f.code in ("DCA-001", "DCA-002", "DCA-003")]
    assert {f"“{f.evidence['model']}”" in f.statement for f in verdicts} == {True}
    headlines = [f for outcome in mixes for f in outcome.findings if f.code == "PRV-001"]
    assert all(
        "the precision of “m”, with its 95\xa0% interval, is" in f.statement for f in headlines
    )


def test_an_area_below_one_half_tells_of_its_interval(
    prevalence_settings: Callable[..., Any],
    score_table: Callable[..., Any],
    run_prevalence: Callable[..., Outcome],
    mixes: list[Outcome],
) -> None:
    (clear,) = [f for f in mixes[3].findings if f.code == "PRV-006"]
    assert "as is its whole interval" in clear.statement
    near = score_table([1, 0, 1, 0, 1, 0, 0], [0.1, 0.2, 0.5, 0.4, 0.3, 0.6, 0.35])
    outcome = run_prevalence(prevalence_settings(), near)
    (open_,) = [f for f in outcome.findings if f.code == "PRV-006"]
    assert "though its interval reaches it" in open_.statement


def test_resamples_that_leave_a_figure_open_are_said(
    prevalence_settings: Callable[..., Any],
    score_table: Callable[..., Any],
    run_prevalence: Callable[..., Outcome],
) -> None:
    """Five units of 60 hold both flagged and missed positives: few resamples hold none of them."""
    unit = np.repeat(np.arange(60), 2)
    label = unit < 5
    score = np.where(np.arange(120) % 2 == 0, 0.9, 0.1)
    table = score_table(label, score, unit=unit.astype(str).tolist())
    outcome = run_prevalence(prevalence_settings(), table, resamples=2000)
    value = prevalence.result_of(outcome).sensitivity
    assert value.low is not None
    k = int(str(value.reason).split()[2])
    # (55 / 60)^60 of 2,000 resamples, within five Monte-Carlo errors
    expected = 2000 * (55 / 60) ** 60
    assert abs(k - expected) < 5 * np.sqrt(expected)
