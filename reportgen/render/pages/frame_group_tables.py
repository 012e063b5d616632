"""The tables of a FRAME section on each group by itself: its size and its figures."""

from __future__ import annotations

from collections.abc import Sequence

from reportgen import wording
from reportgen.language import _
from reportgen.render import numbers
from reportgen.render.pages.frame_columns import (
    attribute_named,
    group_column,
    metric_column,
    named,
    rows_columns,
    scored,
    units_column,
)
from reportgen.render.pages.frame_rows import printed_groups
from reportgen.render.pages.frame_words import interval_methods, label, p_value
from reportgen.render.pages.words import coverage, listed, unique
from reportgen.render.tables import file_name
from reportgen.render.view import Column, Plain, TableView
from reportgen.wording import clauses, sentences, separated

RANKING = ("auc", "sensitivity", "specificity", "balanced_accuracy")
DECISIONS = ("precision", "npv", "selection_rate")
CALIBRATION = ("brier", "calibration_intercept", "calibration_slope")


def made_from(section: str, result: Plain) -> list[TableView]:
    """Return the tables of a section's groups, in the order of the page."""
    kinds = (_sizes, _ranking, _decisions, _calibration, _shrunken, _heterogeneity)
    made = (kind(section, result) for kind in kinds)
    return [table for table in made if table is not None]


def _sizes(section: str, result: Plain) -> TableView:
    rows = [row for row in result["groups"] if row["score"] == result["scores"][0]]
    printed, note = printed_groups(result, rows)
    return TableView(
        key="sizes",
        caption=_(
            "Who is in each group. Units are independent (patients, if declared); a unit may have "
            "rows in several groups. A verdict needs at least {positive} units with a positive and "
            "{negative} with a negative row. Prevalence: share of positive rows."
        ).format(
            positive=result["minimum_positive_units"], negative=result["minimum_negative_units"]
        ),
        columns=[
            group_column(),
            units_column(),
            *rows_columns(),
            Column("n_positive_units", _("Units with a positive"), "count"),
            Column("n_negative_units", _("Units with a negative"), "count"),
            Column("prevalence_alone", _("Prevalence")),
            *(
                [Column("left_away", _("Rows left out"))]
                if any(row["n_left_out"] for row in rows)
                else []
            ),
            Column("estimable", _("Enough"), "yes_no"),
        ],
        rows=list(map(_sized, rows)),
        print_rows=None if printed is None else list(map(_sized, printed)),
        csv=file_name(section, "groups"),
        note=note,
        wide=True,
    )


def _sized(row: Plain) -> Plain:
    gone, share = row["n_left_out"], numbers.percent(row["left_out_share"])
    return {
        **named(row),
        "prevalence_alone": numbers.percent(row["prevalence"]["estimate"]),
        "left_away": _("{n} ({share})").format(n=numbers.count(gone), share=share) if gone else "0",
    }


def _ranking(section: str, result: Plain) -> TableView:
    title = _("Discrimination, and decisions at the threshold")
    if result["threshold"] is None:
        title = _("Discrimination")
    return _figures("ranking", section, result, RANKING, title=title)


def _decisions(section: str, result: Plain) -> TableView | None:
    if not any(has_figure(result, metric) for metric in DECISIONS):
        return None
    return _figures(
        "decisions", section, result, DECISIONS, title=_("What a decision means to the patient")
    )


def _calibration(section: str, result: Plain) -> TableView | None:
    if not any(has_figure(result, metric) for metric in CALIBRATION):
        return None
    return _figures("calibration", section, result, CALIBRATION, title=_("Calibration"))


def has_figure(result: Plain, metric: str) -> bool:
    """Return whether any group has an estimate of a metric."""
    return any(row[metric]["estimate"] is not None for row in result["groups"])


def _figures(
    key: str, section: str, result: Plain, metrics: Sequence[str], *, title: str
) -> TableView:
    printed, note = printed_groups(result, result["groups"])
    shown = [metric for metric in metrics if has_figure(result, metric)]
    effect = [Column("design_effect", _("Design effect"), "number")] if key == "ranking" else []
    return TableView(
        key=key,
        caption=_("{title}. {text}").format(title=title, text=_explained(key, result)),
        columns=[
            group_column(),
            *(Column(metric, label(metric), "estimate") for metric in shown),
            *effect,
        ],
        rows=[scored(row, result) for row in result["groups"]],
        print_rows=None if printed is None else [scored(row, result) for row in printed],
        csv=file_name(section, "groups"),
        note=sentences((note, _left_away(result, metrics), _methods(result, shown))),
        wide=True,
    )


def _explained(key: str, result: Plain) -> str:
    at = result["threshold"]
    selected = _("no threshold was declared")
    if at is not None:
        selected = _("a row is selected where {rule} {threshold}").format(
            rule=_(result["rule"]), threshold=numbers.threshold(at)
        )
    texts = {
        "ranking": _(
            "With {coverage} intervals by unit; {selected}. Design effect: variance of the AUC by "
            "unit over that by row; above 1, rows taken for independent would feign precision."
        ),
        "decisions": _(
            "With {coverage} intervals by unit; {selected}. Precision and NPV move with the "
            "prevalence of a group, so that a gap in them may be one of prevalence alone."
        ),
        "calibration": _(
            "With {coverage} intervals by unit. Intercept: 0 where the mean risk is right, above 0 "
            "where risks are too low. Slope: 1 is right, below 1 risks are too extreme."
        ),
    }
    return texts[key].format(coverage=coverage(result), selected=selected)


def _left_away(result: Plain, metrics: Sequence[str]) -> str:
    gone = [metric for metric in metrics if not has_figure(result, metric)]
    if not gone or not result["groups"]:
        return ""
    reasons = unique(row[metric]["reason"] for metric in gone for row in result["groups"])
    names = listed([label(metric) for metric in gone])
    text = _("Not estimable in any group: {metrics} ({reasons}).")
    return text.format(metrics=names, reasons=clauses(reasons[:3]))


def _methods(result: Plain, metrics: Sequence[str]) -> str:
    """Return by which method the intervals of each figure were made."""
    by_method: dict[str, list[str]] = {}
    for metric in metrics:
        for method in unique(row[metric].get("method") for row in result["groups"]):
            if method:
                by_method.setdefault(method, []).append(label(metric))
    parts = [wording.named(method, separated(names)) for method, names in by_method.items()]
    return _("Intervals. {methods}.").format(methods=clauses(parts)) if parts else ""


def _shrunken(section: str, result: Plain) -> TableView | None:
    rows = result["shrunken"]
    if not rows:
        return None
    return TableView(
        key="shrunken",
        caption=_(
            "Figures of the groups, as measured and drawn towards each other. Shrunken: what is "
            "to be expected of a group once the others are taken into account; small groups move "
            "most. With {coverage} intervals."
        ).format(coverage=coverage(result)),
        columns=[
            group_column(),
            metric_column(),
            Column("raw", _("As measured"), "estimate"),
            Column("shrunken", _("Shrunken"), "estimate"),
        ],
        rows=[scored(row, result) for row in rows],
        csv=file_name(section, "shrunken"),
        note=interval_methods(row[key] for row in rows for key in ("raw", "shrunken")),
    )


def _heterogeneity(section: str, result: Plain) -> TableView | None:
    rows = result["heterogeneity"]
    if not rows:
        return None
    return TableView(
        key="heterogeneity",
        caption=_(
            "Whether the groups of an attribute differ more than sampling explains. Cochran's Q "
            "with its p value; I²: share of the spread beyond sampling; τ: standard deviation of "
            "the true figures, on the logit scale. For attributes of more than two groups."
        ),
        columns=[
            Column("name", _("Attribute")),
            metric_column(),
            Column("levels", _("Groups"), "count"),
            Column("q", "Q", "number"),
            Column("p_text", "p"),
            Column("i_squared", "I²", "percent"),
            Column("tau", "τ", "number"),
        ],
        rows=[_spread(row, result) for row in rows],
        csv=file_name(section, "heterogeneity"),
    )


def _spread(row: Plain, result: Plain) -> Plain:
    name = attribute_named(row, result)
    return {**row, "name": name, "metric_name": label(row["metric"]), "p_text": p_value(row["p"])}
