"""Groups: catalogue D24–D37."""

from __future__ import annotations

import re
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
    frame,
    label,
    words,
)

case = Cases()

GROUPED = {**DECLARED, "groups": ["g"]}


def built(bench: Bench, groups: Any, *, y: Any = None, p: Any = None, **keys: Any) -> Dossier:
    """Return the dossier of a FRAME section on these groups; labels 1 0 1 0 … unless given."""
    n = len(groups.split()) if isinstance(groups, str) else len(groups)
    settings = {"score": "s", "threshold": 0.5, **keys.pop("section", {})}
    made = columns(
        y=[1 - at % 2 for at in range(n)] if y is None else y,
        p=[round(0.1 + 0.8 * at / n, 4) for at in range(n)] if p is None else p,
        g=groups,
    )
    bench.table(made, frame(**settings), **{**GROUPED, **keys})
    return bench.build()


def sizes(dossier: Dossier) -> dict[str, int]:
    """Return the rows of each group of g."""
    rows = dossier.result("frame")["groups"]
    return {row["group"]: row["n_rows"] for row in rows if row["attribute"] == "g"}


def group(dossier: Dossier, name: str) -> dict[str, Any]:
    return dossier.row("frame", "groups", attribute="g", group=name)


def parity(dossier: Dossier, metric: str) -> dict[str, Any]:
    return dossier.row("frame", "parity", attribute="g", metric=metric)


def audited(
    bench: Bench, groups: Any, p: Any, *, y: Any = None, keys: Any = (), **section: Any
) -> Dossier:
    """Return the dossier of a robust section on the same groups, without a model."""
    audit = {"kind": "robust", "table": "t", "sensitive": "g", "threshold": 0.5, **section}
    labels = [at % 2 for at in range(len(groups))] if y is None else y
    bench.table(columns(y=labels, p=p, g=groups), audit, **{**GROUPED, **dict(keys)})
    return bench.build()


@case("D24")
def blank_groups_are_a_group_of_their_own(bench: Bench) -> None:
    dossier = built(bench, ["a", "a", "a", "a", "b", "b", ""])
    assert sizes(dossier) == {"a": 4, "b": 2, "missing": 1}
    assert dossier.row("frame", "groups", attribute="overall")["n_rows"] == 7
    dossier.warns("FRM-011", "1 row")
    dossier.shows("missing", part="section-frame")
    named = built(bench, ["a"] * 10 + ["missing"] * 12 + [""] * 30)
    assert sizes(named) == {"a": 10, "missing": 12, "missing (no value)": 30}
    named.warns("FRM-011", "in the group “missing (no value)”")
    # Rows without a value are the reference only where they are declared to be it.
    assert {row["reference"] for row in named.result("frame")["gaps"]} == {"missing"}
    declared = built(bench, ["a"] * 10 + [""] * 30, section={"reference": {"g": "missing"}})
    assert {row["reference"] for row in declared.result("frame")["gaps"]} == {"missing"}
    called = [0.9, 0.1] * 12 + [0.9] * 12
    dossier = audited(bench, ["a"] * 12 + ["b"] * 12 + [""] * 12, called, tolerance=0.2)
    found = {row["group"]: row["n_rows"] for row in dossier.result("robust")["groups"]}
    assert found == {"a": 12, "b": 12, "missing": 12}
    row = dossier.row("robust", "risk_list", metric="demographic_parity")
    assert (row["static"]["estimate"], row["highest_group"]) == (0.5, "missing")
    dossier.warns("ROB-021", "12 rows without g")
    dossier.shows("missing", part="section-robust")


@case("D25")
def codes_that_look_like_missing_values_are_groups(bench: Bench) -> None:
    cells = ["NA", "NULL", "None", "nan", "NA", "NULL", "None", "nan", ""]
    assert sizes(built(bench, cells)) == {"NA": 2, "NULL": 2, "None": 2, "nan": 2, "missing": 1}
    declared = built(bench, cells, missing=["", "NA"])
    assert sizes(declared) == {"NULL": 2, "None": 2, "nan": 2, "missing": 3}


@case("D26")
def spelling_variants_stay_apart_with_a_warning(bench: Bench) -> None:
    cells = ["Female", " female", "FEMALE", "Femal"] * 2
    dossier = built(bench, cells)
    assert sizes(dossier) == dict.fromkeys(["Female", " female", "FEMALE", "Femal"], 2)
    dossier.warns("RUN-004", "spelling variants in g", "'Femal'")
    merged = built(
        bench, cells, levels={"g": {"F": ["Female", " female", "FEMALE", "Femal"], "M": ["M"]}}
    )
    assert sizes(merged) == {"F": 8, "M": 0}
    pairs = [("Female", "Famale"), ("site 1", "Site-1"), ("MÜLLER", "MU\u0308LLER")]
    dossier = built(bench, [cell for pair in pairs for cell in pair] * 2)
    dossier.warns("RUN-004", "'Famale' / 'Female'", "'Site-1' / 'site 1'")
    # What looks alike on the page is told apart by the numbers of its characters.
    dossier.warns("RUN-004", r"'MU\u0308LLER' / 'M\xdcLLER'")


@case("D27")
def one_type_a_column(bench: Bench) -> None:
    assert sizes(built(bench, ["1", "1.0", "1", "1.0"])) == {"1": 2, "1.0": 2}
    n = 200_000
    bench.table(
        "y,p,g\n" + "0,0.25,1\n1,0.75,2\n" * (n // 2) + "1,0.75,late\n0,0.25,late\n",
        classifier(split="g"),
        **GROUPED,
    )
    rows = bench.build().result("integrity")["classifier"]["rows"]
    found = {row["split"]: row["n"] for row in rows}
    assert found == {"all": n + 2, "1": n // 2, "2": n // 2, "late": 2}


@case("D28")
def a_group_of_one_row(bench: Bench) -> None:
    dossier = built(bench, ["a"] * 40 + ["b"] * 40 + ["c"])
    row = group(dossier, "c")
    assert (row["n_rows"], row["estimable"]) == (1, False)
    assert row["auc"]["estimate"] is None
    assert row["auc"]["reason"]
    dossier.warns("FRM-007", "“g c”")
    (gone,) = parity(dossier, "auc")["left_out"]
    assert gone.startswith("c (1 ")
    dossier.shows("not estimable", part="section-frame")
    # 16 and 15 of 30 are called positive; the one of c has .99 and would make it a gap of .53.
    called = [0.9, 0.1] * 14 + [0.9, 0.9] + [0.9, 0.1] * 15 + [0.99]
    lone = ["a"] * 30 + ["b"] * 30 + ["c"]
    for required, severity in ((None, "fail"), (["a", "b"], "warn")):
        dossier = audited(bench, lone, called, tolerance=0.4, required=required)
        row = dossier.row("robust", "risk_list", metric="demographic_parity")
        assert row["static"]["estimate"] == pytest.approx(1 / 30)
        assert (row["verdict"], row["left_out"]) == ("not assessable", "c (n = 1)")
        found = dossier.warns("ROB-005")
        assert found["severity"] == severity
        for told in ("group c has 1 patient", "0.03 (", "n = 30 and 30", "left out: c (n = 1)"):
            assert told in found["statement"]
    small = audited(bench, ["a"] * 30 + ["c"], [*called[:30], 0.99], tolerance=0.4)
    row = small.row("robust", "risk_list", metric="demographic_parity")
    assert (row["verdict"], row["static"]["estimate"]) == ("not assessable", None)


@case("D29")
def a_group_without_positives(bench: Bench) -> None:
    dossier = built(
        bench,
        "a a a a a b b b b b",
        y="1 1 0 0 0 0 0 0 0 0",
        p=".9 .8 .1 .1 .1 .1 .1 .9 .1 .9",
    )
    row = group(dossier, "b")
    assert row["specificity"]["estimate"] == pytest.approx(0.6)
    for name in ("balanced_accuracy", "sensitivity"):
        assert row[name]["estimate"] is None
        assert row[name]["reason"]
    dossier.warns("FRM-007", "“g b”")


@case("D30")
def a_gap_over_the_groups_in_which_it_is_defined(bench: Bench) -> None:
    dossier = built(
        bench,
        list("aaaabbbbcc"),
        y=list("1100110000"),
        p=[0.9 if called == "1" else 0.1 for called in "1101100010"],
    )
    selected = parity(dossier, "demographic_parity")
    # 3/4, 1/4 and 1/2 are called positive.
    assert selected["value"]["estimate"] == pytest.approx(0.5)
    rate = parity(dossier, "equal_opportunity")
    assert rate["value"]["estimate"] == pytest.approx(0.5)
    assert (rate["highest_group"], rate["lowest_group"]) == ("a", "b")
    assert rate["left_out"] == ["c (no positive patients)"]
    dossier.shows(*rate["left_out"], part="section-frame")
    metrics = ["demographic_parity", "equal_opportunity"]
    y = [1, 1, 0, 0] * 10 + [1] * 9 + [0] * 11
    p = [0.9, 0.9, 0.1, 0.9] * 10 + [0.9] * 5 + [0.1] * 15
    dossier = audited(bench, ["a"] * 40 + ["b"] * 20, p, y=y, metrics=metrics, tolerance=0.6)
    # Of b 20 patients are enough for a selection rate, of which no label is asked: 30/40 - 5/20.
    row = dossier.row("robust", "risk_list", metric="demographic_parity")
    assert (row["static"]["estimate"], row["verdict"]) == (0.5, "undetermined")
    row = dossier.row("robust", "risk_list", metric="equal_opportunity")
    assert row["verdict"] == "not assessable"
    assert "group b has 9 patients with a positive row" in row["reason"]


@case("D31")
def nobody_is_selected(bench: Bench) -> None:
    dossier = built(bench, ["a", "b"] * 20, p=[0.1, 0.2] * 20)
    assert parity(dossier, "demographic_parity")["value"]["estimate"] == 0
    ratio = parity(dossier, "demographic_parity_ratio")["value"]
    assert ratio["estimate"] is None
    assert "0/0" in ratio["reason"] or "0 of 0" in ratio["reason"]
    dossier.warns("FRM-022")
    assert not [
        one
        for one in dossier.data["findings"]
        if one["severity"] == "pass" and "parity" in one["statement"]
    ]


@case("D32")
def a_measurement_is_no_group(bench: Bench) -> None:
    ages = [30 + at for at in range(40)]
    bench.table(
        columns(y=[0, 1] * 20, p=[0.2, 0.8] * 20, g=ages),
        frame(score="s"),
        **GROUPED,
    )
    bench.refused("m.yaml:", "'g' holds 40 different numbers, 30 to 69", "bins", most=1)
    bench.table(
        columns(y=[0, 1] * 20, p=[0.2, 0.8] * 20, g=ages),
        classifier(split="g"),
        **GROUPED,
    )
    bench.refused("classifier.split", "'g' holds 40 different numbers, 30 to 69", "bins", most=1)
    bins = {"g": {"edges": [30, 50, 70], "closed": "left"}}
    bench.table(
        columns(y=[0, 1] * 20, p=[0.2, 0.8] * 20, g=ages),
        frame(score="s"),
        label=label(),
        scores={"s": "p"},
        bins=bins,
    )
    dossier = bench.build()
    assert sizes(dossier) == {"[30, 50)": 20, "[50, 70)": 20}
    dossier.shows("[30, 50)", "[50, 70)", part="section-frame")
    beyond = {"g": {"edges": [30, 50, 62], "closed": "left", "name": "band"}}
    bench.table(
        columns(y=[0, 1] * 20, p=[0.2, 0.8] * 20, g=[*ages[:-3], "", "", ""]),
        frame(score="s"),
        **{**DECLARED, "bins": beyond},
    )
    dossier = bench.build()
    assert dossier.row("frame", "groups", group="missing")["n_rows"] == 8
    dossier.warns("FRM-011", "8 rows without band (5 of the table have a value outside the bins)")
    audit = {"kind": "robust", "table": "t", "sensitive": "g", "threshold": 0.5, "tolerance": 0.2}
    bench.table(columns(y=[0, 1] * 20, p=[0.2, 0.8] * 20, g=ages), audit, **GROUPED)
    said = "sensitive: 'g' holds 40 different numbers, 30 to 69"
    bench.refused("m.yaml:", said, "bins", most=1)


@case("D33")
def many_sites(bench: Bench) -> None:
    counts = [5 if at % 2 else 24 for at in range(150)]
    cells = [f"site {at:03d}" for at, n in enumerate(counts) for _row in range(n)]
    rng = np.random.default_rng(1)
    p = rng.random(len(cells)).round(4)
    dossier = built(bench, cells, p=p, section={"threshold": None})
    assert len(sizes(dossier)) == 150
    page = dossier.part("section-frame")
    assert "primary family holds 149 comparisons" in page
    worst = parity(dossier, "auc")
    assert worst["highest_group"] in sizes(dossier)
    # The print is capped and says so; the file is whole.
    printed = words(dossier.printed)
    assert re.search(r"The print shows \d+ of 151 rows", printed)
    assert printed.count("site 1") < page.count("site 1") / 2
    table = (dossier.folder / "tables" / "frame-groups.csv").read_text("utf-8")
    assert sum("site 149" in line for line in table.splitlines()) == 1
    assert "tables/frame-groups.csv" in page
    dossier.warns("FRM-007", "75")
    dossier = audited(bench, cells, p, tolerance=0.1)
    row = dossier.row("robust", "risk_list", metric="demographic_parity")
    # The 75 sites of 5 decide nothing; 75 of 24 have 75 x 74 / 2 differences.
    assert (row["compared"], row["highest_units"], row["lowest_units"]) == (75, 24, 24)
    assert row["left_out"].endswith("and 55 more")
    told = dossier.warns("ROB-003")["statement"]
    assert "n = 24 and 24; the largest of 2,775 differences among 75 groups" in told


@case("D34")
def a_declared_level_without_rows(bench: Bench) -> None:
    dossier = built(
        bench,
        ["a", "b"] * 10,
        levels={"g": {"a": ["a"], "b": ["b"], "unknown": ["unknown"]}},
    )
    assert sizes(dossier) == {"a": 10, "b": 10, "unknown": 0}
    dossier.warns("FRM-007", "unknown")
    dossier.shows("unknown", part="section-frame")


@case("D35")
def a_reference_that_is_not_there(bench: Bench) -> None:
    bench.table(
        columns(y="1 0 1 0", p=".1 .2 .3 .4", g="Group_B Group_C Group_B Group_C"),
        frame(score="s", reference={"g": "Group A"}),
        **GROUPED,
    )
    said = bench.refused("m.yaml:", "reference.g", "'Group A'", most=1)
    assert "Group_B" in said
    assert "Group_C" in said


@case("D36")
def the_gap_is_largest_minus_smallest(bench: Bench) -> None:
    called = [1] * 2 + [0] * 8 + [1] * 5 + [0] * 5 + [1] * 6 + [0] * 4
    dossier = built(
        bench,
        ["a"] * 10 + ["b"] * 10 + ["c"] * 10,
        y=[1, 0] * 15,
        p=[0.9 if one else 0.1 for one in called],
    )
    gap = parity(dossier, "demographic_parity")
    assert gap["value"]["estimate"] == pytest.approx(0.4)
    assert (gap["highest_group"], gap["lowest_group"]) == ("c", "a")
    ratio = parity(dossier, "demographic_parity_ratio")
    assert ratio["value"]["estimate"] == pytest.approx(1 / 3)
    same = built(bench, ["a", "a", "b", "b"] * 5, p=[0.1, 0.9] * 10)
    gap = parity(same, "demographic_parity")  # no group is above another
    assert (gap["value"]["estimate"], gap["highest_group"], gap["lowest_group"]) == (0, "", "")
    # The label is as frequent in both: there is no gap to be named between a and a.
    alike = audited(bench, ["a"] * 20 + ["b"] * 20, [0.1, 0.9] * 20, tolerance=0.2)
    assert "ROB-008" not in alike.codes()
    cells = columns(y=[0, 1] * 2, p=[0.1] * 4, overall=["all", "b"] * 2)
    bench.table(cells, frame(score="s"), **{**GROUPED, "groups": ["overall"]})
    bench.refused("m.yaml:", "'overall'", "rename the column", most=1)


@case("D37")
def decisions_without_labels(bench: Bench) -> None:
    robust = {
        "kind": "robust",
        "table": "t",
        "score": "s",
        "sensitive": "g",
        "decisions": "hard",
        "threshold": 0.5,
        "tolerance": 0.2,
    }
    unlabelled = {"scores": {"s": "p"}, "groups": ["g"]}
    cells = columns(p=[0.9, 0.1, 0.9, 0.9] * 10, g=["a", "a", "b", "b"] * 10)
    bench.table(cells, {**robust, "metrics": ["equalized_odds"]}, **unlabelled)
    bench.refused("m.yaml:", "label", most=1)
    bench.table(cells, frame(score="s"), **unlabelled)
    bench.refused("m.yaml:", "has no label", most=1)
    bench.table(cells, {**robust, "metrics": ["demographic_parity"]}, **unlabelled)
    dossier = bench.build()
    (row,) = dossier.result("robust")["gaps"]
    assert row["base"]["estimate"] == pytest.approx(0.5)


@case.parametrize()
def test_catalogue(case: Case, bench: Bench) -> None:
    case(bench)
