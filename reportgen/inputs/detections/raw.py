"""Boxes as a file gives them, whatever its form, before they are joined with its images."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from reportgen.inputs.opening import Digest
from reportgen.inputs.quality import ColumnQuality
from reportgen.inputs.trouble import At, FileFaults

WHOLE = re.compile(r"[+-]?\d+", re.ASCII)


class Id(NamedTuple):
    """An identifier as JSON writes it: 7 and "7" are not the same there."""

    text: str
    is_number: bool

    def __str__(self) -> str:
        return self.text if self.is_number else f'"{self.text}"'


@dataclass(frozen=True)
class Listing:
    """The images and classes that boxes may belong to.

    Attributes
    ----------
    images, files : tuple of str
        Ascending by id: by number where all are numbers, else as text. `files` is None unless every
        image has a file name.
    sizes : mapping of text to (float, float)
        Declared width and height of each image that has them.
    categories, category_ids : tuple of str
        In the order of the ids.
    image_ids, class_ids : mapping of text to Id
        Identifiers as declared; empty where they are text in any case (a table).
    closed : bool
        Whether what is not listed is a mistake (COCO), or an image without boxes and a class
        without boxes (a table, which cannot list them).
    """

    images: tuple[str, ...]
    files: tuple[str, ...] | None
    sizes: Mapping[str, tuple[float, float]]
    categories: tuple[str, ...]
    category_ids: tuple[str, ...]
    image_ids: Mapping[str, Id] = field(default_factory=dict)
    class_ids: Mapping[str, Id] = field(default_factory=dict)
    closed: bool = True


@dataclass(frozen=True)
class RawBoxes:
    """The boxes of one file in its order.

    Attributes
    ----------
    path : str
        As the manifest gives it.
    digest : Digest
    header : tuple of str
        Columns of a table; empty for JSON.
    place : callable
        ``place(i)`` says where the i-th box is: ``:17`` or ``: annotations[3] (id 12)``.
    at : callable
        ``at(i)`` is the same as a place that can be counted.
    ids, image, category : (m,) object array
        Text.
    image_ids, class_ids : tuple of Id or None
        As declared, for a file of JSON.
    box : (m, 4) float array
        The four numbers as they stand there.
    area : (m,) float array
        NaN where the file gives none.
    crowd, ignore, polygon : (m,) bool array
    score : (m,) float array or None
    sizes : mapping of text to (float, float)
        Width and height of the images, where the file says.
    found : FileFaults
        Mistakes so far.
    notes : tuple of str
    columns : tuple of ColumnQuality
        What the columns of a table are like; empty for JSON.
    """

    path: str
    digest: Digest
    header: tuple[str, ...]
    place: Callable[[int], str] = field(repr=False)
    at: Callable[[int], At] = field(repr=False)
    ids: NDArray[np.object_]
    image: NDArray[np.object_]
    category: NDArray[np.object_]
    image_ids: tuple[Id, ...] | None
    class_ids: tuple[Id, ...] | None
    box: NDArray[np.float64]
    area: NDArray[np.float64]
    crowd: NDArray[np.bool_]
    ignore: NDArray[np.bool_]
    polygon: NDArray[np.bool_]
    score: NDArray[np.float64] | None
    sizes: Mapping[str, tuple[float, float]]
    found: FileFaults
    notes: tuple[str, ...] = ()
    columns: tuple[ColumnQuality, ...] = ()

    @property
    def n_boxes(self) -> int:
        """The number of boxes."""
        return len(self.ids)


def ascending(ids: Iterable[str]) -> list[str]:
    """Return identifiers in order: by number where all are whole numbers, else as text."""
    unique = list(dict.fromkeys(ids))
    if all(WHOLE.fullmatch(one) and len(one) < 4000 for one in unique):
        return sorted(unique, key=lambda one: (int(one), one))
    return sorted(unique)


def to_xywh(box: NDArray[np.float64], form: str) -> NDArray[np.float64]:
    """Return boxes (m, 4) as left, top, width, height.

    Parameters
    ----------
    box : (m, 4) float array
    form : {"xywh", "xyxy", "cxcywh"}
        What the four numbers are: left, top, width, height; left, top, right, bottom; or centre,
        width, height.
    """
    made = box.copy()
    if form == "xyxy":
        made[:, 2:] -= box[:, :2]
    elif form == "cxcywh":
        made[:, :2] -= box[:, 2:] / 2
    return made
