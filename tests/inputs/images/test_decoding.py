"""Every kind of image becomes upright, opaque and 8-bit, and every step is counted and stated."""

from __future__ import annotations

import io
import struct
import zlib
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image, TiffImagePlugin

from reportgen.inputs.images.decoding import Decoded, decode
from tests.inputs.images.conftest import Read, png

FACE = np.add.outer(np.arange(48) * 2, np.arange(64) * 2).astype(np.uint8)
"""48 × 64, no symmetry of the square leaves it as it is."""


def _decoded(image: Image.Image, kind: str, **how: Any) -> Decoded:
    held = io.BytesIO()
    image.save(held, kind, **how)
    held.seek(0)
    return decode(held, name=f"a.{kind.lower()}", max_pixels=10**7)


@pytest.mark.parametrize("kind", ["PNG", "TIFF"])
def test_a_16_bit_ramp_keeps_256_levels_each_of_257_values(kind: str) -> None:
    # D94. v/257 rounded: level 0 and 255 take 129 of the 65,536 values, all others 257.
    ramp = np.arange(65536, dtype=np.uint16).reshape(256, 256)
    decoded = _decoded(Image.fromarray(ramp), kind)
    levels, counts = np.unique(np.asarray(decoded.image), return_counts=True)
    assert levels.tolist() == list(range(256))
    assert counts.tolist() == [129, *[257] * 254, 129]
    assert decoded.conversions == ("16-bit grey scaled linearly, 0…65535 to 0…255",)


def test_16_bit_pictures_that_look_alike_at_8_bits_are_not_the_same_content() -> None:
    low, lower = (np.full((8, 8), value, dtype=np.uint16) for value in (300, 301))
    first, second = (_decoded(Image.fromarray(one), "PNG") for one in (low, lower))
    assert np.array_equal(np.asarray(first.image), np.asarray(second.image))
    assert first.pixel_digest != second.pixel_digest


def test_white_is_zero_at_16_bits_is_inverted() -> None:
    tags = TiffImagePlugin.ImageFileDirectory_v2()
    tags[262] = 0
    ramp = np.array([[0, 65535]], dtype=np.uint16)
    decoded = _decoded(Image.fromarray(ramp), "TIFF", tiffinfo=tags)
    assert np.asarray(decoded.image).tolist() == [[255, 0]]
    assert decoded.conversions[1] == "white-is-zero grey inverted"


def test_floats_are_scaled_by_their_own_range_and_infinity_is_refused() -> None:
    values = np.array([[-1.0, 0.0, 3.0]], dtype=np.float32)
    decoded = _decoded(Image.fromarray(values), "TIFF")
    assert np.asarray(decoded.image).tolist() == [[0, 64, 255]]  # (0 + 1) / 4 of 255 = 63.75
    assert "own lowest and highest value" in decoded.conversions[0]
    values[0, 0] = np.inf
    with pytest.raises(Exception, match="not finite numbers"):
        _decoded(Image.fromarray(values), "TIFF")


def test_hidden_colour_is_not_seen_through_full_transparency() -> None:
    # D95: convert("L") alone would give 76, the grey of the red below.
    decoded = _decoded(Image.new("RGBA", (40, 40), (255, 0, 0, 0)), "PNG")
    assert np.unique(np.asarray(decoded.image)).tolist() == [255]
    assert not decoded.visible
    assert decoded.conversions == ("alpha composited on white (255)",)


def test_half_transparent_red_on_white_is_pink() -> None:
    # 128/255 of red over white leaves 255 − 128 = 127 of green and blue.
    decoded = _decoded(Image.new("RGBA", (4, 4), (255, 0, 0, 128)), "PNG")
    assert decoded.image.getpixel((0, 0)) == (255, 127, 127)
    assert decoded.visible


@pytest.mark.parametrize("mode", ["LA", "RGBA"])
def test_an_opaque_alpha_channel_leaves_the_same_picture(mode: str) -> None:
    plain = Image.fromarray(FACE).convert("L" if mode == "LA" else "RGB")
    decoded = _decoded(plain.convert(mode), "PNG")
    assert decoded.pixel_digest == _decoded(plain, "PNG").pixel_digest
    assert decoded.conversions == ("alpha channel, opaque everywhere, dropped",)


@pytest.mark.parametrize("kind", ["JPEG", "PNG", "TIFF", "WEBP"])
def test_exif_orientation_6_is_applied_once_and_stated(kind: str) -> None:
    # D96. Orientation 6: the stored picture must be turned clockwise by a quarter to be upright.
    exif = Image.Exif()
    exif[274] = 6
    how = {"quality": 100} if kind == "JPEG" else {"lossless": True} if kind == "WEBP" else {}
    decoded = _decoded(Image.fromarray(FACE).convert("RGB"), kind, exif=exif, **how)
    upright = np.rot90(FACE, -1)
    assert decoded.image.size == (48, 64)
    seen = np.asarray(decoded.image)[..., 0].astype(int)
    assert np.abs(seen - upright).max() <= (2 if kind == "JPEG" else 0)
    assert "EXIF orientation applied" in decoded.conversions


def test_a_broken_exif_block_leaves_the_pixels_readable() -> None:
    held = io.BytesIO()
    Image.fromarray(FACE).save(held, "JPEG", exif=b"Exif\0\0MM\0*\0\0\0\x08\xff\xff\x01")
    held.seek(0)
    assert decode(held, name="a.jpg", max_pixels=10**6).image.size == (64, 48)


def test_a_cmyk_jpeg_becomes_rgb() -> None:
    # D100. Full cyan ink is (0, 255, 255).
    decoded = _decoded(Image.new("CMYK", (16, 16), (255, 0, 0, 0)), "JPEG", quality=100)
    colour = np.asarray(decoded.image).reshape(-1, 3).mean(axis=0)
    assert colour == pytest.approx([0, 255, 255], abs=2)
    assert decoded.conversions == ("CMYK converted to RGB",)


def test_16_bit_colour_keeps_the_high_byte_and_says_so() -> None:
    pixel = struct.pack(">3H", 0x12FF, 0x8000, 0xFF01)
    decoded = decode(
        io.BytesIO(png(1, 1, zlib.compress(b"\0" + pixel), bits=16, colour=2)),
        name="a.png",
        max_pixels=1,
    )
    assert decoded.image.getpixel((0, 0)) == (0x12, 0x80, 0xFF)
    assert decoded.conversions == ("16-bit colour: the high byte of each channel",)


def test_grey_of_12_bits_in_a_tiff_is_scaled_by_its_own_range() -> None:
    tags = TiffImagePlugin.ImageFileDirectory_v2()
    held = io.BytesIO()
    Image.fromarray(np.zeros((1, 2), dtype=np.uint16)).save(held, "TIFF", tiffinfo=tags)
    raw = held.getvalue()
    bits = raw.index(struct.pack("<HHI", 258, 3, 1))  # BitsPerSample, one SHORT
    strip = raw.rindex(bytes(4))
    packed = bytes([0xFF, 0xF0, 0x00])  # 4095 and 0, twelve bits each
    raw = raw[: bits + 8] + struct.pack("<H", 12) + raw[bits + 10 : strip] + packed + b"\0"
    decoded = decode(io.BytesIO(raw), name="a.tif", max_pixels=2)
    assert np.asarray(decoded.image).tolist() == [[255, 0]]
    assert decoded.conversions == ("12-bit grey scaled linearly, 0…4095 to 0…255",)


def test_16_bit_pgm_is_scaled_by_the_range_of_its_type() -> None:
    raw = b"P5 3 1 65535\n" + struct.pack(">3H", 0, 257, 65535)
    decoded = decode(io.BytesIO(raw), name="a.pgm", max_pixels=3)
    assert np.asarray(decoded.image).tolist() == [[0, 1, 255]]


def test_a_broken_second_frame_leaves_the_first_readable() -> None:
    held = io.BytesIO()
    frames = [Image.fromarray(FACE), Image.fromarray(255 - FACE)]
    frames[0].save(held, "GIF", save_all=True, append_images=frames[1:])
    raw = held.getvalue()
    cut = io.BytesIO(raw[: raw.rindex(b"\x2c") + 12])
    assert np.array_equal(
        np.asarray(decode(cut, name="a.gif", max_pixels=10**6).image.convert("L")), FACE
    )


def test_a_palette_gives_its_colours() -> None:
    image = Image.new("P", (2, 1))
    image.putpalette([10, 20, 30, 200, 100, 50])
    image.putdata([1, 0])
    decoded = _decoded(image, "PNG")
    assert np.asarray(decoded.image).tolist() == [[[200, 100, 50], [10, 20, 30]]]
    assert decoded.conversions == ("palette replaced by its colours",)


def test_one_bit_becomes_black_and_white() -> None:
    bits = np.array([[True, False]])
    decoded = _decoded(Image.fromarray(bits), "PNG")
    assert np.asarray(decoded.image).tolist() == [[255, 0]]
    assert decoded.conversions == ("1-bit: 0 and 1 became 0 and 255",)


@pytest.mark.parametrize("kind", ["GIF", "TIFF", "WEBP", "PNG"])
def test_the_first_frame_of_several_is_read(kind: str) -> None:
    frames = [Image.new("RGB", (20, 20), shade) for shade in ("black", "white", "red")]
    decoded = _decoded(frames[0], kind, save_all=True, append_images=frames[1:])
    assert np.asarray(decoded.image).max() == 0
    assert "first of several frames" in decoded.conversions


def test_grey_is_the_luma_of_itu_r_601() -> None:
    # 0.299 · 255 = 76.2, 0.587 · 255 = 149.7, 0.114 · 255 = 29.1
    image = Image.new("RGB", (3, 1))
    image.putdata([(255, 0, 0), (0, 255, 0), (0, 0, 255)])
    decoded = _decoded(image, "PNG")
    assert np.asarray(decoded.image.convert("L")).tolist() == [[76, 150, 29]]


def test_conversions_are_counted_over_the_set(folder: Path, read_set: Read) -> None:
    Image.fromarray(FACE).save(folder / "plain.png")
    for at in range(2):
        Image.fromarray(FACE).convert("P").save(folder / f"palette{at}.png")
    images, record = read_set()
    counted = {step.reason: step.k for step in images.conversions}
    assert counted == {"palette replaced by its colours": 2}
    assert "palette replaced by its colours: 2 images" in record.notes


def test_the_declared_size_is_checked_against_the_upright_one(
    folder: Path, read_set: Read, tmp_path: Path
) -> None:
    # D96: the table has the sizes before turning, so the first row is swapped.
    exif = Image.Exif()
    exif[274] = 6
    Image.fromarray(FACE).save(folder / "turned.jpg", exif=exif)
    Image.fromarray(FACE).save(folder / "upright.jpg")
    (tmp_path / "t.csv").write_text("f,w,h\nturned.jpg,64,48\nupright.jpg,64,48\n")
    columns = {"file": "f", "width": "w", "height": "h"}
    images, record = read_set(path="t.csv", root="all", columns=columns)
    assert images.size.tolist() == [[48, 64], [64, 48]]
    assert images.declared_size is not None
    assert images.declared_size.tolist() == [[64, 48], [64, 48]]
    assert any("1 of 2 images, 1 of them swapped" in note for note in record.notes)
