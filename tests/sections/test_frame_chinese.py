"""A FRAME section in Chinese: findings, notes, reasons and pages hold no English sentence."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from reportgen.language import _, use
from reportgen.render import numbers
from reportgen.render.pages import frame
from reportgen.result import Outcome, plain
from reportgen.sections.frame.told import FORMS, told
from reportgen.stats.worlds import world
from tests.support.frame import objects, run, table_of, two_groups, world_table
from tests.support.frame_pages import frame_section

WORDS = re.compile(r"[A-Za-z][a-z]+ [a-z]+")
"""Two words of Latin letters, one after another."""
NAMES = (
    *("score >= threshold", "training set", "label shift"),
    *("Benjamini", "Hochberg", "overall", "all", "logit t"),
)
CODES = (
    *("attribute", "group", "reference", "metric", "adjustment", "verdict", "release"),
    *("alternative", "covered_by", "rule", "resampled"),
)
"""What results.json keeps as English codes, and names; `reading` of two models is one too."""


def in_two_groups(images: int = 2) -> Any:
    unit = np.repeat(np.arange(100), images)
    rng = np.random.default_rng(2)
    label = (rng.random(100) < 0.4)[unit]
    side = np.where(np.arange(len(unit)) % 2 == 0, "left", "right")
    return table_of(label, rng.random(len(unit)), {"eye": side}, unit=unit)


def without_value() -> Any:
    names = ["a"] * 20 + ["b"] * 20 + [""] * 3
    return table_of([1, 0] * 21 + [1], np.linspace(0.1, 0.9, 43), {"g": names, "h": ["x"] * 43})


def perfect(**more: Any) -> Any:
    label = np.arange(100) % 2
    score = np.where(label == 1, 0.9, 0.1)
    x = np.random.default_rng(1).normal(size=(100, 2))
    return table_of(label, score, {"g": np.repeat(["a", "b"], 50)}, features=x, **more)


def several_scores() -> Any:
    table = two_groups(3, patients=(300, 300), signal=(3.0, 0.3))
    other = 1 - np.asarray(table.scores["m"]) / 2
    levels = objects(["u", "v", "w"])[np.arange(table.n_rows) % 3]
    return replace(
        table,
        scores={**table.scores, "n": other},
        groups={**table.groups, "third": levels},
    )


def few_features() -> Any:
    rng = np.random.default_rng(1)
    names = np.repeat(["a", "b"], [60, 4])
    x = rng.normal(size=(64, 3))
    x[:, 1], x[:, 2], x[0, 0] = 4.0, x[:, 0], np.nan
    return table_of(rng.random(64) < 0.5, rng.random(64), {"g": names}, features=x)


def world_of(name: str, seed: int) -> Any:
    return world_table(world(name, np.random.default_rng(seed)))


SCENES: Mapping[str, tuple[Any, dict[str, Any]]] = {
    "plain": (two_groups, {}),
    "gap": (lambda: two_groups(4, patients=(500, 500), signal=(0.5, 3.0)), {"threshold": 0.5}),
    "against": (lambda: two_groups(4, patients=(500, 500), signal=(3.0, 0.3)), {"threshold": 0.5}),
    "both": (in_two_groups, {"threshold": 0.5}),
    "missing": (without_value, {"required": {"g": ["missing", "b"]}, "threshold": 0.99}),
    "perfect": (perfect, {"threshold": 0.5, "primary": ["auc", "sensitivity", "npv"]}),
    "ranking": (lambda: perfect(scale="score"), {"margin": 0.1}),
    "scores": (
        several_scores,
        {"threshold": 0.4, "groups": ["group", "third", ["group", "third"]]},
    ),
    "features": (few_features, {"threshold": 0.5}),
    "crossed": (several_scores, {"groups": [["group", "third"]]}),
    "one class": (
        lambda: replace(two_groups(), label=np.ones(500)),
        {"required": {"group": ["large"]}},
    ),
}


def outcome_of(scene: str, language: str) -> Outcome:
    make, settings = SCENES[scene]
    with use(language):
        return run(make(), **settings)


def texts(value: Any, key: str = "") -> Iterator[str]:
    """Yield the texts of a result that are neither codes nor names."""
    if isinstance(value, str) and key not in CODES:
        yield value
    elif isinstance(value, Mapping):
        models = "against" in value
        for name, item in value.items():
            if not (models and name == "reading"):
                yield from texts(item, name)
    elif isinstance(value, list | tuple):
        for item in value:
            yield from texts(item, key)


def english(found: Iterator[str]) -> list[str]:
    left = []
    for text in dict.fromkeys(found):
        bare = re.sub("“[^”]*”", "", text)  # user text is quoted
        for name in NAMES:
            bare = bare.replace(name, "")
        if WORDS.search(bare):
            left.append(text)
    return left


@pytest.mark.parametrize("scene", SCENES)
def test_results_and_pages_hold_no_english(scene: str) -> None:
    outcome = outcome_of(scene, "zh")
    result = plain(outcome.result)
    assert english(texts(result)) == []
    for finding in outcome.findings:
        said = plain(finding)
        assert english(iter([said["title"], said["statement"], said["limits"] or ""])) == []
        assert english(iter([said.get("summary") or "", *said["evidence"]])) == []
        assert english(texts(list(said["evidence"].values()))) == []
    with use("zh"):
        assert english(on_page({"id": "frame", "result": result})) == []


def on_page(section: Any) -> Iterator[str]:
    """Yield every text of the figures and tables of a section."""
    for figure in frame.figures(section):
        yield from (figure.title, figure.caption, figure.alt)
        yield from drawn(figure.chart.to_dict())
    for table in frame.tables(section):
        yield from (table.caption, table.note)
        for column in table.columns:
            yield from (column.heading, column.unit)
            yield from numbers.cells(column, table.rows)


def drawn(value: Any, key: str = "") -> Iterator[str]:
    """Yield the words of a chart: its titles and what its rows hold."""
    if isinstance(value, Mapping):
        for name, item in value.items():
            yield from drawn(item, name)
    elif isinstance(value, list):
        for item in value:
            yield from drawn(item, key)
    elif isinstance(value, str) and (key == "title" or re.fullmatch(r"f\d+", key)):
        yield value


@pytest.mark.parametrize("scene", ["plain", "scores", "missing"])
def test_figures_and_codes_are_those_of_the_english_section(scene: str) -> None:
    chinese, source = (outcome_of(scene, language) for language in ("zh", "en"))
    assert [(one.code, one.severity) for one in chinese.findings] == [
        (one.code, one.severity) for one in source.findings
    ]
    assert codes(plain(chinese.result)) == codes(plain(source.result))


def codes(value: Any, key: str = "") -> Any:
    """Return a result without what a language says its own way."""
    if isinstance(value, Mapping):
        return {name: codes(item, name) for name, item in value.items()}
    if isinstance(value, list):
        return [codes(item, key) for item in value]
    return value if not isinstance(value, str) or key in CODES else None


def test_the_hand_made_page_holds_no_english() -> None:
    # Its reasons and methods are English, so only what the page itself says is looked at.
    with use("zh"):
        found = [figure.title for figure in frame.figures(frame_section())]
        found += [
            text
            for table in frame.tables(frame_section())
            for column in table.columns
            for text in (column.heading, column.unit, table.caption.split("。")[0])
        ]
    assert english(iter(found)) == []


def test_every_form_of_the_statistics_is_recognised_and_translated() -> None:
    fields = {
        "n": "1,200",
        "k": "6",
        "name": "bmi",
        "other": "age",
        "reason": FORMS[1],
        "method": FORMS[25],
    }
    for form in FORMS:
        text = form.format(**fields)
        assert told(text) == text
        with use("zh"):
            held = {
                key: told(value) if key in ("reason", "method") else value
                for key, value in fields.items()
            }
            assert told(text) == _(form).format(**held) != text


@pytest.mark.parametrize(
    ("text", "chinese"),
    [
        (
            "group: rests on one patient; reference: no positives",
            "该组：仅依据一名患者；参照组：没有阳性",
        ),
        (
            "coverage not assessed (the group has 3 patients; 6 are needed); a link of its loss "
            "with distance is not shown",
            "覆盖率未评估（该组有 3 名患者；需要 6 名）；未显示其损失与距离有关联",
        ),
        ("MOVER: exact bound on 5 patients; no rows", "MOVER：基于 5 名患者的精确界限；没有行"),
        ("什么都没有", "什么都没有"),
    ],
)
def test_reasons_within_reasons_are_told(text: str, chinese: str) -> None:
    assert told(text) == text
    with use("zh"):
        assert told(text) == chinese
