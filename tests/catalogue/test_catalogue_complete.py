"""Every case of the catalogue has its test, and none has two."""

from __future__ import annotations

import re
from pathlib import Path

NUMBERED = [f"D{number:02d}" for number in range(1, 143)]


def test_every_case_is_there() -> None:
    found = [
        number
        for path in Path(__file__).parent.glob("test_catalogue_*.py")
        for number in re.findall(r'^@case\("(D\d+)"\)$', path.read_text("utf-8"), re.MULTILINE)
    ]
    assert sorted(found, key=lambda number: int(number[1:])) == NUMBERED


def test_the_catalogue_has_no_other_cases(shared: Path) -> None:
    text = (shared / "cases" / "catalogue.md").read_text("utf-8")
    assert re.findall(r"^\| (D\d+) \|", text, re.MULTILINE) == NUMBERED
