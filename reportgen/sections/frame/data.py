"""From a table to arrays: the rows of a section, their groups, and what they may be matched on."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from reportgen.inputs import Inputs, Table
from reportgen.language import _
from reportgen.result import LeftOut
from reportgen.sections.frame.result import MISSING_GROUP
from reportgen.sections.frame.settings import FrameSettings, shown
from reportgen.wording import blank_level

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.intp]
BoolArray = NDArray[np.bool_]


@dataclass(frozen=True)
class Attribute:
    """One attribute, single or crossed, with the group of every row.

    Attributes
    ----------
    name : str
        As shown: "sex", "sex × age_band".
    parts : tuple of str
        The attributes that are crossed; one for a single attribute.
    levels : tuple of str
        Groups in order: those declared, the others by name, rows without a value last. Declared
        groups may have no row.
    code : (n,) int array
        Group of each row.
    reference : int
        Group the others are compared with; -1 if no group has a row.
    missing : int
        Group of the rows without a value; -1 if there are none.
    left_out : (L,) int array
        Rows of each group that lack a label or a score; of the groups shown, of an intersection.
    outside : int
        Rows of the whole table without a value because theirs lies outside the bins.
    """

    name: str
    parts: tuple[str, ...]
    levels: tuple[str, ...]
    code: IntArray
    reference: int
    missing: int
    left_out: IntArray
    outside: int = 0

    @property
    def single(self) -> bool:
        """Whether it is no intersection."""
        return len(self.parts) == 1

    @property
    def others(self) -> tuple[int, ...]:
        """The groups that are compared with the reference."""
        return tuple(k for k in range(len(self.levels)) if k != self.reference)


@dataclass(frozen=True)
class Data:
    """The rows a section rests on, in an order that follows from what they hold.

    Attributes
    ----------
    table : str
    names : tuple of str
        The M scores.
    scores : (M, n) float array
    positive : (n,) bool array
    unit : (n,) int array
        Patient of each row.
    unit_text : (n,) object array or None
        What the patient of each row is called; None where the table names none.
    unit_name : str or None
        The column that names patients; None if each row is its own.
    probability : bool
        Whether the scores are probabilities.
    attributes : tuple of Attribute
    features : (n, F) float array or None
        None if the table has none.
    feature_names : tuple of str
    bank, bank_unit : arrays or None
        Features of the training rows, and their patients in codes that continue `unit`.
    bank_groups : mapping
        Attribute to the number of training rows of each group.
    seen_units : tuple of str
        Patients that are in the training set too, sorted.
    seen_rows : int
        Their rows here.
    left_out : tuple of LeftOut
    n_read : int
        Rows of the table.
    """

    table: str
    names: tuple[str, ...]
    scores: FloatArray
    positive: BoolArray
    unit: IntArray
    unit_text: NDArray[np.object_] | None
    unit_name: str | None
    probability: bool
    attributes: tuple[Attribute, ...]
    features: FloatArray | None
    feature_names: tuple[str, ...]
    bank: FloatArray | None
    bank_unit: IntArray | None
    bank_groups: dict[str, dict[str, int]]
    seen_units: tuple[str, ...]
    seen_rows: int
    left_out: tuple[LeftOut, ...]
    n_read: int

    @property
    def n_rows(self) -> int:
        """Number of rows."""
        return len(self.positive)

    @cached_property
    def n_units(self) -> int:
        """Number of patients."""
        return len(np.unique(self.unit))

    @cached_property
    def attributes_by_name(self) -> dict[str, Attribute]:
        """The attributes by the name they are shown under."""
        return {one.name: one for one in self.attributes}


def read_data(inputs: Inputs, settings: FrameSettings) -> Data:
    """Return the rows with a label and with every score of the section."""
    table = inputs.tables[settings.table]
    names = settings.score_names(table.scores)
    selection = table.select(names)
    rows = selection.rows
    if table.label is None:
        raise ValueError("check() refuses a table without a label")
    unit = table.unit_codes(rows)
    outside = _outside_bins(inputs, table)
    order = _order(table, names, rows, unit)
    rows, unit = rows[order], unit[order]
    bank, bank_unit, seen = _bank(table, rows, unit)
    features = _matrix(table.features, rows) if table.features else None
    return Data(
        table=table.name,
        names=names,
        scores=np.array([table.scores[name][rows] for name in names]).reshape(len(names), -1),
        positive=table.label[rows] == 1,
        unit=unit,
        unit_text=None if table.unit is None else table.unit[rows],
        unit_name=None if table.unit is None else table.unit_name or _("unit"),
        probability=table.scale != "score",
        attributes=tuple(
            _attribute(table, parts, rows, unit, settings, outside)
            for parts in settings.attributes(table.groups)
        ),
        features=features,
        feature_names=tuple(table.features),
        bank=bank,
        bank_unit=bank_unit,
        bank_groups=_bank_groups(table),
        seen_units=_names(table, rows[seen]),
        seen_rows=int(np.count_nonzero(seen)),
        left_out=selection.left_out,
        n_read=table.n_rows,
    )


def _order(table: Table, names: Sequence[str], rows: IntArray, unit: IntArray) -> IntArray:
    """Return the rows sorted by what they hold, so that the order in the file decides nothing.

    Patients come last: what they are called matters only among rows that are equal otherwise.
    """
    label = np.zeros(len(rows)) if table.label is None else table.label[rows]
    columns: list[NDArray[np.generic]] = [unit]
    columns += [column[rows] for column in reversed(list(table.features.values()))]
    for values in table.groups.values():
        columns.append(np.unique(values[rows].astype(str), return_inverse=True)[1])
    columns.append(label)
    columns += [table.scores[name][rows] for name in reversed(names)]
    return np.lexsort(columns).astype(np.intp)


def _matrix(features: Mapping[str, FloatArray], rows: IntArray | slice) -> FloatArray:
    return np.column_stack([column[rows] for column in features.values()]).astype(np.float64)


def _outside_bins(inputs: Inputs, table: Table) -> dict[str, int]:
    """Return how many rows of a table lack each attribute, but not the number it is cut from."""
    record = next((one for one in inputs.records if one.name == f"tables.{table.name}"), None)
    if record is None or record.quality is None:
        return {}
    lacking = {(one.role, one.column): one.missing for one in record.quality.columns}
    cut = [column for role, column in lacking if role == "bins"]
    made = {column: column for column in cut if column in table.groups and column in table.levels}
    # Bins with a name of their own: told only where there is no doubt which column they cut.
    rest = [column for column in cut if column not in made]
    named = [name for name in table.groups if name not in record.columns]
    if len(rest) == len(named) == 1:
        made[named[0]] = rest[0]
    return {
        name: lacking["group", name] - lacking["bins", column]
        for name, column in made.items()
        if ("group", name) in lacking
    }


def _attribute(
    table: Table,
    parts: tuple[str, ...],
    rows: IntArray,
    unit: IntArray,
    settings: FrameSettings,
    outside: Mapping[str, int],
) -> Attribute:
    singles = [_single(table, part) for part in parts]
    sizes = tuple(len(one.levels) for one in singles)
    flat = np.ravel_multi_index([one.code for one in singles], sizes)
    kept = np.zeros(len(flat), dtype=np.bool_)
    kept[rows] = True
    shown_cells = np.unique(flat[rows]) if len(parts) > 1 else np.arange(sizes[0])
    places = np.column_stack(np.unravel_index(shown_cells, sizes)).tolist()
    cells = tuple(
        tuple(one.levels[at] for one, at in zip(singles, place, strict=True)) for place in places
    )
    blank = [any(one.blank == at for one, at in zip(singles, p, strict=True)) for p in places]
    code = np.searchsorted(shown_cells, flat[rows]).astype(np.intp)
    gone = flat[~kept]
    gone = np.searchsorted(shown_cells, gone[np.isin(gone, shown_cells)])
    return Attribute(
        shown(parts),
        parts,
        tuple(map(shown, cells)),
        code,
        _reference(parts, cells, code, unit, settings, np.array(blank, dtype=np.bool_)),
        singles[0].blank if len(parts) == 1 else -1,
        np.bincount(gone, minlength=len(cells)),
        outside.get(parts[0], 0) if len(parts) == 1 else 0,
    )


Cells = tuple[tuple[str, ...], ...]
"""The groups of an attribute, each as the groups of its parts."""


@dataclass(frozen=True)
class _Single:
    """The groups of one attribute, that of each row of the table, and that of no value or -1."""

    levels: tuple[str, ...]
    code: IntArray
    blank: int


def _single(table: Table, part: str) -> _Single:
    """Return the groups of one attribute, of rows left out too; no value is a group, the last."""
    texts = table.groups[part].astype(str)
    found, code = np.unique(texts, return_inverse=True)
    present = [text for text in found.tolist() if text]
    declared = list(table.levels.get(part, ()))
    levels = declared + [text for text in present if text not in declared]
    if "" in found:
        levels.append(blank_level(levels))
    place = {text: at for at, text in enumerate(levels)}
    to_level = np.array(
        [place[text] if text else len(levels) - 1 for text in found.tolist()], dtype=np.intp
    )
    of_row = to_level[code] if len(texts) else np.zeros(0, dtype=np.intp)
    return _Single(tuple(levels), of_row, len(levels) - 1 if "" in found else -1)


def _reference(
    parts: tuple[str, ...],
    cells: Cells,
    code: IntArray,
    unit: IntArray,
    settings: FrameSettings,
    blank: BoolArray,
) -> int:
    """Return the declared reference, else the group of most patients (the first of equal ones).

    Rows without a value are no reference unless declared, or alone. An intersection without one of
    its own takes the largest cell that agrees with the references declared for its parts.
    """
    declared = settings.reference.get(shown(parts))
    named = [shown(cell) for cell in cells]
    if declared in named:
        return named.index(declared)
    patients = np.array([len(np.unique(unit[code == k])) for k in range(len(cells))])
    if not patients.any():
        return -1
    agreed = np.zeros(len(cells), dtype=np.bool_)
    for at, part in enumerate(parts):
        agree = np.array([cell[at] == settings.reference.get(part) for cell in cells])
        if patients[agree].any():
            patients = np.where(agree, patients, 0)
            agreed |= agree
    known = np.where(blank & ~agreed, 0, patients)
    return int(np.argmax(known if known.any() else patients))


def _bank(
    table: Table, rows: IntArray, unit: IntArray
) -> tuple[FloatArray | None, IntArray | None, BoolArray]:
    """Return the training rows' features and patients, and which rows' patients are among them."""
    nobody = np.zeros(len(rows), dtype=bool)
    train = table.train
    if train is None or not train.features:
        return None, None, nobody
    bank = _matrix(train.features, slice(None))
    if train.unit is None or table.unit is None:
        return bank, None, nobody
    here = {str(name): int(code) for name, code in zip(table.unit[rows], unit, strict=True) if name}
    fresh = int(unit.max(initial=-1)) + 1
    codes = np.empty(len(train.unit), dtype=np.intp)
    for at, name in enumerate(train.unit.tolist()):
        code = here.get(name) if name else None
        if code is None:
            code, fresh = fresh, fresh + 1
            if name:
                here[name] = code
        codes[at] = code
    return bank, codes, np.isin(unit, codes)


def _names(table: Table, rows: IntArray) -> tuple[str, ...]:
    return () if table.unit is None else tuple(sorted({str(one) for one in table.unit[rows]}))


def _bank_groups(table: Table) -> dict[str, dict[str, int]]:
    if table.train is None:
        return {}
    counted = {}
    for name, values in table.train.groups.items():
        texts, counts = np.unique(values.astype(str), return_counts=True)
        counted[name] = {t or MISSING_GROUP: k for t, k in zip(texts, counts.tolist(), strict=True)}
    return counted
