"""The example's acceptance criteria: in its plan, pinned, and judged as other software would."""

from __future__ import annotations

import csv
import hashlib
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.stats import binomtest
from sklearn.metrics import roc_auc_score

import reportgen

EXAMPLE = Path(__file__).resolve().parents[1] / "examples" / "diabetes"


@pytest.fixture(scope="module")
def criteria() -> dict[str, dict[str, Any]]:
    """Return the criteria of a run of the one section they are about, by id."""
    manifest = reportgen.load_manifest(
        EXAMPLE / "manifest.yaml", overrides=[("defaults.resamples", "200")]
    )
    data = reportgen.run(manifest, only=["frame"]).data
    return {row["id"]: row for row in data["criteria"]}


@pytest.fixture(scope="module")
def patients() -> list[dict[str, str]]:
    return list(csv.DictReader((EXAMPLE / "test.csv").read_text("utf-8").splitlines()))


def wilson(rows: list[dict[str, str]], outcome: str, *, selected: bool) -> tuple[float, float]:
    """Return scipy's Wilson interval of the share of `outcome` that is selected, or is not."""
    own = [float(row["risk_logistic"]) >= 0.3 for row in rows if row["fast_progression"] == outcome]
    found = binomtest(own.count(selected), len(own)).proportion_ci(0.95, method="wilson")
    return float(found.low), float(found.high)


def test_plan_states_the_bounds_and_the_manifest_pins_it() -> None:
    plan = (EXAMPLE / "plan.md").read_bytes()
    assert hashlib.sha256(plan).hexdigest() in (EXAMPLE / "manifest.yaml").read_text("utf-8")
    acceptance = plan.decode().partition("10. Acceptance")[2]
    assert re.findall(r"0\.[78]\d", acceptance) == ["0.80", "0.75", "0.80", "0.80"]


def test_each_verdict_is_met_and_all_are_pre_specified(criteria: dict[str, Any]) -> None:
    assert {name: row["verdict"] for name, row in criteria.items()} == {
        "criterion-1": "pass",
        "criterion-2/1": "pass",
        "criterion-2/2": "pass",
        "criterion-3": "undecided",
        "criterion-4": "fail",
    }
    assert {row["status"] for row in criteria.values()} == {"pre-specified"}


def test_rates_have_the_intervals_of_scipy(
    criteria: dict[str, Any], patients: list[dict[str, str]]
) -> None:
    """Sensitivity holds the bound of 0.80 in its interval; all of specificity's lies below."""
    for name, outcome, selected in (("criterion-3", "1", True), ("criterion-4", "0", False)):
        low, high = wilson(patients, outcome, selected=selected)
        assert criteria[name]["value"]["low"] == pytest.approx(low, abs=1e-9)
        assert criteria[name]["value"]["high"] == pytest.approx(high, abs=1e-9)
        assert (low < 0.80 < high) == (criteria[name]["verdict"] == "undecided")


def test_areas_are_those_of_scikit_learn(
    criteria: dict[str, Any], patients: list[dict[str, str]]
) -> None:
    for name, sexes in (("criterion-1", "12"), ("criterion-2/1", "1"), ("criterion-2/2", "2")):
        rows = [row for row in patients if row["sex"] in sexes]
        truth = np.array([int(row["fast_progression"]) for row in rows])
        score = np.array([float(row["risk_logistic"]) for row in rows])
        assert criteria[name]["value"]["estimate"] == pytest.approx(roc_auc_score(truth, score))
        assert criteria[name]["value"]["low"] >= criteria[name]["bound"]
