"""How good a file of boxes is before any figure is made of it."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from reportgen.inputs.assessing import of_numbers, of_text, unit_rows_of
from reportgen.inputs.convert import Coded
from reportgen.inputs.detections.raw import Listing, RawBoxes
from reportgen.inputs.noted import of_spellings
from reportgen.inputs.quality import ColumnQuality, GroupSize, Quality

SIDES = ("x", "y", "w", "h")


def quality_of(listing: Listing, raw: RawBoxes) -> Quality:
    """Return what a file of boxes is like; its units are the images that have boxes in it."""
    return Quality(
        columns=raw.columns or tuple(_fields(raw)),
        groups=tuple(_classes(listing, raw)),
        unit_rows=unit_rows_of(raw.image),
        repeats=repeats_of(raw),
    )


def repeats_of(raw: RawBoxes) -> int:
    """Return how many boxes repeat an earlier one in image, class, place and score."""
    score = np.zeros(raw.n_boxes) if raw.score is None else raw.score
    numbers = np.column_stack([raw.box, raw.crowd, raw.ignore, score]).tolist()
    rows = zip(raw.image.tolist(), raw.category.tolist(), numbers, strict=True)
    return raw.n_boxes - len({(image, kind, *row) for image, kind, row in rows})


def spellings(listing: Listing) -> Iterator[str]:
    """Yield which names of classes may be spellings of one."""
    names = listing.categories
    return of_spellings("class", Coded(names, np.arange(len(names))), levels=False)


def _fields(raw: RawBoxes) -> Iterator[ColumnQuality]:
    """Yield the fields of COCO; every box has an image, a class and four numbers."""
    yield of_text("image_id", "image", raw.image)
    yield of_text("category_id", "class", raw.category)
    for at, side in enumerate(SIDES):
        yield of_numbers(f"bbox[{at}]", side, raw.box[:, at])
    if not np.isnan(raw.area).all():
        yield of_numbers("area", "area", raw.area)
    if raw.score is not None:
        yield of_numbers("score", "score", raw.score)


def _classes(listing: Listing, raw: RawBoxes) -> Iterator[GroupSize]:
    """Yield the boxes and the images of every class, those without any among them."""
    for key, name in zip(listing.category_ids, listing.categories, strict=True):
        own = raw.image[raw.category == key]
        yield GroupSize("class", name, len(own), len(set(own.tolist())), None, None)
