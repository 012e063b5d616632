"""What stands beside a table: its feature file, and the rows the model was fitted on."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path, PurePath

import numpy as np

from reportgen.errors import Fault, InputError, Key
from reportgen.inputs.assessing import of_numbers, of_text, quality_of
from reportgen.inputs.columns import columns_by_role
from reportgen.inputs.features import ARRAYS, Aligned, FeatureRows, align, beyond, read_features
from reportgen.inputs.files import Trouble, find_file
from reportgen.inputs.opening import Digest, read_file
from reportgen.inputs.quality import ColumnQuality, Quality
from reportgen.inputs.roles import Converter
from reportgen.inputs.settings import FeatureFile, PinnedFile, TableSettings, Train
from reportgen.inputs.table import InputRecord, Table, Training
from reportgen.inputs.trouble import FileFaults, few


@dataclass(frozen=True)
class Finder:
    """Where files are and how their mistakes are placed.

    Attributes
    ----------
    folder : pathlib.Path
        The folder that paths are relative to.
    where : callable
        Turns a manifest key into its place.
    allow_outside : bool
        Whether paths may leave the folder.
    """

    folder: Path
    where: Callable[[Key], str]
    allow_outside: bool

    def find(self, given: str, key: Key) -> Path:
        """Return the file of a path that the manifest names under `key`.

        Raises
        ------
        InputError
            If it is not there or lies where it must not.
        """
        found = find_file(given, folder=self.folder, allow_outside=self.allow_outside)
        if isinstance(found, Trouble):
            raise InputError([Fault(self.where(key), found.what, found.mend, key)])
        return found

    def check_pin(
        self, pinned: TableSettings | PinnedFile | FeatureFile | Train, digest: Digest, key: Key
    ) -> list[Fault]:
        """Return a fault if a file is not the one whose digest was declared."""
        if pinned.sha256 is None or pinned.sha256 == digest.sha256:
            return []
        what = f"{pinned.path} has the SHA-256 {digest.sha256}"
        mend = "the file is not the pinned one: restore it, or pin it anew"
        return [Fault(self.where(key), what, mend, key)]


def in_file(found: FileFaults, path: str, key: Key, where: Callable[[Key], str]) -> list[Fault]:
    """Return the mistakes of a file, which the manifest names at `key`, both before them."""
    faults = []
    for spot in found.spots:
        at = spot.key or key
        place = f"{path}{spot.place} ({where(at)})"
        faults.append(Fault(place, spot.what, spot.mend, at, spot.count))
    return faults


def with_features(
    table: Table, settings: TableSettings, keys: Callable[[], list[str] | None], finder: Finder
) -> tuple[Table, list[InputRecord]]:
    """Return a table with the feature vectors of its feature file, and that file's record.

    `keys` gives the table's row ids; it is called where they are needed alone.
    """
    if not isinstance(settings.features, FeatureFile):
        return table, []
    key: Key = ("tables", table.name, "features")
    aligned, record = _features(settings.features, settings, table.n_rows, keys(), key, finder)
    return replace(table, features=aligned.features), [record]


def _features(
    declared: FeatureFile,
    settings: TableSettings,
    n_rows: int,
    keys: list[str] | None,
    key: Key,
    finder: Finder,
) -> tuple[Aligned, InputRecord]:
    path = finder.find(declared.path, (*key, "path"))
    try:
        reading = declared.read or settings.read
        rows = read_features(path, declared, reading, missing=settings.missing)
        aligned = align(rows, n_rows, keys)
    except FileFaults as found:
        raise InputError(in_file(found, declared.path, (*key, "path"), finder.where)) from None
    changed = finder.check_pin(declared, rows.digest, (*key, "sha256"))
    if changed:
        raise InputError(changed)
    return aligned, _record(".".join(map(str, key)), declared, rows, aligned)


def _record(name: str, declared: FeatureFile, rows: FeatureRows, aligned: Aligned) -> InputRecord:
    return InputRecord(
        name=name,
        path=declared.path,
        sha256=rows.digest.sha256,
        bytes=rows.digest.size,
        rows=len(rows.values),
        columns=rows.columns,
        read=len(rows.values),
        notes=aligned.notes,
        remarks=aligned.remarks,
        quality=Quality(columns=tuple(_feature_columns(declared, rows))),
    )


def _feature_columns(declared: FeatureFile, rows: FeatureRows) -> Iterator[ColumnQuality]:
    if rows.keys is not None and declared.key is not None:
        yield of_text(declared.key, "key", rows.keys.text())
    for name, values in zip(rows.names, rows.values.T, strict=True):
        yield of_numbers(name, "feature", values)


def with_training(
    table: Table, settings: TableSettings, finder: Finder
) -> tuple[Table, list[InputRecord]]:
    """Return a table with the rows its model was fitted on, and the records of their files."""
    if settings.train is None:
        return table, []
    read, records = _read_training(settings.train, settings, table.name, finder)
    features = _same_features(read, table, settings, finder)
    train = Training(read.n_rows, read.unit, read.groups, features)
    return replace(table, train=train), records


def read_converted(
    name: str, declared: TableSettings, finder: Finder, key: Key, *, keep_short: bool = False
) -> tuple[Table, Converter, Digest]:
    """Return the table that the manifest declares under `key`, read and converted by role.

    Rows with fewer fields than the header are refused unless `keep_short`.

    Raises
    ------
    InputError
        With every fault of the file, its cells and its declared digest.
    """
    path = finder.find(declared.path, (*key, "path"))
    wanted = {column for _, column in columns_by_role(declared)}
    try:
        grid, digest = read_file(
            path,
            reading=declared.read,
            wanted=wanted,
            keep_short=keep_short,
            missing=declared.missing,
        )
    except FileFaults as found:
        raise InputError(in_file(found, declared.path, (*key, "path"), finder.where)) from None
    converter = Converter(name, declared, grid, finder.where, key)
    table = converter.table()
    faults = [*finder.check_pin(declared, digest, (*key, "sha256")), *converter.faults]
    if table is not None:
        faults += _beyond(table, converter)
    if faults or table is None:
        raise InputError(faults)
    return table, converter, digest


def _beyond(table: Table, converter: Converter) -> Iterator[Fault]:
    """Yield a fault for each feature with a value that cannot be computed with."""
    columns = converter.settings.feature_columns
    for name, row, what, mend in beyond(table.features):
        key: Key = (*converter.below, "features", columns.index(name))
        spot = f"{converter.settings.path}{converter.grid.place(row)}"
        yield Fault(f"{spot}: column {name!r} ({converter.where(key)})", what, mend, key)


def _read_training(
    train: Train, settings: TableSettings, name: str, finder: Finder
) -> tuple[Table, list[InputRecord]]:
    key: Key = ("tables", name, "train")
    declared = _as_table(train, settings)
    table, converter, digest = read_converted(name, declared, finder, key)
    grid = converter.grid
    record = InputRecord(
        name=".".join(map(str, key)),
        path=train.path,
        sha256=digest.sha256,
        bytes=digest.size,
        rows=grid.n_rows,
        columns=grid.columns,
        read=grid.n_rows,
        units=len(np.unique(table.unit_codes(np.arange(table.n_rows)))),
        notes=tuple(converter.notes),
        # No finding counts what is missing in it, as findings do of the table itself.
        remarks=tuple(note for note in converter.notes if note not in grid.notes),
        quality=quality_of(table, declared, grid),
    )
    if not isinstance(train.features, FeatureFile):
        return table, [record]
    below: Key = (*key, "features")
    aligned, more = _features(
        train.features, settings, table.n_rows, converter.keys(), below, finder
    )
    return replace(table, features=aligned.features), [record, more]


def _as_table(train: Train, settings: TableSettings) -> TableSettings:
    """Return the training file's declaration; its groups are read as the table's are."""
    bins = {c: b for c, b in settings.bins.items() if (b.name or c) in train.groups}
    return TableSettings(
        path=train.path,
        sha256=train.sha256,
        unit=train.unit,
        key=train.key,
        groups=train.groups,
        features=train.features if isinstance(train.features, list) else [],
        missing=settings.missing,
        levels={name: settings.levels[name] for name in train.groups if name in settings.levels},
        bins=bins,
        read=train.read or settings.read,
    )


def _same_features(
    read: Table, table: Table, settings: TableSettings, finder: Finder
) -> dict[str, np.ndarray[tuple[int], np.dtype[np.float64]]]:
    """Return the training features under the table's names, or raise where they are others."""
    own, other = tuple(table.features), tuple(read.features)
    train = settings.train
    unnamed = [
        isinstance(one, FeatureFile) and PurePath(one.path.lower()).suffix in ARRAYS
        for one in (settings.features, None if train is None else train.features)
    ]
    by_place = all(unnamed) and len(own) == len(other)
    if not by_place and set(own) != set(other):
        what = f"the training set has the features {few(other)}, the table {few(own) or 'none'}"
        key: Key = ("tables", table.name, "train", "features")
        raise InputError([Fault(finder.where(key), what, "name the same features in both", key)])
    return {name: read.features[other[at] if by_place else name] for at, name in enumerate(own)}
