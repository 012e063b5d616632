"""Tables of "Data received": what every table and set of images is like before any figure."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from reportgen.language import _, mark
from reportgen.render.view import Column, Plain, TableView

ANCHOR = "data-received"
"""The part, and what its files under ``tables/`` begin with."""
PRINTED = 40
"""Rows of a table that the PDF prints."""
ROLES = (
    mark("label"),
    mark("time"),
    mark("event"),
    mark("score"),
    mark("unit"),
    mark("group"),
    mark("feature"),
    mark("split"),
    mark("source"),
    mark("site"),
    mark("acquired"),
)
"""What the results call the roles of columns."""
TROUBLES = ("unreadable", "oversized", "blank")
"""Keys of an input that hold files which cannot be compared."""
Rows = list[dict[str, Any]]


def lists(inputs: Sequence[Plain]) -> dict[str, Rows]:
    """Return the rows of every input by the name of its table."""
    found: dict[str, Rows] = {"columns": [], "groups": [], "troubled": [], "ignored": []}
    for record in inputs:
        troubled = [row for kind in TROUBLES for row in record.get(kind, ())]
        ignored = record.get("ignored", ())
        held = {**(record.get("quality") or {}), "troubled": troubled, "ignored": ignored}
        for name, rows in found.items():
            rows += [{"input": record["name"], **row} for row in held.get(name, ())]
    return {name: rows for name, rows in found.items() if rows}


def tables(inputs: Sequence[Plain]) -> Iterator[TableView]:
    """Yield the columns with their gaps and ranges, sizes of groups, files in trouble and ignored.

    Parameters
    ----------
    inputs : sequence of mapping
        ``inputs`` of results.json.
    """
    held = lists(inputs)
    if "columns" in held:
        yield _columns(held["columns"])
    if "groups" in held:
        yield _groups(held["groups"])
    if "troubled" in held:
        caption = _("Files that cannot be compared. No comparison of pictures rests on them.")
        yield _files("troubled", caption, held["troubled"])
    if "ignored" in held:
        caption = _("What lies in the folders of images and was ignored as no image.")
        yield _files("ignored", caption, held["ignored"])


def _columns(rows: Rows) -> TableView:
    return _capped(
        "columns",
        _(
            "Columns by role. Missing: rows without a value. Distinct: different values among the"
            " others. Smallest and largest in the unit of the column; scores as probabilities where"
            " the manifest says per cent."
        ),
        (
            Column("input", _("Input")),
            Column("column", _("Column")),
            Column("role", _("Role")),
            Column("missing", _("Missing"), "count"),
            Column("distinct", _("Distinct"), "count"),
            Column("low", _("Smallest"), "number"),
            Column("high", _("Largest"), "number"),
        ),
        [{**row, "role": _(row["role"])} for row in rows],
    )


def _groups(rows: Rows) -> TableView:
    return _capped(
        "groups",
        _("Group sizes. All rows of the input, whether or not a figure could use them."),
        (
            Column("input", _("Input")),
            Column("attribute", _("Attribute")),
            Column("group", _("Group")),
            Column("rows", _("Rows"), "count"),
            Column("units", _("Units"), "count"),
            Column("positives", _("Positive"), "count"),
            Column("negatives", _("Negative"), "count"),
        ),
        [
            {**row, "group": _("(missing)") if row["group"] is None else row["group"]}
            for row in rows
        ],
    )


def _files(key: str, caption: str, rows: Rows) -> TableView:
    return _capped(
        key,
        caption,
        (
            Column("input", _("Input")),
            Column("file", _("File")),
            Column("reason", _("Reason")),
        ),
        rows,
    )


def _capped(key: str, caption: str, columns: Sequence[Column], rows: Rows) -> TableView:
    view = TableView(key, caption, columns, rows, csv=f"{ANCHOR}-{key}.csv")
    return view.printing_at_most(PRINTED)
