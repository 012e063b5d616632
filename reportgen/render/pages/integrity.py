"""Figures and tables of an integrity section."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from reportgen.render.pages import integrity_evaluation_figures as evaluation_figures
from reportgen.render.pages import integrity_evaluation_tables as evaluation
from reportgen.render.pages import integrity_label_tables as labels
from reportgen.render.pages import integrity_leakage_tables as leakage
from reportgen.render.pages import integrity_model_tables as models
from reportgen.render.pages import integrity_partition_figures as partition_figures
from reportgen.render.pages import integrity_partition_tables as partition
from reportgen.render.pages import integrity_records
from reportgen.render.pages import integrity_use_figures as use_figures
from reportgen.render.pages import integrity_use_tables as use
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
    if result["removal_effect"]:
        yield from evaluation_figures.removal_effect(result["removal_effect"], result)
    if result["evaluator"]:
        yield from evaluation_figures.evaluator(result["evaluator"])
    if result["pipeline"]:
        yield from use_figures.pipeline(result["pipeline"])


def _tables(section: Plain) -> Iterator[TableView]:
    name, result = section["id"], section["result"]
    yield from integrity_records.made_from(section)
    for key, made in _MADE:
        if result[key]:
            yield from made(name, result[key], result)


_MADE: tuple[tuple[str, Callable[[str, Plain, Plain], Iterator[TableView]]], ...] = (
    ("near_duplicates", partition.near_duplicates),
    ("duplicate_rows", partition.duplicate_rows),
    ("leakage", leakage.leakage),
    ("label_agreement", labels.label_agreement),
    ("memorisation", labels.memorisation),
    ("label_geometry", labels.label_geometry),
    ("class_names", labels.class_names),
    ("removal_effect", evaluation.removal_effect),
    ("evaluator", evaluation.evaluator),
    ("classifier", models.classifier),
    ("counting_heads", models.counting_heads),
    ("pipeline", use.pipeline),
    ("class_map", use.class_map),
    ("claims", use.claims),
)
"""Part of the result and what makes its tables, in the order of the page."""
