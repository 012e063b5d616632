"""What can go wrong, as data: a fault says where, what and how to mend it.

Faults are found in one place, worded here and printed by the command line. Nothing in this module
knows of click, of exit codes or of any other module.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from difflib import get_close_matches

Key = tuple[str | int, ...]
"""The path of a value in the manifest, such as ``("sections", 0, "thresholds", "from")``."""

MOST_SEARCHED, LONGEST_SEARCHED = 10_000, 1_000


@dataclass(frozen=True)
class Fault:
    """One mistake in the request or its inputs.

    Attributes
    ----------
    where : str
        The place as a reader can find it: ``manifest.yaml:12: sections[0].table`` or
        ``test.csv:17: column 'score'``.
    what : str
        What is wrong there, with the value that was met.
    mend : str
        What to do about it.
    key : Key or None
        The manifest key it belongs to, if any: faults are listed in the order of their lines.
    count : int
        Mistakes that it stands for, where it counts some that are not named one by one.
    """

    where: str
    what: str
    mend: str
    key: Key | None = field(default=None, compare=False)
    count: int = field(default=1, compare=False)

    def __str__(self) -> str:
        return f"{self.where}: {self.what}; {self.mend}"


@dataclass(frozen=True)
class KeyFault:
    """A fault known by its manifest key; `manifest_file` adds the file and the line.

    A section gives keys relative to itself; one with `absolute` counts from the manifest's top, for
    a mistake that a section finds where another block makes it. `count` is that of a `Fault`.
    """

    key: Key
    what: str
    mend: str
    absolute: bool = False
    count: int = 1

    def below(self, *prefix: str | int) -> KeyFault:
        """Return the same fault with `prefix` put before its key, unless that is absolute."""
        return self if self.absolute else replace(self, key=(*prefix, *self.key))


class ReportgenError(Exception):
    """Something the user must know, carried as one or more faults.

    Parameters
    ----------
    faults : iterable of Fault
        At least one; printed one a line, in this order.
    """

    def __init__(self, faults: Iterable[Fault]) -> None:
        self.faults: tuple[Fault, ...] = tuple(faults)
        super().__init__("\n".join(map(str, self.faults)))

    def __reduce__(self) -> tuple[type[ReportgenError], tuple[tuple[Fault, ...]]]:
        return type(self), (self.faults,)


class RequestError(ReportgenError):
    """The request or one of its inputs is wrong: nothing has been written."""


class ManifestError(RequestError):
    """The manifest cannot be used as it is."""


class InputError(RequestError):
    """A data file cannot be used as it is."""


class MissingSoftwareError(ReportgenError):
    """A library of the machine is missing (Pango, say); the fault's `mend` installs it."""


def key_text(key: Key) -> str:
    """Return a key as people write it: ``sections[0].thresholds.from``."""
    text = ""
    for part in key:
        text += f"[{part}]" if isinstance(part, int) else f".{part}" if text else str(part)
    return text


def nearest(word: str, known: Sequence[str]) -> str | None:
    """Return the name among `known` that `word` was most likely meant to be, if any is close."""
    # Comparing takes a time that grows with both: a table of millions of columns is not searched.
    searched = known if len(known) <= MOST_SEARCHED and len(word) <= LONGEST_SEARCHED else ()
    close = get_close_matches(word, searched, n=1, cutoff=0.6)
    if close:
        return close[0]
    folded = {name.casefold(): name for name in known}
    return folded.get(word.strip().casefold())


def choose_from(known: Iterable[str], word: str = "") -> str:
    """Return the mending half of a fault about a name: the nearest one, then all there are."""
    names = sorted(known, key=in_order)
    guess = nearest(word, names)
    listed = ", ".join(names[:20]) + (" …" if len(names) > 20 else "")
    hint = f"did you mean {guess!r}? " if guess else ""
    return f"{hint}known here: {listed or 'none'}"


def in_order(name: str) -> tuple[bool, int, str]:
    """Return what sorts whole numbers by size, before all else by letter: 3, 5, 11, a."""
    number = name.isdecimal()
    return not number, len(name) if number else 0, name


def unknown_name(kind: str, name: str, known: Iterable[str], *, key: Key) -> KeyFault:
    """Return the fault of a name that nothing of that kind has: "no table is called 'tset'"."""
    return KeyFault(key, f"no {kind} is called {name!r}", choose_from(known, name))
