"""A decision curve section in Chinese: no English sentence, English codes, the same figures."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from reportgen import language
from reportgen.build import build
from reportgen.inputs import Survival, Table
from reportgen.language import use
from reportgen.result import Outcome, plain
from reportgen.sections.dca import CODES, RULE, TREAT_ALL, TREAT_NONE
from reportgen.sections.dca.result import VERDICTS
from reportgen.sections.dca.verdicts import FEWEST
from tests.support.chinese import english, part
from tests.support.dca import STATED, codes, informative, run, table_of

MANIFEST = """
reportgen: 1
dossier: {title: 决策曲线, language: zh, date: 2026-11-30}
model: {name: m, version: 1.0.0}
defaults: {resamples: 100}
tables:
  visits:
    path: visits.csv
    unit: patient
    label: {column: y, positive: 1}
    scores: {alpha: a, beta: b, gamma: c}
  follow:
    path: visits.csv
    label: {time: time, event: event, positive: 1, competing: [2], censored: [0], at: 2}
    scores: {alpha: a}
sections:
  - kind: dca
    table: visits
    scores: [alpha]
    thresholds: {from: 0.05, to: 0.5, step: 0.06, owner: 门诊主任}
    prevalence: 0.1
  - kind: dca
    id: three
    table: visits
    thresholds: [0, 0.3, 0.2, 0.3, 1]
    harm: {beta: 0.01}
  - {kind: dca, id: timed, table: follow, thresholds: {values: [0.2, 0.4], reason: 权衡}}
"""
SECTIONS = ("section-dca", "section-three", "section-timed", "methods-dca")


def built(folder: Path) -> Path:
    generator = np.random.default_rng(5)
    n = 160
    risk = 1 / (1 + np.exp(-generator.normal(-1, 1.5, n)))
    label = (generator.random(n) < risk).astype(int)
    noise, time = generator.random(n), generator.exponential(4, n)
    event = generator.choice([0, 1, 2], n, p=[0.5, 0.4, 0.1])
    rows = ["patient,y,time,event,a,b,c"]
    for i in range(n):
        shown = "" if i % 40 == 0 else label[i]
        figures = f"{time[i]:.3f},{event[i]},{risk[i]:.3f},{noise[i]:.3f}"
        rows.append(f"p{i // 2},{shown},{figures},{(risk[i] + noise[i]) / 2:.3f}")
    (folder / "visits.csv").write_text("\n".join(rows) + "\n", "utf-8")
    manifest = folder / "manifest.yaml"
    manifest.write_text(MANIFEST, "utf-8")
    return build(manifest, folder / "out", format="html").folder


def test_its_pages_hold_no_english_sentence(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(language, "READY", ("en", "zh"))
    folder = built(tmp_path)
    html = (folder / "dossier.html").read_text("utf-8")
    for anchor in SECTIONS:
        assert english(part(html, anchor)) == []
    for word in ("净获益", "至事件时间", "检验权衡", "更优的概率", "部署原样", "全部不治疗"):
        assert word in html
    assert "as deployed" not in part(html, "section-dca")
    results = json.loads((folder / "results.json").read_text("utf-8"))
    for one in results["sections"]:
        assert one["result"]["rule"] == RULE
        assert {row["verdict"] for row in one["result"]["overall"]} <= {*VERDICTS}
        defaults = {row["model"] for row in one["result"]["curve"]} - {"alpha", "beta", "gamma"}
        assert defaults == {TREAT_ALL, TREAT_NONE}


def skeleton(value: Any) -> Any:
    """Return plain data without its texts."""
    if isinstance(value, dict):
        return {key: skeleton(item) for key, item in value.items()}
    if isinstance(value, list):
        return [skeleton(item) for item in value]
    return None if isinstance(value, str) else value


def coded(rows: list[dict[str, Any]]) -> list[list[Any]]:
    names = ("model", "against", "probabilities", "verdict")
    return [[row.get(name) for name in names] for row in rows]


def few() -> Table:
    """Two models that differ on few rows, one of two values, and one that is constant."""
    generator = np.random.default_rng(3)
    risk = generator.random(120)
    label = generator.random(120) < risk
    label = np.where(np.arange(120) == 7, np.nan, label)
    two, same = np.where(risk < 0.5, 0.2, 0.6), np.full(120, 0.3)
    return table_of({"alpha": risk, "beta": two, "gamma": same}, label)


def useless() -> Table:
    generator = np.random.default_rng(1)
    return table_of({"m": generator.random(2000)}, generator.random(2000) < 0.2)


def ended() -> Table:
    survival = Survival(np.linspace(0.1, 0.9, 20), (np.arange(20) % 2).astype(float), 2.0)
    return table_of({"m": np.linspace(0, 1, 20)}, survival=survival)


def lopsided() -> Table:
    """One unit has 100 of 140 rows."""
    unit = np.concatenate([np.zeros(100, dtype=int), np.arange(1, 41)])
    label = np.arange(140) < 120
    scores = np.where(np.arange(140) % 3 == 0, 0.75 - 0.5 * label, 0.25 + 0.5 * label)
    return table_of({"m": scores}, label, unit=unit.astype(str))


def perfect() -> Table:
    return table_of({"m": np.repeat([0.9, 0.1], 50)}, np.repeat([1.0, 0.0], 50))


GRID = {"from": 0.1, "to": 0.3, "step": 0.05}
CASES: tuple[tuple[Callable[[], Table], dict[str, Any], set[str]], ...] = (
    (informative, {"thresholds": {**GRID, **STATED}}, {"DCA-001"}),
    (useless, {"thresholds": {**GRID, "owner": "x"}}, {"DCA-002", "DCA-004"}),
    (few, {"thresholds": [0, 0.1, 0.3, 0.9]}, {"DCA-003", "DCA-005", "DCA-006", "DCA-010"}),
    (few, {"thresholds": [0, 0.5, 0.8], "prevalence": 0.2}, {"DCA-007", "DCA-011"}),
    (lopsided, {"thresholds": [0.5]}, {"DCA-008"}),
    (few, {"thresholds": [0], "prevalence": 0.2}, {"DCA-003"}),
    (perfect, {"thresholds": {**GRID, "reason": "x"}}, {"DCA-003", "DCA-004"}),
    (ended, {"thresholds": [0.2]}, {"DCA-009"}),
)


@pytest.mark.parametrize(("table", "settings", "expected"), CASES)
def test_findings_are_chinese_with_the_same_codes_and_evidence(
    table: Callable[[], Table], settings: dict[str, Any], expected: set[str]
) -> None:
    source = run(table(), **settings)
    with use("zh"):
        outcome = run(table(), **settings)
    found, wanted = plain(outcome.result), plain(source.result)
    assert skeleton(found) == skeleton(wanted)
    for name in ("curve", "gains", "verdicts", "overall", "between_models", "self_check"):
        assert coded(found.get(name, [])) == coded(wanted.get(name, []))
    assert expected <= codes(outcome)
    assert english(texts(outcome), allowed=["four needless treatments for one missed case"]) == []
    for one, other in zip(outcome.findings, source.findings, strict=True):
        assert (one.code, one.severity) == (other.code, other.severity)
        assert one.title != other.title
        kept = {key for key in other.evidence if not key.startswith("largest change")}
        assert kept <= set(one.evidence)
        for key in ("model", "against", "probabilities", "threshold"):
            assert one.evidence.get(key) == other.evidence.get(key)


def texts(outcome: Outcome) -> str:
    """Return every text of the findings, and those of the result that are no codes."""
    said = [
        text
        for one in outcome.findings
        for text in (one.title, one.statement, one.limits, one.summary)
    ]
    return "<br>".join([*said, *explained(plain(outcome.result))])


def explained(value: Any) -> list[str]:
    """Return reasons, methods and notes."""
    if isinstance(value, list):
        return [text for item in value for text in explained(item)]
    if not isinstance(value, dict):
        return []
    found = [
        value[key] for key in ("reason", "method", "counts_reason", "outcome") if value.get(key)
    ]
    notes = value.get("notes", [])
    return [*found, *notes, *(text for item in value.values() for text in explained(item))]


def test_the_code_that_names_the_fewest_units_names_the_number_in_use() -> None:
    assert f"at least {FEWEST} units" in CODES[0].meaning
