"""Every published count of article 003 with its exact interval."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import pytest

from reportgen.sections.integrity.records import share_of


def test_published_counts_have_their_exact_intervals(shared: Path) -> None:
    """Rates and Clopper-Pearson limits of reference.json, to its six digits."""
    folder = shared / "data/integrity"
    right = json.loads((folder / "reference.json").read_text())["oral_app"]["counts"]
    with (folder / "oral_app/published_counts.csv").open() as file:
        rows = list(csv.DictReader(file))
    assert {row["id"] for row in rows} == set(right)
    for row in rows:
        found = share_of(int(row["k"]), int(row["n"]), confidence=0.95)
        known = right[row["id"]]
        assert (int(row["k"]), int(row["n"])) == (known["k"], known["n"])
        assert found.estimate == pytest.approx(known["rate"], abs=6e-7)
        limits = (found.low, found.high)
        assert limits == pytest.approx(tuple(known["clopper_pearson_95"]), abs=6e-7), row["id"]
