"""What training and evaluation share: sources, patients, sites, pixels, dates; and columns."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from reportgen.inputs import Table
from reportgen.inputs.images import ImageSet
from reportgen.language import _, mark
from reportgen.result import Finding, LeftOut
from reportgen.section import Code
from reportgen.sections.integrity.audits import Audited, Job
from reportgen.sections.integrity.declared_sizes import size_facts
from reportgen.sections.integrity.joined import (
    IMAGE_LABELS,
    ImageLabels,
    image_labels,
    images_of,
    joined_of,
)
from reportgen.sections.integrity.leakage_described import (
    class_sources,
    conflicts,
    constants,
    split_rows,
)
from reportgen.sections.integrity.leakage_shared import copies_row, date_rows, rows_by_value
from reportgen.sections.integrity.leakage_table import suspect_columns, table_row
from reportgen.sections.integrity.leakage_told import (
    columns_facts,
    conflict_facts,
    described_facts,
    missing_class_facts,
)
from reportgen.sections.integrity.leakage_words import shared_facts, untestable_facts
from reportgen.sections.integrity.records import Facts, overall, recorded, split_up
from reportgen.sections.integrity.result import Record
from reportgen.sections.integrity.result_partition import (
    ClassSourceRow,
    ConflictRow,
    ConstantRow,
    Leakage,
    LeakRow,
    SplitRow,
    SuspectColumn,
)
from reportgen.sections.integrity.settings import LeakageSettings, LeakBy
from reportgen.sections.integrity.splits import SplitPair, split_pairs
from reportgen.sections.integrity.splits_left import (
    left_out_told,
    uncompared,
    uncompared_facts,
)
from reportgen.wording import clauses, named

CODES: tuple[Code, ...] = (
    Code(
        "INT-015",
        ("fail", "warn", "pass", "note"),
        mark("Images of one source lie in both splits. Fail from 5 % of the evaluation images on."),
    ),
    Code(
        "INT-016",
        ("fail", "pass", "note"),
        mark("A unit (patient) lies on both sides. Fail for any."),
    ),
    Code(
        "INT-017",
        ("note", "pass"),
        mark("A site lies on both sides: performance at a new site is not shown. A note."),
    ),
    Code(
        "INT-018",
        ("fail", "warn", "pass", "note"),
        mark(
            "Images with the same pixels lie in both splits. Fail from 5 % of the evaluation"
            " images."
        ),
    ),
    Code(
        "INT-019",
        ("warn", "pass", "note"),
        mark(
            "Evaluation images were taken before the last day of training: this is no test on"
            " later data. The same last day is no overlap."
        ),
    ),
    Code(
        "INT-020",
        ("note", "pass"),
        mark(
            "Copies of one source were split after augmentation; the cause of shared sources,"
            " which have a finding of their own."
        ),
    ),
    Code(
        "INT-021",
        ("fail", "warn", "pass", "note"),
        mark(
            "Images with the same pixels carry different labels, so at least one of them is wrong. "
            "Fail from 5 % of the labelled images on."
        ),
    ),
    Code(
        "INT-022",
        ("warn", "pass", "note"),
        mark("A class does not occur in one of the splits."),
    ),
    Code(
        "INT-023",
        ("warn", "pass", "note"),
        mark("A column looks like an identifier, or alone nearly gives the label."),
    ),
    Code(
        "INT-024",
        ("note",),
        mark("What all images have in common, and how few sources a class rests on."),
    ),
)


@dataclass
class _Found:
    """What has been gathered so far."""

    rows: list[LeakRow]
    facts: list[Facts]
    missing: list[LeftOut]


def audit(job: Job) -> Audited:
    """Look for what training and evaluation share.

    Parameters
    ----------
    job : Job
        Images with splits, or a table with its training rows, as `LeakageSettings` says.

    Returns
    -------
    Audited
        With a `Leakage`; without result if it was not asked for.
    """
    settings = job.settings.leakage
    if settings is None:
        return Audited()
    images = images_of(job)
    table = job.inputs.tables.get(settings.table or "")
    found = _Found([], [], [])
    conflicting: tuple[ConflictRow, ...] = ()
    splits: tuple[SplitRow, ...] = ()
    common: tuple[ConstantRow, ...] = ()
    sources: tuple[ClassSourceRow, ...] = ()
    columns: tuple[SuspectColumn, ...] = ()
    if images is not None:
        labels = image_labels(images, joined_of(job), first=IMAGE_LABELS)
        _images(job, settings, images, labels, found)
        conflicting, splits = conflicts(images, labels), split_rows(images, labels)
        common, sources = constants(images), class_sources(images, labels)
        found.facts.extend(conflict_facts(images, labels, conflicting))
        found.facts.extend(missing_class_facts(splits, labels))
        found.facts.extend(described_facts(common, sources))
        found.facts.extend(size_facts(job, "leakage"))
    if table is not None:
        _table(job, settings, table, found)
        columns = suspect_columns(table)
        found.facts.extend(columns_facts(table, columns))
    if images is None and table is None:
        reason = _("neither images nor a table is named")
        found.facts.extend(untestable_facts(by, reason) for by in settings.by)
    made = [recorded(job, facts) for facts in found.facts]
    return _audited(
        made,
        Leakage(
            *overall(made),
            tuple(found.rows),
            conflicting,
            splits,
            columns,
            common,
            tuple(found.missing),
            sources,
        ),
    )


def _audited(made: list[tuple[Record, Finding]], result: Leakage) -> Audited:
    records, findings = split_up(made)
    return Audited(result, records, findings)


def _images(
    job: Job,
    settings: LeakageSettings,
    images: ImageSet,
    labels: ImageLabels | None,
    found: _Found,
) -> None:
    """Add what every two splits of the images share."""
    pairs = [one for one in split_pairs(images, settings.between, within=False) if not one.within]
    left = uncompared(images, settings.between)
    left_out = left_out_told(left)
    near = job.settings.near_duplicates
    if near is None or near.between != settings.between:  # which else has said so
        found.facts.extend(uncompared_facts(left, "leakage"))
    for by in dict.fromkeys(settings.by):
        reason = _cannot(by, images, pairs)
        if reason is not None:
            found.missing.append(LeftOut(named(_(by), reason), 0))
            found.facts.append(untestable_facts(by, reason))
            continue
        for pair in pairs:
            rows = _rows(job, by, images, pair, labels)
            if not rows or not rows[0].n:
                reason = _("no image of {pair} has a {by}").format(pair=pair.name, by=_(by))
                found.facts.append(untestable_facts(by, reason))
                continue
            note = clauses(filter(None, (rows[0].note, left_out)))
            rows = (replace(rows[0], note=note), *rows[1:])
            found.rows.extend(rows)
            found.facts.append(shared_facts(rows))
            copies = copies_row(images, pair, confidence=job.context.confidence)
            if by == "source" and copies is not None and copies.n:
                found.rows.append(copies)
                found.facts.append(shared_facts((copies,)))


def _cannot(by: LeakBy, images: ImageSet, pairs: list[SplitPair]) -> str | None:
    """Return why the splits cannot be compared by something, None if they can."""
    if images.split is None:
        return _("the images have no splits")
    if not pairs:
        return _("there are not two splits")
    column = {
        "source": images.source,
        "unit": images.unit,
        "site": images.site,
        "content": images.pixel_digest,
        "date": images.acquired,
    }[by]
    name = "acquired" if by == "date" else by
    if column is not None:
        return None
    text = _(
        "the images have no column {column}: name it in an image table, columns: {{{name}: …}}"
    )
    return text.format(column=repr(name), name=name)


def _rows(
    job: Job, by: LeakBy, images: ImageSet, pair: SplitPair, labels: ImageLabels | None
) -> tuple[LeakRow, ...]:
    confidence = job.context.confidence
    if by == "date":
        assert images.acquired is not None  # noqa: S101 - by _cannot
        return date_rows(images.acquired, pair, confidence=confidence)
    values = {
        "source": images.source,
        "unit": images.unit,
        "site": images.site,
        "content": images.pixel_digest,
    }[by]
    assert values is not None  # noqa: S101 - by _cannot
    by_class = None if by == "site" else labels
    named = images.ids if by == "content" else None
    return rows_by_value(by, values, pair, labels=by_class, confidence=confidence, named_by=named)


def _table(job: Job, settings: LeakageSettings, table: Table, found: _Found) -> None:
    """Add what a table and its training rows share."""
    for by in _of_tables(settings, found):
        reason = _("the table names no training rows") if table.train is None else ""
        if table.train is not None:
            mine, train = (
                (table.unit, table.train.unit)
                if by == "unit"
                else (table.groups.get(by), table.train.groups.get(by))
            )
            row = table_row(by, table, mine, train, confidence=job.context.confidence)
            if row is not None and row.n:
                found.rows.append(row)
                found.facts.append(shared_facts((row,)))
                continue
            reason = _("the table or its training rows have no {by}").format(by=_(by))
        found.missing.append(LeftOut(named(_(by), reason), 0))
        told = _("table {table}: {reason}").format(table=repr(table.name), reason=reason)
        found.facts.append(untestable_facts(by, told))


def _of_tables(settings: LeakageSettings, found: _Found) -> Iterator[LeakBy]:
    """Yield what rows of a table can share; the rest is said once to be no matter of tables."""
    for by in dict.fromkeys(settings.by):
        if by in ("unit", "site", "source"):
            yield by
        elif by not in {row.by for row in found.rows}:
            other = _("see duplicate rows") if by == "content" else _("a table has no dates")
            found.missing.append(LeftOut(named(_(by), other), 0))
