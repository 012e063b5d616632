"""Robust audits from the command line: right values, a refused pickle, a model that disagrees."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from click.testing import CliRunner

from reportgen.cli import main
from tests.support.robust import ARTICLE, article

MANIFEST = """\
reportgen: 1
dossier: {{title: Audit of article 001, date: 2026-11-30}}
model: {{name: article, version: "1"}}
tables:
  test:
    path: test.csv
    label: {{column: y, positive: 1}}
    scores: {{m: score}}
    groups: [s]
    features: [x1, x2]
sections:
  - kind: robust
    table: test
    model: {model}
    sensitive: s
    decisions: soft
    tolerance: 0.23
    perturbation:
      norm: l2
      features: {{x1: {{eps: 0.05}}, x2: {{eps: 0.05}}}}
"""


def written(folder: Path, model: str = "{linear: linear.json}", intercept: float = 0.0) -> Path:
    table, _ = article()
    columns = {**table.features, "s": table.groups["s"], "y": table.label, **table.scores}
    frame = pd.DataFrame(columns).rename(columns={"m": "score"}).astype({"y": int})
    frame.to_csv(folder / "test.csv", index=False)
    linear = json.loads((ARTICLE / "linear.json").read_text())
    linear["intercept"] += intercept
    (folder / "linear.json").write_text(json.dumps(linear))
    manifest = folder / "manifest.yaml"
    manifest.write_text(MANIFEST.format(model=model))
    return manifest


def call(*arguments: str) -> Any:
    return CliRunner().invoke(main, list(arguments))


def test_the_false_pass_is_a_fail_in_the_dossier(tmp_path: Path) -> None:
    done = call(
        "build", str(written(tmp_path)), "-o", str(tmp_path / "out"), "--format", "html", "--gate"
    )
    assert done.exit_code == 1, done.output
    folder = Path(done.stdout.strip().splitlines()[-1])
    results = json.loads((folder / "results.json").read_text())
    assert results["decision"]["outcome"] == "hold"
    result = results["sections"][0]["result"]
    (row,) = [row for row in result["gaps"] if row["rung"] == "record"]
    assert row["certified"]["estimate"] == pytest.approx(0.241981628, abs=1e-9)
    assert row["critical_unsafe_raw"] == pytest.approx(0.018511039, abs=1e-9)
    assert result["verdict"] == "fragile"
    inputs = {one["name"]: one["sha256"] for one in results["inputs"]}
    assert inputs["sections.0.model"] == result["model"][0]["sha256"]
    page = (folder / "dossier.html").read_text()
    assert "fragile" in page


def test_a_model_that_disagrees_stops_the_run(tmp_path: Path) -> None:
    manifest = written(tmp_path, intercept=0.001)
    for command in ("check", "build"):
        done = call(command, str(manifest))
        assert done.exit_code == 2
        assert "manifest.yaml:14: sections[0].model.linear" in done.stderr
        assert "more than 1e-06" in done.stderr
    assert not (tmp_path / "dossiers").exists()


def test_a_pickle_is_refused_without_being_opened(tmp_path: Path) -> None:
    """What it would do when opened is to write a file; nothing may have been written."""
    trap = tmp_path / "opened"
    source = f"cos\nsystem\n(S'touch {trap}'\ntR."
    (tmp_path / "model.pkl").write_text(source)
    manifest = written(tmp_path, "{pickle: model.pkl}")
    done = call("build", str(manifest), "-o", str(tmp_path / "out"))
    assert done.exit_code == 2
    assert "it was not opened" in done.stderr
    # The flag alone does not open it either: the digest must be pinned.
    done = call("build", str(manifest), "-o", str(tmp_path / "out"), "--allow-pickle")
    assert done.exit_code == 2
    assert "sha256" in done.stderr
    assert not trap.exists()
    assert not (tmp_path / "out").exists()


def test_the_same_inputs_give_the_same_revision(tmp_path: Path) -> None:
    manifest = written(tmp_path)
    first = call("build", str(manifest), "-o", str(tmp_path / "out"), "--format", "html")
    copied = tmp_path / "elsewhere"
    copied.mkdir()
    for name in ("manifest.yaml", "test.csv", "linear.json"):
        shutil.copy(tmp_path / name, copied / name)
    again = call(
        "build", str(copied / "manifest.yaml"), "-o", str(tmp_path / "out"), "--format", "html"
    )
    assert first.exit_code == again.exit_code == 0
    assert first.stdout.splitlines()[-1] == again.stdout.splitlines()[-1]
    assert "unchanged" in again.stderr
