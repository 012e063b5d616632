"""The sentences a reader of a decision curve section must see."""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np

from reportgen.language import _, mark
from reportgen.result import Finding, NotApplicable, Outcome
from reportgen.sections.dca.analysis import Data
from reportgen.sections.dca.result import TREAT_ALL, TREAT_NONE, DcaResult, SelfCheckRow
from reportgen.sections.dca.settings import Grid
from reportgen.sections.dca.shift import largest_change
from reportgen.sections.dca.verdict_findings import Evidence, between_models, on_model, titled
from reportgen.wording import (
    clauses,
    coverage,
    estimate,
    interval,
    number,
    point,
    quoted,
    rows_left_out,
    sentences,
    typed,
)

EVIDENCE = mark("ratio low"), mark("ratio high"), mark("allowed")
"""Keys of evidence, as the page writes them, that no other section has."""


def findings(result: DcaResult, data: Data, grid: Grid) -> tuple[Finding, ...]:
    """Return every finding of a section that could be assessed."""
    return (
        *(on_model(result, row) for row in result.overall),
        *(between_models(result, row) for row in result.between_models),
        *_no_owner(grid),
        *_changed(grid),
        *_left_out(data),
        *_few_values(data),
        *_target(result),
        *_shift(result),
        *_self_check(result),
    )


def not_assessable(data: Data, reason: str) -> Outcome:
    """Return the outcome of a section that could not be assessed."""
    statement = _("Decision curves could not be assessed: {reason}.").format(reason=reason)
    finding = Finding("DCA-009", "warn", _("Decision curves not assessable"), statement)
    return Outcome(NotApplicable(reason), (finding, *_left_out(data), *_few_values(data)))


def _no_owner(grid: Grid) -> Iterator[Finding]:
    if grid.owner and grid.reason:
        return
    title = _("Range of thresholds without owner and reason")
    stated = _("The range of thresholds, {low} to {high}, is stated without owner and reason.")
    if grid.reason:
        title = _("Range of thresholds without owner")
        stated = _("The range of thresholds, {low} to {high}, is stated without owner.")
    elif grid.owner:
        title = _("Range of thresholds without reason")
        stated = _("The range of thresholds, {low} to {high}, is stated without reason.")
    ends = {"low": typed(grid.values[0]), "high": typed(grid.values[-1])}
    statement = sentences(
        (stated.format(**ends), _("Every verdict of this section holds for that range only."))
    )
    limits = _("A range chosen after seeing the curves would make the verdicts too favourable.")
    yield Finding("DCA-004", "note", title, statement, {}, limits)


def _changed(grid: Grid) -> Iterator[Finding]:
    if grid.notes:
        statement = _("The thresholds are not used quite as they were given: {changes}.")
        title = _("Thresholds not as given")
        yield Finding("DCA-012", "note", title, statement.format(changes=clauses(grid.notes)))


def _left_out(data: Data) -> Iterator[Finding]:
    return rows_left_out("DCA-005", data.left_out, table=data.table, n_read=data.n_read)


def _few_values(data: Data) -> Iterator[Finding]:
    for name, scores in zip(data.names, data.scores, strict=True):
        values = np.unique(scores)
        if len(values) == 1:
            statement = _(
                "Every score of {name} is {value}: at each threshold it repeats treat all or treat "
                "none and cannot do better than both."
            ).format(name=quoted(name), value=typed(values[0]))
            title = _("{name}: scores are constant").format(name=name)
            yield Finding("DCA-006", "warn", title, statement)
        elif len(values) == 2:
            statement = _(
                "{name} takes only the values {low} and {high}: between them the same rows are "
                "flagged whatever the threshold."
            ).format(name=quoted(name), low=typed(values[0]), high=typed(values[1]))
            title = _("{name}: two distinct scores").format(name=name)
            yield Finding("DCA-006", "note", title, statement)


def _target(result: DcaResult) -> Iterator[Finding]:
    own, target = result.prevalence.estimate, result.target_prevalence
    if target is None or own is None:
        return
    both = {"own": number(own), "target": typed(target)}
    statement = _(
        "Net benefit is carried from the sample's prevalence {own} to {target}, keeping "
        "sensitivity and specificity. Scores as deployed say what happens if they are used there "
        "as they are; recalibrated scores have their prior odds shifted by the two prevalences."
    ).format(**both)
    limits = _(
        "Rests on label shift: within each class rows must look alike in both populations. That "
        "cannot be checked here. The target prevalence is taken as known, and the recalibration "
        "takes the scores to be calibrated in the sample."
    )
    title = _("Net benefit at a stated prevalence")
    evidence = {"sample_prevalence": own, "target_prevalence": target}
    summary = _("Carried from the prevalence {own} of the sample to {target}.").format(**both)
    yield Finding("DCA-007", "note", title, statement, evidence, limits, summary)


def _shift(result: DcaResult) -> Iterator[Finding]:
    own = result.prevalence
    models = dict.fromkeys(row.model for row in result.recalibration)
    found = [(name, largest_change(result.recalibration, name)) for name in models]
    moved = [(name, *change) for name, change in found if change is not None]
    if not moved or own.estimate is None or own.low is None or own.high is None:
        return
    change = _("that of {name} by at most {most}, at threshold {threshold}, where it is {figure}")
    changes = clauses(
        change.format(
            name=quoted(name),
            most=number(most),
            threshold=typed(row.threshold),
            figure=estimate(row.net_benefit),
        )
        for name, row, most in moved
    )
    statement = _(
        "Recalibrated scores are shifted from the prevalence of this sample, {prevalence} "
        "({coverage} interval {interval}), and their intervals, bands and verdicts take that shift "
        "as known. This is right where the sampling fixed the share of positives (case-control), "
        "and for this one rule as it stands. Of a cohort, where another sample gives another "
        "shift, they can be too narrow. With the shift taken from either end of that interval the "
        "net benefit per row would change: {changes}."
    ).format(
        prevalence=point(own),
        coverage=coverage(result.confidence),
        interval=interval(own.low, own.high),
        changes=changes,
    )
    evidence: Evidence = {"sample_prevalence": own}
    evidence |= {_("largest change, {name}").format(name=name): most for name, _row, most in moved}
    title = _("The shift of recalibrated scores is taken as known")
    limits = _("A change within the interval of the prevalence is no interval of the net benefit.")
    summary = _("Right for a case-control sample; of a cohort intervals can be too narrow.")
    yield Finding("DCA-011", "note", title, statement, evidence, limits, summary)


def self_check_tolerance(resamples: int) -> float:
    """Return how far bootstrap over analytic standard error may lie from 1.

    A standard error from B resamples itself has the relative standard error 1 / sqrt(2 B); four of
    those, and 0.05 for the difference that first-order formulas leave in small samples.
    """
    return 0.05 + 4 / math.sqrt(2 * resamples)


def _self_check(result: DcaResult) -> Iterator[Finding]:
    allowed = self_check_tolerance(result.resamples)
    for row in result.self_check:
        ends = _ends(row)
        if ends is None or (ends[0] >= 1 - allowed and ends[1] <= 1 + allowed):
            continue
        name = _(row.model) if row.model in (TREAT_ALL, TREAT_NONE) else row.model
        found = {"low": number(ends[0]), "high": number(ends[1])}
        statement = _(
            "For {name} ({probabilities}) the bootstrap standard error is {low} to {high} times "
            "the analytic one over {n} thresholds; {resamples} resamples explain {least} to {most}."
        ).format(
            **found,
            name=quoted(name),
            probabilities=_(row.probabilities),
            n=row.thresholds_checked,
            resamples=result.resamples,
            least=number(1 - allowed),
            most=number(1 + allowed),
        )
        title = _("{name}: standard errors disagree").format(name=name)
        yield Finding(
            "DCA-008",
            "warn",
            titled(title, result, row.probabilities),
            statement,
            {"ratio_low": ends[0], "ratio_high": ends[1], "allowed": allowed},
            _("The analytic error is of first order; in small samples it may be the wrong one."),
            summary=_("Bootstrap over analytic: {low} to {high}.").format(**found),
        )


def _ends(row: SelfCheckRow) -> tuple[float, float] | None:
    if row.ratio_low is None or row.ratio_high is None:
        return None
    return row.ratio_low, row.ratio_high
