"""What an input is like before any figure is made: gaps, ranges, group sizes, rows a unit."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class ColumnQuality:
    """One column in one role.

    Attributes
    ----------
    column : str
        Its name in the file; for bins, that of the attribute that they make; of images, the role.
    role : str
        "label", "time", "event", "score", "unit", "group", "feature"; of images "split", "source",
        "unit", "site", "acquired".
    missing : int
        Rows without a value.
    distinct : int
        Different values among the others.
    low, high : float or None
        The smallest and the largest number; None for text, or without a value.
    """

    column: str
    role: str
    missing: int
    distinct: int
    low: float | None = None
    high: float | None = None


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
class DateRange:
    """The first and the last date of a column, as ISO 8601, and the rows without one."""

    column: str
    first: str
    last: str
    missing: int


@dataclass(frozen=True)
class Quality:
    """What a table is like.

    Attributes
    ----------
    columns : tuple of ColumnQuality
        In the order of the roles.
    groups : tuple of GroupSize
        By attribute; within one, as its levels are declared, else the largest first.
    unit_rows : UnitRows or None
        None if no unit is declared, or no row names one.
    repeats : int or None
        Rows that repeat an earlier row in every column; None where that was not looked at.
    dates : tuple of DateRange
    """

    columns: tuple[ColumnQuality, ...] = ()
    groups: tuple[GroupSize, ...] = ()
    unit_rows: UnitRows | None = None
    repeats: int | None = None
    dates: tuple[DateRange, ...] = ()
