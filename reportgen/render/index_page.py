"""The page that lists the dossiers below an output folder: in English, no part of any record.

It fetches nothing and runs nothing, as the dossiers' own pages do. It carries no font of its own,
so that it is made in a moment after every run.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any
from urllib.parse import quote

from markupsafe import Markup

from reportgen.language import SOURCE, use
from reportgen.render.html import FONTS_HERE, environment, printable

MARK = '<meta name="reportgen-index" content="1">'
"""Stands in every such page, and in no other: what carries it may be written anew."""
SEVERITY_OF = {"release": "pass", "conditional": "warn", "hold": "fail"}


def index_page(listed: Sequence[Any], unread: Sequence[Any]) -> str:
    """Return the page.

    Parameters
    ----------
    listed, unread : sequence
        The dossiers that were read and those that cannot be, as ``release.listing`` has them: plain
        attributes, any text of which may be the user's.
    """
    rows = [
        {
            **printable(vars(one)),
            "severity": SEVERITY_OF.get(one.decision),
            "links": [(page, _address(f"{one.folder}/{page}")) for page in one.pages],
        }
        for one in listed
    ]
    with use(SOURCE):
        page = environment("screen").get_template("index.html.j2")
        html = page.render(
            rows=rows,
            count=len(rows),
            unread=[printable(vars(one)) for one in unread],
            mark=Markup(MARK),  # noqa: S704 - a constant of this file
        )
    return html.replace(FONTS_HERE, "", 1)


def _address(path: str) -> str:
    """Return a path as a link, whatever bytes the system holds for its name."""
    return quote(path, errors="surrogateescape")
