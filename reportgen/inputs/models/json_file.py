"""A model as JSON, read strictly."""

from __future__ import annotations

from typing import Any

from reportgen.inputs.strict_json import read_strict

MOST_BYTES = 256 * 1024 * 1024
EXPORT_ANEW = "write it with reportgen export-model, or copy it anew"


def read_json(content: bytes) -> Any:
    """Return the plain data of a JSON document of at most 256 MiB.

    Raises
    ------
    FileFaults
        If it is not JSON; with the line.
    """
    return read_strict(content, most=MOST_BYTES, mend=EXPORT_ANEW, of="a model")
