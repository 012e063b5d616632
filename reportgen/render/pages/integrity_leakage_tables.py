"""Tables on leakage: what splits share."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from reportgen.language import _, p_
from reportgen.render import numbers
from reportgen.render.pages.integrity_words import BY, k_of_n, methods_of, or_dash, some, splits
from reportgen.render.pages.words import listed
from reportgen.render.tables import file_name
from reportgen.render.view import Column, Plain, TableView

MOST_PRINTED = 20


def leakage(name: str, found: Plain, _result: Plain) -> Iterator[TableView]:
    """Yield the tables on what splits share."""
    if found["rows"]:
        yield _shared(name, found["rows"])
    if found["splits"]:
        yield _splits(found["splits"])
    if found["conflicts"]:
        yield _conflicts(name, found["conflicts"])
    if found["class_sources"]:
        yield TableView(
            key="class_sources",
            caption=_("Sources of each class. Few sources make few independent cases."),
            columns=[
                Column("of", _("Class")),
                Column("images", _("Images"), "count"),
                Column("sources", _("Sources"), "count"),
            ],
            rows=found["class_sources"],
            csv=file_name(name, "leakage", "class_sources"),
        )
    if found["columns"]:
        yield _columns(name, found["columns"])
    if found["constants"]:
        yield TableView(
            key="constants",
            caption=_(
                "Attributes with one value throughout: no figure here says what another gives."
            ),
            columns=[
                Column("attribute", _("Attribute")),
                Column("value", p_("attribute", "Value")),
                Column("n", _("Images"), "count"),
            ],
            rows=found["constants"],
        )


def _place(row: Plain) -> tuple[str, str, str]:
    return row["by"], row["split"], row["twin_split"]


def _shared(name: str, found: Sequence[Plain]) -> TableView:
    shared = {_place(row) for row in found if row["k"]}
    rows = [
        {
            **row,
            "where": splits(row),
            "by_text": _(BY[row["by"]]) if row["by"] in BY else row["by"],
            "of_text": _("all") if row["of"] == "all" else row["of"],
            "counts": k_of_n(row),
            "named_text": some(row["named"]),
        }
        for row in found
        if row["of"] == "all" or _place(row) in shared
    ]
    return TableView(
        key="leakage",
        caption=_(
            "What evaluation shares with another split. Images (rows) of the split behind the arrow"
            " that share it with the one before; by class where any does."
        ),
        columns=[
            Column("by_text", _("Shared")),
            Column("where", _("Splits")),
            Column("of_text", _("Class")),
            Column("counts", _("Count")),
            Column("share", _("Share"), "percent_estimate"),
            Column("values", _("Values"), "count"),
            Column("named_text", _("Such as")),
        ],
        rows=rows,
        csv=file_name(name, "leakage", "rows"),
        note=methods_of(rows, "share"),
    ).printing_at_most(60)


def _splits(found: Sequence[Plain]) -> TableView:
    rows = [
        {
            **row,
            **{f"{key}_text": or_dash(row[key]) for key in ("sources", "units", "classes")},
            "absent_text": listed(row["absent"]) or _("none"),
        }
        for row in found
    ]
    return TableView(
        key="splits",
        caption=_("The splits: images, sources, patients and classes."),
        columns=[
            Column("split", _("Split")),
            Column("images", _("Images"), "count"),
            Column("sources_text", _("Sources")),
            Column("units_text", _("Patients")),
            Column("classes_text", _("Classes")),
            Column("absent_text", _("Classes absent")),
        ],
        rows=rows,
    )


def _conflicts(name: str, found: Sequence[Plain]) -> TableView:
    rows = [
        {
            "images_text": listed(row["images"]),
            "labels_text": " | ".join(row["labels"]),
            "splits_text": listed(row["splits"]),
        }
        for row in found
    ]
    return TableView(
        key="conflicts",
        caption=_("The same content under different labels. Which label is right is not known."),
        columns=[
            Column("images_text", _("Images")),
            Column("labels_text", _("Labels")),
            Column("splits_text", _("Splits")),
        ],
        rows=rows,
        csv=file_name(name, "leakage", "conflicts"),
    ).printing_at_most(MOST_PRINTED)


def _columns(name: str, found: Sequence[Plain]) -> TableView:
    rows = [
        {**row, "auc_text": "–" if row["auc"] is None else numbers.probability(row["auc"])}
        for row in found
    ]
    return TableView(
        key="suspect_columns",
        caption=_("Features that may give the label away, or name the row."),
        columns=[
            Column("column", _("Column")),
            Column("why", _("Why")),
            Column("auc_text", _("Area under the curve, alone")),
            Column("distinct", _("Distinct values"), "count"),
            Column("n", _("Rows"), "count"),
        ],
        rows=rows,
        csv=file_name(name, "leakage", "columns"),
    )
