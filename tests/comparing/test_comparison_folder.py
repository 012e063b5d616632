"""Names of the folders of comparisons, and that what stands in one is never touched."""

from __future__ import annotations

import copy
from pathlib import Path
from typing import Any

import pytest

from reportgen.comparison_folder import name_of, write_comparison
from reportgen.errors import RequestError
from tests.support.bare_pages import without_fonts
from tests.support.comparison import sample_comparison

DOSSIER = {"language": "en", "paper": "A4"}


@pytest.fixture
def data(monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    without_fonts(monkeypatch)
    return {**sample_comparison(), "new": {**sample_comparison()["new"], "revision": 3}}


def of(data: dict[str, Any], side: str, name: str, version: str) -> dict[str, Any]:
    changed = copy.deepcopy(data)
    changed[side]["model"] = {"name": name, "version": version}
    return changed


def test_a_name_says_what_is_compared(data: dict[str, Any]) -> None:
    assert name_of(data) == "diabetes-progression-2.1.0-r1-to-2.2.0-r3"
    other = of(data, "new", "triage", "1.0")
    assert name_of(other) == "diabetes-progression-2.1.0-r1-to-triage-1.0-r3"


@pytest.mark.parametrize("name", ["../../etc", "a/b", "con", "模型", "x" * 200, "\x07"])
def test_a_name_is_one_safe_part_of_a_path(data: dict[str, Any], name: str) -> None:
    made = name_of(of(of(data, "old", name, "1"), "new", name, "2"))
    assert Path(made).name == made
    assert made not in (".", "..")
    assert len(made.encode()) <= 255


def test_what_stands_there_is_kept(data: dict[str, Any], tmp_path: Path) -> None:
    first = write_comparison(data, tmp_path, dossier=DOSSIER, format="html")
    assert not first.unchanged
    assert write_comparison(data, tmp_path, dossier=DOSSIER, format="html") == (
        first.folder,
        True,
        (),
    )
    page = first.folder / "comparison.html"
    page.write_bytes(page.read_bytes() + b" ")
    before = page.read_bytes()
    second = write_comparison(data, tmp_path, dossier=DOSSIER, format="html")
    assert second.folder.name == f"{first.folder.name}-2"  # a damaged one is not the same
    assert page.read_bytes() == before
    assert {path.name for path in tmp_path.iterdir()} == {first.folder.name, second.folder.name}


def test_two_folders_of_one_comparison_are_the_same_bytes(
    data: dict[str, Any], tmp_path: Path
) -> None:
    one, two = (
        write_comparison(data, tmp_path / name, dossier=DOSSIER, format="html").folder
        for name in "ab"
    )
    files = sorted(path.relative_to(one) for path in one.rglob("*") if path.is_file())
    assert files == sorted(path.relative_to(two) for path in two.rglob("*") if path.is_file())
    assert all((one / name).read_bytes() == (two / name).read_bytes() for name in files)


def test_a_place_that_is_a_file_is_a_fault(data: dict[str, Any], tmp_path: Path) -> None:
    (tmp_path / "out").write_text("")
    with pytest.raises(RequestError):
        write_comparison(data, tmp_path / "out", dossier=DOSSIER, format="html")
