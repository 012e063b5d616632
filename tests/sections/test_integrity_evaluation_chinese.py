"""What the evaluation parts of an integrity section say in Chinese: names and codes stay."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from reportgen.language import _, use
from reportgen.result import plain
from reportgen.section import Context
from reportgen.sections.integrity import IntegritySettings
from reportgen.sections.integrity.codes import CODES
from reportgen.sections.integrity.compute import compute
from reportgen.sections.integrity.evaluator_words import rule_told, title_told, tool_told
from reportgen.sections.integrity.removal_words import reason_told
from reportgen.stats.detection import CONVENTIONS
from tests.sections.test_integrity_evaluation_section import _section
from tests.support.chinese import english

PARTS = (
    "removal_effect",
    "evaluator",
    "classifier",
    "counting_heads",
    "pipeline",
    "class_map",
    "claims",
)
KEPT = ("images that show something", "images with any", "Tooth Discoloration", "PASCAL VOC")
"""Codes of results.json, and names."""


def computed(language: str, listed: int = 30) -> Any:
    inputs, settings = _section()
    ((key, columns),) = inputs.lists.items()
    inputs.lists[key] = {"image": columns["image"][:listed]}  # type: ignore[index]
    with use(language):
        context = Context(np.random.default_rng(1), 200, 0.95)
        return compute(inputs, IntegritySettings.model_validate(settings), context)


def strings(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for name, item in value.items():
            if name != "command":
                yield from strings(item)
    elif isinstance(value, list | tuple):
        for item in value:
            yield from strings(item)


def figures(value: Any) -> Any:
    """Return plain data without its texts."""
    if isinstance(value, dict):
        return {key: figures(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [figures(item) for item in value]
    return None if isinstance(value, str) else value


@pytest.mark.parametrize("listed", [30, 3])  # of three duplicates there is no interval
def test_no_english_sentence_is_left(listed: int) -> None:
    outcome = computed("zh", listed)
    parts = [plain(getattr(outcome.result, part)) for part in PARTS]
    texts = [text for part in [*parts, plain(outcome.findings)] for text in strings(part)]
    records = [plain(one) for one in outcome.result.records]
    texts += [text for one in records for text in strings(one)]
    assert len(texts) > 500
    assert [text for text in texts if english(text, allowed=KEPT)] == []


def test_figures_and_codes_are_those_of_the_english_results() -> None:
    chinese, source = computed("zh"), computed("en")
    for part in PARTS:
        one, other = plain(getattr(chinese.result, part)), plain(getattr(source.result, part))
        assert figures(one) == figures(other)
    kept = ("code", "check", "layer", "status", "grade", "analysis", "k", "n", "p", "seed")
    for one, other in zip(chinese.result.records, source.result.records, strict=True):
        assert [getattr(one, name) for name in kept] == [getattr(other, name) for name in kept]
    assert [(one.code, one.severity) for one in chinese.findings] == [
        (one.code, one.severity) for one in source.findings
    ]


def test_every_convention_and_every_code_has_its_chinese() -> None:
    with use("zh"):
        for key, one in CONVENTIONS.items():
            assert title_told(key) != f"“{one.title}”"
            assert rule_told(key) != one.rule
            assert english(tool_told(key), allowed=KEPT) == []
    with use("en"):
        for key, one in CONVENTIONS.items():
            assert title_told(key) == f"“{one.title}”"
            assert rule_told(key) == one.rule
            assert tool_told(key) == f"{one.tool} {one.version}"
    made = [code.meaning for code in CODES if code.code >= "INT-050"]
    with use("zh"):
        assert [meaning for meaning in made if english(_(meaning))] == []


def test_a_reason_of_the_statistics_keeps_its_numbers() -> None:
    said = (
        "removed images of 3 clusters and other images of 397 hold boxes that it rests on; an"
        " interval needs 10 on each side"
    )
    assert reason_told(said) == said
    with use("zh"):
        told = reason_told(said)
        assert english(told) == []
        assert [part for part in ("3 ", "397 ", "10 ") if part not in told] == []
        assert reason_told("the change is not defined") == "变化无定义"
        assert reason_told("") == ""
