"""Mistakes in the settings of a FRAME section, those that take the data among them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pytest

from reportgen.errors import InputError, KeyFault, key_text
from reportgen.inputs import Inputs, TableSettings
from reportgen.sections.frame import check, check_inputs
from tests.support.frame import run, settings_of, table_of


def described(**changes: Any) -> TableSettings:
    base: dict[str, Any] = {
        "path": "t.csv",
        "label": {"column": "y", "positive": 1},
        "scores": {"m": "p", "n": "q"},
        "groups": ["sex", "site"],
        "bins": {"age": {"edges": [0, 40, 120], "name": "age_band"}},
    }
    return TableSettings.model_validate(base | changes)


def faults(described_as: TableSettings | None = None, /, **settings: Any) -> list[KeyFault]:
    return list(check(settings_of(**settings), {"test": described_as or described()}))


def test_sound_settings_have_no_fault() -> None:
    assert faults() == []
    assert (
        faults(
            scores=["m", "n"],
            threshold=0.3,
            groups=["sex", "age_band", ["sex", "age_band"]],
            reference={"sex": "F", "sex × age_band": "F × [0, 40)"},
            required={"sex": ["F", "M"]},
            primary=["auc", "false_positive_rate"],
        )
        == []
    )


@pytest.mark.parametrize(
    ("settings", "key", "words"),
    [
        ({"margin": None}, "margin", "no margin is given"),
        ({"margin": 5.0}, "margin", "not in (0, 1)"),
        ({"table": "tset"}, "table", "'test'"),
        ({"score": "k"}, "score", "no score 'k'"),
        ({"score": "m", "scores": ["n"]}, "score", "beside scores"),
        ({"scores": ["m", "m"]}, "scores[1]", "named twice"),
        ({"scores": []}, "scores", "no score is named"),
        ({"threshold": 30.0}, "threshold", "30 % is 0.3"),
        ({"primary": []}, "primary", "no metric is named"),
        ({"primary": ["acu"]}, "primary[0]", "did you mean 'auc'?"),
        ({"primary": ["auc", "auc"]}, "primary[1]", "named twice"),
        ({"primary": ["sensitivity"]}, "primary[0]", "needs an operating point"),
        ({"groups": []}, "groups", "no attribute is named"),
        ({"groups": ["sexx"]}, "groups[0]", "did you mean 'sex'?"),
        ({"groups": ["age"]}, "groups[0]", "its bins are called 'age_band'"),
        ({"groups": ["sex", "sex"]}, "groups[1]", "stands here twice"),
        ({"groups": [["sex"]]}, "groups[0]", "two different attributes"),
        ({"groups": [["sex", "sit"]]}, "groups[0][1]", "did you mean 'site'?"),
        ({"reference": {"view": "PA"}}, "reference.view", "not an attribute of this section"),
        ({"required": {"view": ["PA"]}}, "required.view", "not an attribute of this section"),
    ],
)
def test_faults_of_the_settings(settings: dict[str, Any], key: str, words: str) -> None:
    (found,) = faults(**settings)
    assert key_text(found.key) == key
    assert words in f"{found.what}; {found.mend}"


def test_a_group_is_no_feature() -> None:
    train = {"path": "r.csv", "features": ["x", "site"], "groups": ["site"]}
    declared = described(features=["x", "site", "sex"], train=train)
    found = faults(declared, groups=["site"])
    assert [(key_text(one.key), one.absolute) for one in found] == [
        ("tables.test.features[1]", True),
        ("tables.test.train.features[1]", True),
    ]
    assert found[0].what == "'site' is a group of section frame"
    binned = described(bins={"age": {"edges": [0, 40, 120]}}, features=["age"])
    assert faults(binned, groups=["age"]) == []


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"label": None}, "has no label, so no error can be counted"),
        (
            {"label": {"time": "t", "event": "e", "positive": 1, "at": 1.0}},
            "FRAME needs a binary label",
        ),
        ({"scores": {}}, "has no scores"),
        ({"groups": [], "bins": {}}, "has no groups"),
    ],
)
def test_faults_of_the_table(changes: dict[str, Any], words: str) -> None:
    (found,) = faults(described(**changes))
    assert words in f"{found.what}; {found.mend}"


def in_data(
    columns: Mapping[str, Any], /, *, levels: Any = None, **settings: Any
) -> list[KeyFault]:
    n = len(next(iter(columns.values())))
    label, score = np.arange(n) % 2, np.linspace(0, 1, n)
    table = table_of(label, score, columns, levels=levels or {})
    return list(check_inputs(settings_of(**settings), Inputs({"test": table}, ())))


def test_a_measurement_is_no_group() -> None:
    ages = [str(20 + k) for k in range(30)]
    (found,) = in_data({"age": ages}, groups=["age"])
    assert key_text(found.key) == "groups[0]"
    assert "30 different numbers, 20 to 49" in found.what
    assert "bins: {age: {edges" in found.mend
    # Codes are numbers too: who declares them as levels has said so.
    assert in_data({"age": ages}, groups=["age"], levels={"age": ()}) == []
    assert in_data({"age": ages[:20]}, groups=["age"]) == []
    assert in_data({"site": [f"s{k}" for k in range(30)]}) == []


def test_a_reference_that_does_not_occur_lists_those_that_do() -> None:
    (found,) = in_data({"g": ["A", "B", "A", ""]}, reference={"g": "Group A"})
    assert key_text(found.key) == "reference.g"
    assert "'Group A'" in found.what
    assert "A, B, missing" in found.mend
    assert in_data({"g": ["A", "B", ""]}, reference={"g": "missing"}) == []


def test_a_required_group_occurs_or_is_declared() -> None:
    (found,) = in_data({"g": ["A", "B"]}, required={"g": ["A", "C"]})
    assert key_text(found.key) == "required.g[1]"
    assert "n = 0" in found.mend
    assert in_data({"g": ["A", "B"]}, levels={"g": ("C",)}, required={"g": ["C"]}) == []


def test_compute_refuses_what_the_check_finds() -> None:
    table = table_of([1, 0, 1, 0], [0.1, 0.2, 0.3, 0.4], {"g": list("AABB")})
    with pytest.raises(InputError, match=r"section frame: reference\.g: no row"):
        run(table, reference={"g": "C"})


def test_the_reference_is_the_largest_unless_declared() -> None:
    groups = {"a": list("xxxyyyyy") * 4, "b": list("uvuvuvuv") * 4}
    table = table_of([1, 0] * 16, np.linspace(0, 1, 32), groups)

    def references(**settings: Any) -> dict[str, str]:
        found = run(table, groups=["a", "b", ["a", "b"]], **settings).result
        return {row.attribute: row.reference for row in found.gaps}

    # Of equal sizes the first; y × v has 12 rows, y × u 8.
    assert references() == {"a": "y", "b": "u", "a × b": "y × v"}
    assert references(reference={"a": "x"})["a × b"] == "x × u"
    assert references(reference={"a × b": "y × u"})["a × b"] == "y × u"
