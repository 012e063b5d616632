"""Figures and tables of an integrity section."""

from __future__ import annotations

from reportgen.render.view import Column, FigureView, Plain, TableView


def figures(_section: Plain) -> list[FigureView]:
    """Return the charts of a section in the order in which its page shows them."""
    return []


def tables(section: Plain) -> list[TableView]:
    """Return the tables of a section in the order in which its page shows them."""
    records = section["result"].get("records")
    if not records:
        return []
    columns = (
        Column("code", "Code"),
        Column("what", "Looked for"),
        Column("status", "Status"),
        Column("grade", "Grade"),
    )
    return [TableView("records", "Every check and what came of it", columns, records)]
