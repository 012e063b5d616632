"""Small networks as plain data: scores, certified outer intervals and attained inner ones."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from reportgen.stats.robust.intervals import ScoreIntervals
from reportgen.stats.robust.linear import margin_reach
from reportgen.stats.robust.moves import MoveSet, check_features
from reportgen.stats.robust_models.ascent import climb, moved_alone
from reportgen.stats.robust_models.links import Link, apply_link, check_matrix
from reportgen.stats.robust_models.relaxation import Activation, Layer, Region, output_bounds

FloatArray: TypeAlias = NDArray[np.float64]
NamedActivation: TypeAlias = Literal["relu", "tanh", "logistic", "identity"]

CELLS = 4_000_000
"""Array cells that the bounds of one block of records hold at once."""
SEED = 20261130
DUAL = {"l1": np.inf, "l2": 2.0, "linf": 1.0}


@dataclass(frozen=True)
class Network:
    """A fully connected network with one output.

    Attributes
    ----------
    features : tuple of str
        Names of the d inputs, in order.
    layers : tuple of (weights (in, out), bias (out,))
        A logistic activation is held as the hyperbolic tangent it is a shift of.
    activation : {"relu", "tanh", "identity"}
        Between layers.
    link : {"logit", "identity"}
    """

    features: tuple[str, ...]
    layers: tuple[Layer, ...]
    activation: Activation
    link: Link
    kind: ClassVar[str] = "mlp"
    certifiable: ClassVar[bool] = True

    def score(self, x: FloatArray) -> FloatArray:
        """Return the probability of each record, (n,), from (n, d).

        Raises
        ------
        ValueError
            If `x` has another shape or holds values that are not finite.
        """
        return apply_link(self._raw(check_matrix(x, self.features)), self.link)

    def _raw(self, x: FloatArray) -> FloatArray:
        for weights, bias in self.layers[:-1]:
            x = x @ weights + bias
            if self.activation != "identity":
                x = np.maximum(x, 0.0) if self.activation == "relu" else np.tanh(x)
        weights, bias = self.layers[-1]
        return np.asarray((x @ weights + bias)[:, 0])

    def intervals(
        self,
        x: FloatArray,
        moves: MoveSet,
        *,
        budget: int = 0,  # noqa: ARG002 (bounds and search take a fixed number of steps)
        rng: np.random.Generator | None = None,
    ) -> ScoreIntervals:
        """Return the scores each record can reach under the allowed moves.

        Parameters
        ----------
        x : (n, d) float array
        moves : MoveSet
            Whole steps and swaps are relaxed to their box on the certified side.
        budget : int
            Not used.
        rng : numpy.random.Generator, optional
            Draws the points inside that the search tries; absent: from a fixed seed.

        Returns
        -------
        ScoreIntervals
            Certified by the tighter of CROWN and interval bounds; attained by the ends of the
            linearised network and by ascent along features, re-scored.
        """
        x = check_matrix(x, self.features)
        check_features(x, moves)
        rng = np.random.default_rng(SEED) if rng is None else rng
        low, high = self.certified(x, moves)
        ends = []
        for sign in (-1.0, 1.0):
            start = x + self._linear_move(x, moves, sign)
            ends.append(climb(self.score, x, moves, sign=sign, rng=rng, starts=[start]))
        attained = [self.score(end) for end in ends]
        # Bounds and scores sum in different orders.
        low, high = np.minimum(low, attained[0]), np.maximum(high, attained[1])
        return ScoreIntervals(attained[0], attained[1], low, high, ends[0], ends[1])

    def certified(
        self, x: FloatArray, moves: MoveSet, *, linear: bool = True
    ) -> tuple[FloatArray, FloatArray]:
        """Return outer bounds of the scores each record can reach, (n,) each.

        Parameters
        ----------
        x : (n, d) float array
        moves : MoveSet
        linear : bool
            False gives interval arithmetic alone.
        """
        low, high = moves.box(x)
        # A swap moves two columns and counts once, so its columns are bounded by their box alone.
        radius = np.where(moved_alone(moves), moves.eps, 0.0)
        ball = moves.norm != "linf"
        widest = max(weights.shape[1] for weights, _ in self.layers)
        step = max(1, CELLS // (widest * max(widest, len(self.features))))
        made = []
        for k in range(0, len(x), step):
            rows = slice(k, k + step)
            region = Region(
                low[rows],
                high[rows],
                x[rows] if ball else None,
                radius if ball else None,
                DUAL[moves.norm],
            )
            made.append(output_bounds(self.layers, self.activation, region, linear=linear))
        raw = [np.concatenate(side) if made else np.zeros(0) for side in zip(*made, strict=True)]
        low, high = (side + way * _rounding(side) for way, side in zip((-1, 1), raw, strict=True))
        return apply_link(low, self.link, clip=True), apply_link(high, self.link, clip=True)

    def _linear_move(self, x: FloatArray, moves: MoveSet, sign: float) -> FloatArray:
        """Return each record's best move for the network's gradient at the record."""
        gradient = sign * self._gradient(x)
        moved = np.zeros_like(x)
        # Records share few patterns of signs at best, so each is solved on its own weights.
        for row in range(len(x)):
            reach = margin_reach(x[row : row + 1], gradient[row], moves)
            if reach.moves is not None:
                moved[row] = reach.moves[0]
        return moved

    def _gradient(self, x: FloatArray) -> FloatArray:
        """Return the derivative of the raw score by the features, (n, d)."""
        slopes = []
        for weights, bias in self.layers[:-1]:
            x = x @ weights + bias
            if self.activation == "relu":
                slopes.append((x > 0).astype(np.float64))
                x = np.maximum(x, 0.0)
            elif self.activation == "tanh":
                x = np.tanh(x)
                slopes.append(1.0 - x**2)
            else:
                slopes.append(np.ones_like(x))
        back = np.broadcast_to(self.layers[-1][0][:, 0], (len(x), len(self.layers[-1][0])))
        for (weights, _), slope in zip(self.layers[-2::-1], slopes[::-1], strict=True):
            back = (back * slope) @ weights.T
        return np.asarray(back)


def _rounding(raw: FloatArray) -> FloatArray:
    """Return what the rounding of sums may have taken from a bound, with much to spare."""
    return 1e-13 * (1.0 + np.abs(raw))


def network(
    features: Sequence[str],
    layers: Sequence[Layer],
    *,
    activation: NamedActivation,
    link: Link,
) -> Network:
    """Return a network, its shapes checked.

    Parameters
    ----------
    features : sequence of str
    layers : sequence of (weights (in, out), bias (out,))
    activation : {"relu", "tanh", "logistic", "identity"}
    link : {"logit", "identity"}

    Raises
    ------
    ValueError
        If there is no layer, shapes do not follow on one another, the last layer has several
        outputs, or a weight is not finite.
    """
    inputs = len(features)
    if not layers:
        raise ValueError("a network needs at least one layer")
    for number, (weights, bias) in enumerate(layers):
        if weights.ndim != 2 or weights.shape[0] != inputs or bias.shape != (weights.shape[1],):
            shapes = f"weights of shape {weights.shape} and bias of shape {bias.shape}"
            raise ValueError(f"layer {number}: {shapes} for {inputs} inputs")
        if not (np.isfinite(weights).all() and np.isfinite(bias).all()):
            raise ValueError(f"layer {number}: a weight is not a finite number")
        inputs = weights.shape[1]
    if inputs != 1:
        raise ValueError(f"the last layer has {inputs} outputs; one is read")
    if activation == "logistic":
        return Network(tuple(features), _as_tanh(layers), "tanh", link)
    return Network(tuple(features), tuple(layers), activation, link)


def _as_tanh(layers: Sequence[Layer]) -> tuple[Layer, ...]:
    """Return the same network with tanh for logistic: 1 / (1 + e^-z) = (1 + tanh(z / 2)) / 2."""
    made: list[Layer] = []
    for number, (weights, bias) in enumerate(layers):
        first, last = number == 0, number == len(layers) - 1
        if not first:
            weights, bias = weights / 2, bias + weights.sum(axis=0) / 2
        made.append((weights, bias) if last else (weights / 2, bias / 2))
    return tuple(made)
