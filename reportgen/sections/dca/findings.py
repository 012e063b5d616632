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
from reportgen.sections.dca.verdicts import FEWEST
from reportgen.wording import (
    coverage,
    fixed,
    interval_decimals,
    number,
    quoted,
    rows_left_out,
    rows_of_units,
    sided_decimals,
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
        *_self_check(result),
    )


def not_assessable(data: Data, reason: str) -> Outcome:
    """Return the outcome of a section that could not be assessed."""
    statement = f"Decision curves could not be assessed: {reason}."
    finding = Finding("DCA-009", "warn", "Decision curves not assessable", statement)
    return Outcome(NotApplicable(reason), (finding, *_left_out(data), *_few_values(data)))


def _verdict(result: DcaResult, row: VerdictRow) -> Finding:
    code, severity, title = _GRADES[row.verdict]
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
    )


_GRADES: dict[Verdict, tuple[str, Severity, str]] = {
    "supported": ("DCA-001", "pass", "use supported over the stated range"),
    "not supported": ("DCA-002", "fail", "use not supported over the stated range"),
    "undecided": ("DCA-003", "warn", "undecided over the stated range"),
}


def _between(result: DcaResult, row: VerdictRow) -> Finding:
    claim = f"a higher net benefit of {quoted(row.model)} than of {quoted(row.against)}"
    statement, evidence = _claimed(result, row, claim)
    title = f"{row.model} against {row.against}: {row.verdict}"
    evidence = {"model": row.model, "against": row.against, **evidence}
    return Finding("DCA-010", "note", title, statement, evidence, LIMITS)


def _claimed(result: DcaResult, row: VerdictRow, claim: str) -> tuple[str, Evidence]:
    """Return the sentences of a verdict on a claim, and what they rest on."""
    weakest = _weakest(_gains(result, row), row.verdict)
    statement = (
        f"{_scope(result, row)}, {claim} is {row.verdict}: {row.reason}. "
        f"{_figure(weakest, result)} {_basis(result)}"
    )
    return statement, _evidence(row, weakest)


def _gains(result: DcaResult, row: VerdictRow) -> list[GainRow]:
    wanted = (row.model, row.against, row.probabilities)
    return [g for g in result.gains if (g.model, g.against, g.probabilities) == wanted]


def _weakest(gains: list[GainRow], verdict: Verdict) -> GainRow:
    """Return the threshold the verdict hangs on: the lowest limit, upper if not supported."""
    judged = [gain for gain in gains if gain.verdict is not None] or gains

    def rank(gain: GainRow) -> float:
        limit = gain.simultaneous_high if verdict == "not supported" else gain.simultaneous_low
        return math.inf if limit is None else limit

    deciding = [gain for gain in judged if gain.verdict == verdict] or judged
    return min(deciding, key=rank)


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


def _figure(row: GainRow, result: DcaResult) -> str:
    at, gain = f"At {typed(row.threshold)} the gain is", row.gain
    if gain.estimate is None:
        return f"{at} {gain.reason}."
    if gain.low is None or gain.high is None:
        return f"{at} {number(gain.estimate)}, without an interval ({gain.reason})."
    band = [limit for limit in (row.simultaneous_low, row.simultaneous_high) if limit is not None]
    decimals = interval_decimals(gain.low, gain.high)
    if decimals is not None:
        # The verdict says on which side of 0 the limits lie: the reader must be able to see it.
        decimals = sided_decimals(decimals, gain.low, gain.high, *band)

    def written(value: float) -> str:
        return number(value) if decimals is None else fixed(value, decimals)

    share = coverage(result.confidence)
    limits = f"{share} interval {written(gain.low)} to {written(gain.high)}"
    if len(band) == 2:
        limits += f"; simultaneous {share} limits {written(band[0])} to {written(band[1])}"
    return f"{at} {written(gain.estimate)} ({limits}) net true positives per row."


def _evidence(row: VerdictRow, weakest: GainRow) -> Evidence:
    evidence: Evidence = {
        "probabilities": row.probabilities,
        "threshold": weakest.threshold,
        "gain": weakest.gain,
    }
    if weakest.simultaneous_low is not None and weakest.simultaneous_high is not None:
        evidence["simultaneous_low"] = weakest.simultaneous_low
        evidence["simultaneous_high"] = weakest.simultaneous_high
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
        "Rests on label shift: patients of one class must look alike in both populations. That "
        "cannot be checked here. The target prevalence is taken as known, and the recalibration "
        "takes the scores to be calibrated in the sample."
    )
    title = "Net benefit at a stated prevalence"
    evidence = {"sample_prevalence": own, "target_prevalence": target}
    yield Finding("DCA-007", "note", title, statement, evidence, limits)


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
        evidence = {"ratio_low": ends[0], "ratio_high": ends[1], "allowed": allowed}
        limits = "The analytic error is of first order; in small samples it may be the wrong one."
        yield Finding("DCA-008", "warn", title, statement, evidence, limits)


def _ends(row: SelfCheckRow) -> tuple[float, float] | None:
    if row.ratio_low is None or row.ratio_high is None:
        return None
    return row.ratio_low, row.ratio_high
