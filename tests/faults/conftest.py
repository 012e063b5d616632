"""A folder to build in."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.faults import MANIFEST


@pytest.fixture
def work(tmp_path: Path) -> Path:
    """Return a folder that holds a manifest alone."""
    (tmp_path / "m.yaml").write_text(MANIFEST)
    return tmp_path
