"""Figures and tables of a robust section."""

from __future__ import annotations

from reportgen.render.pages import robust_figures, robust_tables
from reportgen.render.view import FigureView, Plain, TableView


def figures(section: Plain) -> list[FigureView]:
    """Return the charts of a section in the order in which its page shows them.

    Parameters
    ----------
    section : mapping
        A section of kind ``robust`` as results.json holds it.

    Returns
    -------
    list of FigureView
        Keys begin with ``curve``, ``joint`` and ``direction``; none without a model.
    """
    result = section["result"]
    return robust_figures.made_from(result) if "risk_list" in result else []


def tables(section: Plain) -> list[TableView]:
    """Return the tables of a section in the order in which its page shows them.

    Parameters
    ----------
    section : mapping
        A section of kind ``robust`` as results.json holds it.
    """
    return robust_tables.made_from(section) if "risk_list" in section["result"] else []
