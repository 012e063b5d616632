"""Models behind a ColumnTransformer: exported on plain columns, one for each encoded level."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.compose import ColumnTransformer
from sklearn.ensemble import GradientBoostingClassifier, RandomForestClassifier
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LogisticRegression
from sklearn.neural_network import MLPClassifier
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import MinMaxScaler, OneHotEncoder, StandardScaler

from reportgen.errors import RequestError
from reportgen.export_model import model_data
from reportgen.inputs.models import parse_model
from reportgen.stats.robust_models import build_model

RNG = np.random.default_rng(5)
TABLE = pd.DataFrame(
    {
        "age": RNG.normal(50, 9, 150).round(3),
        "site": RNG.choice(["north", "south", "west"], 150),
        "bp": RNG.normal(0, 1, 150).round(3),
        "sex": RNG.integers(1, 3, 150),
    }
)
LABEL = (RNG.random(150) < 1 / (1 + np.exp(-(TABLE.age - 50) / 8 - (TABLE.site == "west")))).astype(
    int
)
MODELS: dict[str, Callable[[], Any]] = {
    "logistic": LogisticRegression,
    "mlp": lambda: MLPClassifier((5,), max_iter=5, random_state=0),
    "forest": lambda: RandomForestClassifier(6, random_state=0),
    "boosting": lambda: GradientBoostingClassifier(n_estimators=8, random_state=0),
}


def behind(model: Any, **encoding: Any) -> Pipeline:
    made = ColumnTransformer(
        [
            ("n", make_pipeline(StandardScaler(), MinMaxScaler()), ["bp", "age"]),
            ("c", OneHotEncoder(**encoding), ["site", "sex"]),
        ]
    )
    return make_pipeline(made, model)


def plain_table() -> pd.DataFrame:
    """Return the columns that the exported model takes, coded by pandas."""
    levels = pd.get_dummies(TABLE[["site", "sex"]].astype(str))
    return pd.concat([TABLE[["bp", "age"]], levels.astype(float)], axis=1)


@pytest.mark.filterwarnings("ignore:Stochastic Optimizer")
@pytest.mark.parametrize("drop", [None, "first", "if_binary"])
@pytest.mark.parametrize("name", MODELS)
def test_the_exported_model_scores_as_the_pipeline_does(name: str, drop: str | None) -> None:
    fitted = behind(MODELS[name](), drop=drop).fit(TABLE, LABEL)
    data = model_data(fitted)
    read = parse_model(data["format"].split("/")[1], data, "model.json")
    model = build_model(read.kind, read.features or (), read.content)
    dropped = {None: set(), "first": {"site_north", "sex_1"}, "if_binary": {"sex_1"}}[drop]
    assert set(model.features) == {*plain_table().columns} - dropped
    score = model.score(plain_table()[list(model.features)].to_numpy())
    assert score == pytest.approx(fitted.predict_proba(TABLE)[:, 1], abs=1e-12)


def test_columns_named_by_place_and_those_passed_through() -> None:
    made = ColumnTransformer([("n", StandardScaler(), [0])], remainder="passthrough")
    numbers = TABLE[["age", "bp", "sex"]].to_numpy()
    fitted = make_pipeline(made, LogisticRegression()).fit(numbers, LABEL)
    data = model_data(fitted)
    assert list(data["coefficients"]) == ["x1", "x2", "x3"]
    assert data["scaling"]["x1"]["mean"] == pytest.approx(TABLE.age.mean())
    assert data["scaling"]["x2"] == {"mean": 0.0, "scale": 1.0}


@pytest.mark.parametrize(
    ("transformers", "told"),
    [
        ([("i", SimpleImputer(), ["age"])], "transformer 'i': .*SimpleImputer"),
        ([("c", OneHotEncoder(min_frequency=60), ["site"])], "'site' that are rare"),
        ([("a", StandardScaler(), ["age"]), ("b", MinMaxScaler(), ["age"])], "'age' is transfor"),
    ],
)
def test_what_is_no_scaling_of_plain_columns_is_refused(transformers: Any, told: str) -> None:
    fitted = make_pipeline(ColumnTransformer(transformers), LogisticRegression()).fit(TABLE, LABEL)
    with pytest.raises(RequestError, match=told):
        model_data(fitted)
