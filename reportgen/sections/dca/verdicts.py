"""Supported, not supported or undecided: at a threshold, over a run of them, over the range.

A verdict rests on the simultaneous limits of the gain, so that it holds for all thresholds of the
range at once, and on enough units behind it: with fewer than five on either side of a decision the
resamples cannot show how far the gain may vary.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from reportgen.language import _, mark
from reportgen.sections.dca.result import Verdict
from reportgen.stats.decision import TIE, FloatArray
from reportgen.stats.decision_draws import Support
from reportgen.wording import between, clauses, named, separated, typed

FEWEST = 5
"""Least number of units; see ``tests/stats/test_dca_simulation.py`` for what it buys."""

MOST_STRETCHES = 4
"""So many stretches of thresholds are named for one reason; the table of verdicts has all."""

ABOVE = mark("the simultaneous limits of the gain lie above 0")
BELOW = mark("the simultaneous limits of the gain lie below 0")
ACROSS = mark("the simultaneous limits of the gain include 0")
EVERYONE = mark("at threshold 0 everyone is treated, with the model as without it")
NO_VERDICT = mark(
    "at threshold 0 everyone is treated, with the model as without it, and there is no verdict"
)
UNKNOWN = mark("the gain has no simultaneous limits")


@dataclass(frozen=True)
class Judged:
    """A verdict at one threshold with its reason; None at threshold 0, where none is due."""

    verdict: Verdict | None
    reason: str


def shortfall(support: Support, model: int, noun: str) -> tuple[str, ...]:
    """Return, by threshold, which of FN, TP and FP of a model have too few units; "" if none."""
    return _short(
        {
            mark("a false negative"): support.false_negatives[model],
            mark("a true positive"): support.true_positives[model],
            mark("a false positive"): support.false_positives[model],
        },
        noun,
    )


def pair_shortfall(support: Support, pair: tuple[int, int], noun: str) -> tuple[str, ...]:
    """Return, by threshold, in which class two models part on too few units; "" if in none.

    The same rule as for one model: against treating all, a model parts on false negatives, and
    against treating none on true and false positives.
    """
    return _short(
        {
            mark("a positive that only one of the two flags"): support.apart_positive[pair],
            mark("a negative that only one of the two flags"): support.apart_negative[pair],
        },
        noun,
    )


def _short(counts: dict[str, np.ndarray], noun: str) -> tuple[str, ...]:
    lacking = {what: (count < FEWEST).tolist() for what, count in counts.items()}
    size = len(next(iter(lacking.values())))
    return tuple(
        _too_few([_(name) for name, short in lacking.items() if short[t]], noun)
        for t in range(size)
    )


def _too_few(what: Sequence[str], noun: str) -> str:
    """Return that fewer "rows" or "units" than needed are of each of these kinds; "" for none."""
    if not what:
        return ""
    either = _("{first} or with {next}").format(first="", next="").join(what)
    if noun == "units":
        return _("fewer than {fewest} units with {what}").format(fewest=FEWEST, what=either)
    return _("fewer than {fewest} rows with {what}").format(fewest=FEWEST, what=either)


def judge(
    thresholds: FloatArray, low: FloatArray, high: FloatArray, short: Sequence[str]
) -> tuple[Judged, ...]:
    """Return the verdict at each threshold from the simultaneous limits of the gain."""
    limits = zip(thresholds.tolist(), low.tolist(), high.tolist(), short, strict=True)
    return tuple(_judged(*limit) for limit in limits)


def _judged(threshold: float, low: float, high: float, short: str) -> Judged:
    if threshold == 0:
        return Judged(None, _(EVERYONE))
    if short:
        return Judged("undecided", _withheld(high, short))
    if np.isnan(low):
        return Judged("undecided", _(UNKNOWN))
    if low > TIE:
        return Judged("supported", _(ABOVE))
    if high < -TIE:
        return Judged("not supported", _(BELOW))
    return Judged("undecided", _(ACROSS))


def _withheld(high: float, short: str) -> str:
    """Return why there is no verdict, and if the limits would speak against the model, that."""
    if not high < -TIE:
        return short
    text = _("{short}, too few to trust the simultaneous limits of the gain, which lie below 0")
    return text.format(short=short)


def runs(judged: Sequence[Judged]) -> Iterator[tuple[int, int, Verdict, str]]:
    """Yield maximal runs of one verdict: first and last position, verdict, its reasons."""
    start = 0
    for stop in range(1, len(judged) + 1):
        if stop < len(judged) and judged[stop].verdict == judged[start].verdict:
            continue
        verdict = judged[start].verdict
        if verdict is not None:
            reasons = dict.fromkeys(one.reason for one in judged[start:stop])
            yield start, stop - 1, verdict, clauses(reasons)
        start = stop


def whole(judged: Sequence[Judged], thresholds: FloatArray) -> tuple[Verdict, str]:
    """Return one verdict for the range: supported throughout, not supported anywhere, or neither.

    Threshold 0 has no verdict and takes no part.

    Returns
    -------
    str, str
        The verdict, and its reason with the thresholds at which it is not supported or undecided.
    """
    at: dict[Verdict, list[int]] = {"supported": [], "undecided": [], "not supported": []}
    for position, one in enumerate(judged):
        if one.verdict is not None:
            at[one.verdict].append(position)
    total = sum(map(len, at.values()))
    if not total:
        return "undecided", _(NO_VERDICT)
    verdict: Verdict = "undecided"
    if at["not supported"]:
        verdict = "not supported"
    elif len(at["supported"]) == total:
        verdict = "supported"
    every = _("at every threshold above 0 {reason}")
    if total == len(judged):
        every = _("at every threshold {reason}")
    if len(at[verdict]) == total:
        reason = _why(judged, at[verdict], thresholds, every="" if total == 1 else every)
    else:
        reason = _counted(at, judged, thresholds)
    return verdict, reason if total == len(judged) else clauses((reason, _(NO_VERDICT)))


def _counted(
    at: Mapping[Verdict, Sequence[int]], judged: Sequence[Judged], thresholds: FloatArray
) -> str:
    """Return at how many thresholds each verdict holds; where and why, if it is not supported."""
    text, parts = _("{verdict} at {k} of {n} thresholds"), []
    n = sum(map(len, at.values()))
    for verdict, places in at.items():
        if not places:
            continue
        counted = text.format(verdict=_(verdict), k=len(places), n=n)
        text = _("{verdict} at {k}")
        if verdict == "undecided":
            counted = named(counted, _why(judged, places, thresholds))
        elif verdict == "not supported":
            counted = _located(counted, thresholds, places)
        parts.append(counted)
    return clauses(parts)


def _why(
    judged: Sequence[Judged], places: Sequence[int], thresholds: FloatArray, *, every: str = ""
) -> str:
    """Return the reasons at these places, each with its thresholds.

    A single one is put into `every`, if it is given.
    """
    by_reason: dict[str, list[int]] = {}
    for place in places:
        by_reason.setdefault(judged[place].reason, []).append(place)
    if len(by_reason) == 1 and (every or len(places) == len(judged)):
        return (every or "{reason}").format(reason=next(iter(by_reason)))
    return clauses(_located(reason, thresholds, held) for reason, held in by_reason.items())


def _located(text: str, thresholds: FloatArray, places: Sequence[int]) -> str:
    """Return what is said of these thresholds, with them in brackets."""
    return _("{text} ({thresholds})").format(text=text, thresholds=stretches(thresholds, places))


def stretches(thresholds: FloatArray, places: Sequence[int]) -> str:
    """Return neighbouring thresholds as people write them: "at 0.2, 0.49 to 0.5"."""
    grouped: list[list[int]] = []
    for place in places:
        if grouped and grouped[-1][-1] == place - 1:
            grouped[-1].append(place)
        else:
            grouped.append([place])
    written = []
    for group in grouped[:MOST_STRETCHES]:
        first, last = typed(float(thresholds[group[0]])), typed(float(thresholds[group[-1]]))
        written.append(first if len(group) == 1 else between(first, last))
    more = len(grouped) - MOST_STRETCHES
    if more > 0:
        text = _("at {thresholds} and {more} more stretches")
        return text.format(thresholds=separated(written), more=more)
    return _("at {thresholds}").format(thresholds=separated(written))


def deciding(
    judged: Sequence[Judged], verdict: Verdict, low: FloatArray, high: FloatArray
) -> int | None:
    """Return the position that a verdict of the range hangs on, None if no threshold is judged.

    Among the thresholds with that verdict, the one of the lowest lower limit; of the lowest upper
    limit if not supported. A threshold without limits comes last.
    """
    places = [i for i, one in enumerate(judged) if one.verdict is not None]
    same = [i for i in places if judged[i].verdict == verdict] or places
    limits = high if verdict == "not supported" else low
    return min(same, key=lambda i: np.inf if np.isnan(limits[i]) else limits[i], default=None)
