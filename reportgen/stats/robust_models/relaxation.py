"""Linear bounds of a small network over boxes or balls of inputs: CROWN with interval bounds.

Each layer's inputs are bounded twice, by interval arithmetic and by propagating one linear lower
and one linear upper bound of every activation back to the input; the tighter of the two is kept.
Every bound is an outer one: no input of the region lies outside.

References
----------
Zhang H., Weng T.-W., Chen P.-Y., Hsieh C.-J., Daniel L., "Efficient neural network robustness
certification with general activation functions", NeurIPS 2018 (CROWN); Gowal S. et al., "On the
effectiveness of interval bound propagation for training verifiably robust models", 2018 (IBP).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

FloatArray: TypeAlias = NDArray[np.float64]
Activation: TypeAlias = Literal["relu", "tanh", "identity"]
Layer: TypeAlias = tuple[FloatArray, FloatArray]
"""Weights (in, out) and bias (out,)."""
TANGENT_STEPS = 40


@dataclass(frozen=True)
class Region:
    """Where the inputs of n records may be.

    Attributes
    ----------
    low, high : (n, d) float arrays
        Closed box around each record.
    centre : (n, d) float array or None
        The record itself, for a ball inside the box; None where the box is all there is.
    radius : (d,) float array or None
        eps of each feature; the ball is ``||(x - centre) / radius||_p <= 1``, and features of
        radius 0 do not take part in it.
    dual : float
        The dual exponent q of the ball's p: 2 for L2, infinity for L1.
    """

    low: FloatArray
    high: FloatArray
    centre: FloatArray | None = None
    radius: FloatArray | None = None
    dual: float = 1.0

    def highest(self, weights: FloatArray, constant: FloatArray) -> FloatArray:
        """Return an upper bound of ``weights . x + constant``, (n, k) from (n or 1, k, d)."""
        up = np.maximum(weights, 0.0)
        down = weights - up
        box = np.einsum("nkd,nd->nk", *_spread(up, self.high))
        box = box + np.einsum("nkd,nd->nk", *_spread(down, self.low)) + constant
        if self.centre is None or self.radius is None:
            return np.asarray(box)
        fixed = self.radius <= 0
        moved = weights * self.radius
        size = np.linalg.norm(moved, ord=self.dual, axis=-1)
        at = np.einsum("nkd,nd->nk", *_spread(weights, self.centre)) + constant
        spare = weights[..., fixed]
        reach = np.maximum(
            spare * (self.high - self.centre)[:, None, fixed],
            spare * (self.low - self.centre)[:, None, fixed],
        ).sum(axis=-1)
        return np.asarray(np.minimum(box, at + size + reach))

    def lowest(self, weights: FloatArray, constant: FloatArray) -> FloatArray:
        """Return a lower bound of ``weights . x + constant``, (n, k)."""
        return -self.highest(-weights, -constant)


def _spread(weights: FloatArray, x: FloatArray) -> tuple[FloatArray, FloatArray]:
    return np.broadcast_to(weights, (len(x), *weights.shape[1:])), x


def output_bounds(
    layers: Sequence[Layer], activation: Activation, region: Region, *, linear: bool = True
) -> tuple[FloatArray, FloatArray]:
    """Return lower and upper bounds of a network's only output, (n,) each.

    Parameters
    ----------
    layers : sequence of Layer
        The activation stands between layers, not behind the last.
    activation : {"relu", "tanh", "identity"}
    region : Region
    linear : bool
        Whether to use linear bounds beside interval arithmetic; False gives IBP alone.
    """
    weights, bias = layers[0]
    first = weights.T[None]
    low, high = region.lowest(first, bias), region.highest(first, bias)
    before = [(low, high)]
    for depth in range(1, len(layers)):
        weights, bias = layers[depth]
        inside = _apply(activation, low), _apply(activation, high)
        low, high = _interval(weights, bias, *inside)
        if linear:
            upper = _back(layers[: depth + 1], activation, region, before)
            negated = [*layers[:depth], (-weights, -bias)]
            lower = -_back(negated, activation, region, before)
            low, high = np.maximum(low, lower), np.minimum(high, upper)
            # Rounding may cross bounds that coincide.
            low = np.minimum(low, high)
        before.append((low, high))
    return low[:, 0], high[:, 0]


def _apply(activation: Activation, x: FloatArray) -> FloatArray:
    if activation == "relu":
        return np.maximum(x, 0.0)
    return np.tanh(x) if activation == "tanh" else x


def _interval(
    weights: FloatArray, bias: FloatArray, low: FloatArray, high: FloatArray
) -> tuple[FloatArray, FloatArray]:
    middle, half = (low + high) / 2, (high - low) / 2
    centre, spread = middle @ weights + bias, half @ np.abs(weights)
    return centre - spread, centre + spread


def _back(
    layers: Sequence[Layer],
    activation: Activation,
    region: Region,
    before: Sequence[tuple[FloatArray, FloatArray]],
) -> FloatArray:
    """Return upper bounds of the last layer's outputs by going back to the input."""
    weights, bias = layers[-1]
    slope = weights.T[None]
    constant = np.broadcast_to(bias, (len(region.low), len(bias)))
    for (weights, bias), (low, high) in zip(layers[-2::-1], before[::-1], strict=True):
        lower, upper = _lines(activation, low, high)
        up = np.maximum(slope, 0.0)
        down = slope - up
        constant = constant + np.einsum("nkw,nw->nk", *_spread(up, upper[1]))
        constant = constant + np.einsum("nkw,nw->nk", *_spread(down, lower[1]))
        slope = up * upper[0][:, None] + down * lower[0][:, None]
        constant = constant + slope @ bias
        slope = slope @ weights.T
    return region.highest(slope, constant)


Line: TypeAlias = tuple[FloatArray, FloatArray]
"""Slope and intercept."""


def _lines(activation: Activation, low: FloatArray, high: FloatArray) -> tuple[Line, Line]:
    """Return a line below and a line above the activation on each interval."""
    if activation == "identity":
        one = (np.ones_like(low), np.zeros_like(low))
        return one, one
    if activation == "relu":
        return _relu_lines(low, high)
    slope, above = _tanh_above(low, high)
    mirrored, below = _tanh_above(-high, -low)
    return (mirrored, -below), (slope, above)


def _relu_lines(low: FloatArray, high: FloatArray) -> tuple[Line, Line]:
    on, crossing = low >= 0, (low < 0) & (high > 0)
    width = np.where(crossing, high - low, 1.0)
    chord = np.where(crossing, high / width, on.astype(np.float64))
    above = np.where(crossing, -low * chord, 0.0)
    # The lower line of a crossing unit is 0 or the identity, whichever leaves the smaller area.
    flat = np.where(crossing, (high > -low).astype(np.float64), chord)
    return (flat, np.zeros_like(low)), (chord, above)


def _tanh_above(low: FloatArray, high: FloatArray) -> Line:
    """Return a line above tanh on each interval.

    The slope is chosen for tightness; the intercept is then the largest value of tanh(x) - slope x
    on the interval, which lies at an end or where the derivative equals the slope.
    """
    wide = high - low > 1e-9
    middle = (low + high) / 2
    chord = np.where(
        wide, (np.tanh(high) - np.tanh(low)) / np.where(wide, high - low, 1.0), _steep(middle)
    )
    touch = np.where(low >= 0, middle, _tangent(low, high))
    chord_is_above = (high <= 0) | ((low < 0) & (_steep(high) >= chord))
    slope = np.where(wide & ~chord_is_above, _steep(touch), chord)
    slope = np.clip(slope, 0.0, 1.0)
    turn = np.arctanh(np.sqrt(np.minimum(1.0 - slope, 1.0 - 1e-16)))
    turns = [np.clip(turn, low, high), np.clip(-turn, low, high)]
    values = [np.tanh(x) - slope * x for x in (low, high, *turns)]
    return slope, np.maximum.reduce(values)


def _steep(x: FloatArray) -> FloatArray:
    return np.asarray(1.0 - np.tanh(x) ** 2)


def _tangent(low: FloatArray, high: FloatArray) -> FloatArray:
    """Return where the line from (low, tanh low) touches tanh on its concave side, by bisection."""
    left, right = np.zeros_like(low), np.maximum(high, 0.0)
    for _ in range(TANGENT_STEPS):
        at = (left + right) / 2
        run = np.where(at > low, at - low, 1.0)
        beyond = _steep(at) < (np.tanh(at) - np.tanh(low)) / run
        left, right = np.where(beyond, left, at), np.where(beyond, at, right)
    return np.asarray((left + right) / 2)
