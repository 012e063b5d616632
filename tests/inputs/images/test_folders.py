"""One folder a split: every image below it, in an order that no locale changes."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from tests.inputs.images.conftest import Read

SPLITS = {"test": "test/", "train": "train"}


def _picture(path: Path, seed: int = 0) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    noise = np.random.default_rng(seed).integers(0, 256, (32, 32), dtype=np.uint8)
    Image.fromarray(noise).save(path)


@pytest.fixture
def two(tmp_path: Path) -> Path:
    """Return a folder with two splits of classes named 1, 2 and 10, and one image of none."""
    names = ["train/10/x.png", "train/2/x.png", "train/1/deep/B.png", "train/1/a.PNG", "test/é.png"]
    for at, name in enumerate(names):
        _picture(tmp_path / name, at)
    return tmp_path


@pytest.mark.usefixtures("two")
def test_paths_are_sorted_as_text_and_name_split_and_label(read_set: Read) -> None:
    images, record = read_set(folders=SPLITS, label_from="subfolder")
    assert images.ids.tolist() == images.files.tolist()
    assert images.files.tolist() == [
        "test/é.png",
        "train/1/a.PNG",
        "train/1/deep/B.png",
        "train/10/x.png",
        "train/2/x.png",
    ]
    assert images.split is not None
    assert images.split.tolist() == ["test", *["train"] * 4]
    assert images.splits == ("test", "train")
    empty, one, ten, two = (frozenset(names) for names in ((), "1", ["10"], "2"))
    assert images.labels == (empty, one, one, ten, two)
    assert (record.path, record.rows, record.read) == (".", 5, 5)
    assert read_set(folders=SPLITS)[0].labels is None


def test_the_digest_is_that_of_paths_and_contents(two: Path, read_set: Read) -> None:
    record = read_set(folders=SPLITS)[1]
    names = sorted(path.relative_to(two).as_posix() for path in two.rglob("*") if path.is_file())
    lines = [f"{name}\t{hashlib.sha256((two / name).read_bytes()).hexdigest()}\n" for name in names]
    assert record.sha256 == hashlib.sha256("".join(lines).encode()).hexdigest()
    assert record.bytes == sum((two / name).stat().st_size for name in names)
    assert any("the SHA-256 is that of the lines" in note for note in record.notes)
    _picture(two / "train/2/x.png", seed=99)
    assert read_set(folders=SPLITS)[1].sha256 != record.sha256


def test_what_is_no_image_is_named_with_its_reason(two: Path, read_set: Read) -> None:
    for name in ("labels.csv", ".nomedia", ".thumbs/x.png", "1/Thumbs.db", "README", "old.heic"):
        path = two / "train" / name
        path.parent.mkdir(exist_ok=True)
        path.write_text("x")
    (two / "train" / "again").symlink_to(two / "train" / "1")
    images, record = read_set(folders=SPLITS)
    assert [(one.file, one.reason) for one in images.ignored] == [
        ("train/.nomedia", "hidden file"),
        ("train/.thumbs", "hidden folder"),
        ("train/1/Thumbs.db", "no image (.db)"),
        ("train/README", "no image (no ending)"),
        ("train/again", "linked folder, not followed"),
        ("train/labels.csv", "no image (.csv)"),
    ]
    assert record.ignored == images.ignored
    assert "ignored, no image (.db): 1" in record.notes
    assert images.n_images == 6  # the HEIC file is an image, though not a readable one
    assert [one.file for one in images.trouble] == ["train/old.heic"]


def test_a_link_inside_the_root_is_read_and_one_out_of_it_is_refused(
    two: Path, tmp_path_factory: pytest.TempPathFactory, read_set: Read,
    set_faults: Callable[..., list[str]],
) -> None:  # fmt: skip
    (two / "test" / "copy.png").symlink_to(two / "train/2/x.png")
    assert read_set(folders=SPLITS)[0].n_images == 6
    outside = tmp_path_factory.mktemp("outside") / "x.png"
    _picture(outside)
    (two / "test" / "link.png").symlink_to(outside)
    (fault,) = set_faults(folders=SPLITS)
    assert "'test/link.png' is a link that leads out of the root" in fault
    assert read_set(folders=SPLITS, allow_outside=True)[0].n_images == 7
    # A link to what is not there leads out as well, and all that do are told at once.
    (two / "train" / "dangling.png").symlink_to("/nope/x.png")
    assert [fault.split("'")[1] for fault in set_faults(folders=SPLITS)] == [
        "test/link.png",
        "train/dangling.png",
    ]
    (two / "test" / "link.png").unlink()
    assert len(set_faults(folders=SPLITS)) == 1
    for at in range(5):
        (two / "train" / f"{at}.png").symlink_to("/nope/x.png")
    assert ["4 more files likewise" in fault for fault in set_faults(folders=SPLITS)] == [
        False,
        False,
        True,
    ]


def test_a_pipe_is_named_and_never_opened(two: Path, read_set: Read) -> None:
    os.mkfifo(two / "test" / "fifo.png")
    (two / "test" / "folder.png").mkdir()
    images, _ = read_set(folders=SPLITS)
    (trouble,) = images.trouble
    assert (trouble.file, trouble.reason) == ("test/fifo.png", "this is no regular file")


def test_folders_that_are_not_there_empty_or_nested_are_named(
    two: Path, set_faults: Callable[..., list[str]]
) -> None:
    (two / "bare").mkdir()
    (fault,) = set_faults(folders={"train": "train", "test": "tset"})
    assert fault.startswith("m.yaml:1: images.scans.folders.test: there is no folder 'tset'")
    (fault,) = set_faults(folders={"train": "train", "test": "bare"})
    assert "there is no image in the folder 'bare'" in fault
    (fault,) = set_faults(folders={"train": "train", "test": "train/1"})
    assert "the folders of 'train' and 'test' lie inside each other" in fault
    (fault,) = set_faults(folders={"train": "../train"})
    assert "leads out of its folder" in fault


@pytest.mark.usefixtures("two")
def test_a_pin_of_folders_is_checked(read_set: Read, set_faults: Callable[..., list[str]]) -> None:
    digest = read_set(folders=SPLITS)[1].sha256
    assert read_set(folders=SPLITS, sha256=digest)[1].sha256 == digest
    (fault,) = set_faults(folders=SPLITS, sha256="0" * 64)
    assert f"the list of image files has the SHA-256 {digest}" in fault
