"""Partitions, leakage, labels and names in Chinese: no English sentence, figures and codes kept."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

from reportgen.inputs.images import ImageTrouble
from reportgen.language import _, use
from reportgen.render.parts import NOT_TESTABLE
from reportgen.result import plain
from reportgen.sections.integrity import duplicate_rows, label_geometry, leakage, near_duplicates
from reportgen.sections.integrity.audits import Audited
from reportgen.sections.integrity.label_hints import format_hint
from reportgen.sections.integrity.records import share_of, written_share
from reportgen.stats.duplicates import SYMMETRIES
from tests.support.integrity_images import image_set, texture
from tests.support.integrity_jobs import boxes, detection_set, job, score_table
from tests.support.integrity_pages import SETTINGS, outcome

ENGLISH = re.compile(r"[A-Za-z][a-z'’-]+(?:[ ,;:]+[A-Za-z][a-z'’-]*)+")
"""Two words of Latin letters, one after another."""
CODES = (
    *("status", "analysis", "grade", "layer", "check", "by", "of", "split", "twin_split", "kind"),
    *("band", "chosen_as", "problem", "orientation", "symmetry", "detector", "command", "seen"),
)
"""What results.json keeps in English, or as the user typed it; pages translate it."""
ALLOWED = ("class map", "label_from: subfolder")
"""A code of the evaluation's audits, and what is to be written in a manifest."""
OURS = (
    *("near_duplicates", "duplicate_rows", "leakage", "label_agreement", "memorisation"),
    *("label_geometry", "class_names"),
)
CHECKS = {
    key: SETTINGS[key] for key in (*OURS, "images", "detections", "class_map") if key in SETTINGS
}


def everything() -> Any:
    return outcome(CHECKS)


def untold() -> Audited:
    """Look for what images without any column share."""
    return leakage.audit(job({"images": "scans", "leakage": {}}, images={"scans": _plain(3)}))


def dated() -> Audited:
    days = ["2020-01-01", "2020-01-31", "2020-01-10", "2020-02-02", ""]
    split = ["train", "train", "test", "test", "test"]
    scans = _plain(5, split=split, acquired=days, site=["a"] * 5, labels=[["x"], [], ["y"], [], []])
    settings = {"images": "scans", "leakage": {"by": ["site", "date", "content"]}}
    return leakage.audit(job(settings, images={"scans": scans}))


def without_splits() -> Audited:
    trouble = [ImageTrouble("unreadable", "002.png", "截断")]
    same = [texture(1), texture(1), texture(2)]
    settings = {"images": "scans", "near_duplicates": {"detectors": {"wdct": 0.6, "rms32": 15.0}}}
    return near_duplicates.audit(job(settings, images={"scans": image_set(same, trouble=trouble)}))


def small() -> Audited:
    tiny = [texture(at, side=32) for at in range(3)]
    settings = {"images": "scans", "near_duplicates": {"detectors": {"wdct": 0.6}}}
    return near_duplicates.audit(job(settings, images={"scans": image_set(tiny)}))


def of_rows() -> Audited:
    features = {"a": [1.0, 1.0, 2.0, 2.001], "b": [5.0, 5.0, 6.0, 6.0]}
    table = score_table([0, 1, 0, 1], [0.5] * 4, features=features)
    settings = {"duplicate_rows": {"table": "test", "distance": 0.1}}
    return duplicate_rows.audit(job(settings, tables={"test": table}))


def crossed() -> Audited:
    rows = [(0, 0, (10.0, 10.0, 0.0, 5.0)), (0, 0, (10.0, 10.0, -4.0, 5.0))]
    found = detection_set(["a"], ["ulcer"], boxes(rows * 2), None)
    settings = {"detections": "boxes", "label_geometry": True}
    return label_geometry.audit(job(settings, detections={"boxes": found}))


def _plain(n: int, **columns: Any) -> Any:
    return image_set([texture(at) for at in range(n)], **columns)


RUNS: dict[str, Callable[[], Any]] = {
    one.__name__: one
    for one in (everything, untold, dated, without_splits, small, of_rows, crossed)
}


def texts(value: Any) -> Iterator[str]:
    """Yield every text of plain data but keys and codes."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for key, item in value.items():
            if key not in CODES:
                yield from texts(item)
    elif isinstance(value, list | tuple):
        for item in value:
            yield from texts(item)


def figures(value: Any) -> Any:
    """Return plain data without the texts that are neither codes nor keys."""
    if isinstance(value, dict):
        return {key: item if key in CODES else figures(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [figures(item) for item in value]
    return None if isinstance(value, str) else value


def whole(found: Any) -> Any:
    return json.loads(json.dumps([plain(found.result), [plain(one) for one in found.findings]]))


@pytest.mark.parametrize("name", RUNS)
def test_texts_are_chinese_and_figures_and_codes_those_of_the_english_run(name: str) -> None:
    source = whole(RUNS[name]())
    with use("zh"):
        made = whole(RUNS[name]())
    assert figures(made) == figures(source)
    left = [text for text in texts(made) if ENGLISH.search(_without_allowed(text))]
    assert left == []


def _without_allowed(text: str) -> str:
    for one in ALLOWED:
        text = text.replace(one, "")
    return text


def test_what_is_not_testable_is_told_by_the_translated_beginning() -> None:
    with use("zh"):
        said = [one.statement for one in untold().findings]
        assert [one for one in said if one.startswith(_(NOT_TESTABLE))]
        assert all(one.endswith("。") for one in said)


def test_every_symmetry_has_a_name() -> None:
    with use("zh"):
        assert not [name for name in SYMMETRIES if _(name) == name]


def test_shares_and_hints_read_as_chinese_does() -> None:
    with use("zh"):
        assert written_share(96, 109) == "96/109（88.1%）"
        assert share_of(0, 0, confidence=0.95, of="box").reason == "没有可计算占比的标注框"
        hint = format_hint(np.full((4, 4), 0.5), np.full((4, 2), 640.0))
        assert hint is not None
        assert hint.startswith("4 个标注框")
