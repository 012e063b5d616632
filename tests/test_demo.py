"""The example is real data that a dependency ships, complete and never overwritten."""

from __future__ import annotations

import csv
import io
import subprocess
import sys
from pathlib import Path

import pytest
from sklearn.datasets import load_diabetes

from reportgen.demo import write_example
from reportgen.errors import RequestError

EXAMPLE = Path(__file__).resolve().parents[1] / "examples" / "diabetes"


def _rows(text: str) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(text)))


def test_example_rows_are_the_patients_of_the_cohort() -> None:
    frame = load_diabetes(as_frame=True, scaled=False).frame
    seen = []
    for name in ("train.csv", "test.csv", "field.csv"):
        for row in _rows((EXAMPLE / name).read_text(encoding="utf-8")):
            number = int(row["patient_id"].removeprefix("P"))
            patient = frame.iloc[number - 1]
            seen.append(number)
            assert float(row["bmi"]) == patient["bmi"]
            assert int(row["age"]) == patient["age"]
            if "fast_progression" in row:
                assert int(row["fast_progression"]) == int(patient["target"] > 200)
    assert sorted(seen) == list(range(1, 443))


def test_generator_makes_the_shipped_files(tmp_path: Path) -> None:
    subprocess.run([sys.executable, EXAMPLE / "make_data.py", tmp_path], check=True)
    for made in sorted(tmp_path.iterdir()):
        shipped = (EXAMPLE / made.name).read_text(encoding="utf-8")
        if made.suffix != ".csv":
            continue
        for ours, theirs in zip(_rows(made.read_text()), _rows(shipped), strict=True):
            for column, value in ours.items():
                if column.startswith("risk"):
                    assert float(value) == pytest.approx(float(theirs[column]), abs=2e-6)
                else:
                    assert value == theirs[column]


def test_demo_writes_twice_into_the_same_folder(tmp_path: Path) -> None:
    first = write_example(tmp_path / "demo")
    assert write_example(tmp_path / "demo") == first
    assert not list((tmp_path / "demo").glob("*.py"))


def test_demo_refuses_to_overwrite_other_content(tmp_path: Path) -> None:
    write_example(tmp_path)
    (tmp_path / "test.csv").write_text("mine")
    with pytest.raises(RequestError, match=r"test\.csv: exists with other content"):
        write_example(tmp_path)
    assert (tmp_path / "test.csv").read_text() == "mine"
