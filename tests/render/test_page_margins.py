"""Groups without number and names without end keep every page of the PDF inside its margins."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pikepdf

from reportgen.render.html import render_pages
from reportgen.render.pdf import write_pdf
from tests.support import frame_pages, integrity_pages
from tests.support.pdf_files import margins, text_sizes, tool

# The page box's own margins (styles/page.css), less what glyphs may reach over their boxes.
LEFT, RIGHT, TOP, BOTTOM = 19.05, 17.5, 9.525, 9.525
UNBROKEN = "x" * 300
SPACED = ("a very long name of a group " * 11)[:300]


def written(results: dict[str, Any], pictures: dict[str, bytes], folder: Path) -> Path:
    pages = render_pages(results, pictures)
    path = folder / "dossier.pdf"
    write_pdf(pages.print_html, path, identifier="a" * 64, date="2026-11-30")
    return path


def assert_inside(file: Path) -> None:
    """Every word of every page as poppler finds it, on portrait and on landscape pages."""
    least = margins(file)
    assert least["left"] >= LEFT
    assert least["right"] >= RIGHT
    assert least["top"] >= TOP
    assert least["bottom"] >= BOTTOM


def text_of(file: Path) -> str:
    return re.sub(r"\s", "", tool("pdftotext", str(file), "-"))


def test_frame_with_400_groups_and_names_of_300_letters(tmp_path: Path) -> None:
    """One name is a single word without a place to break it, one has many."""
    names = {"site 7": UNBROKEN, "site 8": SPACED}
    section = json.dumps(frame_pages.many_sites(400))
    for short, name in names.items():
        assert len(name) == 300
        assert json.dumps(short) in section
        section = section.replace(json.dumps(short), json.dumps(name))
    file = written(frame_pages.frame_results(json.loads(section)), {}, tmp_path)
    assert_inside(file)
    for name in names.values():
        assert re.sub(r"\s", "", name)[:30] in text_of(file)
    assert min(text_sizes(file))[0] >= 8.995
    with pikepdf.open(file) as pdf:
        assert len(pdf.pages) < 40


def test_integrity_with_class_names_of_300_letters(tmp_path: Path) -> None:
    outcome = integrity_pages.outcome(hostile=True)
    results = json.loads(json.dumps(integrity_pages.results(outcome)))
    file = written(results, dict(outcome.pictures), tmp_path)
    assert len(integrity_pages.LONG) == 300
    assert integrity_pages.LONG[:30] in text_of(file)
    assert_inside(file)
