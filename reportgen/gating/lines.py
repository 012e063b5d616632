"""Where in the manifest each finding belongs: the line of its section, or of its criterion."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from reportgen.criteria import SECTION as CRITERIA
from reportgen.errors import Key, ManifestError
from reportgen.manifest_file.source import Source, parse

PARTS: Mapping[str, Key] = {"run": ("sections",), "comparison": ("compare_to",)}
"""The key of what belongs to no section."""


def section_lines(manifest: str) -> dict[str, int]:
    """Return the line, counted from 1, of each section of a manifest, by its id."""
    source = _read(manifest)
    keys = {**PARTS, **dict(_named(source.data, "sections", "kind"))}
    return {name: source.lines[key] for name, key in keys.items() if key in source.lines}


def finding_lines(manifest: str, data: Mapping[str, Any]) -> dict[str, int]:
    """Return the line, counted from 1, of each finding whose place in the manifest is known.

    Parameters
    ----------
    manifest : str
        Its text; one that cannot be read has no lines.
    data : mapping
        results.json that was made of it.
    """
    source = _read(manifest)
    keys = {
        **PARTS,
        **dict(_named(source.data, "sections", "kind")),
        **_criteria(source.data, data),
    }
    found = {
        one["id"]: source.lines.get(keys.get(one["id"], keys.get(one["section"], ())))
        for one in data["findings"]
    }
    return {name: line for name, line in found.items() if line is not None}


def _read(manifest: str) -> Source:
    """Return what a manifest says, nothing if it cannot be read."""
    try:
        source = parse(manifest, "manifest")
    except ManifestError:
        return Source({})
    return source if isinstance(source.data, Mapping) else Source({})


def _named(manifest: Mapping[str, Any], block: str, default: str = "") -> Iterator[tuple[str, Key]]:
    """Yield the id, or what stands for it, and the key of each entry of a list."""
    entries = manifest.get(block)
    for at, entry in enumerate(entries if isinstance(entries, list) else []):
        if isinstance(entry, Mapping):
            name = entry.get("id") or (entry.get(default) if default else f"criterion-{at + 1}")
            yield str(name), (block, at)


def _criteria(manifest: Mapping[str, Any], data: Mapping[str, Any]) -> dict[str, Key]:
    """Return the key of each finding about a criterion; one entry may have a finding a group."""
    keys = dict(_named(manifest, CRITERIA))
    rows = {row["finding"]: row["id"].split("/")[0] for row in data.get(CRITERIA, ())}
    return {finding: keys[name] for finding, name in rows.items() if name in keys}
