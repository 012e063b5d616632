"""Feature vectors made ready: complete rows, columns that vary and occur once, one scale."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.intp]
BoolArray = NDArray[np.bool_]

_ROUNDING = 1e-12  # a spread below this share of the largest value is rounding, not variation


@dataclass(frozen=True)
class Measured:
    """A figure with its interval, or the reason why either is missing.

    Attributes
    ----------
    value : float or None
        The estimate.
    low, high : float or None
        Limits of its interval.
    method : str
        How the interval was made, as printed.
    reason : str
        Why the value or its interval is missing; empty if neither is.
    """

    value: float | None
    low: float | None = None
    high: float | None = None
    method: str = ""
    reason: str = ""

    @classmethod
    def missing(cls, reason: str) -> Measured:
        """Return the figure that cannot be had, because of `reason`."""
        return cls(None, reason=reason)


@dataclass(frozen=True)
class Features:
    """Feature columns that can be used, z-scored.

    Attributes
    ----------
    values : (n, F) float array
        Mean 0 and standard deviation 1 over the rows they were scaled on.
    names : tuple of str
        The F names that are left, in the order given.
    mean, scale : (F,) float arrays
        ``values = (given - mean) / scale``.
    notes : tuple of str
        What was dropped and why.
    """

    values: FloatArray
    names: tuple[str, ...]
    mean: FloatArray
    scale: FloatArray
    notes: tuple[str, ...]


def complete_rows(features: FloatArray) -> BoolArray:
    """Return which rows have every feature as a finite number, (n,)."""
    return np.asarray(np.isfinite(features).all(axis=1))


def standardise(
    features: FloatArray,
    *,
    on: BoolArray | None = None,
    names: Sequence[str] = (),
    called: str = "the reference",
) -> Features:
    """Return the usable features, z-scored on some of the rows.

    Parameters
    ----------
    features : (n, F) float array
        Finite; see `complete_rows`.
    on : (n,) bool array or None
        The rows whose mean and standard deviation (divisor n) set the scale; None for all.
    names : sequence of str
        One a column; "feature 1" and so on if there are none.
    called : str
        What the rows `on` are called in the notes.

    Returns
    -------
    Features
        Without columns that are constant on the rows `on` (they have no scale) and without copies
        of an earlier column; F may be 0.

    Raises
    ------
    ValueError
        If a value is not finite, the names do not fit, or `on` holds no row.
    """
    names = tuple(names) or tuple(f"feature {j + 1}" for j in range(features.shape[1]))
    if len(names) != features.shape[1]:
        raise ValueError(f"{features.shape[1]} features but {len(names)} names")
    if not np.isfinite(features).all():
        raise ValueError("features must be finite; leave incomplete rows out first")
    rows = features if on is None else features[on]
    if not len(rows):
        raise ValueError("no rows to set the scale on")
    mean, scale = rows.mean(axis=0), rows.std(axis=0)
    constant = scale <= _ROUNDING * np.abs(rows).max(axis=0)
    copies = _copies(features)
    keep = np.flatnonzero(~constant & (copies < 0))
    notes = [
        f"{name} left out: constant" + ("" if on is None else f" in {called}")
        for name, flat in zip(names, constant, strict=True)
        if flat
    ]
    notes += [
        f"{names[j]} left out: a copy of {names[copies[j]]}"
        for j in np.flatnonzero(~constant & (copies >= 0)).tolist()
    ]
    values = (features[:, keep] - mean[keep]) / scale[keep]
    kept = tuple(names[j] for j in keep.tolist())
    return Features(values, kept, mean[keep], scale[keep], tuple(notes))


def _copies(features: FloatArray) -> IntArray:
    """Return, for each column, the earlier column it equals in every row, else -1."""
    first: dict[bytes, int] = {}
    found = [first.setdefault((column + 0.0).tobytes(), j) for j, column in enumerate(features.T)]
    return np.array([j if j < own else -1 for own, j in enumerate(found)], dtype=np.intp)


def canonical_order(unit: IntArray, *columns: NDArray[np.generic]) -> tuple[IntArray, IntArray]:
    """Return an order of the rows, and codes of the units, that follow from the data alone.

    Whatever is drawn or split by these does not depend on the order of the rows or the names of
    the patients (rows that are equal in every column are interchangeable).

    Parameters
    ----------
    unit : (n,) int array
        Unit of each row, 0 upwards.
    *columns : (n,) or (n, F) arrays
        What the rows hold; the first sorts first.

    Returns
    -------
    order : (n,) int array
        Rows ascending.
    codes : (n,) int array
        Unit of each row *in the order given*, 0 to U - 1, by first appearance in `order`.
    """
    flat = [part for column in columns for part in np.atleast_2d(column.T)]
    order = np.lexsort(flat[::-1])
    _, first, code = np.unique(unit[order], return_index=True, return_inverse=True)
    rank = np.empty(len(first), dtype=np.intp)
    rank[np.argsort(first, kind="stable")] = np.arange(len(first))
    codes = np.empty(len(unit), dtype=np.intp)
    codes[order] = rank[code]
    return order.astype(np.intp), codes
