"""Many runs into one folder, and runs that are killed: no mixture, no loss, nothing half."""

from __future__ import annotations

import json
import re
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from reportgen.release.folder import Draft, damaged, publish, read_checksums

MANIFEST = """\
reportgen: 1
dossier: {title: T, date: 2026-11-30}
model: {name: m, version: "1"}
sections:
  - {kind: prevalence, prevalences: [0.1], sensitivity: {k: 80, n: 100},
     specificity: {k: 450, n: 500}}
"""
RUNS, CONTENTS, KILLS = 20, 5, 30


def run(folder: Path, seed: int) -> subprocess.Popen[str]:
    words = ["build", "m.yaml", "--format", "html", "--set", f"defaults.seed={seed}"]
    return subprocess.Popen(
        [sys.executable, "-m", "reportgen.cli", *words],
        cwd=folder,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        encoding="utf-8",
    )


def seed_of(dossier: Path) -> int:
    seed: int = json.loads((dossier / "results.json").read_bytes())["defaults"]["seed"]
    return seed


def require_whole(home: Path) -> list[str]:
    """Check that all that is visible are whole revisions, counted from 1; return their names."""
    names = [path.name for path in home.iterdir() if not path.name.startswith(".")]
    visible = sorted(names, key=lambda name: int(name[1:]))
    assert visible == [f"r{number}" for number in range(1, len(visible) + 1)]
    for name in visible:
        listed = read_checksums(home / name)
        assert listed
        assert damaged(home / name, listed) == []
        stored = json.loads((home / name / "results.json").read_bytes())
        assert f"r{stored['dossier']['revision']}" == name
    return visible


@pytest.fixture
def request_folder(tmp_path: Path) -> Path:
    (tmp_path / "m.yaml").write_text(MANIFEST)
    return tmp_path


@pytest.mark.slow
def test_runs_started_at_once_are_all_there(request_folder: Path, simulation_share: float) -> None:
    runs = max(2 * CONTENTS, round(RUNS * simulation_share))
    seeds = [1 + number % CONTENTS for number in range(runs)]
    running = [run(request_folder, seed) for seed in seeds]
    told = [process.communicate(timeout=1800) for process in running]
    assert [process.returncode for process in running] == [0] * runs, told
    home = request_folder / "dossiers" / "m" / "1"
    revisions = require_whole(home)
    assert [path.name for path in home.iterdir() if path.name.startswith(".")] == []
    for seed, (out, _) in zip(seeds, told, strict=True):
        # Each run's own content stands in the folder that it named.
        assert seed_of(request_folder / out.splitlines()[-1]) == seed
    made = [out.splitlines()[-1] for out, err in told if "unchanged" not in err]
    assert sorted(Path(one).name for one in made) == sorted(revisions), "one revision a run"
    assert {seed_of(home / name) for name in revisions} == set(seeds)
    index = (request_folder / "dossiers" / "index.html").read_text("utf-8")
    listed = re.findall(r'href="m/1/(r\d+)/dossier.html"', index)
    assert sorted(listed) == sorted(revisions)


@pytest.mark.slow
def test_a_build_killed_at_any_moment_leaves_nothing_half(
    request_folder: Path, simulation_share: float
) -> None:
    home = request_folder / "dossiers" / "m" / "1"
    started = time.perf_counter()
    first = run(request_folder, 0)
    _, err = first.communicate(timeout=600)
    assert first.returncode == 0, err
    whole = time.perf_counter() - started
    count = max(5, round(KILLS * simulation_share))
    moments = np.random.default_rng(8).uniform(0, 1.05 * whole, count)
    for number, moment in enumerate(moments, start=1):
        before = {name: seed_of(home / name) for name in require_whole(home)}
        process = run(request_folder, number)
        time.sleep(moment)
        process.kill()
        process.communicate()
        after = {name: seed_of(home / name) for name in require_whole(home)}
        assert before.items() <= after.items()
        assert set(after.values()) <= {*before.values(), number}
    last = run(request_folder, count + 1)
    out, err = last.communicate(timeout=600)
    assert last.returncode == 0, err
    assert seed_of(request_folder / out.splitlines()[-1]) == count + 1
    assert require_whole(home)[-1] == Path(out.splitlines()[-1]).name
    assert [path.name for path in home.iterdir() if path.name.startswith(".")] == []


PUBLISHER = """
import sys
from pathlib import Path
from reportgen.release.folder import Draft, publish

first = int(sys.argv[2])
print("ready", flush=True)
for content in range(first, first + 1000):
    def files(revision, content=content):
        results = f'{{"dossier": {{"revision": {revision}}}, "content": {content}}}'
        return {
            "results.json": results.encode(),
            **{f"tables/{n}.csv": bytes(4000) for n in range(30)},
        }
    publish(Path(sys.argv[1]), "m", "1", Draft(files))
"""


@pytest.fixture
def moments() -> Iterator[float]:
    return iter(np.random.default_rng(9).uniform(0, 0.15, KILLS))


def test_publishing_killed_at_any_moment_leaves_nothing_half(
    tmp_path: Path, moments: Iterator[float]
) -> None:
    home = tmp_path / "m" / "1"
    left = 0
    for number, moment in enumerate(moments):
        process = subprocess.Popen(
            [sys.executable, "-c", PUBLISHER, str(tmp_path), str(number * 1000)],
            stdout=subprocess.PIPE,
        )
        assert process.stdout is not None
        process.stdout.readline()
        time.sleep(moment)
        process.kill()
        process.communicate()
        if home.is_dir():
            require_whole(home)
            hidden = list(home.glob(".staging-*"))
            assert len(hidden) <= 1, "the run before removed what the one before it left"
            left += len(hidden)
    assert left > 0, "some were killed in the midst of it"

    def files(revision: int) -> dict[str, bytes]:
        return {"results.json": f'{{"dossier": {{"revision": {revision}}}}}'.encode()}

    count = len(require_whole(home))
    assert publish(tmp_path, "m", "1", Draft(files)).folder.name == f"r{count + 1}"
    assert list(home.glob(".*")) == []
