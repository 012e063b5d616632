"""One way to decode an image: upright, composited on white, 8 bits a channel, every step stated.

Colours are the numbers in the file: colour profiles are not applied. Grey is Pillow's mode L
(ITU-R 601-2: 0.299 R + 0.587 G + 0.114 B).
"""

from __future__ import annotations

import hashlib
import logging
import re
import threading
import warnings
from dataclasses import dataclass, field
from types import TracebackType
from typing import Any, BinaryIO

import numpy as np
from numpy.typing import NDArray
from PIL import ExifTags, Image, ImageFile, ImageOps, UnidentifiedImageError

from reportgen.inputs.images import dicom, kinds
from reportgen.inputs.images.refusals import Oversized, Unreadable, refuse_oversized
from reportgen.inputs.images.scaling import to_bytes
from reportgen.language import mark

EXIF_APPLIED = mark("EXIF orientation applied")
FIRST_FRAME = mark("first of several frames")
ON_WHITE = mark("alpha composited on white (255)")
OPAQUE = mark("alpha channel, opaque everywhere, dropped")
HIGH_BYTE = mark("16-bit colour: the high byte of each channel")
WHITE_IS_ZERO = mark("white-is-zero grey inverted")
RAW_MODES = ("I;16", "I;16B", "I;16L", "I;16N", "I", "F")
BY_MODE = {
    "1": mark("1-bit: 0 and 1 became 0 and 255"),
    "P": mark("palette replaced by its colours"),
    "PA": mark("palette replaced by its colours"),
}


@dataclass(frozen=True)
class Decoded:
    """An image, upright and at 8 bits.

    Attributes
    ----------
    image : PIL.Image.Image
        Of mode L or RGB.
    pixel_digest : str
        SHA-256 of mode, size and pixels, upright, before high bit depths are scaled down.
    conversions : tuple of str
        What was done, in the order in which it was done.
    visible : bool
        Whether any pixel is not fully transparent.
    """

    image: Image.Image = field(repr=False)
    pixel_digest: str
    conversions: tuple[str, ...]
    visible: bool = True


class Quiet:
    """Keeps Pillow's warnings off the screen and turns its one on oversized images into an error.

    It also has cut files refused, not filled with grey: WeasyPrint asks Pillow for the latter as
    soon as it is imported. Filters and that switch belong to the process, so threads share one
    change of them: the first to enter makes it, the last to leave undoes it.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._inside = 0
        self._caught = warnings.catch_warnings()
        self._filled = False

    def __enter__(self) -> None:
        with self._lock:
            if self._inside == 0:
                self._caught = warnings.catch_warnings()
                self._caught.__enter__()
                warnings.simplefilter("ignore")
                warnings.simplefilter("error", Image.DecompressionBombWarning)
                self._filled = ImageFile.LOAD_TRUNCATED_IMAGES
                ImageFile.LOAD_TRUNCATED_IMAGES = False
            self._inside += 1

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        at: TracebackType | None,
    ) -> None:
        with self._lock:
            self._inside -= 1
            if self._inside == 0:
                self._caught.__exit__(kind, error, at)
                ImageFile.LOAD_TRUNCATED_IMAGES = self._filled


QUIET = Quiet()
for library in ("PIL", "pydicom"):  # what they log of a broken file is in our own reason for it
    logging.getLogger(library).addHandler(logging.NullHandler())


def decode(handle: BinaryIO, *, name: str, max_pixels: int) -> Decoded:
    """Return the picture in a file.

    Parameters
    ----------
    handle : binary file
        At its start, seekable.
    name : str
        Its ending tells a file that no decoder knows what it was meant to be.
    max_pixels : int
        Images with more pixels are not decoded. Pillow's own limit holds besides.

    Raises
    ------
    Unreadable
        If it is no image, an unsupported one, or damaged.
    Oversized
        If its header tells more pixels than are allowed.
    """
    head = handle.read(kinds.HEAD)
    handle.seek(0)
    with QUIET:
        try:
            if kinds.is_dicom(head):
                return _from_dicom(handle, max_pixels)
            return _from_pillow(handle, head, name, max_pixels)
        except (Unreadable, Oversized):
            raise
        except (Image.DecompressionBombError, Image.DecompressionBombWarning) as error:
            raise _bomb(str(error), max_pixels) from None
        except Exception as error:  # a hostile file may raise anything; the rest must go on
            first = next(iter(str(error).splitlines()), "") or type(error).__name__
            raise Unreadable(
                mark("the file is damaged or incomplete ({reason})"), reason=first
            ) from None


def _bomb(said: str, max_pixels: int) -> Oversized:
    """Return the refusal of an image that Pillow itself refused; its message counts the pixels."""
    number = re.search(r"\((\d+) pixels\)", said)
    own = Image.MAX_IMAGE_PIXELS
    if not number:
        return Oversized(
            mark("too many pixels, above the decoder's own limit of {most:,}"), most=own
        )
    n = int(number[1])
    if n > max_pixels:
        text = mark("{n:,} pixels, above the limit of {most:,} (max_pixels)")
        return Oversized(text, n=n, most=max_pixels)
    return Oversized(mark("{n:,} pixels, above the decoder's own limit of {most:,}"), n=n, most=own)


def _from_dicom(handle: BinaryIO, max_pixels: int) -> Decoded:
    read = dicom.read_dicom(handle, max_pixels=max_pixels)
    return Decoded(Image.fromarray(read.pixels), read.pixel_digest, read.conversions)


def _from_pillow(handle: BinaryIO, head: bytes, name: str, max_pixels: int) -> Decoded:
    try:
        opened = Image.open(handle, formats=kinds.FORMATS)
    except UnidentifiedImageError:
        raise kinds.refusal_of(head, name) from None
    refuse_oversized(opened.size, max_pixels)
    deep = ";16" in str([tile.args for tile in opened.tile])
    tags = _tiff_tags(opened)
    turned = opened.format == "TIFF" and _is_turned(opened)  # which loading turns by itself
    opened.load()
    upright = ImageOps.exif_transpose(opened) if _is_turned(opened) else opened
    turned = turned or upright is not opened
    image, digest, steps, visible = _eight_bits(upright, opened.format, tags)
    first = [EXIF_APPLIED] * turned + [FIRST_FRAME] * _is_one_of_several(opened)
    high = [HIGH_BYTE] * (deep and opened.mode not in RAW_MODES)
    return Decoded(image, digest, (*first, *high, *steps), visible)


def _is_turned(image: Image.Image) -> bool:
    """Return whether EXIF says that the stored picture is not upright; not, if EXIF is broken."""
    try:
        return int(image.getexif().get(ExifTags.Base.Orientation, 1)) in range(2, 9)
    except Exception:  # Pillow raises many kinds here, and the pixels may be sound
        return False


def _is_one_of_several(opened: Image.Image) -> bool:
    """Return whether more frames follow; asked when the first is read, for GIF moves on to tell."""
    try:
        return bool(getattr(opened, "is_animated", False))
    except Exception:  # what is broken is not the frame that was read
        return True


def _tiff_tags(image: Image.Image) -> dict[str, int]:
    tags: Any = getattr(image, "tag_v2", {})
    bits = tags.get(ExifTags.Base.BitsPerSample, (16,))
    photometric = tags.get(ExifTags.Base.PhotometricInterpretation, 1)
    return {"bits": int(bits[0] if isinstance(bits, tuple) else bits), "white": int(photometric)}


def _eight_bits(
    image: Image.Image, format_name: str | None, tags: dict[str, int]
) -> tuple[Image.Image, str, list[str], bool]:
    if image.mode in RAW_MODES:
        values = np.asarray(image)
        digest = pixel_digest(image.mode[:4], image.size, _little(values).tobytes())
        scaled, steps = _scaled(values, image.mode, format_name, tags)
        return Image.fromarray(scaled), digest, steps, True
    plain, steps, visible = _plain(image)
    return plain, pixel_digest(plain.mode, plain.size, plain.tobytes()), steps, visible


def _plain(image: Image.Image) -> tuple[Image.Image, list[str], bool]:
    """Return an image of 8 bits or fewer as L or RGB, composited on white."""
    mode = image.mode
    steps = [BY_MODE[mode]] if mode in BY_MODE else []
    grey = mode in ("1", "L", "LA", "La")
    target = "L" if grey else "RGB"
    if not image.has_transparency_data:
        if mode not in (*BY_MODE, "L", "RGB", "RGBX"):
            steps.append(f"{mode} converted to RGB")
        return (image if mode == target else image.convert(target)), steps, True
    if mode in ("La", "RGBa"):  # premultiplied
        image = image.convert(mode.upper())
    full = image.convert("RGBA")
    alpha = full.getchannel("A")
    lowest, highest = (int(extreme) for extreme in alpha.getextrema())  # type: ignore[arg-type]
    opaque = full.convert("RGB").convert(target)
    if lowest == 255:
        return opaque, [*steps, OPAQUE], True
    white = Image.new(target, opaque.size, 255 if grey else (255, 255, 255))
    return Image.composite(opaque, white, alpha), [*steps, ON_WHITE], highest > 0


def _scaled(
    values: NDArray[Any], mode: str, format_name: str | None, tags: dict[str, int]
) -> tuple[NDArray[np.uint8], list[str]]:
    """Return high bit depths scaled linearly to 0…255: by the range of the type where it has one.

    Scaling by an image's own range would make pictures of one series differ, so it is done only
    where the type has no range of its own: 32-bit whole numbers and floats.
    """
    bits = tags["bits"]
    if mode.startswith("I;16"):
        shades = _by_table(values, 2**bits - 1)
        step = f"{bits}-bit grey scaled linearly, 0…{2**bits - 1} to 0…255"
        if tags["white"] == 0:
            return (255 - shades).astype(np.uint8), [step, WHITE_IS_ZERO]
        return shades, [step]
    if mode == "I" and format_name == "PPM":
        low, high = 0.0, 65535.0
        step = "16-bit grey scaled linearly, 0…65535 to 0…255"
    elif mode == "I" and bits == 16:
        low, high = -32768.0, 32767.0
        step = "16-bit signed grey scaled linearly, −32768…32767 to 0…255"
    else:
        low, high = float(values.min()), float(values.max())
        if not (np.isfinite(low) and np.isfinite(high)):
            raise Unreadable(mark("it holds values that are not finite numbers"))
        kind = "float" if mode == "F" else "32-bit"
        step = f"{kind} grey scaled linearly, the image's own lowest and highest value to 0 and 255"
    return to_bytes(values, low, high), [step]


def _by_table(values: NDArray[Any], most: int) -> NDArray[np.uint8]:
    """Return unsigned 16-bit values scaled from 0…most, by a table: as many bytes as pixels."""
    shades: NDArray[np.uint8] = to_bytes(np.arange(2**16), 0.0, float(most))[values]
    return shades


def _little(values: NDArray[Any]) -> NDArray[Any]:
    return values.astype(values.dtype.newbyteorder("<"), copy=False)


def pixel_digest(mode: str, size: tuple[int, int], pixels: bytes) -> str:
    """Return the SHA-256 of a picture: mode and size in a line, then its pixels row by row."""
    digest = hashlib.sha256(f"{mode} {size[0]}x{size[1]}\n".encode())
    digest.update(pixels)
    return digest.hexdigest()
