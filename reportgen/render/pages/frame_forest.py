"""Forest plots of a FRAME section: each group's figure, as measured and shrunken."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from reportgen.language import _
from reportgen.render import numbers
from reportgen.render.chart_data import Axis, Rule, style_of
from reportgen.render.charts import panels
from reportgen.render.pages.frame_rows import (
    attributes,
    deciding_groups,
    group_row,
    place_of,
    reference_of,
    several_scores,
)
from reportgen.render.pages.frame_words import (
    ALL,
    OVERALL,
    basis,
    group_name,
    label,
    level_shown,
    sizes,
)
from reportgen.render.pages.words import coverage
from reportgen.render.row_chart import KeyItem, LabelledRow, Look, Mark, row_chart
from reportgen.render.view import FigureView, Plain
from reportgen.wording import clauses, sentences, separated

MOST_ROWS = 14
MOST_NAMED = 14


def forests(result: Plain) -> Iterator[FigureView]:
    """Yield a forest plot of each primary metric, the attributes below each other."""
    for metric in result["primary"]:
        parts = _pages(result)
        for place, names in enumerate(parts):
            yield _forest(
                result, metric, names, f"forest_{metric}" + (f"_{place + 1}" if place else "")
            )


def _pages(result: Plain) -> list[list[str]]:
    """Return the attributes in parts that fit a figure each."""
    parts: list[list[str]] = []
    room = 0
    for name in attributes(result):
        needed = len(_rows_of(result, name))
        if not parts or needed > room:
            parts.append([])
            room = MOST_ROWS
        parts[-1].append(name)
        room -= needed
    return parts


def _rows_of(result: Plain, attribute: str) -> list[Plain]:
    """Return the groups of an attribute that are drawn, of the first score."""
    own = [
        row
        for row in result["groups"]
        if row["attribute"] == attribute and row["score"] == result["scores"][0]
    ]
    return deciding_groups(result, own, MOST_ROWS - 1, MOST_ROWS - 1)


def _forest(result: Plain, metric: str, names: Sequence[str], key: str) -> FigureView:
    rows = {name: _rows_of(result, name) for name in names}
    shrunk = any(_shrunken(result, row, metric) for own in rows.values() for row in own)
    drawn = [row for name in names for row in _drawn(result, metric, name, rows[name])]
    plot = row_chart(
        [*_whole(result, metric), *drawn],
        x=_axis(result, metric, rows),
        key=_key(result, shrunken=shrunk),
        rules=_rules(result, metric),
    )
    return FigureView(
        key=key,
        title=_("{metric} by group: {attributes}").format(
            metric=label(metric), attributes=separated(names)
        ),
        caption=sentences(
            (
                _(
                    "{metric} with {coverage} interval by unit; positive units are those with a "
                    "positive row."
                ).format(metric=label(metric), coverage=coverage(result)),
                "" if several_scores(result) else _("Dashed: all rows."),
                _about_shrunken() if shrunk else "",
                _("Whether two intervals overlap does not compare two groups: the gap does."),
                basis(result),
            )
        ),
        alt=_alt(result, metric, rows),
        chart=panels([plot]),
    )


def _whole(result: Plain, metric: str) -> list[LabelledRow]:
    """Return the row of the whole table, if there is one."""
    whole = group_row(result, result["scores"][0], OVERALL, ALL)
    return [] if whole is None else [_row(result, metric, whole, name=_("all rows"))]


def _about_shrunken() -> str:
    return _(
        "Open: the same drawn towards the other groups of the attribute, as is to be expected of a "
        "group once the others are known."
    )


def _key(result: Plain, *, shrunken: bool) -> list[KeyItem]:
    if several_scores(result):
        items = [KeyItem(name, "dot", style_of(at)) for at, name in enumerate(result["scores"])]
    else:
        items = [KeyItem(_("as measured"), "dot", style_of(0))]
    return [*items, KeyItem(_("shrunken"), "open", style_of(0))] if shrunken else items


def _rules(result: Plain, metric: str) -> list[Rule]:
    """Return the line of the whole table, where there is one score."""
    if several_scores(result):
        return []
    whole = group_row(result, result["scores"][0], OVERALL, ALL)
    value = None if whole is None else whole[metric]["estimate"]
    return [] if value is None else [Rule(value)]


def _drawn(result: Plain, metric: str, attribute: str, rows: Sequence[Plain]) -> list[LabelledRow]:
    """Return the rows of an attribute under its name, and how much is not drawn."""
    reference = reference_of(result, attribute)
    drawn = [LabelledRow(attribute, "", (), strong=True)]
    for row in rows:
        name = level_shown(row["group"])
        if row["group"] == reference:
            name = _("{group} (reference)").format(group=name)
        drawn.append(_row(result, metric, row, name=name))
    shown = {place_of(row) for row in rows}
    left = [
        row
        for row in result["groups"]
        if row["attribute"] == attribute
        and row["score"] == result["scores"][0]
        and place_of(row) not in shown
    ]
    if left:
        n, positive = (sum(row[key] for row in left) for key in ("n_rows", "n_positive"))
        detail = _("{rows} rows, {positive} positive").format(
            rows=numbers.count(n), positive=numbers.count(positive)
        )
        remark = Mark("dot", style_of(0), None, remark=_("in the table"))
        name = _("{n} more groups").format(n=len(left))
        drawn.append(LabelledRow(name, detail, [remark]))
    return drawn


def _row(result: Plain, metric: str, row: Plain, *, name: str) -> LabelledRow:
    marks: list[Mark] = []
    for place, score in enumerate(result["scores"]):
        own = group_row(result, score, row["attribute"], row["group"])
        if own is None:
            continue
        marks.append(_mark("dot", place, own[metric], len(marks)))
        shrunken = _shrunken(result, own, metric)
        if shrunken is not None and shrunken["shrunken"]["estimate"] is not None:
            marks.append(_mark("open", place, shrunken["shrunken"], len(marks)))
    return LabelledRow(name, sizes(row), marks)


def _mark(look: Look, place: int, value: Plain, lane: int) -> Mark:
    remark = _("not estimable") if look == "dot" else ""
    ends = (value.get("low"), value.get("high"))
    return Mark(look, style_of(place), value["estimate"], *ends, lane, remark)


def _shrunken(result: Plain, row: Plain, metric: str) -> Plain | None:
    wanted = (*place_of(row), metric)
    rows = (one for one in result["shrunken"] if (*place_of(one), one["metric"]) == wanted)
    return next(rows, None)


def _axis(result: Plain, metric: str, rows: dict[str, list[Plain]]) -> Axis:
    """Return the axis over all intervals drawn, within 0 and 1."""
    held = []
    for row in (row for own in rows.values() for row in own):
        for score in result["scores"]:
            own_row = group_row(result, score, row["attribute"], row["group"])
            value = {} if own_row is None else own_row[metric]
            held += [value.get(end) for end in ("estimate", "low", "high")]
    ends = [end for end in held if end is not None] or [0.0, 1.0]
    room = max(0.04 * (max(ends) - min(ends)), 0.01)
    return Axis(label(metric), max(0.0, min(ends) - room), min(1.0, max(ends) + room))


def _alt(result: Plain, metric: str, rows: dict[str, list[Plain]]) -> str:
    every = [row for own in rows.values() for row in own]
    said = [
        _figure_of(result, row, score, numbers.estimate(own[metric]))
        for row in every
        for score in result["scores"]
        if (own := group_row(result, score, row["attribute"], row["group"])) is not None
    ]
    more = len(said) - MOST_NAMED
    text = _("{metric}: {figures}.")
    if more > 0:
        text = _("{metric}: {figures}; and {n} more in the table.")
    return text.format(metric=label(metric), figures=clauses(said[:MOST_NAMED]), n=more)


def _figure_of(result: Plain, row: Plain, score: str, figure: str) -> str:
    text = _("{group}, {score}, {figure}") if several_scores(result) else _("{group} {figure}")
    return text.format(group=group_name(row), score=score, figure=figure)
