"""Why a file is not decoded: carried from where it is found to where it is counted."""

from __future__ import annotations


class Unreadable(Exception):  # noqa: N818 (no fault of the request)
    """A file that cannot be decoded; says why."""


class Oversized(Exception):  # noqa: N818 (no fault of the request)
    """An image with more pixels than are allowed; says how many."""


def refuse_oversized(size: tuple[int, int], max_pixels: int) -> None:
    """Raise Oversized if width × height is above the limit."""
    width, height = size
    if width * height > max_pixels:
        what = f"{width} × {height} = {width * height:,} pixels"
        raise Oversized(f"{what}, above the limit of {max_pixels:,} (max_pixels)")
