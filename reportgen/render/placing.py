"""Figures and tables of a section, drawn, numbered through the dossier and written as text."""

from __future__ import annotations

import base64
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from string import ascii_lowercase

from markupsafe import Markup

from reportgen.render.drawing import draw
from reportgen.render.numbers import ESTIMATES, cells
from reportgen.render.view import Column, FigureView, Format, Plain, TableView

FEW_COLUMNS = 3
LEFT_ALIGNED: tuple[Format, ...] = ("text", "yes_no")


@dataclass(frozen=True)
class Figure:
    """A figure as its macro needs it; `svg` is one element, `data_uri` the same for an image."""

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
    """A column's heading; `align` is "words" or "figures"."""

    heading: str
    unit: str
    align: str


@dataclass(frozen=True)
class Cell:
    """A cell's text; `mark` is the letter of the note below that says why there is no figure."""

    text: str
    mark: str = ""


@dataclass(frozen=True)
class WrittenTable:
    """A table as its macro needs it: every cell is text.

    `title` is the first sentence of the view's caption, `caption` the rest; `reasons` are the notes
    of cells without a figure, each once; `few` says that the columns need not fill the page.
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
    few: bool


def figure_name(section: str, key: str) -> str:
    """Return the name of a figure without its ending, unique in a dossier: ``dca-net-benefit``."""
    return f"{section}-{key}".replace("_", "-")


def placed_figures(
    views: Iterable[FigureView], section: str, numbers: Iterator[int]
) -> dict[str, Figure]:
    """Return the figures of a section by key, drawn and numbered in order."""
    return {view.key: _placed_figure(view, section, next(numbers)) for view in views}


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
        columns=[_heading(column) for column in view.columns],
        written_rows=rows,
        written_print_rows=printed,
        reasons=[(mark, reason) for reason, mark in notes.marks.items()],
        csv=view.csv,
        note=view.note,
        wide=view.wide,
        few=len(view.columns) <= FEW_COLUMNS,
    )


def _heading(column: Column) -> Heading:
    align = "words" if column.format in LEFT_ALIGNED else "figures"
    return Heading(column.heading, column.unit, align)


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
        [_cell(row[column.key], cell, notes) for row, cell in zip(rows, texts, strict=True)]
        if column.format in ESTIMATES
        else [Cell(cell) for cell in texts]
        for column, texts in ((column, cells(column, rows)) for column in columns)
    )
    return list(zip(*by_column, strict=True))


def _cell(value: Plain | None, text: str, notes: Notes) -> Cell:
    """Return an estimate's cell: its interval stays on one line, its reason becomes a note."""
    reason = value.get("reason") if value else None
    if value is None or not reason:
        return Cell(text.replace(" to ", "\N{NO-BREAK SPACE}to\N{NO-BREAK SPACE}"))
    what = "Not estimable: " if value["estimate"] is None else "No interval: "
    what = what if reason in text else ""
    return Cell(text.replace(f": {reason}", ""), notes.mark(f"{what}{reason}"))
