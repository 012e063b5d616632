"""What got worse, in sentences."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from reportgen import wording
from reportgen.comparison.names import figure_named, size_named
from reportgen.comparison.shape import (
    DecisionChange,
    FigureChange,
    FindingChange,
    Regression,
)
from reportgen.criteria.findings import capital
from reportgen.language import _, mark
from reportgen.result import Severity

GRAVE: tuple[Severity, ...] = ("fail", "warn")
WORDS: Mapping[str, str] = {
    "release": mark("release"),
    "conditional": mark("conditional"),
    "hold": mark("hold"),
    "fail": mark("fail"),
    "warn": mark("warn"),
    "note": mark("note"),
    "pass": mark("pass"),
}
"""Decisions and severities, in words."""


def regressions(
    decision: DecisionChange,
    findings: Iterable[FindingChange],
    figures: Iterable[FigureChange],
) -> Iterator[Regression]:
    """Yield what got worse: the decision, then findings, then figures, in their order.

    A finding counts if it is fail or warn and is new or weighs more than before; a figure if it is
    worse and its adjusted p value is at most 1 - confidence.
    """
    if decision.change == "worse":
        text = _("The decision by the findings went from {old} to {new}.")
        old, new = _(WORDS[decision.old]), _(WORDS[decision.new])
        yield Regression("decision", "", text.format(old=old, new=new))
    for finding in findings:
        if finding.new in GRAVE and finding.change in ("new", "worse"):
            yield Regression("finding", finding.section, finding_told(finding))
    for figure in figures:
        if is_regression(figure):
            yield Regression("figure", figure.section, figure_told(figure))


def is_regression(figure: FigureChange) -> bool:
    """Return whether a figure is worse after all figures were taken into account."""
    level = 1 - (figure.difference.confidence or 1.0)
    return figure.change == "worse" and figure.p_adjusted is not None and figure.p_adjusted <= level


def finding_told(finding: FindingChange) -> str:
    """Return a finding that is new or worse, in a sentence."""
    new = _(WORDS[finding.new or "note"])
    if finding.old is None:
        return _("New finding, {severity}: {title}.").format(severity=new, title=finding.title)
    text = _("Worse finding, {old} before and {new} now: {title}.")
    return text.format(old=_(WORDS[finding.old]), new=new, title=finding.title)


def figure_told(figure: FigureChange) -> str:
    """Return a figure in both dossiers with its difference, in a sentence."""
    text = {
        "difference": _("{figure}: {old} before, {new} now; difference {difference}, {how}."),
        "size": _(
            "{figure}: the gap was {old} and is {new} now; difference of sizes {difference}, {how}."
        ),
        "ratio": _("{figure}: {old} before, {new} now; {difference} times as large, {how}."),
    }[figure.scale]
    return text.format(
        figure=capital(named(figure)),
        old=wording.point(figure.old),
        new=wording.point(figure.new),
        difference=wording.estimate(figure.difference),
        how=_("paired") if figure.paired else _("not paired"),
    )


def named(figure: FigureChange) -> str:
    """Return a figure with what it is of: "sensitivity, logistic, sex F, threshold 0.5"."""
    name = figure_named if figure.scale != "size" else size_named
    return wording.separated(filter(None, (name(figure.metric), figure.of)))
