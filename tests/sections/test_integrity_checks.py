"""Mistakes of an integrity section: each at its key, with how to mend it; none in sound ones."""

from __future__ import annotations

from typing import Any

import pytest

from reportgen.errors import key_text
from reportgen.inputs import TableSettings
from reportgen.sections.integrity import CODES
from reportgen.sections.integrity.audits import Audited
from reportgen.sections.integrity.checks import SUB_AUDITS, check, check_inputs
from reportgen.sections.integrity.compute import AUDITS
from reportgen.sections.integrity.records import Facts, independence_grade, recorded, severity
from reportgen.sections.integrity.settings import IntegritySettings
from tests.support.integrity_images import image_set, texture
from tests.support.integrity_jobs import job

TABLE = TableSettings.model_validate({"path": "t.csv"})


def faults(**settings: Any) -> dict[str, str]:
    section = IntegritySettings.model_validate({"kind": "integrity", **settings})
    return {key_text(one.key): one.what for one in check(section, {"t": TABLE})}


def data_faults(settings: dict[str, Any], **inputs: Any) -> list[tuple[str, str, str]]:
    one = job(settings, **inputs)
    found = check_inputs(one.settings, one.inputs)
    return [(key_text(fault.key), fault.what, fault.mend) for fault in found]


def test_sound_settings_have_no_fault() -> None:
    assert (
        faults(
            images="scans",
            detections="boxes",
            near_duplicates={
                "between": [["train", "test"]],
                "detectors": {"wdct": -1.0, "rms32": 255.0},
            },
            leakage={},
            label_agreement={},
            memorisation={},
            planned=["near_duplicates", "label_geometry", "class_names"],
        )
        == {}
    )


@pytest.mark.parametrize(
    ("settings", "key", "what"),
    [
        (
            {"near_duplicates": {"detectors": {"rms32": 256.0}}},
            "near_duplicates.detectors.rms32",
            "256 is no threshold of rms32",
        ),
        (
            {"near_duplicates": {"detectors": {"wdct": 60.0}}},
            "near_duplicates.detectors.wdct",
            "60 is no threshold of wdct",
        ),
        ({"near_duplicates": {"detectors": {}}}, "near_duplicates.detectors", "no detector"),
        ({"near_duplicates": {"between": []}}, "near_duplicates.between", "no pair of splits"),
        (
            {"near_duplicates": {"between": [["train"]]}},
            "near_duplicates.between[0]",
            "1 splits where a pair is meant",
        ),
        (
            {"leakage": {"between": [["a", "b"], ["a", "b"]]}},
            "leakage.between[1]",
            "a, b stands twice",
        ),
        ({"leakage": {"between": [["a", "a"]]}}, "leakage.between[0]", "against itself"),
        ({"leakage": {"by": []}}, "leakage.by", "nothing to look for"),
        ({"label_agreement": {}}, "label_agreement", "needs duplicate pairs"),
        ({"memorisation": {}, "near_duplicates": {}}, "memorisation", "needs boxes"),
        ({"evaluator": {}}, "evaluator", "needs boxes"),
        ({"removal_effect": {}}, "removal_effect", "needs boxes"),
        ({"planned": ["leakages"]}, "planned[0]", "no sub-audit is called 'leakages'"),
        ({"planned": ["memorisation"]}, "planned[0]", "always exploratory"),
        ({"planned": ["leakage"]}, "planned[0]", "the section does not ask for it"),
        (
            {"leakage": {}, "planned": ["leakage", "leakage"]},
            "planned[1]",
            "named twice",
        ),
        ({"duplicate_rows": {"table": "t"}}, "duplicate_rows.table", "no features to compare"),
    ],
)
def test_each_mistake_is_told_at_its_key(settings: dict[str, Any], key: str, what: str) -> None:
    found = faults(images="scans", **settings)
    assert list(found) == [key]
    assert what in found[key]


def test_pictures_and_tables_must_be_named() -> None:
    assert "needs pictures" in faults(near_duplicates={})["near_duplicates"]
    assert "needs images or a table" in faults(leakage={})["leakage"]
    assert faults(leakage={"table": "t"}) == {}


def test_splits_that_do_not_exist_are_named_with_those_that_do() -> None:
    images = {"scans": image_set([texture(1), texture(2)], split=["train", "test"])}
    near = {"images": "scans", "near_duplicates": {"between": [["train", "tset"]]}}
    ((key, what, mend),) = data_faults(near, images=images)
    assert (key, what) == ("near_duplicates.between[0][1]", "no split is called 'tset'")
    assert "'test'" in mend
    right = {"images": "scans", "leakage": {"between": [["train", "test"]]}}
    assert data_faults(right, images=images) == []
    bare = {"scans": image_set([texture(1)])}
    ((key, what, _),) = data_faults(right, images=bare)
    assert (key, what) == ("leakage.between", "the images 'scans' have no splits")


def test_planned_sub_audits_need_a_pinned_plan() -> None:
    settings = {"images": "scans", "leakage": {}, "planned": ["leakage"]}
    ((key, what, _),) = data_faults(settings)
    assert key == "planned"
    assert "no analysis plan is pinned" in what
    assert data_faults(settings, plan="0" * 64) == []


def verdict_faults(**columns: tuple[str, ...]) -> list[str]:
    images = {"scans": image_set([texture(1), texture(2)], ids=["a", "b"])}
    lists = {("integrity", "near_duplicates.verdicts"): columns}
    settings = {"images": "scans", "near_duplicates": {"verdicts": "review.csv"}}
    found = data_faults(settings, images=images, lists=lists)
    assert {key for key, _, _ in found} <= {"near_duplicates.verdicts"}
    return [what for _, what, _ in found]


def test_verdicts_need_their_columns_known_images_and_words() -> None:
    assert verdict_faults(image=("a",), twin=("b",), verdict=("duplicate",)) == []
    assert verdict_faults(image=("a",), twin=("b",)) == ["the verdicts have no column 'verdict'"]
    assert verdict_faults(image=("a",), twin=("c",), verdict=("same",)) == [
        "row 1: column 'twin' names no image of the set: 'c'",
        "row 1: 'same' is no verdict",
    ]
    many = verdict_faults(image=("a",) * 9, twin=("b",) * 9, verdict=("?",) * 9)
    assert many == [
        "row 1: '?' is no verdict",
        "row 2: '?' is no verdict",
        "… and 7 more rows likewise, from row 3 to row 9",
    ]


def test_codes_are_unique_and_audits_in_the_order_of_the_page() -> None:
    codes = [one.code for one in CODES]
    assert len(codes) == len(set(codes))
    keys = [key for key, _ in AUDITS]
    assert keys == [name for name in SUB_AUDITS if name in keys]


def test_severity_follows_the_grade_by_rule() -> None:
    assert severity("found", "critical") == severity("found", "major") == "fail"
    assert severity("found", "minor") == "warn"
    assert severity("found", "info") == severity("not testable", None) == "note"
    assert severity("not found", None) == "pass"
    assert independence_grade(5, 100) == "major"
    assert independence_grade(4, 100) == "minor"
    assert independence_grade(1, 10_000, same_patient=True) == "major"


def test_a_record_says_whether_the_plan_fixed_the_check() -> None:
    facts = Facts("INT-015", "leakage", "partition", "x", "y", "found", "minor", 1, 4)
    planned = job({"planned": ["leakage"]}, plan="0" * 64)
    record, finding = recorded(planned, facts)
    assert record.analysis == "confirmatory"
    assert recorded(job({}), facts)[0].analysis == "exploratory"
    assert record.share is not None
    assert (record.share.low, record.share.high) == pytest.approx((0.006309, 0.805880), abs=1e-6)
    assert finding.evidence["share"] == record.share
    assert record.command == "reportgen build manifest.yaml --only integrity"
    assert (record.resamples, record.seed) == (None, None)
    with pytest.raises(ValueError, match="grade"):
        Facts("INT-015", "leakage", "partition", "x", "y", "found")


def test_every_finding_has_a_documented_severity_and_a_summary() -> None:
    allowed = {one.code: one.severities for one in CODES}
    images = image_set(
        [texture(1), texture(1), texture(2), texture(3)],
        split=["train", "test", "test", "train"],
        unit=["P", "P", "Q", "R"],
        labels=[["x"], ["y"], ["x"], ["x"]],
    )
    settings = {"images": "scans", "near_duplicates": {}, "leakage": {}, "label_agreement": {}}
    done: dict[str, Audited] = {}
    for key, audit in AUDITS:
        done[key] = audit(job(settings, images={"scans": images}, done=done))
    findings = [finding for audited in done.values() for finding in audited.findings]
    records = [record for audited in done.values() for record in audited.records]
    assert len(findings) == len(records) > 10
    assert all(finding.severity in allowed[finding.code] for finding in findings)
    assert all(finding.summary for finding in findings)
    assert {record.check for record in records} <= set(SUB_AUDITS)
