"""Figures and tables of a section, drawn, numbered through the dossier and written as text."""

from __future__ import annotations

import base64
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace

from markupsafe import Markup

from reportgen.render.drawing import draw
from reportgen.render.numbers import ESTIMATES, cells
from reportgen.render.view import Column, FigureView, Format, Plain, TableView

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
class WrittenTable:
    """A table as its macro needs it: every cell is text.

    `title` is the first sentence of the view's caption, `caption` the rest.
    """

    key: str
    number: int
    anchor: str
    title: str
    caption: str
    columns: Sequence[Heading]
    written_rows: Sequence[Sequence[str]]
    written_print_rows: Sequence[Sequence[str]]
    csv: str
    note: str
    wide: bool


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
    rows = written(view.columns, view.rows)
    few = rows if view.print_rows is None else written(view.columns, view.print_rows)
    title, _, rest = view.caption.partition(". ")
    return WrittenTable(
        key=view.key,
        number=number,
        anchor=f"table-{figure_name(section, view.key)}",
        title=title.rstrip("."),
        caption=rest,
        columns=[_heading(column) for column in view.columns],
        written_rows=rows,
        written_print_rows=few,
        csv=view.csv,
        note=view.note,
        wide=view.wide,
    )


def _heading(column: Column) -> Heading:
    align = "words" if column.format in LEFT_ALIGNED else "figures"
    return Heading(column.heading, column.unit, align)


def written(columns: Sequence[Column], rows: Sequence[Plain]) -> list[tuple[str, ...]]:
    """Return the cells of `rows` as text, row by row; an interval is not broken over lines."""
    by_column = (
        [_unbroken(cell) if column.format in ESTIMATES else cell for cell in cells(column, rows)]
        for column in columns
    )
    return list(zip(*by_column, strict=True))


def _unbroken(estimate: str) -> str:
    return estimate.replace(" to ", "\N{NO-BREAK SPACE}to\N{NO-BREAK SPACE}")
