"""What the manifest alone shows to be wrong with a decision curve section; its thresholds."""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal
from typing import Any

import numpy as np
import pytest
from pydantic import ValidationError

from reportgen.errors import KeyFault, key_text
from reportgen.inputs import SurvivalLabel, TableSettings
from reportgen.inputs.settings import BinaryLabel
from reportgen.sections.dca import BETTER_DEFAULT, DcaSettings, check
from reportgen.sections.dca.settings import read_thresholds


def faults(tables: Mapping[str, TableSettings] | None = None, **settings: Any) -> list[KeyFault]:
    chosen = {"kind": "dca", "table": "test", "thresholds": [0.1], **settings}
    return list(check(DcaSettings.model_validate(chosen), tables or {"test": described()}))


def described(**changes: Any) -> TableSettings:
    label = BinaryLabel(column="y", positive=1)
    given = {"path": "t.csv", "label": label, "scores": {"logistic": "a", "forest": "b"}}
    return TableSettings.model_validate({**given, **changes})


def test_a_sound_section_has_no_faults() -> None:
    assert faults(harm={"forest": 0.01}, scores=["forest", "logistic"]) == []
    survival = SurvivalLabel(time="t", event="e", positive=1, at=1.5)
    assert faults({"test": described(label=survival)}) == []


@pytest.mark.parametrize(
    ("settings", "key", "words"),
    [
        ({"table": "tset"}, "table", "did you mean 'test'"),
        ({"scores": ["logistic", "forrest"]}, "scores[1]", "did you mean 'forest'"),
        ({"scores": ["logistic", "logistic"]}, "scores[1]", "named twice"),
        ({"scores": []}, "scores", "no score is named"),
        ({"harm": {"forrest": 0.1}}, "harm.forrest", "did you mean 'forest'"),
        ({"scores": ["logistic"], "harm": {"forest": 0.1}}, "harm.forest", "no score in use"),
        ({"harm": {"forest": -0.1}}, "harm.forest", "does not lie in [0, 1)"),
        ({"thresholds": [5]}, "thresholds[0]", "5 looks like percent: 0.05"),
        ({"thresholds": [0.1, -0.1]}, "thresholds[1]", "does not lie in [0, 1)"),
        ({"thresholds": [101]}, "thresholds[0]", "write a probability"),
        ({"thresholds": {"values": [0.1, 20]}}, "thresholds.values[1]", "0.2"),
        ({"thresholds": {"values": []}}, "thresholds.values", "empty"),
        ({"thresholds": []}, "thresholds", "empty"),
        ({"thresholds": [1]}, "thresholds", "no threshold below 1"),
        ({"thresholds": {"from": 0.1, "to": 0.5}}, "thresholds", "step is missing"),
        ({"thresholds": {}}, "thresholds", "from, to, step are missing"),
        ({"thresholds": {"from": 0.5, "to": 0.1, "step": 0.1}}, "thresholds", "above to"),
        ({"thresholds": {"from": 0.1, "to": 0.5, "step": 0}}, "thresholds.step", "nowhere"),
        ({"thresholds": {"from": 0, "to": 0.5, "step": 1e-6}}, "thresholds.step", "more than"),
        ({"thresholds": {"from": 5, "to": 50, "step": 5}}, "thresholds.from", "0.05"),
        ({"thresholds": {"from": 0.1, "values": [0.1]}}, "thresholds", "both values and"),
    ],
)
def test_faults_of_the_settings(settings: dict[str, Any], key: str, words: str) -> None:
    found = faults(**settings)
    assert key_text(found[0].key) == key
    assert words in f"{found[0].what}; {found[0].mend}"


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"label": None}, "has no label"),
        ({"scale": "score"}, "needs probabilities"),
        ({"scores": {}}, "has no scores"),
    ],
)
def test_faults_of_the_table(changes: dict[str, Any], words: str) -> None:
    found = faults({"test": described(**changes)})
    assert [key_text(fault.key) for fault in found] == ["table"]
    assert words in f"{found[0].what}; {found[0].mend}"


@pytest.mark.parametrize("name", ["Treat all", " treat none", BETTER_DEFAULT])
def test_a_score_called_like_a_default_is_named_where_it_stands(name: str) -> None:
    (found,) = faults({"test": described(scores={name: "a"})})
    assert found.below("sections", 3).key == ("tables", "test", "scores", name)
    assert "default strategy" in found.what


def test_a_ratio_is_refused_as_prevalence() -> None:
    with pytest.raises(ValidationError, match="positives: 9, negatives: 1"):
        faults(prevalence="9:1")


def thresholds_of(value: Any) -> tuple[list[float], tuple[str, ...]]:
    given = {"kind": "dca", "table": "test", "thresholds": value}
    grid = read_thresholds(DcaSettings.model_validate(given).thresholds)
    return list(grid.values), grid.notes


def test_thresholds_are_added_as_decimals() -> None:
    values, notes = thresholds_of({"from": 0.01, "to": 0.99, "step": 0.01})
    assert values == [k / 100 for k in range(1, 100)]
    assert values != np.arange(0.01, 1, 0.01).tolist()
    assert notes == ()
    assert thresholds_of([Decimal("0.3")])[0] == [0.3]


def test_thresholds_are_put_in_order() -> None:
    values, notes = thresholds_of([0.2, 0.1, 0.2, 1, 0])
    assert values == [0.0, 0.1, 0.2]
    assert [note.split(" were")[0].split(" was")[0] for note in notes] == [
        "1 repeated thresholds",
        "the thresholds",
        "threshold 1",
    ]


def test_a_step_that_misses_the_end_is_said() -> None:
    values, notes = thresholds_of({"from": 0.1, "to": 0.5, "step": 0.15})
    assert values == [0.1, 0.25, 0.4]
    assert "end at 0.40, before 0.5" in notes[0]
