"""Tables of a comparison: figures, findings, what they rest on, and what they were made with."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from reportgen.language import _, mark, n_
from reportgen.render.numbers import count, threshold
from reportgen.render.pages.comparison_words import (
    change_named,
    difference_written,
    methods_named,
    name_of,
    paired_named,
    ranked,
)
from reportgen.render.tables import file_name
from reportgen.render.view import Column, Plain, TableView
from reportgen.wording import sentences

MOST_ROWS, MOST_PRINTED = 150, 40
"""Rows of one table on the screen and in the PDF; the CSV has all."""
ROBUST = "robust"
DIGITS = 12
SEVERITIES = (mark("pass"), mark("note"), mark("warn"), mark("fail"))
TRANSITIONS = ("new", "worse", "better", "gone")
"""Changes of a finding, in the order in which they are told."""


def tables(section: Plain) -> list[TableView]:
    """Return the tables of a comparison; one without rows is left out."""
    result, name = section["result"], section["id"]
    return [
        *_figures(result["figures"], name),
        *_findings(result["findings"], name),
        *_pairing(result["pairing"], name),
        *_inputs(result["inputs"], name),
        *_pairs(
            "manifest",
            _("Lines of the manifest that differ"),
            _("Key"),
            [_as_typed(row) for row in result["manifest"]],
            name,
        ),
        *_pairs(
            "packages", _("Packages of another version"), _("Package"), result["packages"], name
        ),
    ]


def _figures(rows: Sequence[Plain], name: str) -> Iterator[TableView]:
    """Yield the table of the robust figures apart from that of all others."""
    parts = (
        ("figures", _("Figures in both dossiers"), [r for r in rows if r["kind"] != ROBUST]),
        ("robust", _("Drift of the robust figures"), [r for r in rows if r["kind"] == ROBUST]),
    )
    for key, title, own in parts:
        if own:
            yield _of_figures(key, title, own, name)


def _of_figures(key: str, title: str, rows: Sequence[Plain], name: str) -> TableView:
    chosen = ranked(rows)
    told = _(
        "Each with its interval, and the difference, newer less older; of a ratio, newer over "
        "older; of a gap that has a sign, the change of its size."
    )
    return TableView(
        key=key,
        caption=sentences((f"{title}.", told, methods_named(rows))),
        columns=(
            Column("section", _("Section")),
            Column("figure", _("Figure")),
            Column("old", _("Before"), "estimate"),
            Column("new", _("Now"), "estimate"),
            Column("difference", _("Difference")),
            Column("paired", _("Pairing")),
            Column("p_adjusted", _("Adjusted p"), "probability"),
            Column("change", _("Change")),
        ),
        rows=_grouped(chosen[:MOST_ROWS]),
        print_rows=_grouped(chosen[:MOST_PRINTED]) if len(chosen) > MOST_PRINTED else None,
        csv=file_name(name, "figures"),
        note=_left_out(len(chosen)),
        wide=True,
    )


def _grouped(rows: Sequence[Plain]) -> list[Plain]:
    """Return rows as written, those of one section together, in the order of the sections."""
    order = list(dict.fromkeys(row["section"] for row in rows))
    return [_figure(row) for section in order for row in rows if row["section"] == section]


def _figure(row: Plain) -> dict[str, Any]:
    return {
        "section": row["section"],
        "figure": name_of(row),
        "old": row["old"],
        "new": row["new"],
        "difference": difference_written(row),
        "paired": paired_named(row),
        "p_adjusted": row.get("p_adjusted"),
        "change": change_named(row["change"]),
    }


def _left_out(n: int) -> str:
    """Return what a table leaves out on the screen and in the PDF, and by which rule."""
    if n <= MOST_PRINTED:
        return ""
    rule = _("Those shown to differ come first, by their adjusted p value.")
    if n <= MOST_ROWS:
        text = _("Of {n} figures the PDF shows {printed}.")
    else:
        text = _("Of {n} figures the page shows {shown} and the PDF {printed}.")
    return sentences(
        (text.format(n=count(n), shown=count(MOST_ROWS), printed=count(MOST_PRINTED)), rule)
    )


def _findings(rows: Sequence[Plain], name: str) -> Iterator[TableView]:
    moved = [row for change in TRANSITIONS for row in rows if row["change"] == change]
    same = len(rows) - len(moved)
    if not moved:
        return
    note = n_("{n} finding is as it was.", "{n} findings are as they were.", same)
    yield TableView(
        key="findings",
        caption=_(
            "Findings that are new, gone, worse or better. They meet by section, code and what "
            "they are about."
        ),
        columns=(
            Column("title", _("Finding")),
            Column("code", _("Code")),
            Column("section", _("Section")),
            Column("old", _("Before")),
            Column("new", _("Now")),
            Column("change", _("Change")),
        ),
        rows=[_translated(row, "old", "new", "section") for row in moved[:MOST_ROWS]],
        print_rows=[_translated(row, "old", "new", "section") for row in moved[:MOST_PRINTED]]
        if len(moved) > MOST_PRINTED
        else None,
        csv=file_name(name, "findings"),
        note=note.format(n=count(same)) if same else "",
    )


def _translated(row: Plain, *keys: str) -> dict[str, Any]:
    """Return a row with its codes in words."""
    words = {key: _(row[key]) for key in keys if row[key]}
    return {**row, **words, "change": change_named(row["change"])}


def _pairing(rows: Sequence[Plain], name: str) -> Iterator[TableView]:
    if rows:
        yield TableView(
            key="pairing",
            caption=_(
                "Tables and their pairing. A paired difference rests on the same units in both "
                "dossiers; another takes them to be independent."
            ),
            columns=(
                Column("table", _("Table")),
                Column("paired", _("Pairing")),
                Column("n_units", _("Units in both"), "count"),
                Column("reason", _("Why not, or what of it")),
            ),
            rows=[{**row, "paired": paired_named(row)} for row in rows],
            csv=file_name(name, "pairing"),
        )


def _inputs(rows: Sequence[Plain], name: str) -> Iterator[TableView]:
    moved = [row for row in rows if row["change"] != "same"]
    same = len(rows) - len(moved)
    note = n_(
        "{n} input is the same, byte for byte.", "{n} inputs are the same, byte for byte.", same
    )
    if moved:
        yield TableView(
            key="inputs",
            caption=_("Inputs that changed. SHA-256 by its first twelve digits."),
            columns=(
                Column("name", _("Input")),
                Column("change", _("Change")),
                Column("rows_old", _("Rows before"), "count"),
                Column("rows_new", _("Rows now"), "count"),
                Column("old", _("SHA-256 before")),
                Column("new", _("SHA-256 now")),
            ),
            rows=[
                {
                    **row,
                    "change": change_named(row["change"]),
                    "old": (row["old"] or "")[:DIGITS],
                    "new": (row["new"] or "")[:DIGITS],
                }
                for row in moved
            ],
            csv=file_name(name, "inputs"),
            note=note.format(n=count(same)) if same else "",
        )


def _as_typed(row: Plain) -> dict[str, Any]:
    """Return a line of the manifest with its values as YAML has them."""
    return {"name": row["key"], **{key: _yaml(row[key]) for key in ("old", "new")}}


def _yaml(value: Any) -> Any:
    if isinstance(value, bool):
        return "true" if value else "false"
    return threshold(value) if isinstance(value, int | float) else value


def _pairs(
    key: str, title: str, heading: str, rows: Iterable[Plain], name: str
) -> Iterator[TableView]:
    """Yield a table of what stood there before and stands there now."""
    listed = list(rows)
    if listed:
        long = len(listed) > MOST_PRINTED
        note = _("The PDF shows {printed} of {n}.")
        yield TableView(
            key=key,
            caption=f"{title}.",
            columns=(
                Column("name", heading),
                Column("old", _("Before")),
                Column("new", _("Now")),
            ),
            rows=listed[:MOST_ROWS],
            print_rows=listed[:MOST_PRINTED] if long else None,
            csv=file_name(name, key),
            note=note.format(printed=count(MOST_PRINTED), n=count(len(listed))) if long else "",
        )
