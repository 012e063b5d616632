"""What gates decided and what was displayed."""

from __future__ import annotations

import pickle
from collections.abc import Callable
from typing import Any

import pytest

GATES = "image,kind,gate,ok\n1,own,dark,1\n1,own,net,0\n2,coco,dark,1\n"
COLUMNS = {"image": "image", "domain": "kind", "gate": "gate", "accepted": "ok"}
Read = Callable[..., Any]
Faults = Callable[..., list[str]]


def gates(columns: dict[str, str] = COLUMNS, **more: Any) -> dict[str, Any]:
    return {"path": "g.csv", "columns": columns, **more}


def test_gates_and_what_was_displayed(read: Read) -> None:
    shown = "image,det,name\n1,d1,Caries\n1,,Ulcers\n2,d1,Caries\n"
    made, records = read(
        {"g.csv": GATES, "s.csv": shown},
        gates=gates(),
        shown={
            "path": "s.csv",
            "columns": {"image": "image", "detection": "det", "name": "name"},
        },
    )
    assert made.gates.image.tolist() == ["1", "1", "2"]
    assert made.gates.domain.tolist() == ["own", "own", "coco"]
    assert made.gates.accepted.tolist() == [True, False, True]
    assert made.gates.order == ("dark", "net")
    assert made.shown.detection.tolist() == ["d1", "", "d1"]
    assert made.shown.name.tolist() == ["Caries", "Ulcers", "Caries"]
    assert [one.name for one in records] == ["pipelines.app.gates", "pipelines.app.shown"]
    assert records[1].notes == ("1 row of a detection that is displayed already",)
    assert pickle.loads(pickle.dumps(made)).gates.order == made.gates.order


def test_one_gate_without_domains(read: Read) -> None:
    given = gates({"image": "image", "accepted": "ok"})
    made, _ = read({"g.csv": "image,ok\n1,yes\n2,No\n"}, gates=given)
    assert made.shown is None
    assert made.gates.gate.tolist() == ["gate", "gate"]
    assert made.gates.domain.tolist() == ["", ""]
    assert made.gates.order == ("gate",)


@pytest.mark.parametrize(
    ("cells", "accepted"),
    [
        ("1 0 1", None),
        ("true FALSE True", None),
        ("Yes no YES", None),
        ("1.0 0 1", None),
        ("pass stop pass", "pass"),
        ("0 1 0", 0),
        ("0 1 0.0", "0"),
        ("false true False", False),
    ],
)
def test_values_that_mean_accepted(read: Read, cells: str, accepted: Any) -> None:
    rows = "".join(f"{at},{cell}\n" for at, cell in enumerate(cells.split()))
    given = gates({"image": "image", "accepted": "ok"}, accepted=accepted)
    made, _ = read({"g.csv": "image,ok\n" + rows}, gates=given)
    assert made.gates.accepted.tolist() == [True, False, True]


def test_a_declared_order(read: Read) -> None:
    made, _ = read({"g.csv": GATES}, gates=gates(order=["net", "dark"]))
    assert made.gates.order == ("net", "dark")


@pytest.mark.parametrize(
    ("text", "more", "words"),
    [
        (GATES.replace("dark,1\n1", "dark,maybe\n1"), {}, "g.csv:2: column 'ok': 'maybe' is neith"),
        (GATES.replace("dark,1\n1", "dark,\n1"), {}, "g.csv:2: column 'ok': the cell is empty;"),
        (GATES.replace("1,own,net", "1,own,dark"), {}, "g.csv:3: column 'image': image '1' at 'd"),
        (GATES.replace("1,own,net", "1,coco,net"), {}, "g.csv:3: column 'kind': 'coco', in a row"),
        (
            GATES,
            {"accepted": "open"},
            "g.csv: column 'ok': the value 'open' that means accepted do",
        ),
        (
            GATES,
            {"order": ["dark"]},
            "pipelines.app.gates.order: 1 gate of g.csv not in the order:",
        ),
        (
            GATES,
            {"order": ["dark", "nett", "net"]},
            "gates.order[1]: g.csv has no gate 'nett'; did",
        ),
        (GATES, {"order": ["dark", "net", "net"]}, "gates.order[2]: 'net' stands here twice; name"),
        (GATES, {"sha256": "0" * 64}, "pipelines.app.gates.sha256: g.csv has the SHA-256 "),
        (
            GATES,
            {"columns": {**COLUMNS, "gate": "Gate"}},
            "gates.columns.gate: g.csv has no column",
        ),
    ],
)
def test_mistakes_of_gates(faults: Faults, text: str, more: dict[str, Any], words: str) -> None:
    lines = faults({"g.csv": text}, gates=gates(**more))
    assert len(lines) == 1
    assert words in lines[0]


def test_one_gate_twice_for_an_image(faults: Faults) -> None:
    given = gates({"image": "image", "accepted": "ok"})
    (line,) = faults({"g.csv": "image,ok\n1,1\n1,0\n"}, gates=given)
    assert line == (
        "g.csv:3: column 'image': image '1' stands in line 2 already; "
        "give each image one row a gate"
    )


def test_mistakes_of_both_files_come_together(faults: Faults) -> None:
    shown = {"path": "s.csv", "columns": {"image": "image", "name": "name"}}
    files = {"g.csv": GATES.replace("2,coco", ",coco"), "s.csv": "image,name\n1,\n"}
    assert faults(files, gates=gates(), shown=shown) == [
        "g.csv:4: column 'image': the cell is empty; fill it in",
        "s.csv:2: column 'name': the cell is empty; fill it in",
    ]
