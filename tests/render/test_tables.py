"""CSV files: text made harmless, numbers left numbers, every row and column there."""

from __future__ import annotations

import csv
import io
from typing import Any

import pytest

from reportgen.render.html import Pages
from reportgen.render.tables import csv_files, csv_text, file_name, harmless


def read(text: str) -> list[list[str]]:
    return list(csv.reader(io.StringIO(text, newline="")))


@pytest.mark.parametrize("text", ["=1+1", "@x", "-2+3", "+1", "\tx", "\rx", "\nx", "\uff1d1"])
def test_formula_is_made_harmless(text: str) -> None:
    assert harmless(text) == f"'{text}"


@pytest.mark.parametrize("text", ["", "a", "a=1", "1", "<script>", "{{ 7*7 }}", "−2"])
def test_other_text_stays_as_it_is(text: str) -> None:
    assert harmless(text) == text


def test_numbers_stay_numbers() -> None:
    rows = [{"name": "-0.5", "value": -0.5, "count": -3, "flag": True, "none": None}]
    assert csv_text(rows) == "name,value,count,flag,none\n'-0.5,-0.5,-3,true,\n"


def test_quotes_line_ends_and_letters_survive() -> None:
    rows = [{"a": 'say "x", twice', "b": "two\nlines", "c": "größer ≥ 框"}]
    assert read(csv_text(rows))[1] == ['say "x", twice', "two\nlines", "größer ≥ 框"]
    assert "\r" not in csv_text(rows)


def test_estimate_becomes_three_columns_and_a_reason_where_needed() -> None:
    given = {"estimate": 0.5, "low": 0.4, "high": 0.6, "confidence": 0.95, "method": "Wilson score"}
    missing = {"estimate": None, "reason": "no positives"}
    assert csv_text([{"x": given, "y": 1}]) == "x,x_low,x_high,y\n0.5,0.4,0.6,1\n"
    assert csv_text([{"x": given, "y": 1}, {"x": missing, "y": 2}]) == (
        "x,x_low,x_high,x_reason,y\n0.5,0.4,0.6,,1\n,,,no positives,2\n"
    )


def test_formula_in_a_heading_is_made_harmless() -> None:
    assert csv_text([{"=a": 1}]).startswith("'=a\n")


def test_every_list_of_rows_becomes_a_file(results: dict[str, Any]) -> None:
    section = results["sections"][0]
    lists = {key for key, value in section["result"].items() if value and isinstance(value, list)}
    tables = {key for key in lists if isinstance(section["result"][key][0], dict)}
    assert set(csv_files(section)) == {file_name("dca", key) for key in tables}
    assert "dca-self-check.csv" in csv_files(section)


def test_every_row_is_there(results: dict[str, Any], pages: Pages) -> None:
    rows = read(pages.tables["dca-curve.csv"])
    curve = results["sections"][0]["result"]["curve"]
    assert len(rows) == 1 + len(curve)
    assert all(len(row) == len(rows[0]) for row in rows)
    at = rows[0].index("net_benefit")
    assert [float(row[at]) for row in rows[1:]] == [row["net_benefit"]["estimate"] for row in curve]


def test_nested_parts_of_a_result_are_reached() -> None:
    section = {"id": "i", "result": {"leakage": {"status": "found", "rows": [{"by": "unit"}]}}}
    assert csv_files(section) == {"i-leakage-rows.csv": "by\nunit\n"}


def test_a_field_called_reason_is_one_column() -> None:
    """`x_reason` may be a field of its own beside a field `x`."""
    rows = [{"x": None, "x_safe": 1, "x_reason": "none is safe"}]
    assert csv_text(rows) == "x,x_reason,x_safe\n,none is safe,1\n"
