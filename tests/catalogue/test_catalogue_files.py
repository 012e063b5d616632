"""Tables and files: catalogue D48–D64."""

from __future__ import annotations

import gzip
import io
import resource
import zipfile
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from tests.support.catalogue import (
    DECLARED,
    Bench,
    Case,
    Cases,
    Dossier,
    classifier,
    columns,
    dca,
    frame,
    label,
)

case = Cases()

CSV = "y,p,g\n1,0.9,a\n0,0.2,b\n1,0.4,a\n0,0.6,b\n"


def areas(dossier: Dossier) -> float:
    area: float = dossier.row("integrity", "classifier.rows", split="all")["auc"]["estimate"]
    return area


def refused(
    bench: Bench, content: str | bytes, *said: str, path: str = "t.csv", **keys: Any
) -> str:
    """Assert that a table is refused in one line that names its file and says all of `said`."""
    bench.table(content, classifier(), **{**DECLARED, "path": path, **keys})
    return bench.refused(path, *said, most=1)


def zipped(*names: str) -> bytes:
    handle = io.BytesIO()
    with zipfile.ZipFile(handle, "w") as archive:
        for name in names:
            archive.writestr(name, CSV)
    return handle.getvalue()


def parquet(table: Any) -> bytes:
    handle = io.BytesIO()
    pq.write_table(table, handle)
    return handle.getvalue()


@case("D48")
def files_that_are_no_tables(bench: Bench) -> None:
    refused(bench, "", "empty")
    refused(bench, "y,p\n", "no row")
    refused(bench, "\n\n\n", "empty")
    refused(bench, "<!DOCTYPE html><html><body>Sign in</body></html>", "web page")
    pointer = "version https://git-lfs.github.com/spec/v1\noid sha256:4d7a\nsize 12\n"
    refused(bench, pointer, "Git LFS pointer")


@case("D49")
def byte_order_mark_and_line_ends(bench: Bench) -> None:
    seen = []
    for content in (
        CSV,
        "\ufeff" + CSV,
        CSV.replace("\n", "\r\n"),
        "\ufeff" + CSV.replace("\n", "\r\n"),
    ):
        bench.table(content, classifier(), **DECLARED)
        dossier = bench.build()
        assert dossier.data["inputs"][0]["columns"] == ["y", "p", "g"]
        seen.append(dossier.data["sections"])
    assert seen == [seen[0]] * 4
    assert areas(dossier) == 0.75


@case("D50")
def other_encodings_undeclared(bench: Bench) -> None:
    refused(bench, CSV.encode("utf-16"), "byte 1", "UTF-16", "encoding: utf-16")
    latin = CSV.replace("a\n", "Zürich\n").encode("latin-1")
    # The ü of line 2 is byte 15: "y,p,g\n" is six, "1,0.9,Z" seven.
    refused(bench, latin, "t.csv:2", "byte 14 (0xfc)", "encoding: cp1252")
    bench.table(
        latin, classifier(split="g"), **DECLARED, groups=["g"], read={"encoding": "latin-1"}
    )
    rows = bench.build().result("integrity")["classifier"]["rows"]
    assert {row["split"] for row in rows} == {"all", "Zürich", "b"}


@case("D51")
def semicolons_and_decimal_commas(bench: Bench) -> None:
    content = "p;y\n0,73;1\n0,2;0\n"
    refused(bench, content, "t.csv:1", "';'", "delimiter")
    bench.table(content, classifier(), **DECLARED, read={"delimiter": ";", "decimal": ","})
    row = bench.build().row("integrity", "classifier.rows", split="all")
    assert (row["score_min"], row["score_max"]) == (0.2, 0.73)


@case("D52")
def a_comma_at_the_end_of_rows(bench: Bench) -> None:
    bench.table("image,y,p\na,1,0.9,\nb,0,0.1,\n", classifier(), **DECLARED)
    said = "each of the 2 rows has 4 fields, the header 3: each ends in a delimiter"
    bench.refused("t.csv:2 (m.yaml:", said, "delete it at the end of every row", most=1)
    many = "".join(f"i{k},{k % 2},0.{k + 1},\n" for k in range(9))
    bench.table("image,y,p\na,1,0.9\n" + many, classifier(), **DECLARED)
    bench.refused("t.csv:3", "t.csv:4", "… and 7 more rows, in lines 5–11", "9 faults", most=3)


@case("D53")
def a_row_cut_short(bench: Bench) -> None:
    whole = "image,y,p,g\n" + "".join(f"i{k},{k % 2},0.{k + 1},w\n" for k in range(8))
    torn = whole + "i8,1,0.\n" + "i9,0,0.7,w\n"
    declared = {**DECLARED, "groups": ["g"], "unit": "image"}
    bench.table(torn, frame(score="s"), classifier(), dca(0.2), **declared)
    dossier = bench.build()
    for section in ("frame", "integrity", "dca"):
        dossier.warns("RUN-004", "1 row has fewer fields than the header: line 10", section=section)
    for code, section in (("FRM-010", "frame"), ("DCA-005", "dca")):
        dossier.warns(code, "1 row", "row cut short", section=section)
    # Its last field may be a torn one, so none of its cells is used: neither label nor score.
    overall = dossier.row("frame", "groups", attribute="overall")
    assert (overall["n_rows"], overall["n_positive"]) == (9, 4)
    record = dossier.data["inputs"][0]
    assert (record["rows"], record["read"]) == (10, 9)
    assert record["left_out"] == [{"reason": "row cut short", "k": 1}]
    bench.write("t.csv", whole)
    assert bench.build().row("frame", "groups", attribute="overall")["n_rows"] == 8
    # A file without one whole row is another file than its header says.
    refused(bench, "image,y,p\na,1\nb,0\n", "t.csv:2", "no row has the 3 fields of the header")


@case("D54")
def a_line_break_in_a_quoted_cell(bench: Bench) -> None:
    ward = "Ward 2,\nnorth"
    bench.table(
        columns(y=[1, 0] * 10, p=[0.9, 0.1] * 10, g=[ward, ward, "w", "w"] * 5),
        frame(score="s"),
        **DECLARED,
        groups=["g"],
    )
    dossier = bench.build()
    assert dossier.row("frame", "groups", attribute="g", group=ward)["n_rows"] == 10
    exported = pd.read_csv(dossier.folder / "tables" / "frame-groups.csv")
    assert exported["group"].tolist().count(ward) == 1
    dossier.shows("Ward 2, north", part="section-frame")


@case("D55")
def two_columns_of_one_name(bench: Bench) -> None:
    refused(bench, "y,p,p\n1,0.9,0.1\n0,0.2,0.3\n", "2 columns 'p'")


@case("D56")
def misspelt_and_padded_column_names(bench: Bench) -> None:
    said = refused(
        bench,
        "lable,p\n1,0.9\n0,0.1\n",
        "no column 'label'",
        label={"column": "label", "positive": 1},
    )
    assert "did you mean 'lable'?" in said
    bench.table("y, p\n1,0.9\n0,0.1\n", classifier(), **DECLARED)
    dossier = bench.build()
    assert "blanks around column name ' p' were removed" in dossier.data["inputs"][0]["notes"]
    dossier.shows("blanks around column name ' p' were removed", part="data-received")


@case("D57")
def numbers_with_thousands_marks(bench: Bench) -> None:
    for cell in ("1.234,5", "1,234"):
        refused(
            bench, f'y,p\n1,0.9\n0,"{cell}"\n', "t.csv:3", "column 'p'", f"'{cell}'", scale="score"
        )


@case("D58")
def packed_and_typed_files(bench: Bench) -> None:
    data = pd.DataFrame({"y": [1, 0, 1, 0], "p": [0.9, 0.2, 0.4, 0.6], "g": list("abab")})
    typed = data.assign(
        y=pd.array([1, 0, 1, 0], dtype="Int64"),
        g=pd.Categorical(list("abab"), categories=["a", "b", "unused"]),
    )
    truth = data.assign(y=pd.array([True, False, True, False], dtype="boolean"))
    files: list[tuple[str, bytes, Any]] = [
        ("t.csv", CSV.encode(), 1),
        ("t.csv.gz", gzip.compress(CSV.encode()), 1),
        ("t.csv.zip", zipped("t.csv"), 1),
        ("t.parquet", parquet(pa.Table.from_pandas(data)), 1),
        ("t.parquet", parquet(pa.Table.from_pandas(typed)), 1),
        ("t.parquet", parquet(pa.Table.from_pandas(truth)), True),
    ]
    seen = []
    for path, content, positive in files:
        bench.table(
            content,
            classifier(split="g"),
            label=label(positive=positive),
            scores={"s": "p"},
            groups=["g"],
            path=path,
        )
        seen.append(bench.build().data["sections"])
    assert seen == [seen[0]] * len(files)
    bench.table(
        parquet(pa.Table.from_pandas(typed)),
        frame(score="s"),
        **DECLARED,
        groups=["g"],
        path="t.parquet",
    )
    dossier = bench.build()
    sizes = {row["group"]: row["n_rows"] for row in dossier.result("frame")["groups"]}
    assert sizes == {"all": 4, "a": 2, "b": 2, "unused": 0}
    # Codes of a missing value mean the same in a column of numbers; in single precision 0.7 is 0.7.
    y, p = [1, 0, 1, 0, 1], [0.7, 0.2, 0.6, 0.9, -9]
    narrow = pa.table({"y": y, "p": pa.array(p, pa.float32())})
    for path, table in (("t.csv", columns(y=y, p=p)), ("t.parquet", parquet(narrow))):
        bench.table(table, classifier(0.7), **DECLARED, path=path, missing=["", "-9"])
        row = bench.build().row("integrity", "classifier.rows", split="all")
        assert row["n"] == 4
        assert (row["sensitivity"]["estimate"], row["specificity"]["estimate"]) == (0.5, 0.5)
    holed = data.assign(y=pd.array([1, 0, 1, None], dtype="Int64"))
    bench.table(parquet(pa.Table.from_pandas(holed)), classifier(), **DECLARED, path="t.parquet")
    record = bench.build().data["inputs"][0]
    assert record["left_out"] == [{"reason": "label missing", "k": 1}]


@case("D59")
def damaged_files(bench: Bench) -> None:
    refused(bench, gzip.compress(CSV.encode())[:-12], "damaged", path="t.csv.gz")
    whole = parquet(pa.table({"y": [1, 0], "p": [0.9, 0.1]}))
    refused(bench, whole[: len(whole) // 2], "no sound parquet file", path="t.parquet")
    refused(bench, zipped("t.csv"), "zip archive")
    refused(bench, zipped("a.csv", "b.csv"), "2 files (a.csv, b.csv)", path="t.csv.zip")
    refused(bench, "y,p\n1,0.9\n0,0.\x001\n", "t.csv:3", "NUL")
    nul = parquet(pa.table({"y": [1, 0], "p": [0.9, 0.1], "g": ["a", "b\0c"]}))
    refused(bench, nul, "row 2: column 'g'", "NUL", path="t.parquet", groups=["g"])


@case("D60")
def a_million_rows(bench: Bench) -> None:
    rng = np.random.default_rng(1)
    n = 1_000_000
    y = rng.integers(0, 2, n)
    pd.DataFrame(
        {
            "y": y,
            "p": np.clip(0.5 + 0.2 * y + rng.normal(0, 0.2, n), 0, 1).round(3),
            "g": np.array(["1", "2", "three"])[rng.integers(0, 3, n)],
        }
    ).to_csv(bench.folder / "t.csv", index=False)
    bench.manifest(
        classifier(),
        tables={"t": {"path": "t.csv", **DECLARED, "groups": ["g"]}},
        defaults={"resamples": 200},
    )
    dossier = bench.build()
    sizes = {row["group"]: row["rows"] for row in dossier.data["inputs"][0]["quality"]["groups"]}
    assert set(sizes) == {"1", "2", "three"}
    assert sum(sizes.values()) == n
    rows = dossier.result("integrity")["classifier"]["rows"]
    assert rows[0]["n"] == n
    # Two normals 0.2 apart with a deviation of 0.2 each: Φ(1/√2); cutting at 0 and 1 makes ties.
    assert rows[0]["auc"]["estimate"] == pytest.approx(0.760, abs=0.005)
    most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    assert most < 2 * 1024 * 1024, "kibibytes"


@case("D61")
def rows_repeated_by_a_join(bench: Bench) -> None:
    rows = ["i1,1,.9", "i2,0,.4", "i3,1,.3", "i4,0,.6"]
    bench.table("i,y,p\n" + "\n".join([*rows, rows[2], rows[2]]) + "\n", classifier(), **DECLARED)
    dossier = bench.build()
    assert areas(dossier) == 0.25
    dossier.warns("RUN-004", "2 rows repeat an earlier row in every column")
    dossier.warns("RUN-004", "AUC of score 's' is 0.25 with and 0.5 without the 2 rows")
    scored = {"y": [1, 0, 1, 0, 1, 1], "p": [0.9, 0.4, 0.3, 0.6, 0.3, 0.3]}
    listed = pa.table({**scored, "tags": [["a"], ["b"], ["c"], [], ["c"], ["c"]]})
    bench.table(parquet(listed), classifier(), **DECLARED, path="t.parquet")
    bench.build().warns("RUN-004", "2 rows repeat an earlier row in every column")


@case("D62")
def one_key_for_rows_that_differ(bench: Bench) -> None:
    for column, rows in (("p", "a,1,0.9\na,1,0.8"), ("y", "a,1,0.9\na,0,0.9")):
        said = refused(
            bench, f"i,y,p\n{rows}\nb,0,0.1\n", "'a' stands for 2 rows", "lines 2, 3", key="i"
        )
        assert f"differ in {column!r}" in said
    # A join of features to rows whose ids occur twice would multiply rows.
    bench.write("f.csv", "i,x\na,1\na,2\nb,3\n")
    bench.table(
        "i,y,p\na,1,0.9\nb,0,0.1\n",
        classifier(),
        **DECLARED,
        key="i",
        features={"path": "f.csv", "key": "i"},
    )
    bench.refused("f.csv", "'a'", most=1)


@case("D63")
def files_in_another_order_are_joined_by_id(bench: Bench) -> None:
    bench.write("f.csv", "i,x\nd,4\nc,1\nb,2\na,1\n")
    bench.table(
        "i,y,p\na,1,0.9\nb,0,0.1\nc,0,0.2\n",
        {"kind": "integrity", "duplicate_rows": {"table": "t"}},
        **DECLARED,
        key="i",
        features={"path": "f.csv", "key": "i"},
    )
    dossier = bench.build()
    # By id the first and the third row have the feature 1; by position no two have the same.
    pairs = dossier.result("integrity")["duplicate_rows"]["pairs"]
    found = [(row["row"], row["twin_row"]) for row in pairs if row["kind"] == "exact"]
    assert found == [(1, 3)]
    # Rows without features, and features without rows, are counted.
    notes = " ".join(note for one in dossier.data["inputs"] for note in one["notes"])
    assert "1 " in notes
    assert "f.csv" in {one["path"] for one in dossier.data["inputs"]}


@case("D64")
def lists_and_dates_in_used_columns(bench: Bench) -> None:
    listed = parquet(pa.table({"y": [1, 0], "p": [[0.9], [0.1]]}))
    refused(bench, listed, "column 'p'", "list", path="t.parquet")
    dated = parquet(pa.table({"y": [1, 0], "p": pd.to_datetime(["2024-05-06", "2024-05-07"])}))
    refused(bench, dated, "column 'p'", "timestamp", path="t.parquet")
    mapped = parquet(pa.table({"y": [1, 0], "p": [0.9, 0.1], "g": [{"a": 1}, {"a": 2}]}))
    refused(bench, mapped, "column 'g'", "struct", path="t.parquet", groups=["g"])
    days = pd.date_range("2024-01-01", periods=84).strftime("%Y-%m-%d")
    texts = columns(y=[1, 0] * 42, p=[0.9, 0.1] * 42, g=days)
    refused(bench, texts, "column 'g'", "84 different dates", groups=["g"])


@case.parametrize()
def test_catalogue(case: Case, bench: Bench) -> None:
    case(bench)
