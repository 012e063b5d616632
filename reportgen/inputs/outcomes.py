"""The outcome: which rows are positive, by declaration; a value that does not fit is never guessed.

Each function returns the mistakes as `Oddity` records; the caller knows file, line and key.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from reportgen.errors import Key, nearest
from reportgen.inputs.codes import canonical, say_missing, scalar_text
from reportgen.inputs.convert import Coded
from reportgen.inputs.settings import BinaryLabel, Scalar, SurvivalLabel
from reportgen.inputs.table import FloatArray, LabelClass
from reportgen.language import _

OTHER = {"0": "1", "1": "0", "true": "false", "false": "true"}
"""The other value where one is enough to know both."""

MOST_VALUES = 5
"""Values beyond two that are named one by one."""


@dataclass(frozen=True)
class Oddity:
    """One mistake in an outcome.

    Attributes
    ----------
    what, mend : str
        As in a Fault.
    key : Key
        The key of the label it belongs to, if it is a mistake of the manifest, else ().
    rows : (k,) int array or None
        Rows that hold it.
    """

    what: str
    mend: str
    key: Key = ()
    rows: NDArray[np.intp] | None = None


@dataclass(frozen=True)
class Outcome:
    """An outcome in numbers.

    Attributes
    ----------
    values : (n,) float array
        1.0 the positive class or the event, 0.0 the other or censored, 2.0 a competing event; NaN
        missing.
    classes : mapping of float to LabelClass
        What each of these numbers stands for, its rows not yet counted.
    oddities : tuple of Oddity
        What does not fit.
    notes : tuple of str
    """

    values: FloatArray
    classes: Mapping[float, LabelClass]
    oddities: tuple[Oddity, ...]
    notes: tuple[str, ...] = ()


def binary(cells: Coded, label: BinaryLabel, *, missing: Collection[str] = ()) -> Outcome:
    """Return which rows are of the positive class; `missing` is what the manifest declares."""
    coded = cells.renamed([canonical(value) for value in cells.values])
    positive, present = canonical(label.positive), list(coded.values)
    negative = _other_class(coded, label)
    oddities: list[Oddity] = []
    if not present:
        oddities.append(Oddity("every cell is missing", "give the outcome"))
    elif positive not in present and present != [negative]:
        oddities.append(_absent(coded, label.positive, ("positive",)))
    elif negative is None:
        what = f"only {positive!r} occurs, so that the other class is unknown"
        oddities.append(Oddity(what, "name it: label: {negative: …}"))
    else:
        strange = [value for value in present if value not in (positive, negative)]
        oddities += _strange(coded, strange, missing)
    classes = {1.0: LabelClass(label.column, "positive", (positive,))}
    if negative is not None:
        classes[0.0] = LabelClass(label.column, "negative", (negative,))
    return Outcome(_as_numbers(coded, classes), classes, tuple(oddities))


def _other_class(coded: Coded, label: BinaryLabel) -> str | None:
    """Return the value of the other class: declared, the usual partner, or the one that occurs.

    Where several other values occur, the most frequent is meant; `binary` refuses the rest.
    """
    if label.negative is not None:
        return canonical(label.negative)
    positive = canonical(label.positive)
    partner = OTHER.get(positive)
    if partner in coded.values or positive not in coded.values:
        return partner
    counts = zip(coded.counts().tolist(), coded.values, strict=True)
    rest = [(count, value) for count, value in counts if value and value != positive]
    return max(rest)[1] if rest else partner


def _strange(coded: Coded, strange: Sequence[str], missing: Collection[str]) -> list[Oddity]:
    if len(strange) > MOST_VALUES:
        what = f"the label has {len(coded.values)} values ({listed(coded)})"
        return [Oddity(what, "a label has two; name another column")]
    count = dict(zip(coded.values, coded.counts().tolist(), strict=True))
    return [
        Oddity(
            f"{value!r} is a third value of the label ({listed(coded)})",
            f"correct it, or if it means missing, say {say_missing(missing, value)}",
            rows=_rows(coded, value),
        )
        if value
        else _blank(coded, missing)
        for value in sorted(strange, key=lambda value: (count[value], value))
    ]


def _blank(coded: Coded, missing: Collection[str]) -> Oddity:
    what = "the cell is empty and the empty cell is not declared missing"
    return Oddity(what, f"say {say_missing(missing, '')}, or fill it", rows=_rows(coded, ""))


def events(cells: Coded, label: SurvivalLabel, *, missing: Collection[str] = ()) -> Outcome:
    """Return which rows have the event, which a competing one and which are censored."""
    coded = cells.renamed([canonical(value) for value in cells.values])
    positive = canonical(label.positive)
    competing = [canonical(code) for code in label.competing]
    censored = [canonical(code) for code in label.censored]
    present = list(coded.values)
    if not present:
        absent_all = Oddity("every cell is missing", "give the events")
        return Outcome(_as_numbers(coded, {}), {}, (absent_all,))
    named = {positive, *competing, *censored}
    rest = [value for value in present if value and value not in named]
    oddities = [_blank(coded, missing)] if "" in present else []
    if positive not in present and (rest != [OTHER.get(positive)] and (rest or not censored)):
        oddities.append(_absent(coded, label.positive, ("positive",)))
    absent, notes = _absent_codes(coded, rest, label)
    oddities += absent
    if not oddities and rest and (censored or len(rest) > 1):
        oddities += _unnamed(coded, rest)
    others = tuple(dict.fromkeys(censored + rest))
    classes = {
        1.0: LabelClass(label.event, "event", (positive,)),
        2.0: LabelClass(label.event, "competing", tuple(competing)),
        0.0: LabelClass(label.event, "censored", others),
    }
    named_classes = {number: one for number, one in classes.items() if one.values}
    return Outcome(_as_numbers(coded, classes), named_classes, tuple(oddities), tuple(notes))


def _absent_codes(
    coded: Coded, rest: Collection[str], label: SurvivalLabel
) -> tuple[list[Oddity], list[str]]:
    """Return codes that do not occur: mistakes where a like value does, else notes."""
    oddities, notes = [], []
    lists: tuple[tuple[str, list[Scalar]], ...] = (
        ("competing", label.competing),
        ("censored", label.censored),
    )
    for role, codes in lists:
        for position, code in enumerate(codes):
            if canonical(code) in coded.values:
                continue
            if nearest(canonical(code), sorted(rest)):
                oddities.append(_absent(coded, code, (role, position)))
            else:
                text = _("no row holds the censored code {code}")
                if role == "competing":
                    text = _("no row holds the competing code {code}")
                notes.append(text.format(code=repr(scalar_text(code))))
    return oddities, notes


def _unnamed(coded: Coded, rest: Sequence[str]) -> list[Oddity]:
    names = ", ".join(repr(value) for value in rest)
    what = f"{names} are neither the event nor competing nor censored ({listed(coded)})"
    if len(rest) == 1:
        what = what.replace(" are ", " is ", 1)
    mend = "name what is censored: label: {censored: [" + ", ".join(rest) + "]}"
    return [Oddity(what, mend, rows=_rows(coded, rest[0]))]


def _absent(coded: Coded, code: Scalar, key: Key) -> Oddity:
    wanted = canonical(code)
    guess = nearest(wanted, sorted(coded.values))
    if guess is None and {wanted, *coded.values} <= OTHER.keys():
        guess = next((value for value in ("1", "true") if value in coded.values), None)
    hint = f"did you mean {guess!r}?" if guess else "write one of them"
    return Oddity(f"no row holds {scalar_text(code)!r}; there are {listed(coded)}", hint, key=key)


def listed(coded: Coded) -> str:
    """Return the values with their counts: ``'benign' in 7 rows, 'malignant' in 5``."""
    pairs = sorted(
        zip(coded.values, coded.counts().tolist(), strict=True), key=lambda p: (-p[1], p[0])
    )
    shown = ", ".join(f"{value[:40]!r} × {count}" for value, count in pairs[:8])
    return shown + (f" and {len(pairs) - 8} more values" if len(pairs) > 8 else "")


def _rows(coded: Coded, value: str) -> NDArray[np.intp]:
    return np.flatnonzero(coded.codes == coded.values.index(value))


def _as_numbers(coded: Coded, classes: Mapping[float, LabelClass]) -> FloatArray:
    values = {value: number for number, one in classes.items() for value in one.values}
    table = np.array([values.get(value, np.nan) for value in coded.values] + [np.nan])
    return table[coded.codes]
