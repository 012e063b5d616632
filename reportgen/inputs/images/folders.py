"""One folder a split: its image files, by path, and what else lies there."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path, PurePosixPath

from reportgen.errors import Fault, InputError, Key
from reportgen.inputs.beside import Finder
from reportgen.inputs.files import Trouble
from reportgen.inputs.images import kinds
from reportgen.inputs.images.describing import Place
from reportgen.inputs.images.listing import Listing, text_array
from reportgen.inputs.images.places import find_folder, find_image
from reportgen.inputs.images.settings import ImagesSettings
from reportgen.inputs.table import FileTrouble
from reportgen.inputs.trouble import NAMED, counted
from reportgen.language import _


def list_folders(settings: ImagesSettings, root: Path, key: Key, finder: Finder) -> Listing:
    """Return the images below the folders of all splits; the id of an image is its path.

    Raises
    ------
    InputError
        If a folder is not there, has no image, lies inside another one, or links out of the root.
    """
    faults: list[Fault] = []
    folders: dict[str, Path] = {}
    for split, given in settings.folders.items():
        found = find_folder(given, folder=root, allow_outside=finder.allow_outside)
        at = (*key, "folders", split)
        if isinstance(found, Trouble):
            faults.append(Fault(finder.where(at), found.what, found.mend, at))
        else:
            folders[split] = found
    faults += _nested(folders, key, finder)
    if faults:
        raise InputError(faults)
    return _listed(folders, settings, root, key, finder)


def _nested(folders: dict[str, Path], key: Key, finder: Finder) -> Iterator[Fault]:
    names = list(folders)
    for at, name in enumerate(names):
        for other in names[:at]:
            inner, outer = folders[name], folders[other]
            if inner.is_relative_to(outer) or outer.is_relative_to(inner):
                what = f"the folders of {other!r} and {name!r} lie inside each other"
                place = (*key, "folders", name)
                mend = "an image belongs to one split: give each its own folder"
                yield Fault(finder.where(place), what, mend, place)


def _listed(
    folders: dict[str, Path], settings: ImagesSettings, root: Path, key: Key, finder: Finder
) -> Listing:
    places: list[Place] = []
    splits: list[str] = []
    labels: list[frozenset[str]] = []
    ignored: list[FileTrouble] = []
    faults: list[Fault] = []
    for split, folder in folders.items():
        at = (*key, "folders", split)
        below, others = _files(folder)
        base = PurePosixPath(settings.folders[split].replace("\\", "/"))
        ignored += [FileTrouble(_readable(base / name), reason) for name, reason in others]
        found = [_place(base / name, folder / name, root, finder) for name in below]
        faults += _escapes(found, at, finder)
        if not below:
            what = f"there is no image in the folder {settings.folders[split]!r}"
            faults.append(Fault(finder.where(at), what, "correct the path, or drop the split", at))
        places += [place for place in found if isinstance(place, Place)]
        splits += [split] * len(below)
        labels += [frozenset(PurePosixPath(name).parts[:-1][:1]) for name in below]
    if faults:
        raise InputError(faults)
    return Listing(
        ids=tuple(place.file for place in places),
        places=tuple(places),
        texts={"split": text_array(splits)},
        labels=tuple(labels) if settings.label_from else None,
        splits=tuple(folders),
        ignored=tuple(sorted(ignored, key=lambda one: one.file)),
    )


def _place(name: PurePosixPath, path: Path, root: Path, finder: Finder) -> Place | Trouble:
    try:
        str(name).encode()
    except UnicodeEncodeError:
        return Trouble(f"the name {str(name)!a} is not UTF-8", "rename the file")
    found = find_image(str(path), root=root, allow_outside=True)
    if isinstance(found, Trouble):
        return found
    if not finder.allow_outside and not path.resolve().is_relative_to(root):
        return Trouble(f"{str(name)!r} is a link that leads out of the root", "copy the file there")
    return Place(str(name), found)


def _escapes(found: list[Place | Trouble], key: Key, finder: Finder) -> Iterator[Fault]:
    troubles = [one for one in found if isinstance(one, Trouble)]
    named = NAMED if len(troubles) > NAMED + 1 else len(troubles)
    for trouble in troubles[:named]:
        yield Fault(finder.where(key), trouble.what, trouble.mend, key)
    more = len(troubles) - named
    if more:
        what = f"{counted(more, 'more file')} likewise"
        yield Fault(finder.where(key), what, "mend them likewise", key, more)


def _readable(name: PurePosixPath) -> str:
    """Return a path as text; bytes that are no UTF-8 stand as escapes."""
    return str(name).encode("utf-8", "backslashreplace").decode()


def _files(folder: Path) -> tuple[list[str], list[tuple[str, str]]]:
    """Return the image files below a folder, sorted by path, and what else is there, with why."""
    images: list[str] = []
    ignored: list[tuple[str, str]] = []
    shut: list[OSError] = []
    for at, below, names in os.walk(folder, onerror=shut.append):
        here = Path(at)

        def under(name: str, here: Path = here) -> str:
            return (here / name).relative_to(folder).as_posix()

        for name in list(below):
            hidden = name.startswith(".")
            if hidden or (here / name).is_symlink():
                below.remove(name)
                why = _("hidden folder") if hidden else _("linked folder, not followed")
                ignored.append((under(name), why))
        for name in names:
            reason = _no_image(here / name)
            if reason is None:
                images.append(under(name))
            else:
                ignored.append((under(name), reason))
    for error in shut:
        closed = Path(str(error.filename)).relative_to(folder).as_posix()
        ignored.append((closed, _("folder that cannot be read")))
    return sorted(images), ignored


def _no_image(path: Path) -> str | None:
    """Return why a file is none of the images, None if it is one, readable or not."""
    name = path.name
    if name.startswith("."):
        return _("hidden file")
    if kinds.is_image_name(name):
        return None
    suffix = PurePosixPath(name.lower()).suffix
    if not suffix and _is_dicom(path):
        return None
    if suffix:
        return _("no image ({suffix})").format(suffix=suffix)
    return _("no image (no ending)")


def _is_dicom(path: Path) -> bool:
    try:
        with path.open("rb") as handle:
            return kinds.is_dicom(handle.read(kinds.HEAD))
    except OSError:
        return False
