"""A record that was changed in one byte, a file, or more cunningly: what was changed is named."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from reportgen.errors import RequestError
from reportgen.release.fingerprint import results_digest, strict_json
from reportgen.release.record import CRATE, HTML, RESULTS, STATEMENT, SUMS
from reportgen.verifying import verify
from tests.support import verifying as support


@pytest.fixture
def folder(record: Path) -> Iterator[Path]:
    """Give the dossier, and mend afterwards what the test did to it."""
    files = support.snapshot(record)
    yield record
    support.restore(record, files)


def test_a_record_as_it_was_built_is_good(folder: Path) -> None:
    found = verify(folder)
    assert found.bad_files == []
    assert found.good
    states = {one.name: one.state for one in found.checks if one.file is None}
    assert {states[name] for name in ("digests", "results", "environment", "manifest")} == {"good"}
    kept = {one.file: one.state for one in found.checks if one.file in (STATEMENT, CRATE)}
    assert kept == {STATEMENT: "good", CRATE: "good"}


def test_one_byte_of_each_file_in_turn_is_caught_and_that_file_alone_named(folder: Path) -> None:
    source = np.random.default_rng(20261130)
    for name, content in support.snapshot(folder).items():
        for changed in support.flips(content, 4 if name == SUMS else 1, source):
            (folder / name).write_bytes(changed)
            assert support.bad_files(folder) == [name]
        (folder / name).write_bytes(content)


@pytest.mark.slow
def test_bytes_at_many_places_are_caught(folder: Path, simulation_share: float) -> None:
    source = np.random.default_rng(8)
    count = max(2, round(60 * simulation_share))
    for name, content in support.snapshot(folder).items():
        for changed in support.flips(content, count, source):
            (folder / name).write_bytes(changed)
            assert support.bad_files(folder) == [name]
        (folder / name).write_bytes(content)


def test_every_byte_of_the_list_of_digests_is_its_own(folder: Path) -> None:
    """Every place of the lines of three files, which no luck of the draw leaves out."""
    content = (folder / SUMS).read_bytes()
    lines = content.splitlines(keepends=True)
    for which in (0, 1, len(lines) - 1):
        start = sum(map(len, lines[:which]))
        for at in (
            start,
            start + 63,
            start + 64,
            start + 65,
            start + 66,
            start + len(lines[which]) - 1,
        ):
            changed = content[:at] + bytes([content[at] ^ 1]) + content[at + 1 :]
            (folder / SUMS).write_bytes(changed)
            assert support.bad_files(folder) == [SUMS], at - start


def test_each_file_that_is_missing_is_named(folder: Path) -> None:
    for name, content in support.snapshot(folder).items():
        (folder / name).unlink()
        assert support.bad_files(folder) == [name]
        (folder / name).write_bytes(content)


def test_files_that_were_added_are_named(folder: Path) -> None:
    (folder / "notes.txt").write_text("hello")
    (folder / "tables" / "other.csv").write_text("a\n1\n")
    assert support.bad_files(folder) == ["notes.txt", "tables/other.csv"]
    support.listed_anew(folder)
    assert {"notes.txt", "tables/other.csv"} <= set(support.bad_files(folder))


def test_two_files_with_each_others_content_are_both_named(folder: Path) -> None:
    first, second = sorted((folder / "tables").iterdir())[:2]
    one, two = first.read_bytes(), second.read_bytes()
    first.write_bytes(two)
    second.write_bytes(one)
    assert support.bad_files(folder) == [f"tables/{first.name}", f"tables/{second.name}"]


def test_results_under_a_digest_made_anew_do_not_pass(folder: Path) -> None:
    data = json.loads((folder / RESULTS).read_bytes())
    data["sections"][0]["title"] = "Another title"
    data["dossier"]["digest"] = results_digest(data)
    (folder / RESULTS).write_bytes(strict_json(data))
    support.listed_anew(folder)
    # The list and the results agree now; the statement and the pages do not.
    found = verify(folder)
    assert {STATEMENT, HTML} <= set(found.bad_files), found.checks


def test_a_digest_alone_does_not_hold_results_of_other_content(folder: Path) -> None:
    content = (folder / RESULTS).read_text("utf-8")
    (folder / RESULTS).write_text(content.replace('"title": "T"', '"title": "U"'), "utf-8")
    support.listed_anew(folder)
    found = [one for one in verify(folder).checks if one.name == "results"]
    assert [one.state for one in found] == ["bad"]
    assert "digest" in found[0].detail


@pytest.mark.parametrize("kind", ["link", "broken link", "folder", "pipe", "empty folder"])
def test_what_is_no_plain_file_is_named_and_never_opened(folder: Path, kind: str) -> None:
    page, other = folder / HTML, folder / "tables" / "deep"
    if kind == "link":
        page.rename(folder.parent / "elsewhere.html")
        page.symlink_to(folder.parent / "elsewhere.html")
    elif kind == "broken link":
        other.symlink_to("/nowhere/at/all")
    elif kind == "pipe":
        os.mkfifo(other)
    elif kind == "folder":
        page.unlink()
        page.mkdir()
        (page / "x").write_text("x")
    else:
        other.mkdir()
    expected = {
        "link": [HTML],
        "folder": [HTML, f"{HTML}/x"],
    }.get(kind, ["tables/deep"])
    try:
        assert support.bad_files(folder) == expected
    finally:
        if kind == "pipe":
            other.unlink()
        if kind == "folder":
            (page / "x").unlink()
            page.rmdir()


@pytest.mark.parametrize(
    "content",
    [b"", b"\xff\xfe", b"[" * 100_000, b'{"a":' * 50_000, b"NaN", b"1e999", b"null", b'"\\ud800"'],
    ids=["empty", "no UTF-8", "deep lists", "deep objects", "NaN", "infinite", "null", "surrogate"],
)
def test_hostile_results_are_named_not_stumbled_over(folder: Path, content: bytes) -> None:
    (folder / RESULTS).write_bytes(content)
    assert RESULTS in support.bad_files(folder)
    (folder / STATEMENT).write_bytes(content)
    (folder / SUMS).write_bytes(content)
    (folder / "manifest.yaml").write_bytes(content)
    assert {RESULTS, SUMS} <= set(support.bad_files(folder))


def test_a_name_that_is_no_text_is_named(folder: Path) -> None:
    (folder / os.fsdecode(b"a\xffb")).write_text("x")
    assert support.bad_files(folder) == ["a\\udcffb"]


def test_no_dossier_at_all_is_a_wrong_request(tmp_path: Path) -> None:
    with pytest.raises(RequestError, match="no dossier"):
        verify(tmp_path)
    with pytest.raises(RequestError):
        verify(tmp_path / "nowhere")


ODD: tuple[object, ...] = (
    "",
    "\0",
    "x" * 5000,
    "<script>",
    "../../etc/passwd",
    "{{ 1/0 }}",
    "\u202e",
    0,
    -1,
    1e308,
    None,
    [],
    {},
)


def _places(value: object, path: tuple[str | int, ...] = ()) -> Iterator[tuple[str | int, ...]]:
    if isinstance(value, dict | list):
        for key, one in value.items() if isinstance(value, dict) else enumerate(value):
            yield from _places(one, (*path, key))
    else:
        yield path


@pytest.mark.slow
def test_results_forged_in_any_value_are_told_never_stumbled_over(
    folder: Path, simulation_share: float
) -> None:
    source = np.random.default_rng(3)
    kept = (folder / RESULTS).read_bytes()
    places = list(_places(json.loads(kept)))
    for at in source.integers(len(places), size=max(10, round(200 * simulation_share))):
        data = json.loads(kept)
        *way, last = places[at]
        inner = data
        for step in way:
            inner = inner[step]
        odd = ODD[source.integers(len(ODD))]
        if inner[last] == odd:
            continue
        inner[last] = odd
        data["dossier"]["digest"] = results_digest(data)
        (folder / RESULTS).write_bytes(strict_json(data))
        support.listed_anew(folder)
        # The statement names another digest of results.json, whatever else is wrong.
        assert set(support.bad_files(folder)) & {STATEMENT, RESULTS}
