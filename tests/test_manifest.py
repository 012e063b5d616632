"""What a manifest may say, and where it says it."""

from __future__ import annotations

from typing import Any

import pytest
from pydantic import ValidationError

from reportgen.errors import Key
from reportgen.manifest import ManifestSettings, place
from reportgen.sections import SECTIONS

PUBLISHED: dict[str, Any] = {
    "kind": "prevalence",
    "sensitivity": {"k": 8, "n": 10},
    "specificity": {"k": 9, "n": 10},
    "prevalences": [0.1],
}


def settings(**changes: Any) -> ManifestSettings:
    plain = {
        "reportgen": 1,
        "dossier": {"title": "Audit"},
        "model": {"name": "m", "version": "1"},
        "sections": [PUBLISHED],
    }
    return ManifestSettings.model_validate(plain | changes)


@pytest.mark.parametrize("name", ["<script>alert(1)</script>", "{{ 7*7 }}", "../x", "模型", "a/b"])
def test_names_may_be_any_line_of_text(name: str) -> None:
    assert settings(model={"name": name, "version": "1"}).model.name == name


@pytest.mark.parametrize("name", ["", "  ", "a\nb", "a\x00", "a\x1b[0m", "x" * 101, "a\u2028b"])
def test_names_that_cannot_be(name: str) -> None:
    with pytest.raises(ValidationError):
        settings(model={"name": name, "version": "1"})


@pytest.mark.parametrize("date", ["2026-02-30", "2026-1-1", "20260101", "1.1.2026", ""])
def test_dates_that_are_none(date: str) -> None:
    with pytest.raises(ValidationError, match="is not a date of the calendar"):
        settings(dossier={"title": "a", "date": date})


def test_a_leap_day_is_a_date() -> None:
    assert settings(dossier={"title": "a", "date": "2028-02-29"}).dossier.date == "2028-02-29"


def test_english_and_chinese_are_written() -> None:
    assert settings(dossier={"title": "a"}).dossier.language == "en"
    assert settings(dossier={"title": "a", "language": "zh"}).dossier.language == "zh"
    with pytest.raises(ValidationError, match="'tlh' is not known; this version writes en and zh"):
        settings(dossier={"title": "a", "language": "tlh"})


def test_sections_become_settings_of_their_kind() -> None:
    dca = {"kind": "dca", "id": "b", "table": "t", "thresholds": {"from": 0.1, "to": 0.2}}
    made = settings(sections=[PUBLISHED, dca]).sections
    assert [type(section).__name__ for section in made] == ["PrevalenceSettings", "DcaSettings"]
    assert [section.name for section in made] == ["prevalence", "b"]


def test_schema_lists_every_kind() -> None:
    schema = ManifestSettings.model_json_schema()
    mapping = schema["properties"]["sections"]["items"]["discriminator"]["mapping"]
    assert sorted(mapping) == sorted(section.kind for section in SECTIONS)


def test_place_of_keys() -> None:
    lines: dict[Key, int] = {(): 1, ("a",): 3, ("a", 0): 4, ("a", 0, "b"): 5}
    overridden: dict[Key, str] = {("a", 1): "a[1]"}

    def where(*key: str | int) -> str:
        return place(key, file="m.yaml", lines=lines, overridden=overridden)

    assert where("a", 0, "b") == "m.yaml:5: a[0].b"
    assert where("a", 0, "c", "d") == "m.yaml:4: a[0].c.d"
    assert where("a", 1) == "--set a[1]"
    assert where("a", 1, "b") == "--set a[1]: b"
    assert where("z") == "m.yaml:1: z"
    assert where() == "m.yaml:1"
