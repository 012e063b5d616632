"""Mistakes that no single key shows: names used twice, tables unknown, files missing."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from reportgen.errors import Key, KeyFault
from reportgen.inputs import TableSettings
from reportgen.inputs.checks import check_table
from reportgen.inputs.files import Trouble, find_file
from reportgen.inputs.gathering import BLOCKS, files_named
from reportgen.manifest_file.references import check_names, check_references, tables_named
from reportgen.sections import SECTIONS
from reportgen.settings import SectionSettings

PREVIOUS = "previous"
"""What ``compare_to`` says instead of a path: the latest revision of the same model and version."""
RESULTS = "results.json"
ROLES = frozenset({"label", "scores", "unit", "groups", "features", "scale", "bins"})
"""Keys of a table that the checks of a section may rest on."""


def check_files(data: Mapping[str, Any], folder: Path, allow_outside: bool) -> Iterator[KeyFault]:
    """Yield a fault for every file that is not there or lies where it must not."""
    for key, given in _paths(data):
        found = find_file(given, folder=folder, allow_outside=allow_outside)
        if isinstance(found, Trouble):
            yield KeyFault(key, found.what, found.mend)


def _paths(data: Mapping[str, Any]) -> Iterator[tuple[Key, str]]:
    plan = data.get("plan")
    if isinstance(plan, dict) and isinstance(plan.get("path"), str):
        yield ("plan", "path"), plan["path"]
    yield from _compared(data.get("compare_to"))
    tables = data.get("tables")
    for name, table in tables.items() if isinstance(tables, dict) else ():
        if isinstance(table, dict):
            yield from _paths_below(("tables", name), table)
    for block in BLOCKS:
        entries = data.get(block)
        for name, entry in entries.items() if isinstance(entries, dict) else ():
            for key, given in files_named(block, entry) if isinstance(entry, dict) else ():
                yield (block, name, *key), given


def _compared(given: Any) -> Iterator[tuple[Key, str]]:
    """Yield the results of the earlier dossier that the manifest names by its path."""
    if isinstance(given, str) and given != PREVIOUS:
        yield ("compare_to",), results_path(given)
    elif isinstance(given, dict) and isinstance(given.get("path"), str):
        yield ("compare_to", "path"), results_path(given["path"])


def results_path(given: str) -> str:
    """Return the path of a dossier's results, given that of its folder or of the results."""
    if not given or given.split("/")[-1] == RESULTS:
        return given
    return f"{given.rstrip('/')}/{RESULTS}"


def _paths_below(key: Key, table: Mapping[str, Any]) -> Iterator[tuple[Key, str]]:
    """Yield the files of a table: its own, that of its features, those of its training set."""
    if isinstance(table.get("path"), str):
        yield (*key, "path"), table["path"]
    for name in ("features", "train"):
        if isinstance(table.get(name), dict):
            yield from _paths_below((*key, name), table[name])


def check_tables(data: Mapping[str, Any], wrong: Sequence[Key]) -> Iterator[KeyFault]:
    """Yield what the sound keys of a table say together that cannot be.

    Parameters
    ----------
    data : mapping
        The plain data.
    wrong : sequence of Key
        Keys that are known to be at fault; nothing rests on them, so that one mistake is not
        reported twice.
    """
    for name, table in _sound_tables(data, wrong)[0].items():
        for fault in check_table(table):
            if not covers(wrong, ("tables", name, *fault.key)):
                yield fault.below("tables", name)


def check_sections(data: Mapping[str, Any], wrong: Sequence[Key]) -> Iterator[KeyFault]:
    """Yield the same of the sections, with the inputs that they name.

    Where a section or its table has faults already, the names it refers to are still looked up.
    """
    yield from _twice(data)
    unknown: set[Key] = set()
    for position, entry in enumerate(_entries(data)):
        for fault in check_names(entry, position, data, wrong):
            placed = fault.below("sections", position)
            unknown.add(placed.key)
            yield placed
    if "tables" in data and not isinstance(data["tables"], dict):
        return
    tables, broken = _sound_tables(data, wrong)
    seen: list[KeyFault] = []
    for position, entry in enumerate(_entries(data)):
        settings = sound_section(entry, position, wrong)
        if settings is None or broken & tables_named(settings.model_dump()):
            found: Iterable[KeyFault] = check_references(entry, position, data, wrong)
        else:
            section = next(s for s in SECTIONS if s.kind == settings.kind)
            found = section.check(settings, tables)
        for fault in found:
            placed = fault.below("sections", position)
            # Two sections may find one mistake of a table, and a section an unknown name.
            if placed not in seen and placed.key not in unknown:
                seen.append(placed)
                yield placed


def _entries(data: Mapping[str, Any]) -> list[Any]:
    given = data.get("sections")
    return given if isinstance(given, list) else []


def covers(wrong: Iterable[Key], key: Key) -> bool:
    """Return whether a key or one of its parents is among those at fault."""
    return any(key[: len(known)] == known for known in wrong)


def touches(wrong: Iterable[Key], key: Key) -> bool:
    """Return whether a key, one of its parents or anything below it is among those at fault."""
    return any(key[: len(known)] == known[: len(key)] for known in wrong)


def _sound_tables(
    data: Mapping[str, Any], wrong: Sequence[Key]
) -> tuple[dict[str, TableSettings], set[str]]:
    """Return the tables that hold up without their faulty keys, and the names of those in doubt."""
    given = data.get("tables")
    tables: dict[str, TableSettings] = {}
    broken: set[str] = set()
    for name, table in given.items() if isinstance(given, dict) else ():
        faulty = {key[2] for key in wrong if key[:2] == ("tables", name) and len(key) > 2}
        try:
            kept = {key: value for key, value in table.items() if key not in faulty}
            kept.setdefault("path", "")  # whether it is there is not asked here
            tables[name] = TableSettings.model_validate_json(json.dumps(kept))
        except (AttributeError, ValidationError):
            broken.add(name)
        if faulty & ROLES:
            broken.add(name)
    return tables, broken


def sound_section(entry: Any, position: int, wrong: Iterable[Key]) -> SectionSettings | None:
    """Return the settings of a section, or None if one of its keys is at fault."""
    kinds = {section.kind: section.settings for section in SECTIONS}
    if touches(wrong, ("sections", position)):
        return None
    if not isinstance(entry, dict) or entry.get("kind") not in list(kinds):
        return None
    return kinds[entry["kind"]].model_validate_json(json.dumps(entry))


def _twice(data: Mapping[str, Any]) -> Iterator[KeyFault]:
    seen: dict[str, int] = {}
    for position, entry in enumerate(_entries(data)):
        name = entry.get("id", entry.get("kind")) if isinstance(entry, dict) else None
        if not isinstance(name, str):
            continue
        if name in seen:
            key: Key = ("sections", position, "id" if "id" in entry else "kind")
            what = f"sections[{seen[name]}] is called {name!r} already"
            yield KeyFault(key, what, "give this section an id of its own")
        seen.setdefault(name, position)
