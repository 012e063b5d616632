"""The inputs of a dossier, where they can be reached: each still the file that was read, or not."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from reportgen.archiving.inputs import inside
from reportgen.release.fingerprint import sha256_of_file
from reportgen.release.record import INPUTS
from reportgen.verifying.check import Check, bad, good, unchecked

INPUT = "input"
_IMAGES = re.compile(r"images\.[^.]+")


def places_of(path: Path, named: Sequence[Path]) -> list[Path]:
    """Return the folders to look for inputs in, the first that has one counts.

    Copies that stand in the dossier's folder, since it was an archive, come first; then the folders
    that were named or, without any, all above the dossier, nearest first.
    """
    whole = path.resolve()
    copies = whole / INPUTS
    return [*([copies] if copies.is_dir() else ()), *(named or whole.parents)]


def check_inputs(data: Mapping[str, Any], places: Sequence[Path]) -> Iterator[Check]:
    """Yield, for each input that results name, whether the file is still as it was read.

    A file is looked for by the path that the manifest gave it, below each of `places` in turn; the
    first that is there counts. One of another digest was changed since. A folder of images is no
    file: see :func:`reportgen.verifying.images.check_images`.
    """
    for record in data["inputs"]:
        if not (_IMAGES.fullmatch(record["name"]) and _is_folder(_found(record["path"], places))):
            yield _check(record, places)


def _check(record: Mapping[str, Any], places: Sequence[Path]) -> Check:
    name, given = f"{INPUT} {record['name']}", record["path"]
    found = _found(given, places)
    if found is None:
        return unchecked(name, "it is not below the folders that were looked in", given)
    if not found.is_file():
        return unchecked(name, "no plain file stands there", given)
    try:
        digest = sha256_of_file(found)
    except OSError as error:
        return unchecked(name, f"it cannot be read ({error.strerror})", given)
    if digest == record["sha256"]:
        return good(name, "is as it was read", given)
    return bad(name, given, f"was changed since: {found} has another SHA-256 than was recorded")


def _is_folder(path: Path | None) -> bool:
    return path is not None and path.is_dir()


def _found(given: str, places: Sequence[Path]) -> Path | None:
    for place in places:
        for path in (place / given, place / inside(given)):
            try:
                if path.exists():
                    return path
            except (OSError, ValueError):  # a name too long, or with a zero byte
                continue
    return None
