"""A ColumnTransformer of scalers and one-hot encoders, as plain columns of which it is a scaling.

The exported model takes the columns behind it: measured ones as they are, and for each level of an
encoded column one that is 1 where the record has that level, else 0.
"""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray
from sklearn.compose import ColumnTransformer
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import FunctionTransformer, OneHotEncoder

from reportgen.export_model.scaling import NotExportable, check_steps, scaling_of

FloatArray: TypeAlias = NDArray[np.float64]
TABLE_MEND = "encode with OneHotEncoder, scale with scalers, pass through or drop; or use onnx"


@dataclass(frozen=True)
class Part:
    """Consecutive plain columns, made from some of the raw ones.

    Attributes
    ----------
    raw : (k,) int array
        The raw columns.
    steps : tuple of transformers
        Scalers, in order; of an encoder none.
    names : tuple of str
        Of the plain columns.
    levels : array of levels, or None
        Of the one raw column that is encoded. The last is the one that all zeros stand for, if
        there are more levels than columns.
    """

    raw: NDArray[np.intp]
    steps: tuple[Any, ...]
    names: tuple[str, ...]
    levels: NDArray[Any] | None = None


@dataclass(frozen=True)
class Columns:
    """What stands behind a ColumnTransformer, as a step that scales plain columns.

    Attributes
    ----------
    parts : tuple of Part
    n_raw : int
    raw_names : tuple of str or None
        None if it was fitted on a matrix.
    """

    parts: tuple[Part, ...]
    n_raw: int
    raw_names: tuple[str, ...] | None

    @property
    def names(self) -> list[str]:
        """Names of the plain columns, in order."""
        return [name for part in self.parts for name in part.names]

    @property
    def n_features_in_(self) -> int:
        """Number of plain columns."""
        return len(self.names)

    @property
    def mean_(self) -> FloatArray:
        """Of each plain column, (d,)."""
        return np.concatenate([scaling_of(part.steps, len(part.names))[0] for part in self.parts])

    @property
    def scale_(self) -> FloatArray:
        """Of each plain column, (d,)."""
        return np.concatenate([scaling_of(part.steps, len(part.names))[1] for part in self.parts])

    def transform(self, plain: FloatArray) -> FloatArray:
        """Return what the estimator gets, with the scalers' own arithmetic, (n, d)."""
        made, start = [], 0
        for part in self.parts:
            table = plain[:, start : start + len(part.names)]
            start += len(part.names)
            for step in part.steps:
                table = step.transform(table)
            made.append(table)
        return np.column_stack(made)

    def valid(self, plain: FloatArray, rng: np.random.Generator) -> FloatArray:
        """Return plain records whose one-hot columns are drawn anew, so that each is a level."""
        plain, start = plain.copy(), 0
        for part in self.parts:
            stop = start + len(part.names)
            if part.levels is not None:
                level = rng.integers(0, len(part.levels), len(plain))
                plain[:, start:stop] = level[:, None] == np.arange(len(part.names))
            start = stop
        return plain

    def raw(self, plain: FloatArray) -> Any:
        """Return the raw records that plain ones stand for, as the model takes them."""
        columns: list[Any] = [np.zeros(len(plain)) for _ in range(self.n_raw)]
        start = 0
        for part in self.parts:
            table = plain[:, start : start + len(part.names)]
            start += len(part.names)
            if part.levels is None:
                for at, values in zip(part.raw, table.T, strict=True):
                    columns[int(at)] = values
                continue
            level = np.where(table.any(axis=1), table.argmax(axis=1), len(part.levels) - 1)
            columns[int(part.raw[0])] = part.levels[level]
        if self.raw_names is None:
            return np.column_stack(columns)
        import pandas as pd

        return pd.DataFrame(dict(zip(self.raw_names, columns, strict=True)))


def columns_of(fitted: Any) -> Columns | None:
    """Return the plain columns of a pipeline that begins with a ColumnTransformer, else None.

    Raises
    ------
    NotExportable
        If a part of it is neither a scaler nor a one-hot encoder of levels.
    """
    if not isinstance(fitted, Pipeline) or not isinstance(fitted.steps[0][1], ColumnTransformer):
        return None
    made = fitted.steps[0][1]
    own = getattr(made, "feature_names_in_", None)
    names = None if own is None else tuple(str(name) for name in own)
    known = names or tuple(f"x{j + 1}" for j in range(made.n_features_in_))
    parts: list[Part] = []
    for name, transformer, chosen in made.transformers_:
        raw = _places(chosen, names, made.n_features_in_)
        if len(raw) and not (isinstance(transformer, str) and transformer == "drop"):
            parts += _parts(name, transformer, raw, known)
    used = [int(at) for part in parts for at in np.unique(part.raw)]
    twice = sorted({known[at] for at in used if used.count(at) > 1})
    if twice:
        raise NotExportable(f"the column {twice[0]!r} is transformed twice", TABLE_MEND)
    return Columns(tuple(parts), int(made.n_features_in_), names)


def _places(chosen: Any, names: tuple[str, ...] | None, n_raw: int) -> NDArray[np.intp]:
    if isinstance(chosen, slice):
        return np.arange(n_raw)[chosen]
    listed = np.atleast_1d(np.asarray(chosen, dtype=object))
    if all(isinstance(one, bool | np.bool_) for one in listed):
        return np.flatnonzero(listed.astype(bool))
    if all(isinstance(one, str) for one in listed) and names is not None:
        return np.array([names.index(one) for one in listed], dtype=np.intp)
    return listed.astype(np.intp)


def _parts(
    name: str, transformer: Any, raw: NDArray[np.intp], known: tuple[str, ...]
) -> list[Part]:
    if isinstance(transformer, OneHotEncoder):
        return [_encoded(transformer, k, int(at), known[at]) for k, at in enumerate(raw)]
    identity = isinstance(transformer, FunctionTransformer) and transformer.func is None
    if identity or (isinstance(transformer, str) and transformer == "passthrough"):
        steps: tuple[Any, ...] = ()
    elif isinstance(transformer, Pipeline):
        steps = tuple(one for _, one in transformer.steps if one not in (None, "passthrough"))
    else:
        steps = (transformer,)
    try:
        check_steps(steps)
    except NotExportable as error:
        raise NotExportable(f"transformer {name!r}: {error.what}", TABLE_MEND) from None
    return [Part(raw, steps, tuple(known[at] for at in raw))]


def _encoded(encoder: Any, k: int, at: int, name: str) -> Part:
    """Return one encoded column; a dropped level is put last."""
    if getattr(encoder, "_infrequent_enabled", False):
        what = f"the levels of {name!r} that are rare are encoded as one"
        raise NotExportable(what, "fit it without min_frequency and max_categories")
    levels = encoder.categories_[k]
    dropped = None if encoder.drop_idx_ is None else encoder.drop_idx_[k]
    if dropped is not None:
        order = [j for j in range(len(levels)) if j != dropped] + [int(dropped)]
        levels = levels[order]
    kept = levels if dropped is None else levels[:-1]
    return Part(np.array([at]), (), tuple(f"{name}_{level}" for level in kept), levels)


def answers(fitted: Any, columns: Columns | None, plain: FloatArray) -> Any:
    """Return ``predict_proba`` of plain records, (n, 2)."""
    records = plain if columns is None else columns.raw(plain)
    with warnings.catch_warnings():
        # The model may have been fitted on a table with names; the order is the same.
        warnings.filterwarnings("ignore", message="X does not have valid feature names")
        return fitted.predict_proba(records)
