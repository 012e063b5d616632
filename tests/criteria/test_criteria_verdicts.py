"""Verdicts on hand-made intervals, and which figure a criterion means."""

from __future__ import annotations

from typing import Any

import pytest

from reportgen.criteria import Criterion, criteria_findings, judge
from reportgen.criteria.verdicts import Judged, verdict_on

Section = dict[str, Any]


def estimate(value: float, low: float, high: float) -> dict[str, Any]:
    return {"estimate": value, "low": low, "high": high, "confidence": 0.95, "method": "by hand"}


def criterion(**keys: Any) -> Criterion:
    return Criterion.model_validate({"metric": "sensitivity", **keys})


def frame(*rows: dict[str, Any], id_: str = "frame", threshold: float = 0.5) -> Section:
    usual = {"score": "a", "attribute": "overall", "group": "all"}
    result = {"threshold": threshold, "groups": [{**usual, **row} for row in rows]}
    return {"id": id_, "kind": "frame", "result": result}


def one(stated: Criterion, *sections: Section, **keys: Any) -> Judged:
    rows = judge([stated], sections, pinned=keys.pop("pinned", True), **keys)
    assert len(rows) == 1
    return rows[0]


# By hand: the interval is [0.70, 0.90]. A bound at an end is still kept by all of it.
@pytest.mark.parametrize(
    ("keys", "verdict"),
    [
        ({"at_least": 0.69}, "pass"),
        ({"at_least": 0.70}, "pass"),
        ({"at_least": 0.71}, "undecided"),
        ({"at_least": 0.90}, "undecided"),
        ({"at_least": 0.91}, "fail"),
        ({"at_most": 0.91}, "pass"),
        ({"at_most": 0.90}, "pass"),
        ({"at_most": 0.89}, "undecided"),
        ({"at_most": 0.70}, "undecided"),
        ({"at_most": 0.69}, "fail"),
        ({"at_least": 0.80, "bound_on": "estimate"}, "pass"),
        ({"at_least": 0.81, "bound_on": "estimate"}, "fail"),
        ({"at_most": 0.79, "bound_on": "estimate"}, "fail"),
    ],
)
def test_verdicts_of_an_interval(keys: dict[str, Any], verdict: str) -> None:
    assert verdict_on(criterion(**keys), estimate(0.8, 0.7, 0.9))[0] == verdict


def test_no_value_or_no_interval_is_not_assessable() -> None:
    stated = criterion(at_least=0.5)
    missing = {"estimate": None, "reason": "no positives"}
    assert verdict_on(stated, missing) == (
        "not assessable",
        "the figure is not estimable: no positives",
    )
    bare = {"estimate": 0.8, "low": None, "high": None, "reason": "one unit"}
    verdict, why = verdict_on(stated, bare)
    assert verdict == "not assessable"
    assert "one unit" in why
    assert verdict_on(stated, 0.8)[0] == "not assessable"
    assert verdict_on(criterion(at_least=0.5, bound_on="estimate"), 0.8)[0] == "pass"


def test_the_whole_table_is_meant_unless_a_group_is_named() -> None:
    section = frame(
        {"sensitivity": estimate(0.8, 0.7, 0.9)},
        {"attribute": "sex", "group": "F", "sensitivity": estimate(0.5, 0.4, 0.6)},
    )
    assert one(criterion(at_least=0.65), section).verdict == "pass"
    named = criterion(at_least=0.65, attribute="sex", group="F")
    assert one(named, section).verdict == "fail"


def test_an_attribute_alone_means_every_group_of_it() -> None:
    section = frame(
        {"sensitivity": estimate(0.8, 0.7, 0.9)},
        {"attribute": "sex", "group": "1", "sensitivity": estimate(0.8, 0.7, 0.9)},
        {"attribute": "sex", "group": "2", "sensitivity": estimate(0.5, 0.4, 0.6)},
        {"attribute": "sex", "group": "3", "sensitivity": {"estimate": None, "reason": "few"}},
    )
    rows = judge([criterion(id="s", at_least=0.65, attribute="sex")], [section], pinned=True)
    assert [(row.id, row.verdict) for row in rows] == [
        ("s/1", "pass"),
        ("s/2", "fail"),
        ("s/3", "not assessable"),
    ]


def test_numbers_name_groups_and_lists_name_intersections() -> None:
    section = frame(
        {"attribute": "sex", "group": "2", "sensitivity": estimate(0.8, 0.7, 0.9)},
        {
            "attribute": "sex × age",
            "group": "2 × old",
            "sensitivity": estimate(0.5, 0.4, 0.6),
        },
    )
    assert one(criterion(at_least=0.6, attribute="sex", group=2), section).verdict == "pass"
    crossed = criterion(at_least=0.65, attribute=["sex", "age"], group=[2, "old"])
    assert one(crossed, section).verdict == "fail"


def test_several_figures_are_not_assessable_and_what_tells_them_apart_is_said() -> None:
    section = frame(
        {"score": "a", "sensitivity": estimate(0.8, 0.7, 0.9)},
        {"score": "b", "sensitivity": estimate(0.9, 0.8, 0.95)},
    )
    row = one(criterion(at_least=0.5), section)
    assert row.verdict == "not assessable"
    assert "score a or b" in row.reason
    two = one(criterion(at_least=0.5, score="a"), section, {**section, "id": "again"})
    assert "section frame or again" in two.reason


def test_a_missing_group_threshold_or_section_is_not_assessable() -> None:
    section = frame({"sensitivity": estimate(0.8, 0.7, 0.9)}, threshold=0.5)
    for keys in ({"attribute": "sex", "group": "X"}, {"threshold": 0.4}, {"section": "other"}):
        row = one(criterion(at_least=0.5, **keys), section)
        assert row.verdict == "not assessable"
        assert row.value is None
    assert one(criterion(at_least=0.5, threshold=0.5), section).verdict == "pass"


def test_a_section_that_could_not_be_assessed_gives_its_reason() -> None:
    section = {"id": "frame", "kind": "frame", "result": {"not_applicable": "no positives"}}
    row = one(criterion(at_least=0.5), section)
    assert row.verdict == "not assessable"
    assert "no positives" in row.reason


def near(share: dict[str, Any], *, lower_bound: bool) -> Section:
    pair = {"split": "train", "twin_split": "test", "detector": "rms32"}
    counts = [{**pair, "share": share, "lower_bound": lower_bound}]
    return {"id": "i", "kind": "integrity", "result": {"near_duplicates": {"counts": counts}}}


def test_a_count_that_may_be_too_low_cannot_show_that_it_is_low() -> None:
    stated = Criterion(metric="near_duplicate_share", at_most=0.05)
    none = estimate(0.0, 0.0, 0.03)
    assert one(stated, near(none, lower_bound=True)).verdict == "undecided"
    assert one(stated, near(none, lower_bound=False)).verdict == "pass"
    many = estimate(0.5, 0.4, 0.6)
    assert one(stated, near(many, lower_bound=True)).verdict == "fail"


def robust(metric: str, certified: dict[str, Any], *, exact: bool) -> Section:
    row = {"metric": metric, "rung": "record", "certified": certified, "exact": exact}
    other = {**row, "rung": "common", "certified": estimate(0.0, 0.0, 0.0)}
    result = {"score": "a", "threshold": 0.5, "sensitive": "sex", "gaps": [other, row]}
    return {"id": "r", "kind": "robust", "result": result}


def test_a_certified_worst_case_that_is_not_exact_shows_one_side_alone() -> None:
    stated = Criterion(metric="demographic_parity_worst", at_most=0.2)
    above = estimate(0.4, 0.3, 0.5)
    assert one(stated, robust("demographic_parity", above, exact=False)).verdict == "undecided"
    assert one(stated, robust("demographic_parity", above, exact=True)).verdict == "fail"
    below = estimate(0.1, 0.05, 0.15)
    assert one(stated, robust("demographic_parity", below, exact=False)).verdict == "pass"


def test_of_a_ratio_the_certified_worst_is_a_lower_bound() -> None:
    stated = Criterion(metric="demographic_parity_ratio_worst", at_least=0.8)
    low = estimate(0.5, 0.4, 0.6)
    name = "demographic_parity_ratio"
    assert one(stated, robust(name, low, exact=False)).verdict == "undecided"
    assert one(stated, robust(name, low, exact=True)).verdict == "fail"
    assert one(stated, robust(name, estimate(0.9, 0.85, 0.95), exact=False)).verdict == "pass"


SECTION = frame({"sensitivity": estimate(0.8, 0.7, 0.9)})


@pytest.mark.parametrize(
    ("keys", "pinned", "code", "severity"),
    [
        ({"at_least": 0.6}, True, "CRI-001", "pass"),
        ({"at_least": 0.6}, False, "CRI-001", "note"),
        ({"at_least": 0.95}, True, "CRI-002", "fail"),
        ({"at_least": 0.95}, False, "CRI-002", "fail"),
        ({"at_least": 0.8}, True, "CRI-003", "warn"),
        ({"at_least": 0.8}, False, "CRI-003", "warn"),
        ({"at_least": 0.6, "score": "b", "section": "frame"}, True, "CRI-004", "fail"),
        ({"at_least": 0.6, "section": "gone"}, True, "CRI-004", "warn"),
    ],
)
def test_what_a_verdict_weighs(
    keys: dict[str, Any], pinned: bool, code: str, severity: str
) -> None:
    row = one(criterion(**keys), SECTION, pinned=pinned, left_out=["gone"])
    (finding,) = criteria_findings([row])
    assert (finding.code, finding.severity) == (code, severity)
    assert ("pinned by its digest: that" in finding.limits) != pinned


def test_a_finding_tells_figure_bound_interval_and_method() -> None:
    row = one(criterion(at_least=0.8, source="plan, 4.2"), SECTION)
    (finding,) = criteria_findings([row])
    for part in ("0.8", "0.80 (0.70 to 0.90)", "by hand", "plan, 4.2", "interval holds the bound"):
        assert part in finding.statement
    assert finding.title == "sensitivity, a: criterion undecided"


def test_rounding_never_puts_a_limit_on_the_wrong_side_of_its_bound() -> None:
    # 0.7996 reads 0.80 with two decimals, which would seem to keep "at least 0.8".
    section = frame({"sensitivity": estimate(0.87, 0.7996, 0.94)})
    (finding,) = criteria_findings([one(criterion(at_least=0.8), section)])
    assert finding.severity == "warn"
    assert "(0.7996 to 0.94)" in finding.statement
