"""What two dossiers were made from: their inputs, the lines of their manifests, their software."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from reportgen import wording
from reportgen.comparison.shape import InputChange, ManifestChange, PackageChange

Plain = Mapping[str, Any]
BASE = "compare_to"
"""Name of the input that is the older dossier itself; it is compared with nothing."""
UNSAID = ("date", "digest", "revision", "overrides", "sections_left_out", "model")
"""Keys of ``dossier`` that are no lines of the manifest, or are told apart."""


def input_changes(old: Plain, new: Plain) -> list[InputChange]:
    """Return every input of two results.json, in the order of the newer, then what it lacks."""
    before, after = _inputs(old), _inputs(new)
    names = [*after, *(name for name in before if name not in after)]
    return [_input(name, before.get(name), after.get(name)) for name in names]


def _inputs(data: Plain) -> dict[str, Plain]:
    return {one["name"]: one for one in data["inputs"] if one["name"] != BASE}


def _input(name: str, old: Plain | None, new: Plain | None) -> InputChange:
    before, after = (None if one is None else one["sha256"] for one in (old, new))
    rows = [None if one is None else one.get("rows") for one in (old, new)]
    if before is None or after is None:
        return InputChange(name, "new" if before is None else "gone", before, after, *rows)
    return InputChange(name, "same" if before == after else "changed", before, after, *rows)


def manifest_changes(old: Plain, new: Plain) -> list[ManifestChange]:
    """Return the lines of the manifest that differ between two results.json, by their keys.

    They are the settings as they were used: with the defaults of what the manifest left open and
    with what the command line put over it.
    """
    before, after = dict(_lines(old)), dict(_lines(new))
    names = [*after, *(name for name in before if name not in after)]
    return [
        ManifestChange(name, before.get(name), after.get(name))
        for name in names
        if before.get(name) != after.get(name)
    ]


def _lines(data: Plain) -> Iterator[tuple[str, str | float | bool]]:
    cover = {key: value for key, value in data["dossier"].items() if key not in UNSAID}
    yield from _flat("dossier", cover)
    yield from _flat("model", data["dossier"]["model"])
    yield from _flat("defaults", data["defaults"])
    for section in data["sections"]:
        yield from _flat(f"sections.{section['id']}", section["parameters"])
    for row in data.get("criteria", ()):
        stated = ("metric", "section", "selectors", "direction", "bound", "bound_on", "source")
        yield from _flat(f"criteria.{row['id']}", {key: row[key] for key in stated})
    for one in data["dossier"]["overrides"]:
        yield f"--set {one['key']}", str(one["value"])


def _flat(key: str, value: Any) -> Iterator[tuple[str, str | float | bool]]:
    if isinstance(value, Mapping) and value:
        for name, item in value.items():
            yield from _flat(f"{key}.{name}", item)
    elif isinstance(value, list) and any(isinstance(item, list | Mapping) for item in value):
        for at, item in enumerate(value):
            yield from _flat(f"{key}[{at}]", item)
    elif isinstance(value, list | Mapping):
        yield key, wording.separated(map(_text, value))
    else:
        yield key, value if isinstance(value, str | bool | int | float) else _text(value)


def _text(value: Any) -> str:
    if value is None or isinstance(value, bool):
        return {None: "null", True: "true", False: "false"}[value]
    return wording.typed(value) if isinstance(value, int | float) else str(value)


def package_changes(old: Plain, new: Plain) -> list[PackageChange]:
    """Return the software that has another version, or is in one dossier alone, by name."""
    before, after = _versions(old), _versions(new)
    return [
        PackageChange(name, before.get(name), after.get(name))
        for name in [*after, *(name for name in before if name not in after)]
        if before.get(name) != after.get(name)
    ]


def _versions(data: Plain) -> dict[str, str]:
    used = data["environment"]
    system = {f"{name} (system)": version for name, version in used.get("system", {}).items()}
    head = {name: str(used[name]) for name in ("reportgen", "python", "platform") if name in used}
    return {**head, **used["packages"], **system}
