"""What cannot be read, tells nothing or is too large is named and counted; the rest goes on."""

from __future__ import annotations

import warnings
import zlib
from pathlib import Path

import numpy as np
import pytest
from PIL import Image, ImageFile

from reportgen.inputs.images import ImageSet
from tests.inputs.images.conftest import Read, png


def _good(path: Path, seed: int = 1) -> None:
    noise = np.random.default_rng(seed).integers(0, 256, (64, 64, 3), dtype=np.uint8)
    Image.fromarray(noise).save(path)


def _reasons(images: ImageSet, kind: str) -> dict[str, str]:
    return {one.file: one.reason for one in images.trouble if one.kind == kind}


def test_unreadable_files_are_named_and_the_rest_goes_on(folder: Path, read_set: Read) -> None:
    # D93
    _good(folder / "good.png")
    _good(folder / "whole.jpg", seed=2)
    raw = (folder / "whole.jpg").read_bytes()
    (folder / "cut.jpg").write_bytes(raw[: len(raw) // 2])
    (folder / "empty.png").write_bytes(b"")
    (folder / "text.png").write_text("no picture, just words: façade")
    (folder / "pointer.png").write_text("version https://git-lfs.github.com/spec/v1\noid sha256:0")
    (folder / "page.jpg").write_text("<!DOCTYPE html><title>Sign in</title>")
    (folder / "noise.tif").write_bytes(bytes(range(256)))
    (folder / ".hidden.png").write_bytes(b"")
    (folder / ".DS_Store").write_bytes(b"")
    (folder / "notes.txt").write_text("read me")
    images, record = read_set()
    reasons = _reasons(images, "unreadable")
    assert reasons.pop("all/cut.jpg").startswith("the file is damaged or incomplete")
    assert reasons == {
        "all/empty.png": "the file is empty (0 bytes)",
        "all/noise.tif": "this is no image that is known here",
        "all/page.jpg": "this is a web page, not an image",
        "all/pointer.png": "this is a Git LFS pointer, not the image: git lfs pull",
        "all/text.png": "this is text, not an image",
    }
    assert images.files[images.readable].tolist() == ["all/good.png", "all/whole.jpg"]
    ignored = sorted(one.reason for one in images.ignored)
    assert ignored == ["hidden file", "hidden file", "no image (.txt)"]
    assert (record.rows, record.read) == (8, 2)
    assert [(one.reason, one.k) for one in record.left_out] == [("unreadable", 6)]
    assert [one.file for one in record.unreadable] == sorted(one.file for one in record.unreadable)
    assert "ignored, hidden file: 2" in record.notes


@pytest.mark.parametrize("kind", ["png", "tif", "webp", "gif", "bmp", "jpg", "jp2"])
def test_a_file_cut_in_the_middle_is_not_read_as_far_as_it_goes(
    folder: Path, read_set: Read, kind: str
) -> None:
    path = folder / f"a.{kind}"
    _good(path)
    raw = path.read_bytes()
    path.write_bytes(raw[: len(raw) * 2 // 3])
    images, _ = read_set()
    assert list(_reasons(images, "unreadable")) == [f"all/a.{kind}"]


def test_a_cut_file_is_refused_whatever_other_libraries_ask_of_pillow(
    folder: Path, read_set: Read, monkeypatch: pytest.MonkeyPatch
) -> None:
    # WeasyPrint switches this on for the whole process when it is imported.
    monkeypatch.setattr(ImageFile, "LOAD_TRUNCATED_IMAGES", True)
    path = folder / "a.png"
    _good(path)
    path.write_bytes(path.read_bytes()[:-200])
    images, _ = read_set()
    assert list(_reasons(images, "unreadable")) == ["all/a.png"]
    assert ImageFile.LOAD_TRUNCATED_IMAGES is True


def test_an_unreadable_image_has_no_figures(folder: Path, read_set: Read) -> None:
    (folder / "empty.png").write_bytes(b"")
    images, _ = read_set()
    assert images.size.tolist() == [[0, 0]]
    assert images.pixel_digest.tolist() == [""]
    # The SHA-256 of nothing, as every tool prints it.
    assert images.file_digest[0].startswith("e3b0c44298fc1c149afbf4c8996fb924")
    assert not images.grey32.any()


@pytest.mark.parametrize("brand", [b"heic", b"mif1", b"avif"])
def test_heic_is_not_supported_and_said_so(folder: Path, read_set: Read, brand: bytes) -> None:
    # D100
    (folder / "phone.heic").write_bytes(b"\0\0\0\x18ftyp" + brand + b"\0" * 40)
    images, _ = read_set()
    (reason,) = _reasons(images, "unreadable").values()
    assert "is not supported" in reason
    assert ("HEIC" in reason) == (brand != b"avif")


def test_frames_of_one_shade_are_blank_and_a_split_screen_is_not(
    folder: Path, read_set: Read
) -> None:
    # D98
    for name, shade in (("black", 0), ("white", 255), ("grey", 127)):
        Image.new("L", (50, 40), shade).save(folder / f"{name}.png")
    halves = np.zeros((64, 64), dtype=np.uint8)
    halves[:, 32:] = 255
    Image.fromarray(halves).save(folder / "split.png")
    images, record = read_set()
    assert images.readable.all()
    assert images.files[images.blank].tolist() == ["all/black.png", "all/grey.png", "all/white.png"]
    assert record.read == 4
    assert len(record.blank) == 3
    assert "standard deviation 0.0 grey levels" in record.blank[0].reason


def test_blank_begins_below_a_standard_deviation_of_three(folder: Path, read_set: Read) -> None:
    # Half of the pixels at 100 − d, half at 100 + d: the standard deviation is d.
    for spread in (2, 3):
        halves = np.full((32, 32), 100 - spread, dtype=np.uint8)
        halves[:16] = 100 + spread
        Image.fromarray(halves).save(folder / f"{spread}.png")
    images, _ = read_set()
    assert images.blank.tolist() == [True, False]


def test_full_transparency_is_no_visible_content(folder: Path, read_set: Read) -> None:
    # D95
    Image.new("RGBA", (40, 40), (255, 0, 0, 0)).save(folder / "ghost.png")
    images, record = read_set()
    assert images.grey32.min() == 255
    assert record.blank[0].reason == "no visible content: fully transparent"


def test_images_above_the_limit_are_named_and_not_decoded(folder: Path, read_set: Read) -> None:
    # D99. The slide's pixels are no pixels at all: only its header can have been read.
    rows = zlib.compressobj()
    body = b"".join(rows.compress(bytes(1501)) for _ in range(12_000)) + rows.flush()
    bomb = png(12_000, 12_000, body)
    assert len(bomb) < 60_000
    (folder / "bomb.png").write_bytes(bomb)
    (folder / "slide.png").write_bytes(png(60_000, 50_000, b"nothing"))
    (folder / "wide.png").write_bytes(png(10_000, 6_000, b"nothing"))
    _good(folder / "good.png")
    limit, filters = Image.MAX_IMAGE_PIXELS, list(warnings.filters)
    images, record = read_set()
    assert _reasons(images, "oversized") == {
        "all/bomb.png": "144,000,000 pixels, above the limit of 50,000,000 (max_pixels)",
        "all/slide.png": "3,000,000,000 pixels, above the limit of 50,000,000 (max_pixels)",
        "all/wide.png": "10000 × 6000 = 60,000,000 pixels, "
        "above the limit of 50,000,000 (max_pixels)",
    }
    assert images.readable.tolist() == [False, True, False, False]
    assert [(one.reason, one.k) for one in record.left_out] == [("oversized", 3)]
    assert (limit, filters) == (Image.MAX_IMAGE_PIXELS, list(warnings.filters))


def test_the_limit_is_the_manifests(folder: Path, read_set: Read) -> None:
    _good(folder / "good.png")  # 64 × 64 = 4096
    assert read_set(max_pixels=4096)[0].readable.all()
    images, _ = read_set(max_pixels=4095)
    assert _reasons(images, "oversized") == {
        "all/good.png": "64 × 64 = 4,096 pixels, above the limit of 4,095 (max_pixels)"
    }


def test_the_decoders_own_limit_is_never_switched_off(folder: Path, read_set: Read) -> None:
    (folder / "slide.png").write_bytes(png(60_000, 50_000, b"nothing"))
    images, _ = read_set(max_pixels=10**12)
    (reason,) = _reasons(images, "oversized").values()
    assert reason == "3,000,000,000 pixels, above the decoder's own limit of 89,478,485"
