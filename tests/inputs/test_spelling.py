"""Spellings that may be one value, and names that are no slips of each other: catalogue D26."""

from __future__ import annotations

import time
import unicodedata

import pytest

from reportgen.inputs.spelling import variants

DECOMPOSED = unicodedata.normalize("NFD", "Müller")


@pytest.mark.parametrize(
    "values",
    [
        ["Female", " female", "FEMALE", "Femal"],
        ["Female", "Famale"],
        ["Female", "Femlae"],
        ["Female", "Femalee"],
        ["White", "Whte"],
        ["MÜLLER", DECOMPOSED],
        ["Straße", "STRASSE"],
        ["site-1", "site 1", "Site1", "site_1"],
        ["male", "male."],
        ["male", "male\u200b"],
        ["n/a", "NA"],
        ["North Ward", "north-ward", "North Wadr"][:2],
    ],
)
def test_spellings_of_one(values: list[str]) -> None:
    assert variants(["other", *values, "elsewhere"]) == [tuple(sorted(values))]


@pytest.mark.parametrize(
    "values",
    [
        ["male", "female"],
        ["males", "male"],
        ["typical", "atypical"],
        ["left", "right"],
        ["mild", "mold"],
        ["HER2+", "HER2-", "HER2"],
        ["<65", ">65", "65", "≥65"],
        ["-1", "1"],
        ["1.5", "15"],
        ["site 1-12", "site 11-2"],
        ["site 12", "site 122"],
        ["stage XVIII", "stage XXIII", "stage XXVIII"],
        ["GroupA", "GroupB"],
        ["siteax", "sitebx", "sitecx"],
        ["左上肺叶病变", "左下肺叶病变"],
        ["?", "-", "*"],
        ["1", "1.0", "01"],
    ],
)
def test_names_that_are_no_slips(values: list[str]) -> None:
    assert variants(values) == []


def test_two_thousand_names_take_no_time() -> None:
    letters = "abcdefghijklmnopqrst"
    names = [f"{a}{b}{c}rd of {c}{b}{a}stopol" for a in letters for b in letters for c in "vwxyz"]
    start = time.process_time()
    variants(names)
    assert time.process_time() - start < 5
