"""A linear score as a model among others: its intervals are exact, in closed form."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, TypeAlias

import numpy as np
from numpy.typing import NDArray

from reportgen.stats.robust.intervals import ScoreIntervals
from reportgen.stats.robust.linear import LinearModel, linear_intervals, without_scaling
from reportgen.stats.robust.moves import MoveSet
from reportgen.stats.robust_models.links import Link, apply_link, check_matrix

FloatArray: TypeAlias = NDArray[np.float64]


@dataclass(frozen=True)
class LinearScore:
    """A score ``link(w x + b)`` on features in their own units.

    Attributes
    ----------
    features : tuple of str
        Names of the d inputs, in order.
    model : LinearModel
        Coefficients with any scaling folded in.
    """

    features: tuple[str, ...]
    model: LinearModel
    kind: ClassVar[str] = "linear"
    certifiable: ClassVar[bool] = True

    def score(self, x: FloatArray) -> FloatArray:
        """Return the probability of each record, (n,), from (n, d).

        Raises
        ------
        ValueError
            If `x` has another shape, a value is not finite, or a score with the identity link lies
            outside [0, 1].
        """
        x = check_matrix(x, self.features)
        return apply_link(self.model.margin(x), self.model.link)

    def intervals(
        self,
        x: FloatArray,
        moves: MoveSet,
        *,
        budget: int = 0,  # noqa: ARG002 (closed form)
        rng: np.random.Generator | None = None,  # noqa: ARG002
    ) -> ScoreIntervals:
        """Return the scores each record can reach, as `linear_intervals` does.

        With the identity link a moved score may leave [0, 1]: it is a figure of the model, not a
        probability, and stays as it is.
        """
        return linear_intervals(check_matrix(x, self.features), self.model, moves)


def linear_score(
    features: Sequence[str],
    coefficients: FloatArray,
    *,
    intercept: float,
    link: Link,
    mean: FloatArray | None = None,
    scale: FloatArray | None = None,
) -> LinearScore:
    """Return a linear score, its scaling folded into the coefficients.

    Parameters
    ----------
    features : sequence of str
    coefficients : (d,) float array
        On features standardised as ``(x - mean) / scale``.
    intercept : float
    link : {"logit", "identity"}
    mean, scale : (d,) float arrays, optional
        0 and 1 if absent.

    Raises
    ------
    ValueError
        If lengths differ or a scale is 0.
    """
    model = LinearModel(np.asarray(coefficients, dtype=np.float64), float(intercept), link)
    if model.coefficients.shape != (len(features),):
        raise ValueError(f"{len(features)} features, {model.coefficients.shape} coefficients")
    if mean is not None or scale is not None:
        ones = np.ones(len(features))
        mean, scale = (0 * ones if mean is None else mean), (ones if scale is None else scale)
        model = without_scaling(model, mean, scale)
    return LinearScore(tuple(features), model)
