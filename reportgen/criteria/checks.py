"""What is wrong with a criterion that the manifest alone shows."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from decimal import Decimal
from typing import Any

from reportgen.criteria.catalogue import Source, metrics, sources
from reportgen.criteria.figures import SAME
from reportgen.criteria.settings import CROSSED, Criterion
from reportgen.errors import KeyFault, choose_from, unknown_name
from reportgen.settings import SectionSettings


def check_criterion(
    criterion: Criterion, sections: Mapping[str, SectionSettings], known: Iterable[str]
) -> Iterator[KeyFault]:
    """Yield a fault, its key relative to the criterion, for each mistake.

    Parameters
    ----------
    criterion : Criterion
    sections : mapping of str to SectionSettings
        The sound sections, by id.
    known : iterable of str
        Ids of all sections, sound or not: where one is in doubt, no figure is called unknown.
    """
    yield from _bounds(criterion)
    if criterion.group is not None and criterion.attribute is None:
        what = "a group is named, but not of which attribute"
        yield KeyFault(("group",), what, "add attribute, as in attribute: sex")
    ids = list(known)
    if criterion.section is not None and criterion.section not in ids:
        yield unknown_name("section", criterion.section, ids, key=("section",))
        return
    if all(name in sections for name in ids if criterion.section in (None, name)):
        yield from _figure(criterion, sections)


def _bounds(criterion: Criterion) -> Iterator[KeyFault]:
    if criterion.at_least is None and criterion.at_most is None:
        yield KeyFault((), "it has no bound", "add at_least or at_most")
    if criterion.at_least is not None and criterion.at_most is not None:
        what = "at_least and at_most stand in one criterion"
        yield KeyFault(("at_most",), what, "write two criteria, one for each bound")


def _figure(criterion: Criterion, sections: Mapping[str, SectionSettings]) -> Iterator[KeyFault]:
    """Yield what is wrong with the figure that a criterion names."""
    named = {
        name: settings for name, settings in sections.items() if criterion.section in (None, name)
    }
    offering = {
        name: settings for name, settings in named.items() if _offered(settings, criterion.metric)
    }
    if not offering:
        where = f"section {criterion.section!r}" if criterion.section else "these sections"
        offered = {m for one in named.values() for m in metrics(one.kind) if _offered(one, m)}
        what = f"no figure of {where} is called {criterion.metric!r}"
        yield KeyFault(("metric",), what, choose_from(offered, criterion.metric))
        return
    reasons = {name: list(_against(criterion, one)) for name, one in offering.items()}
    possible = [name for name, faults in reasons.items() if not faults]
    if len(possible) > 1:
        what = f"{criterion.metric} stands in the sections {', '.join(possible)}"
        yield KeyFault(("metric",), what, f"say which: section: {possible[0]}")
    elif not possible and len(offering) == 1:
        yield from next(iter(reasons.values()))
    elif not possible:
        told = "; ".join(f"{name}: {faults[0].what}" for name, faults in reasons.items())
        what = f"no section has such a {criterion.metric} ({told})"
        yield KeyFault(("metric",), what, "correct the criterion, or name the section meant")


def _offered(section: SectionSettings, metric: str) -> tuple[Source, ...]:
    """Return where a section is to hold a figure: of integrity, in the sub-audits asked for."""
    found = sources(section.kind, metric)
    if section.kind != "integrity":
        return found
    return tuple(one for one in found if getattr(section, one.rows.split(".")[0], None) is not None)


def _against(criterion: Criterion, section: SectionSettings) -> Iterator[KeyFault]:
    """Yield why a section cannot hold the figure, as far as its settings tell."""
    known = {name for one in _offered(section, criterion.metric) for name in one.selectors}
    for name in criterion.selectors:
        if name not in known:
            what = f"{criterion.metric} of a {section.kind} section is not told apart by {name}"
            yield KeyFault((name,), what, f"delete {name}; it may name {_listed(known)}")
    for name, declared in _declared(section).items():
        wanted = criterion.selectors.get(name)
        if wanted is None or not declared or any(_same(wanted, one) for one in declared):
            continue
        what = f"section {section.name!r} has no {name} {wanted!r}"
        yield KeyFault((name,), what, choose_from(map(str, declared), str(wanted)))


def _same(wanted: str | float, declared: Any) -> bool:
    if isinstance(wanted, str) or not isinstance(declared, int | float):
        return str(wanted) == str(declared)
    return abs(wanted - declared) < SAME


def _listed(names: Iterable[str]) -> str:
    return ", ".join(sorted(names)) or "nothing"


def _declared(section: SectionSettings) -> dict[str, Sequence[Any]]:
    """Return what a section's settings list, by selector; nothing where they leave it open."""
    found: dict[str, Sequence[Any]] = {}
    for name, keys in (
        ("score", ("score", "scores")),
        ("threshold", ("threshold", "thresholds")),
        ("prevalence", ("prevalences",)),
    ):
        values = [getattr(section, key, None) for key in keys]
        flat = [one for value in values for one in (value if isinstance(value, list) else [value])]
        kept = [float(x) if isinstance(x, Decimal) else x for x in flat if x is not None]
        if all(isinstance(one, str | int | float) for one in kept):
            found[name] = kept
    if section.kind == "robust":
        found["attribute"] = [getattr(section, "sensitive", None) or ""]
    groups = getattr(section, "groups", None)
    if section.kind == "frame" and isinstance(groups, list):
        named = [CROSSED.join(one) if isinstance(one, list) else one for one in groups]
        found["attribute"] = [*named, "overall"]
    return found
