"""Images, boxes, class maps and pipelines in the manifest: names, files, every fault at once."""

from __future__ import annotations

import hashlib
import json
import pickle
import re
from collections.abc import Callable
from pathlib import Path

import pytest
from jsonschema import Draft202012Validator
from PIL import Image
from ruamel.yaml import YAML

from reportgen.build import run
from reportgen.errors import RequestError
from reportgen.manifest_file import load_manifest
from reportgen.reading import prepare, read
from reportgen.schema import manifest_schema

HEAD = """\
reportgen: 1
dossier: {title: Audit, date: 2026-11-30}
model: {name: m, version: 2.1.0}
"""
BLOCKS = """\
tables:
  test: {path: t.csv, label: {column: y, positive: 1}, scores: {a: s}}
images:
  scans: {path: i.csv, root: pictures, columns: {file: file, split: split}}
detections:
  boxes: {ground_truth: gt.json, predictions: det.json}
  other: {ground_truth: {path: b.csv, columns: {image: f, class: c, x: x, y: y, w: w, h: h}}}
class_maps:
  app: {path: m.csv, columns: {index: i, shown: s}, copies: [{name: demo, path: m.csv}]}
pipelines:
  app: {gates: {path: g.csv, columns: {image: f, accepted: ok}}}
"""
SECTION = """\
sections:
  - kind: integrity
    images: scans
    detections: boxes
    class_map: app
    pipeline: app
    near_duplicates: {verdicts: v.csv}
    classifier: {table: test, score: a, threshold: 0.5}
"""
SOUND = HEAD + BLOCKS + SECTION
COCO = {
    "images": [{"id": 1}],
    "categories": [{"id": 1, "name": "a"}],
    "annotations": [{"id": 1, "image_id": 1, "category_id": 1, "bbox": [0, 0, 2, 2]}],
}
FOUND = [{"image_id": 1, "category_id": 1, "bbox": [0, 0, 2, 2], "score": 0.5}]
VERDICTS = "image,twin,verdict,reviewer,date\na.png,b.png,duplicate,R1,2026-11-01\n"
FILES = {
    "t.csv": "y,s\n1,0.9\n0,0.1\n",
    "i.csv": "file,split\na.png,train\nb.png,test\n",
    "gt.json": json.dumps(COCO),
    "det.json": json.dumps(FOUND),
    "b.csv": "f,c,x,y,w,h\n1,a,0,0,2,2\n",
    "m.csv": "i,s\n0,a\n",
    "g.csv": "f,ok\n1,1\n",
    "v.csv": VERDICTS,
}
Faults = Callable[[str], list[str]]


@pytest.fixture(autouse=True)
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    for name, content in FILES.items():
        (tmp_path / name).write_text(content)
    (tmp_path / "pictures").mkdir()
    for at, name in enumerate(("a.png", "b.png")):
        picture = Image.new("L", (64, 64), 40)
        picture.paste(200, (at, 8, 40, 30))
        picture.save(tmp_path / "pictures" / name)
    return tmp_path


@pytest.fixture
def faults(files: Path) -> Faults:
    """Return the faults of a manifest and its data as printed, without the manifest's places."""

    def _faults(text: str) -> list[str]:
        (files / "manifest.yaml").write_text(text)
        with pytest.raises(RequestError) as caught:
            prepare("manifest.yaml")
        printed = [str(fault).removeprefix("manifest.yaml:") for fault in caught.value.faults]
        bare = [re.sub(r" \(manifest\.yaml:\d+: [^)]*\)", "", line) for line in printed]
        return [line.partition("; ")[0] for line in bare]

    return _faults


def sound(text: str = SOUND) -> Path:
    path = Path("manifest.yaml")
    path.write_text(text)
    return path


def test_everything_is_read_in_the_order_of_the_manifest() -> None:
    _, inputs = prepare(sound())
    assert [record.name for record in inputs.records] == [
        "tables.test",
        "images.scans",
        "detections.boxes.ground_truth",
        "detections.boxes.predictions",
        "detections.other.ground_truth",
        "class_maps.app",
        "class_maps.app.copies.demo",
        "pipelines.app.gates",
        "integrity.near_duplicates.verdicts",
    ]
    assert inputs.images["scans"].ids.tolist() == ["a.png", "b.png"]
    assert list(inputs.detections) == ["boxes", "other"]
    assert inputs.class_maps["app"].app.shown == ("a",)
    assert inputs.pipelines["app"].gates is not None
    assert inputs.lists == {
        ("integrity", "near_duplicates.verdicts"): {
            "image": ("a.png",),
            "twin": ("b.png",),
            "verdict": ("duplicate",),
            "reviewer": ("R1",),
            "date": ("2026-11-01",),
        }
    }
    assert inputs.plan is None


def test_a_loaded_manifest_reads_the_same_inputs() -> None:
    path = sound()
    assert read(load_manifest(path)).records == prepare(path)[1].records


def test_inputs_can_be_handed_to_another_process() -> None:
    _, inputs = prepare(sound())
    again = pickle.loads(pickle.dumps(inputs))
    assert again.records == inputs.records
    first = inputs.images["scans"]
    assert (again.images["scans"].load(0) == first.load(0)).all()


def test_sections_in_processes_of_their_own_find_the_same() -> None:
    plain = "  - {kind: integrity, id: two, class_map: app}\n"
    manifest = load_manifest(
        sound(SOUND.replace("    near_duplicates: {verdicts: v.csv}\n", "") + plain)
    )
    assert run(manifest, jobs=2).data == run(manifest).data


def test_the_schema_takes_what_is_read() -> None:
    # A YAML reader may make a date of what this schema, like JSON, takes for text.
    data = json.loads(json.dumps(YAML(typ="safe", pure=True).load(SOUND), default=str))
    schema = Draft202012Validator(manifest_schema())
    assert schema.is_valid(data)
    data["sections"][0]["pipeline"] = {"of": "app", "iou": 0.4}
    assert schema.is_valid(data)
    data["images"]["scans"]["colums"] = {}
    assert not schema.is_valid(data)


@pytest.mark.parametrize("pinned", [True, False])
def test_the_plan_counts_where_it_is_pinned(files: Path, pinned: bool) -> None:
    (files / "plan.md").write_text("# Plan\n")
    digest = hashlib.sha256(b"# Plan\n").hexdigest()
    pin = f", sha256: {digest}" if pinned else ""
    _, inputs = prepare(sound(SOUND.replace("tables:", f"plan: {{path: plan.md{pin}}}\ntables:")))
    assert inputs.plan == (digest if pinned else None)
    assert "plan" in [record.name for record in inputs.records]


def test_names_that_nothing_has(faults: Faults) -> None:
    section = """\
sections:
  - kind: integrity
    images: scan
    detections: boxs
    class_map: ap
    pipeline: {of: aap}
    evaluator: {against: othr}
    duplicate_rows: {table: tst}
    leakage: {table: tost}
    classifier: {table: tset, score: a, threshold: 0.5}
    counting_heads: {table: tes, heads: {h: {true: a, predicted: b}}}
"""
    lines = faults(HEAD + BLOCKS + section)
    assert lines == [
        "17: sections[0].images: no set of images is called 'scan'",
        "18: sections[0].detections: no set of detections is called 'boxs'",
        "19: sections[0].class_map: no class map is called 'ap'",
        "20: sections[0].pipeline.of: no pipeline is called 'aap'",
        "21: sections[0].evaluator.against: no set of detections is called 'othr'",
        "22: sections[0].duplicate_rows.table: no table is called 'tst'",
        "23: sections[0].leakage.table: no table is called 'tost'",
        "24: sections[0].classifier.table: no table is called 'tset'",
        "25: sections[0].counting_heads.table: no table is called 'tes'",
    ]


def test_the_nearest_name_is_proposed_and_the_short_form_is_looked_up() -> None:
    path = sound(SOUND.replace("pipeline: app", "pipeline: apq"))
    with pytest.raises(RequestError) as caught:
        prepare(path)
    (fault,) = caught.value.faults
    assert str(fault) == (
        "manifest.yaml:20: sections[0].pipeline: no pipeline is called 'apq'; "
        "did you mean 'app'? known here: app"
    )


def test_names_are_looked_up_in_a_section_with_other_faults(faults: Faults) -> None:
    text = SOUND.replace("class_map: app", "class_map: ap\n    colour: red")
    assert faults(text) == [
        "19: sections[0].class_map: no class map is called 'ap'",
        "20: sections[0].colour: unknown key",
    ]


def test_a_block_that_is_no_mapping_is_said_once(faults: Faults) -> None:
    text = SOUND.replace(
        "  app: {gates: {path: g.csv, columns: {image: f, accepted: ok}}}\n", "  - app\n"
    )
    assert faults(text) == ["13: pipelines: a list stands here"]


def test_files_that_are_not_there(faults: Faults) -> None:
    text = SOUND
    for name in ("i.csv", "gt.json", "det.json", "b.csv", "g.csv", "v.csv"):
        text = text.replace(name, f"no-{name}")
    text = text.replace("path: m.csv}]", "path: no-m.csv}], artefacts: [{name: x, path: no.txt}]")
    assert faults(text) == [
        "7: images.scans.path: there is no file 'no-i.csv'",
        "9: detections.boxes.ground_truth: there is no file 'no-gt.json'",
        "9: detections.boxes.predictions: there is no file 'no-det.json'",
        "10: detections.other.ground_truth.path: there is no file 'no-b.csv'",
        "12: class_maps.app.copies[0].path: there is no file 'no-m.csv'",
        "12: class_maps.app.artefacts[0].path: there is no file 'no.txt'",
        "14: pipelines.app.gates.path: there is no file 'no-g.csv'",
        "21: sections[0].near_duplicates.verdicts: there is no file 'no-v.csv'",
    ]


def test_faults_of_the_manifest_do_not_hide_those_of_files(faults: Faults, files: Path) -> None:
    (files / "det.json").write_text(json.dumps([{**FOUND[0], "score": 7}]))
    (files / "g.csv").write_text("f,ok\n1,perhaps\n")
    (files / "v.csv").write_text("image,image\na,b\n")
    text = SOUND.replace("title: Audit", "titel: Audit")
    text = text.replace("{index: i, shown: s}", "{indx: i, shown: s}")
    assert faults(text) == [
        "2: dossier.title: this key is missing",
        "2: dossier.titel: unknown key",
        "det.json: [0]: field 'score': 7 is out of range",
        "12: class_maps.app.columns.index: this key is missing",
        "12: class_maps.app.columns.indx: unknown key",
        "g.csv:2: column 'ok': 'perhaps' is neither yes nor no",
        "v.csv: there are 2 columns 'image'",
    ]


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ("verdicts: v.csv", "between: some", "between: some is not known here"),
        ("verdicts: v.csv", "between: [[train, 3]]", "between[0][1]: 3 is read as a number"),
        ("verdicts: v.csv", "detectors: {wdtc: 0.6}", "detectors.wdtc: wdtc is not known"),
        ("images: scans", "evaluator: {conventions: [coco]}", "conventions[0]: coco is not known"),
        ("images: scans", "evaluator: {conventions: 7}", "evaluator.conventions: 7 is not known"),
        ("app: {gates", "a b: {gates", "pipelines.a b: a b cannot stand here"),
        ("app: {path", "app: {artefacts: [{name: x}], path", "artefacts[0]: "),
        ("boxes: {ground_truth: gt.json", "boxes: {ground_truth: 5", "ground_truth: 5 is "),
        (
            "boxes: {ground_truth: gt.json",
            "boxes: {ground_truth: {}",
            "ground_truth.path: this key",
        ),
        ("split: split}", "split: split}, colour: red", "images.scans.colour: unknown key"),
    ],
)
def test_mistakes_of_settings_are_told_once(faults: Faults, old: str, new: str, words: str) -> None:
    assert SOUND.count(old) == 1
    lines = faults(SOUND.replace(old, new))
    met = [line for line in lines if words in line]
    assert len(met) == 1, lines


def test_inputs_that_nobody_names_are_read_all_the_same(faults: Faults, files: Path) -> None:
    (files / "b.csv").write_text("f,c,x,y,w,h\n1,a,0,0,2,\n")
    assert faults(SOUND) == ["b.csv:2: column 'h': the cell is empty"]


def test_a_table_of_ground_truth_may_be_the_other_run() -> None:
    text = SOUND.replace("class_map: app", "class_map: app\n    evaluator: {against: other}")
    assert prepare(sound(text))[0].settings.sections[0].name == "integrity"
