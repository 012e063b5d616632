"""Cases of the catalogue of input faults: D82 to D88."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from reportgen.errors import InputError
from reportgen.inputs import Inputs
from reportgen.sections.robust import check_inputs
from tests.support.robust import (
    HARD,
    SOFT,
    article,
    article_run,
    codes,
    finding,
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

D82_X = {"x": [0, 0.5, 0.1, 0.9, 0.2, 0.9, 0.6, 1.1]}
D82_GROUP = [*"AAAA", *"BBBB"]


def d82(eps: float, tolerance: float = 0.25, **more: Any) -> Any:
    read = linear_read({"x": 2.0}, -0.5)
    table = table_of(scored(read, D82_X), D82_GROUP, features=D82_X)
    return run(table, read, perturbation=moves_of({"x": eps}), tolerance=tolerance, **SOFT, **more)


def test_d82_one_feature_by_hand() -> None:
    outcome = d82(0.1)
    row = gap(outcome, "demographic_parity")
    assert row.base.estimate == pytest.approx(0.140796, abs=5e-7)
    assert row.found.estimate == pytest.approx(0.222335, abs=5e-7)
    common = gap(outcome, "demographic_parity", "common").found.estimate
    assert common == pytest.approx(0.145449, abs=5e-7)
    assert row.critical_unsafe_raw == pytest.approx(0.134674, abs=5e-7)


@pytest.mark.parametrize("norm", ["l1", "l2", "linf"])
def test_d83_the_worst_case_is_never_below_the_static_gap(norm: str) -> None:
    outcome = article_run(norm, eps=1e-6, **SOFT)
    for rung in ("common", "group", "record"):
        row = gap(outcome, "demographic_parity", rung)
        assert (row.found.estimate or 0) >= (row.base.estimate or 1)


def test_d84_missing_features_leave_their_rows_out_by_name() -> None:
    table, read = article()
    x1 = table.features["x1"].copy()
    x1[:40] = np.nan
    score = table.scores["m"]
    holed = table_of(
        score, table.groups["s"], table.label, features={"x1": x1, "x2": table.features["x2"]}
    )
    moves = moves_of({"x1": 0.05})
    outcome = run(holed, read, perturbation=moves, tolerance=0.3, **SOFT)
    assert [(one.reason, one.k) for one in result_of(outcome).left_out] == [
        ("feature x1 missing", 40)
    ]
    assert finding(outcome, "ROB-006").severity == "warn"
    assert "ROB-006" not in codes(article_run(**SOFT))


def test_d84_the_attribute_is_held_still_and_named() -> None:
    group = [1, 1, 2, 2] * 30
    x = {"x": np.linspace(-1, 1, 120), "s": np.array(group, dtype=float)}
    read = linear_read({"x": 1.0, "s": 0.2}, 0.0)
    table = table_of(scored(read, x), group, features={"x": x["x"]})
    outcome = run(table, read, perturbation=moves_of({"x": 0.1}), **SOFT)
    assert "s" in result_of(outcome).immutable
    assert "ROB-013" in codes(outcome)
    assert "ROB-013" not in codes(article_run(**SOFT))


def test_d85_each_move_is_printed_with_its_basis() -> None:
    bare = finding(article_run(**SOFT), "ROB-012")
    assert "x1, x2" in bare.statement
    table, read = article()
    moves = moves_of(
        {"x1": {"eps": 0.05, "unit": "mmol/l", "basis": "device manual"}, "x2": {"eps": 0.0}}
    )
    outcome = run(table, read, perturbation=moves, tolerance=0.3, **SOFT)
    assert result_of(outcome).perturbation[0].basis == "device manual"
    assert "ROB-012" not in codes(outcome)
    assert "mmol/l" in finding(outcome, "ROB-010").statement


def answering(shape: str) -> Any:
    def predict(x: np.ndarray) -> Any:
        p = 1 / (1 + np.exp(-x[:, 0]))
        answers = {
            "labels": (p >= 0.5).astype(float),
            "logits": 3 * x[:, 0] + 2,
            "not one": np.column_stack([p, p]),
            "three": np.column_stack([p, p, p]),
        }
        return answers[shape]

    return predict


@pytest.mark.parametrize("shape", ["labels", "logits", "not one", "three"])
def test_d86_answers_that_are_no_probabilities_are_refused(shape: str) -> None:
    x = {"x": np.linspace(-2, 2, 50)}
    table = table_of(1 / (1 + np.exp(-x["x"])), ["a", "b"] * 25, features=x)
    read = opaque_read(["x"], answering(shape))
    with pytest.raises(InputError, match="the model cannot score the table"):
        run(table, read, perturbation=moves_of({"x": 0.1}), **SOFT)


def test_d86_a_model_of_two_columns_is_read_by_its_positive_class() -> None:
    x = {"x": np.linspace(-2, 2, 50)}
    score = 1 / (1 + np.exp(-x["x"]))

    def predict(values: np.ndarray) -> np.ndarray:
        p = 1 / (1 + np.exp(-values[:, 0]))
        return np.column_stack([1 - p, p])

    table = table_of(score, ["a", "b"] * 25, features=x)
    moves = {"perturbation": moves_of({"x": 0.1}), **SOFT}
    outcome = run(table, opaque_read(["x"], predict, positive=1), **moves)
    assert result_of(outcome).model[0].largest_score_difference < 1e-15
    # Neither column is taken for the positive class unsaid, and the wrong one does not pass.
    with pytest.raises(InputError, match="positive: 0 or positive: 1"):
        run(table, opaque_read(["x"], predict), **moves)
    with pytest.raises(InputError, match="from the table's"):
        run(table, opaque_read(["x"], predict, positive=0), **moves)


def test_d88_a_gap_equal_to_the_tolerance_passes() -> None:
    group = [*"A" * 20, *"B" * 20]
    score = [0.9] * 10 + [0.1] * 10 + [0.9] * 5 + [0.1] * 15
    table = table_of(score, group)
    at = run(table, tolerance=0.25, **HARD)
    assert gap(at, "demographic_parity", None).verdict == "undetermined"
    below = run(table, tolerance=0.2499, **HARD)
    assert gap(below, "demographic_parity", None).verdict == "static fail"


def test_d88_moves_of_size_0_give_the_static_gap() -> None:
    row = gap(article_run(eps=0.0, **SOFT), "demographic_parity")
    assert row.found.estimate == row.certified.estimate == row.base.estimate


def test_a_model_whose_scores_disagree_stops_the_run() -> None:
    table, read = article()
    other = linear_read({"x1": 0.9, "x2": -0.5}, 0.3)
    settings = settings_of(
        model={"linear": "model.json"}, perturbation=moves_of({"x1": 0.05}), tolerance=0.2, **SOFT
    )
    (fault,) = check_inputs(settings, Inputs({"test": table}, (), {"robust": other}))
    assert "more than 1e-06" in fault.what
    assert fault.key == ("model", "linear")
    assert list(check_inputs(settings, Inputs({"test": table}, (), {"robust": read}))) == []
    with pytest.raises(InputError, match="from the table's"):
        run(table, other, perturbation=moves_of({"x1": 0.05}), tolerance=0.2, **SOFT)


def test_features_in_another_order_stop_the_run() -> None:
    table, read = article()
    swapped = linear_read(
        {
            "x2": float(read.content["coefficients"][0]),
            "x1": float(read.content["coefficients"][1]),
        },
        float(read.content["intercept"]),
    )
    with pytest.raises(InputError, match="features in their order"):
        run(table, swapped, perturbation=moves_of({"x1": 0.05}), tolerance=0.2, **SOFT)
