"""Which row of one table is which of another, and when they are not the same units."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from reportgen.against.alignment import Aligned, aligned
from reportgen.against.sides import AtHand
from reportgen.inputs import Table

LABELS = [1, 0, 1, 0, 1]
SCORES = ("s",)


def at_hand(
    order: list[int] | None = None,
    *,
    keys: list[str] | None = None,
    unit: list[str] | None = None,
    label: list[float] | None = None,
    score: list[float] | None = None,
    sha256: str = "a",
) -> AtHand:
    """Return a table whose rows are those given, in another order."""
    at = np.arange(5) if order is None else np.array(order)

    def of(values: list[Any] | None, kind: Any) -> Any:
        return None if values is None else np.array(values, dtype=kind)[at]

    table = Table(
        name="t",
        n_rows=len(at),
        scale="probability",
        label=of(label or LABELS, float),
        survival=None,
        scores={"s": of(score or [0.1, 0.2, 0.3, 0.4, 0.5], float)},
        unit=of(unit, object),
        groups={},
        features={},
    )
    named = of(keys, object)
    return AtHand(table, None if named is None else list(named), sha256)


def align(old: AtHand, new: AtHand) -> Aligned | str:
    return aligned(old, new, (SCORES, SCORES))


KEYS = ["k1", "k2", "k3", "k4", "k5"]
UNITS = ["u1", "u1", "u2", "u3", "u3"]


def test_rows_meet_by_their_key_in_any_order() -> None:
    old = at_hand(keys=KEYS, unit=UNITS)
    new = at_hand([4, 2, 0, 1, 3], keys=KEYS, unit=UNITS, sha256="b")
    found = align(old, new)
    assert isinstance(found, Aligned)
    assert old.keys is not None
    assert new.keys is not None
    assert [old.keys[at] for at in found.old] == [new.keys[at] for at in found.new] == KEYS
    assert found.unit.tolist() == [0, 0, 1, 2, 2]
    assert found.n_units == 3


def test_without_a_key_units_of_one_row_each_tell_rows_apart() -> None:
    old, new = at_hand(unit=KEYS), at_hand([1, 0, 2, 4, 3], unit=KEYS, sha256="b")
    found = align(old, new)
    assert isinstance(found, Aligned)
    assert found.new.tolist() == [1, 0, 2, 4, 3]


def test_units_of_several_rows_must_stand_in_the_same_order() -> None:
    old = at_hand(unit=UNITS)
    assert isinstance(align(old, at_hand(unit=UNITS, sha256="b")), Aligned)
    reason = align(old, at_hand([2, 0, 1, 3, 4], unit=UNITS, sha256="b"))
    assert reason == "2 of 5 rows are of another unit"


def test_the_same_file_needs_neither_key_nor_unit() -> None:
    assert isinstance(align(at_hand(), at_hand()), Aligned)
    reason = align(at_hand(), at_hand(sha256="b"))
    assert reason == "neither a key nor a unit tells which row is which"
    missing = at_hand(score=[0.1, float("nan"), 0.3, 0.4, 0.5])
    assert isinstance(align(at_hand(), missing), str)  # the same file, not the same rows


@pytest.mark.parametrize(
    ("new", "reason"),
    [
        (
            at_hand(keys=[*KEYS[:4], "k6"], sha256="b"),
            "the rows differ: 1 are in the older table alone, 1 in the newer",
        ),
        (
            at_hand([0, 1, 2, 3], keys=KEYS, sha256="b"),
            "the rows differ: 1 are in the older table alone, 0 in the newer",
        ),
        (
            at_hand(keys=KEYS, label=[1, 0, 1, 1, 0], sha256="b"),
            "the labels of 2 of 5 rows differ",
        ),
        (
            at_hand(keys=KEYS, unit=UNITS, sha256="b"),
            "one of the two tables names units, the other does not",
        ),
        (
            at_hand(keys=KEYS, score=[float("nan")] * 5, sha256="b"),
            "no row has a label and a score",
        ),
    ],
)
def test_other_rows_labels_and_units_are_told(new: AtHand, reason: str) -> None:
    assert align(at_hand(keys=KEYS), new) == reason
