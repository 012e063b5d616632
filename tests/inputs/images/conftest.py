"""Image files made on the spot and read by a declaration, without the user's cache."""

from __future__ import annotations

import struct
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from reportgen.errors import InputError, key_text
from reportgen.inputs.beside import Finder
from reportgen.inputs.images import ImageSet, ImagesSettings
from reportgen.inputs.images.reading import read_images
from reportgen.inputs.table import InputRecord

Read = Callable[..., tuple[ImageSet, InputRecord]]


def png(width: int, height: int, rows: bytes, *, bits: int = 1, colour: int = 0) -> bytes:
    """Return a PNG with `rows` as its compressed pixels, whether or not they are any."""

    def chunk(name: bytes, content: bytes) -> bytes:
        checked = name + content
        return struct.pack(">I", len(content)) + checked + struct.pack(">I", zlib.crc32(checked))

    header = struct.pack(">IIBBBBB", width, height, bits, colour, 0, 0, 0)
    parts = chunk(b"IHDR", header) + chunk(b"IDAT", rows) + chunk(b"IEND", b"")
    return b"\x89PNG\r\n\x1a\n" + parts


@pytest.fixture(autouse=True)
def _no_cache(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("REPORTGEN_CACHE", "off")


@pytest.fixture
def read_set(tmp_path: Path) -> Read:
    """Read a set of images below `tmp_path`: the folder "all" unless other keys are given."""

    def _read(
        *, allow_outside: bool = False, folder: Path = tmp_path, **declared: Any
    ) -> tuple[ImageSet, InputRecord]:
        if "path" not in declared and "folders" not in declared:
            declared["folders"] = {"all": "all"}
        settings = ImagesSettings.model_validate(declared)
        finder = Finder(folder, lambda key: f"m.yaml:1: {key_text(key)}", allow_outside)
        images, (record,) = read_images("scans", settings, finder)
        return images, record

    return _read


@pytest.fixture
def set_faults(read_set: Read) -> Callable[..., list[str]]:
    """Read a set that cannot be read and return its faults as printed."""

    def _faults(**declared: Any) -> list[str]:
        with pytest.raises(InputError) as caught:
            read_set(**declared)
        return [str(fault) for fault in caught.value.faults]

    return _faults


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Return the folder "all", empty."""
    made = tmp_path / "all"
    made.mkdir()
    return made
