"""Which flagged pairs are pictured, and their pictures."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from reportgen.inputs.images import ImageSet
from reportgen.language import mark
from reportgen.sections.integrity.joined import ImageLabels, Joined
from reportgen.sections.integrity.leakage_described import label_text
from reportgen.sections.integrity.near_rows import Flagged
from reportgen.sections.integrity.pictures import GAIN, pair_picture
from reportgen.sections.integrity.result_partition import PictureRow
from reportgen.stats.duplicates import apply_symmetry, apply_to_boxes

FloatArray = NDArray[np.float64]

NEAREST, MEDIAN, THRESHOLD = mark("nearest"), mark("median"), mark("at the threshold")


def chosen_pairs(found: Sequence[Flagged], most: int) -> tuple[tuple[str, Flagged], ...]:
    """Return the nearest pairs, those in the middle and those at the threshold, each once.

    Parameters
    ----------
    found : sequence of Flagged
        Nearest first. Pairs of two splits go before pairs within one.
    most : int
        How many in all; a third each.
    """
    across = [one for one in found if one.row.split != one.row.twin_split]
    pool = across or list(found)
    n = len(pool)
    each = [most // 3 + (at < most % 3) for at in range(3)]
    middle = max(0, (n - 1) // 2 - (each[2] - 1) // 2)
    wanted = [
        *((NEAREST, at) for at in range(each[0])),
        *((THRESHOLD, n - 1 - at) for at in range(each[1])),
        *((MEDIAN, middle + at) for at in range(each[2])),
    ]
    taken: dict[int, str] = {}
    for name, at in wanted:
        if 0 <= at < n:
            taken.setdefault(at, name)
    return tuple((taken[at], pool[at]) for at in sorted(taken))


def picture_rows(
    chosen: Sequence[tuple[str, Flagged]],
    images: ImageSet,
    *,
    joined: Joined | None,
    labels: ImageLabels | None,
    pictured: bool,
) -> tuple[tuple[PictureRow, ...], Mapping[str, bytes]]:
    """Return the rows of the chosen pairs and the PNGs that they name.

    Parameters
    ----------
    chosen : sequence of (text, Flagged)
    images : ImageSet
    joined : Joined or None
        Boxes to be drawn.
    labels : ImageLabels or None
        For the captions.
    pictured : bool
        Whether pictures are made at all; else the rows name ids alone.
    """
    rows, pictures = [], {}
    for name, one in chosen:
        digest = None
        if pictured:
            png = _picture(one, images, joined)
            digest = hashlib.sha256(png).hexdigest()
            pictures[digest] = png
        rows.append(
            PictureRow(
                one.row.image,
                one.row.twin,
                one.row.detector,
                name,
                one.row.symmetry,
                one.distance,
                one.row.full_rms,
                one.row.full_r,
                label_text(None if labels is None else labels.sets[one.image]),
                label_text(None if labels is None else labels.sets[one.twin]),
                GAIN,
                digest,
                digest is not None and _has_boxes(one, joined),
            )
        )
    return tuple(rows), pictures


def _picture(one: Flagged, images: ImageSet, joined: Joined | None) -> bytes:
    twin = apply_symmetry(images.picture(one.twin), one.symmetry)
    return pair_picture(
        images.picture(one.image),
        twin,
        own_boxes=_shares(joined, one.image, 0),
        twin_boxes=_shares(joined, one.twin, one.symmetry),
    )


def _has_boxes(one: Flagged, joined: Joined | None) -> bool:
    """Return whether the image or its twin has a labelled box."""
    shares = (_shares(joined, one.image, 0), _shares(joined, one.twin, one.symmetry))
    return any(boxes is not None and len(boxes) > 0 for boxes in shares)


def _shares(joined: Joined | None, image: int, symmetry: int) -> FloatArray | None:
    """Return an image's boxes after a symmetry, as shares of its width and height; None if none."""
    if joined is None or joined.at[image] < 0:
        return None
    width, height = joined.box_size(image)
    shares = joined.detections.truth.xywh[joined.truth(image)] / [width, height, width, height]
    return apply_to_boxes(shares, symmetry, size=(1.0, 1.0))
