"""The risk list as text: each section's figures as they stand and at worst, the gravest first."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from string import ascii_lowercase
from typing import Any

from reportgen import wording
from reportgen.render.numbers import NOTHING, estimate, number
from reportgen.render.parts import Part
from reportgen.render.view import Plain
from reportgen.result import SEVERITIES

_SENTENCE_END = re.compile(r"(?<=[a-z]\.) |(?<=。)")
PRINTED = 2
"""Lines of one section that the PDF shows, the gravest first; the page on screen shows all."""


@dataclass(frozen=True)
class Line:
    """One line of the risk list; `mark` is the letter of the note with its limit."""

    figure: str
    static: str
    robust: str
    robust_is: str
    direction: str
    finding: Plain | None
    part: Part
    mark: str = ""


@dataclass(frozen=True)
class RiskList:
    """Lines, the limits that they share, and what was left out.

    Attributes
    ----------
    lines : tuple of Line
        By section, the gravest first.
    limits : tuple of (str, str)
        Mark and text, each text once.
    more : tuple of (Part, int)
        Sections of which lines are left out, with their number.
    """

    lines: tuple[Line, ...]
    limits: tuple[tuple[str, str], ...]
    more: tuple[tuple[Part, int], ...] = ()

    def by_section(self, *, joined: bool) -> list[tuple[int, Line]]:
        """Return each line with the rows that its section's number heads.

        `joined`: the number stands at the first line of a section alone, the others have 0.
        """
        runs = (list(run) for _number, run in groupby(self.lines, lambda line: line.part.number))
        return [
            (1 if not joined else 0 if place else len(run), line)
            for run in runs
            for place, line in enumerate(run)
        ]


def risk_list(results: Plain, parts: Sequence[Part], *, most: int | None = None) -> RiskList:
    """Return the risk list of a dossier.

    Parameters
    ----------
    results : mapping
        results.json.
    parts : sequence of Part
    most : int, optional
        Lines of one section that are kept, the gravest first; all if absent.
    """
    findings = {one["id"]: one for one in results["findings"]}
    sections = {part.section["id"]: part for part in parts if part.section}
    by_part: dict[int, list[Line]] = {}
    for row in results.get("risks", ()):
        line = _line(row, findings, sections)
        by_part.setdefault(line.part.number, []).append(line)
    kept = [
        line for number in sorted(by_part) for line in sorted(by_part[number], key=_gravity)[:most]
    ]
    more = [
        (own[0].part, len(own) - most)
        for _number, own in sorted(by_part.items())
        if most is not None and len(own) > most
    ]
    marks: dict[str, str] = {}
    marked = tuple(replace(line, mark=_mark(line, marks, brief=most is not None)) for line in kept)
    return RiskList(marked, tuple((mark, text) for text, mark in marks.items()), tuple(more))


def _mark(line: Line, marks: dict[str, str], *, brief: bool) -> str:
    """Return the letter of a line's limit, a new one where it is met for the first time.

    `brief`: its first sentence stands for it; the finding has the others.
    """
    limit = line.finding["limits"] if line.finding else ""
    limit = _SENTENCE_END.split(limit, maxsplit=1)[0] if brief else limit
    return marks.setdefault(limit, _letter(len(marks))) if limit else ""


def _line(row: Plain, findings: Mapping[str, Plain], sections: Mapping[str, Part]) -> Line:
    return Line(
        row["figure"],
        _written(row["static"]),
        _written(row["robust"]),
        row["robust_is"],
        # Of a move in many features the leading one; the section has the others.
        row["direction"].split(wording.clauses(("", "")))[0]
        if row["kind"] == "robust"
        else row["direction"],
        findings.get(row["finding"] or ""),
        sections[row["section"]],
    )


def _written(value: Any) -> str:
    if value is None:
        return NOTHING
    return estimate(value) if isinstance(value, Mapping) else number(value)


def _letter(at: int) -> str:
    """Return the letters of a note: a, b, …, z, aa, ab and so on."""
    first, last = divmod(at, len(ascii_lowercase))
    return (ascii_lowercase[first - 1] if first else "") + ascii_lowercase[last]


def _gravity(line: Line) -> int:
    return len(SEVERITIES) if line.finding is None else SEVERITIES.index(line.finding["severity"])
