"""Digests, the text of results.json and the date."""

from __future__ import annotations

import hashlib
import json
from datetime import date, timedelta
from importlib import metadata
from importlib.util import find_spec
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from reportgen.build import extras_used
from reportgen.errors import RequestError
from reportgen.release.environment import environment, missing_for_pdf, package_versions
from reportgen.release.fingerprint import (
    dossier_date,
    moment,
    results_digest,
    sha256_of,
    strict_json,
)


def results(**dossier: Any) -> dict[str, Any]:
    return {"schema": "s", "dossier": {"title": "é", **dossier}, "sections": []}


def test_digest_of_the_standard() -> None:
    # FIPS 180-2, appendix B.1.
    assert sha256_of(b"abc").startswith("ba7816bf8f01cfea414140de5dae2223")


def test_revision_and_digest_are_left_out() -> None:
    assert results_digest(results(revision=1, digest="x")) == results_digest(results())
    assert results_digest(results(title="other")) != results_digest(results())


def test_anyone_can_repeat_the_digest() -> None:
    data = results(revision=3, digest="x")
    again = json.loads(strict_json(data))
    del again["dossier"]["revision"], again["dossier"]["digest"]
    text = json.dumps(again, ensure_ascii=False, indent=1) + "\n"
    assert hashlib.sha256(text.encode()).hexdigest() == results_digest(data)


@pytest.mark.parametrize("value", [float("nan"), float("inf")])
def test_json_is_strict(value: float) -> None:
    with pytest.raises(ValueError):
        strict_json({"x": value})


@pytest.mark.parametrize(
    ("declared", "environ", "expected"),
    [
        (date(2026, 11, 30), {"SOURCE_DATE_EPOCH": "0"}, "2026-11-30"),
        ("2026-11-30", {}, "2026-11-30"),
        (None, {"SOURCE_DATE_EPOCH": "0"}, "1970-01-01"),
        # date -u -d 2026-11-30T23:59:59 +%s
        (None, {"SOURCE_DATE_EPOCH": "1796083199"}, "2026-11-30"),
        (None, {"SOURCE_DATE_EPOCH": "1796083200"}, "2026-12-01"),
    ],
)
def test_date(declared: date | str | None, environ: dict[str, str], expected: str) -> None:
    assert dossier_date(declared, environ) == expected


def test_date_of_today_is_a_date() -> None:
    date.fromisoformat(dossier_date(None, {}))


def test_the_moment_is_in_utc_to_the_second_and_an_epoch_stands_for_the_clock() -> None:
    assert moment({"SOURCE_DATE_EPOCH": "1796083199"}).isoformat() == "2026-11-30T23:59:59+00:00"
    now = moment({})
    assert now.utcoffset() == timedelta(0)
    assert now.microsecond == 0


@pytest.mark.parametrize("epoch", ["yesterday", "-1", "1e9", "9" * 30, "²"])
def test_a_senseless_epoch_is_refused(epoch: str) -> None:
    with pytest.raises(RequestError, match="SOURCE_DATE_EPOCH"):
        dossier_date(None, {"SOURCE_DATE_EPOCH": epoch})


def test_environment_names_what_moves_figures_and_pages() -> None:
    known = environment()
    assert set(known) == {"reportgen", "python", "packages", "system", "platform"}
    moved_by = {"numpy", "scipy", "pandas", "scikit-learn", "weasyprint", "vl-convert-python"}
    assert moved_by <= set(known["packages"])
    assert {"pango", "harfbuzz", "harfbuzz-subset", "fontconfig"} <= set(known["system"])


def test_packages_of_the_developer_alone_are_not_listed() -> None:
    assert not {"pytest", "ruff", "mypy", "reportgen"} & set(package_versions())


@pytest.mark.parametrize(
    ("kind", "files", "extras"),
    [
        ("onnx", ["a.png"], ["onnx"]),
        ("skops", ["a.png", "b.DCM"], ["dicom", "skops"]),
        ("linear", ["no ending"], ["dicom"]),
        ("pickle", ["a.jpg"], []),
    ],
)
def test_the_extras_that_a_run_used_are_told_from_its_inputs(
    kind: str, files: list[str], extras: list[str]
) -> None:
    images = {"i": SimpleNamespace(files=np.array(files, dtype=object))}
    inputs: Any = SimpleNamespace(models={"s": SimpleNamespace(kind=kind)}, images=images)
    assert extras_used(inputs) == extras


def test_packages_of_extras_are_named_where_they_were_used() -> None:
    if find_spec("pydicom") is None:
        pytest.skip("pydicom is not installed")
    plain, used = environment()["packages"], environment(["dicom"])["packages"]
    assert "pydicom" not in plain
    assert used == {**plain, "pydicom": metadata.version("pydicom")}


def test_native_versions_are_those_the_page_engine_sees() -> None:
    if missing_for_pdf():
        pytest.skip("Pango is not on this machine")
    from weasyprint.text.ffi import pango

    number = int(pango.pango_version())
    seen = f"{number // 10000}.{number // 100 % 100}.{number % 100}"
    assert environment()["system"]["pango"] == seen
