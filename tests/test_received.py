"""What is lost or odd in the files beside a table is told in every section on the table."""

from __future__ import annotations

from pathlib import Path

from reportgen.errors import key_text
from reportgen.inputs import TableSettings, read_inputs
from reportgen.received import received, remark_findings


def statements(folder: Path, **declared: object) -> dict[str, str]:
    table = TableSettings.model_validate(
        {
            "path": "t.csv",
            "label": {"column": "y", "positive": 1},
            "scores": {"s": "p"},
            "unit": "u",
            "key": "k",
            **declared,
        }
    )
    inputs = read_inputs({"t": table}, folder=folder, where=lambda key: f"m:1: {key_text(key)}")
    return {name: one.statement for name, one in remark_findings(received(inputs)).items()}


def test_losses_of_feature_and_training_files_are_findings(tmp_path: Path) -> None:
    rows = [f"k{i},u{i},{i % 2},{0.2 + i % 2 / 2 + i / 100}" for i in range(6)]
    (tmp_path / "t.csv").write_text("\n".join(["k,u,y,p", *rows]))
    (tmp_path / "f.csv").write_text("k,x\nk0,1\nk1,2\nk2,3\nk3,4\nother,5\nnone,6\nless,7\n")
    (tmp_path / "train.csv").write_text("u,g,x\nu9,A,1\n,a,2\n,A,3\nu0,A,4\nu0,A,4\n")
    train = {"path": "train.csv", "features": ["x"], "groups": ["g"], "unit": "u"}
    features = {"path": "f.csv", "key": "k"}
    (told,) = statements(tmp_path, features=features, train=train).values()
    for said in (
        "in f.csv: 2 rows of the table without features",
        "in f.csv: 3 rows of features without a row of the table, not used",
        "in train.csv: 2 rows without u are each a unit of their own",
        "in train.csv: 1 row repeats an earlier row in every column",
        "in train.csv: spelling variants in g, kept apart: 'A' / 'a'",
        "1 value of u is in the training set too: 'u0'; it touches 1 of 6 rows",
    ):
        assert said in told, said


def test_at_most_twenty_units_of_the_training_set_are_named(tmp_path: Path) -> None:
    rows = [f"k{i},{i},{i % 2},{0.2 + i % 2 / 2 + i / 1000}" for i in range(60)]
    (tmp_path / "t.csv").write_text("\n".join(["k,u,y,p", *rows]))
    units = "".join(f"{i},1\n" for i in range(10, 40))
    (tmp_path / "train.csv").write_text("u,x\n" + units)
    (tmp_path / "f.csv").write_text("k,x\n" + "".join(f"k{i},{i}\n" for i in range(60)))
    train = {"path": "train.csv", "features": ["x"], "unit": "u"}
    features = {"path": "f.csv", "key": "k"}
    told = statements(tmp_path, features=features, train=train)["t"]
    named = ", ".join(repr(str(unit)) for unit in range(10, 30))
    assert f"30 values of u are in the training set too: {named} and 10 more" in told
    assert "they touch 30 of 60 rows" in told
    assert "training set" not in str(statements(tmp_path))
