"""What a comparison says of the newer dossier, as findings of it.

What got worse is a *warn*: it makes a release conditional on someone having looked at it. It is
never a *fail*. A comparison says that something changed, not that it is bad: what is bad fails by
the rules of its own section, whatever it was before; and a version that is worse in one figure may
be the better one to release.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from reportgen import wording
from reportgen.comparison.regressions import (
    GRAVE,
    figure_told,
    finding_told,
    is_regression,
    named,
)
from reportgen.comparison.shape import Comparison, FigureChange
from reportgen.language import _, n_
from reportgen.result import Estimate, Finding
from reportgen.section import Code

MOST = 5
"""Figures or findings that one statement names; the comparison's own page has them all."""

CODES: tuple[Code, ...] = (
    Code(
        "CMP-001",
        ("warn",),
        "The decision is worse than in the dossier that this one is compared with, each by its own "
        "findings.",
    ),
    Code(
        "CMP-002",
        ("warn",),
        "Findings of severity fail or warn that are new, or weigh more than before; one such "
        "finding a section. Findings meet by section, code and what they are about.",
    ),
    Code(
        "CMP-003",
        ("warn",),
        "Figures that are worse: the interval of the difference excludes no change, and so does "
        "its p value after the adjustment for all figures that were weighed (Benjamini-Hochberg); "
        "one such finding a section.",
    ),
    Code(
        "CMP-004",
        ("note",),
        "What the comparison could not do: figures that stand in one dossier alone, tables whose "
        "units could not be paired, no earlier revision to compare with.",
    ),
    Code(
        "CMP-005",
        ("note",),
        "Nothing is shown to be worse. That is no proof of sameness: a change smaller than the "
        "intervals allow to see would look the same.",
    ),
)


def comparison_findings(found: Comparison) -> list[Finding]:
    """Return the findings of a comparison, what got worse first."""
    worse = [*_decision(found), *_findings(found), *_figures(found)]
    return [*(worse or [_nothing_worse(found)]), *_limits(found)]


def no_base() -> Finding:
    """Return the finding of a dossier that has no earlier revision to be compared with."""
    return Finding(
        "CMP-004",
        "note",
        _("No earlier revision to compare with"),
        _("The manifest asks for a comparison with the previous revision; there is none yet."),
        limits=_("Nothing is shown about what changed."),
    )


def _before(found: Comparison) -> str:
    """Return the older dossier in words."""
    old = found.old
    text = _("{model} {version}, revision {revision} of {date}")
    return text.format(
        model=old.model.name,
        version=old.model.version,
        revision=old.revision,
        date=wording.day(old.date),
    )


def _decision(found: Comparison) -> Iterator[Finding]:
    told = [one.statement for one in found.regressions if one.kind == "decision"]
    if told:
        text = _("Compared with {before}. {statement}")
        yield Finding(
            "CMP-001",
            "warn",
            _("The decision is worse than before"),
            text.format(before=_before(found), statement=told[0]),
            {"old": found.decision.old, "new": found.decision.new},
            _("Why is said by the findings themselves."),
        )


def _findings(found: Comparison) -> Iterator[Finding]:
    grave = [one for one in found.findings if one.new in GRAVE and one.change in ("new", "worse")]
    for section in dict.fromkeys(one.section for one in grave):
        own = [one for one in grave if one.section == section]
        title = n_(
            "{section}: {n} finding is new or worse",
            "{section}: {n} findings are new or worse",
            len(own),
        )
        yield Finding(
            "CMP-002",
            "warn",
            title.format(section=section, n=len(own)),
            _told(found, [finding_told(one) for one in own]),
            {"section": section, "new or worse": float(len(own))},
            _("Findings meet by section, code and title; a finding that is worded anew counts."),
        )


def _figures(found: Comparison) -> Iterator[Finding]:
    worse = [one for one in found.figures if is_regression(one)]
    for section in dict.fromkeys(one.section for one in worse):
        own = sorted(
            (one for one in worse if one.section == section), key=lambda one: one.p_adjusted or 0.0
        )
        title = n_("{section}: {n} figure is worse", "{section}: {n} figures are worse", len(own))
        yield Finding(
            "CMP-003",
            "warn",
            title.format(section=section, n=len(own)),
            _told(found, [figure_told(one) for one in own]),
            _differences(own[:MOST]),
            _(
                "Each interval stands alone; that so many figures were weighed is taken into "
                "account in the p values (Benjamini-Hochberg). Not every figure that is worse by "
                "its interval counts."
            ),
        )


def _differences(figures: Sequence[FigureChange]) -> dict[str, float | str | Estimate]:
    return {named(one): one.difference for one in figures}


def _told(found: Comparison, sentences: Sequence[str]) -> str:
    """Return sentences behind what they are compared with, the first of many and their number."""
    more = len(sentences) - MOST
    rest = n_("{n} more is in the comparison.", "{n} more are in the comparison.", max(more, 1))
    lead = _("Compared with {before}.").format(before=_before(found))
    tail = [rest.format(n=more)] if more > 0 else []
    return wording.sentences([lead, *sentences[:MOST], *tail])


def _nothing_worse(found: Comparison) -> Finding:
    weighed = sum(one.p_adjusted is not None for one in found.figures)
    text = n_(
        "Compared with {before}, nothing is shown to be worse: not the decision, no finding, and "
        "not the {n} figure that has a better side and an interval.",
        "Compared with {before}, nothing is shown to be worse: not the decision, no finding, and "
        "none of {n} figures that have a better side and an interval.",
        weighed,
    )
    return Finding(
        "CMP-005",
        "note",
        _("Nothing is shown to be worse"),
        text.format(before=_before(found), n=weighed),
        {"figures": float(weighed)},
        _("A change smaller than the intervals allow to see is not excluded."),
    )


def _limits(found: Comparison) -> Iterator[Finding]:
    alone = sum(one.change == "not comparable" for one in found.figures)
    apart = [one for one in found.pairing if not one.paired]
    if not alone and not apart:
        return
    counted = n_("{n} figure is not comparable.", "{n} figures are not comparable.", alone).format(
        n=alone
    )
    not_paired = [
        _("Table {table} is not paired: {reason}.").format(
            table=wording.quoted(one.table), reason=one.reason
        )
        for one in apart
    ]
    yield Finding(
        "CMP-004",
        "note",
        _("What the comparison cannot show"),
        wording.sentences([counted if alone else "", *not_paired]),
        {"not comparable": float(alone), "tables not paired": float(len(apart))},
        _(
            "Where both dossiers rest on the same patients, differences that are not paired have "
            "intervals that are too wide."
        ),
    )
