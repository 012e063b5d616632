"""Boxes that lie in the picture as it is stored, not upright as it is read."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from reportgen.language import _, mark
from reportgen.section import Code
from reportgen.sections.integrity.joined import Joined
from reportgen.sections.integrity.records import MAJOR_SHARE, Facts, written_share

CODES: tuple[Code, ...] = (
    Code(
        "INT-034",
        ("fail", "warn", "pass"),
        mark(
            "The boxes' image has the picture's height for width: boxes of the file as stored,"
            " before its EXIF orientation. Fail from 5 % of the images on."
        ),
    ),
)
TITLE = mark("Boxes on pictures that are not upright")


def turned_facts(joined: Joined) -> Iterator[Facts]:
    """Yield how many images have boxes in a frame whose sides are swapped.

    Nothing is said where no image is joined, or no picture can be read.
    """
    seen = (joined.at >= 0) & (joined.images.size > 0).all(axis=1)
    hit = np.flatnonzero(joined.turned)
    k, n = len(hit), int(np.count_nonzero(seen))
    if not n:
        return
    size = _("{image}: boxes in {boxes}, picture {picture}")
    sizes = [
        size.format(
            image=joined.images.ids[at],
            boxes=f"{wide:g} × {high:g}",
            picture=f"{width} × {height}",
        )
        for at in hit.tolist()
        for wide, high in [joined.box_size(at)]
        for width, height in [joined.images.size[at].tolist()]
    ]
    statement = _("{share} images have boxes in a frame with width and height swapped.")
    if k:
        statement = _(
            "{share} images have boxes in a frame with width and height swapped: consistent with"
            " boxes drawn on the file as stored, before its EXIF orientation. Their boxes are not"
            " compared with those of a twin."
        )
    yield Facts(
        "INT-034",
        "label_geometry",
        "label",
        _(TITLE),
        statement.format(share=written_share(k, n)),
        "found" if k else "not found",
        ("major" if k >= MAJOR_SHARE * n else "minor") if k else None,
        k,
        n,
        interval=False,
        affected_claim=_("Every figure of predictions made on upright pictures"),
        remedy=_("Turn boxes and sizes as the pictures are turned, or store the pictures upright.")
        if k
        else "",
        evidence=sizes,
        limits=_("A square picture does not tell."),
        summary=_("{share} images: sides swapped").format(share=written_share(k, n)),
    )
