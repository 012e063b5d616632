"""Every fault of a manifest, at once and with its line: catalogue D115–D120, D126."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from reportgen.errors import ManifestError
from reportgen.manifest import Manifest
from reportgen.manifest_file import load_manifest
from reportgen.reading import prepare

Load = Callable[..., Manifest]
Faults = Callable[..., list[str]]

SOUND = """\
reportgen: 1
dossier: {title: Audit, date: 2026-11-30}
model: {name: m, version: 2.1.0}
tables:
  test:
    path: test.csv
    label: {column: y, positive: 1}
    scores: {a: s}
sections:
  - kind: dca
    table: test
    thresholds: {from: 0.1, to: 0.3, step: 0.1}
  - kind: prevalence
    table: test
    threshold: 0.5
    prevalences: [0.1, {positives: 1, negatives: 99}]
"""


@pytest.fixture
def load(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Load:
    """Write a manifest with its data beside it, and load it by its bare name."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "test.csv").write_text("y,s\n1,0.9\n0,0.1\n")

    def _load(text: str | bytes, **options: Any) -> Manifest:
        raw = text.encode() if isinstance(text, str) else text
        (tmp_path / "manifest.yaml").write_bytes(raw)
        return load_manifest("manifest.yaml", **options)

    return _load


@pytest.fixture
def faults(load: Load) -> Faults:
    """Return the faults of a manifest as printed, without the file's name."""

    def _faults(text: str | bytes, **options: Any) -> list[str]:
        with pytest.raises(ManifestError) as caught:
            load(text, **options)
        return [str(fault).removeprefix("manifest.yaml:") for fault in caught.value.faults]

    return _faults


def test_a_sound_manifest(load: Load) -> None:
    manifest = load(SOUND)
    assert manifest.text == SOUND
    assert manifest.settings.dossier.date == "2026-11-30"
    assert manifest.settings.model.version == "2.1.0"
    assert manifest.folder == Path()
    assert manifest.where(("sections", 0, "table")) == "manifest.yaml:11: sections[0].table"
    assert manifest.where(("sections", 0, "harm")) == "manifest.yaml:10: sections[0].harm"
    assert manifest.where(("tables", "test", "scores", "a")) == (
        "manifest.yaml:8: tables.test.scores.a"
    )


def test_six_mistakes_make_six_lines(faults: Faults) -> None:
    text = (
        SOUND.replace("version: 2.1.0", "version: 2.10")
        .replace("path: test.csv", "path: tset.csv")
        .replace("column: y, positive: 1", "column: y")
        .replace("    table: test\n    thresholds", "    table: tost\n    thresholds")
        .replace("threshold: 0.5", "treshold: 0.5")
        .replace("  - kind: prevalence", "  - kind: dcb\n  - kind: prevalence")
    )
    lines = faults(text)
    assert [line.partition("; ")[0] for line in lines] == [
        "3: model.version: 2.10 is read as a number",
        "6: tables.test.path: there is no file 'tset.csv'",
        "7: tables.test.label.positive: this key is missing",
        "11: sections[0].table: no table is called 'tost'",
        "13: sections[1].kind: there is no section 'dcb'",
        "16: sections[2].treshold: unknown key",
    ]
    assert lines[0].endswith('put it in quotes: "2.10"')
    assert "did you mean 'test.csv'?" in lines[1]
    assert "did you mean 'test'?" in lines[3]
    assert "did you mean 'dca'?" in lines[4]
    assert "did you mean 'threshold'?" in lines[5]


def test_faults_of_an_absent_key_stand_at_its_parent(faults: Faults) -> None:
    lines = faults("reportgen: 1\nmodel:\n  name: m\nsections: []\n")
    assert lines == [
        "1: dossier: this key is missing; add it",
        "2: model.version: this key is missing; add it",
        "4: sections: there are 0 entries; write at least 1",
    ]


@pytest.mark.parametrize(
    ("label", "expected"),
    [
        ("{column: y}", ["label.positive: this key is missing"]),
        ("{time: t, event: e, positive: 1}", ["label.at: this key is missing"]),
        (
            "{time: t, event: e, positive: 1, at: -1, competting: [2]}",
            ["label.at: -1 is out of range", "label.competting: unknown key"],
        ),
        ("{column: 3, positive: 1}", ["label.column: 3 is read as a number"]),
        ("y", ["label: y is text"]),
        ("[y]", ["label: a list stands here"]),
        ("{column: y, positive: [1]}", ["label.positive: a list stands here"]),
    ],
)
def test_one_fault_for_a_value_of_several_shapes(
    faults: Faults, label: str, expected: list[str]
) -> None:
    lines = faults(SOUND.replace("{column: y, positive: 1}", label))
    assert [line.partition("; ")[0] for line in lines] == [f"7: tables.test.{e}" for e in expected]


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        ("{from: 0.1,", "{form: 0.1,", "12: sections[0].thresholds.form: unknown key"),
        ("{from: 0.1, to: 0.3, step: 0.1}", "0.3", "12: sections[0].thresholds: 0.3 is a number"),
        ("{from: 0.1,", "{from: x,", "12: sections[0].thresholds.from: x cannot stand here"),
        ("[0.1, {p", '["9:1", {p', "16: sections[1].prevalences[0]: '9:1' is a ratio"),
        ("[0.1, {p", "[10, {p", "16: sections[1].prevalences[0]: 10 does not lie between"),
        ("threshold: 0.5", "sensitivity: {k: 3}", "15: sections[1].sensitivity.n: this key is"),
        ("title: Audit", "titel: Audit", "2: dossier.titel: unknown key"),
        ("reportgen: 1", "reportgen: 2", "1: reportgen: 2 is not known here"),
        ("scores: {a: s}", "scores: [s]", "8: tables.test.scores: a list stands here"),
        ("  test:\n", "  2nd:\n", "5: tables.2nd: 2nd cannot stand here"),
        ("path: test.csv", "path:", "6: tables.test.path: nothing stands here"),
        ("path: test.csv", "path: ../test.csv", "6: tables.test.path: '../test.csv' leads out"),
        ("path: test.csv", "path: /etc/hosts", "6: tables.test.path: '/etc/hosts' is an absolute"),
        ("2026-11-30", "2026-11-31", "2: dossier.date: '2026-11-31' is not a date"),
        ("{a: s}", "{a: y}", "8: tables.test.scores.a: column 'y' is the outcome"),
        (
            "threshold: 0.5",
            "threshold: 1" + "0" * 400,
            "15: sections[1].threshold: a number of 401 digits",
        ),
        ("{a: s}", "{a: s}\n    key: 010", "9: tables.test.key: 010 starts with a zero"),
        (
            "{a: s}",
            '{a: s}\n    missing: ["\\x07"]',
            "9: tables.test.missing[0]: there is a control",
        ),
        ("  - kind: dca", "  - id: X\n    kind: dca", "10: sections[0].id: X cannot stand here"),
        ("  - kind: dca", "  - title: 3\n    kind: dca", "10: sections[0].title: 3 is read as a"),
        ("  - kind: dca\n    table", "  - table", "10: sections[0].kind: this key is missing"),
    ],
)
def test_single_mistakes(faults: Faults, old: str, new: str, expected: str) -> None:
    assert old in SOUND
    lines = faults(SOUND.replace(old, new, 1))
    assert [line for line in lines if line.startswith(expected)]
    assert len(lines) == len({line.split(": ")[1] for line in lines})


def test_yes_and_no_are_text_and_numbers_are_numbers(load: Load) -> None:
    text = SOUND.replace("positive: 1}", "positive: yes, negative: no}")
    text = text.replace("from: 0.1", "from: 1e-1").replace("{a: s}", "{on: s, off: s}")
    text = text.replace("threshold: 0.5", "score: on\n    threshold: 0.5")
    text += "defaults: {resamples: 1_000}\n"
    settings = load(text).settings
    label = settings.tables["test"].label
    assert label is not None
    assert (label.positive, getattr(label, "negative", None)) == ("yes", "no")
    assert settings.tables["test"].scores == {"on": "s", "off": "s"}
    assert settings.defaults.resamples == 1000


def test_a_key_given_twice_names_both_lines(faults: Faults) -> None:
    (line,) = faults(SOUND.replace("    scores: {a: s}\n", "    scores: {a: s}\n    scores: {}\n"))
    assert line.startswith("8: tables.test.scores: given twice, in lines 8 and 9")


def test_nothing_is_read_of_a_block_given_twice(tmp_path: Path) -> None:
    bins = SOUND.replace(
        "    scores: {a: s}\n", "    scores: {a: s}\n    bins: {s: {edges: [1, 0]}}\n"
    )
    path = tmp_path / "manifest.yaml"
    path.write_text(bins + bins[bins.index("tables:") : bins.index("sections:")])
    (tmp_path / "test.csv").write_text("y,s\n1,.5\n0,.4\n")
    with pytest.raises(ManifestError) as caught:
        prepare(path)
    assert "tables: given twice" in str(caught.value.faults[0])


def test_an_id_given_twice(faults: Faults, load: Load) -> None:
    section = "  - {kind: dca, table: test, thresholds: [0.5]}\n"
    (line,) = faults(SOUND + section)
    assert line.startswith("17: sections[2].kind: sections[0] is called 'dca' already")
    load(SOUND + section.replace("kind: dca", "kind: dca, id: dca-2"))


def test_a_faulty_table_does_not_fault_its_sections(faults: Faults) -> None:
    (line,) = faults(SOUND.replace("scores: {a: s}", "scores: {a: 1}"))
    assert line.startswith("8: tables.test.scores.a")
    lines = faults(SOUND.replace("scores: {a: s}", "scores: {}\n    colour: red"))
    assert [line.split(": ")[1] for line in lines] == [
        "tables.test.colour",
        "sections[0].table",
        "sections[1].table",
    ]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", "1: the manifest is empty"),
        ("# nothing\n", "1: the manifest is empty"),
        ("- reportgen: 1\n", "1: a list stands at the top"),
        ("reportgen", "1: a single value stands at the top"),
        ("reportgen: 1\n\tdossier: 2\n", "2: a tab stands where blanks must"),
        ("reportgen: 1\n---\nreportgen: 1\n", "2: a second document starts here"),
        ("a: b: c\n", "1: this is not YAML"),
        ("a: [1, 2\n", "2: this is not YAML"),
        ("x: 1\n  - kind: dca\n", "2: this is not YAML"),
        ("a: *b\n", "1: found undefined alias"),
        ("%YAML 1.1\n---\na: no\n", "1: the directive '%YAML 1.1' is not taken"),
        (b"a: \xff\n", "1: byte 4 (0xff) is not UTF-8"),
        (b"a: 1\nb: \x00\n", "2: this is no text file"),
        ("a: 1\n".encode("utf-16"), "1: the file is UTF-16"),
        ("a: 1\nb: \x07\n", "2: this is not YAML"),
        ("[" * 10_000, "1: this is nested deeper"),
        ("a: &a [*a]\n", "1: this is nested deeper"),
    ],
)
def test_what_is_no_manifest_is_one_line(faults: Faults, text: str | bytes, expected: str) -> None:
    (line,) = faults(text)
    assert line.startswith(expected)
    assert "\n" not in line


def test_aliases_are_taken_and_bombs_are_not(load: Load, faults: Faults) -> None:
    load(SOUND.replace("{a: s}", "&s {a: s}") + "gate: {fail_on: &x warn}\n")
    bomb = "a0: &a0 [x, x, x, x, x, x, x, x, x]\n" + "".join(
        f"a{i}: &a{i} [{', '.join([f'*a{i - 1}'] * 9)}]\n" for i in range(1, 30)
    )
    start = time.process_time()
    (line,) = faults(bomb)
    assert "without anchors and aliases" in line
    assert time.process_time() - start < 5


def test_tags_make_nothing(faults: Faults, tmp_path: Path) -> None:
    text = SOUND.replace("title: Audit", "title: !!python/object/apply:os.mkdir [made]")
    (line,) = faults(text)
    assert line.startswith("2: dossier.title: the tag '!!python/object/apply:os.mkdir'")
    assert not (tmp_path / "made").exists()


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        ("title: Audit", "title: !!str Audit", "2: dossier.title: the tag '!!str'"),
        ("title: Audit", "title: ! Audit", "2: dossier.title: the tag '!'"),
        ("title: Audit", "title: !!str &a Audit", "2: dossier.title: the tag '!!str'"),
        ("title: Audit", "title: &a !!str Audit", "2: dossier.title: the tag '!!str'"),
        ("title: Audit", "!!python/name:os.mkdir title: Audit", "2: dossier.title: the tag"),
        (
            "threshold: 0.5",
            "threshold: !!float 0.5",
            "15: sections[1].threshold: the tag '!!float'",
        ),
        ("threshold: 0.5", "!x threshold: 0.5", "15: sections[1].threshold: the tag '!x'"),
        ("{column: y,", "!!map {column: y,", "7: tables.test.label: the tag '!!map'"),
        ("[0.1, {p", "[!!int x, {p", "16: sections[1].prevalences[0]: the tag '!!int'"),
    ],
)
def test_every_tag_is_refused_once(faults: Faults, old: str, new: str, expected: str) -> None:
    assert old in SOUND
    (line,) = faults(SOUND.replace(old, new, 1))
    assert line.startswith(expected)
    assert "delete the tag" in line


def test_overrides(load: Load, faults: Faults) -> None:
    manifest = load(
        SOUND,
        overrides=[
            ("sections[1].threshold", "0.25"),
            ("sections.0.thresholds.to", "0.2"),
            ("gate.fail_on", "never"),
            ("model.version", "'3'"),
        ],
    )
    assert manifest.settings.gate.fail_on == "never"
    assert manifest.settings.model.version == "3"
    assert str(getattr(manifest.settings.sections[1], "threshold", "")) == "0.25"
    assert manifest.text == SOUND
    assert manifest.where(("sections", 1, "threshold")) == "--set sections[1].threshold"
    (line,) = faults(SOUND, overrides=[("dossier.titel", "x")])
    assert line.startswith("--set dossier.titel: unknown key; did you mean 'title'?")
    lines = faults(
        SOUND,
        overrides=[
            ("sections[7].table", "x"),
            ("dossier.title.x", "x"),
            ("a[", "1"),
            ("gate", "{fail_on: [}"),
            ("gate.fail_on", "1"),
        ],
    )
    assert [line.partition(":")[0] for line in lines[:4]] == [
        "--set sections[7].table",
        "--set dossier.title.x",
        "--set a[",
        "--set gate",
    ]


def test_an_override_mends_a_fault(load: Load, faults: Faults) -> None:
    broken = SOUND.replace("version: 2.1.0", "version: 2.10")
    assert load(broken, overrides=[("model.version", '"2.10"')]).settings.model.version == "2.10"
    (line,) = faults(SOUND, overrides=[("model.version", "2.10")])
    assert line == '--set model.version: 2.10 is read as a number; put it in quotes: "2.10"'


def test_links_out_of_the_folder(load: Load, faults: Faults, tmp_path: Path) -> None:
    outside = tmp_path.parent / f"{tmp_path.name}-outside.csv"
    outside.write_text("y,s\n1,0.5\n")
    (tmp_path / "link.csv").symlink_to(outside)
    text = SOUND.replace("path: test.csv", "path: link.csv")
    (line,) = faults(text)
    assert line.startswith("6: tables.test.path: 'link.csv' leads out of the manifest's folder")
    assert load(text, allow_outside=True).allow_outside


def test_files_that_are_not_there(tmp_path: Path) -> None:
    for path, words in ((tmp_path / "none.yaml", "no such file"), (tmp_path, "this is a folder")):
        with pytest.raises(ManifestError, match=words):
            load_manifest(path)


def test_byte_order_mark_and_line_ends(load: Load) -> None:
    crlf = "\ufeff" + SOUND.replace("\n", "\r\n")
    assert load(crlf).where(("sections", 0, "table")).startswith("manifest.yaml:11:")
    assert load(crlf).text == crlf


def test_the_example_is_sound() -> None:
    folder = Path(__file__).resolve().parents[1] / "examples" / "diabetes"
    assert [s.name for s in load_manifest(folder / "manifest.yaml").settings.sections] == [
        "frame",
        "robust-logistic",
        "robust-forest",
        "dca",
        "prevalence",
        "integrity-images",
        "integrity-pipeline",
    ]
