"""A robust section in Chinese: no English sentence, the same figures, English codes."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from reportgen import language
from reportgen.build import build
from reportgen.language import use
from reportgen.render.labels import label
from reportgen.render.pages import robust
from reportgen.result import Outcome, plain
from reportgen.sections.robust.direction import ALL_SUBSETS, MARGIN, NOT_REACHED, RANDOM_ORDERS
from reportgen.sections.robust.result import HARD_RULE, NO_BASIS, SOFT_RULE
from reportgen.sections.robust.threats import UNITS
from reportgen.stats.robust.gaps import MEASURES
from tests.sections.test_robust_command_line import written
from tests.support.chinese import english, part
from tests.support.robust import (
    HARD,
    SOFT,
    article,
    article_run,
    linear_read,
    moves_of,
    opaque_read,
    run,
    scored,
    table_of,
)

CODES = (
    *(MARGIN, ALL_SUBSETS, RANDOM_ORDERS, NOT_REACHED, NO_BASIS, HARD_RULE, SOFT_RULE),
    *UNITS.values(),
)
"""What pages look up, and translate: English in the results."""
SHARED = ("left_out", "rows")
"""Evidence of a finding that all sections share."""
THREATS = {"flips": [0.01, 0.05], "mix": [1.1], "prevalence": [0.05], "average": [0.1]}


def searched() -> Outcome:
    """Audit a model that can only be asked for scores, some of whose moves lack a basis."""
    table, read = article()
    asked = opaque_read(("x1", "x2"), lambda x: scored(read, {"x1": x[:, 0], "x2": x[:, 1]}))
    moves = moves_of({"x1": 0.05, "x2": {"eps_sd": 0.05, "basis": "手册"}})
    return run(table, asked, perturbation=moves, tolerance=0.35, **HARD)


def by_proxy() -> Outcome:
    """Audit where membership is known by a probability alone."""
    score = np.linspace(0.05, 0.95, 200)
    features = {"p": np.where(score > 0.5, 0.9, 0.2)}
    table = table_of(score, ["a"] * 200, score > 0.4, features=features)
    metrics = ["demographic_parity", "equalized_odds"]
    return run(table, sensitive=None, proxy={"column": "p"}, metrics=metrics, **HARD)


def of_few() -> Outcome:
    """Audit a group of three patients, and one without a positive row."""
    features = {"x": np.linspace(-1, 1, 43)}
    group = ["a"] * 20 + ["b"] * 20 + ["c"] * 3
    label = np.r_[np.tile([0, 1], 10), np.tile([0, 1], 10), [0, 0, 0]]
    read = linear_read({"x": 2.0}, 0.1)
    table = table_of(scored(read, features), group, label, features=features, unit=range(43))
    metrics = ["demographic_parity", "equal_opportunity_ratio", "auc", "f1"]
    moves = moves_of({"x": 0.01})
    return run(table, read, metrics=metrics, tolerance=0.9, perturbation=moves, **HARD)


def without_rows() -> Outcome:
    """Audit a table none of whose rows has a group."""
    return run(table_of([0.2, 0.7], ["", ""], [0, 1]), **HARD)


RUNS: dict[str, Callable[[], Outcome]] = {
    "hard": lambda: article_run(metrics=list(MEASURES), other_threats=THREATS, **HARD),
    "soft": lambda: article_run(metrics=["equalized_odds"], other_threats=THREATS, **SOFT),
    "safe": lambda: article_run(tolerance=0.6, eps=0.001, **HARD),
    "asked": searched,
    "bare": lambda: run(article()[0], metrics=["demographic_parity", "auc"], **HARD),
    "proxy": by_proxy,
    "few": of_few,
    "empty": without_rows,
}


def strings(value: Any) -> Iterator[str]:
    """Yield every text of plain data, keys left out."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for item in value.values():
            yield from strings(item)
    elif isinstance(value, list | tuple):
        for item in value:
            yield from strings(item)


def figures(value: Any) -> Any:
    """Return plain data without its texts."""
    if isinstance(value, dict):
        return {key: figures(item) for key, item in value.items()}
    if isinstance(value, list):
        return [figures(item) for item in value]
    return None if isinstance(value, str) else value


def shown(section: dict[str, Any]) -> Iterator[Any]:
    """Yield every text of the figures and tables of a section's page."""
    for figure in robust.figures(section):
        yield from (figure.title, figure.caption, figure.alt, *strings(figure.chart))
    for table in robust.tables(section):
        yield from (table.caption, table.note, *(column.heading for column in table.columns))
        yield from (row[column.key] for row in table.rows for column in table.columns)


@pytest.mark.parametrize("name", RUNS)
def test_results_and_pages_are_chinese_with_the_figures_of_the_english_ones(name: str) -> None:
    source = RUNS[name]()
    with use("zh"):
        made = RUNS[name]()
        result = json.loads(json.dumps(plain(made.result)))
        pages = list(shown({"id": "robust", "result": result}))
    assert figures(result) == figures(json.loads(json.dumps(plain(source.result))))
    with use("zh"):
        keys = {key: label(key) for one in made.findings for key in one.evidence}
    assert [key for key, said in keys.items() if said.isascii() and key not in SHARED] == []
    for one, other in zip(made.findings, source.findings, strict=True):
        assert (one.code, one.severity) == (other.code, other.severity)
        assert list(one.evidence) == list(other.evidence)
        assert figures(plain(one.evidence)) == figures(plain(other.evidence))
    said = strings([plain(finding) for finding in made.findings])
    assert [text for text in said if english(text)] == []
    assert [text for text in strings(result) if english(text, allowed=CODES)] == []
    assert [text for text in strings(pages) if english(text)] == []


def test_codes_stay_english_and_pages_translate_them() -> None:
    with use("zh"):
        result = plain(article_run(metrics=["demographic_parity"], tolerance=0.35, **HARD).result)
        texts = list(strings(list(shown({"id": "robust", "result": result}))))
    assert result["verdict"] == "fragile"
    assert result["rule"] == HARD_RULE
    assert {row["label"] for row in result["flips"]} == {"positive", "negative"}
    assert {row["basis"] for row in result["perturbation"]} == {NO_BASIS}
    assert {"阳性", "阴性", "未给出依据", "双向"} <= set(texts)
    assert "脆弱：人口统计均等" in texts
    assert not {"positive", "negative", "both", NO_BASIS} & set(texts)


def test_the_page_holds_no_english_sentence(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(language, "READY", ("en", "zh"))
    manifest = written(tmp_path)
    manifest.write_text(
        manifest.read_text("utf-8").replace(
            "title: Audit of article 001", "title: 审计, language: zh"
        ),
        "utf-8",
    )
    html = (build(manifest, tmp_path / "out", format="html").folder / "dossier.html").read_text(
        "utf-8"
    )
    for anchor in ("section-robust", "methods-robust"):
        assert english(part(html, anchor)) == []
    assert "鲁棒" in html
    assert "<li>单侧置信限 <b>" in html
