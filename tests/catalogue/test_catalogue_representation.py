"""FRAME layer 3: catalogue D89–D92."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tests.support.catalogue import Bench, Case, Cases, Dossier, columns, frame, label

case = Cases()


def built(
    bench: Bench, group: Any, features: Any, *, unit: Any = None, y: Any = None, p: Any = None
) -> Dossier:
    """Return the dossier of a FRAME section with features x0, x1 …"""
    n = len(group)
    x = {f"x{at}": np.round(column, 5) for at, column in enumerate(np.asarray(features).T)}
    cells = columns(
        u=range(n) if unit is None else unit,
        y=np.arange(n) % 2 if y is None else y,
        p=np.random.default_rng(9).random(n).round(4) if p is None else p,
        g=group,
        **x,
    )
    bench.table(
        cells,
        frame(score="s", threshold=0.5),
        label=label(),
        scores={"s": "p"},
        unit="u",
        groups=["g"],
        features=list(x),
    )
    return bench.build()


def shift(dossier: Dossier) -> dict[str, Any]:
    (row,) = dossier.result("frame")["representation"]
    found: dict[str, Any] = row
    return found


@case("D89")
def folds_of_patients_and_not_of_images(bench: Bench) -> None:
    rng = np.random.default_rng(1)
    unit = np.repeat(np.arange(60), 10)
    group = np.where(unit < 30, "a", "b")
    # Noise that is the patient's own: images of one patient tell each other and nothing else.
    features = rng.normal(size=(60, 4))[unit] + rng.normal(scale=0.01, size=(600, 4))
    dossier = built(bench, group, features, unit=unit)
    area = shift(dossier)["domain_auc"]["estimate"]
    # Four noise features of 60 patients: about 0.5; folds of images would give nearly 1.
    assert area < 0.75


@case("D90")
def coverage_is_held_against_the_reference(bench: Bench) -> None:
    rng = np.random.default_rng(2)
    group = np.repeat(["a", "b"], [200, 60])
    far = rng.normal(size=(260, 2))
    far[200:] += 8.0
    row = shift(built(bench, group, far))
    # A threshold from its own distances would say 0.9 of any group.
    assert row["coverage"]["estimate"] < 0.1
    assert row["reference_coverage"]["estimate"] == pytest.approx(0.9, abs=0.02)


@case("D91")
def features_that_say_nothing(bench: Bench) -> None:
    rng = np.random.default_rng(3)
    x = rng.normal(size=(120, 4))
    x[:, 1] = 4.0
    x[:, 2] = x[:, 0]
    dossier = built(bench, np.repeat(["a", "b"], 60), x)
    assert dossier.result("frame")["features"] == ["x0", "x3"]
    dossier.warns("FRM-025", "x1 left out: constant", "x2 left out: a copy of x0")
    small = built(bench, np.repeat(["a", "b"], [60, 4]), rng.normal(size=(64, 2)))
    row = shift(small)
    assert row["coverage"]["estimate"] is None
    assert "4 patients" in row["coverage"]["reason"]
    small.warns("FRM-026", "4 patients")


@case("D92")
def two_failures_make_no_clusters(bench: Bench) -> None:
    y = np.arange(100) % 2
    p = np.where(y == 1, 0.9, 0.1)
    p[:2] = 0.6, 0.4
    x = np.random.default_rng(4).normal(size=(100, 2))
    dossier = built(bench, np.repeat(["a", "b"], 50), x, y=y, p=p)
    assert dossier.result("frame")["clusters"] == []
    dossier.warns("FRM-027", "too few failures: 2 patients with an error")


@case.parametrize()
def test_catalogue(case: Case, bench: Bench) -> None:
    case(bench)
