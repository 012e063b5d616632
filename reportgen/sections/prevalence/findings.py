"""The findings of a prevalence section, each with its code."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from reportgen.language import _, mark, n_
from reportgen.result import Estimate, Finding, LeftOut
from reportgen.sections.prevalence.points import NO_COUNTS, Point
from reportgen.sections.prevalence.result import MetricRow, PrevalenceResult
from reportgen.sections.prevalence.unlabelled import (
    NOT_IDENTIFIABLE,
    Disagreement,
    UnlabelledFound,
)
from reportgen.sections.prevalence.unseen import zero_errors
from reportgen.sections.prevalence.wording import at, titled
from reportgen.wording import (
    clauses,
    coverage,
    estimate,
    number,
    quoted,
    rows_left_out,
    sentences,
    typed,
)

FEW = 10
"""Below so many units of a class, sensitivity or specificity are known badly."""
ASSUMPTION = mark(
    "Label shift: within the positives and within the negatives the scores keep their distribution,"
    " and only the share of positives changes. Then sensitivity and specificity carry over. Another"
    " spectrum of cases, another device or another way of labelling breaks this."
)


def not_assessed(table: str, left_out: Sequence[LeftOut]) -> Finding:
    """Return the finding of a table without a usable row."""
    why = [_("{k} for {reason}").format(k=entry.k, reason=entry.reason) for entry in left_out]
    statement = _("Table {table} holds no row with both label and score: {reasons}.")
    return Finding(
        "PRV-012",
        "warn",
        _("Not assessed"),
        statement.format(table=quoted(table), reasons=clauses(why) or _("it has no rows")),
    )


def list_findings(
    result: PrevalenceResult,
    points: Sequence[Point],
    class_units: tuple[int | None, int | None],
    found: UnlabelledFound = UnlabelledFound(),  # noqa: B008 - frozen and empty
) -> tuple[Finding, ...]:
    """Return every finding, in the order of their codes.

    Parameters
    ----------
    class_units : (int or None, int or None)
        Units with a positive and with a negative row; None where published without counts.
    found : UnlabelledFound
        Of the unlabelled table.
    """
    return (
        *_headline(result),
        _assumption(),
        *_few(class_units),
        *zero_errors(result, points),
        *_one_class(result, points),
        *_reversed(result),
        *_left_out(result.table or "", result.left_out, result.n_rows or 0),
        *_left_out(found.table, found.left_out, found.kept),
        *_unidentified(result),
        *_disagree(result, found.disagreements),
        *_no_counts(points),
        *_all_the_same(points),
    )


def _headline(result: PrevalenceResult) -> Iterator[Finding]:
    for point in result.operating_points:
        rows = [
            row
            for row in result.rows
            if row.metric == "precision" and row.threshold == point.threshold
        ]
        if all(row.value.estimate is None for row in rows):
            continue
        yield Finding(
            "PRV-001",
            "note",
            titled(_("Precision by prevalence"), point.threshold),
            at(point.threshold, _precisions(result, rows)),
            {
                _("precision at {prevalence}").format(prevalence=typed(row.prevalence)): row.value
                for row in rows
            },
            _("Holds under label shift only."),
        )


def _precisions(result: PrevalenceResult, rows: Sequence[MetricRow]) -> str:
    """Return the precisions in words; where none has an interval, why, once."""
    name = _("the precision")
    if result.score is not None:
        name = _("the precision of {score}").format(score=quoted(result.score))
    reasons = [row.value.reason for row in rows if row.value.low is None]
    bare = len(reasons) == len(rows) and len(set(reasons)) == 1 and reasons[0]
    figures = clauses(
        _("{figure} at prevalence {prevalence}").format(
            figure=number(row.value.estimate or 0.0) if bare else estimate(row.value),
            prevalence=typed(row.prevalence),
        )
        for row in rows
        if not bare or row.value.estimate is not None
    )
    if bare:
        text = _("{name} is {figures}, without intervals: {reason}.")
        return text.format(name=name, figures=figures, reason=reasons[0])
    text = (
        _("{name}, with its {coverage} interval where there is one, is {figures}.")
        if reasons
        else _("{name}, with its {coverage} interval, is {figures}.")
    )
    return text.format(name=name, coverage=coverage(result.confidence), figures=figures)


def _assumption() -> Finding:
    return Finding(
        "PRV-002",
        "note",
        _("Label shift is assumed"),
        _(ASSUMPTION),
        limits=_("A single labelled table cannot test this assumption."),
    )


def _few(class_units: tuple[int | None, int | None]) -> Iterator[Finding]:
    positive, negative = class_units
    if positive is not None and 0 < positive < FEW:
        statement = n_(
            "The sensitivity rests on {count} independent positive, fewer than {few}.",
            "The sensitivity rests on {count} independent positives, fewer than {few}.",
            positive,
        )
        yield _few_units(_("Few positives"), statement, _("independent positives"), positive)
    if negative is not None and 0 < negative < FEW:
        statement = n_(
            "The specificity rests on {count} independent negative, fewer than {few}.",
            "The specificity rests on {count} independent negatives, fewer than {few}.",
            negative,
        )
        yield _few_units(_("Few negatives"), statement, _("independent negatives"), negative)


def _few_units(title: str, statement: str, name: str, count: int) -> Finding:
    limits = _("The intervals are wide for this reason and are approximate.")
    text = statement.format(count=count, few=FEW)
    return Finding("PRV-003", "warn", title, text, {name: count}, limits)


def _one_class(result: PrevalenceResult, points: Sequence[Point]) -> Iterator[Finding]:
    if not points:
        return
    statements = (
        _(
            "Table {table} holds {reason}: the sensitivity cannot be estimated, nor any figure"
            " that rests on it."
        ),
        _(
            "Table {table} holds {reason}: the specificity cannot be estimated, nor any figure"
            " that rests on it."
        ),
    )
    for side, statement in zip(points[0].sides, statements, strict=True):
        if side.value is None:
            text = statement.format(table=quoted(result.table or ""), reason=side.reason)
            yield Finding("PRV-005", "warn", _("One class only"), text)


def _reversed(result: PrevalenceResult) -> Iterator[Finding]:
    if result.auc.estimate is not None and result.auc.estimate < 0.5:
        yield Finding(
            "PRV-006",
            "warn",
            _("Ranks worse than chance"),
            _below_half(result.auc).format(
                score=quoted(result.score or ""), area=estimate(result.auc)
            ),
            {"auc": result.auc},
            _("The section uses label and score as declared."),
        )


def _below_half(area: Estimate) -> str:
    """Return the statement on an area below one half, with what its interval adds to it."""
    if area.high is None:
        return _(
            "The area under the ROC curve of {score} is {area}, below one half. Are the labels or"
            " the score reversed?"
        )
    if area.high >= 0.5:
        return _(
            "The area under the ROC curve of {score} is {area}, below one half, though its interval"
            " reaches it. Are the labels or the score reversed?"
        )
    return _(
        "The area under the ROC curve of {score} is {area}, below one half, as is its whole"
        " interval. Are the labels or the score reversed?"
    )


def _left_out(table: str, left_out: Sequence[LeftOut], kept: int) -> Iterator[Finding]:
    n_read = kept + sum(entry.k for entry in left_out)
    return rows_left_out("PRV-007", left_out, table=table, n_read=n_read)


def _unidentified(result: PrevalenceResult) -> Iterator[Finding]:
    for row in result.unlabelled:
        reason = row.prevalence.reason or ""
        if row.prevalence.estimate is None and reason.startswith(_(NOT_IDENTIFIABLE)):
            title = _("Prevalence not identifiable by {method}").format(method=row.method)
            statement = _("{method}: {reason}.")
            if row.threshold is not None:
                statement = _("{method} at threshold {threshold}: {reason}.")
            yield Finding(
                "PRV-008",
                "warn",
                titled(title, row.threshold),
                statement.format(
                    method=row.method, threshold=typed(row.threshold or 0), reason=reason
                ),
                limits=_(
                    "Nothing was cut to 0 or 1, and an estimate that cannot be identified is not"
                    " compared with the other one."
                ),
            )


def _together(difference: Estimate, result: PrevalenceResult) -> str:
    """Return what the coverage of the interval of a difference is, and why."""
    each = coverage(difference.confidence or result.confidence)
    if len(result.operating_points) == 1:
        return _("The interval has {each} confidence.").format(each=each)
    text = _("The interval has {each} confidence, so that those of all thresholds have {together}.")
    return text.format(each=each, together=coverage(result.confidence))


def _disagree(result: PrevalenceResult, disagreements: Sequence[Disagreement]) -> Iterator[Finding]:
    for entry in disagreements:
        if entry.beyond_sampling:
            statement = _(
                "the Rogan–Gladen estimate minus the EM estimate is {difference}, more than"
                " sampling accounts for: evidence against pure label shift, or against the"
                " calibration of the probabilities."
            ).format(difference=estimate(entry.difference))
            yield Finding(
                "PRV-009",
                "warn",
                titled(_("Two estimates of one prevalence differ"), entry.threshold),
                sentences((at(entry.threshold, statement), _together(entry.difference, result))),
                {_("Rogan–Gladen minus EM"): entry.difference},
                _("It does not tell which of the two fails."),
            )


def _no_counts(points: Sequence[Point]) -> Iterator[Finding]:
    for point in points:
        se, sp = (side.reason == _(NO_COUNTS) for side in point.sides)
        if se or sp:
            yield Finding(
                "PRV-010",
                "warn",
                _("Published without counts"),
                _uncounted(se, sp),
                limits=_("How far the figures could be off is unknown."),
            )


def _uncounted(sensitivity: bool, specificity: bool) -> str:
    if sensitivity and specificity:
        return _(
            "Sensitivity and specificity came without counts, so the figures that rest on them"
            " have no interval."
        )
    if sensitivity:
        return _(
            "Sensitivity came without counts, so the figures that rest on them have no interval."
        )
    return _("Specificity came without counts, so the figures that rest on them have no interval.")


def _all_the_same(points: Sequence[Point]) -> Iterator[Finding]:
    for point in points:
        se, sp = point.sides
        if (se.value, sp.value) == (0.0, 1.0):
            title, statement = (
                _("Nobody is flagged"),
                _("nobody is flagged: the precision is 0 of 0, and not defined."),
            )
        elif (se.value, sp.value) == (1.0, 0.0):
            title, statement = (
                _("Everybody is flagged"),
                _(
                    "everybody is flagged: the negative predictive value is 0 of 0, and not"
                    " defined."
                ),
            )
        else:
            continue
        yield Finding(
            "PRV-011", "note", titled(title, point.threshold), at(point.threshold, statement)
        )
