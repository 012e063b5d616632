"""How good an input is before any figure is made of it: counted here, shown as "Data received"."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from reportgen.inputs.cells import Cells, Days, days_of
from reportgen.inputs.convert import RoleError, to_codes, to_numbers
from reportgen.inputs.grid import Grid
from reportgen.inputs.quality import NO_ROLE, ColumnQuality, GroupSize, Quality, UnitRows
from reportgen.inputs.settings import BinaryLabel, SurvivalLabel, TableSettings
from reportgen.inputs.table import FloatArray, Table, TextArray

NUMBERS = frozenset({"x", "y", "w", "h", "score", "width", "height", "threshold"})
"""Roles of numbers in files of columns; ids and codes are text, whatever they look like."""


def quality_of(table: Table, settings: TableSettings, grid: Grid) -> Quality:
    """Return what a table is like, `grid` being its file with the other columns counted."""
    repeated = table.repeated
    return Quality(
        columns=(*_columns(table, settings, grid), *without_role(grid.others)),
        groups=tuple(groups_of(table)),
        unit_rows=unit_rows_of(table.unit),
        repeats=None if repeated is None else int(np.count_nonzero(repeated)),
    )


def quality_of_file(
    grid: Grid, roles: Iterable[tuple[str, str]], missing: Collection[str], *, decimal: str = "."
) -> Quality:
    """Return what a file of columns is like, cells as they stand there.

    Parameters
    ----------
    grid : Grid
        The file, the other columns counted.
    roles : iterable of (text, text)
        Columns, each with what it is for.
    missing : collection of str
        Cells that count as missing, beside empty ones.
    decimal : {".", ","}
        The decimal mark of text cells.
    """
    codes = {*missing, ""}
    columns = (of_cells(grid, column, role, codes, decimal=decimal) for column, role in roles)
    return Quality(columns=(*columns, *without_role(grid.others)), repeats=grid.repeats)


def of_cells(
    grid: Grid, column: str, role: str, missing: Collection[str], *, decimal: str = "."
) -> ColumnQuality:
    """Return what the cells of a column are like: numbers in the roles of numbers, else text."""
    cells = grid.data[column]
    days = days_of(cells, missing)
    try:
        if role in NUMBERS:
            numbers = to_numbers(cells, missing=missing, decimal=decimal)
            return of_numbers(column, role, numbers.values)
        return of_text(column, role, to_codes(cells, missing=missing, role="id").text(), days)
    except RoleError:  # dates, lists and the like; a column that does not fit is refused elsewhere
        first, last = days or (None, None)
        return ColumnQuality(column, role, cells.null_count, first=first, last=last)


def without_role(others: Iterable[Cells]) -> Iterator[ColumnQuality]:
    """Yield what was counted of the columns of a file that have no role."""
    for cells in others:
        first, last = cells.days or (None, None)
        yield ColumnQuality(cells.column, NO_ROLE, cells.missing, first=first, last=last)


def unit_rows_of(unit: TextArray | None) -> UnitRows | None:
    """Return how many rows the units have; None if no row names one."""
    named = np.array([], dtype=object) if unit is None else unit[unit != ""]
    if not len(named):
        return None
    counts = np.unique(named.astype(str), return_counts=True)[1]
    several = int(np.count_nonzero(counts > 1))
    return UnitRows(len(counts), several, float(np.median(counts)), int(counts.max()))


def _columns(table: Table, settings: TableSettings, grid: Grid) -> Iterator[ColumnQuality]:
    label = settings.label
    if isinstance(label, BinaryLabel) and table.label is not None:
        yield of_numbers(label.column, "label", table.label, ends=False)
    if isinstance(label, SurvivalLabel) and table.survival is not None:
        yield of_numbers(label.time, "time", table.survival.time)
        yield of_numbers(label.event, "event", table.survival.event, ends=False)
    for name, column in settings.scores.items():
        yield of_numbers(column, "score", table.scores[name])

    def days(column: str) -> Days | None:
        held = grid.data.get(column)
        return None if held is None else days_of(held, settings.missing)

    if settings.unit is not None and table.unit is not None:
        yield of_text(settings.unit, "unit", table.unit, days(settings.unit))
    if settings.key is not None:
        keys = to_codes(grid.data[settings.key], missing={*settings.missing, ""}, role="id").text()
        yield of_text(settings.key, "key", keys, days(settings.key))
    made = settings.bins_by_name
    for attribute, groups in table.groups.items():
        yield of_text(attribute, "group", groups, None if attribute in made else days(attribute))
    for column in settings.bins:
        read = settings.read
        raw = to_numbers(grid.data[column], missing=settings.missing, decimal=read.decimal)
        yield of_numbers(column, "bins", raw.values)
    for column in settings.feature_columns:
        yield of_numbers(column, "feature", table.features[column])


def of_numbers(column: str, role: str, values: FloatArray, *, ends: bool = True) -> ColumnQuality:
    """Return what a column of numbers is like, NaN being missing."""
    known = values[~np.isnan(values)]
    low, high = (float(known.min()), float(known.max())) if ends and len(known) else (None, None)
    return ColumnQuality(column, role, len(values) - len(known), len(np.unique(known)), low, high)


def of_text(column: str, role: str, values: TextArray, days: Days | None = None) -> ColumnQuality:
    """Return what a column of text is like, "" being missing."""
    known = values[values != ""]
    first, last = days or (None, None)
    missing = len(values) - len(known)
    return ColumnQuality(column, role, missing, len(pd.unique(known)), first=first, last=last)


def groups_of(table: Table) -> Iterator[GroupSize]:
    """Yield the sizes of the groups of every attribute."""
    units = table.unit_codes(np.arange(table.n_rows, dtype=np.intp))
    for attribute, values in table.groups.items():
        codes, names = pd.factorize(values)
        rows = np.bincount(codes, minlength=len(names))
        apart = _pairs_a_group(codes, units, len(names))
        classes = _classes(table, codes, len(names))
        for at in _order(names.astype(str), rows, table.levels.get(attribute, ())):
            group = str(names[at]) or None
            yes, no = (None, None) if classes is None else (int(c[at]) for c in classes)
            yield GroupSize(attribute, group, int(rows[at]), int(apart[at]), yes, no)


def _pairs_a_group(
    codes: NDArray[np.intp], units: NDArray[np.intp], n_groups: int
) -> NDArray[np.intp]:
    """Return how many different units each group holds."""
    if not len(codes):
        return np.zeros(n_groups, dtype=np.intp)
    width = int(units.max()) + 1
    return np.bincount(np.unique(codes * width + units) // width, minlength=n_groups)


def _classes(
    table: Table, codes: NDArray[np.intp], n_groups: int
) -> tuple[NDArray[np.intp], NDArray[np.intp]] | None:
    if table.label is None:
        return None
    label = table.label
    yes, no = (np.bincount(codes[label == value], minlength=n_groups) for value in (1, 0))
    return yes, no


def _order(names: NDArray[np.str_], rows: NDArray[np.intp], levels: tuple[str, ...]) -> list[int]:
    """Return the groups as declared, then the largest first, then by name; the nameless last."""
    rank = {level: at for at, level in enumerate(levels)}

    def key(at: int) -> tuple[bool, int, int, str]:
        name = str(names[at])
        return name == "", rank.get(name, len(rank)), -int(rows[at]), name

    return sorted(range(len(names)), key=key)
