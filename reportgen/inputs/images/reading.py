"""The images of one entry of the manifest: listed, described, put together and counted."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import numpy as np

from reportgen.errors import Fault, InputError, Key
from reportgen.inputs.beside import Finder
from reportgen.inputs.files import Trouble
from reportgen.inputs.images.cache import usual_cache
from reportgen.inputs.images.content import Grey, ImageSet
from reportgen.inputs.images.describing import LARGE, SMALL, Seen, describe_all, pixels
from reportgen.inputs.images.folders import list_folders
from reportgen.inputs.images.listing import Listing, text_array
from reportgen.inputs.images.loading import Loader
from reportgen.inputs.images.places import find_folder, pin_faults
from reportgen.inputs.images.recording import digest_of_files, record_of
from reportgen.inputs.images.rows import list_rows
from reportgen.inputs.images.settings import ImagesSettings
from reportgen.inputs.table import InputRecord
from reportgen.inputs.trouble import counted, few
from reportgen.result import LeftOut


def read_images(
    name: str, settings: ImagesSettings, finder: Finder
) -> tuple[ImageSet, list[InputRecord]]:
    """Read the images that the manifest declares under ``images.<name>``.

    Each file is decoded once, or found in the cache by its digest; unreadable, blank and oversized
    ones are named and the rest goes on.

    Parameters
    ----------
    name : str
        The name in the manifest.
    settings : ImagesSettings
        What it declares.
    finder : Finder
        Where files are and how their mistakes are placed.

    Returns
    -------
    images : ImageSet
        In ascending order of id.
    records : list of InputRecord
        One: of the table, or of the folders.

    Raises
    ------
    InputError
        With every fault of the table, the folders and the declared digest; also where no image at
        all is there.
    """
    key: Key = ("images", name)
    root = find_folder(settings.root, folder=finder.folder, allow_outside=finder.allow_outside)
    if isinstance(root, Trouble):
        at = (*key, "root")
        raise InputError([Fault(finder.where(at), root.what, root.mend, at)])
    listed = list_rows if settings.path else list_folders
    listing = listed(settings, root, key, finder).by_id()
    _refuse_none(listing, settings, key, finder)
    seen = describe_all(listing.places, max_pixels=settings.max_pixels, cache=usual_cache())
    if listing.digest is None:  # a table's pin was checked before its images were opened
        changed = pin_faults(settings, digest_of_files(listing.places, seen), key, finder)
        if changed:
            raise InputError(changed)
    images = _assembled(name, listing, seen, settings.max_pixels)
    return images, [record_of(images, listing, seen, settings)]


def _refuse_none(listing: Listing, settings: ImagesSettings, key: Key, finder: Finder) -> None:
    """Raise if no file of a table is there: a wrong root rather than missing images."""
    if any(place.path is not None for place in listing.places):
        return
    missing = [place.file for place in listing.places]
    what = f"none of the {counted(len(missing), 'file')} of {settings.path} is below the root "
    what += f"{settings.root!r}: {few(missing, 3)}"
    at = (*key, "root")
    raise InputError([Fault(finder.where(at), what, "correct root, or the paths in the table", at)])


def _assembled(name: str, listing: Listing, seen: Sequence[Seen], max_pixels: int) -> ImageSet:
    described = [one.described for one in seen]
    files = tuple(place.file for place in listing.places)
    paths = tuple("" if place.path is None else str(place.path) for place in listing.places)
    digests = tuple(one.file_digest for one in seen)
    troubles = tuple(one.trouble for one in seen if one.trouble is not None)
    sizes = [(0, 0) if one is None else (one.width, one.height) for one in described]
    steps = Counter(step for one in described if one is not None for step in one.conversions)
    return ImageSet(
        name=name,
        ids=text_array(listing.ids),
        files=text_array(files),
        **{role: listing.texts.get(role) for role in ("split", "source", "unit", "site")},
        acquired=listing.texts.get("acquired"),
        labels=listing.labels,
        splits=listing.splits,
        declared_size=listing.declared_size,
        size=np.array(sizes, dtype=np.int64).reshape(-1, 2),
        readable=np.array([one is not None for one in described], dtype=bool),
        blank=np.array([one.trouble is not None and one.trouble.kind == "blank" for one in seen]),
        file_digest=text_array(digests),
        pixel_digest=text_array(["" if one is None else one.pixel_digest for one in described]),
        grey32=_stacked([None if one is None else one.grey32 for one in described], SMALL),
        grey64=_stacked([None if one is None else one.grey64 for one in described], LARGE),
        load=Loader(files, paths, digests, max_pixels, "L"),
        picture=Loader(files, paths, digests, max_pixels, "RGB"),
        trouble=troubles,
        conversions=tuple(LeftOut(step, k) for step, k in sorted(steps.items())),
        ignored=listing.ignored,
    )


def _stacked(raw: Sequence[bytes | None], side: int) -> Grey:
    stack = np.zeros((len(raw), side, side), dtype=np.uint8)
    for at, one in enumerate(raw):
        if one is not None:
            stack[at] = pixels(one, side)
    return stack
