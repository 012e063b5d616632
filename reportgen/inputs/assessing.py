"""How good a table is before any figure is made of it: counted here, shown as "Data received"."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from reportgen.inputs.quality import ColumnQuality, DateRange, GroupSize, Quality, UnitRows
from reportgen.inputs.settings import BinaryLabel, SurvivalLabel, TableSettings
from reportgen.inputs.table import FloatArray, Table, TextArray


def quality_of(table: Table, settings: TableSettings) -> Quality:
    """Return what a table is like."""
    repeated = table.repeated
    return Quality(
        columns=tuple(_columns(table, settings)),
        groups=tuple(_groups(table)),
        unit_rows=_unit_rows(table.unit),
        repeats=None if repeated is None else int(np.count_nonzero(repeated)),
    )


def quality_of_images(
    table: Table, texts: Mapping[str, TextArray | None], acquired: TextArray | None
) -> Quality:
    """Return what a set of images is like.

    Parameters
    ----------
    table : Table
        Its units, and as groups what its images are parted by.
    texts : mapping of text to (n,) object array or None
        Role to text, "" where missing; None where the manifest names no such column.
    acquired : (n,) object array or None
        Dates as ISO 8601, "" where missing.
    """
    dates = None if acquired is None else _date_range("acquired", acquired)
    return Quality(
        columns=tuple(_of_text(r, r, values) for r, values in texts.items() if values is not None),
        groups=tuple(_groups(table)),
        unit_rows=_unit_rows(table.unit),
        dates=() if dates is None else (dates,),
    )


def _unit_rows(unit: TextArray | None) -> UnitRows | None:
    """Return how many rows the units have; None if no row names one."""
    named = np.array([], dtype=object) if unit is None else unit[unit != ""]
    if not len(named):
        return None
    counts = np.unique(named.astype(str), return_counts=True)[1]
    several = int(np.count_nonzero(counts > 1))
    return UnitRows(len(counts), several, float(np.median(counts)), int(counts.max()))


def _date_range(column: str, dates: TextArray) -> DateRange | None:
    """Return the range of ISO 8601 dates, which sort as text; None without any."""
    known = sorted(date for date in dates.tolist() if date)
    return DateRange(column, known[0], known[-1], len(dates) - len(known)) if known else None


def _columns(table: Table, settings: TableSettings) -> Iterator[ColumnQuality]:
    label = settings.label
    if isinstance(label, BinaryLabel) and table.label is not None:
        yield _of_numbers(label.column, "label", table.label, ends=False)
    if isinstance(label, SurvivalLabel) and table.survival is not None:
        yield _of_numbers(label.time, "time", table.survival.time)
        yield _of_numbers(label.event, "event", table.survival.event, ends=False)
    for name, column in settings.scores.items():
        yield _of_numbers(column, "score", table.scores[name])
    if settings.unit is not None and table.unit is not None:
        yield _of_text(settings.unit, "unit", table.unit)
    for attribute, groups in table.groups.items():
        yield _of_text(attribute, "group", groups)
    for column in settings.feature_columns:
        yield _of_numbers(column, "feature", table.features[column])


def _of_numbers(column: str, role: str, values: FloatArray, *, ends: bool = True) -> ColumnQuality:
    known = values[~np.isnan(values)]
    low, high = (float(known.min()), float(known.max())) if ends and len(known) else (None, None)
    return ColumnQuality(column, role, len(values) - len(known), len(np.unique(known)), low, high)


def _of_text(column: str, role: str, values: TextArray) -> ColumnQuality:
    known = values[values != ""]
    return ColumnQuality(column, role, len(values) - len(known), len(pd.unique(known)))


def _groups(table: Table) -> Iterator[GroupSize]:
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
