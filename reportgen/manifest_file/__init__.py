"""YAML text to a sound `Manifest`, or every fault with its file and line."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from reportgen.manifest import Manifest


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

    Raises
    ------
    ManifestError
        With all faults, in the order of their lines.
    """
    raise NotImplementedError
