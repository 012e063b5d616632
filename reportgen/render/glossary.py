"""The terms of the field that a dossier uses, with their definitions."""

from __future__ import annotations

from dataclasses import dataclass

from reportgen.language import _, current
from reportgen.render.evidence import Evidence, read_data


@dataclass(frozen=True)
class Term:
    """A term and what it means in a dossier."""

    term: str
    means: str


def glossary(evidence: Evidence) -> list[Term]:
    """Return the terms of what a dossier holds, in alphabetical order of their language."""
    found = [
        Term(_(one["term"]), _(one["means"]))
        for one in read_data("glossary.yaml")
        if any(evidence.find(word) for word in one["when"])
    ]
    return sorted(found, key=lambda one: _order(one.term))


def _order(term: str) -> str | bytes:
    """Return what terms are sorted by; GB 18030 has common characters in the order of pinyin."""
    folded = term.casefold()
    return folded.encode("gb18030") if current() == "zh" else folded
