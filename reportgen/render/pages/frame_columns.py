"""Columns that the tables of a FRAME section share, and how its rows are called."""

from __future__ import annotations

from reportgen.render.pages.frame_rows import several_scores
from reportgen.render.pages.frame_words import comparison, group_name, label, p_value
from reportgen.render.pages.words import limits
from reportgen.render.view import Column, Plain

GROUP = Column("name", "Group")
COMPARISON = Column("name", "Comparison")
METRIC = Column("metric_name", "Metric")
ATTRIBUTE = Column("attribute", "Attribute")
UNITS, ROWS = Column("n_units", "Units", "count"), Column("n_rows", "Rows", "count")
POSITIVE = Column("n_positive", "Positive", "count", "rows")
NEGATIVE = Column("n_negative", "Negative", "count", "rows")


def full(row: Plain, result: Plain) -> Plain:
    """Add how a primary comparison is called in full, with metric and score where several."""
    said = [label(row["metric"])] if len(result["primary"]) > 1 else []
    said += [row["score"]] if several_scores(result) else []
    name = comparison(row)
    return {**gap_named(row), "name": f"{name} ({', '.join(said)})" if said else name}


def scored(row: Plain, result: Plain) -> Plain:
    """Add how a row is called, with its score where there are several."""
    own = named(row)
    return {**own, "name": f"{own['name']} ({row['score']})"} if several_scores(result) else own


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
