"""Figures and findings of two dossiers find their counterparts, whatever their order."""

from __future__ import annotations

from typing import Any

import pytest

from reportgen.comparison import matched
from reportgen.comparison.changes import figure_changes
from reportgen.comparison.findings import finding_changes
from reportgen.comparison.lists import input_changes, manifest_changes, package_changes
from reportgen.result import Estimate


def estimate(value: float, half: float | None = 0.05) -> dict[str, Any]:
    if half is None:
        return {"estimate": value, "low": None, "high": None, "confidence": None, "method": None,
                "reason": "none"}  # fmt: skip
    return {"estimate": value, "low": value - half, "high": value + half, "confidence": 0.95,
            "method": "Wald"}  # fmt: skip


def prevalence(rows: list[dict[str, Any]], score: str = "s", **result: Any) -> dict[str, Any]:
    return {
        "id": "p",
        "kind": "prevalence",
        "title": "P",
        "parameters": {"table": "t", "score": score},
        "result": {"score": score, "rows": rows, "operating_points": [], **result},
    }


def row(metric: str, prevalence: float, value: Any, threshold: float = 0.3) -> dict[str, Any]:
    return {"metric": metric, "prevalence": prevalence, "threshold": threshold, "value": value}


def test_figures_meet_by_their_keys_and_numbers_by_value() -> None:
    old = prevalence([row("npv", 0.1, estimate(0.9)), row("precision", 0.1, estimate(0.5))])
    new = prevalence(
        [
            row("precision", 0.1 + 1e-15, estimate(0.7)),
            row("precision", 0.2, estimate(0.8)),
            row("npv", 0.1, estimate(0.9)),
        ]
    )
    changes = figure_changes(matched([old], [new]), {})
    assert [(one.metric, one.keys["prevalence"], one.change) for one in changes] == [
        ("precision", 0.1, "better"),
        ("precision", 0.2, "not comparable"),
        ("npv", 0.1, "same"),
    ]
    better = changes[0].difference
    # Newcombe's rule with equal symmetric limits: 0.05 times the root of 2
    assert (better.estimate, better.low, better.high) == pytest.approx(
        (0.2, 0.2 - 0.05 * 2**0.5, 0.2 + 0.05 * 2**0.5)
    )
    assert changes[1].old.reason == "it is not in the older dossier"


def test_what_only_the_older_dossier_has_comes_last() -> None:
    old = prevalence([row("npv", 0.1, estimate(0.9)), row("f1", 0.1, estimate(0.5))])
    new = prevalence([row("f1", 0.1, estimate(0.5))])
    changes = figure_changes(matched([old], [new]), {})
    assert [(one.metric, one.change) for one in changes] == [
        ("f1", "same"),
        ("npv", "not comparable"),
    ]
    assert changes[1].difference.reason == "it is not in the newer dossier"
    assert changes[1].new.estimate is None
    gone = figure_changes(matched([old], []), {})
    assert {one.change for one in gone} == {"not comparable"}


def test_a_single_score_is_compared_whatever_it_is_called() -> None:
    old = prevalence([], "first", auc=estimate(0.8))
    new = prevalence([], "second", auc=estimate(0.8))
    (change,) = figure_changes(matched([old], [new]), {})
    assert (change.change, change.of) == ("same", "second")


def test_a_figure_without_interval_changes_but_is_never_worse() -> None:
    old, new = (prevalence([row("npv", 0.1, estimate(x, None))]) for x in (0.9, 0.2))
    (change,) = figure_changes(matched([old], [new]), {})
    assert (change.change, change.better, change.p) == ("changed", "higher", None)
    assert change.difference.estimate == pytest.approx(-0.7)
    assert change.difference.low is None


def test_without_a_better_side_nothing_is_worse() -> None:
    old, new = (prevalence([row("selection_rate", 0.1, estimate(x))]) for x in (0.9, 0.2))
    (change,) = figure_changes(matched([old], [new]), {})
    assert (change.change, change.p_adjusted) == ("changed", None)
    assert change.p is not None
    assert change.p < 0.001


def test_a_difference_by_the_same_units_goes_before_one_of_intervals() -> None:
    old, new = (prevalence([row("npv", 0.1, estimate(x))]) for x in (0.9, 0.89))
    paired = Estimate(-0.01, -0.015, -0.005, 0.95, "paired")
    (change,) = figure_changes(matched([old], [new]), {0: paired})
    assert (change.change, change.paired, change.difference) == ("worse", True, paired)
    (unpaired,) = figure_changes(matched([old], [new]), {})
    assert (unpaired.change, unpaired.paired) == ("not shown", False)


def finding(code: str, title: str, severity: str = "note", **evidence: Any) -> dict[str, Any]:
    return {"section": "frame", "code": code, "title": title, "severity": severity,
            "statement": title + ".", "evidence": evidence}  # fmt: skip


def dossier(*findings: dict[str, Any], language: str = "en", **more: Any) -> dict[str, Any]:
    cover = {"title": "T", "language": language, "overrides": [], "date": "2026-01-01",
             "model": {"name": "m", "version": "1"}, "revision": 1, "digest": "0"}  # fmt: skip
    return {"dossier": cover, "findings": list(findings), **more}


def test_findings_meet_by_what_they_are_about() -> None:
    old = dossier(
        finding("FRM-002", "sex: F against M (a): not excluded", "warn"),
        finding("FRM-002", "site: 2 against 1 (a): not excluded", "warn"),
        finding("FRM-017", "2 failure clusters confirmed"),
        finding("FRM-020", "Gone"),
    )
    new = dossier(
        finding("FRM-002", "site: 2 against 1 (a): not excluded", "fail"),
        finding("FRM-002", "site: 3 against 1 (a): not excluded", "warn"),
        finding("FRM-002", "sex: F against M (a): not excluded", "note"),
        finding("FRM-017", "3 failure clusters confirmed"),
    )
    told = [(one.title, one.old, one.new, one.change) for one in finding_changes(old, new)]
    assert told == [
        ("site: 2 against 1 (a): not excluded", "warn", "fail", "worse"),
        ("site: 3 against 1 (a): not excluded", None, "warn", "new"),
        ("sex: F against M (a): not excluded", "warn", "note", "better"),
        ("3 failure clusters confirmed", "note", "note", "same"),
        ("Gone", "note", None, "gone"),
    ]


def test_a_verdict_meets_the_one_that_took_its_place() -> None:
    old = dossier(
        finding("FRM-002", "sex: F against M (a): not excluded", "warn"),
        finding("ROB-004", "a: equalized odds gap, fragile", "fail"),
        finding("ROB-005", "a: demographic parity gap, robust", "pass"),
        finding("FRM-011", "b: one", "note"),
        finding("FRM-012", "b: two", "note"),
        finding("FRM-016", "Perfect separation", "note"),
    )
    new = dossier(
        finding("FRM-005", "sex: F against M (a): gap shown", "fail"),
        finding("ROB-006", "a: demographic parity gap, undetermined", "warn"),
        finding("FRM-013", "b: three", "warn"),
        finding("FRM-017", "Cluster", "note"),
    )
    told = [(one.code, one.old, one.new, one.change) for one in finding_changes(old, new)]
    assert told == [
        ("FRM-005", "warn", "fail", "worse"),
        ("ROB-006", "pass", "warn", "worse"),
        ("FRM-013", None, "warn", "new"),  # two candidates: it is not guessed which
        ("FRM-017", None, "note", "new"),
        ("ROB-004", "fail", None, "gone"),
        ("FRM-011", "note", None, "gone"),
        ("FRM-012", "note", None, "gone"),
        ("FRM-016", "note", None, "gone"),
    ]


def test_a_gap_whose_reference_is_the_other_group_now_is_turned_round() -> None:
    def frame(group: str, against: str, gap: dict[str, Any]) -> dict[str, Any]:
        gaps = [{"score": "s", "attribute": "age", "group": group, "reference": against,
                 "metric": "auc", "gap": gap}]  # fmt: skip
        return {"id": "f", "kind": "frame", "title": "F", "parameters": {"score": "s"},
                "result": {"groups": [], "gaps": gaps, "threshold": 0.5}}  # fmt: skip

    before = frame("60+", "<60", {**estimate(-0.10), "low": -0.30, "high": 0.05})
    after = frame("<60", "60+", estimate(0.12))
    (found,) = matched([before], [after])
    assert found.old is not None
    assert found.old.value == Estimate(0.10, -0.05, 0.30, 0.95, "Wald")
    assert matched([before], [before])[0].old == matched([before], [])[0].old


def test_a_finding_meets_the_same_one_with_group_and_reference_changed_over() -> None:
    old = dossier(
        finding("FRM-002", "age: 60+ against <60 (a): not excluded", "warn"),
        finding("FRM-002", "both: F × 60+ against M × <60 (a): not excluded", "warn"),
        finding("FRM-002", "both: F × <60 against M × 60+ (a): not excluded", "warn"),
    )
    new = dossier(
        finding("FRM-002", "age: <60 against 60+ (a): not excluded", "warn"),
        finding("FRM-002", "both: M × 60+ against F × <60 (a): not excluded", "warn"),
    )
    told = [one.change for one in finding_changes(old, new)]
    # Of the intersections, either of two could be meant: it is not guessed which.
    assert told == ["same", "new", "gone", "gone"]


def test_findings_of_two_languages_meet_by_their_order() -> None:
    old = dossier(finding("FRM-002", "first"), finding("FRM-002", "second"))
    new = dossier(finding("FRM-002", "甲"), finding("FRM-002", "乙"), language="zh")
    changes = finding_changes(old, new)
    assert [(one.change, one.old_statement) for one in changes] == [
        ("same", "first."),
        ("same", "second."),
    ]


def test_inputs_lines_of_the_manifest_and_packages() -> None:
    def inputs(**digests: str) -> list[dict[str, Any]]:
        return [{"name": name, "sha256": one, "rows": 3} for name, one in digests.items()]

    def data(threshold: Any, package: str, **digests: str) -> dict[str, Any]:
        return dossier(
            inputs=inputs(**digests),
            defaults={"seed": 1},
            sections=[{"id": "p", "parameters": {"threshold": threshold, "groups": ["a", ["b"]]}}],
            environment={"reportgen": "1", "python": "3.11", "packages": {"numpy": package}},
        )

    old = data([0.1, 0.2], "2.0", plan="a", test="b", gone="c", compare_to="x")
    new = data(None, "2.1", plan="a", test="d", fresh="e", compare_to="y")
    assert [(one.name, one.change) for one in input_changes(old, new)] == [
        ("plan", "same"),
        ("test", "changed"),
        ("fresh", "new"),
        ("gone", "gone"),
    ]
    (line,) = manifest_changes(old, new)
    assert (line.key, line.old, line.new) == ("sections.p.threshold", "0.1, 0.2", "null")
    (package,) = package_changes(old, new)
    assert (package.name, package.old, package.new) == ("numpy", "2.0", "2.1")
