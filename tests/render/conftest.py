"""A dossier's results, hand-made, and the pages rendered from them once."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from reportgen.render.html import Pages, render_pages
from tests.support.pdf_files import unfinished

DIGEST = "3f1c9b0e6f0d4b1c"
"""Identifier of the sample's PDF."""
SAMPLE = Path(__file__).with_name("sample_results.json")


def read_sample() -> dict[str, Any]:
    results: dict[str, Any] = json.loads(SAMPLE.read_text("utf-8"))
    return results


@pytest.fixture
def results() -> dict[str, Any]:
    """Results of an invented model of 200 invented patients; may be changed by the test."""
    return read_sample()


@pytest.fixture(scope="session")
def pages() -> Pages:
    """The pages of the sample results."""
    return render_pages(read_sample())


@pytest.fixture(scope="session")
def raw(pages: Pages) -> bytes:
    """The PDF of the sample's pages as WeasyPrint alone writes it: laid out once for all tests."""
    return unfinished(pages.print_html, DIGEST)
