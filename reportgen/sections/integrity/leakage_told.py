"""What is said of labels, classes, common traits and columns: one set of facts a check."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from reportgen.inputs import Table
from reportgen.inputs.images import ImageSet
from reportgen.language import _, mark
from reportgen.sections.integrity.joined import NO_LABEL, ImageLabels
from reportgen.sections.integrity.leakage_words import MOST_CLASSES
from reportgen.sections.integrity.records import MAJOR_SHARE, Facts, counted, written_share
from reportgen.sections.integrity.result import Grade
from reportgen.sections.integrity.result_partition import (
    ClassSourceRow,
    ConflictRow,
    ConstantRow,
    SplitRow,
    SuspectColumn,
)
from reportgen.wording import clauses, fixed, named, number, quoted, separated

NO_LABELS = mark(
    "the images have no labels: name their column, columns: {label: …}, or of folders say"
    " label_from: subfolder"
)


def conflict_facts(
    images: ImageSet, labels: ImageLabels | None, rows: Sequence[ConflictRow]
) -> Iterator[Facts]:
    """Yield what came of the search for equal pixels with different labels."""
    code, title = "INT-021", _("The same pixels under different labels")
    if labels is None:
        reason = _(NO_LABELS)
        yield Facts(code, "leakage", "label", title, reason, "not testable")
        return
    n = sum(
        one is not None and bool(d) for one, d in zip(labels.sets, images.pixel_digest, strict=True)
    )
    k = sum(len(row.images) for row in rows)
    statement = _("{share} labelled images have the pixels of an image with other labels.")
    if rows:
        statement = _(
            "{share} labelled images have the pixels of an image with other labels, in {groups}."
        )
    grade: Grade = "major" if k >= MAJOR_SHARE * n else "minor"
    yield Facts(
        code,
        "leakage",
        "label",
        title,
        statement.format(share=written_share(k, n), groups=counted(len(rows), "group")),
        "found" if rows else "not found",
        grade if rows else None,
        k,
        n,
        affected_claim=_("Every figure that takes these labels as right"),
        remedy=_("Decide which label is right, or leave the images out.") if rows else "",
        evidence=[named(separated(row.images), " | ".join(row.labels)) for row in rows],
        limits=_("Which of the labels is right is not known."),
        summary=_("{share} images: the same pixels, other labels").format(
            share=written_share(k, n)
        ),
    )


def missing_class_facts(rows: Sequence[SplitRow], labels: ImageLabels | None) -> Iterator[Facts]:
    """Yield which classes a split lacks."""
    code, title = "INT-022", _("Classes absent from a split")
    if labels is None or not rows:
        reason = _(NO_LABELS) if labels is None else _("the images have no splits")
        yield Facts(code, "leakage", "partition", title, reason, "not testable")
        return
    lacking = [row for row in rows if row.absent]
    lacks = [
        _("{split} lacks {classes}").format(
            split=quoted(row.split), classes=separated(map(quoted, row.absent))
        )
        for row in lacking
    ]
    statement = _("Each of the {classes} occurs in all {n} splits.")
    if lacking:
        statement = _(
            "{k} of {splits} without classes that occur elsewhere: {lacks}. How well they are told"
            " is not shown there."
        )
    counts = {"k": len(lacking), "splits": counted(len(rows), "split")}
    yield Facts(
        code,
        "leakage",
        "partition",
        title,
        statement.format(
            **counts,
            lacks=clauses(lacks),
            classes=counted(len(labels.names), "class"),
            n=len(rows),
        ),
        "found" if lacking else "not found",
        "minor" if lacking else None,
        len(lacking),
        len(rows),
        interval=False,
        affected_claim=_("Means over classes"),
        remedy=_("Name the classes that the figures leave out.") if lacking else "",
        evidence=lacks,
        summary=_("{k} of {splits} lack a class").format(**counts),
    )


def described_facts(
    common: Sequence[ConstantRow], sources: Sequence[ClassSourceRow]
) -> Iterator[Facts]:
    """Yield what all images have in common and how few sources a class has."""
    if common:
        yield _in_common(common)
    repeated = [row for row in sources if row.sources < row.images]
    if repeated:
        yield _few_sources(repeated)


def _in_common(common: Sequence[ConstantRow]) -> Facts:
    title = _("What the images have in common")
    part = _("{attribute} {value} ({n} of {n})")
    parts = [
        part.format(attribute=row.attribute, value=quoted(row.value), n=fixed(row.n, 0))
        for row in common
    ]
    return Facts(
        "INT-024",
        "leakage",
        "label",
        title,
        _("The same in all images: {parts}. Nothing is shown of images without it.").format(
            parts=separated(parts)
        ),
        "found",
        "info",
        affected_claim=_("How far the figures carry beyond such images"),
        summary=_("The same in all images: {parts}").format(
            parts=separated(quoted(row.value) for row in common)
        ),
    )


def _few_sources(repeated: Sequence[ClassSourceRow]) -> Facts:
    fewest = min(repeated, key=lambda row: (row.sources, row.of))
    listed = [
        _("class {class_}: {images} from {sources}").format(**_counts(row)) for row in repeated
    ]
    statement = _(
        "{listed}. Images of one source are not independent: an interval over images is too narrow."
    )
    claim = _("Intervals over images, most of all of class {class_}")
    summary = _("Class {class_}: {images} from {sources}")
    return Facts(
        "INT-024",
        "leakage",
        "label",
        _("Fewer sources than images"),
        statement.format(listed=clauses(listed[:MOST_CLASSES])),
        "found",
        "info",
        affected_claim=claim.format(**_counts(fewest)),
        evidence=listed,
        summary=summary.format(**_counts(fewest)),
    )


def _counts(row: ClassSourceRow) -> dict[str, str]:
    name = _(NO_LABEL) if row.of == NO_LABEL else row.of
    return {
        "class_": quoted(name),
        "images": counted(row.images, "image"),
        "sources": counted(row.sources, "source"),
    }


def columns_facts(table: Table, columns: Sequence[SuspectColumn]) -> Iterator[Facts]:
    """Yield which columns may give the label away."""
    code, title = "INT-023", _("Columns that may give the label away")
    n = len(table.features) + len(table.groups)
    if not n:
        reason = _("table {table} has neither features nor groups")
        reason = reason.format(table=repr(table.name))
        yield Facts(code, "leakage", "model", title, reason, "not testable")
        return
    listed = [_column(row) for row in columns]
    statement = _("None of the {all} of table {table} looks like an identifier or like the label.")
    if columns:
        statement = _("{columns} of {n} in table {table}: {listed}.")
    counts = {"columns": counted(len(columns), "column"), "n": n}
    yield Facts(
        code,
        "leakage",
        "model",
        title,
        statement.format(
            **counts,
            all=counted(n, "column"),
            table=quoted(table.name),
            listed=clauses(listed),
        ),
        "found" if columns else "not found",
        "minor" if columns else None,
        len(columns),
        n,
        interval=False,
        affected_claim=_("Every figure of a model that uses these columns"),
        remedy=_("Say how the column comes about, and whether it is known when the model is used.")
        if columns
        else "",
        evidence=listed,
        summary=_("{columns} of {n} may give the label away").format(**counts),
        limits=_("A strong measurement separates the label too; columns are looked at one by one."),
    )


def _column(row: SuspectColumn) -> str:
    text = named(quoted(row.column), row.why)
    if row.auc is None:
        return text
    return _("{statement} (AUC {auc})").format(statement=text, auc=number(row.auc))
