"""Class maps with their copies and artefacts."""

from __future__ import annotations

import hashlib
import pickle
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from reportgen.inputs.deployed import names

COLUMNS = {"index": "i", "shown": "s", "model": "m", "threshold": "t"}
MAP = "i,m,s,t\n0,calculus,Caries,0.35\n1,caries,Calculus,.25\n"
Read = Callable[..., Any]
Faults = Callable[..., list[str]]


def test_a_map_with_its_copies(read: Read) -> None:
    copies = [
        {"name": "demo", "path": "m.csv"},
        {"name": "fixed", "path": "f.csv", "columns": {"index": "i", "shown": "n"}},
    ]
    files = {"m.csv": MAP, "f.csv": "i,n\n0,Calculus\n1,\n"}
    made, records = read(files, path="m.csv", columns=COLUMNS, copies=copies)
    assert made.model == ("calculus", "caries")
    assert made.app.index == ("0", "1")
    assert made.app.shown == ("Caries", "Calculus")
    assert made.app.threshold == (0.35, 0.25)
    demo, fixed = made.copies
    assert demo.digest == made.app.digest == hashlib.sha256(MAP.encode()).hexdigest()
    assert (fixed.name, fixed.shown, fixed.threshold) == ("fixed", ("Calculus", ""), None)
    assert [one.name for one in records] == [
        "class_maps.app",
        "class_maps.app.copies.demo",
        "class_maps.app.copies.fixed",
    ]
    assert pickle.loads(pickle.dumps(made)) == made


def test_the_public_applications_map(read: Read, shared: Path) -> None:
    raw = (shared / "data" / "integrity" / "oral_app" / "class_maps.csv").read_bytes()
    columns = {
        "index": "class_id",
        "model": "checkpoint_name",
        "shown": "displayed_name",
        "threshold": "threshold_of_displayed_name",
    }
    made, _ = read({"m.csv": raw}, path="m.csv", columns=columns)
    assert made.model is not None
    assert made.model[2:] == ("gingivitis", "hypodontia", "tooth_discolation", "ulcer")
    assert made.app.shown[:3] == ("Caries", "Calculus", "Gingivitis")
    assert made.app.threshold == (0.35, 0.25, 0.3, 0.4, 0.75, 0.6)


@pytest.mark.parametrize(
    ("name", "content", "index"),
    [
        ("data.yaml", "nc: 2\nnames: [no, yes]\n", "0 1"),
        ("data.yml", "names:\n  1: yes\n  0: no\n", "0 1"),
        ("c.json", '{"categories": [{"id": 11, "name": "yes"}, {"id": 3, "name": "no"}]}', "3 11"),
        ("c.json", '["no", "yes"]', "0 1"),
        ("c.json", '{"10": "yes", "9": "no"}', "9 10"),
        ("c.json", '{"yes": 2, "no": 1}', "1 2"),
        ("c.json", '{"names": {"0": "no", "1": "yes"}}', "0 1"),
        ("names.txt", "no\r\nyes \n\n", "0 1"),
        ("obj.names", "\ufeffno\nyes", "0 1"),
    ],
)
def test_artefacts_in_files(read: Read, name: str, content: str, index: str) -> None:
    artefacts = [{"name": "checkpoint", "path": name}]
    files = {"m.csv": MAP, name: content}
    made, records = read(files, path="m.csv", columns=COLUMNS, artefacts=artefacts)
    (one,) = made.artefacts
    assert (one.name, one.classes) == ("checkpoint", ("no", "yes"))  # YAML 1.2: no is text
    assert one.index == tuple(index.split())
    assert one.digest == hashlib.sha256(content.encode()).hexdigest()
    assert records[1].name == "class_maps.app.artefacts.checkpoint"
    assert records[1].rows == 2


def test_names_that_are_numbers_and_names_in_the_manifest(read: Read) -> None:
    artefacts = [{"name": "digits", "path": "d.yaml"}, {"name": "weights", "classes": ["b", "a"]}]
    files = {"m.csv": MAP, "d.yaml": "names: [3, 5]"}
    made, records = read(files, path="m.csv", columns=COLUMNS, artefacts=artefacts)
    assert made.artefacts[0].classes == ("3", "5")
    weights = made.artefacts[1]
    assert (weights.index, weights.classes, weights.digest) == (("0", "1"), ("b", "a"), None)
    assert len(records) == 2


def test_coco_categories_of_the_reference_data(read: Read, shared: Path) -> None:
    raw = (shared / "data" / "integrity" / "coco100" / "ground_truth.json").read_bytes()
    artefacts = [{"name": "coco", "path": "gt.json"}]
    files = {"m.csv": MAP, "gt.json": raw}
    made, _ = read(files, path="m.csv", columns=COLUMNS, artefacts=artefacts)
    (one,) = made.artefacts
    assert len(one.classes) == 80
    assert one.index[10:12] == ("11", "13")  # COCO has no category 12


@pytest.mark.parametrize(
    ("name", "content", "words"),
    [
        ("a.yaml", "names: [a\n", "a.yaml:2: this is no YAML ("),
        ("a.yaml", "names: {a: b}\n", "a.yaml: 'a' is no class index; known:"),
        ("a.yaml", "nc: 5\n", "a.yaml: there is no key 'names' in it; known:"),
        ("a.yaml", "names: []\n", "a.yaml: there are no class names in it; known:"),
        ("a.yaml", "", "a.yaml: there are no class names in it; known:"),
        ("a.yaml", "names: [a, a]\n", "a.yaml: class 1: 'a' is the name of class 0 already;"),
        ("a.yaml", "names: [a, '']\n", "a.yaml: class 1: the name is empty; write a name"),
        ("a.yaml", "names: [a, [b]]\n", "a.yaml: class 1: ['b'] is no text; write a name"),
        ("a.yaml", "names: !!python/object:x.y {}\n", "a.yaml"),
        ("a.json", '{"a": 1, "b": 1}', "a.json: 'a' and 'b' have the index 1;"),
        ("a.json", '{"1": "a", "01": "b"}', "a.json: class 01: this index comes twice;"),
        ("a.json", '{"categories": [{"name": "a"}]}', "a.json: categories[0]: there is no id"),
        ("a.json", '["a", NaN]', "a.json:1: column 7: it holds NaN, which is no number of class"),
        ("a.json", "7", "a.json: there are no class names in it;"),
        ("a.txt", "a\n\nb\n", "a.txt: class 1: the name is empty;"),
        ("a.txt", b"\xff\xfe", "a.txt: byte 1 is not UTF-8: this is no text;"),
    ],
)
def test_artefacts_that_name_no_classes(
    faults: Faults, name: str, content: str | bytes, words: str
) -> None:
    artefacts = [{"name": "x", "path": name}]
    files = {"m.csv": MAP, name: content}
    (line,) = faults(files, path="m.csv", columns=COLUMNS, artefacts=artefacts)
    assert line.startswith(words)


def test_an_artefact_too_large(faults: Faults, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(names, "MOST_OTHERS", 3)
    artefacts = [{"name": "x", "path": "a.txt"}]
    files = {"m.csv": MAP, "a.txt": "a\nb\n"}
    (line,) = faults(files, path="m.csv", columns=COLUMNS, artefacts=artefacts)
    assert line.startswith("a.txt: the file holds 4 bytes; at most 3 are read for class names;")


def test_mistakes_of_all_files_come_together(faults: Faults) -> None:
    files = {"m.csv": MAP.replace("1,caries", "0,caries").replace(".25", "25"), "f.csv": "i\n1\n"}
    lines = faults(
        files,
        path="m.csv",
        columns=COLUMNS,
        copies=[
            {"name": "a", "path": "f.csv"},
            {"name": "a", "path": "m.csv", "sha256": "0" * 64},
        ],
        artefacts=[
            {"name": "x", "path": "none.yaml"},
            {"name": "y", "classes": ["a", " ", "a"]},
            {"name": "z", "classes": []},
        ],
    )
    assert [line.partition("; ")[0] for line in lines] == [
        "m.yaml:1: class_maps.app.copies[1].name: copies[0] is called 'a' already",
        "m.csv:3: column 'i': class 0 stands in line 2 already",
        "m.csv:3: column 't': 25 is out of range",
        "m.yaml:1: class_maps.app.columns.shown: f.csv has no column 's'",
        "m.yaml:1: class_maps.app.columns.threshold: f.csv has no column 't'",
        "m.yaml:1: class_maps.app.copies[1].sha256: m.csv has the SHA-256 "
        + hashlib.sha256(files["m.csv"].encode()).hexdigest(),
        "m.yaml:1: class_maps.app.artefacts[0].path: there is no file 'none.yaml'",
        "m.yaml:1: class_maps.app.artefacts[1].classes[1]: the name is empty",
        "m.yaml:1: class_maps.app.artefacts[1].classes[2]: 'a' stands here twice",
        "m.yaml:1: class_maps.app.artefacts[2].classes: there are no names",
    ]


def test_many_names_that_are_empty_take_three_lines(faults: Callable[..., list[str]]) -> None:
    names = "\n".join("" if 2 <= k < 40 else f"n{k}" for k in range(50))
    artefacts = [{"name": "a", "path": "a.txt"}]
    told = faults(
        {"m.csv": "i,s\n0,a\n", "a.txt": names},
        path="m.csv",
        columns={"index": "i", "shown": "s"},
        artefacts=artefacts,
    )
    assert [line.partition(";")[0] for line in told] == [
        "a.txt: class 2: the name is empty",
        "a.txt: class 3: the name is empty",
        "a.txt: … and 36 more entries, in classes 4–39",
    ]


def test_a_pointer_is_no_list_of_names(faults: Callable[..., list[str]]) -> None:
    (told,) = faults(
        {"m.csv": "i,s\n0,a\n", "a.txt": "version https://git-lfs.github.com/spec/v1\n"},
        path="m.csv",
        columns={"index": "i", "shown": "s"},
        artefacts=[{"name": "a", "path": "a.txt"}],
    )
    assert told.startswith("a.txt: this is a Git LFS pointer")
