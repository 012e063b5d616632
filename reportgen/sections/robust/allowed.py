"""From the manifest's words to the allowed moves of the model's inputs, in their own units."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from reportgen.sections.robust.result import NO_BASIS, DerivedRow, MoveRow
from reportgen.sections.robust.settings import Move, Perturbation
from reportgen.stats.robust.moves import Direction, Kind, MoveSet, move_set

FloatArray = NDArray[np.float64]


@dataclass(frozen=True)
class Allowed:
    """The moves of an audit.

    Attributes
    ----------
    moves : MoveSet
    units : tuple of str
        Of each feature; "" where none is stated.
    rows : tuple of MoveRow
    immutable : tuple of str
        Features that do not move.
    derived : tuple of DerivedRow
    """

    moves: MoveSet
    units: tuple[str, ...]
    rows: tuple[MoveRow, ...]
    immutable: tuple[str, ...]
    derived: tuple[DerivedRow, ...]

    @property
    def one_eps(self) -> float | None:
        """The eps that all moving features share, in one unit; None if there is no such."""
        used = {self.units[j] for j in np.flatnonzero(self.moves.mutable)}
        return self.moves.one_eps if len(used) == 1 else None


def allowed_moves(
    settings: Perturbation,
    features: Sequence[str],
    values: FloatArray,
    train: Mapping[str, FloatArray] | None = None,
) -> Allowed:
    """Return the allowed moves.

    Parameters
    ----------
    settings : Perturbation
        As `check` has passed it.
    features : sequence of str
        Of length d, in the order of the columns.
    values : (n, d) float array
        The audited records.
    train : mapping of str to float array, optional
        Features of the rows the model was fitted on. Eps in standard deviations are of these, as
        those of a scaler would be; of the audited records where a feature is not among them.

    Raises
    ------
    ValueError
        As `move_set`.
    """
    at = {name: j for j, name in enumerate(features)}
    d = len(features)
    eps, lower, upper = np.zeros(d), np.full(d, -np.inf), np.full(d, np.inf)
    units, ways, kinds = [""] * d, ["both"] * d, ["continuous"] * d
    categories: list[list[int]] = []
    rows: list[MoveRow] = []
    for name, move in settings.features.items():
        members = [at[member] for member in move.columns or [name]]
        first = features[members[0]]
        size = _eps(move, (train or {}).get(first, values[:, members[0]]))
        for j in members:
            eps[j], units[j], ways[j], kinds[j] = size, move.unit or "", move.direction, move.kind
            if move.bounds is not None:
                lower[j], upper[j] = move.bounds
        if move.columns is not None:
            categories.append(members)
        rows.append(_row(name, move, size))
    named_ways: list[Direction] = [_way(way) for way in ways]
    named_kinds: list[Kind] = [_kind(kind) for kind in kinds]
    moves = move_set(
        eps,
        norm=settings.norm,
        lower=lower,
        upper=upper,
        directions=named_ways,
        kinds=named_kinds,
        categories=categories,
    )
    still = tuple(features[int(j)] for j in np.flatnonzero(~moves.mutable))
    derived = tuple(DerivedRow(name, text) for name, text in settings.derived.items())
    return Allowed(moves, tuple(units), tuple(rows), still, derived)


def _eps(move: Move, values: FloatArray) -> float:
    if move.eps is not None:
        return move.eps
    if move.eps_sd is None:
        return 1.0  # one swap
    known = values[~np.isnan(values)]
    return move.eps_sd * float(np.std(known)) if len(known) else 0.0


def _row(name: str, move: Move, eps: float) -> MoveRow:
    low, high = move.bounds if move.bounds is not None else (None, None)
    return MoveRow(
        feature=name,
        kind=move.kind,
        eps=eps,
        eps_sd=move.eps_sd,
        unit=move.unit or "",
        basis=move.basis or NO_BASIS,
        direction=move.direction,
        lower=low,
        upper=high,
        columns=", ".join(move.columns or ()),
    )


def _way(text: str) -> Direction:
    ways: tuple[Direction, ...] = ("both", "up", "down")
    return next(way for way in ways if way == text)


def _kind(text: str) -> Kind:
    kinds: tuple[Kind, ...] = ("continuous", "integer", "ordinal", "binary", "category")
    return next(kind for kind in kinds if kind == text)
