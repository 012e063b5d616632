"""Tables of boxes: csv, tsv or parquet, one row a box."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from reportgen.errors import Key
from reportgen.inputs.beside import Finder
from reportgen.inputs.codes import canonical
from reportgen.inputs.columned import Columned, open_columns
from reportgen.inputs.detections.raw import Listing, RawBoxes, ascending
from reportgen.inputs.detections.settings import BoxColumns, BoxFile

BOX = ("x", "y", "w", "h")


def read_table(given: BoxFile, columns: BoxColumns, key: Key, finder: Finder) -> RawBoxes:
    """Return the boxes of a table; mistakes of its cells are in their `found`.

    Raises
    ------
    InputError
        If the file cannot be read or lacks a column.
    """
    roles = columns.model_dump(by_alias=True)
    table = open_columns(given, roles, key, finder)
    n_rows = table.grid.n_rows
    image = table.text("image")
    score = table.numbers("score") if table.has("score") else None
    if score is not None:
        _check_scores(table, score)
    return RawBoxes(
        path=given.path,
        digest=table.digest,
        header=table.grid.columns,
        place=table.grid.place,
        at=table.grid.at,
        ids=_ids(table),
        image=image,
        category=table.text("class"),
        image_ids=None,
        class_ids=None,
        box=np.column_stack([table.numbers(role) for role in BOX]),
        area=np.full(n_rows, np.nan),
        crowd=_flags(table, "crowd"),
        ignore=_flags(table, "ignore"),
        polygon=_flags(table, "polygon", yes=given.polygons),
        score=score,
        sizes=_sizes(table, image),
        found=table.found,
        notes=table.grid.notes,
        columns=table.quality().columns,
    )


def listing_of(truth: RawBoxes, *, files: bool) -> Listing:
    """Return the images and classes of a table of ground truth, which lists those with boxes."""
    images = tuple(ascending(truth.image.tolist()))
    classes = tuple(ascending(truth.category.tolist()))
    return Listing(images, images if files else None, truth.sizes, classes, classes, closed=False)


def _ids(table: Columned) -> NDArray[np.object_]:
    """Return the ids of the boxes, their rows counted from 1 where there is no such column."""
    if not table.has("id"):
        return np.array([str(row + 1) for row in range(table.grid.n_rows)], dtype=object)
    ids = table.text("id")
    seen: dict[str, int] = {}
    for row, one in enumerate(ids.tolist()):
        if one and one in seen:
            what = f"{one!r} stands in {table.line(seen[one])} already"
            table.refuse(row, "id", what, "give every box an id of its own")
        seen.setdefault(one, row)
    return ids


def _flags(table: Columned, role: str, *, yes: list[str] | None = None) -> NDArray[np.bool_]:
    if not table.has(role):
        return np.zeros(table.grid.n_rows, dtype=bool)
    return table.flags(role, yes={canonical(value) for value in yes or ()})


def _check_scores(table: Columned, score: NDArray[np.float64]) -> None:
    for row in np.flatnonzero((score < 0) | (score > 1)).tolist():
        what = f"{score[row]:g} is out of range"
        table.refuse(row, "score", what, "write a number from 0 to 1")


def _sizes(table: Columned, image: NDArray[np.object_]) -> dict[str, tuple[float, float]]:
    """Return width and height of every image of a table that has such columns."""
    if not (table.has("width") and table.has("height")):
        return {}
    width, height = (table.numbers(role, optional=True) for role in ("width", "height"))
    for role, side in (("width", width), ("height", height)):
        for row in np.flatnonzero(side <= 0).tolist():
            table.refuse(row, role, f"{side[row]:g} is no size", "write pixels")
    sizes: dict[str, tuple[float, float]] = {}
    for row in np.flatnonzero((width > 0) & (height > 0)).tolist():
        name, size = str(image[row]), (float(width[row]), float(height[row]))
        if sizes.setdefault(name, size) != size:
            first = "{:g} × {:g}".format(*sizes[name])
            what = f"{size[0]:g} × {size[1]:g}, in a row above {first} for the same image"
            place, mend = table.grid.place(row), "an image has one size"
            table.found.add(place, what, mend, kind=("", mend), at=table.grid.at(row))
    return sizes
