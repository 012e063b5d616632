"""Fonts of the manifest's own folders: read, recorded with their digests, used, refused outside."""

from __future__ import annotations

import hashlib
import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from reportgen.build import build
from reportgen.errors import InputError, Key, RequestError
from reportgen.inputs.beside import Finder
from reportgen.inputs.fonts import read_font_dirs
from reportgen.reading import prepare
from reportgen.render import lettering, other_scripts
from reportgen.render.fonts import font_file
from tests.support.fonts import save_font

MANIFEST = """
reportgen: 1
dossier: {{title: Audit, date: 2026-11-30, font_dirs: [{folder}]}}
model: {{name: m, version: "1"}}
sections:
  - kind: prevalence
    sensitivity: {{k: 20, n: 20}}
    specificity: 0.8
    prevalences: [0.01]
"""


@pytest.fixture
def manifest(tmp_path: Path) -> Path:
    """A manifest in a folder of its own, beside it one font, for which the dossier's must do."""
    run = tmp_path / "run"
    for folder in (run / "fonts", run / "empty", tmp_path / "outside"):
        folder.mkdir(parents=True)
    for folder in (run / "fonts", tmp_path / "outside"):
        shutil.copy(font_file("normal"), folder / "own.ttf")
    return run / "manifest.yaml"


def built(manifest: Path, folder: str, *, allow_outside: bool = False) -> dict[str, Any]:
    manifest.write_text(MANIFEST.format(folder=folder), "utf-8")
    out = manifest.parent / "out"
    done = build(manifest, out, format="html", allow_outside=allow_outside)
    results: dict[str, Any] = json.loads((done.folder / "results.json").read_text("utf-8"))
    return results


def test_a_font_is_recorded_with_its_digest(manifest: Path) -> None:
    (record,) = built(manifest, "fonts")["inputs"]
    content = (manifest.parent / "fonts" / "own.ttf").read_bytes()
    assert record["name"] == "dossier.font_dirs[0]/own.ttf"
    assert record["path"] == "fonts/own.ttf"
    assert record["sha256"] == hashlib.sha256(content).hexdigest()
    assert record["bytes"] == len(content)


@pytest.mark.parametrize(
    ("folder", "what"),
    [
        ("../outside", "leads out of its folder"),
        ("nowhere", "there is no folder 'nowhere'"),
        ("empty", "there is no font in the folder 'empty'"),
    ],
)
def test_a_folder_that_cannot_be_used_is_named_with_its_line(
    manifest: Path, folder: str, what: str
) -> None:
    with pytest.raises(RequestError) as caught:
        built(manifest, folder)
    (fault,) = caught.value.faults
    assert what in fault.what
    assert "manifest.yaml:3: dossier.font_dirs[0]" in fault.where


def test_a_folder_outside_can_be_allowed(manifest: Path) -> None:
    assert built(manifest, "../outside", allow_outside=True)["inputs"]


def test_a_file_that_is_no_font_is_named(manifest: Path) -> None:
    (manifest.parent / "fonts" / "torn.otf").write_bytes(b"torn")
    with pytest.raises(RequestError, match=r"torn\.otf"):
        built(manifest, "fonts")


@pytest.mark.parametrize(
    ("weight", "kind", "note"),
    [(400, 0, "Boxes has no bold"), (400, 2, "forbid embedding"), (700, 0, "")],
)
def test_the_record_says_what_a_font_cannot_do(
    manifest: Path, weight: int, kind: int, note: str
) -> None:
    made = manifest.parent / "empty" / "boxes.ttf"
    save_font(made, "Boxes", "男", weight=weight, kind=kind)
    where: Callable[[Key], str] = str
    _, (record,), faults = read_font_dirs(["empty"], Finder(manifest.parent, where, False))
    assert faults == []
    assert note in " ".join(record.notes)
    assert bool(note) == bool(record.notes)


def test_an_english_dossier_does_not_name_the_package(manifest: Path) -> None:
    environment = built(manifest, "fonts")["environment"]
    assert other_scripts.PACKAGE not in environment["packages"]


@pytest.mark.skipif(
    other_scripts.package_font() is None, reason="the fonts of the extra zh are not installed"
)
def test_a_dossier_that_uses_the_package_names_its_version(manifest: Path) -> None:
    manifest.write_text(MANIFEST.format(folder="fonts").replace("Audit", "审计"), "utf-8")
    done = build(manifest, manifest.parent / "out", format="html")
    assert other_scripts.PACKAGE in done.data["environment"]["packages"]


def test_chinese_without_a_font_is_refused_before_computing(
    manifest: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    other_scripts._families.cache_clear()
    monkeypatch.setattr(other_scripts, "package_font", lambda: None)
    monkeypatch.setattr(lettering, "package_font", lambda: None)
    manifest.write_text(
        MANIFEST.format(folder="fonts").replace("date:", "language: zh, date:"), "utf-8"
    )
    with pytest.raises(InputError, match=r'pip install "reportgen\[zh\]"'):
        prepare(manifest)
    other_scripts._families.cache_clear()


def test_rendering_again_takes_the_same_fonts_by_their_digests(
    manifest: Path,
) -> None:
    from reportgen.stored import stored_fonts

    fonts = manifest.parent / "fonts"
    results = built(manifest, "fonts")
    assert stored_fonts(fonts, results) == [fonts / "own.ttf"]
    assert stored_fonts(None, results) == []
    with pytest.raises(RequestError, match=r"fonts/own\.ttf is not in it"):
        stored_fonts(manifest.parent / "empty", results)


def test_characters_without_a_font_are_named_where_they_stand_before_computing(
    manifest: Path,
) -> None:
    thai = MANIFEST.format(folder="fonts").replace(
        "title: Audit", 'title: "A\u202eb", prepared_by: ก'
    )
    table = "tables: {t: {path: t.csv, label: {column: y, positive: 1}, groups: [g]}}\nsections:"
    manifest.write_text(thai.replace("sections:", table), "utf-8")
    (manifest.parent / "t.csv").write_text("y,g\n1,ข\n0,b\n", "utf-8")
    with pytest.raises(InputError) as caught:
        prepare(manifest)
    unwritten, turned, group = caught.value.faults
    assert turned.where.startswith(f"{manifest}:3: dossier.title")
    assert "delete it" in turned.mend
    assert unwritten.where.startswith(f"{manifest}:3: dossier.prepared_by")
    assert "U+0E01" in unwritten.what
    assert group.where.startswith(f"{manifest}:5: tables.t.groups: a group of 'g'")
    assert "U+0E02" in group.what


def test_no_font_may_turn_text_round(manifest: Path, tmp_path: Path) -> None:
    save_font(tmp_path / "run" / "fonts" / "turning.ttf", "Turning", "\u202e\u2067")
    manifest.write_text(
        MANIFEST.format(folder="fonts").replace("title: Audit", 'title: "A\u202eb\u2067c"'), "utf-8"
    )
    with pytest.raises(InputError, match=r"U\+202E.*U\+2067"):
        prepare(manifest)
