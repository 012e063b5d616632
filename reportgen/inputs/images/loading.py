"""Images at full resolution, read again when they are asked for, here or in another process."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from reportgen.errors import Fault, InputError
from reportgen.inputs.images.decoding import decode
from reportgen.inputs.images.refusals import Oversized, Unreadable

MEND = "leave the images alone while a run is going, then start it again"


@dataclass(frozen=True)
class Loader:
    """Gives the i-th image of a set.

    Attributes
    ----------
    files, paths, digests : tuple of str
        Name, place and SHA-256 of every file; place and digest "" where it is not there.
    max_pixels : int
    mode : {"L", "RGB"}
        Whether pixels are grey, (h, w), or colours, (h, w, 3).
    """

    files: tuple[str, ...] = field(repr=False)
    paths: tuple[str, ...] = field(repr=False)
    digests: tuple[str, ...] = field(repr=False)
    max_pixels: int
    mode: Literal["L", "RGB"]

    def __call__(self, index: int) -> NDArray[np.uint8]:
        """Return the image at a position of its set, upright, on white, 8 bits a channel.

        Raises
        ------
        InputError
            If the file is not the one that the set was read from, or could not be read then.
        """
        try:
            with open(self.paths[index], "rb") as handle:  # noqa: PTH123 (text survives pickling)
                if hashlib.file_digest(handle, "sha256").hexdigest() != self.digests[index]:
                    raise self._fault(index, "the file has changed since it was read")
                handle.seek(0)
                image = decode(handle, name=self.files[index], max_pixels=self.max_pixels).image
        except (OSError, Unreadable, Oversized) as error:
            raise self._fault(index, f"it cannot be read ({error})") from None
        return np.array(image if image.mode == self.mode else image.convert(self.mode))

    def _fault(self, index: int, what: str) -> InputError:
        return InputError([Fault(self.files[index], what, MEND)])
