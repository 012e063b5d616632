"""Equal inputs give equal bytes of every file, wherever and however they are read and computed."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

pytestmark = pytest.mark.slow
MANIFEST = """\
reportgen: 1
dossier: {title: Équal bytes}
model: {name: m, version: "1"}
defaults: {resamples: 100}
tables:
  t: {path: t.csv, label: {column: y, positive: 1}, scores: {model: p}, unit: id}
images:
  pics: {root: pics, folders: {train: train, test: test}}
sections:
  - {kind: dca, table: t, thresholds: [0.2, 0.4]}
  - kind: integrity
    images: pics
    near_duplicates: {between: [[train, test]], detectors: {rms32: 12}}
    leakage: {by: [content], between: [[train, test]]}
"""
NAMES = [
    f"{split}/{name}.png" for split in ("train", "test") for name in ("b", "a", "ä", "10", "9")
]
EPOCH = 1767312000
"""2026-01-02 00:00:00 UTC."""


def request(folder: Path, *, backwards: bool) -> Path:
    """Write a manifest and its inputs, the pictures in one order or the other."""
    folder.mkdir()
    (folder / "m.yaml").write_text(MANIFEST, encoding="utf-8")
    rows = (f"u{i},{int(i % 3 == 0)},{i % 7 / 10 + 0.1}\n" for i in range(60))
    (folder / "t.csv").write_text("id,y,p\n" + "".join(rows))
    order = list(enumerate(NAMES))
    for seed, name in reversed(order) if backwards else order:
        # Each picture of the second split is one of the first with a little noise.
        pixels = np.random.default_rng(seed % 5).integers(0, 256, (40, 40), dtype=np.uint8)
        place = folder / "pics" / name
        place.parent.mkdir(parents=True, exist_ok=True)
        Image.fromarray(pixels if seed < 5 else pixels // 2 * 2).save(place)
        os.utime(place, (seed, seed if backwards else 2 * seed))
    return folder


def build(folder: Path, *words: str, **environ: str) -> subprocess.Popen[str]:
    kept = {key: value for key, value in os.environ.items() if key not in ("LC_ALL", "LANG", "TZ")}
    return subprocess.Popen(
        # The PDF is compared in test_must_show.py; it takes longest.
        [sys.executable, "-m", "reportgen.cli", "build", "m.yaml", "--format", "html", *words],
        cwd=folder,
        env={**kept, "SOURCE_DATE_EPOCH": str(EPOCH), **environ},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        encoding="utf-8",
    )


def dossier_of(process: subprocess.Popen[str], folder: Path) -> Path:
    out, err = process.communicate(timeout=600)
    assert process.returncode == 0, err
    return folder / out.splitlines()[-1]


def contents(folder: Path) -> dict[str, bytes]:
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file()
    }


@pytest.fixture(scope="module")
def twice(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    one = request(tmp_path_factory.mktemp("one") / "a", backwards=False)
    other = request(tmp_path_factory.mktemp("two") / "another place", backwards=True)
    running = [
        build(one, "--jobs", "2", TZ="Pacific/Auckland", LC_ALL="C", PYTHONHASHSEED="1"),
        build(other, TZ="America/St_Johns", LC_ALL="C.UTF-8", PYTHONHASHSEED="2", COLUMNS="40"),
    ]
    return [
        dossier_of(process, place) for process, place in zip(running, (one, other), strict=True)
    ]


def test_every_file_has_the_same_bytes(twice: list[Path]) -> None:
    first, second = map(contents, twice)
    assert {"dossier.intoto.json", "ro-crate-metadata.json", "SHA256SUMS"} <= set(first)
    assert sorted(first) == sorted(second)
    assert [name for name in first if first[name] != second[name]] == []


def test_the_pictures_were_seen(twice: list[Path]) -> None:
    data = json.loads((twice[0] / "results.json").read_bytes())
    section = next(one for one in data["sections"] if one["kind"] == "integrity")
    assert len(section["result"]["near_duplicates"]["rows"]) == 5


def test_without_a_date_of_its_own_it_is_the_day_of_the_epoch(twice: list[Path]) -> None:
    for name, needle in (
        ("results.json", b'"date": "2026-01-02"'),
        ("ro-crate-metadata.json", b'"datePublished": "2026-01-02"'),
        ("dossier.html", b"2026-01-02"),
    ):
        assert needle in (twice[0] / name).read_bytes()


def test_nothing_of_the_place_is_in_any_file(twice: list[Path]) -> None:
    for folder in twice:
        place = str(folder.parents[4]).encode()
        assert [name for name, raw in contents(folder).items() if place in raw] == []


def test_archives_of_both_are_one(twice: list[Path], tmp_path: Path) -> None:
    made = []
    for place, folder in enumerate(twice):
        out = tmp_path / f"{place}.zip"
        command = [sys.executable, "-m", "reportgen.cli", "archive", str(folder), "-o", str(out)]
        zone = ("Asia/Shanghai", "UTC")[place]
        subprocess.run(command, check=True, capture_output=True, env={**os.environ, "TZ": zone})
        made.append(out.read_bytes())
    assert made[0] == made[1]
