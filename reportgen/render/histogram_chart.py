"""A histogram whose bins are counted already: bars by tone, with a key and reference lines."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from reportgen.render import chart_layers as make
from reportgen.render.chart_data import (
    AXIS_LINE,
    FULL_WIDTH,
    INK,
    KEY_LINE_HEIGHT,
    KEY_SAMPLE,
    Y_AXIS_SPACE,
    Axis,
    Rule,
    text_width,
)
from reportgen.render.chart_layers import Layer, layer

BarTone = Literal["dark", "middle", "light"]
# Told apart by lightness, so in greyscale too.
BAR_TONES: Mapping[BarTone, str] = {"dark": "#1f3a5f", "middle": "#d98c4a", "light": "#d9dde3"}


@dataclass(frozen=True)
class Bar:
    """The items between `low` and `high`, and the tone of their bar."""

    low: float
    high: float
    count: int
    tone: BarTone = "light"


def histogram_chart(
    bars: Sequence[Bar],
    *,
    x: Axis,
    y: str,
    names: Mapping[BarTone, str],
    rules: Sequence[Rule] = (),
    width: float = FULL_WIDTH - Y_AXIS_SPACE,
    height: float = 170,
) -> dict[str, Any]:
    """Return counted bins as bars from zero.

    Parameters
    ----------
    bars : sequence of Bar
        In ascending order.
    x : Axis
        What lies outside its domain is cut off.
    y : str
        Title of the axis of counts, with what is counted.
    names : mapping of tone to text
        What the tones mean; those that occur are named above the plot.
    rules : sequence of Rule
        Upright dashed lines; their words stand above the plot.
    width, height : float
        Of the plot itself, CSS pixels.

    Returns
    -------
    dict
        A plot for :func:`reportgen.render.charts.panels`.
    """
    top = max([one.count for one in bars], default=0) or 1
    upward = make.upward(Axis(y, 0, 1.05 * top), height)
    upward["axis"]["tickMinStep"] = 1
    scales = {"x": make.across(x), "y": upward}
    parts = make.blank(scales)
    for tone, colour in BAR_TONES.items():
        rows = [
            {"f0": one.low, "f2": one.high, "f1": one.count, "f3": 0}
            for one in bars
            if one.tone == tone and one.count
        ]
        if rows:
            look = {"color": colour, "stroke": INK, "strokeWidth": 0.4, "clip": True, "opacity": 1}
            places = {"x2": {"field": "f2"}, "y2": {"field": "f3"}}
            parts.append(layer(rows, "rect", look, **scales, **places))
    parts += [part for rule in rules for part in make.reference(rule, scales)]
    above = KEY_LINE_HEIGHT if any(rule.text for rule in rules) else 0
    used = [tone for tone in BAR_TONES if any(one.tone == tone for one in bars)]
    parts += _key([(BAR_TONES[tone], names[tone]) for tone in used if tone in names], -12 - above)
    return {"layer": parts, "width": width, "height": height}


def _key(items: Sequence[tuple[str, str]], level: float) -> list[Layer]:
    """Return what each tone means, in one line above the plot."""
    parts: list[Layer] = []
    left = 0.0
    for colour, name in items:
        rows = [{"f9": name}]
        look = {"color": colour, "stroke": AXIS_LINE, "strokeWidth": 0.6, "opacity": 1}
        box = {"y": make.at(level - 6), "y2": make.at(level + 6)}
        middle = left + KEY_SAMPLE - 8
        text = {"align": "left", "baseline": "middle", "color": INK}
        place = {"x": make.at(middle + 6), "y": make.at(level)}
        parts += [
            layer(rows, "rect", look, x=make.at(left), x2=make.at(middle), **box),
            layer(rows, "text", text, **place, text=make.words("f9")),
        ]
        left = middle + 6 + text_width(name) + 18
    return parts
