"""What sections ask of an attribute alike: are these groups, and which patients are in several."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from reportgen.inputs import Table

MOST_DISTINCT = 20
"""A column of more distinct numbers than this is taken for a measurement, not for groups."""


def numbers_for_groups(table: Table, name: str) -> tuple[str, str] | None:
    """Return what is wrong with a measurement that stands as an attribute, and its mend.

    Parameters
    ----------
    table : Table
    name : str
        One of its groups.

    Returns
    -------
    what, mend : str
        None where the values are few, no numbers, or declared as levels.
    """
    if name in table.levels:
        return None
    values = {str(value) for value in table.groups[name].tolist() if value}
    if len(values) <= MOST_DISTINCT:
        return None
    try:
        if not np.isfinite([float(value) for value in values]).all():
            return None
    except ValueError:
        return None
    distinct = sorted(values, key=float)
    what = f"{name!r} holds {len(distinct)} different numbers, {distinct[0]} to {distinct[-1]}"
    mend = (
        f"cut it into groups with bins: {{{name}: {{edges: […]}}}} under the table, "
        f"or, if these are codes, say levels: {{{name}: {{}}}} there"
    )
    return what, mend


def units_in_several(
    group: NDArray[np.intp], unit: NDArray[np.intp], names: NDArray[np.object_] | None
) -> tuple[str, ...]:
    """Return the units (patients) with rows in several groups, by name, sorted.

    Parameters
    ----------
    group, unit : (n,) int arrays
        Of each row.
    names : (n,) object array or None
        What the unit of each row is called; None where none is named.
    """
    if names is None:
        return ()
    pairs = np.unique(np.column_stack([unit, group]), axis=0)
    units, groups = np.unique(pairs[:, 0], return_counts=True)
    rows = np.isin(unit, units[groups > 1])
    return tuple(sorted({str(name) for name in names[rows].tolist()}))
