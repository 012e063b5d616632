"""Each acceptance criterion against its figure: met, not met, undecided, or not assessable."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from reportgen import wording
from reportgen.criteria.catalogue import Sided, sources
from reportgen.criteria.figures import USUAL, Figure, figures_named, telling_apart
from reportgen.criteria.names import narrowed
from reportgen.criteria.settings import Criterion
from reportgen.language import _

Plain = Mapping[str, Any]
Verdict = Literal["pass", "fail", "undecided", "not assessable"]
Status = Literal["pre-specified", "exploratory"]
EVERY = "every group"


@dataclass(frozen=True)
class Judged:
    """One row of the criteria in results.json.

    Attributes
    ----------
    id : str
        As the manifest gives it, else ``criterion-1``, ``criterion-2``, …; with ``/F`` behind it
        where one entry speaks of every group of an attribute.
    metric : str
    section : str or None
        Id of the section that computed the figure, None if that is not known.
    selectors : mapping
        What the manifest says to narrow the figure down, and the group where it says every group.
    direction : {"at least", "at most"}
    bound : float
    bound_on : {"interval", "estimate"}
    value : mapping, float or None
        The figure: an estimate as results.json holds it, a plain number, or None.
    verdict : {"pass", "fail", "undecided", "not assessable"}
    reason : str
        Why it is undecided or not assessable, else "".
    status : {"pre-specified", "exploratory"}
        Whether a plan was pinned by its digest.
    source, why : str or None
        Where the bound comes from and why it was chosen, as the manifest says.
    left_out : bool
        Whether the section was left out of this run, so that nothing could be assessed.
    """

    id: str
    metric: str
    section: str | None
    selectors: Mapping[str, str | float]
    direction: Literal["at least", "at most"]
    bound: float
    bound_on: Literal["interval", "estimate"]
    value: Any
    verdict: Verdict
    reason: str
    status: Status
    source: str | None
    why: str | None
    left_out: bool = False


def judge(
    criteria: Sequence[Criterion],
    sections: Sequence[Plain],
    *,
    pinned: bool,
    left_out: Sequence[str] = (),
) -> list[Judged]:
    """Return the verdict on every criterion, in the order of the manifest.

    Parameters
    ----------
    criteria : sequence of Criterion
    sections : sequence of mapping
        The ``sections`` of results.json.
    pinned : bool
        Whether the plan was pinned by its SHA-256.
    left_out : sequence of str
        Ids of sections that this run did not compute.
    """
    status: Status = "pre-specified" if pinned else "exploratory"
    return [
        row
        for at, criterion in enumerate(criteria, 1)
        for row in _judge_one(
            criterion, criterion.id or f"criterion-{at}", sections, status, left_out
        )
    ]


def _judge_one(
    criterion: Criterion,
    name: str,
    sections: Sequence[Plain],
    status: Status,
    left_out: Sequence[str],
) -> Iterator[Judged]:
    found = figures_named(criterion, sections)
    groups = _every_group(criterion, found)
    if groups:
        for group, figures in groups.items():
            selectors = {**criterion.selectors, "group": group}
            yield _row(criterion, f"{name}/{group}", selectors, figures, status)
        return
    if not found:
        missing, gone = _why_missing(criterion, sections, left_out)
        yield _row(criterion, name, criterion.selectors, [], status, missing, left_out=gone)
        return
    yield _row(criterion, name, criterion.selectors, found, status)


def _every_group(criterion: Criterion, found: Sequence[Figure]) -> dict[str, list[Figure]]:
    """Return the figures by group where a criterion names an attribute and none of its groups."""
    if criterion.attribute is None or criterion.group is not None:
        return {}
    groups: dict[str, list[Figure]] = {}
    for figure in found:
        if "group" in figure.selectors:
            groups.setdefault(str(figure.selectors["group"]), []).append(figure)
    return groups


def _why_missing(
    criterion: Criterion, sections: Sequence[Plain], left_out: Sequence[str]
) -> tuple[str, bool]:
    """Return why there is no such figure, and whether a section that was left out may have it."""
    if criterion.section in left_out:
        text = _("section {section} was left out of this run (--only)")
        return text.format(section=wording.quoted(criterion.section or "")), True
    named = [one for one in sections if criterion.section in (None, one["id"])]
    for section in named:
        reason = section["result"].get("not_applicable")
        if reason and sources(section["kind"], criterion.metric):
            text = _("section {section} could not be assessed: {reason}")
            return text.format(section=wording.quoted(section["id"]), reason=reason), False
    if criterion.section is None and left_out:
        return _("no section of this run has the figure, and some were left out (--only)"), True
    said = wording.separated(narrowed(key, value) for key, value in criterion.selectors.items())
    text = {
        (False, False): _("no section has a figure of it"),
        (False, True): _("no section has a figure of it with {selectors}"),
        (True, False): _("section {section} has no figure of it"),
        (True, True): _("section {section} has no figure of it with {selectors}"),
    }[bool(criterion.section), bool(said)]
    asked = wording.quoted(criterion.section or "")
    return text.format(section=asked, selectors=said), False


def _row(
    criterion: Criterion,
    name: str,
    selectors: Mapping[str, str | float],
    figures: Sequence[Figure],
    status: Status,
    missing: str = "",
    *,
    left_out: bool = False,
) -> Judged:
    value: Any = None
    verdict: Verdict = "not assessable"
    reason = missing
    if len(figures) > 1:
        apart = wording.clauses(telling_apart(figures)) or _("its rows do not differ")
        text = _("it names {n} figures, that differ in: {apart}")
        reason = text.format(n=len(figures), apart=apart)
    elif figures:
        value = figures[0].value
        verdict, reason = verdict_on(criterion, value, figures[0].reason)
        verdict, reason = _as_far_as_shown(criterion, verdict, reason, figures[0].sided)
        selectors = {**_told(figures[0]), **selectors}
    return Judged(
        id=name,
        metric=criterion.metric,
        section=figures[0].section if len(figures) == 1 else criterion.section,
        selectors=selectors,
        direction=criterion.direction,
        bound=criterion.bound,
        bound_on=criterion.bound_on,
        value=value,
        verdict=verdict,
        reason=reason,
        status=status,
        source=criterion.source,
        why=criterion.reason,
        left_out=left_out,
    )


def verdict_on(criterion: Criterion, value: Any, reason: str = "") -> tuple[Verdict, str]:
    """Return the verdict on a figure, and why it is undecided or not assessable.

    Parameters
    ----------
    criterion : Criterion
    value : mapping, float or None
        An estimate as results.json holds it, a plain number, or None.
    reason : str
        Why there is no value, where that stands beside it.

    Notes
    -----
    On the interval: *pass* if all of it is on the right side of the bound, the bound included;
    *fail* if all of it is on the wrong side, the bound excluded; else *undecided*.
    """
    plain = not isinstance(value, Mapping)
    estimate = value if plain else value["estimate"]
    if estimate is None:
        why = reason if plain else value.get("reason")
        text = _("the figure is not estimable: {reason}")
        return "not assessable", text.format(reason=why or _("no value is given"))
    if criterion.bound_on == "estimate":
        return ("pass" if _keeps(criterion, estimate) else "fail"), ""
    low, high = (None, None) if plain else (value["low"], value["high"])
    if low is None or high is None:
        why = _("it is given without one") if plain else value.get("reason")
        text = _("the figure has no interval: {reason}; bound_on: estimate needs none")
        return "not assessable", text.format(reason=why)
    kept = [_keeps(criterion, end) for end in (low, high)]
    if all(kept):
        return "pass", ""
    return ("undecided", _("the interval holds the bound")) if any(kept) else ("fail", "")


def _told(figure: Figure) -> dict[str, str | float]:
    """Return what tells a figure though the manifest need not say it: its score, its groups."""
    told = {name: figure.selectors.get(name) for name in ("score", "attribute", "convention")}
    return {name: value for name, value in told.items() if value and value != USUAL.get(name)}


def _as_far_as_shown(
    criterion: Criterion, verdict: Verdict, reason: str, sided: Sided
) -> tuple[Verdict, str]:
    """Return a verdict, undecided where a figure that is only a bound cannot show it."""
    high = criterion.direction == "at most"
    if sided == "upper" and verdict == ("fail" if high else "pass"):
        return "undecided", _("the figure is an upper bound: the true one may be lower")
    if sided == "lower" and verdict == ("pass" if high else "fail"):
        return "undecided", _("the figure is a lower bound: the true one may be higher")
    return verdict, reason


def _keeps(criterion: Criterion, number: float) -> bool:
    bound = criterion.bound
    return number >= bound if criterion.direction == "at least" else number <= bound
