"""Files written and read by a declaration."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from reportgen.errors import InputError, key_text
from reportgen.inputs import Inputs, TableSettings, read_inputs


@pytest.fixture
def read(tmp_path: Path) -> Callable[..., Inputs]:
    """Write a file and read it as the table "test"; other keywords are the table's keys."""

    def _read(content: str | bytes, /, *, name: str = "test.csv", **declared: Any) -> Inputs:
        raw = content.encode() if isinstance(content, str) else content
        (tmp_path / name).write_bytes(raw)
        table = TableSettings.model_validate({"path": name, **declared})
        return read_inputs(
            {"test": table}, folder=tmp_path, where=lambda key: f"m.yaml:1: {key_text(key)}"
        )

    return _read


@pytest.fixture
def faults(read: Callable[..., Inputs]) -> Callable[..., list[str]]:
    """Write a file that cannot be read and return its faults as printed.

    The manifest's place behind a column is left out; one test is of that alone.
    """

    def _faults(content: str | bytes, /, **declared: Any) -> list[str]:
        with pytest.raises(InputError) as caught:
            read(content, **declared)
        printed = [str(fault) for fault in caught.value.faults]
        assert all("m.yaml:1: " in line or " more fault" in line for line in printed)
        return [re.sub(r" \(m\.yaml:1: tables\.test\.[^)]*\)", "", line) for line in printed]

    return _faults
