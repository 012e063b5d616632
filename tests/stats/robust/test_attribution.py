"""What a worst move is made of: laws of Shapley values, witnesses, counts of flips."""

from __future__ import annotations

import numpy as np
import pytest

from reportgen.stats.robust.attribution import (
    flips,
    linear_shares,
    mean_moves,
    near_boundary,
    shapley_shares,
    worst_records,
)
from reportgen.stats.robust.critical import flip_radii
from reportgen.stats.robust.gaps import MEASURES, worst_gap
from reportgen.stats.robust.intervals import exact_intervals, static_intervals
from reportgen.stats.robust.linear import linear_intervals
from reportgen.stats.robust.metrics import Decisions
from reportgen.stats.robust.moves import move_set
from tests.stats.robust.conftest import Article


def test_shapley_of_an_additive_game_is_each_part() -> None:
    rng = np.random.default_rng(0)
    for d in (4, 14):  # exact, and by permutations
        parts = rng.normal(size=d)
        result = shapley_shares(
            lambda x, parts=parts: float(x[0] @ parts),  # type: ignore[misc]
            np.zeros((1, d)),
            np.ones((1, d)),
            rng=rng,
            permutations=5,
        )
        assert result.exact == (d == 4)
        assert result.value == pytest.approx(parts, abs=1e-12)
        assert result.total == pytest.approx(parts.sum())


def test_shapley_of_a_product_is_shared_alike() -> None:
    """v(S) = 1 if all three moved, and a dummy feature: 1/3 each and 0."""
    result = shapley_shares(
        lambda x: float(x[0, :3].prod()),
        np.zeros((1, 4)),
        np.ones((1, 4)),
        rng=np.random.default_rng(0),
    )
    assert result.value == pytest.approx([1 / 3, 1 / 3, 1 / 3, 0], abs=1e-12)
    assert result.completeness == pytest.approx(0, abs=1e-12)


def test_permutations_agree_with_the_exact_values() -> None:
    """Twelve features with pairs that interact; exact by hand: own part and half of each pair."""
    d = 12
    own = np.arange(1.0, d + 1)

    def game(x: np.ndarray) -> float:
        on = x[0]
        return float(own @ on + 6 * (on[0] * on[1]) + 4 * (on[2] * on[3]))

    expected = own.copy()
    expected[:4] += [3, 3, 2, 2]
    result = shapley_shares(game, np.zeros((1, d)), np.ones((1, d)), rng=np.random.default_rng(1))
    assert result.completeness == pytest.approx(0, abs=1e-9)
    assert np.all(np.abs(result.value - expected) <= 5 * result.error + 1e-9)


def test_units_move_together() -> None:
    result = shapley_shares(
        lambda x: float(x[0, 0] * x[0, 1] + x[0, 2]),
        np.zeros((1, 3)),
        np.ones((1, 3)),
        rng=np.random.default_rng(0),
        units=[[0, 1], [2]],
    )
    assert result.value == pytest.approx([1, 0, 1])


def test_shapley_of_the_article_is_near_its_linear_shares(article: Article) -> None:
    sample, moves = article.sample("soft"), move_set([0.05, 0.05], norm="l2")
    intervals = linear_intervals(article.values, article.model, moves)
    gap = worst_gap(MEASURES["demographic_parity"], sample, intervals)
    moved = worst_records(article.values, sample, gap, intervals)

    def gap_of(values: np.ndarray) -> float:
        score = article.model.score(values)
        return float(score[article.group == 1].mean() - score[article.group == 0].mean())

    result = shapley_shares(gap_of, article.values, moved, rng=np.random.default_rng(0))
    assert result.total == pytest.approx(gap.found - gap.base, abs=1e-12)
    assert result.completeness == pytest.approx(0, abs=1e-12)
    assert result.share == pytest.approx([0.7447, 0.2553], abs=2e-3)


@pytest.mark.parametrize("decisions", ["hard", "soft"])
@pytest.mark.parametrize(
    "name",
    [
        "demographic_parity",
        "demographic_parity_overall",
        "demographic_parity_ratio",
        "equalized_odds",
        "accuracy",
        "precision",
        "auc",
        "brier",
    ],
)
def test_the_witness_attains_the_gap(article: Article, name: str, decisions: Decisions) -> None:
    sample, moves = article.sample(decisions), move_set([0.2, 0.1], norm="l2", upper=[1.5, 2])
    intervals = linear_intervals(article.values, article.model, moves)
    measure = MEASURES[name]
    gap = worst_gap(measure, sample, intervals)
    moved = worst_records(article.values, sample, gap, intervals)
    assert not moves.violations(article.values, moved).any()
    score = article.model.score(moved)
    again = worst_gap(
        measure, type(sample)(**{**vars(sample), "score": score}), static_intervals(score)
    )
    assert again.base == pytest.approx(gap.found, abs=1e-12)


def test_without_witnesses_there_are_no_worst_records(article: Article) -> None:
    sample = article.sample("soft")
    bare = exact_intervals(sample.score, sample.score)
    gap = worst_gap(MEASURES["demographic_parity"], sample, bare)
    with pytest.raises(ValueError, match="no witnesses"):
        worst_records(article.values, sample, gap, bare)


def test_flips_of_the_article(article: Article) -> None:
    """eps 0.05, L-infinity: 4 of group 1 become selected and 10 of group 0 stop being it."""
    sample, moves = article.sample("hard"), move_set([0.05, 0.05], norm="linf")
    intervals = linear_intervals(article.values, article.model, moves)
    gap = worst_gap(MEASURES["demographic_parity"], sample, intervals)
    moved = worst_records(article.values, sample, gap, intervals)
    counts = flips(sample, article.model.score(moved))
    assert sum(one.rows for one in counts) == 600
    assert sum(one.selected for one in counts if one.group == 1) == 4
    assert sum(one.deselected for one in counts if one.group == 0) == 10
    assert sum(one.selected for one in counts if one.group == 0) == 0
    down, up = flip_radii(article.values, article.model, moves, threshold=0.5)
    assert near_boundary(down, up, radius=1.0) == 21


def test_shares_and_mean_moves_of_nothing(article: Article) -> None:
    still = np.zeros((600, 2))
    assert np.isnan(linear_shares(still, article.model.coefficients)).all()
    sample = article.sample("hard")
    assert mean_moves(article.values, article.values, sample).tolist() == [[0, 0], [0, 0]]
