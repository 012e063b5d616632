"""Every fault at once: those of the manifest and those of its data, in the order of lines."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from reportgen.errors import RequestError
from reportgen.reading import prepare

Faults = Callable[..., list[str]]

TABLE = """\
reportgen: 1
dossier: {title: Audit, date: 2026-11-30}
model: {name: m, version: 2.1.0}
tables:
  test:
    path: test.csv
    label: {column: y, positive: 1}
    scores: {a: s, b: t}
    groups: [sex]
"""
SECTIONS = """\
sections:
  - kind: dca
    table: test
    thresholds: {from: 0.1, to: 0.3, step: 0.1}
  - kind: prevalence
    table: test
    score: a
    threshold: 0.5
    prevalences: [0.1]
"""
SOUND = TABLE + SECTIONS


@pytest.fixture
def faults(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Faults:
    """Return the faults of a manifest and its data as printed, without the manifest's name."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "test.csv").write_text("y,s,t,sex\n1,0.9,0.8,F\n0,0.1,0.2,M\n")

    def _faults(text: str, **options: Any) -> list[str]:
        (tmp_path / "manifest.yaml").write_text(text)
        before = sorted(tmp_path.rglob("*"))
        with pytest.raises(RequestError) as caught:
            prepare("manifest.yaml", **options)
        assert sorted(tmp_path.rglob("*")) == before
        return [str(fault).removeprefix("manifest.yaml:") for fault in caught.value.faults]

    return _faults


def starts(lines: list[str]) -> list[str]:
    return [line.partition("; ")[0] for line in lines]


def test_a_fault_of_the_manifest_does_not_hide_those_of_columns(faults: Faults) -> None:
    text = SOUND.replace("column: y", "column: z").replace("b: t", "b: u")
    text = text.replace("threshold: 0.5", "treshold: 0.5")
    assert starts(faults(text)) == [
        "7: tables.test.label.column: test.csv has no column 'z'",
        "8: tables.test.scores.b: test.csv has no column 'u'",
        "17: sections[1].treshold: unknown key",
    ]


def test_a_column_that_is_missing_does_not_hide_cells(faults: Faults, tmp_path: Path) -> None:
    (tmp_path / "test.csv").write_text("y,s,t,sex\n1,0.9,7,F\n0,x,0.2,M\n")
    text = SOUND.replace("column: y", "column: z").replace("title: Audit", "titel: Audit")
    assert starts(faults(text)) == [
        "2: dossier.title: this key is missing",
        "2: dossier.titel: unknown key",
        "7: tables.test.label.column: test.csv has no column 'z'",
        "test.csv:3: column 's' (manifest.yaml:8: tables.test.scores.a): "
        "'x' is no finite decimal number",
        "test.csv: column 't' (manifest.yaml:8: tables.test.scores.b): "
        "values run from 0.2 to 7, 1 of 2 outside 0 to 1",
    ]


def test_columns_are_looked_up_in_a_table_that_has_faults(faults: Faults) -> None:
    text = SOUND.replace("{column: y, positive: 1}", "{column: z, positve: 1}")
    text = text.replace("groups: [sex]", "groups: [seks]\n    colour: red")
    assert starts(faults(text)) == [
        "7: tables.test.label.positive: this key is missing",
        "7: tables.test.label.positve: unknown key",
        "7: tables.test.label.column: test.csv has no column 'z'",
        "9: tables.test.groups[0]: test.csv has no column 'seks'",
        "10: tables.test.colour: unknown key",
    ]


def test_cells_are_not_judged_by_a_declaration_with_faults(faults: Faults, tmp_path: Path) -> None:
    (tmp_path / "test.csv").write_text("y,s,t,sex\n1,90,80,F\n0,10,20,M\n")
    (line,) = faults(SOUND.replace("groups: [sex]", "scal: percent"))
    assert line.startswith("9: tables.test.scal: unknown key")
    (tmp_path / "test.csv").write_text("y;s;t;sex\n1;0.9;0.8;F\n0;0.1;0.2;M\n")
    (line,) = faults(SOUND.replace("groups: [sex]", 'read: {delimiter: ";", decmal: ","}'))
    assert line.startswith("9: tables.test.read.decmal: unknown key")


def test_attributes_of_bins_with_faults_are_not_missed(faults: Faults) -> None:
    bins = "groups: [sex, band]\n    bins: {t: {edges: [0, 1], nane: band}}"
    (line,) = faults(SOUND.replace("groups: [sex]", bins))
    assert line.startswith("10: tables.test.bins.t.nane: unknown key")


@pytest.mark.parametrize(
    ("section", "expected"),
    [
        (
            "{kind: prevalence, table: tets, score: a, threshold: 0.5, prevalences: ['9:1']}",
            ["table: no table is called 'tets'", "prevalences[0]: '9:1' is a ratio"],
        ),
        (
            "{kind: prevalence, table: test, score: c, threshold: 0.5, prevalences: ['9:1']}",
            ["score: table 'test' has no score 'c'", "prevalences[0]: '9:1' is a ratio"],
        ),
        (
            "{kind: dca, table: test, scores: [a, c], thresholds: 0.5, harm: {d: 0.1, b: 0.1}}",
            [
                "scores[1]: table 'test' has no score 'c'",
                "harm.d: table 'test' has no score 'd'",
                "thresholds: 0.5 is a number",
            ],
        ),
        (
            "{kind: frame, table: test, score: a, groups: [sex, [sex, age]], margin: wide}",
            ["groups[1][1]: table 'test' has no group 'age'", "margin: wide"],
        ),
        (
            "{kind: dcq, table: tets}",
            ["kind: there is no section 'dcq'", "table: no table is called 'tets'"],
        ),
        ("{kind: dcq, table: [test], score: 3}", ["kind: there is no section 'dcq'"]),
        ("{kind: dca, table: test, score: c, thresholds: [0.5]}", ["score: unknown key"]),
    ],
)
def test_names_are_looked_up_in_a_section_that_has_faults(
    faults: Faults, section: str, expected: list[str]
) -> None:
    lines = faults(TABLE + f"sections:\n  - {section}\n")
    found = [line.removeprefix("11: sections[0].") for line in lines]
    assert len(found) == len(expected)
    for start in expected:
        assert [line for line in found if line.startswith(start)]


def test_a_score_with_a_reserved_name_is_named_where_it_stands(faults: Faults) -> None:
    second = "  - {kind: dca, id: again, table: test, thresholds: [0.5]}\n"
    (line,) = faults(SOUND.replace("b: t", "treat all: t") + second)
    assert line.startswith("8: tables.test.scores.treat all: 'treat all' is the name of a default")


def test_the_data_faults_of_sections_are_told_beside_others(faults: Faults) -> None:
    frame = "  - {kind: frame, table: test, score: a, margin: 0.05, reference: {sex: Q}}\n"
    lines = faults(SOUND.replace("version: 2.1.0", "version: 2.10") + frame)
    assert starts(lines)[0] == "3: model.version: 2.10 is read as a number"
    assert lines[1].startswith("19: sections[2].reference.sex: no row of table 'test' has the sex")
    assert len(lines) == 2


def test_overrides_with_faults_come_last(faults: Faults) -> None:
    text = SOUND.replace("b: t", "b: u")
    assert starts(faults(text, overrides=[("sections[9].table", "x"), ("foo.bar", "1")])) == [
        "8: tables.test.scores.b: test.csv has no column 'u'",
        "--set sections[9].table: there is no entry '9' in this list",
        "--set foo.bar: unknown key",
    ]


def test_a_file_that_is_not_there_is_one_fault(faults: Faults) -> None:
    (line,) = faults(SOUND.replace("path: test.csv", "path: tset.csv"))
    assert line.startswith("6: tables.test.path: there is no file 'tset.csv'; did you mean")
