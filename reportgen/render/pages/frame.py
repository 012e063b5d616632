"""Figures and tables of a FRAME section."""

from __future__ import annotations

from reportgen.render.pages import frame_figures, frame_tables
from reportgen.render.view import FigureView, Plain, TableView


def figures(section: Plain) -> list[FigureView]:
    """Return the charts of a section in the order in which its page shows them.

    Parameters
    ----------
    section : mapping
        A section of kind ``frame`` as results.json holds it.

    Returns
    -------
    list of FigureView
        Keys begin with ``gap``, ``forest``, ``picture``, ``models``, ``features`` and ``map``; none
        where the section could not be assessed.
    """
    result = section["result"]
    return frame_figures.made_from(result) if "gaps" in result else []


def tables(section: Plain) -> list[TableView]:
    """Return the tables of a section in the order in which its page shows them.

    Parameters
    ----------
    section : mapping
        A section of kind ``frame`` as results.json holds it.
    """
    return frame_tables.made_from(section) if "gaps" in section["result"] else []
