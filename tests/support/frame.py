"""Tables with groups and runs of FRAME sections, for their tests."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from reportgen.inputs import Inputs, Table
from reportgen.result import Finding, Outcome, plain
from reportgen.section import Context
from reportgen.sections.frame import CODES, FrameResult, FrameSettings, compute
from reportgen.sections.frame.result import GapRow, GroupRow
from reportgen.stats.worlds import World

BASE: dict[str, Any] = {"kind": "frame", "table": "test", "margin": 0.05}


def objects(values: Any) -> Any:
    return np.asarray(values, dtype=object)


def table_of(
    label: Any,
    scores: Any,
    groups: Mapping[str, Any],
    *,
    unit: Any = None,
    features: Any = None,
    **more: Any,
) -> Table:
    if not isinstance(scores, Mapping):
        scores = {"m": scores}
    x = None if features is None else np.asarray(features, dtype=float)
    return Table(
        name="test",
        n_rows=len(label),
        scale=more.pop("scale", "probability"),
        label=np.asarray(label, dtype=float),
        survival=None,
        scores={name: np.asarray(values, dtype=float) for name, values in scores.items()},
        unit=None if unit is None else objects([str(one) for one in unit]),
        groups={name: objects(values) for name, values in groups.items()},
        features={} if x is None else {f"x{j}": x[:, j] for j in range(x.shape[1])},
        **more,
    )


def world_table(world: World, *, features: bool = True) -> Table:
    group = np.where(world.in_group, "small", "large")
    return table_of(
        world.positive,
        world.score,
        {"group": group},
        unit=world.unit,
        features=world.features if features else None,
    )


def settings_of(**changes: Any) -> FrameSettings:
    return FrameSettings.model_validate(BASE | changes)


def run(table: Table, *, seed: int = 1, resamples: int = 200, **settings: Any) -> Outcome:
    context = Context(np.random.default_rng(seed), resamples, settings.pop("confidence", 0.95))
    outcome = compute(Inputs({"test": table}, ()), settings_of(**settings), context)
    # Whatever happens, the result must be strict JSON, and each finding one that is documented.
    json.dumps(plain(outcome.result), allow_nan=False)
    json.dumps(plain(outcome.findings), allow_nan=False)
    allowed = {code.code: code.severities for code in CODES}
    assert all(one.severity in allowed[one.code] for one in outcome.findings)
    return outcome


def result(table: Table, **settings: Any) -> FrameResult:
    found = run(table, **settings).result
    assert isinstance(found, FrameResult)
    return found


def group(found: FrameResult, attribute: str, name: str) -> GroupRow:
    (row,) = [r for r in found.groups if (r.attribute, r.group) == (attribute, name)]
    return row


def gap(found: FrameResult, attribute: str, name: str, metric: str = "auc") -> GapRow:
    (row,) = [
        r for r in found.gaps if (r.attribute, r.group, r.metric) == (attribute, name, metric)
    ]
    return row


def codes(outcome: Outcome) -> list[str]:
    return [one.code for one in outcome.findings]


def finding(outcome: Outcome, code: str) -> Finding:
    return next(one for one in outcome.findings if one.code == code)


def nih_table(shared: Path, label: str, *, features: bool = False) -> Table:
    """Return the NIH chest X-rays with one label and its score."""
    folder = shared / "data" / "fairness"
    frame = pd.read_csv(folder / "nih_cxr14_chexnet.csv", dtype={"patient_id": str})
    band = np.select([frame.age < 40, frame.age < 60], ["<40", "40-59"], ">=60")
    logits = None
    if features:
        with np.load(folder / "nih_cxr14_chexnet_logits.npz", allow_pickle=False) as arrays:
            logits = arrays["logits"]
    return table_of(
        frame[f"y_{label}"],
        frame[f"p_{label}"],
        {"sex": frame.sex, "age_band": band, "view": frame["view"]},
        unit=frame.patient_id,
        features=logits,
    )


def papila_table(shared: Path) -> Table:
    """Return the PAPILA eyes with their frozen score."""
    frame = pd.read_csv(shared / "data" / "fairness" / "papila_eyes.csv", dtype={"sex_code": str})
    band = np.where(frame.age < 60, "<60", ">=60")
    groups = {"sex_code": frame.sex_code, "age_band": band}
    return table_of(frame.y_glaucoma, frame.score, groups, unit=frame.patient_id)


def two_groups(
    seed: int = 0,
    *,
    patients: tuple[int, int] = (150, 100),
    images: int = 2,
    signal: tuple[float, float] = (1.5, 1.5),
) -> Table:
    """Return patients of two groups, with the strength of the score in each."""
    rng = np.random.default_rng(seed)
    name = np.repeat(["large", "small"], patients)
    strength = np.repeat(signal, patients)
    positive = rng.random(len(name)) < 0.4
    unit = np.repeat(np.arange(len(name)), images)
    logit = (strength * (2 * positive - 1) / 2)[unit] + rng.normal(size=len(unit))
    return table_of(positive[unit], 1 / (1 + np.exp(-logit)), {"group": name[unit]}, unit=unit)
