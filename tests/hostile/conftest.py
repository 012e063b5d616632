"""What runs the hostile requests."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.support.bounded import Server


@pytest.fixture(scope="session")
def server() -> Iterator[Server]:
    """Return what runs the command line with bounds."""
    started = Server()
    yield started
    started.close()
