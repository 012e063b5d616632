"""The list of dossiers in an output folder: complete, harmless, and never in a build's way."""

from __future__ import annotations

import hashlib
import json
import os
import re
import threading
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest
from filelock import FileLock

from reportgen import build, indexing
from reportgen.indexing import refresh_index, refresh_index_above
from reportgen.release.folder import Draft, publish
from reportgen.release.listing import scan
from reportgen.render.index_page import index_page
from tests.support.bare_pages import without_fonts
from tests.support.pages import Page


def dossier(
    out: Path,
    *,
    model: str = "m",
    version: str = "1",
    date: str = "2026-11-30",
    decision: str = "release",
    title: str = "T",
) -> Path:
    def files(revision: int) -> dict[str, bytes]:
        data = {
            "dossier": {
                "title": title,
                "date": date,
                "model": {"name": model, "version": version},
                "revision": revision,
            },
            "decision": {"outcome": decision},
        }
        return {"results.json": json.dumps(data).encode(), "dossier.html": b"page"}

    return publish(out, model, version, Draft(files)).folder


class Cells(HTMLParser):
    """The rows of a page's table as text, and where its links lead."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.rows: list[list[str]] = []
        self.links: list[str] = []
        self.cell = False
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag == "tr":
            self.rows.append([])
        self.cell = self.cell or tag in ("td", "th")
        if tag in ("td", "th"):
            self.rows[-1].append("")
        self.links += [value or "" for name, value in attrs if name == "href"]

    def handle_endtag(self, tag: str) -> None:
        self.cell = self.cell and tag not in ("td", "th")

    def handle_data(self, data: str) -> None:
        if self.cell:
            self.rows[-1][-1] += data.strip()


def rows(out: Path) -> list[list[str]]:
    return Cells((out / "index.html").read_text("utf-8")).rows[1:]


def test_it_lists_every_dossier_the_newest_first(tmp_path: Path) -> None:
    dossier(tmp_path, date="2026-01-02", title="first", decision="hold")
    dossier(tmp_path, date="2026-01-02", title="second", decision="conditional")
    dossier(tmp_path, model="other model", version="2.0", date="2026-03-01")
    dossier(tmp_path, version="2", date="2025-12-31")
    assert refresh_index(tmp_path) is None
    assert [row[:6] for row in rows(tmp_path)] == [
        ["other model", "2.0", "1", "release", "2026-03-01", "T"],
        ["m", "1", "2", "conditional", "2026-01-02", "second"],
        ["m", "1", "1", "hold", "2026-01-02", "first"],
        ["m", "2", "1", "release", "2025-12-31", "T"],
    ]
    assert {row[6] for row in rows(tmp_path)} == {"draft, not signed"}
    links = Cells((tmp_path / "index.html").read_text("utf-8")).links
    assert "other-model/2.0/r1/dossier.html" in links
    assert all((tmp_path / link).is_file() for link in links if not link.startswith("#"))


def test_it_runs_and_fetches_nothing_and_shows_user_text_as_text(tmp_path: Path) -> None:
    evil = "<script>alert(1)</script>\"'&<img src=x onerror=alert(1)>\x07"
    dossier(tmp_path, model=evil, version=evil, title=evil, decision=evil, date=evil)
    refresh_index(tmp_path)
    html = (tmp_path / "index.html").read_text("utf-8")
    page = Page(html)
    assert page.tags["script"] == page.tags["img"] == page.tags["link"] == 0
    assert page.addresses == []
    assert "default-src 'none'" in html
    assert '<html lang="en">' in html
    assert re.search(r"prefers-color-scheme:\s*dark", html)
    assert evil.replace("\x07", "\\x07") == rows(tmp_path)[0][0]
    assert "\x07" not in html


@pytest.mark.parametrize(
    ("ledger", "shown"),
    [
        ({"approvals": [], "sealed": None}, "draft, not signed"),
        ({"approvals": [{}], "sealed": None}, "1 approval"),
        ({"approvals": [{}, {}], "sealed": {"time": "…"}}, "2 approvals, sealed"),
        ({"approvals": 3}, "ledger cannot be read"),
        ([], "ledger cannot be read"),
        (None, "ledger cannot be read"),
    ],
)
def test_approvals_and_seals_are_shown(tmp_path: Path, ledger: Any, shown: str) -> None:
    folder = dossier(tmp_path)
    text = "{" if ledger is None else json.dumps(ledger)
    (folder / "approvals.json").write_text(text)
    (folder / "dossier-signed.html").write_text("")
    refresh_index(tmp_path)
    assert rows(tmp_path)[0][6] == shown
    assert rows(tmp_path)[0][7] == "dossier.htmldossier-signed.html"


def test_a_damaged_dossier_is_named_and_hides_no_other(tmp_path: Path) -> None:
    broken = {name: dossier(tmp_path, model=name) for name in ("a", "b", "c", "d", "e")}
    (broken["a"] / "results.json").write_bytes(b"{")
    (broken["b"] / "results.json").unlink()
    (broken["c"] / "SHA256SUMS").unlink()
    content = b'{"dossier": {}, "decision": []}'
    (broken["d"] / "results.json").write_bytes(content)
    digest = hashlib.sha256(content).hexdigest()
    (broken["d"] / "SHA256SUMS").write_text(f"{digest}  results.json\n")
    (broken["e"] / "SHA256SUMS").write_bytes(b"\xff\xfe")
    dossier(tmp_path, model="sound")
    assert refresh_index(tmp_path) is None
    assert [row[0] for row in rows(tmp_path)] == ["sound"]
    html = (tmp_path / "index.html").read_text("utf-8")
    for name, why in (
        ("a", "results.json is not the file that SHA256SUMS lists"),
        ("b", "results.json cannot be read"),
        ("c", "SHA256SUMS cannot be read"),
        ("d", "results.json lacks what a dossier says of itself"),
        ("e", "SHA256SUMS cannot be read"),
    ):
        assert f"{name}/1/r1: {why}" in html


def test_foreign_folders_are_left_aside(tmp_path: Path) -> None:
    for name in ("a/b/r1", ".hidden/1/r1", "a/b/r01", "a/b/r1-rendered", "a/.staging-x/r1"):
        (tmp_path / name).mkdir(parents=True)
    (tmp_path / "a/b/r1/notes.txt").write_text("")
    for name in (".hidden/1/r1", "a/b/r01", "a/b/r1-rendered", "a/.staging-x/r1"):
        (tmp_path / name / "results.json").write_text("{}")
    assert scan(tmp_path) == ([], [])
    assert refresh_index(tmp_path) is None
    assert "There is no dossier that can be read here." in (tmp_path / "index.html").read_text()


def test_names_of_any_bytes_are_listed(tmp_path: Path) -> None:
    folder = dossier(tmp_path)
    strange = os.fsdecode(os.fsencode(tmp_path) + b"/m\xff")
    try:
        folder.parent.parent.rename(strange)
    except OSError:
        pytest.skip("this system takes no such names")
    assert refresh_index(tmp_path) is None
    html = (tmp_path / "index.html").read_text("utf-8")
    assert 'href="m%FF/1/r1/dossier.html"' in html


def test_an_equal_page_is_not_written_again(tmp_path: Path) -> None:
    dossier(tmp_path)
    refresh_index(tmp_path)
    before = (tmp_path / "index.html").stat().st_mtime_ns
    refresh_index(tmp_path)
    assert (tmp_path / "index.html").stat().st_mtime_ns == before


def test_a_page_of_another_origin_is_left(tmp_path: Path) -> None:
    dossier(tmp_path)
    (tmp_path / "index.html").write_text("<p>mine</p>")
    note = refresh_index(tmp_path)
    assert note is not None
    assert "left as it is" in note
    assert (tmp_path / "index.html").read_text() == "<p>mine</p>"


def test_what_keeps_it_from_being_written_is_a_note(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    dossier(tmp_path)

    def fail(*_: object) -> None:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(indexing, "_replace", fail)
        assert "No space left on device" in (refresh_index(tmp_path) or "")
    monkeypatch.setattr(indexing, "PATIENCE", 0.1)
    with FileLock(tmp_path / indexing.LOCK):
        assert "another run holds" in (refresh_index(tmp_path) or "")
    assert not (tmp_path / "index.html").exists()
    (tmp_path / "index.html").mkdir()
    assert "was not written" in (refresh_index(tmp_path) or "")


def test_a_build_says_so_and_does_not_fail(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "m.yaml").write_text(
        'reportgen: 1\ndossier: {title: T, date: 2026-11-30}\nmodel: {name: m, version: "1"}\n'
        "sections:\n  - {kind: prevalence, prevalences: [0.1], sensitivity: {k: 80, n: 100}, "
        "specificity: {k: 450, n: 500}}\n"
    )
    without_fonts(monkeypatch)
    out = tmp_path / "out"
    first = build.build(tmp_path / "m.yaml", out, format="html")
    assert first.notes == ()
    assert [row[:4] for row in rows(out)] == [["m", "1", "1", "release"]]
    (out / "index.html").write_text("mine")
    second = build.build(tmp_path / "m.yaml", out, format="html")
    assert second.unchanged
    assert second.notes == (f"{out / 'index.html'} is not of reportgen; it was left as it is",)


def test_the_last_of_many_writers_has_seen_all(tmp_path: Path) -> None:
    def one(number: int) -> None:
        dossier(tmp_path, model=f"m{number % 3}", title=f"t{number}")
        assert refresh_index(tmp_path) is None

    threads = [threading.Thread(target=one, args=(number,)) for number in range(12)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(row[5] for row in rows(tmp_path)) == sorted(f"t{n}" for n in range(12))


def test_after_signing_only_a_list_that_is_there_is_written(tmp_path: Path) -> None:
    folder = dossier(tmp_path / "out")
    assert refresh_index_above(folder) is None
    assert not (tmp_path / "out" / "index.html").exists()
    refresh_index(tmp_path / "out")
    (folder / "approvals.json").write_text('{"approvals": [{}], "sealed": null}')
    assert refresh_index_above(folder) is None
    assert rows(tmp_path / "out")[0][6] == "1 approval"
    assert refresh_index_above(Path("/r1")) is None


def test_no_dossier_makes_a_page_too() -> None:
    assert "<h1>Audit dossiers</h1>" in index_page([], [])
