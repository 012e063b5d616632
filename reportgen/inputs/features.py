"""Feature vectors in a file of their own: an array aligned by row, or columns joined by a key."""

from __future__ import annotations

import io
import json
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePath
from typing import Any

import numpy as np
from numpy.lib.npyio import NpzFile
from numpy.typing import NDArray

from reportgen.inputs.convert import Coded, RoleError, cell_text, to_codes, to_numbers
from reportgen.inputs.grid import Grid
from reportgen.inputs.opening import Digest, digest_file, read_file
from reportgen.inputs.pretenders import HEAD, refuse_pretender
from reportgen.inputs.settings import FeatureFile, Reading
from reportgen.inputs.table import FloatArray
from reportgen.inputs.trouble import FileFaults, counted, few
from reportgen.inputs.unpacking import refuse_archive
from reportgen.language import n_

ARRAYS = (".npy", ".npz")
MAGIC = (b"\x93NUMPY", b"PK")
MOST = 1e100
"""Squares of such values, and their products with weights, stay within double precision."""


class _Every(frozenset[str]):
    """All columns are wanted: which there are is known only after reading."""

    def __contains__(self, column: object) -> bool:
        return True


@dataclass(frozen=True)
class FeatureRows:
    """The feature vectors of a file.

    Attributes
    ----------
    values : (n, F) float array
        NaN where missing.
    names : tuple of str
        One a feature.
    keys : Coded or None
        The row id of each vector; None where vectors are aligned by row.
    digest : Digest
    columns : tuple of str
        The header, or the names of the arrays.
    notes : tuple of str
    """

    values: FloatArray
    names: tuple[str, ...]
    keys: Coded | None
    digest: Digest
    columns: tuple[str, ...]
    notes: tuple[str, ...] = ()


@dataclass(frozen=True)
class Aligned:
    """Feature vectors in the order of a table's rows.

    Attributes
    ----------
    features : mapping of text to (n,) float array
    notes : tuple of str
        What was noticed.
    remarks : tuple of str
        Of these, what a reader must know before any figure: rows that found no other.
    """

    features: Mapping[str, FloatArray]
    notes: tuple[str, ...]
    remarks: tuple[str, ...] = ()


def beyond(features: Mapping[str, FloatArray]) -> Iterator[tuple[str, int, str, str]]:
    """Yield each feature with values that cannot be computed with: name, first row, what, mend.

    What lies so far out is a number that stands for a missing value, the largest double mostly.
    """
    for name, values in features.items():
        far = np.flatnonzero(np.abs(values) > MOST)
        if len(far):
            first = f"{values[far[0]]:g}"
            what = f"{first} is beyond what can be computed with"
            if len(far) > 1:
                what += (
                    f"; so {'is' if len(far) == 2 else 'are'} {counted(len(far) - 1, 'more value')}"
                )
            yield name, int(far[0]), what, "correct it or, if it means missing, leave it empty"


def read_features(
    path: Path, settings: FeatureFile, reading: Reading, *, missing: Collection[str] = ()
) -> FeatureRows:
    """Read the feature vectors of a file.

    Parameters
    ----------
    path : pathlib.Path
        .npy or .npz (never with pickled objects), or a table of columns.
    settings : FeatureFile
        Which array, which key, which columns.
    reading : Reading
        How a delimited file is written.
    missing : collection of str
        Cells of a delimited file that count as missing, beside empty ones.

    Raises
    ------
    FileFaults
        If it is not what it is declared to be.
    """
    array = PurePath(path.name.lower()).suffix in ARRAYS
    absent = {"", *missing}
    rows = _from_arrays(path, settings) if array else _from_columns(path, settings, reading, absent)
    faults = FileFaults()
    for name, row, what, mend in beyond(dict(zip(rows.names, rows.values.T, strict=True))):
        faults.add(f": row {row + 1} of {name!r}", what, mend)
    faults.raise_if_any()
    return rows


def _from_arrays(path: Path, settings: FeatureFile) -> FeatureRows:
    if settings.columns is not None:
        raise FileFaults.one("", "an array has no named columns", "take columns out")
    digest = digest_file(path)
    arrays = _arrays(path)
    if isinstance(arrays, np.ndarray):
        if settings.array is not None or settings.key is not None:
            what = "a .npy file holds one array without a name"
            raise FileFaults.one("", what, "take array and key out, or give a .npz file")
        return FeatureRows(*_matrix(arrays, path.stem), None, digest, ())
    with arrays:
        known = tuple(arrays.files)
        chosen = settings.array or (known[0] if len(known) == 1 else "")
        name = settings.key
        keys = None if name is None else _keys(_member(arrays, name, known), name)
        values, names = _matrix(_member(arrays, chosen, known), chosen)
    if keys is not None and len(keys.codes) != len(values):
        what = f"{counted(len(keys.codes), 'key')} for {counted(len(values), 'row')} of features"
        raise FileFaults.one(f": array {settings.key!r}", what, "give one key a row")
    return FeatureRows(values, names, keys, digest, known)


def _arrays(path: Path) -> NDArray[Any] | NpzFile:
    raw = path.read_bytes()
    if not raw.startswith(MAGIC):
        refuse_pretender(raw[:HEAD], "array")
        raise FileFaults.one("", *_array_trouble("it does not begin like one"))
    try:
        # Unpickling would run code from the file; arrays of plain numbers do not need it.
        arrays: NDArray[Any] | NpzFile = np.load(io.BytesIO(raw), allow_pickle=False)
        if isinstance(arrays, NpzFile) and arrays.zip is not None:
            refuse_archive(arrays.zip, len(raw))
        return arrays
    except FileFaults:
        raise
    except Exception as error:  # the zip library raises errors of its own
        raise FileFaults.one("", *_array_trouble(str(error))) from None


def _array_trouble(problem: str) -> tuple[str, str]:
    if "pickle" in problem.lower() or "object" in problem.lower():
        what = "the array holds Python objects, which are not loaded"
        return what, "save it as an array of numbers (dtype float32 or float64)"
    first = problem.splitlines()[0] if problem else "unreadable"
    return f"this is no sound .npy or .npz file ({first})", "save it anew with numpy"


def _member(arrays: NpzFile, name: str, known: tuple[str, ...]) -> NDArray[Any]:
    if name not in known:
        what = f"the file holds no array {name!r}" if name else "the file holds several arrays"
        raise FileFaults.one("", what, f"name one with array: {few(known)}")
    try:
        return np.asarray(arrays[name])
    except Exception as error:
        raise FileFaults.one(f": array {name!r}", *_array_trouble(str(error))) from None


def _matrix(array: NDArray[Any], name: str) -> tuple[FloatArray, tuple[str, ...]]:
    place = f": array {name!r}"
    if array.dtype.kind not in "fiub":
        what = f"it holds {array.dtype}, not numbers"
        raise FileFaults.one(place, what, "save it as an array of numbers")
    if array.ndim not in (1, 2) or not array.size:
        shape = " × ".join(map(str, array.shape)) or "a single number"
        raise FileFaults.one(place, f"its shape is {shape}", "save one row a vector")
    with np.errstate(over="ignore"):  # what is beyond a double is refused as not finite
        values = array.reshape(len(array), -1).astype(np.float64)
    infinite = int(np.isinf(values).sum())
    if infinite:
        row, column = np.argwhere(np.isinf(values))[0].tolist()
        first = f"row {row + 1}" + (f", column {column + 1}" if array.ndim == 2 else "")
        what = f"{counted(infinite, 'value')} not finite, the first in {first}"
        raise FileFaults.one(place, what, "correct them, or write NaN where a value is missing")
    return values, tuple(f"{name} {j + 1}" for j in range(values.shape[1]))


def _keys(array: NDArray[Any], name: str) -> Coded:
    if array.ndim != 1 or array.dtype.kind not in "USiu":
        what = f"the keys are {array.dtype} of {array.ndim} dimensions"
        raise FileFaults.one("", what, "save them as one array of text")
    try:
        plain = array.astype(str) if array.dtype.kind != "S" else np.char.decode(array, "utf-8")
        found, code = np.unique(plain, return_inverse=True)
        values = tuple(found.tolist())
    except ValueError:  # bytes, or code points, that are no characters
        mend = "save them as one array of text"
        raise FileFaults.one(f": array {name!r}", "a key is no text in UTF-8", mend) from None
    return Coded(values, code.astype(np.intp))


def _from_columns(
    path: Path, settings: FeatureFile, reading: Reading, missing: Collection[str]
) -> FeatureRows:
    if settings.array is not None:
        raise FileFaults.one("", "a table of columns has no arrays", "take array out")
    if settings.key is None:
        what = "columns are joined to the table's rows by a key, and none is named"
        raise FileFaults.one("", what, "name the column of row ids with key")
    grid, digest = read_file(path, reading=reading, wanted=_Every())
    names = _columns(grid, settings)
    faults = FileFaults()
    columns = []
    for name in names:
        try:
            numbers = to_numbers(grid.data[name], missing=missing, decimal=reading.decimal)
        except RoleError as error:
            faults.add(f": column {name!r}", f"it holds {error}, not numbers", "leave it out")
            continue
        for row in numbers.bad.tolist():
            within, text = f": column {name!r}", cell_text(grid.data[name], row)
            listed = json.dumps([*sorted(missing), text.strip()], ensure_ascii=False)
            mend = f"correct it or, if it means missing, say missing: {listed} under the table; "
            mend += "is the column no feature, name the others with columns"
            kind = (within, "no number")
            what = f"{text!r} is no finite number"
            faults.add(f"{grid.place(row)}{within}", what, mend, kind=kind, at=grid.at(row))
        columns.append(numbers.values)
    faults.raise_if_any()
    try:
        keys = to_codes(grid.data[settings.key], missing=missing, role="id")
    except RoleError as error:
        place, what = f": column {settings.key!r}", f"it holds {error}, not text or codes"
        raise FileFaults.one(place, what, error.mend or "name a column of row ids") from None
    return FeatureRows(np.column_stack(columns), names, keys, digest, grid.columns, grid.notes)


def _columns(grid: Grid, settings: FeatureFile) -> tuple[str, ...]:
    key = settings.key or ""
    names = settings.columns or [name for name in dict.fromkeys(grid.columns) if name != key]
    faults = FileFaults()
    for name in dict.fromkeys([key, *names]):
        count = grid.columns.count(name)
        if count != 1:
            what = f"there is no column {name!r}" if not count else f"{count} columns {name!r}"
            faults.add("", what, f"columns: {few(grid.columns)}")
    if not names:
        faults.add("", "there is no column beside the key", "add the features")
    faults.raise_if_any()
    return tuple(names)


def align(rows: FeatureRows, n_rows: int, keys: Sequence[str] | None) -> Aligned:
    """Return feature vectors in the order of a table's rows.

    Parameters
    ----------
    rows : FeatureRows
    n_rows : int
        Rows of the table.
    keys : sequence of str or None
        The table's own row ids, if it has any.

    Raises
    ------
    FileFaults
        If the numbers of rows differ, a key occurs twice, or no key is the table's.
    """
    if rows.keys is None:
        if len(rows.values) != n_rows:
            what = f"{counted(len(rows.values), 'row')} of features for {counted(n_rows, 'row')}"
            mend = "save one vector a row, in the table's order, or join them by a key"
            raise FileFaults.one("", what, mend)
        return Aligned(_by_name(rows.values, rows.names), rows.notes)
    if keys is None:
        raise FileFaults.one("", "the table declares no key to join by", "add key to the table")
    counts = rows.keys.counts()
    twice = [rows.keys.values[at] for at in np.flatnonzero(counts > 1).tolist()]
    if twice:
        what = f"{counted(len(twice), 'key')} in more than one row: {few(twice)}"
        raise FileFaults.one("", what, "keep one vector a key")
    place = {rows.keys.values[code]: at for at, code in enumerate(rows.keys.codes.tolist())}
    found = np.array([place.get(key, -1) if key else -1 for key in keys], dtype=np.intp)
    return _joined(rows, found)


def _joined(rows: FeatureRows, found: NDArray[np.intp]) -> Aligned:
    if (found < 0).all():
        raise FileFaults.one("", "no key is one of the table's", "are these the same ids?")
    values = np.full((len(found), rows.values.shape[1]), np.nan)
    values[found >= 0] = rows.values[found[found >= 0]]
    remarks = []
    lacking = int(np.count_nonzero(found < 0))
    unused = len(rows.values) - len(np.unique(found[found >= 0]))
    if lacking:
        text = n_(
            "{n} row of the table without features",
            "{n} rows of the table without features",
            lacking,
        )
        remarks.append(text.format(n=lacking))
    if unused:
        text = n_(
            "{n} row of features without a row of the table, not used",
            "{n} rows of features without a row of the table, not used",
            unused,
        )
        remarks.append(text.format(n=unused))
    notes = (*rows.notes, *remarks)
    return Aligned(_by_name(values, rows.names), notes, tuple(remarks))


def _by_name(values: FloatArray, names: Sequence[str]) -> dict[str, FloatArray]:
    return {name: np.ascontiguousarray(values[:, j]) for j, name in enumerate(names)}
