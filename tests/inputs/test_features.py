"""Feature vectors from arrays and from columns, joined rightly or refused in plain words."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from reportgen.errors import InputError
from reportgen.inputs import Inputs

ROWS = "image,y,p,patient,sex\na,1,.9,P1,F\nb,0,.2,P1,M\nc,0,.4,P2,F\n"
ROLES: dict[str, Any] = {
    "label": {"column": "y", "positive": 1},
    "scores": {"m": "p"},
    "unit": "patient",
    "groups": ["sex"],
    "key": "image",
}
VECTORS = np.array([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]])
Read = Callable[..., Inputs]


def columns(inputs: Inputs) -> dict[str, list[float]]:
    return {name: values.tolist() for name, values in inputs.tables["test"].features.items()}


def test_an_npy_array_is_aligned_by_row(read: Read, tmp_path: Path) -> None:
    np.save(tmp_path / "f.npy", VECTORS.astype(np.float32))
    inputs = read(ROWS, **ROLES, features={"path": "f.npy"})
    assert columns(inputs) == {"f 1": [1, 3, 5], "f 2": [2, 4, 6]}
    record = inputs.records[1]
    digest = hashlib.sha256((tmp_path / "f.npy").read_bytes()).hexdigest()
    assert (record.name, record.path, record.sha256) == ("tables.test.features", "f.npy", digest)
    assert record.rows == 3


def test_an_array_of_an_npz_is_named_where_there_are_several(read: Read, tmp_path: Path) -> None:
    np.savez(tmp_path / "f.npz", logits=VECTORS, labels=np.zeros(3))
    inputs = read(ROWS, **ROLES, features={"path": "f.npz", "array": "logits"})
    assert columns(inputs)["logits 2"] == [2, 4, 6]
    assert inputs.records[1].columns == ("logits", "labels")


def test_an_npz_with_keys_is_joined(read: Read, tmp_path: Path) -> None:
    np.savez(tmp_path / "f.npz", x=VECTORS, id=np.array(["c", "a", "b"]))
    inputs = read(ROWS, **ROLES, features={"path": "f.npz", "array": "x", "key": "id"})
    assert columns(inputs)["x 1"] == [3, 5, 1]


@pytest.mark.parametrize("kind", ["csv", "parquet"])
def test_columns_are_joined_by_key(read: Read, tmp_path: Path, kind: str) -> None:
    frame = pd.DataFrame({"image": ["z", "c", "a"], "u": [9.0, 5.0, 1.0], "v": [9.5, 6.5, 2.5]})
    if kind == "csv":
        frame.to_csv(tmp_path / "f.csv", index=False)
    else:
        frame.to_parquet(tmp_path / "f.parquet")
    inputs = read(ROWS, **ROLES, features={"path": f"f.{kind}", "key": "image"})
    found = columns(inputs)
    assert found["u"][::2] == [1, 5]
    assert found["v"][::2] == [2.5, 6.5]
    assert np.isnan(found["u"][1])
    assert inputs.records[1].notes == (
        "1 row of the table without features",
        "1 row of features without a row of the table, not used",
    )


def fault(read: Read, **declared: Any) -> str:
    with pytest.raises(InputError) as caught:
        read(ROWS, **{**ROLES, **declared})
    assert len(caught.value.faults) == 1
    printed = str(caught.value.faults[0])
    assert "m.yaml:1: tables.test." in printed
    return re.sub(r" \(m\.yaml:1: [^)]*\)", "", printed)


def test_what_is_wrong_with_an_array_is_said(read: Read, tmp_path: Path) -> None:
    np.save(tmp_path / "short.npy", VECTORS[:2])
    np.save(tmp_path / "cube.npy", np.zeros((3, 2, 2)))
    np.save(tmp_path / "text.npy", np.array(["a", "b", "c"]))
    np.save(tmp_path / "infinite.npy", np.array([[1.0], [np.inf], [2.0]]))
    np.savez(tmp_path / "two.npz", a=VECTORS, b=VECTORS)
    (tmp_path / "broken.npy").write_bytes(b"not an array")
    said = {
        "short.npy": ("2 rows of features for 3 rows", "join them by a key"),
        "cube.npy": ("its shape is 3 × 2 × 2",),
        "text.npy": ("not numbers",),
        "infinite.npy": ("1 value not finite, the first in row 2, column 1",),
        "two.npz": ("several arrays", "'a', 'b'"),
        "broken.npy": ("no sound .npy or .npz file",),
        "absent.npy": ("there is no file",),
    }
    for name, words in said.items():
        message = fault(read, features={"path": name})
        for word in words:
            assert word in message
    message = fault(read, features={"path": "two.npz", "array": "c"})
    assert "no array 'c'" in message


def test_keys_that_are_no_text_are_refused(read: Read, tmp_path: Path) -> None:
    np.savez(tmp_path / "f.npz", x=VECTORS, id=np.array([b"\xff\xfe", b"a", b"b"]))
    message = fault(read, features={"path": "f.npz", "array": "x", "key": "id"})
    assert "array 'id'" in message
    assert "no text in UTF-8" in message


def test_numbers_beyond_double_precision_are_refused_without_a_warning(
    read: Read, tmp_path: Path
) -> None:
    np.save(tmp_path / "f.npy", np.array([1, 2, 3], np.longdouble) * np.longdouble("1e4000"))
    assert "3 values not finite" in fault(read, features={"path": "f.npy"})


class Planted:
    """What runs when it is unpickled."""

    def __reduce__(self) -> tuple[Any, tuple[str]]:
        return (Path.touch, (Path("planted"),))  # type: ignore[return-value]


@pytest.mark.parametrize("name", ["f.npy", "f.npz"])
def test_a_pickled_array_is_refused_and_not_run(
    read: Read, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    monkeypatch.chdir(tmp_path)
    planted = np.array([Planted(), Planted(), Planted()], dtype=object)
    if name == "f.npy":
        np.save(tmp_path / name, planted, allow_pickle=True)
    else:
        np.savez(tmp_path / name, x=planted)
    assert "holds Python objects, which are not loaded" in fault(read, features={"path": name})
    assert not (tmp_path / "planted").exists()


def test_what_is_wrong_with_columns_is_said(read: Read, tmp_path: Path) -> None:
    (tmp_path / "f.csv").write_text("image,u\na,1\nb,x\nc,3\n")
    (tmp_path / "twice.csv").write_text("image,u\na,1\na,2\nc,3\n")
    (tmp_path / "others.csv").write_text("image,u\nq,1\nr,2\n")
    where = "f.csv:3: column 'u': 'x' is no finite number"
    assert where in fault(read, features={"path": "f.csv", "key": "image"})
    assert "name the column of row ids" in fault(read, features={"path": "f.csv"})
    assert "no column 'id'" in fault(read, features={"path": "f.csv", "key": "id"})
    assert "'a'" in fault(read, features={"path": "twice.csv", "key": "image"})
    assert "the same ids" in fault(read, features={"path": "others.csv", "key": "image"})
    lacking = fault(read, features={"path": "others.csv", "key": "image"}, key=None)
    assert "add key to the table" in lacking


def test_another_feature_file_than_the_pinned_one_is_refused(read: Read, tmp_path: Path) -> None:
    np.save(tmp_path / "f.npy", VECTORS)
    message = fault(read, features={"path": "f.npy", "sha256": "0" * 64})
    assert message.startswith("m.yaml:1: tables.test.features.sha256")


def test_the_training_set_stands_beside_its_table(read: Read, tmp_path: Path) -> None:
    (tmp_path / "train.csv").write_text("patient,sex,u,v\nP2,F,1,2\nP9,M,3,4\n")
    (tmp_path / "f.csv").write_text("image,v,u\na,1,2\nb,3,4\nc,5,6\n")
    train = {"path": "train.csv", "features": ["u", "v"], "groups": ["sex"], "unit": "patient"}
    inputs = read(ROWS, **ROLES, features={"path": "f.csv", "key": "image"}, train=train)
    found = inputs.tables["test"].train
    assert found is not None
    assert {k: v.tolist() for k, v in found.features.items()} == {"v": [2, 4], "u": [1, 3]}
    assert found.unit is not None
    assert (found.n_rows, found.unit.tolist()) == (2, ["P2", "P9"])
    names = [record.name for record in inputs.records]
    assert names == ["tables.test", "tables.test.features", "tables.test.train"]


def test_training_arrays_are_matched_by_place(read: Read, tmp_path: Path) -> None:
    np.save(tmp_path / "test.npy", VECTORS)
    np.save(tmp_path / "train.npy", VECTORS[:2] * 10)
    (tmp_path / "train.csv").write_text("patient\nP8\nP9\n")
    train = {"path": "train.csv", "features": {"path": "train.npy"}}
    inputs = read(ROWS, **ROLES, features={"path": "test.npy"}, train=train)
    found = inputs.tables["test"].train
    assert found is not None
    assert found.features["test 2"].tolist() == [20, 40]


def test_training_with_other_features_is_refused(read: Read, tmp_path: Path) -> None:
    (tmp_path / "train.csv").write_text("u\n1\n2\n")
    np.save(tmp_path / "f.npy", VECTORS)
    train = {"path": "train.csv", "features": ["u"]}
    message = fault(read, features={"path": "f.npy"}, train=train)
    assert message.startswith("m.yaml:1: tables.test.train.features")
    assert "name the same features in both" in message


def test_another_training_file_than_the_pinned_one_is_refused(read: Read, tmp_path: Path) -> None:
    (tmp_path / "train.csv").write_text("u,v\n1,2\n")
    np.save(tmp_path / "f.npy", VECTORS)
    train = {"path": "train.csv", "features": ["u", "v"], "sha256": "0" * 64}
    message = fault(read, features={"path": "f.npy"}, train=train)
    assert message.startswith("m.yaml:1: tables.test.train.sha256")


def test_units_in_several_groups_are_named(read: Read) -> None:
    record = read(ROWS, **ROLES).records[0]
    (one,) = record.units_in_several
    assert (one.attribute, one.unit, one.levels) == ("sex", "P1", ("F", "M"))
    assert "of all rows, 1 unit has some in several named groups of sex" in record.notes


def test_declared_levels_are_kept_in_order(read: Read) -> None:
    levels = {"sex": {"unknown": ["?"], "M": ["M"], "F": ["F"]}}
    table = read(ROWS, **ROLES, levels=levels, bins={"p": {"edges": [0, 0.5, 1], "name": "risk"}})
    assert table.tables["test"].levels == {
        "sex": ("unknown", "M", "F"),
        "risk": ("[0, 0.5)", "[0.5, 1)"),
    }


@pytest.mark.parametrize("value", ["1e300", "-1.7976931348623157e308"])
def test_what_cannot_be_computed_with_is_refused(
    faults: Callable[..., list[str]], value: str
) -> None:
    """A number that stands for a missing value: its square is beyond double precision."""
    rows = f"y,p,x\n1,.9,1e100\n0,.2,{value}\n1,.4,{value}\n"
    told = faults(rows, label={"column": "y", "positive": 1}, scores={"m": "p"}, features=["x"])
    assert told == [
        f"test.csv:3: column 'x': {float(value):g} is beyond what can be computed with; so is "
        "1 more value; correct it or, if it means missing, leave it empty"
    ]


def test_the_same_of_an_array(read: Read, tmp_path: Path) -> None:
    np.save(tmp_path / "f.npy", np.where(VECTORS == 4, 1e308, VECTORS))
    met = fault(read, features={"path": "f.npy"})
    assert met.startswith("f.npy: row 2 of 'f 2': 1e+308 is beyond what can be")
