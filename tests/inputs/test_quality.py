"""What a table is like before any figure: counted by hand on a few rows."""

from __future__ import annotations

from pathlib import Path

from reportgen.errors import key_text
from reportgen.inputs import InputRecord, TableSettings, read_inputs
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
        ColumnQuality("x", "feature", 1, 2, 5.0, 7.5),
    )


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
