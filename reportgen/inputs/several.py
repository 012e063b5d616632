"""Units (patients) with rows in several groups of one attribute."""

from __future__ import annotations

import numpy as np

from reportgen.inputs.table import Table, UnitInSeveral
from reportgen.language import n_

MOST_NAMED = 20


def units_in_several(table: Table) -> tuple[tuple[UnitInSeveral, ...], tuple[str, ...]]:
    """Return the first such units of every attribute, by name, and how many there are in all.

    Rows without a value, or without a unit, are not counted: nothing is known of them.
    """
    found: list[UnitInSeveral] = []
    notes: list[str] = []
    if table.unit is None:
        return (), ()
    for attribute, values in table.groups.items():
        known = (table.unit != "") & (values != "")
        units, unit = np.unique(table.unit[known].astype(str), return_inverse=True)
        groups, group = np.unique(values[known].astype(str), return_inverse=True)
        pairs = np.unique(unit * max(1, len(groups)) + group)
        owner = pairs // max(1, len(groups))
        several = np.flatnonzero(np.bincount(owner, minlength=len(units)) > 1)
        for at in several[:MOST_NAMED].tolist():
            levels = groups[pairs[owner == at] % len(groups)]
            found.append(UnitInSeveral(attribute, str(units[at]), tuple(levels.tolist())))
        if len(several):
            text = n_(
                "of all rows, {n} unit has some in several named groups of {attribute}",
                "of all rows, {n} units have some in several named groups of {attribute}",
                len(several),
            )
            notes.append(text.format(n=len(several), attribute=attribute))
    return tuple(found), tuple(notes)
