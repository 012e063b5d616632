"""YAML text to a sound `Manifest`, or every fault with its file and line."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from pydantic import ValidationError

from reportgen.errors import Fault, Key, KeyFault, ManifestError
from reportgen.manifest import Manifest, ManifestSettings, line_of, place
from reportgen.manifest_file.checks import check_files, check_sections, check_tables
from reportgen.manifest_file.criteria import check_criteria
from reportgen.manifest_file.overrides import apply_overrides
from reportgen.manifest_file.parts import Parts, sound_parts
from reportgen.manifest_file.source import Source, parse, read_text
from reportgen.manifest_file.wording import word

__all__ = ["Draft", "draft_manifest", "load_manifest"]


@dataclass(frozen=True)
class Draft:
    """A manifest as far as it holds up.

    Attributes
    ----------
    path, text, overrides, allow_outside, lines, overridden
        As in `Manifest`.
    settings : ManifestSettings or None
        What it says; None if it has faults.
    faults : tuple of Fault
        In the order of their lines.
    parts : Parts
        What of it can be used whatever is wrong with the rest.
    """

    path: Path
    text: str
    overrides: tuple[tuple[str, str], ...]
    allow_outside: bool
    lines: Mapping[Key, int]
    overridden: Mapping[Key, str]
    settings: ManifestSettings | None
    faults: tuple[Fault, ...]
    parts: Parts

    def manifest(self) -> Manifest:
        """Return the sound manifest.

        Raises
        ------
        ManifestError
            With all faults, if there are any.
        """
        if self.faults or self.settings is None:
            raise ManifestError(self.faults)
        return Manifest(
            self.settings,
            self.path,
            self.text,
            self.overrides,
            self.allow_outside,
            lines=self.lines,
            overridden=self.overridden,
        )

    def where(self, key: Key) -> str:
        """Return the place of `key` as people read it."""
        return place(key, file=str(self.path), lines=self.lines, overridden=self.overridden)

    def line(self, key: Key | None) -> float:
        """Return the line of `key`, by which faults are put in order; see `line_of`."""
        return line_of(key, lines=self.lines, overridden=self.overridden)


def load_manifest(
    path: Path | str, *, overrides: Iterable[tuple[str, str]] = (), allow_outside: bool = False
) -> Manifest:
    """Read a manifest file.

    Parameters
    ----------
    path : path
        The YAML file.
    overrides : iterable of (key, value)
        What ``--set KEY=VALUE`` gave; a key is a dotted path such as ``sections[0].threshold``,
        a value is read as YAML.
    allow_outside : bool
        Whether paths may leave the manifest's folder.

    Returns
    -------
    Manifest
        Sound in itself: every key known and of the right type, every table, section and file
        that it names there. The files have not been read.

    Raises
    ------
    ManifestError
        With all faults, in the order of their lines.
    """
    return draft_manifest(path, overrides=overrides, allow_outside=allow_outside).manifest()


def draft_manifest(
    path: Path | str, *, overrides: Iterable[tuple[str, str]] = (), allow_outside: bool = False
) -> Draft:
    """Read a manifest file that may have faults; parameters are those of `load_manifest`.

    Raises
    ------
    ManifestError
        If it cannot be read as one mapping of plain data.
    """
    path = Path(path)
    overrides = tuple(overrides)
    text = read_text(path)
    source = parse(text, str(path))
    _require_mapping(source, path)
    overridden, refused = apply_overrides(source, overrides)
    settings, faults = _check(source, path.parent, allow_outside)
    parts = sound_parts(source.data, [fault.key for fault in faults])
    placed = [*refused, *(_placed(fault, source.lines, overridden, path) for fault in faults)]
    placed.sort(key=lambda fault: line_of(fault.key, lines=source.lines, overridden=overridden))
    return Draft(
        path,
        text,
        overrides,
        allow_outside,
        source.lines,
        overridden,
        settings=settings,
        faults=tuple(placed),
        parts=parts,
    )


def _check(
    source: Source, folder: Path, allow_outside: bool
) -> tuple[ManifestSettings | None, list[KeyFault]]:
    """Return the settings and everything that is wrong with the manifest itself."""
    faults = list(source.faults)
    settings, wrong = _validate(source)
    faults += [fault for fault in wrong if fault.key not in {known.key for known in faults}]
    faults += check_tables(source.data, [fault.key for fault in faults])
    faults += check_sections(source.data, [fault.key for fault in faults])
    faults += check_criteria(source.data, [fault.key for fault in faults])
    faults += check_files(source.data, folder, allow_outside)
    return settings, faults


def _require_mapping(source: Source, path: Path) -> None:
    if isinstance(source.data, dict):
        return
    where = f"{path}:{source.lines.get((), 1)}"
    if source.data is None:
        what, mend = "the manifest is empty", "write one with `reportgen init DIR`"
    else:
        met = "a list" if isinstance(source.data, list) else "a single value"
        what, mend = f"{met} stands at the top", "start with the key `reportgen: 1`"
    raise ManifestError([Fault(where, what, mend)])


def _validate(source: Source) -> tuple[ManifestSettings | None, list[KeyFault]]:
    # JSON mode is what makes strict types mean YAML's types: a list is a list, 1 is a number.
    try:
        return ManifestSettings.model_validate_json(json.dumps(source.data)), []
    except ValidationError as error:
        return None, list(word(error, source.data, source.typed, ManifestSettings))


def _placed(
    fault: KeyFault, lines: Mapping[Key, int], overridden: Mapping[Key, str], path: Path
) -> Fault:
    where = place(fault.key, file=str(path), lines=lines, overridden=overridden)
    return Fault(where, fault.what, fault.mend, fault.key, fault.count)
