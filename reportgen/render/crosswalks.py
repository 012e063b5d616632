"""From the clauses of regulation and guidelines to the places of this dossier that bear on them.

The tables are data of the package (``templates/crosswalks/``), each clause in our own words. A row
points only to what this dossier holds; where it holds nothing, the row says what is missing. That a
row points somewhere does not mean that the clause is met. Their texts are messages,
translated here on the way to the page (:mod:`reportgen.language`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from reportgen.assets import asset
from reportgen.language import _
from reportgen.render.evidence import Evidence, Place, read_data
from reportgen.wording import separated

CHECKED: Mapping[str, str] = {
    "text": "text read",
    "headings": "text not checked",
    "no": "text not checked",
}


@dataclass(frozen=True)
class Row:
    """One clause.

    Attributes
    ----------
    clause : str
        As the document numbers it.
    asks : str
        What is asked, in our own words.
    places : tuple of Place
        Where this dossier bears on it; empty if nowhere.
    lacking : tuple of str
        What the manifest would have to name, where evidence is missing.
    limits : str
        How far the dossier goes.
    checked : str
        "text read" or "text not checked".
    """

    clause: str
    asks: str
    places: tuple[Place, ...]
    lacking: tuple[str, ...]
    limits: str
    checked: str


@dataclass(frozen=True)
class Crosswalk:
    """One document with its clauses in scope and, in few words, those out of scope."""

    id: str
    title: str
    document: str
    checked_note: str
    rows: tuple[Row, ...]
    outside: Sequence[Mapping[str, str]]
    applies: bool

    @property
    def provided(self) -> int:
        """Rows that point somewhere."""
        return sum(bool(row.places) for row in self.rows)

    @property
    def in_scope(self) -> int:
        """Rows in all."""
        return len(self.rows)


def crosswalks(evidence: Evidence) -> list[Crosswalk]:
    """Return every crosswalk, filled from what a dossier holds."""
    folder = asset("templates") / "crosswalks"
    names = sorted(path.name for path in folder.glob("*.yaml"))
    return [_filled(read_data(f"crosswalks/{name}"), evidence) for name in names]


def _filled(data: Mapping[str, Any], evidence: Evidence) -> Crosswalk:
    applies = data.get("needs") != "imaging" or bool(
        evidence.find("images") or evidence.find("section:integrity.evaluator")
    )
    return Crosswalk(
        data["id"],
        _(data["title"]),
        _(data["document"]),
        _(data["checked_note"]),
        tuple(_row(row, data["checked"], evidence) for row in data["rows"]),
        [{"clauses": _clauses(one["clauses"]), "what": _(one["what"])} for one in data["outside"]],
        applies,
    )


def _clauses(text: str) -> str:
    """Return clauses out of scope; those that hold no word are no message."""
    known = _(text)
    return known if known != text else separated(text.split(", "))


def _row(row: Mapping[str, Any], checked: str, evidence: Evidence) -> Row:
    found = {word: evidence.find(word) for word in row["evidence"]}
    places = dict.fromkeys(place for places in found.values() for place in places)
    limits = row.get("limits", "")
    lacking = [evidence.lacking(word) for word, places in found.items() if not places]
    return Row(
        _(row["clause"]),
        _(row["asks"]),
        tuple(sorted(places, key=lambda place: place.number)),
        tuple(lacking),
        _(limits),
        CHECKED[row.get("checked", checked)],
    )
