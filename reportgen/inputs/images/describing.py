"""Every image described once: size, digests and the two thumbnails that searches compare."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from typing import BinaryIO, TypeVar

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from reportgen.inputs.images.cache import Cache, Description
from reportgen.inputs.images.content import ImageTrouble, Trouble
from reportgen.inputs.images.decoding import QUIET, decode
from reportgen.inputs.images.refusals import Oversized, Unreadable, refuse_oversized
from reportgen.inputs.images.steps import step_told
from reportgen.language import _, mark
from reportgen.wording import clauses, fixed

SMALL, LARGE = 32, 64
LEAST_SD = 3.0
"""Standard deviation of a thumbnail, in grey levels, below which an image counts as blank."""
MOST_THREADS = 4
NOT_THERE = mark("there is no such file")
CHANGED = mark("the file changed while it was read")
IRREGULAR = mark("this is no regular file")
UNREAD = mark("the file cannot be read")

Given = TypeVar("Given")
Made = TypeVar("Made")


@dataclass(frozen=True)
class Place:
    """An image to read: its file as it is named, and where that is; None if it is not there."""

    file: str
    path: Path | None


@dataclass(frozen=True)
class Seen:
    """What was found at one place.

    Attributes
    ----------
    file_digest : str
        SHA-256 of the file, "" where there is none.
    bytes : int
        Its size.
    described : Description or None
        None where it could not be decoded; the reason is in `trouble`.
    trouble : ImageTrouble or None
        Unreadable, oversized or blank.
    """

    file_digest: str
    bytes: int
    described: Description | None = field(repr=False)
    trouble: ImageTrouble | None


def describe_all(places: Sequence[Place], *, max_pixels: int, cache: Cache) -> list[Seen]:
    """Return what was found at every place, in the same order, whatever the threads did.

    A file whose digest the cache knows is not decoded again; a digest that occurs twice is decoded
    once.

    Parameters
    ----------
    places : sequence of Place
    max_pixels : int
        Images with more are named and not decoded.
    cache : Cache
        Asked before and filled behind.
    """
    digests = _in_threads(_digest, places)
    first = {
        digest: place
        for (digest, _size), place in reversed(list(zip(digests, places, strict=True)))
        if digest
    }
    known = cache.known(first)
    fresh = [(digest, place) for digest, place in first.items() if digest not in known]
    fresh.sort(key=lambda one: one[1].file)
    with QUIET:
        made = _in_threads(lambda one: _described(one[1], one[0], max_pixels), fresh)
    found: dict[str, Description | Unreadable | Oversized] = dict(known)
    found.update((digest, one) for (digest, _size), one in zip(fresh, made, strict=True))
    cache.keep(
        {
            digest: one
            for (digest, _size), one in zip(fresh, made, strict=True)
            if isinstance(one, Description)
        }
    )
    return [
        _seen(place, digest, size, found.get(digest), max_pixels)
        for place, (digest, size) in zip(places, digests, strict=True)
    ]


def _in_threads(work: Callable[[Given], Made], given: Iterable[Given]) -> list[Made]:
    with ThreadPoolExecutor(min(MOST_THREADS, os.cpu_count() or 1)) as pool:
        return list(pool.map(work, given))


def _digest(place: Place) -> tuple[str, int]:
    """Return SHA-256 and size of a file, "" and 0 if it is not there or cannot be read."""
    if place.path is None or not place.path.is_file():  # opening a pipe waits for its other end
        return "", 0
    try:
        with place.path.open("rb") as handle:
            digest = hashlib.file_digest(handle, "sha256").hexdigest()
            return digest, os.fstat(handle.fileno()).st_size
    except OSError:
        return "", 0


def _described(place: Place, digest: str, max_pixels: int) -> Description | Unreadable | Oversized:
    assert place.path is not None  # noqa: S101 (it has a digest)
    try:
        with place.path.open("rb") as handle:
            made = _describe(handle, place.file, max_pixels)
            handle.seek(0)
            same = hashlib.file_digest(handle, "sha256").hexdigest() == digest
    except OSError as error:
        return Unreadable(mark("the file cannot be read ({reason})"), reason=error.strerror)
    except (Unreadable, Oversized) as refused:
        return refused
    return made if same else Unreadable(CHANGED)


def _describe(handle: BinaryIO, name: str, max_pixels: int) -> Description:
    decoded = decode(handle, name=name, max_pixels=max_pixels)
    grey = decoded.image if decoded.image.mode == "L" else decoded.image.convert("L")
    small, large = (thumbnail(grey, side).tobytes() for side in (SMALL, LARGE))
    width, height = grey.size
    return Description(
        width, height, decoded.pixel_digest, decoded.conversions, decoded.visible, small, large
    )


def thumbnail(grey: Image.Image, side: int) -> Image.Image:
    """Return a grey image reduced to a square by area means, rounded once where that can be.

    Sides that are whole multiples of `side` are reduced in one step, so that a flip or rotation of
    the picture gives the same flip or rotation of its thumbnail. For all others Pillow's BOX filter
    rounds between its two passes, which makes up to one grey level of difference.
    """
    if grey.width % side == 0 and grey.height % side == 0:
        return grey.reduce((grey.width // side, grey.height // side))
    return grey.resize((side, side), Image.Resampling.BOX)


def _seen(
    place: Place,
    digest: str,
    size: int,
    found: Description | Unreadable | Oversized | None,
    max_pixels: int,
) -> Seen:
    def refused(error: Unreadable | Oversized) -> Seen:
        kind: Trouble = "oversized" if isinstance(error, Oversized) else "unreadable"
        return Seen(digest, size, None, ImageTrouble(kind, place.file, error.told()))

    if found is None:
        if place.path is None:
            return refused(Unreadable(NOT_THERE))
        return refused(Unreadable(UNREAD if place.path.is_file() else IRREGULAR))
    if not isinstance(found, Description):
        return refused(found)
    try:
        refuse_oversized((found.width, found.height), max_pixels)  # the cache knows no limit
    except Oversized as error:
        return refused(error)
    reason = _blank(found)
    trouble = None if reason is None else ImageTrouble("blank", place.file, reason)
    return Seen(digest, size, found, trouble)


def _blank(found: Description) -> str | None:
    """Return why an image tells nothing, None if it does."""
    if not found.visible:
        return _("no visible content: fully transparent")
    sd = float(np.std(pixels(found.grey32, SMALL)))
    if sd >= LEAST_SD:
        return None
    scaled = clauses([step_told(step) for step in found.conversions if "scaled" in step])
    if not scaled:
        text = _("its thumbnail hardly varies: standard deviation {sd} grey levels")
        return text.format(sd=fixed(sd, 1))
    text = _(
        "its thumbnail hardly varies: standard deviation {sd} grey levels, after this: {steps}"
    )
    return text.format(sd=fixed(sd, 1), steps=scaled)


def pixels(raw: bytes, side: int) -> NDArray[np.uint8]:
    """Return the bytes of a square thumbnail as an array."""
    return np.frombuffer(raw, dtype=np.uint8).reshape(side, side)
