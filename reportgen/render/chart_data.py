"""What charts are made of: series, points, axes, styles and the sizes of the page.

Series differ by dash and by marker as well as by colour, so that a print in greyscale can be read.
Sizes are CSS pixels for a text width of 170 mm; no letter is smaller than 9 pt.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

FONT = "IBM Plex Sans"
FONT_SIZE = 12  # 9 pt
INK, GRID, AXIS_LINE = "#000", "#ddd", "#888"
FULL_WIDTH = 642  # 170 mm at 96 dpi
Y_AXIS_SPACE = 84  # labels and title of a vertical axis, and half a tick label at the right
PANEL_GAP = 16
KEY_LINE_HEIGHT = 18
STRIP_HEIGHT = 15
KEY_SAMPLE = 30.0
MOST_LINES = 3
FINER = 4.0  # by how much lines are narrowed to even them out
MARKERS_PER_SERIES = 8
NARROW, WIDE = " .,:;'|!()[]ijlt", "mwMW%@"


@dataclass(frozen=True)
class Style:
    """How a series is drawn; `shape` "" draws no markers."""

    colour: str
    dash: tuple[float, ...] = ()
    shape: str = ""
    width: float = 1.8


# Okabe and Ito's colours that keep a contrast of 3:1 against white and against near-black.
STYLES: tuple[Style, ...] = (
    Style("#0072b2", (), "circle"),
    Style("#d55e00", (7, 3), "square"),
    Style("#009e73", (2, 2), "triangle-up"),
    Style("#a6559d", (9, 3, 2, 3), "diamond"),
    Style("#8a6d00", (4, 2), "cross"),
    Style("#5a64c8", (12, 3), "triangle-down"),
)
ALL_STYLE = Style("#767676", (10, 4), "", 1.6)
NONE_STYLE = Style(INK, (), "", 1.1)


Tone = Literal["dark", "light", "heavy"]
# Fill and letters of a stretch in a strip.
TONES: dict[Tone, tuple[str, str]] = {
    "dark": ("#1f3a5f", "#fff"),
    "light": ("#fff", INK),
    "heavy": ("#f4c7a8", INK),
}


def style_of(position: int) -> Style:
    """Return the style of the series at `position`, counted from 0; styles repeat after the last.

    From the second round on the dashes are stretched, so that no two of twelve series look alike.
    """
    style = STYLES[position % len(STYLES)]
    rounds = position // len(STYLES)
    return style if not rounds else replace(style, dash=(5.0 * rounds, 2.0, 1.0, 2.0))


@dataclass(frozen=True)
class Point:
    """One point of a series; `y` None breaks the line, `low`/`high` None the band."""

    x: float
    y: float | None
    low: float | None = None
    high: float | None = None


@dataclass(frozen=True)
class Series:
    """A line with its name, its points in ascending x, and its style."""

    name: str
    points: Sequence[Point]
    style: Style

    def without_band(self) -> Series:
        """Return the same line without its band."""
        return replace(self, points=[Point(point.x, point.y) for point in self.points])


@dataclass(frozen=True)
class Axis:
    """An axis: its title with the unit, its domain, and how its ticks are written."""

    title: str
    low: float
    high: float
    log: bool = False
    percent: bool = False
    ticks: Sequence[float] | None = None

    def inside(self, value: float | None) -> bool:
        """Return whether `value` lies within the domain."""
        return value is not None and self.low <= value <= self.high

    def short(self) -> Axis:
        """Return the same axis with its title up to the unit in brackets, for a small plot."""
        return replace(self, title=re.split(r" \(|（", self.title, maxsplit=1)[0])


@dataclass(frozen=True)
class Run:
    """A stretch of the horizontal axis with a word and a tone, drawn in a strip above the plot."""

    start: float
    end: float
    word: str
    tone: Tone


@dataclass(frozen=True)
class Interval:
    """A labelled estimate with its limits, or None with a remark instead."""

    label: str
    estimate: float | None
    low: float | None
    high: float | None
    remark: str = ""


@dataclass(frozen=True)
class Rule:
    """A reference line across the plot at `at`, with a few words beside it."""

    at: float
    text: str = ""


def text_width(text: str) -> float:
    """Return about how wide `text` is at FONT_SIZE, in CSS pixels; enough to place names by."""
    return sum(
        3.6 if letter in NARROW else 10 if letter in WIDE else 12 if ord(letter) > 0x2E80 else 6.7
        for letter in text
    )


def wrapped(text: str, width: float) -> list[str]:
    """Return `text` in lines of at most about `width` pixels, broken at spaces where there are any.

    Nothing is lost: joined by spaces (or, inside a long word, by nothing) the lines are `text`.
    """
    lines, line = [], ""
    for word in text.split(" "):
        extended = f"{line} {word}" if line else word
        if text_width(extended) <= width:
            line = extended
            continue
        if line:
            lines.append(line)
        *whole, line = _pieces(word, width)
        lines += whole
    return [*lines, line]


def balanced(text: str, width: float) -> list[str]:
    """Return `text` in as few lines as `wrapped` makes of it, as even as they can be.

    Of a name without end the first MOST_LINES lines are drawn, and dots: a chart higher than
    a page would be made smaller with all its letters. The table behind the chart has it whole.
    """
    lines = wrapped(text, width)
    if len(lines) > MOST_LINES:
        return [*lines[: MOST_LINES - 1], lines[MOST_LINES - 1][:-1].rstrip() + "…"]
    narrower = width
    while narrower > 2 * FINER and len(wrapped(text, narrower - FINER)) == len(lines):
        narrower -= FINER
        lines = wrapped(text, narrower)
    return lines


def _pieces(word: str, width: float) -> list[str]:
    """Return a word cut where it would be wider than `width`."""
    pieces, piece = [], ""
    for letter in word:
        if piece and text_width(piece + letter) > width:
            pieces.append(piece)
            piece = ""
        piece += letter
    return [*pieces, piece]
