"""The names that a section refers to, looked up: inputs, and scores and groups of tables."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from reportgen.errors import Key, KeyFault, choose_from, unknown_name
from reportgen.inputs.columns import made_by_bins
from reportgen.sections import SECTIONS

TABLES = ("table", "unlabelled")
"""Keys of a section that name a table."""

KINDS = {
    "tables": "table",
    "images": "set of images",
    "detections": "set of detections",
    "class_maps": "class map",
    "pipelines": "pipeline",
}
"""What an entry of each block is called."""


def tables_named(value: Any) -> set[str]:
    """Return the tables that a section's settings, as plain data, name at any depth."""
    if isinstance(value, list | tuple):
        return {name for one in value for name in tables_named(one)}
    if not isinstance(value, Mapping):
        return set()
    here = {value[key] for key in TABLES if isinstance(value.get(key), str)}
    return here.union(*map(tables_named, value.values()))


def inputs_named(entry: Any) -> set[tuple[str, str]]:
    """Return block and name of every input that a section, as plain data, names."""
    tables = {("tables", name) for name in tables_named(entry)}
    return tables.union((block, name) for block, _, name in _names(entry))


def _names(entry: Any) -> Iterator[tuple[str, Key, str]]:
    """Yield block, key and name at the keys where a section of this kind names an input."""
    kind = entry.get("kind") if isinstance(entry, Mapping) else None
    section = next((one for one in SECTIONS if one.kind == kind), None)
    for block, keys in section.names.items() if section is not None else ():
        for key in keys:
            value = entry
            for part in key:
                value = value.get(part) if isinstance(value, Mapping) else None
            if isinstance(value, str):
                yield block, key, value


def check_names(
    entry: Any, position: int, data: Mapping[str, Any], wrong: Sequence[Key]
) -> Iterator[KeyFault]:
    """Yield a fault for every input that a section names and the manifest has not.

    Parameters are those of `check_references`; the keys looked at are `Section.names`.
    """
    at_fault = [key[2:] for key in wrong if key[:2] == ("sections", position)]
    for block, key, name in _names(entry):
        known = data.get(block) or {}
        doubtful = not isinstance(known, dict) or key in at_fault
        if not doubtful and name not in known:
            yield unknown_name(KINDS[block], name, known, key=key)


def check_references(
    entry: Any, position: int, data: Mapping[str, Any], wrong: Sequence[Key]
) -> Iterator[KeyFault]:
    """Yield a fault, its key relative to the section, for every name that nothing has.

    A section's own check needs sound settings; this needs none.

    Parameters
    ----------
    entry : Any
        The section as plain data.
    position : int
        Its place in the list.
    data : mapping
        The whole manifest as plain data; its tables are a mapping or absent.
    wrong : sequence of Key
        Keys at fault, which are left alone.
    """
    if not isinstance(entry, dict):
        return
    tables = data.get("tables") or {}
    at_fault = [key[2:] for key in wrong if key[:2] == ("sections", position)]
    for name in TABLES:
        given = entry.get(name)
        if isinstance(given, str) and given not in tables and (name,) not in at_fault:
            yield unknown_name("table", given, tables, key=(name,))
    table = entry.get("table")
    if isinstance(table, str) and isinstance(tables.get(table), dict):
        faulty = {key[2] for key in wrong if key[:2] == ("tables", table) and len(key) > 2}
        sound = {key: value for key, value in tables[table].items() if key not in faulty}
        for kind, known, named in (
            ("score", _scores(sound), _scores_named(entry)),
            ("group", _groups(sound, faulty), _groups_named(entry)),
        ):
            for key, name in named:
                known_fault = any(key[: len(fault)] == fault for fault in at_fault)
                if known and name not in known and not known_fault:
                    what = f"table {table!r} has no {kind} {name!r}"
                    yield KeyFault(key, what, choose_from(known, name))


def _scores(table: Mapping[str, Any]) -> list[str]:
    scores = table.get("scores")
    return list(scores) if isinstance(scores, dict) else []


def _groups(table: Mapping[str, Any], faulty: set[str | int]) -> list[str]:
    """Return the attributes of a table; none where it is in doubt which there are."""
    groups, bins = table.get("groups"), table.get("bins", {})
    if not isinstance(groups, list) or not isinstance(bins, dict) or "bins" in faulty:
        return []
    return [*(name for name in groups if isinstance(name, str)), *made_by_bins(bins)]


def _scores_named(entry: Mapping[str, Any]) -> Iterator[tuple[Key, str]]:
    if isinstance(entry.get("score"), str):
        yield ("score",), entry["score"]
    yield from _listed("scores", entry.get("scores"))
    harm = entry.get("harm")
    yield from ((("harm", name), name) for name in (harm if isinstance(harm, dict) else ()))


def _groups_named(entry: Mapping[str, Any]) -> Iterator[tuple[Key, str]]:
    yield from _listed("groups", entry.get("groups"))
    groups = entry.get("groups")
    for at, parts in enumerate(groups if isinstance(groups, list) else ()):
        yield from ((("groups", *key), name) for key, name in _listed(at, parts))


def _listed(name: str | int, value: Any) -> Iterator[tuple[Key, str]]:
    entries = enumerate(value) if isinstance(value, list) else ()
    yield from (((name, at), one) for at, one in entries if isinstance(one, str))
