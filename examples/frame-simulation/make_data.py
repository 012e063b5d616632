"""Make the data of this example: the simulation of a published article, seed 42.

    python examples/frame-simulation/make_data.py [FOLDER]

Patients are split into training and test as the article does it; the model is its standardised
logistic regression, fitted on the training patients. The test patients are written with their
scores and features. Needs reportgen to be installed.
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import pandas as pd
from sklearn.model_selection import train_test_split

from reportgen.stats.worlds import article_model, article_sample

SEED = 42
TEST_SHARE = 0.3


def example_files() -> dict[str, str]:
    """Return the files, name to text."""
    features, positive, minor, unit = article_sample(np.random.default_rng(SEED))
    group = np.where(minor, "minor", "major")
    majors = len(np.unique(unit[~minor]))
    number = np.where(minor, unit - majors, unit)
    patient = np.array([f"{g}_{n:04d}" for g, n in zip(group, number, strict=True)])
    _, test = train_test_split(np.unique(patient), test_size=TEST_SHARE, random_state=SEED)
    held_out = np.isin(patient, test)
    model = article_model(features[~held_out], positive[~held_out])
    frame = pd.DataFrame({"patient_id": patient[held_out], "group": group[held_out]})
    image = frame.groupby("patient_id").cumcount() + 1
    frame.insert(0, "image_id", frame["patient_id"] + "_" + image.astype(str))
    frame["label"] = positive[held_out].astype(int)
    frame["score"] = model(features[held_out]).round(9)
    for column in range(features.shape[1]):
        frame[f"f{column + 1:02d}"] = features[held_out, column].round(6)
    return {"test.csv": frame.to_csv(index=False, lineterminator="\n")}


if __name__ == "__main__":
    target = Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).parent
    for name, text in example_files().items():
        (target / name).write_bytes(text.encode())
