"""What the audited values show to be wrong with the declared moves, by feature."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from reportgen.errors import Key, KeyFault
from reportgen.inputs.trouble import counted
from reportgen.sections.robust.data import Data, FloatArray
from reportgen.sections.robust.settings import Move, Perturbation


def value_faults(moves: Perturbation, data: Data) -> Iterator[KeyFault]:
    """Yield every feature whose values are not of the kind that its move says.

    Parameters
    ----------
    moves : Perturbation
        Its features are all among the data's.
    data : Data
        The rows of the audit.
    """
    at = {name: j for j, name in enumerate(data.feature_names)}
    for name, move in moves.features.items():
        columns = data.features[:, [at[member] for member in move.columns or [name]]]
        known = columns[~np.isnan(columns).any(axis=1)]
        if not len(known) or move.eps == 0:
            continue
        key: Key = ("perturbation", "features", name)
        if move.columns is not None:
            yield from _one_hot(known, (*key, "columns"))
        elif move.kind != "continuous":
            yield from _stepped(name, move, known[:, 0], (*key, "kind"))


def _stepped(name: str, move: Move, values: FloatArray, key: Key) -> Iterator[KeyFault]:
    if move.kind == "binary":
        wrong = values[~np.isin(values, (0.0, 1.0))]
        what, mend = "neither 0 nor 1", "code it 0 and 1, or give it another kind"
    else:
        wrong = values[values != np.rint(values)]
        what, mend = "no whole number", "code its levels one apart, or write kind: continuous"
    if len(wrong):
        told = f"{name!r} is {move.kind}, but {counted(len(wrong), 'row')} of the audit"
        yield KeyFault(key, f"{told} {_hold(len(wrong))} {what}, such as {wrong[0]:g}", mend)


def _one_hot(values: FloatArray, key: Key) -> Iterator[KeyFault]:
    wrong = ~np.isin(values, (0.0, 1.0)).all(axis=1) | (values.sum(axis=1) != 1)
    if wrong.any():
        first = ", ".join(f"{value:g}" for value in values[int(np.argmax(wrong))])
        count = int(wrong.sum())
        what = f"the columns are not one-hot: {counted(count, 'row')} of the audit"
        mend = "name every level's column, each 0 or 1 with one of them 1 in every row"
        yield KeyFault(key, f"{what} {_hold(count)} {first}", mend)


def _hold(count: int) -> str:
    return "holds" if count == 1 else "hold"
