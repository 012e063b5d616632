"""Hypothesis strategies for whole requests: tables of odd but plausible content, and manifests.

What is drawn is what a user could send: most requests build, some are to be refused. Nothing is
filtered by what reportgen makes of it.
"""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from hypothesis import strategies as st

from tests.support.strategies_columns import (
    GROUPS,
    HEADERS,
    MOST_ROWS,
    SCALES,
    Draw,
    Sheet,
    cells,
    features,
    labels,
    number_of,
    numbers,
    rarely,
    units,
    with_gaps,
)
from tests.support.strategies_sections import Facts, criteria, sections

MANIFEST, MODEL, PLAN = "m.yaml", "model.json", "plan.md"
PLAN_TEXT = "One comparison.\n"
PLAN_DIGEST = hashlib.sha256(PLAN_TEXT.encode()).hexdigest()


@dataclass(frozen=True)
class Request:
    """A manifest with the files that it names, and options of the command line."""

    manifest: Mapping[str, Any]
    sheets: Mapping[str, Sheet]
    others: Mapping[str, str] = field(default_factory=dict)
    options: tuple[str, ...] = ()
    order: tuple[int, ...] = ()
    """A permutation of the rows of the first sheet."""

    def write(self, folder: Path, *, shuffled: bool = False) -> None:
        """Write all files; `shuffled`, with the rows of the first sheet in the other order."""
        (folder / MANIFEST).write_text(json.dumps(self.manifest, indent=1, ensure_ascii=False))
        for at, (name, sheet) in enumerate(self.sheets.items()):
            order = self.order if shuffled and at == 0 else None
            (folder / name).write_bytes(sheet.content(order))
        for name, text in self.others.items():
            (folder / name).write_text(text)

    def texts(self) -> Iterable[str]:
        """Yield every text of the files and every string of the manifest."""
        for sheet in self.sheets.values():
            for name, column in sheet.columns.items():
                yield name
                if name not in sheet.numeric:
                    yield from column
        yield json.dumps(self.manifest, ensure_ascii=False)


@dataclass
class _Making:
    """A table while it is made: its columns, its declaration, and what sections need to know."""

    n: int
    columns: dict[str, list[str]] = field(default_factory=dict)
    numeric: set[str] = field(default_factory=set)
    declared: dict[str, Any] = field(default_factory=dict)

    def put(self, draw: Draw, name: str, column: list[str], *, numeric: bool = False) -> str:
        """Add a column under a form of a name and return that."""
        made = draw(st.sampled_from(HEADERS)).format(name) if rarely(draw, 12) else name
        self.columns[made] = column
        if numeric:
            self.numeric.add(made)
        return made

    def sheet(self, draw: Draw) -> Sheet:
        """Return the file, and declare how it is written."""
        ending = draw(st.sampled_from(["csv", "csv", "tsv", "csv.gz", "parquet"]))
        semicolons = ending == "csv" and rarely(draw, 4)
        if semicolons:
            self.declared["read"] = {"delimiter": ";", "decimal": ","}
        columns = {name: tuple(column) for name, column in self.columns.items()}
        return Sheet(columns, frozenset(self.numeric), ending, semicolons, rarely(draw))


def _scores(
    draw: Draw, making: _Making, yes: Sequence[bool], *, scales: Sequence[str] = SCALES
) -> None:
    scale = draw(st.sampled_from(scales))
    if scale != "probability":
        making.declared["scale"] = scale
    names = draw(st.sampled_from([("a",), ("a",), ("a", "b"), ("a", "<i>模型</i>", "b&c")]))
    making.declared["scores"] = {}
    for at, name in enumerate(names):
        column = with_gaps(draw, numbers(draw, making.n, scale=scale, label=yes))
        if column and rarely(draw, 40):
            column[-1] = draw(st.sampled_from(["abc", "-7.5", "1e999", "nan", "101"]))
        making.declared["scores"][name] = making.put(draw, f"s{at}", column, numeric=True)


def _groups(draw: Draw, making: _Making) -> None:
    making.declared["groups"] = []
    for at in range(draw(st.sampled_from([0, 1, 1, 1, 2]))):
        pool = draw(st.sampled_from(GROUPS))
        name = making.put(draw, f"g{at}", with_gaps(draw, cells(draw, pool, making.n)))
        making.declared["groups"].append(name)
        if rarely(draw, 6):
            merged = {"first": [*dict.fromkeys(pool[:2])], "none has it": ["zz"]}
            making.declared.setdefault("levels", {})[name] = draw(st.sampled_from([{}, merged]))


def _features(draw: Draw, making: _Making) -> None:
    found = draw(features(making.n))
    making.declared["features"] = [
        making.put(draw, name, column, numeric=True) for name, column in found.items()
    ]
    if making.declared["features"] and rarely(draw, 4):
        edges = draw(
            st.lists(st.sampled_from([-50, 0, 1, 1.5, 3, 1e9]), min_size=2, max_size=4, unique=True)
        )
        bins = {"edges": sorted(edges), "closed": draw(st.sampled_from(["left", "right"]))}
        if draw(st.booleans()):
            bins["name"] = "band"
        making.declared["bins"] = {making.declared["features"][0]: bins}


def _unit(draw: Draw, making: _Making) -> None:
    column = draw(units(making.n))
    if column is not None:
        making.declared["unit"] = making.put(draw, "u", column)
        making.declared["unit_missing"] = draw(st.sampled_from(["own", "own", "drop"]))


def _linear(draw: Draw, making: _Making) -> dict[str, Any] | None:
    """Perhaps let the first score be that of a linear model, and return the model."""
    names = making.declared["features"]
    if not names or making.declared.get("scale") == "score" or draw(st.booleans()):
        return None
    weights = {name: draw(st.sampled_from([-1.0, 0.0, 0.01, 0.5, 2.0])) for name in names}
    intercept = draw(st.sampled_from([-1.0, 0.0, 0.3]))
    percent = 100 if making.declared.get("scale") == "percent" else 1
    column = making.declared["scores"]["a"]
    made = []
    for row in range(making.n):
        values = [number_of(making.columns[name][row]) for name in names]
        if None in values:
            made.append("")
            continue
        parts = zip(weights.values(), values, strict=True)
        z = intercept + math.fsum(w * v for w, v in parts if v is not None)
        score = 1 / (1 + math.exp(-z)) if z > -700 else 0.0
        made.append(repr(percent * score))
    making.columns[column] = made
    return {"intercept": intercept, "coefficients": weights, "link": "logit"}


@st.composite
def tables(draw: Draw) -> tuple[_Making, dict[str, Any] | None]:
    """Draw a table with a binary label, and the linear model that made its first score, if one."""
    making = _Making(draw(st.integers(0, 3) if rarely(draw) else st.integers(4, MOST_ROWS)))
    column, yes, declared = draw(labels(making.n))
    making.declared["label"] = {"column": making.put(draw, "y", column), **declared}
    if "9" in column and draw(st.booleans()):
        making.declared["missing"] = ["", "9"]
    _scores(draw, making, yes)
    _unit(draw, making)
    _groups(draw, making)
    _features(draw, making)
    return making, _linear(draw, making)


@st.composite
def survival_tables(draw: Draw) -> _Making:
    """Draw a table with times to an event, censored and competing ones among them."""
    making = _Making(draw(st.integers(1, MOST_ROWS)))
    times = cells(draw, ("0", "0.5", "1", "1.5", "2", "2.0", "3.25", "1e9", "1e300"), making.n)
    codes = draw(
        st.sampled_from([("0", "1"), ("0", "1", "2"), ("1",), ("0",), ("0", "1", "2", "3")])
    )
    events = cells(draw, codes, making.n)
    label: dict[str, Any] = {
        "time": making.put(draw, "time", with_gaps(draw, times), numeric=True),
        "event": making.put(draw, "event", with_gaps(draw, events)),
        "positive": 1 if "1" in events else events[0],
        "at": draw(st.sampled_from([0.25, 1, 1.5, 2.0, 100])),
    }
    if "2" in codes and label["positive"] == 1:
        label["competing"] = [2]
    if "3" in codes:
        label["censored"] = [0, 3]
    making.declared["label"] = label
    _scores(draw, making, [event == "1" for event in events], scales=("probability", "percent"))
    _unit(draw, making)
    making.declared["groups"] = []
    making.declared["features"] = []
    return making


def _field(draw: Draw, like: _Making) -> _Making:
    """Draw a table without labels that has the scores of another one."""
    making = _Making(draw(st.integers(0, 15)))
    scale = like.declared.get("scale", "probability")
    making.declared |= {"scale": scale, "scores": {}}
    for at, name in enumerate(like.declared["scores"]):
        column = numbers(draw, making.n, scale=scale, label=[False] * making.n)
        making.declared["scores"][name] = making.put(
            draw, f"s{at}", with_gaps(draw, column), numeric=True
        )
    making.columns["note"] = ["x"] * making.n
    return making


def _training(draw: Draw, like: _Making) -> Sheet:
    """Draw training rows with the features and groups of a table, some of its rows among them."""
    names = [*like.declared["features"], *like.declared["groups"]]
    rows = draw(st.lists(st.integers(0, max(like.n - 1, 0)), max_size=20)) if like.n else []
    columns = {name: tuple(like.columns[name][row] for row in rows) for name in names}
    return Sheet(columns, frozenset(like.declared["features"]))


def facts(name: str, making: _Making, model: Mapping[str, Any] | None, *, train: bool) -> Facts:
    """Return what sections need to know of a table to ask something of it."""
    declared = making.declared
    made = [bins.get("name", column) for column, bins in declared.get("bins", {}).items()]
    groups = {one: [*dict.fromkeys(making.columns[one])] for one in declared["groups"]}
    return Facts(
        name,
        scores=[*declared["scores"]],
        scale=declared.get("scale", "probability"),
        groups={**groups, **{one: [] for one in made}},
        features=declared["features"],
        survival="time" in declared["label"],
        moves=[] if model is None else [*model["coefficients"]],
        train=train,
    )


@st.composite
def requests(draw: Draw) -> Request:
    """Draw a whole request."""
    making, model = draw(tables())
    makings = {"t": making}
    if rarely(draw, 3):
        makings["surv"] = draw(survival_tables())
    labelled = [*makings]
    if rarely(draw, 3):
        makings["field"] = _field(draw, making)
    sheets, declared = {}, {}
    for name, one in makings.items():
        sheet = one.sheet(draw)
        path = f"{name}.{sheet.ending}"
        sheets[path], declared[name] = sheet, {"path": path, **one.declared}
    if making.declared["features"] and rarely(draw, 3):
        sheets["train.csv"] = _training(draw, making)
        declared["t"]["train"] = {
            "path": "train.csv",
            "features": making.declared["features"],
            "groups": making.declared["groups"],
        }
    known = [
        facts(name, makings[name], model if name == "t" else None, train="train" in declared[name])
        for name in labelled
    ]
    unlabelled = "field" if "field" in makings else None
    asked = draw(sections(known, unlabelled=unlabelled, model=MODEL))
    manifest = {
        "reportgen": 1,
        "dossier": {
            "title": draw(st.sampled_from(["Audit", "<b>T</b> & {{ t }}", "审计"])),
            "date": "2026-11-30",
            "language": "zh" if rarely(draw, 6) else "en",
        },
        "model": {"name": draw(st.sampled_from(["m", "../m <x>", "模型"])), "version": "1"},
        **(
            {"plan": {"path": PLAN, "sha256": PLAN_DIGEST}}
            if "planned" in json.dumps(asked)
            else {}
        ),
        "defaults": {
            "resamples": 100,
            "confidence": draw(st.sampled_from([0.95, 0.95, 0.5, 0.8, 0.999])),
            "seed": draw(st.sampled_from([20261130, 0, 2**40])),
        },
        "tables": declared,
        "sections": asked,
        "gate": {"fail_on": draw(st.sampled_from(["fail", "warn", "never"]))},
    }
    if any("planned" in section for section in asked):
        manifest["plan"] = {"path": PLAN, "sha256": PLAN_DIGEST}
    if draw(st.booleans()):
        manifest["criteria"] = draw(criteria(asked))
    return Request(
        manifest,
        sheets,
        {PLAN: PLAN_TEXT, **({} if model is None else {MODEL: json.dumps(model)})},
        ("--gate",) if draw(st.booleans()) else (),
        tuple(draw(st.permutations(range(making.n)))),
    )
