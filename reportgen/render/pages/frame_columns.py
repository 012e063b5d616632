"""Columns that the tables of a FRAME section share, and how its rows are called."""

from __future__ import annotations

from reportgen.language import _
from reportgen.render.pages.frame_rows import several_scores
from reportgen.render.pages.frame_words import comparison, group_name, label, p_value
from reportgen.render.pages.words import limits
from reportgen.render.view import Column, Plain
from reportgen.wording import separated


def group_column() -> Column:
    """Return the column that names a group."""
    return Column("name", _("Group"))


def comparison_column() -> Column:
    """Return the column that names a comparison."""
    return Column("name", _("Comparison"))


def metric_column() -> Column:
    """Return the column that names a metric."""
    return Column("metric_name", _("Metric"))


def attribute_column() -> Column:
    """Return the column of an attribute."""
    return Column("attribute", _("Attribute"))


def units_column() -> Column:
    """Return the column of independent units."""
    return Column("n_units", _("Units"), "count")


def rows_columns() -> list[Column]:
    """Return the columns of rows, and of those of either class."""
    return [
        Column("n_rows", _("Rows"), "count"),
        Column("n_positive", _("Positive"), "count", _("rows")),
        Column("n_negative", _("Negative"), "count", _("rows")),
    ]


def full(row: Plain, result: Plain) -> Plain:
    """Add how a primary comparison is called in full, with metric and score where several."""
    said = [label(row["metric"])] if len(result["primary"]) > 1 else []
    said += [row["score"]] if several_scores(result) else []
    name = comparison(row)
    return {**gap_named(row), "name": _with(name, separated(said)) if said else name}


def scored(row: Plain, result: Plain) -> Plain:
    """Add how a row is called, with its score where there are several."""
    own = named(row)
    return {**own, "name": _with(own["name"], row["score"])} if several_scores(result) else own


def attribute_named(row: Plain, result: Plain) -> str:
    """Return an attribute, with the score where there are several."""
    return _with(row["attribute"], row["score"]) if several_scores(result) else row["attribute"]


def _with(name: str, more: str) -> str:
    return _("{name} ({more})").format(name=name, more=more)


def named(row: Plain) -> Plain:
    """Add how a row's comparison, or else its group, and its metric are called."""
    names = {"metric_name": label(row["metric"])} if "metric" in row else {}
    return {**row, **names, "name": comparison(row) if "reference" in row else group_name(row)}


def gap_named(row: Plain) -> Plain:
    """Add to a gap its names, and as text the limits and p values of columns of their own."""
    low, high = row["equivalence_low"], row["equivalence_high"]
    value = row["gap"]["estimate"]
    return {
        **named(row),
        "metric_name": label(row["metric"]) + ("*" if row["primary"] else ""),
        "percentile": limits(row["gap_percentile"]),
        "equivalence": limits({"estimate": value, "low": low, "high": high}),
        "p_text": p_value(row["p"]),
        "p_adjusted_text": p_value(row["p_adjusted"]),
        "p_row_text": p_value(row["image_level_p"]),
    }
