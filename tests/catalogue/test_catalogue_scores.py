"""Scores: catalogue D11–D23."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

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
    label,
    prevalence,
)

case = Cases()


def built(bench: Bench, y: str, p: str, threshold: float = 0.5, **keys: object) -> Dossier:
    """Return the dossier of a classifier with these labels and scores."""
    bench.table(columns(y=y, p=p), classifier(threshold), label=label(), scores={"s": "p"}, **keys)
    return bench.build()


def row_of(dossier: Dossier) -> dict[str, dict[str, object]]:
    return dossier.row("integrity", "classifier.rows", split="all")


@case("D11")
def scores_that_are_no_probabilities(bench: Bench) -> None:
    y, p = "0 1 0 1 1 0", "40.2 40.9 39.7 41.3 41.8 40.4"
    bench.table(columns(y=y, p=p), classifier(), **DECLARED)
    bench.refused("t.csv", "column 'p'", "39.7", "41.8", "scale: score", most=1)
    dossier = built(bench, y, p, 40.5, scale="score")
    assert row_of(dossier)["auc"]["estimate"] == 1.0
    dossier.warns("RUN-004", "scores of t only rank", "no probabilities")
    # No decision curve without a probability, whatever the threshold.
    bench.table(columns(y=y, p=p), dca(0.3), **DECLARED, scale="score")
    bench.refused("m.yaml", "scale", most=1)


@case("D12")
def scores_below_0_and_above_1_are_taken_as_they_are(bench: Bench) -> None:
    dossier = built(bench, "0 1 1 0", "-0.4 0.2 2.5 0.3", scale="score")
    assert row_of(dossier)["auc"]["estimate"] == 0.75


@case("D13")
def the_declared_scale_is_printed(bench: Bench) -> None:
    for scale, said in (
        ("score", "only rank"),
        ("probability", "scale of the scores: probability"),
        ("percent", "scale of the scores: percent"),
    ):
        dossier = built(bench, "0 1 0", "0.2 0.9 0.4", scale=scale)
        assert said in " ".join(dossier.data["inputs"][0]["notes"])
        dossier.shows(said, part="data-received")
    built(bench, "0 1 0", "0.2 0.9 0.4", scale="score").warns("RUN-004", "only rank")


@case("D14")
def percent_are_not_taken_for_probabilities(bench: Bench) -> None:
    bench.table(columns(y="0 1 0", p="12 88 40"), dca(0.3), label=label(), scores={"s": "p"})
    bench.refused("t.csv", "column 'p'", "from 12 to 88", "scale: percent", most=1)
    # Nor fractions for percent: that they are would have everybody below any threshold.
    told = "score 's' is declared as percent and none exceeds 1"
    built(bench, "0 1 0", "0.12 0.88 1", scale="percent").warns("RUN-004", told)
    dossier = built(bench, "0 1 0", "0.12 88 40", scale="percent")
    assert "none exceeds" not in dossier.text


@case("D15")
def constant_scores(bench: Bench) -> None:
    group = ["a", "b"] * 20
    y = [0, 0, 1, 1] * 10
    bench.table(
        columns(y=y, p=[0.3] * 40, g=group),
        classifier(),
        dca(0.2, 0.4),
        frame(score="s", threshold=0.5),
        label=label(),
        scores={"s": "p"},
        groups=["g"],
    )
    dossier = bench.build()
    assert row_of(dossier)["auc"]["estimate"] == 0.5
    dossier.warns("DCA-006", "Every score of “s” is 0.3")
    for section in ("integrity", "frame"):
        dossier.warns("RUN-004", "score 's' is constant: 0.3", section=section)
    overall = dossier.row("frame", "groups", attribute="overall")
    assert overall["calibration_slope"]["estimate"] is None
    assert overall["auc"]["estimate"] == 0.5


@case("D16")
def a_missing_score_is_left_out_and_not_counted_as_negative(bench: Bench) -> None:
    bench.table(
        columns(y="0 0 1 1 0", p=[".1", "", ".5", ".9", ".5"]),
        dca(0.2),
        label=label(),
        scores={"s": "p"},
    )
    dossier = bench.build()
    row = dossier.row("dca", "curve", model="s", threshold=0.2)
    # 2/4 − 1/4 × 0.25 on the four complete rows; 0.35 where n is taken as 5.
    assert row["net_benefit"]["estimate"] == pytest.approx(0.4375)
    dossier.warns("DCA-005", "1 of 5 rows")


@case("D17")
def cells_that_are_no_finite_numbers(bench: Bench) -> None:
    for cell in ("inf", "-Infinity", "1e400", "n/a", "0x10"):
        bench.table(
            columns(y="0 1 0", p=[".1", ".5", cell]), dca(0.3), label=label(), scores={"s": "p"}
        )
        bench.refused("t.csv:4", "column 'p'", f"'{cell}'", most=1)


@case("D18")
def a_score_at_the_threshold_counts_as_positive_everywhere(bench: Bench) -> None:
    y, p = [1, 0] * 20, [0.5, 0.1] * 19 + [0.4, 0.5]
    bench.table(
        columns(y=y, p=p, g=["a", "b", "b", "a"] * 10),
        classifier(),
        dca(0.5),
        prevalence(table="t", score="s", threshold=0.5),
        frame(score="s", threshold=0.5),
        {
            "kind": "robust",
            "table": "t",
            "score": "s",
            "sensitive": "g",
            "metrics": ["demographic_parity"],
            "decisions": "hard",
            "threshold": 0.5,
            "tolerance": 0.1,
        },
        label=label(),
        scores={"s": "p"},
        groups=["g"],
    )
    dossier = bench.build()
    # 19 of 20 positives lie at 0.5, one negative does.
    assert row_of(dossier)["sensitivity"]["estimate"] == 0.95
    assert row_of(dossier)["specificity"]["estimate"] == 0.95
    overall = dossier.row("frame", "groups", attribute="overall")
    assert overall["sensitivity"]["estimate"] == 0.95
    assert overall["specificity"]["estimate"] == 0.95
    assert dossier.result("prevalence")["operating_points"][0]["sensitivity"]["estimate"] == 0.95
    curve = dossier.row("dca", "curve", model="s", threshold=0.5)
    assert (curve["true_positives"], curve["false_positives"]) == (19, 1)
    # Selected of a: rows 0, 3, 4, 7 …: ten positives at 0.5 but no negative, so the gap is the
    # difference of 11 of 20 (with the last row, which is of a) and 9 of 20.
    (gap,) = [
        row for row in dossier.result("robust")["gaps"] if row["metric"] == "demographic_parity"
    ]
    assert gap["base"]["estimate"] == pytest.approx(2 / 20)
    for anchor in ("dca", "prevalence", "frame", "robust"):
        dossier.shows("score >= threshold", part=f"section-{anchor}")
    dossier.shows("called positive from 0.5 on", part="section-integrity")


@case("D19")
def scores_the_wrong_way_round(bench: Bench) -> None:
    bench.table(
        columns(y="1 1 0 0 0", p=".1 .2 .3 .6 .8", g="a b a b b"),
        classifier(),
        prevalence(table="t", score="s", threshold=0.5),
        frame(score="s", threshold=0.5),
        dca(0.3),
        label=label(),
        scores={"s": "p"},
        groups=["g"],
    )
    dossier = bench.build()
    assert row_of(dossier)["auc"]["estimate"] == 0.0
    assert dossier.row("frame", "groups", attribute="overall")["auc"]["estimate"] == 0.0
    dossier.warns("PRV-006", "below")
    for section in ("integrity", "frame", "dca"):
        dossier.warns("RUN-004", "AUC of score 's' is 0, below 0.5: reversed?", section=section)


@case("D20")
def decisions_given_as_scores(bench: Bench) -> None:
    dossier = built(bench, "1 1 0 0 0", "1 0 0 0 1")
    row = row_of(dossier)
    # (1/2 + 2/3) / 2
    assert row["auc"]["estimate"] == pytest.approx(0.5833333333)
    assert row["balanced_accuracy"]["estimate"] == pytest.approx(0.5833333333)
    dossier.warns("RUN-004", "takes only two values, 0 and 1")


@case("D21")
def calibration_at_the_upper_end(bench: Bench) -> None:
    y, p = [0] * 10 + [1] * 10, [*np.linspace(0.05, 0.88, 18).round(3), 0.95, 1.0]
    bench.table(columns(y=y, p=p), classifier(), label=label(), scores={"s": "p"})
    dossier = bench.build()
    bins = dossier.result("integrity")["classifier"]["calibration_bins"]
    assert len(bins) == 10
    assert sum(one["n"] for one in bins) == 20
    assert (bins[-1]["low"], bins[-1]["high"], bins[-1]["n"]) == (0.9, 1.0, 2)
    assert bins[-1]["rate"]["estimate"] == 1.0
    dossier.shows("Calibration error", "10 bins of equal width", part="section-integrity")
    # Where intercept and slope cannot be had the reason is the score of exactly 1.
    (row,) = dossier.result("integrity")["classifier"]["calibration"]
    assert row["slope"]["estimate"] is None
    assert "0 or 1" in row["slope"]["reason"]


@case("D22")
def calibration_where_most_scores_are_equal(bench: Bench) -> None:
    def calibration(p: list[float]) -> tuple[Dossier, dict[str, Any]]:
        settings = classifier(calibration={"by": "counts"})
        table = columns(y=[0] * 12 + [1] * 8, p=p)
        bench.table(table, settings, label=label(), scores={"s": "p"})
        dossier = bench.build()
        (row,) = dossier.result("integrity")["classifier"]["calibration"]
        return dossier, row

    dossier, merged = calibration([0.3] * 18 + [0.1, 0.9])
    # Bins up to .3 and up to .9: 19 rows with 7 positives, 1 row that is positive.
    assert merged["n_bins"] == 2
    error = 19 / 20 * abs((18 * 0.3 + 0.1) / 19 - 7 / 19) + 1 / 20 * 0.1
    assert merged["error"]["estimate"] == pytest.approx(error)
    dossier.shows("2 bins of equal counts", part="section-integrity")
    dossier, one = calibration([0.3] * 20)
    assert one["n_bins"] == 1
    assert one["error"]["estimate"] == pytest.approx(0.1)
    dossier.warns("RUN-004", "score 's' is constant: 0.3")


@case("D23")
def no_positive_decision_and_no_positive_label(bench: Bench) -> None:
    row = row_of(built(bench, "1 0 1 0", ".1 .2 .3 .4"))
    for name in ("precision", "mcc"):
        assert row[name]["estimate"] is None
        assert "0/0" in str(row[name]["reason"])
    dossier = built(bench, "0 0 0 0", ".1 .2 .7 .4")
    row = row_of(dossier)
    for name in ("sensitivity", "mcc"):
        assert row[name]["estimate"] is None
        assert row[name]["reason"]
    assert row["precision"]["estimate"] == 0.0  # 0 of 1 called positive
    dossier.warns("INT-063", "sensitivity is undefined (0/0)", "MCC is undefined (0/0)")
    dossier.warns("INT-063", "scikit-learn prints 0")


@case.parametrize()
def test_catalogue(case: Case, bench: Bench) -> None:
    case(bench)
