"""Do counting heads count? Against the head that says zero and the one that says the mean."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np

from reportgen.inputs.table import Table
from reportgen.result import Estimate, Finding
from reportgen.section import Code
from reportgen.sections.integrity.audits import Audited, Job
from reportgen.sections.integrity.records import (
    Facts,
    overall,
    recorded,
    split_up,
    written_share,
)
from reportgen.sections.integrity.result import Record
from reportgen.sections.integrity.result_evaluation import CountingHeads, HeadRow
from reportgen.sections.integrity.settings import HeadColumns
from reportgen.sections.integrity.shares import (
    SAME_VALUE,
    BoolArray,
    FloatArray,
    IntArray,
    from_draws,
    share_in_units,
)
from reportgen.stats.counting import FIGURES, Counted, count_figures
from reportgen.wording import estimate, number, quoted

CODES: tuple[Code, ...] = (
    Code(
        "INT-065",
        ("fail", "pass", "note"),
        "Every prediction of a counting head rounds to zero although there is something to count "
        "(critical): it displays zero whatever the image holds.",
    ),
    Code(
        "INT-066",
        ("fail", "warn", "pass"),
        "A counting head is not shown to be nearer to the truth than the constant zero: its mean "
        "absolute error is no smaller (major), or smaller with an interval of the gain that "
        "reaches zero (minor).",
    ),
    Code(
        "INT-067",
        ("fail", "warn", "pass", "note"),
        "A counting head is not shown to be nearer to the truth than the mean of the true counts: "
        "R squared is at most 0 (major), or above it with an interval that reaches 0 (minor). Not "
        "testable where the true counts do not vary.",
    ),
    Code("INT-068", ("note",), "A counting head cannot be tested, with the reason."),
)

CHECK = "counting_heads"
ROUNDING_RULE = (
    "a prediction rounds to zero if it lies below 0.5, negative ones included; exactly 0.5, which"
    " Python and NumPy round to the even 0 and others to 1, is not counted"
)
CONSTANT = "the true counts do not vary"


def audit(job: Job) -> Audited:
    """Audit counting heads against two heads that do not look at the image (methods §2, 3.7d).

    Returns
    -------
    Audited
        With CountingHeads; None if it was not asked for.
    """
    settings = job.settings.counting_heads
    if settings is None:
        return Audited()
    table = job.inputs.tables[settings.table]
    rows: list[HeadRow] = []
    pairs: list[tuple[Record, Finding]] = []
    for head, columns in settings.heads.items():
        row, facts = _head(head, columns, table, job)
        rows += [row] if row else []
        pairs += [recorded(job, one) for one in facts]
    result = CountingHeads(*overall(pairs), tuple(rows), ROUNDING_RULE)
    return Audited(result, *split_up(pairs))


def _head(
    head: str, columns: HeadColumns, table: Table, job: Job
) -> tuple[HeadRow | None, list[Facts]]:
    missing = [name for name in (columns.true, columns.predicted) if name not in table.features]
    base = Facts("INT-068", CHECK, "model", f"Counting head {quoted(head)}", "")
    if missing:
        reason = f"{', '.join(map(quoted, missing))} is no feature of table {quoted(table.name)}"
        return None, [replace(base, statement=reason, status="not testable")]
    true, predicted = table.features[columns.true], table.features[columns.predicted]
    kept = table.select([], outcome=False).rows
    used = kept[~(np.isnan(true[kept]) | np.isnan(predicted[kept]))]
    if not len(used):
        reason = f"no row of table {quoted(table.name)} has both counts"
        return None, [replace(base, statement=reason, status="not testable")]
    unit = table.unit_codes(used)
    found = count_figures(
        true[used],
        predicted[used],
        unit,
        rng=job.context.rng,
        resamples=job.context.resamples,
    )
    row = _row(head, true[used], predicted[used], unit, found, job)
    facts = [_all_zero(row), _against_zero(row), _against_mean(row)]
    problems = tuple(one.what for one in facts if one.status == "found")
    resamples = job.context.resamples
    return replace(row, problems=problems), [replace(one, resamples=resamples) for one in facts]


def _row(
    head: str,
    true: FloatArray,
    predicted: FloatArray,
    unit: IntArray,
    found: Counted,
    job: Job,
) -> HeadRow:
    confidence, units = job.context.confidence, len(np.unique(unit))

    def figure(name: str) -> Estimate:
        draws = found.draws[:, FIGURES.index(name)]
        value = found.values[name]
        return from_draws(value, draws, confidence=confidence, units=units, undefined=CONSTANT)

    def share(hit: BoolArray) -> Estimate:
        every = np.ones(len(hit), dtype=np.bool_)
        return share_in_units(hit, every, unit, confidence=confidence, empty="no rows")

    return HeadRow(
        head=head,
        n=len(true),
        mae=figure("mae"),
        mae_zero=figure("mae_zero"),
        mae_mean=figure("mae_mean"),
        gain_over_zero=figure("gain_over_zero"),
        r2=figure("r2"),
        min=float(predicted.min()),
        max=float(predicted.max()),
        share_zero=share(predicted < 0.5),
        true_mean=float(true.mean()),
        true_zero=share(true == 0),
        problems=(),
    )


def _share_of(found: Estimate) -> float:
    """Return the value of a share that is known."""
    return math.nan if found.estimate is None else found.estimate


def _all_zero(row: HeadRow) -> Facts:
    zeros = round(_share_of(row.share_zero) * row.n)
    with_some = row.n - round(_share_of(row.true_zero) * row.n)
    base = Facts("INT-065", CHECK, "model", f"Counts that round to zero: {quoted(row.head)}", "")
    span = f"predictions run from {_written(row.min)} to {_written(row.max)}"
    said = f"{written_share(zeros, row.n, row.share_zero)} predictions round to zero; {span}"
    if not with_some:
        reason = f"every true count of the {row.n:,} rows is zero"
        return replace(base, statement=reason, status="not testable")
    if zeros < row.n:
        return replace(base, statement=f"{said}.", k=zeros, n=row.n, share=row.share_zero)
    return replace(
        base,
        statement=f"{said}, while {with_some:,} rows have something to count.",
        status="found",
        grade="critical",
        k=zeros,
        n=row.n,
        share=row.share_zero,
        remedy="do not display or report this head; an error as small as its is prevalence",
        limits=f"Rounding: {ROUNDING_RULE}.",
    )


def _written(value: float | None) -> str:
    return "?" if value is None else number(value)


def _against_zero(row: HeadRow) -> Facts:
    base = Facts("INT-066", CHECK, "model", f"Nearer than always zero: {quoted(row.head)}", "")
    gain = row.gain_over_zero
    said = (
        f"Mean absolute error {estimate(row.mae)} against {estimate(row.mae_zero)} of the constant"
        f" zero: gain {estimate(gain)}"
    )
    known = math.nan if gain.estimate is None else gain.estimate
    facts = replace(
        base, statement=f"{said}.", before=row.mae.estimate, after=row.mae_zero.estimate
    )
    # A gain that is the same in every resample is that of every patient.
    if known > 0 and (gain.reason == SAME_VALUE or (gain.low is not None and gain.low > 0)):
        return facts
    shown = "not shown to be nearer" if known > 0 else "no nearer"
    return replace(
        facts,
        statement=f"{said}. The head is {shown} to the truth than one that says zero.",
        status="found",
        grade="minor" if known > 0 else "major",
        remedy="report the error beside that of the constant zero, with its interval",
    )


def _against_mean(row: HeadRow) -> Facts:
    base = Facts("INT-067", CHECK, "model", f"Nearer than the mean: {quoted(row.head)}", "")
    if row.r2.estimate is None:
        reason = f"{row.r2.reason}: R² is undefined"
        return replace(base, statement=reason, status="not testable")
    said = (
        f"R² {estimate(row.r2)}; mean absolute error of the constant mean"
        f" {_written(row.true_mean)}: {estimate(row.mae_mean)}."
    )
    known, low = row.r2.estimate, row.r2.low
    if known > 0 and (row.r2.reason == SAME_VALUE or (low is not None and low > 0)):
        return replace(base, statement=said)
    shown = "not shown to be" if known > 0 else "no"
    return replace(
        base,
        statement=f"{said} The squared errors are {shown} smaller than those of saying the mean.",
        status="found",
        grade="minor" if known > 0 else "major",
        remedy="report R² beside the mean absolute error",
    )
