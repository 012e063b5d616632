"""Hypothesis strategies for columns of a table, and the file that they are written to."""

from __future__ import annotations

import csv
import gzip
import io
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
from hypothesis import strategies as st

Draw = st.DrawFn
Cells = tuple[str, ...]

MOST_ROWS = 40
CODINGS: tuple[tuple[str, str, Any], ...] = (
    ("0", "1", 1),
    ("-1", "1", 1),
    ("2", "1", "1"),
    ("0.0", "1.0", 1),
    ("0", "1", 1.0),
    ("FALSE", "TRUE", True),
    ("false", "true", "TRUE"),
    ("benign", "malign", "malign"),
    ("no", "yes", "yes"),
    ("b", " a ", "a"),
    ("<b>", "=1+1", "=1+1"),
)
"""The two values in the file, and the positive one as the manifest writes it."""
GROUPS: tuple[tuple[str, ...], ...] = (
    ("F", "M"),
    ("only",),
    ("F", "M", ""),
    ("Female", "female", "FEMALE", "femle", "male "),
    ("<b>x</b>", "<script>alert(1)</script>", "a&b\"c'd", "&lt;i&gt;"),
    ("{{ 7*7 }}", "{% raw %}", "{#", "%(x)s", "{x}"),
    ("女性", "男性", "é", "e\u0301", "İ"),
    ("=1+1", "@SUM(A1)", "+1", "-x", "two\nlines", "tab\there"),
    ("L" * 300, "long " * 60, "s"),
    ("overall", "all", "missing", "a × b", "(missing)"),
    ("0012", "12", "1E3", "1000", "1.0", "1", "NA", "nan", "inf", "None"),
    ("18", "25.5", "70", "1e2"),
    ("a\u202eb", "c\u00a0d", "x\u200by"),
    tuple(f"site {number}" for number in range(30)),
)
UNITS = ("0012", "12", "1E3", "1000", "NA", "nan", "p 1", "<i>", "", "é", "1.0", "True")
PROBABILITIES: tuple[tuple[str, ...], ...] = (
    ("0.1", "0.2", "0.3", "0.5", "0.7", "0.9"),
    ("0.5", ".5", "0.50", "0.49999999999", "0.50000000001", "5e-1"),
    ("0", "1"),
    ("0.25",),
    ("0", "5e-324", "1e-300", "1e-17", "0.9999999999999999", "1"),
)
RANKS: tuple[tuple[str, ...], ...] = (
    ("-3", "-1.5", "0", "0.5", "2", "7"),
    ("-1e300", "1e300", "1.7e308", "-1.7e308", "0", "1e-300"),
    ("12345678901234567", "12345678901234568", "-0.0"),
    ("4",),
)
SCALES = ("probability", "probability", "probability", "probability", "percent", "score")
HEADERS = ("{} <b>", "{}, %", "={}", "{} 值", "{}\nx", '{}"')
"""Forms of a column's name."""


@dataclass(frozen=True)
class Sheet:
    """A table as a file: columns of text, an empty cell where nothing is.

    `numeric` columns are written with the decimal mark of the file, or as numbers in Parquet.
    """

    columns: Mapping[str, Cells]
    numeric: frozenset[str]
    ending: str = "csv"
    semicolons: bool = False
    mark: bool = False

    @property
    def n_rows(self) -> int:
        """Data rows."""
        return len(next(iter(self.columns.values())))

    def content(self, order: Sequence[int] | None = None) -> bytes:
        """Return the bytes of the file, its rows in another order if one is given."""
        rows = range(self.n_rows) if order is None else order
        cells = {name: [column[row] for row in rows] for name, column in self.columns.items()}
        if self.ending == "parquet":
            return self._parquet(cells)
        text = io.StringIO()
        writer = csv.writer(
            text, delimiter="\t" if self.ending == "tsv" else ";" if self.semicolons else ","
        )
        if self.semicolons:
            for name in self.numeric:
                cells[name] = [cell.replace(".", ",") for cell in cells[name]]
        writer.writerow(cells)
        writer.writerows(zip(*cells.values(), strict=True))
        raw = text.getvalue().encode("utf-8-sig" if self.mark else "utf-8")
        return gzip.compress(raw, mtime=0) if self.ending == "csv.gz" else raw

    def _parquet(self, cells: Mapping[str, list[str]]) -> bytes:
        arrays = {
            name: pa.array([number_of(cell) for cell in column], pa.float64())
            if name in self.numeric and all(number_of(c) is not None for c in column if c)
            else pa.array([cell or None for cell in column], pa.string())
            for name, column in cells.items()
        }
        sink = io.BytesIO()
        pq.write_table(pa.table(arrays), sink)
        return sink.getvalue()


def number_of(cell: str) -> float | None:
    try:
        value = float(cell)
    except ValueError:
        return None
    return value if math.isfinite(value) else None


def rarely(draw: Draw, one_in: int = 8) -> bool:
    """Draw whether something happens that does once in so many times."""
    # In the middle: Hypothesis draws the ends of a range more often, and shrinks to its start.
    return draw(st.integers(0, one_in - 1)) == one_in // 2


def cells(draw: Draw, pool: Sequence[str], n: int) -> list[str]:
    """Draw n cells of a pool."""
    return draw(st.lists(st.sampled_from(pool), min_size=n, max_size=n))


def with_gaps(draw: Draw, column: list[str], *, one_in: int = 4, blank: str = "") -> list[str]:
    """Return a column, in one of so many cases with some of its cells, or all, empty."""
    if not column or not rarely(draw, one_in):
        return column
    if rarely(draw, 20):
        return [blank] * len(column)
    gone = draw(st.sets(st.integers(0, len(column) - 1), max_size=1 + len(column) // 3))
    return [blank if at in gone else cell for at, cell in enumerate(column)]


def numbers(draw: Draw, n: int, *, scale: str, label: Sequence[bool]) -> list[str]:
    """Draw a column of scores on a scale: spread out, tied, extreme, constant or informative."""
    pools = RANKS if scale == "score" else PROBABILITIES
    kind = draw(st.sampled_from(["spread", "spread", "follows", "follows", *map(str, range(9))]))
    if kind.isdigit():
        made = cells(draw, pools[int(kind) % len(pools)], n)
    else:
        low, high = (-20.0, 20.0) if scale == "score" else (0.0, 1.0)
        drawn = st.floats(low, high, allow_subnormal=False, width=32)
        values = draw(st.lists(drawn, min_size=n, max_size=n))
        if kind == "follows":
            values = [0.6 * v + 0.4 * yes for v, yes in zip(values, label, strict=True)]
        made = [repr(value) for value in values]
    if scale == "percent":
        made = [repr(100 * float(cell)) for cell in made]
    return made


@st.composite
def labels(draw: Draw, n: int) -> tuple[list[str], list[bool], dict[str, Any]]:
    """Draw a column of labels, which are positive, and how the manifest declares them."""
    negative, positive, typed = draw(st.sampled_from(CODINGS))
    shape = draw(st.sampled_from(["mixed"] * 6 + ["one class", "balanced"]))
    if shape == "mixed":
        yes = draw(st.lists(st.booleans(), min_size=n, max_size=n))
    else:
        yes = [shape == "one class" or bool(at % 2) for at in range(n)]
    column = with_gaps(draw, [positive if one else negative for one in yes])
    declared: dict[str, Any] = {"positive": typed}
    if rarely(draw):
        declared["negative"] = negative
    if column and rarely(draw, 20):
        column[draw(st.integers(0, n - 1))] = "9"
    return column, yes, declared


@st.composite
def features(draw: Draw, n: int) -> dict[str, list[str]]:
    """Draw up to three columns of measurements, one perhaps a copy of another."""
    found: dict[str, list[str]] = {}
    for name in ("x1", "x2", "x3")[: draw(st.integers(0, 3))]:
        kind = draw(st.sampled_from(["spread", "spread", "whole", "constant", "copy", "huge"]))
        if kind == "copy" and found:
            column = list(next(iter(found.values())))
        elif kind == "huge":
            far = "e300" if rarely(draw, 6) else "e99"
            column = cells(draw, (f"1{far}", f"-1{far}", "1e-300", "0", "1.5"), n)
        elif kind == "constant":
            column = ["3"] * n
        elif kind == "whole":
            column = cells(draw, ("0", "1", "2", "3"), n)
        else:
            drawn = st.floats(-100, 100, width=32)
            column = [repr(v) for v in draw(st.lists(drawn, min_size=n, max_size=n))]
        found[name] = with_gaps(draw, column, one_in=5)
    return found


@st.composite
def units(draw: Draw, n: int) -> list[str] | None:
    """Draw identifiers of patients: none, one each, several rows each, odd ones, all blank."""
    kind = draw(st.sampled_from(["none", "each", "several", "odd", "blank"]))
    if kind == "none":
        return None
    if kind == "each":
        return [f"p{at:03d}" for at in range(n)]
    if kind == "several":
        return [f"p{at}" for at in draw(st.lists(st.integers(0, 12), min_size=n, max_size=n))]
    return cells(draw, UNITS if kind == "odd" else ("",), n)
