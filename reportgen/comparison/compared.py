"""The whole comparison of two results.json."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Literal

from reportgen.comparison.changes import figure_changes
from reportgen.comparison.figures import Match
from reportgen.comparison.findings import finding_changes, own_findings
from reportgen.comparison.lists import input_changes, manifest_changes, package_changes
from reportgen.comparison.regressions import regressions
from reportgen.comparison.shape import Comparison, DecisionChange, ModelNamed, Pairing, Side
from reportgen.result import Estimate

Plain = Mapping[str, Any]
Decision = Literal["release", "conditional", "hold"]
ORDER: tuple[Decision, ...] = ("release", "conditional", "hold")


def compared(
    old: Plain,
    new: Plain,
    matches: Sequence[Match],
    *,
    paired: Mapping[int, Estimate],
    pairing: Iterable[Pairing],
) -> Comparison:
    """Return the comparison of two dossiers.

    Parameters
    ----------
    old, new : mapping
        results.json; the newer one may be unpublished, its revision and digest open.
    matches : sequence of Match
        The figures of both, as `figures.matched` gives them.
    paired : mapping of int to Estimate
        By place among the matches, differences between the same units.
    pairing : iterable of Pairing
        Which tables were paired, and why others were not.
    """
    decision = _decision(decision_of(old), decision_of(new))
    findings = finding_changes(old, new)
    figures = figure_changes(matches, paired)
    return Comparison(
        old=_side(old),
        new=_side(new),
        pairing=tuple(pairing),
        decision=decision,
        findings=tuple(findings),
        figures=tuple(figures),
        inputs=tuple(input_changes(old, new)),
        manifest=tuple(manifest_changes(old, new)),
        packages=tuple(package_changes(old, new)),
        regressions=tuple(regressions(decision, findings, figures)),
    )


def decision_of(data: Plain) -> Decision:
    """Return the decision by a dossier's own findings, those of a comparison left aside."""
    severities = {one["severity"] for one in own_findings(data)}
    if "fail" in severities:
        return "hold"
    return "conditional" if "warn" in severities else "release"


def _decision(old: Decision, new: Decision) -> DecisionChange:
    before, after = ORDER.index(old), ORDER.index(new)
    if before == after:
        return DecisionChange(old, new, "same")
    return DecisionChange(old, new, "worse" if after > before else "better")


def _side(data: Plain) -> Side:
    cover = data["dossier"]
    return Side(
        title=cover["title"],
        model=ModelNamed(cover["model"]["name"], cover["model"]["version"]),
        date=cover["date"],
        revision=cover["revision"],
        digest=None if cover["revision"] is None else cover["digest"],
        decision=decision_of(data),
    )
