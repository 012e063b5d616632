"""One mistake of many rows is told in three lines at most, and what is no data is called so."""

from __future__ import annotations

import gzip
import io
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from reportgen.errors import InputError
from reportgen.inputs import Inputs
from reportgen.inputs.strict_json import read_strict
from reportgen.inputs.trouble import At, FileFaults

Read = Callable[..., Inputs]
Faults = Callable[..., list[str]]

POINTER = b"version https://git-lfs.github.com/spec/v1\noid sha256:a\n"
LABEL = {"label": {"column": "y", "positive": 1}}
SCORED = {**LABEL, "scores": {"m": "p"}}
ROWS = "y,p\n" + "1,.9\n0,.2\n" * 10


def count(read: Read, content: str, **declared: Any) -> int:
    with pytest.raises(InputError) as caught:
        read(content, **declared)
    return sum(fault.count for fault in caught.value.faults)


@pytest.mark.parametrize(
    ("rows", "lines", "rest"),
    [
        ([2, 3, 4], 3, ""),
        ([2, 3, 4, 5], 3, "… and 2 more rows, in lines 4–5;"),
        ([2, 5, 9, 40], 3, "… and 2 more rows, between line 9 and line 40;"),
        (list(range(2, 1002)), 3, "… and 998 more rows, in lines 4–1001;"),
    ],
)
def test_one_mistake_takes_three_lines(
    read: Read, faults: Faults, rows: list[int], lines: int, rest: str
) -> None:
    bad = "y,p\n" + "".join(f"1,{'x' if k in rows else '.5'}\n" for k in range(2, 1010))
    told = faults(bad, scores={"m": "p"})
    assert len(told) == lines
    assert rest in told[-1]
    assert count(read, bad, scores={"m": "p"}) == len(rows)


def test_rows_of_another_length_are_all_counted(read: Read, faults: Faults) -> None:
    bad = "y,p\n1,.5\n" + "1,.5,7\n" * 1000
    told = faults(bad, **SCORED)
    assert [line.partition(": ")[0] for line in told] == ["test.csv:3", "test.csv:4", "test.csv"]
    assert "… and 998 more rows, in lines 5–1002" in told[-1]
    assert count(read, bad, **SCORED) == 1000


@pytest.mark.parametrize(
    ("row", "what", "mend"),
    [
        ("1,.5,", "3 fields, the header 2: each ends in a delimiter", "delete it at the end"),
        ("a,1,.5", "3 fields, the header 2;", "name every column in the header"),
    ],
)
def test_what_is_wrong_with_every_row_is_one_fault(
    faults: Faults, row: str, what: str, mend: str
) -> None:
    (told,) = faults("y,p\n" + f"{row}\n" * 50, **SCORED)
    assert told.startswith(f"test.csv:2: each of the 50 rows has {what}")
    assert mend in told


def test_a_first_line_for_excel(read: Read, faults: Faults) -> None:
    inputs = read("sep=,\n" + ROWS, **SCORED)
    plain = read(ROWS, **SCORED)
    assert inputs.tables["test"].scores["m"].tolist() == plain.tables["test"].scores["m"].tolist()
    assert "the first line, 'sep=,', says how the columns are parted" in inputs.records[0].notes
    semicolons = "sep=;\n" + ROWS.replace(",", ";")
    (told,) = faults(semicolons, **SCORED)
    assert told.startswith("test.csv:1: 'sep=;' says that the columns are parted by ';', not ','")
    assert read(semicolons, **SCORED, read={"delimiter": ";"}).tables["test"].n_rows == 20
    # The lines of the rows below it stay right.
    assert faults("sep=,\n" + ROWS + "1,x\n", **SCORED)[0].startswith("test.csv:23: ")


def test_mistakes_of_one_kind_stay_together() -> None:
    found = FileFaults()
    for at in range(5):
        found.add(f": a[{at}]: field 'x'", "no", "yes", kind=(": field 'x'", "yes"), at=At("a", at))
        found.add(f": a[{at}]: field 'z'", "no", "yes", kind=(": field 'z'", "yes"), at=At("a", at))
    found.add("", "more", "yes")
    told = [(spot.place, spot.what, spot.count) for spot in found.spots]
    assert told == [
        (": a[0]: field 'x'", "no", 1),
        (": a[1]: field 'x'", "no", 1),
        (": field 'x'", "… and 3 more entries, in a[2–4]", 3),
        (": a[0]: field 'z'", "no", 1),
        (": a[1]: field 'z'", "no", 1),
        (": field 'z'", "… and 3 more entries, in a[2–4]", 3),
        ("", "more", 1),
    ]


@pytest.mark.parametrize(
    ("content", "what"),
    [
        (POINTER, "this is a Git LFS pointer, not the data"),
        (b"<!-- x --><html>", "this is a web page"),
        (b" <!DOCTYPE html>", "this is a web page"),
        (gzip.compress(b"{}"), "this is compressed with gzip"),
        (b"PK\x03\x04", "this is a zip archive"),
        (b"PAR1", "this is a parquet file"),
        ("{}".encode("utf-16"), "byte 1: the file is UTF-16"),
    ],
)
def test_what_is_no_json_is_called_what_it_is(content: bytes, what: str) -> None:
    with pytest.raises(FileFaults) as caught:
        read_strict(content, most=1000, mend="", of="boxes")
    (spot,) = caught.value.spots
    assert spot.what.startswith(what)


@pytest.mark.parametrize(
    ("name", "content", "what"),
    [
        ("test.csv", b"<!-- x --><html>\n<a>,b\n", "this is a web page"),
        ("test.csv", json.dumps([{"y": 1, "p": 0.5}]).encode(), "this is JSON, not a table"),
        ("test.csv.gz", POINTER, "this is a Git LFS pointer"),
        ("test.parquet", POINTER, "this is a Git LFS pointer"),
        ("test.csv.gz", gzip.compress(gzip.compress(b"y\n1\n")), "what is packed in it is"),
    ],
)
def test_what_is_no_table_is_called_what_it_is(
    faults: Faults, name: str, content: bytes, what: str
) -> None:
    (told,) = faults(content, name=name, **SCORED)
    assert told.startswith(f"{name}: {what}")


def test_a_bracket_in_a_header_is_no_json(read: Read) -> None:
    inputs = read("[y],{p}\n1,.5\n0,.4\n", label={"column": "[y]", "positive": 1})
    assert inputs.tables["test"].n_rows == 2


def test_a_label_of_structures_is_told_once(faults: Faults) -> None:
    body = io.BytesIO()
    pq.write_table(pa.table({"y": [{"a": 1}] * 3, "p": [0.1, 0.2, 0.3]}), body)
    (told,) = faults(body.getvalue(), name="test.parquet", **SCORED)
    assert "it holds struct" in told


def test_files_beside_a_table_say_how_they_are_written(read: Read, tmp_path: Path) -> None:
    rows = "k,u,y,p\n" + "".join(f"k{i},u{i},{i % 2},0.{i + 1}\n" for i in range(4))
    (tmp_path / "f.csv").write_text("k;x\nk0;1,5\nk1;NA?\nk2;2,5\nk3;\n")
    (tmp_path / "train.csv").write_text("u;x\nu0;1,5\nu9;NA?\n")
    semicolons = {"delimiter": ";", "decimal": ","}
    inputs = read(
        rows,
        **SCORED,
        key="k",
        unit="u",
        missing=["", "NA?"],
        features={"path": "f.csv", "key": "k", "read": semicolons},
        train={"path": "train.csv", "features": ["x"], "unit": "u", "read": semicolons},
    )
    table = inputs.tables["test"]
    assert [str(value) for value in table.features["x"]] == ["1.5", "nan", "2.5", "nan"]
    assert table.train is not None
    assert [str(value) for value in table.train.features["x"]] == ["1.5", "nan"]


@pytest.mark.parametrize("read_as", [{"delimiter": ";;"}, {"encoding": "utf-99"}])
def test_what_no_file_can_be_read_with_is_a_fault(
    read: Read, tmp_path: Path, read_as: dict[str, str]
) -> None:
    (tmp_path / "f.csv").write_text("k,x\nk0,1\n")
    features = {"path": "f.csv", "key": "k", "read": read_as}
    with pytest.raises(InputError) as caught:
        read("k,y,p\nk0,1,.5\nk1,0,.4\n", **SCORED, key="k", features=features)
    (fault,) = caught.value.faults
    assert str(fault).startswith("f.csv (m.yaml:1: tables.test.features.path): ")
