"""A classifier that decides nothing is named, whatever its accuracy."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from sklearn.metrics import cohen_kappa_score, matthews_corrcoef

from reportgen.sections.integrity.classifier import audit
from reportgen.sections.integrity.result_evaluation import ClassifierRow
from tests.support.integrity_jobs import grades, job, score_table

SETTINGS: dict[str, Any] = {"classifier": {"table": "test", "threshold": 0.5}}


def _all_positive() -> tuple[list[int], list[float]]:
    """Return 105 positives and 4 negatives, all above 0.5, with 349 of 420 pairs in order."""
    negatives = [0.6, 0.7, 0.8, 0.9]
    # Positives above all four negatives: 4 pairs each; 87 do, 1 lies above one only, 17 below all.
    positives = [0.95] * 87 + [0.65] + [0.55] * 17
    return [1] * 105 + [0] * 4, [*positives, *negatives]


def _only(found: Any) -> ClassifierRow:
    (row,) = found.result.rows
    assert isinstance(row, ClassifierRow)
    return row


def test_all_positive_105_of_109() -> None:
    """Article 003, section 3.7; the figures are exact fractions."""
    label, score = _all_positive()
    found = audit(job(SETTINGS, tables={"test": score_table(label, score)}))
    row = _only(found)
    assert row.balanced_accuracy.estimate == 0.5
    assert row.f1.estimate == pytest.approx(210 / 214, abs=1e-12)
    assert row.kappa.estimate == 0
    assert row.precision.estimate == pytest.approx(105 / 109)
    assert row.mcc.estimate is None
    assert "undefined (0/0)" in str(row.mcc.reason)
    assert "scikit-learn prints 0" in str(row.mcc.reason)
    assert row.auc.estimate == pytest.approx(349 / 420, abs=1e-12)
    assert row.auc.low is not None
    assert row.auc.low < 349 / 420 < (row.auc.high or 0)
    # Clopper-Pearson limits of 105/109 and 0/4, methods section 3.
    assert (row.accuracy.low, row.accuracy.high) == pytest.approx((0.9087, 0.9899), abs=5e-5)
    assert (row.sensitivity.low, row.sensitivity.high) == pytest.approx((0.9655, 1), abs=5e-5)
    assert (row.specificity.low, row.specificity.high) == pytest.approx((0, 0.602365), abs=5e-7)
    assert found.result.never_predicted == ("negative",)
    assert grades(found) == {
        "INT-060": ["critical"],
        "INT-061": ["critical"],
        "INT-062": ["critical"],
        "INT-063": ["info"],
        "INT-069": [None],
    }
    said = " ".join(finding.statement for finding in found.findings)
    assert "undefined (0/0)" in said
    assert "scikit-learn prints 0" in said


def test_d113_nine_positives_one_negative() -> None:
    found = audit(job(SETTINGS, tables={"test": score_table([1] * 9 + [0], [0.9] * 10)}))
    row = _only(found)
    assert row.accuracy.estimate == row.base_rate.estimate == 0.9
    assert (row.specificity.estimate, row.specificity.low) == (0, 0)
    assert row.specificity.high == pytest.approx(0.975)
    assert row.mcc.estimate is None


def test_one_of_a_kind_is_said_in_the_singular() -> None:
    found = audit(job(SETTINGS, tables={"test": score_table([1] * 9 + [0], [0.8] * 10)}))
    assert "1 negative and 9 positives alike" in found.findings[0].statement


def test_sound_classifier_fires_nothing_and_agrees_with_scikit_learn() -> None:
    rng = np.random.default_rng(5)
    label = rng.integers(0, 2, 300)
    score = label * 0.4 + rng.random(300) * 0.6
    found = audit(job(SETTINGS, tables={"test": score_table(label.tolist(), score.tolist())}))
    codes = ("INT-060", "INT-061", "INT-062", "INT-063", "INT-069")
    assert grades(found) == {code: [None] for code in codes}
    assert found.result.status == "not found"
    row, called = _only(found), score >= 0.5
    assert row.kappa.estimate == pytest.approx(cohen_kappa_score(label, called), abs=1e-12)
    assert row.mcc.estimate == pytest.approx(matthews_corrcoef(label, called), abs=1e-12)
    assert row.mcc.low is not None
    assert row.mcc.low < (row.mcc.estimate or 0) < (row.mcc.high or 0)


def test_perfect_classifier_has_no_interval_of_one_to_one() -> None:
    """20 right of 20 are consistent with many less than perfect: resamples cannot show it."""
    row = _only(audit(job(SETTINGS, tables={"test": score_table([0, 1] * 10, [0.1, 0.9] * 10)})))
    for found in (row.kappa, row.mcc):
        assert found.estimate == pytest.approx(1, abs=1e-12)
        assert found.low is None
        assert "same value" in str(found.reason)


def test_nearly_constant_is_major_and_few_positives_are_not() -> None:
    label = [1] * 900 + [0] * 100
    nearly = [0.9] * 995 + [0.1] * 5
    found = audit(job(SETTINGS, tables={"test": score_table(label, nearly)}))
    assert grades(found)["INT-060"] == ["major"]
    rare = [1] * 10 + [0] * 990
    found = audit(job(SETTINGS, tables={"test": score_table(rare, [0.9] * 10 + [0.1] * 990)}))
    assert grades(found)["INT-060"] == [None]


def test_one_class_is_not_testable_not_degenerate() -> None:
    found = audit(job(SETTINGS, tables={"test": score_table([1] * 20, [0.9] * 20)}))
    record = found.records[0]
    assert (record.code, record.status, record.grade) == ("INT-060", "not testable", None)
    assert _only(found).auc.estimate is None


def test_accuracy_below_the_base_rate_is_minor() -> None:
    label = [1] * 10 + [0] * 90
    score = [0.9] * 9 + [0.1] + [0.9] * 20 + [0.1] * 70
    found = audit(job(SETTINGS, tables={"test": score_table(label, score)}))
    assert grades(found)["INT-061"] == ["minor"]
    assert found.records[1].before == 0.79
    assert found.records[1].after == 0.9


def test_splits_have_rows_of_their_own() -> None:
    settings = {"classifier": {"table": "test", "threshold": 0.5, "split": "split"}}
    label, score = [1, 1, 0, 0, 1, 0], [0.9, 0.8, 0.2, 0.1, 0.9, 0.9]
    split = ["valid"] * 4 + ["test"] * 2
    table = score_table(label, score, groups={"split": split})
    found = audit(job(settings, tables={"test": table}))
    assert [row.split for row in found.result.rows] == ["all", "test", "valid"]
    assert found.result.never_predicted == ("negative (test)",)


def test_rows_of_one_patient_widen_the_interval() -> None:
    rng = np.random.default_rng(11)
    base = rng.integers(0, 2, 60)
    score = np.where(rng.random(60) < 0.75, base, 1 - base).astype(float)
    once = score_table(base.tolist(), score.tolist())
    many = score_table(
        np.repeat(base, 5).tolist(),
        np.repeat(score, 5).tolist(),
        unit=[f"p{i}" for i in np.repeat(np.arange(60), 5)],
    )
    single = _only(audit(job(SETTINGS, tables={"test": once}))).accuracy
    repeated = _only(audit(job(SETTINGS, tables={"test": many}))).accuracy
    assert repeated.estimate == pytest.approx(single.estimate)
    # Five copies tell no more than one: the width is that of 60 rows, not of 300.
    width = (single.high or 0) - (single.low or 0)
    assert (repeated.high or 0) - (repeated.low or 0) == pytest.approx(width, rel=0.08)


def test_table_without_label_is_not_testable() -> None:
    table = score_table([1, 0], [0.2, 0.9])
    bare = type(table)(**{**table.__dict__, "label": None})
    found = audit(job(SETTINGS, tables={"test": bare}))
    assert found.result.status == "not testable"
    assert [finding.severity for finding in found.findings] == ["note"]


def test_not_asked_for_is_none() -> None:
    assert audit(job({})).result is None


def test_repeated_rows_of_a_patient_leave_the_shares_of_findings_as_they_are() -> None:
    """Catalogue D42: every row four times under the same patient."""
    rng = np.random.default_rng(8)
    label, score = rng.integers(0, 2, 60), rng.random(60)
    unit = [f"p{k // 2}" for k in range(60)]

    def shares(times: int) -> list[tuple[float, float, float]]:
        table = score_table(
            np.repeat(label, times).tolist(),
            np.repeat(score, times).tolist(),
            unit=np.repeat(unit, times).tolist(),
        )
        found = audit(job(SETTINGS, tables={"test": table}))
        row = _only(found)
        by_code = {record.code: record.share for record in found.records}
        assert by_code["INT-061"] == row.accuracy
        both = [by_code[code] for code in ("INT-060", "INT-061")]
        return [
            (one.estimate or math.nan, one.low or math.nan, one.high or math.nan)
            for one in both
            if one is not None
        ]

    once, often = shares(1), shares(4)
    assert len(once) == 2
    for one, other in zip(once, often, strict=True):
        assert one == pytest.approx(other, abs=0.02)
    # Rows as units would halve the interval of one.
    assert often[0][2] - often[0][1] > 0.9 * (once[0][2] - once[0][1])


def test_rows_left_out_are_counted_and_rows_without_a_split_are_one() -> None:
    label = [1, 0] * 9 + [np.nan] * 2
    table = score_table(label, [0.9, 0.1] * 10, groups={"part": ["a"] * 8 + [""] * 12})
    settings = {"classifier": {**SETTINGS["classifier"], "split": "part"}}
    found = audit(job(settings, tables={"test": table}))
    assert [(one.reason, one.k) for one in found.result.left_out] == [("label missing", 2)]
    (gone,) = (one for one in found.findings if one.code == "INT-084")
    assert "2 of 20 rows" in gone.statement
    assert [(row.split, row.n) for row in found.result.rows] == [
        ("all", 18),
        ("a", 8),
        ("missing", 10),
    ]


def test_scores_that_are_no_risks_are_found_where_rows_are_independent() -> None:
    rng = np.random.default_rng(9)
    risk = rng.random(400)
    label = (rng.random(400) < risk**2).astype(float)
    table = replace(score_table(label.tolist(), risk.tolist()), scale="probability")
    found = audit(job(SETTINGS, tables={"test": table}))
    assert grades(found)["INT-069"] == ["minor"]
    (row,) = found.result.calibration
    # The mean of u - u**2 over even risks is 1/6.
    assert row.error.estimate == pytest.approx(1 / 6, abs=0.06)
    assert row.error_if_calibrated is not None
    assert row.error_if_calibrated < 0.08
    right = replace(
        score_table((rng.random(400) < risk).astype(float).tolist(), risk.tolist()),
        scale="probability",
    )
    assert grades(audit(job(SETTINGS, tables={"test": right})))["INT-069"] == [None]
    pairs = [f"p{k // 2}" for k in range(400)]
    dependent = replace(table, unit=np.array(pairs, dtype=object))
    found = audit(job(SETTINGS, tables={"test": dependent}))
    (record,) = (one for one in found.records if one.code == "INT-069")
    assert record.status == "not testable"
    assert "not independent" in str(record.reason)


def test_a_split_of_a_few_rows_decides_nothing() -> None:
    table = score_table(
        [0, 1] * 15 + [0], [0.1, 0.9] * 15 + [0.99], groups={"part": ["a"] * 30 + ["b"]}
    )
    settings = {"classifier": {**SETTINGS["classifier"], "split": "part"}}
    found = audit(job(settings, tables={"test": replace(table, scale="probability")}))
    small = [one for one in found.records if "“b”" in one.what and one.code != "INT-063"]
    assert [one.code for one in small] == ["INT-060", "INT-061", "INT-062", "INT-069"]
    assert {one.status for one in small} == {"not testable"}
    assert all("1 row on split “b”: too few to tell" in str(one.reason) for one in small)
    assert {row.split for row in found.result.rows} == {"all", "a", "b"}
