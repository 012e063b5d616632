"""Laws of a build: any request builds to a dossier that holds them, or is refused cleanly."""

from __future__ import annotations

import csv
import html
import io
import json
import os
import re
import tempfile
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import chdir
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result
from hypothesis import HealthCheck, event, given, settings
from jsonschema import Draft202012Validator

from reportgen.cli import main
from reportgen.codes import known_codes
from reportgen.inputs.codes import canonical
from reportgen.schema import results_schema
from tests.support.bare_pages import without_charts, without_fonts
from tests.support.catalogue import TAGS, plain
from tests.support.strategies import MANIFEST, Request, requests

NO_NUMBER = re.compile(r"(?<!\w)[-+−]?(nan|NaN|inf|infinity|Infinity)(?!\w)")
PLACED = re.compile(r"(m\.yaml:\d+|\w+\.(csv|tsv|csv\.gz|parquet|json))")
FORMULA = ("=", "+", "-", "@", "\t", "\r", "\n", "＝", "＋", "－", "＠")
NAME_ROWS = ("pairs", "evidence")
"""Keys of results that name rows of the file, which another order of the rows moves."""


@pytest.fixture(autouse=True, scope="module")
def _quick() -> Iterator[None]:
    """Neither fonts cut nor charts drawn; a fault of ours is raised, with its traceback."""

    def raised(error: Exception) -> None:
        raise error

    with pytest.MonkeyPatch.context() as patch:
        patch.delenv("SOURCE_DATE_EPOCH", raising=False)
        without_fonts(patch)
        without_charts(patch)
        patch.setattr("reportgen.cli.report_ours", raised)
        yield


def run(*arguments: str) -> Result:
    """Run the command line; what it raises beside its exit fails the test."""
    done = CliRunner().invoke(main, list(arguments))
    if done.exception is not None and not isinstance(done.exception, SystemExit):
        raise done.exception
    assert "Traceback" not in done.stderr
    return done


def build(out: str, *options: str) -> Result:
    return run("build", MANIFEST, "-q", "-o", out, "--format", "html", *options)


def files(folder: Path) -> dict[str, bytes]:
    """Return every file below a folder; a folder stands as one without content."""
    return {
        str(path.relative_to(folder)): path.read_bytes() if path.is_file() else b""
        for path in sorted(folder.rglob("*"))
    }


def refused(done: Result, folder: Path, before: Mapping[str, bytes]) -> None:
    """Every fault names a place, and nothing was written."""
    *faults, last = done.stderr.splitlines()
    assert done.stdout == ""
    assert re.fullmatch(rf"{len(faults)} faults?; nothing was written", last), done.stderr
    assert faults
    for fault in faults:
        assert PLACED.search(fault), fault
        assert "; " in fault
    assert files(folder) == before


@cache
def validator() -> Any:
    return Draft202012Validator(results_schema())


def no_constant(name: str) -> Any:
    raise AssertionError(f"{name} in JSON")


def results(done: Result) -> dict[str, Any]:
    """Return the results of a build."""
    text = (Path(done.stdout.splitlines()[-1]) / "results.json").read_text("utf-8")
    data: dict[str, Any] = json.loads(text, parse_constant=no_constant)
    return data


def walk(value: Any, path: str = "") -> Iterator[tuple[str, Any]]:
    """Yield every value at any depth with its path."""
    yield path, value
    if isinstance(value, dict):
        for key, item in value.items():
            yield from walk(item, f"{path}.{key}")
    elif isinstance(value, list):
        for at, item in enumerate(value):
            yield from walk(item, f"{path}[{at}]")


SHARES = re.compile(
    r"\.(auc|sensitivity|specificity|balanced_accuracy|precision|npv|selection_rate|accuracy|f1"
    r"|false_positive_rate|prevalence|base_rate|brier|coverage|share|share_zero)$"
)
"""Keys of figures from 0 to 1."""
RESAMPLED = re.compile(r"bootstrap|percentile|draws|sup-t")


def estimates_are_whole(data: Mapping[str, Any]) -> None:
    """What is missing has its reason; an interval rises, and a share stays from 0 to 1.

    An interval holds its estimate; those of resamples may miss it, so that it is no law of them.
    """
    english = data["dossier"]["language"] == "en"
    for path, value in walk(data):
        if not (isinstance(value, dict) and "estimate" in value):
            continue
        low, high = value.get("low"), value.get("high")
        if value["estimate"] is None or low is None or high is None:
            assert value.get("reason", "").strip(), path
        else:
            assert value["method"], path
        if low is not None and high is not None:
            assert low <= high, (path, value)
            if english and not RESAMPLED.search(value["method"] or ""):
                assert low - 1e-9 <= value["estimate"] <= high + 1e-9, (path, value)
        if SHARES.search(path):
            known = [one for one in (low, value["estimate"], high) if one is not None]
            assert all(0 <= one <= 1 for one in known), (path, value)


def held(data: Mapping[str, Any], request: Request) -> None:
    """Rows used and rows left out are the rows read; group sizes add up."""
    sizes = {name.split(".")[0]: sheet.n_rows for name, sheet in request.sheets.items()}
    rows = {}
    for record in data["inputs"]:
        name = record["name"].removeprefix("tables.")
        if name in sizes and record["name"].startswith("tables."):
            rows[name] = sizes[name]
            assert record["rows"] == rows[name], record["name"]
            assert record["read"] + left_out(record) == rows[name]
            by_attribute: Counter[str] = Counter()
            for group in record["quality"]["groups"]:
                by_attribute[group["attribute"]] += group["rows"]
                if group["positives"] is not None:
                    assert group["positives"] + group["negatives"] <= group["rows"]
            assert set(by_attribute.values()) <= {rows[name]}
    for section in data["sections"]:
        result = section["result"]
        if "n_rows" in result and result.get("table") is not None:
            assert result["n_rows"] + left_out(result) == rows[result["table"]], section["id"]
        sections_add_up(section["kind"], result)


def left_out(holder: Mapping[str, Any]) -> int:
    return sum(one["k"] for one in holder["left_out"])


def sections_add_up(kind: str, result: Mapping[str, Any]) -> None:
    """The groups of every attribute hold all the rows that a section used."""
    if result.get("table") is not None and result.get("n_positive") is not None:
        assert result["n_positive"] + result["n_negative"] == result["n_rows"]
    if "groups" not in result:
        return
    sums: dict[Any, Counter[str]] = {}
    for group in result["groups"]:
        of = sums.setdefault(
            (group.get("score"), group.get("attribute", group.get("sensitive"))), Counter()
        )
        for key in ("n_rows", "n_positive", "n_negative"):
            of[key] += group[key] or 0
        if group["n_positive"] is not None:
            assert group["n_positive"] + group["n_negative"] == group["n_rows"]
        assert group["n_units"] <= group["n_rows"]
    for of in sums.values():
        assert of["n_rows"] == result["n_rows"], (kind, sums)


@cache
def explained(code: str) -> bool:
    return run("explain", code).exit_code == 0


def findings_are_known(data: Mapping[str, Any]) -> None:
    for finding in data["findings"]:
        assert finding["severity"] in known_codes()[finding["code"]].code.severities, finding
        assert explained(finding["code"])
        assert finding["statement"].strip()
        assert finding["title"].strip()


def no_number_is_lost(folder: Path, request: Request) -> None:
    """Neither page nor tables hold what is no number, unless the user wrote it."""
    given = any(NO_NUMBER.search(text) for text in request.texts())
    for path in sorted(folder.rglob("*.csv")):
        for row in csv.reader(io.StringIO(path.read_text("utf-8"), newline="")):
            for cell in row:
                assert given or not NO_NUMBER.fullmatch(cell), (path.name, row)
                assert not cell.startswith(FORMULA) or number(cell), (path.name, row)
    if not given:
        shown = TAGS.sub(" ", (folder / "dossier.html").read_text("utf-8"))
        found = NO_NUMBER.search(shown)
        assert found is None, shown[max(0, found.start() - 200) : found.end() + 100]


def number(cell: str) -> bool:
    try:
        float(cell)
    except ValueError:
        return False
    return True


def names_stand_once_escaped(page: str, data: Mapping[str, Any], request: Request) -> None:
    """Every group of the data is in the results and, as text, in the page."""
    shown = plain(html.unescape(TAGS.sub("", page)))
    listed: dict[tuple[str, str], set[str | None]] = {
        (record["name"], group["attribute"]): set()
        for record in data["inputs"]
        for group in (record["quality"] or {}).get("groups", ())
    }
    for record in data["inputs"]:
        for group in (record["quality"] or {}).get("groups", ()):
            name = group["group"]
            listed[record["name"], group["attribute"]].add(name)
            if name is not None:
                # Names that differ by their Unicode form alone are told apart by their escapes.
                assert plain(name) in shown or plain(ascii(name)[1:-1]) in shown, name
    for name, table in request.manifest["tables"].items():
        sheet = next(s for path, s in request.sheets.items() if path.split(".")[0] == name)
        for attribute in table.get("groups", ()):
            if not table.get("levels", {}).get(attribute):
                missing = {"", *table.get("missing", ())}
                cells = set(map(canonical, sheet.columns[attribute])) - missing
                found = {canonical(one) for one in listed[f"tables.{name}", attribute] if one}
                assert cells == found
    for tag in ("<b>x", "<script>alert", "&amp;lt;b&amp;gt;x", "<h1>{{"):
        assert tag not in page, tag


def same(one: Any, other: Any, path: str = "") -> None:
    """Figures agree to nine digits; everything else is equal."""
    if isinstance(one, float) and isinstance(other, float | int):
        assert one == pytest.approx(other, rel=1e-9, abs=1e-12), path
    elif isinstance(one, dict) and isinstance(other, dict):
        assert list(one) == list(other), path
        for key in one:
            if key not in NAME_ROWS:
                same(one[key], other[key], f"{path}.{key}")
    elif isinstance(one, list) and isinstance(other, list):
        assert len(one) == len(other), path
        for at, pair in enumerate(zip(one, other, strict=True)):
            same(*pair, f"{path}[{at}]")
    else:
        assert one == other, path


def check_dossier(done: Result, request: Request) -> dict[str, Any]:
    """Hold one dossier to every law on its own content."""
    folder = Path(done.stdout.splitlines()[-1])
    data = results(done)
    assert not [*validator().iter_errors(data)]
    estimates_are_whole(data)
    held(data, request)
    findings_are_known(data)
    no_number_is_lost(folder, request)
    names_stand_once_escaped((folder / "dossier.html").read_text("utf-8"), data, request)
    return data


def check_laws(request: Request) -> None:
    """Build a request and hold what comes of it to all laws."""
    with tempfile.TemporaryDirectory() as name, chdir(name):
        folder = Path(name)
        request.write(folder)
        before = files(folder)
        done = build("one", *request.options)
        checked = run("check", MANIFEST)
        event(f"exit {done.exit_code}")
        assert done.exit_code in ((0, 1, 2) if "--gate" in request.options else (0, 2))
        if done.exit_code == 2:
            refused(done, folder, before)
            assert (checked.exit_code, checked.stderr) == (2, done.stderr)
            return
        assert checked.exit_code == 0
        data = check_dossier(done, request)
        severe = {one["severity"] for one in data["findings"]}
        gate = {"fail": {"fail"}, "warn": {"fail", "warn"}, "never": set()}
        reached = severe & gate[request.manifest["gate"]["fail_on"]]
        assert (done.exit_code == 1) == bool(reached and "--gate" in request.options)
        again = build("two")
        assert files(folder / "one") == files(folder / "two")
        drawn = run("render", again.stdout.splitlines()[-1], "--format", "html")
        assert drawn.exit_code == 0
        assert "unchanged" in drawn.stderr
        assert files(folder / "one") == files(folder / "two")
        request.write(folder, shuffled=True)
        other = build("three")
        assert other.exit_code == 0
        moved = results(other)
        same(data["sections"], moved["sections"], "sections")


QUIET = [HealthCheck.too_slow, HealthCheck.data_too_large, HealthCheck.function_scoped_fixture]


@settings(max_examples=20, deadline=None, derandomize=True, suppress_health_check=QUIET)
@given(requests())
def test_a_request_builds_or_is_refused(request_: Request) -> None:
    check_laws(request_)


SHARE = float(os.environ.get("REPORTGEN_SIM", "1"))


# In full size every run draws other requests; a smaller one, as in continuous integration, draws
# the same ones each time, so that it fails for what was changed and for nothing else.
@pytest.mark.slow
@settings(
    max_examples=max(20, round(300 * SHARE)),
    deadline=None,
    derandomize=SHARE < 1,
    suppress_health_check=QUIET,
)
@given(requests())
def test_many_requests_build_or_are_refused(request_: Request) -> None:
    check_laws(request_)
