"""The finding on what else than moves of the features could take a gap past its tolerance."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from reportgen.language import _, n_
from reportgen.result import Finding
from reportgen.sections.robust.result import RobustResult, ThreatRow
from reportgen.sections.robust.wording import gap, sized, words_of
from reportgen.stats.robust.gaps import MEASURES
from reportgen.wording import clauses, fixed

MOST_THREATS = 4
"""Threats past the tolerance that a sentence names; the table has them all."""


def threats(result: RobustResult) -> Iterator[Finding]:
    """Yield the finding on the threats whose worst case is known, if any is."""
    known = [row for row in result.other_threats if not row.reason]
    if not known:
        return
    tolerance = {row.metric: row.tolerance for row in result.risk_list}
    past = [
        (abs(row.found - tolerance[row.metric]), row)
        for row in known
        if row.found is not None and MEASURES[row.metric].exceeds(row.found, tolerance[row.metric])
    ]
    gravest = [row for _far, row in sorted(past, key=lambda one: -one[0])[:MOST_THREATS]]
    statement, summary = _past_tolerance(len(past), len(known))
    yield Finding(
        "ROB-009",
        "note",
        _("Other threats"),
        _with_gravest(statement, gravest, len(past) - len(gravest)),
        {"threats": float(len(known)), "past tolerance": float(len(past))},
        _("Worst cases of the declared sizes: what such errors do at random is less."),
        summary=summary,
    )


def _past_tolerance(k: int, n: int) -> tuple[str, str]:
    """Return how many of the threats take a gap past its tolerance, to go on from and alone."""
    if k:
        statement = n_(
            "Of {n} threat in declared sizes, {k} can take a gap past its tolerance",
            "Of {n} threats in declared sizes, {k} can take a gap past its tolerance",
            n,
        )
        summary = n_(
            "{k} of {n} threat in declared sizes can take a gap past its tolerance.",
            "{k} of {n} threats in declared sizes can take a gap past its tolerance.",
            n,
        )
    else:
        statement = n_(
            "Of {n} threat in declared sizes, none can take a gap past its tolerance",
            "Of {n} threats in declared sizes, none can take a gap past its tolerance",
            n,
        )
        summary = n_(
            "None of {n} threat in declared sizes can take a gap past its tolerance.",
            "None of {n} threats in declared sizes can take a gap past its tolerance.",
            n,
        )
    written = {"k": str(k), "n": fixed(n, 0)}
    return statement.format(**written), summary.format(**written)


def _with_gravest(statement: str, gravest: Sequence[ThreatRow], more: int) -> str:
    if not gravest:
        return _("{statement}.").format(statement=statement)
    cases = clauses(
        _("{threat}, {metric} {gap}").format(
            threat=sized(row), metric=words_of(row.metric), gap=gap(row.found)
        )
        for row in gravest
    )
    text = (
        _("{statement}: {cases}; and {more} more: table.") if more else _("{statement}: {cases}.")
    )
    return text.format(statement=statement, cases=cases, more=more)
