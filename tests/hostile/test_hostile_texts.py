"""Payloads in every free text of a request: shown as they were typed, and nothing more.

The same request is built with harmless text of the same length and blanks. Both must give the same
elements and attributes, in the pages and in every chart: text that became markup would add some.
"""

from __future__ import annotations

import csv
import json
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from html.parser import HTMLParser
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
from pypdf import PdfReader
from pypdf.generic import ArrayObject, DictionaryObject, IndirectObject

from reportgen.release.environment import missing_for_pdf
from tests.support.bounded import Server
from tests.support.hostile import MARKUP, TURNED, Words, harmless, hostile, write_request
from tests.support.spoiled import ROWS, refused, request_of, write

CALLED = ("href", "src", "xlink:href", "action", "formaction", "srcset", "data", "poster")
NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?", re.IGNORECASE)
RUNS = ("=", "+", "-", "@", "\t", "\r", "\uff1d", "\uff0b", "\uff0d", "\uff20")


@dataclass(frozen=True)
class Built:
    """A dossier and the texts in its request."""

    request: Path
    folder: Path
    words: Words


@dataclass
class Page(HTMLParser):
    """What an HTML page is made of.

    Attributes
    ----------
    made : Counter
        Of element names, and of element and attribute names.
    attributes : list of (element, attribute, value)
    text, styles : list of str
        Words outside and inside of style elements.
    """

    made: Counter[Any] = field(default_factory=Counter)
    attributes: list[tuple[str, str, str]] = field(default_factory=list)
    text: list[str] = field(default_factory=list)
    styles: list[str] = field(default_factory=list)
    within: str = ""

    def __post_init__(self) -> None:
        super().__init__(convert_charrefs=True)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.within = tag
        self.made[tag] += 1
        for name, value in attrs:
            self.made[tag, name] += 1
            self.attributes.append((tag, name, value or ""))

    def handle_endtag(self, tag: str) -> None:  # noqa: ARG002
        self.within = ""

    def handle_data(self, data: str) -> None:
        (self.styles if self.within == "style" else self.text).append(data)

    def handle_comment(self, data: str) -> None:  # noqa: ARG002
        self.made["comment"] += 1


def page_of(path: Path) -> Page:
    page = Page()
    page.feed(path.read_text("utf-8"))
    page.close()
    return page


def built(server: Server, folder: Path, change: Any) -> Built:
    words = write_request(folder, change)
    ran = server.run(folder, "build", "m.yaml", "-o", "out", "--format", "html", draws=True)
    assert ran.status == 0, ran
    assert "Traceback" not in ran.err
    return Built(folder, folder / ran.out.splitlines()[-1], words)


@pytest.fixture(scope="session")
def bad(server: Server, tmp_path_factory: pytest.TempPathFactory) -> Built:
    """Build the request of payloads."""
    return built(server, tmp_path_factory.mktemp("hostile"), hostile)


@pytest.fixture(scope="session")
def good(server: Server, tmp_path_factory: pytest.TempPathFactory) -> Built:
    """Build its harmless twin."""
    return built(server, tmp_path_factory.mktemp("harmless"), harmless)


def check_page(page: Page) -> None:
    """Assert that a page calls nothing, runs nothing and has its policy."""
    for tag, name, value in page.attributes:
        assert not name.startswith("on"), (tag, name, value)
        if name in CALLED:
            local = re.fullmatch(r"[A-Za-z0-9_./-]+", value) and ".." not in value
            assert value.startswith(("#", "data:image/", "data:font/")) or local, (tag, name, value)
    assert not {"script", "iframe", "object", "embed", "base", "form"} & set(page.made)
    policies = [v for t, n, v in page.attributes if t == "meta" and n == "content"]
    assert any("default-src 'none'" in policy for policy in policies), policies
    styles = "".join(page.styles)
    for word in ("h.test", "expression(", "@import", "alert(1)"):
        assert word not in styles


def test_the_page_has_the_elements_of_its_harmless_twin(bad: Built, good: Built) -> None:
    pages = [page_of(one.folder / "dossier.html") for one in (bad, good)]
    assert pages[0].made == pages[1].made
    assert len(pages[0].styles) == len(pages[1].styles)
    for page in pages:
        check_page(page)


def test_the_payloads_stand_in_the_page_as_often_as_harmless_words(bad: Built, good: Built) -> None:
    """Jinja would have made 49 of one of them, and escaping twice would hide them."""
    shown = ["".join(page_of(one.folder / "dossier.html").text) for one in (bad, good)]
    count = shown[0].count(MARKUP)
    assert count == shown[1].count(harmless(MARKUP))
    assert count > 200
    assert "&lt;script" not in shown[0]
    missing = [text for text in bad.words.said if text not in shown[0]]
    of_good = [text for text in good.words.said if text not in shown[1]]
    assert [harmless(text) for text in missing] == of_good
    assert len(missing) < len(bad.words.said) / 3


def test_charts_have_the_elements_of_their_harmless_twins(bad: Built, good: Built) -> None:
    charts = sorted(path.name for path in (bad.folder / "figures").glob("*.svg"))
    assert charts == sorted(path.name for path in (good.folder / "figures").glob("*.svg"))
    assert len(charts) > 4
    for name in charts:
        made = [elements((one.folder / "figures" / name).read_text("utf-8")) for one in (bad, good)]
        assert made[0] == made[1], name


def elements(svg: str) -> Counter[Any]:
    """Return the elements and attributes of a chart."""
    assert "<!DOCTYPE" not in svg
    assert "<!ENTITY" not in svg
    made: Counter[Any] = Counter()
    for one in ElementTree.fromstring(svg).iter():
        name = str(one.tag).rpartition("}")[2]
        made[name] += 1
        for key, value in one.attrib.items():
            short = key.rpartition("}")[2]
            made[name, short] += 1
            assert not short.startswith("on"), (name, key)
            assert short != "href" or value.startswith("#"), (name, value)
            if short != "aria-label":
                assert "h.test" not in value, (name, key)
    assert not {"script", "foreignObject", "image", "use", "style"} & set(made)
    return made


def test_no_cell_of_a_table_is_run_by_a_spreadsheet(bad: Built) -> None:
    files = list(bad.folder.rglob("*.csv"))
    cells = 0
    for path in files:
        with path.open(encoding="utf-8-sig", newline="") as file:
            for row in csv.reader(file):
                for cell in row:
                    cells += 1
                    if cell.lstrip(" \"'").startswith(RUNS) and not cell.startswith("'"):
                        assert NUMBER.fullmatch(cell), cell
    assert len(files) > 10
    assert cells > 500


def test_results_are_strict_json_with_the_texts_as_typed(bad: Built) -> None:
    def refuse(name: str) -> Any:
        raise AssertionError(name)

    raw = (bad.folder / "results.json").read_text("utf-8")
    data = json.loads(raw, parse_constant=refuse)
    typed = json.loads((bad.request / "m.yaml").read_text("utf-8"))
    assert data["dossier"]["title"] == typed["dossier"]["title"]
    assert data["dossier"]["model"] == typed["model"]
    titles = [one["title"] for one in data["sections"]]
    assert titles == [one["title"] for one in typed["sections"]]
    groups = {row["group"] for row in data["sections"][0]["result"]["groups"]}
    assert sum(MARKUP in str(group) for group in groups) == 2


def test_the_folder_is_named_with_plain_letters(bad: Built) -> None:
    below = bad.folder.relative_to(bad.request)
    assert len(below.parts) == 4
    assert re.fullmatch(r"[\w./ -]+", str(below), re.ASCII)
    for path in bad.folder.rglob("*"):
        assert re.fullmatch(r"[\w./ -]+", str(path.relative_to(bad.folder)), re.ASCII)


def test_the_list_of_dossiers_holds_the_payloads_as_text(bad: Built, good: Built) -> None:
    pages = [page_of(one.request / "out" / "index.html") for one in (bad, good)]
    assert pages[0].made == pages[1].made
    for page in pages:
        check_page(page)
    assert MARKUP in "".join(pages[0].text)


def test_nothing_else_was_made_by_the_payloads(bad: Built) -> None:
    assert not (bad.request / "passwd").exists()
    made = {path.name for path in bad.request.iterdir()}
    inputs = {"m.yaml", "t.csv", "linear.json", "truth.json", "found.json", "map.csv"}
    assert made == inputs | {"out"}


def objects(reader: PdfReader) -> Iterator[DictionaryObject]:
    """Give every dictionary of a PDF."""
    seen: set[int] = set()
    left: list[Any] = [reader.trailer]
    while left:
        one = left.pop()
        if isinstance(one, IndirectObject):
            if one.idnum in seen:
                continue
            seen.add(one.idnum)
            left.append(one.get_object())
        elif isinstance(one, DictionaryObject):
            yield one
            left.extend(one.values())
        elif isinstance(one, ArrayObject):
            left.extend(one)


def test_the_pdf_holds_the_payloads_as_text_and_no_action(server: Server, tmp_path: Path) -> None:
    if missing_for_pdf():
        pytest.skip("this machine lacks Pango, so there is no PDF to read")
    words = write_request(tmp_path, hostile)
    ran = server.run(
        tmp_path,
        "build",
        "m.yaml",
        "-o",
        "out",
        "--format",
        "pdf",
        "--only",
        "prevalence",
        draws=True,
    )
    assert ran.status == 0, ran
    reader = PdfReader(tmp_path / ran.out.splitlines()[-1] / "dossier.pdf")
    shown = re.sub(r"\s", "", "".join(page.extract_text() for page in reader.pages))
    assert shown.count(re.sub(r"\s", "", MARKUP)) > 10
    assert re.sub(r"\s", "", words.said[0]) in shown
    for one in objects(reader):
        assert not {"/JS", "/AA", "/Launch"} & set(one), one
        assert one.get("/S") not in (
            "/JavaScript",
            "/Launch",
            "/URI",
            "/SubmitForm",
            "/GoToR",
            "/ImportData",
        ), one
    names = [str(name) for name in reader.attachments]
    assert all(re.fullmatch(r"[\w./-]+", name, re.ASCII) for name in names), names


def test_an_approval_of_payloads_is_text(server: Server, bad: Built, good: Built) -> None:
    pages = []
    for one, change in ((bad, hostile), (good, harmless)):
        words = Words(change)
        ran = server.run(
            one.request,
            *("sign", str(one.folder), "--name", words.name(), "--role", words.name()),
            *("--meaning", words.name()),
            draws=True,
        )
        assert ran.status == 0, ran
        pages.append(page_of(one.folder / "dossier-signed.html"))
        shown = "".join(pages[-1].text)
        assert all(text in shown for text in words.said)
    assert pages[0].made == pages[1].made
    for page in pages:
        check_page(page)


def test_a_comparison_of_payloads_is_text(server: Server, bad: Built, good: Built) -> None:
    pages = []
    for one in (bad, good):
        ran = server.run(
            one.request,
            *("compare", str(one.folder), str(one.folder)),
            *("-o", "compared", "--format", "html"),
            draws=True,
        )
        assert ran.status == 0, ran
        (found,) = one.request.glob("compared/**/*.html")
        pages.append(page_of(found))
    assert pages[0].made == pages[1].made
    for page in pages:
        check_page(page)


@pytest.mark.parametrize("turned", [TURNED, "a\u200fb\u202e", "\x1b[31m", "a\x00b"])
def test_letters_that_turn_or_control_are_refused(
    server: Server, tmp_path: Path, turned: str
) -> None:
    """What a reader would see otherwise than it stands there is named by its code."""
    dossier = {"title": turned, "date": "2026-11-30"}
    write(tmp_path, {"t.csv": ROWS, "m.yaml": request_of(dossier=dossier).encode()})
    ran = refused(server, tmp_path, draws=True)
    assert "U+" in ran.err
    assert turned not in ran.err
