"""Names that may be spellings of a known one, as hints; nothing is taken to be the same."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from reportgen.errors import nearest
from reportgen.inputs.spelling import variants
from reportgen.language import _
from reportgen.wording import quoted

MOST_NAMED = 5
"""Names that a sentence lists."""


def near_names(loose: Sequence[str], known: Iterable[str]) -> Mapping[str, str]:
    """Return for each of the `loose` names that has one the known name it may be a spelling of.

    Spellings as for groups, numbers that differ in leading zeros, and for names that are no numbers
    the nearest by letters.
    """
    there = list(known)
    numbers = {name.lstrip("0") or "0": name for name in there if name.isdecimal()}
    spelt = {one: spellings for spellings in variants([*loose, *there]) for one in spellings}
    held = set(there)
    found: dict[str, str] = {}
    for at, name in enumerate(loose):
        alike = next((one for one in spelt.get(name, ()) if one in held), None)
        if alike is None and name.isdecimal():
            alike = numbers.get(name.lstrip("0") or "0")
        elif alike is None and at < MOST_NAMED:  # looking among many names takes long
            alike = nearest(name, there)
        if alike is not None:
            found[name] = alike
    return found


def with_nearest(names: Sequence[str], near: Mapping[str, str]) -> list[str]:
    """Return names quoted, each with the known one that it may be: “a” (perhaps “A”)."""
    text = _("{name} (perhaps {near})")
    return [
        text.format(name=quoted(name), near=quoted(near[name])) if name in near else quoted(name)
        for name in names
    ]
