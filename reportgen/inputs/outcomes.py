"""The outcome: which rows are positive, by declaration; a value that does not fit is never guessed.

Each function returns the mistakes as `Oddity` records; the caller knows file, line and key.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from reportgen.errors import Key, nearest
from reportgen.inputs.codes import canonical, scalar_text
from reportgen.inputs.convert import Coded
from reportgen.inputs.settings import BinaryLabel, Scalar, SurvivalLabel
from reportgen.inputs.table import FloatArray
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


def binary(cells: Coded, label: BinaryLabel) -> tuple[FloatArray, list[Oddity]]:
    """Return 1.0 the positive class, 0.0 the other, NaN missing; and what does not fit."""
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
        oddities += _strange(coded, strange)
    values = {positive: 1.0} if negative is None else {positive: 1.0, negative: 0.0}
    return _as_numbers(coded, values), oddities


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
    rest = [(count, value) for count, value in counts if value != positive]
    return max(rest)[1] if rest else partner


def _strange(coded: Coded, strange: Sequence[str]) -> list[Oddity]:
    if len(strange) > MOST_VALUES:
        what = f"the label has {len(coded.values)} values ({listed(coded)})"
        return [Oddity(what, "a label has two; name another column")]
    count = dict(zip(coded.values, coded.counts().tolist(), strict=True))
    return [
        Oddity(
            f"{value!r} is a third value of the label ({listed(coded)})",
            f'correct it, or if it means missing, say missing: ["", "{value}"]',
            rows=_rows(coded, value),
        )
        for value in sorted(strange, key=lambda value: (count[value], value))
    ]


def events(cells: Coded, label: SurvivalLabel) -> tuple[FloatArray, list[Oddity], list[str]]:
    """Return the events, what does not fit, and notes.

    Events are 0 censored, 1 the event, 2 a competing event, NaN missing.
    """
    coded = cells.renamed([canonical(value) for value in cells.values])
    positive = canonical(label.positive)
    competing = [canonical(code) for code in label.competing]
    censored = [canonical(code) for code in label.censored]
    present = list(coded.values)
    if not present:
        return _as_numbers(coded, {}), [Oddity("every cell is missing", "give the events")], []
    named = {positive, *competing, *censored}
    rest = [value for value in present if value not in named]
    oddities: list[Oddity] = []
    if positive not in present and (rest != [OTHER.get(positive)] and (rest or not censored)):
        oddities.append(_absent(coded, label.positive, ("positive",)))
    absent, notes = _absent_codes(coded, rest, label)
    oddities += absent
    if not oddities and rest and (censored or len(rest) > 1):
        oddities += _unnamed(coded, rest)
    values = {positive: 1.0} | dict.fromkeys(competing, 2.0) | dict.fromkeys(censored + rest, 0.0)
    return _as_numbers(coded, values), oddities, notes


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


def _as_numbers(coded: Coded, values: dict[str, float]) -> FloatArray:
    table = np.array([values.get(value, np.nan) for value in coded.values] + [np.nan])
    return table[coded.codes]
