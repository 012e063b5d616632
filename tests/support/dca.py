"""Tables of predictions and runs of decision curve sections, for their tests."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import numpy as np

from reportgen.inputs import Inputs, Survival, Table
from reportgen.result import Finding, Outcome, plain
from reportgen.section import Context
from reportgen.sections.dca import SECTION, DcaResult, DcaSettings

STATED = {"owner": "Head of the clinic", "reason": "four needless treatments for one missed case"}


def table_of(
    scores: Mapping[str, Any],
    label: Any = None,
    *,
    survival: Survival | None = None,
    unit: Any = None,
) -> Table:
    arrays = {name: np.asarray(values, dtype=float) for name, values in scores.items()}
    n = len(next(iter(arrays.values())))
    return Table(
        name="test",
        n_rows=n,
        scale="probability",
        label=None if label is None else np.asarray(label, dtype=float),
        survival=survival,
        scores=arrays,
        unit=None if unit is None else np.asarray(unit, dtype=object),
        groups={},
        features={},
    )


def run(table: Table, *, resamples: int = 400, seed: int = 1, **settings: Any) -> Outcome:
    chosen = DcaSettings.model_validate({"kind": "dca", "table": "test", **settings})
    context = Context(np.random.default_rng(seed), resamples, 0.95)
    outcome = SECTION.compute(Inputs({"test": table}, ()), chosen, context)
    # Whatever happens, the result must be strict JSON.
    json.dumps(plain(outcome.result), allow_nan=False)
    json.dumps(plain(outcome.findings), allow_nan=False)
    return outcome


def result_of(outcome: Outcome) -> DcaResult:
    assert isinstance(outcome.result, DcaResult)
    return outcome.result


def informative(n: int = 3000, seed: int = 2) -> Table:
    generator = np.random.default_rng(seed)
    predictor = generator.normal(-1.5, 1.6, n)
    risk = 1 / (1 + np.exp(-predictor))
    return table_of({"good": risk}, generator.random(n) < risk)


def codes(outcome: Outcome) -> set[str]:
    return {finding.code for finding in outcome.findings}


def one(outcome: Outcome, code: str) -> Finding:
    found = [finding for finding in outcome.findings if finding.code == code]
    assert len(found) == 1, [finding.code for finding in outcome.findings]
    return found[0]
