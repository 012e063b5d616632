"""What was not compared, or not estimable, is said: nothing passes by not having been looked at."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from reportgen.reporting import decision
from reportgen.result import Outcome
from reportgen.sections.frame import FrameResult
from reportgen.sections.frame.wording import recalibration_reading
from tests.support.frame import codes, finding, gap, objects, run, table_of, two_groups


def decided(outcome: Outcome) -> str:
    """Return the decision on a dossier of this section alone."""
    found = [{"id": str(at), "severity": one.severity} for at, one in enumerate(outcome.findings)]
    return str(decision(found)["outcome"])


@pytest.mark.parametrize("label", [0.0, 1.0])
def test_required_groups_hold_where_one_class_is_lacking(label: float) -> None:
    table = replace(two_groups(), label=np.full(500, label))
    held = run(table, required={"group": ["large", "small"]})
    assert decided(held) == "hold"
    assert finding(held, "FRM-007").severity == "fail"
    free = run(table)
    assert finding(free, "FRM-020").severity == "warn"
    assert finding(free, "FRM-007").severity == "warn"
    assert decided(free) == "conditional"


def crossed(levels: Any = "xy") -> Any:
    rng = np.random.default_rng(3)
    groups = {"a": rng.choice(list(levels), 300), "b": rng.choice(["u", "v"], 300)}
    return table_of(rng.random(300) < 0.4, rng.random(300), groups)


def test_intersections_alone_compare_nothing() -> None:
    outcome = run(crossed(), groups=[["a", "b"]])
    told = finding(outcome, "FRM-023")
    assert told.severity == "warn"
    assert "nothing was compared, and no release follows" in told.statement
    assert "Only intersections" in told.statement
    assert decided(outcome) == "conditional"


def test_an_attribute_of_one_group_compares_nothing() -> None:
    outcome = run(crossed("x"), groups=["a"])
    assert "All rows are in one group of “a”" in finding(outcome, "FRM-023").statement
    assert decided(outcome) == "conditional"
    beside = finding(run(crossed("x"), groups=["a", "b"]), "FRM-023")
    assert beside.title == "Nothing was compared by a"
    assert "FRM-023" not in codes(run(crossed(), groups=["a", "b"]))


def test_a_gap_in_the_groups_favour_names_the_reference_as_worse_off() -> None:
    table = two_groups(4, patients=(500, 500), images=1, signal=(0.5, 3.0))
    outcome = run(table, reference={"group": "large"})
    told = finding(outcome, "FRM-006")
    assert "the reference, “large”, is the one worse off, by 0." in told.statement
    # What it would be is what it is with the two exchanged.
    turned = run(table, reference={"group": "small"})
    assert isinstance(turned.result, FrameResult)
    release = gap(turned.result, "group", "large").release
    assert release == "hold"
    assert f"with “small” as the reference this would be {release}." in told.statement
    assert "worse off" in told.summary
    assert "worse off" not in finding(turned, "FRM-006").statement


def sites() -> Any:
    rng = np.random.default_rng(5)
    name = np.concatenate(
        [np.repeat(["big", "next"], 200), np.repeat([f"s{k}" for k in range(30)], 4)]
    )
    return table_of(rng.random(len(name)) < 0.4, rng.random(len(name)), {"site": objects(name)})


def test_groups_that_are_not_estimable_are_one_finding() -> None:
    outcome = run(sites())
    told = [one for one in outcome.findings if one.code == "FRM-007"]
    assert [one.title for one in told] == ["30 of 31 groups of site not estimable"]
    # A required group keeps a finding of its own, which holds.
    held = run(sites(), required={"site": ["s7"]})
    own = [one for one in held.findings if one.code == "FRM-007"]
    assert sorted(one.severity for one in own) == ["fail", "warn"]
    assert [one.title.split(" against")[0] for one in own if one.severity == "fail"] == ["site: s7"]
    assert "29 of 31 groups of site not estimable" in [one.title for one in own]


def test_a_feature_that_is_the_attribute_is_named() -> None:
    rng = np.random.default_rng(2)
    age = rng.uniform(20, 80, 300)
    band = np.where(age < 50, "young", "old")
    x = np.column_stack([rng.normal(size=300), age])
    args = (rng.random(300) < 0.4, rng.random(300))
    told = finding(run(table_of(*args, {"band": band}, features=x)), "FRM-024")
    assert told.statement.count("those of") == 1
    assert "“x1” those of “band”" in told.statement
    mixed = x.copy()
    mixed[np.argmax(age), 1] = age.min()  # one row out of place: no longer without overlap
    assert "FRM-024" not in codes(run(table_of(*args, {"band": band}, features=mixed)))


MOVES = [
    ((-0.2, -0.05), (0.02, -0.15), "moves the gap from sensitivity to specificity"),
    ((-0.05, -0.2), (-0.15, 0.02), "moves the gap from specificity to sensitivity"),
    ((-0.2, -0.05), (-0.1, 0.02), "narrows the gap in sensitivity and specificity"),
    ((-0.05, -0.2), (0.02, 0.1), "does not narrow the gap in sensitivity and specificity"),
]


@pytest.mark.parametrize(("sensitivity", "specificity", "reading"), MOVES)
def test_recalibration_has_one_reading(
    sensitivity: tuple[float, float], specificity: tuple[float, float], reading: str
) -> None:
    told = recalibration_reading([("sensitivity", *sensitivity), ("specificity", *specificity)])
    assert told.startswith(f"recalibration {reading} (sensitivity ")
    assert told.endswith("; it does not explain the gap in ranking")
    assert told.count(" → ") == 2
