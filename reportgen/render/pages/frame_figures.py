"""The charts of a FRAME section: figures by group, gaps, the plain picture, models."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from reportgen.language import _
from reportgen.render import numbers
from reportgen.render.chart_data import AXIS_LINE, INK, Axis, Rule, Style, style_of
from reportgen.render.charts import panels
from reportgen.render.pages import frame_feature_figures
from reportgen.render.pages.frame_forest import forests
from reportgen.render.pages.frame_rows import (
    comparisons,
    deciding,
    group_row,
    main_gaps,
    picture_points,
    several_scores,
)
from reportgen.render.pages.frame_words import (
    basis,
    comparison,
    draws,
    label,
    label_of,
    label_within,
    margin,
    sizes,
)
from reportgen.render.pages.words import coverage, listed
from reportgen.render.row_chart import KeyItem, LabelledRow, Mark, row_chart
from reportgen.render.view import FigureView, Plain
from reportgen.wording import clauses, sentences

MOST_ROWS = 14
"""Rows of a chart: with more it is higher than a page, and made smaller with its letters."""
MOST_NAMED = 12
BLACK, GREY = Style(INK), Style(AXIS_LINE)


def made_from(result: Plain) -> list[FigureView]:
    """Return every chart that the result gives rise to, in the order of the page."""
    return [
        *forests(result),
        *(view for metric in result["primary"] for view in _gaps(result, metric)),
        *_pictures(result),
        *_models(result),
        *frame_feature_figures.made_from(result),
    ]


def _gaps(result: Plain, metric: str) -> Iterator[FigureView]:
    for position, score in enumerate(result["scores"]):
        rows = main_gaps(result, metric, score)
        if not rows:
            continue
        shown = deciding(rows, MOST_ROWS, MOST_ROWS)
        x, cut = _gap_axis(shown, label_within(metric), result["margin"])
        yield FigureView(
            key=_key(f"gap_{metric}", result, position),
            title=_titled(_("Gaps in {metric}").format(metric=label_within(metric)), result, score),
            caption=sentences(
                (
                    _(
                        "Group less reference, in the unit of the metric; right of the dashed line "
                        "it is higher in the group. Thick: {coverage} interval (MOVER); thin: "
                        "percentile interval of {draws}. Shaded: the margin {margin}. Upright "
                        "strokes: the gap that these data would show four times in five."
                    ).format(coverage=coverage(result), draws=draws(result), margin=margin(result)),
                    _exploratory(shown),
                    cut,
                    _few(shown, rows),
                    basis(result),
                )
            ),
            alt=_gap_alt(shown, label(metric)),
            chart=panels(
                [
                    row_chart(
                        _gap_rows(shown, result),
                        x=x,
                        key=_gap_key(result),
                        rules=[Rule(0.0, _("no gap"))],
                        band=(-result["margin"], result["margin"]),
                    )
                ]
            ),
        )


def _gap_key(result: Plain) -> list[KeyItem]:
    return [
        KeyItem(_("MOVER interval"), "dot", style_of(0)),
        KeyItem(_("percentile interval"), "bar", style_of(0)),
        KeyItem(_("detectable gap"), "tick", BLACK),
        KeyItem(_("margin {margin}").format(margin=margin(result)), "band", GREY),
    ]


def _gap_rows(rows: Sequence[Plain], result: Plain) -> list[LabelledRow]:
    """Return the rows, under headings where some comparisons are exploratory."""
    primary, others = (
        [_gap_row(row, result) for row in rows if row["primary"] == wanted]
        for wanted in (True, False)
    )
    if not others:
        return primary
    return [
        *([LabelledRow(_("primary"), "", (), strong=True)] if primary else []),
        *primary,
        LabelledRow(_("exploratory"), "", (), strong=True),
        *others,
    ]


def _gap_row(row: Plain, result: Plain) -> LabelledRow:
    gap, drawn, least = row["gap"], row["gap_percentile"], row["minimum_detectable_gap"]
    style = style_of(0)
    marks = [
        Mark("dot", style, gap["estimate"], gap.get("low"), gap.get("high"), 0, _("not estimable")),
        Mark("bar", style, None, drawn.get("low"), drawn.get("high"), 1),
    ]
    if least is not None and gap["estimate"] is not None:
        marks += [Mark("tick", BLACK, end) for end in (-least, least)]
    return LabelledRow(label_of(row), _detail(row, result), marks)


def _detail(row: Plain, result: Plain) -> str:
    own = group_row(result, row["score"], row["attribute"], row["group"])
    return "" if own is None else sizes(own)


def _gap_axis(rows: Sequence[Plain], name: str, limit: float) -> tuple[Axis, str]:
    """Return an axis even on both sides of 0, and what lies outside it in words.

    It holds the margin, all gaps and their intervals. A detectable gap far outside them would
    squeeze the rest, so it may lie outside.
    """
    held = [abs(end) for row in rows for end in _ends(row)]
    most = max([1.2 * limit, *held])
    outside = [row for row in rows if (row["minimum_detectable_gap"] or 0.0) > 1.3 * most]
    within = [row["minimum_detectable_gap"] or 0.0 for row in rows if row not in outside]
    end = 1.06 * max([most, *within])
    cut = [
        _("{comparison} {figure}").format(
            comparison=comparison(row), figure=numbers.number(row["minimum_detectable_gap"])
        )
        for row in outside[:6]
    ]
    words = _("Detectable gaps beyond the axis: {gaps}.").format(gaps=listed(cut)) if cut else ""
    return Axis(_("Gap in {metric} (group less reference)").format(metric=name), -end, end), words


def _ends(row: Plain) -> Iterator[float]:
    for value in (row["gap"], row["gap_percentile"]):
        ends = (value["estimate"], value.get("low"), value.get("high"))
        yield from (end for end in ends if end is not None)


def _gap_alt(rows: Sequence[Plain], name: str) -> str:
    said = [
        _("{comparison} {gap}, {verdict}").format(
            comparison=comparison(row),
            gap=numbers.signed_estimate(row["gap"]),
            verdict=_(row["verdict"]) if row["verdict"] else _("exploratory"),
        )
        for row in rows[:MOST_NAMED]
    ]
    text = _("Gap in {metric}, group less reference: {gaps}.")
    return text.format(metric=name, gaps=_with_more(said, rows))


def _with_more(said: Sequence[str], rows: Sequence[Any]) -> str:
    """Return what is said of the first rows, and how many more the table has."""
    more = len(rows) - MOST_NAMED
    if more <= 0:
        return clauses(said)
    return _("{figures}; and {n} more in the table").format(figures=clauses(said), n=more)


def _exploratory(rows: Sequence[Plain]) -> str:
    if all(row["primary"] for row in rows):
        return ""
    return _("Exploratory comparisons are not part of the declared family and have no verdict.")


def _few(shown: Sequence[Plain], rows: Sequence[Plain]) -> str:
    if len(shown) == len(rows):
        return ""
    text = _("Drawn: {n} of {all} comparisons, those that decide; the table has all.")
    return text.format(n=len(shown), all=numbers.count(len(rows)))


def _pictures(result: Plain) -> Iterator[FigureView]:
    for position, score in enumerate(result["scores"]):
        own = [row for row in result["plain_picture"] if row["score"] == score]
        keys = comparisons(own)[:MOST_ROWS]
        if not keys:
            continue
        points = [picture_points(result, score, *key) for key in keys]
        left = len(comparisons(own)) - len(keys)
        few = _("Drawn: the first {n} comparisons; the table has {more} more.")
        yield FigureView(
            key=_key("picture", result, position),
            title=_titled(_("What chance alone does in groups of this size"), result, score),
            caption=sentences(
                (
                    _(
                        "AUC of the reference group in random draws of as many of its units as the "
                        "group has. Dark: the middle half of the draws; light: {span} of them; "
                        "stroke: their median. Dot: the AUC observed in the group. A dot inside "
                        "the light box is what a reference group of that size would often show. It "
                        "is a picture, not the test."
                    ).format(span=_span(points[0])),
                    few.format(n=len(keys), more=left) if left else "",
                    basis(result),
                )
            ),
            alt=_picture_alt(points),
            chart=panels([_picture_chart(points)]),
        )


def _span(points: Sequence[Plain]) -> str:
    """Return the share of the draws between the outermost quantiles."""
    return numbers.percent(points[-1]["quantile"] - points[0]["quantile"])


def _picture_chart(points: Sequence[Sequence[Plain]]) -> dict[str, object]:
    held = [point["auc"] for one in points for point in one]
    held += [one[0]["observed"] for one in points if one[0]["observed"] is not None]
    return row_chart(
        [_picture_row(one) for one in points],
        x=share_axis(_("AUC"), held),
        key=[
            KeyItem(_("observed in the group"), "dot", style_of(1)),
            KeyItem(_("middle half of the draws"), "dark", style_of(0)),
            KeyItem(_("most draws"), "light", style_of(0)),
            KeyItem(_("median"), "tick", BLACK),
        ],
    )


def _picture_row(points: Sequence[Plain]) -> LabelledRow:
    ends = [point["auc"] for point in points]
    marks = [Mark("light", style_of(0), None, ends[0], ends[-1])]
    if len(ends) > 3:
        marks.append(Mark("dark", style_of(0), None, ends[1], ends[-2]))
    middle = [point for point in points if point["quantile"] == 0.5]
    marks += [Mark("tick", BLACK, point["auc"]) for point in middle]
    marks.append(Mark("dot", style_of(1), points[0]["observed"]))
    row = points[0]
    units = _("{n} units a draw").format(n=numbers.count(row["units"]))
    return LabelledRow(label_of(row), units, marks)


def _picture_alt(points: Sequence[Sequence[Plain]]) -> str:
    said = []
    for one in points[:MOST_NAMED]:
        row, low, high = one[0], one[0]["auc"], one[-1]["auc"]
        text = _("{comparison}: not estimable, draws of the reference from {low} to {high}")
        if row["observed"] is not None:
            text = _(
                "{comparison}: {observed} observed, draws of the reference from {low} to {high}"
            )
        said.append(
            text.format(
                comparison=comparison(row),
                observed=numbers.probability(row["observed"]),
                low=numbers.probability(low),
                high=numbers.probability(high),
            )
        )
    return _("{text}.").format(text=_with_more(said, points))


def share_axis(title: str, values: Iterable[float]) -> Axis:
    """Return an axis that holds all values of a share, with some room, within 0 and 1."""
    held = list(values) or [0.0, 1.0]
    low, high = min(held), max(held)
    room = max(0.06 * (high - low), 0.01)
    return Axis(title, max(0.0, low - room), min(1.0, high + room))


def _models(result: Plain) -> Iterator[FigureView]:
    if not several_scores(result):
        return
    for metric in result["primary"]:
        gaps = [row for row in result["gaps"] if row["metric"] == metric]
        keys = comparisons(
            deciding(main_gaps(result, metric, result["scores"][0]), MOST_ROWS, MOST_ROWS)
        )
        if not keys:
            continue
        x, cut = _gap_axis(
            [{**row, "minimum_detectable_gap": None} for row in gaps],
            label_within(metric),
            result["margin"],
        )
        rows = [_model_row(result, gaps, key) for key in keys]
        yield FigureView(
            key=f"models_{metric}",
            title=_("Gaps in {metric}, model by model").format(metric=label_within(metric)),
            caption=sentences(
                (
                    _(
                        "Group less reference with {coverage} interval (MOVER), on the same units "
                        "in every model. Whether two intervals overlap does not compare two "
                        "models: the paired change in the table does. Shaded: the margin {margin}."
                    ).format(coverage=coverage(result), margin=margin(result)),
                    cut,
                    basis(result),
                )
            ),
            alt=_models_alt(result, metric),
            chart=panels(
                [
                    row_chart(
                        rows,
                        x=x,
                        key=[
                            KeyItem(score, "dot", style_of(place))
                            for place, score in enumerate(result["scores"])
                        ],
                        rules=[Rule(0.0, _("no gap"))],
                        band=(-result["margin"], result["margin"]),
                    )
                ]
            ),
        )


def _model_row(result: Plain, gaps: Sequence[Plain], key: tuple[str, str, str]) -> LabelledRow:
    own = [row for row in gaps if comparisons([row]) == [key]]
    by_score = {row["score"]: row for row in own}
    marks = [
        Mark(
            "dot",
            style_of(place),
            row["gap"]["estimate"],
            row["gap"].get("low"),
            row["gap"].get("high"),
            place,
            _("not estimable"),
        )
        for place, score in enumerate(result["scores"])
        if (row := by_score.get(score)) is not None
    ]
    return LabelledRow(label_of(own[0]), _detail(own[0], result), marks)


def _models_alt(result: Plain, metric: str) -> str:
    rows = [row for row in result["models"] if row["metric"] == metric]
    said = [
        _("{comparison}, {score} against {other}: gap changes by {change}").format(
            comparison=comparison(row),
            score=row["score"],
            other=row["against"],
            change=numbers.signed_estimate(row["change"]),
        )
        for row in rows[:MOST_NAMED]
    ]
    if not said:
        return _("No gap could be compared.")
    return _("{text}.").format(text=_with_more(said, rows))


def _key(kind: str, result: Plain, position: int) -> str:
    return f"{kind}_{position + 1}" if several_scores(result) else kind


def _titled(title: str, result: Plain, score: str) -> str:
    if not several_scores(result):
        return title
    return _("{title}, {score}").format(title=title, score=score)
