"""What a robust section's settings are refused for, before anything is computed."""

from __future__ import annotations

from typing import Any

import pytest
from pydantic import ValidationError

from reportgen.errors import KeyFault
from reportgen.inputs import BinaryLabel, Inputs, TableSettings
from reportgen.sections.robust import RobustSettings, check, check_inputs
from tests.support.robust import (
    article,
    linear_read,
    moves_of,
    scored,
    settings_of,
    table_of,
)

TABLE = TableSettings(
    path="t.csv",
    label=BinaryLabel(column="y", positive=1),
    scores={"m": "p"},
    groups=["s"],
    features=["x1", "x2"],
)
MODEL = {"linear": "model.json"}
MOVES = moves_of({"x1": 0.05})


def faults(table: TableSettings = TABLE, /, **changes: Any) -> list[KeyFault]:
    sound: dict[str, Any] = {"threshold": 0.5, "model": MODEL, "perturbation": MOVES}
    settings = settings_of(**{**sound, **changes})
    return list(check(settings, {"test": table}))


def keys(*args: Any, **changes: Any) -> list[tuple[str | int, ...]]:
    return [one.key for one in faults(*args, **changes)]


def feature(**move: Any) -> dict[str, Any]:
    return moves_of({"x1": move})


def test_a_sound_section_has_no_faults() -> None:
    assert faults() == []
    assert faults(model=None, perturbation=None) == []
    assert faults(tolerance={"demographic_parity": 0.1}) == []


@pytest.mark.parametrize(
    ("key", "changes"),
    [
        (("metrics", 0), {"metrics": ["demografic_parity"]}),
        (("metrics", 1), {"metrics": ["demographic_parity", "demographic_parity"]}),
        (("metrics",), {"metrics": []}),
        (("tolerance",), {"tolerance": None}),
        (("tolerance",), {"tolerance": 1.5}),
        (("tolerance",), {"metrics": ["demographic_parity", "demographic_parity_ratio"]}),
        (("tolerance", "auc"), {"tolerance": {"demographic_parity": 0.1, "auc": 0.1}}),
        (("threshold",), {"threshold": None}),
        (("threshold",), {"threshold": 30.0}),
        (("sensitive",), {"sensitive": "sx"}),
        (("score",), {"score": "n"}),
        (("table",), {"table": "tst"}),
        (("perturbation",), {"model": None}),
        (("model",), {"perturbation": None}),
        (("other_threats", "flips", 0), {"other_threats": {"flips": [5.0]}}),
        (("other_threats", "mix", 0), {"other_threats": {"mix": [0.9]}}),
        (("other_threats", "prevalence", 0), {"other_threats": {"prevalence": [-0.1]}}),
        (("curve", 1), {"curve": [1.0, -1.0]}),
    ],
)
def test_faults_of_the_section(key: tuple[Any, ...], changes: dict[str, Any]) -> None:
    assert key in keys(**changes)


@pytest.mark.parametrize(
    ("key", "move"),
    [
        (("eps",), {"eps": -0.05}),
        (("eps_sd",), {"eps_sd": -1.0}),
        ((), {"eps": 0.1, "eps_sd": 0.1}),
        ((), {"unit": "mmHg"}),
        (("bounds",), {"eps": 1.0, "bounds": [2.0, 1.0]}),
        ((), {"kind": "category", "eps": 1.0}),
        ((), {"eps": 1.0, "columns": ["a", "b"]}),
        (("columns",), {"kind": "category", "columns": ["a"]}),
        (("eps_sd",), {"kind": "integer", "eps_sd": 0.1}),
    ],
)
def test_faults_of_a_move(key: tuple[str, ...], move: dict[str, Any]) -> None:
    assert ("perturbation", "features", "x1", *key) in keys(perturbation=feature(**move))


def test_eps_0_is_allowed_and_below_0_is_not() -> None:
    assert faults(perturbation=feature(eps=0.0)) == []
    (fault,) = faults(perturbation=feature(eps=-1.0))
    assert "below 0" in fault.what


def test_one_eps_for_all_features_is_refused_with_the_reason() -> None:
    for name in ("eps", "eps_sd"):
        with pytest.raises(ValidationError, match="years in one and cents in another"):
            settings_of(model=MODEL, perturbation={**MOVES, name: 0.05})


def test_the_sensitive_attribute_does_not_move() -> None:
    (fault,) = faults(perturbation=moves_of({"s": 1.0}))
    assert fault.key == ("perturbation", "features", "s")
    assert "sensitive attribute itself" in fault.what


def test_two_moves_of_one_column_are_refused() -> None:
    both = {"a": {"kind": "category", "columns": ["x1", "x2"]}, "x1": {"eps": 1.0}}
    assert ("perturbation", "features", "x1") in keys(perturbation=moves_of(both))


@pytest.mark.parametrize(
    "text", ["__import__('os')", "x1.real", "x1[0]", "x1 if x2 else 1", "x1 **", "1 + 1", "f(x1)"]
)
def test_expressions_of_other_parts_are_refused(text: str) -> None:
    moves = moves_of({"x1": 0.1}, derived={"d": text})
    assert ("perturbation", "derived", "d") in keys(perturbation=moves)


def test_labels_where_the_metric_needs_them() -> None:
    bare = TABLE.model_copy(update={"label": None})
    assert keys(bare) == []
    assert keys(bare, metrics=["equalized_odds"]) == [("metrics", 0)]
    assert ("other_threats", "prevalence") in keys(bare, other_threats={"prevalence": [0.1]})


def test_scores_for_ranking_have_no_mean() -> None:
    ranking = TABLE.model_copy(update={"scale": "score"})
    assert ("decisions",) in keys(ranking, decisions="soft")
    of_ranks = {"threshold": 4, "metrics": ["brier", "equal_opportunity"]}
    assert ("metrics", 0) in keys(ranking, **of_ranks)
    assert keys(ranking, threshold=30.0) == []


def test_a_proxy_stands_in_for_the_attribute() -> None:
    alone = {"sensitive": None, "model": None, "perturbation": None}
    assert ("sensitive",) in keys(**alone)
    assert keys(**alone, proxy={"column": "q"}) == []
    assert keys(**alone, proxy={"column": "q"}, metrics=["auc"]) == [("metrics", 0)]
    assert keys(sensitive=None, proxy={"column": "q"}) == [("model",)]


def unfit(settings: RobustSettings, table: Any = None, read: Any = None) -> list[KeyFault]:
    if table is None:
        table, read = article()
    return list(check_inputs(settings, Inputs({"test": table}, (), {"robust": read})))


def test_features_that_nothing_has() -> None:
    table, _ = article()
    settings = settings_of(model=MODEL, threshold=0.5, perturbation=moves_of({"x3": 1.0}))
    (fault,) = unfit(settings)
    assert fault.key == ("perturbation", "features", "x3")
    wider = linear_read({"x1": 1.0, "x2": 1.0, "bmi": 1.0}, 0.0)
    (fault,) = unfit(settings_of(model=MODEL, threshold=0.5, perturbation=MOVES), table, wider)
    assert fault.key == ("model", "linear")
    assert "bmi" in fault.what


def test_a_derived_column_must_be_what_it_is_said_to_be() -> None:
    x = {"w": [60.0, 70.0, 80.0, 90.0] * 5, "h": [1.6, 1.7, 1.8, 1.9] * 5}
    x["bmi"] = [w / h**2 for w, h in zip(x["w"], x["h"], strict=True)]
    read = linear_read({"bmi": 0.1}, -2.5)
    table = table_of(scored(read, x), ["a", "b"] * 10, features=x)
    moves = moves_of({"w": 1.0}, derived={"bmi": "w / h**2"})
    settings = settings_of(model=MODEL, threshold=0.5, perturbation=moves)
    assert unfit(settings, table, read) == []
    wrong = moves_of({"w": 1.0}, derived={"bmi": "w / h"})
    (fault,) = unfit(settings_of(model=MODEL, threshold=0.5, perturbation=wrong), table, read)
    assert fault.key == ("perturbation", "derived", "bmi")


def test_required_groups_must_occur() -> None:
    (fault,) = unfit(settings_of(threshold=0.5, required=["0", "2"]))
    assert fault.key == ("required", 1)
