"""Whether two tables hold the same units, and which row of the one is which of the other."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from reportgen.against.sides import AtHand
from reportgen.language import _, n_

IntArray = NDArray[np.intp]
TextArray = NDArray[np.str_]


@dataclass(frozen=True)
class Aligned:
    """Rows of two tables that are the same rows, in one order.

    Attributes
    ----------
    old, new : (n,) int array
        Positions in either table.
    unit : (n,) int array
        The unit of each row, 0 to U - 1.
    """

    old: IntArray
    new: IntArray
    unit: IntArray

    @property
    def n_units(self) -> int:
        """Number of units."""
        return int(self.unit.max(initial=-1)) + 1


def aligned(old: AtHand, new: AtHand, scores: tuple[Sequence[str], Sequence[str]]) -> Aligned | str:
    """Return the rows that figures rest on in both tables, or why they are not the same units.

    Rows meet by their key; without one by their unit, where every unit has one row; else they must
    stand in the same order. Units and labels must then agree row by row.

    Parameters
    ----------
    old, new : AtHand
    scores : (sequence of str, sequence of str)
        The scores that a row must have, in either table.
    """
    rows = [side.table.select(names).rows for side, names in zip((old, new), scores, strict=True)]
    if not len(rows[0]) or not len(rows[1]):
        return _("no row has a label and a score")
    order = _by_key(old, new, *rows)
    if isinstance(order, str):
        return order
    first, second = order
    reason = _differing(old, new, first, second)
    if reason:
        return reason
    return Aligned(first, second, new.table.unit_codes(second))


def _by_key(
    old: AtHand, new: AtHand, first: IntArray, second: IntArray
) -> tuple[IntArray, IntArray] | str:
    """Return the rows of both in one order."""
    for names in (_keys, _units):
        before, after = names(old, first), names(new, second)
        if before is None or after is None:
            continue
        if len(np.unique(before)) < len(before) or len(np.unique(after)) < len(after):
            continue  # not every row has a name of its own
        only_old, only_new = (
            int(np.count_nonzero(~np.isin(one, other)))
            for one, other in ((before, after), (after, before))
        )
        if only_old or only_new:
            text = _("the rows differ: {old} are in the older table alone, {new} in the newer")
            return text.format(old=only_old, new=only_new)
        return first[np.argsort(before)], second[np.argsort(after)]
    if old.sha256 == new.sha256 and np.array_equal(first, second):
        return first, second
    if old.table.unit is None or new.table.unit is None:
        return _("neither a key nor a unit tells which row is which")
    if len(first) != len(second):
        text = _("there is no key, and {old} rows are in the older table, {new} in the newer")
        return text.format(old=len(first), new=len(second))
    return first, second


def _keys(side: AtHand, rows: IntArray) -> TextArray | None:
    if side.keys is None:
        return None
    keys = np.array(side.keys, dtype=str)[rows]
    return None if (keys == "").any() else keys


def _units(side: AtHand, rows: IntArray) -> TextArray | None:
    if side.table.unit is None:
        return None
    units = side.table.unit[rows].astype(str)
    return None if (units == "").any() else units


def _differing(old: AtHand, new: AtHand, first: IntArray, second: IntArray) -> str:
    """Return how aligned rows differ in unit or label; "" if they agree."""
    if (old.table.unit is None) != (new.table.unit is None):
        return _("one of the two tables names units, the other does not")
    if old.table.unit is not None and new.table.unit is not None:
        units = old.table.unit[first].astype(str) != new.table.unit[second].astype(str)
        if units.any():
            k = int(np.count_nonzero(units))
            text = n_(
                "{k} of {n} rows is of another unit", "{k} of {n} rows are of another unit", k
            )
            return text.format(k=k, n=len(first))
    if old.table.label is None or new.table.label is None:
        return _("the outcome is no binary label")
    labels = old.table.label[first] != new.table.label[second]
    if labels.any():
        k = int(np.count_nonzero(labels))
        text = n_("the label of {k} of {n} rows differs", "the labels of {k} of {n} rows differ", k)
        return text.format(k=k, n=len(first))
    return ""
