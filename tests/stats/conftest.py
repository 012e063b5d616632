"""What tests of several statistics use."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest


@pytest.fixture(scope="session")
def published_tests(shared: Path) -> dict[str, Any]:
    """Return published figures of diagnostic tests and prevalences, with their sources."""
    text = (shared / "data/dca/prevalence_reference.json").read_text(encoding="utf-8")
    data: dict[str, Any] = json.loads(text)
    return data
