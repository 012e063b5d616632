"""The rules of speed and soundness that a page keeps by its structure, whatever its content."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from typing import Any

import pytest

from reportgen.assets import asset
from reportgen.render.html import STYLES, Pages, render_pages
from tests.render.conftest import read_sample
from tests.support import frame_pages, integrity_pages
from tests.support.pages import Page

MOST_MARKS = 400
"""Marks that one chart may have: each costs the PDF about 1.4 ms in layout and writing."""
MOST_ROWS = 60
"""Rows that a table may have in print; the rest is in its CSV."""


def with_map() -> dict[str, Any]:
    return frame_pages.frame_results(frame_pages.frame_section())


def with_many_sites() -> dict[str, Any]:
    return frame_pages.frame_results(frame_pages.many_sites(400))


def with_everything() -> dict[str, Any]:
    results = integrity_pages.results(integrity_pages.outcome(hostile=True))
    return dict(json.loads(json.dumps(results)))


CASES: dict[str, Callable[[], dict[str, Any]]] = {
    "sample": read_sample,
    "map": with_map,
    "400 sites": with_many_sites,
    "integrity": with_everything,
}


@pytest.fixture(scope="module", params=CASES)
def case(request: pytest.FixtureRequest) -> Pages:
    hostile = request.param == "integrity"
    pictures = integrity_pages.outcome(hostile=True).pictures if hostile else {}
    return render_pages(CASES[request.param](), pictures)


@pytest.fixture(scope="module")
def screen(case: Pages) -> Page:
    return Page(case.html)


@pytest.fixture(scope="module")
def printed(case: Pages) -> Page:
    return Page(case.print_html)


def test_no_id_stands_twice(screen: Page, printed: Page) -> None:
    assert len(screen.ids) > 20
    assert screen.duplicates() == []
    assert printed.duplicates() == []


def test_every_id_is_plain(screen: Page) -> None:
    """Letters, digits, dash and underscore: no reader's address bar has to escape anything."""
    assert [name for name in screen.ids if not re.fullmatch(r"[A-Za-z][\w-]*", name)] == []


def test_every_link_leads_somewhere(screen: Page, printed: Page) -> None:
    assert len(screen.links) > 20
    assert screen.dead() == []
    assert printed.dead() == []


def test_nothing_is_fetched_and_nothing_runs(screen: Page) -> None:
    assert [one[:40] for one in screen.addresses if not one.startswith("data:")] == []
    assert not {"script", "iframe", "object", "embed", "form"} & set(screen.tags)


def test_no_element_has_an_opacity(case: Pages, screen: Page) -> None:
    """Each would cost the PDF a transparency group of its own."""
    assert screen.opaque == []
    assert [name for name, svg in case.figures.items() if Page(svg).opaque] == []


def test_marks_are_few(case: Pages) -> None:
    marks = {name: Page(svg).marks[0] for name, svg in case.figures.items()}
    assert all(0 < count <= MOST_MARKS for count in marks.values()), marks


def test_long_tables_are_cut_in_print_and_name_their_file(case: Pages) -> None:
    whole = re.findall(r"<table class=\"cells.*?</table>.*?</div>", case.html, re.DOTALL)
    shown = re.findall(r"<table class=\"cells.*?</table>.*?</div>", case.print_html, re.DOTALL)
    assert len(whole) == len(shown) > 0
    for on_screen, in_print in zip(whole, shown, strict=True):
        assert Page(in_print).rows[0] <= MOST_ROWS
        if Page(in_print).rows < Page(on_screen).rows:
            (name,) = re.findall(r"tables/([\w.-]+\.csv)", in_print)
            assert name in case.tables
            assert case.tables[name].count("\n") > Page(on_screen).rows[0]


def test_columns_are_few_enough_for_their_styles(case: Pages) -> None:
    """styles/tables.css sets figures flush in the last 23 columns."""
    for classes in re.findall(r'<table class="cells([^"]*)"', case.html):
        assert all(int(one[1:]) <= 24 for one in classes.split() if one != "unbroken")
    sheet = (asset("styles") / "tables.css").read_text("utf-8")
    assert ".f23 tr > :nth-last-child(23)" in sheet  # the first column heads the rows
    assert ".l24 tbody tr > :nth-last-child(24)" in sheet


def declarations(sheet: str) -> list[tuple[str, str]]:
    bodies = re.findall(r"\{([^{}]*)\}", re.sub(r"/\*.*?\*/", "", sheet, flags=re.DOTALL))
    pairs = (one.partition(":") for body in bodies for one in body.split(";") if ":" in one)
    return [(name.strip(), value.strip()) for name, _, value in pairs]


def test_print_has_no_flex_no_grid_no_columns_and_no_opacity() -> None:
    """A nested flex row takes twice a table row's time to lay out, or does not end."""
    sheets = "\n".join((asset("styles") / name).read_text("utf-8") for name in STYLES["print"])
    found = declarations(sheets)
    assert len(found) > 200
    assert [
        value for name, value in found if name == "display" and re.search("flex|grid", value)
    ] == []
    costly = {"columns", "column-count", "opacity", "filter", "box-shadow", "mix-blend-mode"}
    assert sorted(costly & {name for name, _ in found}) == []
