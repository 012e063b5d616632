"""A comparison of Chinese dossiers is in Chinese; one through the manifest is a chapter."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from reportgen import cli
from tests.support.bare_pages import without_fonts
from tests.support.chinese import english

MANIFEST = """\
reportgen: 1
dossier: {{title: 分诊模型审计, language: zh, date: 2026-11-30}}
model: {{name: triage, version: {version}}}
{more}
sections:
  - kind: prevalence
    prevalences: [0.1]
    sensitivity: {{k: {k}, n: 500}}
    specificity: {{k: 450, n: 500}}
"""


def built(version: str, k: int, more: str = "") -> Path:
    Path(f"{version}.yaml").write_text(MANIFEST.format(version=version, k=k, more=more), "utf-8")
    done = CliRunner().invoke(cli.main, ["build", f"{version}.yaml", "--format", "html", "-q"])
    assert done.exit_code == 0, done.output
    return Path(done.stdout.strip())


@pytest.fixture
def old(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    without_fonts(monkeypatch)
    return built("1.0.0", 450)


def test_no_english_sentence_is_left_in_it(old: Path) -> None:
    new = built("1.1.0", 350)
    words = ["compare", str(old), str(new), "--format", "html", "--gate", "--junit", "j.xml"]
    done = CliRunner().invoke(cli.main, words)
    assert done.exit_code == 1, done.output
    folder = Path(done.stdout.strip().splitlines()[-1])
    html = (folder / "comparison.html").read_text("utf-8")
    assert '<html lang="zh">' in html
    assert english(html[html.index("<body") :]) == []
    assert "什么变差了" in html
    assert "灵敏度" in Path("j.xml").read_text("utf-8")


def test_the_manifest_may_ask_for_it_in_the_newer_dossier(old: Path) -> None:
    new = built("1.1.0", 350, f"compare_to: {old.as_posix()}")
    data = json.loads((new / "results.json").read_bytes())
    assert data["comparison"]["old"]["model"]["version"] == "1.0.0"
    worse = [row for row in data["comparison"]["figures"] if row["change"] == "worse"]
    assert "sensitivity" in {row["metric"] for row in worse}
    html = (new / "dossier.html").read_text("utf-8")
    assert 'id="section-comparison"' in html
    assert english(html[html.index('id="section-comparison"') : html.index('id="methods"')]) == []
    assert (new / "tables" / "comparison-figures.csv").is_file()
