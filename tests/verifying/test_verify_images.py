"""Sets of images: one digest stands for all files, and any change to one of them shows."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from reportgen import build
from reportgen.verifying import Check, verify
from tests.support import verifying as support

MANIFEST = """\
reportgen: 1
dossier: {title: T, date: 2026-11-30}
model: {name: m, version: "1"}
images:
  pics: {root: pics, folders: {train: train, test: test}}
  listed: {path: listed.csv, root: pics, columns: {file: file, split: split}}
sections:
  - {kind: integrity, id: one, images: pics, leakage: {by: [content], between: [[train, test]]}}
  - {kind: integrity, id: two, images: listed, leakage: {by: [content], between: [[train, test]]}}
"""
NAMES = [f"{split}/{name}.png" for split in ("train", "test") for name in ("a", "ä", "10")]


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """Give the folder of the manifest, its dossier built."""
    here = tmp_path_factory.mktemp("images")
    for seed, name in enumerate(NAMES):
        pixels = np.random.default_rng(seed).integers(0, 256, (40, 40), dtype=np.uint8)
        path = here / "pics" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        Image.fromarray(pixels).save(path)
    lines = "".join(f"{name},{name.split('/')[0]}\n" for name in NAMES)
    (here / "listed.csv").write_text(f"file,split\n{lines}", "utf-8")
    (here / "m.yaml").write_text(MANIFEST)
    with support.quick():
        build.build(here / "m.yaml", here / "out", format="html")
        yield here


def told(place: Path, **options: list[Path]) -> dict[str, Check]:
    found = verify(place / "out" / "m" / "1" / "r1", **options)  # type: ignore[arg-type]
    return {one.name: one for one in found.checks if one.name.startswith(("images", "input"))}


def states(place: Path) -> dict[str, str]:
    return {name: one.state for name, one in told(place).items()}


GOOD = {"input images.listed": "good", "images pics": "good", "images listed": "good"}


def test_images_as_they_were_are_good(place: Path) -> None:
    assert states(place) == GOOD
    assert told(place)["images pics"].detail.startswith("6 image files")


@pytest.mark.parametrize("how", ["a byte", "removed", "swapped"])
def test_a_changed_image_shows_in_both_sets(place: Path, how: str) -> None:
    path, other = place / "pics" / NAMES[1], place / "pics" / NAMES[3]
    kept, second = path.read_bytes(), other.read_bytes()
    if how == "removed":
        path.unlink()
    else:
        path.write_bytes(second if how == "swapped" else kept[:-1] + bytes([kept[-1] ^ 1]))
        other.write_bytes(kept if how == "swapped" else second)
    try:
        assert states(place) == GOOD | {"images pics": "bad", "images listed": "bad"}
    finally:
        path.write_bytes(kept)
        other.write_bytes(second)
    assert states(place) == GOOD


def test_an_image_that_was_added_shows_where_the_folder_is_the_set(place: Path) -> None:
    added = place / "pics" / "test" / "new.png"
    added.write_bytes((place / "pics" / NAMES[0]).read_bytes())
    try:
        assert states(place) == GOOD | {"images pics": "bad"}
    finally:
        added.unlink()


def test_images_elsewhere_are_not_checked(place: Path, tmp_path: Path) -> None:
    found = told(place, inputs=[tmp_path])
    assert {one.state for one in found.values()} == {"not checked"}
