"""Tables on the labels: agreement of duplicates, memorisation, geometry, names."""

from __future__ import annotations

from collections.abc import Iterator

from reportgen.render import numbers
from reportgen.render.pages.integrity_words import k_of_n, methods_of, some, splits, symmetry
from reportgen.render.pages.words import coverage, listed
from reportgen.render.tables import file_name
from reportgen.render.view import Column, Plain, TableView

MOST_CLASSES = 30
LONGEST_BOX = 80


def label_agreement(name: str, found: Plain, _result: Plain) -> Iterator[TableView]:
    """Yield the agreement of duplicate pairs, all together and by class."""
    if found["rows"]:
        rows = [{**row, "where": splits(row), "counts": k_of_n(row)} for row in found["rows"]]
        yield TableView(
            key="agreement",
            caption=(
                "Label agreement of duplicates. Each image with its nearest twin, whose boxes are "
                "carried through the flip or rotation found."
            ),
            columns=[
                Column("where", "Splits"),
                Column("counts", "Same set of labels"),
                Column("share", "Share", "percent_estimate"),
                Column("box_f1", "F1 of boxes", "estimate"),
                Column("kappa", "Cohen's kappa", "estimate"),
            ],
            rows=rows,
            csv=file_name(name, "label_agreement", "rows"),
            note=methods_of([row[key] for row in rows for key in ("share", "box_f1", "kappa")]),
        )
    if found["classes"]:
        rows = [{**row, "where": splits(row)} for row in found["classes"]]
        yield TableView(
            key="class_agreement",
            caption="Agreement by class: pairs in which both copies, one or neither carry it.",
            columns=[
                Column("class", "Class"),
                Column("where", "Splits"),
                Column("both", "Both", "count"),
                Column("image_only", "Image only", "count"),
                Column("twin_only", "Twin only", "count"),
                Column("neither", "Neither", "count"),
                Column("kappa", "Cohen's kappa", "estimate"),
            ],
            rows=rows,
            print_rows=rows[:MOST_CLASSES] if len(rows) > MOST_CLASSES else None,
            csv=file_name(name, "label_agreement", "classes"),
            note=methods_of([row["kappa"] for row in rows]),
        )


def memorisation(name: str, found: Plain, result: Plain) -> Iterator[TableView]:
    """Yield F1 of the predictions against either copy's labels, by orientation."""
    if not found["rows"]:
        return
    rows = [{**row, "orientation": row["orientation"].capitalize()} for row in found["rows"]]
    seen = listed([symmetry(one) for one in found["seen"]])
    yield TableView(
        key="memorisation",
        caption=(
            "Predictions against the labels of the training copy and against their own, as F1 of "
            f"boxes, with {coverage(result)} intervals. Exploratory. Seen: the twin {seen}."
        ),
        columns=[
            Column("orientation", "Orientation in training"),
            Column("pairs", "Pairs", "count"),
            Column("clusters", "Clusters", "count"),
            Column("f1_twin", "Training copy's labels", "estimate"),
            Column("f1_own", "Own labels", "estimate"),
            Column("difference", "Difference", "signed_estimate"),
        ],
        rows=rows,
        csv=file_name(name, "memorisation", "rows"),
        note=methods_of([row["difference"] for row in rows]),
    )


def label_geometry(name: str, found: Plain, _result: Plain) -> Iterator[TableView]:
    """Yield the boxes that cannot be right as they stand."""
    if not found["rows"]:
        return
    rows = [
        {
            **row,
            "counts": k_of_n(row),
            "named_text": some(row["named"], 1, LONGEST_BOX),
        }
        for row in found["rows"]
    ]
    yield TableView(
        key="geometry",
        caption="Boxes with a defect. A box may have several.",
        columns=[
            Column("problem", "Defect"),
            Column("counts", "Boxes"),
            Column("share", "Share", "percent_estimate"),
            Column("images", "Images", "count"),
            Column("named_text", "Such as"),
        ],
        rows=rows,
        csv=file_name(name, "label_geometry", "rows"),
        note=methods_of([row["share"] for row in rows]),
    )


def class_names(name: str, found: Plain, _result: Plain) -> Iterator[TableView]:
    """Yield the class names of each artefact against those of the first."""
    if not found["rows"]:
        return
    rows = [
        {
            **row,
            "missing_text": _few(row["missing"]),
            "extra_text": _few(row["extra"]),
            "digest_text": row["digest"][:12] if row["digest"] else "–",
        }
        for row in found["rows"]
    ]
    yield TableView(
        key="class_names",
        caption=(
            f"Class names across artefacts, against those of {found['reference']}. An index means "
            "a class by its place: the same names in another order give wrong names."
        ),
        columns=[
            Column("artefact", "Artefact"),
            Column("classes", "Classes", "count"),
            Column("same_set", "Same names", "yes_no"),
            Column("same_order", "Same order", "yes_no"),
            Column("moved", "At another index", "count"),
            Column("missing_text", "Missing"),
            Column("extra_text", "Not in the reference"),
            Column("digest_text", "SHA-256"),
        ],
        rows=rows,
        csv=file_name(name, "class_names", "rows"),
    )


def _few(names: list[str]) -> str:
    """Return the first names, and how many more there are."""
    more = len(names) - 5
    return listed(names[:5]) + (f" and {numbers.count(more)} more" if more > 0 else "") or "none"
