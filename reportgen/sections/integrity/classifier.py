"""Does the classifier decide anything? Constant calls, base rates, thresholds beyond the scores."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np

from reportgen.inputs.table import Table
from reportgen.language import _, mark, n_, p_
from reportgen.result import Finding
from reportgen.section import Code
from reportgen.sections.integrity.audits import Audited, Job
from reportgen.sections.integrity.calibration import (
    calibrated,
    calibration_facts,
    only_ranks,
)
from reportgen.sections.integrity.classifier_rows import (
    ALL,
    Rows,
    classifier_row,
    rows_of,
    score_of,
)
from reportgen.sections.integrity.evaluator_facts import NAMES
from reportgen.sections.integrity.records import (
    Facts,
    overall,
    recorded,
    split_up,
    written_share,
)
from reportgen.sections.integrity.result import Grade, Record
from reportgen.sections.integrity.result_evaluation import (
    CalibrationBin,
    CalibrationRow,
    ClassifierAudit,
    ClassifierRow,
)
from reportgen.sections.integrity.settings import CalibrationSettings
from reportgen.sections.integrity.shares import share_in_units
from reportgen.stats.binary_decisions import Decided, decide
from reportgen.wording import clauses, estimate, fixed, number, quoted, rows_left_out, typed

CODES: tuple[Code, ...] = (
    Code(
        "INT-060",
        ("fail", "pass", "note"),
        mark(
            "Constant decisions: the classifier calls every row the same (critical), or all but"
            " less than a tenth as many rows as the rarer class has (major). It decides nothing,"
            " whatever its accuracy. Not testable where the rows are of one class."
        ),
    ),
    Code(
        "INT-061",
        ("fail", "warn", "pass", "note"),
        mark(
            "Accuracy no better than the base rate: as many rows are right as if all were called"
            " like the commoner class (critical if that is what was done, else minor), or fewer"
            " (minor)."
        ),
    ),
    Code(
        "INT-062",
        ("fail", "pass", "note"),
        mark(
            "Threshold outside the range of the scores: no score lies on one side of it, so that"
            " the decision is constant by construction (critical)."
        ),
    ),
    Code(
        "INT-063",
        ("note", "pass"),
        mark(
            "Undefined figures: a quotient is 0/0, such as the correlation coefficient of a"
            " constant decision. It is printed as undefined; scikit-learn prints 0 for it."
        ),
    ),
    Code(
        "INT-084",
        ("note", "warn"),
        mark("Rows without label or score were left out; a warning above 5 % of the rows."),
    ),
    Code("INT-064", ("note",), mark("The classifier cannot be tested, with the reason.")),
)

CHECK = "classifier"
LEAST_ROWS = 10
"""Rows of a split below which it says nothing of the classifier; the whole table always does."""
_UNDEFINED = ("sensitivity", "specificity", "precision", "f1", "kappa", "mcc")


def audit(job: Job) -> Audited:
    """Audit a classifier for decisions that do not depend on the input (methods §7).

    Returns
    -------
    Audited
        With a ClassifierAudit: one row for all rows and, if `split` is set, one a split. None if
        it was not asked for.
    """
    settings = job.settings.classifier
    if settings is None:
        return Audited()
    table = job.inputs.tables[settings.table]
    untestable = _not_testable(table)
    groups = [] if untestable else [rows for rows in rows_of(table, settings) if len(rows.positive)]
    if not groups:
        return _untestable(job, untestable or _("no row has both a score and a label"))
    rows, pairs, never = [], [], []
    for group in groups:
        decided = decide(group.positive, group.score, settings.threshold)
        facts = list(_facts(group, decided, settings.threshold))
        problems = tuple(one.what for one in facts if one.status == "found")
        row = classifier_row(group, settings.threshold, job, problems=problems)
        rows.append(row)
        facts = _with_intervals(facts, group, row, settings.threshold, job)
        pairs += [recorded(job, one) for one in (*facts, _undefined(row))]
        never += _never(group, decided)
    # Drawn after all the rest, so that the figures above do not depend on it.
    lines, bins, judged = _calibration(groups, table, job, settings.calibration)
    pairs += [recorded(job, one) for one in judged]
    status, why = overall(pairs)
    records, findings = split_up(pairs)
    left_out = table.select([score_of(table, settings)]).left_out
    result = ClassifierAudit(status, why, tuple(rows), tuple(never), lines, bins, left_out)
    gone = rows_left_out("INT-084", left_out, table=table.name, n_read=table.n_rows)
    return Audited(result, records, (*findings, *gone))


def _with_intervals(
    facts: Sequence[Facts], rows: Rows, row: ClassifierRow, threshold: float, job: Job
) -> list[Facts]:
    """Return what was found with shares whose intervals take the rows of a unit together."""
    every = np.ones(len(rows.positive), dtype=np.bool_)
    called = share_in_units(
        rows.score >= threshold,
        every,
        rows.unit,
        confidence=job.context.confidence,
        empty="",  # there is a row
    )
    shares = {"INT-060": called, "INT-061": row.accuracy}
    return [
        replace(one, share=shares[one.code]) if one.code in shares and one.k is not None else one
        for one in facts
    ]


def _calibration(
    groups: Sequence[Rows], table: Table, job: Job, settings: CalibrationSettings
) -> tuple[tuple[CalibrationRow, ...], tuple[CalibrationBin, ...], list[Facts]]:
    """Return how far scores are from observed rates: by split, by bin, and what it says."""
    lines: list[CalibrationRow] = []
    bins: list[CalibrationBin] = []
    judged: list[Facts] = []
    for group in groups:
        where = on_split(group.split)
        title = titled(_("Calibration of the scores"), where)
        if table.scale == "score":
            judged.append(only_ranks(title))
            continue
        line, own = calibrated(group, job, settings)
        lines.append(line)
        bins += own
        judged.append(_unless_few(calibration_facts(line, job, title, where), group))
    return tuple(lines), tuple(bins), judged


def _not_testable(table: Table) -> str | None:
    if table.label is None:
        return _("table {table} has no binary label").format(table=quoted(table.name))
    return None


def _untestable(job: Job, reason: str) -> Audited:
    pair: tuple[Record, Finding] = recorded(
        job,
        Facts("INT-064", CHECK, "model", _("Classifier"), reason, status="not testable"),
    )
    return Audited(ClassifierAudit("not testable", reason), *split_up([pair]))


def _facts(rows: Rows, table: Decided, threshold: float) -> Iterator[Facts]:
    where = on_split(rows.split)
    facts = (
        _constant(table, where),
        _accuracy(table, where),
        _threshold(rows, threshold, where),
    )
    yield from (_unless_few(one, rows) for one in facts)


def _unless_few(facts: Facts, rows: Rows) -> Facts:
    """Return what was looked at on a split; of a few rows nothing follows."""
    n = len(rows.positive)
    if rows.split == ALL or n >= LEAST_ROWS:
        return facts
    text = n_(
        "there is {n} row{where}: too few to tell",
        "there are {n} rows{where}: too few to tell",
        n,
    )
    reason = text.format(n=n, where=on_split(rows.split))
    return Facts(facts.code, facts.check, facts.layer, facts.what, reason, status="not testable")


def on_split(split: str) -> str:
    """Return " on split “test”" for what is said of one split; "" for all rows.

    Another language writes it so that it can stand behind a title and behind "rows".
    """
    return "" if split == ALL else _(" on split {split}").format(split=quoted(split))


def titled(title: str, where: str) -> str:
    """Return a title of what was looked at on one split."""
    return f"{title}{where}"


def _constant(table: Decided, where: str) -> Facts:
    base = Facts("INT-060", CHECK, "model", titled(_("Constant decisions"), where), "")
    called = written_share(table.called_positive, table.n)
    if not table.positives or not table.negatives:
        reason = _("all {n} rows{where} are negative: a constant decision may be right here")
        if table.positives:
            reason = _("all {n} rows{where} are positive: a constant decision may be right here")
        reason = reason.format(n=fixed(table.n, 0), where=where)
        return replace(base, statement=reason, status="not testable")
    if not table.constant and not table.nearly_constant:
        return replace(
            base,
            statement=_("{called} rows{where} are called positive.").format(
                called=called, where=where
            ),
            k=table.called_positive,
            n=table.n,
        )
    said = _(
        "{called} rows{where} are called positive, of {positives} that are: the classifier hardly"
        " ever decides otherwise."
    ).format(called=called, where=where, positives=fixed(table.positives, 0))
    return replace(
        base,
        statement=_all_the_same(table, where) if table.constant else said,
        status="found",
        grade="critical" if table.constant else "major",
        remedy=_("look at the scores, the threshold and the class order; do not report accuracy"),
        limits=_(
            "That the scores may rank rows is another question: see the area under the curve."
        ),
        k=table.called_positive,
        n=table.n,
    )


def _all_the_same(table: Decided, where: str) -> str:
    """Return that every row is called the same, in words."""
    said = _(
        "All {n} rows{where} are called negative, {negatives} and {positives} alike: the classifier"
        " decides nothing."
    )
    if table.called_positive:
        said = _(
            "All {n} rows{where} are called positive, {negatives} and {positives} alike: the"
            " classifier decides nothing."
        )
    k, m = table.negatives, table.positives
    return said.format(
        n=fixed(table.n, 0),
        where=where,
        negatives=n_("{n} negative", "{n} negatives", k).format(n=fixed(k, 0)),
        positives=n_("{n} positive", "{n} positives", m).format(n=fixed(m, 0)),
    )


def _accuracy(table: Decided, where: str) -> Facts:
    base = Facts("INT-061", CHECK, "model", titled(_("Accuracy and base rate"), where), "")
    commonest, right = table.commonest, table.right
    figures = {
        "share": written_share(right, table.n),
        "where": where,
        "commonest": fixed(commonest, 0),
        "more": fixed(commonest - right, 0),
    }
    said = _(
        "{share} rows{where} are called right; calling every row like the commoner class gets"
        " {commonest} right."
    )
    if right > commonest:
        return replace(base, statement=said.format(**figures), k=right, n=table.n)
    said = _(
        "{share} rows{where} are called right; calling every row like the commoner class gets"
        " {commonest} right, {more} more: accuracy says nothing of this classifier."
    )
    if right == commonest:
        said = _(
            "{share} rows{where} are called right; calling every row like the commoner class gets"
            " {commonest} right, exactly as many: accuracy says nothing of this classifier."
        )
    grade: Grade = "critical" if table.constant and right == commonest else "minor"
    return replace(
        base,
        statement=said.format(**figures),
        status="found",
        grade=grade,
        remedy=_("report sensitivity, specificity and the area under the curve with intervals"),
        limits=_("At an uneven class mix a useful classifier may be right less often than this."),
        before=right / table.n,
        after=commonest / table.n,
        k=right,
        n=table.n,
    )


def _threshold(rows: Rows, threshold: float, where: str) -> Facts:
    low, high = float(rows.score.min()), float(rows.score.max())
    base = Facts("INT-062", CHECK, "model", titled(_("Threshold and score range"), where), "")
    said = _("The threshold {threshold} lies within them: scores{where} run from {low} to {high}.")
    within = low < threshold <= high
    if not within:
        said = _(
            "Every score lies below the threshold {threshold}: scores{where} run from {low} to"
            " {high}. A score at the threshold counts as positive."
        )
    if low >= threshold:
        said = _(
            "Every score lies above the threshold {threshold}: scores{where} run from {low} to"
            " {high}. A score at the threshold counts as positive."
        )
    said = said.format(threshold=typed(threshold), where=where, low=number(low), high=number(high))
    if within:
        return replace(base, statement=said)
    return replace(
        base,
        statement=said,
        status="found",
        grade="critical",
        remedy=_("choose the threshold on data that were not used for the evaluation"),
    )


def _undefined(row: ClassifierRow) -> Facts:
    where = on_split(row.split)
    base = Facts("INT-063", CHECK, "model", titled(_("Undefined figures"), where), "")
    gone = [
        _("{figure} is {reason}").format(figure=_(NAMES.get(name) or name), reason=found.reason)
        for name in _UNDEFINED
        if (found := getattr(row, name)).estimate is None
    ]
    area = estimate(row.auc)
    if not gone:
        said = _("Every figure{where} is defined. Area under the ROC curve: {area}.")
        return replace(base, statement=said.format(where=where, area=area))
    said = _("On {n} rows{where}: {figures}. Area under the ROC curve: {area}.")
    return replace(
        base,
        statement=said.format(n=fixed(row.n, 0), where=where, figures=clauses(gone), area=area),
        status="found",
        grade="info",
        evidence=gone,
    )


def _never(rows: Rows, table: Decided) -> list[str]:
    """Return the classes that occur and are never predicted."""
    never = []
    if table.negatives and table.called_positive == table.n:
        never.append(p_("class", "negative"))
    if table.positives and not table.called_positive:
        never.append(p_("class", "positive"))
    if rows.split == ALL:
        return never
    return [_("{name} ({split})").format(name=name, split=rows.split) for name in never]
