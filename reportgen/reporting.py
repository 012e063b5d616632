"""What was computed becomes the plain data of results.json: sections, findings, the decision."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any, Literal

from reportgen.comparison import SECTION as COMPARISON
from reportgen.comparison import Comparison
from reportgen.criteria import SECTION as CRITERIA
from reportgen.criteria import (
    Judged,
    bound_named,
    criteria_findings,
    figure_named,
    judge,
    value_named,
)
from reportgen.inputs import InputRecord
from reportgen.language import _, n_
from reportgen.manifest import Manifest
from reportgen.manifest_file.references import inputs_named
from reportgen.received import CODES as OF_DATA
from reportgen.received import remark_findings
from reportgen.release.fingerprint import results_digest
from reportgen.result import SEVERITIES, Finding, NotApplicable, Outcome, Severity, plain
from reportgen.risks import risks
from reportgen.section import Code, Section
from reportgen.settings import SectionSettings
from reportgen.wording import quoted, separated

SCHEMA = "reportgen/results/1"
NOT_ASSESSED = "RUN-001"
LEFT_OUT = "RUN-002"
WITHOUT_UNIT = "RUN-003"
RUN = "run"
"""Where findings stand that belong to the run and to no section of it."""
CODES: tuple[Code, ...] = (
    Code(
        NOT_ASSESSED,
        ("warn",),
        "A section could not be assessed, for the reason given, and has no finding of its own on "
        "that. Nothing is shown either way.",
    ),
    Code(
        LEFT_OUT,
        ("warn",),
        "Sections of the manifest were left out of this run (--only), so that what they would have "
        "found is not known.",
    ),
    Code(
        WITHOUT_UNIT,
        ("warn",),
        "Rows of a table have no unit (patient) and were each taken as a unit of its own, as the "
        "manifest allows: intervals may be too narrow.",
    ),
    *OF_DATA,
)
"""Every finding that the run itself can make."""


@dataclass(frozen=True)
class Computed:
    """One section of the manifest with what came of it."""

    section: Section
    settings: SectionSettings
    outcome: Outcome


def results_data(
    manifest: Manifest,
    computed: Sequence[Computed],
    *,
    records: Iterable[InputRecord],
    left_out: Sequence[str],
    date: str,
    environment: Mapping[str, Any],
) -> dict[str, Any]:
    """Return the whole of results.json, its revision still open (null).

    Parameters
    ----------
    manifest : Manifest
        What was asked for.
    computed : sequence of Computed
        In the order of the manifest.
    records : iterable of InputRecord
        Every file that was read.
    left_out : sequence of str
        Ids of the manifest's sections that this run did not compute.
    date : str
        YYYY-MM-DD.
    environment : mapping
        Versions of all software involved.

    Raises
    ------
    ValueError
        If a figure is NaN or infinite.
    """
    records = list(records)
    sections = [_section(one) for one in computed]
    criteria = judge(
        manifest.settings.criteria, sections, pinned=pre_specified(manifest), left_out=left_out
    )
    of_tables = (_units_missing(manifest, records), remark_findings(records))
    findings = _findings(computed, left_out, of_tables, criteria)
    data: dict[str, Any] = {
        "schema": SCHEMA,
        "dossier": _dossier(manifest, date, left_out),
        "decision": decision(findings),
        "defaults": manifest.settings.defaults.model_dump(),
        "findings": findings,
        "criteria": [_criterion(*pair) for pair in zip(criteria, findings, strict=False)],
        "risks": [plain(row) for row in risks(sections, findings)],
        "sections": sections,
        "inputs": [plain(record) for record in records],
        "environment": dict(environment),
    }
    data["dossier"]["digest"] = results_digest(data)
    return data


def with_comparison(
    data: Mapping[str, Any],
    found: Comparison | None,
    findings: Iterable[Finding],
    record: InputRecord | None,
) -> dict[str, Any]:
    """Return results.json with a comparison in it, and what that says among its findings.

    Parameters
    ----------
    data : mapping
        results.json without one.
    found : Comparison or None
        None where there was nothing to compare with.
    findings : iterable of Finding
        They enter the decision.
    record : InputRecord or None
        The results of the earlier dossier, as an input.
    """
    seen: Counter[tuple[str, str]] = Counter()
    told = [*data["findings"], *(_finding(COMPARISON, finding, seen) for finding in findings)]
    inputs = [*data["inputs"], *([] if record is None else [plain(record)])]
    made: dict[str, Any] = {}
    for key, value in data.items():
        if key == "sections" and found is not None:
            made["comparison"] = plain(found)
        made[key] = value
    made |= {"findings": told, "decision": decision(told), "inputs": inputs}
    made["dossier"] = {**data["dossier"], "digest": results_digest(made)}
    return made


def pre_specified(manifest: Manifest) -> bool:
    """Return whether the plan is pinned and the command line has changed neither it nor a bound."""
    plan = manifest.settings.plan
    changed = any(key.startswith(("criteria", "plan")) for key, _value in manifest.overrides)
    return plan is not None and plan.sha256 is not None and not changed


def _criterion(row: Judged, finding: Mapping[str, Any]) -> dict[str, Any]:
    data: dict[str, Any] = plain(row)
    del data["left_out"]
    written = {
        "figure": figure_named(row),
        "required": bound_named(row),
        "found": value_named(row),
        "finding": finding["id"],
    }
    return {**data, **written}


def _dossier(manifest: Manifest, date: str, left_out: Sequence[str]) -> dict[str, Any]:
    cover, model = manifest.settings.dossier, manifest.settings.model
    return {
        "title": cover.title,
        "language": cover.language,
        "date": date,
        "paper": cover.paper,
        "model": {"name": model.name, "version": model.version},
        "revision": None,
        "digest": None,
        "intended_use": cover.intended_use,
        "prepared_by": cover.prepared_by,
        "sign_off": [line.model_dump() for line in cover.sign_off],
        "overrides": [{"key": key, "value": value} for key, value in manifest.overrides],
        "sections_left_out": list(left_out),
    }


def _section(one: Computed) -> dict[str, Any]:
    result = one.outcome.result
    missing = isinstance(result, NotApplicable)
    return {
        "id": one.settings.name,
        "kind": one.section.kind,
        "title": one.settings.title or _(one.section.title),
        "question": _(one.section.question),
        "parameters": parameters(one.settings),
        "result": {"not_applicable": result.reason} if missing else plain(result),
    }


def parameters(settings: SectionSettings) -> dict[str, Any]:
    """Return validated settings as plain data, under the names that the manifest uses."""
    data = _numbers(settings.model_dump(mode="python", by_alias=True))
    return {**data, "id": settings.name}


def _numbers(value: Any) -> Any:
    """Return plain data with each decimal as the number that prints like it."""
    if isinstance(value, Decimal):
        return float(value)
    if isinstance(value, Mapping):
        return {str(key): _numbers(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_numbers(item) for item in value]
    return value


def _findings(
    computed: Sequence[Computed],
    left_out: Sequence[str],
    of_tables: Sequence[Mapping[str, Finding]],
    criteria: Sequence[Judged],
) -> list[dict[str, Any]]:
    """Return all findings; those about criteria lead, one a criterion."""
    found = [(CRITERIA, finding) for finding in criteria_findings(criteria)]
    for one in computed:
        own = [*(one.outcome.findings or _not_assessed(one))]
        if not isinstance(one.outcome.result, NotApplicable):
            inputs = inputs_named(one.settings.model_dump())
            named = {name if block == "tables" else f"{block}.{name}" for block, name in inputs}
            own += [one[table] for one in of_tables for table in one if table in named]
        found += [(one.settings.name, finding) for finding in own]
    if left_out:
        found.append((RUN, _sections_left_out(left_out)))
    seen: Counter[tuple[str, str]] = Counter()
    return [_finding(section, finding, seen) for section, finding in found]


def _finding(section: str, finding: Finding, seen: Counter[tuple[str, str]]) -> dict[str, Any]:
    seen[section, finding.code] += 1
    count = seen[section, finding.code]
    return {
        "id": f"{section}/{finding.code}" + (f"-{count}" if count > 1 else ""),
        "code": finding.code,
        "section": section,
        "severity": finding.severity,
        "title": finding.title,
        "statement": finding.statement,
        "evidence": plain(finding.evidence),
        "limits": finding.limits,
        **({"summary": finding.summary} if finding.summary else {}),
    }


def _not_assessed(one: Computed) -> tuple[Finding, ...]:
    """Return the finding of a section that could not be assessed and did not say so itself."""
    if not isinstance(one.outcome.result, NotApplicable):
        return ()
    reason = one.outcome.result.reason
    return (
        Finding(
            NOT_ASSESSED,
            "warn",
            _("Not assessed"),
            _("This section could not be assessed: {reason}.").format(reason=reason),
            limits=_("Nothing is shown either way."),
        ),
    )


def _units_missing(manifest: Manifest, records: Iterable[InputRecord]) -> dict[str, Finding]:
    """Return, by table, the finding on rows that were taken as units for want of a unit."""
    by_name = {record.name: record for record in records}
    found: dict[str, Finding] = {}
    for name, settings in manifest.settings.tables.items():
        record = by_name.get(f"tables.{name}")
        missing = 0 if record is None else record.without_unit or 0
        if record is not None and missing and settings.unit_missing == "own":
            found[name] = _taken_as_units(name, str(settings.unit), missing, record.rows or 0)
    return found


def _taken_as_units(table: str, unit: str, missing: int, rows: int) -> Finding:
    statement = n_(
        "{missing} of {rows} rows of table {table} has no {unit}; it is taken as a unit of its "
        "own, so that intervals may be too narrow.",
        "{missing} of {rows} rows of table {table} have no {unit}; each is taken as a unit of its "
        "own, so that intervals may be too narrow.",
        missing,
    )
    return Finding(
        WITHOUT_UNIT,
        "warn",
        _("Rows without a unit"),
        statement.format(missing=missing, rows=rows, table=quoted(table), unit=unit),
        evidence={_("rows without a unit"): float(missing), _("rows"): float(rows)},
        limits=_(
            "How many units these rows belong to is not known. Say unit_missing: drop under the "
            "table to leave them out."
        ),
    )


def _sections_left_out(left_out: Sequence[str]) -> Finding:
    # A dossier must not read "release" because the section that would hold it was not run.
    return Finding(
        LEFT_OUT,
        "warn",
        _("Sections left out"),
        _("The manifest names sections that this run left out (--only): {sections}.").format(
            sections=separated(left_out)
        ),
        evidence={_("sections left out"): float(len(left_out))},
        limits=_("Nothing is shown about what the sections left out would have found."),
    )


def decision(findings: Iterable[Mapping[str, Any]]) -> dict[str, Any]:
    """Return the decision: *hold* if any finding is fail, *conditional* if any is warn.

    Otherwise *release*. The reasons are the ids of the findings that decide.
    """
    listed = list(findings)
    for severity, outcome in (("fail", "hold"), ("warn", "conditional")):
        reasons = [finding["id"] for finding in listed if finding["severity"] == severity]
        if reasons:
            return {"outcome": outcome, "reasons": reasons}
    return {"outcome": "release", "reasons": []}


def reaching(data: Mapping[str, Any], severity: Severity | Literal["never"]) -> list[Any]:
    """Return the findings of results.json that are as severe as `severity` or more so."""
    if severity == "never":
        return []
    severe = SEVERITIES[: SEVERITIES.index(severity) + 1]
    return [finding for finding in data["findings"] if finding["severity"] in severe]
