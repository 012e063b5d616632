"""Where in a dossier a piece of evidence stands, if it is there at all.

Crosswalks and the glossary name evidence by a word: ``part:methods`` (a part of every dossier),
``dossier:intended_use`` (a key of the manifest's dossier block), ``plan`` (a plan pinned by its
digest), ``criteria``, ``table``, ``train`` and ``images`` (what the manifest declares),
``section:frame`` (an assessed section of that kind), ``section:frame.clusters`` (one with that key
in its result).
"""

from __future__ import annotations

import functools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ruamel.yaml import YAML

from reportgen.assets import asset
from reportgen.language import _, mark
from reportgen.render.labels import label
from reportgen.render.parts import Part
from reportgen.render.view import Plain

ADD: Mapping[str, str] = {
    "plan": mark("a plan pinned by its sha256"),
    "criteria": mark("criteria"),
    "table": mark("a table"),
    "train": mark("a table's train"),
    "images": mark("images"),
}
"""What a manifest lacks where evidence of that word is missing."""
STANDS_IN: Mapping[str, str] = {
    "plan": "inputs",
    "criteria": "decision",
    "table": "data-received",
    "train": "data-received",
    "images": "data-received",
}
"""The part that shows it."""
PARTS_OF_KEYS: Mapping[str, str] = {"intended_use": "intended-use"}


@dataclass(frozen=True)
class Place:
    """A place in the dossier that a row points to."""

    anchor: str
    number: int
    title: str


@dataclass(frozen=True)
class Evidence:
    """What a dossier holds, asked by word."""

    results: Plain
    parts: Sequence[Part]

    def find(self, word: str) -> list[Place]:
        """Return where a piece of evidence stands; nothing if the dossier does not hold it.

        Raises
        ------
        ValueError
            If the word means nothing: a mistake in our own data.
        """
        what, _colon, name = word.partition(":")
        if what == "section":
            return [self._place(part) for part in self.parts if _holds(part, name)]
        if what == "part":
            return [self._anchored(name)]
        if what == "dossier":
            return (
                [self._anchored(PARTS_OF_KEYS[name])] if self.results["dossier"].get(name) else []
            )
        if what not in STANDS_IN:
            raise ValueError(f"no evidence is called {word!r}")
        return [self._anchored(STANDS_IN[what])] if self._declared(what) else []

    def lacking(self, word: str) -> str:
        """Return what a manifest would have to name to provide this evidence."""
        what, _colon, name = word.partition(":")
        if what == "section":
            kind, _point, key = name.partition(".")
            if key:
                return _("a section of kind {kind} with {key}").format(kind=kind, key=label(key))
            return _("a section of kind {kind}").format(kind=kind)
        return f"dossier.{name}" if what == "dossier" else _(ADD[what])

    def _declared(self, what: str) -> bool:
        inputs = self.results["inputs"]
        if what == "criteria":
            return bool(self.results.get("criteria"))
        if what == "plan":
            return any(one["name"] == "plan" for one in inputs)
        if what == "train":
            return any(one["name"].endswith(".train") for one in inputs)
        start = "tables." if what == "table" else "images."
        return any(one["name"].startswith(start) for one in inputs)

    def _anchored(self, anchor: str) -> Place:
        return next(self._place(part) for part in self.parts if part.anchor == anchor)

    def _place(self, part: Part) -> Place:
        return Place(part.anchor, part.number, part.title)


def _holds(part: Part, name: str) -> bool:
    """Return whether a part is an assessed section of a kind, with something at that key."""
    kind, _point, key = name.partition(".")
    if part.section is None or part.not_applicable is not None or part.section["kind"] != kind:
        return False
    return not key or bool(part.section["result"].get(key))


@functools.cache
def read_data(name: str) -> Any:
    """Return a YAML file of the package's templates as plain data, its texts still in English."""
    text = (asset("templates") / name).read_text("utf-8")
    return YAML(typ="safe", pure=True).load(text)
