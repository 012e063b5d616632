"""The article's data with its frozen model, and small helpers."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest

from reportgen.stats.robust.intervals import BoolArray, FloatArray
from reportgen.stats.robust.linear import LinearModel
from reportgen.stats.robust.metrics import AuditSample, Decisions, audit_sample

REFERENCE = Path(__file__).resolve().parents[2] / "reference" / "article_001"


@dataclass(frozen=True)
class Article:
    values: FloatArray
    group: np.ndarray[tuple[int], np.dtype[np.intp]]
    positive: BoolArray
    model: LinearModel

    def sample(self, decisions: Decisions) -> AuditSample:
        scores = self.model.score(self.values)
        return audit_sample(scores, self.group, self.positive, decisions=decisions)


@pytest.fixture(scope="session")
def article() -> Article:
    rows = np.loadtxt(REFERENCE / "test.csv", delimiter=",", skiprows=1)
    linear = json.loads((REFERENCE / "linear.json").read_text())
    weights = np.array([linear["coefficients"][name] for name in ("x1", "x2")])
    return Article(
        rows[:, :2],
        rows[:, 2].astype(np.intp),
        rows[:, 3] == 1,
        LinearModel(weights, linear["intercept"]),
    )
