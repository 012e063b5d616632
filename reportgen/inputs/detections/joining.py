"""Boxes meet the images and classes that they name, and become pixels."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from reportgen.errors import choose_from
from reportgen.inputs.detections.coco import check_ids
from reportgen.inputs.detections.raw import Listing, RawBoxes, ascending, to_xywh
from reportgen.inputs.detections.settings import BoxFile
from reportgen.inputs.trouble import counted, few, some
from reportgen.language import n_

Size = tuple[float, float]


def joined(listing: Listing, raw: RawBoxes, *, join: str) -> tuple[Listing, RawBoxes]:
    """Return the listing and the boxes, their images and classes named by the listing's ids.

    Boxes of JSON meet a listing of JSON by ids as declared. A cell of a table is an image's id,
    or its file name with ``join: file``; and a class's name if all cells are names, else its id.
    What a closed listing has not is noted in `raw.found`; an open one takes it in, unless it knows
    none of what the boxes name.
    """
    if raw.image_ids is not None and raw.class_ids is not None and listing.image_ids:
        check_ids(raw.image_ids, listing.image_ids, raw, name="image_id", kind="image")
        check_ids(raw.class_ids, listing.class_ids, raw, name="category_id", kind="category")
        return listing, raw
    if not listing.closed:
        return _extended(listing, raw)
    files = listing.files if join == "file" else None
    images = dict(zip(files or listing.images, listing.images, strict=True))
    by_name = dict(zip(listing.categories, listing.category_ids, strict=True))
    by_id = {one: one for one in listing.category_ids}
    cells = set(raw.category.tolist()) - {""}
    classes = by_id if cells <= set(by_id) and not cells <= set(by_name) else by_name
    image = _named(raw, raw.image, images, "image of the ground truth")
    category = _named(raw, raw.category, classes, "class of the ground truth")
    return listing, replace(raw, image=image, category=category)


def _named(
    raw: RawBoxes, cells: NDArray[np.object_], known: Mapping[str, str], kind: str
) -> NDArray[np.object_]:
    for row, cell in enumerate(cells.tolist()):
        if cell and cell not in known:
            unknown = ("", kind)
            near = raw.found.names(unknown)  # looking among many names takes long
            mend = choose_from(known, cell) if near else "name one that is there"
            what = f"{cell!r} is no {kind}"
            raw.found.add(raw.place(row), what, mend, kind=unknown, at=raw.at(row))
    return np.array([known.get(cell, "") for cell in cells.tolist()], dtype=object)


def _extended(listing: Listing, raw: RawBoxes) -> tuple[Listing, RawBoxes]:
    """Return a listing that has the images and classes of the predictions too, with notes."""
    images = _added(raw, raw.image, listing.images, "image")
    classes = _added(raw, raw.category, listing.categories, "class")
    notes = []
    if images:
        text = n_(
            "{n} image with detections and without a box of ground truth: {names}",
            "{n} images with detections and without a box of ground truth: {names}",
            len(images),
        )
        notes.append(text.format(n=len(images), names=some(images)))
    if classes:
        text = n_(
            "{n} class label with detections and without a box of ground truth: {names}",
            "{n} class labels with detections and without a box of ground truth: {names}",
            len(classes),
        )
        notes.append(text.format(n=len(classes), names=some(classes)))
    order = tuple(ascending([*listing.images, *images]))
    names = tuple(ascending([*listing.categories, *classes]))
    files = None if listing.files is None else order
    made = replace(listing, images=order, files=files, categories=names, category_ids=names)
    return made, replace(raw, notes=(*raw.notes, *notes))


def _added(raw: RawBoxes, cells: NDArray[np.object_], known: Sequence[str], kind: str) -> list[str]:
    given = ascending(cell for cell in cells.tolist() if cell)
    added = [cell for cell in given if cell not in set(known)]
    if added and len(added) == len(given):
        what = f"no {kind} of these predictions is in the ground truth: {few(added)}"
        raw.found.add("", what, f"name them as there: {few(list(known))}")
    return added


def with_sizes(listing: Listing, raw: RawBoxes, given: BoxFile) -> Listing:
    """Return the listing with the sizes that a file of boxes declares for its images.

    What the ground truth says stands. Predictions in pixels of another size are a mistake.
    """
    own = dict.fromkeys(listing.images, (given.size[0], given.size[1])) if given.size else {}
    if given.size and min(given.size) <= 0:
        raw.found.add("", f"the declared size {given.size} is no size", "write pixels above 0")
        return listing
    own = own or dict(raw.sizes)
    if raw.score is None:
        return replace(listing, sizes={**listing.sizes, **own})
    other = [name for name, size in own.items() if listing.sizes.get(name, size) != size]
    if other and not given.normalised:
        there, here = listing.sizes[other[0]], own[other[0]]
        what = (
            f"{counted(len(other), 'image')} of another size than in the ground truth: "
            f"{other[0]!r} is {_by(here)} here, {_by(there)} there"
        )
        raw.found.add("", what, "give both in pixels of one size, or normalised: true")
    return replace(listing, sizes={**own, **listing.sizes})


def _by(size: Size) -> str:
    return f"{size[0]:g} × {size[1]:g}"


def in_pixels(raw: RawBoxes, listing: Listing, given: BoxFile) -> RawBoxes:
    """Return boxes as left, top, width and height in pixels of the declared size.

    Normalised boxes of an image without a size are noted in `raw.found`.
    """
    box = to_xywh(raw.box, given.format)
    if given.normalised:
        size = size_array(listing, raw.image)
        named: set[str] = set()
        for row in np.flatnonzero(np.isnan(size[:, 0])).tolist():
            name = str(raw.image[row])
            if name and name not in named:
                what = f"the box is normalised and the size of image {name!r} is not known"
                mend = "say size: [width, height], or name the columns width and height"
                raw.found.add(raw.place(row), what, mend, kind=("", mend), at=raw.at(row))
            named.add(name)
        box = box * np.tile(size, 2)
    return replace(raw, box=box)


def size_array(listing: Listing, images: Iterable[str]) -> NDArray[np.float64]:
    """Return the declared width and height of images, (n, 2), NaN where not declared."""
    none = (np.nan, np.nan)
    sizes = [listing.sizes.get(name, none) for name in images]
    return np.array(sizes, dtype=np.float64).reshape(-1, 2)
