"""What a file is that is not what its name says: a pointer, a web page, an archive."""

from __future__ import annotations

import re
from typing import Literal

from reportgen.inputs.trouble import FileFaults

HEAD = 512
"""Bytes of a file that tell what it is."""

Wanted = Literal["table", "parquet", "json", "names", "array"]
"""What the file was meant to be."""

KNOWN: tuple[tuple[bytes, str, str, str], ...] = (
    (b"version https://git-lfs", "a Git LFS pointer, not the data", "fetch it: git lfs pull", ""),
    (b"PAR1", "a parquet file", "name it .parquet", "name the file that was meant"),
    (b"PK", "a zip archive or an Excel workbook", "name it .zip, or export it as csv", "unpack it"),
    (b"\x1f\x8b", "compressed with gzip", "name it .gz", "unpack it"),
    (b"\xd0\xcf\x11\xe0", "an old Excel workbook", "export it as csv", ""),
    (b"\x93NUMPY", "an array of numpy", "name the file that was meant", ""),
    (b"%PDF", "a PDF", "export the data themselves", ""),
)
"""Beginning, what it is, what to do about a table, and about anything else if that differs."""
OWN: dict[Wanted, tuple[bytes, ...]] = {"parquet": (b"PAR1",), "array": (b"\x93NUMPY", b"PK")}
PAGE = re.compile(rb"<(!doctype|!--|html|\?xml|head|body|meta|script|title)", re.IGNORECASE)
JSON = re.compile(rb'\{\s*["}]|\[\s*(["\[{\]]|-?[0-9])')
WIDE = (b"\xff\xfe", b"\xfe\xff")


def refuse_pretender(head: bytes, wanted: Wanted, *, packed: bool = False) -> None:
    """Refuse a file that is plainly another thing than the one it was meant to be.

    Parameters
    ----------
    head : bytes
        Its first bytes, at most `HEAD` of them.
    wanted : {"table", "parquet", "json", "names", "array"}
        "table" is a delimited one.
    packed : bool
        Whether they were unpacked, so that what is packed was so twice.

    Raises
    ------
    FileFaults
        With what it is and what to do.
    """
    start = head.removeprefix(b"\xef\xbb\xbf").lstrip(b" \t\r\n")
    if PAGE.match(start):
        what = "this is a web page, not the data (a sign-in page?)"
        raise FileFaults.one("", what, "download the data themselves")
    if wanted == "table" and JSON.match(start):
        raise FileFaults.one("", "this is JSON, not a table", "export it as csv or parquet")
    for magic, what, of_table, of_others in KNOWN:
        if start[: len(magic)].lower() == magic.lower() and magic not in OWN.get(wanted, ()):
            raise FileFaults.one("", *_told(what, of_table, of_others, wanted, packed))


def _told(
    what: str, of_table: str, of_others: str, wanted: Wanted, packed: bool
) -> tuple[str, str]:
    if packed and of_others == "unpack it":
        return f"what is packed in it is {what} once more", "unpack it once"
    tabled = wanted in ("table", "parquet")
    return f"this is {what}", of_table if tabled or not of_others else of_others


def is_wide(head: bytes) -> bool:
    """Return whether a file begins as UTF-16 does."""
    return head.startswith(WIDE)
