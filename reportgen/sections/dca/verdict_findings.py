"""The findings on verdicts: of each model over the range, and of two models against each other."""

from __future__ import annotations

from reportgen.language import _, mark
from reportgen.result import Estimate, Finding, Severity
from reportgen.sections.dca.result import (
    AS_DEPLOYED,
    BETTER_DEFAULT,
    RECALIBRATED,
    RULE,
    DcaResult,
    GainRow,
    Verdict,
    VerdictRow,
)
from reportgen.wording import (
    coverage,
    estimate,
    interval,
    named,
    number,
    point,
    quoted,
    rows_of_units,
    sentences,
    typed,
)

Evidence = dict[str, float | str | Estimate]

LIMITS = mark(
    "Shows sampling variation of these rows only. It cannot show overfitting (scores of rows the "
    "model was fitted on), other populations or times, or whether the range of thresholds fits the "
    "decision."
)
SCORED = {
    AS_DEPLOYED: mark("{title}, scores as deployed"),
    RECALIBRATED: mark("{title}, scores recalibrated"),
}
SCOPED = {
    AS_DEPLOYED: mark("{scope}, at prevalence {prevalence} with scores as deployed"),
    RECALIBRATED: mark("{scope}, at prevalence {prevalence} with scores recalibrated"),
}
_GRADES: dict[Verdict, tuple[str, Severity, str]] = {
    "supported": ("DCA-001", "pass", mark("use supported over the stated range")),
    "not supported": ("DCA-002", "fail", mark("use not supported over the stated range")),
    "undecided": ("DCA-003", "warn", mark("undecided over the stated range")),
}


def titled(title: str, result: DcaResult, probabilities: str) -> str:
    """Return a title that tells the two kinds of scores apart, where there are two."""
    if result.target_prevalence is None:
        return title
    return _(SCORED[probabilities]).format(title=title)


def on_model(result: DcaResult, row: VerdictRow) -> Finding:
    """Return the finding on a model against the better default over the whole range."""
    code, severity, title = _GRADES[row.verdict]
    if row.probabilities == RECALIBRATED and severity != "pass":
        severity = "note"
    said = _(
        "{scope}, deciding with {model} ({rule}) against the better of treat all and treat none is "
        "{verdict}: {reason}."
    ).format(
        scope=_scope(result, row),
        model=quoted(row.model),
        rule=_(RULE),
        verdict=_(row.verdict),
        reason=row.reason,
    )
    statement, evidence = _claimed(result, row, said)
    return Finding(
        code,
        severity,
        named(row.model, titled(_(title), result, row.probabilities)),
        statement,
        {"model": row.model, **evidence},
        _(LIMITS),
        summary=_summary(result, row),
    )


def between_models(result: DcaResult, row: VerdictRow) -> Finding:
    """Return the finding on one model against another over the whole range."""
    text = _("{scope}, a higher net benefit of {model} than of {against} is {verdict}: {reason}.")
    if row.verdict == "undecided":
        text = _(
            "{scope}, whether {model} has a higher net benefit than {against} is undecided: "
            "{reason}."
        )
    said = text.format(
        scope=_scope(result, row),
        model=quoted(row.model),
        against=quoted(row.against),
        verdict=_(row.verdict),
        reason=row.reason,
    )
    statement, evidence = _claimed(result, row, said)
    title = _("{model} against {against}: {verdict}").format(
        model=row.model, against=row.against, verdict=_(row.verdict)
    )
    return Finding(
        "DCA-010",
        "note",
        titled(title, result, row.probabilities),
        statement,
        {"model": row.model, "against": row.against, **evidence},
        _(LIMITS),
        summary=_summary(result, row),
    )


def _claimed(result: DcaResult, row: VerdictRow, said: str) -> tuple[str, Evidence]:
    """Return the sentences of a verdict that is `said`, and what they rest on."""
    gains = _gains(result, row)
    chosen = [gain for gain in gains if gain.threshold == row.deciding_threshold] or gains
    statement = sentences((said, _figure(chosen[0], row, gains, result), _basis(result)))
    return statement, _evidence(row, chosen[0], result)


def _summary(result: DcaResult, row: VerdictRow) -> str:
    """Return a verdict in a line: the gain at the threshold that it hangs on."""
    gains = _gains(result, row)
    chosen = next((g for g in gains if g.threshold == row.deciding_threshold), gains[0])
    where = {"against": _rival(row), "threshold": typed(chosen.threshold)}
    gain, low, high = chosen.gain, chosen.simultaneous_low, chosen.simultaneous_high
    bare = _("Gain in net benefit over {against} at threshold {threshold}: {figure}.")
    if gain.estimate is None:
        return bare.format(**where, figure=gain.reason)
    if low is None or high is None:
        return bare.format(**where, figure=estimate(gain))
    found = Estimate(gain.estimate, low, high, result.confidence)
    return _(
        "Gain in net benefit over {against} at threshold {threshold}: {figure} (simultaneous "
        "limits {interval})."
    ).format(**where, figure=point(found), interval=interval(low, high))


def _rival(row: VerdictRow) -> str:
    if row.against == BETTER_DEFAULT:
        return _("the better of treat all and treat none")
    return quoted(row.against)


def _gains(result: DcaResult, row: VerdictRow) -> list[GainRow]:
    wanted = (row.model, row.against, row.probabilities)
    return [g for g in result.gains if (g.model, g.against, g.probabilities) == wanted]


def _scope(result: DcaResult, row: VerdictRow) -> str:
    scope = _("At threshold {threshold}").format(threshold=typed(row.from_))
    if result.n_thresholds > 1:
        scope = _("From threshold {low} to {high} ({n} thresholds)").format(
            low=typed(row.from_), high=typed(row.to), n=result.n_thresholds
        )
    if result.target_prevalence is None:
        return scope
    text = _(SCOPED[row.probabilities])
    return text.format(scope=scope, prevalence=typed(result.target_prevalence))


def _figure(gain_row: GainRow, row: VerdictRow, gains: list[GainRow], result: DcaResult) -> str:
    """Return the gain at the threshold that the verdict hangs on, and why it is that one."""
    gain, where = gain_row.gain, _chosen(gain_row, row, gains)
    if gain.estimate is None:
        return _("{where} the gain is {reason}.").format(where=where, reason=gain.reason)
    if gain.low is None or gain.high is None:
        text = _("{where} the gain is {figure}, without an interval ({reason}).")
        return text.format(where=where, figure=number(gain.estimate), reason=gain.reason)
    limits = _("{coverage} interval {interval}")
    low, high = gain_row.simultaneous_low, gain_row.simultaneous_high
    both = {"coverage": coverage(result.confidence), "interval": interval(gain.low, gain.high)}
    if low is not None and high is not None:
        limits = _("{coverage} interval {interval}; simultaneous {coverage} limits {limits}")
        both["limits"] = interval(low, high)
    return _("{where} the gain is {figure} ({limits}) net true positives per row.").format(
        where=where, figure=point(gain), limits=limits.format(**both)
    )


def _chosen(gain_row: GainRow, row: VerdictRow, gains: list[GainRow]) -> str:
    """Return why the sentence is about this threshold."""
    at = typed(gain_row.threshold)
    judged = [gain for gain in gains if gain.verdict is not None]
    if len(judged) < 2 or gain_row.simultaneous_low is None:
        return _("At {threshold}").format(threshold=at)
    same = [gain for gain in judged if gain.verdict == row.verdict]
    text = _reach(row.verdict, every=len(same) == len(judged))
    return text.format(verdict=_(row.verdict), threshold=at)


def _reach(verdict: Verdict, *, every: bool) -> str:
    """Return why a verdict hangs on a threshold, where all or only some have that verdict."""
    if verdict == "not supported":
        if every:
            return _("The lowest upper simultaneous limit is that at {threshold}; there")
        return _(
            "Of the thresholds where it is {verdict}, the lowest upper simultaneous limit is that "
            "at {threshold}; there"
        )
    if every:
        return _("The lowest lower simultaneous limit is that at {threshold}; there")
    return _(
        "Of the thresholds where it is {verdict}, the lowest lower simultaneous limit is that at "
        "{threshold}; there"
    )


def _evidence(row: VerdictRow, gain_row: GainRow, result: DcaResult) -> Evidence:
    evidence: Evidence = {
        "probabilities": row.probabilities,
        "threshold": gain_row.threshold,
        "gain": gain_row.gain,
    }
    low, high = gain_row.simultaneous_low, gain_row.simultaneous_high
    if gain_row.gain.estimate is not None and low is not None and high is not None:
        evidence["gain_with_simultaneous_limits"] = Estimate(
            gain_row.gain.estimate,
            low,
            high,
            result.confidence,
            _("sup-t over the thresholds"),
        )
    return evidence


def _basis(result: DcaResult) -> str:
    rows = rows_of_units(result.n_rows, result.n_units, result.unit)
    if result.n_positive is None:
        return _("Basis: {rows}.").format(rows=rows)
    text = _("Basis: {rows}, {positive} rows positive.")
    return text.format(rows=rows, positive=result.n_positive)
