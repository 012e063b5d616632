"""Figures of scikit-learn, fairlearn and others, and the demonstrations of real data."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from reportgen.inputs import Table
from reportgen.result import plain
from reportgen.sections.frame import FrameResult
from tests.support.frame import finding, gap, group, nih_table, papila_table, result, run, table_of

# results.json holds twelve significant digits.
CLOSE: dict[str, Any] = {"rel": 1e-11, "abs": 1e-12}
NAMES = {
    "prevalence": "prevalence",
    "selection_rate": "selection_rate",
    "tpr": "sensitivity",
    "tnr": "specificity",
    "fpr": "false_positive_rate",
    "balanced_accuracy": "balanced_accuracy",
    "auc": "auc",
}
PARITY = {
    "demographic_parity_difference": "demographic_parity",
    "demographic_parity_ratio": "demographic_parity_ratio",
    "equalized_odds_difference": "equalized_odds",
    "equalized_odds_ratio": "equalized_odds_ratio",
    "equal_opportunity_difference": "equal_opportunity",
    "equal_opportunity_ratio": "equal_opportunity_ratio",
}


def reference(shared: Path, file: str) -> list[dict[str, Any]]:
    data = json.loads((shared / "data" / "fairness" / "reference.json").read_bytes())
    entries: list[dict[str, Any]] = data[file]
    return entries


def attribute(name: str) -> str | list[str]:
    return ["sex", "age_band"] if name == "sex_x_age" else name


def compared(found: FrameResult, entry: dict[str, Any]) -> int:
    """Compare every figure of an entry with the section's; return how many there were."""
    parts = attribute(entry["attribute"])
    name = parts if isinstance(parts, str) else " × ".join(parts)
    count = 0
    groups = {**entry["groups"], None: entry["overall"]}
    for key, right in groups.items():
        own = ("overall", "all") if key is None else (name, _named(key))
        row = plain(group(found, *own))
        assert row["n_rows"] == right["n_images"]
        assert row["n_positive"] == right["n_pos"]
        assert row["n_units"] == right.get("n_patients", row["n_units"])
        for theirs, ours in NAMES.items():
            assert row[ours]["estimate"] == pytest.approx(right[theirs], **CLOSE)
            count += 1
    worst = {row.metric: row.value.estimate for row in found.parity if row.attribute == name}
    for theirs, ours in PARITY.items():
        assert worst[ours] == pytest.approx(entry["fairlearn"][theirs], **CLOSE)
        count += 1
    return count


def _named(key: str) -> str:
    return key.replace("|", " × ").replace("_x_", " × ") if "×" not in key else key


@pytest.mark.parametrize("label", ["effusion", "pneumothorax", "cardiomegaly"])
def test_figures_of_the_nih_groups(shared: Path, label: str) -> None:
    entries = [e for e in reference(shared, "nih_cxr14_chexnet.csv") if e["label"] == f"y_{label}"]
    attributes = [attribute(entry["attribute"]) for entry in entries]
    found = result(
        nih_table(shared, label),
        groups=attributes,
        threshold=entries[0]["threshold"],
        resamples=100,
    )
    assert sum(compared(found, entry) for entry in entries) == 4 * 6 + 7 * (2 + 3 + 2 + 6 + 4)


def test_figures_of_the_papila_groups(shared: Path) -> None:
    entries = reference(shared, "papila_eyes.csv")
    names = [entry["attribute"] for entry in entries]
    found = result(
        papila_table(shared), groups=names, threshold=entries[0]["threshold"], resamples=100
    )
    assert sum(compared(found, entry) for entry in entries) > 20


@pytest.fixture(scope="module")
def effusion(shared: Path) -> FrameResult:
    return result(
        nih_table(shared, "effusion"),
        groups=["sex", "view"],
        reference={"sex": "F", "view": "PA"},
        threshold=0.15,
        resamples=1000,
    )


def test_effusion_sex_has_no_gap_beyond_the_margin(effusion: FrameResult) -> None:
    row = gap(effusion, "sex", "M")
    assert row.gap.estimate == pytest.approx(-0.0118, abs=5e-5)
    assert row.gap.low == pytest.approx(-0.031, abs=1.5e-3)
    assert row.gap.high == pytest.approx(0.007, abs=1.5e-3)
    assert row.image_level_p == pytest.approx(0.063, abs=5e-4)
    assert row.p == pytest.approx(0.22, abs=0.005)
    assert row.verdict == "no gap beyond margin"
    assert row.release == "release"


def test_effusion_view_has_a_gap(effusion: FrameResult) -> None:
    row = gap(effusion, "view", "AP")
    assert row.gap.estimate == pytest.approx(-0.0803, abs=5e-5)
    assert row.gap.low == pytest.approx(-0.100, abs=2e-3)
    assert row.gap.high == pytest.approx(-0.061, abs=2e-3)
    assert row.image_level_p == pytest.approx(8e-32, rel=0.1)
    assert row.units_in_both == 1450
    # Without features there is no evidence either way, and that is what it says.
    assert row.verdict == "gap shown, evidence not assessed"
    assert row.release == "hold"


def test_pneumothorax_view_is_no_gap_of_patients(shared: Path) -> None:
    outcome = run(
        nih_table(shared, "pneumothorax"),
        groups=["view"],
        reference={"view": "PA"},
        resamples=2000,
    )
    assert isinstance(outcome.result, FrameResult)
    row = gap(outcome.result, "view", "AP")
    assert row.gap.estimate == pytest.approx(-0.0307, abs=5e-5)
    assert row.image_level_p == pytest.approx(0.0082, abs=5e-5)
    # Two sets of 2,000 draws differ in this p by .01 (one standard error).
    assert row.p == pytest.approx(0.11, abs=0.03)
    assert row.verdict == "sampling variation not excluded"
    assert finding(outcome, "FRM-002").severity == "warn"
    # SE ratio 1.63 by patient and MDG .053 of one comparison.
    assert row.design_effect == pytest.approx(1.63**2, rel=0.05)
    assert row.minimum_detectable_gap == pytest.approx(0.053, abs=0.001)


def article(seed: int = 42) -> Table:
    """Run article 000 as printed, with its seed: data, split and model."""
    from sklearn.linear_model import LogisticRegression
    from sklearn.model_selection import train_test_split
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler

    rng = np.random.default_rng(seed)
    rows, labels, groups, patients = [], [], [], []
    for name, count, shift in (("major", 200, 0.0), ("minor", 80, 0.6)):
        for number in range(count):
            base = rng.normal(shift, 1.0, size=16)
            label = rng.binomial(1, 0.4)
            for _ in range(4):
                rows.append(base + rng.normal(0, 0.25, size=16))
                labels.append(label)
                groups.append(name)
                patients.append(f"{name}_{number:04d}")
    x, y, g, p = np.array(rows), np.array(labels), np.array(groups), np.array(patients)
    train, test = train_test_split(np.unique(p), test_size=0.3, random_state=42)
    model = make_pipeline(StandardScaler(), LogisticRegression(max_iter=1000))
    model.fit(x[np.isin(p, train)], y[np.isin(p, train)])
    kept = np.isin(p, test)
    score = model.predict_proba(x[kept])[:, 1]
    return table_of(y[kept], score, {"group": g[kept]}, unit=p[kept], features=x[kept])


def test_the_article_as_printed_is_not_estimable() -> None:
    outcome = run(article(), threshold=0.5, resamples=1000)
    assert isinstance(outcome.result, FrameResult)
    major, minor = (group(outcome.result, "group", name) for name in ("major", "minor"))
    assert (major.n_units, major.n_rows, minor.n_units, minor.n_rows) == (59, 236, 25, 100)
    assert major.auc.estimate == pytest.approx(0.615, abs=5e-4)
    assert minor.auc.estimate == pytest.approx(0.330, abs=5e-4)
    assert minor.n_positive_units == 9
    row = gap(outcome.result, "group", "minor")
    assert row.verdict == "not estimable"
    assert "9 positive patients, fewer than 10" in row.reason
    # Its interval is printed all the same, as the notes on the methods give it.
    assert row.gap.low == pytest.approx(-0.507, abs=5e-4)
    assert row.gap.high == pytest.approx(0.003, abs=5e-4)
    told = finding(outcome, "FRM-007")
    assert told.severity == "warn"
    assert "9 positive patients" in told.statement
    (features,) = outcome.result.representation
    # The article prints .900, whatever the shift, and tells groups apart by split images.
    assert features.coverage.estimate is not None
    assert features.coverage.estimate < 0.85
    assert features.domain_auc.estimate is not None
    assert 0.5 < features.domain_auc.estimate < 0.99


def test_a_required_group_of_the_article_holds_the_release() -> None:
    outcome = run(article(), threshold=0.5, required={"group": ["minor"]})
    assert finding(outcome, "FRM-007").severity == "fail"
