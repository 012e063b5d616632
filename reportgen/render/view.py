"""What a page is made of: figures, tables and their columns, chosen from a section's plain result.

Each kind of section has a module in ``render/pages/`` with two functions, ``figures(section)`` and
``tables(section)``; they choose, order and label what the result already holds. Its template places
them with the macros of ``templates/macros/blocks.html.j2``.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal

from reportgen.language import _
from reportgen.wording import sentences

Plain = Mapping[str, Any]
"""A mapping of plain data, as read from results.json."""

Format = Literal[
    "text",  # as it is
    "count",  # 1,234
    "number",  # three or four significant digits
    "signed",  # number with + or a true minus sign
    "percent",  # 12.3 %
    "probability",  # 0.123
    "threshold",  # 0.25, as typed
    "estimate",  # 0.123 (0.100 to 0.150), or "not estimable: reason"
    "signed_estimate",  # +0.012 (−0.003 to 0.030)
    "percent_estimate",  # 12.3 % (10.0 to 15.0)
    "yes_no",
]


@dataclass(frozen=True)
class Column:
    """One column of a table: the row's key, the heading, how its values are written."""

    key: str
    heading: str
    format: Format = "text"
    unit: str = ""


@dataclass(frozen=True)
class TableView:
    """A table of a section.

    Attributes
    ----------
    key : str
        Name within the section, ``[a-z0-9_]+``; also the name of its CSV where `csv` says so.
    caption : str
        What the table shows, with the method of its intervals.
    columns : sequence of Column
        In order; the first one heads the rows.
    rows : sequence of mapping
        Whole table, as the HTML shows it.
    print_rows : sequence of mapping or None
        Those the PDF prints, if the whole is too long (over 60 rows); None prints all.
    csv : str
        File under ``tables/`` that holds every row and column, or "".
    note : str
        Printed below, such as what the PDF left out and by which rule.
    wide : bool
        Whether it needs a landscape page.
    """

    key: str
    caption: str
    columns: Sequence[Column]
    rows: Sequence[Plain]
    print_rows: Sequence[Plain] | None = None
    csv: str = ""
    note: str = ""
    wide: bool = False

    def printing_at_most(self, most: int) -> TableView:
        """Return the table; if the PDF would print more than `most` rows, the first, and a note."""
        rows = self.rows if self.print_rows is None else self.print_rows
        if len(rows) <= most:
            return self
        text = _("Printed: the first {k} of {n} rows.").format(k=most, n=len(rows))
        return replace(self, print_rows=rows[:most], note=sentences([self.note, text]))


@dataclass(frozen=True)
class FigureView:
    """A chart of a section before it is drawn, or a picture that the section made.

    Attributes
    ----------
    key : str
        Name within the section, ``[a-z0-9_]+``.
    title : str
        What is drawn.
    caption : str
        How to read it: axes with units, what the bands are, where the axis was cut, the method.
    alt : str
        The finding of the chart in words with its figures, for those who do not see it.
    chart : Altair chart
        From ``render/charts.py``; its fields are named f0, f1, … so that user text is never a
        field name.
    svg : str
        Filled in by ``render/html.py`` after drawing.
    picture : str
        Instead of a chart: the SHA-256 of a PNG that the results name, under ``pictures/``.
    """

    key: str
    title: str
    caption: str
    alt: str
    chart: Any = field(repr=False, default=None)
    svg: str = field(repr=False, default="")
    picture: str = ""
