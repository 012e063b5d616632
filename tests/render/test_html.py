"""The page for the screen: nothing fetched or run, user text as typed, no dead anchors."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest

from reportgen.errors import ReportgenError
from reportgen.render.fonts import FAMILY, embedded_faces, missing_characters
from reportgen.render.html import Pages, printable, render_pages, tight
from tests.support.pages import close_implied

SCRIPT = "<script>alert(1)</script>"
VOID = {"meta", "link", "img", "br", "hr", "input", "col", "wbr", "source"}


class Outline(HTMLParser):
    """Collects what the tests ask of a page, and whether its tags are balanced."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.text: list[str] = []
        self.headings: list[int] = []
        self.unbalanced: list[str] = []
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        close_implied(self.open, tag)
        self.tags.append((tag, dict(attrs)))
        if re.fullmatch("h[1-6]", tag):
            self.headings.append(int(tag[1]))
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))

    def handle_endtag(self, tag: str) -> None:
        close_implied(self.open, tag, end=True)
        if not self.open or self.open.pop() != tag:
            self.unbalanced.append(tag)

    def handle_data(self, data: str) -> None:
        if "style" not in self.open:
            self.text.append(data)

    def values(self, name: str) -> list[str]:
        return [value for _, attrs in self.tags if (value := attrs.get(name)) is not None]

    def all_of(self, tag: str) -> list[dict[str, str | None]]:
        return [attrs for name, attrs in self.tags if name == tag]


@pytest.fixture(scope="module", params=["html", "print_html"])
def outline(request: pytest.FixtureRequest, pages: Pages) -> Outline:
    return Outline(getattr(pages, request.param))


@pytest.fixture(scope="module")
def screen(pages: Pages) -> Outline:
    return Outline(pages.html)


def test_tags_are_balanced(outline: Outline) -> None:
    assert outline.unbalanced == []
    assert outline.open == []


def test_nothing_is_run_or_fetched(outline: Outline) -> None:
    tags = {tag for tag, _ in outline.tags}
    assert not tags & {"script", "iframe", "object", "embed", "link", "base", "form"}
    assert not [name for _, attrs in outline.tags for name in attrs if name.startswith("on")]
    sources = outline.values("src") + outline.values("href") + outline.values("xlink:href")
    assert all(source.startswith(("#", "data:")) for source in sources)


def test_style_fetches_nothing_but_what_it_carries(pages: Pages) -> None:
    style = pages.html.split("<style>")[1].split("</style>")[0]
    assert "@import" not in style
    assert all(url.startswith("data:") for url in re.findall(r'url\("?([^")]+)', style))
    assert "data:font/woff2;base64," in style


def test_policy_forbids_everything_else(screen: Outline) -> None:
    policy = next(a["content"] for a in screen.all_of("meta") if "http-equiv" in a)
    assert policy is not None
    for part in ("default-src 'none'", "img-src data:", "font-src data:"):
        assert part in policy
    assert "script-src" not in policy


def test_user_text_appears_as_typed(outline: Outline, pages: Pages) -> None:
    text = "".join(outline.text)
    assert "{{ 7*7 }}" in text
    assert SCRIPT in text
    assert "alert" not in pages.html.replace("&lt;script&gt;alert(1)&lt;/script&gt;", "").replace(
        "&lt;script&gt;alert(1)&lt;/", ""
    )


@pytest.mark.parametrize("place", ["title", "intended_use", "prepared_by"])
@pytest.mark.parametrize("text", [SCRIPT, "{{ 7*7 }}", '"><img src=x onerror=alert(1)>', "R&D"])
def test_user_text_of_the_front_matter(results: dict[str, Any], place: str, text: str) -> None:
    results["dossier"][place] = text
    results["sections"] = []
    page = Outline(render_pages(results).html)
    assert text in "".join(page.text)
    assert page.unbalanced == []
    assert not page.all_of("script")
    assert not page.all_of("img")


def test_fonts_go_into_the_style_even_if_a_title_names_their_place(results: dict[str, Any]) -> None:
    results["dossier"]["title"] = "/* fonts */"
    results["sections"] = []
    assert "".join(Outline(render_pages(results).html).text).count("/* fonts */") > 1


def test_ids_are_unique_and_no_anchor_is_dead(outline: Outline) -> None:
    ids = outline.values("id")
    assert len(ids) == len(set(ids))
    targets = [href[1:] for href in outline.values("href") if href.startswith("#")]
    named = " ".join(outline.values("aria-labelledby")).split()
    assert targets
    assert set(targets) | set(named) <= set(ids)


def test_headings_do_not_skip_a_level(outline: Outline) -> None:
    assert outline.headings[0] == 1
    assert outline.headings.count(1) == 1
    assert all(b - a <= 1 for a, b in zip(outline.headings, outline.headings[1:], strict=False))


def test_tables_have_captions_and_scopes(outline: Outline) -> None:
    tables = outline.all_of("table")
    assert tables
    bare = [
        t
        for t in tables
        if (t.get("class") or "").split()[:1] in (["facts"], ["terms"], ["signatures"])
    ]
    assert len(outline.all_of("caption")) == len(tables) - len(bare)
    assert {attrs.get("scope") for attrs in outline.all_of("th")} == {"col", "row"}


def test_landmarks_and_skip_link(screen: Outline) -> None:
    assert len(screen.all_of("main")) == 1
    assert len(screen.all_of("nav")) == 1
    first_link = screen.all_of("a")[0]
    assert first_link["href"] == "#main"
    assert screen.all_of("html")[0]["lang"] == "en"


def test_figures_are_inline_on_screen_and_images_in_print(pages: Pages) -> None:
    screen, printed = Outline(pages.html), Outline(pages.print_html)
    assert len(screen.all_of("svg")) == len(printed.all_of("img")) == len(pages.figures)
    assert not screen.all_of("img")
    assert not printed.all_of("svg")
    assert all(len(image["alt"] or "") > 40 for image in printed.all_of("img"))
    assert all(svg in pages.html for svg in pages.figures.values())


def test_every_figure_and_table_is_placed_once_and_in_order(pages: Pages) -> None:
    for kind in ("figure", "table"):
        anchors = re.findall(
            rf'<(?:figure|div) class="{kind}[^"]*" id="({kind}-[^"]+)"', pages.html
        )
        listed = re.findall(rf'href="#({kind}-[^"]+)"', pages.print_html)
        assert anchors
        assert anchors == listed


def test_csv_files_named_on_the_page_exist(pages: Pages) -> None:
    named = set(re.findall(r"tables/([a-z0-9-]+\.csv)", pages.html))
    assert named
    assert named <= set(pages.tables)


def test_whole_tables_on_screen(results: dict[str, Any], pages: Pages) -> None:
    rows = len(Outline(pages.html).all_of("tr"))
    assert rows >= len(Outline(pages.print_html).all_of("tr"))
    assert rows > len(results["sections"][0]["result"]["curve"])


def test_severity_is_a_word_and_a_mark(pages: Pages) -> None:
    for word in ("fail", "warn", "note", "pass"):
        assert f'<span class="severity {word}">{word}</span>' in pages.html
        assert f".severity.{word}::before{{content:" in pages.html


def test_section_that_was_not_assessed_says_why(screen: Outline) -> None:
    text = "".join(screen.text)
    assert "a sensitivity without a specificity gives no precision at any prevalence" in text


@pytest.mark.parametrize("outcome", ["release", "conditional", "hold"])
def test_decision_in_words(results: dict[str, Any], outcome: str) -> None:
    results.update(decision={"outcome": outcome, "reasons": []}, sections=[], findings=[])
    text = "".join(Outline(render_pages(results).html).text)
    assert f"{outcome.capitalize()}\n" in text
    assert "No section made a finding." in text


@pytest.mark.parametrize(
    ("deciding", "more"), [(5, ""), (6, "And 1 more: "), (120, "And 115 more: ")]
)
def test_the_decision_names_five_findings_at_most(
    results: dict[str, Any], deciding: int, more: str
) -> None:
    one = {**results["findings"][0], "severity": "warn", "section": "run"}
    results["findings"] = [
        {**one, "id": f"run/RUN-{at}", "title": f"Title {at} here"} for at in range(deciding)
    ]
    reasons = [finding["id"] for finding in results["findings"]]
    results.update(decision={"outcome": "conditional", "reasons": reasons}, sections=[])
    text = "".join(Outline(render_pages(results).html).text)
    rests = text[text.index("What decides") : text.index("Date, revision")]
    assert rests.count("Title ") == 5
    assert more in rests
    assert ("more: " in rests) == bool(more)


def test_the_list_of_findings_prints_the_summary(results: dict[str, Any]) -> None:
    results["findings"][0]["summary"] = "In one line."
    text = "".join(Outline(render_pages(results).html).text)
    assert text.count("In one line.") == 1
    assert text.count(results["findings"][0]["statement"]) == 1


def test_optional_keys_may_be_absent(results: dict[str, Any]) -> None:
    for key in ("intended_use", "prepared_by", "sign_off", "overrides", "sections_left_out"):
        results["dossier"].pop(key)
    results["sections"] = []
    results["environment"].pop("system")
    assert "names no one who signs" in render_pages(results).html


def test_two_sections_with_one_file_name_are_refused(results: dict[str, Any]) -> None:
    twin = json.loads(json.dumps(results["sections"][0]))
    results["sections"].append(twin)
    with pytest.raises(ReportgenError, match="give one of them another id"):
        render_pages(results)


def test_characters_no_page_may_hold_are_shown() -> None:
    assert printable({"a\x00": ["b\x1b", "\ud800", "tab\tline\n"]}) == {
        "a\\x00": ["b\\x1b", "\\ud800", "tab\tline\n"]
    }


def test_small_enough(pages: Pages) -> None:
    assert len(pages.html.encode()) < 500_000


def test_font_subset_holds_what_the_page_needs() -> None:
    assert FAMILY in embedded_faces("a")
    assert missing_characters("aß−–—≥≤×σ±π′√…“”é") == []
    assert missing_characters("a框\n") == ["框"]
    assert len(embedded_faces("abc")) < len(embedded_faces("abc<em>d</em>"))
    # Italics are cut to what stands in italics, upright letters to the whole page.
    assert len(embedded_faces("abc<em>d</em>")) < len(embedded_faces("<em>abcdefgh</em>"))


def test_style_sheets_lose_comments_and_idle_space_and_nothing_else() -> None:
    css = '/* a */\n.b, .c :is(td) > p {\n  font: 1pt "X  Y", serif; }\n'
    css += '@media (width: 3px) { a::after { content: "{ ; "; } }'
    assert tight(css) == (
        '.b, .c :is(td)>p{font:1pt "X  Y", serif;}@media (width:3px){a::after{content:"{ ; ";}}'
    )


def test_end_tags_that_html_does_not_need_are_left_out_on_screen_alone(pages: Pages) -> None:
    """HTML, section 13.1.2.4; the page for print and a user's own words stay as they are."""
    for tag in ("td", "th", "tr"):
        assert f"</{tag}>" not in pages.html
        assert f"</{tag}>" in pages.print_html
    screen, printed = Outline(pages.html), Outline(pages.print_html)
    assert screen.unbalanced == printed.unbalanced == []
    assert len(screen.all_of("table")) == len(printed.all_of("table"))


def test_rows_that_share_a_head_say_it_once_on_screen(pages: Pages) -> None:
    spans = [
        int(attrs["rowspan"] or 0)
        for attrs in Outline(pages.html).all_of("th")
        if "rowspan" in attrs
    ]
    assert spans
    assert min(spans) >= 2
    assert not [1 for attrs in Outline(pages.print_html).all_of("th") if "rowspan" in attrs]


def test_same_bytes_in_another_process_elsewhere(pages: Pages, tmp_path: Path) -> None:
    code = (
        "import json, sys, dataclasses; from pathlib import Path; "
        "from reportgen.render.html import render_pages; "
        "pages = render_pages(json.loads(Path(sys.argv[1]).read_text('utf-8'))); "
        "Path(sys.argv[2]).write_text(json.dumps(dataclasses.asdict(pages)), 'utf-8')"
    )
    sample, target = Path(__file__).with_name("sample_results.json"), tmp_path / "pages.json"
    environment = {**os.environ, "TZ": "Pacific/Auckland", "PYTHONHASHSEED": "11", "LC_ALL": "C"}
    subprocess.run(
        [sys.executable, "-P", "-c", code, str(sample), str(target)],
        env=environment, cwd=tmp_path, check=True,
    )  # fmt: skip
    assert Pages(**json.loads(target.read_text("utf-8"))) == pages
