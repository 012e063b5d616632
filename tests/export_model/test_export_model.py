"""Exported models give the fitted models' probabilities, to the last split."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import joblib
import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner
from numpy.typing import NDArray
from sklearn.base import BaseEstimator
from sklearn.datasets import make_classification
from sklearn.decomposition import PCA
from sklearn.ensemble import (
    ExtraTreesClassifier,
    GradientBoostingClassifier,
    HistGradientBoostingClassifier,
    RandomForestClassifier,
)
from sklearn.linear_model import LogisticRegression
from sklearn.neural_network import MLPClassifier
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import MaxAbsScaler, MinMaxScaler, RobustScaler, StandardScaler
from sklearn.svm import SVC
from sklearn.tree import DecisionTreeClassifier, ExtraTreeClassifier

from reportgen.cli import main
from reportgen.errors import RequestError
from reportgen.export_model import export_model, model_data
from reportgen.export_model.estimators import MAKERS
from reportgen.inputs.models import parse_model
from reportgen.stats.robust_models import Model, TreeEnsemble, build_model

Floats = NDArray[np.float64]
UNITS = np.array([1.0, 10.0, 1e3, 1e-3, 1.0, 1.0])
ORIGINS = np.array([0.0, 5.0, 100.0, 0.0, -3.0, 1.0])

MODELS: dict[str, Callable[[], Any]] = {
    "logistic": lambda: LogisticRegression(max_iter=5000),
    "mlp relu": lambda: MLPClassifier((8, 4), max_iter=5, random_state=0),
    "mlp logistic": lambda: MLPClassifier((6,), activation="logistic", max_iter=5, random_state=0),
    "mlp tanh": lambda: MLPClassifier((6,), activation="tanh", max_iter=5, random_state=0),
    "tree": lambda: DecisionTreeClassifier(max_depth=6, random_state=0),
    "random tree": lambda: ExtraTreeClassifier(max_depth=6, random_state=0),
    "forest": lambda: RandomForestClassifier(8, random_state=0),
    "extra trees": lambda: ExtraTreesClassifier(8, random_state=0),
    "boosting": lambda: GradientBoostingClassifier(n_estimators=12, random_state=0),
    "boosting from zero": lambda: GradientBoostingClassifier(
        n_estimators=5, init="zero", random_state=0
    ),
    "histogram": lambda: HistGradientBoostingClassifier(max_iter=12, random_state=0),
}
TREES = [name for name in MODELS if name != "logistic" and not name.startswith("mlp")]
SCALERS: dict[str, Callable[[], list[Any]]] = {
    "alone": list,
    "standard": lambda: [StandardScaler()],
    "minmax": lambda: [MinMaxScaler((-1, 2))],
    "maxabs": lambda: [MaxAbsScaler()],
    "robust": lambda: [RobustScaler()],
    "two": lambda: [StandardScaler(with_mean=False), "passthrough", MinMaxScaler()],
}


def data(n: int = 500) -> tuple[Floats, NDArray[np.intp]]:
    x, y = make_classification(n, 6, n_informative=4, random_state=0)
    return x * UNITS + ORIGINS, y


def fit(model: str, scaler: str = "alone") -> tuple[Any, Floats]:
    x, y = data()
    steps = [*SCALERS[scaler](), MODELS[model]()]
    pipe = Pipeline([(str(k), step) for k, step in enumerate(steps)]) if steps[1:] else steps[0]
    with pytest.warns() if model.startswith("mlp") else _nothing():
        fitted = pipe.fit(x[:300], y[:300])
    return fitted, x[300:]


class _nothing:  # noqa: N801
    def __enter__(self) -> None: ...

    def __exit__(self, *args: object) -> None: ...


def exported(fitted: Any, **options: Any) -> Model:
    made = model_data(fitted, **options)
    read = parse_model(made["format"].split("/")[1], json.loads(json.dumps(made)), "m.json")
    return build_model(read.kind, read.features or (), read.content)


@pytest.mark.parametrize("scaler", SCALERS)
@pytest.mark.parametrize("name", MODELS)
def test_every_estimator_comes_back_alone_and_behind_scalers(name: str, scaler: str) -> None:
    fitted, x = fit(name, scaler)
    theirs = fitted.predict_proba(x)
    np.testing.assert_allclose(exported(fitted).score(x), theirs[:, 1], rtol=0, atol=1e-12)
    other = exported(fitted, positive="0").score(x)
    np.testing.assert_allclose(other, theirs[:, 0], rtol=0, atol=1e-12)


@pytest.mark.parametrize("scaler", ["alone", "standard", "two"])
@pytest.mark.parametrize("name", TREES)
def test_trees_split_at_the_very_same_number(name: str, scaler: str) -> None:
    """The last double that goes left and the first that goes right, of every threshold."""
    fitted, x = fit(name, scaler)
    model = exported(fitted)
    assert isinstance(model, TreeEnsemble)
    inner = np.flatnonzero(model.forest.feature >= 0)
    at = model.forest.threshold[inner]
    for value in (at, np.nextafter(at, np.inf), np.nextafter(at, -np.inf)):
        points = x[np.arange(len(inner)) % len(x)]
        points[np.arange(len(inner)), model.forest.feature[inner]] = value
        theirs = fitted.predict_proba(points)[:, 1]
        np.testing.assert_allclose(model.score(points), theirs, rtol=0, atol=1e-12)


def test_single_precision_moves_a_threshold_of_a_tree() -> None:
    """0.1 is not a float32: what lies beside it in double precision is one number to a tree."""
    x = np.array([[0.0], [0.2], [0.0], [0.2]])
    fitted = DecisionTreeClassifier().fit(x, [0, 1, 0, 1])
    threshold = float(fitted.tree_.threshold[0])
    (tree,) = model_data(fitted)["trees"]
    between = (threshold + tree["threshold"][0]) / 2
    assert threshold < between < tree["threshold"][0]
    assert fitted.predict([[between]])[0] == 0


@pytest.mark.parametrize("name", ["tree", "forest", "extra trees", "histogram"])
@pytest.mark.parametrize("seen", [True, False])
def test_missing_values_take_the_fitted_side(name: str, seen: bool) -> None:
    x, y = data()
    x[:, 2] = np.abs(x[:, 2])
    holes = np.where(np.random.default_rng(1).random(x.shape) < 0.15, np.nan, x)
    fitted = MODELS[name]().fit(holes if seen else x, y)
    model = exported(fitted)
    np.testing.assert_allclose(
        model.score(holes), fitted.predict_proba(holes)[:, 1], rtol=0, atol=1e-12
    )


def test_names_come_from_the_table_it_was_fitted_on() -> None:
    x, y = data()
    table = pd.DataFrame(x, columns=["a", "b", "c", "d", "e", "f"])
    made = model_data(make_pipeline(StandardScaler(), LogisticRegression()).fit(table, y))
    assert list(made["coefficients"]) == list("abcdef")
    assert list(model_data(fit("tree")[0])["features"]) == ["x1", "x2", "x3", "x4", "x5", "x6"]
    assert model_data(fit("tree")[0], features=list("uvwxyz"))["features"] == list("uvwxyz")
    assert made["source"]["estimator"] == "StandardScaler > LogisticRegression"
    assert made["source"]["positive"] == "1"


class Sum(BaseEstimator):  # type: ignore[misc]
    """Behaves as a logistic regression would, and is none."""


def _fit(model: Any, *, classes: int = 2) -> Any:
    x, y = data(200)
    return model.fit(x, y if classes == 2 else np.arange(200) % classes)


def _categories() -> Any:
    x, y = data(200)
    coded = np.column_stack([x[:, 0], np.arange(200) % 4])
    return HistGradientBoostingClassifier(categorical_features=[1]).fit(coded, y)


def _named() -> Any:
    x, y = data(200)
    return LogisticRegression(max_iter=5000).fit(x, np.where(y == 1, "ill", "fit"))


CLIP = MinMaxScaler(clip=True)
REFUSED: list[tuple[Callable[[], Any], str]] = [
    (lambda: _fit(make_pipeline(PCA(3), LogisticRegression())), "the pipeline has the step PCA"),
    (lambda: _fit(make_pipeline(CLIP, LogisticRegression())), "MinMaxScaler clips, so it is not"),
    (lambda: _fit(DecisionTreeClassifier(), classes=3), "the model tells 3 classes apart: 0, 1, 2"),
    (LogisticRegression, "the model is not fitted"),
    (lambda: _fit(SVC()), "SVC cannot be written as plain data"),
    (Sum, "Sum cannot be written as plain data"),
    (lambda: _fit(GradientBoostingClassifier(loss="exponential", n_estimators=3)),
     "it was fitted with the loss 'exponential'"),
    (lambda: _fit(GradientBoostingClassifier(init=DecisionTreeClassifier(), n_estimators=3)),
     "boosting starts from DecisionTreeClassifier"),
    (_categories, "it splits on categorical features"),
    (_named, "it tells 'fit' and 'ill' apart, and neither is named positive"),
]  # fmt: skip


@pytest.mark.parametrize(("fitted", "said"), REFUSED)
def test_what_cannot_be_exported_is_refused_with_its_reason(
    fitted: Callable[[], Any], said: str
) -> None:
    with pytest.raises(RequestError) as caught:
        model_data(fitted())
    assert caught.value.faults[0].what.startswith(said)


def test_classes_by_name_are_exported_as_stated() -> None:
    assert model_data(_named(), positive="fit")["source"]["positive"] == "fit"


def test_a_model_that_disagrees_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    class Rounded(LogisticRegression):  # type: ignore[misc]
        def predict_proba(self, x: Any) -> Any:
            return super().predict_proba(x).round(3)

    monkeypatch.setitem(MAKERS, Rounded, MAKERS[LogisticRegression])
    with pytest.raises(RequestError, match=r"differs from predict_proba by 0\.000"):
        model_data(_fit(Rounded(max_iter=5000)))


def test_command_writes_a_file_that_can_be_read(tmp_path: Path) -> None:
    fitted, x = fit("boosting", "standard")
    joblib.dump(fitted, tmp_path / "m.joblib")
    out = tmp_path / "model.json"
    ran = CliRunner().invoke(main, ["export-model", str(tmp_path / "m.joblib"), "-o", str(out)])
    assert ran.exit_code == 0, ran.output
    assert ran.stdout.strip() == str(out)
    assert "trees model of 6 features, probability of class 1: differs" in ran.stderr
    read = parse_model("trees", json.loads(out.read_text()), "model.json")
    model = build_model(read.kind, read.features or (), read.content)
    np.testing.assert_allclose(model.score(x), fitted.predict_proba(x)[:, 1], rtol=0, atol=1e-12)
    first = out.read_bytes()
    export_model(tmp_path / "m.joblib", out)
    assert out.read_bytes() == first


@pytest.mark.parametrize(
    ("name", "said"),
    [("gone.joblib", "there is no such file"), ("text.pkl", "it cannot be opened (")],
)
def test_command_says_what_is_wrong(tmp_path: Path, name: str, said: str) -> None:
    (tmp_path / "text.pkl").write_text("no model")
    out = tmp_path / "model.json"
    ran = CliRunner().invoke(main, ["export-model", str(tmp_path / name), "-o", str(out)])
    assert ran.exit_code == 2
    assert said in ran.stderr
    assert not out.exists()


def test_help_says_that_opening_runs_code() -> None:
    ran = CliRunner().invoke(main, ["export-model", "--help"])
    assert "RUNS THE CODE IT CARRIES" in ran.output
