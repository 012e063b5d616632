"""Digests, the one text form of results.json, and the date. The only reader of the clock."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Mapping
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any

from reportgen.errors import Fault, RequestError

UNDIGESTED = ("revision", "digest")
"""Keys of ``dossier`` that the digest leaves out: they are known only after it."""


def sha256_of(content: bytes) -> str:
    """Return the SHA-256 of `content` as 64 hexadecimal digits."""
    return hashlib.sha256(content).hexdigest()


def sha256_of_file(path: Path) -> str:
    """Return the SHA-256 of the bytes of a file as 64 hexadecimal digits."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def strict_json(data: Mapping[str, Any]) -> bytes:
    """Return plain data as strict JSON: UTF-8, one line a value, keys in the order they are in.

    Raises
    ------
    ValueError
        If a number is NaN or infinite, or a text is not Unicode.
    """
    text = json.dumps(data, ensure_ascii=False, allow_nan=False, indent=1)
    return (text + "\n").encode("utf-8")


def results_digest(data: Mapping[str, Any]) -> str:
    """Return the SHA-256 of results.json without ``dossier.revision`` and ``dossier.digest``.

    Taken over the text that :func:`strict_json` makes of the rest, so anyone can repeat it: load
    the file, delete the two keys, write it in the same form.
    """
    kept = {key: value for key, value in data["dossier"].items() if key not in UNDIGESTED}
    return sha256_of(strict_json({**data, "dossier": kept}))


def dossier_date(declared: date | str | None, environ: Mapping[str, str] = os.environ) -> str:
    """Return the date printed in the dossier, as YYYY-MM-DD.

    The manifest's own date, else the day of ``SOURCE_DATE_EPOCH`` (seconds since 1970, UTC), else
    today in UTC.

    Raises
    ------
    RequestError
        If ``SOURCE_DATE_EPOCH`` is set to something that is no such number.
    """
    if declared is not None:
        return str(declared)
    return moment(environ).date().isoformat()


def moment(environ: Mapping[str, str] = os.environ) -> datetime:
    """Return the time now in UTC, in whole seconds; ``SOURCE_DATE_EPOCH`` stands for the clock.

    Raises
    ------
    RequestError
        If ``SOURCE_DATE_EPOCH`` is set to something that is no number of seconds since 1970.
    """
    epoch = environ.get("SOURCE_DATE_EPOCH")
    if not epoch:
        return datetime.now(UTC).replace(microsecond=0)
    try:
        if not (epoch.isascii() and epoch.isdigit()):
            raise ValueError(epoch)
        return datetime.fromtimestamp(int(epoch), UTC)
    except (ValueError, OverflowError, OSError) as error:
        fault = Fault(
            "environment: SOURCE_DATE_EPOCH",
            f"{epoch!r} is no number of seconds since 1970",
            "write whole seconds, such as 1796083200, or unset it",
        )
        raise RequestError([fault]) from error
