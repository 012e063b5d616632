"""Tables on the labels: agreement of duplicates, memorisation, geometry, names."""

from __future__ import annotations

from collections.abc import Iterator

from reportgen.language import _, mark
from reportgen.render import numbers
from reportgen.render.pages.integrity_words import k_of_n, methods_of, some, splits, symmetry
from reportgen.render.pages.words import coverage, listed
from reportgen.render.tables import file_name
from reportgen.render.view import Column, Plain, TableView

MOST_CLASSES = 30
LONGEST_BOX = 80
ORIENTATIONS = {"seen": mark("Seen"), "unseen": mark("Unseen")}


def label_agreement(name: str, found: Plain, _result: Plain) -> Iterator[TableView]:
    """Yield the agreement of duplicate pairs, all together and by class."""
    if found["rows"]:
        rows = [{**row, "where": splits(row), "counts": k_of_n(row)} for row in found["rows"]]
        yield TableView(
            key="agreement",
            caption=_(
                "Label agreement of duplicates. Each image with its nearest twin, whose boxes are"
                " carried through the flip or rotation found."
            ),
            columns=[
                Column("where", _("Splits")),
                Column("counts", _("Same set of labels")),
                Column("share", _("Share"), "percent_estimate"),
                Column("box_f1", _("F1 of boxes"), "estimate"),
                Column("kappa", _("Cohen's kappa"), "estimate"),
            ],
            rows=rows,
            csv=file_name(name, "label_agreement", "rows"),
            note=methods_of(rows, "share", "box_f1", "kappa"),
        )
    if found["classes"]:
        rows = [{**row, "where": splits(row)} for row in found["classes"]]
        yield TableView(
            key="class_agreement",
            caption=_("Agreement by class: pairs in which both copies, one or neither carry it."),
            columns=[
                Column("class", _("Class")),
                Column("where", _("Splits")),
                Column("both", _("Both"), "count"),
                Column("image_only", _("Image only"), "count"),
                Column("twin_only", _("Twin only"), "count"),
                Column("neither", _("Neither"), "count"),
                Column("kappa", _("Cohen's kappa"), "estimate"),
            ],
            rows=rows,
            csv=file_name(name, "label_agreement", "classes"),
            note=methods_of(rows, "kappa"),
        ).printing_at_most(MOST_CLASSES)


def memorisation(name: str, found: Plain, result: Plain) -> Iterator[TableView]:
    """Yield F1 of the predictions against either copy's labels, by orientation."""
    if not found["rows"]:
        return
    rows = [{**row, "orientation": _(ORIENTATIONS[row["orientation"]])} for row in found["rows"]]
    seen = listed([symmetry(one) for one in found["seen"]])
    yield TableView(
        key="memorisation",
        caption=_(
            "Predictions against the labels of the training copy and against their own, as F1 of"
            " boxes, with {coverage} intervals. Exploratory. Seen: the twin {seen}."
        ).format(coverage=coverage(result), seen=seen),
        columns=[
            Column("orientation", _("Orientation in training")),
            Column("pairs", _("Pairs"), "count"),
            Column("clusters", _("Clusters"), "count"),
            Column("f1_twin", _("Training copy's labels"), "estimate"),
            Column("f1_own", _("Own labels"), "estimate"),
            Column("difference", _("Difference"), "signed_estimate"),
        ],
        rows=rows,
        csv=file_name(name, "memorisation", "rows"),
        note=methods_of(rows, "difference"),
    )


def label_geometry(name: str, found: Plain, _result: Plain) -> Iterator[TableView]:
    """Yield the boxes that cannot be right as they stand."""
    if not found["rows"]:
        return
    rows = [
        {
            **row,
            "problem_text": _(row["problem"]),
            "counts": k_of_n(row),
            "named_text": some(row["named"], 1, LONGEST_BOX),
        }
        for row in found["rows"]
    ]
    yield TableView(
        key="geometry",
        caption=_("Boxes with a defect. A box may have several."),
        columns=[
            Column("problem_text", _("Defect")),
            Column("counts", _("Boxes")),
            Column("share", _("Share"), "percent_estimate"),
            Column("images", _("Images"), "count"),
            Column("named_text", _("Such as")),
        ],
        rows=rows,
        csv=file_name(name, "label_geometry", "rows"),
        note=methods_of(rows, "share"),
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
        caption=_(
            "Class names across artefacts, against those of {reference}. An index means a class by"
            " its place: the same names in another order give wrong names."
        ).format(reference=found["reference"]),
        columns=[
            Column("artefact", _("Artefact")),
            Column("classes", _("Classes"), "count"),
            Column("same_set", _("Same names"), "yes_no"),
            Column("same_order", _("Same order"), "yes_no"),
            Column("moved", _("At another index"), "count"),
            Column("missing_text", _("Missing")),
            Column("extra_text", _("Not in the reference")),
            Column("digest_text", _("SHA-256")),
        ],
        rows=rows,
        csv=file_name(name, "class_names", "rows"),
    )


def _few(names: list[str]) -> str:
    """Return the first names, and how many more there are."""
    more = len(names) - 5
    if more > 0:
        return _("{names} and {n} more").format(names=listed(names[:5]), n=numbers.count(more))
    return listed(names) or _("none")
