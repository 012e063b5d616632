"""What is fuzzed: each target writes one file of arbitrary bytes beside a sound manifest and reads.

Whatever the bytes are, the request is read or refused with faults that name a place; nothing else
may be raised, and nothing may be written. The readers are met as a user meets them, through
``reportgen check``'s own function, so that what one reader lets pass meets the next.
"""

from __future__ import annotations

import gzip
import io
import math
import zipfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from reportgen.errors import Fault, ReportgenError
from reportgen.reading import prepare

HEAD = """\
reportgen: 1
dossier: {title: Fuzzed, date: 2026-11-30}
model: {name: m, version: "1"}
"""
TABLE = """\
tables:
  test:
    path: FILE
    label: {column: y, positive: 1}
    scores: {a: s, b: s2}
    unit: patient
    groups: [sex]
    features: [x1, x2]
    bins: {age: {edges: [0, 40, 60], name: age_band}}
"""
SECTIONS = """\
sections:
  - {kind: frame, table: test, score: a, threshold: 0.5, groups: [sex], margin: 0.05}
  - {kind: dca, table: test, thresholds: {from: 0.1, to: 0.3, step: 0.1}}
  - {kind: prevalence, table: test, score: a, thresholds: [0.5], prevalences: [0.1]}
"""
ROWS = b"""\
y,s,s2,patient,sex,age,x1,x2
1,.9,.8,p1,F,30,1,2
0,.2,.3,p2,M,50,2,3
1,.7,.4,p3,M,61,3,4
0,.1,.6,p4,F,41,4,5
"""
MODEL = """\
  - kind: robust
    table: test
    score: a
    model: {KIND: FILE}
    sensitive: sex
    metrics: [demographic_parity]
    threshold: 0.5
    tolerance: 0.1
    perturbation: {norm: l2, features: {x1: {eps: 0.5, unit: u, basis: stated}}}
"""
BOXES = """\
detections:
  boxes:
    ground_truth: TRUTH
    predictions: FOUND
sections:
  - {kind: integrity, detections: boxes, evaluator: {conventions: all}}
"""
TRUTH = (
    b'{"images":[{"id":1,"file_name":"a.png","width":9,"height":9}],"categories":[{"id":1,'
    b'"name":"c"}],"annotations":[{"id":1,"image_id":1,"category_id":1,"bbox":[1,1,2,2],'
    b'"area":4,"iscrowd":0}]}'
)
FOUND = b'[{"image_id":1,"category_id":1,"bbox":[1,1,2,2],"score":0.9}]'


@dataclass(frozen=True)
class Target:
    """A kind of file that is fuzzed.

    Attributes
    ----------
    files : callable
        Takes the arbitrary bytes and returns the files of the request, ``manifest.yaml`` among
        them.
    seeds : tuple of bytes
        Sound files to start from.
    words : tuple of bytes
        Words that the format knows, for the fuzzer to put in.
    """

    files: Callable[[bytes], Mapping[str, bytes]]
    seeds: tuple[bytes, ...]
    words: tuple[bytes, ...] = ()

    @property
    def is_json(self) -> bool:
        """Whether the file is JSON, of which single values are changed too."""
        return self.seeds[0][:1] in (b"{", b"[")


def _manifest(data: bytes) -> Mapping[str, bytes]:
    return {"manifest.yaml": data, "test.csv": ROWS}


def _packed(data: bytes) -> tuple[str, bytes]:
    """Return a name and the content of a table: the last byte says how it is wrapped."""
    kind, content = (data[-1] % 5, data[:-1]) if data else (0, data)
    if kind == 1:
        return "test.tsv", content.replace(b",", b"\t")
    if kind == 2:
        return "test.csv.gz", gzip.compress(content, mtime=0)
    if kind == 3:
        packed = io.BytesIO()
        with zipfile.ZipFile(packed, "w") as archive:
            archive.writestr(zipfile.ZipInfo("test.csv"), content)
        return "test.csv.zip", packed.getvalue()
    # A whole container of arbitrary bytes is refused by its own library: it is met less often.
    return ("test.parquet" if kind == 4 else "test.csv"), content


def _table(data: bytes) -> Mapping[str, bytes]:
    name, content = _packed(data)
    text = HEAD + TABLE.replace("FILE", name) + SECTIONS
    return {"manifest.yaml": text.encode(), name: content}


def _scored(scores: Sequence[float]) -> bytes:
    """Return the rows with these scores in the place of theirs."""
    head, *rows = ROWS.decode().splitlines()
    parted = (row.split(",") for row in rows)
    scored = [
        ",".join([y, repr(score), *rest])
        for (y, _, *rest), score in zip(parted, scores, strict=True)
    ]
    return "\n".join([head, *scored, ""]).encode()


def _model(kind: str, name: str, scores: Sequence[float]) -> Callable[[bytes], Mapping[str, bytes]]:
    """Return the request of a model; `scores` are those of the sound one, row by row."""
    tables = TABLE.replace("FILE", "test.csv")
    text = HEAD + tables + SECTIONS + MODEL.replace("KIND", kind).replace("FILE", name)

    def files(data: bytes) -> Mapping[str, bytes]:
        return {"manifest.yaml": text.encode(), "test.csv": _scored(scores), name: data}

    return files


def _boxes(fuzzed: str) -> Callable[[bytes], Mapping[str, bytes]]:
    sound = {"TRUTH": TRUTH, "FOUND": FOUND}
    names = {"TRUTH": "truth.json", "FOUND": "found.json"}
    text = HEAD + BOXES.replace("TRUTH", names["TRUTH"]).replace("FOUND", names["FOUND"])

    def files(data: bytes) -> Mapping[str, bytes]:
        content = {names[role]: data if role == fuzzed else sound[role] for role in sound}
        return {"manifest.yaml": text.encode(), **content}

    return files


_JSON = (b"null", b"true", b"1e999", b"-0", b'"\\ud800"', b"NaN", b"[[", b"]]", b'{"":')
_LINEAR = b'{"intercept":-1,"coefficients":{"x1":1,"x2":-2},"link":"logit"}'
_TREES = (
    b'{"format":"reportgen/trees/1","features":["x1","x2"],"link":"identity","intercept":0,"trees":'
    b'[{"feature":[0,-1,-1],"threshold":[2,0,0],"left":[1,-1,-1],"right":[2,-1,-1],'
    b'"value":[0,0.1,0.9]}]}'
)
_MLP = (
    b'{"format":"reportgen/mlp/1","features":["x1","x2"],"activation":"relu","link":"logit",'
    b'"layers":[{"weights":[[1],[0]],"bias":[0]},{"weights":[[1]],"bias":[0]}]}'
)
_OF_LINEAR = [1 / (1 + math.exp(z)) for z in (4, 5, 6, 7)]
_OF_TREES = [0.1, 0.1, 0.9, 0.9]
_OF_MLP = [1 / (1 + math.exp(-z)) for z in (1, 2, 3, 4)]
_YAML = (
    b"{",
    b"}",
    b"[",
    b"]",
    b": ",
    b"- ",
    b"&a",
    b"*a",
    b"!!",
    b"<<: *a",
    b"|\n",
    b"---\n",
    b"%",
)

TARGETS: Mapping[str, Target] = {
    "manifest": Target(
        _manifest, ((HEAD + TABLE.replace("FILE", "test.csv") + SECTIONS).encode(),), _YAML
    ),
    "table": Target(
        _table,
        tuple(ROWS + bytes([kind]) for kind in range(5)),
        (b"1e400", b"inf", b"0x10", b'"', b'""', b"\r\n", b"\xef\xbb\xbf", b"\x00", b"NA", b"\xff"),
    ),
    "truth": Target(_boxes("TRUTH"), (TRUTH,), (*_JSON, b'"bbox"', b'"iscrowd"')),
    "found": Target(_boxes("FOUND"), (FOUND,), (*_JSON, b'"bbox"', b'"score"')),
    "linear": Target(_model("linear", "m.json", _OF_LINEAR), (_LINEAR,), (*_JSON, b'"scaling"')),
    "coefficients": Target(
        _model("linear", "m.csv", _OF_LINEAR),
        (b"feature,coefficient\n(intercept),-1\nx1,1\nx2,-2\n",),
        (b"mean", b"scale", b"1e400", b'"'),
    ),
    "trees": Target(_model("trees", "m.json", _OF_TREES), (_TREES,), (*_JSON, b'"threshold"')),
    "mlp": Target(_model("mlp", "m.json", _OF_MLP), (_MLP,), (*_JSON, b'"layers"')),
}


def meet(target: Target, data: bytes, folder: Path) -> bool:
    """Read a request made of `data` in `folder`, emptied before; return whether it was sound.

    Raises
    ------
    AssertionError
        If a fault names no place or says nothing, or if anything was written.
    """
    files = target.files(data)
    for old in folder.iterdir():
        old.unlink()
    for name, content in files.items():
        (folder / name).write_bytes(content)
    sound = True
    faults: tuple[Fault, ...] = ()
    try:
        prepare(folder / "manifest.yaml")
    except ReportgenError as error:
        sound, faults = False, error.faults
    assert sound or faults, "refused without a fault"
    for fault in faults:
        assert fault.where, fault
        assert fault.what, fault
    there = {path.name: path.read_bytes() for path in folder.iterdir()}
    assert there == dict(files), "something was written"
    return sound
