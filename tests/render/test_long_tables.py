"""A table of any length: whole on the screen and in its CSV, cut where it is printed."""

from __future__ import annotations

from itertools import count

import pytest

from reportgen.language import use
from reportgen.render.placing import MOST_PRINTED, placed_tables
from reportgen.render.tables import csv_files
from reportgen.render.view import Column, TableView

COLUMNS = (Column("group", "Group"), Column("rows", "Rows", "count"))


def view(n: int, printed: int | None = None, note: str = "") -> TableView:
    rows = [{"group": f"g{at}", "rows": at} for at in range(n)]
    chosen = None if printed is None else rows[:printed]
    return TableView("long", "Groups.", COLUMNS, rows, chosen, csv="frame-groups.csv", note=note)


@pytest.mark.parametrize("n", [MOST_PRINTED + 1, 2000, 5000])
def test_a_long_table_is_cut_in_print_alone(n: int) -> None:
    long = view(n)
    table = placed_tables([long], "frame", count(1))["long"]
    assert len(table.written_rows) == n
    assert len(table.written_print_rows) == MOST_PRINTED
    assert table.note == f"Printed: the first {MOST_PRINTED} of {n} rows."
    section = {"id": "frame", "result": {"groups": list(long.rows)}}
    lines = csv_files(section)["frame-groups.csv"].splitlines()
    assert lines[0] == "group,rows"
    assert lines[1:] == [f"g{at},{at}" for at in range(n)]


def test_a_shorter_one_and_one_cut_by_its_section_stay() -> None:
    whole = placed_tables([view(MOST_PRINTED)], "frame", count(1))["long"]
    assert (len(whole.written_print_rows), whole.note) == (MOST_PRINTED, "")
    chosen = placed_tables([view(5000, printed=40, note="40 rows.")], "frame", count(1))["long"]
    assert (len(chosen.written_print_rows), chosen.note) == (40, "40 rows.")


def test_what_a_section_chose_is_cut_too_and_said_in_the_language() -> None:
    with use("zh"):
        table = placed_tables([view(5000, printed=900, note="A。")], "frame", count(1))["long"]
    assert len(table.written_print_rows) == MOST_PRINTED
    assert table.note.startswith("A。此处仅印出 900 行中的前 200 行")
