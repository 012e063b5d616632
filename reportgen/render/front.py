"""What the first page names: the findings that decide, and the data that were met."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby
from operator import itemgetter
from typing import Any

from reportgen.render.view import Plain
from reportgen.result import SEVERITIES

MOST_DECIDING, MOST_BESIDE_CRITERIA = 5, 4
"""Findings that the decision names; the list of all findings has the others."""
MOST_MET = 4
"""Inputs that the first page names; the data received have the others."""


def front(results: Plain) -> dict[str, Any]:
    """Return what the template of the first page needs beside the results.

    ``deciding`` and ``more_deciding``: the findings that decide, without those on criteria, which
    have a table of their own on the page, and how many more there are;
    ``met`` and ``more_met``: the inputs with independent units, without those a model was fitted
    on, and whether there are more.
    """
    reasons = results["decision"]["reasons"]
    criteria = {row["finding"] for row in results.get("criteria", ())}
    deciding = [
        one for one in results["findings"] if one["id"] in reasons and one["id"] not in criteria
    ]
    most = MOST_BESIDE_CRITERIA if criteria else MOST_DECIDING
    met = [
        one
        for one in results["inputs"]
        if one.get("units") is not None and not one["name"].endswith(".train")
    ]
    return {
        "deciding": _of_each_section(deciding, most),
        "more_deciding": max(0, len(deciding) - most),
        "met": met[:MOST_MET],
        "more_met": len(met) > MOST_MET,
    }


def _of_each_section(findings: Sequence[Plain], most: int) -> list[Plain]:
    """Return the first findings, one of every section before a second of any, in their order.

    So that no section that decides is hidden behind another one's many findings.
    """
    met: Counter[str] = Counter()
    turns = []
    for place, one in enumerate(findings):
        turns.append((met[one["section"]], place))
        met[one["section"]] += 1
    return [findings[place] for place in sorted(place for _turn, place in sorted(turns)[:most])]


@dataclass(frozen=True)
class Listed:
    """A line of the list of all findings.

    Attributes
    ----------
    finding : mapping
    of_severity, of_section : int
        How many lines the word for its severity, and its section's title, stand for; 0 where they
        stand above already.
    """

    finding: Plain
    of_severity: int = 1
    of_section: int = 1


def listed_findings(results: Plain, *, joined: bool) -> list[Listed]:
    """Return every finding, the gravest first, in the order of the sections.

    `joined`: what lines share stands at the first of them alone.
    """
    made = []
    for severity in SEVERITIES:
        graded = [one for one in results["findings"] if one["severity"] == severity]
        runs = (list(run) for _section, run in groupby(graded, key=itemgetter("section")))
        lines = [(one, place, len(run)) for run in runs for place, one in enumerate(run)]
        made += [
            Listed(one, 0 if at else len(graded), 0 if place else size) if joined else Listed(one)
            for at, (one, place, size) in enumerate(lines)
        ]
    return made
