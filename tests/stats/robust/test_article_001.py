"""Article 001: its data, its own search, and what is true of both (tests/reference/article_001).

The figures were derived independently of this code: closed forms worked by hand and PGD, recorded
before it was written. Those of fairlearn 0.15.0 were computed once on the same rows.
"""

from __future__ import annotations

import numpy as np
import pytest

from reportgen.stats.robust.attribution import (
    linear_critical_alone,
    linear_shares,
    mean_moves,
    worst_records,
)
from reportgen.stats.robust.critical import bracketed_critical, linear_critical
from reportgen.stats.robust.gaps import MEASURES, signed_range, worst_gap
from reportgen.stats.robust.intervals import static_intervals
from reportgen.stats.robust.linear import linear_intervals, margin_reach
from reportgen.stats.robust.metrics import Decisions, group_ranges
from reportgen.stats.robust.moves import Norm, move_set
from reportgen.stats.robust.rungs import linear_rungs
from reportgen.stats.robust.search import keep_best
from reportgen.stats.robust.verdicts import verdict
from tests.stats.robust.conftest import Article

NORMS: tuple[Norm, ...] = ("l1", "l2", "linf")
EPS = [0.05, 0.05]


def close(value: float) -> object:
    return pytest.approx(value, abs=1e-9)


def test_data_are_those_of_the_article(article: Article) -> None:
    group, positive = article.group, article.positive
    assert [int(np.sum((group == g) & (positive == y))) for g in (1, 0) for y in (1, 0)] == [
        236,
        72,
        124,
        168,
    ]
    w = article.model.coefficients
    assert np.abs(w).sum() == close(1.486190764720528)
    assert np.sqrt(w @ w) == close(1.0862076376235748)


@pytest.mark.parametrize(
    ("measure", "decisions", "value"),
    [
        ("demographic_parity", "soft", 0.22292958898771942),
        ("demographic_parity", "hard", 0.32111723892545807),  # fairlearn
        ("demographic_parity_overall", "hard", 0.16484018264840183),  # fairlearn
        ("equalized_odds", "hard", 0.31746031746031744),  # fairlearn
        ("equalized_odds_mean", "hard", 0.23390785145842558),  # fairlearn, agg="mean"
    ],
)
def test_base_figures(article: Article, measure: str, decisions: Decisions, value: float) -> None:
    sample = article.sample(decisions)
    gap = worst_gap(MEASURES[measure], sample, static_intervals(sample.score))
    assert gap.base == gap.found == gap.certified == close(value)


def test_base_ratio(article: Article) -> None:
    sample = article.sample("hard")
    gap = worst_gap(MEASURES["demographic_parity_ratio"], sample, static_intervals(sample.score))
    assert gap.base == pytest.approx(0.639036, abs=5e-7)  # fairlearn


@pytest.mark.parametrize(
    ("norm", "low", "high", "common"),
    [
        ("l1", 0.206375430, 0.239379282, 0.224752),
        ("l2", 0.203737274, 0.241981628, 0.225032),
        ("linf", 0.196636845, 0.248959761, 0.225769),
    ],
)
def test_soft_demographic_parity(
    article: Article, norm: Norm, low: float, high: float, common: float
) -> None:
    sample, moves = article.sample("soft"), move_set(EPS, norm=norm)
    intervals = linear_intervals(article.values, article.model, moves)
    gap = worst_gap(MEASURES["demographic_parity"], sample, intervals)
    assert gap.exact
    assert gap.found == close(high)
    assert gap.least == close(low)
    assert signed_range(group_ranges("selection_rate", sample, intervals), 1, 0) == (
        close(low),
        close(high),
    )
    rungs = linear_rungs(
        article.values, article.model, moves, sample, MEASURES["demographic_parity"]
    )
    assert rungs is not None
    assert rungs.common.found == pytest.approx(common, abs=5e-7)
    assert 0 <= rungs.common.certified - rungs.common.found <= 1e-9
    assert rungs.group.found == rungs.record.found == close(high)


@pytest.mark.parametrize(
    ("norm", "low", "high", "common"),
    [
        ("l1", 0.3009251, 0.3515833481586907, 0.345090),
        ("l2", 0.2975004, 0.361679416473937, 0.345446),
        ("linf", 0.2975004, 0.36835082725493684, 0.348870),
    ],
)
def test_hard_demographic_parity(
    article: Article, norm: Norm, low: float, high: float, common: float
) -> None:
    sample, moves = article.sample("hard"), move_set(EPS, norm=norm)
    rungs = linear_rungs(
        article.values, article.model, moves, sample, MEASURES["demographic_parity"]
    )
    assert rungs is not None
    assert rungs.record.found == rungs.record.certified == close(high)
    assert rungs.record.least == pytest.approx(low, abs=5e-8)
    assert rungs.common.found == rungs.common.certified == pytest.approx(common, abs=5e-7)


ODDS = [
    ("soft", "l1", 0.196972, 0.162816, 0.179894, 0.178394, 0.149453),
    ("soft", "l2", 0.199918, 0.165307, 0.182613, 0.178394, 0.149822),
    ("soft", "linf", 0.207819, 0.171992, 0.189906, 0.178394, 0.150805),
    ("hard", "l1", 0.347222, 0.174959, 0.261091, 0.347222, 0.166484),
    ("hard", "l2", 0.367063, 0.183024, 0.275044, 0.347222, 0.170312),
    ("hard", "linf", 0.380952, 0.191088, 0.286020, 0.347222, 0.178376),
]


@pytest.mark.parametrize(("decisions", "norm", "fpr", "tpr", "mean", "common", "common_tpr"), ODDS)
def test_equalized_odds(
    article: Article,
    decisions: Decisions,
    norm: Norm,
    fpr: float,
    tpr: float,
    mean: float,
    common: float,
    common_tpr: float,
) -> None:
    sample, moves = article.sample(decisions), move_set(EPS, norm=norm)
    intervals = linear_intervals(article.values, article.model, moves)

    def near(value: float) -> object:
        return pytest.approx(value, abs=6e-7)

    odds = worst_gap(MEASURES["equalized_odds"], sample, intervals)
    assert odds.found == near(fpr)
    assert odds.metric == "false_positive_rate"
    assert [part.found for part in odds.parts] == [near(tpr), near(fpr)]
    assert worst_gap(MEASURES["equalized_odds_mean"], sample, intervals).found == near(mean)
    for measure, value in (("false_positive_rate", common), ("equal_opportunity", common_tpr)):
        rungs = linear_rungs(article.values, article.model, moves, sample, MEASURES[measure])
        assert rungs is not None
        assert rungs.common.found == near(value)


CRITICAL = [
    ("soft", 0.20, (0, 0, 0)),
    ("soft", 0.23, (0.021450842, 0.018511039, 0.013529106)),
    ("soft", 0.25, (0.082463, 0.071161, 0.052009)),
    ("soft", 0.50, (0.911757, 0.786802, 0.575048)),
    ("soft", 0.90, (3.251128, 2.805566, 2.050496)),
    ("hard", 0.25, (0, 0, 0)),
    ("hard", 0.35, (0.044571182, 0.038462773, 0.028111167)),
    ("hard", 0.40, (0.167042, 0.144149, 0.105354)),
    ("hard", 0.60, (0.553723, 0.477836, 0.349234)),
]


@pytest.mark.parametrize(("decisions", "tolerance", "expected"), CRITICAL)
def test_critical_radius(
    article: Article, decisions: Decisions, tolerance: float, expected: tuple[float, ...]
) -> None:
    sample, measure = article.sample(decisions), MEASURES["demographic_parity"]
    found = []
    for norm in NORMS:
        moves = move_set(EPS, norm=norm)
        radius = linear_critical(
            article.values, article.model, moves, sample, measure, tolerance=tolerance
        )
        assert radius.exact
        assert radius.safe == radius.unsafe
        found.append(radius.unsafe * 0.05)
    digits = 1e-9 if tolerance in (0.23, 0.35) else 6e-7
    assert found == pytest.approx(expected, abs=digits)
    # One curve in the movement of the margin: radius times dual norm is the same under every norm.
    duals = [
        float(margin_reach(article.values[:1], article.model.coefficients, m).attained[0])
        for m in (move_set([1, 1], norm=norm) for norm in NORMS)
    ]
    assert np.ptp(np.array(found) * duals) == pytest.approx(0, abs=1e-12)


def article_search(article: Article) -> list[np.ndarray]:
    """Return the 50 moved tables the article's program draws, seed 0."""
    rng = np.random.default_rng(0)
    moved = []
    for _ in range(50):
        direction = rng.normal(size=article.values.shape)
        direction /= np.linalg.norm(direction, axis=1, keepdims=True) + 1e-9
        moved.append(article.values + 0.05 * direction)
    return moved


def test_false_pass_of_random_search(article: Article) -> None:
    """At a tolerance of 0.23 the article's search passes a model that is fragile at 0.0185."""
    sample, measure = article.sample("soft"), MEASURES["demographic_parity"]
    tables = article_search(article)
    gaps = []
    for table in tables:
        score = article.model.score(table)
        gaps.append(abs(score[article.group == 1].mean() - score[article.group == 0].mean()))
    assert max(gaps) == pytest.approx(0.2244, abs=5e-5)
    assert not measure.exceeds(max(gaps), 0.23)

    moves = move_set(EPS, norm="l2")
    gap = worst_gap(measure, sample, linear_intervals(article.values, article.model, moves))
    assert gap.found == pytest.approx(0.2420, abs=5e-5)
    assert verdict(measure, gap, tolerance=0.23, limit=np.nan, assessable=True) == "fragile"
    radius = linear_critical(article.values, article.model, moves, sample, measure, tolerance=0.23)
    assert radius.unsafe * 0.05 == pytest.approx(0.0185, abs=5e-5)

    # The same draws, the best kept for each record instead of for the table.
    high = keep_best(article.model.score, article.values, tables, sign=1.0)
    low = keep_best(article.model.score, article.values, tables, sign=-1.0)
    kept = (
        article.model.score(high)[article.group == 1].mean()
        - article.model.score(low)[article.group == 0].mean()
    )
    assert kept == pytest.approx(0.24192, abs=5e-6)


def test_bisection_brackets_the_exact_radius(article: Article) -> None:
    sample, measure = article.sample("hard"), MEASURES["demographic_parity"]
    moves = move_set(EPS, norm="linf")
    radius = bracketed_critical(
        lambda r: worst_gap(
            measure, sample, linear_intervals(article.values, article.model, moves.scaled(r))
        ),
        measure,
        tolerance=0.35,
    )
    assert radius.safe * 0.05 < 0.028111167487643803 <= radius.unsafe * 0.05
    assert (radius.unsafe - radius.safe) * 0.05 < 1e-8


@pytest.mark.parametrize(
    ("norm", "shares"),
    [("linf", (0.6307, 0.3693)), ("l2", (0.7447, 0.2553)), ("l1", (1.0, 0.0))],
)
def test_shares_of_features(article: Article, norm: Norm, shares: tuple[float, float]) -> None:
    sample, moves = article.sample("soft"), move_set(EPS, norm=norm)
    intervals = linear_intervals(article.values, article.model, moves)
    gap = worst_gap(MEASURES["demographic_parity"], sample, intervals)
    moved = worst_records(article.values, sample, gap, intervals)
    found = linear_shares(moved - article.values, article.model.coefficients)
    assert found == pytest.approx(shares, abs=5e-5)
    score = article.model.score(moved)
    means = [score[article.group == g].mean() for g in (0, 1)]
    assert means[1] - means[0] == pytest.approx(gap.found, abs=1e-12)
    # Group 1 up, group 0 down, by the same move: group-specific drift.
    by_group = mean_moves(article.values, moved, sample)
    assert by_group[1] == pytest.approx(-by_group[0], abs=1e-12)
    assert by_group[1, 0] > 0


@pytest.mark.parametrize(
    ("decisions", "tolerance", "alone"),
    [("soft", 0.25, (0.0825, 0.1408)), ("hard", 0.35, (0.0446, 0.0761))],
)
def test_critical_moves_of_one_feature(
    article: Article, decisions: Decisions, tolerance: float, alone: tuple[float, float]
) -> None:
    sample, measure = article.sample(decisions), MEASURES["demographic_parity"]
    moves = move_set(EPS, norm="l2")
    model = article.model
    radius = linear_critical(article.values, model, moves, sample, measure, tolerance=tolerance)
    reach = float(margin_reach(article.values[:1], model.coefficients, moves).attained[0])
    found = linear_critical_alone(radius.unsafe, reach, model.coefficients, moves.eps)
    assert found == pytest.approx(alone, abs=5e-5)
    for j in (0, 1):  # the same by holding the other feature still
        single = linear_critical(
            article.values, model, moves.only([j]), sample, measure, tolerance=tolerance
        )
        assert single.unsafe * 0.05 == pytest.approx(found[j], rel=1e-9)
