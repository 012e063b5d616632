"""The example is real data that a dependency ships, complete and never overwritten."""

from __future__ import annotations

import csv
import io
import json
import subprocess
import sys
from collections import Counter
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray
from PIL import Image, ImageFile
from sklearn.datasets import load_diabetes, load_digits

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


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the folder into which the generator has written its files."""
    folder = tmp_path_factory.mktemp("made")
    subprocess.run([sys.executable, "-B", EXAMPLE / "make_data.py", folder], check=True)
    return folder


def files(folder: Path) -> set[str]:
    return {path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()}


def test_generator_makes_every_data_file_and_no_other(made: Path) -> None:
    by_hand = {"manifest.yaml", "plan.md", "README.md"}
    shipped = {name for name in files(EXAMPLE) if Path(name).suffix not in (".py", ".pyc")}
    assert files(made) == shipped - by_hand


def test_generator_makes_the_shipped_tables(made: Path) -> None:
    for name in sorted(name for name in files(made) if name.endswith(".csv")):
        ours, theirs = ((one / name).read_text("utf-8") for one in (made, EXAMPLE))
        for row, shipped in zip(_rows(ours), _rows(theirs), strict=True):
            for column, value in row.items():
                if column.startswith("risk"):
                    assert float(value) == pytest.approx(float(shipped[column]), abs=2e-6)
                else:
                    assert value == shipped[column]


def test_generator_makes_the_shipped_boxes(made: Path) -> None:
    ours, theirs = ((one / "pipeline" / "truth.json").read_text() for one in (made, EXAMPLE))
    assert json.loads(ours) == json.loads(theirs)


def test_generator_makes_the_shipped_pictures(made: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Pixels are compared, for another zlib may pack them otherwise."""
    monkeypatch.setattr(ImageFile, "LOAD_TRUNCATED_IMAGES", False)  # importing WeasyPrint sets it
    names = sorted(name for name in files(made) if name.endswith(".png"))
    pairs = [(pixels(made / name), pixels(EXAMPLE / name)) for name in names]
    assert sum(ours is None for ours, _ in pairs) == 1
    for ours, theirs in pairs:
        if ours is None or theirs is None:
            assert ours is theirs
        else:
            assert np.array_equal(ours, theirs)


def pixels(path: Path) -> NDArray[np.uint8] | None:
    """Return the pixels of a picture, None if it cannot be read."""
    try:
        with Image.open(path) as picture:
            return np.array(picture)
    except OSError:
        return None


def test_pictures_are_the_digits_of_the_source(made: Path) -> None:
    """Every picture under a source of the data set has its class, and in training its pixels."""
    digits = load_digits()
    rows = _rows((made / "digits" / "images.csv").read_text())
    assert Counter(row["split"] for row in rows) == {"train": 120, "valid": 27, "test": 54}
    for row in (row for row in rows if row["source_id"].startswith("s")):
        at = int(row["source_id"][1:])
        assert row["label"] == str(digits.target[at])
        if row["split"] == "train":
            shown = pixels(made / "digits" / "images" / row["file"])
            assert shown is not None
            assert np.array_equal(shown, digits.images[at] * 15)


def test_example_stays_small(tmp_path: Path) -> None:
    write_example(tmp_path)
    sizes = {name: (tmp_path / name).stat().st_size for name in files(tmp_path)}
    assert sum(size for name, size in sizes.items() if "/" in name) < 600_000
    assert len([name for name in sizes if name.startswith("digits/images/")]) == 201


def test_demo_writes_twice_into_the_same_folder(tmp_path: Path) -> None:
    first = write_example(tmp_path / "demo")
    assert write_example(tmp_path / "demo") == first
    assert not list((tmp_path / "demo").rglob("*.py*"))
    assert (tmp_path / "demo" / "pipeline" / "truth.json").is_file()


def test_demo_refuses_to_overwrite_other_content(tmp_path: Path) -> None:
    write_example(tmp_path)
    (tmp_path / "test.csv").write_text("mine")
    with pytest.raises(RequestError, match=r"test\.csv: exists with other content"):
        write_example(tmp_path)
    assert (tmp_path / "test.csv").read_text() == "mine"


def test_demo_refuses_to_overwrite_in_sub_folders(tmp_path: Path) -> None:
    mine = tmp_path / "digits" / "images.csv"
    mine.parent.mkdir()
    mine.write_text("mine")
    with pytest.raises(RequestError, match=r"images\.csv: exists with other content"):
        write_example(tmp_path)
    assert mine.read_text() == "mine"
    assert not (tmp_path / "manifest.yaml").exists()


def test_demo_says_where_a_folder_stands_in_the_way_of_a_file(tmp_path: Path) -> None:
    (tmp_path / "digits" / "images.csv").mkdir(parents=True)
    with pytest.raises(RequestError, match="name a folder that can be written with -o"):
        write_example(tmp_path)
