"""Tables, models and runs of robust audits, for their tests."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from reportgen.inputs import Inputs, Table
from reportgen.inputs.models import ReadModel
from reportgen.result import Finding, Outcome, plain
from reportgen.section import Context
from reportgen.sections.robust import CODES, RobustResult, RobustSettings, compute
from reportgen.sections.robust.result import GapRow, RiskRow
from reportgen.stats.robust_models import Model, build_model

ARTICLE = Path(__file__).resolve().parents[1] / "reference" / "article_001"
BASE: dict[str, Any] = {
    "kind": "robust",
    "table": "test",
    "score": "m",
    "sensitive": "s",
    "tolerance": 0.1,
}
SOFT: dict[str, Any] = {"decisions": "soft"}
HARD: dict[str, Any] = {"decisions": "hard", "threshold": 0.5}


def objects(values: Any) -> Any:
    return np.asarray([str(value) for value in values], dtype=object)


def table_of(
    score: Any,
    group: Any,
    label: Any = None,
    *,
    features: Mapping[str, Any] | None = None,
    unit: Any = None,
    **more: Any,
) -> Table:
    return Table(
        name="test",
        n_rows=len(score),
        scale=more.pop("scale", "probability"),
        label=None if label is None else np.asarray(label, dtype=float),
        survival=None,
        scores={"m": np.asarray(score, dtype=float)},
        unit=None if unit is None else objects(unit),
        groups={"s": objects(group)},
        features={name: np.asarray(v, dtype=float) for name, v in (features or {}).items()},
        **more,
    )


def linear_read(coefficients: Mapping[str, float], intercept: float, **more: Any) -> ReadModel:
    content = {
        "coefficients": np.array(list(coefficients.values()), dtype=float),
        "intercept": intercept,
        "link": more.pop("link", "logit"),
    }
    return ReadModel("linear", "model.json", tuple(coefficients), content, {}, "0" * 64, **more)


def opaque_read(
    features: Sequence[str], predict: Any, *, positive: int | None = None, **more: Any
) -> ReadModel:
    content = {"predict": predict, "positive": positive}
    return ReadModel("onnx", "model.onnx", tuple(features), content, {}, "0" * 64, **more)


def scored(read: ReadModel, features: Mapping[str, Any]) -> np.ndarray:
    model: Model = build_model(read.kind, read.features or (), read.content)
    x = np.column_stack([np.asarray(features[name], dtype=float) for name in model.features])
    return model.score(x)


def settings_of(**changes: Any) -> RobustSettings:
    return RobustSettings.model_validate(BASE | changes)


def moves_of(eps: Mapping[str, Any], norm: str = "l2", **more: Any) -> dict[str, Any]:
    features = {
        name: {"eps": float(one)} if isinstance(one, int | float) else one
        for name, one in eps.items()
    }
    return {"norm": norm, "features": features, **more}


def run(table: Table, read: ReadModel | None = None, *, seed: int = 1, **settings: Any) -> Outcome:
    context = Context(np.random.default_rng(seed), 200, settings.pop("confidence", 0.95))
    models = {}
    if read is not None:
        settings.setdefault("model", {read.kind: read.path})
        models = {str(settings.get("id", "robust")): read}
    chosen = settings_of(**settings)
    outcome = compute(Inputs({"test": table}, (), models), chosen, context)
    # Whatever happens, the result must be strict JSON, and each finding one that is documented.
    json.dumps(plain(outcome.result), allow_nan=False)
    json.dumps(plain(outcome.findings), allow_nan=False)
    allowed = {code.code: code.severities for code in CODES}
    assert all(one.severity in allowed[one.code] for one in outcome.findings)
    return outcome


def result_of(outcome: Outcome) -> RobustResult:
    assert isinstance(outcome.result, RobustResult), outcome.result
    return outcome.result


def gap(outcome: Outcome, metric: str, rung: str | None = "record") -> GapRow:
    found = result_of(outcome).gaps
    (row,) = [row for row in found if (row.metric, row.rung) == (metric, rung)]
    return row


def risk(outcome: Outcome, metric: str) -> RiskRow:
    (row,) = [row for row in result_of(outcome).risk_list if row.metric == metric]
    return row


def codes(outcome: Outcome) -> list[str]:
    return [one.code for one in outcome.findings]


def finding(outcome: Outcome, code: str) -> Finding:
    return next(one for one in outcome.findings if one.code == code)


def article() -> tuple[Table, ReadModel]:
    """Return the article's 600 test rows with its model and the model's scores."""
    rows = pd.read_csv(ARTICLE / "test.csv")
    linear = json.loads((ARTICLE / "linear.json").read_text())
    read = linear_read(linear["coefficients"], linear["intercept"])
    features = {name: rows[name].to_numpy() for name in ("x1", "x2")}
    group, label = (rows.iloc[:, at].to_numpy() for at in (2, 3))
    return table_of(scored(read, features), group, label, features=features), read


def article_run(
    norm: str = "l2", *, eps: float = 0.05, tolerance: Any = 0.23, **settings: Any
) -> Outcome:
    table, read = article()
    moves = moves_of({"x1": eps, "x2": eps}, norm)
    return run(table, read, perturbation=moves, tolerance=tolerance, **settings)
