"""Part II in one section: severities and codes keep to what is declared; mistakes are named."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest

from reportgen.errors import key_text
from reportgen.inputs import BinaryLabel, Inputs, TableSettings
from reportgen.inputs.deployed import Pipeline
from reportgen.result import plain
from reportgen.section import Context
from reportgen.sections.integrity import CODES, SECTION, IntegritySettings
from reportgen.sections.integrity.compute import compute
from tests.support.integrity_jobs import (
    ORAL_APP,
    boxes,
    class_map,
    detection_set,
    gates,
    score_table,
    shown,
)

BOX = (10.0, 10.0, 50.0, 50.0)
AWAY = (500.0, 500.0, 9.0, 9.0)


def _section() -> tuple[Inputs, dict[str, Any]]:
    """Return a benchmark of 90 images with every defect of part II."""
    rng = np.random.default_rng(8)
    n = 90
    names = [f"{at:02d}" for at in range(n)]
    kind = rng.integers(0, 6, n)
    right = rng.random(n) < 0.8
    right[:30] = True
    classes = tuple(row[1] for row in ORAL_APP)
    truth = boxes([(at, int(kind[at]), BOX) for at in range(n)])
    found = boxes(
        [(at, int(kind[at]), BOX if right[at] else AWAY) for at in range(n)],
        (0.2 + 0.8 * rng.random(n)).tolist(),
    )
    way = [(name, "", "router", at % 3 > 0) for at, name in enumerate(names)]
    label, score = [1] * 30 + [0] * 3, [0.9] * 20 + [0.8] * 13
    counts = {"t": [0.0] * 25 + [1.0] * 8, "p": [0.2] * 33}
    inputs = Inputs(
        tables={
            "test": score_table(label, score),
            "counts": score_table(label, score, features=counts, name="counts"),
        },
        records=(),
        detections={"boxes": detection_set(names, classes, truth, found)},
        class_maps={"map": class_map()},
        pipelines={"app": Pipeline("app", gates(way), None)},
        lists={("integrity", "removal_effect.duplicates"): {"image": tuple(names[:30])}},
    )
    settings = {
        "kind": "integrity",
        "detections": "boxes",
        "class_map": "map",
        "pipeline": "app",
        "removal_effect": {"controls": 200, "duplicates": "d.csv"},
        "evaluator": {},
        "classifier": {"table": "test", "threshold": 0.5},
        "counting_heads": {"table": "counts", "heads": {"h": {"true": "t", "predicted": "p"}}},
        "claims": [{"metric": "accuracy", "value": "0.909", "n": 33}],
    }
    return inputs, settings


def _computed() -> Any:
    inputs, settings = _section()
    context = Context(np.random.default_rng(1), 200, 0.95)
    return compute(inputs, IntegritySettings.model_validate(settings), context)


def test_codes_and_severities_are_the_declared_ones() -> None:
    declared = {code.code: code.severities for code in CODES}
    assert len(declared) == len(CODES)
    made = [one for one in _computed().findings if one.code >= "INT-050"]
    assert len({one.code[:6] for one in made}) == 4  # INT-05x to INT-08x
    for finding in made:
        assert finding.severity in declared[finding.code], finding.code
        assert finding.summary
        assert "None" not in finding.statement
        assert "nan" not in finding.statement


def test_every_part_has_a_result_that_is_plain_and_strict() -> None:
    outcome = _computed()
    text = json.dumps(plain(outcome.result), allow_nan=False)
    for key in ("removal_effect", "evaluator", "classifier", "counting_heads"):
        assert getattr(outcome.result, key).status == "found"
    assert outcome.result.claims.status == "not found"
    assert '"class": "ulcer"' in text
    assert json.dumps(plain(_computed().result), allow_nan=False) == text


def test_planned_parts_are_confirmatory() -> None:
    inputs, settings = _section()
    planned = {**settings, "planned": ["classifier"]}
    pinned = Inputs(**{**inputs.__dict__, "plan": "f" * 64})
    context = Context(np.random.default_rng(1), 200, 0.95)
    result = compute(pinned, IntegritySettings.model_validate(planned), context).result
    kinds = {record.check: record.analysis for record in result.records}
    assert kinds["classifier"] == "confirmatory"
    assert kinds["evaluator"] == "exploratory"


def test_draws_of_one_part_do_not_depend_on_the_others() -> None:
    inputs, settings = _section()
    alone = {key: settings[key] for key in ("kind", "detections", "removal_effect")}
    context = Context(np.random.default_rng(1), 200, 0.95)
    first = compute(inputs, IntegritySettings.model_validate(alone), context).result
    assert first.removal_effect == _computed().result.removal_effect


TABLES = {
    "test": TableSettings(
        path="t.csv",
        label=BinaryLabel(column="y", positive=1),
        scores={"m": "m"},
        features=["t", "p"],
    ),
    "bare": TableSettings(path="b.csv", scores={"m": "m"}),
}


@pytest.mark.parametrize(
    ("settings", "key", "says"),
    [
        (
            {"classifier": {"table": "test", "score": "q", "threshold": 0}},
            "classifier.score",
            "'q'",
        ),
        (
            {"classifier": {"table": "test", "split": "fold", "threshold": 0}},
            "classifier.split",
            "'fold'",
        ),
        ({"classifier": {"table": "bare", "threshold": 0}}, "classifier.table", "binary label"),
        (
            {"counting_heads": {"table": "test", "heads": {"h": {"true": "t", "predicted": "z"}}}},
            "counting_heads.heads.h.predicted",
            "'z'",
        ),
        (
            {"detections": "b", "evaluator": {"compare": ["step", "step"]}},
            "evaluator.compare",
            "itself",
        ),
        ({"detections": "b", "evaluator": {"against": "b"}}, "evaluator.against", "itself"),
        ({"claims": [{"metric": "auc", "value": "high"}]}, "claims[0].value", "'high'"),
        ({"claims": [{"metric": "auc", "value": "83.1"}]}, "claims[0].value", "83.1"),
        ({"claims": [{"metric": "accuracy", "value": "0.9", "k": 3}]}, "claims[0].k", "without n"),
        (
            {"claims": [{"metric": "accuracy", "value": "0.9", "k": 3, "n": 2}]},
            "claims[0].k",
            "more than",
        ),
        ({"claims": [{"metric": "auc", "value": "0.9", "k": 1, "n": 2}]}, "claims[0].k", "share"),
        (
            {"claims": [{"metric": "map50", "value": "0.9", "split": "x"}]},
            "claims[0].split",
            "whole",
        ),
        ({"same_names": {"a": "b"}}, "same_names", "displayed"),
    ],
)
def test_mistakes_of_the_manifest(settings: dict[str, Any], key: str, says: str) -> None:
    given = IntegritySettings.model_validate({"kind": "integrity", **settings})
    faults = [fault for fault in SECTION.check(given, TABLES) if key_text(fault.key) == key]
    assert faults
    assert any(says in fault.what for fault in faults)
    assert all(fault.mend for fault in faults)


def test_sound_settings_have_no_fault() -> None:
    inputs, settings = _section()
    given = IntegritySettings.model_validate(settings)
    assert not list(SECTION.check_inputs(given, inputs))
    only = {"kind": "integrity", "claims": [{"metric": "mcc", "value": "-0.1"}]}
    assert not list(SECTION.check(IntegritySettings.model_validate(only), TABLES))


def _input_faults(settings: dict[str, Any], **changed: Any) -> dict[str, str]:
    inputs, base = _section()
    given = IntegritySettings.model_validate({**base, **settings})
    found = SECTION.check_inputs(given, Inputs(**{**inputs.__dict__, **changed}))
    return {key_text(fault.key): fault.what for fault in found}


def test_mistakes_that_the_data_show() -> None:
    key = ("integrity", "removal_effect.duplicates")
    assert (
        "no column 'image'"
        in _input_faults({}, lists={key: {"file": ("1",)}})["removal_effect.duplicates"]
    )
    assert (
        "none of 1 listed"
        in _input_faults({}, lists={key: {"image": ("zz",)}})["removal_effect.duplicates"]
    )
    two = Pipeline("app", gates([("01", "a", "g", True), ("02", "b", "g", True)]), None)
    assert "2 domains" in _input_faults({}, pipelines={"app": two})["pipeline.in_domain"]
    wrong = {"pipeline": {"of": "app", "in_domain": ["c"]}}
    assert "'c'" in _input_faults(wrong, pipelines={"app": two})["pipeline.in_domain[0]"]
    other = Pipeline("app", gates([("zz", "", "g", True)]), None)
    assert "no image of the gates" in _input_faults({}, pipelines={"app": other})["pipeline"]
    ids = Pipeline("app", None, shown([("01", "none", "Caries")]))
    assert "names a prediction" in _input_faults({}, pipelines={"app": ids})["pipeline"]
    assert "'ulcus'" in _input_faults({"same_names": {"ulcus": "Ulcers"}})["same_names.ulcus"]


def test_list_of_duplicates_is_read_with_the_section() -> None:
    given = IntegritySettings.model_validate(
        {"kind": "integrity", "detections": "b", "removal_effect": {"duplicates": "d.csv"}}
    )
    assert SECTION.lists(given) == {("removal_effect", "duplicates"): "d.csv"}
