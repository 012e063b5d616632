"""A gate as SARIF 2.1.0, which code hosts show at the line of the manifest."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from reportgen import __version__
from reportgen.gating.cases import Case, Report
from reportgen.release.fingerprint import sha256_of, strict_json
from reportgen.result import SEVERITIES, Severity
from reportgen.section import Code

SCHEMA = (
    "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
)
LEVELS: Mapping[Severity, str] = {
    "fail": "error",
    "warn": "warning",
    "note": "note",
    "pass": "none",
}


def sarif(report: Report, manifest: str | None = None) -> bytes:
    """Return a report as a SARIF 2.1.0 log of one run.

    Rules are the codes that the sections which ran can make, with their meaning. Results are the
    findings that are no pass: SARIF speaks of what is wrong, and viewers show whatever they get.

    Parameters
    ----------
    report : Report
    manifest : str, optional
        URI of the manifest, at which the results are placed; without it they have no place.
    """
    index = {rule.code: at for at, rule in enumerate(report.rules)}
    log = {
        "version": "2.1.0",
        "$schema": SCHEMA,
        "runs": [
            {
                "tool": {"driver": _driver(report)},
                "automationDetails": {"id": f"{report.name}/{report.subject}/".replace(" ", "-")},
                "invocations": [{"executionSuccessful": True}],
                "columnKind": "unicodeCodePoints",
                "language": report.language,
                "results": [
                    _result(case, index, manifest)
                    for case in report.cases
                    if case.severity != "pass"
                ],
                "properties": dict(report.properties),
            }
        ],
    }
    return strict_json(log)


def _driver(report: Report) -> dict[str, Any]:
    return {
        "name": "reportgen",
        "version": __version__,
        "rules": [_rule(code) for code in report.rules],
    }


def _rule(code: Code) -> dict[str, Any]:
    gravest = min(code.severities, key=SEVERITIES.index)
    first = code.meaning.partition(". ")[0].rstrip(".") + "."
    return {
        "id": code.code,
        "shortDescription": {"text": message(first)},
        "fullDescription": {"text": message(code.meaning)},
        "help": {"text": f"reportgen explain {code.code}"},
        "defaultConfiguration": {"level": LEVELS[gravest]},
    }


def _result(case: Case, index: Mapping[str, int], manifest: str | None) -> dict[str, Any]:
    rule = {"ruleIndex": index[case.code]} if case.code in index else {}
    return {
        "ruleId": case.code,
        **rule,
        "level": LEVELS[case.severity],
        "message": {"text": message(f"{case.title}: {case.statement}")},
        "locations": _locations(case, manifest),
        # Findings of one section share a line, so that its text cannot tell them apart.
        "partialFingerprints": {
            "primaryLocationLineHash": f"{sha256_of(case.id.encode())[:16]}:1",
            "reportgenFinding/v1": case.id,
        },
        "properties": {
            "severity": case.severity,
            "section": case.suite,
            "reachesGate": case.state == "failure",
            "limits": case.limits,
        },
    }


def _locations(case: Case, manifest: str | None) -> list[dict[str, Any]]:
    if manifest is None:
        return []
    region = {} if case.line is None else {"region": {"startLine": case.line}}
    return [{"physicalLocation": {"artifactLocation": {"uri": manifest}, **region}}]


def message(text: str) -> str:
    """Return text as a SARIF message that shows it as it is.

    Braces stand for placeholders there and are doubled (3.11.5); ``[text](address)`` would be a
    link (3.11.6), so the two brackets are set apart.
    """
    return text.replace("{", "{{").replace("}", "}}").replace("](", "] (")
