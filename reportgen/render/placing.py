"""Figures and tables of a section, drawn, numbered through the dossier and written as text."""

from __future__ import annotations

import base64
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import groupby
from operator import itemgetter
from string import ascii_lowercase
from typing import Any
from unicodedata import east_asian_width

from markupsafe import Markup

from reportgen.language import _
from reportgen.render.drawing import draw
from reportgen.render.numbers import (
    MINUS,
    NO_INTERVAL,
    NO_INTERVAL_HERE,
    NOT_ESTIMABLE,
    NOT_ESTIMABLE_HERE,
    NOTHING,
    cells,
)
from reportgen.render.svg_compact import compact
from reportgen.render.view import Column, FigureView, Format, Plain, TableView
from reportgen.wording import between

# Widths in characters of the table's size: what a portrait page holds, what lies between columns.
PORTRAIT, LANDSCAPE, SCREEN, GAP_CHARACTERS, BREAKABLE_AFTER = 96, 145, 112, 2.5, 14
MOST_PRINTED = 200
"""Rows of any table that the PDF prints, whatever its section chose; the CSV holds them all."""
ROOM_FOR_WORDS = 16
SHORT_ROWS, SHORT_CELL = 12, 140
FEW_COLUMNS, NARROW_CHARACTERS = 3, 60
WORDS: tuple[Format, ...] = ("text", "yes_no")
NO_BREAK = "\N{NO-BREAK SPACE}"
_FIGURE = re.compile(rf"[+<>{MINUS}]? ?\d|{NOTHING}$")
_PROSE = re.compile(r"(?:[a-z]+ ){3}|\(\d+ [a-z]{3}|[\u4e00-\u9fff]{8}")
"""Words, or a name with a number of things in brackets: 2 (106 units)."""
_BREAKS = re.compile("[ \u2e80-\u9fff\uf900-\ufaff\uff00-\uffef]")
"""Where a line may break: at a space, and at every Chinese or full-width character."""


@dataclass(frozen=True)
class Figure:
    """A figure as its macro needs it; `svg` is one element, `data_uri` the same for an image.

    A picture is an ``img`` element and has no `file` among the figures.
    """

    key: str
    number: int
    anchor: str
    title: str
    caption: str
    alt: str
    file: str
    svg: Markup = field(repr=False)
    data_uri: str = field(repr=False)


@dataclass(frozen=True)
class Heading:
    """A column's heading, and the classes of its own cell and of the cells below it.

    They are "words" or "figures", and "long" where a word must be broken to fit.
    """

    heading: str
    unit: str
    head: str
    cell: str


@dataclass(frozen=True)
class Cell:
    """A cell's text; `mark` is the letter of the note below that says why there is no figure."""

    text: str
    mark: str = ""


@dataclass(frozen=True)
class WrittenTable:
    """A table as its macro needs it: every cell is text.

    `title` is the first sentence of the view's caption, `caption` the rest; `reasons` are the notes
    of cells without a figure, each once; `narrow` says that the table need not fill the page,
    `short` that a page holds it whole, `unbroken` in which media each figure stands in one line.
    """

    key: str
    number: int
    anchor: str
    title: str
    caption: str
    columns: Sequence[Heading]
    written_rows: Sequence[Sequence[Cell]]
    written_print_rows: Sequence[Sequence[Cell]]
    reasons: Sequence[tuple[str, str]]
    csv: str
    note: str
    wide: bool
    narrow: bool
    short: bool
    unbroken: Sequence[str]

    @property
    def grouped_rows(self) -> Sequence[tuple[int, Sequence[Cell]]]:
        """Every row, with how many rows its first cell heads: 0 if one above heads it already."""
        made: list[tuple[int, Sequence[Cell]]] = []
        for _head, rows in groupby(self.written_rows, key=itemgetter(0)):
            first, *others = rows
            made += [(1 + len(others), first), *((0, row) for row in others)]
        return made

    @property
    def printed_rows(self) -> Sequence[tuple[int, Sequence[Cell]]]:
        """The rows of the PDF, each with a head of its own: a page may begin at any of them."""
        return [(1, row) for row in self.written_print_rows]


def figure_name(section: str, key: str) -> str:
    """Return the name of a figure without its ending, unique in a dossier: ``dca-net-benefit``."""
    return f"{section}-{key}".replace("_", "-")


def placed_figures(
    views: Iterable[FigureView],
    section: str,
    numbers: Iterator[int],
    pictures: Mapping[str, bytes] | None = None,
) -> dict[str, Figure]:
    """Return the figures of a section by key, drawn and numbered in order.

    `pictures` holds the PNG images that the results name, by the SHA-256 of their bytes.
    """
    return {
        view.key: _placed_picture(view, section, next(numbers), (pictures or {})[view.picture])
        if view.picture
        else _placed_figure(view, section, next(numbers))
        for view in views
    }


def _placed_picture(view: FigureView, section: str, number: int, png: bytes) -> Figure:
    data_uri = "data:image/png;base64," + base64.b64encode(png).decode()
    return Figure(
        key=view.key,
        number=number,
        anchor=f"figure-{figure_name(section, view.key)}",
        title=view.title,
        caption=view.caption,
        alt=view.alt,
        file="",
        svg=Markup('<img class="picture" alt="{}" src="{}">').format(view.alt, data_uri),
        data_uri=data_uri,
    )


def _placed_figure(view: FigureView, section: str, number: int) -> Figure:
    name = figure_name(section, view.key)
    svg = compact(draw(view.chart, key=name, title=view.title, description=view.alt))
    drawn = replace(view, svg=svg)
    return Figure(
        key=drawn.key,
        number=number,
        anchor=f"figure-{name}",
        title=drawn.title,
        caption=drawn.caption,
        alt=drawn.alt,
        file=f"{name}.svg",
        # Safe: the element was parsed and written anew, so user text in it is escaped.
        svg=Markup(drawn.svg),  # noqa: S704
        data_uri="data:image/svg+xml;base64," + base64.b64encode(drawn.svg.encode()).decode(),
    )


def placed_tables(
    views: Iterable[TableView], section: str, numbers: Iterator[int]
) -> dict[str, WrittenTable]:
    """Return the tables of a section by key, written and numbered in order."""
    return {
        view.key: _placed_table(view.printing_at_most(MOST_PRINTED), section, next(numbers))
        for view in views
    }


def _placed_table(view: TableView, section: str, number: int) -> WrittenTable:
    notes = Notes()
    rows = written(view.columns, view.rows, notes)
    printed = rows if view.print_rows is None else written(view.columns, view.print_rows, notes)
    title, _end, rest = view.caption.partition(_(". "))
    wide = view.wide and not _fits_portrait(view.columns, rows)
    return WrittenTable(
        key=view.key,
        number=number,
        anchor=f"table-{figure_name(section, view.key)}",
        title=title.rstrip(".。"),
        caption=rest,
        columns=_headings(view.columns, rows),
        written_rows=rows,
        written_print_rows=printed,
        reasons=[(mark, reason) for reason, mark in notes.marks.items()],
        csv=view.csv,
        note=view.note,
        wide=wide,
        narrow=_narrow(view.columns, rows),
        short=_short(printed),
        unbroken=_unbroken_in(view.columns, rows, LANDSCAPE if wide else PORTRAIT),
    )


def _headings(columns: Sequence[Column], rows: Sequence[Sequence[Cell]]) -> list[Heading]:
    """Return the headings; the first column heads the rows, so it is set as words."""
    made = []
    for place, column in enumerate(columns):
        texts = [row[place].text for row in rows]
        align = "figures" if place and _holds_figures(column, texts) else "words"
        head, cell = (
            f"{align} long" if _longest_piece(held) > BREAKABLE_AFTER else align
            for held in ([column.heading], texts if align == "words" else [])
        )
        made.append(Heading(column.heading, column.unit, head, cell))
    return made


def _longest_piece(texts: Iterable[str]) -> int:
    """Return the length of the longest run of characters without a place to break the line."""
    return max((len(piece) for text in texts for piece in _BREAKS.split(text)), default=0)


def _width(text: str) -> int:
    """Return the width of a text in characters, of which a Chinese one takes two."""
    return sum(2 if east_asian_width(letter) in "WF" else 1 for letter in text)


def _holds_figures(column: Column, texts: Sequence[str]) -> bool:
    """Whether a column is set as figures: by its format, or because every cell is a figure."""
    if column.format not in WORDS:
        return True
    missing = (_(NOT_ESTIMABLE_HERE), _unbroken(_(NOT_ESTIMABLE_HERE), " "))
    return bool(texts) and all(
        (_FIGURE.match(text) or text.startswith(missing)) and not _PROSE.search(text)
        for text in texts
    )


def _fits_portrait(columns: Sequence[Column], rows: Sequence[Sequence[Cell]]) -> bool:
    """Whether a table can do without a landscape page: its longest pieces stand side by side.

    A turned page breaks the flow, so it is kept for what cannot be set upright. A word may be
    broken if it must; an interval goes to the next line only as a whole.
    """
    width = GAP_CHARACTERS * (len(columns) - 1)
    for place, column in enumerate(columns):
        texts = [row[place].text for row in rows]
        piece = _longest_piece([column.heading, column.unit, *texts])
        rigid = place and _holds_figures(column, texts)
        width += piece if rigid else min(piece, BREAKABLE_AFTER)
    return width <= PORTRAIT


def _unbroken_in(
    columns: Sequence[Column], rows: Sequence[Sequence[Cell]], page: float
) -> list[str]:
    """Return the media that have room for a table with each figure in one line."""
    width = _width_in_lines(columns, rows)
    return [medium for medium, room in (("screen", SCREEN), ("print", page)) if width <= room]


def _width_in_lines(columns: Sequence[Column], rows: Sequence[Sequence[Cell]]) -> float:
    """Return the width that a table takes if no figure is broken over lines, but words are."""
    width = GAP_CHARACTERS * (len(columns) - 1)
    for place, column in enumerate(columns):
        texts = [row[place].text for row in rows]
        head = min(_longest_piece([column.heading, column.unit]), BREAKABLE_AFTER)
        longest = max(map(_width, texts), default=0)
        figures = place and _holds_figures(column, texts)
        width += max(head, longest if figures else min(longest, ROOM_FOR_WORDS))
    return width


def _narrow(columns: Sequence[Column], rows: Sequence[Sequence[Cell]]) -> bool:
    """Whether a table is so narrow that it should not be drawn out over the page."""
    widths = [
        max(_width(column.heading + column.unit), *(_width(row[place].text) for row in rows), 0)
        for place, column in enumerate(columns)
    ]
    return len(columns) <= FEW_COLUMNS and sum(widths) <= NARROW_CHARACTERS


def _short(rows: Sequence[Sequence[Cell]]) -> bool:
    """Whether a table is kept on one page: few rows, and no prose that makes them high."""
    longest = max((_width(cell.text) for row in rows for cell in row), default=0)
    return len(rows) <= SHORT_ROWS and longest <= SHORT_CELL


class Notes:
    """The reasons met in a table, each with its letter: a, b, … z, aa."""

    def __init__(self) -> None:
        self.marks: dict[str, str] = {}

    def mark(self, reason: str) -> str:
        """Return the letter of a reason, a new one if it was not met before."""
        if reason not in self.marks:
            rounds, place = divmod(len(self.marks), len(ascii_lowercase))
            self.marks[reason] = ascii_lowercase[place] * (rounds + 1)
        return self.marks[reason]


def written(
    columns: Sequence[Column], rows: Sequence[Plain], notes: Notes
) -> list[tuple[Cell, ...]]:
    """Return the cells of `rows` row by row; why a figure is missing goes to the notes."""
    by_column = (
        [_cell(row[column.key], text, notes) for row, text in zip(rows, texts, strict=True)]
        for column, texts in ((column, cells(column, rows)) for column in columns)
    )
    return list(zip(*by_column, strict=True))


def _cell(value: Any, text: str, notes: Notes) -> Cell:
    """Return a cell; if it is an estimate with a reason, the reason becomes a note."""
    reason = value.get("reason") if isinstance(value, Mapping) else _reason_in(text)
    if not reason:
        return Cell(_unbroken(text))
    if text == _(NOT_ESTIMABLE).format(reason=reason):
        note = _("Not estimable: {reason}").format(reason=reason)
        return Cell(_unbroken(_(NOT_ESTIMABLE_HERE), " "), notes.mark(note))
    before, after = _(NO_INTERVAL).split("{figure}")
    after = after.format(reason=reason)
    if text.startswith(before) and text.endswith(after):
        figure = text.removeprefix(before).removesuffix(after)
        note = _("No interval: {reason}").format(reason=reason)
        return Cell(_unbroken(_(NO_INTERVAL_HERE).format(figure=figure)), notes.mark(note))
    return Cell(_unbroken(text), notes.mark(reason))


def _reason_in(text: str) -> str:
    """Return the reason in an estimate that a page wrote as text, "" if there is none."""
    before, after = _(NOT_ESTIMABLE).split("{reason}")
    found = text.startswith(before) and text.endswith(after)
    return text.removeprefix(before).removesuffix(after) if found else ""


def _unbroken(text: str, joint: str = "") -> str:
    """Return `text` with no line break inside an interval, or at any `joint` given."""
    if joint:
        return text.replace(joint, NO_BREAK)
    joint = between("", "")
    inside = rf"(?<=\d){re.escape(joint)}(?=[{MINUS}\d])"
    return re.sub(inside, joint.replace(" ", NO_BREAK), text)
