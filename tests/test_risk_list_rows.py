"""The risk list: which figure of each section it takes, from rows made by hand."""

from __future__ import annotations

from typing import Any

from reportgen.risks import risks

Section = dict[str, Any]


def estimate(value: float, low: float, high: float) -> dict[str, Any]:
    return {"estimate": value, "low": low, "high": high, "confidence": 0.95, "method": "by hand"}


def section(kind: str, **result: Any) -> Section:
    return {"id": f"my-{kind}", "kind": kind, "title": "Mine", "result": result}


def finding(code: str, severity: str = "warn", **evidence: Any) -> dict[str, Any]:
    kind = {"FRM": "frame", "ROB": "robust", "DCA": "dca", "PRV": "prevalence", "INT": "integrity"}
    name = f"my-{kind[code[:3]]}"
    return {
        "id": f"{name}/{code}",
        "code": code,
        "section": name,
        "severity": severity,
        "title": evidence.pop("title", "T"),
        "evidence": evidence,
    }


def gap(group: str, found: dict[str, Any], **keys: Any) -> dict[str, Any]:
    usual = {"score": "a", "attribute": "sex", "reference": "M", "metric": "auc"}
    return {**usual, "group": group, "gap": found, "primary": True, "verdict": "v", **keys}


def test_of_a_family_the_gap_that_may_be_largest() -> None:
    near, far = estimate(0.05, 0.01, 0.09), estimate(0.0, -0.2, 0.2)
    rows = [gap("F", near), gap("X", far), gap("Y", estimate(0.5, 0.4, 0.6), primary=False)]
    found = finding("FRM-002", gap=far)
    (row,) = risks([section("frame", gaps=rows)], [finding("FRM-001", gap=near), found])
    assert (row.static, row.robust, row.direction) == (far, -0.2, "X against M")
    assert row.finding == found["id"]


def test_robust_takes_the_certified_worst_and_the_leading_direction() -> None:
    static = estimate(0.1, 0.0, 0.2)
    listed = {
        "metric": "demographic_parity",
        "static": static,
        "worst_certified": 0.3,
        "fragile_direction": "bp 60 %; s5 40 %",
        "reason": "",
    }
    own = finding("ROB-004", "fail", metric="demographic_parity", static=static)
    mine = section("robust", sensitive="sex", score="a", risk_list=[listed])
    (row,) = risks([mine], [own])
    assert (row.static, row.robust, row.finding) == (static, 0.3, own["id"])
    assert row.direction == "bp 60 %; s5 40 %"


def test_decision_curves_are_listed_where_they_decide() -> None:
    key = {"model": "a", "against": "better of both", "probabilities": "as deployed"}
    gains = [
        {**key, "threshold": 0.1, "gain": estimate(0.3, 0.2, 0.4), "simultaneous_low": 0.1},
        {**key, "threshold": 0.2, "gain": estimate(0.1, 0.0, 0.2), "simultaneous_low": -0.1},
    ]
    overall: list[Section] = [{**key, "deciding_threshold": None, "reason": ""}]
    found = finding("DCA-003", model="a", probabilities="as deployed")
    (row,) = risks([section("dca", gains=gains, overall=overall)], [found])
    assert (row.robust, row.direction, row.finding) == (-0.1, "threshold 0.2", found["id"])
    overall[0]["deciding_threshold"] = 0.1
    (row,) = risks([section("dca", gains=gains, overall=overall)], [found])
    assert (row.robust, row.direction) == (0.1, "threshold 0.1")


def test_prevalence_goes_from_the_highest_to_the_lowest() -> None:
    values = {0.5: estimate(0.9, 0.8, 0.95), 0.01: estimate(0.1, 0.05, 0.2)}
    rows = [
        {"metric": "precision", "threshold": 0.3, "prevalence": mix, "value": value}
        for mix, value in values.items()
    ]
    found = finding("PRV-001", "note", **{"precision at 0.5": values[0.5]})
    (row,) = risks([section("prevalence", rows=rows)], [found])
    assert (row.static, row.robust) == (values[0.5], values[0.01])
    assert (row.direction, row.finding) == ("prevalence 0.01", found["id"])


def record(code: str, grade: str | None, what: str, **keys: Any) -> dict[str, Any]:
    usual = {"share": None, "before": None, "after": None, "affected_claim": ""}
    return {"code": code, "grade": grade, "what": what, **usual, **keys}


def test_integrity_lists_critical_and_major_findings_critical_first() -> None:
    records = [
        record("INT-001", "major", "Twins", share=estimate(0.2, 0.1, 0.3)),
        record("INT-075", "critical", "Names", affected_claim="every name"),
        record("INT-050", "minor", "mAP", before=0.8, after=0.7),
        record("INT-035", None, "Boxes"),
    ]
    found = [finding("INT-001", "fail", title="Twins"), finding("INT-075", "fail", title="Names")]
    first, second = risks([section("integrity", records=records)], found)
    assert (first.figure, first.direction) == ("Names", "every name")
    assert second.static == estimate(0.2, 0.1, 0.3)
    assert [first.finding, second.finding] == ["my-integrity/INT-075", "my-integrity/INT-001"]


def test_a_section_without_a_figure_still_has_a_line() -> None:
    mine = section("dca", not_applicable="no outcome")
    (row,) = risks([mine], [finding("DCA-020")])
    assert (row.figure, row.direction, row.finding) == ("Mine", "no outcome", "my-dca/DCA-020")
    quiet = finding("INT-035", "pass", title="Boxes")
    (row,) = risks([section("integrity", records=[record("INT-035", None, "Boxes")])], [quiet])
    assert (row.figure, row.finding) == ("Boxes", quiet["id"])
