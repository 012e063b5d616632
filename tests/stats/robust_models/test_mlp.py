"""Certified intervals of networks hold every input that can be drawn, and are tight if linear."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from numpy.typing import NDArray

from reportgen.stats.robust.linear import LinearModel, linear_intervals
from reportgen.stats.robust.moves import MoveSet, Norm, move_set
from reportgen.stats.robust_models import Network, network
from reportgen.stats.robust_models.mlp import NamedActivation

Floats = NDArray[np.float64]
NORMS: tuple[Norm, ...] = ("linf", "l2", "l1")
D = 4


def a_network(
    activation: NamedActivation, hidden: tuple[int, ...], seed: int = 1, d: int = D
) -> Network:
    rng = np.random.default_rng(seed)
    sizes = [d, *hidden, 1]
    layers = [
        (rng.normal(0, 1.5 / np.sqrt(a), (a, b)), rng.normal(0, 0.5, b)) for a, b in pairwise(sizes)
    ]
    return network([f"x{j}" for j in range(d)], layers, activation=activation, link="logit")


def drawn(moves: MoveSet, x: Floats, rng: np.random.Generator, n: int) -> Floats:
    """Return n moved copies of a record, on the sphere of the ball and inside."""
    order = {"linf": np.inf, "l2": 2, "l1": 1}[moves.norm]
    ways = rng.standard_normal((n, len(x)))
    if moves.norm == "l1":  # corners are where an L1 ball reaches furthest
        ways *= rng.random((n, len(x))) < 0.5
    if moves.norm == "linf":
        ways = np.where(rng.random((n, len(x))) < 0.5, np.sign(ways) * 10, ways)
    size = np.linalg.norm(ways, ord=order, axis=1, keepdims=True)
    radius = np.where(rng.random((n, 1)) < 0.7, 1.0, rng.random((n, 1)))
    moved: Floats = x + moves.eps * ways / np.maximum(size, 1e-12) * radius
    low, high = moves.box(x[None])
    return np.asarray(np.clip(moved, low[0], high[0]))


@pytest.mark.parametrize("norm", NORMS)
@pytest.mark.parametrize("activation", ["relu", "tanh", "logistic", "identity"])
@pytest.mark.parametrize("size", [0.1, 1.0])
def test_certified_interval_holds_ten_thousand_points(
    activation: NamedActivation, norm: Norm, size: float
) -> None:
    net, rng = a_network(activation, (8, 6)), np.random.default_rng(2)
    moves = move_set(
        size * np.array([1.0, 0.5, 2.0, 0.0]),
        norm=norm,
        lower=[-1, -9, -9, -9],
        directions=["both", "up", "both", "both"],
    )
    x = rng.normal(size=(5, D))
    got = net.intervals(x, moves)
    for row in range(len(x)):
        points = drawn(moves, x[row], rng, 10_000)
        assert not moves.violations(np.repeat(x[row : row + 1], len(points), 0), points).any()
        scores = net.score(points)
        assert got.certified_low[row] <= scores.min()
        assert scores.max() <= got.certified_high[row]


@pytest.mark.parametrize("norm", NORMS)
@pytest.mark.parametrize("activation", ["relu", "tanh", "logistic"])
def test_linear_bounds_are_no_looser_than_intervals(
    activation: NamedActivation, norm: Norm
) -> None:
    net = a_network(activation, (16, 12, 8))
    x = np.random.default_rng(3).normal(size=(50, D))
    moves = move_set([0.2] * D, norm=norm)
    low, high = net.certified(x, moves)
    loose_low, loose_high = net.certified(x, moves, linear=False)
    assert (low >= loose_low).all()
    assert (high <= loose_high).all()
    assert (high - low).mean() < 0.7 * (loose_high - loose_low).mean()


@pytest.mark.parametrize("norm", NORMS)
def test_a_network_without_a_bend_is_the_linear_model(norm: Norm) -> None:
    net = a_network("identity", (5, 3))
    weights = net.layers[0][0] @ net.layers[1][0] @ net.layers[2][0]
    bias = (net.layers[0][1] @ net.layers[1][0] + net.layers[1][1]) @ net.layers[2][0]
    linear = LinearModel(weights[:, 0], float(bias[0] + net.layers[2][1][0]))
    x, moves = np.random.default_rng(4).normal(size=(20, D)), move_set([0.3] * D, norm=norm)
    got, exact = net.intervals(x, moves), linear_intervals(x, linear, moves)
    for name in ("attained_low", "attained_high", "certified_low", "certified_high"):
        np.testing.assert_allclose(getattr(got, name), getattr(exact, name), rtol=0, atol=1e-12)


def test_one_bend_has_the_value_on_paper() -> None:
    """relu(x) on [-1, 1] runs from 0 to 1; the chord above it ends in both."""
    net = network(["x"], [(np.ones((1, 1)), np.zeros(1)), (np.ones((1, 1)), np.zeros(1))],
                  activation="relu", link="logit")  # fmt: skip
    got = net.intervals(np.zeros((1, 1)), move_set([1.0], norm="linf"))
    assert got.certified_high[0] == pytest.approx(1 / (1 + np.exp(-1)), abs=1e-12)
    assert got.certified_low[0] == pytest.approx(0.5, abs=1e-12)
    assert got.closed.all()


def test_logistic_layers_score_as_written() -> None:
    rng = np.random.default_rng(5)
    layers = [(rng.normal(size=(3, 4)), rng.normal(size=4)), (rng.normal(size=(4, 2)),
              rng.normal(size=2)), (rng.normal(size=(2, 1)), rng.normal(size=1))]  # fmt: skip
    net = network(["a", "b", "c"], layers, activation="logistic", link="logit")
    x = h = rng.normal(size=(30, 3))
    for weights, bias in layers:
        h = 1 / (1 + np.exp(-(h @ weights + bias)))
    np.testing.assert_allclose(net.score(x), h[:, 0], rtol=0, atol=1e-14)


@pytest.mark.parametrize("norm", NORMS)
def test_swaps_and_steps_are_held_and_kept(norm: Norm) -> None:
    """Every allowed move of a category and a whole number lies inside, each tried in turn."""
    net = a_network("tanh", (8,), d=5)
    moves = move_set(
        [0.5, 2.0, 1.1, 1.1, 1.1], norm=norm,
        kinds=["continuous", "integer", "category", "category", "category"], categories=[(2, 3, 4)],
        lower=[-9, -9, 0, 0, 0], upper=[9, 9, 1, 1, 1],
    )  # fmt: skip
    x = np.array([[0.2, 1.0, 1.0, 0.0, 0.0]])
    got = net.intervals(x, moves)
    seen = []
    for first in np.linspace(-0.3, 0.7, 41):
        for second in (-1.0, 0.0, 1.0, 2.0, 3.0):
            for level in range(3):
                point = np.array([[first, second, 0.0, 0.0, 0.0]])
                point[0, 2 + level] = 1.0
                if not moves.violations(x, point)[0]:
                    seen.append(float(net.score(point)[0]))
    assert len(seen) > 50
    assert got.certified_low[0] <= min(seen) + 1e-12
    assert max(seen) <= got.certified_high[0] + 1e-12
    assert got.attained_high[0] >= max(seen) - 0.01
    for witness in (got.witness_low, got.witness_high):
        assert witness is not None
        assert not moves.violations(x, witness).any()


def test_same_seed_same_witness() -> None:
    net, x = a_network("tanh", (8, 8)), np.random.default_rng(6).normal(size=(20, D))
    moves = move_set([0.5] * D, norm="l2")
    first, second = (net.intervals(x, moves, rng=np.random.default_rng(1)) for _ in range(2))
    assert first.witness_high is not None
    assert second.witness_high is not None
    np.testing.assert_array_equal(first.witness_high, second.witness_high)


@pytest.mark.parametrize(
    ("layers", "said"),
    [
        ([], "at least one layer"),
        ([(np.ones((3, 1)), np.ones(1))], r"layer 0: weights of shape \(3, 1\)"),
        ([(np.ones((2, 2)), np.ones(2))], "the last layer has 2 outputs"),
        ([(np.array([[np.nan], [1.0]]), np.ones(1))], "layer 0: a weight is not a finite"),
    ],
)
def test_a_network_that_is_none_is_refused(layers: list[tuple[Floats, Floats]], said: str) -> None:
    with pytest.raises(ValueError, match=said):
        network(["a", "b"], layers, activation="relu", link="logit")
