"""What is wrong inside a file, before it is known where the manifest names it, and wording."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from reportgen import wording
from reportgen.language import _


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


def counted(count: int, noun: str) -> str:
    """Return a count with its noun: ``1 row``, ``2 rows``."""
    return f"{count} {noun}" + ("" if count == 1 else "s")


def few(names: Sequence[str], most: int = 5) -> str:
    """Return the first names, quoted, and how many more there are."""
    listed = ", ".join(repr(name) for name in names[:most])
    return listed + (f" and {len(names) - most} more" if len(names) > most else "")


def some(names: Sequence[str], most: int = 5) -> str:
    """Return what `few` does in the language of the dossier, for notes; faults stay English."""
    listed = wording.separated(map(repr, names[:most]))
    if len(names) <= most:
        return listed
    return _("{names} and {n} more").format(names=listed, n=len(names) - most)
