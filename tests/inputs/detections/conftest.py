"""Files of boxes written and read by a declaration."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from reportgen.errors import InputError, key_text
from reportgen.inputs.beside import Finder
from reportgen.inputs.detections import DetectionSet, DetectionsSettings
from reportgen.inputs.detections.reading import read_detections
from reportgen.inputs.table import InputRecord

Made = tuple[DetectionSet, list[InputRecord]]


@pytest.fixture
def read(tmp_path: Path) -> Callable[..., Made]:
    """Write files, by name, and read the declaration; what is no text is written as JSON."""

    def _read(files: dict[str, Any], /, **declared: Any) -> Made:
        for name, content in files.items():
            raw = content if isinstance(content, str | bytes) else json.dumps(content)
            data = raw.encode() if isinstance(raw, str) else raw
            (tmp_path / name).write_bytes(data)
        settings = DetectionsSettings.model_validate(declared)
        finder = Finder(tmp_path, lambda key: f"m.yaml:1: {key_text(key)}", False)
        return read_detections("b", settings, finder)

    return _read


@pytest.fixture
def coco(read: Callable[..., Made]) -> Callable[..., DetectionSet]:
    """Read COCO ground truth and, if given, COCO results."""

    def _coco(truth: Any, results: Any = None, /, **declared: Any) -> DetectionSet:
        files = {"gt.json": truth} | ({} if results is None else {"det.json": results})
        named = {} if results is None else {"predictions": "det.json"}
        return read(files, **{"ground_truth": "gt.json", **named, **declared})[0]

    return _coco


@pytest.fixture
def faults(read: Callable[..., Made]) -> Callable[..., list[str]]:
    """Return the faults of files that cannot be read, as printed but for the manifest's place."""

    def _faults(files: dict[str, Any], /, **declared: Any) -> list[str]:
        with pytest.raises(InputError) as caught:
            read(files, **declared)
        assert all(fault.key is not None for fault in caught.value.faults)
        printed = [str(fault) for fault in caught.value.faults]
        assert all("m.yaml:1: " in line or " more fault" in line for line in printed)
        return [re.sub(r" \(m\.yaml:1: [^)]*\)", "", line) for line in printed]

    return _faults
