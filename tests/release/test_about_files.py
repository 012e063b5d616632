"""The files of a record that name its others: the in-toto statement and the RO-Crate."""

from __future__ import annotations

import hashlib
import json
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from google.protobuf import json_format  # type: ignore[import-untyped]
from in_toto_attestation.predicates.test_result.v0 import (  # type: ignore[import-untyped]
    test_result_pb2,
)
from in_toto_attestation.v1.statement import Statement  # type: ignore[import-untyped]
from rocrate.rocrate import ROCrate  # type: ignore[import-untyped]

from reportgen import build
from reportgen.drafting import about_files
from reportgen.release.crate import crate
from reportgen.release.folder import Described
from reportgen.release.record import CRATE, STATEMENT, SUMS
from reportgen.release.statement import statement
from reportgen.stored import read_stored
from tests.support.bare_pages import without_fonts

TABLE = "id,y,p\n" + "".join(f"{i},{int(i % 3 == 0)},{i % 7 / 10 + 0.1}\n" for i in range(60))
MANIFEST = """\
reportgen: 1
dossier: {title: "T <&> 模型", date: 2026-11-30}
model: {name: "m é", version: "1"}
defaults: {resamples: 100}
tables:
  t: {path: t.csv, label: {column: y, positive: 1}, scores: {model: p}}
sections:
  - {kind: dca, table: t, thresholds: [0.2, 0.4]}
"""


@pytest.fixture(scope="module")
def dossier(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    folder = tmp_path_factory.mktemp("about")
    (folder / "t.csv").write_text(TABLE)
    (folder / "m.yaml").write_text(MANIFEST)
    with pytest.MonkeyPatch.context() as patch:
        without_fonts(patch)
        patch.setattr("reportgen.drafting.pdf_bytes", lambda *_, **__: b"%PDF-1.7 stands in")
        yield build.build(folder / "m.yaml", folder / "out").folder


def read(path: Path) -> dict[str, Any]:
    data: dict[str, Any] = json.loads(path.read_bytes())
    return data


def sums(dossier: Path) -> dict[str, str]:
    """Return what is there by name, hashed here."""
    return {
        path.relative_to(dossier).as_posix(): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in dossier.rglob("*")
        if path.is_file()
    }


def sample(*severities: str, decision: str = "release") -> dict[str, Any]:
    return {
        "schema": "reportgen/results/1",
        "dossier": {
            "title": "T",
            "language": "en",
            "date": "2026-11-30",
            "revision": 1,
            "digest": "0" * 64,
            "model": {"name": "m", "version": "1"},
        },
        "decision": {"outcome": decision},
        "findings": [{"id": f"{s}/{i}", "severity": s} for i, s in enumerate(severities)],
        "inputs": [{"name": "tables.t", "path": "a/t.csv", "sha256": "1" * 64, "bytes": 7}],
        "environment": {"reportgen": "0.1.0", "python": "3.11.7", "platform": "Linux x86_64"},
    }


def test_both_are_in_the_record_and_listed(dossier: Path) -> None:
    listed = (dossier / SUMS).read_text()
    assert f"  {CRATE}\n" in listed
    assert f"  {STATEMENT}\n" in listed


def test_the_statement_is_one_that_others_read(dossier: Path) -> None:
    raw = read(dossier / STATEMENT)
    made = Statement([], "", {})
    json_format.ParseDict({**raw, "type": raw.pop("_type")}, made.pb)
    made.validate()
    predicate = json_format.ParseDict(raw["predicate"], test_result_pb2.TestResult())
    decision = read(dossier / "results.json")["decision"]["outcome"]
    assert (
        predicate.result
        == {"release": "PASSED", "conditional": "WARNED", "hold": "FAILED"}[decision]
    )
    assert made.pb.predicate_type == "https://in-toto.io/attestation/test-result/v0.1"


def test_the_subjects_are_the_other_files_of_the_record(dossier: Path) -> None:
    subjects = read(dossier / STATEMENT)["subject"]
    there = sums(dossier)
    del there[SUMS], there[STATEMENT]
    assert {one["name"]: one["digest"]["sha256"] for one in subjects} == there
    assert "dossier.pdf" in there
    assert [one["name"] for one in subjects] == sorted(there)


def test_manifest_and_inputs_are_the_configuration(dossier: Path) -> None:
    used = read(dossier / STATEMENT)["predicate"]["configuration"]
    assert [(one["name"], one["digest"]["sha256"]) for one in used] == [
        ("manifest.yaml", hashlib.sha256(MANIFEST.encode()).hexdigest()),
        ("tables.t", hashlib.sha256(TABLE.encode()).hexdigest()),
    ]


@pytest.mark.parametrize(
    ("severities", "decision", "result"),
    [
        (("pass", "note"), "release", "PASSED"),
        (("pass", "warn", "note"), "conditional", "WARNED"),
        (("fail", "warn", "pass", "note", "fail"), "hold", "FAILED"),
    ],
)
def test_every_finding_stands_in_the_place_of_its_severity(
    severities: tuple[str, ...], decision: str, result: str
) -> None:
    one = Described("2" * 64, 3)
    made = json.loads(
        statement(sample(*severities, decision=decision), b"m", {"results.json": one})
    )
    predicate, notes = made["predicate"], made["subject"][0]["annotations"]["notes"]
    assert predicate["result"] == result
    for severity, there in (
        ("pass", predicate["passedTests"]),
        ("warn", predicate["warnedTests"]),
        ("fail", predicate["failedTests"]),
        ("note", notes),
    ):
        assert there == [f"{s}/{i}" for i, s in enumerate(severities) if s == severity]


def test_the_crate_is_one_that_its_library_reads(dossier: Path) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        made = ROCrate(dossier)
    assert made.version == "1.2"
    assert made.root_dataset["name"] == "T <&> 模型"
    assert made.root_dataset["datePublished"] == "2026-11-30"
    assert made.root_dataset["about"]["name"] == "m é"
    assert made.root_dataset["mentions"]["instrument"]["name"] == "reportgen"
    assert made.root_dataset["license"]["name"] == "None"
    pdf = made.dereference("dossier.pdf")
    assert [one["name"] for one in pdf["conformsTo"]] == ["PDF/A-3a", "PDF/UA-1"]


def test_the_crate_names_every_file_with_its_digest_and_kind(dossier: Path) -> None:
    graph = {one["@id"]: one for one in read(dossier / CRATE)["@graph"]}
    parts = [one["@id"] for one in graph["./"]["hasPart"]]
    there = sums(dossier)
    assert sorted(parts) == sorted(set(there) - {CRATE})
    without = {name for name in parts if "sha256" not in graph[name]}
    assert without == {STATEMENT, SUMS}, "both hold the crate's own digest"
    for name in set(parts) - without:
        assert graph[name]["sha256"] == there[name]
        assert graph[name]["contentSize"] == str((dossier / name).stat().st_size)
    assert all(graph[name]["encodingFormat"] for name in parts)


def test_what_the_crate_refers_to_stands_in_it(dossier: Path) -> None:
    graph = read(dossier / CRATE)["@graph"]
    ids = [one["@id"] for one in graph]
    assert len(ids) == len(set(ids))
    assert ids[:2] == [CRATE, "./"]
    assert ids[2:] == sorted(ids[2:])

    def named(value: Any) -> Iterator[str]:
        if isinstance(value, dict):
            yield from [value["@id"]] if set(value) == {"@id"} else []
            for item in value.values():
                yield from named(item)
        elif isinstance(value, list):
            for item in value:
                yield from named(item)

    # The formats of PRONOM and the specification itself are addresses, described or not.
    outside = {one for one in named(graph) if one not in ids}
    assert outside == {"https://w3id.org/ro/crate/1.2"}


def test_nothing_of_the_machine_or_the_moment_is_in_them(dossier: Path) -> None:
    stored = read_stored(dossier)
    others = {
        name: Described(digest, (dossier / name).stat().st_size)
        for name, digest in sums(dossier).items()
        if name not in (SUMS, STATEMENT, CRATE)
    }
    assert stored.manifest is not None
    for name, content in about_files(stored.data, stored.manifest, others).items():
        assert content == (dossier / name).read_bytes()
        assert str(dossier.parent).encode() not in content


def test_files_of_other_kinds_and_profiles_are_described_too() -> None:
    one = Described("2" * 64, 3)
    names = ("dossier.pdf", "m-1-r1.pdf", "notes.xyz", "results.json", "manifest.yaml")
    made = json.loads(crate(sample(), dict.fromkeys(names, one), profile="submission"))
    graph = {one["@id"]: one for one in made["@graph"]}
    assert graph["notes.xyz"]["encodingFormat"] == "application/octet-stream"
    for name in names[:2]:
        assert [graph[one["@id"]]["name"] for one in graph[name]["conformsTo"]] == [
            "PDF/A-2a",
            "PDF/UA-1",
        ]
    assert graph["#input-1"]["description"].endswith("a/t.csv")
    assert {"@id": "#input-1"} in graph["#audit"]["object"]
