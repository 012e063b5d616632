"""The small dossier that tests damage."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support import verifying as support


@pytest.fixture(scope="module")
def record(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    with support.quick():
        yield support.built(tmp_path_factory.mktemp("record"), format="html")
