"""Tables and runs of prevalence sections, as functions."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pytest

from reportgen.inputs import Inputs, Table
from reportgen.result import Outcome, plain
from reportgen.section import Context
from reportgen.sections.prevalence import CODES, PrevalenceSettings, compute

MakeTable = Callable[..., Table]


def _settings(**changes: Any) -> PrevalenceSettings:
    base: dict[str, Any] = {
        "kind": "prevalence",
        "table": "test",
        "score": "m",
        "prevalences": [0.5, 0.01],
    }
    if "table" in changes or "sensitivity" not in changes:
        base |= {} if {"threshold", "thresholds"} & set(changes) else {"threshold": 0.5}
    else:
        del base["table"], base["score"]
    return PrevalenceSettings.model_validate(base | changes)


def _table(
    label: Sequence[float] | np.ndarray[Any, Any],
    score: Sequence[float] | np.ndarray[Any, Any],
    *,
    unit: list[str] | None = None,
    scale: str = "probability",
    name: str = "test",
) -> Table:
    return Table(
        name=name,
        n_rows=len(score),
        scale=scale,
        label=np.asarray(label, dtype=float),
        survival=None,
        scores={"m": np.asarray(score, dtype=float)},
        unit=None if unit is None else np.array(unit, dtype=object),
        groups={},
        features={},
    )


def _run(
    settings: PrevalenceSettings, *tables: Table, seed: int = 1, resamples: int = 300
) -> Outcome:
    context = Context(np.random.default_rng(seed), resamples, 0.95)
    outcome = compute(Inputs({t.name: t for t in tables}, ()), settings, context)
    plain(outcome.result)  # nothing in it is without a plain form
    assert {f.code for f in outcome.findings} <= {code.code for code in CODES}
    allowed = {code.code: code.severities for code in CODES}
    assert all(f.severity in allowed[f.code] for f in outcome.findings)
    return outcome


def _sample(
    n: int, share: float, seed: int, *, name: str = "test", rows: int = 1, shift: float = 0.0
) -> Table:
    """Return patients whose scores are calibrated probabilities at a share of 0.3."""
    rng = np.random.default_rng(seed)
    label = np.repeat((rng.random(n) < share).astype(float), rows)
    patient = np.repeat(rng.normal(size=n), rows) * (0.6 if rows > 1 else 0)
    marker = rng.normal(size=n * rows) * (0.8 if rows > 1 else 1) + patient + 2 * label + shift
    odds = np.exp(2 * marker - 2) * 0.3 / 0.7
    unit = [f"p{i // rows}" for i in range(n * rows)] if rows > 1 else None
    return _table(label, odds / (1 + odds), unit=unit, name=name)


@pytest.fixture(scope="session")
def prevalence_settings() -> Callable[..., PrevalenceSettings]:
    """Return a maker of settings: of table "test" unless published figures are given."""
    return _settings


@pytest.fixture(scope="session")
def score_table() -> MakeTable:
    """Return a maker of tables from labels and scores."""
    return _table


@pytest.fixture(scope="session")
def sample_table() -> MakeTable:
    """Return a maker of tables of patients whose scores are calibrated at a share of 0.3."""
    return _sample


@pytest.fixture(scope="session")
def run_prevalence() -> Callable[..., Outcome]:
    """Return a runner of the section that checks what must hold of every outcome."""
    return _run
