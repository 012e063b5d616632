"""Every figure that a criterion may name is one that its section's result can hold."""

from __future__ import annotations

from dataclasses import fields, is_dataclass
from typing import Any, get_args, get_type_hints

import pytest

from reportgen.criteria.catalogue import CATALOGUE, Source, metrics
from reportgen.schema import result_type
from reportgen.sections import SECTIONS
from reportgen.stats.robust.gaps import MEASURES

CASES = [(section, source) for section in SECTIONS for source in CATALOGUE[section.kind]]


def row_type(hint: Any) -> Any:
    """The dataclass inside tuples and unions."""
    if is_dataclass(hint):
        return hint
    inner = [one for one in get_args(hint) if one not in (type(None), ...)]
    return row_type(inner[0]) if inner else hint


def names(shape: Any) -> set[str]:
    return {one.name.rstrip("_") for one in fields(shape)}


@pytest.mark.parametrize(
    ("section", "source"), CASES, ids=lambda x: x.rows if isinstance(x, Source) else x.kind
)
def test_rows_and_keys_are_there(section: Any, source: Source) -> None:
    root = result_type(section)
    shape: Any = root
    for part in source.rows.split(".") if source.rows else ():
        hints = {key.rstrip("_"): hint for key, hint in get_type_hints(shape).items()}
        shape = row_type(hints[part])
    wanted = {*source.keys.values(), *source.fixed}
    wanted |= {source.metric_key} if source.metric_key else set()
    if source.value:
        wanted.add(source.value)
    elif not source.metric_key:
        wanted |= set(source.metrics)
    wanted |= {source.lifted[0]} if source.lifted else set()
    assert wanted <= names(shape)
    assert set(source.of_section.values()) <= names(root)


def test_every_kind_of_section_offers_figures() -> None:
    assert set(CATALOGUE) == {section.kind for section in SECTIONS}
    assert all(metrics(section.kind) for section in SECTIONS)


def test_the_worst_gaps_are_measures_of_robust_sections() -> None:
    worst = [name.removesuffix("_worst") for name in metrics("robust") if "_worst" in name]
    assert set(worst) <= set(MEASURES)
    ratios = [one for one in CATALOGUE["robust"] if one.sided == "lower" and one.rows == "gaps"]
    assert all(MEASURES[name].falls for one in ratios for name in one.metrics)
    gaps = [one for one in CATALOGUE["robust"] if one.sided == "upper"]
    assert not any(MEASURES[name].falls for one in gaps for name in one.metrics)
