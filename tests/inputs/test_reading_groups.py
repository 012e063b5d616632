"""Groups, units and keys stay as spelt: catalogue D24–D27, D38, D39."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pandas as pd
import pytest

from reportgen.errors import InputError
from reportgen.inputs import Inputs

Read = Callable[..., Inputs]
Faults = Callable[..., list[str]]


def groups(inputs: Inputs, name: str = "g") -> list[Any]:
    found: list[Any] = inputs.tables["test"].groups[name].tolist()
    return found


def test_only_the_empty_cell_is_missing(read: Read) -> None:
    content = "g,s\nNA,1\nNULL,1\nNone,1\nnan,1\n,1\n  ,1\n"
    assert groups(read(content, groups=["g"])) == ["NA", "NULL", "None", "nan", "", ""]
    declared = read(content, groups=["g"], missing=["", "NA"])
    assert groups(declared) == ["", "NULL", "None", "nan", "", ""]


def test_spellings_stay_apart_with_a_note(read: Read) -> None:
    content = "g,s\nFemale,1\n female,1\nFEMALE,1\nFemal,1\n"
    inputs = read(content, groups=["g"])
    assert groups(inputs) == ["Female", " female", "FEMALE", "Femal"]
    (note,) = [n for n in inputs.records[0].notes if "spelling" in n]
    assert "' female' / 'FEMALE' / 'Femal' / 'Female'" in note


def test_declared_levels_merge(read: Read) -> None:
    content = "g,s\nF,1\nfemale,1\n1,1\nM,1\nx,1\n,1\n"
    inputs = read(content, groups=["g"], levels={"g": {"F": ["F", "female", 1], "M": ["M"]}})
    assert groups(inputs) == ["F", "F", "F", "M", "x", ""]
    assert "values of g under no level, kept: 'x'" in inputs.records[0].notes


def test_one_type_a_column_however_late_text_comes(read: Read) -> None:
    cells = ["1"] * 60_000 + ["1.0", "a"]
    inputs = read("g,s\n" + "".join(f"{cell},1\n" for cell in cells), groups=["g"])
    assert groups(inputs) == cells


def test_units_are_text(read: Read) -> None:
    cells = ["0012", "12", "12.0", "1E3", "1000", "98765432109876543210", "98765432109876543211"]
    inputs = read("u,s\n" + "".join(f"{cell},1\n" for cell in cells), unit="u", scores={"m": "s"})
    unit = inputs.tables["test"].unit
    assert unit is not None
    assert unit.tolist() == cells
    assert inputs.tables["test"].unit_name == "u"
    assert inputs.records[0].units == 7


def test_rows_without_unit_are_units_of_their_own(read: Read) -> None:
    inputs = read("u,s\na,.1\n,.2\n,.3\na,.4\nb,\n", unit="u", scores={"m": "s"})
    record = inputs.records[0]
    assert record.units == 3
    assert "2 rows without u are each a unit of their own" in record.notes
    table = inputs.tables["test"]
    codes = table.unit_codes(table.select(["m"]).rows)
    assert codes.tolist() == [0, 1, 2, 0]


def test_rows_without_unit_are_left_out_where_that_is_declared(read: Read) -> None:
    text = "u,y,s\na,1,.1\n,0,.2\n,,.3\na,0,.4\nb,1,\nNA,1,.5\n"
    inputs = read(
        text,
        unit="u",
        unit_missing="drop",
        missing=["", "NA"],
        scores={"m": "s"},
        label={"column": "y", "positive": 1},
    )
    (record,) = inputs.records
    assert (record.rows, record.read, record.units, record.without_unit) == (6, 2, 1, 3)
    left_out = {one.reason: one.k for one in record.left_out}
    assert left_out == {"label missing": 1, "score of m missing": 1, "u missing": 2}
    assert "3 rows without u are left out" in record.notes
    chosen = inputs.tables["test"].select(["m"], outcome=False)
    assert chosen.rows.tolist() == [0, 3]


def test_rows_without_unit_are_counted(read: Read) -> None:
    assert read("u,s\na,.1\n,.2\n", unit="u").records[0].without_unit == 1
    assert read("u,s\na,.1\n,.2\n").records[0].without_unit is None


def test_no_unit_is_said(read: Read) -> None:
    (note,) = [n for n in read("s\n1\n", scores={"m": "s"}).records[0].notes if "unit" in n]
    assert "no unit is declared" in note


def test_unit_codes_follow_the_sorted_identifiers(read: Read) -> None:
    table = read("u,s\nc,1\na,1\n,1\nb,1\nc,1\n", unit="u").tables["test"]
    assert table.unit_codes(table.select([]).rows).tolist() == [2, 0, 3, 1, 2]


@pytest.mark.parametrize(
    ("closed", "expected"),
    [
        ("left", ["[0, 40)", "[0, 40)", "[40, 60)", "[60, 120)", "", "", ""]),
        ("right", ["", "(0, 40]", "(0, 40]", "(60, 120]", "", "(60, 120]", ""]),
    ],
)
def test_bins(read: Read, closed: str, expected: list[str]) -> None:
    content = "age,s\n0,1\n39.9,1\n40,1\n60.5,1\n,1\n120,1\n-1,1\n"
    bins = {"age": {"edges": [0, 40, 60, 120], "closed": closed, "name": "band"}}
    inputs = read(content, bins=bins, groups=["band"])
    assert groups(inputs, "band") == expected
    ages = [0, 39.9, 40, 60.5, None, 120, -1]
    cut = pd.cut(pd.Series(ages, dtype=float), [0, 40, 60, 120], right=closed == "right")
    assert [name == "" for name in expected] == cut.isna().tolist()
    assert "2 values of age outside the bins of band" in " ".join(inputs.records[0].notes)


def test_bins_that_differ_in_their_last_digit_are_two(read: Read) -> None:
    edges = [0, 1234567, 1234568, 0.5e7]
    content = "mg,s\n1234566,1\n1234567.5,1\n1234569,1\n"
    inputs = read(content, bins={"mg": {"edges": edges, "name": "dose"}}, groups=["dose"])
    assert groups(inputs, "dose") == ["[0, 1234567)", "[1234567, 1234568)", "[1234568, 5000000)"]


def test_bins_do_not_take_the_name_of_a_column(faults: Faults) -> None:
    (line,) = faults("age,band\n1,2\n", bins={"age": {"edges": [0, 9], "name": "band"}})
    assert line.startswith("m.yaml:1: tables.test.bins.age.name: test.csv has a column 'band'")


def test_unknown_group_column(faults: Faults) -> None:
    (line,) = faults("sex,s\n1,2\n", groups=["sexe"])
    assert line.startswith("m.yaml:1: tables.test.groups[0]: test.csv has no column 'sexe'")
    assert "did you mean 'sex'?" in line


def test_features_are_numbers(read: Read, faults: Faults) -> None:
    table = read("bmi\n21.5\n\n30\n", features=["bmi"]).tables["test"]
    assert table.features["bmi"].tolist() == [21.5, 30.0]
    (line,) = faults("bmi\nobese\n", features=["bmi"])
    assert line.startswith("test.csv: column 'bmi': it holds text, such as 'obese', not numbers")
    assert line.endswith("take it out of the features, or write it as numbers")
    (line,) = faults("bmi\n21\nobese\n", features=["bmi"])
    assert line.startswith("test.csv:3: column 'bmi': 'obese'")
    found = faults('bmi\n"21,5"\n"30,1"\n', features=["bmi"])
    assert len(found) == 2
    assert all("decimal" in line for line in found)


def test_a_group_among_the_features_is_told_at_the_features(read: Read) -> None:
    with pytest.raises(InputError) as caught:
        read("x,g\n1,A\n2,B\n3,A\n4,B\n", groups=["g"], features=["x", "g"])
    (fault,) = caught.value.faults
    assert fault.key == ("tables", "test", "features", 1)
    assert fault.mend == "it is a group: take it out of the features"


@pytest.mark.parametrize(
    "values",
    [
        ["typical", "atypical"],  # another first letter makes another word
        ["site 12", "site 122"],  # numbered names differ in a digit
        ["male", "mal"],  # short words are near many
        ["Ward A", "Ward B"],
    ],
)
def test_names_that_are_no_slips_of_each_other(read: Read, values: list[str]) -> None:
    notes = read("g,s\n" + "".join(f"{v},1\n" for v in values), groups=["g"]).records[0].notes
    assert not [note for note in notes if "spelling" in note]
