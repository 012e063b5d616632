"""A file of columns, each read by the role that the manifest gives it; mistakes gather."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from reportgen.errors import Fault, InputError, Key
from reportgen.inputs.assessing import quality_of_file
from reportgen.inputs.beside import Finder, in_file
from reportgen.inputs.codes import canonical
from reportgen.inputs.columns import column_faults
from reportgen.inputs.convert import RoleError, cell_text, to_codes, to_numbers
from reportgen.inputs.grid import Grid
from reportgen.inputs.opening import Digest, read_file
from reportgen.inputs.quality import Quality
from reportgen.inputs.settings import PinnedFile, Reading
from reportgen.inputs.trouble import FileFaults, capped

YES = frozenset({"1", "true", "yes"})
NO = frozenset({"0", "false", "no"})


class File(Protocol):
    """What the manifest says of a file of columns."""

    @property
    def path(self) -> str:
        """Its path."""
        ...

    @property
    def sha256(self) -> str | None:
        """Its digest, if it is pinned."""
        ...

    @property
    def read(self) -> Reading:
        """How it is written."""
        ...


@dataclass
class Columned:
    """A file of columns on its way to arrays.

    Attributes
    ----------
    path : str
        As the manifest gives it.
    grid : Grid
        The file as it lies on disk.
    digest : Digest
    columns : mapping of text to text
        Role to column.
    decimal : str
        The decimal mark.
    below : Key
        The key under which the manifest names the columns.
    found : FileFaults
        Mistakes so far.
    """

    path: str
    grid: Grid
    digest: Digest
    columns: Mapping[str, str]
    decimal: str
    below: Key
    found: FileFaults = field(default_factory=FileFaults)

    def quality(self) -> Quality:
        """Return what the file is like, its columns by role."""
        roles = ((column, role) for role, column in self.columns.items())
        return quality_of_file(self.grid, roles, {""}, decimal=self.decimal)

    def has(self, role: str) -> bool:
        """Return whether the manifest names a column for a role."""
        return role in self.columns

    def place(self, row: int, role: str) -> str:
        """Return where the cell of a role is: ``:17: column 'score'``."""
        return f"{self.grid.place(row)}: column {self.columns[role]!r}"

    def refuse(self, row: int, role: str, what: str, mend: str) -> None:
        """Note a mistake of the cell of a role; `mend` names its kind."""
        kind = (f": column {self.columns[role]!r}", mend)
        key = (*self.below, role)
        place = self.place(row, role)
        self.found.add(place, what, mend, kind=kind, at=self.grid.at(row), key=key)

    def line(self, row: int) -> str:
        """Return where a row is, in a sentence: ``line 17``, or ``row 16`` of a parquet file."""
        lines = self.grid.lines
        return f"row {row + 1}" if lines is None else f"line {lines.of(row)}"

    def text(self, role: str, *, blank: str | None = None) -> NDArray[np.object_]:
        """Return a column as text, blanks around cells removed.

        Parameters
        ----------
        role : str
            One that the manifest names.
        blank : str, optional
            What a blank cell means; a fault if absent.
        """
        column = self.grid.data[self.columns[role]]
        try:
            cells = to_codes(column, missing={""}, role="id").text()
        except RoleError as held:
            self._refuse_type(role, str(held), "text")
            return np.full(self.grid.n_rows, "", dtype=object)
        cells = np.array([cell.strip() for cell in cells.tolist()], dtype=object)
        empty = np.flatnonzero(cells == "")
        if blank is None:
            for row in empty.tolist():
                self.refuse(row, role, "the cell is empty", "fill it in")
        else:
            cells[empty] = blank
        return cells

    def numbers(self, role: str, *, optional: bool = False) -> NDArray[np.float64]:
        """Return a column as finite numbers; blank cells are NaN if `optional`, else a fault."""
        column = self.grid.data[self.columns[role]]
        try:
            made = to_numbers(column, missing={""}, decimal=self.decimal)
        except RoleError as held:
            self._refuse_type(role, str(held), "numbers")
            return np.full(self.grid.n_rows, np.nan)
        for row in made.bad.tolist():
            what = f"{cell_text(column, row)!r} is no finite decimal number"
            self.refuse(row, role, what, "correct it")
        empty = np.isnan(made.values)
        empty[made.bad] = False
        for row in np.flatnonzero(empty).tolist() if not optional else ():
            self.refuse(row, role, "the cell is empty", "fill it in")
        return made.values

    def flags(self, role: str, *, yes: Collection[str] = ()) -> NDArray[np.bool_]:
        """Return a column as truth values.

        Parameters
        ----------
        role : str
            One that the manifest names.
        yes : collection of str
            The values that mean true, in the form of `canonical`; every other one means false. If
            empty: 1, true, yes against 0, false, no, and anything else is a fault.
        """
        cells = [canonical(cell) for cell in self.text(role).tolist()]
        if yes:
            return np.array([cell in yes for cell in cells], dtype=bool)
        for row, cell in enumerate(cells):
            if cell and cell.casefold() not in YES | NO:
                what = f"{cell!r} is neither yes nor no"
                mend = "write 1 or 0, true or false, yes or no"
                self.refuse(row, role, what, mend)
        return np.array([cell.casefold() in YES for cell in cells], dtype=bool)

    def _refuse_type(self, role: str, held: str, wanted: str) -> None:
        what = f"it holds {held}, not {wanted}"
        place = f": column {self.columns[role]!r}"
        mend = f"export it as {wanted}"
        self.found.add(place, what, mend, key=(*self.below, role))


def open_columns(
    given: File,
    roles: Mapping[str, str | None],
    key: Key,
    finder: Finder,
    *,
    columns_key: Key | None = None,
) -> Columned:
    """Return the file that the manifest declares under `key`, its columns not yet converted.

    Parameters
    ----------
    given : File
        Path, digest and how it is written.
    roles : mapping of text to text or None
        Role, named as in the manifest, to column; None where there is none.
    key : Key
        The key of the file's block; its path is at ``(*key, "path")``.
    finder : Finder
        Where files are.
    columns_key : Key, optional
        Where the columns are named, if not at ``(*key, "columns")``.

    Raises
    ------
    InputError
        If it cannot be read, is not the pinned one, or lacks a column; with all such faults.
    """
    path = finder.find(given.path, (*key, "path"))
    named = {role: column for role, column in roles.items() if column is not None}
    try:
        wanted = set(named.values())
        grid, digest = read_file(path, reading=given.read, wanted=wanted, missing={""})
    except FileFaults as found:
        raise InputError(in_file(found, given.path, (*key, "path"), finder.where)) from None
    below = (*key, "columns") if columns_key is None else columns_key
    keyed = [((*below, role), column) for role, column in named.items()]
    faults = finder.check_pin(
        PinnedFile(path=given.path, sha256=given.sha256), digest, (*key, "sha256")
    )
    faults += column_faults(keyed, grid.columns, path=given.path, where=finder.where)
    if faults:
        raise InputError(faults)
    return Columned(given.path, grid, digest, named, given.read.decimal, below)


def told(found: FileFaults, path: str, key: Key, finder: Finder) -> list[Fault]:
    """Return at most twenty mistakes of a file as faults, and a line that counts the rest."""
    return capped(in_file(found, path, key, finder.where), path)


def gathered(*steps: Callable[[], Any]) -> list[Any]:
    """Return what the steps return, or raise the faults of all of them together.

    Raises
    ------
    InputError
        With the faults of every step that has some.
    """
    made: list[Any] = []
    faults: list[Fault] = []
    for step in steps:
        try:
            made.append(step())
        except InputError as error:
            faults += error.faults
    if faults:
        raise InputError(faults)
    return made
