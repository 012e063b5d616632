"""What the first issue must show, from the command line to the bytes of the folder."""

from __future__ import annotations

import csv
import hashlib
import json
import math
import os
import re
import subprocess
import sys
from html import unescape
from pathlib import Path
from typing import Any

import pytest
from pypdf import PdfReader

from reportgen.release.environment import missing_for_pdf
from reportgen.schema import check_results

SCRIPT, BRACES = "<script>alert(1)</script>", "{{ 7*7 }}"
TITLE = '"><img src=x onerror=alert(1)> R&D {% raw %}'
MANIFEST = f"""\
reportgen: 1
dossier: {{title: '{TITLE}', date: 2026-11-30}}
model: {{name: '{SCRIPT}', version: "1"}}
defaults: {{resamples: 200}}
tables:
  test:
    path: df.csv
    key: patientid
    label: {{column: cancer, positive: "TRUE"}}
    scores: {{'{SCRIPT}': cancerpredmarker, '{BRACES}': famhistory, Brown: brown}}
sections:
  - {{kind: dca, table: test,
     thresholds: {{from: 0.01, to: 0.99, step: 0.01, owner: '{BRACES}', reason: '{SCRIPT}'}}}}
  - {{kind: prevalence, table: test, score: '{SCRIPT}', threshold: 0.25, prevalences: [0.14, 0.01]}}
"""
COLUMNS = {
    SCRIPT: "cancerpredmarker",
    BRACES: "famhistory",
    "treat all": "all",
    "treat none": "none",
}


def command(*words: str, cwd: Path, **environ: str) -> subprocess.Popen[str]:
    kept = {key: value for key, value in os.environ.items() if key not in ("LC_ALL", "LANG", "TZ")}
    return subprocess.Popen(
        [sys.executable, "-m", "reportgen.cli", *words],
        cwd=cwd,
        env={**kept, **environ},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        encoding="utf-8",
    )


def folder_of(process: subprocess.Popen[str], cwd: Path) -> Path:
    out, err = process.communicate(timeout=300)
    assert process.returncode == 0, err
    return cwd / out.splitlines()[-1]


def write_request(folder: Path, source: Path) -> None:
    """Write the manifest and the 750 patients with the published Brown model beside the others."""
    with source.open(newline="") as file:
        rows = list(csv.DictReader(file))
    for row in rows:
        score = 0.75 * float(row["famhistory"]) + 0.26 * float(row["age"]) - 17.5
        row["brown"] = repr(1 / (1 + math.exp(-score)))
    folder.mkdir()
    (folder / "manifest.yaml").write_text(MANIFEST)
    with (folder / "df.csv").open("w", newline="") as file:
        writer = csv.DictWriter(file, list(rows[0]))
        writer.writeheader()
        writer.writerows(rows)


@pytest.fixture(scope="module")
def twice(shared: Path, tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    """Build the same request in two places, unlike in everything that must not matter."""
    if missing_for_pdf():
        pytest.skip("this machine lacks Pango, so there is no PDF to compare")
    places = [
        (tmp_path_factory.mktemp("one") / "a", ["--jobs", "1"],
         {"TZ": "UTC", "LC_ALL": "C", "PYTHONHASHSEED": "0"}),
        (tmp_path_factory.mktemp("two") / "a longer name", ["--jobs", "2"],
         {"TZ": "Asia/Shanghai", "LC_ALL": "C.UTF-8", "PYTHONHASHSEED": "1"}),
    ]  # fmt: skip
    running = []
    for place, words, environ in places:
        write_request(place, shared / "data" / "dca" / "df_binary.csv")
        running.append((command("build", "manifest.yaml", *words, cwd=place, **environ), place))
    return [folder_of(process, place) for process, place in running]


@pytest.fixture(scope="module")
def data(twice: list[Path]) -> dict[str, Any]:
    loaded: dict[str, Any] = json.loads((twice[0] / "results.json").read_bytes())
    return loaded


def contents(folder: Path) -> dict[str, bytes]:
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file()
    }


def test_two_builds_give_the_same_bytes(twice: list[Path]) -> None:
    first, second = map(contents, twice)
    assert {"results.json", "dossier.html", "dossier.pdf", "SHA256SUMS"} <= set(first)
    assert sorted(first) == sorted(second)
    assert [name for name in first if first[name] != second[name]] == []


def test_the_folder_is_named_for_the_model(twice: list[Path]) -> None:
    assert twice[0].name == "r1"
    assert twice[0].parts[-4] == "dossiers"
    assert not set(twice[0].parts[-3]) & set("<>()/{}")


def net_benefits(data: dict[str, Any]) -> dict[tuple[str, float], float]:
    return {
        (row["model"], row["threshold"]): row["net_benefit"]["estimate"]
        for row in data["sections"][0]["result"]["curve"]
        if row["probabilities"] == "as deployed"
    }


def test_net_benefits_are_those_of_dcurves(data: dict[str, Any], shared: Path) -> None:
    found = net_benefits(data)
    reference = json.loads((shared / "data" / "dca" / "reference.json").read_bytes())
    case = next(case for case in reference["cases"] if case["id"] == "binary_99")
    compared = 0
    for shown, column in COLUMNS.items():
        for threshold, right in zip(
            case["thresholds"], case["results"][column]["net_benefit"], strict=True
        ):
            assert found[shown, threshold] == pytest.approx(right, abs=1e-9)
            compared += 1
    assert compared == 4 * 99


def test_the_values_named_in_the_issue(data: dict[str, Any]) -> None:
    found = net_benefits(data)
    assert found[SCRIPT, 0.25] == pytest.approx(0.064, abs=1e-9)
    assert found["treat all", 0.25] == pytest.approx(-0.146667, abs=5e-7)
    assert found[BRACES, 0.25] == pytest.approx(-0.008444, abs=5e-7)
    assert found["Brown", 0.25] == pytest.approx(-0.055111, abs=5e-7)


def test_results_fit_their_schema(data: dict[str, Any]) -> None:
    check_results(data, "results.json")


def test_every_finding_that_decides_is_there(data: dict[str, Any]) -> None:
    ids = [finding["id"] for finding in data["findings"]]
    assert len(set(ids)) == len(ids)
    assert set(data["decision"]["reasons"]) <= set(ids)


def test_hostile_names_stand_in_the_page_as_typed(twice: list[Path]) -> None:
    page = (twice[0] / "dossier.html").read_text("utf-8")
    assert re.search(r"<script|<img[^>]*onerror", page) is None
    words = unescape(re.sub(r"<[^>]*>", "", page))
    for text in (SCRIPT, BRACES, TITLE):
        assert text in words
    assert not re.search(r"&amp;(lt|gt|amp|#34|quot);", page)


def test_hostile_names_stand_in_the_pdf_as_typed(twice: list[Path]) -> None:
    reader = PdfReader(twice[0] / "dossier.pdf")
    words = re.sub(r"\s", "", "".join(page.extract_text() for page in reader.pages))
    for text in (SCRIPT, BRACES, TITLE):
        assert re.sub(r"\s", "", text) in words
    assert reader.metadata is not None
    assert reader.metadata.title is not None
    assert TITLE in reader.metadata.title


def outline(entries: Any) -> list[str]:
    return [
        title
        for entry in entries
        for title in (outline(entry) if isinstance(entry, list) else [str(entry.title)])
    ]


def test_the_pdf_has_contents_page_numbers_and_both_sections(twice: list[Path]) -> None:
    reader = PdfReader(twice[0] / "dossier.pdf")
    titles = " ".join(outline(reader.outline))
    assert "Decision curves" in titles
    assert "Prevalence" in titles
    text = [page.extract_text() for page in reader.pages]
    contents_page = next(page for page in text if page.startswith("Contents"))
    for title in ("Decision curves", "Prevalence tables"):
        entry = re.search(rf"(\d+) +{title}[ .]+(\d+)", contents_page)
        assert entry is not None
        number, page = entry.groups()
        assert re.search(rf"{number} +{title}", text[int(page) - 1])
    assert f"of {len(text)}" in text[-1]


def test_checksums_hold(twice: list[Path]) -> None:
    lines = (twice[0] / "SHA256SUMS").read_text("ascii").splitlines()
    listed = {name: digest for digest, name in (line.split("  ", 1) for line in lines)}
    files = contents(twice[0])
    files.pop("SHA256SUMS")
    assert listed == {name: hashlib.sha256(raw).hexdigest() for name, raw in files.items()}


def test_two_runs_at_once_get_two_revisions(tmp_path: Path, shared: Path) -> None:
    write_request(tmp_path / "a", shared / "data" / "dca" / "df_binary.csv")
    words = ["build", "manifest.yaml", "--format", "html", "--only", "prevalence"]
    running = [
        command(*words, "--set", f"defaults.seed={seed}", cwd=tmp_path / "a") for seed in (1, 2)
    ]
    folders = [folder_of(process, tmp_path / "a") for process in running]
    assert {folder.name for folder in folders} == {"r1", "r2"}
    for seed, folder in zip((1, 2), folders, strict=True):
        stored = json.loads((folder / "results.json").read_bytes())
        assert stored["defaults"]["seed"] == seed
        assert f"r{stored['dossier']['revision']}" == folder.name


SIX_MISTAKES = """\
reportgen: 1
dossier:
  title: Audit
  date: 2026-13-01
  intended_uses: triage
model: {name: m, version: 2.10}
tables:
  test:
    path: df.csv
    label: {column: cancer, positive: "TRUE"}
    scores: {model: cancerpredmarker}
sections:
  - kind: dca
    table: tset
    thresholds: {from: 0.1, to: 0.5, step: 0.1}
  - kind: prevalence
    id: ratio
    table: test
    score: model
    threshold: 0.2
    prevalences: ["9:1"]
  - kind: dca
    id: second
    table: test
    scores: [modle]
    thresholds: {from: 0.1, to: 0.5, step: 0.1}
"""


SIX_WITH_COLUMNS = """\
reportgen: 1
dossier: {title: Six, date: 2026-11-30}
model: {name: x, version: 1.0.0}
defaults: {seeed: 1}
tables:
  t:
    path: df.csv
    label: {column: kancer, positive: 1}
    scores: {m: cancerpredmarkr}
    unit: patient
sections:
  - kind: dcq
    table: t
  - kind: prevalence
    table: t
    score: m
    thresholds: [0.3]
    prevalences: ["9:1"]
"""


@pytest.mark.parametrize(
    ("manifest", "numbers", "hints"),
    [
        (
            SIX_MISTAKES,
            [4, 5, 6, 14, 21, 25],
            ["YYYY-MM-DD", "intended_use", "quotes", "'test'", "positives: 9", "'model'"],
        ),
        (
            SIX_WITH_COLUMNS,
            [4, 8, 9, 10, 12, 18],
            ["'seed'", "'cancer'", "'cancerpredmarker'", "'patientid'", "'dca'", "positives: 9"],
        ),
    ],
    ids=["manifest", "columns"],
)
@pytest.mark.parametrize("verb", ["check", "build"])
def test_six_mistakes_print_six_lines_and_write_nothing(
    tmp_path: Path, shared: Path, verb: str, manifest: str, numbers: list[int], hints: list[str]
) -> None:
    write_request(tmp_path / "a", shared / "data" / "dca" / "df_binary.csv")
    (tmp_path / "a" / "manifest.yaml").write_text(manifest)
    before = contents(tmp_path)
    process = command(verb, "manifest.yaml", cwd=tmp_path / "a")
    out, err = process.communicate(timeout=60)
    assert process.returncode == 2
    assert out == ""
    *lines, closing = err.splitlines()
    assert closing == "6 faults; nothing was written"
    assert [int(line.split(":")[1]) for line in lines] == numbers
    for line, hint in zip(lines, hints, strict=True):
        assert hint in line
    assert contents(tmp_path) == before
