"""Pages without what takes long to make, for tests that do not look at it."""

from __future__ import annotations

import pytest

BLANK = '<svg xmlns="http://www.w3.org/2000/svg" id="{}" viewBox="0 0 1 1"/>'


def without_fonts(patch: pytest.MonkeyPatch) -> None:
    """Leave the fonts out: cutting them takes seconds a page."""
    patch.setattr("reportgen.render.html.embedded_faces", lambda *_, **__: "")


def without_charts(patch: pytest.MonkeyPatch) -> None:
    """Draw nothing where a chart would be: each takes a third of a second."""
    patch.setattr("reportgen.render.placing.draw", lambda *_, key, **__: BLANK.format(key))
