"""Each verdict, what it means for the release, and the findings that say so."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from reportgen.result import Outcome, Severity
from reportgen.sections.frame import CODES, FrameResult
from reportgen.sections.frame.verdicts import release_of, verdict_of
from reportgen.stats.subgroups.gaps import GapInterval
from reportgen.stats.worlds import world
from tests.support.frame import (
    codes,
    finding,
    gap,
    group,
    run,
    table_of,
    two_groups,
    world_table,
)

MARGIN, ALPHA = 0.05, 0.05


def interval(low: float, high: float, reason: str = "") -> GapInterval:
    return GapInterval(low, high, "MOVER", one_sided=False, reason=reason)


# p adjusted, interval, equivalence interval, evidence, verdict: by hand, from the definitions.
CASES = [
    (1.00, (-0.04, 0.03), (-0.03, 0.02), None, "no gap beyond margin"),
    # The 95 % interval may leave the margin where the 90 % interval does not.
    (0.20, (-0.06, 0.02), (-0.049, 0.01), True, "no gap beyond margin"),
    (0.20, (-0.06, 0.02), (-0.051, 0.01), True, "sampling variation not excluded"),
    (0.051, (-0.20, 0.00), (-0.18, -0.01), True, "sampling variation not excluded"),
    (0.05, (-0.049, -0.01), (-0.04, -0.02), None, "gap shown, below margin"),
    (0.001, (-0.20, -0.10), (-0.19, -0.11), True, "gap shown, with representational evidence"),
    (0.001, (-0.20, -0.10), (-0.19, -0.11), False, "gap shown, without representational evidence"),
    (0.001, (-0.20, -0.10), (-0.19, -0.11), None, "gap shown, evidence not assessed"),
    # Shown, and neither below nor wholly beyond the margin.
    (0.001, (-0.08, -0.01), (-0.07, -0.02), False, "gap shown, without representational evidence"),
]


@pytest.mark.parametrize(("p", "limits", "inner", "evidence", "verdict"), CASES)
def test_verdicts_by_hand(
    p: float,
    limits: tuple[float, float],
    inner: tuple[float, float],
    evidence: bool | None,
    verdict: str,
) -> None:
    found, _ = verdict_of(
        hindered="",
        p=p,
        interval=interval(*limits),
        equivalence=interval(*inner),
        margin=MARGIN,
        alpha=ALPHA,
        evidence=evidence,
    )
    assert found == verdict


def test_what_cannot_be_estimated_has_no_other_verdict() -> None:
    found, reason = verdict_of(
        hindered="small: 9 positive patients, fewer than 10",
        p=0.0001,
        interval=interval(-0.5, -0.4),
        equivalence=interval(-0.5, -0.4),
        margin=MARGIN,
        alpha=ALPHA,
        evidence=True,
    )
    assert (found, reason) == ("not estimable", "small: 9 positive patients, fewer than 10")


WITH = "gap shown, with representational evidence"
WITHOUT = "gap shown, without representational evidence"
OPEN = "gap shown, evidence not assessed"
# verdict, gap, interval, direction, required, release
RELEASES = [
    *((shown, -0.15, (-0.2, -0.1), 1, False, "hold") for shown in (WITH, WITHOUT, OPEN)),
    *((shown, -0.05, (-0.08, -0.02), 1, True, "conditional") for shown in (WITH, WITHOUT, OPEN)),
    *((shown, 0.15, (0.1, 0.2), 1, True, "release") for shown in (WITH, WITHOUT, OPEN)),
    # A limit on the margin itself is not beyond it.
    (WITHOUT, -0.1, (-0.15, -0.05), 1, False, "conditional"),
    # More false positives are worse, fewer are in the group's favour.
    (WITHOUT, 0.15, (0.1, 0.2), -1, False, "hold"),
    (WITHOUT, -0.15, (-0.2, -0.1), -1, False, "release"),
    # A selection rate may harm either way.
    (WITHOUT, 0.15, (0.1, 0.2), 0, False, "hold"),
    (WITHOUT, -0.15, (-0.2, -0.1), 0, False, "hold"),
    ("not estimable", -0.9, (-1.0, -0.8), 1, False, "conditional"),
    ("not estimable", 0.9, (0.8, 1.0), 1, True, "hold"),
    # Inconclusive is never a pass, not even where the gap seems to be in the group's favour.
    ("sampling variation not excluded", 0.2, (-0.1, 0.5), 1, False, "conditional"),
    ("no gap beyond margin", -0.01, (-0.03, 0.01), 1, True, "release"),
    ("gap shown, below margin", -0.02, (-0.03, -0.01), 1, True, "release"),
]


@pytest.mark.parametrize(
    ("verdict", "value", "limits", "direction", "required", "release"), RELEASES
)
def test_releases_by_hand(
    verdict: Any,
    value: float,
    limits: tuple[float, float],
    direction: int,
    required: bool,
    release: str,
) -> None:
    found = release_of(
        verdict,
        value=value,
        interval=interval(*limits),
        margin=MARGIN,
        direction=direction,
        required=required,
    )
    assert found == release


def of(outcome: Outcome) -> FrameResult:
    assert isinstance(outcome.result, FrameResult)
    return outcome.result


def said(outcome: Outcome, code: str, severity: Severity, *words: str) -> None:
    one = finding(outcome, code)
    assert one.severity == severity
    for word in words:
        assert word in one.statement
    for claim in ("caused by", "proves", "unbiased", "guarantee"):
        assert claim not in one.statement


def test_verdict_1_from_a_table() -> None:
    outcome = run(two_groups(1, patients=(3000, 2500), images=1))
    assert gap(of(outcome), "group", "small").verdict == "no gap beyond margin"
    said(outcome, "FRM-001", "pass", "Two one-sided tests", "+", "Holm p")


def test_verdict_2_from_a_table() -> None:
    outcome = run(two_groups(1, patients=(60, 40)))
    row = gap(of(outcome), "group", "small")
    assert row.verdict == "sampling variation not excluded"
    assert row.release == "conditional"
    assert row.units_needed is not None
    said(outcome, "FRM-002", "warn", "no pass", f"about {row.units_needed:,} patients", "80 %")


def test_verdict_3_from_a_table() -> None:
    table = two_groups(3, patients=(3000, 3000), images=1, signal=(1.5, 1.2))
    outcome = run(table, margin=0.2)
    assert gap(of(outcome), "group", "small").verdict == "gap shown, below margin"
    said(outcome, "FRM-003", "note", "inside the margin of 0.2")


@pytest.fixture(scope="module")
def representational() -> Outcome:
    table = world_table(world("N3", np.random.default_rng(5), patients=(500, 500)))
    return run(table, threshold=0.5, margin=0.01)


def test_verdict_4_from_a_world_with_a_representational_cause(representational: Outcome) -> None:
    row = gap(of(representational), "group", "small")
    assert row.verdict == WITH
    (features,) = of(representational).representation
    assert features.evidence is True
    assert features.link_p is not None
    assert features.link_p <= 0.05
    said(representational, "FRM-004", "fail", "consistent with a representational cause")
    assert "does not establish one" in finding(representational, "FRM-004").limits


def test_verdict_5_from_a_world_with_noisy_labels_and_a_shift() -> None:
    table = world_table(world("N5", np.random.default_rng(2), patients=(500, 500)))
    outcome = run(table, threshold=0.5, margin=0.01)
    assert gap(of(outcome), "group", "small").verdict == WITHOUT
    (features,) = of(outcome).representation
    assert features.domain_auc.estimate is not None
    assert features.domain_auc.estimate > 0.7
    assert features.coverage_p is not None
    assert features.coverage_p < 0.05
    said(outcome, "FRM-005", "fail", "No representational evidence", "audit the labels")
    assert "no evidence of absence" in finding(outcome, "FRM-005").limits


def test_verdict_5b_without_features() -> None:
    table = world_table(world("N2", np.random.default_rng(2), patients=(500, 500)), features=False)
    outcome = run(table, margin=0.01)
    assert gap(of(outcome), "group", "small").verdict == OPEN
    assert of(outcome).representation == ()
    said(outcome, "FRM-006", "fail", "not assessed: the table has no features")


def test_a_gap_in_the_groups_favour_is_a_note() -> None:
    table = two_groups(4, patients=(500, 500), images=1, signal=(0.5, 3.0))
    outcome = run(table, reference={"group": "large"})
    assert gap(of(outcome), "group", "small").release == "release"
    said(outcome, "FRM-006", "note", "in the group's favour")


def few_positives(positives: int, negatives: int) -> Any:
    rng = np.random.default_rng(7)
    label = np.concatenate([rng.random(200) < 0.4, np.arange(positives + negatives) < positives])
    name = np.repeat(["large", "small"], [200, positives + negatives])
    return table_of(label, rng.random(len(label)), {"group": name})


@pytest.mark.parametrize(
    ("counts", "why"),
    [
        ((9, 40), "9 positive patients, fewer than 10"),
        ((40, 9), "9 negative patients, fewer than 10"),
        ((1, 1), "1 positive patient, fewer than 10, and 1 negative patient, fewer than 10"),
        ((0, 12), "0 positive patients, fewer than 10"),
    ],
)
def test_verdict_0_from_a_table(counts: tuple[int, int], why: str) -> None:
    outcome = run(few_positives(*counts))
    row = gap(of(outcome), "group", "small")
    assert row.verdict == "not estimable"
    assert row.reason == f"small: {why}"
    assert row.p_adjusted == 1
    assert group(of(outcome), "group", "small").reason == why
    said(outcome, "FRM-007", "warn", why, "no verdict")


def test_ten_of_each_class_are_enough() -> None:
    row = gap(of(run(few_positives(10, 10))), "group", "small")
    assert row.verdict != "not estimable"


def test_a_required_group_that_is_not_estimable_holds() -> None:
    outcome = run(few_positives(9, 40), required={"group": ["small"]})
    said(outcome, "FRM-007", "fail", "9 positive patients")
    assert "FRM-008" not in codes(outcome)
    assert [(row.group, row.estimable) for row in of(outcome).required] == [("small", False)]


def test_a_required_reference_that_is_not_estimable_holds() -> None:
    table = few_positives(9, 40)
    outcome = run(table, required={"group": ["small"]}, reference={"group": "small"})
    said(outcome, "FRM-007", "fail", "9 positive patients")
    loose = run(table, required={"group": ["large"]}, reference={"group": "small"})
    said(loose, "FRM-007", "warn", "9 positive patients")


def test_a_required_cell_of_an_intersection_that_is_not_estimable_holds() -> None:
    rng = np.random.default_rng(3)
    groups = {"a": rng.choice(["x", "y"], 300), "b": rng.choice(["u", "v"], 300, p=[0.95, 0.05])}
    table = table_of(rng.random(300) < 0.4, rng.random(300), groups)
    settings: dict[str, Any] = {"groups": ["a", ["a", "b"]]}
    outcome = run(table, **settings, required={"a × b": ["x × v"]})
    said(outcome, "FRM-008", "fail", "“a × b x × v”")
    assert "FRM-008" not in codes(run(table, **settings, required={"a × b": ["x × u"]}))


def test_holm_runs_over_the_primary_family_of_single_attributes() -> None:
    rng = np.random.default_rng(8)
    groups = {"a": rng.choice(list("xyz"), 240), "b": rng.choice(list("uv"), 240)}
    label = rng.random(240) < 0.4
    scores = {"old": rng.random(240), "new": rng.random(240)}
    found = of(
        run(
            table_of(label, scores, groups),
            groups=["a", "b", ["a", "b"]],
            primary=["auc", "sensitivity"],
            threshold=0.5,
        )
    )
    family = [row for row in found.gaps if row.primary]
    assert found.family_size == len(family) == (2 + 1) * 2 * 2
    assert {row.attribute for row in family} == {"a", "b"}
    assert all(row.adjustment == "Holm" and row.verdict for row in family)
    # Holm's definition, counted out: sorted p times the number of hypotheses still open.
    p = sorted(row.p for row in family if row.p is not None)
    running, steps = 0.0, []
    for at, value in enumerate(p):
        running = max(running, min(1.0, value * (len(p) - at)))
        steps.append(running)
    assert sorted(r.p_adjusted or 0 for r in family) == pytest.approx(steps)
    others = [row for row in found.gaps if not row.primary]
    assert all(row.verdict is None and row.release is None for row in others)
    assert {row.adjustment for row in others} == {"Benjamini–Hochberg"}


def test_the_codes_are_documented_once() -> None:
    assert len({code.code for code in CODES}) == len(CODES)
    assert all(code.code.startswith("FRM-") and code.meaning for code in CODES)
