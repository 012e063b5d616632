"""Thumbnails are exact area means; with them the published counts of oscc400 come out."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from PIL import Image

from reportgen.inputs.images import ImageSet
from reportgen.stats.duplicates import SYMMETRIES, Hits, rms32_pairs
from tests.inputs.images.conftest import Read

TURNS = {
    "identity": None,
    "rotate_90": Image.Transpose.ROTATE_90,
    "rotate_180": Image.Transpose.ROTATE_180,
    "rotate_270": Image.Transpose.ROTATE_270,
    "flip_left_right": Image.Transpose.FLIP_LEFT_RIGHT,
    "flip_top_bottom": Image.Transpose.FLIP_TOP_BOTTOM,
    "transpose": Image.Transpose.TRANSPOSE,
    "transverse": Image.Transpose.TRANSVERSE,
}


def _eight(pictures: NDArray[Any]) -> list[NDArray[Any]]:
    """Return (n, s, s) pictures under the eight symmetries of the square, identity first."""
    turned = [np.rot90(pictures, k, axes=(1, 2)) for k in range(4)]
    return turned + [np.flip(one, axis=2) for one in turned]


def test_a_thumbnail_is_the_rounded_mean_of_each_area(folder: Path, read_set: Read) -> None:
    noise = np.random.default_rng(3).integers(0, 256, (96, 128), dtype=np.uint8)
    Image.fromarray(noise).save(folder / "a.png")
    images, _ = read_set()
    means = noise.reshape(32, 3, 32, 4).mean(axis=(1, 3))
    # Pillow rounds after each of its two passes: at most one half grey level more.
    assert np.abs(images.grey32[0] - means).max() <= 1.0


def test_a_picture_and_its_eight_symmetries_have_the_same_thumbnails_turned(
    folder: Path, read_set: Read
) -> None:
    # D97, for sides that are multiples of 64.
    picture = Image.fromarray(np.random.default_rng(4).integers(0, 256, (64, 64), dtype=np.uint8))
    for name, how in TURNS.items():
        (picture if how is None else picture.transpose(how)).save(folder / f"{name}.png")
    images, _ = read_set()
    at = {Path(file).stem: i for i, file in enumerate(images.files.tolist())}
    for name, how in TURNS.items():
        kept = Image.fromarray(images.grey64[at["identity"]])
        turned = kept if how is None else kept.transpose(how)
        assert np.array_equal(images.grey64[at[name]], np.asarray(turned)), name


def test_sides_need_not_be_multiples_and_small_pictures_grow(folder: Path, read_set: Read) -> None:
    Image.new("L", (8, 8), 200).save(folder / "digit.png")
    Image.new("L", (1, 500), 7).save(folder / "strip.png")
    images, _ = read_set()
    assert np.unique(images.grey32[0]).tolist() == [200]
    assert np.unique(images.grey64[1]).tolist() == [7]


@pytest.fixture(scope="module")
def published(shared: Path) -> Path:
    """Return the folder of the 544 histopathology fields."""
    return shared / "data" / "integrity" / "oscc400"


@pytest.fixture
def oscc(published: Path, read_set: Read) -> ImageSet:
    """Read them: the split is the authors' own, the source the photograph."""
    columns = {"file": "file", "split": "resplit", "source": "source_id"}
    images, _ = read_set(path="manifest.csv", root="images", columns=columns, folder=published)
    return images


def test_the_published_counts_come_out(oscc: ImageSet) -> None:
    # methods §11: 88 of the 474 pairs of one source at RMS ≤ 15, none false; 14 with fixed
    # alignment; 25 validation images with a training twin. By brute force, in whole numbers.
    flat = oscc.grey32.reshape(544, -1).astype(np.float64)  # sums stay below 2**53: exact
    power = (flat**2).sum(axis=1)
    squared = [
        power[:, None] + power - 2 * flat @ turned.reshape(544, -1).T
        for turned in _eight(oscc.grey32.astype(np.float64))
    ]
    upper = np.triu(np.ones((544, 544), dtype=bool), 1)
    near = np.min(squared, axis=0) <= 15**2 * 1024
    assert oscc.source is not None
    assert oscc.split is not None
    same = oscc.source[:, None] == oscc.source[None, :]
    assert np.count_nonzero(same & upper) == 474
    assert np.count_nonzero(near & upper) == 88
    assert np.count_nonzero(near & upper & ~same) == 0
    assert np.count_nonzero((squared[0] <= 15**2 * 1024) & upper) == 14
    across = near[oscc.split == "valid"][:, oscc.split == "train"]
    assert np.count_nonzero(across.any(axis=1)) == 25


def test_the_eight_forms_of_a_picture_are_at_distance_0(tmp_path: Path, read_set: Read) -> None:
    # Sides that are multiples of 32: each form, read from its file, is the same but for its turn.
    noise = np.random.default_rng(7).integers(0, 256, (96, 160), dtype=np.uint8)
    picture = Image.fromarray(noise)
    forms = [picture, *(picture.transpose(how) for how in Image.Transpose)]
    folder = tmp_path / "forms"
    folder.mkdir()
    for at, form in enumerate(forms):
        form.save(folder / f"{at}.png")
    images, _ = read_set(folders={"test": "forms"})
    found = rms32_pairs(images.grey32, threshold=0)
    assert len(found) == 28  # every two of eight
    assert np.all(found.distance == 0)
    names = {int(b): SYMMETRIES[k] for a, b, k in zip(*_columns(found), strict=True) if a == 0}
    back = {"ROTATE_90": "rotate_270", "ROTATE_270": "rotate_90"}
    wanted = {
        at + 1: back.get(how.name, how.name.lower()) for at, how in enumerate(Image.Transpose)
    }
    assert names == wanted


def _columns(found: Hits) -> tuple[list[int], list[int], list[int]]:
    return found.first.tolist(), found.second.tolist(), found.symmetry.tolist()
