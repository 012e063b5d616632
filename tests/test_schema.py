"""The schemas: valid themselves, and what is written and read is valid under them."""

from __future__ import annotations

import json
from copy import deepcopy
from pathlib import Path
from typing import Any, cast

import pytest
from click.testing import CliRunner
from jsonschema import Draft202012Validator
from jsonschema.exceptions import ValidationError
from ruamel.yaml import YAML

from reportgen import load_manifest, run
from reportgen.assets import asset
from reportgen.cli import main
from reportgen.errors import RequestError
from reportgen.inputs import InputRecord
from reportgen.result import Estimate, plain
from reportgen.schema import check_results, manifest_schema, result_type, results_schema
from reportgen.section import Section
from reportgen.sections import SECTIONS


def valid(schema: dict[str, Any], data: Any) -> bool:
    return bool(Draft202012Validator(schema).is_valid(data))


@pytest.mark.parametrize("of", ["manifest", "results"])
def test_printed_schemas_are_schemas(of: str) -> None:
    done = CliRunner().invoke(main, ["schema", of])
    assert done.exit_code == 0, done.output
    schema = json.loads(done.stdout)
    Draft202012Validator.check_schema(schema)
    assert schema["$schema"].endswith("2020-12/schema")


def test_the_manifest_is_the_default() -> None:
    assert "manifest" in json.loads(CliRunner().invoke(main, ["schema"]).stdout)["title"]


def example() -> Any:
    return YAML(typ="safe", pure=True).load(asset("examples") / "diabetes" / "manifest.yaml")


def as_json(data: Any) -> Any:
    # A YAML reader may make a date of what this schema, like JSON, takes for text.
    return json.loads(json.dumps(data, default=str))


def test_the_example_is_valid_and_a_misspelling_is_not() -> None:
    data = as_json(example())
    Draft202012Validator(manifest_schema()).validate(data)
    wrong = deepcopy(data)
    wrong["sections"][0]["treshold"] = 0.5
    assert not valid(manifest_schema(), wrong)


def test_a_section_is_known_by_its_kind() -> None:
    data = as_json(example())
    data["sections"] = [{"kind": "pie chart", "table": "test"}]
    assert not valid(manifest_schema(), data)


@pytest.mark.parametrize("section", SECTIONS, ids=lambda section: section.kind)
def test_every_section_names_its_result(section: Section) -> None:
    assert result_type(section).__name__.casefold() == f"{section.kind}result"


@pytest.mark.parametrize(
    ("estimate", "expected"),
    [
        (plain(Estimate(0.5, 0.4, 0.6, 0.95, "Wilson score")), True),
        (plain(Estimate(0.5, reason="one unit")), True),
        (plain(Estimate.missing("no positives")), True),
        ({"estimate": None}, False),
        ({"estimate": None, "reason": ""}, False),
        ({"estimate": 0.5, "low": None, "high": None, "confidence": None, "method": None}, False),
        (0.5, False),
    ],
)
def test_an_estimate_is_a_figure_with_its_interval_or_a_reason(
    estimate: Any, expected: bool
) -> None:
    schema = results_schema()
    wrapped = {"$defs": schema["$defs"], "$ref": "#/$defs/Estimate"}
    assert valid(wrapped, estimate) is expected


@pytest.mark.parametrize(
    "wrong",
    [
        {**plain(Estimate(0.5, 0.4, 0.6, 0.95, "Wilson score")), "note": "x"},
        {**plain(Estimate(0.5, 0.4, 0.6, 0.95, "Wilson score")), "low": "0.4"},
        {"estimate": None, "reason": "no positives", "low": 0.1},
        {"estimate": 0.5},
        {"reason": "no positives"},
    ],
)
def test_an_estimate_holds_nothing_else(wrong: Any) -> None:
    schema = results_schema()
    assert not valid({"$defs": schema["$defs"], "$ref": "#/$defs/Estimate"}, wrong)


@pytest.fixture(scope="module")
def results(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    folder = tmp_path_factory.mktemp("run")
    rows = "".join(f"{int(i % 3 == 0)},{i % 7 / 10 + 0.1}\n" for i in range(60))
    (folder / "t.csv").write_text("y,p\n" + rows)
    (folder / "m.yaml").write_text(
        "{reportgen: 1, dossier: {title: T, date: 2026-11-30}, model: {name: m, version: a},"
        " defaults: {resamples: 100}, tables: {t: {path: t.csv, label: {column: y, positive: 1},"
        " scores: {model: p}}}, sections: [{kind: dca, table: t, thresholds: [0.2, 0.4]}]}"
    )
    data = json.loads(json.dumps(run(load_manifest(folder / "m.yaml")).data))
    data["dossier"]["revision"] = 1
    check_results(data, "r.json")
    return cast("dict[str, Any]", data)


def test_every_place_that_differs_is_named(results: dict[str, Any]) -> None:
    data = deepcopy(results)
    data["more"] = 1
    data["findings"][0]["colour"] = "red"
    result = data["sections"][0]["result"]
    del result["n_rows"]
    result["curve"][0]["net_benefit"] = "x"
    result["curve"][1]["net_benefit"] = {"estimate": None}
    result["curve"][2]["more"] = 1
    del result["curve"][3]["threshold"]
    with pytest.raises(RequestError) as caught:
        check_results(data, "r.json")
    found = {(fault.where, fault.what.partition(": ")[2]) for fault in caught.value.faults}
    extra = "Additional properties are not allowed ({!r} was unexpected)".format
    assert found == {
        ("r.json", extra("more")),
        ("r.json: findings[0]", extra("colour")),
        ("r.json: sections[0].result", "'n_rows' is a required property"),
        ("r.json: sections[0].result.curve[0].net_benefit", "'x' is not of type 'object'"),
        ("r.json: sections[0].result.curve[1].net_benefit", "'reason' is a required property"),
        ("r.json: sections[0].result.curve[2]", extra("more")),
        ("r.json: sections[0].result.curve[3]", "'threshold' is a required property"),
    }


def test_an_input_record_fits() -> None:
    schema = results_schema()
    record = plain(InputRecord("tables.test", "t.csv", "0" * 64, 3, rows=1, columns=("a",)))
    items = {"$defs": schema["$defs"], **schema["properties"]["inputs"]["items"]}
    Draft202012Validator(items).validate(record)
    with pytest.raises(ValidationError):
        Draft202012Validator(items).validate({**record, "bytes": "three"})


def test_a_fault_names_the_place(tmp_path: Path) -> None:
    with pytest.raises(RequestError, match=r"r\.json.*'dossier' is a required property"):
        check_results({"schema": "reportgen/results/1"}, "r.json")
    with pytest.raises(RequestError, match="no results of schema"):
        check_results([], "r.json")
