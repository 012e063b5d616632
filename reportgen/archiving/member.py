"""A file for an archive, under the digest that is recorded for it."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path
from typing import Any, BinaryIO

from reportgen.errors import Fault, RequestError

AGAIN = "let nothing write there meanwhile, and try again"


@dataclass(frozen=True)
class Member:
    """A file for an archive.

    Attributes
    ----------
    name : str
        Its name below the archive's top folder.
    sha256 : str
        The digest that is recorded for it.
    source : Path or bytes
        Where it is, or what it holds.
    """

    name: str
    sha256: str
    source: Path | bytes

    @property
    def size(self) -> int:
        """Its size in bytes."""
        source = self.source
        return len(source) if isinstance(source, bytes) else source.stat().st_size

    @contextmanager
    def read(self) -> Iterator[BinaryIO]:
        """Open it; what is read must be what is recorded.

        Raises
        ------
        RequestError
            On leaving, if what was read has another digest.
        """
        source = self.source
        with BytesIO(source) if isinstance(source, bytes) else source.open("rb") as file:
            watched = _Watched(file)
            yield watched  # type: ignore[misc]
        if watched.digest.hexdigest() != self.sha256:
            what = "changed while it was being archived"
            raise RequestError([Fault(str(source), what, AGAIN)])


class _Watched:
    """A file that is hashed while it is read."""

    def __init__(self, file: Any) -> None:
        self.file = file
        self.digest = hashlib.sha256()

    def read(self, size: int = -1) -> bytes:
        content: bytes = self.file.read(size)
        self.digest.update(content)
        return content
