"""What is said of leakage: one set of facts a check."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from reportgen.inputs import Table
from reportgen.inputs.images import ImageSet
from reportgen.sections.integrity.joined import ImageLabels
from reportgen.sections.integrity.records import (
    MAJOR_SHARE,
    Facts,
    counted,
    independence_grade,
    written_share,
)
from reportgen.sections.integrity.result import Grade
from reportgen.sections.integrity.result_partition import (
    ClassSourceRow,
    ConflictRow,
    ConstantRow,
    LeakRow,
    SplitRow,
    SuspectColumn,
)
from reportgen.wording import number, quoted

CODE_OF = {
    "source": "INT-015",
    "unit": "INT-016",
    "site": "INT-017",
    "content": "INT-018",
    "date": "INT-019",
    "augmented copies": "INT-020",
}
TITLE_OF = {
    "source": "Sources in both splits",
    "unit": "Units in both splits",
    "site": "Sites in both splits",
    "content": "The same pixels in both splits",
    "date": "Evaluation not later than training",
    "augmented copies": "Copies split after augmentation",
}
HAVE = {
    "source": "have their source",
    "unit": "have their unit (patient)",
    "site": "have their site",
    "content": "have exactly their pixels",
    "augmented copies": "from a source with several images have another of these",
}
REMEDY_OF = {
    "source": "Split by source, then augment the training part alone; train and evaluate again.",
    "unit": "Split by unit (patient); train and evaluate again.",
    "site": "Hold a site out, or say that performance at a new site is not shown.",
    "content": "Take the copies out of training or evaluation; train and evaluate again.",
    "date": "Evaluate on images taken after the last of training, or claim nothing of later use.",
    "augmented copies": "Make the copies after the split, and of training images alone.",
}
LIMITS_OF = {
    "source": "A source is what the column says. Different sources can show the same patient.",
    "unit": "Identifiers are compared as text; a patient under two of them is not seen.",
    "site": "A site is what the column says.",
    "content": "Pixels must agree exactly; copies that were saved anew are near duplicates.",
    "date": "Days are compared, not hours; when an image was labelled is not known.",
    "augmented copies": "That several images of a source are augmented copies is an inference.",
}
NO_LABELS = (
    "the images have no labels: name their column, columns: {label: …}, or of folders say"
    " label_from: subfolder"
)


def untestable_facts(by: str, reason: str) -> Facts:
    """Return that something could not be looked at."""
    return Facts(CODE_OF[by], "leakage", "partition", TITLE_OF[by], reason, "not testable")


def shared_facts(rows: Sequence[LeakRow]) -> Facts:
    """Return what was found of one `by` and two splits; the first row is over all classes."""
    row = rows[0]
    text = written_share(row.k, row.n, row.share)
    images = "rows" if row.split == "training rows" else "images"
    if row.by == "date":
        statement = _of_dates(rows, text)
    else:
        parts = " and ".join(_by_class(rows[1:]))
        statement = (
            f"{text} {images} of {quoted(row.twin_split)} {HAVE[row.by]} in {quoted(row.split)} too"
        )
        statement += f" ({counted(row.values, row.by)})" if row.k and row.by in _COUNTED else ""
        statement += f"; {parts}." if parts else "."
    if row.note:
        statement += f" {row.note[0].upper()}{row.note[1:]}."
    return Facts(
        CODE_OF[row.by],
        "leakage",
        "partition",
        f"{TITLE_OF[row.by]} ({quoted(row.split)}, {quoted(row.twin_split)})",
        statement,
        "found" if row.k else "not found",
        _grade(row) if row.k else None,
        row.k,
        row.n,
        affected_claim=f"Every figure on {quoted(row.twin_split)} that takes it to be independent"
        f" of {quoted(row.split)}",
        remedy=REMEDY_OF[row.by] if row.k else "",
        evidence=row.named,
        limits=LIMITS_OF[row.by],
        summary=f"{row.split} → {row.twin_split}: {written_share(row.k, row.n)} by {row.by}",
    )


_COUNTED = ("source", "unit", "site")
MOST_CLASSES = 6


def _by_class(rows: Sequence[LeakRow]) -> Iterator[str]:
    """Yield the shares by class, where there are few classes."""
    if len(rows) <= MOST_CLASSES:
        for row in rows:
            yield f"of class {quoted(row.of)} {row.k:,} of {row.n:,}"


def _of_dates(rows: Sequence[LeakRow], text: str) -> str:
    row = rows[0]
    parts = ", ".join(f"{part.k:,} {part.of}" for part in rows[1:])
    return (
        f"{text} images of {quoted(row.twin_split)} were taken before the last day of"
        f" {quoted(row.split)}: {parts}."
    )


def _grade(row: LeakRow) -> Grade:
    if row.by in ("site", "augmented copies"):
        return "info"
    if row.by == "date":
        return "minor"
    return independence_grade(row.k, row.n, same_patient=row.by == "unit")


def conflict_facts(
    images: ImageSet, labels: ImageLabels | None, rows: Sequence[ConflictRow]
) -> Iterator[Facts]:
    """Yield what came of the search for equal pixels with different labels."""
    code, title = "INT-021", "The same pixels under different labels"
    if labels is None:
        reason = NO_LABELS
        yield Facts(code, "leakage", "label", title, reason, "not testable")
        return
    n = sum(
        one is not None and bool(d) for one, d in zip(labels.sets, images.pixel_digest, strict=True)
    )
    k = sum(len(row.images) for row in rows)
    statement = (
        f"{written_share(k, n)} labelled images have the pixels of an image with other labels"
    )
    statement += f", in {counted(len(rows), 'group')}." if rows else "."
    grade: Grade = "major" if k >= MAJOR_SHARE * n else "minor"
    yield Facts(
        code,
        "leakage",
        "label",
        title,
        statement,
        "found" if rows else "not found",
        grade if rows else None,
        k,
        n,
        affected_claim="Every figure that takes these labels as right",
        remedy="Decide which label is right, or leave the images out." if rows else "",
        evidence=[f"{', '.join(row.images)}: {' | '.join(row.labels)}" for row in rows],
        limits="Which of the labels is right is not known.",
        summary=f"{written_share(k, n)} images: the same pixels, other labels",
    )


def missing_class_facts(rows: Sequence[SplitRow], labels: ImageLabels | None) -> Iterator[Facts]:
    """Yield which classes a split lacks."""
    code, title = "INT-022", "Classes absent from a split"
    if labels is None or not rows:
        reason = NO_LABELS if labels is None else "the images have no splits"
        yield Facts(code, "leakage", "partition", title, reason, "not testable")
        return
    lacking = [row for row in rows if row.absent]
    named = [f"{quoted(row.split)} lacks {', '.join(map(quoted, row.absent))}" for row in lacking]
    statement = (
        f"{len(lacking)} of {counted(len(rows), 'split')} without classes that occur elsewhere:"
        f" {'; '.join(named)}. How well they are told is not shown there."
        if lacking
        else f"Each of the {counted(len(labels.names), 'class', 'classes')} occurs in all"
        f" {len(rows)} splits."
    )
    yield Facts(
        code,
        "leakage",
        "partition",
        title,
        statement,
        "found" if lacking else "not found",
        "minor" if lacking else None,
        len(lacking),
        len(rows),
        interval=False,
        affected_claim="Means over classes",
        remedy="Name the classes that the figures leave out." if lacking else "",
        evidence=named,
        summary=f"{len(lacking)} of {counted(len(rows), 'split')} lack a class",
    )


def described_facts(
    common: Sequence[ConstantRow], sources: Sequence[ClassSourceRow]
) -> Iterator[Facts]:
    """Yield what all images have in common and how few sources a class has."""
    title = "What the images have in common"
    parts = [f"{row.attribute} {quoted(row.value)} ({row.n:,} of {row.n:,})" for row in common]
    if parts:
        yield Facts(
            "INT-024",
            "leakage",
            "label",
            title,
            f"The same in all images: {', '.join(parts)}. Nothing is shown of images without it.",
            "found",
            "info",
            affected_claim="How far the figures carry beyond such images",
            summary=f"The same in all images: {', '.join(quoted(row.value) for row in common)}",
        )
    repeated = [row for row in sources if row.sources < row.images]
    if repeated:
        fewest = min(repeated, key=lambda row: (row.sources, row.of))
        listed = [
            f"class {quoted(row.of)}: {counted(row.images, 'image')} from"
            f" {counted(row.sources, 'source')}"
            for row in repeated
        ]
        yield Facts(
            "INT-024",
            "leakage",
            "label",
            "Fewer sources than images",
            f"{'; '.join(listed[:MOST_CLASSES])}. Images of one source are not independent: an"
            " interval over images is too narrow.",
            "found",
            "info",
            affected_claim=f"Intervals over images, most of all of class {quoted(fewest.of)}",
            evidence=listed,
            summary=f"Class {quoted(fewest.of)}: {counted(fewest.images, 'image')} from"
            f" {counted(fewest.sources, 'source')}",
        )


def columns_facts(table: Table, columns: Sequence[SuspectColumn]) -> Iterator[Facts]:
    """Yield which columns may give the label away."""
    code, title = "INT-023", "Columns that may give the label away"
    n = len(table.features) + len(table.groups)
    if not n:
        reason = f"table {table.name!r} has neither features nor groups"
        yield Facts(code, "leakage", "model", title, reason, "not testable")
        return
    listed = [
        f"{quoted(row.column)}: {row.why}"
        + (f" (AUC {number(row.auc)})" if row.auc is not None else "")
        for row in columns
    ]
    statement = (
        f"{counted(len(columns), 'column')} of {n} in table {quoted(table.name)}:"
        f" {'; '.join(listed)}."
        if columns
        else f"None of the {counted(n, 'column')} of table {quoted(table.name)} looks like an"
        " identifier or like the label."
    )
    yield Facts(
        code,
        "leakage",
        "model",
        title,
        statement,
        "found" if columns else "not found",
        "minor" if columns else None,
        len(columns),
        n,
        interval=False,
        affected_claim="Every figure of a model that uses these columns",
        remedy="Say how the column comes about, and whether it is known when the model is used."
        if columns
        else "",
        evidence=listed,
        summary=f"{counted(len(columns), 'column')} of {n} may give the label away",
        limits="A strong measurement separates the label too; columns are looked at one by one.",
    )
