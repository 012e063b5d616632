"""Lists of digests as coreutils write them, read strictly: one form, so that any change shows."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

_LINE = re.compile(r"([0-9a-f]{64})  ([A-Za-z0-9._-]+(?:/[A-Za-z0-9._-]+)*)")


@dataclass(frozen=True)
class Listing:
    """What a list of digests says.

    Attributes
    ----------
    digests : mapping of text to text
        Name to SHA-256, from the lines that can be read.
    faults : tuple of str
        What keeps the list from being one that reportgen writes.
    """

    digests: Mapping[str, str]
    faults: tuple[str, ...] = ()


def read_listing(content: bytes) -> Listing:
    """Return what a list of digests says and what is wrong with its form.

    Its form is one line a file, "64 lower-case hexadecimal digits, two blanks, name, line feed",
    sorted by name, no name twice, ASCII. ``sha256sum -c`` takes it; this is stricter.
    """
    faults: list[str] = []
    digests: dict[str, str] = {}
    names: list[str] = []
    for number, line in enumerate(content.decode("latin-1").split("\n")[:-1], start=1):
        parts = _LINE.fullmatch(line)
        if parts is None or ".." in parts[2].split("/"):
            faults.append(f"line {number} is no digest with a name")
            continue
        names.append(parts[2])
        digests.setdefault(parts[2], parts[1])
    if not content.endswith(b"\n"):
        faults.append("it does not end with a line feed" if content else "it is empty")
    if len(digests) < len(names):
        faults.append("it names a file twice")
    if names != sorted(names):
        faults.append("it is not sorted by name")
    return Listing(digests, tuple(faults))
