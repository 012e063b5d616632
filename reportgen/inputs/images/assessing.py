"""How good a set of images is before any figure is made of it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

import numpy as np

from reportgen.inputs.assessing import (
    groups_of,
    of_numbers,
    of_text,
    unit_rows_of,
    without_role,
)
from reportgen.inputs.convert import Coded
from reportgen.inputs.images.content import ImageSet, TextArray
from reportgen.inputs.images.listing import Listing
from reportgen.inputs.noted import of_spellings
from reportgen.inputs.quality import ColumnQuality, GroupSize, Quality
from reportgen.inputs.table import Table

PARTED = ("split", "site")
"""What parts the images into groups, beside their labels."""
SPELT = ("split", "site", "unit")
"""Columns whose values may be spellings of one, beside the labels."""


def quality_of(images: ImageSet, listing: Listing) -> Quality:
    """Return what a set of images is like; its columns are named as in the file, if it has one."""
    known = {role: values for role in PARTED if (values := getattr(images, role)) is not None}
    groups = {listing.column(role): values for role, values in known.items()}
    table = Table(images.name, images.n_images, "score", None, None, {}, images.unit, groups, {})
    return Quality(
        columns=(*_columns(images, listing), *without_role(listing.others)),
        groups=(*groups_of(table), *_labels(images, table, listing.column("label"))),
        unit_rows=unit_rows_of(images.unit),
    )


def spellings(images: ImageSet, listing: Listing) -> Iterator[str]:
    """Yield which values of a column may be spellings of one."""
    for role in SPELT:
        values = getattr(images, role)
        if values is not None:
            met = dict.fromkeys(values[values != ""].tolist())
            yield from _spelt(listing.column(role), tuple(met))
    if images.labels is not None:
        met = dict.fromkeys(label for labels in images.labels for label in sorted(labels))
        yield from _spelt(listing.column("label"), tuple(met))


def _spelt(column: str, values: tuple[str, ...]) -> Iterator[str]:
    return of_spellings(column, Coded(values, np.arange(len(values))), levels=False)


def _columns(images: ImageSet, listing: Listing) -> Iterator[ColumnQuality]:
    """Yield the columns in the order of the roles; the labels of an image are one value each."""
    if listing.digest is not None:
        yield of_text(listing.column("file"), "file", images.files)
        if "id" in listing.named:
            yield of_text(listing.column("id"), "id", images.ids)
    for role in ("split", "source", "unit", "site"):
        values = getattr(images, role)
        if values is not None:
            yield of_text(listing.column(role), role, values)
    if images.acquired is not None:
        yield of_text(
            listing.column("acquired"), "acquired", images.acquired, _ends(images.acquired)
        )
    if images.labels is not None:
        without = sum(not labels for labels in images.labels)
        met = {label for labels in images.labels for label in labels}
        yield ColumnQuality(listing.column("label"), "label", without, len(met))
    if images.declared_size is not None:
        for at, role in enumerate(("width", "height")):
            if role in listing.named:
                sides = images.declared_size[:, at].astype(np.float64)
                yield of_numbers(listing.column(role), role, np.where(sides > 0, sides, np.nan))


def _ends(dates: TextArray) -> tuple[str, str] | None:
    """Return the first and the last of ISO 8601 dates, which sort as text; None without any."""
    known = [date for date in dates.tolist() if date]
    return (min(known), max(known)) if known else None


def _labels(images: ImageSet, table: Table, column: str) -> Iterator[GroupSize]:
    """Yield how many images and units have each label; an image counts under each of its labels."""
    if images.labels is None:
        return
    codes = table.unit_codes(np.arange(images.n_images, dtype=np.intp)).tolist()
    pairs = [
        (label, unit)
        for labels, unit in zip(images.labels, codes, strict=True)
        for label in labels or {""}
    ]
    rows, units = (Counter(label for label, _unit in one) for one in (pairs, set(pairs)))
    for label in sorted(rows, key=lambda one: (not one, -rows[one], one)):
        yield GroupSize(column, label or None, rows[label], units[label], None, None)
