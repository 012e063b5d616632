"""The terms of the field that a dossier uses, with their definitions."""

from __future__ import annotations

from dataclasses import dataclass

from reportgen.render.evidence import Evidence, read_data


@dataclass(frozen=True)
class Term:
    """A term and what it means in a dossier."""

    term: str
    means: str


def glossary(evidence: Evidence) -> list[Term]:
    """Return the terms of what a dossier holds, in alphabetical order."""
    found = [
        Term(one["term"], one["means"])
        for one in read_data("glossary.yaml")
        if any(evidence.find(word) for word in one["when"])
    ]
    return sorted(found, key=lambda one: one.term.casefold())
