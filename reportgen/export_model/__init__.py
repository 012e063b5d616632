"""A fitted scikit-learn model as plain data that can be read, compared and audited anywhere.

This runs in the user's own environment on the user's own file: joblib and pickle files carry code,
and opening one runs it. An audit later reads the JSON alone. What was written is read back with the
audit's own reader and scored against the fitted model before anything is kept.
"""

from __future__ import annotations

import json
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from reportgen.errors import Fault, InputError, RequestError
from reportgen.export_model.columns import answers, columns_of
from reportgen.export_model.estimators import NotExportable, describe
from reportgen.export_model.probes import probe_points
from reportgen.inputs.models.content import parse_model
from reportgen.stats.robust_models import build_model

AGREEMENT = 1e-12
"""Largest difference from predict_proba that an exported model may show."""
WRITE_ELSEWHERE = "name a file that can be written with -o"


@dataclass(frozen=True)
class Exported:
    """What an export did.

    Attributes
    ----------
    path : pathlib.Path
    kind : str
        "linear", "trees" or "mlp".
    features : tuple of str
    positive : str
        The class whose probability it gives.
    n_probes : int
        Points at which it was scored against the fitted model.
    difference : float
        Largest difference there.
    """

    path: Path
    kind: str
    features: tuple[str, ...]
    positive: str
    n_probes: int
    difference: float


def export_model(source: Path, out: Path, *, positive: str | None = None) -> Exported:
    """Write the fitted model in a joblib or pickle file as JSON.

    Parameters
    ----------
    source : pathlib.Path
        Opening it runs the code it carries: the user's own file, in the user's own environment.
    out : pathlib.Path
        The JSON; overwritten if it is there.
    positive : str, optional
        The class whose probability is exported; may be absent where the classes are 0 and 1, or
        false and true.

    Raises
    ------
    RequestError
        If the file cannot be opened, the estimator is not one of those supported, or the exported
        model does not agree with the fitted one to 1e-12; nothing is written then.
    """
    fitted = _open(source)
    data, features, n_probes, difference = _checked(fitted, str(source), positive)
    try:
        out.write_text(as_text(data), encoding="utf-8")
    except OSError as error:
        raise RequestError([Fault(str(out), str(error.strerror), WRITE_ELSEWHERE)]) from None
    kind = data["format"].split("/")[1]
    return Exported(out, kind, features, data["source"]["positive"], n_probes, difference)


def model_data(
    fitted: Any, *, features: Sequence[str] | None = None, positive: str | None = None
) -> dict[str, Any]:
    """Return a fitted model as plain data, scored against its ``predict_proba``.

    Parameters
    ----------
    fitted : estimator
        A fitted scikit-learn classifier, or a pipeline of scalers, or a ColumnTransformer of
        scalers and one-hot encoders, and one.
    features : sequence of str, optional
        Names of the inputs where the model does not know them.
    positive : str, optional
        As in `export_model`.

    Raises
    ------
    RequestError
        As in `export_model`.
    """
    return _checked(fitted, "the model", positive, features)[0]


def as_text(data: Mapping[str, Any]) -> str:
    """Return plain data as JSON with one line a key, tree and layer, so that versions compare."""
    lines = []
    for key, value in data.items():
        if isinstance(value, list) and value and isinstance(value[0], dict):
            rows = ",\n  ".join(json.dumps(row, ensure_ascii=False) for row in value)
            lines.append(f"{json.dumps(key)}: [\n  {rows}\n ]")
        else:
            lines.append(f"{json.dumps(key)}: {json.dumps(value, ensure_ascii=False)}")
    return "{\n " + ",\n ".join(lines) + "\n}\n"


def _open(source: Path) -> Any:
    import joblib

    if not source.is_file():
        what = "there is no such file"
        raise RequestError([Fault(str(source), what, "name a joblib or pickle file")])
    try:
        with warnings.catch_warnings():
            # A model of another version may load and answer impossible values.
            warnings.filterwarnings("error", message="Trying to unpickle estimator")
            return joblib.load(source)
    except Exception as error:
        first = next(iter(str(error).splitlines()), "")
        what = f"it cannot be opened ({type(error).__name__}: {first})"
        mend = "export in the environment, with the versions, in which the model was fitted"
        raise RequestError([Fault(str(source), what, mend)]) from None


def _checked(
    fitted: Any, where: str, positive: str | None, features: Sequence[str] | None = None
) -> tuple[dict[str, Any], tuple[str, ...], int, float]:
    """Return the plain data, the features, the number of probes and the largest difference."""
    try:
        data = describe(fitted, features=features, positive=positive)
        plain = columns_of(fitted)
        read = parse_model(data["format"].split("/")[1], json.loads(as_text(data)), where)
        model = build_model(read.kind, read.features or (), read.content)
    except NotExportable as error:
        raise RequestError([Fault(where, error.what, error.mend)]) from None
    except InputError as error:
        raise RequestError(error.faults) from None
    points = probe_points(fitted, model, plain)
    column = [str(name) for name in fitted.classes_].index(data["source"]["positive"])
    difference = float(
        np.abs(answers(fitted, plain, points)[:, column] - model.score(points)).max()
    )
    if not difference <= AGREEMENT:
        what = f"the exported model differs from predict_proba by {difference:.3g}"
        mend = f"more than {AGREEMENT:g} is refused; please report the estimator and its settings"
        raise RequestError([Fault(where, what, mend)])
    return data, model.features, len(points), difference
