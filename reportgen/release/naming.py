"""Names of folders: a model and its version as path parts, and the numbers of its revisions."""

from __future__ import annotations

import json
import re
import unicodedata
from contextlib import suppress
from pathlib import Path

from reportgen.release.fingerprint import sha256_of

NAME_LENGTH = 80
SUBMISSION_LENGTH = 64
_REVISION = re.compile(r"r([1-9][0-9]*)")
# Windows keeps these names for devices, whatever the ending.
_DEVICE = re.compile(r"(con|prn|aux|nul|com[0-9]|lpt[0-9])(\..*)?", re.IGNORECASE)


def folder_name(name: str) -> str:
    """Return `name` as it can stand in a path: letters, digits, ``.``, ``_`` and ``-``, case kept.

    Never empty, never ``.`` or ``..``, never hidden, at most 80 characters. A name of which nothing
    is left, or that was cut, ends in the start of its digest.
    """
    normal = unicodedata.normalize("NFC", name)
    safe = "".join(c if c.isalnum() or c in "._-" else "-" for c in normal)
    safe = re.sub(r"-{2,}", "-", safe).strip(".-")
    if not safe or len(safe) > NAME_LENGTH or _DEVICE.fullmatch(safe):
        return suffixed(safe or "model", name)
    return safe


def submission_name(model: str, version: str, revision: int) -> str:
    """Return the name of a PDF for an authority: ``<model>-<version>-r<n>.pdf``.

    Only a–z, 0–9 and ``-``, at most 64 characters with the ending (ICH eCTD). Other letters become
    ``-``; a name that had to be cut, or of which nothing is left, holds the start of its digest.
    """
    tail = f"-r{revision}.pdf"
    words = unicodedata.normalize("NFKD", f"{model}-{version}".lower())
    plain = "".join(c for c in words if not unicodedata.combining(c))
    safe = re.sub(r"[^a-z0-9]+", "-", plain).strip("-")
    room = SUBMISSION_LENGTH - len(tail)
    if not safe or len(safe) > room:
        digest = sha256_of(f"{model}\n{version}".encode("utf-8", "surrogatepass"))[:8]
        safe = f"{safe[: room - 9].strip('-') or 'model'}-{digest}"
    return safe + tail


def archive_name(model: str, version: str, revision: int) -> str:
    """Return the name of an archive without its ending: ``<model>-<version>-r<n>``.

    Model and version as they can stand in a path, together at most 80 characters.
    """
    return f"{folder_name(f'{model}-{version}')}-r{revision}"


def suffixed(safe: str, name: str) -> str:
    """Return a folder name that is `name`'s own: `safe` with the start of the name's digest."""
    digest = sha256_of(name.encode("utf-8", "surrogatepass"))[:8]
    return f"{safe[: NAME_LENGTH - 9]}-{digest}"


def home_of(out: Path, model: str, version: str) -> Path:
    """Return the folder that holds the revisions of a model's version, which need not exist.

    Two names that look alike as folder names do not share one: the later one's ends in its digest.
    """
    above = _own_folder(out, model, "name", "*/r*/results.json")
    return _own_folder(above, version, "version", "r*/results.json")


def _own_folder(parent: Path, name: str, key: str, pattern: str) -> Path:
    safe = folder_name(name)
    taken = (_stored_name(path, key) for path in sorted((parent / safe).glob(pattern)))
    clash = any(other is not None and other != name for other in taken)
    return parent / (suffixed(safe, name) if clash else safe)


def _stored_name(results: Path, key: str) -> str | None:
    """Return what a dossier says of its model; None where it cannot be read."""
    with suppress(OSError, ValueError, KeyError, TypeError):
        return str(json.loads(results.read_bytes())["dossier"]["model"][key])
    return None


def revision_of(name: str) -> int:
    """Return the revision whose folder has this name, 0 if it is none's."""
    match = _REVISION.fullmatch(name)
    return int(match[1]) if match else 0


def latest_revision(home: Path) -> int:
    """Return the highest revision number taken in `home`, 0 if there is none."""
    if not home.is_dir():
        return 0
    return max((revision_of(entry.name) for entry in home.iterdir()), default=0)
