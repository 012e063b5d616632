"""Unknown membership: bounds by hand and by linear programs, and what they cover."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import linprog
from sklearn.linear_model import LogisticRegression

from reportgen.stats.robust.proxy import NO_MASS, proxy_cells, proxy_gap
from tests.stats.robust.conftest import Article


def test_one_cell_by_hand() -> None:
    """Half are selected, half are members, nothing else is known: from all to none of them."""
    gap = proxy_gap(np.array([1.0, 1, 0, 0]), np.full(4, 0.5), np.zeros(4, dtype=np.intp))
    assert [gap.low, gap.high, gap.weighted] == pytest.approx([-1, 1, 0], abs=1e-12)
    assert gap.least == 0
    assert np.isnan(gap.thresholded)


def test_two_cells_by_hand() -> None:
    """Cells (m, q) = (3/4, 1/2) and (1/4, 1/4) of four records each; members 3/8 of all.

    T lies between (max(0, 1/4) + max(0, -1/2)) / 2 = 1/8 and (1/2 + 1/4) / 2 = 3/8; the mean is
    1/2: gaps (1/8) / (3/8) - (3/8) / (5/8) = -4/15 and 1 - (1/8) / (5/8) = 4/5.
    """
    value = np.array([1.0, 1, 1, 0, 1, 0, 0, 0])
    probability = np.array([0.5] * 4 + [0.25] * 4)
    gap = proxy_gap(value, probability, proxy_cells(probability))
    assert [gap.low, gap.high] == pytest.approx([-4 / 15, 4 / 5], abs=1e-12)
    # T = (3/4 1/2 + 1/4 1/4) / 2 = 7/32
    assert gap.weighted == pytest.approx(7 / 12 - 9 / 20, abs=1e-12)
    assert [gap.worst, gap.least, gap.cells] == pytest.approx([0.8, 0.0, 2])


def test_known_membership_has_one_answer() -> None:
    rng = np.random.default_rng(0)
    value, member = rng.random(50), rng.integers(0, 2, 50).astype(float)
    gap = proxy_gap(value, member, proxy_cells(member))
    truth = value[member == 1].mean() - value[member == 0].mean()
    found = [gap.low, gap.high, gap.weighted, gap.thresholded]
    assert found == pytest.approx([truth] * 4, abs=1e-12)


def test_bounds_equal_a_linear_program() -> None:
    rng = np.random.default_rng(1)
    for trial in range(20):
        n = 24
        value = rng.random(n) if trial % 2 else rng.integers(0, 2, n).astype(float)
        cell = rng.integers(0, 3, n)
        cell[:3] = [0, 1, 2]
        probability = rng.uniform(0.1, 0.9, 3)[cell]
        gap = proxy_gap(value, probability, cell)
        rows = (cell == np.arange(3)[:, None]).astype(float)
        mass = rows @ probability
        share = probability.mean()
        for sign, bound in ((1, gap.low), (-1, gap.high)):
            answer = linprog(sign * value, A_eq=rows, b_eq=mass, bounds=[(0, 1)] * n)
            part = sign * float(answer.fun or 0) / n
            expected = part / share - (value.mean() - part) / (1 - share)
            assert bound == pytest.approx(expected, abs=1e-9)
        assert gap.low - 1e-12 <= gap.weighted <= gap.high + 1e-12


def test_article_bounds_cover_where_point_estimates_miss(article: Article) -> None:
    """Membership guessed from the model's own features, the worst proxy: cutting exaggerates."""
    fitted = LogisticRegression().fit(article.values, article.group)
    probability = fitted.predict_proba(article.values)[:, 1]
    score = article.model.score(article.values)
    hard = (score >= 0.5).astype(np.float64)
    for value, truth in ((score, 0.22292958898771942), (hard, 0.32111723892545807)):
        gap = proxy_gap(value, probability, proxy_cells(probability))
        assert gap.low < truth < gap.high
        assert gap.low < gap.weighted < gap.high
        assert gap.thresholded > 1.4 * truth


def test_finer_cells_are_never_wider(article: Article) -> None:
    rng = np.random.default_rng(2)
    probability = rng.random(len(article.group))
    hard = (article.model.score(article.values) >= 0.5).astype(float)
    fine = np.floor(probability * 8).astype(np.intp)
    narrow, wide = (proxy_gap(hard, probability, cell) for cell in (fine, fine // 2))
    assert wide.low <= narrow.low + 1e-12
    assert narrow.high <= wide.high + 1e-12


def test_cells_hold_many_records() -> None:
    rng = np.random.default_rng(3)
    assert len(np.unique(proxy_cells(rng.random(500)))) == 10
    assert proxy_cells(np.array([0.2, 0.7, 0.2])).tolist() == [0, 1, 0]


@pytest.mark.parametrize("probability", [[0.0, 0.0], [1.0, 1.0]])
def test_an_empty_group_has_no_gap(probability: list[float]) -> None:
    gap = proxy_gap(np.array([0.0, 1.0]), np.array(probability), np.zeros(2, dtype=np.intp))
    assert gap.reason == NO_MASS


@pytest.mark.parametrize("probability", [[0.5, 1.2], [0.5, np.nan]])
def test_impossible_probabilities_are_refused(probability: list[float]) -> None:
    with pytest.raises(ValueError, match="probability"):
        proxy_gap(np.array([0.0, 1.0]), np.array(probability), np.zeros(2, dtype=np.intp))
