"""A map of points in a plane: groups by shape and colour, marked points filled."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from reportgen.language import _
from reportgen.render import chart_layers as make
from reportgen.render.chart_data import (
    FULL_WIDTH,
    INK,
    Y_AXIS_SPACE,
    Axis,
    Point,
    Style,
)
from reportgen.render.chart_layers import Layer, Scales, layer
from reportgen.render.row_chart import KeyItem, legend


@dataclass(frozen=True)
class Cloud:
    """The points of a group: `plain` are drawn open, `marked` filled."""

    name: str
    style: Style
    plain: Sequence[Point]
    marked: Sequence[Point]


def scatter_chart(
    clouds: Sequence[Cloud],
    *,
    x: Axis,
    y: Axis,
    marked: str,
    width: float = FULL_WIDTH - Y_AXIS_SPACE,
    height: float = 340,
    title: str = "",
) -> dict[str, Any]:
    """Return groups of points in a plane.

    Parameters
    ----------
    clouds : sequence of Cloud
        All open points lie below all filled ones.
    x, y : Axis
    marked : str
        What a filled point is, for the key; "" leaves it out.
    width, height : float
        Of the plot, CSS pixels.
    title : str
        Printed above the key.

    Returns
    -------
    dict
        A plot for :func:`reportgen.render.charts.panels`.
    """
    scales = {"x": make.across(x), "y": make.upward(y, height)}
    parts: list[Layer] = make.blank(scales)
    parts += [part for cloud in clouds for part in _points(cloud, scales, filled=False)]
    parts += [part for cloud in clouds for part in _points(cloud, scales, filled=True)]
    items = [KeyItem(cloud.name, "open", cloud.style, barred=False) for cloud in clouds]
    if marked:
        items.append(
            KeyItem(
                _("filled: {marked}").format(marked=marked),
                "dot",
                Style(INK, (), "circle"),
                barred=False,
            )
        )
    parts += legend(items, width, bottom=-12.0, title=title)
    return {"layer": parts, "width": width, "height": height}


def _points(cloud: Cloud, scales: Scales, *, filled: bool) -> list[Layer]:
    points = cloud.marked if filled else cloud.plain
    rows = [{"f0": point.x, "f1": point.y} for point in points if point.y is not None]
    colour = cloud.style.colour
    look: dict[str, Any] = {"shape": cloud.style.shape or "circle", "size": 30, "opacity": 1}
    look |= {"filled": True, "color": colour} if filled else {"filled": False, "stroke": colour}
    return [layer(rows, "point", {**look, "strokeWidth": 1.1}, **scales)] if rows else []
