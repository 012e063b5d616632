"""Searches by scores alone: witnesses, and how near they come to what is exact."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.ensemble import GradientBoostingClassifier

from reportgen.stats.robust.gaps import MEASURES, worst_gap
from reportgen.stats.robust.intervals import static_intervals
from reportgen.stats.robust.linear import LinearModel, linear_intervals
from reportgen.stats.robust.metrics import audit_sample
from reportgen.stats.robust.moves import Norm, move_set
from reportgen.stats.robust.rungs import linear_rungs
from reportgen.stats.robust.search import (
    common_shift_search,
    dual_start,
    group_shift_search,
    keep_best,
    shifted,
)
from tests.stats.robust.conftest import Article

PARITY = MEASURES["demographic_parity"]


@pytest.mark.parametrize("norm", ["l1", "l2", "linf"])
def test_dual_start_is_exact_for_a_linear_margin(norm: Norm) -> None:
    rng = np.random.default_rng(0)
    values = rng.normal(size=(40, 6))
    model = LinearModel(rng.normal(size=6), 0.1, "identity")
    moves = move_set(
        rng.uniform(0.2, 1, 6),
        norm=norm,
        upper=np.full(6, 1.5),
        directions=["both", "both", "both", "both", "up", "down"],
    )
    exact = linear_intervals(values, model, moves)
    for sign, end in ((1.0, exact.attained_high), (-1.0, exact.attained_low)):
        moved = dual_start(model.score, values, moves, sign=sign)
        assert not moves.violations(values, moved).any()
        assert model.score(moved) == pytest.approx(end, abs=1e-9)


def test_dual_start_takes_whole_steps() -> None:
    rng = np.random.default_rng(1)
    values = rng.integers(0, 9, (30, 3)).astype(float)
    moves = move_set([3, 2, 1], norm="l2", kinds=["integer", "ordinal", "integer"])
    model = LinearModel(np.array([1.0, -2.0, 0.5]), 0.0, "identity")
    moved = dual_start(model.score, values, moves, sign=1.0)
    assert not moves.violations(values, moved).any()
    assert np.all(model.score(moved) >= model.score(values))


def test_keep_best_never_falls_below_the_record() -> None:
    values = np.array([[0.0], [1.0], [2.0]])
    worse, better = values - 1, values + np.array([[1.0], [-1.0], [1.0]])
    best = keep_best(lambda x: x[:, 0], values, [worse, better], sign=1.0)
    assert best[:, 0].tolist() == [1, 1, 3]


@pytest.mark.parametrize("norm", ["l1", "l2", "linf"])
def test_shift_searches_come_near_the_exact_rungs(article: Article, norm: Norm) -> None:
    sample, moves = article.sample("soft"), move_set([0.05, 0.05], norm=norm)
    rungs = linear_rungs(article.values, article.model, moves, sample, PARITY)
    assert rungs is not None
    rng = np.random.default_rng(0)
    score = article.model.score
    common = common_shift_search(score, article.values, moves, sample, PARITY, rng=rng)
    group = group_shift_search(score, article.values, moves, sample, PARITY, rng=rng)
    for found, exact in ((common.gap, rungs.common), (group.gap, rungs.group)):
        assert found.base == pytest.approx(exact.base)
        assert found.found <= exact.found + 1e-12
        assert found.found - found.base >= 0.97 * (exact.found - exact.base)
        assert np.isinf(found.certified)
    again = score(shifted(article.values, common.shift, moves))
    gap = again[article.group == 1].mean() - again[article.group == 0].mean()
    assert abs(gap) == pytest.approx(common.gap.found, abs=1e-12)
    assert moves.cost(common.shift[None, :])[0] <= 1 + 1e-9
    assert moves.cost(group.shift.reshape(-1, 2)).max() <= 1 + 1e-9


def test_searches_of_trees_are_ordered_and_witnessed(article: Article) -> None:
    """D87: a step function, where gradients say nothing."""
    trees = GradientBoostingClassifier(n_estimators=30, random_state=0)
    trees.fit(article.values, article.positive)

    def score(values: np.ndarray) -> np.ndarray:
        return np.asarray(trees.predict_proba(values)[:, 1])

    sample = audit_sample(score(article.values), article.group, article.positive)
    moves = move_set([0.2, 0.2], norm="linf", lower=[-3, -3])
    for name in ("demographic_parity", "equalized_odds", "accuracy", "demographic_parity_ratio"):
        measure = MEASURES[name]
        rng = np.random.default_rng(0)
        common = common_shift_search(score, article.values, moves, sample, measure, rng=rng)
        group = group_shift_search(score, article.values, moves, sample, measure, rng=rng)
        base = worst_gap(measure, sample, static_intervals(sample.score)).base
        for gap in (common.gap, group.gap):
            assert measure.worse(base, gap.found) == gap.found  # D83
        moved = score(shifted(article.values, common.shift, moves))
        again = audit_sample(moved, article.group, article.positive)
        assert worst_gap(measure, again, static_intervals(moved)).base == common.gap.found


def test_a_mean_of_gaps_is_not_searched_by_group(article: Article) -> None:
    sample, moves = article.sample("soft"), move_set([0.05, 0.05], norm="l2")
    with pytest.raises(ValueError, match="mean of gaps"):
        group_shift_search(
            article.model.score,
            article.values,
            moves,
            sample,
            MEASURES["equalized_odds_mean"],
            rng=np.random.default_rng(0),
        )
