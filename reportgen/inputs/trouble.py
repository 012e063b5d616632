"""What is wrong inside a file, before it is known where the manifest names it, and wording."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import NamedTuple

from reportgen import wording
from reportgen.errors import Fault, Key
from reportgen.language import _

NAMED = 2
"""Places of one mistake that are named one by one where there are more than three of it."""

MOST_FAULTS = 20
"""Faults that are named for one file or table."""

AS_PLAIN = "save it as UTF-8, with commas between the columns and decimal points"
"""What to do about a table that the manifest has no key for to say how it is written."""


PLURALS = {"line": "lines", "row": "rows", "entry": "entries", "class": "classes"}


class At(NamedTuple):
    """A place that can be counted: line 17, row 16, entry 3, ``annotations[3]``."""

    unit: str
    number: int

    def __str__(self) -> str:
        lined = self.unit in PLURALS
        return f"{self.unit} {self.number}" if lined else f"{self.unit}[{self.number}]"


@dataclass(frozen=True)
class Spot:
    """One mistake in a file.

    Attributes
    ----------
    place : str
        Behind the file's name: ":17", ":17: column 'score'", or "" for the whole file.
    what, mend : str
        As in a Fault.
    key : Key or None
        The key of the manifest it belongs to, where that is another one than the file's.
    count : int
        Mistakes that it stands for.
    """

    place: str
    what: str
    mend: str
    key: Key | None = None
    count: int = 1


@dataclass
class _Kind:
    """The mistakes of one kind: the first as they are, the others as a count and where they end."""

    within: str
    first: list[Spot] = field(default_factory=list)
    start: At | None = None
    end: At | None = None
    count: int = 0

    def add(self, spot: Spot, at: At) -> None:
        self.count += 1
        if len(self.first) <= NAMED:
            self.first.append(spot)
        if self.count > NAMED:
            self.start, self.end = self.start or at, at

    def spots(self) -> list[Spot]:
        if self.count <= NAMED + 1 or self.start is None or self.end is None:
            return self.first
        more = self.count - NAMED
        noun = "rows" if self.start.unit in ("line", "row") else "entries"
        what = f"… and {more} more {noun}, {stretch(self.start, self.end, more)}"
        rest = replace(
            self.first[-1], place=self.within, what=what, mend="mend them likewise", count=more
        )
        return [*self.first[:NAMED], rest]


class FileFaults(Exception):  # noqa: N818 (it carries many)
    """The mistakes found in one file so far; one of a kind takes at most three lines."""

    def __init__(self) -> None:
        super().__init__()
        self._found: list[Spot | _Kind] = []
        self._kinds: dict[tuple[str, str], _Kind] = {}

    @classmethod
    def one(cls, place: str, what: str, mend: str) -> FileFaults:
        """Return the faults of a file that has one."""
        faults = cls()
        faults.add(place, what, mend)
        return faults

    def add(
        self,
        place: str,
        what: str,
        mend: str,
        *,
        kind: tuple[str, str] | None = None,
        at: At | None = None,
        key: Key | None = None,
    ) -> None:
        """Note a mistake.

        Parameters
        ----------
        place, what, mend, key
            As in `Spot`.
        kind : (text, text), optional
            The place that all mistakes of its kind share, such as ": column 'score'", and a name of
            the kind; of these the first are named and the others counted, given `at`.
        at : At, optional
            Where among them it is; they come in ascending order.
        """
        spot = Spot(place, what, mend, key)
        if kind is None or at is None:
            self._found.append(spot)
            return
        if kind not in self._kinds:
            self._kinds[kind] = _Kind(kind[0])
            self._found.append(self._kinds[kind])
        self._kinds[kind].add(spot, at)

    def names(self, kind: tuple[str, str]) -> bool:
        """Return whether one more mistake of a kind would be named and not only counted."""
        return kind not in self._kinds or self._kinds[kind].count <= NAMED

    @property
    def spots(self) -> list[Spot]:
        """The mistakes, those of one kind together."""
        each = ([one] if isinstance(one, Spot) else one.spots() for one in self._found)
        return [spot for spots in each for spot in spots]

    def __bool__(self) -> bool:
        return bool(self._found)

    def raise_if_any(self) -> None:
        """Raise itself if a mistake was noted."""
        if self._found:
            raise self


def stretch(start: At, end: At, count: int) -> str:
    """Return where `count` places are: ``in lines 5–1001`` if all between are among them."""
    if count == 1:
        return f"in {start}"
    if start.unit != end.unit or end.number - start.number + 1 > count:
        return f"between {start} and {end}"
    numbers = f"{start.number}–{end.number}"
    many = PLURALS.get(start.unit)
    return f"in {many} {numbers}" if many else f"in {start.unit}[{numbers}]"


def capped(faults: Sequence[Fault], path: str) -> list[Fault]:
    """Return at most twenty faults of a file, and one that counts the mistakes of the others."""
    kept = list(faults[:MOST_FAULTS])
    count = sum(fault.count for fault in faults[MOST_FAULTS:])
    if count:
        mend = "mend the ones above, then check again"
        kept.append(Fault(path, counted(count, "more fault"), mend, kept[-1].key, count))
    return kept


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
