"""The fairness data: real scores with patients and groups."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from reportgen.stats.subgroups.study import Study, arrange

Entry = dict[str, Any]


@pytest.fixture(scope="session")
def fairness(shared: Path) -> Path:
    return shared / "data" / "fairness"


@pytest.fixture(scope="session")
def reference(fairness: Path) -> dict[str, Any]:
    loaded: dict[str, Any] = json.loads((fairness / "reference.json").read_text())
    return loaded


@pytest.fixture(scope="session")
def tables(fairness: Path) -> dict[str, pd.DataFrame]:
    """Return both tables with the age bands of the README."""
    nih = pd.read_csv(fairness / "nih_cxr14_chexnet.csv")
    band = np.where(nih["age"] < 40, "<40", np.where(nih["age"] < 60, "40-59", ">=60"))
    nih["age_band"], nih["sex_x_age"] = band, nih["sex"] + "|" + band
    papila = pd.read_csv(fairness / "papila_eyes.csv")
    papila["age_band"] = np.where(papila["age"] < 60, "<60", ">=60")
    papila["sex_code"] = papila["sex_code"].astype(str)
    return {"nih_cxr14_chexnet.csv": nih, "papila_eyes.csv": papila}


Arranged = Callable[[str, str, str, str], tuple[Study, list[str]]]


@pytest.fixture(scope="session")
def arranged(tables: dict[str, pd.DataFrame]) -> Arranged:
    """Return a function from file, label, score and attribute to the study and its group names."""

    def make(file: str, label: str, score: str, attribute: str) -> tuple[Study, list[str]]:
        table = tables[file]
        names = sorted(table[attribute].unique())
        level = table[attribute].map({name: k for k, name in enumerate(names)})
        study = arrange(
            table[label] == 1, table[score], level, table["patient_id"], n_levels=len(names)
        )
        return study, names

    return make
