"""What a table and its training rows share, and columns that may give the label away."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from reportgen.inputs import Table
from reportgen.language import _, mark
from reportgen.sections.integrity.leakage_shared import ALL, without
from reportgen.sections.integrity.records import MOST_ROWS, counted, share_of
from reportgen.sections.integrity.result_partition import LeakRow, SuspectColumn
from reportgen.stats.roc import area_and_variance
from reportgen.wording import clauses

FloatArray = NDArray[np.float64]
TextArray = NDArray[np.object_]

NEARLY_THE_LABEL = 0.95
"""A single feature whose AUC is above this (or its complement) may be the label in disguise."""
FEWEST_ROWS = 20
"""With fewer rows, distinct values and a high AUC say little."""
TRAINING_ROWS = mark("training rows")
"""Stands for the split in the rows: a code in the results."""


def table_row(
    by: str, table: Table, mine: TextArray | None, train: TextArray | None, *, confidence: float
) -> LeakRow | None:
    """Return the share of a table's rows whose value occurs in its training rows too.

    None if one of them has no such column. A row without a value shares it with none.
    """
    if mine is None or train is None:
        return None
    first = {value for value in train if value}
    known = np.array([bool(value) for value in mine], dtype=bool)
    hit = np.array([value in first for value in mine], dtype=bool) & known
    named = tuple(sorted(set(mine[hit])))
    k, n = int(hit.sum()), int(known.sum())
    left = len(mine) - n
    note = without(counted(left, "row"), by) if left else ""
    of = _("row with a {by}").format(by=_(by))
    share = share_of(k, n, confidence=confidence, of=of)
    return LeakRow(
        by, TRAINING_ROWS, table.name, ALL, k, n, share, len(named), named[:MOST_ROWS], note
    )


def suspect_columns(table: Table) -> tuple[SuspectColumn, ...]:
    """Return the features and attributes of a table that look like an identifier or the label.

    Identifier-like: another whole number (or text) in every row; measurements with decimals differ
    in every row by nature and are no reason. Nearly the label: the feature alone ranks positives
    above negatives, or below them, with an AUC above 0.95.
    """
    return tuple(
        column
        for column in (*_features(table), *_attributes(table))
        if column.n >= FEWEST_ROWS and column.why
    )


def _features(table: Table) -> Iterator[SuspectColumn]:
    for name, values in table.features.items():
        known = values[np.isfinite(values)]
        distinct = len(np.unique(known))
        whole = bool(np.all(known == np.round(known)))
        auc = _auc(table, values)
        reasons = []
        if whole and distinct == len(known):
            reasons.append(_("a different whole number in every row"))
        if auc is not None and max(auc, 1 - auc) > NEARLY_THE_LABEL:
            reasons.append(_("alone it separates the label"))
        yield SuspectColumn(name, clauses(reasons), auc, distinct, len(known))


def _attributes(table: Table) -> Iterator[SuspectColumn]:
    for name, values in table.groups.items():
        known = [value for value in values if value]
        distinct = len(set(known))
        why = _("a different text in every row") if distinct == len(known) else ""
        yield SuspectColumn(name, why, None, distinct, len(known))


def _auc(table: Table, values: FloatArray) -> float | None:
    """Return the AUC of one feature for the label, None without both classes."""
    if table.label is None:
        return None
    rows = np.flatnonzero(np.isfinite(values) & np.isfinite(table.label))
    positive = table.label[rows] == 1
    if not positive.any() or positive.all():
        return None
    units = np.arange(len(rows), dtype=np.intp)
    return area_and_variance(positive, values[rows], units)[0]
