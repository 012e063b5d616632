"""What the images of each split are, what all have in common, and which contradict each other."""

from __future__ import annotations

import re
from collections import defaultdict

import numpy as np
from numpy.typing import NDArray

from reportgen.inputs.images import ImageSet
from reportgen.language import _
from reportgen.sections.integrity.joined import NO_LABEL, ImageLabels
from reportgen.sections.integrity.result_partition import (
    ClassSourceRow,
    ConflictRow,
    ConstantRow,
    SplitRow,
)
from reportgen.sections.integrity.splits import in_order
from reportgen.wording import separated

FORMATS = frozenset(("jpg", "jpeg", "png", "bmp", "gif", "tif", "tiff", "webp", "dcm", "rf"))
PICTURES = frozenset(("img", "image", "images", "im", "pic", "picture", "photo", "file", "scan"))
NO_ATTRIBUTE = FORMATS | PICTURES
"""Parts of file names that say nothing of the picture: formats, and words for a picture."""
FEWEST_FILES = 5
"""With fewer files a part of the name that all have says nothing."""


def conflicts(images: ImageSet, labels: ImageLabels | None) -> tuple[ConflictRow, ...]:
    """Return the groups of images with the same pixels and different labels."""
    if labels is None:
        return ()
    groups: dict[str, list[int]] = defaultdict(list)
    for at, digest in enumerate(images.pixel_digest):
        if digest and labels.sets[at] is not None:
            groups[digest].append(at)
    rows = []
    for digest, members in groups.items():
        sets = [labels.sets[at] or frozenset() for at in members]
        if len(set(sets)) < 2:
            continue
        splits = [] if images.split is None else [images.split[at] for at in members]
        rows.append(
            ConflictRow(
                digest[:12],
                tuple(images.ids[at] for at in members),
                tuple(label_text(one) for one in sets),
                tuple(splits),
            )
        )
    return tuple(sorted(rows, key=lambda row: row.images))


def label_text(labels: frozenset[str] | None) -> str:
    """Return a set of labels as texts print it: sorted, with commas."""
    if labels is None:
        return _("not known")
    return separated(sorted(labels)) or _(NO_LABEL)


def split_rows(images: ImageSet, labels: ImageLabels | None) -> tuple[SplitRow, ...]:
    """Return what each split holds, and which classes of the whole set it lacks."""
    rows = []
    names = () if labels is None else labels.names
    for split in in_order(images):
        members = np.flatnonzero(images.split == split)
        known = [] if labels is None else [labels.sets[at] for at in members]
        present = {name for one in known if one is not None for name in one}
        rows.append(
            SplitRow(
                split,
                len(members),
                _distinct(images.source, members),
                _distinct(images.unit, members),
                None if labels is None else len(present),
                None if labels is None else sum(one is not None and not one for one in known),
                tuple(name for name in names if name not in present) if present else (),
            )
        )
    return tuple(rows)


def _distinct(values: NDArray[np.object_] | None, members: NDArray[np.intp]) -> int | None:
    if values is None:
        return None
    return len({value for value in values[members] if value})


def class_sources(images: ImageSet, labels: ImageLabels | None) -> tuple[ClassSourceRow, ...]:
    """Return the number of images and of sources of each class, the unlabelled last."""
    source = images.source
    if labels is None or source is None:
        return ()
    rows = []
    for name in (*labels.names, NO_LABEL):
        wanted = [
            at
            for at, one in enumerate(labels.sets)
            if one is not None and (name in one if name != NO_LABEL else not one)
        ]
        if wanted:
            sources = {source[at] for at in wanted if source[at]}
            rows.append(ClassSourceRow(name, len(wanted), len(sources)))
    return tuple(rows)


def constants(images: ImageSet) -> tuple[ConstantRow, ...]:
    """Return what is the same in all files: parts of their names, the site, a single label."""
    rows = []
    stems = [file.rpartition("/")[2].rpartition(".")[0] for file in images.files]
    if len(stems) >= FEWEST_FILES:
        parts = [re.split(r"[^0-9A-Za-z]+", stem) for stem in stems]
        common = set(parts[0]).intersection(*parts[1:])
        for part in parts[0]:
            if part in common and len(part) > 1 and part.casefold() not in NO_ATTRIBUTE:
                rows.append(ConstantRow(_("part of every file name"), part, len(stems)))
                common.discard(part)
    if images.site is not None and len({one for one in images.site if one}) == 1:
        known = [one for one in images.site if one]
        rows.append(ConstantRow(_("site"), known[0], len(known)))
    if images.labels is not None and len(set(images.labels)) == 1:
        text = label_text(images.labels[0])
        rows.append(ConstantRow(_("labels of an image"), text, images.n_images))
    return tuple(rows)
