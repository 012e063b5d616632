"""The record of a set of images: what was met, read, left out and converted."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterator, Sequence

import numpy as np

from reportgen.inputs.images.assessing import quality_of, spellings
from reportgen.inputs.images.content import ImageSet, Trouble
from reportgen.inputs.images.describing import Place, Seen
from reportgen.inputs.images.listing import Listing
from reportgen.inputs.images.settings import ImagesSettings
from reportgen.inputs.images.steps import step_told
from reportgen.inputs.several import units_in_several
from reportgen.inputs.table import FileTrouble, InputRecord, Table
from reportgen.language import _, mark, n_
from reportgen.result import LeftOut

KINDS = (mark("unreadable"), mark("oversized"))


def digest_of_files(places: Sequence[Place], seen: Sequence[Seen]) -> str:
    """Return the SHA-256 of the lines "path, tab, SHA-256 of the file", sorted by path."""
    lines = {f"{p.file}\t{one.file_digest}\n" for p, one in zip(places, seen, strict=True)}
    return hashlib.sha256("".join(sorted(lines)).encode("utf-8", "surrogateescape")).hexdigest()


def record_of(
    images: ImageSet, listing: Listing, seen: Sequence[Seen], settings: ImagesSettings
) -> InputRecord:
    """Return the record of a set of images, under ``images.<name>``.

    Its digest is the table's; for folders that of `digest_of_files`, which the notes say.
    """
    files = digest_of_files(listing.places, seen)
    table = listing.digest
    read = np.flatnonzero(images.readable)
    spelt = tuple(spellings(images, listing))
    several, counts = units_in_several(_as_table(images))
    return InputRecord(
        name=f"images.{images.name}",
        path=settings.path or settings.root,
        sha256=files if table is None else table.sha256,
        bytes=sum(one.bytes for one in seen) if table is None else table.size,
        rows=images.n_images,
        columns=listing.columns,
        read=len(read),
        left_out=tuple(_left_out(images)),
        units=len(np.unique(_as_table(images).unit_codes(read))),
        without_unit=None if images.unit is None else int(np.count_nonzero(images.unit == "")),
        notes=(*listing.notes, *_notes(images, listing, files), *counts, *spelt),
        remarks=spelt,
        units_in_several=several,
        unreadable=_named(images, "unreadable"),
        blank=_named(images, "blank"),
        oversized=_named(images, "oversized"),
        ignored=images.ignored,
        quality=quality_of(images, listing),
    )


def _left_out(images: ImageSet) -> Iterator[LeftOut]:
    kinds: tuple[Trouble, ...] = ("unreadable", "oversized")
    for kind in kinds:
        k = len(_named(images, kind))
        if k:
            yield LeftOut(_(kind), k)


def _named(images: ImageSet, kind: Trouble) -> tuple[FileTrouble, ...]:
    return tuple(FileTrouble(one.file, one.reason) for one in images.trouble if one.kind == kind)


def _notes(images: ImageSet, listing: Listing, files: str) -> Iterator[str]:
    n = images.n_images
    text = n_(
        "image files: {digest} is the SHA-256 of the lines 'path, tab, SHA-256' of its"
        " {n} image file, sorted by path",
        "image files: {digest} is the SHA-256 of the lines 'path, tab, SHA-256' of its"
        " {n} image files, sorted by path",
        n,
    )
    if listing.digest is None:
        text = n_(
            "the SHA-256 is that of the lines 'path, tab, SHA-256' of its {n} image file, sorted by"
            " path",
            "the SHA-256 is that of the lines 'path, tab, SHA-256' of its {n} image files, sorted"
            " by path",
            n,
        )
    yield text.format(n=n, digest=files)
    for step in images.conversions:
        text = n_("{step}: {n} image", "{step}: {n} images", step.k)
        yield text.format(step=step_told(step.reason), n=step.k)
    others = Counter(one.reason for one in images.ignored)
    for reason, k in sorted(others.items()):
        yield _("ignored, {reason}: {n}").format(reason=reason, n=k)
    yield from _size_notes(images)
    if images.unit is None:
        yield _("each image counts as a unit of its own: no unit is declared")


def _size_notes(images: ImageSet) -> Iterator[str]:
    """Yield how often the declared size is not the size of the upright picture."""
    compared, other, turned = images.declared_apart()
    if other.any():
        n = int(np.count_nonzero(compared))
        text = n_(
            "declared width or height is not the picture's (upright, after EXIF): {k} of {n} image",
            "declared width or height is not the picture's (upright, after EXIF): {k} of {n}"
            " images",
            n,
        )
        if turned.any():
            text = n_(
                "declared width or height is not the picture's (upright, after EXIF): {k} of {n}"
                " image, {turned} of them swapped",
                "declared width or height is not the picture's (upright, after EXIF): {k} of {n}"
                " images, {turned} of them swapped",
                n,
            )
        yield text.format(k=np.count_nonzero(other), n=n, turned=np.count_nonzero(turned))


def _as_table(images: ImageSet) -> Table:
    """Return units as a table's, parted by the splits if they are known."""
    groups = {} if images.split is None else {"split": images.split}
    return Table(images.name, images.n_images, "score", None, None, {}, images.unit, groups, {})
