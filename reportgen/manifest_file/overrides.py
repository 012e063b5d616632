"""``--set KEY=VALUE``: a value of the manifest replaced from the command line."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

from reportgen.errors import Fault, Key, ManifestError
from reportgen.manifest_file.source import Source, parse

STEP = re.compile(r"\.?([^.\[\]]+)|\[(\d+)\]")


def apply_overrides(
    source: Source, overrides: Iterable[tuple[str, str]]
) -> tuple[dict[Key, str], list[Fault]]:
    """Replace values of `source` in place; return the keys replaced, as typed, and the faults.

    A mapping that is missing on the way is made, and counts as replaced; a list entry must be there
    already. An override whose key leads nowhere or whose value is not YAML is a fault.
    """
    faults: list[Fault] = []
    replaced: dict[Key, str] = {}
    for name, text in overrides:
        try:
            given = _parsed(name, text)
            key, made = _set(source, name, given.data)
        except ManifestError as error:
            faults.extend(error.faults)
            continue
        _forget_below(source, key)
        source.typed.update({(*key, *below): typed for below, typed in given.typed.items()})
        for old in [old for old in replaced if old[: len(key)] == key]:
            del replaced[old]
        replaced |= dict.fromkeys([*made, key], name)
    return replaced, faults


def _parsed(name: str, text: str) -> Source:
    given = parse(text, f"--set {name}")
    if given.faults:
        first = given.faults[0]
        raise ManifestError([Fault(f"--set {name}", first.what, first.mend)])
    return given


def _set(source: Source, name: str, value: Any) -> tuple[Key, list[Key]]:
    """Put a value into its place; return its key and those of the mappings made on the way."""
    steps = [match.group(1) or match.group(2) for match in STEP.finditer(name)]
    if not steps or "".join(m.group(0) for m in STEP.finditer(name)) != name:
        raise _lost(name, "this is no key", "write it as in sections[0].threshold=0.5")
    place: Any = source.data
    key: Key = ()
    made: list[Key] = []
    for position, step in enumerate(steps):
        last = position == len(steps) - 1
        part = _part(place, step, name)
        key = (*key, part)
        if last:
            place[part] = value
        elif isinstance(place, dict) and place.get(part) is None:
            place[part] = {}
            made.append(key)
        if not last:
            place = place[part]
    return key, made


def _part(place: Any, step: str, name: str) -> str | int:
    if isinstance(place, dict):
        return step
    if not isinstance(place, list):
        raise _lost(name, f"{step!r} would lie below a single value", "leave it out")
    if not step.isdecimal() or int(step) >= len(place):
        mend = f"entries run from 0 to {len(place) - 1}" if place else "the list is empty"
        raise _lost(name, f"there is no entry {step!r} in this list", mend)
    return int(step)


def _lost(name: str, what: str, mend: str) -> ManifestError:
    return ManifestError([Fault(f"--set {name}", what, mend)])


def _forget_below(source: Source, key: Key) -> None:
    for known in (source.lines, source.typed):
        for old in [old for old in known if old[: len(key)] == key]:
            del known[old]
    source.faults[:] = [fault for fault in source.faults if fault.key[: len(key)] != key]
