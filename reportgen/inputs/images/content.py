"""A set of images after reading: who they are, where they stand, and how each looks when small."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from reportgen.inputs.table import FileTrouble
from reportgen.result import LeftOut

TextArray = NDArray[np.object_]
Grey = NDArray[np.uint8]

Trouble = Literal["unreadable", "blank", "oversized"]


@dataclass(frozen=True)
class ImageTrouble:
    """A file of the set that cannot be compared, and why."""

    kind: Trouble
    file: str
    reason: str


@dataclass(frozen=True)
class ImageSet:
    """The images of one entry of ``images``, one position an image, in ascending order of id.

    Attributes
    ----------
    name : str
        Its name in the manifest.
    ids, files : (n,) object array
        Identifier, unique; and the path below the root with forward slashes.
    split, source, unit, site, acquired : (n,) object array or None
        Text, "" where missing; None if the manifest names no such column. `acquired` is an ISO 8601
        date or date and time.
    labels : tuple of n frozensets of text, or None
        The set of labels of each image; empty where none is given.
    splits : tuple of str
        The splits in the order of the manifest (folders) or of first appearance.
    declared_size : (n, 2) int array or None
        Width and height as the table says, 0 where missing.
    size : (n, 2) int array
        Width and height as read, after the orientation of EXIF was applied; 0 where unreadable.
    readable : (n,) bool array
        Whether the image was decoded whole. Blank images are readable.
    blank : (n,) bool array
        Whether its thumbnail hardly varies (standard deviation below 3 grey levels).
    file_digest : (n,) object array
        SHA-256 of the file's bytes, "" where there is no file.
    pixel_digest : (n,) object array
        SHA-256 of mode, size and pixels after EXIF, so that one picture in two files is one; ""
        where unreadable.
    grey32 : (n, 32, 32) uint8 array
        Pillow's BOX reduction of the grey image, zeros where unreadable.
    grey64 : (n, 64, 64) uint8 array
        The same at 64 × 64.
    trouble : tuple of ImageTrouble
        Files named with their reason: unreadable, blank, oversized.
    conversions : tuple of LeftOut
        What was done to read them, with the number of images: "EXIF orientation applied".
    ignored : tuple of FileTrouble
        What lies in a folder and is no image, by path, with why.
    load : callable
        ``load(i)`` gives the i-th image at full resolution as (h, w) uint8 grey, orientation
        applied; it reads the file again and may be called in another process.
    picture : callable
        ``picture(i)`` gives it as (h, w, 3) uint8 RGB for showing.
    """

    name: str
    ids: TextArray
    files: TextArray
    split: TextArray | None
    source: TextArray | None
    unit: TextArray | None
    site: TextArray | None
    acquired: TextArray | None
    labels: tuple[frozenset[str], ...] | None
    splits: tuple[str, ...]
    declared_size: NDArray[np.int64] | None
    size: NDArray[np.int64]
    readable: NDArray[np.bool_]
    blank: NDArray[np.bool_]
    file_digest: TextArray
    pixel_digest: TextArray
    grey32: Grey = field(repr=False)
    grey64: Grey = field(repr=False)
    load: Callable[[int], Grey] = field(repr=False)
    picture: Callable[[int], Grey] = field(repr=False)
    trouble: tuple[ImageTrouble, ...] = ()
    conversions: tuple[LeftOut, ...] = ()
    ignored: tuple[FileTrouble, ...] = ()

    def declared_apart(self) -> tuple[NDArray[np.bool_], NDArray[np.bool_], NDArray[np.bool_]]:
        """Return where the declared width or height is not that of the upright picture.

        Returns
        -------
        compared, other, turned : (n,) bool arrays
            Images read and declared at least one length; of those the ones with another one; and
            of these the ones whose width and height are swapped.
        """
        if self.declared_size is None:
            none = np.zeros(self.n_images, dtype=bool)
            return none, none, none
        known = (self.declared_size > 0) & self.readable[:, None]
        other = ((self.declared_size != self.size) & known).any(axis=1)
        turned = other & (self.declared_size[:, ::-1] == self.size).all(axis=1)
        return np.asarray(known.any(axis=1)), np.asarray(other), np.asarray(turned)

    @property
    def n_images(self) -> int:
        """The number of images, unreadable ones included."""
        return len(self.ids)
