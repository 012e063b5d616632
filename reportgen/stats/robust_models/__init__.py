"""Models as plain data, and what each can say of the scores a record can reach.

All models answer to one protocol, :class:`Model`. A linear score is solved in closed form, a tree
ensemble by branch and bound, a network by linear bounds and search; of a model that can only be
asked for scores, what it can be shown to reach is found and nothing is certified.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Protocol, TypeAlias

import numpy as np
from numpy.typing import NDArray

from reportgen.stats.robust.intervals import ScoreIntervals
from reportgen.stats.robust.moves import MoveSet
from reportgen.stats.robust_models.leaves import Tree
from reportgen.stats.robust_models.linear_score import LinearScore, linear_score
from reportgen.stats.robust_models.links import NoProbability
from reportgen.stats.robust_models.mlp import Network, network
from reportgen.stats.robust_models.opaque import OpaqueModel, opaque_model
from reportgen.stats.robust_models.trees import TreeEnsemble, tree_ensemble

FloatArray: TypeAlias = NDArray[np.float64]
NODE_BUDGET = 300

__all__ = [
    "NODE_BUDGET",
    "LinearScore",
    "Model",
    "Network",
    "NoProbability",
    "OpaqueModel",
    "Tree",
    "TreeEnsemble",
    "build_model",
    "largest_difference",
    "linear_score",
    "network",
    "opaque_model",
    "tree_ensemble",
]


class Model(Protocol):
    """What every model answers to.

    Attributes
    ----------
    kind : str
        "linear", "trees", "mlp", "onnx", "skops", "pickle" or "callable".
    features : tuple of str
        Names of the d inputs, in the order in which `score` takes them.
    certifiable : bool
        Whether certified ends say more than that a probability lies between 0 and 1.
    """

    @property
    def kind(self) -> str: ...  # noqa: D102

    @property
    def features(self) -> tuple[str, ...]: ...  # noqa: D102

    @property
    def certifiable(self) -> bool: ...  # noqa: D102

    def score(self, x: FloatArray) -> FloatArray:
        """Return the probability of the positive class of each record, (n,), from (n, d)."""
        ...

    def intervals(
        self,
        x: FloatArray,
        moves: MoveSet,
        *,
        budget: int = NODE_BUDGET,
        rng: np.random.Generator | None = None,
    ) -> ScoreIntervals:
        """Return the scores each record can reach under the allowed moves."""
        ...


def build_model(kind: str, features: Sequence[str], content: Mapping[str, Any]) -> Model:
    """Return the model that a file described.

    Parameters
    ----------
    kind : str
        As in `Model`.
    features : sequence of str
        Names of the inputs, in order.
    content : mapping
        What `linear_score`, `tree_ensemble`, `network` or `opaque_model` takes beside the features;
        trees are mappings of the arrays of `Tree`.

    Raises
    ------
    ValueError
        If the content is none of that kind's; the message says where.
    """
    given = dict(content)
    if kind == "linear":
        return linear_score(features, given.pop("coefficients"), **given)
    if kind == "trees":
        trees = [Tree(**tree) for tree in given.pop("trees")]
        return tree_ensemble(features, trees, **given)
    if kind == "mlp":
        return network(features, given.pop("layers"), **given)
    return opaque_model(features, given.pop("predict"), kind=kind, **given)


def largest_difference(model: Model, x: FloatArray, stored: FloatArray) -> float:
    """Return the largest distance of the model's scores from the stored ones.

    Parameters
    ----------
    model : Model
    x : (n, d) float array
        Columns in the order of `model.features`.
    stored : (n,) float array
        Scores as the table holds them; NaN rows do not count.

    Returns
    -------
    float
        >= 0; 0 without rows. Above 1e-6 the model is another, or its features stand in another
        order.

    Raises
    ------
    NoProbability
        If a model that can only be asked answers the whole table with 0 and 1: labels. Of a few
        records alone, probabilities may well be 0 and 1.
    """
    known = ~np.isnan(stored)
    if not known.any():
        return 0.0
    score = model.score(x[known])
    if not model.certifiable and len(score) > 1 and np.isin(score, (0.0, 1.0)).all():
        raise NoProbability("the model answers only 0 and 1: labels, not probabilities")
    return float(np.abs(score - stored[known]).max())
