"""Counts with their nouns: "1 image", "2,000 images"."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from reportgen.language import n_

FORMS: Mapping[str, Callable[[int], str]] = {
    "artefact": lambda k: n_("{n} artefact", "{n} artefacts", k),
    "class": lambda k: n_("{n} class", "{n} classes", k),
    "cluster": lambda k: n_("{n} cluster", "{n} clusters", k),
    "column": lambda k: n_("{n} column", "{n} columns", k),
    "flagged pair": lambda k: n_("{n} flagged pair", "{n} flagged pairs", k),
    "group": lambda k: n_("{n} group", "{n} groups", k),
    "image": lambda k: n_("{n} image", "{n} images", k),
    "list": lambda k: n_("{n} list", "{n} lists", k),
    "pair": lambda k: n_("{n} pair", "{n} pairs", k),
    "row": lambda k: n_("{n} row", "{n} rows", k),
    "site": lambda k: n_("{n} site", "{n} sites", k),
    "source": lambda k: n_("{n} source", "{n} sources", k),
    "split": lambda k: n_("{n} split", "{n} splits", k),
    "unit": lambda k: n_("{n} unit", "{n} units", k),
}
"""Noun to the message that counts it."""
