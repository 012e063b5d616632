"""A Chinese dossier from the command line: its standards, its fonts, its words, the same bytes."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from ruamel.yaml import YAML

from reportgen.release.environment import missing_for_pdf
from tests.support.chinese import ours, texts
from tests.support.messages import ROOT
from tests.support.pdf_files import failed_rules, tool

MANIFEST = """\
reportgen: 1
dossier:
  title: 进展模型审计
  language: zh
  date: 2026-11-30
  intended_use: 用于糖尿病门诊的决策支持。
  prepared_by: 验证组
  sign_off: [{role: 生物统计师}]
model: {name: progression, version: 2.1.0}
defaults: {resamples: 100}
tables:
  test:
    path: test.csv
    unit: patient_id
    label: {column: fast_progression, positive: 1}
    scores: {logistic: risk_logistic}
criteria:
  - {metric: sensitivity, threshold: 0.3, at_least: 0.6, source: 方案}
sections:
  - {kind: prevalence, table: test, score: logistic, thresholds: [0.3], prevalences: [0.5, 0.01]}
  - kind: dca
    table: test
    scores: [logistic]
    thresholds: {from: 0.2, to: 0.4, step: 0.1, owner: 门诊主任, reason: 由门诊声明}
"""
STANDARDS = {"archive": ["3a", "ua1"], "submission": ["2a", "ua1"]}
UNLIKE = (
    (("--jobs", "1"), {"TZ": "UTC", "LC_ALL": "C", "PYTHONHASHSEED": "0"}),
    (("--jobs", "2"), {"TZ": "Asia/Shanghai", "LC_ALL": "C.UTF-8", "PYTHONHASHSEED": "1"}),
)


def command(folder: Path, *words: str, **environ: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "reportgen.cli", *words],
        cwd=folder,
        env={**os.environ, **environ, "PYTHONIOENCODING": "utf-8"},
        capture_output=True,
        encoding="utf-8",
        check=False,
    )


def prepared(folder: Path, text: str = MANIFEST) -> Path:
    shutil.copy(ROOT / "examples" / "diabetes" / "test.csv", folder)
    (folder / "manifest.yaml").write_text(text, "utf-8")
    return folder


def folder_of(done: subprocess.CompletedProcess[str], place: Path) -> Path:
    assert done.returncode == 0, done.stderr
    assert "timestamp" not in done.stderr  # nothing of what the font tools have to say
    return place / done.stdout.splitlines()[-1]


@pytest.fixture(scope="module")
def twice(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    """Build the same request in two places, unlike in everything that must not matter."""
    if missing_for_pdf():
        pytest.skip("this machine lacks Pango, so there is no PDF to compare")

    def made(unlike: tuple[tuple[str, ...], dict[str, str]]) -> Path:
        words, environ = unlike
        place = prepared(tmp_path_factory.mktemp("zh"))
        return folder_of(command(place, "build", "manifest.yaml", *words, **environ), place)

    with ThreadPoolExecutor(len(UNLIKE)) as pool:
        return list(pool.map(made, UNLIKE))


@pytest.fixture(scope="module")
def pdfs(twice: list[Path]) -> dict[str, Path]:
    """Return the PDF of each profile."""
    sent = command(twice[0], "render", ".", "--profile", "submission", "-o", "sent")
    return {
        "archive": twice[0] / "dossier.pdf",
        "submission": folder_of(sent, twice[0]) / "dossier.pdf",
    }


def test_two_builds_give_the_same_bytes(twice: list[Path]) -> None:
    for name in ("results.json", "dossier.html", "dossier.pdf"):
        assert (twice[0] / name).read_bytes() == (twice[1] / name).read_bytes(), name


@pytest.mark.parametrize("profile", STANDARDS)
def test_both_profiles_keep_their_standards(pdfs: dict[str, Path], profile: str) -> None:
    failed = {one: failed_rules(pdfs[profile], one) for one in STANDARDS[profile]}
    assert failed == {one: [] for one in STANDARDS[profile]}


@pytest.mark.parametrize("profile", STANDARDS)
def test_every_font_is_embedded_and_cut(pdfs: dict[str, Path], profile: str) -> None:
    rows = tool("pdffonts", str(pdfs[profile])).splitlines()[2:]
    fonts = {row.split()[0].partition("+")[2]: row for row in rows}
    # "emb", "sub" and "uni": embedded, a part of the font, its text can be read out.
    assert [row for row in rows if not re.search(r" yes +yes +yes ", row)] == []
    assert {"Dossier-Noto-Sans-CJK-SC", "Dossier-Noto-Sans-CJK-SC-Semi-Bold"} <= set(fonts)
    assert not any("Oblique" in name for name in fonts)  # Han characters are not slanted


@pytest.mark.parametrize("profile", STANDARDS)
def test_no_sentence_of_ours_is_left_in_english(pdfs: dict[str, Path], profile: str) -> None:
    text = tool("pdftotext", "-layout", str(pdfs[profile]), "-")
    assert ours(text.splitlines()) == []
    pages = text.count("\f")
    assert f"第 1 页，共 {pages} 页" in text
    assert re.search(r"修订号 1 · 草稿，未签署", text)
    assert re.search(r"（第 \d+ 页）", text)
    assert not re.search(r"Page \d|, p\. \d|Results [0-9a-f]", text)


def test_a_character_without_a_glyph_stops_the_build_and_is_named(tmp_path: Path) -> None:
    place = prepared(tmp_path, MANIFEST.replace("由门诊声明", "由门诊声明\U00013000"))
    done = command(place, "build", "manifest.yaml", "--format", "html")
    assert done.returncode == 2
    assert "U+13000" in done.stderr
    assert "egyptian hieroglyph a001" in done.stderr.lower()
    assert not list(place.glob("dossiers/**/dossier.html"))


@pytest.mark.slow
def test_the_demo_holds_no_english_sentence_of_ours(tmp_path: Path) -> None:
    shutil.copytree(ROOT / "examples" / "diabetes", tmp_path / "demo")
    words: tuple[Any, ...] = ("--set", "dossier.language=zh", "--set", "defaults.resamples=200")
    done = command(tmp_path / "demo", "build", "manifest.yaml", "--format", "html", *words)
    html = (folder_of(done, tmp_path / "demo") / "dossier.html").read_text("utf-8")
    manifest = YAML(typ="safe", pure=True).load(tmp_path / "demo" / "manifest.yaml")
    written = set(strings(manifest))  # the user's own words
    assert [text for text in ours(texts(html)) if text not in written] == []


def strings(value: Any) -> Iterator[str]:
    """Yield the texts of plain data, in one line each."""
    if isinstance(value, dict | list):
        for item in value.values() if isinstance(value, dict) else value:
            yield from strings(item)
    elif isinstance(value, str):
        yield " ".join(value.split())
