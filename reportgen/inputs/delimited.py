"""csv and tsv: every cell as text, rows of one length, every row's line known."""

from __future__ import annotations

import csv
import hashlib
import re
from collections import Counter
from collections.abc import Collection, Iterator
from itertools import islice
from typing import IO, Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from reportgen.inputs.cells import CellCounter
from reportgen.inputs.grid import Grid, Lines
from reportgen.inputs.trouble import AS_PLAIN, At, FileFaults, counted
from reportgen.language import _, n_

CHUNK = 20_000
BREAK = re.compile("\r\n|\r|\n")
DECLARED = re.compile("sep=(.)", re.IGNORECASE)
"""The first line with which Excel is told how the columns are parted."""
LONGEST = 2**24
TRAILING = "delete the delimiter at its end"
EVERY_FIELD = "quote cells that hold the delimiter; every row needs every field"
OTHER_DELIMITERS = (";", "\t", "|", ",")


def read_delimited(
    handle: IO[str],
    *,
    delimiter: str,
    wanted: Collection[str],
    keep_short: bool = False,
    declarable: bool = True,
    missing: Collection[str] | None = None,
) -> Grid:
    r"""Read a delimited file.

    Parameters
    ----------
    handle : text file
        Opened with ``newline=""``.
    delimiter : str
        One character.
    wanted : collection of str
        Columns to keep; ones that are not there are left to the caller.
    keep_short : bool
        Whether a row with fewer fields than the header is kept, without any of its cells: where
        it was cut cannot be told, so that even its last field may be a torn one.
    declarable : bool
        Whether the manifest has a key to declare another delimiter with.
    missing : collection of str, optional
        Cells that count as missing where those of the other columns are counted; if absent, they
        are not looked at.

    Returns
    -------
    Grid
        Text columns. Blank lines are skipped and counted in a note; so is a first line that tells
        Excel the delimiter.

    Raises
    ------
    FileFaults
        With the lines where the file is not what it claims to be: ragged rows, quotes that do not
        close, NUL bytes, another delimiter, no header, no rows.
    """
    reader = csv.reader(_lines(handle), delimiter=delimiter, strict=True)
    try:
        header, notes = _header(reader, delimiter, declarable)
        chosen = [(position, name) for position, name in enumerate(header) if name in wanted]
        collector = _Collector(
            len(header), chosen, next_line=reader.line_num + 1, keep_short=keep_short
        )
        if missing is not None:
            collector.count_others(header, missing)
        while rows := list(islice(reader, CHUNK)):
            collector.take(rows, reader.line_num)
    except csv.Error as error:
        raise FileFaults.one(f":{reader.line_num}", *_csv_trouble(str(error))) from None
    return collector.grid(header, notes)


def _lines(handle: IO[str]) -> Iterator[str]:
    """Give the lines; none of any length is held before it is known to be one."""
    number = 0
    while line := handle.readline(LONGEST):
        number += 1
        if len(line) == LONGEST and line[-1] not in "\r\n":
            what = f"this line has more than {LONGEST} characters"
            raise FileFaults.one(f":{number}", what, "export it anew, one line a row")
        yield line


def _csv_trouble(problem: str) -> tuple[str, str]:
    if "field larger" in problem or "unexpected end" in problem:
        return "a quoted cell does not end", 'close the quote, or double it ("") inside a cell'
    if "expected after" in problem:
        return "text follows a closing quote", 'double quotes inside a quoted cell ("")'
    return f"this is not a delimited file ({problem})", "export it anew"


def _header(reader: Any, delimiter: str, declarable: bool) -> tuple[list[str], list[str]]:
    raw = _first_filled(reader)
    line = f":{reader.line_num}"
    notes = []
    told = DECLARED.fullmatch(delimiter.join(raw))
    if told is not None:
        if told[1] != delimiter:
            what = f"{told[0]!r} says that the columns are parted by {told[1]!r}, not {delimiter!r}"
            raise FileFaults.one(line, what, _declare(told[1], declarable))
        text = _("the first line, {line}, says how the columns are parted")
        notes.append(text.format(line=repr(told[0])))
        raw = _first_filled(reader)
        line = f":{reader.line_num}"
    if any("\0" in name for name in raw):
        raise FileFaults.one(line, "there is a NUL byte in the header", "export it as plain text")
    if len(raw) == 1:
        other = next((mark for mark in OTHER_DELIMITERS if mark in raw[0]), None)
        if other is not None and other != delimiter:
            what = f"the columns are parted by {other!r}, not by {delimiter!r}"
            raise FileFaults.one(line, what, _declare(other, declarable))
    header = [name.strip() for name in raw]
    trimmed = [name for name, kept in zip(raw, header, strict=True) if name != kept]
    text = _("blanks around column name {name} were removed")
    return header, [*notes, *(text.format(name=repr(name)) for name in trimmed)]


def _first_filled(reader: Any) -> list[str]:
    row: list[str] | None = next((row for row in reader if _filled(row)), None)
    if row is None:
        raise FileFaults.one("", "the file is empty", "export it anew")
    return row


def _declare(other: str, declarable: bool) -> str:
    if not declarable:
        return AS_PLAIN
    decimal = ', decimal: ","' if other == ";" else ""
    hint = " (decimal only if numbers are written 0,73)" if decimal else ""
    mark = "\\t" if other == "\t" else other
    return f'say read: {{delimiter: "{mark}"{decimal}}} beside its path{hint}'


def _filled(row: list[str]) -> bool:
    return len(row) > 1 or (len(row) == 1 and row[0].strip() != "")


class _Collector:
    """Rows so far: text of the chosen columns, lines, and a digest a row to find repeats."""

    def __init__(
        self, width: int, chosen: list[tuple[int, str]], *, next_line: int, keep_short: bool
    ) -> None:
        self.width = width
        self.keep_short = keep_short
        self.short: list[int] = []
        self.chosen = chosen
        self.parts: dict[int, list[pa.Array[Any]]] = {position: [] for position, _name in chosen}
        self.others: dict[int, CellCounter] = {}
        self.digests: list[bytes] = []
        self.lines = Lines()
        self.n_rows = self.blank = 0
        self.ragged: Counter[int] = Counter()
        self.trailing = 0
        self.first_ragged = 0
        self.next_line = next_line
        self.faults = FileFaults()

    def count_others(self, header: list[str], missing: Collection[str]) -> None:
        """Count the cells of the columns that are not kept, too."""
        self.others = {
            position: CellCounter(name, missing)
            for position, name in enumerate(header)
            if position not in self.parts
        }

    def take(self, rows: list[list[str]], last_line: int) -> None:
        """Take rows of which the last one ends in `last_line`."""
        even = set(map(len, rows)) == {self.width}
        if even and last_line - self.next_line + 1 == len(rows):  # no break inside a cell
            self.lines.note(self.n_rows, self.next_line)
            self.n_rows += len(rows)
        else:
            rows = [row for row in rows if self._whole(row)]
        self.next_line = last_line + 1
        self._keep(rows)

    def _whole(self, row: list[str]) -> bool:
        """Return whether a row counts, after noting where it stands and what it lacks."""
        line = self.next_line
        self.next_line += 1 + sum(len(BREAK.findall(cell)) for cell in row)
        if len(row) != self.width and not _filled(row):
            self.blank += 1
            return False
        if len(row) == self.width or (self.keep_short and len(row) < self.width):
            if len(row) < self.width:
                self.short.append(self.n_rows)
            self.lines.note(self.n_rows, line)
            self.n_rows += 1
            return True
        trailing = len(row) == self.width + 1 and row[-1] == ""
        self.trailing += trailing
        self.ragged[len(row)] += 1
        self.first_ragged = self.first_ragged or line
        what = f"this row has {counted(len(row), 'field')}, the header {self.width}"
        mend = TRAILING if trailing else EVERY_FIELD
        self.faults.add(f":{line}", what, mend, kind=("", mend), at=At("line", line))
        return False

    def _keep(self, rows: list[list[str]]) -> None:
        if not rows:
            return
        empty = [None] * self.width
        cells = (row if len(row) == self.width else empty for row in rows)
        columns = list(zip(*cells, strict=True))
        for position, _name in self.chosen:
            self.parts[position].append(pa.array(columns[position], pa.large_string()))
        for position, counter in self.others.items():
            counter.take(columns[position])
        joined = ["\x1f".join(row) for row in rows]
        self._refuse_nul(joined)
        self.digests.append(
            b"".join(hashlib.blake2b(text.encode(), digest_size=16).digest() for text in joined)
        )

    def _refuse_nul(self, joined: list[str]) -> None:
        for position, text in enumerate(joined, start=self.n_rows - len(joined)):
            if "\0" in text:
                what = "there is a NUL byte in this row"
                mend = "this is no plain text file: export it anew"
                raise FileFaults.one(f":{self.lines.of(position)}", what, mend)

    def grid(self, header: list[str], notes: list[str]) -> Grid:
        """Return what was taken, or raise what was wrong with it."""
        if self.n_rows == 0 and len(self.ragged) == 1 and self.ragged.total() > 1:
            raise self._every_row_ragged()
        if not self.faults and self.n_rows == 0:
            self.faults.add("", "there is a header but no row", "export it anew, with its rows")
        elif not self.faults and len(self.short) == self.n_rows:
            what = f"no row has the {self.width} fields of the header"
            self.faults.add(
                f":{self.lines.of(0)}", what, "export it anew, every field of every row"
            )
        self.faults.raise_if_any()
        if self.blank:
            text = n_("{n} blank line skipped", "{n} blank lines skipped", self.blank)
            notes = [*notes, text.format(n=self.blank)]
        data = {
            name: pa.chunked_array(self.parts[position], pa.large_string())
            for position, name in self.chosen
        }
        repeated = _repeated(b"".join(self.digests))
        short = np.zeros(self.n_rows, dtype=bool)
        short[self.short] = True
        others = tuple(counter.cells() for counter in self.others.values())
        return Grid(
            tuple(header),
            data,
            self.n_rows,
            self.lines,
            repeated,
            tuple(notes),
            short,
            others=others,
        )

    def _every_row_ragged(self) -> FileFaults:
        """Return the one fault of a file in which every row has the same wrong number of fields."""
        ((width, count),) = self.ragged.items()
        what = f"each of the {count} rows has {counted(width, 'field')}, the header {self.width}"
        mend = "export it anew, every field of every row"
        if self.trailing == count:
            what, mend = f"{what}: each ends in a delimiter", "delete it at the end of every row"
        elif width > self.width:
            mend = "name every column in the header, that of row names too; quote cells that hold "
            mend += "the delimiter"
        return FileFaults.one(f":{self.first_ragged}", what, mend)


def _repeated(digests: bytes) -> NDArray[np.bool_]:
    table = np.frombuffer(digests, dtype="S16")
    repeated = np.ones(len(table), dtype=bool)
    repeated[np.unique(table, return_index=True)[1]] = False
    return repeated
