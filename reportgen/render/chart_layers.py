"""The layers of a chart, each with a few rows of its own: bands, lines, markers, keys, strips.

User text (names of models and the like) is drawn by text marks and titles; it is never the name of
a field, never part of an expression and never a domain of a scale, so a model may be called
``auc:Q`` or ``a.b``. Fields are named inside the specification: f0 horizontal, f1 vertical, f2 and
f3 the limits, f8 and f9 text. Transparency is that of the fill: an element's opacity costs the PDF
a group a mark.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise
from typing import Any, Literal

import altair as alt

from reportgen.render.chart_data import (
    AXIS_LINE,
    INK,
    KEY_LINE_HEIGHT,
    KEY_SAMPLE,
    MARKERS_PER_SERIES,
    STRIP_HEIGHT,
    STYLES,
    TONES,
    Axis,
    Interval,
    Point,
    Rule,
    Run,
    Series,
    text_width,
)

Chart = Any
"""An Altair chart; Altair itself is not typed strictly."""

Rows = list[dict[str, Any]]
Scales = dict[str, Any]
"""Channel to its Altair object: "x", and "y" where the vertical axis is one of figures."""


def across(axis: Axis) -> Any:
    """Return the horizontal channel of `axis`."""
    ticks = alt.Axis(**_tick_options(axis), grid=False)
    return alt.X("f0", type="quantitative", scale=_scale(axis), axis=ticks)


def upward(axis: Axis, height: float) -> Any:
    """Return the vertical channel of `axis`; its labels take the same space in every panel."""
    few = round(height / 45)
    ticks = alt.Axis(**_tick_options(axis, few), grid=True, minExtent=40, maxExtent=40)
    return alt.Y("f1", type="quantitative", scale=_scale(axis), axis=ticks)


def bands(series: Series, scales: Scales) -> list[Chart]:
    """Return the band of `series` with thin edges, since one band may lie in another."""
    colour = series.style.colour
    layers = []
    for rows in _band_runs(series.points):
        base = _data(rows)
        limits = {"x": scales["x"], "y": _field(scales["y"], "f2")}
        if len(rows) == 1:
            layers += [base.mark_rule(color=colour, clip=True).encode(**limits, y2="f3")]
            continue
        area = base.mark_area(color=colour, fillOpacity=0.16, opacity=1, clip=True)
        edge = base.mark_line(
            color=colour, strokeWidth=0.7, strokeDash=list(series.style.dash), clip=True
        )
        layers += [
            area.encode(**limits, y2="f3"),
            edge.encode(**limits),
            edge.encode(x=scales["x"], y=_field(scales["y"], "f3")),
        ]
    return layers


def lines(series: Series, scales: Scales) -> list[Chart]:
    """Return the line of `series`, one piece for each run without a gap."""
    style = series.style
    return [
        _data(rows)
        .mark_line(
            color=style.colour, strokeWidth=style.width, strokeDash=list(style.dash), clip=True
        )
        .encode(**scales)
        for rows in _runs(series.points)
        if len(rows) > 1
    ]


def markers(series: Series, scales: Scales, y: Axis, offset: float) -> list[Chart]:
    """Return a few markers along the line.

    Parameters
    ----------
    offset : float
        Share of the distance between two markers by which the first is moved, 0 <= offset < 1, so
        that no series' markers hide another's.
    """
    points = [point for point in series.points if point.y is not None]
    step = max(1, -(-len(points) // MARKERS_PER_SERIES))
    chosen = points[int(step * offset) :: step]
    rows: Rows = [{"f0": point.x, "f1": point.y} for point in chosen if y.inside(point.y)]
    alone = len(points) == 1
    if not rows or not (series.style.shape or alone):
        return []
    mark = _data(rows).mark_point(
        shape=series.style.shape or "circle",
        size=42,
        filled=True,
        color=series.style.colour,
        opacity=1,
    )
    return [mark.encode(**scales)]


def dots(series: Series, marked: Sequence[Point], scales: Scales, y: Axis) -> list[Chart]:
    """Return single estimates of `series` as open markers on its line."""
    rows: Rows = [{"f0": point.x, "f1": point.y} for point in marked if y.inside(point.y)]
    if not rows:
        return []
    mark = _data(rows).mark_point(
        shape=series.style.shape or "circle",
        size=46,
        filled=True,
        fill="#fff",
        stroke=series.style.colour,
        strokeWidth=1.6,
        opacity=1,
    )
    return [mark.encode(**scales)]


def strip(runs: Sequence[Run], x: Axis, width: float) -> list[Chart]:
    """Return the stretches as boxes above the plot, each with its word where that fits."""
    layers = []
    pixels = width / (x.high - x.low) if runs else 0.0
    for run, (left, right) in zip(runs, _box_edges(runs, x), strict=True):
        start, end = (left - x.low) * pixels, (right - x.low) * pixels
        fill, ink = TONES[run.tone]
        base = _data([{"f9": _fitting(run.word, end - start)}])
        box = base.mark_rect(
            fill=fill, stroke=INK, strokeWidth=1.6 if run.tone == "heavy" else 0.6, opacity=1
        )
        word = base.mark_text(color=ink, baseline="middle", align="center")
        middle = alt.value(-3.5 - STRIP_HEIGHT / 2)
        layers += [
            box.encode(
                x=alt.value(start),
                x2=alt.value(end),
                y=alt.value(-4.0 - STRIP_HEIGHT),
                y2=alt.value(-4.0),
            ),
            word.encode(x=alt.value((start + end) / 2), y=middle, text="f9:N"),
        ]
    return layers


def key(series: Sequence[Series], width: float, *, bottom: float) -> list[Chart]:
    """Return the names of the series above the plot, each behind a sample of its line."""
    places: list[tuple[int, float]] = []
    row, left = 0, 0.0
    for one in series:
        needed = KEY_SAMPLE + 6 + text_width(one.name)
        if left and left + needed > width:
            row, left = row + 1, 0.0
        places.append((row, left))
        left += needed + 18
    return [
        layer
        for one, (line, start) in zip(series, places, strict=True)
        for layer in _key_item(one, start, bottom - (row - line) * KEY_LINE_HEIGHT, width)
    ]


def reference(rule: Rule, scales: Scales) -> list[Chart]:
    """Return a vertical reference line, with its words above the plot."""
    base = _data([{"f0": rule.at, "f9": rule.text}])
    line = base.mark_rule(color=AXIS_LINE, strokeWidth=0.9, strokeDash=[3, 3])
    if not rule.text:
        return [line.encode(x=scales["x"])]
    words = base.mark_text(align="center", baseline="bottom", limit=220)
    return [
        line.encode(x=scales["x"]),
        words.encode(x=scales["x"], y=alt.value(-4), text="f9:N"),
    ]


def blank(scales: Scales) -> list[Chart]:
    """Return a layer that draws nothing but gives a chart without estimates its axis."""
    return [_data([]).mark_rule().encode(x=scales["x"])]


def interval(one: Interval, scales: Scales, level: float, label_width: float) -> list[Chart]:
    """Return the label, the dot and the bar of an estimate, `level` pixels below the top."""
    y = alt.value(level)
    limits = {"f0": one.estimate, "f2": one.low, "f3": one.high}
    base = _data([{**limits, "f8": one.remark, "f9": one.label}])
    name = base.mark_text(align="right", baseline="middle", limit=label_width)
    layers = [name.encode(x=alt.value(-10), y=y, text="f9:N")]
    if one.estimate is None:
        remark = base.mark_text(align="left", baseline="middle", fontStyle="italic", limit=400)
        return [*layers, remark.encode(x=alt.value(6), y=y, text="f8:N")]
    if one.low is not None and one.high is not None:
        bar = base.mark_rule(color=STYLES[0].colour, strokeWidth=1.6, clip=True)
        layers.append(bar.encode(x=_field(scales["x"], "f2"), x2="f3", y=y))
    dot = base.mark_point(filled=True, size=60, color=STYLES[0].colour, opacity=1)
    return [*layers, dot.encode(x=scales["x"], y=y)]


def _runs(points: Iterable[Point]) -> Iterator[Rows]:
    """Yield the stretches of a line between its gaps, as rows."""
    rows: Rows = []
    for point in points:
        if point.y is not None:
            rows.append({"f0": point.x, "f1": point.y})
        elif rows:
            yield rows
            rows = []
    if rows:
        yield rows


def _band_runs(points: Iterable[Point]) -> Iterator[Rows]:
    """Yield the stretches of a band between its gaps, as rows."""
    rows: Rows = []
    for point in points:
        if point.low is not None and point.high is not None:
            rows.append({"f0": point.x, "f2": point.low, "f3": point.high})
        elif rows:
            yield rows
            rows = []
    if rows:
        yield rows


def _data(rows: Rows) -> Chart:
    return alt.Chart(alt.InlineData(values=rows))


def _scale(axis: Axis) -> Any:
    kind: Literal["log", "linear"] = "log" if axis.log else "linear"
    return alt.Scale(type=kind, domain=[axis.low, axis.high], nice=False, zero=False)


def _tick_options(axis: Axis, few: int = 6) -> dict[str, Any]:
    options: dict[str, Any] = {"title": axis.title, "labelOverlap": False}
    if axis.ticks is None:
        options["tickCount"] = few
    else:
        options["values"] = list(axis.ticks)
    if axis.percent:
        options["labelExpr"] = "format(100 * datum.value, '~r') + '\u00a0%'"
    return options


def _field(channel: Any, name: str) -> Any:
    """Return `channel` for another field on the same scale."""
    copy = channel.copy()
    copy.shorthand = name
    return copy


def _box_edges(runs: Sequence[Run], x: Axis) -> list[tuple[float, float]]:
    """Return where each box begins and ends: half way to the next, so that each has a width."""
    if not runs:
        return []
    inner = [(one.end + two.start) / 2 for one, two in pairwise(runs)]
    return list(pairwise([x.low, *inner, x.high]))


def _fitting(word: str, space: float) -> str:
    """Return `word`, its first letter or nothing, by the space there is."""
    if text_width(word) + 6 <= space:
        return word
    return word[:1].upper() if space > 13 else ""


def _key_item(one: Series, left: float, level: float, width: float) -> list[Chart]:
    base, style, y = _data([{"f9": one.name}]), one.style, alt.value(level)
    line = base.mark_rule(
        color=style.colour, strokeWidth=style.width, strokeDash=list(style.dash)
    ).encode(x=alt.value(left), x2=alt.value(left + KEY_SAMPLE), y=y)
    start = left + KEY_SAMPLE + 6
    name = base.mark_text(align="left", baseline="middle", limit=max(40.0, width - start))
    layers = [line, name.encode(x=alt.value(start), y=y, text="f9:N")]
    if style.shape:
        dot = base.mark_point(
            shape=style.shape, size=42, filled=True, color=style.colour, opacity=1
        )
        layers.append(dot.encode(x=alt.value(left + KEY_SAMPLE / 2), y=y))
    return layers
