"""The model of an audit, ready to be moved: derived columns recomputed from those that move."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from reportgen.inputs import Inputs, Table
from reportgen.inputs.models import ReadModel
from reportgen.sections.robust.data import read_data
from reportgen.sections.robust.expressions import Expression, parse_expression
from reportgen.sections.robust.settings import RobustSettings
from reportgen.stats.robust.intervals import ScoreIntervals
from reportgen.stats.robust.linear import LinearModel
from reportgen.stats.robust.moves import MoveSet, check_features
from reportgen.stats.robust.search import dual_start
from reportgen.stats.robust_models import (
    LinearScore,
    Model,
    Network,
    TreeEnsemble,
    build_model,
    largest_difference,
)
from reportgen.stats.robust_models.ascent import climb
from reportgen.stats.robust_models.leaves import reachable
from reportgen.stats.robust_models.links import apply_link
from reportgen.stats.robust_models.relaxation import Region, output_bounds

FloatArray = NDArray[np.float64]

ALLOWED_DIFFERENCE = 1e-6
"""Largest distance between the model's scores and those of the table."""
_SEED = 20261130


class UndefinedColumn(ValueError):  # noqa: N818 (a statement about the moves)
    """A derived column that is not defined for some of the allowed moves."""

    def __init__(self, name: str, what: str) -> None:
        super().__init__(what)
        self.name = name


_CELLS = 20_000_000


@dataclass(frozen=True)
class DerivedModel:
    """A model some of whose inputs are expressions in columns that can move.

    Attributes
    ----------
    inner : Model
    features : tuple of str
        The columns that are measured: inputs of the model that are not derived, then those that
        expressions need beside them.
    derived : mapping of str to Expression
    """

    inner: Model
    features: tuple[str, ...]
    derived: Mapping[str, Expression]

    @property
    def kind(self) -> str:
        """Kind of the model inside."""
        return self.inner.kind

    @property
    def certifiable(self) -> bool:
        """Whether bounds can be had of the model inside."""
        return self.inner.certifiable

    def columns(self, x: FloatArray) -> FloatArray:
        """Return what the model takes, (n, D), from what is measured, (n, d).

        Raises
        ------
        UndefinedColumn
            If an expression has no finite value though the columns it rests on have.
        """
        measured = {name: x[:, j] for j, name in enumerate(self.features)}
        made = [
            self.derived[name].value(measured) if name in self.derived else measured[name]
            for name in self.inner.features
        ]
        for name, values in zip(self.inner.features, made, strict=True):
            if name not in self.derived:
                continue
            rests_on = np.column_stack([measured[one] for one in self.derived[name].names])
            lost = ~np.isfinite(values) & np.isfinite(rests_on).all(axis=1)
            if lost.any():
                what = (
                    f"{self.derived[name].text} has no finite value for {int(lost.sum())} records"
                )
                raise UndefinedColumn(name, what)
        return np.column_stack(made)

    def score(self, x: FloatArray) -> FloatArray:
        """Return the probability of each record, (n,), from (n, d)."""
        return self.inner.score(self.columns(x))

    def intervals(
        self,
        x: FloatArray,
        moves: MoveSet,
        *,
        budget: int = 0,  # noqa: ARG002 (interval arithmetic and a search of fixed length)
        rng: np.random.Generator | None = None,
    ) -> ScoreIntervals:
        """Return the scores each record can reach: interval arithmetic outside, search inside."""
        check_features(x, moves)
        rng = np.random.default_rng(_SEED) if rng is None else rng
        ends = []
        for sign in (-1.0, 1.0):
            start = dual_start(self.score, x, moves, sign=sign)
            ends.append(climb(self.score, x, moves, sign=sign, rng=rng, starts=[start]))
        attained = [self.score(end) for end in ends]
        low, high = self._bounds(*moves.box(x))
        low, high = np.minimum(low, attained[0]), np.maximum(high, attained[1])
        return ScoreIntervals(attained[0], attained[1], low, high, ends[0], ends[1])

    def _bounds(self, low: FloatArray, high: FloatArray) -> tuple[FloatArray, FloatArray]:
        lows = {name: low[:, j] for j, name in enumerate(self.features)}
        highs = {name: high[:, j] for j, name in enumerate(self.features)}
        pairs = [
            self.derived[name].range(lows, highs)
            if name in self.derived
            else (lows[name], highs[name])
            for name in self.inner.features
        ]
        box = np.column_stack([pair[0] for pair in pairs]), np.column_stack([p[1] for p in pairs])
        return box_bounds(self.inner, *box)


def box_bounds(model: Model, low: FloatArray, high: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return bounds of a model's scores while its inputs stay in boxes, (n,) each.

    Parameters
    ----------
    model : Model
    low, high : (n, D) float arrays
        Closed boxes; infinite ends are allowed.

    Returns
    -------
    low, high : (n,) float arrays
        0 and 1 for a model that can only be asked for scores.
    """
    n = len(low)
    if isinstance(model, LinearScore):
        linear = model.model
        rises = linear.coefficients > 0
        with np.errstate(invalid="ignore"):
            least = np.nansum(np.where(rises, low, high) * linear.coefficients, axis=1)
            most = np.nansum(np.where(rises, high, low) * linear.coefficients, axis=1)
        ends = [np.asarray(end + linear.intercept) for end in (least, most)]
        return linear.linked(ends[0]), linear.linked(ends[1])
    if isinstance(model, TreeEnsemble):
        return _tree_bounds(model, low, high)
    if isinstance(model, Network) and np.isfinite(low).all() and np.isfinite(high).all():
        region = Region(low, high, None, None, 1.0)
        raw = output_bounds(model.layers, model.activation, region, linear=True)
        return apply_link(raw[0], model.link, clip=True), apply_link(raw[1], model.link, clip=True)
    return np.zeros(n), np.ones(n)


def _tree_bounds(
    model: TreeEnsemble, low: FloatArray, high: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """Sum, over trees, the lowest and the highest leaf that each box reaches."""
    forest = model.forest
    value, starts = (
        forest.value[forest.leaf],
        np.searchsorted(forest.leaf_tree, np.arange(len(forest.roots))),
    )
    ends = np.empty((2, len(low)))
    step = max(1, _CELLS // max(1, len(value)))
    for k in range(0, len(low), step):
        rows = slice(k, k + step)
        reach = reachable(forest, low[rows], high[rows])
        least = np.minimum.reduceat(np.where(reach, value, np.inf), starts, axis=1)
        most = np.maximum.reduceat(np.where(reach, value, -np.inf), starts, axis=1)
        ends[0, rows], ends[1, rows] = least.sum(axis=1), most.sum(axis=1)
    raw = ends + model.intercept
    return apply_link(raw[0], model.link, clip=True), apply_link(raw[1], model.link, clip=True)


def model_features(read: ReadModel, table: Table) -> tuple[str, ...]:
    """Return what the model takes, in order: as it or the manifest says, else the table's."""
    return read.features if read.features is not None else tuple(table.features)


def open_model(settings: RobustSettings, inputs: Inputs) -> Model:
    """Return the section's model, on the columns that are measured.

    Raises
    ------
    ValueError
        If the content is no model, as `build_model` has it.
    """
    read, table = inputs.models[settings.name], inputs.tables[settings.table]
    features = model_features(read, table)
    model = build_model(read.kind, features, read.content)
    moves = settings.perturbation
    if moves is None or not moves.derived:
        return model
    derived = {name: parse_expression(text) for name, text in moves.derived.items()}
    rests_on = [name for one in derived.values() for name in one.names]
    measured = dict.fromkeys([*(n for n in features if n not in derived), *rests_on])
    return DerivedModel(model, tuple(measured), derived)


def takes_missing(model: Model) -> bool:
    """Return whether the model scores records with missing values."""
    return isinstance(model, TreeEnsemble) and model.takes_missing


def linear_of(model: Model) -> LinearModel | None:
    """Return the linear model in closed form, None if it is none."""
    return model.model if isinstance(model, LinearScore) else None


def moved_score(model: Model, x: FloatArray) -> FloatArray:
    """Return the scores of moved records; those of a linear model without link may leave [0, 1]."""
    linear = linear_of(model)
    return model.score(x) if linear is None else linear.score(x)


def score_difference(settings: RobustSettings, inputs: Inputs) -> float:
    """Return the largest distance of the model's scores from those of the table."""
    model = open_model(settings, inputs)
    data = read_data(inputs, settings, model.features, missing_allowed=takes_missing(model))
    return largest_difference(model, data.features, data.score)


def moved_units(moves: MoveSet) -> list[Sequence[int]]:
    """Return the columns that move together: a category's, else each alone."""
    inside = {column for columns in moves.categories for column in columns}
    alone = [[j] for j in range(moves.n_features) if j not in inside]
    return [*alone, *moves.categories]
