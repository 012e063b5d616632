"""How far a file may unfold: small files that pretend to be huge tables are refused early."""

from __future__ import annotations

import io
import zipfile
from typing import Protocol, cast

from reportgen.inputs.trouble import FileFaults

MOST_FREE = 64 * 2**20
MOST_RATIO = 100
"""Tables of scores pack to a tenth, of few repeated words to a fiftieth; only bombs to less."""
MEND = "unpack it yourself and look: if it is sound, name the unpacked file"


class _Content(Protocol):
    """What gives its bytes piece by piece."""

    def read(self, size: int, /) -> bytes:
        """Return at most `size` bytes."""
        ...


class _Bounded(io.RawIOBase):
    """Unpacked bytes, as long as there are not far more of them than of packed ones."""

    def __init__(self, content: _Content, packed: int) -> None:
        super().__init__()
        self.content = content
        self.packed = packed
        self.count = 0

    def readable(self) -> bool:
        """Say that it can be read."""
        return True

    def readinto(self, buffer: memoryview) -> int:  # type: ignore[override]
        """Fill a buffer and return how many bytes it took; refuse what goes beyond the bound."""
        piece = self.content.read(len(buffer))
        buffer[: len(piece)] = piece
        self.count += len(piece)
        refuse_unfolding(self.count, self.packed, of="bytes")
        return len(piece)


def bounded(content: _Content, packed: int) -> io.BufferedReader:
    """Return a reader of unpacked bytes that stops where there are far more than packed ones.

    Parameters
    ----------
    content : binary file
        The bytes, unpacked as they are read.
    packed : int
        Size of the packed file, in bytes.

    Returns
    -------
    io.BufferedReader
        Reading from it raises what `refuse_unfolding` raises.
    """
    return cast("io.BufferedReader", io.BufferedReader(_Bounded(content, packed)))


def refuse_unfolding(count: int, packed: int, *, of: str) -> None:
    """Refuse what is far more than the file that it is packed in.

    Parameters
    ----------
    count : int
        Bytes, or cells, that the file holds or says it holds.
    packed : int
        Size of the file, in bytes.
    of : str
        What is counted, for the words.

    Raises
    ------
    FileFaults
        If `count` is above both `MOST_FREE` and `MOST_RATIO` times `packed`.
    """
    if count > max(MOST_FREE, MOST_RATIO * packed):
        what = f"it unfolds from {packed} bytes to {count} {of} or more: this is no honest table"
        raise FileFaults.one("", what, MEND)


def refuse_archive(archive: zipfile.ZipFile, packed: int) -> None:
    """Refuse an archive whose members say that they are far more than the archive itself.

    Raises
    ------
    FileFaults
        See `refuse_unfolding`; a member that holds more than it says is cut there by the library.
    """
    refuse_unfolding(sum(one.file_size for one in archive.infolist()), packed, of="bytes")
