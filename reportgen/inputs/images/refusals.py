"""Why a file is not decoded: carried from where it is found to where it is counted."""

from __future__ import annotations

from typing import Any

from reportgen.language import _, mark


class Refusal(Exception):  # noqa: N818 (no fault of the request)
    """A file that is not decoded, with a message and the values in it.

    Files are read in threads, which know no language: as text it is English, and `told` puts it
    into the language of whoever asks.

    Parameters
    ----------
    message : str
        Marked where it is written.
    **values
        What stands in it, by name.
    """

    def __init__(self, message: str, **values: Any) -> None:
        super().__init__(message.format(**values))
        self.message, self.values = message, values

    def told(self) -> str:
        """Return why, in the current language."""
        return _(self.message).format(**self.values)


class Unreadable(Refusal):
    """A file that cannot be decoded; says why."""


class Oversized(Refusal):
    """An image with more pixels than are allowed; says how many."""


def refuse_oversized(size: tuple[int, int], max_pixels: int) -> None:
    """Raise Oversized if width × height is above the limit."""
    width, height = size
    if width * height > max_pixels:
        raise Oversized(
            mark("{width} × {height} = {n:,} pixels, above the limit of {most:,} (max_pixels)"),
            width=width,
            height=height,
            n=width * height,
            most=max_pixels,
        )
