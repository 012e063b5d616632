"""General charts from plain rows: lines with bands, dots with intervals, several beside each other.

They are returned unfinished, as Altair charts; :func:`panels` puts one or several of them under the
dossier's fonts and lines, and ``render/drawing.py`` draws that.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import altair as alt

from reportgen.render import chart_layers as layer
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
from reportgen.render.chart_layers import Chart

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
) -> Chart:
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
    Altair layer chart
        To be passed to :func:`panels`.
    """
    scales = {"x": layer.across(x), "y": layer.upward(y, height)}
    parts = [part for rule in rules for part in layer.reference(rule, scales)]
    parts += [part for one in series for part in layer.bands(one, scales)]
    parts += [part for one in series for part in layer.lines(one, scales)]
    if marked:
        for one, points in zip(series, marked, strict=True):
            parts += layer.dots(one, points, scales, y)
    else:
        for position, one in enumerate(series):
            parts += layer.markers(one, scales, y, position / len(series))
    parts += layer.strip(runs, x, width)
    if key:
        parts += layer.key(series, width, bottom=-13.0 - (STRIP_HEIGHT + 6 if runs else 0))
    options: dict[str, Any] = {"width": width, "height": height}
    if title:
        options["title"] = alt.TitleParams(text=wrapped(title, width), offset=6)
    return alt.layer(*parts).properties(**options)


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
) -> Chart:
    """Return one line an estimate: its label, a dot and a bar for the interval.

    An estimate of None is shown by its remark, never left out. The result is to be passed to
    :func:`panels`.
    """
    scales = {"x": layer.across(x)}
    parts = [part for rule in rules for part in layer.reference(rule, scales)]
    parts += layer.blank(scales)
    for position, one in enumerate(intervals):
        level = INTERVAL_STEP * (position + 0.5)
        parts += layer.interval(one, scales, level, LABEL_SPACE - 20)
    height = INTERVAL_STEP * max(1, len(intervals))
    return alt.layer(*parts).properties(width=width, height=height)


def panels(charts: Sequence[Chart], *, columns: int = 1, above: Chart | None = None) -> Chart:
    """Return `charts` in rows of `columns`, with the fonts and lines of the dossier.

    Parameters
    ----------
    charts : sequence of Altair charts
        At least one.
    columns : int
        Charts beside each other.
    above : Altair chart, optional
        One that stands over all of them.

    Raises
    ------
    ValueError
        If there is no chart.
    """
    if not charts:
        raise ValueError("no chart to draw")
    whole = charts[0]
    if len(charts) > 1:
        whole = alt.concat(*charts, columns=columns, spacing=PANEL_GAP)
    if above is not None:
        whole = alt.vconcat(above, whole, spacing=PANEL_GAP)
    return whole.configure(
        axis=_axis_look(),
        title=alt.TitleConfig(
            font=FONT,
            fontSize=FONT_SIZE,
            fontWeight="bold",
            color=INK,
            anchor="start",
            frame="group",
        ),
        view=alt.ViewConfig(stroke=None),
        text=alt.MarkConfig(font=FONT, fontSize=FONT_SIZE, color=INK),
        font=FONT,
        background="#fff",
        aria=False,
        padding=4,
    )


def panel_width(columns: int) -> float:
    """Return the width of a plot of which `columns` stand beside each other."""
    return FULL_WIDTH / columns - Y_AXIS_SPACE - (PANEL_GAP / 2 if columns > 1 else 0)


def _axis_look() -> Any:
    return alt.AxisConfig(
        labelFontSize=FONT_SIZE,
        titleFontSize=FONT_SIZE,
        titleFontWeight="normal",
        labelColor=INK,
        titleColor=INK,
        gridColor=GRID,
        gridWidth=0.6,
        domainColor=AXIS_LINE,
        tickColor=AXIS_LINE,
        titlePadding=8,
        labelPadding=4,
        labelFlush=False,
    )
