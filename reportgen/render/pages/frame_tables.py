"""The tables of a FRAME section."""

from __future__ import annotations

from reportgen.render.pages import (
    frame_chance_tables,
    frame_feature_tables,
    frame_gap_tables,
    frame_group_tables,
)
from reportgen.render.pages.frame_rows import shortened
from reportgen.render.view import Plain, TableView


def made_from(section: Plain) -> list[TableView]:
    """Return every table that the result gives rise to, in the order of the page."""
    name, result = section["id"], section["result"]
    views = [
        *frame_gap_tables.verdicts(name, result),
        *frame_group_tables.made_from(name, result),
        *frame_gap_tables.made_from(name, result),
        *frame_chance_tables.made_from(name, result),
        *frame_feature_tables.made_from(name, result),
    ]
    return [shortened(view, result) for view in views]
