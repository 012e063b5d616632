"""Models written and read by a declaration."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from reportgen.errors import InputError, key_text
from reportgen.inputs.beside import Finder
from reportgen.inputs.models import Doors, ModelSettings, ReadModel, read_model
from reportgen.inputs.settings import BinaryLabel

KEY = ("sections", 0, "model")


@pytest.fixture
def read(tmp_path: Path) -> Callable[..., ReadModel]:
    """Write a file and read it as a model; keywords are the keys beside the format."""

    def _read(
        kind: str,
        content: Any,
        /,
        *,
        name: str = "m.json",
        doors: Doors | None = None,
        label: dict[str, Any] | None = None,
        **keys: Any,
    ) -> ReadModel:
        raw = content if isinstance(content, bytes) else json.dumps(content).encode()
        (tmp_path / name).write_bytes(raw)
        settings = ModelSettings.model_validate({kind: name, **keys})
        finder = Finder(tmp_path, lambda key: f"m.yaml:1: {key_text(key)}", allow_outside=False)
        outcome = None if label is None else BinaryLabel.model_validate(label)
        return read_model(settings, key=KEY, finder=finder, doors=doors or Doors(), label=outcome)[
            0
        ]

    return _read


@pytest.fixture
def faults(read: Callable[..., ReadModel]) -> Callable[..., list[str]]:
    """Write a model that cannot be read and return its faults as printed."""

    def _faults(kind: str, content: Any, /, **keys: Any) -> list[str]:
        with pytest.raises(InputError) as caught:
            read(kind, content, **keys)
        printed = [str(fault) for fault in caught.value.faults]
        assert all("m.yaml:1: " in line or " more fault" in line for line in printed)
        return [re.sub(r" \(m\.yaml:1: [^)]*\)", "", line) for line in printed]

    return _faults
