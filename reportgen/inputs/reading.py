"""All the files of a run: found, digested, read, converted and counted."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from reportgen.errors import Fault, InputError, Key
from reportgen.inputs import noted
from reportgen.inputs.assessing import quality_of
from reportgen.inputs.beside import Finder, in_file, read_converted, with_features, with_training
from reportgen.inputs.columns import column_faults
from reportgen.inputs.convert import RoleError, to_codes
from reportgen.inputs.grid import Grid
from reportgen.inputs.opening import Digest, digest_file, read_file
from reportgen.inputs.outcomes import listed
from reportgen.inputs.roles import Converter
from reportgen.inputs.settings import PinnedFile, Reading, TableSettings
from reportgen.inputs.several import units_in_several
from reportgen.inputs.table import InputRecord, Inputs, LabelClass, Table
from reportgen.inputs.trouble import FileFaults, capped
from reportgen.language import _


@dataclass(frozen=True)
class Outline:
    """What is left of a table whose declaration has faults: its file and the columns it names.

    Attributes
    ----------
    path : str
        As in `TableSettings`.
    read : Reading
        How the file is written.
    columns : tuple of (Key, text)
        Columns to look up, each with its whole key.
    undecided : str or None
        The column of a label whose positive class is not given.
    """

    path: str
    read: Reading
    columns: tuple[tuple[Key, str], ...]
    undecided: str | None = None


def read_inputs(
    tables: Mapping[str, TableSettings],
    *,
    folder: Path,
    where: Callable[[Key], str],
    plan: PinnedFile | None = None,
    allow_outside: bool = False,
) -> Inputs:
    """Read every table of a manifest; parameters and result are those of `gather_inputs`.

    Raises
    ------
    InputError
        With the faults of all tables, at most twenty a table and a line that counts the rest.
    """
    inputs, faults = gather_inputs(
        tables, folder=folder, where=where, plan=plan, allow_outside=allow_outside
    )
    if faults:
        raise InputError(faults)
    return inputs


def gather_inputs(
    tables: Mapping[str, TableSettings],
    *,
    folder: Path,
    where: Callable[[Key], str],
    plan: PinnedFile | None = None,
    allow_outside: bool = False,
    outlines: Mapping[str, Outline] | None = None,
) -> tuple[Inputs, list[Fault]]:
    """Read what can be read of the tables of a manifest, and gather what is wrong with the rest.

    Parameters
    ----------
    tables : mapping of text to TableSettings
        What the manifest declares, by name.
    folder : pathlib.Path
        The folder that paths are relative to and must stay inside.
    where : callable
        Turns a manifest key into its place, for faults.
    plan : PinnedFile, optional
        The analysis plan: digested and recorded, not read.
    allow_outside : bool
        Whether paths may leave `folder`.
    outlines : mapping of text to Outline, optional
        Tables of which no more than file and columns is checked.

    Returns
    -------
    inputs : Inputs
        Sound tables and one record a file, in the order of the manifest, those of features and of
        the training set behind their table's; the plan's record is last.
    faults : list of Fault
        At most twenty a table and a line that counts the rest.
    """
    finder = Finder(folder, where, allow_outside)
    read: dict[str, Table] = {}
    records: list[InputRecord] = []
    faults: list[Fault] = []
    pinned: str | None = None
    for name, settings in tables.items():
        try:
            read[name], of_table = _read_table(name, settings, finder)
            records += of_table
        except InputError as error:
            faults += capped(error.faults, settings.path)
    for name, outline in (outlines or {}).items():
        faults += capped(_look_up(name, outline, finder), outline.path)
    if plan is not None:
        try:
            records.append(_read_plan(plan, finder))
            pinned = plan.sha256
        except InputError as error:
            faults += error.faults
    return Inputs(read, tuple(records), plan=pinned), faults


def _look_up(name: str, outline: Outline, finder: Finder) -> list[Fault]:
    """Return what is wrong with the file of a table and with the columns it is said to have."""
    key: Key = ("tables", name, "path")
    try:
        path = finder.find(outline.path, key)
        wanted = () if outline.undecided is None else (outline.undecided,)
        grid, _digest = read_file(path, reading=outline.read, wanted=wanted, keep_short=True)
    except InputError as error:
        return list(error.faults)
    except FileFaults as found:
        return in_file(found, outline.path, key, finder.where)
    faults = column_faults(outline.columns, grid.columns, path=outline.path, where=finder.where)
    return [*faults, *_classes(name, outline, grid, finder)]


def _classes(name: str, outline: Outline, grid: Grid, finder: Finder) -> Iterator[Fault]:
    """Yield a fault that lists what the label holds, where no positive class is given."""
    cells = grid.data.get(outline.undecided or "")
    if cells is None:
        return
    try:
        values = listed(to_codes(cells, missing=("",)))
    except RoleError:
        return
    key: Key = ("tables", name, "label", "positive")
    what = f"{outline.path}, column {outline.undecided!r} holds {values}"
    yield Fault(finder.where(key), what, "say which of them is the positive class", key)


def _read_table(
    name: str, settings: TableSettings, finder: Finder
) -> tuple[Table, list[InputRecord]]:
    key: Key = ("tables", name)
    table, converter, digest = read_converted(name, settings, finder, key, keep_short=True)
    table, features = with_features(table, settings, converter.keys, finder)
    table, training = with_training(table, settings, finder)
    record = _record(table, settings, converter, digest)
    return table, [record, *features, *training]


def _read_plan(plan: PinnedFile, finder: Finder) -> InputRecord:
    path = finder.find(plan.path, ("plan", "path"))
    try:
        digest = digest_file(path)
    except FileFaults as found:
        faults = in_file(found, plan.path, ("plan", "path"), finder.where)
        raise InputError(faults) from None
    changed = finder.check_pin(plan, digest, ("plan", "sha256"))
    if changed:
        raise InputError(changed)
    return InputRecord("plan", plan.path, digest.sha256, digest.size)


def _record(
    table: Table, settings: TableSettings, converter: Converter, digest: Digest
) -> InputRecord:
    chosen = table.select(table.scores)
    label = None if table.label is None else table.label[chosen.rows]
    unit = _("each row counts as a unit of its own: no unit is declared")
    blank = (
        None if table.unit is None else int(np.count_nonzero(_whole(table) & (table.unit == "")))
    )
    several, counts = units_in_several(table)
    classes = _classes_read(table, converter, chosen.rows)
    return InputRecord(
        name=f"tables.{table.name}",
        path=settings.path,
        sha256=digest.sha256,
        bytes=digest.size,
        rows=converter.grid.n_rows,
        columns=converter.grid.columns,
        read=len(chosen.rows),
        left_out=chosen.left_out,
        units=len(np.unique(table.unit_codes(chosen.rows))),
        without_unit=blank,
        positives=None if label is None else int(np.count_nonzero(label == 1)),
        negatives=None if label is None else int(np.count_nonzero(label == 0)),
        classes=classes,
        notes=(
            *noted.of_classes(classes),
            *converter.notes,
            *([unit] if table.unit is None else []),
            *counts,
        ),
        remarks=tuple(converter.remarks),
        units_in_several=several,
        quality=quality_of(table, settings, converter.grid),
    )


def _classes_read(
    table: Table, converter: Converter, rows: NDArray[np.intp]
) -> tuple[LabelClass, ...]:
    """Return the classes of the outcome with their rows among `rows`."""
    values = table.survival.event if table.survival is not None else table.label
    if values is None:
        return ()
    return tuple(
        replace(one, rows=int(np.count_nonzero(values[rows] == number)))
        for number, one in converter.classes.items()
    )


def _whole(table: Table) -> NDArray[np.bool_]:
    """Return which rows are not cut short."""
    return np.ones(table.n_rows, dtype=bool) if table.short is None else ~table.short
