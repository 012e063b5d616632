"""The sentences a reader of a decision curve section must see."""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np

from reportgen.result import Estimate, Finding, NotApplicable, Outcome, Severity
from reportgen.section import Code
from reportgen.sections.dca.analysis import Data
from reportgen.sections.dca.result import (
    AS_DEPLOYED,
    BETTER_DEFAULT,
    RECALIBRATED,
    RULE,
    DcaResult,
    GainRow,
    SelfCheckRow,
    Verdict,
    VerdictRow,
)
from reportgen.sections.dca.settings import Grid
from reportgen.sections.dca.shift import largest_change
from reportgen.sections.dca.verdicts import FEWEST
from reportgen.wording import (
    coverage,
    estimate,
    interval,
    number,
    point,
    quoted,
    rows_left_out,
    rows_of_units,
    typed,
)

CODES: tuple[Code, ...] = (
    Code(
        "DCA-001",
        ("pass",),
        "Supported: over the whole stated range the simultaneous limits of the model's gain in net "
        "benefit over the better of treat all and treat none lie above 0, with at least "
        f"{FEWEST} units behind every threshold.",
    ),
    Code(
        "DCA-002",
        ("fail", "note"),
        "Not supported: somewhere in the stated range the simultaneous limits of the gain lie "
        "below 0. A note where it concerns recalibrated scores, which are not the ones in use.",
    ),
    Code(
        "DCA-003",
        ("warn", "note"),
        "Undecided: neither supported throughout nor not supported anywhere. A note where it "
        "concerns recalibrated scores.",
    ),
    Code(
        "DCA-004",
        ("note",),
        "The range of thresholds has no owner or no reason: nobody has said which trade-off "
        "between missed cases and needless treatments the decision allows.",
    ),
    Code(
        "DCA-005",
        ("note", "warn"),
        "Rows without outcome or score were left out; a warning above 5 % of the rows.",
    ),
    Code(
        "DCA-006",
        ("warn", "note"),
        "A score is constant (warn: it only ever repeats a default strategy) or takes two values "
        "(note: its curve is a straight line between them).",
    ),
    Code(
        "DCA-007",
        ("note",),
        "Net benefit is carried to a stated prevalence, which assumes label shift; scores as "
        "deployed are not calibrated to it.",
    ),
    Code(
        "DCA-008",
        ("warn",),
        "The self-check failed: bootstrap and analytic standard errors differ by more than the "
        "number of resamples explains.",
    ),
    Code(
        "DCA-009",
        ("warn",),
        "The section could not be assessed: no rows, one class only, or follow-up that ends before "
        "the horizon.",
    ),
    Code("DCA-010", ("note",), "How two models compare, in pairs, over the stated range."),
    Code(
        "DCA-011",
        ("note",),
        "The shift of recalibrated scores is taken as known though it comes from this sample's "
        "prevalence: of a cohort their intervals can be too narrow. How far the curve hangs on it.",
    ),
)

Evidence = dict[str, float | str | Estimate]

LIMITS = (
    "Shows sampling variation of these rows only. It cannot show overfitting (scores of rows the "
    "model was fitted on), other populations or times, or whether the range of thresholds fits the "
    "decision."
)


def findings(result: DcaResult, data: Data, grid: Grid) -> tuple[Finding, ...]:
    """Return every finding of a section that could be assessed."""
    return (
        *(_verdict(result, row) for row in result.overall),
        *(_between(result, row) for row in result.between_models),
        *_no_owner(grid),
        *_left_out(data),
        *_few_values(data),
        *_target(result),
        *_shift(result),
        *_self_check(result),
    )


def not_assessable(data: Data, reason: str) -> Outcome:
    """Return the outcome of a section that could not be assessed."""
    statement = f"Decision curves could not be assessed: {reason}."
    finding = Finding("DCA-009", "warn", "Decision curves not assessable", statement)
    return Outcome(NotApplicable(reason), (finding, *_left_out(data), *_few_values(data)))


def _verdict(result: DcaResult, row: VerdictRow) -> Finding:
    code, severity, title = _GRADES[row.verdict]
    if result.target_prevalence is not None:
        title += f", scores {row.probabilities}"
    if row.probabilities == RECALIBRATED and severity != "pass":
        severity = "note"
    claim = f"deciding with {quoted(row.model)} ({RULE}) against the {BETTER_DEFAULT}"
    statement, evidence = _claimed(result, row, claim)
    return Finding(
        code,
        severity,
        f"{row.model}: {title}",
        statement,
        {"model": row.model, **evidence},
        LIMITS,
        summary=_summary(result, row),
    )


_GRADES: dict[Verdict, tuple[str, Severity, str]] = {
    "supported": ("DCA-001", "pass", "use supported over the stated range"),
    "not supported": ("DCA-002", "fail", "use not supported over the stated range"),
    "undecided": ("DCA-003", "warn", "undecided over the stated range"),
}


def _between(result: DcaResult, row: VerdictRow) -> Finding:
    claim = f"a higher net benefit of {quoted(row.model)} than of {quoted(row.against)}"
    if row.verdict == "undecided":
        claim = f"whether {quoted(row.model)} has a higher net benefit than {quoted(row.against)}"
    statement, evidence = _claimed(result, row, claim)
    title = f"{row.model} against {row.against}: {row.verdict}"
    if result.target_prevalence is not None:
        title += f", scores {row.probabilities}"
    evidence = {"model": row.model, "against": row.against, **evidence}
    return Finding(
        "DCA-010", "note", title, statement, evidence, LIMITS, summary=_summary(result, row)
    )


def _claimed(result: DcaResult, row: VerdictRow, claim: str) -> tuple[str, Evidence]:
    """Return the sentences of a verdict on a claim, and what they rest on."""
    gains = _gains(result, row)
    chosen = [gain for gain in gains if gain.threshold == row.deciding_threshold] or gains
    statement = (
        f"{_scope(result, row)}, {claim} is {row.verdict}: {row.reason}. "
        f"{_figure(chosen[0], row, gains, result)} {_basis(result)}"
    )
    return statement, _evidence(row, chosen[0], result)


def _summary(result: DcaResult, row: VerdictRow) -> str:
    """Return a verdict in a line: the gain at the threshold that it hangs on."""
    gains = _gains(result, row)
    chosen = next((g for g in gains if g.threshold == row.deciding_threshold), gains[0])
    where = f"Gain in net benefit over {_rival(row)} at threshold {typed(chosen.threshold)}"
    gain, low, high = chosen.gain, chosen.simultaneous_low, chosen.simultaneous_high
    if gain.estimate is None:
        return f"{where}: {gain.reason}."
    if low is None or high is None:
        return f"{where}: {estimate(gain)}."
    found = Estimate(gain.estimate, low, high, result.confidence)
    return f"{where}: {point(found)} (simultaneous limits {interval(low, high)})."


def _rival(row: VerdictRow) -> str:
    return f"the {row.against}" if row.against == BETTER_DEFAULT else quoted(row.against)


def _gains(result: DcaResult, row: VerdictRow) -> list[GainRow]:
    wanted = (row.model, row.against, row.probabilities)
    return [g for g in result.gains if (g.model, g.against, g.probabilities) == wanted]


def _scope(result: DcaResult, row: VerdictRow) -> str:
    scope = f"At threshold {typed(row.from_)}"
    if result.n_thresholds > 1:
        ends = f"From threshold {typed(row.from_)} to {typed(row.to)}"
        scope = f"{ends} ({result.n_thresholds} thresholds)"
    if result.target_prevalence is None:
        return scope
    return (
        f"{scope}, at prevalence {typed(result.target_prevalence)} with scores {row.probabilities}"
    )


def _figure(gain_row: GainRow, row: VerdictRow, gains: list[GainRow], result: DcaResult) -> str:
    """Return the gain at the threshold that the verdict hangs on, and why it is that one."""
    gain = gain_row.gain
    where = f"{_chosen(gain_row, row, gains)} the gain is"
    if gain.estimate is None:
        return f"{where} {gain.reason}."
    if gain.low is None or gain.high is None:
        return f"{where} {number(gain.estimate)}, without an interval ({gain.reason})."
    share = coverage(result.confidence)
    limits = f"{share} interval {interval(gain.low, gain.high)}"
    low, high = gain_row.simultaneous_low, gain_row.simultaneous_high
    if low is not None and high is not None:
        limits += f"; simultaneous {share} limits {interval(low, high)}"
    return f"{where} {point(gain)} ({limits}) net true positives per row."


def _chosen(gain_row: GainRow, row: VerdictRow, gains: list[GainRow]) -> str:
    """Return why the sentence is about this threshold."""
    at = typed(gain_row.threshold)
    judged = [gain for gain in gains if gain.verdict is not None]
    if len(judged) < 2 or gain_row.simultaneous_low is None:
        return f"At {at}"
    which = "lowest upper" if row.verdict == "not supported" else "lowest lower"
    same = [gain for gain in judged if gain.verdict == row.verdict]
    among = "" if len(same) == len(judged) else f"Of the thresholds where it is {row.verdict}, "
    reach = f"{among}the {which} simultaneous limit is that at {at}; there"
    return reach[0].upper() + reach[1:]


def _evidence(row: VerdictRow, gain_row: GainRow, result: DcaResult) -> Evidence:
    evidence: Evidence = {
        "probabilities": row.probabilities,
        "threshold": gain_row.threshold,
        "gain": gain_row.gain,
    }
    low, high = gain_row.simultaneous_low, gain_row.simultaneous_high
    if gain_row.gain.estimate is not None and low is not None and high is not None:
        evidence["gain_with_simultaneous_limits"] = Estimate(
            gain_row.gain.estimate, low, high, result.confidence, "sup-t over the thresholds"
        )
    return evidence


def _basis(result: DcaResult) -> str:
    rows = rows_of_units(result.n_rows, result.n_units, result.unit)
    if result.n_positive is None:
        return f"Basis: {rows}."
    return f"Basis: {rows}, {result.n_positive} rows positive."


def _no_owner(grid: Grid) -> Iterator[Finding]:
    missing = [name for name, text in (("owner", grid.owner), ("reason", grid.reason)) if not text]
    if not missing:
        return
    statement = (
        f"The range of thresholds, {typed(grid.values[0])} to {typed(grid.values[-1])}, is stated "
        "without "
        f"{' and '.join(missing)}. Every verdict of this section holds for that range only."
    )
    title = f"Range of thresholds without {' and '.join(missing)}"
    limits = "A range chosen after seeing the curves would make the verdicts too favourable."
    yield Finding("DCA-004", "note", title, statement, {}, limits)


def _left_out(data: Data) -> Iterator[Finding]:
    return rows_left_out("DCA-005", data.left_out, table=data.table, n_read=data.n_read)


def _few_values(data: Data) -> Iterator[Finding]:
    for name, scores in zip(data.names, data.scores, strict=True):
        values = np.unique(scores)
        if len(values) == 1:
            statement = (
                f"Every score of {quoted(name)} is {typed(values[0])}: at each threshold it "
                "repeats treat all or treat none and cannot do better than both."
            )
            yield Finding("DCA-006", "warn", f"{name}: scores are constant", statement)
        elif len(values) == 2:
            statement = (
                f"{quoted(name)} takes only the values {typed(values[0])} and {typed(values[1])}: "
                "between them the same rows are flagged whatever the threshold."
            )
            yield Finding("DCA-006", "note", f"{name}: two distinct scores", statement)


def _target(result: DcaResult) -> Iterator[Finding]:
    own, target = result.prevalence.estimate, result.target_prevalence
    if target is None or own is None:
        return
    statement = (
        f"Net benefit is carried from the sample's prevalence {number(own)} to {typed(target)}, "
        f"keeping sensitivity and specificity. Scores {AS_DEPLOYED} say what happens if they are "
        f"used there as they are; {RECALIBRATED} scores have their prior odds shifted by the two "
        "prevalences."
    )
    limits = (
        "Rests on label shift: within each class rows must look alike in both populations. That "
        "cannot be checked here. The target prevalence is taken as known, and the recalibration "
        "takes the scores to be calibrated in the sample."
    )
    title = "Net benefit at a stated prevalence"
    evidence = {"sample_prevalence": own, "target_prevalence": target}
    summary = f"Carried from the prevalence {number(own)} of the sample to {typed(target)}."
    yield Finding("DCA-007", "note", title, statement, evidence, limits, summary)


def _shift(result: DcaResult) -> Iterator[Finding]:
    own = result.prevalence
    models = dict.fromkeys(row.model for row in result.recalibration)
    found = [(name, largest_change(result.recalibration, name)) for name in models]
    moved = [(name, *change) for name, change in found if change is not None]
    if not moved or own.estimate is None or own.low is None or own.high is None:
        return
    share = coverage(result.confidence)
    changes = "; ".join(
        f"that of {quoted(name)} by at most {number(most)}, at threshold {typed(row.threshold)}, "
        f"where it is {estimate(row.net_benefit)}"
        for name, row, most in moved
    )
    statement = (
        f"{RECALIBRATED.capitalize()} scores are shifted from the prevalence of this sample, "
        f"{point(own)} ({share} interval {interval(own.low, own.high)}), and their intervals, "
        "bands and verdicts take that shift as known. This is right where the sampling fixed the "
        "share of positives (case-control), and for this one rule as it stands. Of a cohort, "
        "where another sample gives another shift, they can be too narrow. With the shift taken "
        f"from either end of that interval the net benefit per row would change: {changes}."
    )
    evidence: Evidence = {"sample_prevalence": own}
    evidence |= {f"largest change, {name}": most for name, _, most in moved}
    title = "The shift of recalibrated scores is taken as known"
    limits = "A change within the interval of the prevalence is no interval of the net benefit."
    summary = "Right for a case-control sample; of a cohort intervals can be too narrow."
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
        statement = (
            f"For {quoted(row.model)} ({row.probabilities}) the bootstrap standard error is "
            f"{number(ends[0])} to {number(ends[1])} times the analytic one over "
            f"{row.thresholds_checked} thresholds; "
            f"{result.resamples} resamples explain {number(1 - allowed)} to {number(1 + allowed)}."
        )
        title = f"{row.model}: standard errors disagree"
        if result.target_prevalence is not None:
            title += f", scores {row.probabilities}"
        evidence = {"ratio_low": ends[0], "ratio_high": ends[1], "allowed": allowed}
        limits = "The analytic error is of first order; in small samples it may be the wrong one."
        summary = f"Bootstrap over analytic: {number(ends[0])} to {number(ends[1])}."
        yield Finding("DCA-008", "warn", title, statement, evidence, limits, summary)


def _ends(row: SelfCheckRow) -> tuple[float, float] | None:
    if row.ratio_low is None or row.ratio_high is None:
        return None
    return row.ratio_low, row.ratio_high
