"""Critical radii and the three rungs: catalogue D82 and D88, dense grids, laws."""

from __future__ import annotations

import numpy as np
import pytest

from reportgen.stats.robust.critical import (
    CriticalRadius,
    bracketed_critical,
    flip_radii,
    linear_critical,
)
from reportgen.stats.robust.gaps import MEASURES, WorstGap, worst_gap
from reportgen.stats.robust.intervals import static_intervals
from reportgen.stats.robust.joint import joint_critical, normalised
from reportgen.stats.robust.linear import LinearModel, linear_intervals
from reportgen.stats.robust.metrics import Decisions, audit_sample
from reportgen.stats.robust.moves import Norm, move_set
from reportgen.stats.robust.rungs import free_reach, linear_rungs
from tests.stats.robust.conftest import Article

PARITY = MEASURES["demographic_parity"]
D82 = LinearModel(np.array([2.0]), -0.5)
D82_VALUES = np.array([[0, 0.5, 0.1, 0.9, 0.2, 0.9, 0.6, 1.1]]).T
D82_GROUP = np.repeat([0, 1], 4)


def test_d82() -> None:
    sample = audit_sample(D82.score(D82_VALUES), D82_GROUP, decisions="soft")
    moves = move_set([0.1], norm="linf")
    rungs = linear_rungs(D82_VALUES, D82, moves, sample, PARITY)
    assert rungs is not None
    assert rungs.record.base == pytest.approx(0.140796, abs=5e-7)
    assert rungs.record.found == pytest.approx(0.222335, abs=5e-7)
    assert rungs.common.found == pytest.approx(0.145449, abs=5e-7)
    radius = linear_critical(D82_VALUES, D82, moves, sample, PARITY, tolerance=0.25)
    assert radius.unsafe * 0.1 == pytest.approx(0.134674, abs=5e-7)


@pytest.mark.parametrize("decisions", ["hard", "soft"])
def test_d88_a_gap_at_the_tolerance_passes(decisions: Decisions) -> None:
    sample = audit_sample([0.9, 0.4, 0.9, 0.9], [0, 0, 1, 1], decisions=decisions)
    base = worst_gap(PARITY, sample, static_intervals(sample.score)).base
    assert not PARITY.exceeds(base, base)
    assert not PARITY.exceeds(0.4 - 0.3, 0.1)  # 0.10000000000000003
    assert PARITY.exceeds(0.1 + 1e-9, 0.1)


def test_d88_no_eps_is_the_static_gap(article: Article) -> None:
    sample = article.sample("hard")
    still = linear_intervals(article.values, article.model, move_set([0, 0], norm="l2"))
    gap = worst_gap(PARITY, sample, still)
    assert gap.base == gap.found == gap.certified


def test_at_the_tolerance_the_radius_is_zero_without_static_fail(article: Article) -> None:
    sample = article.sample("soft")
    base = worst_gap(PARITY, sample, static_intervals(sample.score)).base
    moves = move_set([0.05, 0.05], norm="l2")
    radius = linear_critical(article.values, article.model, moves, sample, PARITY, tolerance=base)
    assert radius.unsafe == pytest.approx(0, abs=1e-9)


def test_a_tolerance_that_is_never_passed(article: Article) -> None:
    both: tuple[Decisions, ...] = ("soft", "hard")
    for decisions in both:
        sample = article.sample(decisions)
        moves = move_set([0.05, 0.05], norm="l2", lower=[-4, -4], upper=[5, 4])
        radius = linear_critical(
            article.values, article.model, moves, sample, PARITY, tolerance=1.0
        )
        assert radius == CriticalRadius(np.inf, np.inf, True)


def test_worst_gaps_at_both_sides_of_the_radius(article: Article) -> None:
    """With bounds and directions, three measures: inside the radius it keeps, beyond it passes."""
    moves = move_set(
        [0.3, 0.1], norm="l2", lower=[-2, -9], upper=[1.5, 9], directions=["both", "up"]
    )
    both: tuple[Decisions, ...] = ("soft", "hard")
    for decisions in both:
        sample = article.sample(decisions)
        for name, margin in (("equalized_odds", 0.06), ("accuracy", 0.03), ("precision", 0.03)):
            measure = MEASURES[name]
            start = worst_gap(measure, sample, static_intervals(sample.score)).base
            radius = linear_critical(
                article.values, article.model, moves, sample, measure, tolerance=start + margin
            )
            assert 0 < radius.unsafe < np.inf
            for factor, passes in ((1 - 1e-9, False), (1 + 1e-9, True)):
                at = linear_intervals(
                    article.values, article.model, moves.scaled(radius.unsafe * factor)
                )
                found = worst_gap(measure, sample, at).found
                assert (found >= start + margin - 1e-12) is passes or not passes
                assert (
                    measure.exceeds(found + (1e-8 if passes else -1e-8), start + margin) is passes
                )


def test_flip_radii_are_where_decisions_change(article: Article) -> None:
    moves = move_set([0.3, 0.2], norm="l2", lower=[-2, -1], upper=[1.5, 2])
    down, up = flip_radii(article.values, article.model, moves, threshold=0.5)
    selected = article.model.score(article.values) >= 0.5
    assert np.isinf(up[selected]).all()
    assert np.isinf(down[~selected]).all()
    for factor, flips in ((1 - 1e-9, False), (1 + 1e-9, True)):
        for radius, end, side in ((down, "attained_low", -1), (up, "attained_high", 1)):
            for i in np.flatnonzero(np.isfinite(radius))[::25]:
                one = linear_intervals(
                    article.values[i : i + 1], article.model, moves.scaled(radius[i] * factor)
                )
                selected_now = bool(getattr(one, end)[0] >= 0.5)
                assert (selected_now == (side > 0)) is flips


def test_steps_are_bracketed() -> None:
    """One whole-number feature: the gap jumps where two steps fit."""
    model = LinearModel(np.array([1.0]), 0.0)
    values = np.array([[-2.0], [3.0], [-3.0], [-4.0]])
    sample = audit_sample(model.score(values), [0, 0, 1, 1])
    moves = move_set([1], norm="l2", kinds=["integer"])
    radius = linear_critical(values, model, moves, sample, PARITY, tolerance=0.6)
    assert radius.safe < 2 <= radius.unsafe
    assert radius.unsafe - radius.safe < 1e-6


@pytest.mark.parametrize(
    "name", ["demographic_parity", "equalized_odds", "accuracy", "f1", "auc", "brier"]
)
@pytest.mark.parametrize("decisions", ["hard", "soft"])
def test_rungs_are_ordered_and_common_equals_a_dense_grid(
    article: Article, name: str, decisions: Decisions
) -> None:
    sample, measure = article.sample(decisions), MEASURES[name]
    moves = move_set([0.2, 0.1], norm="l2")
    rungs = linear_rungs(article.values, article.model, moves, sample, measure)
    assert rungs is not None
    assert rungs.common.found <= rungs.group.found + 1e-12
    assert rungs.group.found <= rungs.record.found + 1e-12
    reach = free_reach(article.values, article.model, moves)
    assert reach is not None
    seen = []
    for t in np.linspace(*reach, 201):
        score = article.model.linked(article.model.margin(article.values) + t)
        moved = audit_sample(score, sample.group, sample.positive, decisions=decisions)
        seen.append(worst_gap(measure, moved, static_intervals(score)).base)
    assert max(seen) <= rungs.common.certified + 1e-9
    assert rungs.common.found >= max(seen) - (
        0 if decisions == "hard" and name != "brier" else 1e-5
    )
    assert rungs.common.found <= rungs.common.certified + 1e-12


def test_bounds_in_the_way_leave_the_lower_rungs_to_search(article: Article) -> None:
    moves = move_set([0.2, 0.1], norm="l2", upper=[2, 9])
    sample = article.sample("soft")
    assert linear_rungs(article.values, article.model, moves, sample, PARITY) is None


def test_critical_radius_never_falls_with_the_tolerance(article: Article) -> None:
    norms: tuple[Norm, ...] = ("l1", "linf")
    for norm in norms:
        radii = [
            linear_critical(
                article.values,
                article.model,
                move_set([0.1, 0.02], norm=norm),
                article.sample("hard"),
                PARITY,
                tolerance=t,
            ).unsafe
            for t in np.linspace(0.3, 0.9, 25)
        ]
        assert np.all(np.diff(radii) >= 0)


def test_bracket_of_a_model_with_two_sides() -> None:
    """Found 0.1 + r / 10, certified 0.1 + r / 5, tolerance 0.3: safe below 1, unsafe above 2."""
    radius = bracketed_critical(
        lambda r: WorstGap(0.1, 0.1 + r / 10, 0.1 + r / 5), PARITY, tolerance=0.3
    )
    assert radius.safe == pytest.approx(1, abs=1e-6)
    assert radius.safe <= 1
    assert radius.unsafe == pytest.approx(2, abs=1e-6)
    assert radius.unsafe >= 2


def test_joint_radius_is_the_smallest_and_named() -> None:
    radii = {
        "demographic_parity": CriticalRadius(0.5, 0.5, True),
        "equalized_odds": CriticalRadius(0.2, 0.3, False),
        "auc": CriticalRadius(np.nan, np.nan, False, "no positives"),
    }
    joint = joint_critical(radii)
    assert (joint.safe, joint.unsafe, joint.binding, joint.exact) == (
        0.2,
        0.3,
        "equalized_odds",
        False,
    )
    assert joint_critical({"auc": radii["auc"]}).reason
    assert normalised(PARITY, 0.15, 0.1) == pytest.approx(1.5)
    assert normalised(MEASURES["demographic_parity_ratio"], 0.7, 0.8) == pytest.approx(1.5)


def test_linear_scores_without_link_may_leave_the_unit_interval() -> None:
    model = LinearModel(np.array([1.0]), 0.0, "identity")
    values = np.array([[0.5], [0.7], [0.2], [0.4]])
    sample = audit_sample(
        model.score(values), [0, 0, 1, 1], [True, False, True, False], decisions="soft"
    )
    moves = move_set([0.1], norm="l2")
    # The gap is 0.3 + 2 r 0.1.
    radius = linear_critical(values, model, moves, sample, PARITY, tolerance=2.3)
    assert radius.unsafe == pytest.approx(10, rel=1e-9)
    accuracy = linear_critical(values, model, moves, sample, MEASURES["accuracy"], tolerance=0.5)
    assert "leave" in accuracy.reason


def test_radii_of_steps_are_refused() -> None:
    moves = move_set([1], norm="l2", kinds=["integer"])
    with pytest.raises(ValueError, match="steps or swaps"):
        flip_radii(np.array([[1.0]]), LinearModel(np.array([1.0]), 0.0), moves, threshold=0.5)
