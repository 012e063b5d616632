"""Make the data of this example from the cohort that scikit-learn ships.

    python examples/diabetes/make_data.py [FOLDER]

The data are the diabetes cohort of Efron, Hastie, Johnstone and Tibshirani, "Least angle
regression", Annals of Statistics 32 (2004) 407-499: 442 patients, ten baseline measurements,
disease progression one year later. The digit images and the simulated detections of the integrity
sections come from make_digits.py and make_pipeline.py. Needs reportgen to be installed.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pandas as pd
from make_digits import digit_files
from make_pipeline import pipeline_files
from sklearn.datasets import load_diabetes
from sklearn.ensemble import GradientBoostingClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import train_test_split
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from reportgen.export_model import as_text, model_data

CUT = 200
"""Progression scores above this count as fast progression (27 % of the cohort)."""
SPLIT_SEED = 20261130
FIELD_PATIENTS = 60
FEATURES = ("age", "sex", "bmi", "bp", "s1", "s2", "s3", "s4", "s5", "s6")
AGE_BANDS = ((0, 40, "under 40"), (40, 60, "40 to 59"), (60, 200, "60 and over"))


def example_files() -> dict[str, str]:
    """Return the files, name to text: data, the linear model and the trees."""
    cohort = _cohort()
    fit, field, test = _split(cohort)
    logistic, forest = _fit(fit)
    for part in (field, test):
        part["risk_logistic"] = logistic.predict_proba(part[list(FEATURES)])[:, 1].round(6)
        part["risk_forest"] = forest.predict_proba(part[list(FEATURES)])[:, 1].round(6)
    return {
        "train.csv": fit.to_csv(index=False, lineterminator="\n"),
        "test.csv": test.to_csv(index=False, lineterminator="\n"),
        "field.csv": field.drop(columns="fast_progression").to_csv(
            index=False, lineterminator="\n"
        ),
        "coefficients.json": json.dumps(_linear(logistic), indent=2) + "\n",
        "forest.json": as_text(model_data(forest)),
    }


def _cohort() -> pd.DataFrame:
    frame = load_diabetes(as_frame=True, scaled=False).frame
    frame = frame.astype({"age": int, "sex": int})
    frame.insert(0, "patient_id", [f"P{number:03d}" for number in range(1, len(frame) + 1)])
    frame["age_band"] = [
        next(name for low, high, name in AGE_BANDS if low <= age < high) for age in frame["age"]
    ]
    frame["fast_progression"] = (frame.pop("target") > CUT).astype(int)
    return frame


def _split(cohort: pd.DataFrame) -> tuple[pd.DataFrame, pd.DataFrame, pd.DataFrame]:
    """Return the patients to fit on, those whose outcome is withheld, and the test half."""
    options = {"random_state": SPLIT_SEED}
    first, test = train_test_split(
        cohort, test_size=0.5, stratify=cohort["fast_progression"], **options
    )
    fit, field = train_test_split(
        first, test_size=FIELD_PATIENTS, stratify=first["fast_progression"], **options
    )
    return fit.sort_index().copy(), field.sort_index().copy(), test.sort_index().copy()


def _fit(fit: pd.DataFrame) -> tuple[Any, Any]:
    features, outcome = fit[list(FEATURES)], fit["fast_progression"]
    logistic = make_pipeline(StandardScaler(), LogisticRegression(max_iter=1000))
    forest = GradientBoostingClassifier(
        n_estimators=80, max_depth=2, learning_rate=0.05, subsample=0.8, random_state=SPLIT_SEED
    )
    return logistic.fit(features, outcome), forest.fit(features, outcome)


def _linear(logistic: Any) -> dict[str, Any]:
    """Return the logistic model as plain data: coefficients on standardised measurements."""
    scaler, model = logistic[0], logistic[1]
    return {
        "intercept": round(float(model.intercept_[0]), 12),
        "coefficients": {
            name: round(float(w), 12) for name, w in zip(FEATURES, model.coef_[0], strict=True)
        },
        "link": "logit",
        "scaling": {
            name: {"mean": round(float(m), 12), "scale": round(float(s), 12)}
            for name, m, s in zip(FEATURES, scaler.mean_, scaler.scale_, strict=True)
        },
    }


if __name__ == "__main__":
    target = Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).parent
    tables = {name: text.encode() for name, text in example_files().items()}
    for name, content in (tables | digit_files() | pipeline_files()).items():
        (target / name).parent.mkdir(parents=True, exist_ok=True)
        (target / name).write_bytes(content)
