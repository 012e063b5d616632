"""skops files: types from a list held here, never from the file or the manifest."""

from __future__ import annotations

import warnings

from reportgen.inputs.models.carriers import Opened, of_estimator
from reportgen.inputs.models.settings import ModelSettings
from reportgen.inputs.settings import BinaryLabel
from reportgen.inputs.trouble import FileFaults, few

ALLOWED = (
    "sklearn.calibration._CalibratedClassifier",
    "sklearn.calibration._SigmoidCalibration",
    "sklearn.ensemble._hist_gradient_boosting.predictor.TreePredictor",
    "sklearn.neural_network._stochastic_optimizers.AdamOptimizer",
    "sklearn.tree._tree.Tree",
)
"""Beyond what skops itself trusts: plain containers of arrays that scikit-learn's models hold."""


def open_skops(raw: bytes, settings: ModelSettings, label: BinaryLabel | None = None) -> Opened:
    """Return the model in a skops file.

    Raises
    ------
    FileFaults
        If skops is not installed, the file is none of its, holds a type that is not allowed, or was
        written by another scikit-learn.
    """
    try:
        from skops.io import get_untrusted_types, loads
    except ImportError:
        what = "skops files need the library skops"
        raise FileFaults.one("", what, 'install it: pip install "reportgen[skops]"') from None
    if not raw.startswith(b"PK\x03\x04"):
        what = "this is no skops file; no other format is tried in its place"
        raise FileFaults.one("", what, "write it with skops.io.dump")
    try:
        foreign = sorted(set(get_untrusted_types(data=raw)) - set(ALLOWED))
        if foreign:
            what = f"it holds types that are not allowed: {few(foreign)}"
            raise FileFaults.one("", what, "export it as plain data with reportgen export-model")
        with warnings.catch_warnings():
            warnings.simplefilter("error")  # another version is an error here
            fitted = loads(raw, trusted=list(ALLOWED))
    except FileFaults:
        raise
    except Exception as error:
        first = next(iter(str(error).splitlines()), "")
        what = f"it cannot be opened ({type(error).__name__}: {first})"
        mend = "run with the versions in which the model was fitted"
        raise FileFaults.one("", what, mend) from None
    return of_estimator(fitted, settings, label)
