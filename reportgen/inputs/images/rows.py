"""An image table: a row an image, its columns converted by role."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime
from pathlib import Path, PurePosixPath
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from reportgen.errors import InputError, Key
from reportgen.inputs.beside import Finder, in_file
from reportgen.inputs.columns import column_faults
from reportgen.inputs.convert import Coded, Role, RoleError, cell_text, to_codes, to_numbers
from reportgen.inputs.files import Trouble
from reportgen.inputs.grid import Grid
from reportgen.inputs.images.describing import Place
from reportgen.inputs.images.listing import TEXTS, Listing
from reportgen.inputs.images.places import find_image, pin_faults
from reportgen.inputs.images.settings import ImageColumns, ImagesSettings
from reportgen.inputs.opening import read_file
from reportgen.inputs.trouble import FileFaults
from reportgen.language import n_

IDS = ("id", "unit", "source")


def list_rows(settings: ImagesSettings, root: Path, key: Key, finder: Finder) -> Listing:
    """Return the images that a table names.

    Raises
    ------
    InputError
        With every fault of the file, its header and its cells.
    """
    assert settings.path is not None  # noqa: S101 (the settings have a path or folders)
    assert settings.columns is not None  # noqa: S101 (and with a path, columns)
    at = (*key, "path")
    path = finder.find(settings.path, at)
    named = _named(settings.columns)
    try:
        grid, digest = read_file(
            path,
            reading=settings.read,
            wanted=set(named.values()),
            missing=settings.missing,
        )
    except FileFaults as found:
        raise InputError(in_file(found, settings.path, at, finder.where)) from None
    rows = _Rows(settings, settings.path, grid, root, key, finder)
    keyed = [((*key, "columns", role), column) for role, column in named.items()]
    faults = pin_faults(settings, digest.sha256, key, finder)
    faults += column_faults(keyed, grid.columns, path=settings.path, where=finder.where)
    there = {role: name for role, name in named.items() if grid.columns.count(name) == 1}
    listing = rows.listing(there) if "file" in there else {}
    if faults or rows.found:
        raise InputError([*faults, *in_file(rows.found, settings.path, at, finder.where)])
    file = {"digest": digest, "columns": grid.columns, "named": named, "others": grid.others}
    return Listing(**{**listing, **file})


def _named(columns: ImageColumns) -> dict[str, str]:
    return {role: column for role, column in columns.model_dump().items() if column is not None}


class _Rows:
    """The rows of one table on their way to a `Listing`; mistakes and notes gather here."""

    def __init__(
        self, settings: ImagesSettings, path: str, grid: Grid, root: Path, key: Key, finder: Finder
    ) -> None:
        self.settings, self.path, self.grid, self.root = settings, path, grid, root
        self.key, self.finder = key, finder
        self.found = FileFaults()
        self.notes: list[str] = list(grid.notes)

    def listing(self, named: dict[str, str]) -> dict[str, Any]:
        """Return the fields of a Listing, in the order of the rows."""
        files = self._filled("file", named["file"])
        places = [self._place(row, named["file"], file) for row, file in enumerate(files)]
        ids = self._filled("id", named["id"]) if "id" in named else files
        self._refuse_repeats("id" if "id" in named else "file", ids, named)
        if "id" in named and len({*files}) < len(files):
            more = len(files) - len({*files})
            text = n_(
                "{n} row names a file that an earlier row names",
                "{n} rows name a file that an earlier row names",
                more,
            )
            self.notes.append(text.format(n=more))
        texts = {role: self._codes(role, named[role]) for role in TEXTS if role in named}
        if "acquired" in texts:
            self._check_dates(named["acquired"], texts["acquired"])
        for role in ("split", "unit", "source"):
            absent = int(np.count_nonzero(texts[role].codes < 0)) if role in texts else 0
            if absent:
                text = n_("{n} row without {column}", "{n} rows without {column}", absent)
                self.notes.append(text.format(n=absent, column=named[role]))
        return {
            "ids": tuple(ids),
            "places": tuple(places),
            "texts": {role: coded.text() for role, coded in texts.items()},
            "labels": self._labels(named["label"]) if "label" in named else None,
            "splits": texts["split"].values if "split" in texts else (),
            "declared_size": self._sizes(named),
            "notes": tuple(self.notes),
        }

    def _fault(self, role: str, column: str, what: str, mend: str, row: int | None = None) -> None:
        within, key = f": column {column!r}", (*self.key, "columns", role)
        if row is None:
            self.found.add(within, what, mend, key=key)
            return
        place, kind = f"{self.grid.place(row)}{within}", (within, mend)
        self.found.add(place, what, mend, kind=kind, at=self.grid.at(row), key=key)

    def _each(self, role: str, column: str, found: Iterable[tuple[int, str]], mend: str) -> None:
        """Note a kind of mistake, in ascending order of the rows."""
        for row, what in found:
            self._fault(role, column, what, mend, row)

    def _codes(self, role: str, column: str) -> Coded:
        cells = self.grid.data[column]
        if pa.types.is_temporal(cells.type):
            cells = pc.cast(cells, pa.large_string())
        try:
            of: Role = "id" if role in IDS else "group"
            coded = to_codes(cells, missing={*self.settings.missing, ""}, role=of)
            return coded.renamed([value.strip() for value in coded.values])
        except RoleError as error:
            mend = error.mend or "write it as text"
            self._fault(role, column, f"it holds {error}, not text or codes", mend)
            return Coded((), np.full(self.grid.n_rows, -1, dtype=np.intp))

    def _filled(self, role: str, column: str) -> list[str]:
        before = len(self.found.spots)
        texts: list[str] = self._codes(role, column).text().tolist()
        if len(self.found.spots) == before:
            empty = [(row, "the cell is empty") for row, text in enumerate(texts) if text == ""]
            self._each(role, column, empty, f"every image needs its {role}")
        return texts

    def _place(self, row: int, column: str, given: str) -> Place:
        if not given:
            return Place("", None)
        file = str(PurePosixPath(given))
        allowed = self.finder.allow_outside
        found = find_image(given, root=self.root, allow_outside=allowed)
        if isinstance(found, Trouble):
            self._fault("file", column, found.what, found.mend, row)
            return Place(file, None)
        return Place(file, found)

    def _refuse_repeats(self, role: str, ids: list[str], named: dict[str, str]) -> None:
        first: dict[str, int] = {}
        found = []
        for row, one in enumerate(ids):
            if one and first.setdefault(one, row) != row:
                earlier = self.grid.place(first[one]).lstrip(": ")
                kind = "line " if self.grid.lines is not None else ""
                found.append((row, f"{one!r} stands in {kind}{earlier} already"))
        mend = "an id names one image: keep one row, or give each its own id"
        self._each(role, named[role], found, mend)

    def _check_dates(self, column: str, acquired: Coded) -> None:
        odd = {text for text in acquired.values if not _is_date(text)}
        texts = acquired.text().tolist()
        found = [
            (row, f"{text!r} is no date of ISO 8601")
            for row, text in enumerate(texts)
            if text in odd
        ]
        self._each("acquired", column, found, "write 2024-05-06 or 2024-05-06T10:30:00")

    def _labels(self, column: str) -> tuple[frozenset[str], ...]:
        separator = self.settings.label_separator
        coded = self._codes("label", column)
        sets = [_label_set(text, separator) for text in coded.values]
        return tuple(sets[code] if code >= 0 else frozenset() for code in coded.codes.tolist())

    def _sizes(self, named: dict[str, str]) -> NDArray[np.int64] | None:
        if "width" not in named and "height" not in named:
            return None
        sizes = np.zeros((self.grid.n_rows, 2), dtype=np.int64)
        for at, role in enumerate(("width", "height")):
            if role in named:
                sizes[:, at] = self._lengths(role, named[role])
        return sizes

    def _lengths(self, role: str, column: str) -> NDArray[np.int64]:
        read = self.settings.read
        cells = self.grid.data[column]
        try:
            numbers = to_numbers(
                cells, missing={*self.settings.missing, ""}, decimal=read.decimal, percent=False
            )
        except RoleError as error:
            self._fault(role, column, f"it holds {error}, not numbers", "name a column of numbers")
            return np.zeros(self.grid.n_rows, dtype=np.int64)
        values = numbers.values
        odd = ~np.isnan(values) & ((values < 1) | (values != np.floor(values)) | (values > 2**31))
        rows = np.union1d(numbers.bad, np.flatnonzero(odd)).tolist()
        found = [(row, f"{cell_text(cells, row)!r} is no length in pixels") for row in rows]
        self._each(role, column, found, "write a whole number above 0, or leave it empty")
        values[rows] = np.nan
        return np.nan_to_num(values, nan=0.0).astype(np.int64)


def _label_set(text: str, separator: str | None) -> frozenset[str]:
    parts = [text] if separator is None else text.split(separator)
    return frozenset(part.strip() for part in parts if part.strip())


def _is_date(text: str) -> bool:
    try:
        datetime.fromisoformat(text.strip())
    except ValueError:
        return False
    return True
