"""What stands before the estimator in a pipeline: scalers, folded into it."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray
from sklearn.preprocessing import MaxAbsScaler, MinMaxScaler, RobustScaler, StandardScaler

FloatArray: TypeAlias = NDArray[np.float64]


class NotExportable(Exception):  # noqa: N818 (a statement about the model)
    """Why a model cannot be written as plain data, and what to do."""

    def __init__(self, what: str, mend: str) -> None:
        super().__init__(what)
        self.what = what
        self.mend = mend


def scaling_of(steps: Sequence[Any], n_features: int) -> tuple[FloatArray, FloatArray]:
    """Return mean and scale of the steps taken together: ``(x - mean) / scale``.

    Raises
    ------
    NotExportable
        If a step is no scaler.
    """
    mean, scale = np.zeros(n_features), np.ones(n_features)
    for step in steps:
        own_mean, own_scale = _one(step, n_features)
        # ((x - mean) / scale - own_mean) / own_scale
        mean, scale = mean + scale * own_mean, scale * own_scale
    return mean, scale


def check_steps(steps: Sequence[Any]) -> None:
    """Raise NotExportable unless every step is a scaler that can be folded in."""
    for step in steps:
        known = (StandardScaler, MinMaxScaler, MaxAbsScaler, RobustScaler)
        if type(step) not in known:
            what = f"the pipeline has the step {type(step).__name__}, which is no plain scaler"
            mend = (
                "scalers that are folded in: StandardScaler, MinMaxScaler, MaxAbsScaler, "
                "RobustScaler, also in a ColumnTransformer beside OneHotEncoder at the beginning; "
                "give a model on the columns behind the other steps, or use onnx"
            )
            raise NotExportable(what, mend)
        if getattr(step, "clip", False):
            what = f"{type(step).__name__} clips, so it is not linear"
            raise NotExportable(what, "fit it with clip=False")


def _one(step: Any, n: int) -> tuple[FloatArray, FloatArray]:
    zero, one = np.zeros(n), np.ones(n)
    if not isinstance(step, StandardScaler | MinMaxScaler | MaxAbsScaler | RobustScaler):
        return step.mean_, step.scale_  # plain columns: each has its own
    if isinstance(step, StandardScaler):
        return _or(step.mean_ if step.with_mean else None, zero), _or(step.scale_, one)
    if isinstance(step, RobustScaler):
        center = step.center_ if step.with_centering else None
        return _or(center, zero), _or(step.scale_ if step.with_scaling else None, one)
    if isinstance(step, MaxAbsScaler):
        return zero, np.asarray(step.scale_, dtype=np.float64)
    return -step.min_ / step.scale_, 1.0 / step.scale_


def _or(values: Any, default: FloatArray) -> FloatArray:
    return default if values is None else np.asarray(values, dtype=np.float64)


def raw_thresholds(
    thresholds: FloatArray, feature: NDArray[np.intp], steps: Sequence[Any], *, single: bool
) -> FloatArray:
    """Return thresholds on the raw inputs that split exactly as the fitted ones do.

    A fitted tree asks whether the scaled input, rounded to single precision where the trees work in
    it, is at most t. Each of these operations rises with the input, so there is one largest double
    that goes left; it is found by bisection over the doubles, with the scalers' own arithmetic.

    Parameters
    ----------
    thresholds : (m,) float array
    feature : (m,) int array
        The input of each.
    steps : sequence of transformers
        Scalers before the trees.
    single : bool
        Whether the trees compare in single precision.
    """
    # Where only missing values go right, the threshold is infinite; every number lies left of it.
    infinite = np.isinf(thresholds)
    thresholds = np.where(infinite, np.finfo(np.float64).max, thresholds)
    if not len(thresholds) or not (steps or single):
        return thresholds
    low = np.full(len(thresholds), _ordinal(np.array(-np.finfo(np.float32).max))[()])
    high = np.full(len(thresholds), _ordinal(np.array(np.finfo(np.float32).max))[()])
    while np.any(low + 1 < high):
        middle = (low >> 1) + (high >> 1) + (low & high & 1)  # their sum would overflow
        left = _goes_left(_double(middle), thresholds, feature, steps, single=single)
        low, high = np.where(left, middle, low), np.where(left, high, middle)
    return np.where(infinite, thresholds, _double(low))


def _goes_left(
    x: FloatArray,
    thresholds: FloatArray,
    feature: NDArray[np.intp],
    steps: Sequence[Any],
    *,
    single: bool,
) -> NDArray[np.bool_]:
    scaled = _transformed(x, feature, steps)
    if single:
        with np.errstate(over="ignore"):
            scaled = scaled.astype(np.float32).astype(np.float64)
    return np.asarray(scaled <= thresholds)


def _transformed(x: FloatArray, feature: NDArray[np.intp], steps: Sequence[Any]) -> FloatArray:
    """Return each value after the steps, as the value of its own feature."""
    if not steps:
        return x
    order = np.argsort(feature, kind="stable")
    counts = np.bincount(feature)
    first = np.concatenate([[0], np.cumsum(counts)[:-1]])
    place = np.empty(len(x), dtype=np.intp)
    place[order] = np.arange(len(x)) - first[feature[order]]
    table = np.zeros((int(counts.max()), steps[0].n_features_in_))
    table[place, feature] = x
    with np.errstate(over="ignore"), warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="X does not have valid feature names")
        for step in steps:
            table = step.transform(table)
    return np.asarray(table[place, feature])


def _ordinal(x: FloatArray) -> NDArray[np.int64]:
    """Return the place of doubles in their order, 0 at zero."""
    bits = x.astype(np.float64).view(np.int64)
    return np.where(bits < 0, np.int64(-(2**63)) - bits, bits)


def _double(place: NDArray[np.int64]) -> FloatArray:
    bits = np.where(place < 0, np.int64(-(2**63)) - place, place)
    return bits.astype(np.int64).view(np.float64)
