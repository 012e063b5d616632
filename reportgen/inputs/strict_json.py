"""JSON read strictly: bounded, without repeated keys and without the numbers JSON does not have."""

from __future__ import annotations

import json
import re
from typing import Any, NoReturn

from reportgen.inputs.pretenders import HEAD, is_wide, refuse_pretender
from reportgen.inputs.trouble import FileFaults

TOKEN = re.compile(r'"(?:[^"\\]|\\.)*+"|-?Infinity|NaN')


class _RefusedError(ValueError):
    """A mistake that the JSON library lets pass."""


def read_strict(content: bytes, *, most: int, mend: str, of: str) -> Any:
    """Return the plain data of a JSON document.

    Parameters
    ----------
    content : bytes
        UTF-8, at most `most` of them.
    most : int
        Bytes.
    mend : str
        What to do about a file that is none.
    of : str
        What the file holds, for the words: "a model".

    Raises
    ------
    FileFaults
        If it is not JSON, or plainly another thing; with line and column where they are known.
    """
    if len(content) > most:
        what = f"the file holds {len(content)} bytes; at most {most} are read"
        raise FileFaults.one("", what, f"export a smaller {of.split()[-1]}")
    refuse_pretender(content[:HEAD], "json")
    if is_wide(content):
        raise FileFaults.one("", "byte 1: the file is UTF-16, not UTF-8", "save it as UTF-8")
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        what = f"byte {error.start + 1} is not UTF-8: this is no JSON text"
        raise FileFaults.one("", what, "name the format that the file has") from None
    try:
        return json.loads(text, parse_constant=_no_constant, object_pairs_hook=_unique)
    except json.JSONDecodeError as error:
        ended = error.pos >= len(text.rstrip()) or error.msg.startswith("Unterminated string")
        problem = "the file ends in the middle" if ended else f"this is no JSON ({error.msg})"
        what = f"column {error.colno}: {problem}"
        raise FileFaults.one(f":{error.lineno}", what, mend) from None
    except RecursionError:
        raise FileFaults.one("", f"it is nested too deep for {of}", mend) from None
    except _NoNumberError as error:
        place, column = _place(text)
        what = f"{column}it holds {error}, which is no number of {of}"
        raise FileFaults.one(place, what, mend) from None
    except ValueError as error:  # ours, and numbers of thousands of digits
        raise FileFaults.one("", str(error), mend) from None


class _NoNumberError(ValueError):
    """NaN or an infinity, which the JSON library takes."""


def _no_constant(name: str) -> NoReturn:
    raise _NoNumberError(name)


def _place(text: str) -> tuple[str, str]:
    """Return line and column of the first NaN or infinity outside of quotes."""
    for token in TOKEN.finditer(text):
        if not token.group().startswith('"'):
            line = text.count("\n", 0, token.start()) + 1
            column = token.start() - text.rfind("\n", 0, token.start())
            return f":{line}", f"column {column}: "
    return "", ""


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    made = dict(pairs)
    if len(made) < len(pairs):
        names = [name for name, _ in pairs]
        twice = next(name for name in names if names.count(name) > 1)
        raise _RefusedError(f"the key {twice!r} stands twice in one mapping")
    return made
