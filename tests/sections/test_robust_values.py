"""Values that do not fit their moves, and models that fail once records are moved."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from reportgen.errors import InputError
from reportgen.inputs import Inputs
from reportgen.sections.robust import check_inputs
from tests.support.robust import (
    HARD,
    SOFT,
    article_run,
    gap,
    linear_read,
    moves_of,
    opaque_read,
    result_of,
    run,
    scored,
    settings_of,
    table_of,
)

X = {
    "half": np.arange(60) / 2,
    "level": np.arange(60) % 3,
    "one": np.arange(60) % 2,
    "other": np.arange(60) % 4 // 3,
}
GROUP = ["a", "b", "b"] * 20


def faults_of(features: dict[str, Any]) -> list[tuple[Any, str]]:
    read = linear_read(dict.fromkeys(X, 0.01), 0.0)
    table = table_of(scored(read, X), GROUP, features=X)
    settings = settings_of(
        model={"linear": "model.json"},
        perturbation={"norm": "l2", "features": features},
        tolerance=0.2,
        **HARD,
    )
    found = check_inputs(settings, Inputs({"test": table}, (), {"robust": read}))
    return [(fault.key, fault.what) for fault in found]


@pytest.mark.parametrize(
    ("features", "key", "told"),
    [
        ({"half": {"eps": 1, "kind": "integer"}}, ("half", "kind"), "30 rows"),
        ({"half": {"eps": 1, "kind": "ordinal"}}, ("half", "kind"), "such as 0.5"),
        ({"level": {"kind": "binary"}}, ("level", "kind"), "20 rows"),
        (
            {"c": {"kind": "category", "columns": ["one", "other"]}},
            ("c", "columns"),
            # Rows 0 and 2 of four hold 0, 0; row 3 holds 1, 1.
            "45 rows of the audit hold 0, 0",
        ),
    ],
)
def test_values_of_another_kind_are_named_at_their_feature(
    features: dict[str, Any], key: tuple[str, str], told: str
) -> None:
    ((place, what),) = faults_of(features)
    assert place == ("perturbation", "features", *key)
    assert told in what


def test_values_of_their_kind_and_features_that_do_not_move_pass() -> None:
    assert faults_of({"level": {"eps": 1, "kind": "ordinal"}, "one": {"kind": "binary"}}) == []
    assert faults_of({"half": {"eps": 0, "kind": "integer"}}) == []


def opaque_run(predict: Callable[[np.ndarray], Any], **settings: Any) -> Any:
    x = {"x": np.linspace(-2, 2, 60), "z": np.linspace(1, -1, 60) ** 3}
    table = table_of(1 / (1 + np.exp(-x["x"] - x["z"])), GROUP, features=x)
    moves = moves_of({"x": 0.3, "z": 0.4})
    return run(table, opaque_read(["x", "z"], predict), perturbation=moves, **settings)


def logistic(x: np.ndarray) -> Any:
    return 1 / (1 + np.exp(-x.sum(axis=1)))


def test_a_model_that_fails_on_moved_records_is_told_at_the_model() -> None:
    def beyond(x: np.ndarray) -> Any:
        if x[:, 0].max() > 2.1:
            raise RuntimeError("out of range")
        return logistic(x)

    with pytest.raises(InputError, match=r"model\.onnx: .*RuntimeError: out of range"):
        opaque_run(beyond, **SOFT)


def test_a_model_that_fails_on_the_table_is_told_at_the_model() -> None:
    def never(x: np.ndarray) -> Any:
        raise KeyError("column")

    with pytest.raises(InputError, match="cannot score the table: it raised KeyError"):
        opaque_run(never, **SOFT)


def test_a_model_may_change_its_argument_and_answer_0_and_1_for_some_records() -> None:
    def steps(x: np.ndarray) -> Any:
        score = logistic(x)
        x[:] = 0.0
        return np.where(score > 0.9, 1.0, np.where(score < 0.1, 0.0, score))

    x = {"x": np.linspace(-4, 4, 60), "z": np.zeros(60)}
    score = steps(np.column_stack([x["x"], x["z"]]))
    table = table_of(score, GROUP, features=x)
    moves = moves_of({"x": 0.3})
    outcome = run(table, opaque_read(["x", "z"], steps), perturbation=moves, **HARD)
    assert all(row.violations == 0 for row in result_of(outcome).witness)


@pytest.mark.parametrize("norm", ["l1", "l2", "linf"])
def test_a_search_of_a_linear_score_finds_its_worst_case(norm: str) -> None:
    """In closed form: a move along the dual vector, which no single coordinate shows."""
    x = {"x": np.linspace(-2, 2, 60), "z": np.linspace(1, -1, 60) ** 3}
    table = table_of(1 / (1 + np.exp(-x["x"] - x["z"])), GROUP, features=x)
    moves = {"norm": norm, "features": {"x": {"eps": 0.3}, "z": {"eps": 0.4}}}
    outcome = run(table, opaque_read(["x", "z"], logistic), perturbation=moves, **SOFT)
    reach = {"l1": 0.4, "l2": 0.5, "linf": 0.7}[norm]
    margin, first = x["x"] + x["z"], np.array(GROUP) == "a"
    ends = [1 / (1 + np.exp(-margin - sign * reach)) for sign in (-1, 1)]
    worst = max(
        ends[1][first].mean() - ends[0][~first].mean(),
        ends[1][~first].mean() - ends[0][first].mean(),
    )
    assert gap(outcome, "demographic_parity").found.estimate == pytest.approx(worst, abs=1e-9)


def test_a_derived_column_that_moves_undefine_is_told_at_its_expression() -> None:
    x = {"x": np.linspace(0.05, 3, 60)}
    x["log_x"] = np.log(x["x"])
    read = linear_read({"log_x": 1.0}, 0.0)
    table = table_of(scored(read, x), GROUP, features=x)
    moves = {**moves_of({"x": 0.1}), "derived": {"log_x": "log(x)"}}
    with pytest.raises(InputError, match=r"perturbation\.derived\.log_x: .* no finite value for"):
        run(table, read, perturbation=moves, **HARD)


def test_scores_that_moves_take_out_of_0_to_1_are_told_at_the_metrics() -> None:
    x = {"x": np.linspace(-4, 4, 60)}
    read = linear_read({"x": 0.1}, 0.5, link="identity")
    label = np.arange(60) % 5 % 2
    table = table_of(scored(read, x), GROUP, label, features=x)
    with pytest.raises(
        InputError, match=r"section robust: metrics: brier needs scores in \[0, 1\]"
    ):
        run(table, read, perturbation=moves_of({"x": 3}), metrics=["brier"], **HARD)


def test_nothing_that_moves_earns_no_robust() -> None:
    wide = {"tolerance": 0.9, **SOFT}
    assert result_of(article_run(eps=0.01, **wide)).verdict == "robust"
    still = result_of(article_run(eps=0.0, **wide))
    assert still.verdict == "undetermined"
    assert "nothing was put to the test" in still.verdict_reason


def test_a_shift_that_does_what_single_records_can_has_their_interval() -> None:
    outcome = article_run(**SOFT)
    group, record, common = (
        gap(outcome, "demographic_parity", rung) for rung in ("group", "record", "common")
    )
    assert group.certified == record.certified
    assert group.found == record.found
    assert record.found.method
    assert common.found.low is None
    assert common.found.reason
