"""Figures and tables of a prevalence section."""

from __future__ import annotations

from reportgen.render.pages import prevalence_figures, prevalence_tables
from reportgen.render.view import FigureView, Plain, TableView


def figures(section: Plain) -> list[FigureView]:
    """Return the charts of a section in the order in which its page shows them.

    Parameters
    ----------
    section : mapping
        A section of kind ``prevalence`` as results.json holds it.

    Returns
    -------
    list of FigureView
        ``precision``, ``npv`` and, with an unlabelled table, ``unlabelled``; none where the section
        could not be assessed.
    """
    result = section["result"]
    return prevalence_figures.made_from(result) if "rows" in result else []


def tables(section: Plain) -> list[TableView]:
    """Return the tables of a section in the order in which its page shows them.

    Parameters
    ----------
    section : mapping
        A section of kind ``prevalence`` as results.json holds it.
    """
    return prevalence_tables.made_from(section) if "rows" in section["result"] else []
