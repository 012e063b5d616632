"""Files that are not what they claim to be, and ones that are: catalogue D48–D64, D126."""

from __future__ import annotations

import gzip
import hashlib
import io
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from reportgen.errors import InputError, key_text
from reportgen.inputs import Inputs, PinnedFile, TableSettings, read_inputs

Read = Callable[..., Inputs]
Faults = Callable[..., list[str]]
LABEL = {"column": "y", "positive": 1}
PLAIN = "y,s\n1,0.9\n0,0.2\n"


TYPED = pd.DataFrame({"y": [1.0, 0.0], "s": [0.9, 0.2]})


def zipped(*members: tuple[str, str]) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        for name, text in members:
            archive.writestr(zipfile.ZipInfo(name), text)
    return buffer.getvalue()


def parquet(frame: Any) -> bytes:
    buffer = io.BytesIO()
    table = frame if isinstance(frame, pa.Table) else pa.Table.from_pandas(frame)
    pq.write_table(table, buffer)
    return buffer.getvalue()


def scores(inputs: Inputs) -> list[float]:
    found: list[float] = inputs.tables["test"].scores["m"].tolist()
    return found


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"", "the file is empty"),
        (b"\n\n  \n", "the file is empty"),
        (b"y,s\n", "there is a header but no row"),
        (b"y,s\n\n\n", "there is a header but no row"),
        (b"<!DOCTYPE html><html>", "this is a web page"),
        (b"version https://git-lfs.github.com/spec/v1\noid sha256:a\n", "a Git LFS pointer"),
        (zipped(("a.csv", PLAIN)), "a zip archive or an Excel workbook"),
        (gzip.compress(PLAIN.encode(), mtime=0), "compressed with gzip"),
        (PLAIN.encode("utf-16"), "UTF-16"),
        (b"y;s\n1;0,9\n", "parted by ';', not by ','"),
        (b"y,s\n1,0.9\n\x00,0.2\n", "test.csv:3: there is a NUL byte"),
        (b'y,s\n1,"0.9\n0,0.2\n', "a quoted cell does not end"),
        (b'y,s\n1,"0.9"x\n', "test.csv:2: text follows a closing quote"),
        (b"y,s\n1,0.9,\n", "test.csv:2: this row has 3 fields, the header 2"),
        (b"y,s,z\n1,0.9\n0,1\n", "test.csv:2: no row has the 3 fields of the header"),
    ],
)
def test_files_that_are_not_what_they_claim(faults: Faults, content: bytes, words: str) -> None:
    (line,) = faults(content, label=LABEL, scores={"m": "s"})
    assert line.startswith("test.csv")
    assert words in line
    assert "\n" not in line


def test_bytes_that_are_not_the_encoding_are_placed(read: Read, faults: Faults) -> None:
    content = "y,s,g\n1,0.9,a\n0,0.2,Zürich\n".encode("latin-1")
    (line,) = faults(content, label=LABEL)
    assert line.startswith(f"test.csv:3: byte {content.index(0xFC) + 1} (0xfc) is not utf-8")
    assert "encoding: cp1252" in line
    inputs = read(content, groups=["g"], read={"encoding": "cp1252"})
    assert inputs.tables["test"].groups["g"].tolist() == ["a", "Zürich"]
    wide = read(PLAIN.encode("utf-16"), scores={"m": "s"}, read={"encoding": "utf-16"})
    assert scores(wide) == [0.9, 0.2]


def test_byte_order_mark_and_line_ends_do_not_matter(read: Read) -> None:
    for content in ("\ufeff" + PLAIN, PLAIN.replace("\n", "\r\n"), PLAIN.replace("\n", "\r")):
        inputs = read(content, label=LABEL, scores={"m": "s"})
        assert scores(inputs) == [0.9, 0.2]
        assert inputs.records[0].columns == ("y", "s")


def test_lines_stay_right_after_quoted_breaks_and_blank_lines(read: Read, faults: Faults) -> None:
    content = 'g,s\n"Ward 2,\nnorth",0.1\r\n\n"a\r\nb\nc",0.2\nx,bad\n'
    (line,) = faults(content, scores={"m": "s"})
    assert line.startswith("test.csv:8: column 's': 'bad'")
    inputs = read(content.replace("bad", "0.3"), scores={"m": "s"}, groups=["g"])
    assert inputs.tables["test"].groups["g"].tolist() == ["Ward 2,\nnorth", "a\r\nb\nc", "x"]
    assert "1 blank line skipped" in inputs.records[0].notes


def test_lines_stay_right_over_many_batches(faults: Faults) -> None:
    rows = ["x,0.5\n"] * 45_000
    rows[100] = '"a\nb",0.5\n'
    rows[30_000] = "x,0.5\n\n"
    rows[44_999] = "x,bad\n"
    content = "g,s\n" + "".join(rows)
    (line,) = faults(content, scores={"m": "s"})
    expected = content[: content.index("bad")].count("\n") + 1
    assert line.startswith(f"test.csv:{expected}: ")


def test_two_columns_of_one_name(read: Read, faults: Faults) -> None:
    (line,) = faults("s,y,s\n.1,1,.2\n.1,0,.2\n", scores={"m": "s"})
    assert line.startswith("m.yaml:1: tables.test.scores.m: test.csv has 2 columns 's'")
    inputs = read("a,s,a\n1,.1,2\n", scores={"m": "s"})
    assert "occur more than once, not used: 'a'" in " ".join(inputs.records[0].notes)


def test_missing_columns_are_all_named_with_the_nearest(read: Read, faults: Faults) -> None:
    lines = faults("lable,score\n1,0.5\n", label={"column": "label", "positive": 1}, unit="id")
    assert len(lines) == 2
    assert lines[0].startswith("m.yaml:1: tables.test.label.column: test.csv has no column 'label'")
    assert "did you mean 'lable'?" in lines[0]
    inputs = read(" y , s\n1,0.5\n", label=LABEL, scores={"m": "s"})
    assert "blanks around column name ' y ' were removed" in inputs.records[0].notes


def test_delimited_by_tab(read: Read) -> None:
    assert scores(read(PLAIN.replace(",", "\t"), name="t.tsv", scores={"m": "s"})) == [0.9, 0.2]


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("t.csv.gz", gzip.compress(PLAIN.encode(), mtime=0)),
        ("t.csv.zip", zipped(("inner.txt", PLAIN))),
        ("t.zip", zipped(("deep/inner.csv", PLAIN), ("__MACOSX/._inner.csv", "x"))),
        ("T.CSV", PLAIN.encode()),
        ("t.parquet", parquet(pd.DataFrame({"y": [1, 0], "s": [0.9, 0.2]}))),
        ("t.parquet.gz", gzip.compress(parquet(TYPED), mtime=0)),
        (
            "n.parquet",
            parquet(
                pd.DataFrame(
                    {
                        "y": pd.array([1, 0], dtype="Int64"),
                        "s": pd.array([0.9, 0.2], dtype="Float64"),
                    }
                )
            ),
        ),
        (
            "b.parquet",
            parquet(pd.DataFrame({"y": ["1", "0"], "s": ["0.9", "0.2"]}).astype("category")),
        ),
    ],
)
def test_packed_and_typed_files_give_the_same_figures(
    read: Read, name: str, content: bytes
) -> None:
    inputs = read(content, name=name, label=LABEL, scores={"m": "s"})
    assert scores(inputs) == [0.9, 0.2]
    table = inputs.tables["test"]
    assert table.label is not None
    assert table.label.tolist() == [1, 0]
    assert inputs.records[0].sha256 == hashlib.sha256(content).hexdigest()
    assert inputs.records[0].bytes == len(content)


def test_parquet_keeps_missing_values_and_truth_values(read: Read) -> None:
    frame = pd.DataFrame(
        {
            "y": pd.array([True, None, False], dtype="boolean"),
            "s": [0.5, float("nan"), 0.25],
            "g": pd.array([1, None, 2], dtype="Int64"),
            "u": ["0012", "12", None],
        }
    )
    inputs = read(
        parquet(frame),
        name="t.parquet",
        label={"column": "y", "positive": True},
        scores={"m": "s"},
        groups=["g"],
        unit="u",
    )
    table = inputs.tables["test"]
    assert table.groups["g"].tolist() == ["1", "", "2"]
    assert table.unit is not None
    assert table.unit is not None
    assert table.label is not None
    assert table.unit.tolist() == ["0012", "12", ""]
    assert [(out.reason, out.k) for out in inputs.records[0].left_out] == [("label missing", 1)]


def test_text_of_parquet_that_is_not_utf8_is_refused_where_it_is_used(
    read: Read, faults: Faults
) -> None:
    handle = io.BytesIO()
    text = pa.array([b"\xff", b"b"]).view(pa.string())
    pq.write_table(pa.table({"s": [0.9, 0.2], "g": text}), handle)
    (line,) = faults(handle.getvalue(), name="t.parquet", scores={"m": "s"}, groups=["g"])
    assert "column 'g'" in line
    assert line.endswith("it holds text that is not UTF-8; export it as UTF-8")
    assert read(handle.getvalue(), name="t.parquet", scores={"m": "s"}).tables["test"].n_rows == 2


def test_parquet_faults_name_rows_and_types(faults: Faults) -> None:
    table = pa.table({"s": [0.5, float("inf")], "d": [[1], [2]]})
    lines = faults(parquet(table), name="t.parquet", scores={"m": "s"}, groups=["d"])
    assert lines[0].startswith("t.parquet: row 2: column 's': 'inf' is not a finite number")
    assert "column 'd': it holds list<" in lines[1]
    dates = pa.table({"d": pa.array([1, 2], pa.date32())})
    assert "date32" in faults(parquet(dates), name="t.parquet", groups=["d"])[0]


@pytest.mark.parametrize(
    ("name", "content", "words"),
    [
        ("t.csv.gz", gzip.compress(PLAIN.encode() * 99, mtime=0)[:-20], "damaged or incomplete"),
        ("t.csv.gz", PLAIN.encode(), "damaged or incomplete"),
        ("t.csv.zip", zipped(("a.csv", PLAIN))[:-30], "damaged or incomplete"),
        ("t.csv.zip", zipped(("a.csv", PLAIN), ("b.csv", PLAIN)), "holds 2 files (a.csv, b.csv)"),
        ("t.parquet", parquet(pd.DataFrame({"s": [0.5]}))[:-9], "no sound parquet file"),
        ("t.parquet", PLAIN.encode(), "no sound parquet file"),
        ("t.parquet", parquet(pd.DataFrame({"s": []})), "no row"),
        ("t.csv", parquet(pd.DataFrame({"s": [0.5]})), "a parquet file"),
        ("t.xlsx", b"PK\x03\x04", "the name does not say what it is (.xlsx)"),
        ("t", b"s\n0.5\n", "the name does not say what it is (no ending)"),
    ],
)
def test_damaged_and_unknown_files(faults: Faults, name: str, content: bytes, words: str) -> None:
    (line,) = faults(content, name=name, scores={"m": "s"})
    assert line.startswith(name)
    assert words in line


def test_pin_that_does_not_fit(read: Read, faults: Faults) -> None:
    right = hashlib.sha256(PLAIN.encode()).hexdigest()
    read(PLAIN, sha256=right)
    (line,) = faults(PLAIN, sha256="0" * 64)
    assert line.startswith(f"m.yaml:1: tables.test.sha256: test.csv has the SHA-256 {right}")


def test_rows_that_repeat_are_counted(read: Read) -> None:
    content = "y,s\n1,.9\n0,.4\n1,.3\n1,.3\n1,.3\n0,.6\n"
    record = read(content, label=LABEL, scores={"m": "s"}).records[0]
    assert record.rows == 6
    assert "2 rows repeat an earlier row in every column" in record.notes
    frame = pd.read_csv(io.StringIO(content))
    record = read(parquet(frame), name="t.parquet", label=LABEL, scores={"m": "s"}).records[0]
    assert "2 rows repeat an earlier row in every column" in record.notes


def test_one_key_with_two_scores(read: Read, faults: Faults) -> None:
    content = "id,y,s\na,1,.9\nb,0,.2\na,1,.8\nb,0,.20\n"
    lines = faults(content, key="id", label=LABEL, scores={"m": "s"})
    assert len(lines) == 2
    assert lines[0].startswith("test.csv:2: column 'id': 'a' stands for 2 rows that differ in 's'")
    assert "lines 2, 4" in lines[0]
    record = read("id,y,s\na,1,.9\na,1,.9\n", key="id", label=LABEL, scores={"m": "s"}).records[0]
    assert "1 value of id in more than one row, all alike: 'a'" in record.notes


def test_paths_stay_inside_the_folder(tmp_path: Path) -> None:
    (tmp_path / "out.csv").write_text(PLAIN)
    run = tmp_path / "run"
    run.mkdir()
    (run / "link.csv").symlink_to(tmp_path / "out.csv")
    for path in ("../out.csv", "link.csv", str(tmp_path / "out.csv"), "C:\\out.csv"):
        tables = {"t": TableSettings(path=path, scores={"m": "s"})}
        with pytest.raises(InputError) as caught:
            read_inputs(tables, folder=run, where=key_text)
        assert str(caught.value).startswith("tables.t.path: ")
        assert "--allow-outside" in str(caught.value)
        if ":" not in path:
            inputs = read_inputs(tables, folder=run, where=key_text, allow_outside=True)
            assert inputs.tables["t"].n_rows == 2


def test_faults_of_all_tables_and_the_plan_at_once(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("s\nx\n")
    tables = {
        "a": TableSettings(path="a.csv", scores={"m": "s"}),
        "b": TableSettings(path="b.csv"),
    }
    with pytest.raises(InputError) as caught:
        read_inputs(tables, folder=tmp_path, where=key_text, plan=PinnedFile(path="plan.md"))
    assert len(caught.value.faults) == 3


def test_plan_gets_a_record(tmp_path: Path) -> None:
    (tmp_path / "plan.md").write_bytes(b"# Plan\n")
    inputs = read_inputs({}, folder=tmp_path, where=key_text, plan=PinnedFile(path="plan.md"))
    (record,) = inputs.records
    assert (record.name, record.bytes, record.rows) == ("plan", 7, None)
    assert record.sha256 == hashlib.sha256(b"# Plan\n").hexdigest()


def test_of_a_row_cut_short_no_cell_is_used(read: Read) -> None:
    content = "u,y,s\na,1,0.9\n\nb,0,0.1\nc,1\nd,0\n,0,0.3\n"
    inputs = read(content, label=LABEL, scores={"m": "s"}, unit="u")
    table, record = inputs.tables["test"], inputs.records[0]
    assert table.unit is not None
    assert table.label is not None
    assert table.unit.tolist() == ["a", "b", "", "", ""]
    assert np.isnan(table.label).tolist() == [False, False, True, True, False]
    assert table.select(["m"]).rows.tolist() == [0, 1, 4]
    assert [(one.reason, one.k) for one in record.left_out] == [("row cut short", 2)]
    assert record.remarks == ("2 rows have fewer fields than the header: lines 5, 6",)
    # The rows cut short are no rows without a unit.
    assert record.without_unit == 1
    assert "1 row without u is a unit of its own" in record.notes
