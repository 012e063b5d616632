"""The tables of a FRAME section behind its gaps: chance, parity, models, other explanations."""

from __future__ import annotations

from collections.abc import Sequence

from reportgen import wording
from reportgen.language import _
from reportgen.render import numbers
from reportgen.render.pages.frame_columns import (
    attribute_column,
    attribute_named,
    comparison_column,
    metric_column,
    named,
    scored,
    units_column,
)
from reportgen.render.pages.frame_rows import (
    comparisons,
    first_of,
    group_row,
    picture_points,
)
from reportgen.render.pages.frame_words import (
    interval_methods,
    label,
    level_shown,
    p_value,
)
from reportgen.render.pages.words import coverage, unique
from reportgen.render.tables import file_name
from reportgen.render.view import Column, Plain, TableView
from reportgen.wording import between, clauses

RATIO = "_ratio"
MOST_LEFT_OUT = 6
"""Groups that are named on the page as left out of a figure."""


def made_from(section: str, result: Plain) -> list[TableView]:
    """Return these tables in the order of the page."""
    kinds = (_picture, _parity, _units_in_several, _models, _alternatives)
    made = (kind(section, result) for kind in kinds)
    return [table for table in made if table is not None]


def _parity(section: str, result: Plain) -> TableView | None:
    rows = result["parity"]
    if not rows:
        return None
    return TableView(
        key="parity",
        caption=_(
            "Parity of decisions, worst case over the groups. Highest less lowest, and lowest over "
            "highest: descriptions without interval and never a test, since the largest of several "
            "differences is above 0 even where all groups are alike."
        ),
        columns=[
            Column("name", _("Attribute")),
            metric_column(),
            Column("difference", _("Difference")),
            Column("ratio", _("Ratio")),
            Column("highest_group", _("Highest")),
            Column("lowest_group", _("Lowest")),
            Column("left_out", _("Left out")),
        ],
        rows=[_side_by_side(row, rows, result) for row in rows if not _is_ratio(row, rows)],
        csv=file_name(section, "parity"),
        wide=True,
    )


def _is_ratio(row: Plain, rows: Sequence[Plain]) -> bool:
    """Return whether a row is the ratio of another row's difference."""
    base = str(row["metric"]).removesuffix(RATIO)
    return base != row["metric"] and any(_alike(row, one) == base for one in rows)


def _alike(row: Plain, other: Plain) -> str:
    """Return the other row's metric if it is of the same attribute and score, else ""."""
    keys = ("score", "attribute")
    return str(other["metric"]) if all(row[key] == other[key] for key in keys) else ""


def _side_by_side(row: Plain, rows: Sequence[Plain], result: Plain) -> Plain:
    """Return a difference with the ratio of the same rates beside it."""
    wanted = f"{row['metric']}{RATIO}"
    ratio = first_of(rows, lambda other: _alike(row, other) == wanted)
    return {
        **row,
        "name": attribute_named(row, result),
        "metric_name": label(row["metric"]),
        "highest_group": _with_units(row, row["highest_group"], result),
        "lowest_group": _with_units(row, row["lowest_group"], result),
        "left_out": _few(row["left_out"]),
        "difference": _bare(row["value"]),
        "ratio": numbers.NOTHING if ratio is None else _bare(ratio["value"]),
    }


def _few(named: Sequence[str]) -> str:
    """Return the first groups; the CSV names them all."""
    first = clauses(named[:MOST_LEFT_OUT])
    if len(named) <= MOST_LEFT_OUT:
        return first
    return _("{names} and {n} more").format(
        names=first, n=numbers.count(len(named) - MOST_LEFT_OUT)
    )


def _with_units(row: Plain, group: str, result: Plain) -> str:
    """Return a group with the units behind it, since the worst is most often a small one."""
    own = group_row(result, row["score"], row["attribute"], group)
    if own is None:
        return level_shown(group)
    text = _("{group} ({n} units)")
    return text.format(group=level_shown(group), n=numbers.count(own["n_units"]))


def _bare(value: Plain) -> str:
    """Return an estimate without interval, or why there is none."""
    if value["estimate"] is None:
        return numbers.estimate(value)
    return numbers.probability(value["estimate"])


def _units_in_several(section: str, result: Plain) -> TableView | None:
    rows = result["units_in_several"]
    if not any(row["n_units"] for row in rows):
        return None
    return TableView(
        key="units_in_several",
        caption=_(
            "Units with rows in several groups of an attribute, of the rows used; “missing” is a "
            "group too. They are drawn as one, so that what the groups share is in the interval of "
            "the gap."
        ),
        columns=[attribute_column(), units_column()],
        rows=rows,
        csv=file_name(section, "units_in_several"),
    )


def _picture(section: str, result: Plain) -> TableView | None:
    rows = result["plain_picture"]
    if not rows:
        return None
    written = [_picture_row(result, score, *key) for score, key in _picture_keys(result)]
    return TableView(
        key="picture",
        caption=_(
            "What chance alone does in a group of this size. AUC of the reference in draws of as "
            "many of its units as the group has; the observed AUC of the group, and the share of "
            "the draws at or below it. A picture, not a test."
        ),
        columns=[
            comparison_column(),
            Column("units", _("Units a draw"), "count"),
            Column("half", _("Half of the draws")),
            Column("most", _("Most of the draws")),
            Column("observed", _("Observed"), "probability"),
            Column("share_at_or_below", _("Draws at or below"), "percent"),
        ],
        rows=written,
        wide=True,
        csv=file_name(section, "plain_picture"),
        note=_quantiles(rows),
    )


def _quantiles(rows: Sequence[Plain]) -> str:
    levels = sorted(unique(row["quantile"] for row in rows))
    if len(levels) < 4:
        return ""
    low, high, inner, upper = (numbers.percent(levels[at]) for at in (0, -1, 1, -2))
    text = _("Most: from the {low} to the {high} point; half: from {inner} to {upper}.")
    return text.format(low=low, high=high, inner=inner, upper=upper)


def _picture_keys(result: Plain) -> list[tuple[str, tuple[str, str, str]]]:
    return [
        (score, key)
        for score in result["scores"]
        for key in comparisons(row for row in result["plain_picture"] if row["score"] == score)
    ]


def _picture_row(result: Plain, score: str, attribute: str, group: str, reference: str) -> Plain:
    points = picture_points(result, score, attribute, group, reference)
    inner = points[1:-1] if len(points) > 3 else points
    return {
        **scored(points[0], result),
        "half": _from_to(inner),
        "most": _from_to(points),
    }


def _from_to(points: Sequence[Plain]) -> str:
    return between(*(numbers.probability(point["auc"]) for point in (points[0], points[-1])))


def _alternatives(section: str, result: Plain) -> TableView | None:
    rows = result["alternatives"]
    if not rows:
        return None
    checked = [row for row in rows if row["gap"]["estimate"] is not None or row["gap_before"]]
    return TableView(
        key="alternatives",
        caption=_(
            "Other explanations, and what these data say of them. The gap before and after the "
            "check, with {coverage} interval. A gap that shrinks is consistent with the "
            "explanation; one that stays speaks against its being the whole of it."
        ).format(coverage=coverage(result)),
        columns=[
            comparison_column(),
            metric_column(),
            Column("explained", _("Explanation and check")),
            Column("gap_before", _("Before →"), "signed"),
            Column("gap", _("→ After"), "signed_estimate"),
            Column("reading", _("Reading")),
        ],
        rows=[{**scored(row, result), "explained": _explained(row)} for row in checked],
        csv=file_name(section, "alternatives"),
        note=_unchecked([row for row in rows if row not in checked]),
        wide=True,
    )


def _unchecked(rows: Sequence[Plain]) -> str:
    """Return the explanations that these data cannot check, each once."""
    found = unique((row["alternative"], row["reading"]) for row in rows)
    said = [
        _("{name} ({reading})").format(name=_(name), reading=reading) for name, reading in found
    ]
    text = _("Not checked, and not excluded: {explanations}.")
    return text.format(explanations=clauses(said)) if said else ""


def _explained(row: Plain) -> str:
    name = _(row["alternative"])
    return wording.named(name, row["check"]) if row["check"] else name


def _models(section: str, result: Plain) -> TableView | None:
    rows = result["models"]
    if not rows:
        return None
    return TableView(
        key="models",
        caption=_(
            "The same gap in two models, on the same units. Change: gap of the first less that of "
            "the second; and of its size, without its sign. With {coverage} intervals, paired by "
            "unit. Sizes near 0 are biased upwards: read both columns."
        ).format(coverage=coverage(result)),
        columns=[
            comparison_column(),
            metric_column(),
            Column("models", _("Models")),
            Column("change", _("Change of the gap"), "signed_estimate"),
            Column("p_text", "p"),
            Column("change_of_absolute_gap", _("Change of its size"), "signed_estimate"),
            Column("reading", _("Reading")),
        ],
        rows=list(map(_model, rows)),
        csv=file_name(section, "models"),
        note=interval_methods(
            row[key] for row in rows for key in ("change", "change_of_absolute_gap")
        ),
        wide=True,
    )


def _model(row: Plain) -> Plain:
    models = _("{score} against {other}").format(score=row["score"], other=row["against"])
    return {
        **named(row),
        "models": models,
        "p_text": p_value(row["p"]),
        "reading": _(row["reading"]),
    }
