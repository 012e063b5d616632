"""What stands before and behind the sections, in Chinese."""

from __future__ import annotations

import shutil

import pytest

from reportgen.build import build
from reportgen.language import _, use
from reportgen.render.evidence import read_data
from reportgen.risks.listing import risks
from tests.support.chinese import english, part
from tests.support.messages import ROOT

MANIFEST = """
reportgen: 1
dossier: {title: 进展模型审计, language: zh, date: 2026-11-30}
model: {name: progression, version: 2.1.0}
defaults: {resamples: 100}
tables:
  test:
    path: test.csv
    unit: patient_id
    label: {column: fast_progression, positive: 1}
    scores: {logistic: risk_logistic}
sections:
  - kind: prevalence
    table: test
    score: logistic
    thresholds: [0.3, 0.5]
    prevalences: [0.5, 0.1]
criteria:
  - {metric: sensitivity, threshold: 0.3, at_least: 0.6, source: 方案}
  - {metric: precision, threshold: 0.3, prevalence: 0.5, at_least: 0.99, bound_on: estimate}
  - {metric: precision, at_least: 0.1}
  - {metric: auc, at_most: 0.1}
"""
PARTS = (
    "decision",
    "risk-list",
    "intended-use",
    "data-received",
    "findings",
    "reading",
    "glossary",
    "crosswalks",
    "sign-off",
)


@pytest.fixture(scope="module")
def html(tmp_path_factory: pytest.TempPathFactory) -> str:
    folder = tmp_path_factory.mktemp("chinese")
    shutil.copy(ROOT / "examples" / "diabetes" / "test.csv", folder)
    manifest = folder / "manifest.yaml"
    manifest.write_text(MANIFEST, "utf-8")
    made = build(manifest, folder / "out", format="html").folder
    return (made / "dossier.html").read_text("utf-8")


# The name of a journal stays as it is printed.
NAMES = ("Radiology: Artificial Intelligence",)


def test_no_part_of_the_frame_holds_an_english_sentence(html: str) -> None:
    for anchor in PARTS:
        assert english(part(html, anchor), allowed=NAMES) == [], anchor
    assert "2026年11月30日" in part(html, "decision")
    assert "验收标准" in part(html, "decision")


def test_data_of_the_package_stay_english_however_often_they_were_shown(html: str) -> None:
    assert "术语" in html
    assert read_data("glossary.yaml")[0]["term"] == "Acceptance criterion"
    assert read_data("crosswalks/1_eu_ai_act.yaml")["title"] == "EU AI Act, Annex IV"


@pytest.mark.parametrize("name", ["en", "zh"])
def test_a_line_of_a_gap_finds_the_finding_with_that_gap(name: str) -> None:
    gaps = [{"estimate": one, "low": 0.0, "high": one, "reason": None} for one in (0.1, 0.3)]
    rows = [
        {
            "primary": True,
            "verdict": "undecided",
            "score": "s",
            "attribute": "sex",
            "metric": "auc",
            "group": "2",
            "reference": "1",
            "gap": gap,
        }
        for gap in gaps
    ]
    section = {"id": "frame", "kind": "frame", "title": "t", "result": {"gaps": rows}}
    with use(name):
        findings = [
            {"id": f"f{at}", "section": "frame", "title": "", "evidence": {_("gap"): gap}}
            for at, gap in enumerate(gaps)
        ]
        assert [line.finding for line in risks([section], findings)] == ["f1"]
