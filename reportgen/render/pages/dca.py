"""Figures and tables of a decision curve section."""

from __future__ import annotations

from reportgen.render.pages import dca_figures, dca_tables
from reportgen.render.view import FigureView, Plain, TableView


def figures(section: Plain) -> list[FigureView]:
    """Return the charts of a section in the order in which its page shows them.

    Parameters
    ----------
    section : mapping
        A section of kind ``dca`` as results.json holds it.

    Returns
    -------
    list of FigureView
        Keys begin with ``curve``, ``gain``, ``between`` and ``avoided``; none where the section
        could not be assessed.
    """
    result = section["result"]
    return dca_figures.made_from(result) if "curve" in result else []


def tables(section: Plain) -> list[TableView]:
    """Return the tables of a section in the order in which its page shows them.

    Parameters
    ----------
    section : mapping
        A section of kind ``dca`` as results.json holds it.
    """
    return dca_tables.made_from(section) if "curve" in section["result"] else []
