"""What to do about cells of numbers that cannot be taken as they are."""

from __future__ import annotations

import re
from collections.abc import Collection

import numpy as np

from reportgen.inputs.codes import say_missing
from reportgen.inputs.convert import Column, Numbers, cell_text
from reportgen.inputs.settings import TableSettings
from reportgen.inputs.table import FloatArray

NUMBERS = "name a column of numbers"


def about_range(values: FloatArray, *, percent: bool) -> str:
    """Return what to do about values that are no probabilities, as far as they tell what they are.

    Percentages and ages look alike, so neither is taken for granted; a few values above 1 among
    probabilities are mistakes and no percentages.
    """
    ranking = "scale: score (ranking only)"
    present = values[~np.isnan(values)]
    within = bool(np.all((present >= 0) & (present <= 100)))
    if not percent and within and np.count_nonzero(present > 1) > len(present) / 2:
        return (
            "if these are percentages, say scale: percent; if they are no probabilities (ages, "
            f"points), say {ranking} or name another column"
        )
    return f"correct them; or, if they are no probabilities, say {ranking} or name another column"


def no_number(text: str, decimal: str, missing: Collection[str], *, under: str) -> tuple[str, str]:
    """Return what is wrong with a cell that holds no finite number, and what to do about it.

    `under` is the table with the key that declares values missing: ``tables.test``.
    """
    bare = text.strip()
    declared = f"say {say_missing(missing, bare)} under {under}"
    correct = f"correct it, or if it means missing, {declared}"
    if bare.lstrip("+-").casefold() in ("inf", "infinity", "nan"):
        return f"{text!r} is not a finite number", correct
    if bare == "":
        what = "the cell is empty and the empty cell is not declared missing"
        return what, f"{declared}, or fill it"
    if any(mark in bare for mark in ",.") and bare.strip("+-0123456789.,") == "":
        other = "." if decimal == "," else ","
        mend = f"write it with the decimal mark {decimal!r} and no thousands marks"
        if bare.count(other) == 1:
            mend += f", or say read: {{decimal: {other!r}}}"
        return f"{text!r} is no number with the decimal mark {decimal!r}", mend
    return f"{text!r} is no finite decimal number", correct


def word_in(cells: Column, numbers: Numbers) -> str:
    """Return the first cell of a column without any number, if it is a word, else ""."""
    if not len(numbers.bad) or not np.isnan(numbers.values).all():
        return ""
    text = cell_text(cells, int(numbers.bad[0]))
    word = text.strip().lstrip("+-").casefold()
    return text if word not in ("inf", "infinity", "nan") and re.search("[^\\W\\d_]", word) else ""


def no_feature(table: TableSettings, column: str) -> str:
    """Return what to do about a feature without numbers."""
    if column in table.groups:
        return "it is a group: take it out of the features"
    return "take it out of the features, or write it as numbers"
