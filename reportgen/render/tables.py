"""Every table of a section's result as a CSV file: all rows, all columns, figures at full length.

RFC 4180 with line feeds as line ends, UTF-8. An estimate ``x`` becomes ``x``, ``x_low``, ``x_high``
and, where one is missing, ``x_reason``. Text that a spreadsheet would run as a formula is made
harmless; numbers stay numbers.
"""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from reportgen.render.view import Plain

# A spreadsheet takes text that begins so for a formula; the last four are the full-width forms.
_FORMULA_STARTS = ("=", "+", "-", "@", "\t", "\r", "\n", "\uff1d", "\uff0b", "\uff0d", "\uff20")


def file_name(section: str, *keys: str) -> str:
    """Return the name under ``tables/`` of a table: ``dca-curve.csv``."""
    return "-".join((section, *keys)).replace("_", "-") + ".csv"


def csv_files(section: Plain) -> dict[str, str]:
    """Return file name to CSV text for every list of rows in a section's result.

    Parameters
    ----------
    section : mapping
        A section of results.json: ``id`` and ``result``.
    """
    return {
        file_name(section["id"], *keys): csv_text(rows)
        for keys, rows in _lists_of_rows(section["result"])
    }


def _lists_of_rows(
    result: Plain, keys: tuple[str, ...] = ()
) -> Iterator[tuple[tuple[str, ...], Sequence[Plain]]]:
    for key, value in result.items():
        if isinstance(value, Mapping):
            yield from _lists_of_rows(value, (*keys, key))
        elif isinstance(value, list) and value and all(isinstance(row, Mapping) for row in value):
            yield (*keys, key), value


def csv_text(rows: Sequence[Plain]) -> str:
    """Return `rows` as CSV; columns in the order in which they first appear."""
    flat = [dict(_flat(row)) for row in rows]
    present = {name for row in flat for name in row}
    keys = dict.fromkeys(key for row in rows for key in row)
    # A field may itself be called x_reason beside a field x: one column, not two.
    header = list(dict.fromkeys(name for key in keys for name in _names(key) if name in present))
    target = io.StringIO()
    writer = csv.writer(target, lineterminator="\n")
    writer.writerow(map(harmless, header))
    writer.writerows([_cell(row.get(name)) for name in header] for row in flat)
    return target.getvalue()


def _names(key: str) -> tuple[str, ...]:
    return key, f"{key}_low", f"{key}_high", f"{key}_reason"


def _flat(row: Plain) -> Iterator[tuple[str, Any]]:
    for key, value in row.items():
        if not isinstance(value, Mapping):
            yield key, value
        elif "estimate" in value:
            parts = ("estimate", "low", "high", "reason")
            yield from (
                (name, value.get(part))
                for name, part in zip(_names(key), parts, strict=True)
                if part != "reason" or value.get(part)
            )
        else:
            yield key, json.dumps(value, ensure_ascii=False)


def _cell(value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int | float):
        return repr(value)
    if isinstance(value, list):
        return harmless("; ".join(map(str, value)))
    return harmless(str(value))


def harmless(text: str) -> str:
    """Return `text`, with an apostrophe before it if a spreadsheet would run it."""
    return "'" + text if text.startswith(_FORMULA_STARTS) else text
