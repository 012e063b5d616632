"""Limits of size: a million rows within 2 GiB, and long lists that keep the PDF short."""

from __future__ import annotations

import csv
import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

HEAD = """\
reportgen: 1
dossier: {title: Big, date: 2026-11-30}
model: {name: big, version: "1"}
"""
MILLION = (
    HEAD
    + """\
defaults: {resamples: %d}
tables:
  t: {path: t.csv, label: {column: y, positive: 1}, scores: {a: s}, unit: pid,
      groups: [sex, age, site]}
sections:
  - {kind: frame, table: t, score: a, threshold: 0.3, groups: [sex, age, site], margin: 0.05}
  - {kind: dca, table: t, thresholds: {from: 0.05, to: 0.5, step: 0.05}}
  - {kind: prevalence, table: t, score: a, thresholds: [0.3], prevalences: [0.1, 0.01]}
"""
)
GIB = 2**30


def write_table(path: Path, rows: int) -> None:
    """Write labels, scores, patients of 2.5 rows at the mean, and three attributes."""
    rng = np.random.default_rng(9)
    y = rng.random(rows) < 0.3
    score = np.clip(rng.normal(0.3 + 0.2 * y, 0.2), 0, 1)
    columns = [
        y.astype(int).astype(str),
        np.char.mod("%.6f", score),
        rng.integers(0, max(1, rows * 2 // 5), rows).astype(str),
        rng.choice(["F", "M"], rows),
        rng.choice(["<40", "40-60", ">60"], rows),
        rng.choice(["A", "B", "C"], rows),
    ]
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["y", "s", "pid", "sex", "age", "site"])
        writer.writerows(zip(*columns, strict=True))


def build(folder: Path, *words: str) -> tuple[Path, int]:
    """Run a build; return its dossier and the most memory that it held, in bytes."""
    process = subprocess.Popen(
        [sys.executable, "-m", "reportgen.cli", "build", "m.yaml", "-q", *words],
        cwd=folder,
        env={**os.environ, "OMP_NUM_THREADS": "1"},
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    with process.stdout as stream:
        out = stream.read()
    _, status, used = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    assert process.returncode == 0
    return folder / out.splitlines()[-1], used.ru_maxrss * 1024


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="peak memory is counted in kB on Linux")
def test_a_million_rows_in_three_groups_within_two_gibibytes(
    tmp_path: Path, simulation_share: float
) -> None:
    rows = max(20_000, round(1_000_000 * simulation_share))
    write_table(tmp_path / "t.csv", rows)
    (tmp_path / "m.yaml").write_text(MILLION % max(100, round(2000 * simulation_share)))
    folder, peak = build(tmp_path, "--format", "html")
    data = json.loads((folder / "results.json").read_bytes())
    assert data["inputs"][0]["rows"] == rows
    assert {section["kind"] for section in data["sections"]} == {"frame", "dca", "prevalence"}
    assert peak < 2 * GIB, f"{peak / GIB:.2f} GiB"
