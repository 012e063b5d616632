"""One table: its columns converted by the role that the manifest gives them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from reportgen.errors import Fault, Key
from reportgen.inputs import grouping, noted, outcomes
from reportgen.inputs.columns import column_faults, columns_by_role, limited
from reportgen.inputs.convert import Coded, Role, RoleError, cell_text, to_codes, to_numbers
from reportgen.inputs.grid import Grid, parted
from reportgen.inputs.keys import repeated_keys
from reportgen.inputs.mending import NUMBERS, about_range, no_feature, no_number, word_in
from reportgen.inputs.settings import BinaryLabel, SurvivalLabel, TableSettings
from reportgen.inputs.table import FloatArray, LabelClass, Survival, Table
from reportgen.inputs.trouble import counted, few, some
from reportgen.language import _, n_

ROWS_NAMED = 5


@dataclass
class Converter:
    """The columns of one file on their way to a `Table`; mistakes and notes gather here.

    Attributes
    ----------
    name : str
        The table's name in the manifest.
    settings : TableSettings
        Its declaration.
    grid : Grid
        The file as it lies on disk.
    where : callable
        Turns a manifest key into its place.
    below : Key
        The key of its declaration.
    faults : list of Fault
        Mistakes so far.
    notes : list of str
        What was noticed and is no mistake.
    remarks : list of str
        The same where a reader must know it before any figure.
    """

    name: str
    settings: TableSettings
    grid: Grid
    where: Callable[[Key], str]
    below: Key
    faults: list[Fault] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    remarks: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.roles = list(columns_by_role(self.settings))
        self.refused: set[str] = set()
        self.classes: Mapping[float, LabelClass] = {}

    def table(self) -> Table | None:
        """Return the table, or None if a column that was declared is not there."""
        self.notes += self.grid.notes
        self._check_columns()
        if not self.faults:
            return self._converted()
        # The columns that are there may have faults of their own, to be told in the same breath.
        self.settings = limited(self.settings, self.grid.columns)
        self._converted()
        return None

    def _converted(self) -> Table:
        label, survival = self._outcome()
        unit = self._unit()
        categories = self._categories()
        table = Table(
            name=self.name,
            n_rows=self.grid.n_rows,
            scale="score" if self.settings.scale == "score" else "probability",
            label=label,
            survival=survival,
            scores={name: self._score(name, c) for name, c in self.settings.scores.items()},
            unit=unit,
            groups=self._groups(),
            features={c: self._numbers(c, "features") for c in self.settings.feature_columns},
            levels={**categories, **self.settings.declared_levels},
            unit_name=self.settings.unit,
            unit_missing=self.settings.unit_missing,
            repeated=self.grid.repeated,
            short=self.grid.short,
            percent=self.settings.scale == "percent",
            categorical=frozenset(categories),
        )
        self._check_key()
        for text in noted.of_rows(self.grid):
            self._remark(text)
        return table

    def keys(self) -> list[str] | None:
        """Return the row ids as text, "" where missing; None if none are declared."""
        column = self.settings.key
        return None if column is None else self._codes(column, "id").text().tolist()

    def _check_columns(self) -> None:
        present = self.grid.columns
        named = [((*self.below, *key), column) for key, column in self.roles]
        self.faults += column_faults(named, present, path=self.settings.path, where=self.where)
        twice = sorted({n for n in present if present.count(n) > 1} - set(self.grid.data))
        if twice and not self.faults:
            text = _("column names that occur more than once, not used: {names}")
            self.notes.append(text.format(names=some(twice)))
        made = [(c, b.name) for c, b in self.settings.bins.items() if b.name is not None]
        for column, name in made:
            if name in present and name != column:
                what = f"{self.settings.path} has a column {name!r} already"
                key = (*self.below, "bins", column, "name")
                self.faults.append(Fault(self.where(key), what, "give the bins another name", key))

    def _fault(
        self,
        column: str,
        what: str,
        mend: str,
        *,
        row: int | None = None,
        count: int = 1,
        role: str = "",
    ) -> None:
        """Note what is wrong with a column or a cell, once, and where the manifest names it."""
        spot = "" if row is None else self.grid.place(row)
        keys = (key for key, named in self.roles if named == column and role in ("", key[0]))
        key = (*self.below, *next(keys, ()))
        place = f"{self.settings.path}{spot}: column {column!r} ({self.where(key)})"
        fault = Fault(place, what, mend, key, count)
        if fault not in self.faults:  # a column may play two roles
            self.faults.append(fault)

    def _fault_rows(
        self,
        column: str,
        rows: NDArray[np.intp],
        worded: Callable[[int], tuple[str, str]],
        noun: str = "rows",
        role: str = "",
    ) -> None:
        """Note one mistake of several rows, in three lines at most."""
        named, rest = parted(rows)
        for row in named:
            self._fault(column, *worded(row), row=row, role=role)
        if len(rest):
            what = self.grid.rest(rest, noun)
            self._fault(column, what, "mend them likewise", count=len(rest), role=role)

    def _numbers(self, column: str, role: str, *, percent: bool = False) -> FloatArray:
        cells = self.grid.data[column]
        read = self.settings.read
        try:
            numbers = to_numbers(
                cells, missing=self.settings.missing, decimal=read.decimal, percent=percent
            )
        except RoleError as error:
            mend = no_feature(self.settings, column) if role == "features" else NUMBERS
            self._fault(column, f"it holds {error}, not numbers", mend, role=role)
            return np.full(self.grid.n_rows, np.nan)
        if role == "features" and (text := word_in(cells, numbers)):
            what = f"it holds text, such as {text!r}, not numbers"
            self._fault(column, what, no_feature(self.settings, column), role=role)
            return numbers.values
        missing, under = self.settings.missing, ".".join(map(str, self.below[:2]))

        def worded(row: int) -> tuple[str, str]:
            return no_number(cell_text(cells, row), read.decimal, missing, under=under)

        self._fault_rows(column, numbers.bad, worded, role=role)
        return numbers.values

    def _codes(self, column: str, role: Role) -> Coded:
        missing = {*self.settings.missing, *([] if role == "outcome" else [""])}
        try:
            return to_codes(self.grid.data[column], missing=missing, role=role)
        except RoleError as error:
            what = f"it holds {error}, not text or codes"
            self._fault(column, what, error.mend or "write it as text, or name another column")
            self.refused.add(column)
            return Coded((), np.full(self.grid.n_rows, -1, dtype=np.intp))

    def _outcome(self) -> tuple[FloatArray | None, Survival | None]:
        label = self.settings.label
        if isinstance(label, BinaryLabel):
            coded = self._codes(label.column, "outcome")
            found = outcomes.binary(coded, label, missing=self.settings.missing)
            values = self._outcome_of(label.column, found)
            if not found.oddities and len({*values[~np.isnan(values)].tolist()}) == 1:
                self.notes.append(_("only one class of the label occurs"))
            return values, None
        if isinstance(label, SurvivalLabel):
            return None, self._survival(label)
        return None, None

    def _survival(self, label: SurvivalLabel) -> Survival:
        time = self._numbers(label.time, "label")
        below = np.flatnonzero(time < 0)
        cells = self.grid.data[label.time]
        self._fault_rows(
            label.time,
            below,
            lambda row: (f"the time {cell_text(cells, row)} is below 0", "correct it"),
        )
        coded = self._codes(label.event, "outcome")
        found = outcomes.events(coded, label, missing=self.settings.missing)
        return Survival(time, self._outcome_of(label.event, found), label.at)

    def _outcome_of(self, column: str, found: outcomes.Outcome) -> FloatArray:
        self._odd(column, found.oddities)
        self.notes += found.notes
        self.classes = found.classes
        return found.values

    def _odd(self, column: str, oddities: Sequence[outcomes.Oddity]) -> None:
        if column in self.refused:
            return
        for oddity in oddities:
            what = oddity.what
            if oddity.rows is not None:
                what += f"; {self._rows_text(oddity.rows)}"
            if oddity.key:
                key: Key = (*self.below, "label", *oddity.key)
                what = f"{self.settings.path}, column {column!r}: {what}"
                self.faults.append(Fault(self.where(key), what, oddity.mend, key))
            else:
                row = None if oddity.rows is None else int(oddity.rows[0])
                self._fault(column, what, oddity.mend, row=row)

    def _rows_text(self, rows: NDArray[np.intp]) -> str:
        places = [self.grid.place(row).removeprefix(":") for row in rows[:ROWS_NAMED].tolist()]
        more = f" and {len(rows) - ROWS_NAMED} more" if len(rows) > ROWS_NAMED else ""
        kind = "row" if self.grid.lines is None else "line"
        numbers = ", ".join(place.replace("row", "").strip() for place in places)
        return f"{kind}{'s' if len(rows) > 1 else ''} {numbers}{more}"

    def _score(self, name: str, column: str) -> FloatArray:
        scale = self.settings.scale
        values = self._numbers(column, "scores", percent=scale == "percent")
        present = values[~np.isnan(values)]
        if not len(present):
            if not self.faults:
                self._fault(column, "every score is missing", "give scores, or drop this column")
            return values
        low, high = float(present.min()), float(present.max())
        if scale != "score" and (low < 0 or high > 1):
            self._out_of_range(column, values, low, high)
        if low == high:
            text = _("score {name} is constant: {value}")
            self._remark(text.format(name=repr(name), value=f"{low:.12g}"))
        elif np.all((present == low) | (present == high)):
            text = _(
                "score {name} takes only two values, {low} and {high}: decisions rather than"
                " scores?"
            )
            said = text.format(name=repr(name), low=f"{low:.12g}", high=f"{high:.12g}")
            self._remark(said)
        return values

    def _out_of_range(self, column: str, values: FloatArray, low: float, high: float) -> None:
        outside = np.flatnonzero((values < 0) | (values > 1))
        percent = self.settings.scale == "percent"
        unit, most = (100, 100) if percent else (1, 1)
        what = (
            f"values run from {low * unit:.12g} to {high * unit:.12g}, "
            f"{len(outside)} of {len(values)} outside 0 to {most}; {self._rows_text(outside)}"
        )
        self._fault(column, what, about_range(values, percent=percent))

    def _unit(self) -> NDArray[np.object_] | None:
        column = self.settings.unit
        if column is None:
            return None
        coded = self._codes(column, "id")
        absent = self._absent(coded)
        if absent:
            taken = n_(
                "{n} row without {column} is a unit of its own",
                "{n} rows without {column} are each a unit of their own",
                absent,
            )
            left = n_(
                "{n} row without {column} is left out",
                "{n} rows without {column} are left out",
                absent,
            )
            text = taken if self.settings.unit_missing == "own" else left
            self.notes.append(text.format(n=absent, column=column))
        self._note_variants(column, coded, levels=False)
        return coded.text()

    def _note_variants(self, column: str, coded: Coded, *, levels: bool) -> None:
        for text in noted.of_spellings(column, coded, levels=levels):
            self._remark(text)

    def _groups(self) -> dict[str, NDArray[np.object_]]:
        made = {bins.name or column: column for column, bins in self.settings.bins.items()}
        names = dict.fromkeys([*self.settings.groups, *made])
        return {name: self._group(name, made.get(name)) for name in names}

    def _categories(self) -> dict[str, tuple[str, ...]]:
        """Return the categories of the groups that are categorical columns, as spelt there."""
        declared, missing = self.settings.declared_levels, {*self.settings.missing, ""}
        found = {}
        for name in self.settings.groups:
            if name in self.grid.categories and name not in declared:
                with suppress(RoleError):  # of dates, say: `_group` refuses the column
                    found[name] = to_codes(self.grid.categories[name], missing=missing).values
        return found

    def _group(self, name: str, binned: str | None) -> NDArray[np.object_]:
        if binned is not None:
            bins = self.settings.bins[binned]
            coded, outside = grouping.cut(self._numbers(binned, "bins"), bins)
            if outside:
                text = n_(
                    "{n} value of {column} outside the bins of {name}, missing there",
                    "{n} values of {column} outside the bins of {name}, missing there",
                    outside,
                )
                self.notes.append(text.format(n=outside, column=binned, name=name))
            return coded.text()
        coded = self._codes(name, "group")
        levels = self.settings.levels.get(name)
        if levels is None and grouping.dates(coded.values):
            what = (
                f"it holds {len(coded.values)} different dates, {min(coded.values)!r} one of them"
            )
            mend = (
                "write the period that is meant (2024, say), or if these are codes, say levels: "
                f"{{{name}: {{}}}} under this table"
            )
            self._fault(name, what, mend)
        if levels:
            coded, loose = grouping.merged(coded, levels)
            if loose:
                text = _("values of {name} under no level, kept: {values}")
                self.notes.append(text.format(name=name, values=some(loose)))
        self._note_variants(name, coded, levels=True)
        absent = self._absent(coded)
        if absent:
            self._note_without(name, absent)
        return coded.text()

    def _remark(self, text: str) -> None:
        self.notes.append(text)
        self.remarks.append(text)

    def _absent(self, coded: Coded) -> int:
        """Return how many rows lack a code, apart from those that are cut short."""
        absent = coded.codes < 0
        whole = True if self.grid.short is None else ~self.grid.short
        return int(np.count_nonzero(absent & whole))

    def _note_without(self, column: str, absent: int) -> None:
        text = n_("{n} row without {column}", "{n} rows without {column}", absent)
        self.notes.append(text.format(n=absent, column=column))

    def _check_key(self) -> None:
        column = self.settings.key
        if column is None:
            return
        coded = self._codes(column, "id")
        self._note_variants(column, coded, levels=False)
        absent = self._absent(coded)
        if absent:
            self._note_without(column, absent)
        repeated = repeated_keys(coded, self.grid.data, column)
        conflicts = [repeat for repeat in repeated if repeat.differ]
        by_row = {int(repeat.rows[0]): repeat for repeat in conflicts}

        def contradiction(row: int) -> tuple[str, str]:
            repeat = by_row[row]
            what = (
                f"{repeat.value!r} stands for {counted(len(repeat.rows), 'row')} that differ in "
                f"{few(repeat.differ)}; {self._rows_text(repeat.rows)}"
            )
            return what, "a key names one row: keep the right one"

        self._fault_rows(column, np.array(sorted(by_row), dtype=np.intp), contradiction, "keys")
        alike = [repeat.value for repeat in repeated if not repeat.differ]
        if alike:
            text = n_(
                "{n} value of {column} in more than one row, all alike: {values}",
                "{n} values of {column} in more than one row, all alike: {values}",
                len(alike),
            )
            self._remark(text.format(n=len(alike), column=column, values=some(alike)))
