"""Prevalence: catalogue D76–D81."""

from __future__ import annotations

from typing import Any

import pytest

from tests.support.catalogue import (
    Bench,
    Case,
    Cases,
    Dossier,
    columns,
    label,
    prevalence,
)

case = Cases()

PUBLISHED = {"sensitivity": {"k": 80, "n": 100}, "specificity": {"k": 80, "n": 100}}


def value(dossier: Dossier, metric: str, at: float) -> float:
    rows = dossier.result("prevalence")["rows"]
    (found,) = [
        row["value"]["estimate"]
        for row in rows
        if row["metric"] == metric and row["prevalence"] == pytest.approx(at)
    ]
    estimate: float = found
    return estimate


@case("D76")
def precision_moves_with_the_mix(bench: Bench) -> None:
    mixes: list[Any] = [
        {"positives": 9, "negatives": 1},
        {"positives": 99, "negatives": 1},
        0.5,
        0.001,
    ]
    bench.manifest(prevalence(**PUBLISHED, prevalences=mixes))
    dossier = bench.build()
    expected = ((0.9, 0.9730), (0.99, 0.9975), (0.5, 0.8), (0.001, 0.003988))
    for at, precision in expected:
        assert value(dossier, "precision", at) == pytest.approx(precision, rel=5e-4)
    assert value(dossier, "accuracy", 0.001) == pytest.approx(0.8)
    assert value(dossier, "npv", 0.001) == pytest.approx(0.99975, abs=5e-6)
    assert value(dossier, "f1", 0.001) == pytest.approx(0.00794, abs=5e-6)
    dossier.shows("prevalence is the share of positives", part="section-prevalence")


@case("D77")
def prevalences_that_are_none(bench: Bench) -> None:
    for stated, said in (
        (1.5, "between 0 and 1"),
        (-0.1, "between 0 and 1"),
        (3, "3 % is 0.03"),
        ("3%", "'3%' is text"),
        ("1:99", "'1:99' is a ratio"),
        ("often", "'often' is text"),
        ("", "'' is text"),
    ):
        bench.manifest(prevalence(**PUBLISHED, prevalences=[stated]))
        bench.refused("m.yaml:", "prevalences[0]", said, most=1)


@case("D78")
def a_prevalence_of_0_or_1(bench: Bench) -> None:
    stated: Any
    for stated in (0, 1):
        bench.manifest(prevalence(**PUBLISHED, prevalences=[stated]))
        bench.refused("m.yaml:", "prevalences[0]", "between 0 and 1, both excluded", most=1)
    for stated in ({"positives": 1, "negatives": 1e-17}, {"positives": 1e-300, "negatives": 1e300}):
        bench.manifest(prevalence(**PUBLISHED, prevalences=[stated]))
        bench.refused("m.yaml:", "prevalences[0]", "does not lie between 0 and 1", most=1)
    bench.manifest(prevalence(**PUBLISHED, prevalences=[0.001, 0.5]))
    point = bench.build().result("prevalence")["operating_points"][0]
    assert point["sensitivity"]["estimate"] == 0.8
    assert point["specificity"]["estimate"] == 0.8


@case("D79")
def no_false_positive_seen(bench: Bench) -> None:
    bench.manifest(prevalence(sensitivity={"k": 8, "n": 10}, specificity={"k": 30, "n": 30}))
    dossier = bench.build()
    assert value(dossier, "precision", 0.1) == 1.0
    specificity = dossier.result("prevalence")["operating_points"][0]["specificity"]
    assert 1 - specificity["low"] == pytest.approx(0.1135, abs=5e-5)
    assert specificity["method"] == "Wilson score"
    dossier.warns("PRV-004", "is not shown", "0.114", "Wilson")


@case("D80")
def the_mix_of_cases_is_assumed_to_stay(bench: Bench) -> None:
    bench.manifest(prevalence(**PUBLISHED))
    bench.build().warns("PRV-002", "spectrum of cases", "keep their distribution")


@case("D81")
def counts_that_are_none(bench: Bench) -> None:
    for counts, said in (
        ({"k": -1, "n": 10}, "k: -1 is out of range"),
        ({"k": 1.5, "n": 10}, "k: 1.5 is a number; write a whole number"),
        ({"k": 0, "n": 0}, "n: 0 is out of range"),
        ({"k": 11, "n": 10}, "k: 11 of 10"),
    ):
        bench.manifest(prevalence(**{**PUBLISHED, "sensitivity": counts}))
        bench.refused("m.yaml:", "sensitivity", said, most=1)
    bench.table(
        columns(y="1 1 1", p=".9 .8 .1"),
        prevalence(table="t", score="s", threshold=0.5),
        label=label(),
        scores={"s": "p"},
    )
    dossier = bench.build()
    dossier.warns("PRV-005", "no negative row")
    assert all(
        row["value"]["estimate"] is None
        for row in dossier.result("prevalence")["rows"]
        if row["metric"] == "precision"
    )


@case.parametrize()
def test_catalogue(case: Case, bench: Bench) -> None:
    case(bench)
