"""Duplicate rows of a table by exact counting."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np
import pytest

from reportgen.inputs.table import Training
from reportgen.sections.integrity import duplicate_rows
from reportgen.sections.integrity.audits import Audited
from tests.support.integrity_jobs import grades, job, score_table

NAN = float("nan")


def audited(
    label: Sequence[float],
    features: Mapping[str, Sequence[float]],
    train: Mapping[str, Sequence[float]] | None = None,
    **asked: float,
) -> Audited:
    table = score_table(label, [0.5] * len(label), features=features)
    if train is not None:
        held = {name: np.array(values, dtype=float) for name, values in train.items()}
        n = len(next(iter(held.values())))
        table = replace(table, train=Training(n, None, {}, held))
    settings = {"duplicate_rows": {"table": "test", **asked}}
    return duplicate_rows.audit(job(settings, tables={"test": table}))


def test_exact_copies_are_counted_with_their_labels() -> None:
    found = audited(
        [0, 1, 0, 0, NAN, 1],
        {"a": [1, 1, 1, 2, 1, 3], "b": [5, 5, 5, NAN, 5, 9]},
    )
    exact, near = found.result.rows
    assert (exact.kind, exact.where, exact.k, exact.n) == ("exact", "test", 4, 6)
    assert (exact.groups, exact.conflicting) == (1, 3)
    assert near.k == 0
    pairs = {(row.row, row.twin_row): row.same_label for row in found.result.pairs}
    assert pairs == {
        (1, 2): False,
        (1, 3): True,
        (1, 5): None,
        (2, 3): False,
        (2, 5): None,
        (3, 5): None,
    }
    assert grades(found)["INT-012"] == ["info", None]
    assert grades(found)["INT-013"] == ["major"]


def test_near_rows_are_counted_apart_from_exact_ones() -> None:
    values = [0.0, 0.0, 1.0, 1.001, 5.0, 9.0]
    found = audited([0, 0, 1, 1, 0, 1], {"a": values}, distance=0.01)
    kinds = {row.kind: (row.k, row.groups, row.conflicting) for row in found.result.rows}
    assert kinds == {"exact": (2, 1, 0), "near": (2, 1, 0)}
    spread = float(np.std(values))
    near = next(row for row in found.result.pairs if row.kind == "near")
    assert (near.row, near.twin_row) == (3, 4)
    assert near.distance == pytest.approx(0.001 / spread, rel=1e-9)
    assert grades(found)["INT-012"] == ["info", "info"]


def test_rows_of_training_in_the_table_break_its_independence() -> None:
    n = 40
    own = [float(at) for at in range(n)]
    found = audited([0, 1] * 20, {"a": own}, {"a": [0.0, 1.0, 100.0]}, distance=0.0)
    exact = found.result.rows[0]
    assert (exact.where, exact.k, exact.n) == ("test, training rows", 2, 40)
    assert exact.conflicting is None
    assert grades(found)["INT-010"] == ["major"]
    few = audited([0, 1] * 20, {"a": own}, {"a": [0.0, 100.0]}, distance=0.0)
    assert grades(few)["INT-010"] == ["minor"]
    none = audited([0, 1] * 20, {"a": own}, {"a": [100.5, 101.5]}, distance=0.0)
    assert grades(none) == {
        "INT-010": [None],
        "INT-011": [None],
        "INT-012": [None, None],
        "INT-013": [None],
    }
    assert {one.severity for one in none.findings} == {"pass"}


def test_without_training_rows_or_features_it_says_so() -> None:
    found = audited([0, 1], {"a": [1, 2]})
    assert [one.reason for one in found.records if one.code == "INT-010"] == [
        "table 'test' names no training rows"
    ]
    bare = audited([0, 1], {})
    assert bare.result.status == "not testable"
    assert duplicate_rows.audit(job({})).result is None


def test_rows_near_training_rows() -> None:
    own = [float(at) for at in range(40)]
    found = audited([0, 1] * 20, {"a": own}, {"a": [0.001, 1.001, 300.0]}, distance=0.01)
    assert grades(found)["INT-010"] == [None]
    assert grades(found)["INT-011"] == ["major"]
    near = found.result.rows[1]
    assert (near.kind, near.where, near.k) == ("near", "test, training rows", 2)
