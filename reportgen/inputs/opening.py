"""A data file opened: told by its name what it is, checked against its bytes, unpacked."""

from __future__ import annotations

import gzip
import hashlib
import io
import os
import zipfile
import zlib
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path, PurePath

from reportgen.inputs.delimited import read_delimited
from reportgen.inputs.grid import Grid
from reportgen.inputs.parquet import read_parquet
from reportgen.inputs.settings import Reading
from reportgen.inputs.trouble import FileFaults
from reportgen.inputs.unpacking import bounded, refuse_archive

DELIMITERS = {".csv": ",", ".tsv": "\t"}
KINDS = (*DELIMITERS, ".parquet")
PRETENDERS = (
    (b"version https://git-lfs", "a Git LFS pointer, not the data", "fetch it: git lfs pull"),
    (b"PAR1", "a parquet file", "name it .parquet"),
    (b"PK\x03\x04", "a zip archive or an Excel workbook", "name it .zip, or export it as csv"),
    (b"\x1f\x8b", "compressed with gzip", "name it .gz"),
    (b"\xd0\xcf\x11\xe0", "an old Excel workbook", "export it as csv"),
    (b"%pdf", "a PDF", "export the table as csv"),
)
PAGES = (b"<!doctype", b"<html", b"<?xml", b"<head", b"<body")
DAMAGE = (EOFError, OSError, zlib.error, zipfile.BadZipFile, RuntimeError, NotImplementedError)


@dataclass(frozen=True)
class Digest:
    """A file's size and SHA-256, of the bytes on disk."""

    sha256: str
    size: int


def digest_file(path: Path) -> Digest:
    """Return size and SHA-256 of a file.

    Raises
    ------
    FileFaults
        If it cannot be read.
    """
    with _opened(path) as raw:
        return _digest(raw)


def read_file(
    path: Path, *, reading: Reading, wanted: Collection[str], keep_short: bool = False
) -> tuple[Grid, Digest]:
    """Read the columns that are wanted, as they lie there, and digest the file.

    Parameters
    ----------
    path : pathlib.Path
        Its name tells what it is: csv, tsv or parquet, alone or in .gz or a .zip of one member.
    reading : Reading
        Delimiter and encoding, where declared.
    wanted : collection of str
        Columns to keep.
    keep_short : bool
        As in `read_delimited`.

    Raises
    ------
    FileFaults
        If it is not what its name says, damaged, or not readable.
    """
    with _opened(path) as raw:
        digest = _digest(raw)
        raw.seek(0)
        try:
            with _unpacked(raw, path.name) as (name, content):
                return _read(content, name, reading, wanted, keep_short), digest
        except UnicodeDecodeError:
            raw.seek(0)
            raise _not_text(raw, path.name, reading.encoding) from None
        except DAMAGE as error:
            what = f"the file is damaged or incomplete ({error})"
            raise FileFaults.one("", what, "copy or export it anew") from None


@contextmanager
def _opened(path: Path) -> Iterator[io.BufferedReader]:
    try:
        handle = path.open("rb")
    except OSError as error:
        what = f"the file cannot be read ({error.strerror})"
        raise FileFaults.one("", what, "check its permissions") from None
    with handle:
        yield handle


def _digest(raw: io.BufferedReader) -> Digest:
    sha256 = hashlib.file_digest(raw, "sha256").hexdigest()
    return Digest(sha256, os.fstat(raw.fileno()).st_size)


@contextmanager
def _unpacked(raw: io.BufferedReader, name: str) -> Iterator[tuple[str, io.BufferedReader]]:
    """Give the name of the packed file and its bytes, unpacked while they are read."""
    packing = PurePath(name.lower()).suffix
    size = os.fstat(raw.fileno()).st_size
    if packing == ".gz":
        with gzip.open(raw, "rb") as content:
            yield name[: -len(packing)], bounded(content, size)
    elif packing == ".zip":
        with zipfile.ZipFile(raw) as archive, archive.open(_member(archive)) as content:
            refuse_archive(archive, size)
            stem = name[: -len(packing)]
            known = PurePath(stem.lower()).suffix in KINDS
            inside = bounded(content, size)
            yield stem if known else str(content.name), inside
    else:
        yield name, raw


def _member(archive: zipfile.ZipFile) -> zipfile.ZipInfo:
    members = [
        info
        for info in archive.infolist()
        if not info.is_dir() and not info.filename.startswith("__MACOSX/")
    ]
    if len(members) != 1:
        names = ", ".join(info.filename for info in members[:5]) or "none"
        what = f"the archive holds {len(members)} files ({names})"
        raise FileFaults.one("", what, "pack one file alone")
    return members[0]


def _read(
    content: io.BufferedReader,
    name: str,
    reading: Reading,
    wanted: Collection[str],
    keep_short: bool,
) -> Grid:
    kind = PurePath(name.lower()).suffix
    if kind not in KINDS:
        what = f"the name does not say what it is ({kind or 'no ending'})"
        raise FileFaults.one("", what, f"known endings: {', '.join(KINDS)}, then .gz or .zip")
    if kind == ".parquet":
        return read_parquet(content, wanted=wanted)
    head = content.peek(512)[:512]
    _refuse_pretender(head, reading)
    encoding = reading.encoding
    plain = encoding.lower().replace("_", "-") in ("utf-8", "utf8")
    text = io.TextIOWrapper(content, "utf-8-sig" if plain else encoding, newline="")
    delimiter = reading.delimiter or DELIMITERS[kind]
    try:
        return read_delimited(text, delimiter=delimiter, wanted=wanted, keep_short=keep_short)
    finally:
        text.detach()


def _refuse_pretender(head: bytes, reading: Reading) -> None:
    start = head.lstrip(b"\xef\xbb\xbf \t\r\n").lower()
    if start.startswith(PAGES):
        what = "this is a web page, not a table (a sign-in page?)"
        raise FileFaults.one("", what, "download the data itself")
    for magic, what, mend in PRETENDERS:
        if start.startswith(magic) or head.startswith(magic):
            raise FileFaults.one("", f"this is {what}", mend)
    wide = head.startswith((b"\xff\xfe", b"\xfe\xff"))
    if wide and not reading.encoding.lower().startswith(("utf-16", "utf16", "utf_16")):
        mend = "say read: {encoding: utf-16} under this table"
        raise FileFaults.one("", "byte 1: the file is UTF-16, not UTF-8", mend)


def _not_text(raw: io.BufferedReader, name: str, encoding: str) -> FileFaults:
    """Find the byte that is no text in the declared encoding."""
    mend = "say read: {encoding: cp1252} under this table if it comes from Excel, or save as UTF-8"
    if encoding.lower().startswith(("utf-16", "utf-32", "utf16", "utf32", "utf_")):
        return FileFaults.one("", f"the file is not {encoding}", "declare its encoding")
    position = 0
    with _unpacked(raw, name) as (_, content):
        for line, piece in enumerate(content, start=1):
            try:
                piece.decode(encoding)
            except UnicodeDecodeError as error:
                byte = position + error.start + 1
                what = f"byte {byte} (0x{piece[error.start]:02x}) is not {encoding}"
                return FileFaults.one(f":{line}", what, mend)
            position += len(piece)
    return FileFaults.one("", f"the file is not {encoding}", mend)
