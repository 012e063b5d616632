"""General charts from plain rows: lines with bands, dots with intervals, several beside each other.

Plots are returned unfinished, as Vega-Lite; :func:`panels` makes an Altair chart of one or several
of them, with the dossier's fonts and lines, and ``render/drawing.py`` draws that. Altair checks it
against the schema of Vega-Lite when it is drawn.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import altair as alt
from altair.utils.schemapi import debug_mode

from reportgen.render import chart_layers as make
from reportgen.render.chart_data import (
    AXIS_LINE,
    FONT,
    FONT_SIZE,
    FULL_WIDTH,
    GRID,
    INK,
    PANEL_GAP,
    STRIP_HEIGHT,
    Y_AXIS_SPACE,
    Axis,
    Interval,
    Point,
    Rule,
    Run,
    Series,
    wrapped,
)
from reportgen.render.chart_layers import Layer

Chart = Any
"""An Altair chart; Altair itself is not typed strictly."""

Plot = dict[str, Any]
"""One plot of Vega-Lite, with its layers."""

INTERVAL_STEP = 24.0
LABEL_SPACE = 200


def line_chart(
    series: Sequence[Series],
    *,
    x: Axis,
    y: Axis,
    width: float = FULL_WIDTH - Y_AXIS_SPACE,
    height: float = 260,
    title: str = "",
    key: bool = True,
    runs: Sequence[Run] = (),
    marked: Sequence[Sequence[Point]] = (),
    rules: Sequence[Rule] = (),
) -> Plot:
    """Return lines with bands over one another, what lies outside the axes' domains cut off.

    Parameters
    ----------
    series : sequence of Series
        Later ones lie on top.
    x, y : Axis
        The axes.
    width, height : float
        Of the plot itself, CSS pixels.
    title : str
        Printed above the plot, such as the model of a panel.
    key : bool
        Whether the series are named above the plot.
    runs : sequence of Run
        A strip of stretches above the plot, in ascending order.
    marked : sequence of sequence of Point
        For each of `series`, points to be marked; if empty, a few are marked along each line.
    rules : sequence of Rule
        Vertical reference lines.

    Returns
    -------
    Plot
        To be passed to :func:`panels`.
    """
    scales = {"x": make.across(x), "y": make.upward(y, height)}
    parts = [part for rule in rules for part in make.reference(rule, scales)]
    parts += [part for one in series for part in make.bands(one, scales)]
    parts += [part for one in series for part in make.lines(one, scales)]
    if marked:
        for one, points in zip(series, marked, strict=True):
            parts += make.dots(one, points, scales, y)
    else:
        for position, one in enumerate(series):
            parts += make.markers(one, scales, y, position / len(series))
    parts += make.strip(runs, x, width)
    if key:
        parts += make.key(series, width, bottom=-13.0 - (STRIP_HEIGHT + 6 if runs else 0))
    return _plot(parts, width, height, title)


def curve_chart(
    background: Sequence[Series],
    series: Sequence[Series],
    *,
    x: Axis,
    y: Axis,
    height: float = 260,
    key: bool = True,
    marked: Sequence[Sequence[Point]] = (),
    overlaid: int = 1,
) -> Chart:
    """Return curves with their bands in one plot, or, if there are many, each band in its own.

    Parameters
    ----------
    background : sequence of Series
        Drawn in every plot, such as the default strategies.
    series : sequence of Series
        If there are more than `overlaid`, they are drawn together without bands, and below that
        each with its band.
    marked : sequence of sequence of Point
        For each of `series`, points to be marked; if empty, a few are marked along each line.
    overlaid : int
        How many bands may lie over each other and still be told apart.

    Returns
    -------
    Altair chart
        Finished.
    """
    behind: list[Sequence[Point]] = [()] * len(background) if marked else []
    together: dict[str, Any] = {
        "x": x,
        "y": y,
        "height": height,
        "key": key,
        "marked": [*behind, *marked],
    }
    if len(series) <= overlaid:
        return panels([line_chart([*background, *series], **together)])
    small: dict[str, Any] = {
        "x": x,
        "y": y.short(),
        "width": panel_width(2),
        "height": 0.65 * height,
    }
    apart = [
        line_chart(
            [*background, one],
            **small,
            title=one.name,
            key=False,
            marked=[*behind, marked[position]] if marked else (),
        )
        for position, one in enumerate(series)
    ]
    bare = [one.without_band() for one in (*background, *series)]
    return panels(apart, columns=2, above=line_chart(bare, **together))


def dot_interval_chart(
    intervals: Sequence[Interval],
    *,
    x: Axis,
    width: float = FULL_WIDTH - LABEL_SPACE - 20,
    rules: Sequence[Rule] = (),
) -> Plot:
    """Return one line an estimate: its label, a dot and a bar for the interval.

    An estimate of None is shown by its remark, never left out. The result is to be passed to
    :func:`panels`.
    """
    scales = {"x": make.across(x)}
    parts = [part for rule in rules for part in make.reference(rule, scales)]
    parts += make.blank(scales)
    for position, one in enumerate(intervals):
        level = INTERVAL_STEP * (position + 0.5)
        parts += make.interval(one, scales, level, LABEL_SPACE - 20)
    return _plot(parts, width, INTERVAL_STEP * max(1, len(intervals)))


def panels(plots: Sequence[Plot], *, columns: int = 1, above: Plot | None = None) -> Chart:
    """Return `plots` in rows of `columns`, with the fonts and lines of the dossier.

    Parameters
    ----------
    plots : sequence of Plot
        At least one.
    columns : int
        Plots beside each other.
    above : Plot, optional
        One that stands over all of them.

    Returns
    -------
    Altair chart
        Finished.

    Raises
    ------
    ValueError
        If there is no plot.
    """
    if not plots:
        raise ValueError("no plot to draw")
    whole: Plot = plots[0]
    kind: Any = alt.TopLevelLayerSpec
    if len(plots) > 1:
        whole = {"concat": list(plots), "columns": columns, "spacing": PANEL_GAP}
        kind = alt.TopLevelConcatSpec
    if above is not None:
        whole, kind = {"vconcat": [above, whole], "spacing": PANEL_GAP}, alt.TopLevelVConcatSpec
    with debug_mode(False):  # it is checked against the schema once, when it is drawn
        return kind(**whole, config=_look())


def panel_width(columns: int) -> float:
    """Return the width of a plot of which `columns` stand beside each other."""
    return FULL_WIDTH / columns - Y_AXIS_SPACE - (PANEL_GAP / 2 if columns > 1 else 0)


def _plot(parts: list[Layer], width: float, height: float, title: str = "") -> Plot:
    plot: Plot = {"layer": parts, "width": width, "height": height}
    if title:
        plot["title"] = {"text": wrapped(title, width), "offset": 6}
    return plot


def _look() -> dict[str, Any]:
    """Return Vega-Lite's configuration: fonts, inks, and no opacity."""
    axis = {
        "labelFontSize": FONT_SIZE,
        "titleFontSize": FONT_SIZE,
        "titleFontWeight": "normal",
        "labelColor": INK,
        "titleColor": INK,
        "gridColor": GRID,
        "gridWidth": 0.6,
        "domainColor": AXIS_LINE,
        "tickColor": AXIS_LINE,
        "titlePadding": 8,
        "labelPadding": 4,
        "labelFlush": False,
    }
    title = {"fontSize": FONT_SIZE, "fontWeight": "bold", "color": INK}
    return {
        "axis": axis,
        "title": {**title, "anchor": "start", "frame": "group"},
        "view": {"stroke": None},
        "text": {"fontSize": FONT_SIZE, "color": INK},
        "font": FONT,
        "background": "#fff",
        "aria": False,
        "padding": 4,
    }
