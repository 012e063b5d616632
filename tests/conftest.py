"""What every test may use."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

os.environ.setdefault("OMP_NUM_THREADS", "1")
os.environ.setdefault("REPORTGEN_CACHE", "off")  # tests leave the user's cache of images alone


@pytest.fixture(scope="session")
def shared() -> Path:
    """Return the folder of reference data beside the checkout; skip, saying so, without it."""
    named = os.environ.get("REPORTGEN_SHARED")
    folder = Path(named) if named else Path(__file__).resolve().parents[1].parent / "shared"
    if not (folder / "data").is_dir():
        pytest.skip("the reference data (../shared) is not beside this checkout")
    return folder


@pytest.fixture(scope="session")
def simulation_share() -> float:
    """Return the share of a simulation's full size to run: REPORTGEN_SIM, 0 < share <= 1."""
    return float(os.environ.get("REPORTGEN_SIM", "1"))
