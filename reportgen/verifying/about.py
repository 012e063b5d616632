"""The files that name the others by digest, made anew: the in-toto statement and the RO-Crate."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from reportgen.drafting import about_files
from reportgen.release.folder import Described
from reportgen.release.record import CRATE, MANIFEST, STATEMENT, SUMS
from reportgen.release.statement import statement
from reportgen.stored import Stored
from reportgen.verifying.check import Check, bad, good, unchecked
from reportgen.verifying.contents import Contents
from reportgen.verifying.software import other_makers

ABOUT = {STATEMENT: "statement", CRATE: "crate"}


def statement_anew(
    contents: Contents, files: Mapping[str, str], data: Mapping[str, Any]
) -> bytes | None:
    """Return the statement that the files of a record would be given; None if that fails.

    Parameters
    ----------
    contents : Contents
        What stands in the folder.
    files : mapping of text to text
        The record's files, SHA256SUMS aside, to their SHA-256.
    data : mapping
        Sound results.
    """
    manifest = contents.read(MANIFEST)
    if manifest is None:
        return None
    try:
        return statement(data, manifest, _described(contents, files, without=(STATEMENT,)))
    except Exception:  # results of a sound schema that no statement was ever written for
        return None


def _described(
    contents: Contents, files: Mapping[str, str], *, without: tuple[str, ...]
) -> dict[str, Described]:
    return {
        name: Described(digest, contents.sizes[name])
        for name, digest in files.items()
        if name not in without
    }


def check_about(
    contents: Contents, files: Mapping[str, str], stored: Stored, named: frozenset[str]
) -> Iterator[Check]:
    """Yield whether statement and crate are those of the other files, byte for byte.

    Parameters
    ----------
    contents, files
        As in :func:`statement_anew`.
    stored : Stored
        The dossier.
    named : set of text
        Files that are bad already; where there are any, what names them cannot be compared.
    """
    others = _described(contents, files, without=(STATEMENT, CRATE))
    if stored.manifest is None or named:
        for name, what in ABOUT.items():
            yield unchecked(what, "files that it names are not as recorded", name)
        return
    try:
        made = about_files(stored.data, stored.manifest, others, profile=stored.profile)
    except Exception as error:  # as above, and files of a kind that no dossier holds
        for name, what in ABOUT.items():
            yield unchecked(what, f"none can be made of these files ({type(error).__name__})", name)
        return
    other = other_makers(stored.data["environment"], "rocrate")
    for name, what in ABOUT.items():
        if contents.read(name) == made[name]:
            yield good(what, "is as made anew from the other files", name)
        elif other:
            yield unchecked(what, f"it differs here, and it was made with {other}", name)
        else:
            yield bad(what, name, f"does not say what the other files and {SUMS} do")
