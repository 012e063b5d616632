"""What an input is like before any figure is made: gaps, ranges, group sizes, rows a unit."""

from __future__ import annotations

from dataclasses import dataclass

NO_ROLE = "no role"
"""What the role of a column is called that the manifest does not name."""


@dataclass(frozen=True)
class ColumnQuality:
    """One column in one role.

    Attributes
    ----------
    column : str
        Its name in the file; for bins, that of the attribute that they make; where the input has
        no columns (folders, COCO), the role.
    role : str
        What the manifest names it for: "label", "time", "event", "score", "unit", "key", "group",
        "bins" (the numbers that bins are made of), "feature"; of other files the key under
        ``columns``; "text" in lists of plain text; or `NO_ROLE`.
    missing : int
        Rows without a value.
    distinct : int or None
        Different values among the others; None where they were not kept.
    low, high : float or None
        The smallest and the largest number; None for text, or without a value.
    first, last : str or None
        The first and the last date, as ISO 8601, where every value is one.
    """

    column: str
    role: str
    missing: int
    distinct: int | None = None
    low: float | None = None
    high: float | None = None
    first: str | None = None
    last: str | None = None


@dataclass(frozen=True)
class GroupSize:
    """One group of one attribute, of all rows; `group` is None for the rows that name none."""

    attribute: str
    group: str | None
    rows: int
    units: int
    positives: int | None
    negatives: int | None


@dataclass(frozen=True)
class UnitRows:
    """How many rows the units have, of those that have an identifier."""

    units: int
    with_several: int
    median: float
    most: int


@dataclass(frozen=True)
class Quality:
    """What an input is like.

    Attributes
    ----------
    columns : tuple of ColumnQuality
        In the order of the roles; then those without a role, in the order of the file.
    groups : tuple of GroupSize
        By attribute; within one, as its levels are declared, else the largest first.
    unit_rows : UnitRows or None
        None if no unit is declared, or no row names one.
    repeats : int or None
        Rows that repeat an earlier row in every column (of boxes, in everything but the id); None
        where that was not looked at.
    """

    columns: tuple[ColumnQuality, ...] = ()
    groups: tuple[GroupSize, ...] = ()
    unit_rows: UnitRows | None = None
    repeats: int | None = None
