"""ONNX and skops files, where the extras are installed."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sklearn.ensemble import HistGradientBoostingClassifier, RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.neural_network import MLPClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, StandardScaler

from reportgen.inputs.models import ReadModel
from reportgen.stats.robust_models import build_model, largest_difference

X = np.random.default_rng(1).normal(size=(200, 3))
Y = (X.sum(axis=1) + np.random.default_rng(2).normal(size=200) > 0).astype(int)
NAMES = ["a", "b", "c"]


def scored(got: ReadModel, theirs: Any) -> float:
    return largest_difference(build_model(got.kind, NAMES, got.content), X, theirs)


@pytest.fixture
def skops() -> Any:
    return pytest.importorskip("skops.io", reason="the extra skops is not installed")


@pytest.mark.parametrize(
    "model",
    [
        LogisticRegression(),
        make_pipeline(StandardScaler(), LogisticRegression()),
        RandomForestClassifier(5, random_state=0),
        HistGradientBoostingClassifier(max_iter=5),
        MLPClassifier((4,), max_iter=500, solver="lbfgs"),
    ],
)
def test_skops_file_scores(skops: Any, read: Callable[..., ReadModel], model: Any) -> None:
    fitted = model.fit(X, Y)
    got = read("skops", skops.dumps(fitted), name="m.skops")
    assert scored(got, fitted.predict_proba(X)[:, 1]) == 0
    assert not got.runs_code


def test_skops_type_outside_the_list_is_refused(
    skops: Any, faults: Callable[..., list[str]]
) -> None:
    fitted = make_pipeline(FunctionTransformer(np.sinh), LogisticRegression()).fit(X, Y)
    fitted.steps[0] = ("path", Path("x"))
    (fault,) = faults("skops", skops.dumps(fitted), name="m.skops")
    assert fault.startswith("m.skops: it holds types that are not allowed: ")


@pytest.fixture
def to_onnx() -> Callable[[Any], bytes]:
    pytest.importorskip("onnxruntime", reason="the extra onnx is not installed")
    convert = pytest.importorskip("skl2onnx", reason="skl2onnx, a converter, is not installed")

    def _convert(fitted: Any, *, zipmap: bool = False) -> bytes:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            kind = [("x", convert.common.data_types.FloatTensorType([None, 3]))]
            graph = convert.convert_sklearn(
                fitted, initial_types=kind, options={id(fitted): {"zipmap": zipmap}}
            )
        raw: bytes = graph.SerializeToString()
        return raw

    return _convert


@pytest.mark.parametrize("model", [LogisticRegression(), RandomForestClassifier(5, random_state=0)])
def test_onnx_graph_scores(
    to_onnx: Callable[..., bytes], read: Callable[..., ReadModel], model: Any
) -> None:
    fitted = model.fit(X, Y)
    got = read("onnx", to_onnx(fitted), name="m.onnx", features=NAMES, positive=1)
    assert scored(got, fitted.predict_proba(X)[:, 1]) < 1e-6
    other = read("onnx", to_onnx(fitted), name="m.onnx", features=NAMES, positive=0)
    assert scored(other, fitted.predict_proba(X)[:, 0]) < 1e-6


def test_onnx_with_mappings_for_probabilities_is_refused(
    to_onnx: Callable[..., bytes], faults: Callable[..., list[str]]
) -> None:
    raw = to_onnx(LogisticRegression().fit(X, Y), zipmap=True)
    (fault,) = faults("onnx", raw, name="m.onnx")
    assert "zipmap=False" in fault


def test_onnx_with_tensors_in_other_files_is_refused(
    to_onnx: Callable[..., bytes], faults: Callable[..., list[str]]
) -> None:
    onnx = pytest.importorskip("onnx", reason="the extra onnx is not installed")
    tensor = onnx.helper.make_tensor("w", onnx.TensorProto.FLOAT, [1], [1.0])
    tensor.ClearField("float_data")
    tensor.data_location = onnx.TensorProto.EXTERNAL
    tensor.external_data.add(key="location", value="../secret")
    x, y = (
        onnx.helper.make_tensor_value_info(name, onnx.TensorProto.FLOAT, [None, 1])
        for name in ("x", "y")
    )
    node = onnx.helper.make_node("Mul", ["x", "w"], ["y"])
    graph = onnx.helper.make_graph([node], "g", [x], [y], initializer=[tensor])
    (fault,) = faults("onnx", onnx.helper.make_model(graph).SerializeToString(), name="m.onnx")
    assert fault.startswith("m.onnx: its tensors lie in other files: 'w'; save it with all")


def test_bytes_that_are_no_graph_are_refused(faults: Callable[..., list[str]]) -> None:
    pytest.importorskip("onnxruntime", reason="the extra onnx is not installed")
    (fault,) = faults("onnx", b"\x08\x07 no graph", name="m.onnx")
    assert fault.startswith("m.onnx: this is no sound ONNX file (")
