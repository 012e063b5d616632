"""A table is the same table as text and as parquet: catalogue D05, D16, D18, D38, D58, D59, D61."""

from __future__ import annotations

import io
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from reportgen.errors import InputError
from reportgen.inputs import Inputs

Read = Callable[..., Inputs]
Faults = Callable[..., list[str]]
ROLES: dict[str, Any] = {
    "label": {"column": "y", "positive": 1},
    "scores": {"m": "s"},
    "scale": "score",
    "features": ["f"],
    "bins": {"age": {"edges": [0, 50, 2000]}},
}
CODED = pd.DataFrame(
    {
        "y": [1.0, 0.0, 9.0, 1.0],
        "s": [9.0, 0.2, 0.4, 0.6],
        "f": [1.5, -999.0, 2.5, 3.5],
        "age": [40, 60, 999, 70],
    }
)


def parquet(table: Any) -> bytes:
    handle = io.BytesIO()
    pq.write_table(table if isinstance(table, pa.Table) else pa.Table.from_pandas(table), handle)
    return handle.getvalue()


@pytest.mark.parametrize("kind", ["csv", "parquet"])
def test_declared_codes_are_missing_in_numbers_as_in_text(read: Read, kind: str) -> None:
    content = parquet(CODED) if kind == "parquet" else CODED.to_csv(index=False)
    codes = ["", "-999", "999", "9"]
    inputs = read(content, name=f"t.{kind}", **ROLES, missing=codes)
    table = inputs.tables["test"]
    nan = np.nan
    assert table.label is not None
    np.testing.assert_array_equal(table.label, [1, 0, nan, 1])
    np.testing.assert_array_equal(table.scores["m"], [nan, 0.2, 0.4, 0.6])
    np.testing.assert_array_equal(table.features["f"], [1.5, nan, 2.5, 3.5])
    assert table.groups["age"].tolist() == ["[0, 50)", "[50, 2000)", "", "[50, 2000)"]
    left_out = {one.reason: one.k for one in inputs.records[0].left_out}
    assert left_out == {"label missing": 1, "score of m missing": 1}


def test_infinite_numbers_may_be_declared_missing(read: Read, faults: Faults) -> None:
    content = parquet(pd.DataFrame({"s": [0.5, np.inf, -np.inf]}))
    lines = faults(content, name="t.parquet", scores={"m": "s"})
    assert 'say missing: ["", "inf"]' in lines[0]
    declared = {"scores": {"m": "s"}, "missing": ["", "inf", "-inf"]}
    assert read(content, name="t.parquet", **declared).records[0].read == 1


def test_the_mend_of_a_code_keeps_the_codes_that_are_declared(faults: Faults) -> None:
    label = {"column": "y", "positive": 1}
    (line,) = faults("y\n1\n0\n9.0\n", label=label, missing=["", "NA"])
    assert 'missing: ["", "NA", "9"]' in line
    (line,) = faults("y,s\n1,1\n0,1\n,1\n", label=label, missing=["NA"])
    assert "the empty cell is not declared missing" in line
    assert 'say missing: ["NA", ""]' in line


@pytest.mark.parametrize("roles", ["label", "event"])
def test_an_empty_cell_is_never_the_other_class(faults: Faults, roles: str) -> None:
    label = {"column": "y", "positive": 1}
    if roles == "event":
        label = {"event": "y", "positive": 1, "time": "t", "at": 1}
    (line,) = faults("y,t\n1,1\n,2\n", label=label, missing=["NA"])
    assert line.startswith("test.csv:3: column 'y': the cell is empty")


@pytest.mark.parametrize("width", [pa.float16(), pa.float32(), pa.float64()])
def test_floats_of_any_width_are_the_decimals_they_were_written_from(
    read: Read, faults: Faults, width: Any
) -> None:
    kept = [0.7, 0.2, 0.3, None, 0.1]
    cells = pa.array(np.array([one or np.nan for one in kept], width.to_pandas_dtype()), width)
    content = parquet(pa.table({"s": cells, "g": cells}))
    table = read(content, name="t.parquet", scores={"m": "s"}, groups=["g"]).tables["test"]
    np.testing.assert_array_equal(table.scores["m"], [0.7, 0.2, 0.3, np.nan, 0.1])
    assert table.groups["g"].tolist() == ["0.7", "0.2", "0.3", "", "0.1"]
    outside = pa.table({"s": pa.array(np.array([1.1], width.to_pandas_dtype()), width)})
    assert (
        "'1.1'"
        in faults(parquet(outside), name="t.parquet", label={"column": "s", "positive": 1})[0]
    )


def test_ids_that_are_whole_numbers_are_their_digits(read: Read) -> None:
    frame = pd.DataFrame({"u": [12.0, np.nan, 2.0**53 - 1], "k": [1.0, 2.0, 3.0], "s": [0.1] * 3})
    inputs = read(parquet(frame), name="t.parquet", unit="u", key="k", scores={"m": "s"})
    unit = inputs.tables["test"].unit
    assert unit is not None
    assert unit.tolist() == ["12", "", "9007199254740991"]


@pytest.mark.parametrize(
    ("cells", "width"),
    [([1e19, 1e19 + 2048], pa.float64()), ([2.0**53], pa.float64()), ([2.0**24], pa.float32())],
)
def test_ids_that_floats_cannot_tell_apart_are_refused(
    faults: Faults, cells: list[float], width: Any
) -> None:
    content = parquet(pa.table({"u": pa.array(cells, width)}))
    (line,) = faults(content, name="t.parquet", unit="u")
    assert "column 'u'" in line
    assert "ids run together" in line
    assert line.endswith("export the ids as text")


def test_ids_of_two_files_meet_as_text_and_as_floats(read: Read, tmp_path: Path) -> None:
    pd.DataFrame({"k": [1.0, 2.0], "x": [5.0, 6.0]}).to_parquet(tmp_path / "f.parquet")
    inputs = read("k,s\n2,.1\n1,.2\n", key="k", features={"path": "f.parquet", "key": "k"})
    assert inputs.tables["test"].features["x"].tolist() == [6, 5]
    pd.DataFrame({"u": [12.0, np.nan], "x": [5.0, 6.0]}).to_parquet(tmp_path / "train.parquet")
    train = {"path": "train.parquet", "features": ["x"], "unit": "u"}
    table = read("u,x\n12,1\n3,2\n", unit="u", features=["x"], train=train).tables["test"]
    assert table.train is not None
    assert table.train.unit is not None
    assert table.train.unit.tolist() == ["12", ""]


def test_categories_without_rows_are_groups(read: Read) -> None:
    cells = pd.Categorical(["b", "a"] * 2, categories=["b", "a", "c", "NA"])
    frame = pd.DataFrame({"g": cells, "s": [0.1] * 4})
    declared: dict[str, Any] = {"groups": ["g"], "missing": ["", "NA"]}
    table = read(parquet(frame), name="t.parquet", **declared).tables["test"]
    assert table.levels == {"g": ("b", "a", "c")}
    declared = {"g": {"one": ["a"], "rest": ["b", "c"]}}
    merged = read(parquet(frame), name="t.parquet", groups=["g"], levels=declared)
    assert merged.tables["test"].levels == {"g": ("one", "rest")}
    dates = pd.DataFrame({"g": pd.Categorical(pd.to_datetime(["2024-05-06"]))})
    with pytest.raises(InputError, match="timestamp"):
        read(parquet(dates), name="t.parquet", groups=["g"])


def test_rows_repeat_in_their_lists_too(read: Read) -> None:
    table = pa.table({"s": [0.1, 0.1, 0.1, 0.2], "v": [[1, 2], [1, 2], [3], [1, 2]]})
    (record,) = read(parquet(table), name="t.parquet", scores={"m": "s"}).records
    assert record.quality is not None
    assert record.quality.repeats == 1
    alone = pa.table({"v": [{"a": 1}, {"a": 2}, {"a": 1}]})
    (record,) = read(parquet(alone), name="t.parquet").records
    assert record.quality is not None
    assert record.quality.repeats == 1


def test_text_of_other_types_is_text(read: Read, faults: Faults) -> None:
    table = pa.table({"g": pa.array(["a", None], pa.string_view()), "s": [0.1, 0.2]})
    inputs = read(parquet(table), name="t.parquet", groups=["g"], scores={"m": "s"})
    assert inputs.tables["test"].groups["g"].tolist() == ["a", ""]
    for kind in (pa.string(), pa.string_view()):
        table = pa.table({"g": pa.array(["a", "b\0c"], kind)})
        (line,) = faults(parquet(table), name="t.parquet", groups=["g"])
        assert "row 2: column 'g'" in line
        assert "NUL byte" in line


def test_keys_that_differ_in_blanks_are_remarked(read: Read) -> None:
    inputs = read("k,s\nk0,.1\n k0,.2\nk1,.3\n", key="k", scores={"m": "s"})
    assert "spelling variants in k, kept apart: ' k0' / 'k0'" in inputs.records[0].remarks


def test_percent_of_any_size_are_numbers_or_refused(faults: Faults, read: Read) -> None:
    (line,) = faults("s\n50\n1e99999999999999999999\n", scores={"m": "s"}, scale="percent")
    assert "test.csv:3: column 's'" in line
    cells = "s\n50\n1e-99999999999999999999\n0e99999999999999999999\n1e0000000000000000002\n"
    found = read(cells, scores={"m": "s"}, scale="percent").tables["test"].scores["m"]
    assert found.tolist() == [0.5, 0, 0, 1]


def test_dates_are_no_groups(faults: Faults, read: Read) -> None:
    for form in ("%Y-%m-%d", "%d.%m.%Y", "%m/%d/%y", "%Y-%m-%dT%H:%M"):
        days = pd.date_range("2024-01-01", periods=84).strftime(form)
        content = "d\n" + "\n".join(days) + "\n"
        (line,) = faults(content, groups=["d"])
        assert "column 'd': it holds 84 different dates" in line
    read(content, groups=["d"], levels={"d": {}})
    read("d\n2023-01-01\n2024-01-01\n", groups=["d"])
    codes = "d\n" + "".join(f"2024-{at}-99\n" for at in range(30))
    read(codes, groups=["d"])
