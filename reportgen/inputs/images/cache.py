"""Descriptions of images kept from run to run, by the digest of the file: a help, never a need.

What is broken, locked, foreign or of another definition is passed over as if it were not there, so
the cache changes how long a run takes and no figure.
"""

from __future__ import annotations

import hashlib
import json
import os
import sqlite3
import sys
from collections.abc import Collection, Iterator, Mapping
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass, field
from importlib import metadata
from itertools import islice
from pathlib import Path

import PIL
from PIL import features

VARIABLE = "REPORTGEN_CACHE"
DEFINITION = 2
"""Raised whenever decoding or thumbnails change what they give."""
FILE = "images.sqlite"
AT_ONCE = 500
PATIENCE = 2.0
"""Seconds to wait for another run that writes."""
TABLE = """CREATE TABLE IF NOT EXISTS described (
    file TEXT, definition TEXT, content BLOB, digest TEXT, PRIMARY KEY (file, definition)
) WITHOUT ROWID"""


@dataclass(frozen=True)
class Description:
    """What a run needs of an image: all but its pixels.

    Attributes
    ----------
    width, height : int
        Upright, in pixels.
    pixel_digest : str
    conversions : tuple of str
    visible : bool
        As in `Decoded`.
    grey32, grey64 : bytes
        The thumbnails, row by row.
    """

    width: int
    height: int
    pixel_digest: str
    conversions: tuple[str, ...]
    visible: bool
    grey32: bytes = field(repr=False)
    grey64: bytes = field(repr=False)


@dataclass(frozen=True)
class Cache:
    """One SQLite file; None keeps nothing.

    Attributes
    ----------
    file : pathlib.Path or None
    definition : str
        What made the descriptions; those made otherwise are not seen.
    """

    file: Path | None
    definition: str

    def known(self, digests: Collection[str]) -> dict[str, Description]:
        """Return the descriptions of those files that the cache knows, by digest."""
        found: dict[str, Description] = {}
        if self.file is None or not self.file.is_file():
            return found
        with suppress(sqlite3.Error, OSError), self._open() as base:
            remaining = iter(digests)
            while some := list(islice(remaining, AT_ONCE)):
                marks = ",".join("?" * len(some))
                query = f"SELECT file, content, digest FROM described WHERE definition = ? AND file IN ({marks})"  # noqa: S608, E501 (marks alone)
                for key, content, digest in base.execute(query, (self.definition, *some)):
                    described = self._unpacked(key, content, digest)
                    if described is not None:
                        found[key] = described
        return found

    def keep(self, described: Mapping[str, Description]) -> None:
        """Add descriptions, all or none; do nothing if that cannot be done."""
        if self.file is None or not described:
            return
        rows = [(key, self.definition, *self._packed(key, one)) for key, one in described.items()]
        with suppress(OSError):
            try:
                self.file.parent.mkdir(parents=True, exist_ok=True)
                with self._open() as base, base:
                    base.execute(TABLE)
                    base.executemany("INSERT OR REPLACE INTO described VALUES (?, ?, ?, ?)", rows)
            except sqlite3.OperationalError:  # locked, read-only, another layout
                return
            except sqlite3.DatabaseError:  # no database any more: the next run starts it anew
                self.file.unlink()

    @contextmanager
    def _open(self) -> Iterator[sqlite3.Connection]:
        with closing(sqlite3.connect(str(self.file), timeout=PATIENCE)) as base:
            yield base

    def _packed(self, key: str, one: Description) -> tuple[bytes, str]:
        plain = [one.width, one.height, one.pixel_digest, one.conversions, one.visible]
        content = one.grey32 + one.grey64 + json.dumps(plain).encode()
        return content, self._check(key, content)

    def _unpacked(self, key: str, content: object, digest: object) -> Description | None:
        """Return a description, None if it is not bit for bit what was kept."""
        if not isinstance(content, bytes) or digest != self._check(key, content):
            return None
        grey32, grey64, text = content[:1024], content[1024:5120], content[5120:]
        width, height, pixel_digest, conversions, visible = json.loads(text)
        return Description(width, height, pixel_digest, tuple(conversions), visible, grey32, grey64)

    def _check(self, key: str, content: bytes) -> str:
        return hashlib.sha256(f"{key} {self.definition}\n".encode() + content).hexdigest()


def usual_cache() -> Cache:
    """Return the cache that REPORTGEN_CACHE names (a folder, or "off"), else the user's own."""
    named = os.environ.get(VARIABLE, "")
    if named == "off":
        return Cache(None, definition())
    try:
        folder = Path(named) if named else _user_folder() / "reportgen"
    except RuntimeError:  # a user without a home
        return Cache(None, definition())
    return Cache(folder / FILE, definition())


def definition() -> str:
    """Return what descriptions depend on besides the file: our rules and the decoders' versions."""
    codecs = " ".join(f"{name} {features.version(name)}" for name in ("jpg", "jpg_2000", "webp"))
    try:
        pydicom = metadata.version("pydicom")
    except metadata.PackageNotFoundError:
        pydicom = "none"
    return f"{DEFINITION}; pillow {PIL.__version__}; {codecs}; pydicom {pydicom}"


def _user_folder() -> Path:
    if sys.platform == "win32":
        return Path(os.environ.get("LOCALAPPDATA") or Path.home() / "AppData" / "Local")
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Caches"
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
