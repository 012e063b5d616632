"""Groups of people: as spelt, merged or cut into bins only where the manifest says so."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from reportgen.inputs.codes import scalar_text
from reportgen.inputs.convert import Coded
from reportgen.inputs.settings import Bins, Scalar
from reportgen.inputs.table import FloatArray

LEAST_LETTERS = 5
"""Words of so many letters are taken to be another word with a letter left out, if they fit."""


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
    """Return values that differ only in capitals, blanks or one letter left out, each set sorted.

    A word without one of its letters (not the first: "atypical" is no slip of "typical") counts
    from five letters on, and only among words without digits, as numbered names differ so.
    """
    by_form: dict[str, list[str]] = {}
    for value in cells.values:
        by_form.setdefault(" ".join(value.casefold().split()), []).append(value)
    for form in sorted(by_form, key=len, reverse=True):
        for shorter in _without_a_letter(form):
            if shorter in by_form:
                by_form[form] += by_form.pop(shorter)
    return [tuple(sorted(spelt)) for spelt in by_form.values() if len(spelt) > 1]


def _without_a_letter(form: str) -> list[str]:
    if len(form) <= LEAST_LETTERS or any(letter.isdigit() for letter in form):
        return []
    return list(dict.fromkeys(form[:at] + form[at + 1 :] for at in range(1, len(form))))
