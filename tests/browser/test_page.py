"""The page of a dossier as Chromium, axe-core and html-validate find it.

``make test-browser`` runs these; nothing here asks the network for anything but npm's packages,
whose versions and digests are in package-lock.json.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from tests.support.pages import Page, in_bytes

pytestmark = [
    pytest.mark.browser,
]
RECORDS = pytest.mark.parametrize("name", ["diabetes", "frame-simulation"])
ALL = pytest.mark.parametrize(
    "name", ["diabetes", "frame-simulation", "chinese", "interactive", "comparison"]
)

Seen = dict[str, dict[str, Any]]


@ALL
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_no_violation(seen: Seen, name: str, scheme: str) -> None:
    """WCAG 2.0 to 2.2, A and AA, and axe's best practices."""
    assert seen[name]["axe"][scheme]["violations"] == []
    assert seen[name]["axe"][scheme]["passes"] > 30


@ALL
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_text_in_charts_stands_out(seen: Seen, name: str, scheme: str) -> None:
    """axe does not know what lies behind the text of an SVG, and only there; so it is measured."""
    open_ = seen[name]["axe"][scheme]["incomplete"]
    assert {one["rule"] for one in open_} <= {"color-contrast"}
    # A sign alone, a box that another one touches, a cell that the edge of its scroll box cuts:
    # colours that axe does judge elsewhere.
    outside = [node for one in open_ for node in one["outside"]]
    judged = ("nonBmp", "bgOverlap", "elmPartiallyObscured")
    assert [one for one in outside if one["why"] not in judged] == []
    assert seen[name]["contrasts"][scheme]["count"] > 30
    assert seen[name]["contrasts"][scheme]["poor"] == []


@ALL
def test_themes_differ(seen: Seen, name: str) -> None:
    ground = seen[name]["ground"]
    assert ground["light"] == "rgb(255, 255, 255)"
    assert max(map(int, re.findall(r"\d+", ground["dark"]))) < 50


@ALL
def test_nothing_is_asked_of_the_network(seen: Seen, name: str) -> None:
    assert seen[name]["requests"] == []


@RECORDS
def test_page_works_under_its_own_policy(seen: Seen, name: str, pages: dict[str, Path]) -> None:
    """No message on the console: nothing was blocked; the fonts in the page were loaded."""
    assert seen[name]["console"] == []
    assert seen[name]["fonts"]
    assert all(one.endswith(" loaded") for one in seen[name]["fonts"])
    assert seen[name]["drawn"] >= 5
    html = pages[name].read_text("utf-8")
    assert "default-src &#39;none&#39;" in html or "default-src 'none'" in html
    assert not re.search(r"<script|<iframe|<object|javascript:|\son\w+=", html, re.IGNORECASE)


@ALL
def test_html_is_valid(seen: Seen, name: str) -> None:
    assert seen[name]["html"] == []


@ALL
@pytest.mark.parametrize("width", ["light", "dark", "narrow"])
def test_page_does_not_scroll_sideways(seen: Seen, name: str, width: str) -> None:
    """As wide as a desk's window, and as a telephone of 390 pixels."""
    measured = seen[name]["widths"][width]
    assert measured["scroll"] <= measured["client"], measured["beyond"]
    assert measured["beyond"] == []
    assert measured["client"] == (390 if width == "narrow" else 1280)


@RECORDS
def test_page_is_lean(pages: dict[str, Path], name: str) -> None:
    """What a page is made of, by its bytes: under 500 kB for the demo without pictures.

    Two kinds of picture are taken off: those of images, which are the user's (``data:image/png``),
    and the charts (``svg``), each of which is a file of the dossier too. With its charts the demo's
    page is held to 700 kB; what is left is text, 290 kB of it.
    """
    html = pages[name].read_text("utf-8")
    fonts = re.findall(r"data:font/woff2;base64,[^\"]*", html)
    charts = re.findall(r"<svg.*?</svg>", html, re.DOTALL)
    images = re.findall(r"data:image/png;base64,[^\"]*", html)
    text = re.sub(r"<svg.*?</svg>|<style.*?</style>|<[^>]*>", "", html, flags=re.DOTALL)
    rest = in_bytes(html) - in_bytes(*fonts, *charts, *images, text)
    with_charts, without = (700_000, 500_000) if name == "diabetes" else (240_000, 200_000)
    assert in_bytes(*fonts) < 35_000
    assert in_bytes(*charts) < 7_000 * len(charts)
    assert rest < in_bytes(text)  # markup and styles are less than what they carry
    assert in_bytes(html) - in_bytes(*images) < with_charts
    assert in_bytes(html) - in_bytes(*images, *charts) < without
    assert not re.search(r"\n[ \n]", html)


@RECORDS
def test_structure_of_the_built_page(pages: dict[str, Path], name: str) -> None:
    page = Page(pages[name].read_text("utf-8"))
    assert page.duplicates() == page.dead() == page.opaque == []
    assert max(page.marks) <= 400
    assert all(one.startswith("data:") for one in page.addresses)


def test_live_charts_are_drawn_by_the_one_script_the_page_allows(
    seen: Seen, pages: dict[str, Path]
) -> None:
    """All of them, with nothing on the console: no error, nothing that the policy had to stop."""
    said = seen["interactive"]
    html = pages["interactive"].read_text("utf-8")
    scripts = re.findall(r"<script[^>]*>", html)
    assert len([one for one in scripts if "application/json" not in one]) == 1
    assert "unsafe" not in (html.split("script-src")[1].split(";")[0])
    assert said["console"] == said["requests"] == []
    assert said["drawn"] == len(re.findall(r'<div class="chart"', html)) >= 5
    assert not (pages["frame-simulation"].parent / pages["interactive"].name).exists()
