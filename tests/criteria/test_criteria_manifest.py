"""Criteria in a manifest: every mistake before computing, and the verdicts of a whole run."""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import Any

import pytest

import reportgen
from reportgen.errors import ManifestError
from reportgen.manifest_file import load_manifest
from reportgen.schema import check_results

HEAD = """\
reportgen: 1
dossier: {title: T, date: 2026-11-30}
model: {name: m, version: "1"}
"""
PUBLISHED = """\
sections:
  - {kind: prevalence, id: p, sensitivity: {k: 80, n: 100}, specificity: {k: 450, n: 500},
     prevalences: [0.1, 0.01]}
"""
# Sensitivity 80/100: Wilson (1927) by hand, z = 1.959964: (0.8 + 0.019207) / 1.038415 = 0.788901,
# half width z * sqrt(0.8 * 0.2 / 100 + 0.00009604) / 1.038415 = 0.077725; so 0.7112 to 0.8666.


def write(folder: Path, criteria: str, *, head: str = HEAD, sections: str = PUBLISHED) -> Path:
    path = folder / "manifest.yaml"
    path.write_text(head + sections + "criteria:\n" + criteria, "utf-8")
    return path


def faults(folder: Path, criteria: str, **keys: Any) -> list[str]:
    with pytest.raises(ManifestError) as caught:
        load_manifest(write(folder, criteria, **keys))
    return [str(fault) for fault in caught.value.faults]


@pytest.mark.parametrize(
    ("entry", "part"),
    [
        ("{metric: sensitivity}", "it has no bound; add at_least or at_most"),
        ("{metric: sensitivity, at_least: 0.7, at_most: 0.9}", "stand in one criterion"),
        ("{metric: sensitivty, at_least: 0.7}", "did you mean 'sensitivity'?"),
        ("{metric: sensitivity, section: q, at_least: 0.7}", "no section is called 'q'"),
        ("{metric: sensitivity, section: p, at_least: 0.7, prevalence: 0.1}", "not told apart by"),
        ("{metric: precision, at_least: 0.7, prevalence: 0.2}", "has no prevalence 0.2"),
        ("{metric: sensitivity, at_least: 0.7, group: F}", "add attribute"),
        ("{metric: sensitivity, at_least: .nan}", "criteria[0]"),
        ("{metric: sensitivity, at_leest: 0.7}", "did you mean 'at_least'?"),
    ],
)
def test_mistakes_are_found_before_computing(tmp_path: Path, entry: str, part: str) -> None:
    found = faults(tmp_path, f"  - {entry}\n")
    assert any(part in fault for fault in found), found
    assert all("manifest.yaml:" in fault for fault in found)


def test_a_figure_of_two_sections_needs_its_section(tmp_path: Path) -> None:
    twice = PUBLISHED + PUBLISHED.removeprefix("sections:\n").replace("id: p", "id: q")
    entry = "  - {metric: sensitivity, at_least: 0.7}\n"
    (fault,) = faults(tmp_path, entry, sections=twice)
    assert "stands in the sections p, q; say which: section: p" in fault
    named = entry.replace("at_least", "section: q, at_least")
    assert load_manifest(write(tmp_path, named, sections=twice)).settings.criteria


def test_two_criteria_of_one_id_and_reserved_sections(tmp_path: Path) -> None:
    entry = "  - {id: a, metric: sensitivity, at_least: 0.7}\n"
    assert "is called 'a' already" in faults(tmp_path, entry * 2)[0]
    for name in ("criteria", "run"):
        sections = PUBLISHED.replace("id: p", f"id: {name}")
        assert "give this section another id" in faults(tmp_path, entry, sections=sections)[0]


def run(folder: Path, criteria: str, head: str = HEAD, **keys: Any) -> dict[str, Any]:
    manifest = load_manifest(write(folder, criteria, head=head), **keys)
    return dict(reportgen.run(manifest).data)


CRITERIA = """\
  - {id: high, metric: sensitivity, at_least: 0.70, source: "plan, 2"}
  - {id: between, metric: sensitivity, at_least: 0.75}
  - {id: low, metric: sensitivity, at_least: 0.87}
"""


def test_verdicts_of_published_figures(tmp_path: Path) -> None:
    data = run(tmp_path, CRITERIA)
    assert [row["verdict"] for row in data["criteria"]] == ["pass", "undecided", "fail"]
    assert data["criteria"][0]["value"]["low"] == pytest.approx(0.711, abs=5e-4)
    assert data["criteria"][0]["value"]["high"] == pytest.approx(0.867, abs=5e-4)
    assert {row["status"] for row in data["criteria"]} == {"exploratory"}
    codes = [one["code"] for one in data["findings"] if one["section"] == "criteria"]
    assert codes == ["CRI-001", "CRI-003", "CRI-002"]
    assert data["decision"]["outcome"] == "hold"
    assert "criteria/CRI-002" in data["decision"]["reasons"]
    data["dossier"]["revision"] = 1
    check_results(data, "results.json")


def test_a_pinned_plan_makes_criteria_pre_specified(tmp_path: Path) -> None:
    (tmp_path / "plan.md").write_text("Sensitivity at least 0.70.\n", "utf-8")
    digest = hashlib.sha256((tmp_path / "plan.md").read_bytes()).hexdigest()
    pinned = HEAD + f"plan: {{path: plan.md, sha256: {digest}}}\n"
    data = run(tmp_path, CRITERIA, pinned)
    assert {row["status"] for row in data["criteria"]} == {"pre-specified"}
    assert data["findings"][0]["severity"] == "pass"
    bare = run(tmp_path, CRITERIA, HEAD + "plan: {path: plan.md}\n")
    assert {row["status"] for row in bare["criteria"]} == {"exploratory"}
    assert bare["findings"][0]["severity"] == "note"


def test_a_bound_changed_on_the_command_line_is_not_pre_specified(tmp_path: Path) -> None:
    (tmp_path / "plan.md").write_text("Sensitivity at least 0.87.\n", "utf-8")
    digest = hashlib.sha256((tmp_path / "plan.md").read_bytes()).hexdigest()
    pinned = HEAD + f"plan: {{path: plan.md, sha256: {digest}}}\n"
    data = run(tmp_path, CRITERIA, pinned, overrides=[("criteria[2].at_least", "0.5")])
    assert data["criteria"][2]["verdict"] == "pass"
    assert {row["status"] for row in data["criteria"]} == {"exploratory"}


def test_without_criteria_nothing_is_said(tmp_path: Path) -> None:
    path = tmp_path / "manifest.yaml"
    path.write_text(HEAD + PUBLISHED, "utf-8")
    data = reportgen.run(load_manifest(path)).data
    assert data["criteria"] == []
    assert not [one for one in data["findings"] if one["code"].startswith("CRI")]
