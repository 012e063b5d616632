"""ONNX graphs: run from memory on one thread, never with tensors from other files."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from reportgen.inputs.models.carriers import Opened
from reportgen.inputs.models.classes import column_of
from reportgen.inputs.models.settings import ModelSettings
from reportgen.inputs.settings import BinaryLabel
from reportgen.inputs.trouble import FileFaults, few


def open_onnx(
    raw: bytes,
    settings: ModelSettings,
    label: BinaryLabel | None = None,  # noqa: ARG001 (a graph does not name its classes)
) -> Opened:
    """Return the model in an ONNX file.

    Raises
    ------
    FileFaults
        If onnx or onnxruntime is not installed, the file is none, names external data, or does not
        take one matrix and give probabilities.
    """
    try:
        import onnx
        import onnxruntime
    except ImportError:
        what = "ONNX files need the libraries onnx and onnxruntime"
        raise FileFaults.one("", what, 'install them: pip install "reportgen[onnx]"') from None
    try:
        graph = onnx.load_model_from_string(raw)
        outside = sorted(set(_external(graph.graph, onnx)))
        if outside:
            what = f"its tensors lie in other files: {few(outside)}"
            raise FileFaults.one("", what, "save it with all tensors in the one file")
        onnx.checker.check_model(graph)
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = options.inter_op_num_threads = 1
        session = onnxruntime.InferenceSession(
            raw, sess_options=options, providers=["CPUExecutionProvider"]
        )
    except FileFaults:
        raise
    except Exception as error:
        first = next(iter(str(error).splitlines()), "")
        what = f"this is no sound ONNX file ({type(error).__name__}: {first})"
        raise FileFaults.one("", what, "export it anew") from None
    positive = column_of(settings.positive, "an ONNX graph")
    source = {"producer": f"{graph.producer_name} {graph.producer_version}".strip()}
    content = {"predict": _predictor(session), "positive": positive}
    return Opened(None, content, source)


def _external(graph: Any, onnx: Any) -> Iterator[str]:
    """Yield the names of tensors that are kept outside of the file, subgraphs included."""
    tensors = list(graph.initializer)
    tensors += [part for one in graph.sparse_initializer for part in (one.values, one.indices)]
    for node in graph.node:
        for attribute in node.attribute:
            tensors += [attribute.t, *attribute.tensors]
            for inner in (attribute.g, *attribute.graphs):
                yield from _external(inner, onnx) if inner.ByteSize() else ()
    for tensor in tensors:
        if tensor.external_data or tensor.data_location == onnx.TensorProto.EXTERNAL:
            yield tensor.name or "a tensor without a name"


def _predictor(session: Any) -> Callable[[NDArray[np.float64]], Any]:
    taken = session.get_inputs()
    if len(taken) != 1 or not any(kind in taken[0].type for kind in ("float", "double")):
        types = few([f"{one.name}: {one.type}" for one in taken])
        what = f"the graph takes {types}, not one matrix of numbers"
        raise FileFaults.one("", what, "export it with one float input of shape (n, features)")
    kind = np.float64 if "double" in taken[0].type else np.float32
    given = session.get_outputs()
    floats = [one.name for one in given if one.type in ("tensor(float)", "tensor(double)")]
    likely = [name for name in floats if "prob" in name.lower()] or floats
    if len(likely) != 1:
        types = few([f"{one.name}: {one.type}" for one in given])
        what = f"the graph gives {types}; which are the probabilities is not plain"
        raise FileFaults.one("", what, "export it with one float output (zipmap=False)")

    def predict(x: NDArray[np.float64]) -> Any:
        return session.run(likely, {taken[0].name: x.astype(kind)})[0]

    return predict
