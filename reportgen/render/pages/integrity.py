"""Figures and tables of an integrity section."""

from __future__ import annotations

from collections.abc import Iterator

from reportgen.render.pages import integrity_label_tables as labels
from reportgen.render.pages import integrity_partition_figures as partition_figures
from reportgen.render.pages import integrity_partition_tables as partition
from reportgen.render.pages import integrity_records
from reportgen.render.view import FigureView, Plain, TableView


def figures(section: Plain) -> list[FigureView]:
    """Return the charts and pictures of a section in the order in which its page shows them.

    Parameters
    ----------
    section : mapping
        A section of kind ``integrity`` as results.json holds it.
    """
    return list(_figures(section["result"])) if "records" in section["result"] else []


def tables(section: Plain) -> list[TableView]:
    """Return the tables of a section in the order in which its page shows them.

    Parameters
    ----------
    section : mapping
        A section of kind ``integrity`` as results.json holds it.
    """
    return list(_tables(section)) if "records" in section["result"] else []


def _figures(result: Plain) -> Iterator[FigureView]:
    if result["near_duplicates"]:
        yield from partition_figures.near_duplicates(result["near_duplicates"])


def _tables(section: Plain) -> Iterator[TableView]:
    name, result = section["id"], section["result"]
    yield from integrity_records.made_from(section)
    for key, made in (
        ("near_duplicates", partition.near_duplicates),
        ("duplicate_rows", partition.duplicate_rows),
        ("leakage", partition.leakage),
        ("label_agreement", labels.label_agreement),
    ):
        if result[key]:
            yield from made(name, result[key])
    if result["memorisation"]:
        yield from labels.memorisation(name, result["memorisation"], result)
    for key, made in (
        ("label_geometry", labels.label_geometry),
        ("class_names", labels.class_names),
    ):
        if result[key]:
            yield from made(name, result[key])
