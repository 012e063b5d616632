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

from reportgen.inputs.checks import unusable
from reportgen.inputs.delimited import read_delimited
from reportgen.inputs.grid import Grid
from reportgen.inputs.parquet import read_parquet
from reportgen.inputs.pretenders import HEAD, is_wide, refuse_pretender
from reportgen.inputs.settings import Reading
from reportgen.inputs.trouble import AS_PLAIN, FileFaults
from reportgen.inputs.unpacking import bounded, refuse_archive

DELIMITERS = {".csv": ",", ".tsv": "\t"}
KINDS = (*DELIMITERS, ".parquet")
PACKINGS = {".gz": b"\x1f\x8b", ".zip": b"PK"}
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
    path: Path,
    *,
    reading: Reading | None,
    wanted: Collection[str],
    keep_short: bool = False,
    missing: Collection[str] | None = None,
) -> tuple[Grid, Digest]:
    """Read the columns that are wanted, as they lie there, and digest the file.

    Parameters
    ----------
    path : pathlib.Path
        Its name tells what it is: csv, tsv or parquet, alone or in .gz or a .zip of one member.
    reading : Reading or None
        Delimiter and encoding, where declared; None where the manifest has no key to declare them.
    wanted : collection of str
        Columns to keep.
    keep_short : bool
    missing : collection of str, optional
        Each as in `read_delimited`.

    Raises
    ------
    FileFaults
        If it is not what its name says, damaged, or not readable.
    """
    faults = FileFaults()
    for _key, what, mend in () if reading is None else unusable(reading):
        faults.add("", what, mend)
    faults.raise_if_any()
    with _opened(path) as raw:
        digest = _digest(raw)
        raw.seek(0)
        packing = PACKINGS.get(PurePath(path.name.lower()).suffix)
        if packing is not None and not raw.peek(HEAD).startswith(packing):
            refuse_pretender(raw.peek(HEAD)[:HEAD], "parquet")
        try:
            with _unpacked(raw, path.name) as (name, content):
                packed = packing is not None
                grid = _read(content, name, reading, wanted, keep_short, packed, missing)
                return grid, digest
        except UnicodeDecodeError:
            raw.seek(0)
            raise _not_text(raw, path.name, reading) from None
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
    reading: Reading | None,
    wanted: Collection[str],
    keep_short: bool,
    packed: bool,
    missing: Collection[str] | None,
) -> Grid:
    kind = PurePath(name.lower()).suffix
    if kind not in KINDS:
        what = f"the name does not say what it is ({kind or 'no ending'})"
        raise FileFaults.one("", what, f"known endings: {', '.join(KINDS)}, then .gz or .zip")
    head = content.peek(HEAD)[:HEAD]
    refuse_pretender(head, "parquet" if kind == ".parquet" else "table", packed=packed)
    if kind == ".parquet":
        return read_parquet(content, wanted=wanted, missing=missing)
    encoding = "utf-8" if reading is None else reading.encoding
    if is_wide(head) and not encoding.lower().startswith(("utf-16", "utf16", "utf_16")):
        mend = AS_PLAIN if reading is None else "say read: {encoding: utf-16} beside its path"
        raise FileFaults.one("", "byte 1: the file is UTF-16, not UTF-8", mend)
    plain = encoding.lower().replace("_", "-") in ("utf-8", "utf8")
    text = io.TextIOWrapper(content, "utf-8-sig" if plain else encoding, newline="")
    delimiter = (reading and reading.delimiter) or DELIMITERS[kind]
    try:
        return read_delimited(
            text,
            delimiter=delimiter,
            wanted=wanted,
            keep_short=keep_short,
            declarable=reading is not None,
            missing=missing,
        )
    finally:
        text.detach()


def _not_text(raw: io.BufferedReader, name: str, reading: Reading | None) -> FileFaults:
    """Find the byte that is no text in the declared encoding."""
    encoding = "utf-8" if reading is None else reading.encoding
    mend = "say read: {encoding: cp1252} beside its path if it comes from Excel, or save as UTF-8"
    if reading is None:
        mend = AS_PLAIN
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
