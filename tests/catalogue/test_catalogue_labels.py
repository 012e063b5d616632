"""Labels: catalogue D01–D10."""

from __future__ import annotations

from typing import Any

import pytest

from tests.support.catalogue import (
    DECLARED,
    Bench,
    Case,
    Cases,
    classifier,
    columns,
    dca,
    frame,
    label,
    prevalence,
)

case = Cases()


@case("D01")
def every_coding_of_the_positive_class(bench: Bench) -> None:
    codings: list[tuple[str, tuple[Any, ...]]] = [
        ("-1 1 -1 1", (1, 1.0, "1")),
        ("1 2 1 2", (2, "2")),
        ("0.0 1.0 0.0 1.0", (1, 1.0, "1")),
        ("FALSE TRUE FALSE TRUE", (True, "TRUE")),
    ]
    built = set()
    for cells, positives in codings:
        for positive in positives:
            bench.table(
                columns(y=cells, p=".1 .9 .4 .3"),
                classifier(),
                label=label(positive=positive),
                scores={"s": "p"},
            )
            if (cells, str(positive)) in built:
                continue
            built.add((cells, str(positive)))
            dossier = bench.build()
            row = dossier.row("integrity", "classifier.rows", split="all")
            assert row["auc"]["estimate"] == 0.75
            assert dossier.data["inputs"][0]["positives"] == 2
            dossier.shows("2 positive, 2 negative")
            classes = dossier.data["inputs"][0]["classes"]
            assert [(one["role"], one["rows"]) for one in classes] == [
                ("positive", 2),
                ("negative", 2),
            ]
    bench.table(
        columns(y="malignant benign malignant", p=".9 .4 .3"),
        classifier(),
        label=label(positive="malignant"),
        scores={"s": "p"},
    )
    told = "label y, positive: malignant (2), negative: benign (1)"
    bench.build().shows(told, part="data-received")


@case("D02")
def no_positive_class_is_asked_for(bench: Bench) -> None:
    bench.table(
        columns(y="case control case", p=".1 .2 .3"),
        classifier(),
        label={"column": "y"},
        scores={"s": "p"},
    )
    bench.refused("m.yaml:", "tables.t.label.positive", "'case' × 2", "'control' × 1")


@case("D03")
def a_positive_class_that_does_not_occur(bench: Bench) -> None:
    bench.table(
        columns(y="malignant benign benign", p=".1 .2 .3"),
        classifier(),
        label=label(positive="malign"),
        scores={"s": "p"},
    )
    bench.refused("column 'y'", "'malign'", "'malignant' × 1", "'benign' × 2", "t.csv", most=1)


@case("D04")
def truth_values_are_read_as_text(bench: Bench) -> None:
    bench.table(
        "y,p\nTrue,.9\n,.8\nFalse,.2\nTrue,.3\nFalse,.1\n",
        classifier(),
        label=label(positive=True),
        scores={"s": "p"},
    )
    dossier = bench.build()
    row = dossier.row("integrity", "classifier.rows", split="all")
    # Of True .9 and .3, False .2 and .1; a False taken for True would leave one class.
    assert row["auc"]["estimate"] == 1.0
    record = dossier.data["inputs"][0]
    assert (record["positives"], record["negatives"]) == (2, 2)
    assert record["left_out"] == [{"reason": "label missing", "k": 1}]


@case("D05")
def a_third_code(bench: Bench) -> None:
    cells = list("010101010101091")
    score = [0.1 + 0.05 * at for at in range(15)]
    bench.table(columns(y=cells, p=score), classifier(), label=label(), scores={"s": "p"})
    bench.refused("t.csv:15", "column 'y'", "'9' is a third value", 'missing: ["", "9"]', most=1)
    bench.table(
        columns(y=cells, p=score),
        classifier(),
        label=label(),
        scores={"s": "p"},
        missing=["", "9"],
    )
    dossier = bench.build()
    assert dossier.data["inputs"][0]["left_out"] == [{"reason": "label missing", "k": 1}]
    # So is 9.0, the same code in a column that some program held as floats.
    bench.write("t.csv", columns(y=["9.0" if y == "9" else y for y in cells], p=score))
    dossier = bench.build()
    assert dossier.data["inputs"][0]["left_out"] == [{"reason": "label missing", "k": 1}]
    # Of two codes neither is a mistake; which is taken for negative, with its count, is told.
    bench.table(columns(y="1 9 1 9 1", p=".9 .1 .8 .2 .7"), classifier(), **DECLARED)
    told = "label y, positive: 1 (3), negative: 9 (2)"
    bench.build().shows(told, part="data-received")


@case("D06")
def empty_labels_are_left_out_and_counted(bench: Bench) -> None:
    cells = ["", "", "", *("01" * 9)[:17]]
    group = ["a", "a", "b", *("ab" * 9)[:17]]
    score = [round(0.02 + 0.04 * at, 2) for at in range(20)]
    bench.table(
        columns(y=cells, p=score, g=group),
        frame(score="s", threshold=0.5),
        dca(0.3),
        prevalence(table="t", score="s", threshold=0.5),
        label=label(),
        scores={"s": "p"},
        groups=["g"],
    )
    dossier = bench.build()
    for code in ("FRM-010", "DCA-005", "PRV-007"):
        found = dossier.warns(code, "3 ")
        assert "15" in found["statement"] or "20" in found["statement"]
    assert dossier.result("dca")["n_rows"] == 17
    assert dossier.row("frame", "groups", attribute="overall")["n_rows"] == 17
    # 9 of the 17 are a and 8 b, beside 2 and 1 without a label.
    left = {row["group"]: row for row in dossier.result("frame")["groups"]}
    assert {name: row["n_left_out"] for name, row in left.items()} == {"all": 3, "a": 2, "b": 1}
    for name, share in (("all", 3 / 20), ("a", 2 / 11), ("b", 1 / 9)):
        assert left[name]["left_out_share"] == pytest.approx(share)
    dossier.shows("Rows left out", "2 (18.2 %)", "1 (11.1 %)", part="section-frame")
    table = (dossier.folder / "tables" / "frame-groups.csv").read_text("utf-8")
    assert "n_left_out,left_out_share" in table.splitlines()[0]


@case("D07")
def one_class_only(bench: Bench) -> None:
    bench.table(
        columns(y="1 1 1 1", p=".9 .8 .2 .6", g="a a b b"),
        classifier(),
        dca(0.3),
        frame(score="s", threshold=0.5),
        prevalence(table="t", score="s", threshold=0.5),
        label=label(),
        scores={"s": "p"},
        groups=["g"],
    )
    dossier = bench.build()
    row = dossier.row("integrity", "classifier.rows", split="all")
    for name in ("auc", "specificity", "balanced_accuracy"):
        assert row[name]["estimate"] is None
        assert row[name]["reason"]
    assert row["sensitivity"]["estimate"] == 0.75
    dossier.warns("DCA-009", "none of 4 rows is negative")
    dossier.warns("FRM-020", "every label is positive")
    row = dossier.row("frame", "groups", attribute="overall")
    assert (row["sensitivity"]["estimate"], row["selection_rate"]["estimate"]) == (0.75, 0.75)
    for name in ("auc", "specificity", "balanced_accuracy"):
        assert (row[name]["estimate"], row[name]["reason"]) == (None, "no negatives")
    gap = dossier.row("frame", "parity", metric="demographic_parity")["value"]
    assert gap["estimate"] == 0.5  # 2 of 2 against 1 of 2
    gap = dossier.row("frame", "parity", metric="equalized_odds")
    assert (gap["value"]["estimate"], gap["highest_group"]) == (None, "")
    dossier.warns("PRV-005")


@case("D08")
def text_and_integer_labels_are_compared_as_equal(bench: Bench) -> None:
    pytest.importorskip("pyarrow")
    import pandas as pd

    frame_of = pd.DataFrame({"y": [1, 0, 1, 0], "p": [0.9, 0.1, 0.4, 0.3]})
    seen = []
    for cells in (["1", "0", "1", "0"], [1, 0, 1, 0], [1.0, 0.0, 1.0, 0.0]):
        frame_of.assign(y=cells).to_parquet(bench.folder / "t.parquet", index=False)
        bench.manifest(
            classifier(0.35),
            tables={"t": {"path": "t.parquet", "label": label(), "scores": {"s": "p"}}},
        )
        row = bench.build().row("integrity", "classifier.rows", split="all")
        seen.append((row["accuracy"]["estimate"], row["auc"]["estimate"]))
    assert seen == [(1.0, 1.0)] * 3


@case("D09")
def the_brier_score_of_one_class(bench: Bench) -> None:
    bench.table(
        columns(y="1 1 1 1 0 1", p="1 1 1 1 .5 .25", g="a a a b b b"),
        frame(score="s", threshold=0.5),
        label=label(),
        scores={"s": "p"},
        groups=["g"],
    )
    dossier = bench.build()
    rows = {row["group"]: row for row in dossier.result("frame")["groups"]}
    assert rows["a"]["brier"]["estimate"] == 0.0
    # (0 + 0.25 + 0.5625) / 3
    assert rows["b"]["brier"]["estimate"] == pytest.approx(0.8125 / 3)


@case("D10")
def counts_where_one_value_occurs(bench: Bench) -> None:
    bench.table(columns(y="1 1", p="1 1"), classifier(), label=label(), scores={"s": "p"})
    row = bench.build().row("integrity", "classifier.rows", split="all")
    assert (row["n"], row["n_called_positive"]) == (2, 2)
    assert row["sensitivity"]["estimate"] == 1.0
    assert row["specificity"]["estimate"] is None


@case.parametrize()
def test_catalogue(case: Case, bench: Bench) -> None:
    case(bench)
