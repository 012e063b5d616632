"""Pictures of pairs in a dossier's folder: rendered again from there, or refused by name."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from PIL import Image

from reportgen.build import build
from reportgen.errors import RequestError
from reportgen.rerender import render_again
from tests.support.bare_pages import without_fonts
from tests.support.integrity_images import texture

MANIFEST = """\
reportgen: 1
dossier: {title: T, date: 2026-11-30}
model: {name: m, version: "1"}
defaults: {resamples: 100}
images:
  scans: {path: images.csv, root: images, columns: {file: file, split: split}}
sections:
  - kind: integrity
    images: scans
    near_duplicates: {show: 2, pictures: SHOWN}
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Eight pictures of which two are flipped copies across the splits."""
    without_fonts(monkeypatch)
    (tmp_path / "images").mkdir()
    rows = ["file,split"]
    pictures = [texture(at, side=64) for at in range(4)]
    pictures += [pictures[0][:, ::-1], pictures[1][::-1], texture(8, side=64), texture(9, side=64)]
    for at, picture in enumerate(pictures):
        name = f"{'ab'[at >= 4]}{at}.png"
        Image.fromarray(picture).save(tmp_path / "images" / name)
        rows.append(f"{name},{'test' if at >= 4 else 'train'}")
    (tmp_path / "images.csv").write_text("\n".join(rows) + "\n")
    return tmp_path


def built(folder: Path, shown: str = "show") -> Path:
    path = folder / "m.yaml"
    path.write_text(MANIFEST.replace("SHOWN", shown))
    return build(path, folder / shown, format="html").folder


def test_a_dossier_with_pictures_comes_out_the_same(folder: Path, tmp_path: Path) -> None:
    dossier = built(folder)
    pictures = sorted((dossier / "pictures").iterdir())
    assert len(pictures) == 2
    listed = (dossier / "SHA256SUMS").read_text()
    for one in pictures:
        assert f"{one.stem}  pictures/{one.name}" in listed  # the name is the digest
    assert render_again(dossier, format="html").unchanged
    again = render_again(dossier, tmp_path / "again", format="html").folder
    for one in (*pictures, dossier / "dossier.html", dossier / "results.json"):
        assert (again / one.relative_to(dossier)).read_bytes() == one.read_bytes()


def test_a_missing_and_an_altered_picture_are_named(folder: Path) -> None:
    dossier = built(folder)
    first, second = sorted((dossier / "pictures").iterdir())
    first.unlink()
    second.write_bytes(second.read_bytes() + b" ")
    with pytest.raises(RequestError) as caught:
        render_again(dossier, format="html")
    faults = {Path(fault.where).name: fault.what for fault in caught.value.faults}
    assert faults[first.name] == "is missing"
    assert faults[second.name] == "is not the picture that the results name"


def test_a_dossier_that_leaves_pictures_out_has_none_to_miss(folder: Path) -> None:
    dossier = built(folder, "ids")
    assert not (dossier / "pictures").exists()
    assert "data:image/png" not in (dossier / "dossier.html").read_text()
    stored = json.loads((dossier / "results.json").read_bytes())
    rows = stored["sections"][0]["result"]["near_duplicates"]["pictures"]
    assert {(row["image"], row["twin"]) for row in rows} == {
        ("b4.png", "a0.png"),
        ("b5.png", "a1.png"),
    }
    assert render_again(dossier, format="html").unchanged
