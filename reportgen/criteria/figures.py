"""The figures of a run that a criterion means, looked up in the plain sections of results.json."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from reportgen import wording
from reportgen.criteria.catalogue import Sided, Source, sources
from reportgen.criteria.names import narrowed
from reportgen.criteria.settings import Criterion
from reportgen.language import _

Plain = Mapping[str, Any]
USUAL: Mapping[str, str] = {
    "attribute": "overall",
    "class": "all",
    "split": "all",
    "probabilities": "as deployed",
}
"""What is meant where a criterion does not say, if there is a figure of it."""
SAME = 1e-9
"""Thresholds and prevalences that differ by less are one."""


@dataclass(frozen=True)
class Figure:
    """One figure of a section.

    Attributes
    ----------
    section : str
        Id of the section.
    value : mapping, float or None
        An estimate as results.json holds it, or a plain number.
    reason : str
        Why there is no value, if the row says so beside it.
    selectors : mapping
        What tells it from others of the same name.
    sided : {"", "upper", "lower"}
        Whether it bounds the true figure from above or below.
    """

    section: str
    value: Plain | float | None
    reason: str
    selectors: Mapping[str, Any]
    sided: Sided = ""


def figures_named(criterion: Criterion, sections: Sequence[Plain]) -> list[Figure]:
    """Return the figures that a criterion may mean; one, if it says enough.

    Parameters
    ----------
    criterion : Criterion
    sections : sequence of mapping
        The ``sections`` of results.json.
    """
    found = [
        figure
        for section in sections
        if criterion.section in (None, section["id"])
        for source in sources(section["kind"], criterion.metric)
        for figure in figures_of(section, source, criterion.metric)
        if _meets(figure, criterion)
    ]
    for name, usual in USUAL.items():
        if name not in criterion.selectors:
            preferred = [one for one in found if one.selectors.get(name, usual) == usual]
            found = preferred or found
    return found


def _meets(figure: Figure, criterion: Criterion) -> bool:
    return all(
        name in figure.selectors and _same(figure.selectors[name], wanted)
        for name, wanted in criterion.selectors.items()
    )


def _same(met: Any, wanted: str | float) -> bool:
    if isinstance(wanted, str):
        return str(met) == wanted
    return isinstance(met, int | float) and abs(met - wanted) < SAME


def figures_of(section: Plain, source: Source, metric: str) -> Iterator[Figure]:
    """Yield the figures of a name that a source of a section holds."""
    result = section["result"]
    stem = metric.removesuffix(source.suffix) if source.suffix else metric
    whole = {name: result.get(key) for name, key in source.of_section.items()}
    for row in _rows(result, source.rows):
        named = not source.metric_key or row.get(source.metric_key) == stem
        if not named or any(row.get(key) != value for key, value in source.fixed.items()):
            continue
        key = source.value or stem
        if key in row:
            own = {name: row.get(column) for name, column in source.keys.items()}
            reason = row.get("reason") or row.get(f"{key}_reason") or ""
            lifted = source.lifted is not None and row.get(source.lifted[0]) is source.lifted[1]
            sided: Sided = "" if lifted else source.sided
            yield Figure(section["id"], row[key], str(reason), {**whole, **own}, sided)


def _rows(result: Plain, path: str) -> Sequence[Plain]:
    value: Any = result
    for part in path.split(".") if path else ():
        value = value.get(part) if isinstance(value, Mapping) else None
    if isinstance(value, Mapping):
        return [value]
    return value if isinstance(value, list) else []


def telling_apart(figures: Sequence[Figure]) -> list[str]:
    """Return the selectors in which figures differ, with their values: "threshold 0.3 or 0.5"."""
    told: list[str] = []
    sections = dict.fromkeys(one.section for one in figures)
    if len(sections) > 1:
        told.append(narrowed("section", wording.alternatives(sections)))
    for name in dict.fromkeys(name for one in figures for name in one.selectors):
        values = dict.fromkeys(str(one.selectors.get(name)) for one in figures)
        if len(values) > 1:
            listed = list(values)
            if len(listed) > 6:
                more = len(listed) - 5
                listed = [*listed[:5], _("{n} more").format(n=more)]
            told.append(narrowed(name, wording.alternatives(listed)))
    return told
