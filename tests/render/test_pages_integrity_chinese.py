"""Pages of an integrity audit in Chinese: no English sentence, every code of results in words."""

from __future__ import annotations

import re
from typing import Any

import pytest

from reportgen.language import _, use
from reportgen.render.html import render_pages
from reportgen.render.pages import integrity, integrity_records, integrity_words
from reportgen.render.pages.integrity_evaluation_tables import COUNTED as EVALUATED
from reportgen.render.pages.integrity_label_tables import ORIENTATIONS
from reportgen.render.pages.integrity_partition_figures import NAMES, TITLES
from reportgen.render.pages.integrity_use_figures import COUNTED, SHOWN_FROM
from reportgen.render.pages.integrity_use_tables import ALL_GATES, STEPS, WRONG
from tests.support import integrity_pages as sample
from tests.support.bare_pages import without_fonts
from tests.support.chinese import english, part

HAN = re.compile("[\u4e00-\u9fff]")
SHORT = re.compile(r"(mAP|AP|F1|COCO|VOC|IoU|Ultralytics)")
"""What has no other name in Chinese."""
CODES = [
    *integrity_words.MEASURES.values(),
    *integrity_words.AXES.values(),
    *integrity_words.SYMMETRIES.values(),
    *integrity_words.BY.values(),
    *integrity_words.CONVENTIONS.values(),
    *integrity_words.SHORT_CONVENTIONS.values(),
    *integrity_words.METRICS.values(),
    *integrity_words.OF_CLASS.values(),
    *integrity_words.VERDICTS,
    *integrity_records.GRADES,
    *integrity_records.STATUSES,
    *integrity_records.ANALYSES,
    *integrity_records.ANALYSES.values(),
    *integrity_records.COUNTS_OF.values(),
    *(*EVALUATED.values(), *COUNTED.values(), *SHOWN_FROM.values(), *WRONG.values()),
    *(*ORIENTATIONS.values(), *NAMES.values(), *TITLES.values(), ALL_GATES),
    *(heading for _key, heading in STEPS),
    *("exact", "near", "out of bounds", "zero area", "negative size", "duplicated"),
]


@pytest.mark.parametrize("code", sorted(set(CODES)))
def test_every_code_of_results_has_chinese_words(code: str) -> None:
    with use("zh"):
        told = _(code)
    assert HAN.search(told) or SHORT.match(told), told


def test_a_page_of_every_audit_holds_no_english_sentence() -> None:
    with use("zh"):
        found = sample.outcome()
    results = sample.results(found)
    results["dossier"]["language"] = "zh"
    results["sections"][0]["title"] = results["sections"][0]["question"] = "完整性"
    with pytest.MonkeyPatch.context() as patch:
        without_fonts(patch)
        html = render_pages(results, found.pictures).html
    allowed = [results["sections"][0]["result"]["records"][0]["command"]]
    assert "近似重复" in part(html, "section-integrity")
    assert english(part(html, "methods-integrity")) == []
    assert english(part(html, "section-integrity"), allowed=allowed) == []


def keys(section: dict[str, Any]) -> list[str]:
    figures = [view.key for view in integrity.figures(section)]
    return figures + [view.key for view in integrity.tables(section)]


def test_the_same_tables_and_figures_in_the_same_order() -> None:
    section = sample.section(sample.outcome())
    with use("zh"):
        there = keys(section)
    assert there == keys(section)
