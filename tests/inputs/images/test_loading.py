"""Images at full resolution, here and in a spawned process, and never another file's."""

from __future__ import annotations

import multiprocessing
import pickle
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from reportgen.errors import InputError
from tests.inputs.images.conftest import Read


@pytest.fixture
def colours(folder: Path) -> np.ndarray[tuple[int, ...], np.dtype[np.uint8]]:
    """Save a picture turned by EXIF and return it upright."""
    upright = np.random.default_rng(5).integers(0, 256, (30, 20, 3), dtype=np.uint8)
    exif = Image.Exif()
    exif[274] = 3
    Image.fromarray(np.rot90(upright, 2).copy()).save(folder / "a.png", exif=exif)
    return upright


def test_the_whole_picture_is_given_upright_in_grey_and_in_colour(
    colours: np.ndarray[tuple[int, ...], np.dtype[np.uint8]], read_set: Read
) -> None:
    images, _ = read_set()
    assert np.array_equal(images.picture(0), colours)
    luma = colours @ np.array([0.299, 0.587, 0.114])
    assert images.load(0).shape == (30, 20)
    assert np.abs(images.load(0) - luma).max() <= 0.51  # Pillow's weights have 16 bits


def test_a_set_can_be_sent_to_a_spawned_process(
    colours: np.ndarray[tuple[int, ...], np.dtype[np.uint8]], read_set: Read
) -> None:
    images, _ = read_set()
    again = pickle.loads(pickle.dumps(images))
    assert np.array_equal(again.picture(0), colours)
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        assert np.array_equal(pool.apply(images.picture, (0,)), colours)


@pytest.mark.usefixtures("colours")
def test_a_file_that_changed_or_went_is_refused(folder: Path, read_set: Read) -> None:
    images, _ = read_set()
    Image.new("L", (5, 5)).save(folder / "a.png")
    with pytest.raises(InputError, match=r"all/a\.png: the file has changed since it was read"):
        images.load(0)
    (folder / "a.png").unlink()
    with pytest.raises(InputError, match=r"all/a\.png: it cannot be read"):
        images.load(0)


def test_an_unreadable_image_cannot_be_loaded(folder: Path, read_set: Read) -> None:
    (folder / "a.png").write_bytes(b"")
    images, _ = read_set()
    with pytest.raises(InputError, match="the file is empty"):
        images.picture(0)


def test_one_picture_in_two_files_is_one(folder: Path, read_set: Read) -> None:
    noise = np.random.default_rng(6).integers(0, 256, (16, 24), dtype=np.uint8)
    exif = Image.Exif()
    exif[274] = 6
    Image.fromarray(noise).save(folder / "a.png")
    Image.fromarray(noise).save(folder / "b.tif", compression="tiff_lzw")
    Image.fromarray(np.rot90(noise).copy()).save(folder / "c.png", exif=exif)
    Image.fromarray(noise.T.copy()).save(folder / "d.png")
    Image.fromarray(noise.reshape(24, 16)).save(folder / "e.png")
    images, _ = read_set()
    assert len(set(images.file_digest)) == 5
    first, *others = images.pixel_digest.tolist()
    assert [one == first for one in others] == [True, True, False, False]
