"""Results as data: findings with their ids, the decision, what a section that cannot run says."""

from __future__ import annotations

from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from reportgen.computing import section_generator
from reportgen.manifest import Manifest, ManifestSettings
from reportgen.release.fingerprint import results_digest
from reportgen.reporting import Computed, decision, parameters, reaching, results_data
from reportgen.result import Estimate, Finding, NotApplicable, Outcome, Severity
from reportgen.sections import SECTIONS
from reportgen.sections.dca import DcaSettings

PREVALENCE = next(section for section in SECTIONS if section.kind == "prevalence")
SECTION = {
    "kind": "prevalence",
    "sensitivity": {"k": 80, "n": 100},
    "specificity": {"k": 450, "n": 500},
    "prevalences": [0.1],
}


def finding(code: str = "PRV-001", severity: Severity = "note") -> Finding:
    value = Estimate(0.5, 0.4, 0.6, 0.95, "Wilson score")
    return Finding(code, severity, "t", "s", {"share": value, "n": 3.0, "why": "text"}, "l")


def manifest(*ids: str, **keys: Any) -> Manifest:
    data = {
        "reportgen": 1,
        "dossier": {"title": "T", "sign_off": [{"role": "Reviewer"}]},
        "model": {"name": "m", "version": "1"},
        "sections": [{**SECTION, "id": one} for one in ids],
        **keys,
    }
    return Manifest(ManifestSettings.model_validate(data), Path("m.yaml"), "text", (("a", "1"),))


def made(*outcomes: Outcome, left_out: tuple[str, ...] = ()) -> dict[str, Any]:
    names = ["a", "b", "c"][: len(outcomes)]
    asked = manifest(*names)
    computed = [
        Computed(PREVALENCE, settings, outcome)
        for settings, outcome in zip(asked.settings.sections, outcomes, strict=True)
    ]
    return results_data(
        asked, computed, records=[], left_out=left_out, date="2026-11-30", environment={}
    )


def test_ids_name_section_and_code_and_count_repeats() -> None:
    twice = Outcome({}, (finding(), finding("PRV-002"), finding(), finding()))
    ids = [one["id"] for one in made(twice, Outcome({}, (finding(),)))["findings"]]
    assert ids == ["a/PRV-001", "a/PRV-002", "a/PRV-001-2", "a/PRV-001-3", "b/PRV-001"]


def test_a_section_that_cannot_be_assessed_warns() -> None:
    data = made(Outcome(NotApplicable("no positives")))
    assert data["sections"][0]["result"] == {"not_applicable": "no positives"}
    assert [(one["severity"], one["section"]) for one in data["findings"]] == [("warn", "a")]
    assert "no positives" in data["findings"][0]["statement"]
    assert data["decision"]["outcome"] == "conditional"


def test_a_section_that_says_so_itself_is_not_repeated() -> None:
    data = made(Outcome(NotApplicable("no positives"), (finding("PRV-009", "fail"),)))
    assert [one["code"] for one in data["findings"]] == ["PRV-009"]


def test_a_partial_run_is_not_a_release() -> None:
    assert made(Outcome({}))["decision"]["outcome"] == "release"
    partial = made(Outcome({}), left_out=("b",))
    assert partial["dossier"]["sections_left_out"] == ["b"]
    assert partial["decision"]["outcome"] == "conditional"


@pytest.mark.parametrize(
    ("severities", "outcome", "reasons"),
    [
        (["pass", "note"], "release", []),
        (["note", "warn", "pass", "warn"], "conditional", ["1", "3"]),
        (["warn", "fail"], "hold", ["1"]),
        ([], "release", []),
    ],
)
def test_decision(severities: list[str], outcome: str, reasons: list[str]) -> None:
    findings = [{"id": str(i), "severity": s} for i, s in enumerate(severities)]
    assert decision(findings) == {"outcome": outcome, "reasons": reasons}


def test_gate_reaches_what_is_as_severe() -> None:
    data = {"findings": [{"severity": s} for s in ("pass", "note", "warn", "fail")]}
    assert [f["severity"] for f in reaching(data, "warn")] == ["warn", "fail"]
    assert [f["severity"] for f in reaching(data, "fail")] == ["fail"]
    assert reaching(data, "never") == []


def test_everything_is_plain_and_digested() -> None:
    data = made(Outcome({}, (finding(),)))
    assert data["findings"][0]["evidence"]["share"]["low"] == 0.4
    assert data["dossier"]["digest"] == results_digest(data)
    assert data["dossier"]["revision"] is None
    assert data["dossier"]["overrides"] == [{"key": "a", "value": "1"}]
    assert data["dossier"]["sign_off"] == [{"role": "Reviewer", "name": None}]
    assert data["defaults"] == {"seed": 20261130, "resamples": 2000, "confidence": 0.95}


def test_parameters_stand_under_the_names_of_the_manifest() -> None:
    settings = DcaSettings.model_validate(
        {"kind": "dca", "table": "t", "thresholds": {"from": 0.1, "to": 0.3, "step": 0.1}}
    )
    data = parameters(settings)
    assert data["id"] == "dca"
    assert data["thresholds"]["from"] == 0.1
    assert not isinstance(data["thresholds"]["from"], Decimal)


def test_generators_depend_on_seed_and_section_alone() -> None:
    draws = [section_generator(7, "dca").random() for _ in range(2)]
    assert draws[0] == draws[1]
    others = {section_generator(seed, name).random() for seed, name in [(8, "dca"), (7, "dcb")]}
    assert len(others | set(draws)) == 3
    section_generator(2**80, "dca")
