"""The bench of the catalogue's cases."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.catalogue import Bench

BLANK = '<svg xmlns="http://www.w3.org/2000/svg" id="{}" viewBox="0 0 1 1"/>'


@pytest.fixture
def bench(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Bench:
    """Return an empty folder with the command line, which works in it."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("SOURCE_DATE_EPOCH", raising=False)
    # Cutting the fonts takes seconds a page, and no case looks at a letter's form; charts are drawn
    # for the cases that look at them.
    monkeypatch.setattr("reportgen.render.html.embedded_faces", lambda *_, **__: "")
    monkeypatch.setattr("reportgen.render.placing.draw", lambda *_, key, **__: BLANK.format(key))
    return Bench(tmp_path, monkeypatch)
