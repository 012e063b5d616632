"""Robust audit: catalogue D82–D88."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pytest
from scipy.special import expit

from tests.support.catalogue import Bench, Case, Cases, Dossier, columns

case = Cases()

X = [0, 0.5, 0.1, 0.9, 0.2, 0.9, 0.6, 1.1]
GROUP = [*"AAAA", *"BBBB"]
TAKEN: dict[str, Any] = {"scores": {"m": "p"}, "groups": ["g"], "features": ["x"]}
LINEAR = {"intercept": -0.5, "coefficients": {"x": 2.0}, "link": "logit"}
STEP = {
    "format": "reportgen/trees/1",
    "features": ["x"],
    "link": "logit",
    "intercept": 0.0,
    "trees": [
        {
            "feature": [0, -1, -1],
            "threshold": [0.55, 0.0, 0.0],
            "left": [1, -1, -1],
            "right": [2, -1, -1],
            "value": [0.0, -1.0, 1.0],
        }
    ],
}


def audit(eps: Any = 0.1, **keys: Any) -> dict[str, Any]:
    """Return a section that moves x by `eps`, the mean score compared by group."""
    move = eps if isinstance(eps, Mapping) else {"eps": eps}
    return {
        "kind": "robust",
        "table": "t",
        "model": {"linear": "linear.json"},
        "sensitive": "g",
        "decisions": "soft",
        "tolerance": 0.25,
        "perturbation": {"norm": "l2", "features": {"x": move}},
        **keys,
    }


def prepared(
    bench: Bench,
    section: Mapping[str, Any],
    x: Sequence[Any] = X,
    group: Sequence[Any] = GROUP,
    p: Any = None,
    **declared: Any,
) -> None:
    """Write a table scored by the linear model, and that model."""
    bench.write("linear.json", json.dumps(LINEAR))
    bench.write("step.json", json.dumps(STEP))
    made = expit(2 * np.array([float(one or 0) for one in x]) - 0.5) if p is None else p
    bench.table(
        columns(x=x, g=group, p=[repr(float(one)) for one in made]),
        section,
        **{**TAKEN, **declared},
    )


def gap(dossier: Dossier, rung: str | None = "record") -> dict[str, Any]:
    return dossier.row("robust", "gaps", metric="demographic_parity", rung=rung)


@case("D82")
def one_feature_by_hand(bench: Bench) -> None:
    prepared(bench, audit())
    dossier = bench.build()
    assert gap(dossier)["base"]["estimate"] == pytest.approx(0.140796, abs=5e-7)
    assert gap(dossier)["found"]["estimate"] == pytest.approx(0.222335, abs=5e-7)
    assert gap(dossier, "common")["found"]["estimate"] == pytest.approx(0.145449, abs=5e-7)
    assert gap(dossier)["critical_unsafe_raw"] == pytest.approx(0.134674, abs=5e-7)


@case("D83")
def the_worst_case_is_never_below_the_gap_as_it_stands(bench: Bench) -> None:
    for eps in (1e-6, 0.05):
        prepared(bench, audit(eps))
        dossier = bench.build()
        for rung in ("common", "group", "record"):
            assert gap(dossier, rung)["found"]["estimate"] >= gap(dossier, rung)["base"]["estimate"]
    # A model that can only be asked for scores is searched: what is found is a lower bound.
    bench.write(
        "k_d83.py", "import numpy as np\ndef f(x):\n    return 1/(1+np.exp(0.5-2*x[:, 0]))\n"
    )
    bench.monkeypatch.syspath_prepend(str(bench.folder))
    prepared(bench, audit(model={"callable": "k_d83:f", "features": ["x"]}))
    dossier = bench.build("--allow-code")
    assert gap(dossier)["found"]["estimate"] <= 0.222335 + 5e-7
    assert gap(dossier)["certified"]["estimate"] is None or (
        gap(dossier)["certified"]["estimate"] > 0.222335
    )
    dossier.warns("ROB-015", "lower bound")


@case("D84")
def features_that_are_missing_text_or_the_group(bench: Bench) -> None:
    prepared(bench, audit(), x=["", *X[1:]] * 5, group=GROUP * 5)
    dossier = bench.build()
    dossier.warns("ROB-006", "5 of 40 rows")
    assert dossier.result("robust")["left_out"] == [{"reason": "feature x missing", "k": 5}]
    bench.write("t.csv", columns(x=["low", *X[1:]], g=GROUP, p=[0.5] * 8))
    bench.refused("t.csv:2", "column 'x'", "'low'", most=1)
    bench.table(columns(x=X, g=GROUP, p=[0.5] * 8), audit(), **{**TAKEN, "features": ["x", "g"]})
    bench.refused("m.yaml", "tables.t.features[1]", "'A'", "it is a group: take it out", most=1)
    bench.table(columns(x=X, g=GROUP, p=X), audit(), **{**TAKEN, "features": ["x", "p"]})
    bench.refused("m.yaml", "tables.t.features[1]", "the score 'm'", "take it out", most=1)
    both = {**LINEAR, "coefficients": {"x": 2.0, "g": 0.0}}
    x = [float(at) / 40 for at in range(40)]
    prepared(bench, audit(), x=x, group=[1, 2] * 20)
    bench.write("linear.json", json.dumps(both))
    dossier = bench.build()
    dossier.warns("ROB-013", "g")
    assert dossier.result("robust")["immutable"] == ["g"]


@case("D85")
def the_size_of_each_move_has_a_basis(bench: Bench) -> None:
    every = audit()
    every["perturbation"] = {"norm": "l2", "eps": 0.1, "features": {"x": {"eps": 0.1}}}
    prepared(bench, every)
    bench.refused("m.yaml:", "perturbation", "own eps", most=1)
    prepared(bench, audit({"eps": 0.1, "unit": "years", "basis": "device manual"}))
    dossier = bench.build()
    dossier.shows("device manual", "years", part="section-robust")
    assert "ROB-012" not in dossier.codes()
    prepared(bench, audit())
    bench.build().warns("ROB-012", "x")


@case("D86")
def answers_that_are_no_probabilities(bench: Bench) -> None:
    p = "1/(1+np.exp(0.5-2*x[:, 0]))"
    shapes = {
        "flat": p,
        "two": f"np.column_stack([1-{p}, {p}])",
        "labels": f"({p} >= 0.5).astype(float)",
        "logits": "3*x[:, 0] - 2",
        "not one": f"np.column_stack([{p}, {p}])",
        "three": f"np.column_stack([{p}]*3)",
    }
    bench.monkeypatch.syspath_prepend(str(bench.folder))
    for at, (shape, code) in enumerate(shapes.items()):
        name = f"k_d86_{at}"
        bench.write(f"{name}.py", f"import numpy as np\ndef f(x):\n    return {code}\n")
        model: dict[str, Any] = {"callable": f"{name}:f", "features": ["x"]}
        prepared(bench, audit(model=model))
        if shape == "two":
            bench.refused(
                "which is the positive class", "say pos", most=1, options=["--allow-code"]
            )
            prepared(bench, audit(model={**model, "positive": 1}))
        if shape in ("flat", "two"):
            base = gap(bench.build("--allow-code"))["base"]["estimate"]
            assert base == pytest.approx(0.140796, abs=5e-7)
        else:
            bench.refused("m.yaml:", "model", most=1, options=["--allow-code"])

    # What the user's code prints or how it ends is not ours: one line, our status, no output.
    for at, body in enumerate(("def f(x):\n    print('mine')\n    sys.exit(3)\n", "sys.exit(3)\n")):
        bench.write(f"k_d86_exit{at}.py", f"import sys\nprint('mine')\n{body}")
        prepared(bench, audit(model={"callable": f"k_d86_exit{at}:f", "features": ["x"]}))
        bench.refused("m.yaml:", "SystemExit", options=["--allow-code"])


@case("D87")
def a_step_is_searched_by_its_boxes(bench: Bench) -> None:
    score = [float(expit(1.0 if x > 0.55 else -1.0)) for x in X]
    prepared(bench, audit(0.1, model={"trees": "step.json"}), p=score)
    dossier = bench.build()
    row = gap(dossier)
    high, low = expit(1.0), expit(-1.0)
    # A: .9 is above .55, .5 can be lifted over it; B: .9 .6 1.1 are above, .6 can be lowered.
    # So B − A is at most (3 − 1)/4 of a step, and at least (2 − 2)/4.
    assert row["base"]["estimate"] == pytest.approx((high - low) * 2 / 4)
    assert row["found"]["estimate"] == pytest.approx((high - low) * 2 / 4)
    assert row["certified"]["estimate"] == pytest.approx((high - low) * 2 / 4)
    assert row["exact"]
    wider = audit(0.36, model={"trees": "step.json"})
    prepared(bench, wider, p=score)
    row = gap(bench.build())
    # With 0.36 A's .9 can be lowered and B's .2 be lifted over the step: 4/4 against 0/4.
    assert row["found"]["estimate"] == pytest.approx(high - low)


@case("D88")
def equal_to_the_tolerance_and_moves_of_size_0(bench: Bench) -> None:
    group = ["A"] * 20 + ["B"] * 20
    p = [0.9] * 10 + [0.1] * 10 + [0.9] * 5 + [0.1] * 15
    static = {
        "kind": "robust",
        "table": "t",
        "sensitive": "g",
        "decisions": "hard",
        "threshold": 0.5,
    }
    for tolerance, verdict in ((0.25, "undetermined"), (0.2499, "static fail")):
        prepared(bench, {**static, "tolerance": tolerance}, x=[0.0] * 40, group=group, p=p)
        dossier = bench.build()
        assert gap(dossier, None)["verdict"] == verdict
        dossier.shows(f"{tolerance:g}", part="section-robust")
    prepared(bench, audit(0))
    row = gap(bench.build())
    assert row["found"]["estimate"] == row["certified"]["estimate"] == row["base"]["estimate"]
    prepared(bench, audit(-0.1))
    bench.refused("m.yaml:", "eps", "-0.1", most=1)


@case.parametrize()
def test_catalogue(case: Case, bench: Bench) -> None:
    case(bench)
