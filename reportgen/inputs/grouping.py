"""Groups of people: as spelt, merged or cut into bins only where the manifest says so."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

import numpy as np

from reportgen.inputs.codes import scalar_text
from reportgen.inputs.convert import Coded
from reportgen.inputs.settings import Bins, Scalar
from reportgen.inputs.table import FloatArray

MOST_DATES = 20
"""A group column of more different dates is a time, and no set of groups."""

DATE = re.compile(r"\s*(\d{1,4})([-/.])(\d{1,2})\2(\d{1,4})(?:[T ][\d:.,+Z -]*)?\s*", re.ASCII)


def merged(cells: Coded, levels: Mapping[str, Sequence[Scalar]]) -> tuple[Coded, list[str]]:
    """Return the groups with declared spellings merged, and the values under no level."""
    by_spelling = {
        scalar_text(spelling): level
        for level, spellings in levels.items()
        for spelling in spellings
    }
    names = [by_spelling.get(value, value) for value in cells.values]
    loose = sorted(
        value for value in cells.values if value not in by_spelling and value not in levels
    )
    return cells.renamed(names), loose


def cut(values: FloatArray, bins: Bins) -> tuple[Coded, int]:
    """Return the bin of every value and how many values lie outside the edges.

    Bins closed on the left hold their lower edge and not their upper one, ``[40, 60)``; closed on
    the right the other way round, ``(40, 60]``. What lies outside is missing.
    """
    edges = np.asarray(bins.edges)
    right = bins.closed == "right"
    with np.errstate(invalid="ignore"):
        codes = np.digitize(values, edges, right=right).astype(np.intp) - 1
    codes[codes >= len(edges) - 1] = -1
    present = ~np.isnan(values)
    codes[~present] = -1
    return Coded(bins.levels, codes), int(np.count_nonzero(present & (codes < 0)))


def dates(values: Sequence[str]) -> bool:
    """Return whether the groups are so many different dates that they are a time."""
    return len(values) > MOST_DATES and all(map(_is_date, values))


def _is_date(value: str) -> bool:
    match = DATE.fullmatch(value)
    if match is None:
        return False
    first, _mark, second, third = match.groups()
    if len(first) == 4:
        return 1 <= int(second) <= 12 and 1 <= int(third) <= 31
    day, month = sorted([int(first), int(second)], reverse=True)
    return len(third) in (2, 4) and 1 <= month <= 12 and 1 <= day <= 31
