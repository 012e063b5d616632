"""The histology set from the command line: counts in results.json, pictures, mistakes by line."""

from __future__ import annotations

import csv
import json
import shutil
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from reportgen.cli import main
from tests.support.integrity_images import OSCC400

MANIFEST = """\
reportgen: 1
dossier: {title: Histology set, date: 2026-11-30}
model: {name: oscc, version: "1"}
defaults: {resamples: 200}
images:
  scans:
    path: manifest.csv
    root: images
    columns: {file: file, split: resplit, source: source_id, label: tvnt}
detections:
  boxes:
    ground_truth:
      path: boxes.csv
      columns: {image: file, class: class_name, x: x, y: y, w: w, h: h}
      size: [640, 640]
    join: file
sections:
  - kind: integrity
    images: scans
    detections: boxes
    near_duplicates:
      between: [[train, valid]]
      detectors: {wdct: 0.60, rms32: 15}
      verdicts: review.csv
    leakage: {by: [source, content]}
    label_agreement: {}
"""


@pytest.fixture(scope="module")
def folder(shared: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("oscc400") / "set"
    shutil.copytree(shared / OSCC400, place)
    (place / "manifest.yaml").write_text(MANIFEST)
    with (place / "manifest.csv").open() as file:
        rows = list(csv.DictReader(file))
    first = next(row for row in rows if row["resplit"] == "valid")
    others = [row for row in rows if row["source_id"] == first["source_id"] and row is not first]
    lines = [f"{first['file']},{row['file']},duplicate,MM,2026-11-01" for row in others]
    (place / "review.csv").write_text("\n".join(["image,twin,verdict,reviewer,date", *lines]))
    return place


def call(*arguments: str) -> Any:
    return CliRunner().invoke(main, list(arguments), env={"REPORTGEN_CACHE": "off"})


def test_the_dossier_holds_the_counts_and_the_pictures(folder: Path, tmp_path: Path) -> None:
    manifest = str(folder / "manifest.yaml")
    done = call("build", manifest, "-o", str(tmp_path / "out"), "--format", "html")
    assert done.exit_code == 0, done.output
    dossier = Path(done.stdout.strip().splitlines()[-1])
    results = json.loads((dossier / "results.json").read_text())
    assert results["decision"]["outcome"] == "hold"
    result = results["sections"][0]["result"]
    near = result["near_duplicates"]
    assert near["status"] == "found"
    counts = {(row["detector"], row["split"], row["twin_split"]): row for row in near["counts"]}
    rms32, wdct = counts["rms32", "train", "valid"], counts["wdct", "train", "valid"]
    assert (rms32["k"], rms32["n"], rms32["lower_bound"]) == (25, 109, True)
    assert (wdct["k"], wdct["n"]) == (59, 109)
    everything = {(row["detector"], row["threshold"]): row for row in near["all_pairs"]}
    assert (everything["rms32", 15]["pairs"], everything["wdct", 0.6]["pairs"]) == (88, 234)
    assert everything["rms32", 15]["fixed_alignment"] == 14
    leaked = [row for row in result["leakage"]["rows"] if row["by"] == "source"]
    assert {row["of"]: (row["k"], row["n"]) for row in leaked} == {
        "all": (96, 109),
        "0": (4, 4),
        "1": (92, 105),
    }
    assert leaked[0]["share"]["low"] == pytest.approx(0.8047, abs=5e-5)
    assert leaked[0]["share"]["high"] == pytest.approx(0.9349, abs=5e-5)
    named = {row["picture"] for row in near["pictures"]}
    assert len(named) == 6
    assert {f"{digest}.png" for digest in named} == {
        one.name for one in (dossier / "pictures").iterdir()
    }
    assert near["reviewed"][0]["detector"] == "wdct"
    checks = {(row["code"], row["status"]) for row in result["records"]}
    assert ("INT-001", "found") in checks
    assert ("INT-035", "not found") in checks


def test_mistakes_are_told_with_their_lines(folder: Path, tmp_path: Path) -> None:
    (folder / "wrong.yaml").write_text(MANIFEST.replace("[train, valid]", "[train, vaild]"))
    done = call("build", str(folder / "wrong.yaml"), "-o", str(tmp_path / "out"))
    assert done.exit_code == 2
    assert "wrong.yaml:22: sections[0].near_duplicates.between[0][1]" in done.stderr
    assert "no split is called 'vaild'; did you mean 'valid'?" in done.stderr
    assert "Traceback" not in done.stderr
    assert not (tmp_path / "out").exists()
    (folder / "wide.yaml").write_text(MANIFEST.replace("rms32: 15", "rms32: 300"))
    wide = call("check", str(folder / "wide.yaml"))
    assert wide.exit_code == 2
    assert "wide.yaml:23: sections[0].near_duplicates.detectors.rms32: 300" in wide.stderr
