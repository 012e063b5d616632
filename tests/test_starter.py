"""The starter manifest: it names every section, it loads, and it guesses nothing of weight."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from ruamel.yaml import YAML

from reportgen.errors import InputError, RequestError
from reportgen.inputs import BinaryLabel, Inputs, SurvivalLabel, read_inputs
from reportgen.manifest import Manifest
from reportgen.manifest_file import load_manifest
from reportgen.section import Section
from reportgen.sections import SECTIONS
from reportgen.starter import write_starter
from reportgen.starter.text import EXAMPLES

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
    path = write_starter(tmp_path / "run").manifest
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
    manifest = load_manifest(write_starter(tmp_path, data=tmp_path / "test.csv").manifest)
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
    manifest = load_manifest(write_starter(tmp_path, data=tmp_path / "t.csv").manifest)
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
    manifest = load_manifest(write_starter(tmp_path, data=tmp_path / "t.csv").manifest)
    assert read(manifest).tables["test"].n_rows == 3


def test_a_score_only_for_ranking_leaves_decision_curves_out(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text("y,logit\n1,2.5\n0,-3\n1,0.5\n")
    manifest = load_manifest(write_starter(tmp_path, data=tmp_path / "t.csv").manifest)
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
    with pytest.raises(RequestError, match=r"bad.csv:2: no row has the 2 fields of the header"):
        write_starter(tmp_path / "run", data=tmp_path / "bad.csv")
    assert not (tmp_path / "run").exists()


def test_data_from_elsewhere_is_copied_and_never_over_another_file(tmp_path: Path) -> None:
    data = tmp_path / "p.csv"
    data.write_text(ROWS)
    started = write_starter(tmp_path / "run", data=data)
    assert started.copied == tmp_path / "run" / "p.csv"
    assert started.copied.read_text() == ROWS
    assert read(load_manifest(started.manifest)).records[0].rows == 4
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "p.csv").write_text("mine")
    with pytest.raises(RequestError, match=r"other/p\.csv: is there already and differs"):
        write_starter(tmp_path / "other", data=data)
    assert [path.name for path in (tmp_path / "other").iterdir()] == ["p.csv"]
    assert (tmp_path / "other" / "p.csv").read_text() == "mine"
    (tmp_path / "other" / "p.csv").write_text(ROWS)
    assert write_starter(tmp_path / "other", data=data).copied is None
    with pytest.raises(RequestError, match=r"manifest\.yaml: is there already"):
        write_starter(tmp_path / "run", data=tmp_path / "other" / "p.csv")


def test_data_within_the_folder_stay_where_they_are(tmp_path: Path) -> None:
    (tmp_path / "deep").mkdir()
    (tmp_path / "deep" / "p.csv").write_text(ROWS)
    started = write_starter(tmp_path, data=tmp_path / "deep" / "p.csv")
    assert started.copied is None
    assert load_manifest(started.manifest).settings.tables["test"].path == "deep/p.csv"


def test_a_time_with_its_event_makes_a_survival_outcome(tmp_path: Path, shared: Path) -> None:
    data = shared / "data" / "dca" / "df_surv.csv"
    path = write_starter(tmp_path, data=data).manifest
    text = path.read_text()
    assert "label: {time: ttcancer, event: cancer_cr, positive: CHOOSE, competing: [CHOOSE]" in text
    # The horizon is for a person to say: the one fault that is left, with its line.
    with pytest.raises(RequestError) as caught:
        load_manifest(path)
    (fault,) = caught.value.faults
    assert text.splitlines()[int(fault.where.split(":")[1]) - 1].strip().startswith("at: CHOOSE")
    manifest = load_manifest(path, overrides=[("tables.test.label.at", "1.5")])
    table = manifest.settings.tables["test"]
    assert table.label == SurvivalLabel(time="ttcancer", event="cancer", positive="TRUE", at=1.5)
    assert [section.kind for section in manifest.settings.sections] == ["dca"]
    assert table.groups == ["risk_group"]  # cancer_cr tells the outcome
    assert table.scores == {"cancerpredmarker": "cancerpredmarker"}
    survival = read(manifest).tables["test"].survival
    assert survival is not None
    assert int((survival.event == 1).sum()) == 105


@pytest.mark.parametrize(
    ("column", "group"),
    [
        (["A", "A", "B", "C", "C", "C"], False),  # each value goes with one outcome
        (["A", "A", "A", "B", "B", "B"], False),  # the outcome itself, recoded
        (["A", "B", "A", "B", "A", "B"], True),
    ],
)
def test_what_tells_the_outcome_is_no_group(tmp_path: Path, column: list[str], group: bool) -> None:
    rows = zip("111000", (0.9, 0.8, 0.7, 0.3, 0.2, 0.1), column, strict=True)
    text = "outcome,score,finding\n" + "".join(f"{y},{s},{g}\n" for y, s, g in rows)
    (tmp_path / "t.csv").write_text(text)
    path = write_starter(tmp_path, data=tmp_path / "t.csv").manifest
    assert load_manifest(path).settings.tables["test"].groups == (["finding"] if group else [])
    assert ("no groups, since they tell the outcome" in path.read_text()) != group


@pytest.mark.parametrize("section", SECTIONS, ids=lambda section: section.kind)
def test_every_example_is_one_of_its_section(section: Section) -> None:
    (block,) = YAML(typ="safe", pure=True).load(EXAMPLES[section.kind])
    made = section.settings.model_validate_json(json.dumps(block))
    assert made.kind == section.kind
