"""A file that travels in a PDF, taken out without trusting how large it says it is."""

from __future__ import annotations

import io
import zlib
from typing import Any

MOST_BYTES = 64 << 20
"""More is not unpacked: 64 MiB, far above any ledger."""


def attached(pdf: bytes, name: str) -> bytes | None:
    """Return what the attachment `name` of a PDF holds; None if there is none that can be read."""
    import pikepdf

    try:
        with pikepdf.Pdf.open(io.BytesIO(pdf)) as opened:
            found: Any = opened.attachments.get(name)
            return None if found is None else _unpacked(found.obj.EF.F)
    except (pikepdf.PdfError, zlib.error, AttributeError, KeyError, TypeError, ValueError):
        return None


def _unpacked(stream: Any) -> bytes | None:
    raw = bytes(stream.read_raw_bytes())
    filters = stream.get("/Filter")
    if filters is None:
        return raw
    if str(filters) != "/FlateDecode":
        return None
    unpacking = zlib.decompressobj()
    content = unpacking.decompress(raw, MOST_BYTES)
    return content if unpacking.eof else None
