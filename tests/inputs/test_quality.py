"""What a table is like before any figure: counted by hand on a few rows."""

from __future__ import annotations

from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from reportgen.errors import key_text
from reportgen.inputs import InputRecord, TableSettings, read_inputs
from reportgen.inputs.cells import days_of
from reportgen.inputs.quality import ColumnQuality, GroupSize, Quality, UnitRows

ROWS = """\
y,s,patient,sex,age,x
1,0.9,p1,F,30,5
0,0.2,p1,F,,7.5
0,,p2,M,50,
,0.4,p3,,70,5
0,0.2,p1,F,,7.5
1,0.9,,M,45,5
"""


def record(folder: Path, **declared: object) -> InputRecord:
    (folder / "t.csv").write_text(ROWS)
    table = TableSettings.model_validate({"path": "t.csv", **declared})
    return read_inputs({"t": table}, folder=folder, where=key_text).records[0]


def quality(folder: Path, **declared: object) -> Quality:
    found = record(folder, **declared).quality
    assert found is not None
    return found


WHOLE = {
    "label": {"column": "y", "positive": 1},
    "scores": {"risk": "s"},
    "unit": "patient",
    "groups": ["sex"],
    "bins": {"age": {"edges": [0, 40, 60], "name": "age_band"}},
    "features": ["x"],
}


def test_each_column_says_what_is_missing_and_how_far_it_reaches(tmp_path: Path) -> None:
    assert quality(tmp_path, **WHOLE).columns == (
        ColumnQuality("y", "label", 1, 2),
        ColumnQuality("s", "score", 1, 3, 0.2, 0.9),
        ColumnQuality("patient", "unit", 1, 3),
        ColumnQuality("sex", "group", 1, 2),
        ColumnQuality("age_band", "group", 3, 2),  # 70 lies outside of the bins
        ColumnQuality("age", "bins", 2, 4, 30.0, 70.0),
        ColumnQuality("x", "feature", 1, 2, 5.0, 7.5),
    )


def test_columns_without_a_role_are_counted_and_dates_are_told(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text(
        "s,key,visit,seen,note,due,odd\n"
        "0.1,k1,2024-05-06,2024-05-06T10:30:00,a,2024-02-30,2024-05-06\n"
        "0.2,k2,, 2023-01-31 ,,2024-02-28,x\n"
        "0.3,k3,2024-12-31,NA,NA ,2024-02-28,\n"
    )
    table = {"path": "t.csv", "scores": {"risk": "s"}, "key": "key", "groups": ["visit"]}
    settings = TableSettings.model_validate({**table, "missing": ["", "NA"]})
    (found,) = read_inputs({"t": settings}, folder=tmp_path, where=key_text).records
    assert found.quality is not None
    assert found.quality.columns == (
        ColumnQuality("s", "score", 0, 3, 0.1, 0.3),
        ColumnQuality("key", "key", 0, 3),
        ColumnQuality("visit", "group", 1, 2, first="2024-05-06", last="2024-12-31"),
        ColumnQuality("seen", "no role", 1, first="2023-01-31", last="2024-05-06"),
        ColumnQuality("note", "no role", 2),
        ColumnQuality("due", "no role", 0),  # there is no 30 February
        ColumnQuality("odd", "no role", 1),
    )


def test_a_column_is_one_of_dates_only_if_it_is_so_in_every_chunk(tmp_path: Path) -> None:
    days = [f"20{at % 25:02}-01-15" for at in range(25_000)]
    rows = [f"0.5,{day},{day}" for day in days]
    rows[-1] = "0.25,,not a day"
    (tmp_path / "t.csv").write_text("\n".join(["s,seen,text", *rows]))
    settings = TableSettings.model_validate({"path": "t.csv", "scores": {"risk": "s"}})
    (found,) = read_inputs({"t": settings}, folder=tmp_path, where=key_text).records
    assert found.quality is not None
    assert found.quality.columns[1:] == (
        ColumnQuality("seen", "no role", 1, first="2000-01-15", last="2024-01-15"),
        ColumnQuality("text", "no role", 0),
    )


def test_rows_cut_short_lack_every_cell(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text("s,seen,note\n0.1,2024-01-02,a\n0.2,2024\n0.3,2024-01-03,\n")
    settings = TableSettings.model_validate({"path": "t.csv", "scores": {"risk": "s"}})
    (found,) = read_inputs({"t": settings}, folder=tmp_path, where=key_text).records
    assert found.quality is not None
    assert found.quality.columns == (
        ColumnQuality("s", "score", 1, 2, 0.1, 0.3),
        ColumnQuality("seen", "no role", 1, first="2024-01-02", last="2024-01-03"),
        ColumnQuality("note", "no role", 2),
    )


def test_typed_columns_without_a_role_are_counted_as_text_is(tmp_path: Path) -> None:
    pq.write_table(
        pa.table(
            {
                "s": [0.1, 0.2, 0.3],
                "day": pa.array([date(2024, 5, 6), None, date(2021, 1, 2)]),
                "at": pa.array(
                    [datetime(2024, 5, 6, 23, tzinfo=UTC), datetime(2024, 5, 7, tzinfo=UTC), None]
                ),
                "x": [9.0, None, float("nan")],
                "note": ["a", " ", None],
                "list": pa.array([[1], None, []]),
                "bytes": pa.array([b"\xff", b"2024-01-02", b" "]).view(pa.string()),  # no UTF-8
            }
        ),
        tmp_path / "t.parquet",
    )
    table = {"path": "t.parquet", "scores": {"risk": "s"}, "missing": ["", "9"]}
    settings = TableSettings.model_validate(table)
    (found,) = read_inputs({"t": settings}, folder=tmp_path, where=key_text).records
    assert found.quality is not None
    assert found.quality.columns[1:] == (
        ColumnQuality("day", "no role", 1, first="2021-01-02", last="2024-05-06"),
        ColumnQuality("at", "no role", 1, first="2024-05-06", last="2024-05-07"),
        ColumnQuality("x", "no role", 3),
        ColumnQuality("note", "no role", 2),
        ColumnQuality("list", "no role", 1),
        ColumnQuality("bytes", "no role", 1),
    )


def test_days_beyond_the_calendar_of_python_and_in_unknown_zones_are_told() -> None:
    def days(values: list[int], kind: Any) -> object:
        return days_of(pa.chunked_array([pa.array(values, kind)]), {""})

    assert days([0, 2**31 - 1], pa.date32()) == ("1970-01-01", "5881580-07-11")
    assert days([86_400 * 3], pa.timestamp("s", tz="Mars/Phobos")) == ("1970-01-04", "1970-01-04")


def test_groups_are_sized_in_rows_units_and_classes(tmp_path: Path) -> None:
    sizes = [one for one in quality(tmp_path, **WHOLE).groups if one.attribute == "sex"]
    assert sizes == [
        GroupSize("sex", "F", 3, 1, 1, 2),
        GroupSize("sex", "M", 2, 2, 1, 1),  # the row without a patient is a unit of its own
        GroupSize("sex", None, 1, 1, 0, 0),
    ]


def test_declared_bins_keep_their_order(tmp_path: Path) -> None:
    bands = [one.group for one in quality(tmp_path, **WHOLE).groups if one.attribute == "age_band"]
    assert bands == ["[0, 40)", "[40, 60)", None]


def test_rows_a_unit_and_rows_that_repeat(tmp_path: Path) -> None:
    found = quality(tmp_path, **WHOLE)
    assert found.unit_rows == UnitRows(units=3, with_several=1, median=1.0, most=3)
    assert found.repeats == 1


def test_without_a_unit_or_a_label_nothing_is_said_of_them(tmp_path: Path) -> None:
    found = quality(tmp_path, scores={"risk": "s"}, groups=["sex"])
    assert found.unit_rows is None
    assert {(one.positives, one.negatives) for one in found.groups} == {(None, None)}
