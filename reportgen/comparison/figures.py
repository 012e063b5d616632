"""The figures of two dossiers, each beside its counterpart."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from reportgen.comparison.direction import has_threshold
from reportgen.comparison.sources import DEFAULTS, sources
from reportgen.criteria.catalogue import Source
from reportgen.criteria.figures import Figure, figures_of
from reportgen.language import _
from reportgen.result import Estimate

Plain = Mapping[str, Any]
Keys = dict[str, str | float]
SCORES = ("score", "against")
"""Keys that hold the name of a score; "against" does so in a decision curve alone."""
OPERATING_POINT = "threshold"
REFERENCE = "against"
"""Key that holds the reference group of a gap."""
DIGITS = 12


@dataclass(frozen=True)
class Held:
    """A figure as a dossier holds it.

    Attributes
    ----------
    section, kind : str
        Id and kind of the section.
    rows : str
        Where in the section's result it stands.
    metric : str
    keys : mapping of str to text or number
        What tells it from others of that name.
    point : float or None
        The threshold of the whole section; two dossiers may have set it differently.
    value : Estimate
    """

    section: str
    kind: str
    rows: str
    metric: str
    keys: Mapping[str, str | float]
    point: float | None
    value: Estimate


@dataclass(frozen=True)
class Match:
    """A figure in both dossiers, or in one of them."""

    old: Held | None
    new: Held | None

    @property
    def held(self) -> Held:
        """The newer one, if there is one."""
        found = self.new or self.old
        if found is None:
            raise ValueError("a figure of neither dossier")
        return found


def matched(old: Sequence[Plain], new: Sequence[Plain]) -> list[Match]:
    """Return every figure of two dossiers, in the order of the newer one, then what it lacks.

    Figures meet by section (id and kind), name and keys; numbers among the keys by value. A section
    with one score in either dossier is taken to be about that score, whatever it is called. A gap
    whose group and reference have changed places since is turned round, with its sign.

    Parameters
    ----------
    old, new : sequence of mapping
        The ``sections`` of results.json.
    """
    renamed = _renamed(old, new)
    now = [figure for section in new for figure in held_figures(section)]
    then = [figure for section in old for figure in held_figures(section, renamed)]
    before, after = _by_identity(_as_now(then, now)), _by_identity(now)
    found = [Match(before.get(identity), figure) for identity, figure in after.items()]
    return found + [Match(figure, None) for key, figure in before.items() if key not in after]


def _as_now(then: Sequence[Held], now: Sequence[Held]) -> Iterator[Held]:
    """Yield the older figures, a gap turned round where the newer ones have it so alone.

    Without a declared reference the largest group is one, which may be another group by now.
    """
    known = {_identity(figure) for figure in now}
    for figure in then:
        turned = figure if _identity(figure) in known else _turned(figure)
        yield turned if _identity(turned) in known else figure


def _turned(figure: Held) -> Held:
    """Return a gap of a group against its reference the other way round; others as they are."""
    keys, value = dict(figure.keys), figure.value
    if figure.rows != "gaps" or not {"group", REFERENCE} <= set(keys):
        return figure
    keys["group"], keys[REFERENCE] = keys[REFERENCE], keys["group"]
    low, high, found = (
        None if one is None else -one for one in (value.high, value.low, value.estimate)
    )
    return replace(figure, keys=keys, value=replace(value, estimate=found, low=low, high=high))


def _identity(figure: Held) -> tuple[Any, ...]:
    keys = tuple((name, figure.keys[name]) for name in sorted(figure.keys))
    return (figure.section, figure.kind, figure.rows, figure.metric, keys)


def _by_identity(figures: Iterable[Held]) -> dict[tuple[Any, ...], Held]:
    seen: Counter[tuple[Any, ...]] = Counter()
    found: dict[tuple[Any, ...], Held] = {}
    for figure in figures:
        identity = _identity(figure)
        seen[identity] += 1  # rows that no key tells apart meet in their order
        found[*identity, seen[identity]] = figure
    return found


def held_figures(
    section: Plain, renamed: Mapping[tuple[str, str], str] | None = None
) -> Iterator[Held]:
    """Yield the figures of a section that are compared.

    Parameters
    ----------
    section : mapping
        As in the ``sections`` of results.json.
    renamed : mapping of (text, text) to text, optional
        Section and name of a score to the name that it goes by in the other dossier.
    """
    if "not_applicable" in section["result"]:
        return
    for source in sources(section["kind"]):
        for metric in source.names:
            for figure in figures_of(section, source, metric):
                if figure.selectors.get("score") not in DEFAULTS:
                    yield _held(section, source, metric, figure, renamed or {})


def _held(
    section: Plain,
    source: Source,
    metric: str,
    figure: Figure,
    renamed: Mapping[tuple[str, str], str],
) -> Held:
    keys: Keys = {}
    for name, value in figure.selectors.items():
        if value is None or (name == OPERATING_POINT and name in source.of_section):
            continue
        if isinstance(value, int | float):
            keys[name] = float(f"{value:.{DIGITS}g}")
        elif name in SCORES:
            keys[name] = renamed.get((section["id"], str(value)), str(value))
        else:
            keys[name] = str(value)
    of_section = OPERATING_POINT in source.of_section and has_threshold(metric)
    point = figure.selectors.get(OPERATING_POINT) if of_section else None
    return Held(
        section["id"],
        section["kind"],
        source.rows,
        metric,
        keys,
        None if point is None else float(point),
        estimate_of(figure.value, figure.reason),
    )


def estimate_of(value: Any, reason: str = "") -> Estimate:
    """Return a figure of results.json as an estimate, with the reason for what is missing."""
    if isinstance(value, Mapping):
        names = ("estimate", "low", "high", "confidence", "method", "reason")
        return Estimate(**{name: value.get(name) for name in names})
    if value is None:
        return Estimate.missing(reason or _("no value is given"))
    return Estimate(float(value), reason=_("it is given without an interval"))


def scores_of(section: Plain) -> list[str]:
    """Return the names of the scores that a section is about."""
    given = section["parameters"]
    names = given.get("scores") or given.get("score") or []
    listed = [names] if isinstance(names, str) else list(names)
    if not listed:
        rows = [*_listed(section, "curve", "model"), *_listed(section, "groups", "score")]
        rows += [section["result"]["score"]] if section["result"].get("score") else []
        listed = [name for name in dict.fromkeys(rows) if name not in DEFAULTS]
    return [str(name) for name in listed]


def _listed(section: Plain, rows: str, key: str) -> list[str]:
    found = section["result"].get(rows)
    return [row[key] for row in found if key in row] if isinstance(found, list) else []


def _renamed(old: Sequence[Plain], new: Sequence[Plain]) -> dict[tuple[str, str], str]:
    """Return the scores that go by another name now: where a section has one in either dossier."""
    after = {(section["id"], section["kind"]): scores_of(section) for section in new}
    renamed = {}
    for section in old:
        names, now = scores_of(section), after.get((section["id"], section["kind"]), [])
        if len(names) == len(now) == 1 and names != now:
            renamed[section["id"], names[0]] = now[0]
    return renamed


def without_values(match: Match) -> str:
    """Return why a figure has no counterpart, or no value on one side; "" if it has both."""
    if match.old is None:
        return _("it is not in the older dossier")
    if match.new is None:
        return _("it is not in the newer dossier")
    if match.old.value.estimate is None:
        why = _("it has no value in the older dossier: {reason}")
        return why.format(reason=match.old.value.reason)
    if match.new.value.estimate is None:
        why = _("it has no value in the newer dossier: {reason}")
        return why.format(reason=match.new.value.reason)
    return ""


def told_apart(match: Match) -> Keys:
    """Return the keys of a figure with the threshold of its section where both share it."""
    held = match.held
    points = {side.point for side in (match.old, match.new) if side is not None}
    shared = points.pop() if len(points) == 1 else None
    return dict(held.keys) | ({} if shared is None else {OPERATING_POINT: shared})


def missing_side(match: Match) -> Match:
    """Return a match in which both sides are there, the one that is not without a value."""
    gone = replace(match.held, value=Estimate.missing(without_values(match) or "-"))
    return Match(match.old or gone, match.new or gone)
