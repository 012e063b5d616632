"""JSON read strictly: bounded, without repeated keys and without the numbers JSON does not have."""

from __future__ import annotations

import json
from typing import Any, NoReturn

from reportgen.inputs.trouble import FileFaults

MOST_BYTES = 256 * 1024 * 1024
EXPORT_ANEW = "write it with reportgen export-model, or copy it anew"


class _RefusedError(ValueError):
    """A mistake that the JSON library lets pass."""


def read_json(content: bytes) -> Any:
    """Return the plain data of a JSON document.

    Parameters
    ----------
    content : bytes
        UTF-8, at most 256 MiB.

    Raises
    ------
    FileFaults
        If it is not JSON; with the line.
    """
    if len(content) > MOST_BYTES:
        what = f"the file holds {len(content)} bytes; at most {MOST_BYTES} are read"
        raise FileFaults.one("", what, "export a smaller model")
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        what = f"byte {error.start + 1} is not UTF-8: this is no JSON text"
        raise FileFaults.one("", what, "name the format that the file has") from None
    try:
        return json.loads(text, parse_constant=_no_constant, object_pairs_hook=_unique)
    except json.JSONDecodeError as error:
        where = f":{error.lineno}"
        ended = error.pos >= len(text.rstrip()) or error.msg.startswith("Unterminated string")
        problem = "the file ends in the middle" if ended else f"this is no JSON ({error.msg})"
        what = f"column {error.colno}: {problem}"
        raise FileFaults.one(where, what, EXPORT_ANEW) from None
    except RecursionError:
        raise FileFaults.one("", "it is nested too deep for a model", EXPORT_ANEW) from None
    except ValueError as error:  # ours, and numbers of thousands of digits
        raise FileFaults.one("", str(error), EXPORT_ANEW) from None


def _no_constant(name: str) -> NoReturn:
    raise _RefusedError(f"it holds {name}, which is no number of a model")


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    made = dict(pairs)
    if len(made) < len(pairs):
        names = [name for name, _ in pairs]
        twice = next(name for name in names if names.count(name) > 1)
        raise _RefusedError(f"the key {twice!r} stands twice in one mapping")
    return made
