"""What changed since another dossier: the section that a comparison is shown as.

It is a section of no manifest: it stands in a dossier whose results hold a ``comparison``, and it
is the whole of the page of ``reportgen compare``.
"""

from __future__ import annotations

from typing import Any

from reportgen.comparison import SECTION
from reportgen.language import _, mark
from reportgen.render.pages.comparison_figures import figures
from reportgen.render.pages.comparison_tables import tables
from reportgen.render.pages.comparison_words import answer, improvements, worsenings
from reportgen.render.view import Plain

__all__ = ["SECTION", "figures", "section_of", "tables"]

TITLE = mark("What changed")
QUESTION = mark("What became better or worse since the older dossier, and is it shown?")


def section_of(comparison: Plain) -> dict[str, Any]:
    """Return a comparison in the form of a section of results.json, with its answer in words."""
    return {
        "id": SECTION,
        "kind": SECTION,
        "title": _(TITLE),
        "question": _(QUESTION),
        "parameters": {},
        "result": {
            **comparison,
            "answer": answer(comparison),
            "worsenings": worsenings(comparison),
            "improvements": improvements(comparison),
        },
    }
