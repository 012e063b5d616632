"""What a reader must know of the data before any figure on them, told in every section on them.

Remarks are found once a table; here are those that need arithmetic on its columns. All become one
finding a section, so that none stands under the inputs alone.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

import numpy as np

from reportgen.errors import in_order
from reportgen.inputs import InputRecord, Inputs, Table
from reportgen.inputs.trouble import some
from reportgen.language import _, mark, n_
from reportgen.result import Finding
from reportgen.section import Code
from reportgen.stats.roc import area_alone
from reportgen.wording import clauses, quoted, typed

REMARKS = "RUN-004"
MOST_UNITS = 20
"""Units of the training set that are named."""

CODES = (
    Code(
        REMARKS,
        ("note",),
        "The data of a section are not quite what a reader would take them to be: spellings that "
        "may mean one group, rows that are repeated or cut short, scores that are constant, take "
        "two values, only rank or may be reversed, patients who are in the training set too, rows "
        "of a feature or training file that are incomplete or not used. Nothing was changed in "
        "them.",
    ),
)
_SCALES = {
    "probability": mark("scale of the scores: probability"),
    "percent": mark("scale of the scores: percent (divided by 100)"),
    "score": mark(
        "the scores of {table} only rank: they are declared to be no probabilities (scale: score)"
    ),
}


def received(inputs: Inputs) -> tuple[InputRecord, ...]:
    """Return the records of a run's files with the remarks on the scores of their tables."""
    records = list(inputs.records)
    for at, record in enumerate(records):
        table = inputs.tables.get(record.name.removeprefix("tables."))
        if table is not None:
            records[at] = _with_remarks(record, table)
    return tuple(records)


def remark_findings(records: Iterable[InputRecord]) -> dict[str, Finding]:
    """Return the finding on the remarks of each input that has some.

    A table's is under its name, with those on its feature and training files; that of another
    input under block and name, ``images.scans``, which may have several files.
    """
    found: dict[str, list[str]] = {}
    for record in records:
        block, _dot, below = record.name.partition(".")
        name, beside, _part = below.partition(".")
        owner, remarks = f"{block}.{name}", record.remarks
        if block == "tables":
            owner = name
            if beside:
                text = _("in {file}: {remark}")
                remarks = tuple(text.format(file=record.path, remark=one) for one in remarks)
        found.setdefault(owner, []).extend(remarks)
    return {owner: _finding(owner, remarks) for owner, remarks in found.items() if remarks}


def _with_remarks(record: InputRecord, table: Table) -> InputRecord:
    declared = "percent" if table.percent else table.scale
    scale = [_(_SCALES[declared]).format(table=table.name)] if table.scores else []
    if table.scale == "score":
        plain, found = [], [*scale, *_of_scores(table)]
    else:
        plain, found = scale, [*_of_percent(table), *_of_scores(table)]
    found += _of_training(table)
    return replace(
        record,
        notes=(*record.notes, *plain, *found),
        remarks=(*record.remarks, *found),
    )


def _of_training(table: Table) -> Iterator[str]:
    """Yield which units of the table its model was fitted on, and how many rows they have."""
    if table.train is None or table.train.unit is None or table.unit is None:
        return
    trained = {str(name) for name in table.train.unit.tolist()} - {""}
    shared = np.array([str(name) in trained for name in table.unit.tolist()], dtype=bool)
    if shared.any():
        names = sorted({str(name) for name in table.unit[shared]}, key=in_order)
        rows = int(np.count_nonzero(shared))
        text = n_(
            "{n} value of {column} is in the training set too: {names}; it touches {rows} of "
            "{all} rows, and no figure on them holds for units the model has not seen",
            "{n} values of {column} are in the training set too: {names}; they touch {rows} of "
            "{all} rows, and no figure on them holds for units the model has not seen",
            len(names),
        )
        yield text.format(
            n=len(names),
            column=table.unit_name,
            names=some(names, MOST_UNITS),
            rows=rows,
            all=table.n_rows,
        )


def _of_percent(table: Table) -> Iterator[str]:
    """Yield the scores that are declared to be percent and look like fractions."""
    for name, score in table.scores.items() if table.percent else ():
        if not (score > 0.01).any():
            text = _(
                "score {name} is declared as percent and none exceeds 1: fractions? All were"
                " divided by 100"
            )
            yield text.format(name=repr(name))


def _of_scores(table: Table) -> Iterator[str]:
    """Yield what the areas under the ROC curves show to be odd."""
    if table.label is None:
        return
    for name, score in table.scores.items():
        rows = table.select([name]).rows
        positive, values = table.label[rows] == 1, score[rows]
        area = area_alone(positive, values)
        if area < 0.5:
            text = _("the AUC of score {name} is {area}, below 0.5: reversed? It was not turned")
            yield text.format(name=repr(name), area=typed(round(area, 4)))
        if table.repeated is not None and table.repeated[rows].any():
            once = ~table.repeated[rows]
            without = area_alone(positive[once], values[once])
            if not np.isnan(without):
                yield _repeats_tell(name, area, without, int(np.count_nonzero(~once)))


def _repeats_tell(name: str, area: float, without: float, repeats: int) -> str:
    text = n_(
        "the AUC of score {name} is {area} with and {without} without the {n} row that repeats "
        "another",
        "the AUC of score {name} is {area} with and {without} without the {n} rows that repeat "
        "another",
        repeats,
    )
    areas = {"area": typed(round(area, 4)), "without": typed(round(without, 4))}
    return text.format(name=repr(name), n=repeats, **areas)


def _finding(owner: str, remarks: Sequence[str]) -> Finding:
    told = clauses(dict.fromkeys(remarks))
    text = _("Noticed in table {table} and left as it is: {remarks}.")
    if "." in owner:
        text = _("Noticed in {table} and left as it is: {remarks}.")
    return Finding(
        REMARKS,
        "note",
        _("Remarks on the data of {table}").format(table=quoted(owner)),
        text.format(table=quoted(owner), remarks=told),
        limits=_("Whether it is a mistake cannot be told from the data alone."),
    )
