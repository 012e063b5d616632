"""The starter manifest: it names every section, it loads, and it guesses nothing of weight."""

from __future__ import annotations

from pathlib import Path

import pytest

from reportgen.errors import InputError, RequestError
from reportgen.inputs import BinaryLabel, Inputs, read_inputs
from reportgen.manifest import Manifest
from reportgen.manifest_file import load_manifest
from reportgen.sections import SECTIONS
from reportgen.starter import write_starter

ROWS = """\
patient_id,outcome,score_lr,score_rf,sex,scanner,bmi,image_id
p1,1,0.91,0.8,F,A,21.5,i1
p1,0,0.12,0.3,F,A,22,i2
p2,0,0.4,0.2,M,B,30,i3
p3,1,0.7,0.9,M,B,31,i4
"""


def read(manifest: Manifest) -> Inputs:
    settings = manifest.settings
    return read_inputs(settings.tables, folder=manifest.folder, where=manifest.where)


def test_without_data_it_loads_once_its_file_is_there(tmp_path: Path) -> None:
    path = write_starter(tmp_path / "run")
    text = path.read_text()
    assert path == tmp_path / "run" / "manifest.yaml"
    assert "FILL IN" in text
    for section in SECTIONS:
        assert f"kind: {section.kind}\n" in text
    with pytest.raises(RequestError, match=r"tables.test.path: there is no file"):
        load_manifest(path)
    (path.parent / "predictions.csv").write_text("outcome,score\n1,0.9\n0,0.2\n")
    assert read(load_manifest(path)).records[0].positives == 1


def test_roles_are_proposed_from_data(tmp_path: Path) -> None:
    (tmp_path / "test.csv").write_text(ROWS)
    manifest = load_manifest(write_starter(tmp_path, data=tmp_path / "test.csv"))
    table = manifest.settings.tables["test"]
    assert isinstance(table.label, BinaryLabel)
    assert (table.label.column, table.label.positive) == ("outcome", "1")
    assert table.scores == {"score_lr": "score_lr", "score_rf": "score_rf"}
    assert (table.unit, table.key, table.groups) == ("patient_id", "image_id", ["sex", "scanner"])
    inputs = read(manifest)
    assert (inputs.records[0].positives, inputs.records[0].units) == (2, 3)
    assert {section.kind for section in manifest.settings.sections} == {"dca", "prevalence"}


def test_the_positive_class_is_not_guessed(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text("outcome,prob\ncase,.1\ncontrol,.2\ncase,.3\n")
    manifest = load_manifest(write_starter(tmp_path, data=tmp_path / "t.csv"))
    with pytest.raises(InputError, match="'case' × 2, 'control' × 1"):
        read(manifest)


@pytest.mark.parametrize(
    ("header", "cells"),
    [
        ("{{ 7*7 }}: #x,y", "0.5,1 0.25,0 0.125,1"),
        ('"a\nb: [",label', "0.5,true 0.25,false 0.1,true"),
        ("prob: a,yes", "0.5,no 0.25,yes 0.1,yes"),
        ("a,b", "x,1 y,2 z,3"),
    ],
)
def test_odd_columns_do_not_break_the_manifest(tmp_path: Path, header: str, cells: str) -> None:
    (tmp_path / "t.csv").write_text(header + "\n" + "\n".join(cells.split()) + "\n")
    manifest = load_manifest(write_starter(tmp_path, data=tmp_path / "t.csv"))
    assert read(manifest).tables["test"].n_rows == 3


def test_a_score_only_for_ranking_leaves_decision_curves_out(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text("y,logit\n1,2.5\n0,-3\n1,0.5\n")
    manifest = load_manifest(write_starter(tmp_path, data=tmp_path / "t.csv"))
    assert manifest.settings.tables["test"].scale == "score"
    assert [section.kind for section in manifest.settings.sections] == ["prevalence"]


def test_nothing_is_overwritten(tmp_path: Path) -> None:
    (tmp_path / "manifest.yaml").write_text("mine")
    with pytest.raises(RequestError, match="is there already"):
        write_starter(tmp_path)
    assert (tmp_path / "manifest.yaml").read_text() == "mine"
    with pytest.raises(RequestError, match="is there already"):
        write_starter(tmp_path / "manifest.yaml")


def test_data_that_cannot_be_read(tmp_path: Path) -> None:
    with pytest.raises(RequestError, match="no such file"):
        write_starter(tmp_path / "run", data=tmp_path / "none.csv")
    (tmp_path / "bad.csv").write_text("a,b\n1\n")
    with pytest.raises(RequestError, match=r"bad.csv:2: this row has 1 field,"):
        write_starter(tmp_path / "run", data=tmp_path / "bad.csv")
    assert not (tmp_path / "run").exists()
