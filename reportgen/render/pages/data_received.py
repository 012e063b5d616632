"""Tables of "Data received": what every table and set of images is like before any figure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any
from unicodedata import normalize

from reportgen.language import _, mark, n_
from reportgen.render.view import Column, Plain, TableView
from reportgen.wording import quoted

ANCHOR = "data-received"
"""The part, and what its files under ``tables/`` begin with."""
MOST = 40
"""Rows of a table that the PDF prints, and columns that the page names."""
ROLES = (
    mark("label"),
    mark("time"),
    mark("event"),
    mark("score"),
    mark("unit"),
    mark("key"),
    mark("group"),
    mark("bins"),
    mark("feature"),
    mark("split"),
    mark("source"),
    mark("site"),
    mark("acquired"),
    mark("file"),
    mark("id"),
    mark("width"),
    mark("height"),
    mark("image"),
    mark("class"),
    mark("x"),
    mark("y"),
    mark("w"),
    mark("h"),
    mark("area"),
    mark("crowd"),
    mark("ignore"),
    mark("polygon"),
    mark("index"),
    mark("shown"),
    mark("model"),
    mark("threshold"),
    mark("domain"),
    mark("gate"),
    mark("accepted"),
    mark("name"),
    mark("detection"),
    mark("text"),
    mark("no role"),
)
"""What the results call the roles of columns."""
TOLD = {"label", "time", "event", "score", "unit", "group", "bins", "split", "source", "site"}
"""Roles of which the page names every column; of the others, those with gaps."""
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
    told = [row for row in rows if row["role"] in TOLD or row["missing"]]
    # Where there are too many, those with gaps go before those that lack nothing.
    first = sorted(range(len(told)), key=lambda at: not told[at]["missing"])
    shown = [told[at] for at in sorted(first[:MOST])]
    return TableView(
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
        [{**row, "role": _(row["role"])} for row in shown],
        csv=f"{ANCHOR}-columns.csv",
        note=_not_shown(told, rows, len(shown)),
    )


def _not_shown(told: Rows, rows: Rows, shown: int) -> str:
    """Return how many columns the page leaves to the CSV file, and which."""
    if len(told) > shown:
        text = _("Shown: {k} of {n} columns, those with missing values first.")
        return text.format(k=shown, n=len(rows))
    if len(rows) > shown:
        text = n_(
            "Not shown: {n} feature or other column, complete.",
            "Not shown: {n} features and other columns, complete.",
            len(rows) - shown,
        )
        return text.format(n=len(rows) - shown)
    return ""


def _groups(rows: Rows) -> TableView:
    named: dict[tuple[str, str], list[str | None]] = {}
    for row in rows:
        named.setdefault((row["input"], row["attribute"]), []).append(row["group"])
    names = {key: distinguished(groups, _("(missing)")) for key, groups in named.items()}
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
        [{**row, "group": names[row["input"], row["attribute"]][row["group"]]} for row in rows],
    )


def distinguished(groups: Sequence[str | None], missing: str) -> dict[str | None, str]:
    """Return groups as they are shown, none like another: quoted where blanks would not be seen.

    Parameters
    ----------
    groups : sequence of str or None
        Different from each other; None are the rows without one.
    missing : str
        What those are called.
    """
    looks = Counter(" ".join(normalize("NFC", name).split()) for name in groups if name is not None)
    shown: dict[str | None, str] = {None: missing}
    for name in groups:
        if name is None:
            continue
        look = " ".join(normalize("NFC", name).split())
        alike = looks[look] > 1 or name == missing or name.startswith(quoted("")[0])
        shown[name] = _quoted(name) if alike else name
    return shown


def _quoted(name: str) -> str:
    """Return a name in quotation marks with blanks that pages do not join; of ASCII if need be."""
    plain = normalize("NFC", name) == name and all(one.isprintable() for one in name)
    return quoted((name if plain else ascii(name)[1:-1]).replace(" ", "\N{NO-BREAK SPACE}"))


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
    return view.printing_at_most(MOST)
