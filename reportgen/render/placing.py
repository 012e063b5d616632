"""Figures and tables of a section, drawn, numbered through the dossier and written as text."""

from __future__ import annotations

import base64
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from string import ascii_lowercase
from typing import Any

from markupsafe import Markup

from reportgen.render.drawing import draw
from reportgen.render.numbers import MINUS, NOTHING, cells
from reportgen.render.view import Column, FigureView, Format, Plain, TableView

# Widths in characters of the table's size: what a portrait page holds, what lies between columns.
PORTRAIT_CHARACTERS, GAP_CHARACTERS, BREAKABLE_AFTER = 96, 2.5, 14
SHORT_ROWS, SHORT_CELL = 12, 140
FEW_COLUMNS, NARROW_CHARACTERS = 3, 60
NOT_ESTIMABLE = "not estimable: "
WORDS: tuple[Format, ...] = ("text", "yes_no")
_FIGURE = re.compile(rf"[+<>{MINUS}]? ?\d|{NOTHING}$|not\sestimable")
_PROSE = re.compile(r"(?:[a-z]+ ){3}")
_BETWEEN_FIGURES = re.compile(rf"(?<=\d) to (?=[{MINUS}\d])")


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
    `short` that a page holds it whole.
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
    svg = draw(view.chart, key=name, title=view.title, description=view.alt)
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
    return {view.key: _placed_table(view, section, next(numbers)) for view in views}


def _placed_table(view: TableView, section: str, number: int) -> WrittenTable:
    notes = Notes()
    rows = written(view.columns, view.rows, notes)
    printed = rows if view.print_rows is None else written(view.columns, view.print_rows, notes)
    title, _, rest = view.caption.partition(". ")
    return WrittenTable(
        key=view.key,
        number=number,
        anchor=f"table-{figure_name(section, view.key)}",
        title=title.rstrip("."),
        caption=rest,
        columns=_headings(view.columns, rows),
        written_rows=rows,
        written_print_rows=printed,
        reasons=[(mark, reason) for reason, mark in notes.marks.items()],
        csv=view.csv,
        note=view.note,
        wide=view.wide and not _fits_portrait(view.columns, rows),
        narrow=_narrow(view.columns, rows),
        short=_short(printed),
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
    return max((len(piece) for text in texts for piece in text.split(" ")), default=0)


def _holds_figures(column: Column, texts: Sequence[str]) -> bool:
    """Whether a column is set as figures: by its format, or because every cell is a figure."""
    if column.format not in WORDS:
        return True
    return bool(texts) and all(_FIGURE.match(text) and not _PROSE.search(text) for text in texts)


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
    return width <= PORTRAIT_CHARACTERS


def _narrow(columns: Sequence[Column], rows: Sequence[Sequence[Cell]]) -> bool:
    """Whether a table is so narrow that it should not be drawn out over the page."""
    widths = [
        max(len(column.heading) + len(column.unit), *(len(row[place].text) for row in rows), 0)
        for place, column in enumerate(columns)
    ]
    return len(columns) <= FEW_COLUMNS and sum(widths) <= NARROW_CHARACTERS


def _short(rows: Sequence[Sequence[Cell]]) -> bool:
    """Whether a table is kept on one page: few rows, and no prose that makes them high."""
    longest = max((len(cell.text) for row in rows for cell in row), default=0)
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
    bare = text.replace(f": {reason}", "")
    what = "" if bare == text else "No interval: " if "(no interval)" in bare else "Not estimable: "
    bare = bare.replace("not estimable", "not\N{NO-BREAK SPACE}estimable")
    return Cell(_unbroken(bare), notes.mark(f"{what}{reason}"))


def _reason_in(text: str) -> str:
    """Return the reason in an estimate that a page wrote as text, "" if there is none."""
    return text.removeprefix(NOT_ESTIMABLE) if text.startswith(NOT_ESTIMABLE) else ""


def _unbroken(text: str) -> str:
    """Return `text` with no line break inside an interval."""
    return _BETWEEN_FIGURES.sub("\N{NO-BREAK SPACE}to\N{NO-BREAK SPACE}", text)
