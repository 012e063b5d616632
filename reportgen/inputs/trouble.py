"""What is wrong inside a file, before it is known where the manifest names that file."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Spot:
    """One mistake in a file.

    Attributes
    ----------
    place : str
        Behind the file's name: ":17", ":17: column 'score'", or "" for the whole file.
    what, mend : str
        As in a Fault.
    """

    place: str
    what: str
    mend: str


class FileFaults(Exception):  # noqa: N818 (it carries many)
    """The mistakes found in one file so far."""

    def __init__(self) -> None:
        super().__init__()
        self.spots: list[Spot] = []

    @classmethod
    def one(cls, place: str, what: str, mend: str) -> FileFaults:
        """Return the faults of a file that has one."""
        faults = cls()
        faults.add(place, what, mend)
        return faults

    def add(self, place: str, what: str, mend: str) -> None:
        """Note a mistake."""
        self.spots.append(Spot(place, what, mend))

    def __bool__(self) -> bool:
        return bool(self.spots)

    def raise_if_any(self) -> None:
        """Raise itself if a mistake was noted."""
        if self.spots:
            raise self
