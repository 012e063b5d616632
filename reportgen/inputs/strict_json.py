"""JSON read strictly: bounded, without repeated keys and without the numbers JSON does not have."""

from __future__ import annotations

import json
import re
from typing import Any, NoReturn

from reportgen.inputs.pretenders import HEAD, is_wide, refuse_pretender
from reportgen.inputs.trouble import FileFaults

STRING = r'"(?:[^"\\]|\\.)*+"'
NO_NUMBER = re.compile(rf"{STRING}|-?Infinity|NaN")
MOST_DIGITS = 1000
LONG_NUMBER = re.compile(rf"{STRING}|-?\d{{{MOST_DIGITS + 1},}}(?![\d.eE])")
NESTING = re.compile(rf"{STRING}|[{{}}\[\]]")
KEY = re.compile(rf"{STRING}\s*:")


class _TwiceError(ValueError):
    """A key that stands twice in one mapping, which the JSON library lets pass."""


class _LongNumberError(ValueError):
    """A whole number of more digits than any figure has."""


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
    if not text.strip():
        raise FileFaults.one("", "the file is empty", mend)
    try:
        return json.loads(
            text, parse_constant=_no_constant, parse_int=_whole, object_pairs_hook=_unique
        )
    except json.JSONDecodeError as error:
        ended = error.pos >= len(text.rstrip()) or error.msg.startswith("Unterminated string")
        problem = "the file ends in the middle" if ended else f"this is no JSON ({error.msg})"
        what = f"column {error.colno}: {problem}"
        raise FileFaults.one(f":{error.lineno}", what, mend) from None
    except RecursionError:
        raise FileFaults.one("", f"it is nested too deep for {of}", mend) from None
    except _NoNumberError as error:
        place, column = _place(text, NO_NUMBER)
        what = f"{column}it holds {error}, which is no number of {of}"
        raise FileFaults.one(place, what, mend) from None
    except _LongNumberError as error:
        place, column = _place(text, LONG_NUMBER)
        what = f"{column}it holds a number of {error} digits; at most {MOST_DIGITS} are read"
        raise FileFaults.one(place, what, mend) from None
    except _TwiceError:
        place, key = _twice(text)
        what = f"the key {key!r} stands twice in one mapping"
        raise FileFaults.one(place, what, mend) from None


class _NoNumberError(ValueError):
    """NaN or an infinity, which the JSON library takes."""


def _no_constant(name: str) -> NoReturn:
    raise _NoNumberError(name)


def _whole(digits: str) -> int:
    if len(digits) > MOST_DIGITS:
        raise _LongNumberError(len(digits.lstrip("-")))
    return int(digits)


def _place(text: str, sought: re.Pattern[str]) -> tuple[str, str]:
    """Return line and column of the first token that is sought outside of quotes."""
    for token in sought.finditer(text):
        if not token.group().startswith('"'):
            column = token.start() - text.rfind("\n", 0, token.start())
            return _line(text, token.start()), f"column {column}: "
    return "", ""


def _line(text: str, at: int) -> str:
    return f":{text.count(chr(10), 0, at) + 1}"


def _twice(text: str) -> tuple[str, str]:
    """Return the line of the first key that its mapping has already, and that key."""
    open_ones: list[set[str]] = [set()]
    for token in NESTING.finditer(text):
        mark = token.group()
        if mark in "{[":
            open_ones.append(set())
        elif mark in "}]":
            open_ones.pop()
        elif KEY.match(text, token.start()):
            key = str(json.loads(mark, strict=False))
            if key in open_ones[-1]:
                return _line(text, token.start()), key
            open_ones[-1].add(key)
    return "", ""


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    made = dict(pairs)
    if len(made) < len(pairs):
        raise _TwiceError
    return made
