"""One of the two dossiers: its results, its manifest, and its tables where they are at hand."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from reportgen.errors import InputError, ManifestError, key_text
from reportgen.inputs import Table, TableSettings
from reportgen.inputs.beside import Finder, read_converted
from reportgen.language import _
from reportgen.manifest_file.overrides import apply_overrides
from reportgen.manifest_file.source import parse
from reportgen.release.fingerprint import sha256_of_file
from reportgen.release.record import MANIFEST

Plain = Mapping[str, Any]


@dataclass(frozen=True)
class Side:
    """A dossier to be compared.

    Attributes
    ----------
    data : mapping
        results.json.
    manifest : bytes or None
        manifest.yaml; None if it is not there.
    folders : tuple of Path
        Where its inputs may be, in the order in which they are looked for. A file counts as an
        input only if it has the digest that the results record.
    """

    data: Plain
    manifest: bytes | None
    folders: tuple[Path, ...]


@dataclass(frozen=True)
class AtHand:
    """A table of a dossier, read again.

    Attributes
    ----------
    table : Table
    keys : list of str or None
        Row ids, "" where missing; None if none are declared.
    sha256 : str
        Of the file.
    """

    table: Table
    keys: list[str] | None
    sha256: str


def table_at_hand(side: Side, name: str) -> AtHand | str:
    """Return a table of a dossier, read from the very file that it was made from, or why not.

    Parameters
    ----------
    side : Side
    name : str
        The table's name in the manifest.
    """
    settings = _settings(side, name)
    if isinstance(settings, str):
        return settings
    found = _file(side, f"tables.{name}", settings.path)
    if isinstance(found, str):
        return found
    folder, digest = found
    finder = Finder(folder, key_text, allow_outside=True)  # its digest has opened the door already
    try:
        table, converter, _digest = read_converted(name, settings, finder, ("tables", name))
    except InputError:
        return _("{path} can no longer be read as its manifest declares it").format(
            path=settings.path
        )
    return AtHand(table, converter.keys(), digest)


def _settings(side: Side, name: str) -> TableSettings | str:
    """Return how a dossier's manifest declares a table, with what the command line put over it."""
    if side.manifest is None:
        return _("its manifest.yaml is missing")
    overrides = [(one["key"], one["value"]) for one in side.data["dossier"]["overrides"]]
    try:
        source = parse(side.manifest.decode(), MANIFEST)
        apply_overrides(source, overrides)
        return TableSettings.model_validate_json(json.dumps(source.data["tables"][name]))
    except (ManifestError, ValidationError, UnicodeDecodeError, KeyError, TypeError):
        return _("its manifest.yaml is not as this version reads one")


def _file(side: Side, record: str, path: str) -> tuple[Path, str] | str:
    """Return the folder from which `path` leads to the recorded file, and the file's digest."""
    recorded = next((one for one in side.data["inputs"] if one["name"] == record), None)
    if recorded is None:
        return _("{path} is not among its recorded inputs").format(path=path)
    other = False
    for folder in side.folders:
        try:
            file = folder / path
            if not file.is_file() or file.stat().st_size != recorded["bytes"]:
                other = other or file.exists()
            elif sha256_of_file(file) == recorded["sha256"]:
                return folder, str(recorded["sha256"])
            else:
                other = True
        except (OSError, ValueError):
            continue
    if other:
        return _("{path} is there with another content than was recorded").format(path=path)
    return _("{path} is not at hand").format(path=path)


def folders_above(dossier: Path) -> tuple[Path, ...]:
    """Return the folders above a dossier, the nearest first."""
    return tuple(dossier.resolve().parents)
