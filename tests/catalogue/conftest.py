"""The bench of the catalogue's cases."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.bare_pages import without_charts, without_fonts
from tests.support.catalogue import Bench


@pytest.fixture
def bench(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Bench:
    """Return an empty folder with the command line, which works in it."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("SOURCE_DATE_EPOCH", raising=False)
    # No case looks at a letter's form; charts are drawn for the cases that look at them.
    without_fonts(monkeypatch)
    without_charts(monkeypatch)
    return Bench(tmp_path, monkeypatch)
