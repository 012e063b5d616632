"""Charts of labelled rows on one horizontal axis: dots with intervals, boxes and ticks, with a key.

A row may hold several marks in lanes above each other (models, or a raw and a shrunken estimate).
All marks that look alike are one layer, however many rows there are. Labels are broken into lines,
never cut. As everywhere, user text is drawn by text marks alone.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import Any, Literal

from reportgen.render import chart_layers as make
from reportgen.render.chart_data import (
    AXIS_LINE,
    FULL_WIDTH,
    INK,
    KEY_LINE_HEIGHT,
    KEY_SAMPLE,
    Axis,
    Rule,
    Style,
    balanced,
    text_width,
    wrapped,
)
from reportgen.render.chart_layers import Channel, Layer, Rows, Scales, layer

LABEL_SPACE = 204.0
LABEL_WIDTH = LABEL_SPACE - 24
LANE = 12.0
LINE = 15.0
ROW_PADDING = 9.0
TICK_HALF = 7.0
THICKNESS: Mapping[str, float] = {"dot": 1.8, "open": 1.1, "bar": 0.9}
BOX_HALF: Mapping[str, float] = {"light": 4.0, "dark": 6.0}

Look = Literal["dot", "open", "bar", "tick", "light", "dark"]
"""A dot with its bar, an open dot with a thin bar, a thin bar, a short upright line, two boxes."""


@dataclass(frozen=True)
class Mark:
    """What a row shows in one lane.

    Attributes
    ----------
    look : Look
    style : Style
    estimate : float or None
        Where the dot or the tick lies; None draws `remark` instead, if there is one.
    low, high : float or None
        Ends of the bar or box; None draws none.
    lane : int
        Counted from 0 at the top of the row.
    remark : str
        Said in place of a missing estimate.
    """

    look: Look
    style: Style
    estimate: float | None = None
    low: float | None = None
    high: float | None = None
    lane: int = 0
    remark: str = ""


@dataclass(frozen=True)
class LabelledRow:
    """A row with its name, a second line of detail, and its marks; `strong` sets it in bold.

    The name is broken where it is too long and at line feeds.
    """

    label: str
    detail: str
    marks: Sequence[Mark]
    strong: bool = False


@dataclass(frozen=True)
class KeyItem:
    """What a look in a style means; "band" is the shaded stretch, `barred` draws the bar too."""

    name: str
    look: Look | Literal["band"]
    style: Style
    barred: bool = True


@dataclass(frozen=True)
class _Placed:
    """A row with the pixels at which it begins and ends, and the lines of its label."""

    row: LabelledRow
    lines: Sequence[str]
    top: float
    bottom: float
    lanes: int

    def level(self, lane: int) -> float:
        """Return the pixels from the top of the plot to the middle of a lane."""
        middle = (self.top + self.bottom) / 2
        return middle + LANE * (lane - (self.lanes - 1) / 2)


def row_chart(
    rows: Sequence[LabelledRow],
    *,
    x: Axis,
    width: float = FULL_WIDTH - LABEL_SPACE - 24,
    key: Sequence[KeyItem] = (),
    rules: Sequence[Rule] = (),
    band: tuple[float, float] | None = None,
    labels: bool = True,
    title: str = "",
) -> dict[str, Any]:
    """Return rows of marks with their labels at the left, as one plot.

    Parameters
    ----------
    rows : sequence of LabelledRow
        From top to bottom.
    x : Axis
        Shared by all rows; what lies outside its domain is cut off.
    width : float
        Of the plot without the labels, CSS pixels.
    key : sequence of KeyItem
        Named above the plot.
    rules : sequence of Rule
        Upright dashed lines.
    band : (float, float), optional
        A shaded stretch behind all rows, such as a margin.
    labels : bool
        Whether the labels are written; a second plot of the same rows beside the first needs none.
    title : str
        Printed above the key.

    Returns
    -------
    dict
        A plot for :func:`reportgen.render.charts.panels`.
    """
    scales = {"x": make.across(x)}
    placed = _placed(rows)
    height = placed[-1].bottom if placed else LINE
    parts = [*_band(band, x, scales, height), *make.blank(scales)]
    parts += [part for rule in rules for part in make.reference(rule, scales)]
    parts += _marks(placed, x, scales)
    parts += _remarks(placed, width)
    if labels:
        parts += _labels(placed)
    above = KEY_LINE_HEIGHT if any(rule.text for rule in rules) else 0
    left = LABEL_SPACE if labels else 0.0
    parts += legend(key, width + left, bottom=-12.0 - above, left=-left, title=title)
    return {"layer": parts, "width": width, "height": height}


def legend(
    items: Sequence[KeyItem], width: float, *, bottom: float, left: float = 0.0, title: str = ""
) -> list[Layer]:
    """Return what each look means above a plot, in as many lines as it takes, and a title.

    Parameters
    ----------
    items : sequence of KeyItem
    width : float
        Space there is, CSS pixels.
    bottom : float
        Level of the last line, from the top of the plot.
    left : float
        Where the lines begin.
    title : str
        Printed above the lines, in bold.
    """
    places: list[tuple[int, float]] = []
    line, start = 0, 0.0
    for item in items:
        needed = KEY_SAMPLE + 6 + text_width(item.name)
        if start and start + needed > width:
            line, start = line + 1, 0.0
        places.append((line, start))
        start += needed + 18
    parts = [
        part
        for item, (at_line, begin) in zip(items, places, strict=True)
        for part in _key_item(item, left + begin, bottom - (line - at_line) * KEY_LINE_HEIGHT)
    ]
    top = bottom - (line + 1) * KEY_LINE_HEIGHT if items else bottom
    return parts + _heading(title, width, left, top)


def _heading(title: str, width: float, left: float, bottom: float) -> list[Layer]:
    """Return the lines of a title, the last at `bottom`."""
    lines = wrapped(title, width) if title else []
    rows = [
        {"f1": bottom - LINE * (len(lines) - 1 - place), "f9": line}
        for place, line in enumerate(lines)
    ]
    look = {"align": "left", "baseline": "middle", "fontWeight": "bold"}
    text = layer(rows, "text", look, x=make.at(left), y=pixels("f1"), text=make.words("f9"))
    return [text] if rows else []


def pixels(name: str) -> Channel:
    """Return the vertical channel of a field that holds pixels from the top of the plot."""
    return {"field": name, "type": "quantitative", "scale": None, "axis": None}


def _placed(rows: Sequence[LabelledRow]) -> list[_Placed]:
    """Return the rows with their places, each as high as its label and its lanes need."""
    lines = [[*_lines(row.label), *_lines(row.detail)] for row in rows]
    lanes = [1 + max((mark.lane for mark in row.marks), default=0) for row in rows]
    heights = [
        ROW_PADDING + max(LINE * len(text), LANE * many)
        for text, many in zip(lines, lanes, strict=True)
    ]
    ends = list(accumulate(heights))
    return [
        _Placed(row, text, end - height, end, many)
        for row, text, end, height, many in zip(rows, lines, ends, heights, lanes, strict=True)
    ]


def _lines(text: str) -> list[str]:
    return (
        [line for part in text.split("\n") for line in balanced(part, LABEL_WIDTH)] if text else []
    )


def _labels(placed: Sequence[_Placed]) -> list[Layer]:
    layers = []
    for strong in (True, False):
        rows = [
            {"f1": (one.top + one.bottom) / 2 + LINE * (i - (len(one.lines) - 1) / 2), "f9": line}
            for one in placed
            for i, line in enumerate(one.lines)
            if (one.row.strong and i < len(_lines(one.row.label))) == strong
        ]
        look = {"align": "right", "baseline": "middle", "fontWeight": "bold" if strong else 400}
        text = layer(rows, "text", look, x=make.at(-10), y=pixels("f1"), text=make.words("f9"))
        layers += [text] if rows else []
    return layers


def _marks(placed: Sequence[_Placed], x: Axis, scales: Scales) -> list[Layer]:
    """Return a few layers for each look and style, boxes first so that nothing hides below them."""
    alike: dict[tuple[Look, Style], Rows] = {}
    for one in placed:
        for mark in one.row.marks:
            row = {"f0": mark.estimate, "f2": mark.low, "f3": mark.high, "f1": one.level(mark.lane)}
            alike.setdefault((mark.look, mark.style), []).append(row)
    order: tuple[Look, ...] = ("light", "dark", "bar", "tick", "open", "dot")
    return [
        part
        for look in order
        for (kind, style), rows in alike.items()
        if kind == look
        for part in _drawn(look, style, rows, x, scales)
    ]


def _drawn(look: Look, style: Style, rows: Rows, x: Axis, scales: Scales) -> list[Layer]:
    barred = [row for row in rows if row["f2"] is not None and row["f3"] is not None]
    dotted = [row for row in rows if x.inside(row["f0"])]
    if look in BOX_HALF:
        return _boxes(look, style, barred, scales)
    if look == "tick":
        return _ticks(style, dotted, scales)
    y, limits = pixels("f1"), {"x": {**scales["x"], "field": "f2"}, "x2": {"field": "f3"}}
    bar = {"color": style.colour, "strokeWidth": THICKNESS[look], "clip": True}
    layers = [layer(barred, "rule", bar, y=y, **limits)] if barred else []
    if look == "bar" or not dotted:
        return layers
    return [*layers, layer(dotted, "point", _point(look, style), x=scales["x"], y=y)]


def _point(look: str, style: Style) -> dict[str, Any]:
    """Return the look of a dot, filled or open."""
    shape = {"shape": style.shape or "circle", "size": 46, "opacity": 1, "filled": True}
    if look == "open":
        return {**shape, "fill": "#fff", "stroke": style.colour, "strokeWidth": 1.4}
    return {**shape, "color": style.colour}


def _boxes(look: str, style: Style, rows: Rows, scales: Scales) -> list[Layer]:
    half = BOX_HALF[look]
    boxes = [{**row, "f4": row["f1"] - half, "f5": row["f1"] + half} for row in rows]
    paint = {"color": style.colour, "fillOpacity": 0.22 if look == "light" else 0.5, "opacity": 1}
    places = {
        "x": {**scales["x"], "field": "f2"},
        "x2": {"field": "f3"},
        "y": pixels("f4"),
        "y2": {"field": "f5"},
    }
    return [layer(boxes, "rect", {**paint, "clip": True}, **places)] if boxes else []


def _ticks(style: Style, rows: Rows, scales: Scales) -> list[Layer]:
    lines = [{**row, "f4": row["f1"] - TICK_HALF, "f5": row["f1"] + TICK_HALF} for row in rows]
    look = {"color": style.colour, "strokeWidth": 2}
    places = {"x": scales["x"], "y": pixels("f4"), "y2": {"field": "f5"}}
    return [layer(lines, "rule", look, **places)] if lines else []


def _remarks(placed: Sequence[_Placed], width: float) -> list[Layer]:
    rows = [
        {"f1": one.level(mark.lane), "f8": mark.remark}
        for one in placed
        for mark in one.row.marks
        if mark.estimate is None and mark.remark
    ]
    look = {"align": "left", "baseline": "middle", "fontStyle": "italic", "limit": width - 6}
    text = layer(rows, "text", look, x=make.at(6), y=pixels("f1"), text=make.words("f8"))
    return [text] if rows else []


def _band(band: tuple[float, float] | None, x: Axis, scales: Scales, height: float) -> list[Layer]:
    if band is None:
        return []
    rows = [{"f2": max(band[0], x.low), "f3": min(band[1], x.high)}]
    paint = {"color": AXIS_LINE, "fillOpacity": 0.2, "opacity": 1}
    across = {"x": {**scales["x"], "field": "f2"}, "x2": {"field": "f3"}}
    return [layer(rows, "rect", paint, **across, y=make.at(0), y2=make.at(height))]


def _key_item(item: KeyItem, left: float, level: float) -> list[Layer]:
    middle, end = left + KEY_SAMPLE / 2, left + KEY_SAMPLE
    name = {"align": "left", "baseline": "middle", "color": INK}
    rows = [{"f9": item.name}]
    text = layer(rows, "text", name, x=make.at(end + 6), y=make.at(level), text=make.words("f9"))
    return [*_sample(item, left, middle, end, level), text]


def _sample(item: KeyItem, left: float, middle: float, end: float, level: float) -> list[Layer]:
    """Return a small drawing of a look."""
    one: Rows = [{"f9": ""}]
    colour = item.style.colour
    if item.look in ("band", "light", "dark"):
        half = BOX_HALF.get(item.look, 6.0)
        opacity = {"band": 0.2, "light": 0.22, "dark": 0.5}[item.look]
        paint = {"color": colour, "fillOpacity": opacity, "opacity": 1}
        box = {"y": make.at(level - half), "y2": make.at(level + half)}
        return [layer(one, "rect", paint, x=make.at(left), x2=make.at(end), **box)]
    if item.look == "tick":
        line = {"y": make.at(level - TICK_HALF), "y2": make.at(level + TICK_HALF)}
        return [layer(one, "rule", {"color": colour, "strokeWidth": 2}, x=make.at(middle), **line)]
    bar = {"color": colour, "strokeWidth": THICKNESS[item.look]}
    bars = [layer(one, "rule", bar, x=make.at(left), x2=make.at(end), y=make.at(level))]
    parts = bars if item.barred else []
    if item.look != "bar":
        point = _point(item.look, item.style)
        parts.append(layer(one, "point", point, x=make.at(middle), y=make.at(level)))
    return parts
