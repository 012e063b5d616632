"""What a table's settings say that cannot be, seen without its file."""

from __future__ import annotations

from typing import Any

import pytest

from reportgen.errors import key_text
from reportgen.inputs import TableSettings
from reportgen.inputs.checks import check_table

SURVIVAL: dict[str, Any] = {"time": "t", "event": "e", "positive": 1, "at": 1.0}


@pytest.mark.parametrize(
    ("declared", "key", "words"),
    [
        (
            {"label": {"column": "y", "positive": 1, "negative": "1.0"}},
            "label.negative",
            "both '1'",
        ),
        ({"label": {**SURVIVAL, "event": "t"}}, "label.event", "both the column 't'"),
        ({"label": {**SURVIVAL, "competing": [2, 1.0]}}, "label.competing[1]", "positive already"),
        (
            {"label": {**SURVIVAL, "competing": [2], "censored": ["2"]}},
            "label.censored[0]",
            "competing already",
        ),
        (
            {"label": {"column": "y", "positive": 1}, "scores": {"m": "y"}},
            "scores.m",
            "is the outcome",
        ),
        ({"label": SURVIVAL, "scores": {"m": "e"}}, "scores.m", "is the outcome"),
        ({"scores": {" ": "s"}}, "scores. ", "shown name is empty"),
        ({"groups": ["a", "b", "a"]}, "groups[2]", "stands here twice"),
        (
            {"label": {"column": "y", "positive": 1}, "features": ["a", "y"]},
            "features[1]",
            "'y' is the outcome",
        ),
        ({"label": SURVIVAL, "features": ["t"]}, "features[0]", "'t' is the outcome's time"),
        ({"scores": {"m": "p"}, "features": ["p"]}, "features[0]", "'p' is the score 'm'"),
        ({"unit": "u", "key": "k", "features": ["k"]}, "features[0]", "'k' is the row id"),
        (
            {"unit": "u", "train": {"path": "t.csv", "features": ["a", "v"], "unit": "v"}},
            "train.features[1]",
            "'v' is the unit",
        ),
        ({"levels": {"a": {"x": ["y"]}}}, "levels.a", "not among groups"),
        (
            {"groups": ["a"], "levels": {"a": {"x": ["z"], "y": ["z"]}}},
            "levels.a.y[0]",
            "under 'x' already",
        ),
        ({"bins": {"a": {"edges": [0, 2, 2]}}}, "bins.a.edges", "do not rise"),
        (
            {"bins": {"a": {"edges": [0, 1], "name": "b"}, "b": {"edges": [0, 1]}}},
            "bins.b.name",
            "name of the bins of 'a'",
        ),
        (
            {"bins": {"a": {"edges": [0, 1]}}, "groups": ["a"], "levels": {"a": {"x": ["y"]}}},
            "levels.a",
            "made by bins",
        ),
        ({"read": {"delimiter": ";;"}}, "read.delimiter", "not one character"),
        ({"read": {"delimiter": ",", "decimal": ","}}, "read.delimiter", "both ','"),
        ({"read": {"decimal": ","}}, "read.decimal", "both ','"),
        ({"read": {"encoding": "utf-88"}}, "read.encoding", "no text encoding"),
        ({"read": {"encoding": "base64"}}, "read.encoding", "no text encoding"),
    ],
)
def test_contradictions(declared: dict[str, Any], key: str, words: str) -> None:
    table = TableSettings.model_validate({"path": "t.csv", **declared})
    (fault,) = check_table(table)
    assert key_text(fault.key) == key
    assert words in fault.what


def test_nothing_to_say() -> None:
    table = TableSettings.model_validate(
        {
            "path": "t.csv",
            "label": {"column": "y", "positive": 1, "negative": 0},
            "scores": {"m": "s"},
            "groups": ["sex", "band"],
            "levels": {"sex": {"F": ["F", "female"], "M": ["M"]}},
            "bins": {"age": {"edges": [0, 40, 60], "name": "band"}},
            "read": {"delimiter": ";", "decimal": ",", "encoding": "cp1252"},
        }
    )
    assert list(check_table(table)) == []
