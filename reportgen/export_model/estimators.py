"""Fitted scikit-learn estimators as plain data, one function a family."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import sklearn
from sklearn.dummy import DummyClassifier
from sklearn.ensemble import (
    ExtraTreesClassifier,
    GradientBoostingClassifier,
    HistGradientBoostingClassifier,
    RandomForestClassifier,
)
from sklearn.linear_model import LogisticRegression
from sklearn.neural_network import MLPClassifier
from sklearn.pipeline import Pipeline
from sklearn.tree import DecisionTreeClassifier, ExtraTreeClassifier
from sklearn.utils import get_tags
from sklearn.utils.validation import check_is_fitted

from reportgen import __version__
from reportgen.export_model.columns import columns_of
from reportgen.export_model.scaling import NotExportable, check_steps, raw_thresholds, scaling_of
from reportgen.inputs.models.classes import positive_class

__all__ = ["NotExportable", "describe"]

Made = dict[str, Any]


def describe(
    fitted: Any, *, features: Sequence[str] | None = None, positive: str | None = None
) -> Made:
    """Return a fitted classifier as the data of a model file.

    Parameters
    ----------
    fitted : estimator
        A supported classifier, or a Pipeline of scalers and one.
    features : sequence of str, optional
        Names of the inputs; else those the model was fitted with.
    positive : str, optional
        Class whose probability is written; may be absent where the classes are 0 and 1.

    Raises
    ------
    NotExportable
        If the estimator is not supported, not fitted, or has not two classes.
    """
    steps, estimator = _steps(fitted)
    make = _maker(estimator)
    try:
        check_is_fitted(estimator)
    except Exception:
        raise NotExportable("the model is not fitted", "fit it, then save it anew") from None
    classes = [str(name) for name in estimator.classes_]
    chosen = _positive(classes, positive)
    names = _names(fitted, estimator, features)
    columns = columns_of(fitted)
    if columns is not None:
        names = _unique(columns.names)
    told = [type(step).__name__ for step in [*steps, estimator]]
    made = make(estimator, steps if columns is None else [columns, *steps[1:]], names)
    if chosen == classes[0]:
        _turn(made)
    made["source"] = {
        "estimator": " > ".join(told),
        "scikit-learn": str(sklearn.__version__),
        "reportgen": __version__,
        "positive": chosen,
    }
    return made


def _steps(fitted: Any) -> tuple[list[Any], Any]:
    if not isinstance(fitted, Pipeline):
        return [], fitted
    inner = [step for _, step in fitted.steps if step is not None and step != "passthrough"]
    check_steps(inner[1:-1] if columns_of(fitted) is not None else inner[:-1])
    return inner[:-1], inner[-1]


def _maker(estimator: Any) -> Callable[[Any, list[Any], list[str]], Made]:
    make = MAKERS.get(type(estimator))
    if make is None:
        known = ", ".join(sorted(kind.__name__ for kind in MAKERS))
        what = f"{type(estimator).__name__} cannot be written as plain data"
        raise NotExportable(what, f"supported: {known}; others through onnx")
    return make


def _positive(classes: list[str], positive: str | None) -> str:
    if len(classes) != 2:
        what = f"the model tells {len(classes)} classes apart: {', '.join(classes)}"
        raise NotExportable(what, "export a model of two classes")
    if positive is not None and positive not in classes:
        what = f"the model has no class {positive!r}"
        raise NotExportable(what, f"name one of {', '.join(classes)} with --positive")
    if positive is not None:
        return positive
    named = positive_class(classes)
    if named is None:
        what = f"it tells {classes[0]!r} and {classes[1]!r} apart, and neither is named positive"
        raise NotExportable(what, f"say --positive {classes[1]} or --positive {classes[0]}")
    return classes[named]


def _names(fitted: Any, estimator: Any, features: Sequence[str] | None) -> list[str]:
    own = getattr(fitted, "feature_names_in_", None)
    count = int(getattr(fitted, "n_features_in_", estimator.n_features_in_))
    names = list(features) if features is not None else None if own is None else list(own)
    if names is None:
        names = [f"x{j + 1}" for j in range(count)]
    if len(names) != count:
        what = f"{len(names)} names for {count} features"
        raise NotExportable(what, "name every input, in order")
    return _unique([str(name) for name in names])


def _unique(names: list[str]) -> list[str]:
    twice = sorted({name for name in names if names.count(name) > 1})
    if twice:
        raise NotExportable(f"the feature {twice[0]!r} is named twice", "name each once")
    return names


def _floats(values: Any) -> list[float]:
    return [float(value) for value in np.ravel(values)]


def _linear(model: Any, steps: list[Any], names: list[str]) -> Made:
    made: Made = {
        "format": "reportgen/linear/1",
        "intercept": float(model.intercept_[0]),
        "coefficients": dict(zip(names, _floats(model.coef_[0]), strict=True)),
        "link": "logit",
    }
    if steps:
        mean, scale = scaling_of(steps, len(names))
        made["scaling"] = {
            name: {"mean": float(m), "scale": float(s)}
            for name, m, s in zip(names, mean, scale, strict=True)
        }
    return made


def _network(model: Any, steps: list[Any], names: list[str]) -> Made:
    layers = [
        (np.asarray(w, dtype=np.float64), np.asarray(b, dtype=np.float64))
        for w, b in zip(model.coefs_, model.intercepts_, strict=True)
    ]
    mean, scale = scaling_of(steps, len(names))
    weights, bias = layers[0]
    folded = weights / scale[:, None]
    layers[0] = folded, bias - mean @ folded
    return {
        "format": "reportgen/mlp/1",
        "features": names,
        "activation": model.activation,
        "link": "logit",
        "layers": [{"weights": w.tolist(), "bias": b.tolist()} for w, b in layers],
    }


def _trees(
    names: list[str],
    trees: list[Made],
    steps: list[Any],
    *,
    intercept: float,
    link: str,
    single: bool = True,
) -> Made:
    """Return an ensemble whose fitted thresholds are put on the raw inputs."""
    feature = np.concatenate([tree["feature"] for tree in trees]).astype(np.intp)
    fitted = np.concatenate([tree["threshold"] for tree in trees]).astype(np.float64)
    inner = feature >= 0
    raw = np.zeros(len(feature))
    raw[inner] = raw_thresholds(fitted[inner], feature[inner], steps, single=single)
    ends = np.cumsum([len(tree["feature"]) for tree in trees])
    for tree, threshold in zip(trees, np.split(raw, ends[:-1]), strict=True):
        tree["threshold"] = threshold.tolist()
    return {
        "format": "reportgen/trees/1",
        "features": names,
        "link": link,
        "intercept": intercept,
        "trees": trees,
    }


def _tree(tree: Any, values: Any, *, missing: bool) -> Made:
    """Return one Cython tree of scikit-learn; it compares in single precision."""
    leaf = tree.children_left < 0
    made: Made = {
        "feature": np.where(leaf, -1, tree.feature).tolist(),
        "threshold": np.where(leaf, 0.0, tree.threshold).tolist(),
        "left": tree.children_left.tolist(),
        "right": tree.children_right.tolist(),
        "value": np.where(leaf, values, 0.0).tolist(),
    }
    if missing:
        made["missing_left"] = [bool(v) for v in tree.missing_go_to_left]
    return made


def _decision_tree(model: Any, steps: list[Any], names: list[str]) -> Made:
    return _forest_of([model], steps, names)


def _random_forest(model: Any, steps: list[Any], names: list[str]) -> Made:
    return _forest_of(list(model.estimators_), steps, names)


def _forest_of(trees: list[Any], steps: list[Any], names: list[str]) -> Made:
    missing = bool(get_tags(trees[0]).input_tags.allow_nan)
    made = []
    for tree in trees:
        weight = tree.tree_.value[:, 0, :]
        share = weight[:, 1] / weight.sum(axis=1)
        made.append(_tree(tree.tree_, share / len(trees), missing=missing))
    return _trees(names, made, steps, intercept=0.0, link="identity")


def _gradient_boosting(model: Any, steps: list[Any], names: list[str]) -> Made:
    if model.loss != "log_loss":
        what = f"it was fitted with the loss {model.loss!r}"
        raise NotExportable(what, "its probabilities follow from log_loss alone")
    made = [
        _tree(tree.tree_, model.learning_rate * tree.tree_.value[:, 0, 0], missing=False)
        for tree in model.estimators_[:, 0]
    ]
    return _trees(names, made, steps, intercept=_start(model), link="logit")


def _start(model: Any) -> float:
    """Return the raw score that boosting starts from."""
    if model.init_ == "zero":
        return 0.0
    if type(model.init_) is not DummyClassifier or model.init_.strategy != "prior":
        what = f"boosting starts from {type(model.init_).__name__}"
        raise NotExportable(what, "fit it with init=None or init='zero'")
    # The bounds are those that scikit-learn puts on the prior.
    tiny = np.finfo(np.float32).eps
    share = float(np.clip(model.init_.class_prior_[1], tiny, 1 - tiny))
    return float(np.log(share / (1 - share)))


def _histogram_boosting(model: Any, steps: list[Any], names: list[str]) -> Made:
    categorical = getattr(model, "is_categorical_", None)
    if categorical is not None and np.any(categorical):
        what = "it splits on categorical features"
        raise NotExportable(what, "fit it on one-hot columns, or use onnx")
    made = [_predictor(stage[0].nodes) for stage in model._predictors]
    start = float(np.ravel(model._baseline_prediction)[0])
    return _trees(names, made, steps, intercept=start, link="logit", single=False)


def _predictor(nodes: Any) -> Made:
    """Return one tree of histogram boosting; it compares in double precision."""
    leaf = nodes["is_leaf"].astype(bool)
    return {
        "feature": np.where(leaf, -1, nodes["feature_idx"].astype(np.intp)).tolist(),
        "threshold": np.where(leaf, 0.0, nodes["num_threshold"]).tolist(),
        "left": np.where(leaf, -1, nodes["left"].astype(np.intp)).tolist(),
        "right": np.where(leaf, -1, nodes["right"].astype(np.intp)).tolist(),
        "value": np.where(leaf, nodes["value"], 0.0).tolist(),
        "missing_left": [bool(v) for v in nodes["missing_go_to_left"]],
    }


def _turn(made: Made) -> None:
    """Make the data give the other class's probability."""
    if made["format"] == "reportgen/linear/1":
        made["intercept"] = -made["intercept"]
        made["coefficients"] = {name: -w for name, w in made["coefficients"].items()}
    elif made["format"] == "reportgen/mlp/1":
        last = made["layers"][-1]
        last["weights"] = [[-w for w in row] for row in last["weights"]]
        last["bias"] = [-b for b in last["bias"]]
    else:
        # 1 - p for probabilities, -z for log-odds.
        made["intercept"] = float(made["link"] == "identity") - made["intercept"]
        for tree in made["trees"]:
            tree["value"] = [-v for v in tree["value"]]


MAKERS: dict[type, Callable[[Any, list[Any], list[str]], Made]] = {
    LogisticRegression: _linear,
    MLPClassifier: _network,
    DecisionTreeClassifier: _decision_tree,
    ExtraTreeClassifier: _decision_tree,
    RandomForestClassifier: _random_forest,
    ExtraTreesClassifier: _random_forest,
    GradientBoostingClassifier: _gradient_boosting,
    HistGradientBoostingClassifier: _histogram_boosting,
}
