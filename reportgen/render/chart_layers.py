"""The layers of a chart, each with a few rows of its own: bands, lines, markers, keys, strips.

Layers are plain Vega-Lite (:func:`reportgen.render.charts.panels` makes an Altair chart of them):
Altair's own layer objects copy every row of data each time two of them are put together.

User text (names of models and the like) is drawn by text marks and titles; it is never the name of
a field, never part of an expression and never a domain of a scale, so a model may be called
``auc:Q`` or ``a.b``. Fields are named inside the specification: f0 horizontal, f1 vertical, f2 and
f3 the limits, f8 and f9 text. Transparency is that of the fill: an element's opacity costs the PDF
a group a mark.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import pairwise
from typing import Any

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
    Style,
    text_width,
)
from reportgen.wording import per_cent

Layer = dict[str, Any]
"""A layer of Vega-Lite: data, mark, encoding."""

Rows = list[dict[str, Any]]
Channel = dict[str, Any]
Scales = dict[str, Channel]
"""Name of a channel to it: "x", and "y" where the vertical axis is one of figures."""


MIDDLE = {"align": "center", "baseline": "middle"}


def layer(rows: Rows, mark: str, look: Mapping[str, Any], **channels: Channel) -> Layer:
    """Return a layer of `rows` drawn as `mark`."""
    return {
        "data": {"values": rows},
        "mark": {"type": mark, **look},
        "encoding": dict(channels),
    }


def at(pixels: float) -> Channel:
    """Return the channel of a place in pixels from the left or from the top."""
    return {"value": pixels}


def words(name: str) -> Channel:
    """Return the channel of a text mark that writes the field `name`."""
    return {"field": name, "type": "nominal"}


def across(axis: Axis) -> Channel:
    """Return the horizontal channel of `axis`."""
    return _channel("f0", axis, {**_ticks(axis), "grid": False})


def upward(axis: Axis, height: float) -> Channel:
    """Return the vertical channel of `axis`; its labels take the same space in every panel."""
    space = {"minExtent": 40, "maxExtent": 40}
    return _channel("f1", axis, {**_ticks(axis, round(height / 45)), "grid": True, **space})


def bands(series: Series, scales: Scales) -> list[Layer]:
    """Return the band of `series` with thin edges, since one band may lie in another."""
    paint = {"color": series.style.colour, "clip": True}
    edge = {**paint, "strokeWidth": 0.7, "strokeDash": list(series.style.dash)}
    x, low, high = scales["x"], _field(scales["y"], "f2"), _field(scales["y"], "f3")
    layers = []
    for rows in _band_runs(series.points):
        limits = {"x": x, "y": low, "y2": {"field": "f3"}}
        if len(rows) == 1:
            layers.append(layer(rows, "rule", paint, **limits))
            continue
        layers += [
            layer(rows, "area", {**paint, "fillOpacity": 0.16, "opacity": 1}, **limits),
            layer(rows, "line", edge, x=x, y=low),
            layer(rows, "line", edge, x=x, y=high),
        ]
    return layers


def lines(series: Series, scales: Scales) -> list[Layer]:
    """Return the line of `series`, one piece for each run without a gap."""
    look = {**_stroke(series.style), "clip": True}
    return [layer(rows, "line", look, **scales) for rows in _runs(series.points) if len(rows) > 1]


def markers(series: Series, scales: Scales, y: Axis, offset: float) -> list[Layer]:
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
    rows = [{"f0": point.x, "f1": point.y} for point in chosen if y.inside(point.y)]
    alone = len(points) == 1
    if not rows or not (series.style.shape or alone):
        return []
    return [layer(rows, "point", _solid(series.style), **scales)]


def dots(series: Series, marked: Sequence[Point], scales: Scales, y: Axis) -> list[Layer]:
    """Return single estimates of `series` as open markers on its line."""
    rows = [{"f0": point.x, "f1": point.y} for point in marked if y.inside(point.y)]
    if not rows:
        return []
    open_ = {"fill": "#fff", "stroke": series.style.colour, "strokeWidth": 1.6, "size": 46}
    return [layer(rows, "point", {**_solid(series.style), **open_}, **scales)]


def strip(runs: Sequence[Run], x: Axis, width: float) -> list[Layer]:
    """Return the stretches as boxes above the plot, each with its word where that fits."""
    layers = []
    pixels = width / (x.high - x.low) if runs else 0.0
    top, bottom = at(-4.0 - STRIP_HEIGHT), at(-4.0)
    for run, (left, right) in zip(runs, _box_edges(runs, x), strict=True):
        start, end = (left - x.low) * pixels, (right - x.low) * pixels
        fill, ink = TONES[run.tone]
        rows = [{"f9": _fitting(run.word, end - start)}]
        frame = {"fill": fill, "stroke": INK, "strokeWidth": 1.6 if run.tone == "heavy" else 0.6}
        box = {"x": at(start), "x2": at(end), "y": top, "y2": bottom}
        place = {"x": at((start + end) / 2), "y": at(-3.5 - STRIP_HEIGHT / 2)}
        layers += [
            layer(rows, "rect", {**frame, "opacity": 1}, **box),
            layer(rows, "text", {"color": ink, **MIDDLE}, **place, text=words("f9")),
        ]
    return layers


def key(series: Sequence[Series], width: float, *, bottom: float) -> list[Layer]:
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
        part
        for one, (line, start) in zip(series, places, strict=True)
        for part in _key_item(one, start, bottom - (row - line) * KEY_LINE_HEIGHT, width)
    ]


def reference(rule: Rule, scales: Scales) -> list[Layer]:
    """Return a vertical reference line, with its words above the plot."""
    rows = [{"f0": rule.at, "f9": rule.text}]
    look = {"color": AXIS_LINE, "strokeWidth": 0.9, "strokeDash": [3, 3]}
    line = layer(rows, "rule", look, x=scales["x"])
    if not rule.text:
        return [line]
    above = {"align": "center", "baseline": "bottom", "limit": 220}
    return [line, layer(rows, "text", above, x=scales["x"], y=at(-4), text=words("f9"))]


def blank(scales: Scales) -> list[Layer]:
    """Return a layer that draws nothing but gives a chart without estimates its axis."""
    return [layer([], "rule", {}, x=scales["x"])]


def interval(one: Interval, scales: Scales, level: float, label_width: float) -> list[Layer]:
    """Return the label, the dot and the bar of an estimate, `level` pixels below the top."""
    y, x = at(level), scales["x"]
    limits = {"f0": one.estimate, "f2": one.low, "f3": one.high}
    rows = [{**limits, "f8": one.remark, "f9": one.label}]
    label = {"align": "right", "baseline": "middle", "limit": label_width}
    layers = [layer(rows, "text", label, x=at(-10), y=y, text=words("f9"))]
    if one.estimate is None:
        remark = {"align": "left", "baseline": "middle", "fontStyle": "italic", "limit": 400}
        return [*layers, layer(rows, "text", remark, x=at(6), y=y, text=words("f8"))]
    if one.low is not None and one.high is not None:
        bar = {"color": STYLES[0].colour, "strokeWidth": 1.6, "clip": True}
        layers.append(layer(rows, "rule", bar, x=_field(x, "f2"), x2={"field": "f3"}, y=y))
    dot = {**_solid(STYLES[0]), "size": 60}
    return [*layers, layer(rows, "point", dot, x=x, y=y)]


def _stroke(style: Style) -> dict[str, Any]:
    dash = list(style.dash)
    return {"color": style.colour, "strokeWidth": style.width, "strokeDash": dash}


def _solid(style: Style) -> dict[str, Any]:
    shape = style.shape or "circle"
    return {"shape": shape, "size": 42, "filled": True, "color": style.colour, "opacity": 1}


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


def _channel(name: str, axis: Axis, ticks: dict[str, Any]) -> Channel:
    scale = {
        "type": "log" if axis.log else "linear",
        "domain": [axis.low, axis.high],
        "nice": False,
        "zero": False,
    }
    if axis.log:  # Vega-Lite knows no zero on a logarithmic scale
        del scale["zero"]
    return {"field": name, "type": "quantitative", "scale": scale, "axis": ticks}


def _ticks(axis: Axis, few: int = 6) -> dict[str, Any]:
    options: dict[str, Any] = {"title": axis.title, "labelOverlap": False}
    if axis.ticks is None:
        options["tickCount"] = few
    else:
        options["values"] = list(axis.ticks)
    if axis.percent:
        options["labelExpr"] = f"format(100 * datum.value, '~r') + '{per_cent()}'"
    return options


def _field(channel: Channel, name: str) -> Channel:
    """Return `channel` for another field on the same scale."""
    return {**channel, "field": name}


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


def _key_item(one: Series, left: float, level: float, width: float) -> list[Layer]:
    rows, y, start = [{"f9": one.name}], at(level), left + KEY_SAMPLE + 6
    name = {"align": "left", "baseline": "middle", "limit": max(40.0, width - start)}
    layers = [
        layer(rows, "rule", _stroke(one.style), x=at(left), x2=at(left + KEY_SAMPLE), y=y),
        layer(rows, "text", name, x=at(start), y=y, text=words("f9")),
    ]
    if one.style.shape:
        dot = layer(rows, "point", _solid(one.style), x=at(left + KEY_SAMPLE / 2), y=y)
        layers.append(dot)
    return layers
