"""Formats that carry code stay shut until the user opens the door and pins the file."""

from __future__ import annotations

import hashlib
import pickle
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sklearn.linear_model import LinearRegression, LogisticRegression

from reportgen.inputs.models import Doors, ReadModel
from reportgen.stats.robust_models import build_model, largest_difference

OPEN = Doors(pickle=True, code=True)
X = np.random.default_rng(1).normal(size=(60, 2))
Y = np.where(X[:, 0] + X[:, 1] > 0, "ill", "fit")


class Trap:
    """A pickle that makes a file when it is opened."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def __reduce__(self) -> tuple[Any, ...]:
        return Path.touch, (self.path,)


@pytest.fixture
def trap(tmp_path: Path) -> tuple[bytes, Path]:
    sprung = tmp_path / "sprung"
    return pickle.dumps(Trap(sprung)), sprung


def sha(raw: bytes) -> str:
    return hashlib.sha256(raw).hexdigest()


def test_the_trap_springs_when_it_is_opened(trap: tuple[bytes, Path]) -> None:
    raw, sprung = trap
    pickle.loads(raw)
    assert sprung.exists()


@pytest.mark.parametrize(
    ("doors", "pin", "said"),
    [
        (Doors(), True, "sections[0].model.pickle: m.pkl is a pickle: opening it runs the code"),
        (Doors(code=True), True, "sections[0].model.pickle: m.pkl is a pickle: opening it runs"),
        (OPEN, False, "sections[0].model.pickle: m.pkl is a pickle without its sha256; it was not"),
        (OPEN, "0" * 64, "sections[0].model.sha256: m.pkl has the SHA-256"),
    ],
)
def test_pickle_is_refused_without_being_opened(
    faults: Callable[..., list[str]],
    trap: tuple[bytes, Path],
    doors: Doors,
    pin: bool | str,
    said: str,
) -> None:
    raw, sprung = trap
    keys = {"sha256": sha(raw) if pin is True else pin} if pin else {}
    (fault,) = faults("pickle", raw, name="m.pkl", doors=doors, **keys)
    assert fault.startswith(f"m.yaml:1: {said}")
    assert not sprung.exists()


@pytest.mark.parametrize(("kind", "name"), [("linear", "m.json"), ("trees", "m.json"),
                                            ("mlp", "m.json"), ("linear", "m.csv"),
                                            ("trees", "m.pkl"), ("skops", "m.skops"),
                                            ("onnx", "m.onnx")])  # fmt: skip
def test_a_pickle_under_another_name_is_not_opened(
    faults: Callable[..., list[str]], trap: tuple[bytes, Path], kind: str, name: str
) -> None:
    raw, sprung = trap
    faults(kind, raw, name=name, doors=OPEN, sha256=sha(raw))
    assert not sprung.exists()


def test_pinned_pickle_behind_the_open_door_scores(read: Callable[..., ReadModel]) -> None:
    fitted = LogisticRegression().fit(X, Y)
    raw = pickle.dumps(fitted)
    keys = {"sha256": sha(raw), "features": ["a", "b"], "positive": "ill"}
    got = read("pickle", raw, name="m.pkl", doors=OPEN, **keys)
    assert got.runs_code
    assert got.source == {"estimator": "LogisticRegression", "positive": "ill"}
    model = build_model(got.kind, got.features or (), got.content)
    assert not model.certifiable
    assert largest_difference(model, X, fitted.predict_proba(X)[:, 1]) == 0


def test_class_order_is_read_from_the_model(read: Callable[..., ReadModel]) -> None:
    fitted = LogisticRegression().fit(X, Y)
    raw, keys = pickle.dumps(fitted), {"features": ["a", "b"], "positive": "fit"}
    got = read("pickle", raw, name="m.pkl", doors=OPEN, sha256=sha(raw), **keys)
    model = build_model(got.kind, got.features or (), got.content)
    assert largest_difference(model, X, fitted.predict_proba(X)[:, 0]) == 0


@pytest.mark.parametrize(
    ("y", "label", "column"),
    [
        (Y == "ill", None, 1),
        ((Y == "ill") * 1.0, None, 1),
        (Y, {"column": "y", "positive": "fit"}, 0),
        (Y, {"column": "y", "positive": "ill", "negative": "fit"}, 1),
        ((Y == "ill") * 1, {"column": "y", "positive": "0"}, 0),
        ((Y == "ill") * 1, {"column": "y", "positive": "malignant"}, 1),
        ((Y == "ill") * 1, {"column": "y", "positive": 0, "negative": 2}, 1),
    ],
)
def test_the_positive_class_is_that_of_the_label_or_1(
    read: Callable[..., ReadModel], y: Any, label: Any, column: int
) -> None:
    fitted = LogisticRegression().fit(X, y)
    raw = pickle.dumps(fitted)
    got = read("pickle", raw, name="m.pkl", doors=OPEN, label=label, sha256=sha(raw))
    model = build_model(got.kind, ("a", "b"), got.content)
    assert largest_difference(model, X, fitted.predict_proba(X)[:, column]) == 0


def test_classes_by_other_names_are_not_told_apart_by_their_order(
    faults: Callable[..., list[str]],
) -> None:
    raw = pickle.dumps(LogisticRegression().fit(X, Y))
    for label in (None, {"column": "y", "positive": "ill", "negative": "well"}):
        (fault,) = faults("pickle", raw, name="m.pkl", doors=OPEN, label=label, sha256=sha(raw))
        assert fault == (
            "m.pkl: it tells 'fit', 'ill' apart, and nothing says which is the positive class; "
            "say positive: fit or positive: ill beside the file"
        )


@pytest.mark.parametrize(
    ("fitted", "keys", "said"),
    [
        (LinearRegression().fit(X, X[:, 0]), {}, "m.pkl: it holds LinearRegression, which has no"),
        ({"a": 1}, {}, "m.pkl: it holds dict, which has no predict_proba"),
        (LogisticRegression().fit(X, Y), {"positive": "dead"}, "m.pkl: the model has no class"),
        (LogisticRegression().fit(X, np.arange(60) % 3), {}, "m.pkl: it tells 3 classes apart"),
    ],
)
def test_what_gives_no_probability_of_two_classes_is_refused(
    faults: Callable[..., list[str]], fitted: Any, keys: dict[str, Any], said: str
) -> None:
    raw = pickle.dumps(fitted)
    (fault,) = faults("pickle", raw, name="m.pkl", doors=OPEN, sha256=sha(raw), **keys)
    assert fault.startswith(said)


def test_damaged_pickle_is_a_fault(faults: Callable[..., list[str]]) -> None:
    raw = pickle.dumps(LogisticRegression().fit(X, Y))[:-20]
    (fault,) = faults("pickle", raw, name="m.joblib", doors=OPEN, sha256=sha(raw))
    assert fault.startswith("m.joblib: it cannot be opened (")


MODULE = """
from pathlib import Path
Path(__file__).with_name("imported").touch()
def risk(x):
    return 1 / (1 + 2.718281828459045 ** -x[:, 0])
number = 3
"""


def test_code_is_not_imported_before_the_door_is_open(
    faults: Callable[..., list[str]],
    read: Callable[..., ReadModel],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    (tmp_path / "a_users_model.py").write_text(MODULE)
    monkeypatch.syspath_prepend(str(tmp_path))
    settings = "a_users_model:risk"
    (fault,) = faults("callable", b"", name=settings, doors=Doors(pickle=True))
    assert "is code, and was not imported" in fault
    assert not (tmp_path / "imported").exists()
    got = read("callable", b"", name=settings, doors=OPEN, features=["a", "b"])
    assert (tmp_path / "imported").exists()
    assert got.runs_code
    assert got.sha256 == sha(MODULE.encode())
    model = build_model(got.kind, got.features or (), got.content)
    np.testing.assert_allclose(model.score(X), 1 / (1 + np.exp(-X[:, 0])), rtol=1e-12)
    (fault,) = faults("callable", b"", name="a_users_model:number", doors=OPEN)
    assert "is int, no function" in fault
    (fault,) = faults("callable", b"", name="a_users_model.risk", doors=OPEN)
    assert "is no module:function" in fault
    (fault,) = faults("callable", b"", name="a_users_model:cure", doors=OPEN)
    assert "cannot be imported (AttributeError" in fault


@pytest.mark.parametrize(("kind", "name"), [("onnx", "m.onnx"), ("skops", "m.skops")])
def test_what_an_extra_reads_says_how_to_install_it(
    faults: Callable[..., list[str]], kind: str, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    for library in ("onnx", "onnxruntime", "skops", "skops.io"):
        monkeypatch.setitem(__import__("sys").modules, library, None)
    (fault,) = faults(kind, b"PK\x03\x04", name=name)
    assert f'pip install "reportgen[{kind}]"' in fault
