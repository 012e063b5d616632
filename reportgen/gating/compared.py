"""A comparison as the cases of a gate: what got worse fails it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

from reportgen.comparison import CODES, SECTION
from reportgen.comparison.regressions import (
    GRAVE,
    figure_told,
    finding_told,
    is_regression,
)
from reportgen.gating.cases import Case, Report, State
from reportgen.gating.lines import section_lines
from reportgen.language import use
from reportgen.render.html import printable
from reportgen.render.pages.comparison_words import answer, figure_of, finding_of, name_of

DECISION, FINDING, FIGURE = "CMP-001", "CMP-002", "CMP-003"


def report_of_comparison(
    comparison: Mapping[str, Any], dossier: Mapping[str, Any], manifest: str = ""
) -> Report:
    """Return what two dossiers were compared by as the cases of a gate.

    The decision, every finding and every figure is a case. Those that are regressions fail; a
    figure without a value is skipped; the others pass.

    Parameters
    ----------
    comparison : mapping
        Plain data of ``reportgen/comparison/1``.
    dossier : mapping
        ``dossier`` of the newer one's results.json.
    manifest : str
        The newer dossier's manifest, for the lines of its sections.
    """
    data = printable(comparison)
    lines = section_lines(manifest)
    with use(dossier["language"]):
        cases = tuple(_numbered(_cases(data, lines)))
    new, old = data["new"], data["old"]
    return Report(
        name="reportgen compare",
        subject=new["model"]["name"],
        properties={
            "model": new["model"]["name"],
            "version": new["model"]["version"],
            "revision": str(new["revision"]),
            "decision": new["decision"],
            "older version": old["model"]["version"],
            "older revision": str(old["revision"]),
            "older decision": old["decision"],
        },
        cases=cases,
        rules=CODES,
        language=dossier["language"],
    )


def _cases(data: Mapping[str, Any], lines: Mapping[str, int]) -> Iterator[Case]:
    """Yield the cases, suite by suite: the decision, then the sections in their order."""
    worse = data["decision"]["change"] == "worse"
    yield _case(
        f"{SECTION}/decision", DECISION, "failure" if worse else "passed", "", answer(data), lines
    )
    every = [*data["findings"], *data["figures"]]
    for section in dict.fromkeys(one["section"] for one in every):
        yield from (_finding(one, lines) for one in data["findings"] if one["section"] == section)
        yield from (_figure(one, lines) for one in data["figures"] if one["section"] == section)


def _finding(row: Mapping[str, Any], lines: Mapping[str, int]) -> Case:
    failed = row["new"] in GRAVE and row["change"] in ("new", "worse")
    told = finding_told(finding_of(row)) if failed else row["new_statement"] or row["old_statement"]
    name = f"{row['section']}/{row['code']}"
    return _case(name, FINDING, "failure" if failed else "passed", row["title"], told, lines)


def _figure(row: Mapping[str, Any], lines: Mapping[str, int]) -> Case:
    figure = figure_of(row)
    state: State = "failure" if is_regression(figure) else "passed"
    told = row["difference"].get("reason") or ""
    if None in (figure.old.estimate, figure.new.estimate, figure.difference.estimate):
        state = "skipped"  # there is nothing to be compared, in one dossier or in both
    else:
        told = figure_told(figure)
    return _case(f"{row['section']}/{name_of(row)}", FIGURE, state, "", told, lines)


def _case(
    name: str, code: str, state: State, title: str, told: str, lines: Mapping[str, int]
) -> Case:
    suite, _slash, rest = name.partition("/")
    return Case(
        id=name,
        name=f"{rest}: {title}" if title else rest,
        suite=suite,
        code=code,
        state=state,
        severity="warn" if state == "failure" else "pass",
        title=title or rest,
        statement=told,
        line=lines.get(suite),
    )


def _numbered(cases: Iterator[Case]) -> Iterator[Case]:
    """Yield cases whose ids are unique: the second of a name is ``…-2``."""
    seen: Counter[str] = Counter()
    for case in cases:
        seen[case.id] += 1
        n = seen[case.id]
        yield case if n == 1 else replace(case, id=f"{case.id}-{n}")
