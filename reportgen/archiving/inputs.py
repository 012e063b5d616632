"""Copies of a dossier's inputs, found by the paths and digests that its results name."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path, PurePosixPath
from typing import Any

from reportgen.archiving.member import Member
from reportgen.errors import Fault, RequestError
from reportgen.release.fingerprint import sha256_of, sha256_of_file
from reportgen.release.record import INPUTS, INPUTS_SUMS

IMAGES = "images."
MISSING = "name the folder that the manifest lay in, or archive without --inputs"
CHANGED = "find the file as it was read, or archive without --inputs"


def copies_of(
    records: Sequence[Mapping[str, Any]], folder: Path
) -> tuple[list[Member], tuple[str, ...]]:
    """Return the inputs for an archive with the list of their digests, and what to tell of them.

    Parameters
    ----------
    records : sequence of mapping
        ``inputs`` of results.json.
    folder : Path
        Where they stand by the paths that the manifest gave them. A path that left the manifest's
        folder is looked for without the part that led out: ``../data/t.csv`` as ``data/t.csv``.

    Raises
    ------
    RequestError
        With every input that is not there, or not the file that was read.
    """
    found: dict[str, Member] = {}
    faults: list[Fault] = []
    notes = [_left_out(one) for one in records if one["name"].startswith(IMAGES)]
    for record in records:
        below = inside(record["path"])
        path = folder / below
        if path.is_dir() and record["name"].startswith(IMAGES):
            continue
        if not below.isprintable():
            what = f"the path of {record['name']} holds characters that no archive can"
            faults.append(Fault(str(folder), what, "archive without --inputs"))
        elif not path.is_file():
            what = f"{record['name']} is not there"
            faults.append(Fault(str(path), what, MISSING))
        elif sha256_of_file(path) != record["sha256"]:
            what = f"is not the file that was read as {record['name']}, by its digest"
            faults.append(Fault(str(path), what, CHANGED))
        else:
            name = f"{INPUTS}/{below}"
            found[name] = Member(name, record["sha256"], path)
    if faults:
        raise RequestError(faults)
    lines = "".join(f"{one.sha256}  {name}\n" for name, one in sorted(found.items()))
    sums = lines.encode("utf-8", "surrogateescape")
    return [*found.values(), Member(INPUTS_SUMS, sha256_of(sums), sums)], tuple(notes)


def inside(path: str) -> str:
    """Return a manifest's path without what leads out of a folder: roots, drives, ``..``."""
    parts = PurePosixPath(path.replace("\\", "/")).parts
    kept = [one for one in parts if one not in ("/", "//", "..", ".") and not one.endswith(":")]
    return "/".join(kept)


def _left_out(record: Mapping[str, Any]) -> str:
    return (
        f"{record['name']}: its pictures are not in the archive, since the dossier holds one digest"
        " for all of them"
    )
