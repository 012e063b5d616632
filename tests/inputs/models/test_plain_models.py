"""Plain-data models: what is read, and every mistake with its file, key and mend."""

from __future__ import annotations

import copy
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from pydantic import ValidationError

from reportgen.inputs.models import ModelSettings, ReadModel
from reportgen.stats.robust_models import build_model, largest_difference

EXAMPLE = Path(__file__).resolve().parents[3] / "examples" / "diabetes"
LINEAR: dict[str, Any] = {
    "intercept": 0.5,
    "coefficients": {"age": 2.0, "bmi": -1.0},
    "link": "logit",
    "scaling": {"age": {"mean": 50.0, "scale": 10.0}},
}
TREES: dict[str, Any] = {
    "format": "reportgen/trees/1",
    "features": ["age", "bmi"],
    "link": "logit",
    "intercept": 0.0,
    "trees": [
        {"feature": [0, -1, -1], "threshold": [50.0, 0.0, 0.0], "left": [1, -1, -1],
         "right": [2, -1, -1], "value": [0.0, -1.0, 1.0]}
    ],
}  # fmt: skip
NETWORK: dict[str, Any] = {
    "format": "reportgen/mlp/1",
    "features": ["age", "bmi"],
    "activation": "relu",
    "link": "logit",
    "layers": [
        {"weights": [[1.0, -1.0], [0.5, 0.5]], "bias": [0.0, 1.0]},
        {"weights": [[2.0], [-2.0]], "bias": [0.25]},
    ],
}


def changed(model: dict[str, Any], path: str, value: Any) -> dict[str, Any]:
    """Return a model with the value at a dotted path replaced, or dropped if it is None."""
    made = copy.deepcopy(model)
    *parents, last = [int(part) if part.isdigit() else part for part in path.split(".")]
    at: Any = made
    for part in parents:
        at = at[part]
    if value is None:
        del at[last]
    else:
        at[last] = value
    return made


def score(read: ReadModel, row: list[float]) -> float:
    model = build_model(read.kind, read.features or (), read.content)
    return float(model.score(np.array([row]))[0])


def test_linear_json_scores_as_on_paper(read: Callable[..., ReadModel]) -> None:
    got = read("linear", LINEAR)
    assert got.features == ("age", "bmi")
    # 0.5 + 2 (60 - 50) / 10 - 25 = -22.5
    assert score(got, [60, 25]) == pytest.approx(1 / (1 + np.exp(22.5)), rel=1e-12)


def test_linear_csv_says_the_same_as_json(read: Callable[..., ReadModel]) -> None:
    table = b"feature,coefficient,mean,scale\n(Intercept),0.5,,\nage,2,50,10\nbmi,-1,,\n"
    got = read("linear", table, name="m.csv")
    assert got.features == ("age", "bmi")
    assert score(got, [60, 2]) == pytest.approx(score(read("linear", LINEAR), [60, 2]), abs=1e-15)


def test_trees_score_as_on_paper(read: Callable[..., ReadModel]) -> None:
    got = read("trees", TREES)
    assert score(got, [50, 0]) == pytest.approx(1 / (1 + np.e), rel=1e-14)
    assert score(got, [50.1, 0]) == pytest.approx(1 / (1 + np.exp(-1)), rel=1e-14)


def test_network_scores_as_on_paper(read: Callable[..., ReadModel]) -> None:
    # hidden: relu(1 + 1), relu(-1 + 1 + 1); raw: 2 * 2 - 2 * 1 + 0.25
    assert score(read("mlp", NETWORK), [1, 2]) == pytest.approx(1 / (1 + np.exp(-2.25)), rel=1e-14)


@pytest.mark.parametrize("name", ["test.csv", "field.csv"])
@pytest.mark.parametrize(
    ("kind", "file", "column"),
    [("linear", "coefficients.json", "risk_logistic"), ("trees", "forest.json", "risk_forest")],
)
def test_example_models_give_the_scores_of_the_table(
    read: Callable[..., ReadModel], kind: str, file: str, column: str, name: str
) -> None:
    got = read(kind, (EXAMPLE / file).read_bytes())
    model = build_model(got.kind, got.features or (), got.content)
    table = pd.read_csv(EXAMPLE / name)
    x = table[list(model.features)].to_numpy(dtype=float)
    stored = table[column].to_numpy(dtype=float)
    # The table holds six decimals.
    assert largest_difference(model, x, stored) <= 5.1e-7
    assert largest_difference(model, x[:, ::-1], stored) > 1e-3


MISTAKES = [
    ("linear", LINEAR, "intercept", None,
     "m.json: intercept: this key is missing; add it: a linear model needs it"),
    ("linear", LINEAR, "intercept", "0.5", "m.json: intercept: '0.5' cannot stand here"),
    ("linear", LINEAR, "coefficients.age", True, "m.json: coefficients.age: true cannot stand"),
    ("linear", LINEAR, "link", "probit", "m.json: link: 'probit' cannot stand here"),
    ("linear", LINEAR, "coeficients", {}, "m.json: coeficients: unknown key; did you mean "
     "'coefficients'?"),
    ("linear", LINEAR, "scaling.agee", {"mean": 0.0, "scale": 1.0},
     "m.json: scaling.agee: there is no coefficient of this name; did you mean 'age'?"),
    ("linear", LINEAR, "scaling.age.scale", 0.0, "m.json: scaling.age.scale: a scale of 0"),
    ("linear", LINEAR, "format", "reportgen/trees/1",
     "m.json: format: the file says reportgen/trees/1: it is a trees model; say model: {trees: …}"),
    ("trees", TREES, "trees.0.threshold.0", "x", "m.json: trees[0].threshold[0]: 'x' cannot stand"),
    ("trees", TREES, "trees.0.value", [1.0], "m.json: trees[0].value: 1 entry for 3 nodes"),
    ("trees", TREES, "trees.0.left", None, "m.json: trees[0].left: this key is missing"),
    ("trees", TREES, "trees", [], "m.json: trees: 0 entries; write at least 1"),
    ("trees", TREES, "features", ["age", "age"], "m.json: features: the feature 'age' is named "
     "twice; name each once"),
    ("trees", TREES, "trees.0.feature.0", 0.5, "m.json: trees[0].feature[0]: 0.5 cannot stand"),
    ("trees", TREES, "format", "reportgen/trees/2", "m.json: format: 'reportgen/trees/2' cannot"),
    ("mlp", NETWORK, "layers.0.weights", [[1.0, 1.0]],
     "m.json: layers[0].weights: 1 row of weights for 2 inputs"),
    ("mlp", NETWORK, "layers.0.weights.1", [1.0],
     "m.json: layers[0].weights: rows of [1, 2] weights, but a bias of 2"),
    ("mlp", NETWORK, "activation", "gelu", "m.json: activation: 'gelu' cannot stand here"),
    ("mlp", NETWORK, "layers.1", {"weights": [[1.0, 2.0], [1.0, 2.0]], "bias": [0.0, 0.0]},
     "m.json: layers[1].bias: the last layer has 2 outputs"),
]  # fmt: skip


@pytest.mark.parametrize(("kind", "model", "path", "value", "said"), MISTAKES)
def test_every_mistake_is_named_at_its_place(
    faults: Callable[..., list[str]],
    kind: str,
    model: dict[str, Any],
    path: str,
    value: Any,
    said: str,
) -> None:
    (fault,) = faults(kind, changed(model, path, value))
    assert fault.startswith(said)


def test_all_mistakes_come_at_once(faults: Callable[..., list[str]]) -> None:
    wrong = changed(changed(LINEAR, "intercept", None), "link", "probit")
    assert len(faults("linear", wrong)) == 2


def test_one_mistake_of_many_entries_takes_three_lines(
    faults: Callable[..., list[str]],
) -> None:
    names = {f"x{at}": str(at) for at in range(300)}
    found = faults("linear", {"intercept": 0.0, "coefficients": names})
    assert found == [
        "m.json: coefficients.x0: '0' cannot stand here; write a number",
        "m.json: coefficients.x1: '1' cannot stand here; write a number",
        "m.json: coefficients: … and 298 more entries, in entries 3–300; mend them likewise",
    ]
    tree = {"feature": [0], "threshold": [0.0], "left": [-1], "right": [-1], "value": ["a", "b"]}
    found = faults("trees", {**TREES, "trees": [tree] * 40})
    assert found[1] == "m.json: trees[0].value[1]: 'b' cannot stand here; write a number"
    assert found[2] == (
        "m.json: trees.value: … and 78 more entries, between trees[1].value[0] and "
        "trees[39].value[1]; mend them likewise"
    )
    assert len(faults("trees", {**TREES, "trees": [{**tree, "value": []}] * 40})) == 3
    rows = "".join(f'x{at},"0,{at}"\n' for at in range(300))
    found = faults("linear", f"feature,coefficient\nintercept,0\n{rows}".encode(), name="m.csv")
    assert found[2:] == [
        "m.csv: column 'coefficient': … and 298 more rows, in lines 5–302; mend them likewise"
    ]


@pytest.mark.parametrize(
    ("path", "value", "said"),
    [
        ("trees.0.left.0", 0, "m.json: tree 0: node 0: it is reached 2 times, so this is no tree"),
        ("trees.0.right.0", 7, "m.json: tree 0: node 0: its right child is not one of nodes 0"),
        ("trees.0.right.0", 10**30, "m.json: tree 0: node 0: its right child is not one of"),
        ("trees.0.feature.0", 2, "m.json: tree 0: node 0: its feature is not below 2"),
    ],
)
def test_what_is_no_tree_is_named_by_its_node(
    read: Callable[..., ReadModel], path: str, value: Any, said: str
) -> None:
    got = read("trees", changed(TREES, path, value))
    with pytest.raises(ValueError, match="tree 0") as caught:
        build_model(got.kind, got.features or (), got.content)
    assert str(got.fault(caught.value)).startswith(said)


@pytest.mark.parametrize(
    ("raw", "said"),
    [
        (b'{"intercept": NaN}', "m.json:1: column 15: it holds NaN, which is no number of a model"),
        (b'{"intercept": -Infinity}', "m.json:1: column 15: it holds -Infinity, which is no num"),
        (b'{"intercept": 1e999}', "m.json: intercept: a number beyond 1.8e308 cannot stand here"),
        (b'{"intercept": 1, "intercept": 2}', "m.json:1: the key 'intercept' stands twice"),
        (
            b'{"a": [{"b": "a"}, {"b": 2}],\n "c{": {"a": 1,\n "c{": 2, "a": 3}}',
            "m.json:3: the key 'a' stands twice in one mapping",
        ),
        (b'{"a":\n ' + b"9" * 5000 + b"}", "m.json:2: column 2: it holds a number of 5000 digits"),
        (b'{\n"intercept": 1,\n"coef', "m.json:3: column 1: the file ends in the middle"),
        (b'{"intercept": [1, 2', "m.json:1: column 20: the file ends in the middle"),
        (b'{"intercept" 1}', "m.json:1: column 14: this is no JSON (Expecting ':' delimiter)"),
        (b"[" * 100_000, "m.json: it is nested too deep for a model"),
        (b"[1]", "m.json: the document is no mapping"),
        (b"", "m.json: the file is empty"),
        (b"\xff\xfe{\x00", "m.json: byte 1: the file is UTF-16, not UTF-8"),
        (b"\x80\x04\x95", "m.json: this is a pickle, which carries code, not a linear model"),
        (b"PK\x03\x04", "m.json: this is a zip archive"),
    ],
)
def test_what_is_no_json_is_said(faults: Callable[..., list[str]], raw: bytes, said: str) -> None:
    assert faults("linear", raw)[0].startswith(said)


@pytest.mark.parametrize(
    ("raw", "said"),
    [
        (b"feature,coeficient\nage,1\n", ["m.csv:1: there is no column 'coefficient'",
                                    "m.csv:1: column 'coeficient': unknown column; did"]),
        (b"feature,coefficient\nage,1\n", ["m.csv: there is no intercept"]),
        (b"feature,coefficient\nintercept,1\nage,x\nage,2\n",
         ["m.csv:3: column 'coefficient': 'x' is no finite number",
          "m.csv:4: column 'feature': the feature 'age' stands twice"]),
        (b"feature,coefficient\nintercept,1\nage,1,2\n", ["m.csv:3: 3 cells for 2 columns"]),
        (b"feature,coefficient,scale\nintercept,1,\nage,1,0\n", ["m.csv:3: column 'scale': a sc"]),
    ],
)  # fmt: skip
def test_mistakes_in_a_table_of_coefficients_have_their_line(
    faults: Callable[..., list[str]], raw: bytes, said: list[str]
) -> None:
    got = faults("linear", raw, name="m.csv")
    assert len(got) == len(said)
    for fault, start in zip(got, said, strict=True):
        assert fault.startswith(start)


def test_features_of_manifest_and_model_must_agree(faults: Callable[..., list[str]]) -> None:
    (fault,) = faults("trees", TREES, features=["bmi", "age"])
    assert fault.startswith(
        "m.yaml:1: sections[0].model.features: feature 1 is 'bmi' here and 'age' in the model"
    )


def test_suffix_must_be_the_formats_own(faults: Callable[..., list[str]]) -> None:
    (fault,) = faults("trees", TREES, name="m.onnx")
    assert fault.startswith("m.onnx: a trees model that is named .onnx; name it .json, or say")
    (fault,) = faults("onnx", b"x", name="m")
    assert fault.startswith("m: an onnx model that has no ending")


def test_pin_must_match(faults: Callable[..., list[str]]) -> None:
    (fault,) = faults("trees", TREES, sha256="0" * 64)
    assert fault.startswith("m.yaml:1: sections[0].model.sha256: m.json has the SHA-256")


@pytest.mark.parametrize("keys", [{}, {"linear": "a.json", "trees": "b.json"}])
def test_exactly_one_format_is_named(keys: dict[str, str]) -> None:
    with pytest.raises(ValidationError, match="name exactly one"):
        ModelSettings.model_validate(keys)
