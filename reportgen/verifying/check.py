"""What a verification says: checks, each with a state, and the answer."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

State = Literal["good", "bad", "not checked"]
WORDS: dict[State, str] = {"good": "good", "bad": "BAD", "not checked": "not checked"}


@dataclass(frozen=True)
class Check:
    """One thing that was looked at.

    Attributes
    ----------
    name : str
        What was asked: "digests", "pages", "seal", "input tables.test".
    state : {"good", "bad", "not checked"}
        The answer. "not checked" is no fault: `detail` says why it could not be told.
    file : str or None
        The file that is bad, by its name in the folder. Of a good check, the file that it vouches
        for in every byte. None where a check is of no single file.
    detail : str
        What was found, or why it could not be checked.
    """

    name: str
    state: State
    file: str | None
    detail: str

    def __str__(self) -> str:
        place = f": {self.file}" if self.file else ""
        joint = ", because " if self.state == "not checked" else ": "
        return f"{WORDS[self.state]}: {self.name}{place}{joint}{self.detail}"

    def plain(self) -> dict[str, Any]:
        """Return the check as plain data."""
        return {"name": self.name, "state": self.state, "file": self.file, "detail": self.detail}


def good(name: str, detail: str, file: str | None = None) -> Check:
    """Return a check that came out well."""
    return Check(name, "good", file, readable(detail))


def bad(name: str, file: str, detail: str) -> Check:
    """Return a check that names a bad file."""
    return Check(name, "bad", readable(file), readable(detail))


def unchecked(name: str, because: str, file: str | None = None) -> Check:
    """Return a check that could not be made."""
    return Check(name, "not checked", file and readable(file), readable(because))


def readable(text: str) -> str:
    """Return text that can be written anywhere: bytes of a name that are no UTF-8 are escaped."""
    return text.encode("utf-8", "backslashreplace").decode("utf-8")


@dataclass(frozen=True)
class Verification:
    """What was found about one dossier.

    Attributes
    ----------
    path : Path
        The folder or the archive.
    checks : tuple of Check
        In the order in which they were made.
    """

    path: Path
    checks: tuple[Check, ...]

    @property
    def good(self) -> bool:
        """Whether nothing is bad; what was not checked is not counted."""
        return not any(one.state == "bad" for one in self.checks)

    @property
    def bad_files(self) -> list[str]:
        """The files that are bad, each once, sorted."""
        return sorted({one.file for one in self.checks if one.state == "bad" and one.file})

    @property
    def answer(self) -> str:
        """The whole in one line."""
        left = sum(one.state == "not checked" for one in self.checks)
        rest = f"; not checked: {left}" if left else ""
        if self.good:
            return f"good: {self.path}{rest}"
        files = self.bad_files
        count = f"{len(files)} file{'' if len(files) == 1 else 's'}"
        return f"BAD: {self.path}: {count}: {', '.join(files)}{rest}"

    def plain(self) -> dict[str, Any]:
        """Return the whole as plain data."""
        return {
            "schema": "reportgen/verification/1",
            "path": readable(str(self.path)),
            "good": self.good,
            "bad_files": self.bad_files,
            "checks": [one.plain() for one in self.checks],
        }


def bad_names(checks: Sequence[Check]) -> frozenset[str]:
    """Return the names of the files that checks found bad."""
    return frozenset(one.file for one in checks if one.state == "bad" and one.file)
