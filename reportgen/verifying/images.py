"""Sets of images, where they can be reached: one digest stands for all files of a set."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path, PurePosixPath
from typing import Any

from reportgen.errors import Fault, ReportgenError
from reportgen.inputs.beside import Finder
from reportgen.inputs.images.describing import Place, Seen
from reportgen.inputs.images.folders import list_folders
from reportgen.inputs.images.places import find_folder
from reportgen.inputs.images.recording import digest_of_files
from reportgen.inputs.images.rows import list_rows
from reportgen.inputs.images.settings import ImagesSettings
from reportgen.release.fingerprint import sha256_of_file
from reportgen.verifying.check import Check, bad, good, unchecked

IMAGES = "images"
_SHA256 = re.compile(r"\b[0-9a-f]{64}\b")


def check_images(
    data: Mapping[str, Any], asked: Mapping[str, ImagesSettings], places: Sequence[Path]
) -> Iterator[Check]:
    """Yield, for each set of images, whether its files are still those that were read.

    The files are listed as ``build`` lists them and summed, not opened as images. They are looked
    for in the first of `places` in which the set's table or folders stand, and never outside of it.

    Parameters
    ----------
    data : mapping
        Sound results.
    asked : mapping of text to ImagesSettings
        The sets of the manifest, by name.
    places : sequence of Path
        Folders that the manifest may have lain in.
    """
    for record in data["inputs"]:
        kind, _, name = record["name"].partition(".")
        if kind == IMAGES and name in asked:
            yield _check(record, name, asked[name], places)


def _check(
    record: Mapping[str, Any], name: str, settings: ImagesSettings, places: Sequence[Path]
) -> Check:
    which, shown = f"{IMAGES} {name}", settings.root if settings.root != "." else record["path"]
    recorded = {record["sha256"]} if settings.folders else _told(record)
    place = next((one for one in places if _stands_in(one, settings)), None)
    if not recorded:
        return unchecked(which, "the results hold no digest of its files", shown)
    if place is None:
        return unchecked(which, "it is not below the folders that were looked in", shown)
    try:
        listed = _listed(settings, place)
        digest = digest_of_files(listed, [_summed(one) for one in listed])
    except ReportgenError as error:
        return unchecked(which, error.faults[0].what, shown)
    except OSError as error:
        return unchecked(which, f"a file of it cannot be read ({error.strerror})", shown)
    if digest in recorded:
        return good(which, f"{len(listed)} image files below {place} are as they were read")
    what = f"files of it were changed, added or removed since, below {place}"
    return bad(which, shown, what)


def _told(record: Mapping[str, Any]) -> set[str]:
    """Return the digests that the notes of a record name: of a table's image files."""
    return set(_SHA256.findall(" ".join(record["notes"]))) - {record["sha256"]}


def _stands_in(place: Path, settings: ImagesSettings) -> bool:
    """Return whether what a set names is below a folder: its table, or all its folders.

    A set that is the folder itself could be any folder; and no file system is walked whole.
    """
    root = PurePosixPath(settings.root)
    folders = [root / one for one in settings.folders.values()]
    named = folders or [PurePosixPath(settings.path or "")]
    try:
        return place != place.parent and all(
            one != PurePosixPath() and (place / one).exists() for one in named
        )
    except (OSError, ValueError):
        return False


def _listed(settings: ImagesSettings, place: Path) -> Sequence[Place]:
    """Return the files of a set; without its pin, for the question is if they are as recorded."""
    finder = Finder(place, lambda key: ".".join(map(str, key)), allow_outside=False)
    root = find_folder(settings.root, folder=place, allow_outside=False)
    if not isinstance(root, Path):
        raise ReportgenError([Fault("root", root.what, root.mend)])
    listing = list_rows if settings.path else list_folders
    unpinned = settings.model_copy(update={"sha256": None})
    return listing(unpinned, root, (IMAGES,), finder).by_id().places


def _summed(place: Place) -> Seen:
    return Seen("" if place.path is None else sha256_of_file(place.path), 0, None, None)
