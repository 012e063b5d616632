"""Patients, splits, bootstrap: catalogue D38–D47."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy.stats import norm, t

from tests.support.catalogue import (
    DECLARED,
    Bench,
    Case,
    Cases,
    Dossier,
    classifier,
    columns,
    dca,
    frame,
    prevalence,
)

case = Cases()

UNIT = {**DECLARED, "unit": "u"}


def overall(dossier: Dossier) -> dict[str, Any]:
    return dossier.row("frame", "groups", attribute="overall")


@case("D38")
def identifiers_are_text(bench: Bench) -> None:
    ids = ["0012", "12", "12.0", "1E3", "1000", "98765432109876543210", "98765432109876543211"]
    bench.table(
        columns(u=ids, y=[0, 1, 0, 1, 0, 1, 0], p=[0.1 * at for at in range(7)]),
        dca(0.3),
        **UNIT,
    )
    dossier = bench.build()
    assert dossier.result("dca")["n_units"] == 7
    dossier.shows("Independent units 7", part="section-dca")
    bench.table(
        columns(u=[*ids, "98765432109876543210"], y=[0, 1] * 4, p=[0.1] * 8), dca(0.3), **UNIT
    )
    assert bench.build().result("dca")["n_units"] == 7


@case("D39")
def rows_without_a_patient(bench: Bench) -> None:
    cells = columns(u=["a", "", "b", "", "c", "d"], y="0 1 0 1 0 1", p=".1 .8 .3 .7 .2 .9")
    bench.table(cells, dca(0.3), **UNIT)
    dossier = bench.build()
    dossier.warns("RUN-003", "2 of 6 rows", "no u")
    assert dossier.result("dca")["n_units"] == 6  # never one patient of both rows
    bench.table(cells, dca(0.3), **UNIT, unit_missing="drop")
    dossier = bench.build()
    assert dossier.result("dca")["n_units"] == 4
    assert {"reason": "u missing", "k": 2} in dossier.data["inputs"][0]["left_out"]
    dossier.warns("DCA-005", "2 of 6 rows")


@case("D40")
def patients_of_training_in_the_test(bench: Bench) -> None:
    bench.write("train.csv", columns(u="1 2 9", g="a a b", x=".1 .2 .3"))
    bench.table(
        columns(
            u="1 1 2 3 4 5",
            y="0 0 0 1 1 1",
            p=".9 .8 .7 .6 .9 .9",
            g="a a a a a b",
            x="1 2 3 4 5 6",
        ),
        {"kind": "integrity", "leakage": {"by": ["unit"], "table": "t"}},
        frame(score="s"),
        dca(0.2),
        **UNIT,
        groups=["g"],
        features=["x"],
        train={"path": "train.csv", "features": ["x"], "unit": "u"},
    )
    dossier = bench.build()
    # Every section on the table says so, whatever it computes.
    for section in ("integrity", "frame", "dca"):
        said = "2 values of u are in the training set too: '1', '2'; they touch 3 of 6 rows"
        dossier.warns("RUN-004", said, section=section)
    found = dossier.warns("FRM-021", "2 patients of the test set, with 3 rows", ": 1, 2.")
    assert found["severity"] == "warn"
    assert dossier.warns("INT-016", "3 of 6")["severity"] == "fail"
    row = dossier.row("integrity", "leakage.rows", by="unit")
    assert (row["k"], row["n"], row["named"]) == (3, 6, ["1", "2"])
    assert dossier.data["decision"]["outcome"] == "hold"


@case("D41")
def a_patient_in_two_groups(bench: Bench) -> None:
    rng = np.random.default_rng(2)
    unit = np.repeat(np.arange(60), 2)
    y = np.repeat(np.arange(60) % 2, 2)
    bench.table(
        columns(u=unit, y=y, p=rng.random(120).round(3), g=["left", "right"] * 60),
        frame(score="s"),
        **UNIT,
        groups=["g"],
    )
    dossier = bench.build()
    dossier.warns("FRM-012", "60 patients in several groups of g", "(0, 1, 10, 11, ")
    several = dossier.data["inputs"][0]["units_in_several"]
    assert several[0] == {"attribute": "g", "unit": "0", "levels": ["left", "right"]}
    gap = dossier.row("frame", "gaps", group="right", metric="auc")
    assert gap["units_in_both"] == 60
    dossier.shows("60", part="section-frame")


def gaps_of_repeated_images(bench: Bench) -> None:
    """Gaps between groups do not move at all."""
    rng = np.random.default_rng(3)
    y, p, g = np.arange(80) % 2, rng.random(80).round(4), np.arange(80) // 40
    audit = {
        "kind": "robust",
        "table": "t",
        "score": "s",
        "sensitive": "g",
        "metrics": ["equalized_odds"],
        "threshold": 0.5,
        "tolerance": 0.5,
    }

    def ends(times: int) -> list[float]:
        rows = np.tile(np.arange(80), times)
        bench.table(
            columns(u=[f"{at:03d}" for at in rows], y=y[rows], p=p[rows], g=g[rows]),
            frame(score="s", threshold=0.5),
            audit,
            **UNIT,
            groups=["g"],
            blocks={"defaults": {"resamples": 200}},
        )
        dossier = bench.build()
        figures = [dossier.row("robust", "gaps", metric="equalized_odds")["base"]]
        for metric in ("auc", "sensitivity", "selection_rate", "brier"):
            row = dossier.row("frame", "gaps", group="1", metric=metric)
            figures += [row["gap"], row["gap_percentile"]]
        return [one[end] for one in figures for end in ("estimate", "low", "high")]

    once = ends(1)
    for times in (2, 4):
        assert ends(times) == pytest.approx(once, abs=1e-9)


@case("D42")
def images_repeated_under_their_patient(bench: Bench) -> None:
    rng = np.random.default_rng(3)
    y, p = np.arange(80) % 2, rng.random(80).round(4)
    unit = [f"{at:03d}" for at in range(80)]

    def widths(times: int, **declared: Any) -> list[float]:
        rows = np.tile(np.arange(80), times)
        bench.table(
            columns(u=[unit[at] for at in rows], y=y[rows], p=p[rows]),
            classifier(),
            dca(0.5),
            prevalence(table="t", score="s", threshold=0.5),
            **declared,
            blocks={"defaults": {"resamples": 400}},
        )
        dossier = bench.build()
        figures = [
            dossier.row("integrity", "classifier.rows", split="all")["auc"],
            dossier.row("dca", "curve", model="s", threshold=0.5)["net_benefit"],
            dossier.result("prevalence")["operating_points"][0]["sensitivity"],
        ]
        return [one["high"] - one["low"] for one in figures]

    once, four, of_images = widths(1, **UNIT), widths(4, **UNIT), widths(4, **DECLARED)
    assert four[:2] == pytest.approx(once[:2], rel=1e-6)
    # Of one image a patient the rate has the binomial's variance, of several one that is estimated
    # from 40 positive patients: wider by no more than t of 39 and 40 / 39 make it.
    assert once[2] <= four[2] <= once[2] * t.ppf(0.975, 39) / norm.ppf(0.975) * (40 / 39) ** 0.5
    # Taken for patients of their own, four images look like four times the data.
    assert of_images == pytest.approx([width / 2 for width in once], rel=0.15)
    gaps_of_repeated_images(bench)


@case("D43")
def draws_without_a_class(bench: Bench) -> None:
    y = [0, 1] * 50 + [1] + [0] * 9
    bench.table(
        columns(y=y, p=np.linspace(0, 1, 110).round(4), g=["a"] * 100 + ["b"] * 10),
        frame(score="s"),
        **DECLARED,
        groups=["g"],
        blocks={"defaults": {"resamples": 2000}},
    )
    dossier = bench.build()
    row = dossier.row("frame", "groups", attribute="g", group="b")
    # One of ten is in none of ten draws with probability .9 ** 10.
    error = (0.349 * 0.651 / 2000) ** 0.5
    assert row["undefined_share"] == pytest.approx(0.9**10, abs=3.3 * error)
    gap = dossier.row("frame", "gaps", group="b", metric="auc")["gap_percentile"]
    assert gap["low"] is None
    assert "undefined in" in gap["reason"]
    dossier.warns("FRM-015", "“g b” (3")


@case("D44")
def perfect_separation(bench: Bench) -> None:
    bench.table(
        columns(
            u=range(32),
            y=[0, 1] * 6 + [0] * 10 + [1] * 10,
            p=[0.2, 0.3] * 6 + [0.1] * 10 + [0.9] * 10,
            g=["a"] * 12 + ["b"] * 20,
        ),
        frame(score="s", threshold=0.5),
        prevalence(sensitivity={"k": 10, "n": 10}, specificity={"k": 10, "n": 10}),
        **UNIT,
        groups=["g"],
    )
    dossier = bench.build()
    row = dossier.row("frame", "groups", attribute="g", group="b")
    assert (row["auc"]["estimate"], row["auc"]["high"]) == (1, 1)
    assert row["auc"]["low"] == pytest.approx(0.6915, abs=5e-5)  # 10 of 10, Clopper and Pearson
    assert row["sensitivity"]["low"] == pytest.approx(0.7225, abs=5e-5)  # Wilson
    dossier.warns("FRM-016", "“g b”", "degenerate", "exact")
    published = dossier.result("prevalence")["operating_points"][0]["sensitivity"]
    assert (published["low"], published["high"]) == (pytest.approx(0.7225, abs=5e-5), 1)


@case("D45")
def too_few_resamples(bench: Bench) -> None:
    for value in (0, 1, 10, "1e3"):
        bench.manifest(
            prevalence(sensitivity={"k": 8, "n": 10}, specificity={"k": 8, "n": 10}),
            defaults={"resamples": value},
        )
        said = bench.refused("m.yaml:", "defaults.resamples", str(value), most=1)
        assert "at least 100" in said or "without quotes" in said


@case("D46")
def order_of_rows_and_processes(bench: Bench) -> None:
    rng = np.random.default_rng(5)
    rows = [
        f"{at:02d},{at % 2},{score:.3f},{'ab'[at // 2 % 2]}"
        for at, score in enumerate(rng.random(60))
    ]
    sections = (frame(score="s"), dca(0.3, 0.5))
    seen = []
    for order, jobs, declared in (
        (range(60), "1", UNIT),
        (rng.permutation(60), "1", UNIT),
        (rng.permutation(60), "2", UNIT),
        (range(60), "1", DECLARED),
        (rng.permutation(60), "1", DECLARED),
    ):
        cells = "u,y,p,g\n" + "\n".join(rows[at] for at in order) + "\n"
        bench.table(cells, *sections, **declared, groups=["g"])
        seen.append(bench.build("--jobs", jobs).data["sections"])
    assert seen[0] == seen[1] == seen[2]
    assert seen[3] == seen[4]


@case("D47")
def none_of_four_controls_right(bench: Bench) -> None:
    bench.table(columns(y="0 0 0 0 1 1", p=".9 .8 .7 .6 .9 .2"), classifier(), **DECLARED)
    dossier = bench.build()
    found = dossier.row("integrity", "classifier.rows", split="all")["specificity"]
    assert (found["estimate"], found["low"]) == (0, 0)
    assert found["high"] == pytest.approx(0.602, abs=5e-4)
    assert found["method"] == "Clopper–Pearson"
    dossier.shows("Specificity 0 % (0 to 60)", "Clopper–Pearson", part="section-integrity")


@case.parametrize()
def test_catalogue(case: Case, bench: Bench) -> None:
    case(bench)
