"""YAML text to a sound `Manifest`, or every fault with its file and line."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable
from pathlib import Path

from pydantic import ValidationError

from reportgen.errors import Fault, Key, KeyFault, ManifestError
from reportgen.manifest import Manifest, ManifestSettings, place
from reportgen.manifest_file.checks import check_files, check_sense
from reportgen.manifest_file.overrides import apply_overrides
from reportgen.manifest_file.source import Source, parse, read_text
from reportgen.manifest_file.wording import word

__all__ = ["load_manifest"]


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
    path = Path(path)
    overrides = tuple(overrides)
    text = read_text(path)
    source = parse(text, str(path))
    _require_mapping(source, path)
    replaced = apply_overrides(source, overrides)
    faults = list(source.faults)
    settings, wrong = _validate(source)
    faults += [fault for fault in wrong if fault.key not in {known.key for known in faults}]
    faults += check_sense(source.data, faults)
    faults += check_files(source.data, path.parent, allow_outside)
    if faults or settings is None:
        raise ManifestError(_placed(faults, source, replaced, path))
    return Manifest(
        settings, path, text, overrides, allow_outside, lines=source.lines, overridden=replaced
    )


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
    faults: Iterable[KeyFault], source: Source, replaced: dict[Key, str], path: Path
) -> list[Fault]:
    """Return the faults with file and line, by line; those of overrides come last."""

    def line(fault: KeyFault) -> float:
        for end in range(len(fault.key), 0, -1):
            if fault.key[:end] in replaced:
                return math.inf
            if fault.key[:end] in source.lines:
                return source.lines[fault.key[:end]]
        return 0

    return [
        Fault(
            place(fault.key, file=str(path), lines=source.lines, overridden=replaced),
            fault.what,
            fault.mend,
        )
        for fault in sorted(faults, key=line)
    ]
