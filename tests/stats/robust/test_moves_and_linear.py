"""The allowed moves, and exact reaches of linear scores against general optimisers."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from scipy.optimize import Bounds, NonlinearConstraint, linprog, minimize
from sklearn.linear_model import LogisticRegression
from sklearn.preprocessing import StandardScaler

from reportgen.stats.robust.filling import MOST_PLANS
from reportgen.stats.robust.intervals import FloatArray, ScoreIntervals
from reportgen.stats.robust.linear import (
    LinearModel,
    linear_intervals,
    margin_reach,
    without_scaling,
)
from reportgen.stats.robust.moves import MoveSet, Norm, check_features, move_set
from tests.stats.robust.conftest import Article

NORMS: tuple[Norm, ...] = ("l1", "l2", "linf")


@pytest.mark.parametrize(
    ("eps", "options", "message"),
    [
        ([-0.1], {}, "not negative"),  # D88
        ([np.nan], {}, "finite"),
        ([1.0], {"norm": "l3"}, "l3"),
        ([1.0], {"directions": ["sideways"]}, "sideways"),
        ([1.0], {"lower": [2.0], "upper": [1.0]}, "lower bound"),
        ([1.0, 1.0], {"kinds": ["continuous"]}, "2 eps"),
        ([1.0, 2.0], {"categories": [[0, 1]]}, "one eps"),
        ([1.0, 1.0], {"kinds": ["category", "continuous"]}, "together"),
    ],
)
def test_moves_that_make_no_sense_are_refused(
    eps: list[float], options: dict[str, object], message: str
) -> None:
    with pytest.raises(ValueError, match=message):
        move_set(eps, **{"norm": "l2", **options})  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("values", "kinds", "message"),
    [
        ([[np.nan, 0.0]], ["continuous", "continuous"], r"\[0\] have missing"),  # D84
        ([[0.5, 0.0]], ["integer", "continuous"], "fractions"),
        ([[2.0, 0.0]], ["binary", "continuous"], "other values than 0 and 1"),
    ],
)
def test_features_that_do_not_fit(
    values: list[list[float]], kinds: list[str], message: str
) -> None:
    moves = move_set([1, 1], norm="l2", kinds=kinds)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match=message):
        check_features(np.array(values), moves)


def test_one_hot_columns_are_checked() -> None:
    moves = move_set([1, 1], norm="l1", categories=[[0, 1]])
    check_features(np.array([[0.0, 1.0]]), moves)
    with pytest.raises(ValueError, match="one-hot"):
        check_features(np.array([[1.0, 1.0]]), moves)


def test_box_and_violations() -> None:
    moves = move_set(
        [0.5, 2.5, 1, 0, 1, 1],
        norm="linf",
        lower=[0, -np.inf, 0, -np.inf, 0, 0],
        upper=[1, 10, 1, np.inf, 1, 1],
        directions=["up", "both", "both", "both", "both", "both"],
        kinds=["continuous", "integer", "binary", "continuous", "category", "category"],
        categories=[[4, 5]],
    )
    values = np.array([[0.8, 9, 1, 5, 0, 1], [1.4, 3, 0, 5, 1, 0]])
    low, high = moves.box(values)
    assert low.tolist() == [[0.8, 7, 0, 5, 0, 0], [1.4, 1, 0, 5, 0, 0]]
    # 1.4 lies above its bound already: it may stay, and rise no further.
    assert high.tolist() == [[1.0, 10, 1, 5, 1, 1], [1.4, 5, 1, 5, 1, 1]]

    def broken(**changes: float) -> bool:
        moved = values[:1].copy()
        for name, value in changes.items():
            moved[0, int(name[1])] = value
        return bool(moves.violations(values[:1], moved)[0])

    assert not broken(x0=1.0, x1=10, x2=0, x4=1, x5=0)
    assert broken(x0=0.7)  # only up
    assert broken(x0=1.1)  # beyond the bound
    assert broken(x1=8.5)  # no whole step
    assert broken(x1=6)  # three steps with eps 2.5
    assert broken(x3=5.1)  # immutable
    assert broken(x4=1)  # two categories at once


@pytest.mark.parametrize(
    ("norm", "cost"), [("l1", 1.25), ("l2", np.sqrt(0.5625 + 0.25)), ("linf", 0.75)]
)
def test_cost_is_the_norm_in_units_of_eps(norm: Norm, cost: float) -> None:
    moves = move_set([2, 0.1, 0], norm=norm)
    found = moves.cost(np.array([[1.5, -0.05, 0], [0, 0, 1]]))
    assert found[0] == pytest.approx(cost, rel=1e-12)
    assert np.isinf(found[1])


def bounded(rng: np.random.Generator, norm: Norm, d: int = 5) -> tuple[np.ndarray, MoveSet]:
    values = rng.normal(size=(3, d))
    moves = move_set(
        rng.uniform(0.1, 2, d),
        norm=norm,
        lower=values.min(axis=0) - rng.uniform(0, 1, d),
        upper=values.max(axis=0) + rng.uniform(0, 1, d),
    )
    return values, moves


def slsqp(x: np.ndarray, w: np.ndarray, moves: MoveSet) -> float:
    """Maximise w q over the ellipsoid and the bounds with a general optimiser."""

    def negative(q: FloatArray) -> float:
        return -float(w @ q)

    ball = NonlinearConstraint(lambda q: ((q / moves.eps) ** 2).sum(), -np.inf, 1)
    answer = minimize(
        negative,
        np.zeros(len(x)),
        method="SLSQP",
        bounds=Bounds(moves.lower - x, moves.upper - x),
        constraints=ball,
        tol=1e-14,
    )
    return -float(answer.fun)


def test_l2_reach_equals_slsqp() -> None:
    rng = np.random.default_rng(1)
    for _ in range(20):
        values, moves = bounded(rng, "l2")
        w = rng.normal(size=5)
        reach = margin_reach(values, w, moves)
        for i, x in enumerate(values):
            assert reach.attained[i] == pytest.approx(slsqp(x, w, moves), abs=1e-8)
        assert reach.moves is not None
        assert not moves.violations(values, values + reach.moves).any()
        assert reach.moves @ w == pytest.approx(reach.attained, abs=1e-12)


@pytest.mark.parametrize("norm", ["l1", "linf"])
def test_l1_and_box_reach_equal_linear_programs(norm: Norm) -> None:
    rng = np.random.default_rng(2)
    for _ in range(20):
        values, moves = bounded(rng, norm)
        w = rng.normal(size=5)
        reach = margin_reach(values, w, moves)
        inverse = np.concatenate([1 / moves.eps, 1 / moves.eps])
        rows = inverse[None, :] if norm == "l1" else np.diag(inverse)
        for i, x in enumerate(values):
            answer = linprog(
                np.concatenate([-w, w]),
                A_ub=rows,
                b_ub=np.ones(len(rows)),
                bounds=[(0, top) for top in np.concatenate([moves.upper - x, x - moves.lower])],
            )
            assert reach.attained[i] == pytest.approx(-float(answer.fun or 0), abs=1e-10)


@pytest.mark.parametrize("norm", NORMS)
def test_steps_and_swaps_equal_brute_force(norm: Norm) -> None:
    """Two whole-number features, one binary, a category of three and a continuous feature."""
    rng = np.random.default_rng(3)
    for _ in range(10):
        eps = np.array(
            [rng.uniform(1, 4), rng.uniform(1, 4), 1.0, *[rng.choice([1.0, 2.0])] * 3, 1.5]
        )
        moves = move_set(
            eps,
            norm=norm,
            lower=[-1, -9, 0, 0, 0, 0, -9],
            upper=[2, 9, 1, 1, 1, 1, 9],
            kinds=[
                "integer",
                "ordinal",
                "binary",
                "category",
                "category",
                "category",
                "continuous",
            ],
            categories=[[3, 4, 5]],
        )
        one_hot = np.eye(3)[rng.integers(0, 3, 4)]
        values = np.column_stack(
            [
                rng.integers(-1, 3, 4),
                rng.integers(-3, 3, 4),
                rng.integers(0, 2, 4),
                one_hot,
                rng.normal(size=4),
            ]
        )
        w = rng.normal(size=7)
        reach = margin_reach(values, w, moves)
        assert reach.exact
        assert reach.moves is not None
        assert not moves.violations(values, values + reach.moves).any()
        assert reach.moves @ w == pytest.approx(reach.attained, abs=1e-12)
        for i, x in enumerate(values):
            assert reach.attained[i] == pytest.approx(brute(x, w, moves), abs=1e-12)


def brute(x: np.ndarray, w: np.ndarray, moves: MoveSet) -> float:
    """Try every whole combination, the continuous feature spending what is left."""
    best = 0.0
    power = {"l1": 1, "l2": 2}.get(moves.norm)
    for a, b, c, k in product(range(-4, 5), range(-4, 5), (0, 1), range(3)):
        move = np.zeros(7)
        move[0], move[1], move[2] = a, b, c - x[2]
        move[3:6] = np.eye(3)[k] - x[3:6]
        target = x + move
        if ((target < moves.lower) | (target > moves.upper)).any():
            continue
        cost = float(moves.cost(move[None, :])[0])
        if cost > 1 + 1e-12:
            continue
        left = 1.0 if power is None else max(0.0, 1 - cost**power) ** (1 / power)
        move[6] = np.sign(w[6]) * left * moves.eps[6]
        best = max(best, float(move @ w))
    return best


def test_too_many_steps_give_a_bracket() -> None:
    d = 12
    rng = np.random.default_rng(4)
    moves = move_set(np.full(d, 6.0), norm="l2", kinds=["integer"] * d)
    values = rng.integers(0, 50, (5, d)).astype(float)
    reach = margin_reach(values, rng.normal(size=d), moves)
    assert not reach.exact, MOST_PLANS
    assert np.all(reach.attained <= reach.certified)
    assert np.all(reach.attained > 0)
    assert reach.moves is not None
    assert not moves.violations(values, values + reach.moves).any()


def test_directions_and_immutable_features() -> None:
    moves = move_set([1, 1, 0], norm="linf", directions=["up", "down", "both"])
    model = LinearModel(np.array([2.0, 3.0, 5.0]), 0.0, "identity")
    intervals = linear_intervals(np.zeros((1, 3)), model, moves)
    assert (intervals.attained_low[0], intervals.attained_high[0]) == (-3.0, 2.0)


def test_scaling_is_folded_in(article: Article) -> None:
    scaled = StandardScaler().fit(article.values)
    fitted = LogisticRegression().fit(scaled.transform(article.values), article.positive)
    model = without_scaling(
        LinearModel(fitted.coef_[0], float(fitted.intercept_[0])), scaled.mean_, scaled.scale_
    )
    expected = fitted.predict_proba(scaled.transform(article.values))[:, 1]
    assert model.score(article.values) == pytest.approx(expected, abs=1e-12)


def test_intervals_refuse_ends_that_cross() -> None:
    ends = np.array([0.4]), np.array([0.6]), np.array([0.5]), np.array([0.7])
    with pytest.raises(ValueError, match="record 0"):
        ScoreIntervals(*ends)


@pytest.mark.parametrize("norm", NORMS)
def test_witnesses_attain_the_ends(article: Article, norm: Norm) -> None:
    moves = move_set([0.3, 0.1], norm=norm, lower=[-1.5, -2], upper=[2, 2])
    intervals = linear_intervals(article.values, article.model, moves)
    for witness, end in (
        (intervals.witness_low, intervals.attained_low),
        (intervals.witness_high, intervals.attained_high),
    ):
        assert witness is not None
        assert not moves.violations(article.values, witness).any()
        assert article.model.score(witness) == pytest.approx(end, abs=1e-12)


def test_a_binary_feature_stays_within_zero_and_one() -> None:
    low, high = move_set([1.0], norm="linf", kinds=["binary"]).box(np.array([[1.0], [0.0]]))
    assert low.tolist() == [[0.0], [0.0]]
    assert high.tolist() == [[1.0], [1.0]]
