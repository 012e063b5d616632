"""Counts that fall from step to step: a row a group, a column a step, a bar in every cell.

The bar's length is the share of the group's first count; the count stands below it. Dark on light,
with the count in words, so a print in greyscale says the same.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from reportgen.render import chart_layers as make
from reportgen.render.chart_data import AXIS_LINE, FULL_WIDTH, INK, balanced, wrapped
from reportgen.render.chart_layers import Layer, Rows, layer
from reportgen.render.histogram_chart import BAR_TONES
from reportgen.render.row_chart import pixels

LABEL_SPACE = 134.0
GAP = 8.0
LINE = 15.0
BAR_HEIGHT = 11.0
PADDING = 12.0


@dataclass(frozen=True)
class StepBar:
    """A cell: the share that its bar shows, 0 to 1, and what stands below; None draws no bar."""

    share: float | None
    text: str


@dataclass(frozen=True)
class StepRow:
    """A group with its cells, one a step."""

    label: str
    bars: Sequence[StepBar]


def step_chart(
    steps: Sequence[str], rows: Sequence[StepRow], *, width: float = FULL_WIDTH - LABEL_SPACE - 16
) -> dict[str, Any]:
    """Return bars in a grid of groups and steps.

    Parameters
    ----------
    steps : sequence of str
        Headings of the columns, from left to right.
    rows : sequence of StepRow
        From top to bottom, each with as many bars as there are steps.
    width : float
        Of the grid without the labels, CSS pixels.

    Returns
    -------
    dict
        A plot for :func:`reportgen.render.charts.panels`.
    """
    column = width / len(steps)
    tracks, bars, texts, labels = _placed(rows, column)
    light = {"color": BAR_TONES["light"], "opacity": 1}
    dark = {"color": BAR_TONES["dark"], "opacity": 1}
    box: dict[str, Any] = {
        "x": pixels("f0"),
        "x2": {"field": "f2"},
        "y": pixels("f1"),
        "y2": {"field": "f3"},
    }
    parts = [layer(tracks, "rect", light, **box)] if tracks else []
    parts += [layer(bars, "rect", dark, **box)] if bars else []
    words = {"baseline": "middle", "color": INK}
    parts.append(
        layer(
            texts,
            "text",
            {**words, "align": "left"},
            x=pixels("f0"),
            y=pixels("f1"),
            text=make.words("f9"),
        )
    )
    parts.append(
        layer(
            labels,
            "text",
            {**words, "align": "right"},
            x=make.at(-10),
            y=pixels("f1"),
            text=make.words("f9"),
        )
    )
    parts += _headings(steps, column, width)
    height = sum(_height(row) for row in rows)
    return {"layer": parts, "width": width, "height": height}


def _placed(rows: Sequence[StepRow], column: float) -> tuple[Rows, Rows, Rows, Rows]:
    """Return the rows of the tracks, the bars, the counts and the labels."""
    tracks: Rows = []
    bars: Rows = []
    texts: Rows = []
    labels: Rows = []
    top, wide = 0.0, column - GAP
    for row in rows:
        upper = top + PADDING / 2
        for place, bar in enumerate(row.bars):
            left = place * column
            box = {"f0": left, "f1": upper, "f3": upper + BAR_HEIGHT}
            if bar.share is not None:
                tracks.append({**box, "f2": left + wide})
                bars.append({**box, "f2": left + wide * bar.share})
            texts.append({"f0": left, "f1": upper + BAR_HEIGHT + 9, "f9": bar.text})
        labels += _label(row, top)
        top += _height(row)
    return tracks, bars, texts, labels


def _label(row: StepRow, top: float) -> Iterator[dict[str, Any]]:
    lines, height = balanced(row.label, LABEL_SPACE - 14), _height(row)
    for place, line in enumerate(lines):
        level = top + height / 2 + LINE * (place - (len(lines) - 1) / 2)
        yield {"f1": level, "f9": line}


def _height(row: StepRow) -> float:
    lines = len(balanced(row.label, LABEL_SPACE - 14))
    return PADDING + max(LINE * lines, BAR_HEIGHT + LINE)


def _headings(steps: Sequence[str], column: float, width: float) -> list[Layer]:
    lines = [wrapped(step, column - GAP / 2) for step in steps]
    rows = [
        {"f0": place * column, "f1": -10.0 - LINE * (len(text) - 1 - at), "f9": line}
        for place, text in enumerate(lines)
        for at, line in enumerate(text)
    ]
    look = {"align": "left", "baseline": "middle", "fontWeight": "bold", "color": INK}
    rule = {"color": AXIS_LINE, "strokeWidth": 0.6}
    one: Rows = [{"f9": ""}]
    return [
        layer(rows, "text", look, x=pixels("f0"), y=pixels("f1"), text=make.words("f9")),
        layer(one, "rule", rule, x=make.at(0), x2=make.at(width - GAP), y=make.at(0)),
    ]
