"""Formats that carry code: opened only after `reading` has checked the door and the digest."""

from __future__ import annotations

import hashlib
import importlib
import inspect
import io
import sys
import warnings
from collections.abc import Callable, Mapping
from contextlib import redirect_stdout
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from reportgen.inputs.models.classes import column_of, place_of
from reportgen.inputs.models.settings import ModelSettings
from reportgen.inputs.opening import Digest
from reportgen.inputs.settings import BinaryLabel
from reportgen.inputs.trouble import FileFaults, few


@dataclass(frozen=True)
class Opened:
    """A model that can be asked for scores.

    Attributes
    ----------
    features : tuple of str or None
        Names of its inputs, if it knows them.
    content : mapping
        ``predict`` and ``positive``, as `reportgen.stats.robust_models.opaque_model` takes them.
    source : mapping of text to text
    notes : tuple of str
        What was noticed on opening.
    """

    features: tuple[str, ...] | None
    content: Mapping[str, Any]
    source: Mapping[str, str]
    notes: tuple[str, ...] = field(default=())


def open_pickle(raw: bytes, settings: ModelSettings, label: BinaryLabel | None = None) -> Opened:
    """Return the model in a pickle or joblib file; this runs the code it carries.

    Raises
    ------
    FileFaults
        If it cannot be opened or holds no model of two classes.
    """
    import joblib

    try:
        with warnings.catch_warnings(record=True) as met, redirect_stdout(sys.stderr):
            warnings.simplefilter("always")
            fitted = joblib.load(io.BytesIO(raw))
    except (Exception, SystemExit) as error:
        first = next(iter(str(error).splitlines()), "")
        what = f"it cannot be opened ({type(error).__name__}: {first})"
        mend = "run in the environment, with the versions, in which the model was fitted"
        raise FileFaults.one("", what, mend) from None
    opened = of_estimator(fitted, settings, label)
    said = tuple(dict.fromkeys(str(one.message).splitlines()[0] for one in met))
    return Opened(opened.features, opened.content, opened.source, said)


def open_callable(settings: ModelSettings) -> tuple[Opened, Digest]:
    """Return the function that ``module:function`` names, and the digest of its module's file.

    Raises
    ------
    FileFaults
        If it cannot be imported or is no function.
    """
    module_name, found, name = settings.path.partition(":")
    if not found or not all(p.isidentifier() for p in (*module_name.split("."), name)):
        what = f"{settings.path!r} is no module:function"
        raise FileFaults.one("", what, "write the module, a colon and the function's name")
    try:
        with redirect_stdout(sys.stderr):  # standard output is ours
            module = importlib.import_module(module_name)
            function = getattr(module, name)
    except (Exception, SystemExit) as error:
        what = f"{settings.path} cannot be imported ({type(error).__name__}: {error})"
        raise FileFaults.one("", what, "check its name and PYTHONPATH") from None
    if not callable(function):
        what = f"{settings.path} is {type(function).__name__}, no function"
        raise FileFaults.one("", what, "name a function of an (n, d) array")
    file = inspect.getsourcefile(module) or getattr(module, "__file__", None)
    code = Path(file).read_bytes() if file else b""
    digest = Digest(hashlib.sha256(code).hexdigest(), len(code))
    positive = column_of(settings.positive, "a function")
    return Opened(None, {"predict": function, "positive": positive}, {}), digest


def of_estimator(fitted: Any, settings: ModelSettings, label: BinaryLabel | None = None) -> Opened:
    """Return what a fitted scikit-learn classifier of two classes can be asked.

    Raises
    ------
    FileFaults
        If it gives no probabilities, or not of two classes, or nothing says which is positive.
    """
    name = type(fitted).__name__
    if not callable(getattr(fitted, "predict_proba", None)):
        what = f"it holds {name}, which has no predict_proba"
        raise FileFaults.one("", what, "save a fitted classifier that gives probabilities")
    classes = [str(value) for value in getattr(fitted, "classes_", ())]
    if len(classes) != 2:
        what = f"it tells {len(classes)} classes apart: {few(classes)}"
        raise FileFaults.one("", what, "save a fitted classifier of two classes")
    positive = place_of(classes, settings.positive, label)
    names = getattr(fitted, "feature_names_in_", None)
    features = None if names is None else tuple(str(one) for one in names)
    content = {"predict": _predictor(fitted), "positive": positive}
    return Opened(features, content, {"estimator": name, "positive": classes[positive]})


def _predictor(fitted: Any) -> Callable[[NDArray[np.float64]], Any]:
    def predict(x: NDArray[np.float64]) -> Any:
        with warnings.catch_warnings():
            # Names were compared when the model was read; its columns come in that order.
            warnings.filterwarnings("ignore", message="X does not have valid feature names")
            return fitted.predict_proba(x)

    return predict
