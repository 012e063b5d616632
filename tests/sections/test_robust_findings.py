"""Every finding of a robust audit: where it fires and where it does not; the order of verdicts."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from reportgen.inputs import Table
from reportgen.inputs.models import ReadModel
from reportgen.render.numbers import evidence
from reportgen.result import NotApplicable, Outcome, plain
from reportgen.sections.robust import CODES
from reportgen.sections.robust.wording import radius_evidence
from reportgen.stats.robust_models import build_model
from tests.support.robust import (
    HARD,
    SOFT,
    article,
    article_run,
    codes,
    finding,
    gap,
    linear_read,
    moves_of,
    opaque_read,
    result_of,
    risk,
    run,
    scored,
    table_of,
)

MOVES = moves_of({"x": {"eps": 0.05, "unit": "mm", "basis": "repeatability"}})


def population(n: int = 1200, seed: int = 3, shift: float = 0.0) -> tuple[Table, ReadModel]:
    """Return patients of two groups whose score does not depend on the group, or by a shift."""
    rng = np.random.default_rng(seed)
    group = np.arange(n) % 2
    x = {"x": np.round(rng.normal(size=n), 3) + shift * group}
    read = linear_read({"x": 1.0}, 0.0)
    label = rng.random(n) < scored(read, x)
    table = table_of(scored(read, x), group, label, features=x, unit=range(n))
    return replace(table, unit_name="patient_id"), read


def fair(tolerance: Any = 0.15, **settings: Any) -> Outcome:
    table, read = population()
    chosen = {"perturbation": MOVES, "tolerance": tolerance, **HARD, **settings}
    return run(table, read, **chosen)


def test_robust_needs_certified_and_limit() -> None:
    outcome = fair()
    row = risk(outcome, "demographic_parity")
    assert row.verdict == "robust"
    assert (row.worst_certified or 1) < (row.limit.estimate or 0) <= 0.15
    told = finding(outcome, "ROB-001")
    assert told.severity == "pass"
    assert "It cannot show moves that were not declared" in told.limits
    assert {"ROB-002", "ROB-003", "ROB-004", "ROB-005"}.isdisjoint(codes(outcome))


def test_a_certified_gap_whose_limit_passes_the_tolerance_is_open() -> None:
    row = risk(fair(), "demographic_parity")
    between = ((row.worst_certified or 0) + (row.limit.estimate or 0)) / 2
    outcome = fair(between)
    assert risk(outcome, "demographic_parity").verdict == "undetermined"
    assert finding(outcome, "ROB-002").severity == "warn"
    assert "ROB-001" not in codes(outcome)


def test_static_fail_comes_first() -> None:
    table, read = population(shift=2.0)
    outcome = run(table, read, perturbation=MOVES, **HARD)
    assert risk(outcome, "demographic_parity").verdict == "static fail"
    assert finding(outcome, "ROB-003").severity == "fail"
    assert "ROB-004" not in codes(outcome)
    both = run(
        table, read, perturbation=MOVES, metrics=["demographic_parity", "equalized_odds"], **HARD
    )
    assert "passes its tolerance as the data stand" in finding(both, "ROB-011").statement
    assert gap(outcome, "demographic_parity").critical_unsafe == 0


def test_failing_groups_are_told_even_where_others_cannot_be_measured() -> None:
    """A gap over the groups that can be measured is a lower bound for all."""
    table, read = article()
    group = table.groups["s"].copy()
    group[:3] = "tiny"
    small = replace(table, groups={"s": group})
    moves = moves_of({"x1": 0.05, "x2": 0.05})
    outcome = run(small, read, perturbation=moves, tolerance=0.05, **SOFT)
    assert risk(outcome, "demographic_parity").verdict == "static fail"


def lone_positive(**settings: Any) -> Outcome:
    table, read = population()
    label = np.asarray(table.label).copy()
    label[::2] = 0
    label[0] = 1
    return run(
        replace(table, label=label),
        read,
        perturbation=MOVES,
        metrics=["equal_opportunity"],
        tolerance=0.9,
        **HARD,
        **settings,
    )


def test_too_few_patients_of_a_stratum() -> None:
    outcome = lone_positive()
    row = risk(outcome, "equal_opportunity")
    assert row.verdict == "not assessable"
    assert "group 0 has 1 patient with a positive row" in row.reason
    assert finding(outcome, "ROB-005").severity == "fail"
    assert finding(lone_positive(required=["1"]), "ROB-005").severity == "warn"
    assert finding(lone_positive(required=["0"]), "ROB-005").severity == "fail"
    assert risk(lone_positive(minimum=2), "equal_opportunity").verdict == "not assessable"


def test_a_group_without_the_figure_is_not_taken_for_0() -> None:
    """The usual tool counts a group without positives as a true positive rate of 0."""
    table, read = population()
    label = np.asarray(table.label).copy()
    label[::2] = 0
    outcome = run(
        replace(table, label=label),
        read,
        perturbation=MOVES,
        metrics=["equalized_odds"],
        tolerance=0.3,
        **HARD,
    )
    row = risk(outcome, "equalized_odds")
    assert row.verdict == "not assessable"
    assert row.static.estimate is None
    assert "two groups" in str(row.static.reason)


def test_nobody_selected_is_no_parity() -> None:
    outcome = fair(0.1, threshold=0.999)
    row = risk(outcome, "demographic_parity")
    assert row.static.estimate == 0
    assert row.verdict == "not assessable"
    assert "nobody is selected" in row.reason


def test_no_averaging_over_metrics() -> None:
    outcome = fair(
        metrics=["demographic_parity", "equalized_odds"],
        tolerance={"demographic_parity": 0.15, "equalized_odds": 0.0001},
    )
    assert risk(outcome, "demographic_parity").verdict == "robust"
    assert risk(outcome, "equalized_odds").verdict == "static fail"
    assert result_of(outcome).verdict == "static fail"
    assert result_of(outcome).joint[0].binding_metric == "equalized_odds"
    assert "ROB-011" in codes(outcome)
    assert "ROB-011" not in codes(fair())


def test_a_model_that_can_only_be_asked_is_never_robust() -> None:
    table, read = population()
    linear = build_model("linear", ["x"], read.content)
    black = opaque_read(["x"], lambda values: linear.score(values))
    outcome = run(table, black, perturbation=MOVES, tolerance=0.15, **HARD)
    row, known = risk(outcome, "demographic_parity"), risk(fair(), "demographic_parity")
    assert row.verdict == "undetermined"
    assert "can only be searched" in row.reason
    assert row.limit.estimate is None
    # In one feature the search has nowhere else to look: it finds what is exact.
    assert row.worst_found == pytest.approx(known.worst_found, abs=1e-12)
    assert row.worst_certified == 1.0
    assert "ROB-015" in codes(outcome)
    assert "ROB-015" not in codes(fair())
    # Yet what it finds past the tolerance is found.
    tight = ((known.static.estimate or 0) + (known.worst_found or 0)) / 2
    assert (
        risk(
            run(table, black, perturbation=MOVES, tolerance=tight, **HARD), "demographic_parity"
        ).verdict
        == "fragile"
    )


def test_without_a_model_nothing_is_robust() -> None:
    table, _ = population()
    outcome = run(table, tolerance=0.15, other_threats={"flips": [0.01]}, **HARD)
    (row,) = result_of(outcome).gaps
    assert (row.rung, row.norm, row.verdict) == (None, None, "undetermined")
    assert row.found.estimate is None
    assert result_of(outcome).curve == ()
    assert "ROB-016" in codes(outcome)
    assert finding(outcome, "ROB-002").limits.startswith("The gap as it stands")
    assert "ROB-016" not in codes(fair())


def test_threats_past_the_tolerance_are_named() -> None:
    outcome = article_run(other_threats={"flips": [0.05], "mix": [1.001]}, **SOFT)
    told = finding(outcome, "ROB-009")
    assert "Of 2 threats in declared sizes, 1 can take" in told.statement
    five = "5\N{NO-BREAK SPACE}% of the records in the wrong group, demographic parity gap 0.28"
    assert five in told.statement
    assert told.summary == "1 of 2 threats in declared sizes can take a gap past its tolerance."
    assert "ROB-009" not in codes(fair())


def test_the_four_gravest_threats_are_named_with_their_units() -> None:
    threats = {"flips": [0.05, 0.1], "mix": [1.1, 1.5], "average": [0.1, 0.5]}
    outcome = article_run(tolerance=0.35, other_threats=threats, **HARD)
    past = sorted(
        (row for row in result_of(outcome).other_threats if (row.found or 0) > 0.35),
        key=lambda row: row.found or 0,
    )
    assert len(past) == 6
    statement = finding(outcome, "ROB-009").statement
    assert statement.endswith("; and 2 more: table.")
    words = {
        ("flips", 0.05): " 5\N{NO-BREAK SPACE}% of the records in the wrong group,",
        ("flips", 0.1): " 10\N{NO-BREAK SPACE}% of the records in the wrong group,",
        ("mix", 1.1): "groups by Γ = 1.1,",
        ("mix", 1.5): "groups by Γ = 1.5,",
        ("average", 0.1): "moves of 0.1 × eps on average,",
        ("average", 0.5): "moves of 0.5 × eps on average,",
    }
    for at, row in enumerate(past):
        assert (words[row.threat, row.size] in statement) is (at >= 2)


def test_patients_and_bases() -> None:
    assert {"ROB-007", "ROB-012"}.isdisjoint(codes(fair()))
    assert {"ROB-007", "ROB-012"} <= set(codes(article_run(**SOFT)))


def test_directions_are_told_in_units() -> None:
    told = finding(fair(), "ROB-010").statement
    assert "(s 0: +0.0500, s 1: −0.0500 mm)" in told
    still = run(*population(), perturbation=moves_of({"x": 0.0}), tolerance=0.15, **HARD)
    assert "ROB-010" not in codes(still)


def test_long_findings_have_a_line_for_the_list_of_all() -> None:
    threats = {"flips": [0.05], "mix": [1.1, 1.5]}
    metrics = ["demographic_parity", "equalized_odds"]
    outcomes = (
        article_run(metrics=metrics, tolerance=0.35, other_threats=threats, **HARD),
        fair(),
        lone_positive(),
    )
    long = [f for one in outcomes for f in one.findings if len(f.statement) > 160]
    assert {f.code for f in long} >= {"ROB-001", "ROB-004", "ROB-009", "ROB-010"}
    for one in long:
        assert one.summary, one.code
        assert len(one.summary) < len(one.statement)


def test_evidence_is_written_as_in_the_statement() -> None:
    outcome = article_run(tolerance=0.35, **HARD)
    told = finding(outcome, "ROB-004")
    for name in ("static", "tolerance", "worst", "critical_radius"):
        assert evidence(plain(told.evidence[name])) in told.statement, name


def test_a_proxy_of_two_rates_gives_the_worst_of_each_estimate() -> None:
    """Two cells with certain membership: every figure is the plain count, rate by rate.

    Sensitivity is 2/4 of members and 0/4 of others, the false positive rate 1/4 and 0/4.
    """
    chosen = np.array([1, 1, 0, 0, 1, 0, 0, 0] + [0] * 8, dtype=bool)
    label = np.tile([1, 1, 1, 1, 0, 0, 0, 0], 2)
    member = np.repeat([1.0, 0.0], 8)
    table = table_of(np.where(chosen, 0.9, 0.1), member, label, features={"q": member})
    settings: dict[str, Any] = {"metrics": ["equalized_odds"], "tolerance": 0.3, "sensitive": None}
    outcome = run(table, None, proxy={"column": "q"}, **settings, **HARD)
    (row,) = result_of(outcome).proxy
    for value in (row.worst, row.least, row.weighted, row.thresholded):
        assert value == pytest.approx(0.5)
    assert finding(outcome, "ROB-003").severity == "fail"
    assert {"weighted", "thresholded"}.isdisjoint(finding(outcome, "ROB-003").evidence)
    told = finding(outcome, "ROB-019")
    assert {"weighted", "thresholded"} <= set(told.evidence)
    assert "bounds nothing" in told.limits


def test_estimates_by_a_proxy_come_from_the_rate_where_each_is_farthest() -> None:
    """The wider bounds may be those of the rate with the smaller estimate."""
    label = np.repeat([1, 0], 40)
    # Positives: the probability says nearly who is selected. Negatives: it says nearly nothing.
    q = np.concatenate([np.tile([0.9, 0.1], 20), np.repeat([0.52, 0.48], 20)])
    score = np.tile([0.9, 0.1], 40)
    outcome = run(
        table_of(score, q, label, features={"q": q}),
        None,
        metrics=["equalized_odds"],
        tolerance=0.3,
        sensitive=None,
        proxy={"column": "q"},
        **HARD,
    )
    (row,) = result_of(outcome).proxy
    # False positive rate: T between (0.02 + 0) / 2 and (0.5 + 0.48) / 2, gap 4 T - 1.
    assert (row.low, row.high) == pytest.approx((-0.96, 0.96))
    assert row.weighted == pytest.approx(0.8)  # sensitivity: 0.9 less 0.1; the other is 0
    assert row.thresholded == pytest.approx(1.0)


def test_a_bracket_is_one_piece_of_evidence() -> None:
    row = risk(fair(), "demographic_parity")
    assert radius_evidence(replace(row, critical_safe=0.19921875, critical_unsafe=0.203125)) == {
        "critical_radius": "0.199 to 0.203"
    }
    assert radius_evidence(replace(row, critical_safe=4.0, critical_unsafe=None)) == {
        "critical_radius": ">4.000"
    }
    assert radius_evidence(replace(row, critical_safe=0.0, critical_unsafe=0.0)) == {
        "critical_radius": 0.0
    }
    assert radius_evidence(replace(row, critical_safe=None, critical_unsafe=None)) == {}


def test_code_that_was_run_is_told() -> None:
    table, read = population()
    outcome = run(table, replace(read, runs_code=True), perturbation=MOVES, tolerance=0.15, **HARD)
    assert result_of(outcome).banner
    assert finding(outcome, "ROB-014").severity == "warn"
    assert result_of(fair()).banner is None
    assert "ROB-014" not in codes(fair())


def test_inputs_that_follow_from_others_are_named() -> None:
    rng = np.random.default_rng(5)
    x = {"a": rng.normal(size=200), "b": rng.normal(size=200)}
    x["c"] = 2 * x["a"] - x["b"] + 1
    read = linear_read({"a": 1.0, "b": 0.5, "c": 0.2}, 0.0)
    table = table_of(scored(read, x), np.arange(200) % 2, features=x)
    outcome = run(table, read, perturbation=moves_of({"c": 0.1}), tolerance=0.3, **HARD)
    assert "“c”" in finding(outcome, "ROB-018").statement
    assert "ROB-018" not in codes(article_run(**SOFT))


def test_a_witness_that_breaks_its_bounds_is_not_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    from reportgen.sections.robust import reach
    from reportgen.stats.robust.linear import linear_intervals

    def stretched(values: Any, model: Any, moves: Any, *, witness: bool = True) -> Any:
        return linear_intervals(values, model, moves.scaled(3.0), witness=witness)

    assert "ROB-017" not in codes(fair())
    monkeypatch.setattr(reach, "linear_intervals", stretched)
    outcome = fair()
    assert finding(outcome, "ROB-017").evidence["violations"] == 2400.0
    row = risk(outcome, "demographic_parity")
    assert row.worst_found == row.static.estimate
    assert (row.worst_certified or 0) > (row.worst_found or 1)


def test_no_rows() -> None:
    table, read = population()
    empty = replace(table, label=np.full(table.n_rows, np.nan))
    outcome = run(empty, read, perturbation=MOVES, tolerance=0.15, **HARD)
    assert isinstance(outcome.result, NotApplicable)
    assert codes(outcome) == ["ROB-020", "ROB-006"]


def with_proxy(seed: int = 7, **settings: Any) -> Outcome:
    table, _ = population(shift=1.5)
    member = table.groups["s"] == "1"
    wrong = np.random.default_rng(seed).random(len(member)) < 0.1
    probability = np.where(member ^ wrong, 0.9, 0.1)
    known = replace(table, features={**table.features, "q": probability})
    return run(known, sensitive=None, proxy={"column": "q"}, **HARD, **settings)


def test_a_missing_attribute_is_bounded() -> None:
    truth = gap(run(population(shift=1.5)[0], tolerance=0.9, **HARD), "demographic_parity", None)
    actual = truth.base.estimate or 0
    outcome = with_proxy(tolerance=actual)
    (row,) = result_of(outcome).proxy
    assert (row.low or 1) < actual < (row.high or 0)
    assert row.verdict == "undetermined"
    assert finding(outcome, "ROB-002").severity == "warn"
    assert "exaggerate or hide" in finding(outcome, "ROB-019").limits
    assert "ROB-019" not in codes(fair())
    assert finding(with_proxy(tolerance=0.01), "ROB-003").severity == "fail"
    assert result_of(outcome).sensitive == "q"


def test_every_code_is_described_once() -> None:
    assert len({code.code for code in CODES}) == len(CODES) == 22
