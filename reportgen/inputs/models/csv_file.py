"""Coefficients of a linear model as a table: feature, coefficient and maybe mean and scale."""

from __future__ import annotations

import csv
import io
import math

from reportgen.errors import choose_from
from reportgen.inputs.models.content import ModelContent, model_of
from reportgen.inputs.trouble import At, FileFaults

INTERCEPTS = ("intercept", "(intercept)", "constant", "const")
COLUMNS = ("feature", "coefficient", "mean", "scale")


def read_coefficients(raw: bytes, *, link: str) -> ModelContent:
    """Return the linear model of a table of coefficients.

    Parameters
    ----------
    raw : bytes
        UTF-8, commas; the columns feature and coefficient, and optionally mean and scale; one row
        is the intercept.
    link : {"logit", "identity"}

    Raises
    ------
    FileFaults
        With every mistake and its line.
    """
    try:
        rows = list(csv.reader(io.StringIO(raw.decode("utf-8-sig"), newline=""), strict=True))
    except (UnicodeDecodeError, csv.Error) as error:
        what = f"this is no UTF-8 table with commas ({error})"
        raise FileFaults.one("", what, "export the coefficients as csv") from None
    header = [name.strip().lower() for name in rows[0]] if rows else []
    _check_header(header)
    faults = FileFaults()
    data = _Coefficients()
    for line, row in enumerate(rows[1:], start=2):
        if not any(cell.strip() for cell in row):
            continue
        if len(row) != len(header):
            what = f"{len(row)} cells for {len(header)} columns"
            mend = "give one cell a column"
            faults.add(f":{line}", what, mend, kind=("", mend), at=At("line", line))
            continue
        data.take(dict(zip(header, row, strict=True)), line, faults)
    if data.intercept is None:
        mend = f"add a row whose feature is {INTERCEPTS[0]}"
        faults.add("", "there is no intercept", mend)
    faults.raise_if_any()
    plain = {
        "intercept": data.intercept,
        "coefficients": data.coefficients,
        "scaling": data.scaling,
        "link": link,
    }
    return model_of("linear", plain)


def _check_header(header: list[str]) -> None:
    faults = FileFaults()
    for name in ("feature", "coefficient"):
        if name not in header:
            faults.add(":1", f"there is no column {name!r}", f"columns: {', '.join(COLUMNS)}")
    for name in header:
        if name not in COLUMNS:
            faults.add(f":1: column {name!r}", "unknown column", choose_from(COLUMNS, name))
        elif header.count(name) > 1:
            faults.add(f":1: column {name!r}", "it stands twice", "keep one")
    faults.raise_if_any()


class _Coefficients:
    def __init__(self) -> None:
        self.intercept: float | None = None
        self.coefficients: dict[str, float] = {}
        self.scaling: dict[str, dict[str, float]] = {}

    def take(self, row: dict[str, str], line: int, faults: FileFaults) -> None:
        """Take one row of the table."""
        name = row["feature"].strip()
        value = _number(row, "coefficient", line, faults)
        if name.lower() in INTERCEPTS:
            if self.intercept is not None:
                _refuse(faults, line, "feature", "a second intercept", "keep one")
            self.intercept = value
            return
        if not name or name in self.coefficients:
            what = f"the feature {name!r} stands twice" if name else "the feature has no name"
            _refuse(faults, line, "feature", what, "name each feature once")
        self.coefficients[name] = value
        given = [key for key in ("mean", "scale") if row.get(key, "").strip()]
        if given:
            scale = {key: _number(row, key, line, faults) for key in given}
            if scale.get("scale") == 0:
                _refuse(faults, line, "scale", "a scale of 0", "leave the feature out")
            self.scaling[name] = scale


def _refuse(faults: FileFaults, line: int, column: str, what: str, mend: str) -> None:
    within = f": column {column!r}"
    faults.add(f":{line}{within}", what, mend, kind=(within, mend), at=At("line", line))


def _number(row: dict[str, str], column: str, line: int, faults: FileFaults) -> float:
    text = row[column].strip()
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not math.isfinite(value):
        what = f"{text!r} is no finite number"
        _refuse(faults, line, column, what, "write a number with a decimal point")
        return 0.0
    return value
