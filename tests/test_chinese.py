"""A dossier in Chinese has no English sentence, and its results keep their English codes."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

from reportgen.build import build
from reportgen.language import current
from tests.support.chinese import english, part
from tests.support.messages import ROOT

EXAMPLE = ROOT / "examples" / "diabetes"
MANIFEST = """
reportgen: 1
dossier: {{title: 进展模型审计, language: {language}, date: 2026-11-30}}
model: {{name: progression, version: 2.1.0}}
defaults: {{resamples: 100}}
tables:
  test:
    path: test.csv
    unit: patient_id
    label: {{column: fast_progression, positive: 1}}
    scores: {{logistic: risk_logistic}}
  field: {{path: field.csv, unit: patient_id, scores: {{logistic: risk_logistic}}}}
sections:
  - kind: prevalence
    table: test
    score: logistic
    thresholds: [0.3, 0.5]
    unlabelled: field
    prevalences: [0.5, 0.1, {{positives: 1, negatives: 99}}]
  - kind: prevalence
    id: published
    sensitivity: {{k: 20, n: 20}}
    specificity: 0.8
    prevalences: [0.01]
"""


def built(folder: Path, name: str, *, jobs: int = 1) -> Path:
    for file in ("test.csv", "field.csv"):
        shutil.copy(EXAMPLE / file, folder)
    manifest = folder / "manifest.yaml"
    manifest.write_text(MANIFEST.format(language=name), "utf-8")
    return build(manifest, folder / f"out-{name}-{jobs}", format="html", jobs=jobs).folder


def test_a_prevalence_section_holds_no_english_sentence(tmp_path: Path) -> None:
    folder = built(tmp_path, "zh")
    html = (folder / "dossier.html").read_text("utf-8")
    for anchor in ("section-prevalence", "section-published", "methods-prevalence"):
        assert english(part(html, anchor)) == []
    assert "灵敏度" in html
    assert current() == "en"


def test_results_are_chinese_with_english_codes_and_the_same_figures(tmp_path: Path) -> None:
    results = json.loads((built(tmp_path, "zh") / "results.json").read_text("utf-8"))
    source = json.loads((built(tmp_path, "en") / "results.json").read_text("utf-8"))
    assert [f["id"] for f in results["findings"]] == [f["id"] for f in source["findings"]]
    assert [f["severity"] for f in results["findings"]] == [
        f["severity"] for f in source["findings"]
    ]
    for one, other in zip(results["sections"], source["sections"], strict=True):
        assert figures(one["result"]) == figures(other["result"])
        assert [row["metric"] for row in one["result"]["rows"]] == [
            row["metric"] for row in other["result"]["rows"]
        ]
    text = json.dumps([results["findings"], results["sections"]], ensure_ascii=False)
    assert english(text) == []


def figures(value: object) -> object:
    """Return plain data without its texts."""
    if isinstance(value, dict):
        return {key: figures(item) for key, item in value.items()}
    if isinstance(value, list):
        return [figures(item) for item in value]
    return None if isinstance(value, str) else value


def test_processes_of_their_own_write_the_same_language(tmp_path: Path) -> None:
    alone, together = built(tmp_path, "zh"), built(tmp_path, "zh", jobs=2)
    for name in ("results.json", "dossier.html"):
        assert (alone / name).read_bytes() == (together / name).read_bytes()
