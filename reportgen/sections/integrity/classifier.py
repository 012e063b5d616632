"""Does the classifier decide anything? Constant calls, base rates, thresholds beyond the scores."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from reportgen.inputs.table import Table
from reportgen.result import Finding
from reportgen.section import Code
from reportgen.sections.integrity.audits import Audited, Job
from reportgen.sections.integrity.classifier_rows import Rows, classifier_row
from reportgen.sections.integrity.evaluator_facts import NAMES
from reportgen.sections.integrity.records import (
    Facts,
    counted,
    overall,
    recorded,
    split_up,
    written_share,
)
from reportgen.sections.integrity.result import Grade, Record
from reportgen.sections.integrity.result_evaluation import ClassifierAudit, ClassifierRow
from reportgen.sections.integrity.settings import ClassifierSettings
from reportgen.stats.binary_decisions import Decided, decide
from reportgen.wording import estimate, number, quoted, typed

CODES: tuple[Code, ...] = (
    Code(
        "INT-060",
        ("fail", "pass", "note"),
        "Constant decisions: the classifier calls every row the same (critical), or all but less "
        "than a tenth as many rows as the rarer class has (major). It decides nothing, whatever "
        "its accuracy. Not testable where the rows are of one class.",
    ),
    Code(
        "INT-061",
        ("fail", "warn", "pass", "note"),
        "Accuracy no better than the base rate: as many rows are right as if all were called like "
        "the commoner class (critical if that is what was done, else minor), or fewer (minor).",
    ),
    Code(
        "INT-062",
        ("fail", "pass"),
        "Threshold outside the range of the scores: no score lies on one side of it, so that the "
        "decision is constant by construction (critical).",
    ),
    Code(
        "INT-063",
        ("note", "pass"),
        "Undefined figures: a quotient is 0/0, such as the correlation coefficient of a constant "
        "decision. It is printed as undefined; scikit-learn prints 0 for it.",
    ),
    Code("INT-064", ("note",), "The classifier cannot be tested, with the reason."),
)

CHECK = "classifier"
_UNDEFINED = ("sensitivity", "specificity", "precision", "f1", "kappa", "mcc", "auc")


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
    reason = _not_testable(table)
    groups = [] if reason else [rows for rows in _rows(table, settings) if len(rows.positive)]
    if not groups:
        return _untestable(job, reason or "no row has both a score and a label")
    rows, pairs, never = [], [], []
    for group in groups:
        decided = decide(group.positive, group.score, settings.threshold)
        facts = list(_facts(group, decided, settings.threshold))
        problems = tuple(one.what for one in facts if one.status == "found")
        row = classifier_row(group, settings.threshold, job, problems=problems)
        rows.append(row)
        pairs += [recorded(job, one) for one in (*facts, _undefined(row))]
        never += _never(group, decided)
    status, why = overall(pairs)
    records, findings = split_up(pairs)
    result = ClassifierAudit(status, why, tuple(rows), tuple(never))
    return Audited(result, records, findings)


def _not_testable(table: Table) -> str | None:
    if table.label is None:
        return f"table {quoted(table.name)} has no binary label"
    return None


def _untestable(job: Job, reason: str) -> Audited:
    pair: tuple[Record, Finding] = recorded(
        job,
        Facts("INT-064", CHECK, "model", "Classifier", reason, status="not testable"),
    )
    return Audited(ClassifierAudit("not testable", reason), *split_up([pair]))


def _rows(table: Table, settings: ClassifierSettings) -> Iterator[Rows]:
    """Yield all rows, then those of each split, in the order the manifest declares or sorted."""
    name = settings.score or next(iter(table.scores))
    used = table.select([name]).rows
    assert table.label is not None  # noqa: S101 - seen to by `_not_testable`
    positive, score = table.label[used] == 1, table.scores[name][used]
    unit = table.unit_codes(used)
    yield Rows("all", positive, score, unit)
    if settings.split is None:
        return
    group = table.groups[settings.split][used]
    found = sorted(set(group.tolist()) - {""})
    for level in table.levels.get(settings.split, found):
        own = group == level
        codes = np.unique(unit[own], return_inverse=True)[1].astype(np.intp)
        yield Rows(str(level), positive[own], score[own], codes)


def _facts(rows: Rows, table: Decided, threshold: float) -> Iterator[Facts]:
    where = "" if rows.split == "all" else f" on split {quoted(rows.split)}"
    yield _constant(table, where)
    yield _accuracy(table, where)
    yield _threshold(rows, threshold, where)


def _constant(table: Decided, where: str) -> Facts:
    base = Facts("INT-060", CHECK, "model", f"Constant decisions{where}", "")
    called = written_share(table.called_positive, table.n)
    if not table.positives or not table.negatives:
        kind = "positive" if table.positives else "negative"
        reason = f"all {table.n:,} rows{where} are {kind}: a constant decision may be right here"
        return replace(base, statement=reason, status="not testable")
    if not table.constant and not table.nearly_constant:
        return replace(
            base,
            statement=f"{called} rows{where} are called positive.",
            k=table.called_positive,
            n=table.n,
        )
    kind = "positive" if table.called_positive else "negative"
    if table.constant:
        both = f"{counted(table.negatives, 'negative')} and {counted(table.positives, 'positive')}"
        said = f"All {table.n:,} rows{where} are called {kind}, {both} alike: the classifier"
        said += " decides nothing."
    else:
        said = f"{called} rows{where} are called positive, of {table.positives:,} that are: the"
        said += " classifier hardly ever decides otherwise."
    return replace(
        base,
        statement=said,
        status="found",
        grade="critical" if table.constant else "major",
        remedy="look at the scores, the threshold and the class order; do not report accuracy",
        limits="That the scores may rank rows is another question: see the area under the curve.",
        k=table.called_positive,
        n=table.n,
    )


def _accuracy(table: Decided, where: str) -> Facts:
    base = Facts("INT-061", CHECK, "model", f"Accuracy and base rate{where}", "")
    commonest, right = table.commonest, table.right
    shares = f"{written_share(right, table.n)} rows{where} are called right"
    always = f"calling every row like the commoner class gets {commonest:,} right"
    if right > commonest:
        return replace(base, statement=f"{shares}; {always}.", k=right, n=table.n)
    how = "exactly as many" if right == commonest else f"{commonest - right:,} more"
    grade: Grade = "critical" if table.constant and right == commonest else "minor"
    return replace(
        base,
        statement=f"{shares}; {always}, {how}: accuracy says nothing of this classifier.",
        status="found",
        grade=grade,
        remedy="report sensitivity, specificity and the area under the curve with intervals",
        limits="At an uneven class mix a useful classifier may be right less often than this.",
        before=right / table.n,
        after=commonest / table.n,
        k=right,
        n=table.n,
    )


def _threshold(rows: Rows, threshold: float, where: str) -> Facts:
    low, high = float(rows.score.min()), float(rows.score.max())
    base = Facts("INT-062", CHECK, "model", f"Threshold and score range{where}", "")
    span = f"scores{where} run from {number(low)} to {number(high)}"
    if low < threshold <= high:
        return replace(
            base, statement=f"The threshold {typed(threshold)} lies within them: {span}."
        )
    side = "above" if low >= threshold else "below"
    return replace(
        base,
        statement=f"Every score lies {side} the threshold {typed(threshold)}: {span}. A score at"
        " the threshold counts as positive.",
        status="found",
        grade="critical",
        remedy="choose the threshold on data that were not used for the evaluation",
    )


def _undefined(row: ClassifierRow) -> Facts:
    where = "" if row.split == "all" else f" on split {quoted(row.split)}"
    base = Facts("INT-063", CHECK, "model", f"Undefined figures{where}", "")
    gone = [
        f"{NAMES.get(name, name)} is {found.reason}"
        for name in _UNDEFINED
        if (found := getattr(row, name)).estimate is None
    ]
    area = f"Area under the ROC curve: {estimate(row.auc)}."
    if not gone:
        return replace(base, statement=f"Every figure{where} is defined. {area}")
    return replace(
        base,
        statement=f"On {row.n:,} rows{where}: {'; '.join(gone)}. {area}",
        status="found",
        grade="info",
        evidence=gone,
    )


def _never(rows: Rows, table: Decided) -> list[str]:
    """Return the classes that occur and are never predicted."""
    where = "" if rows.split == "all" else f" ({rows.split})"
    never = []
    if table.negatives and table.called_positive == table.n:
        never.append(f"negative{where}")
    if table.positives and not table.called_positive:
        never.append(f"positive{where}")
    return never
