"""Rows of a table with the same features, or nearly the same, within it and across training."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from reportgen.inputs import Table
from reportgen.language import _, mark
from reportgen.section import Code
from reportgen.sections.integrity.audits import Audited, Job
from reportgen.sections.integrity.records import (
    MAJOR_SHARE,
    Facts,
    counted,
    independence_grade,
    overall,
    recorded,
    share_of,
    split_up,
    written_share,
)
from reportgen.sections.integrity.result import Grade
from reportgen.sections.integrity.result_partition import (
    DuplicateRow,
    DuplicateRowPair,
    DuplicateRows,
)
from reportgen.stats.duplicates import RowDuplicates, row_duplicates
from reportgen.wording import quoted, typed

FloatArray = NDArray[np.float64]
BoolArray = NDArray[np.bool_]

CODES: tuple[Code, ...] = (
    Code(
        "INT-010",
        ("fail", "warn", "pass", "note"),
        mark(
            "Rows of the table have exactly the features of a training row. Fail from 5 % of the"
            " rows."
        ),
    ),
    Code(
        "INT-011",
        ("fail", "warn", "pass"),
        mark(
            "Rows of the table have nearly the features of a training row. Fail from 5 % of the"
            " rows."
        ),
    ),
    Code(
        "INT-012",
        ("note", "pass"),
        mark("Rows of the table have exactly, or nearly, the features of another of its rows."),
    ),
    Code(
        "INT-013",
        ("fail", "warn", "pass", "note"),
        mark("Rows with the same features carry different labels. Fail from 5 % of the rows on."),
    ),
)
CHECK = "duplicate_rows"
EXACT, NEAR = mark("exact"), mark("near")
MOST_PAIRS = 5_000
"""Pairs of rows that are listed, the nearest ones; the counts are over all."""
LIMITS = mark(
    "Only the declared features are compared. Few or coarse features agree by chance; that rows"
    " agree does not show that they are of one person."
)


@dataclass(frozen=True)
class _Place:
    """Where duplicates are looked for: within the table, or among its training rows."""

    where: str
    found: RowDuplicates
    label: FloatArray | None
    across: bool


def audit(job: Job) -> Audited:
    """Look for rows of a table with the same features, or nearly the same.

    Returns
    -------
    Audited
        With a `DuplicateRows`; without result if it was not asked for.
    """
    settings = job.settings.duplicate_rows
    if settings is None:
        return Audited()
    table = job.inputs.tables.get(settings.table)
    if table is None or not table.features or not table.n_rows:
        reason = _("table {table} has no features to compare").format(table=repr(settings.table))
        title = _("Duplicate rows")
        facts = Facts("INT-010", CHECK, "partition", title, reason, "not testable")
        return Audited(DuplicateRows("not testable", reason), *split_up([recorded(job, facts)]))
    names = tuple(table.features)
    places = list(_places(table, names, settings.distance))
    rows = tuple(row for place in places for row in _rows(job, place, settings.distance))
    pairs = tuple(pair for place in places for pair in _pairs(place, settings.distance))
    facts_of = [fact for row in rows for fact in _facts(row, table, settings.distance)]
    facts_of.extend(_label_facts(table, rows))
    if table.train is None:
        reason = _("table {table} names no training rows").format(table=repr(settings.table))
        title = _("Rows of training in the table")
        facts_of.append(Facts("INT-010", CHECK, "partition", title, reason, "not testable"))
    made = [recorded(job, facts) for facts in facts_of]
    result = DuplicateRows(*overall(made), rows, pairs, names, settings.distance)
    return Audited(result, *split_up(made))


def _places(table: Table, names: tuple[str, ...], distance: float) -> Iterator[_Place]:
    """Yield the search among training rows, if there are any, then that within the table."""
    own = np.column_stack([table.features[name] for name in names])
    if table.train is not None and all(name in table.train.features for name in names):
        train = np.column_stack([table.train.features[name] for name in names])
        found = row_duplicates(train, own, distance=distance)
        where = _("{table}, training rows").format(table=table.name)
        yield _Place(where, found, None, across=True)
    yield _Place(table.name, row_duplicates(own, distance=distance), table.label, across=False)


def _rows(job: Job, place: _Place, distance: float) -> Iterator[DuplicateRow]:
    exact = place.found.flagged()
    any_twin = place.found.flagged(distance)
    for kind, hit, limit in ((EXACT, exact, None), (NEAR, any_twin & ~exact, distance)):
        k, n = int(hit.sum()), len(hit)
        share = share_of(k, n, confidence=job.context.confidence, of=mark("row"))
        conflicting = _conflicting(place, hit, limit)
        yield DuplicateRow(kind, place.where, k, n, share, conflicting, _groups(place, hit, limit))


def _conflicting(place: _Place, hit: BoolArray, limit: float | None) -> int | None:
    """Return how many of the rows have a twin with another label; rows without label aside."""
    if place.label is None:
        return None
    known = np.isfinite(place.label)
    found = place.found
    labelled = RowDuplicates(found.first[known], None, found.n_distinct, found.near, found.compared)
    apart = labelled.conflicting(place.label[known].astype(np.intp), limit=limit)
    return int(np.count_nonzero(apart & hit[known]))


def _groups(place: _Place, hit: BoolArray, limit: float | None) -> int:
    """Return how many groups of like rows the rows belong to."""
    asked = place.found.first if place.found.second is None else place.found.second
    return len(np.unique(place.found.groups(limit)[asked[hit]]))


def _pairs(place: _Place, distance: float) -> Iterator[DuplicateRowPair]:
    """Yield the nearest pairs; rows are counted from 1, without the header."""
    hits = place.found.pairs(distance, most=MOST_PAIRS)
    label = place.label
    for first, second, apart in zip(
        hits.first.tolist(), hits.second.tolist(), hits.distance.tolist(), strict=True
    ):
        row, twin = (second, first) if place.across else (first, second)
        same = None
        if label is not None and np.isfinite(label[[row, twin]]).all():
            same = bool(label[row] == label[twin])
        kind = EXACT if apart == 0 else NEAR
        yield DuplicateRowPair(kind, place.where, row + 1, twin + 1, apart, same)


def _facts(row: DuplicateRow, table: Table, distance: float) -> Iterator[Facts]:
    across, exact = row.where != table.name, row.kind == EXACT
    grade: Grade = independence_grade(row.k, row.n) if across else "info"
    words = _WORDS[across, exact]
    statement = _(words.statement).format(
        share=written_share(row.k, row.n, row.share),
        table=quoted(table.name),
        distance=typed(distance),
    )
    groups = ""
    if row.k:
        groups = _(", in {groups}").format(groups=counted(row.groups, "group"))
    claim = _("That the rows of {table} are independent observations")
    if across:
        claim = _("Every figure on {table} that takes it to be independent of training")
    yield Facts(
        ("INT-010" if exact else "INT-011") if across else "INT-012",
        CHECK,
        "partition",
        _(words.title),
        _("{statement}.").format(statement=statement + groups),
        "found" if row.k else "not found",
        grade if row.k else None,
        row.k,
        row.n,
        affected_claim=claim.format(table=quoted(table.name)),
        remedy=_("Look whether they are the same persons; take them out of training.")
        if row.k
        else "",
        limits=_(LIMITS),
        summary=_(words.summary).format(share=written_share(row.k, row.n)),
    )


@dataclass(frozen=True)
class _Words:
    """What is said of one kind of duplicates in one place."""

    title: str
    statement: str
    summary: str


_WORDS = {
    (False, True): _Words(
        mark("Rows with the same features"),
        mark("{share} rows of table {table} have exactly the features of another of its rows"),
        mark("{share} rows have exact duplicates in the table"),
    ),
    (False, False): _Words(
        mark("Rows with nearly the same features"),
        mark(
            "{share} rows of table {table} have nearly the features (root mean square ≤ {distance}"
            " standard deviations) of another of its rows"
        ),
        mark("{share} rows have near duplicates in the table"),
    ),
    (True, True): _Words(
        mark("Rows with the same features as training rows"),
        mark("{share} rows of table {table} have exactly the features of a training row"),
        mark("{share} rows have exact duplicates among training rows"),
    ),
    (True, False): _Words(
        mark("Rows with nearly the same features as training rows"),
        mark(
            "{share} rows of table {table} have nearly the features (root mean square ≤ {distance}"
            " standard deviations) of a training row"
        ),
        mark("{share} rows have near duplicates among training rows"),
    ),
}
"""By whether the twins are training rows, and whether the features are exactly the same."""


def _label_facts(table: Table, rows: tuple[DuplicateRow, ...]) -> Iterator[Facts]:
    """Yield whether rows with the same features carry different labels."""
    title = _("The same features under different labels")
    own = next(row for row in rows if row.kind == EXACT and row.where == table.name)
    if own.conflicting is None:
        reason = _("table {table} has no binary label").format(table=repr(table.name))
        yield Facts("INT-013", CHECK, "label", title, reason, "not testable")
        return
    k, n = own.conflicting, own.n
    statement = _(
        "{share} rows of table {table} have exactly the features of a row with another label."
    )
    grade: Grade = "major" if k >= MAJOR_SHARE * n else "minor"
    yield Facts(
        "INT-013",
        CHECK,
        "label",
        title,
        statement.format(share=written_share(k, n), table=quoted(table.name)),
        "found" if k else "not found",
        grade if k else None,
        k,
        n,
        affected_claim=_("Every figure that takes these labels as right"),
        remedy=_("Decide which label is right, or what else tells the rows apart.") if k else "",
        limits=_(
            "Persons with the same features can differ in their outcome; few or coarse features"
            " make this common."
        ),
    )
