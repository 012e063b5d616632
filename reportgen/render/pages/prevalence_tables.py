"""The tables of a prevalence section."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from reportgen.language import _, mark
from reportgen.render import numbers
from reportgen.render.pages.prevalence_rows import (
    at_threshold,
    headed,
    label,
    metric_rows,
    share,
)
from reportgen.render.pages.words import coverage, limits, listed, unique
from reportgen.render.tables import file_name
from reportgen.render.view import Column, Plain, TableView
from reportgen.wording import clauses, named, separated

COLUMNS_AT_MOST = 4  # estimates with intervals on a portrait page
RATES = (
    "sensitivity",
    "specificity",
    "positive_likelihood_ratio",
    "negative_likelihood_ratio",
    "balanced_accuracy",
    "youden",
    "diagnostic_odds_ratio",
)
COUNTS = ("true_positives", "false_negatives", "false_positives", "true_negatives")
LIMITS = mark("– limits by Mercaldo's logit method")


def made_from(section: Plain) -> list[TableView]:
    """Return every table that the result gives rise to, in the order of the page."""
    name, result = section["id"], section["result"]
    return [
        _moves(result),
        *_operating_points(name, result),
        *_metrics(name, result),
        *_frequencies(result),
        *_sample_mix(result),
        *_unlabelled(name, result),
    ]


def _threshold() -> Column:
    return Column("threshold", _("Threshold"), "threshold")


def _moves(result: Plain) -> TableView:
    return TableView(
        key="moves",
        caption=_(
            "What moves with the class mix and what does not. Under label shift: the figures that "
            "rest on one class alone stay, those that weigh the classes against each other move."
        ),
        columns=[
            Column("figure", _("Figure")),
            Column("moves_with_mix", _("Moves with the mix"), "yes_no"),
            Column("why", _("Why")),
        ],
        rows=[{**row, "figure": label(row["metric"])} for row in result["moves"]],
    )


def _operating_points(section: str, result: Plain) -> Iterator[TableView]:
    """Yield the figures of the thresholds, a column each."""
    points = result["operating_points"]
    groups = _evenly(points)
    for position, group in enumerate(groups):
        rows = [_across(label(key), [_written(point[key]) for point in group]) for key in RATES]
        rows += [
            _across(label(key), [numbers.count(point[key]) for point in group])
            for key in COUNTS
            if any(point[key] is not None for point in group)
        ]
        headings = [headed(point["threshold"]) for point in group]
        methods = _methods((key, point[key]) for key in RATES for point in group)
        title = _("Operating points")
        if len(groups) > 1:
            title = separated((title, listed([at_threshold(one["threshold"]) for one in group])))
        yield TableView(
            key=_numbered("operating_points", position, len(groups)),
            caption=_(
                "{title}. With {coverage} intervals; none of these figures moves with the class "
                "mix under label shift."
            ).format(title=title, coverage=coverage(result)),
            columns=[Column("figure", _("Figure")), *_columns(headings)],
            rows=rows,
            csv=file_name(section, "operating_points"),
            note=methods,
        )


def _metrics(section: str, result: Plain) -> Iterator[TableView]:
    """Yield, for each threshold, the figures by prevalence, a column each."""
    thresholds = unique(row["threshold"] for row in result["rows"])
    groups = [
        (threshold, part) for threshold in thresholds for part in _evenly(result["prevalences"])
    ]
    for position, (threshold, prevalences) in enumerate(groups):
        written = [
            line
            for metric in unique(row["metric"] for row in result["rows"])
            for line in _metric_lines(metric, metric_rows(result, metric, threshold), prevalences)
        ]
        whole = len(prevalences) == len(result["prevalences"])
        title = _("Figures by prevalence, {threshold}")
        if not whole:
            title = _("Figures by prevalence, {threshold}, at {prevalences}")
        title = title.format(
            threshold=at_threshold(threshold), prevalences=listed([share(p) for p in prevalences])
        )
        yield TableView(
            key=_numbered("metrics", position, len(groups)),
            caption=_(
                "{title}. With {coverage} intervals; the prevalence is the share of positives, "
                "taken as known."
            ).format(title=title, coverage=coverage(result)),
            columns=[Column("figure", _("Figure")), *_columns([share(p) for p in prevalences])],
            rows=written,
            csv=file_name(section, "rows"),
            note="" if position else _methods((r["metric"], r["value"]) for r in result["rows"]),
        )


def _metric_lines(
    metric: str, rows: Sequence[Plain], prevalences: Sequence[float]
) -> Iterator[dict[str, str]]:
    """Yield the line of a figure and, where it is defined, that of Mercaldo's limits."""
    chosen = [row for row in rows if row["prevalence"] in prevalences]
    yield _across(label(metric), [_written(row["value"]) for row in chosen])
    mercaldo = [_mercaldo(row) for row in chosen]
    if any(mercaldo):
        yield _across(_(LIMITS), [text or "–" for text in mercaldo])


def _mercaldo(row: Plain) -> str:
    low, high = row["low_mercaldo"], row["high_mercaldo"]
    return limits({"estimate": row["value"]["estimate"], "low": low, "high": high})


def _frequencies(result: Plain) -> Iterator[TableView]:
    """Yield the same in whole numbers, in words."""
    rows = [
        {**row, "share": share(row["prevalence"]), "words": _in_words(row)}
        for row in result.get("frequencies", ())
    ]
    if rows:
        yield TableView(
            key="frequencies",
            caption=_(
                "The same in whole numbers. Point estimates without their intervals, of 1,000 or, "
                "where a kind of decision is too rare for that, of more; rounded so that they add "
                "up."
            ),
            columns=[
                *([] if rows[0]["threshold"] is None else [_threshold()]),
                Column("share", _("Prevalence")),
                Column("words", _("In words")),
            ],
            rows=rows,
        )


def _in_words(row: Plain) -> str:
    text = _(
        "Of {of} in all, {positives} are positive and {flagged} are flagged, {rightly_flagged} of "
        "them rightly and {wrongly_flagged} wrongly; {missed} positives are missed."
    )
    keys = ("of", "positives", "flagged", "rightly_flagged", "wrongly_flagged", "missed")
    return text.format(**{key: numbers.count(row[key]) for key in keys})


def _sample_mix(result: Plain) -> Iterator[TableView]:
    if result["sample_mix"]:
        yield TableView(
            key="sample_mix",
            caption=_(
                "The class mix a study should collect. Negatives for each positive at which the "
                "precision elsewhere is known best with the same total."
            ),
            columns=[
                *([] if result["sample_mix"][0]["threshold"] is None else [_threshold()]),
                Column("negatives_per_positive", _("Negatives per positive"), "estimate"),
                Column("study_positives", _("Positives here"), "count"),
                Column("study_negatives", _("Negatives here"), "count"),
                Column("best_positives", _("Best positives"), "count"),
                Column("best_negatives", _("Best negatives"), "count"),
            ],
            rows=result["sample_mix"],
        )


def _unlabelled(section: str, result: Plain) -> Iterator[TableView]:
    if result["unlabelled"]:
        yield TableView(
            key="unlabelled",
            caption=_(
                "Prevalence of the unlabelled table. With {coverage} intervals; the share flagged "
                "is the apparent prevalence, before correction. Limits are not cut to 0 to 100 %: "
                "one below 0 is consistent with a table without positives."
            ).format(coverage=coverage(result)),
            columns=[
                Column("method", _("Method")),
                _threshold(),
                Column("apparent_prevalence", _("Share flagged"), "percent"),
                Column("prevalence", _("Prevalence"), "percent_estimate"),
                Column("n_rows", _("Rows"), "count"),
                Column("n_units", _("Units"), "count"),
            ],
            rows=result["unlabelled"],
            csv=file_name(section, "unlabelled"),
        )


def _evenly(values: Sequence[Any]) -> list[Sequence[Any]]:
    """Return `values` in parts of at most COLUMNS_AT_MOST, as even as they can be."""
    parts = -(-len(values) // COLUMNS_AT_MOST)
    size = -(-len(values) // parts) if parts else 1
    return [values[i : i + size] for i in range(0, len(values), size)]


def _written(value: Plain) -> str:
    return numbers.estimate(value)


def _across(heading: str, cells: Sequence[str]) -> dict[str, str]:
    return {"figure": heading, **{f"c{i}": cell for i, cell in enumerate(cells)}}


def _columns(headings: Sequence[str]) -> list[Column]:
    return [Column(f"c{i}", heading) for i, heading in enumerate(headings)]


def _numbered(key: str, position: int, total: int) -> str:
    return key if total == 1 else f"{key}_{position + 1}"


def _methods(values: Iterator[tuple[str, Any]]) -> str:
    """Return which figures' intervals were made by which method."""
    by_method: dict[str, list[str]] = {}
    for metric, value in values:
        if value.get("method"):
            names = by_method.setdefault(value["method"], [])
            if label(metric) not in names:
                names.append(label(metric))
    text = clauses(named(method, separated(names)) for method, names in by_method.items())
    return _("Intervals. {methods}.").format(methods=text) if text else ""
