"""The content of a model file: what its keys must be, and every mistake at its place."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, Literal

import numpy as np
from pydantic import AfterValidator, Field, ValidationError

from reportgen.errors import Fault, InputError, choose_from
from reportgen.inputs.models import wording
from reportgen.inputs.trouble import At, FileFaults, capped, counted
from reportgen.settings import Settings

MOST_FEATURES = 10_000
MOST_TREES = 20_000
MOST_NODES = 5_000_000


@dataclass(frozen=True)
class ModelContent:
    """A model as its file describes it.

    Attributes
    ----------
    kind : str
        "linear", "trees", "mlp", or a format that can only be asked for scores.
    features : tuple of str or None
        Names of the inputs, in order; None where the file does not know them.
    content : mapping
        What `reportgen.stats.robust_models.build_model` takes beside the features.
    source : mapping of text to text
        What made it: estimator, versions, positive class; empty where unknown.
    """

    kind: str
    features: tuple[str, ...] | None
    content: Mapping[str, Any]
    source: Mapping[str, str]


def _unique(names: list[str]) -> list[str]:
    for name in names:
        if names.count(name) > 1:
            raise ValueError(f"the feature {name!r} is named twice; name each once")
    return names


Names = Annotated[
    list[Annotated[str, Field(min_length=1)]],
    Field(min_length=1, max_length=MOST_FEATURES),
    AfterValidator(_unique),
]
Link = Literal["logit", "identity"]


class _Scale(Settings):
    mean: float = 0.0
    scale: float = 1.0


class _Linear(Settings):
    format: Literal["reportgen/linear/1"] | None = None
    intercept: float
    coefficients: dict[str, float] = Field(min_length=1, max_length=MOST_FEATURES)
    link: Link = "logit"
    scaling: dict[str, _Scale] = Field(default_factory=dict)
    source: dict[str, str] = Field(default_factory=dict)


class _Tree(Settings):
    feature: list[int] = Field(min_length=1, max_length=MOST_NODES)
    threshold: list[float]
    left: list[int]
    right: list[int]
    value: list[float]
    missing_left: list[bool] | None = None


class _Trees(Settings):
    format: Literal["reportgen/trees/1"]
    features: Names
    link: Link
    intercept: float
    trees: list[_Tree] = Field(min_length=1, max_length=MOST_TREES)
    source: dict[str, str] = Field(default_factory=dict)


class _Layer(Settings):
    weights: list[list[float]] = Field(min_length=1, max_length=MOST_FEATURES)
    bias: list[float] = Field(min_length=1, max_length=MOST_FEATURES)


class _Network(Settings):
    format: Literal["reportgen/mlp/1"]
    features: Names
    activation: Literal["relu", "tanh", "logistic", "identity"]
    link: Link = "logit"
    layers: list[_Layer] = Field(min_length=1, max_length=50)
    source: dict[str, str] = Field(default_factory=dict)


def parse_model(kind: str, data: Any, path: str) -> ModelContent:
    """Return the model that plain data describe.

    Parameters
    ----------
    kind : {"linear", "trees", "mlp"}
    data : Any
        Plain data, as JSON gives it.
    path : str
        The file, as people know it.

    Raises
    ------
    InputError
        With every mistake: file, key, what, how to mend it.
    """
    try:
        return model_of(kind, data)
    except FileFaults as found:
        placed = [
            Fault(f"{path}{spot.place}", spot.what, spot.mend, count=spot.count)
            for spot in found.spots
        ]
        raise InputError(capped(placed, path)) from None


def model_of(kind: str, data: Any) -> ModelContent:
    """Return what `parse_model` does of a file that the caller knows.

    Raises
    ------
    FileFaults
        With every mistake.
    """
    shape, make = PARSERS[kind]
    faults = FileFaults()
    try:
        read = shape.model_validate(data)
    except ValidationError as error:
        wording.note(error, data, shape, kind, faults)
        raise faults from None
    made: ModelContent = make(read, faults)
    faults.raise_if_any()
    return made


def _linear(read: _Linear, faults: FileFaults) -> ModelContent:
    names = tuple(read.coefficients)
    for number, name in enumerate(read.scaling, start=1):
        place, at = f": scaling.{name}", At("entry", number)
        if name not in read.coefficients:
            kind = (": scaling", "name")
            mend = choose_from(names, name) if faults.names(kind) else "name a coefficient"
            faults.add(place, "there is no coefficient of this name", mend, kind=kind, at=at)
        elif read.scaling[name].scale == 0:
            mend = "leave the constant feature out"
            faults.add(f"{place}.scale", "a scale of 0", mend, kind=(": scaling", mend), at=at)
    given = [read.scaling.get(name, _Scale()) for name in names]
    return ModelContent(
        "linear",
        names,
        {
            "coefficients": np.array(list(read.coefficients.values()), dtype=np.float64),
            "intercept": read.intercept,
            "link": read.link,
            "mean": np.array([one.mean for one in given], dtype=np.float64),
            "scale": np.array([one.scale for one in given], dtype=np.float64),
        },
        read.source,
    )


def _trees(read: _Trees, faults: FileFaults) -> ModelContent:
    trees = []
    if sum(len(tree.feature) for tree in read.trees) > MOST_NODES:
        faults.add(": trees", f"more than {MOST_NODES} nodes", "export a smaller ensemble")
    for number, tree in enumerate(read.trees):
        _check_lengths(tree, At("trees", number), faults)
        missing = tree.missing_left
        trees.append(
            {
                "feature": _whole(tree.feature),
                "threshold": np.array(tree.threshold, dtype=np.float64),
                "left": _whole(tree.left),
                "right": _whole(tree.right),
                "value": np.array(tree.value, dtype=np.float64),
                "missing_left": None if missing is None else np.array(missing, dtype=np.bool_),
            }
        )
    content = {"trees": trees, "intercept": read.intercept, "link": read.link}
    return ModelContent("trees", tuple(read.features), content, read.source)


def _check_lengths(tree: _Tree, at: At, faults: FileFaults) -> None:
    size = len(tree.feature)
    for name in ("threshold", "left", "right", "value", "missing_left"):
        array = getattr(tree, name)
        if array is not None and len(array) != size:
            what = f"{counted(len(array), 'entry')} for {counted(size, 'node')}"
            what = what.replace("entrys", "entries")
            kind = (f": trees.{name}", "length")
            faults.add(f": {at}.{name}", what, "give one entry a node", kind=kind, at=at)


def _whole(values: Sequence[int]) -> np.ndarray[Any, np.dtype[np.intp]]:
    """Return whole numbers as indices; what no index can hold is cut to what is out of range."""
    far = 2**40
    return np.array([min(max(value, -far), far) for value in values], dtype=np.intp)


def _network(read: _Network, faults: FileFaults) -> ModelContent:
    layers = []
    inputs = len(read.features)
    for number, layer in enumerate(read.layers):
        place = f": layers[{number}]"
        widths = {len(row) for row in layer.weights}
        if len(layer.weights) != inputs:
            what = f"{counted(len(layer.weights), 'row')} of weights for {counted(inputs, 'input')}"
            faults.add(f"{place}.weights", what, "give one row an input, one column an output")
        if widths != {len(layer.bias)}:
            what = f"rows of {sorted(widths)} weights, but a bias of {len(layer.bias)}"
            faults.add(f"{place}.weights", what, "give one column an output")
        else:
            layers.append((np.array(layer.weights), np.array(layer.bias)))
        inputs = len(layer.bias)
    if inputs != 1:
        place = f": layers[{len(read.layers) - 1}].bias"
        faults.add(place, f"the last layer has {inputs} outputs", "export a model of two classes")
    content = {"layers": layers, "activation": read.activation, "link": read.link}
    return ModelContent("mlp", tuple(read.features), content, read.source)


PARSERS: dict[str, tuple[type[Settings], Callable[[Any, FileFaults], ModelContent]]] = {
    "linear": (_Linear, _linear),
    "trees": (_Trees, _trees),
    "mlp": (_Network, _network),
}
