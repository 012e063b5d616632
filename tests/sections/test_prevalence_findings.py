"""The findings of a prevalence section, where each fires and where not; unlabelled tables."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from reportgen.result import Outcome
from reportgen.sections.prevalence import PrevalenceSettings
from tests.support.prevalence import PUBLISHED, codes, result_of

Make = Callable[..., Any]
Run = Callable[..., Outcome]


def test_headline_and_assumption_always_stand(
    prevalence_settings: Make, sample_table: Make, run_prevalence: Run
) -> None:
    outcome = run_prevalence(prevalence_settings(thresholds=[0.3, 0.5]), sample_table(200, 0.3, 1))
    assert codes(outcome) == ["PRV-001", "PRV-001", "PRV-002"]
    assert "0.01" in outcome.findings[0].statement


@pytest.mark.parametrize(("positives", "fires"), [(9, True), (10, False)])
def test_few_positives(
    positives: int, fires: bool, prevalence_settings: Make, score_table: Make, run_prevalence: Run
) -> None:
    rng = np.random.default_rng(2)
    label = np.array([1] * positives + [0] * 40)
    outcome = run_prevalence(prevalence_settings(), score_table(label, rng.random(len(label))))
    assert ("PRV-003" in codes(outcome)) is fires


def test_few_patients_though_many_rows(
    prevalence_settings: Make, sample_table: Make, run_prevalence: Run
) -> None:
    table = sample_table(12, 0.5, 5, rows=10)
    assert "PRV-003" in codes(run_prevalence(prevalence_settings(), table))


@pytest.mark.parametrize(
    ("sensitivity", "specificity", "fires"),
    [((34, 34), (32, 44), True), ((31, 34), (44, 44), True), ((31, 34), (32, 44), False)],
)
def test_no_errors_of_a_kind(
    sensitivity: tuple[int, int], specificity: tuple[int, int], fires: bool, run_prevalence: Run
) -> None:
    sides = {
        name: {"k": k, "n": n}
        for name, (k, n) in (("sensitivity", sensitivity), ("specificity", specificity))
    }
    outcome = run_prevalence(PrevalenceSettings.model_validate(PUBLISHED | sides))
    assert ("PRV-004" in codes(outcome)) is fires


def test_specificity_of_one_without_counts_is_no_certainty(
    prevalence_settings: Make, run_prevalence: Run
) -> None:
    outcome = run_prevalence(prevalence_settings(sensitivity=0.8, specificity=1.0))
    (finding,) = [f for f in outcome.findings if f.code == "PRV-004"]
    assert "unknown" in finding.statement


def test_reversed_score(
    prevalence_settings: Make, score_table: Make, sample_table: Make, run_prevalence: Run
) -> None:
    table = sample_table(100, 0.4, 1)
    label = table.label
    assert label is not None
    assert "PRV-006" in codes(
        run_prevalence(prevalence_settings(), score_table(1 - label, table.scores["m"]))
    )
    assert "PRV-006" not in codes(run_prevalence(prevalence_settings(), table))


@pytest.mark.parametrize(("gone", "severity"), [(0, None), (5, "note"), (6, "warn")])
def test_rows_left_out(
    gone: int,
    severity: str | None,
    prevalence_settings: Make,
    score_table: Make,
    run_prevalence: Run,
) -> None:
    score = np.linspace(0, 1, 100)
    score[1 : gone + 1] = np.nan
    outcome = run_prevalence(prevalence_settings(), score_table([1, 0] * 50, score))
    found = [f.severity for f in outcome.findings if f.code == "PRV-007"]
    assert found == ([] if severity is None else [severity])
    assert sum(entry.k for entry in result_of(outcome).left_out) == gone


def test_unlabelled_prevalence_under_label_shift(
    prevalence_settings: Make, sample_table: Make, run_prevalence: Run
) -> None:
    outcome = run_prevalence(
        prevalence_settings(unlabelled="field"),
        sample_table(2000, 0.3, 1),
        sample_table(3000, 0.1, 2, name="field"),
    )
    rogan_gladen, em = result_of(outcome).unlabelled
    for row in (rogan_gladen, em):
        assert row.prevalence.low is not None
        assert row.prevalence.high is not None
        assert row.prevalence.low < 0.1 < row.prevalence.high
        assert row.prevalence.high - row.prevalence.low < 0.1
        assert row.n_rows == 3000
    assert rogan_gladen.threshold == 0.5
    assert em.threshold is None
    assert not {"PRV-008", "PRV-009"} & set(codes(outcome))


def test_shifted_scores_make_the_two_estimates_differ(
    prevalence_settings: Make, sample_table: Make, run_prevalence: Run
) -> None:
    outcome = run_prevalence(
        prevalence_settings(unlabelled="field"),
        sample_table(2000, 0.3, 1),
        sample_table(3000, 0.3, 2, name="field", shift=0.7),
    )
    assert "PRV-009" in codes(outcome)


def test_a_raw_value_below_zero_is_not_cut(
    prevalence_settings: Make, score_table: Make, sample_table: Make, run_prevalence: Run
) -> None:
    table = sample_table(400, 0.4, 1)
    outcome = run_prevalence(
        prevalence_settings(unlabelled="field"),
        table,
        score_table([0] * 50, [0.01] * 50, name="field"),
    )
    row = result_of(outcome).unlabelled[0]
    assert row.prevalence.estimate is None
    assert "not identifiable: the raw value is −0." in str(row.prevalence.reason)
    assert "below 0" in str(row.prevalence.reason)
    assert "PRV-008" in codes(outcome)


def test_limits_below_zero_are_not_cut(
    prevalence_settings: Make, score_table: Make, run_prevalence: Run
) -> None:
    """Three flagged of a hundred, beside a false positive rate of 2 in 100 with its own spread.

    Lang and Reiczigel's limits, written out with the adjusted counts of their article.
    """
    labelled = score_table([1] * 50 + [0] * 100, [0.9] * 40 + [0.1] * 10 + [0.9] * 2 + [0.1] * 98)
    field = score_table([0] * 100, [0.9] * 3 + [0.1] * 97, name="field")
    outcome = run_prevalence(prevalence_settings(unlabelled="field"), labelled, field)
    found = result_of(outcome).unlabelled[0].prevalence
    z = 1.959963984540054
    n, n1, n0 = 100 + z**2, 52, 102
    ap, se, sp = (3 + z**2 / 2) / n, 41 / n1, 99 / n0
    p = (ap + sp - 1) / (se + sp - 1)
    noise = [ap * (1 - ap) / n, se * (1 - se) / n1, sp * (1 - sp) / n0]
    half = z * (noise[0] + p**2 * noise[1] + (1 - p) ** 2 * noise[2]) ** 0.5 / (se + sp - 1)
    middle = p + 2 * z**2 * (p * noise[1] - (1 - p) * noise[2])
    assert found.low == pytest.approx(middle - half, abs=1e-12)
    assert found.high == pytest.approx(middle + half, abs=1e-12)
    assert found.low is not None
    assert found.low < -0.01
    assert found.method == "Lang–Reiczigel"


def test_resampled_limits_below_zero_are_not_cut(
    prevalence_settings: Make, sample_table: Make, run_prevalence: Run
) -> None:
    outcome = run_prevalence(
        prevalence_settings(unlabelled="field"),
        sample_table(150, 0.3, 1, rows=2),
        sample_table(60, 0.02, 4, name="field", rows=2),
    )
    found = result_of(outcome).unlabelled[0].prevalence
    assert found.low is not None
    assert found.low < 0
    assert "bootstrap of labelled and unlabelled units" in str(found.method)


def test_what_cannot_be_identified_is_not_compared(
    prevalence_settings: Make, sample_table: Make, run_prevalence: Run
) -> None:
    """Scores shifted far down: the raw value lies below 0, the maximum likelihood above it."""
    outcome = run_prevalence(
        prevalence_settings(unlabelled="field", threshold=0.3),
        sample_table(2000, 0.3, 1),
        sample_table(3000, 0.1, 2, name="field", shift=-0.7),
    )
    rogan_gladen, em = result_of(outcome).unlabelled
    assert rogan_gladen.prevalence.estimate is None
    assert em.prevalence.estimate is not None
    assert "PRV-008" in codes(outcome)
    assert "PRV-009" not in codes(outcome)


def test_no_two_findings_have_one_title(
    prevalence_settings: Make, sample_table: Make, score_table: Make, run_prevalence: Run
) -> None:
    for field in (
        sample_table(3000, 0.3, 2, name="field", shift=0.7),
        score_table([0] * 50, [0.01] * 50, name="field"),
    ):
        settings = prevalence_settings(unlabelled="field", thresholds=[0.3, 0.5])
        outcome = run_prevalence(settings, sample_table(2000, 0.3, 1), field)
        titles = [finding.title for finding in outcome.findings]
        assert len(titles) > 4
        assert len(set(titles)) == len(titles)


def test_a_precision_without_an_interval_promises_none(run_prevalence: Run) -> None:
    settings = PUBLISHED | {"sensitivity": 0.8, "specificity": 0.84, "prevalences": [0.001, 0.5]}
    (finding, *_) = run_prevalence(PrevalenceSettings.model_validate(settings)).findings
    # 0.8 / (0.8 + 0.16 * 999) and 0.8 / 0.96
    assert finding.statement == (
        "As published the precision is 0.00498 at prevalence 0.001; 0.833 at prevalence 0.5,"
        " without intervals: published without counts."
    )


def test_a_test_no_better_than_chance_identifies_nothing(
    prevalence_settings: Make, score_table: Make, run_prevalence: Run
) -> None:
    rng = np.random.default_rng(3)
    outcome = run_prevalence(
        prevalence_settings(unlabelled="field"),
        score_table([1, 0] * 30, rng.random(60)),
        score_table([0] * 50, rng.random(50), name="field"),
    )
    assert "Youden" in str(result_of(outcome).unlabelled[0].prevalence.reason)
    assert "PRV-008" in codes(outcome)


def test_a_ranking_score_has_no_em(
    prevalence_settings: Make, score_table: Make, sample_table: Make, run_prevalence: Run
) -> None:
    labelled = sample_table(300, 0.3, 1)
    label = labelled.label
    assert label is not None
    table = score_table(label, labelled.scores["m"], scale="score")
    field = score_table([0] * 50, np.linspace(0, 1, 50), scale="score", name="field")
    rogan_gladen, em = result_of(
        run_prevalence(prevalence_settings(unlabelled="field"), table, field)
    ).unlabelled
    assert rogan_gladen.prevalence.estimate is not None
    assert "only rank" in str(em.prevalence.reason)


def test_an_unlabelled_table_without_scores(
    prevalence_settings: Make, score_table: Make, sample_table: Make, run_prevalence: Run
) -> None:
    outcome = run_prevalence(
        prevalence_settings(unlabelled="field"),
        sample_table(100, 0.3, 1),
        score_table([0] * 3, [np.nan] * 3, name="field"),
    )
    assert all(r.prevalence.reason == "no row has a score" for r in result_of(outcome).unlabelled)
    assert "PRV-007" in codes(outcome)
