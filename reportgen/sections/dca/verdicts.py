"""Supported, not supported or undecided: at a threshold, over a run of them, over the range.

A verdict rests on the simultaneous limits of the gain, so that it holds for all thresholds of the
range at once, and on enough units behind it: with fewer than five on either side of a decision the
resamples cannot show how far the gain may vary.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from reportgen.sections.dca.result import Verdict
from reportgen.stats.decision import TIE, FloatArray
from reportgen.stats.decision_draws import Support

FEWEST = 5
"""Least number of units; see ``tests/stats/test_dca_simulation.py`` for what it buys."""

ABOVE = "the simultaneous limits of the gain lie above 0"
BELOW = "the simultaneous limits of the gain lie below 0"
ACROSS = "the simultaneous limits of the gain include 0"
EVERYONE = "at threshold 0 everyone is treated, with the model as without it"
UNKNOWN = "the gain has no simultaneous limits"


@dataclass(frozen=True)
class Judged:
    """A verdict at one threshold with its reason; None at threshold 0, where none is due."""

    verdict: Verdict | None
    reason: str


def shortfall(support: Support, model: int, noun: str) -> tuple[str, ...]:
    """Return, by threshold, which of FN, TP and FP of a model have too few units; "" if none."""
    return _short(
        {
            "a false negative": support.false_negatives[model],
            "a true positive": support.true_positives[model],
            "a false positive": support.false_positives[model],
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
            "a positive that only one of the two flags": support.apart_positive[pair],
            "a negative that only one of the two flags": support.apart_negative[pair],
        },
        noun,
    )


def _short(counts: dict[str, np.ndarray], noun: str) -> tuple[str, ...]:
    lacking = {what: (count < FEWEST).tolist() for what, count in counts.items()}
    size = len(next(iter(lacking.values())))
    texts = []
    for t in range(size):
        what = [name for name, short in lacking.items() if short[t]]
        texts.append(f"fewer than {FEWEST} {noun} with {' or with '.join(what)}" if what else "")
    return tuple(texts)


def judge(
    thresholds: FloatArray, low: FloatArray, high: FloatArray, short: Sequence[str]
) -> tuple[Judged, ...]:
    """Return the verdict at each threshold from the simultaneous limits of the gain."""
    limits = zip(thresholds.tolist(), low.tolist(), high.tolist(), short, strict=True)
    return tuple(_judged(*limit) for limit in limits)


def _judged(threshold: float, low: float, high: float, short: str) -> Judged:
    if threshold == 0:
        return Judged(None, EVERYONE)
    if short:
        return Judged("undecided", short)
    if np.isnan(low):
        return Judged("undecided", UNKNOWN)
    if low > TIE:
        return Judged("supported", ABOVE)
    if high < -TIE:
        return Judged("not supported", BELOW)
    return Judged("undecided", ACROSS)


def runs(judged: Sequence[Judged]) -> Iterator[tuple[int, int, Verdict, str]]:
    """Yield maximal runs of one verdict: first and last position, verdict, its reasons."""
    start = 0
    for stop in range(1, len(judged) + 1):
        if stop < len(judged) and judged[stop].verdict == judged[start].verdict:
            continue
        verdict = judged[start].verdict
        if verdict is not None:
            reasons = dict.fromkeys(one.reason for one in judged[start:stop])
            yield start, stop - 1, verdict, "; ".join(reasons)
        start = stop


def whole(judged: Sequence[Judged]) -> tuple[Verdict, str]:
    """Return one verdict for the range: supported throughout, not supported anywhere, or neither.

    Threshold 0 has no verdict and takes no part.
    """
    verdicts = [one.verdict for one in judged if one.verdict is not None]
    if not verdicts:
        return "undecided", EVERYONE
    counts = {name: verdicts.count(name) for name in ("supported", "undecided", "not supported")}
    listed = ", ".join(f"{name} at {k}" for name, k in counts.items() if k)
    reason = f"{listed} of {len(verdicts)} thresholds"
    if counts["not supported"]:
        return "not supported", reason
    return ("supported" if counts["supported"] == len(verdicts) else "undecided"), reason
