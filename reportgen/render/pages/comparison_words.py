"""What a comparison says in words: its answer, what got better, and figures by name."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from reportgen.comparison import FigureChange, FindingChange
from reportgen.comparison.names import figure_named, size_named
from reportgen.comparison.regressions import figure_told, is_regression
from reportgen.language import _, mark, n_
from reportgen.render import numbers
from reportgen.render.view import Plain
from reportgen.result import Estimate
from reportgen.wording import sentences, separated

MOST = 8
"""Findings, and figures, that the lists of what is worse and better name; the tables have all."""
CHANGES: Mapping[str, str] = {
    "better": mark("better"),
    "worse": mark("worse"),
    "changed": mark("differs"),
    "not shown": mark("not shown"),
    "same": mark("same"),
    "not comparable": mark("not comparable"),
    "new": mark("new"),
    "gone": mark("gone"),
}
"""Codes of changes, as results.json holds them, in words."""
ORDER: Mapping[str, int] = {
    name: place
    for place, name in enumerate(
        ("worse", "better", "changed", "not shown", "not comparable", "same")
    )
}
"""What stands first where not every figure can be shown."""


def change_named(code: str) -> str:
    """Return the code of a change in words."""
    return _(CHANGES[code])


def answer(comparison: Plain) -> str:
    """Return the answer in a sentence or two: the decision, and how many things got worse."""
    old, new = comparison["decision"]["old"], comparison["decision"]["new"]
    if comparison["decision"]["change"] == "same":
        decided = _("The decision stays {new}.")
    elif comparison["decision"]["change"] == "worse":
        decided = _("The decision is worse: from {old} to {new}.")
    else:
        decided = _("The decision is better: from {old} to {new}.")
    n = len(comparison["regressions"])
    worse = n_("{n} regression.", "{n} regressions.", n) if n else _("No regression is shown.")
    return sentences((decided.format(old=_(old), new=_(new)), worse.format(n=n)))


def worsenings(comparison: Plain) -> list[str]:
    """Return what got worse, in sentences: the decision, findings, then figures, a few of many."""
    listed = comparison["regressions"]
    decision, findings, figures = (
        [one["statement"] for one in listed if one["kind"] == kind]
        for kind in ("decision", "finding", "figure")
    )
    if len(figures) > MOST:  # the surest of them, which the order of the dossier does not tell
        worse = map(figure_of, ranked(comparison["figures"]))
        figures = [figure_told(one) for one in worse if is_regression(one)]
    return [*decision, *_few(findings), *_few(figures)]


def improvements(comparison: Plain) -> list[str]:
    """Return what got better, in sentences: the decision, findings, then figures, a few of many."""
    told = []
    if comparison["decision"]["change"] == "better":
        text = _("The decision by the findings went from {old} to {new}.")
        old, new = comparison["decision"]["old"], comparison["decision"]["new"]
        told.append(text.format(old=_(old), new=_(new)))
    findings = [_finding_better(one) for one in comparison["findings"] if _is_better(one)]
    better = ranked(one for one in comparison["figures"] if one["change"] == "better")
    return [*told, *_few(findings), *_few([figure_told(figure_of(one)) for one in better])]


def _few(statements: Sequence[str]) -> list[str]:
    """Return the first of several statements, and how many more there are."""
    more = len(statements) - MOST
    if more <= 0:
        return list(statements)
    rest = n_("{n} more is in the table below.", "{n} more are in the table below.", more)
    return [*statements[:MOST], rest.format(n=more)]


def _is_better(finding: Plain) -> bool:
    return finding["change"] == "better" or (
        finding["change"] == "gone" and finding["old"] in ("fail", "warn")
    )


def _finding_better(finding: Plain) -> str:
    title = finding["title"]
    if finding["new"] is None:
        text = _("Finding that is gone, {severity} before: {title}.")
        return text.format(severity=_(finding["old"]), title=title)
    text = _("Milder finding, {old} before and {new} now: {title}.")
    return text.format(old=_(finding["old"]), new=_(finding["new"]), title=title)


def ranked(rows: Iterable[Plain]) -> list[Plain]:
    """Return figures with those first that are shown to differ, the surest of them leading."""
    listed = list(rows)
    return sorted(
        listed,
        key=lambda row: (ORDER[row["change"]], row.get("p_adjusted") is None, _p(row)),
    )


def _p(row: Plain) -> float:
    p = row.get("p_adjusted")
    return 1.0 if p is None else float(p)


def name_of(row: Plain) -> str:
    """Return a figure with what it is of: "sensitivity, logistic, sex F, threshold 0.5"."""
    named = size_named if row["scale"] == "size" else figure_named
    return separated(part for part in (named(row["metric"]), row["of"]) if part)


def figure_of(row: Plain) -> FigureChange:
    """Return a row of the comparison as it was made."""
    parts: dict[str, Any] = dict(row)
    for key in ("old", "new", "difference"):
        parts[key] = Estimate(**row[key])
    return FigureChange(**parts)


def finding_of(row: Plain) -> FindingChange:
    """Return a finding of the comparison as it was made."""
    return FindingChange(**row)


def difference_written(row: Plain) -> str:
    """Return the difference of a figure with its interval; a ratio has a times sign behind it.

    Why there is no interval is said where the figure's own one is missing.
    """
    found, ratio = row["difference"], row["scale"] == "ratio"
    if found["estimate"] is not None and found.get("low") is None:
        point = numbers.number if ratio else numbers.signed
        written = _(numbers.NO_INTERVAL_HERE).format(figure=point(found["estimate"]))
    else:
        written = (numbers.estimate if ratio else numbers.signed_estimate)(found)
    return f"{written} ×" if ratio and found["estimate"] is not None else written


def paired_named(row: Plain) -> str:
    """Return whether a difference rests on the same units."""
    return _("paired") if row["paired"] else _("not paired")


def methods_named(rows: Sequence[Plain]) -> str:
    """Return how the differences of a table were had, paired ones first."""
    told = []
    for paired, text in ((True, _("Paired: {methods}.")), (False, _("Not paired: {methods}."))):
        methods = dict.fromkeys(
            row["difference"]["method"]
            for row in rows
            if row["paired"] == paired and row["difference"].get("method")
        )
        if methods:
            told.append(text.format(methods=separated(methods)))
    return sentences(told)
