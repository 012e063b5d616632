"""Findings as the cases of a gate: what fails it, what passes, what could not be assessed."""

from __future__ import annotations

from collections.abc import Container, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from reportgen.codes import known_codes
from reportgen.comparison import SECTION as COMPARISON
from reportgen.criteria import SECTION as CRITERIA
from reportgen.gating.lines import finding_lines
from reportgen.language import _, use
from reportgen.render.html import printable
from reportgen.render.parts import NOT_TESTABLE
from reportgen.reporting import CODES, RUN
from reportgen.result import Severity
from reportgen.section import Code

State = Literal["failure", "skipped", "passed"]

NOT_ASSESSED = frozenset(
    {
        *("RUN-001", "RUN-002"),
        "CRI-004",
        *("FRM-007", "FRM-008", "FRM-020"),
        *("ROB-005", "ROB-020"),
        "DCA-009",
        *("PRV-005", "PRV-012"),
        *("INT-054", "INT-064", "INT-068"),
    }
)
"""Codes that say that something could not be assessed."""


@dataclass(frozen=True)
class Case:
    """One finding, as a gate sees it.

    Attributes
    ----------
    id : str
        The finding's own, unique: ``frame/FRM-004-2``.
    name : str
        Its code, numbered where several findings of the suite bear it, and its title; of a
        criterion, which bears another code once it is met, the id and the figure.
    suite : str
        What it belongs to: the id of a section, "criteria" or "run".
    code : str
    state : {"failure", "skipped", "passed"}
        *failure* if it reaches the gate; else *skipped* if it says that something could not be
        assessed; else *passed*.
    severity : {"pass", "note", "warn", "fail"}
    title, statement, limits : str
    line : int or None
        Line of the manifest, counted from 1, where what it belongs to stands.
    """

    id: str
    name: str
    suite: str
    code: str
    state: State
    severity: Severity
    title: str
    statement: str
    limits: str = ""
    line: int | None = None


@dataclass(frozen=True)
class Report:
    """All cases of a gate.

    Attributes
    ----------
    name : str
        The command: "reportgen build".
    subject : str
        What stays the same from run to run: the model's name.
    properties : mapping of str to str
        What the run was of: model, version, revision, digest, decision.
    cases : tuple of Case
        In the order of the dossier.
    rules : tuple of Code
        Every code that the sections which ran can make.
    language : str
        The language of titles and statements.
    """

    name: str
    subject: str
    properties: Mapping[str, str]
    cases: tuple[Case, ...]
    rules: tuple[Code, ...] = field(repr=False)
    language: str = "en"


def report_of_build(
    data: Mapping[str, Any], failing: Iterable[Mapping[str, Any]], manifest: str = ""
) -> Report:
    """Return the findings of a dossier as the cases of its gate.

    Parameters
    ----------
    data : mapping
        results.json.
    failing : iterable of mapping
        The findings of it that reach the manifest's gate.
    manifest : str
        The manifest as read, for the lines of its sections; "" if they are not wanted.
    """
    data = printable(data)
    reaching = {one["id"] for one in failing}
    lines = finding_lines(manifest, data)
    named = {row["finding"]: f"{row['id']}: {row['figure']}" for row in data.get(CRITERIA, ())}
    dossier = data["dossier"]
    with use(dossier["language"]):
        cases = tuple(
            Case(
                id=one["id"],
                name=named.get(one["id"], f"{one['id'].partition('/')[2]}: {one['title']}"),
                suite=one["section"],
                code=one["code"],
                state=_state(one, reaching, data),
                severity=one["severity"],
                title=one["title"],
                statement=one["statement"],
                limits=one["limits"],
                line=lines.get(one["id"]),
            )
            for one in data["findings"]
        )
    return Report(
        name="reportgen build",
        subject=dossier["model"]["name"],
        properties=dossier_properties(data),
        cases=cases,
        rules=rules_of(data),
        language=dossier["language"],
    )


def dossier_properties(data: Mapping[str, Any]) -> dict[str, str]:
    """Return which dossier results.json is, and its decision, as text."""
    dossier = data["dossier"]
    return {
        "model": dossier["model"]["name"],
        "version": dossier["model"]["version"],
        "revision": str(dossier["revision"]),
        "date": dossier["date"],
        "digest": dossier["digest"],
        "decision": data["decision"]["outcome"],
    }


def rules_of(data: Mapping[str, Any]) -> tuple[Code, ...]:
    """Return every code that the sections of a dossier, its criteria and its run can make."""
    rooms = {section["kind"] for section in data["sections"]} | {CRITERIA, RUN}
    rooms |= {one["section"] for one in data["findings"] if one["section"] == COMPARISON}
    return tuple(known.code for known in known_codes().values() if known.room in rooms)


def _state(finding: Mapping[str, Any], reaching: Container[str], data: Mapping[str, Any]) -> State:
    if finding["id"] in reaching:
        return "failure"
    return "skipped" if _not_assessed(finding, data) else "passed"


def _not_assessed(finding: Mapping[str, Any], data: Mapping[str, Any]) -> bool:
    """Return whether a finding says that something could not be assessed."""
    if finding["code"] in NOT_ASSESSED or finding["statement"].startswith(_(NOT_TESTABLE)):
        return True
    results = {one["id"]: one["result"] for one in data["sections"]}
    reason = results.get(finding["section"], {}).get("not_applicable")
    return reason is not None and finding["code"] not in {one.code for one in CODES}
