"""Groups of people: as spelt, merged or cut into bins only where the manifest says so."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from reportgen.inputs.codes import scalar_text
from reportgen.inputs.convert import Coded
from reportgen.inputs.settings import Bins, Scalar
from reportgen.inputs.table import FloatArray


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


def variants(cells: Coded) -> list[tuple[str, ...]]:
    """Return values that differ only in capitals or blanks, each set sorted."""
    by_form: dict[str, list[str]] = {}
    for value in cells.values:
        by_form.setdefault(" ".join(value.casefold().split()), []).append(value)
    return [tuple(sorted(spelt)) for spelt in by_form.values() if len(spelt) > 1]
