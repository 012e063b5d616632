"""`build --junit --sarif`: which finding fails a gate, as build servers and code hosts read it."""

from __future__ import annotations

import copy
import json
import shlex
import xml.etree.ElementTree as ET
from collections.abc import Callable
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from click.testing import CliRunner, Result
from junitparser import JUnitXml
from ruamel.yaml import YAML

from reportgen import cli
from reportgen.codes import known_codes
from reportgen.gating import junit, report_of_build, sarif
from reportgen.gating.cases import NOT_ASSESSED
from tests.support.bare_pages import without_fonts

MANIFEST = """\
reportgen: 1
dossier: {title: Published figures, date: 2026-11-30}
model: {name: demo model, version: "1.10"}
sections:
  - {kind: prevalence, id: one, prevalences: [0.1, 0.01],
     sensitivity: {k: 80, n: 100}, specificity: {k: 450, n: 500}}
  - {kind: prevalence, id: few, prevalences: [0.2],
     sensitivity: {k: 2, n: 2}, specificity: {k: 480, n: 500}}
criteria:
  - {metric: sensitivity, section: one, at_least: 0.6}
  - {id: ranking, metric: auc, section: one, at_least: 0.5}
gate: {fail_on: fail}
"""
SARIF: dict[str, Any] = {
    # The parts of SARIF 2.1.0 that we write, as OASIS has them; no other property is allowed.
    "$defs": {
        "text": {
            "type": "object",
            "required": ["text"],
            "properties": {"text": {"type": "string", "minLength": 1}},
            "additionalProperties": False,
        },
        "level": {"enum": ["none", "note", "warning", "error"]},
        "rule": {
            "type": "object",
            "required": ["id"],
            "properties": {
                "id": {"type": "string"},
                "shortDescription": {"$ref": "#/$defs/text"},
                "fullDescription": {"$ref": "#/$defs/text"},
                "help": {"$ref": "#/$defs/text"},
                "defaultConfiguration": {
                    "type": "object",
                    "properties": {"level": {"$ref": "#/$defs/level"}},
                    "additionalProperties": False,
                },
            },
            "additionalProperties": False,
        },
        "location": {
            "type": "object",
            "properties": {
                "physicalLocation": {
                    "type": "object",
                    "required": ["artifactLocation"],
                    "properties": {
                        "artifactLocation": {
                            "type": "object",
                            "properties": {"uri": {"type": "string", "format": "uri-reference"}},
                            "additionalProperties": False,
                        },
                        "region": {
                            "type": "object",
                            "properties": {"startLine": {"type": "integer", "minimum": 1}},
                            "additionalProperties": False,
                        },
                    },
                    "additionalProperties": False,
                }
            },
            "additionalProperties": False,
        },
        "result": {
            "type": "object",
            "required": ["message"],
            "properties": {
                "ruleId": {"type": "string"},
                "ruleIndex": {"type": "integer", "minimum": -1},
                "level": {"$ref": "#/$defs/level"},
                "message": {"$ref": "#/$defs/text"},
                "locations": {"type": "array", "items": {"$ref": "#/$defs/location"}},
                "partialFingerprints": {
                    "type": "object",
                    "additionalProperties": {"type": "string"},
                },
                "properties": {"type": "object"},
            },
            "additionalProperties": False,
        },
        "run": {
            "type": "object",
            "required": ["tool"],
            "properties": {
                "tool": {
                    "type": "object",
                    "required": ["driver"],
                    "properties": {
                        "driver": {
                            "type": "object",
                            "required": ["name"],
                            "properties": {
                                "name": {"type": "string"},
                                "version": {"type": "string"},
                                "rules": {
                                    "type": "array",
                                    "uniqueItems": True,
                                    "items": {"$ref": "#/$defs/rule"},
                                },
                            },
                            "additionalProperties": False,
                        }
                    },
                    "additionalProperties": False,
                },
                "automationDetails": {
                    "type": "object",
                    "properties": {"id": {"type": "string"}},
                    "additionalProperties": False,
                },
                "invocations": {
                    "type": "array",
                    "items": {
                        "type": "object",
                        "required": ["executionSuccessful"],
                        "properties": {"executionSuccessful": {"type": "boolean"}},
                        "additionalProperties": False,
                    },
                },
                "columnKind": {"enum": ["utf16CodeUnits", "unicodeCodePoints"]},
                "language": {"type": "string", "pattern": "^[a-zA-Z]{2}(-[a-zA-Z]{2})?$"},
                "results": {"type": "array", "items": {"$ref": "#/$defs/result"}},
                "properties": {"type": "object"},
            },
            "additionalProperties": False,
        },
    },
    "type": "object",
    "required": ["version", "runs"],
    "properties": {
        "version": {"const": "2.1.0"},
        "$schema": {"type": "string", "format": "uri"},
        "runs": {"type": "array", "items": {"$ref": "#/$defs/run"}},
    },
    "additionalProperties": False,
}
Run = Callable[..., Result]


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Run:
    """Run a command in a fresh folder that holds a manifest."""
    (tmp_path / "m.yaml").write_text(MANIFEST)
    monkeypatch.chdir(tmp_path)
    without_fonts(monkeypatch)
    return lambda *words: CliRunner().invoke(
        cli.main, ["build", "m.yaml", "--format", "html", *words]
    )


def cases(path: str) -> dict[str, tuple[str, str]]:
    """Return suite and name of each case, and what came of it."""
    root = ET.parse(path).getroot()
    assert root.tag == "testsuites"
    return {
        f"{suite.get('name')}/{str(case.get('name')).partition(':')[0]}": (
            next((part.tag for part in case if part.tag != "system-out"), "passed"),
            "".join(case.itertext()),
        )
        for suite in root
        for case in suite.findall("testcase")
    }


def results(path: str) -> list[dict[str, Any]]:
    log = json.loads(Path(path).read_bytes())
    jsonschema.validate(log, SARIF, format_checker=jsonschema.FormatChecker())
    (one,) = log["runs"]
    found: list[dict[str, Any]] = one["results"]
    return found


def test_the_gate_says_which_finding_failed_it_and_where(run: Run) -> None:
    done = run("--gate", "--junit", "reports/j.xml", "--sarif", "reports/s.sarif")
    assert done.exit_code == 1
    assert "gate: fail: criteria/CRI-004" in done.stderr
    told = {name: state for name, (state, _text) in cases("reports/j.xml").items()}
    assert told == {
        "criteria/criterion-1": "passed",
        "criteria/ranking": "failure",  # not assessable, and a fail: that is what the gate is for
        "one/PRV-001": "passed",
        "one/PRV-002": "passed",
        "few/PRV-001": "passed",
        "few/PRV-002": "passed",
        "few/PRV-003": "passed",  # a warning, below the gate
        "few/PRV-004": "passed",
    }
    assert cases("reports/j.xml")["few/PRV-003"][1].strip().startswith("warn: ")
    lines = {
        (one["ruleId"], one["locations"][0]["physicalLocation"]["region"]["startLine"]): one
        for one in results("reports/s.sarif")
    }
    # The section that begins in line 5 and the one in line 7; the criteria in 10 and 11.
    assert lines["PRV-001", 5]["level"] == "note"
    assert lines["PRV-003", 7]["level"] == "warning"
    assert lines["CRI-004", 11]["level"] == "error"
    assert {one["properties"]["reachesGate"] for one in lines.values()} == {True, False}
    place = lines["CRI-004", 11]["locations"][0]["physicalLocation"]["artifactLocation"]
    assert place == {"uri": "m.yaml"}


def test_another_reader_counts_the_same(run: Run) -> None:
    assert run("--junit", "j.xml").exit_code == 0  # no --gate: written, and no answer asked for
    read = JUnitXml.fromfile("j.xml")
    assert (read.tests, read.failures, read.skipped, read.errors) == (8, 1, 0, 0)
    assert [(suite.name, suite.tests, suite.failures) for suite in read] == [
        ("criteria", 2, 1),
        ("one", 2, 0),
        ("few", 4, 0),
    ]


def test_below_the_gate_what_was_not_assessed_is_skipped(run: Run) -> None:
    done = run("--gate", "--set", "gate.fail_on=never", "--only", "one", "--junit", "j.xml")
    assert done.exit_code == 0
    told = {name: state for name, (state, _text) in cases("j.xml").items()}
    assert told["criteria/ranking"] == told["run/RUN-002"] == "skipped"
    assert told["criteria/criterion-1"] == "passed"
    assert "few/PRV-001" not in told


def test_written_too_when_the_gate_passes_and_the_same_twice(run: Run) -> None:
    words = ("--gate", "--set", "gate.fail_on=never", "--junit", "j.xml", "--sarif", "s.sarif")
    assert run(*words).exit_code == 0
    first = Path("j.xml").read_bytes(), Path("s.sarif").read_bytes()
    assert run(*words).exit_code == 0
    assert (Path("j.xml").read_bytes(), Path("s.sarif").read_bytes()) == first
    assert {path.name for path in Path().iterdir()} == {"m.yaml", "dossiers", "j.xml", "s.sarif"}


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (("--junit", "dossiers"), "this is a folder"),
        (("--junit", "m.yaml/j.xml"), "is a file"),
        (("--junit", "one", "--sarif", "./one"), "--junit names the same file"),
        (("--sarif", "dossiers/demo-model/1.10/r1/s.sarif"), "holds the record alone"),
    ],
)
def test_a_file_that_cannot_be_written_is_found_before_computing(
    run: Run, words: tuple[str, ...], told: str
) -> None:
    assert run().exit_code == 0
    done = run(*words, "-v")
    assert done.exit_code == 2
    assert told in done.stderr
    assert "one: done" not in done.stderr
    assert not Path("one").exists()


def test_a_place_inside_the_coming_record_is_refused_after_it_stands(run: Run) -> None:
    done = run("--junit", "dossiers/demo-model/1.10/r1/j.xml")
    assert done.exit_code == 2
    assert "the rest was written: dossiers/demo-model/1.10/r1" in done.stderr
    assert not Path("dossiers/demo-model/1.10/r1/j.xml").exists()
    assert run().exit_code == 0  # and the record is whole: the same again is the same revision
    assert not Path("dossiers/demo-model/1.10/r2").exists()


def test_text_of_the_user_stays_text(run: Run) -> None:
    assert run().exit_code == 0
    data = json.loads(Path("dossiers/demo-model/1.10/r1/results.json").read_bytes())
    hostile = copy.deepcopy(data)
    text = "<b>&\x07\ud800 {0} [here](https://example.org) ]]>\u2028"
    hostile["findings"][0]["title"] = hostile["findings"][0]["statement"] = text
    report = report_of_build(hostile, hostile["findings"][:1], MANIFEST)
    failure = ET.fromstring(junit(report)).find(".//failure")
    assert failure is not None
    seen = "<b>&\\x07\\ud800 {0} [here](https://example.org) ]]>\u2028"
    assert failure.get("message") == seen
    assert (failure.text or "").startswith(seen)
    log = json.loads(sarif(report, "m.yaml"))
    jsonschema.validate(log, SARIF)
    message = next(
        one["message"]["text"] for one in log["runs"][0]["results"] if one["ruleId"] == "CRI-004"
    )
    assert "](" not in message
    shown = sarif(
        report_of_build(
            {**hostile, "findings": [{**hostile["findings"][0], "severity": "warn"}]}, ()
        )
    )
    text = json.loads(shown)["runs"][0]["results"][0]["message"]["text"]
    assert "{{0}} [here] (https://example.org)" in text
    assert json.loads(shown)["runs"][0]["results"][0]["locations"] == []


def test_every_rule_is_a_code_with_its_meaning(run: Run) -> None:
    assert run("--sarif", "s.sarif").exit_code == 0
    log = json.loads(Path("s.sarif").read_bytes())
    rules = log["runs"][0]["tool"]["driver"]["rules"]
    known = known_codes()
    assert {rule["id"] for rule in rules} == {
        code for code, one in known.items() if one.room in ("prevalence", "criteria", "run")
    }
    for one in log["runs"][0]["results"]:
        assert rules[one["ruleIndex"]]["id"] == one["ruleId"]
    told = {rule["id"]: rule["fullDescription"]["text"] for rule in rules}
    assert told["PRV-003"] == known["PRV-003"].code.meaning


def test_what_counts_as_not_assessed_says_so_in_its_meaning() -> None:
    known = known_codes()
    words = ("not ", "cannot", "could", "left out", "absent")
    for code in NOT_ASSESSED:
        assert any(word in known[code].code.meaning.lower() for word in words), code


def test_the_job_in_the_readme_is_one_that_runs() -> None:
    readme = (Path(__file__).resolve().parents[2] / "README.md").read_text("utf-8")
    block = readme.partition("## In a pipeline")[2].partition("```yaml\n")[2].partition("```")[0]
    job = YAML(typ="safe", pure=True).load(block)["jobs"]["audit"]
    lines = [
        shlex.split(line.partition("|")[0])
        for step in job["steps"]
        for line in step.get("run", "").splitlines()
        if line.startswith("reportgen ")
    ]
    assert [words[1] for words in lines] == ["build", "compare"]
    for words in lines:
        # An option that is not there is an error before the help is printed.
        done = CliRunner().invoke(cli.main, [*words[1:], "--help"])
        assert done.exit_code == 0, done.output
        assert {"--gate", "--junit"} <= set(words)


@pytest.mark.parametrize(("language", "told"), [("en", "Not testable: "), ("zh", "无法检验：")])
def test_what_is_not_testable_is_skipped_in_either_language(
    run: Run, language: str, told: str
) -> None:
    assert run().exit_code == 0
    data = json.loads(Path("dossiers/demo-model/1.10/r1/results.json").read_bytes())
    data["dossier"]["language"] = language
    own = [one for one in data["findings"] if one["section"] == "one"]
    own[0]["statement"] = f"{told}{own[0]['statement']}"
    report = report_of_build(data, [])
    states = {case.id: case.state for case in report.cases}
    assert [states[one["id"]] for one in own] == ["skipped", "passed"]
    # Of a section that could not be assessed nothing is passed, but what concerns its rows.
    section = next(one for one in data["sections"] if one["id"] == "few")
    section["result"] = {"not_applicable": "no rows"}
    few = [one for one in data["findings"] if one["section"] == "few"]
    few[0]["code"] = "RUN-003"
    states = {case.id: case.state for case in report_of_build(data, []).cases}
    assert [states[one["id"]] for one in few] == ["passed", *["skipped"] * (len(few) - 1)]
