"""Do counting heads count? Against the head that says zero and the one that says the mean."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np

from reportgen.inputs.table import Table
from reportgen.language import _, mark
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
from reportgen.wording import estimate, fixed, named, number, quoted, sentences, separated

CODES: tuple[Code, ...] = (
    Code(
        "INT-065",
        ("fail", "pass", "note"),
        mark(
            "Every prediction of a counting head rounds to zero although there is something to"
            " count (critical): it displays zero whatever the image holds."
        ),
    ),
    Code(
        "INT-066",
        ("fail", "warn", "pass"),
        mark(
            "A counting head is not shown to be nearer to the truth than the constant zero: its"
            " mean absolute error is no smaller (major), or smaller with an interval of the gain"
            " that reaches zero (minor)."
        ),
    ),
    Code(
        "INT-067",
        ("fail", "warn", "pass", "note"),
        mark(
            "A counting head is not shown to be nearer to the truth than the mean of the true"
            " counts: R squared is at most 0 (major), or above it with an interval that reaches 0"
            " (minor). Not testable where the true counts do not vary."
        ),
    ),
    Code("INT-068", ("note",), mark("A counting head cannot be tested, with the reason.")),
)

CHECK = "counting_heads"
ROUNDING_RULE = mark(
    "a prediction rounds to zero if it lies below 0.5, negative ones included; exactly 0.5, which"
    " Python and NumPy round to the even 0 and others to 1, is not counted"
)
CONSTANT = mark("the true counts do not vary")


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
    result = CountingHeads(*overall(pairs), tuple(rows), _(ROUNDING_RULE))
    return Audited(result, *split_up(pairs))


def _head(
    head: str, columns: HeadColumns, table: Table, job: Job
) -> tuple[HeadRow | None, list[Facts]]:
    missing = [name for name in (columns.true, columns.predicted) if name not in table.features]
    base = Facts("INT-068", CHECK, "model", _("Counting head {head}").format(head=quoted(head)), "")
    if missing:
        reason = _("{columns} is no feature of table {table}").format(
            columns=separated(map(quoted, missing)), table=quoted(table.name)
        )
        return None, [replace(base, statement=reason, status="not testable")]
    true, predicted = table.features[columns.true], table.features[columns.predicted]
    kept = table.select([], outcome=False).rows
    used = kept[~(np.isnan(true[kept]) | np.isnan(predicted[kept]))]
    if not len(used):
        reason = _("no row of table {table} has both counts").format(table=quoted(table.name))
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
        return from_draws(value, draws, confidence=confidence, units=units, undefined=_(CONSTANT))

    def share(hit: BoolArray) -> Estimate:
        every = np.ones(len(hit), dtype=np.bool_)
        return share_in_units(hit, every, unit, confidence=confidence, empty=_("no rows"))

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
    what = named(_("Counts that round to zero"), quoted(row.head))
    base = Facts("INT-065", CHECK, "model", what, "")
    figures = {
        "share": written_share(zeros, row.n, row.share_zero),
        "low": _written(row.min),
        "high": _written(row.max),
        "some": fixed(with_some, 0),
    }
    if not with_some:
        reason = _("every true count of the {n} rows is zero").format(n=fixed(row.n, 0))
        return replace(base, statement=reason, status="not testable")
    if zeros < row.n:
        said = _("{share} predictions round to zero; predictions run from {low} to {high}.")
        said = said.format(**figures)
        return replace(base, statement=said, k=zeros, n=row.n, share=row.share_zero)
    said = _(
        "{share} predictions round to zero; predictions run from {low} to {high}, while {some} rows"
        " have something to count."
    )
    return replace(
        base,
        statement=said.format(**figures),
        status="found",
        grade="critical",
        k=zeros,
        n=row.n,
        share=row.share_zero,
        remedy=_("do not display or report this head; an error as small as its is prevalence"),
        limits=_("Rounding: {rule}.").format(rule=_(ROUNDING_RULE)),
    )


def _written(value: float | None) -> str:
    return "?" if value is None else number(value)


def _against_zero(row: HeadRow) -> Facts:
    what = named(_("Nearer than always zero"), quoted(row.head))
    base = Facts("INT-066", CHECK, "model", what, "")
    gain = row.gain_over_zero
    said = _(
        "Mean absolute error {error} against {of_zero} of the constant zero: gain {gain}."
    ).format(error=estimate(row.mae), of_zero=estimate(row.mae_zero), gain=estimate(gain))
    known = math.nan if gain.estimate is None else gain.estimate
    facts = replace(base, statement=said, before=row.mae.estimate, after=row.mae_zero.estimate)
    # A gain that is the same in every resample is that of every patient.
    if known > 0 and (gain.reason == _(SAME_VALUE) or (gain.low is not None and gain.low > 0)):
        return facts
    shown = _("The head is no nearer to the truth than one that says zero.")
    if known > 0:
        shown = _("The head is not shown to be nearer to the truth than one that says zero.")
    return replace(
        facts,
        statement=sentences((said, shown)),
        status="found",
        grade="minor" if known > 0 else "major",
        remedy=_("report the error beside that of the constant zero, with its interval"),
    )


def _against_mean(row: HeadRow) -> Facts:
    what = named(_("Nearer than the mean"), quoted(row.head))
    base = Facts("INT-067", CHECK, "model", what, "")
    if row.r2.estimate is None:
        reason = _("{reason}: R² is undefined").format(reason=row.r2.reason)
        return replace(base, statement=reason, status="not testable")
    said = _("R² {r2}; mean absolute error of the constant mean {mean}: {error}.").format(
        r2=estimate(row.r2), mean=_written(row.true_mean), error=estimate(row.mae_mean)
    )
    known, low = row.r2.estimate, row.r2.low
    if known > 0 and (row.r2.reason == _(SAME_VALUE) or (low is not None and low > 0)):
        return replace(base, statement=said)
    shown = _("The squared errors are no smaller than those of saying the mean.")
    if known > 0:
        shown = _("The squared errors are not shown to be smaller than those of saying the mean.")
    return replace(
        base,
        statement=sentences((said, shown)),
        status="found",
        grade="minor" if known > 0 else "major",
        remedy=_("report R² beside the mean absolute error"),
    )
