"""``index.html`` of an output folder, written anew after a dossier was published or signed."""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path

from filelock import FileLock, Timeout

INDEX = "index.html"
LOCK = ".index.lock"
FRESH = ".index.html.new"
PATIENCE = 60
"""Seconds to wait for a neighbour that is writing the same page."""


def refresh_index(out: Path) -> str | None:
    """Write the page that lists the dossiers below `out`; return what the user should know, if any.

    The folder is read and the page put in place under one lock, so that of two runs the later
    writer has seen both dossiers. A page of another origin is left as it is. No failure is raised:
    the dossier stands, whatever becomes of the list.
    """
    from reportgen.release.listing import scan
    from reportgen.render.index_page import index_page

    try:
        with FileLock(out / LOCK, timeout=PATIENCE):
            page = (out / INDEX).read_bytes() if (out / INDEX).exists() else None
            if page is not None and not _is_ours(page):
                return f"{out / INDEX} is not of reportgen; it was left as it is"
            made = index_page(*scan(out)).encode()
            if made != page:
                _replace(out, made)
    except Timeout:
        return f"{out / INDEX} was not written: another run holds {out / LOCK}"
    except OSError as error:
        return f"{out / INDEX} was not written: {error.strerror or error}"
    return None


def refresh_index_above(dossier: Path) -> str | None:
    """Write the list that a dossier stands in anew, if there is one; else do nothing.

    Parameters
    ----------
    dossier : Path
        The dossier's own folder, ``<out>/<model>/<version>/r<N>``. A dossier that was copied
        elsewhere stands in no list, and none is made for it.
    """
    above = dossier.absolute().parents
    if len(above) < 3:
        return None
    with suppress(OSError):
        if _is_ours((above[2] / INDEX).read_bytes()):
            return refresh_index(above[2])
    return None


def _is_ours(page: bytes) -> bool:
    from reportgen.render.index_page import MARK

    return MARK.encode() in page


def _replace(out: Path, page: bytes) -> None:
    fresh = out / FRESH
    with fresh.open("wb") as file:
        file.write(page)
        file.flush()
        os.fsync(file.fileno())
    fresh.replace(out / INDEX)
