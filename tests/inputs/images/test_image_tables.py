"""Image tables: ids are text, every fault is named with its place, paths stay inside the root."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from PIL import Image

from reportgen.inputs.quality import ColumnQuality, GroupSize
from tests.inputs.images.conftest import Read

ALL = {
    "file": "file", "id": "id", "split": "split", "source": "source", "unit": "patient",
    "site": "site", "acquired": "date", "label": "label", "width": "w", "height": "h",
}  # fmt: skip


@pytest.fixture
def pictures(tmp_path: Path) -> Path:
    """Return a folder with a.png to f.png, each 40 × 32 and different."""
    folder = tmp_path / "pictures"
    folder.mkdir()
    for at, name in enumerate("abcdef"):
        noise = np.random.default_rng(at).integers(0, 256, (32, 40), dtype=np.uint8)
        Image.fromarray(noise).save(folder / f"{name}.png")
    return folder


@pytest.mark.usefixtures("pictures")
def test_ids_are_text_and_sorted_by_code_point(tmp_path: Path, read_set: Read) -> None:
    # D38: six ids, none of them made equal by being read as a number.
    ids = ["0012", "12", "12.0", "1E3", "1000", "12345678901234567890"]
    rows = "".join(f"{one},{name}.png\n" for one, name in zip(ids, "abcdef", strict=True))
    (tmp_path / "t.csv").write_text(f"id,file\n{rows}")
    images, record = read_set(path="t.csv", root="pictures", columns={"id": "id", "file": "file"})
    assert images.ids.tolist() == ["0012", "1000", "12", "12.0", "12345678901234567890", "1E3"]
    assert images.files.tolist() == [f"{name}.png" for name in "aebcfd"]
    assert (record.name, record.rows, record.read, record.units) == ("images.scans", 6, 6, 6)


@pytest.mark.usefixtures("pictures")
def test_every_role_is_read_in_the_order_of_ids(tmp_path: Path, read_set: Read) -> None:
    (tmp_path / "t.csv").write_text(
        "id,file,split,source,patient,site,date,label,w,h\n"
        "2,b.png,train,s2,p1,A,2024-05-06,cat;dog,40,32\n"
        "1,a.png,test,s1,p1,,2024-05-07T10:30:00,,,\n"
        "3,./c.png,train,s3,,B,,cat; ,80,64\n"
    )
    images, record = read_set(path="t.csv", root="pictures", columns=ALL, label_separator=";")
    assert images.ids.tolist() == ["1", "2", "3"]
    assert images.files.tolist() == ["a.png", "b.png", "c.png"]
    assert images.split is not None
    assert images.split.tolist() == ["test", "train", "train"]
    assert images.splits == ("train", "test")  # as they first appear
    assert images.labels == (frozenset(), frozenset({"cat", "dog"}), frozenset({"cat"}))
    assert images.declared_size is not None
    assert images.declared_size.tolist() == [[0, 0], [40, 32], [80, 64]]
    assert images.unit is not None
    assert images.unit.tolist() == ["p1", "p1", ""]
    assert images.acquired is not None
    assert images.acquired.tolist() == ["2024-05-07T10:30:00", "2024-05-06", ""]
    assert (record.units, record.without_unit) == (2, 1)
    (several,) = record.units_in_several
    assert (several.attribute, several.unit, several.levels) == ("split", "p1", ("test", "train"))
    # a.png declares nothing, b.png rightly, c.png twice its size
    assert any("1 of 2 images" in note and "swapped" not in note for note in record.notes)


@pytest.mark.usefixtures("pictures")
def test_faults_are_named_with_their_lines_all_at_once(
    tmp_path: Path, set_faults: Callable[..., list[str]]
) -> None:
    (tmp_path / "t.csv").write_text(
        "id,file,split,source,patient,site,date,label,w,h\n"
        "1,a.png,train,,,,06.05.2024,,40,32\n"
        "2,b.png,train,,,,,,wide,0\n"
        "1,c.png,train,,,,,,,\n"
        ",d.png,train,,,,,,,\n"
        "5,../t.csv,train,,,,,,,\n"
        "6,/etc/hostname,train,,,,,,,\n"
    )
    found = set_faults(path="t.csv", root="pictures", columns=ALL)
    for place, what in (
        ("t.csv:2: column 'date'", "'06.05.2024' is no date"),
        ("t.csv:3: column 'w'", "'wide' is no length in pixels"),
        ("t.csv:3: column 'h'", "'0' is no length in pixels"),
        ("t.csv:4: column 'id'", "'1' stands in line 2 already"),
        ("t.csv:5: column 'id'", "the cell is empty"),
        ("t.csv:6: column 'file'", "'../t.csv' leads out of its folder"),
        ("t.csv:7: column 'file'", "'/etc/hostname' is an absolute path"),
    ):
        assert [one for one in found if one.startswith(place) and what in one], (place, what)
    assert len(found) == 7


@pytest.mark.usefixtures("pictures")
def test_a_mistake_of_many_rows_takes_three_lines_and_all_are_counted(
    tmp_path: Path, set_faults: Callable[..., list[str]]
) -> None:
    rows = "".join(f"../{at}.png,soon\n" for at in range(40))
    (tmp_path / "t.csv").write_text("file,date\n" + rows)
    columns = {"file": "file", "acquired": "date"}
    found = set_faults(path="t.csv", root="pictures", columns=columns)
    assert len(found) == 6
    files = [one for one in found if "column 'file'" in one]
    assert "t.csv:2: column 'file'" in files[0]
    assert "'../1.png' leads out of its folder" in files[1]
    assert "… and 38 more rows, in lines 4–41" in files[2]


@pytest.mark.usefixtures("pictures")
def test_a_column_that_is_not_there_is_named_with_the_nearest(
    tmp_path: Path, set_faults: Callable[..., list[str]]
) -> None:
    (tmp_path / "t.csv").write_text("file,splits\na.png,train\n")
    (fault,) = set_faults(path="t.csv", root="pictures", columns={"file": "file", "split": "split"})
    assert fault.startswith("m.yaml:1: images.scans.columns.split: t.csv has no column 'split'")
    assert "did you mean 'splits'?" in fault


@pytest.mark.usefixtures("pictures")
def test_faults_of_header_cells_and_digest_are_told_in_the_same_breath(
    tmp_path: Path, set_faults: Callable[..., list[str]]
) -> None:
    (tmp_path / "t.csv").write_text("file,date\na.png,yesterday\n")
    columns = {"file": "file", "split": "split", "acquired": "date"}
    found = set_faults(path="t.csv", root="pictures", columns=columns, sha256="0" * 64)
    assert len(found) == 3
    assert "has the SHA-256" in found[0]
    assert "has no column 'split'" in found[1]
    assert "'yesterday' is no date" in found[2]


@pytest.mark.usefixtures("pictures")
def test_a_missing_file_is_counted_and_a_wrong_root_is_a_fault(
    tmp_path: Path, read_set: Read, set_faults: Callable[..., list[str]]
) -> None:
    (tmp_path / "t.csv").write_text("file\na.png\nz.png\n")
    images, record = read_set(path="t.csv", root="pictures", columns={"file": "file"})
    assert [(one.file, one.reason) for one in record.unreadable] == [
        ("z.png", "there is no such file")
    ]
    assert images.file_digest[1] == ""
    assert images.readable.tolist() == [True, False]
    (fault,) = set_faults(path="t.csv", columns={"file": "file"})
    assert "none of the 2 files of t.csv is below the root '.'" in fault


def test_the_root_stays_in_the_manifests_folder_unless_allowed(
    pictures: Path, tmp_path: Path, read_set: Read, set_faults: Callable[..., list[str]]
) -> None:
    inside = tmp_path / "inside"
    inside.mkdir()
    (inside / "t.csv").write_text("file\na.png\n")
    how = {"path": "t.csv", "root": "../pictures", "columns": {"file": "file"}, "folder": inside}
    (fault,) = set_faults(**how)
    assert fault.startswith("m.yaml:1: images.scans.root: '../pictures' leads out of its folder")
    assert read_set(**how, allow_outside=True)[0].readable.all()


def test_a_link_out_of_the_root_is_refused(
    pictures: Path, tmp_path: Path, read_set: Read, set_faults: Callable[..., list[str]]
) -> None:
    root = tmp_path / "root"
    root.mkdir()
    (root / "link.png").symlink_to(pictures / "a.png")
    (tmp_path / "t.csv").write_text("file\nlink.png\n")
    how = {"path": "t.csv", "root": "root", "columns": {"file": "file"}}
    (fault,) = set_faults(**how)
    assert "t.csv:2" in fault
    assert "leads out of its folder" in fault
    assert read_set(**how, allow_outside=True)[0].readable.all()


@pytest.mark.usefixtures("pictures")
def test_the_digest_is_the_tables_and_is_checked(
    tmp_path: Path, read_set: Read, set_faults: Callable[..., list[str]]
) -> None:
    table = tmp_path / "t.csv"
    table.write_text("file\na.png\n")
    columns = {"file": "file"}
    record = read_set(path="t.csv", root="pictures", columns=columns)[1]
    assert record.bytes == table.stat().st_size
    pinned = {"path": "t.csv", "root": "pictures", "columns": columns, "sha256": record.sha256}
    assert read_set(**pinned)[1].sha256 == record.sha256
    table.write_text("file\nb.png\n")
    (fault,) = set_faults(**pinned)
    assert fault.startswith("m.yaml:1: images.scans.sha256: t.csv has the SHA-256")


@pytest.mark.usefixtures("pictures")
def test_parquet_gives_the_same_set(tmp_path: Path, read_set: Read) -> None:
    frame = pd.DataFrame(
        {
            "id": [12, 7],
            "file": ["a.png", "b.png"],
            "date": pd.to_datetime(["2024-05-06", "2024-05-07"]).date,
            "w": [40, 40],
        }
    )
    frame.to_parquet(tmp_path / "t.parquet")
    columns = {"id": "id", "file": "file", "acquired": "date", "width": "w"}
    images, _ = read_set(path="t.parquet", root="pictures", columns=columns)
    assert images.ids.tolist() == ["12", "7"]
    assert images.acquired is not None
    assert images.acquired.tolist() == ["2024-05-06", "2024-05-07"]


@pytest.mark.usefixtures("pictures")
def test_images_are_their_files_where_no_id_is_named(tmp_path: Path, read_set: Read) -> None:
    (tmp_path / "t.tsv").write_text("file\nb.png\na.png\n")
    images, _ = read_set(path="t.tsv", root="pictures", columns={"file": "file"})
    assert images.ids.tolist() == images.files.tolist() == ["a.png", "b.png"]
    for absent in (images.split, images.labels, images.declared_size):
        assert absent is None


@pytest.mark.usefixtures("pictures")
def test_what_a_set_is_like_is_told_by_column(tmp_path: Path, read_set: Read) -> None:
    (tmp_path / "t.csv").write_text(
        "id,file,split,source,patient,site,date,label,w,h,scanner\n"
        "2,b.png,train,s2,p1,A,2024-05-06,cat;dog,40,32,X1\n"
        "1,a.png,Train,s1,p1,a,2024-05-07,,,,\n"
        "3,c.png,train,s3,p2,,,cat,80,64,X1\n"
    )
    _images, record = read_set(path="t.csv", root="pictures", columns=ALL, label_separator=";")
    assert record.quality is not None
    assert record.quality.columns == (
        ColumnQuality("file", "file", 0, 3),
        ColumnQuality("id", "id", 0, 3),
        ColumnQuality("split", "split", 0, 2),
        ColumnQuality("source", "source", 0, 3),
        ColumnQuality("patient", "unit", 0, 2),
        ColumnQuality("site", "site", 1, 2),
        ColumnQuality("date", "acquired", 1, 2, first="2024-05-06", last="2024-05-07"),
        ColumnQuality("label", "label", 1, 2),
        ColumnQuality("w", "width", 1, 2, 40.0, 80.0),
        ColumnQuality("h", "height", 1, 2, 32.0, 64.0),
        ColumnQuality("scanner", "no role", 1),
    )
    assert [one for one in record.quality.groups if one.attribute == "label"] == [
        GroupSize("label", "cat", 2, 2, None, None),  # an image counts under each of its labels
        GroupSize("label", "dog", 1, 1, None, None),
        GroupSize("label", None, 1, 1, None, None),
    ]
    assert record.remarks == (
        "spelling variants in split, kept apart: 'Train' / 'train'",
        "spelling variants in site, kept apart: 'A' / 'a'",
    )
    assert set(record.remarks) <= set(record.notes)
