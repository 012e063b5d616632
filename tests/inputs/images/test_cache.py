"""The cache changes how long a run takes and no figure, whatever state it is in."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from dataclasses import fields
from pathlib import Path
from typing import BinaryIO

import numpy as np
import pytest
from PIL import Image

from reportgen.inputs.images import ImageSet, describing
from reportgen.inputs.images.cache import Cache, definition
from reportgen.inputs.images.decoding import Decoded, decode
from tests.inputs.images.conftest import Read


@pytest.fixture
def store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return the folder of a cache of its own, not there yet."""
    folder = tmp_path / "kept" / "here"
    monkeypatch.setenv("REPORTGEN_CACHE", str(folder))
    return folder


@pytest.fixture
def pictures(folder: Path) -> Path:
    """Return a folder of five sound images, two of them one file twice, and three others."""
    for at in range(4):
        noise = np.random.default_rng(at).integers(0, 256, (40, 50, 3), dtype=np.uint8)
        Image.fromarray(noise).save(folder / f"{at}.jpg", exif=Image.Exif())
    (folder / "again.jpg").write_bytes((folder / "0.jpg").read_bytes())
    Image.new("RGBA", (9, 9), (0, 0, 0, 0)).save(folder / "ghost.png")
    (folder / "empty.png").write_bytes(b"")
    (folder / "text.png").write_text("text")
    return folder


@pytest.fixture
def decoded(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Return a list that names every file as it is decoded."""
    names: list[str] = []
    real = decode

    def _decode(handle: BinaryIO, *, name: str, max_pixels: int) -> Decoded:
        names.append(name)
        return real(handle, name=name, max_pixels=max_pixels)

    monkeypatch.setattr(describing, "decode", _decode)
    return names


def _same(first: ImageSet, second: ImageSet) -> bool:
    pairs = [(getattr(first, f.name), getattr(second, f.name)) for f in fields(ImageSet)]
    return all(
        np.array_equal(one, other) if isinstance(one, np.ndarray) else one == other
        for one, other in pairs
    )


@pytest.mark.usefixtures("pictures")
def test_a_warm_run_gives_the_same_and_decodes_nothing_sound_again(
    store: Path, read_set: Read, decoded: list[str]
) -> None:
    cold, record = read_set()
    assert len(decoded) == 7  # the copy is decoded once
    decoded.clear()
    warm, again = read_set()
    assert sorted(decoded) == ["all/empty.png", "all/text.png"]  # only what failed is tried again
    assert _same(cold, warm)
    assert record == again
    assert (store / "images.sqlite").is_file()


@pytest.mark.usefixtures("pictures")
def test_off_keeps_nothing(
    store: Path, read_set: Read, monkeypatch: pytest.MonkeyPatch, decoded: list[str]
) -> None:
    cold, _ = read_set()
    monkeypatch.setenv("REPORTGEN_CACHE", "off")
    decoded.clear()
    assert _same(cold, read_set()[0])
    assert len(decoded) == 7


def _garbage(file: Path) -> None:
    file.write_bytes(b"no database at all" * 100)


def _cut(file: Path) -> None:
    file.write_bytes(file.read_bytes()[:5000])


def _foreign(file: Path) -> None:
    file.unlink()
    with sqlite3.connect(file) as base:
        base.execute("CREATE TABLE described (something TEXT)")
    base.close()


def _altered(file: Path) -> None:
    with sqlite3.connect(file) as base:
        base.execute("UPDATE described SET content = zeroblob(5120) || substr(content, 5121)")
    base.close()


def _swapped(file: Path) -> None:
    with sqlite3.connect(file) as base:
        rows = base.execute("SELECT file, content, digest FROM described ORDER BY file").fetchall()
        for (key, *_), (_, content, digest) in zip(rows, rows[1:] + rows[:1], strict=True):
            update = "UPDATE described SET content = ?, digest = ? WHERE file = ?"
            base.execute(update, (content, digest, key))
    base.close()


def _folder(file: Path) -> None:
    file.unlink()
    file.mkdir()


@pytest.mark.parametrize("spoil", [_garbage, _cut, _foreign, _altered, _swapped, _folder])
@pytest.mark.usefixtures("pictures")
def test_a_spoilt_cache_is_as_none(
    store: Path, read_set: Read, spoil: Callable[[Path], None], decoded: list[str]
) -> None:
    cold, record = read_set()
    decoded.clear()
    spoil(store / "images.sqlite")
    spoilt, again = read_set()
    assert _same(cold, spoilt)
    assert record == again
    assert len(decoded) == 7


@pytest.mark.usefixtures("pictures")
def test_what_is_no_database_any_more_is_started_anew(
    store: Path, read_set: Read, decoded: list[str]
) -> None:
    read_set()
    _garbage(store / "images.sqlite")
    read_set()
    read_set()
    decoded.clear()
    read_set()
    assert len(decoded) == 2


@pytest.mark.usefixtures("pictures")
def test_a_locked_cache_does_not_stop_a_run(
    store: Path, read_set: Read, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("reportgen.inputs.images.cache.PATIENCE", 0.05)
    cold, _ = read_set()
    holder = sqlite3.connect(store / "images.sqlite", isolation_level=None)
    holder.execute("BEGIN EXCLUSIVE")
    try:
        assert _same(cold, read_set()[0])
    finally:
        holder.close()


@pytest.mark.usefixtures("pictures")
def test_another_definition_is_not_seen(
    store: Path, read_set: Read, monkeypatch: pytest.MonkeyPatch, decoded: list[str]
) -> None:
    read_set()
    decoded.clear()
    monkeypatch.setattr("PIL.__version__", "0.0.0")
    read_set()
    assert len(decoded) == 7


@pytest.mark.usefixtures("store", "pictures")
def test_a_lower_limit_holds_for_what_the_cache_knows(read_set: Read) -> None:
    read_set()
    images, _ = read_set(max_pixels=1999)  # 40 × 50 = 2000
    assert sum(one.kind == "oversized" for one in images.trouble) == 5


def test_a_cache_in_a_file_that_cannot_be_a_folder_is_as_none(
    pictures: Path, read_set: Read, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    plain, _ = read_set()
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("REPORTGEN_CACHE", str(tmp_path / "file"))
    assert _same(plain, read_set()[0])


def test_the_definition_names_what_figures_depend_on() -> None:
    assert "pillow" in definition()
    assert Cache(None, definition()).known(["0" * 64]) == {}
