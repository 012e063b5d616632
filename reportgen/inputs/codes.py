"""Codes of outcomes and groups: one declared normalisation for the manifest and for the cells."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable

from reportgen.inputs.settings import Scalar

WHOLE = re.compile(r"([+-]?)(0|[1-9]\d*)(?:\.(\d*))?", re.ASCII)


def canonical(value: Scalar) -> str:
    """Return the form in which codes are compared.

    Blanks around it do not count; ``1``, ``"1"``, ``1.0``, ``"1.0"`` and ``"+1"`` are one code,
    so are ``true``, ``TRUE`` and ``"True"``; all other text is taken as it is. Numbers and truth
    values stay apart: ``1`` is not ``true``.
    """
    text = scalar_text(value).strip()
    if text.casefold() in ("true", "false"):
        return text.casefold()
    match = WHOLE.fullmatch(text)
    if match is None:
        return text
    sign, digits, decimals = match.group(1), match.group(2), (match.group(3) or "").rstrip("0")
    number = f"{digits}.{decimals}" if decimals else digits
    return f"-{number}" if sign == "-" and number != "0" else number


def say_missing(missing: Iterable[str], cell: str) -> str:
    """Return how a manifest declares one cell more to be missing: ``missing: ["", "9"]``."""
    return f"missing: {json.dumps([*dict.fromkeys([*missing, cell])], ensure_ascii=False)}"


def scalar_text(value: Scalar) -> str:
    """Return a value of the manifest as the text a file would hold: ``true``, ``1``, ``0.5``."""
    if isinstance(value, bool):
        return "true" if value else "false"
    return repr(value) if isinstance(value, float) else str(value)
