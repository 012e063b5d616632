"""The finding on a kind of error of which none was seen: that is no evidence of its absence."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from reportgen.language import _, mark
from reportgen.result import Finding
from reportgen.sections.prevalence.points import Point, Side
from reportgen.sections.prevalence.result import PrevalenceResult
from reportgen.sections.prevalence.wording import at, titled
from reportgen.stats.proportions import wilson
from reportgen.wording import coverage, number


def zero_errors(result: PrevalenceResult, points: Sequence[Point]) -> Iterator[Finding]:
    """Yield a finding for each threshold and kind of error of which none was seen."""
    for point in points:
        se, sp = point.sides
        if sp.value == 1 and se.value:
            yield _zero(result, point, sp, "precision")
        if se.value == 1 and sp.value:
            yield _zero(result, point, se, "npv")


class _Errors(NamedTuple):
    """What is said of a kind of error that was not seen, each a marked message."""

    title: str
    statement: str
    rate: str
    upper: str
    lowest: str
    lowest_name: str


_NO_ERRORS = {
    "precision": _Errors(
        mark("No false positives seen"),
        mark(
            "there were no false positives. A precision of 1 at any prevalence is not shown: "
            "{bound}."
        ),
        mark(
            "the false positive rate may be as high as {upper} (upper limit of the {coverage} "
            "Wilson interval{how})"
        ),
        mark("false positive rate, upper limit"),
        mark("{bound}, and the precision as low as {lowest} at the stated prevalences"),
        mark("lowest limit of the precision"),
    ),
    "npv": _Errors(
        mark("No false negatives seen"),
        mark(
            "there were no false negatives. A negative predictive value of 1 at any prevalence is "
            "not shown: {bound}."
        ),
        mark(
            "the false negative rate may be as high as {upper} (upper limit of the {coverage} "
            "Wilson interval{how})"
        ),
        mark("false negative rate, upper limit"),
        mark(
            "{bound}, and the negative predictive value as low as {lowest} at the stated "
            "prevalences"
        ),
        mark("lowest limit of the negative predictive value"),
    ),
}


def _zero(result: PrevalenceResult, point: Point, side: Side, metric: str) -> Finding:
    words = _NO_ERRORS[metric]
    evidence: dict[str, float] = {}
    bound = _("no counts were published, so how far it may be off is unknown")
    if side.counts is not None:
        upper = 1 - wilson(side.counts, confidence=result.confidence)[0]
        lows = [
            row.value.low
            for row in result.rows
            if row.metric == metric and row.threshold == point.threshold
        ]
        evidence = {_(words.upper): upper}
        bound = _(words.rate).format(
            upper=number(upper), coverage=coverage(result.confidence), how=point.how
        )
        if all(low is not None for low in lows):
            lowest = min(low for low in lows if low is not None)
            evidence[_(words.lowest_name)] = lowest
            bound = _(words.lowest).format(bound=bound, lowest=number(lowest))
    return Finding(
        "PRV-004",
        "warn",
        titled(_(words.title), point.threshold),
        at(point.threshold, _(words.statement).format(bound=bound)),
        evidence,
        _("Absence of errors in a sample is no evidence of their absence elsewhere."),
    )
