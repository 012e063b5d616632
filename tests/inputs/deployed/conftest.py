"""Files of a deployed application written and read by a declaration."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from reportgen.errors import InputError, key_text
from reportgen.inputs.beside import Finder
from reportgen.inputs.deployed import ClassMapSettings, PipelineSettings
from reportgen.inputs.deployed.reading import read_class_map, read_pipeline

Read = Callable[..., Any]


@pytest.fixture
def read(tmp_path: Path) -> Read:
    """Write files, by name, and read a class map (`columns` given) or a pipeline."""

    def _read(files: dict[str, str | bytes], /, **declared: Any) -> Any:
        for name, content in files.items():
            raw = content.encode() if isinstance(content, str) else content
            (tmp_path / name).write_bytes(raw)
        finder = Finder(tmp_path, lambda key: f"m.yaml:1: {key_text(key)}", False)
        if "columns" in declared:
            return read_class_map("app", ClassMapSettings.model_validate(declared), finder)
        return read_pipeline("app", PipelineSettings.model_validate(declared), finder)

    return _read


@pytest.fixture
def faults(read: Read) -> Callable[..., list[str]]:
    """Return the faults of files that cannot be read, as printed but for the manifest's place."""

    def _faults(files: dict[str, str | bytes], /, **declared: Any) -> list[str]:
        with pytest.raises(InputError) as caught:
            read(files, **declared)
        printed = [str(fault) for fault in caught.value.faults]
        assert all("m.yaml:1: " in line or " more fault" in line for line in printed)
        return [re.sub(r" \(m\.yaml:1: [^)]*\)", "", line) for line in printed]

    return _faults
