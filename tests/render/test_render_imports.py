"""Rendering stored results loads no statistics and no data frames: they cost a second or more."""

from __future__ import annotations

import subprocess
import sys

import pytest

from reportgen.comparison import direction
from reportgen.sections.dca.result import BETTER_DEFAULT

HEAVY = ("pandas", "scipy", "sklearn", "statsmodels", "reportgen.sections", "reportgen.stats")


@pytest.mark.parametrize("module", ["reportgen.render.html", "reportgen.render.pdf"])
def test_nothing_heavy_is_loaded(module: str) -> None:
    code = f"import sys, {module}; print([one for one in {HEAVY!r} if one in sys.modules])"
    words = [sys.executable, "-P", "-c", code]
    assert subprocess.run(words, capture_output=True, text=True, check=True).stdout == "[]\n"


def test_the_words_that_are_not_imported_for_that_are_the_section_s() -> None:
    assert direction.BETTER_DEFAULT == BETTER_DEFAULT
