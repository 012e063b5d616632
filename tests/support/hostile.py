"""A request whose every free text means harm, and its twin of harmless text of the same shape."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable, Iterable, Sequence
from itertools import count
from pathlib import Path
from typing import Any

import numpy as np

MARKUP = """'"></style></svg><script>alert(1)</script><img src=x onerror=alert(1)>{{ 7*7 }}"""
STYLES = "url(http://h.test/x) expression(alert(1)) @import 'http://h.test/y'; } * {display:none}"
MORE = (
    f"{{% include 'passwd' %}}{{# gone #}} javascript:alert(1) {STYLES}"
    " <!-- ]]> --> &lt;b&gt; <a href='javascript:alert(1)'>a</a> <svg onload=alert(1)>"
    " <link rel=attachment href=file:///etc/passwd>"
)
TURNED = "\u202egnp.exe\u202c \u2066a\u2069"
"""Letters that turn the direction of what follows; no page draws them."""
LEADS = ("=1+1 ", "+1+1 ", "-1+1 ", "@A1 ", "=cmd|' /C calc'!A0 ", "")
PATIENTS = 200


def hostile(text: str) -> str:
    """Return a text as it is."""
    return text


def harmless(text: str) -> str:
    """Return a text of the same length and blanks, of letters and digits alone."""
    return "".join(c if c == " " or (c.isascii() and c.isalnum()) else "x" for c in text)


class Words:
    """Gives payloads, each a text of its own."""

    def __init__(self, change: Callable[[str], str]) -> None:
        self.change = change
        self.numbers = count(1)
        self.said: list[str] = []

    def name(self) -> str:
        """Return a payload that is short enough for a name."""
        number = next(self.numbers)
        return self._say(f"{LEADS[number % len(LEADS)]}{MARKUP}{number}")

    def text(self) -> str:
        """Return a payload of every kind."""
        number = next(self.numbers)
        return self._say(f"{LEADS[number % len(LEADS)]}{MARKUP} {MORE} {number}")

    def file(self, end: str) -> str:
        """Return a payload that can name a file."""
        return self.change(f"{MARKUP.replace('/', '')}{next(self.numbers)}") + end

    def _say(self, text: str) -> str:
        self.said.append(self.change(text))
        return self.said[-1]


def table(columns: dict[str, Iterable[Any]]) -> str:
    """Return a CSV file of columns."""
    made = io.StringIO()
    writer = csv.writer(made, lineterminator="\n")
    writer.writerow(columns)
    writer.writerows(zip(*columns.values(), strict=True))
    return made.getvalue()


def write_request(folder: Path, change: Callable[[str], str]) -> Words:
    """Write manifest and files into a folder; return the texts in it."""
    words = Words(change)
    blocks: dict[str, Any] = {
        "reportgen": 1,
        "dossier": {
            "title": words.text(),
            "date": "2026-11-30",
            "intended_use": words.text(),
            "prepared_by": words.text(),
            "sign_off": [{"role": words.name(), "name": words.name()}, {"role": words.name()}],
        },
        "model": {"name": words.name(), "version": words.name()},
        "defaults": {"resamples": 100},
    }
    names, declared = _patients(folder, words)
    blocks["tables"] = {"t": declared}
    blocks |= _deployed(folder, words)
    blocks["sections"] = [*_of_scores(words, names), _of_integrity(words, names)]
    blocks["criteria"] = [
        {
            "metric": "auc",
            "section": "frame",
            "score": names["score"],
            "at_least": 0.5,
            "source": words.text(),
            "reason": words.text(),
        }
    ]
    (folder / "m.yaml").write_text(json.dumps(blocks, indent=1, ensure_ascii=False), "utf-8")
    return words


def _patients(folder: Path, words: Words) -> tuple[dict[str, str], dict[str, Any]]:
    """Write the table of patients and the model that gave them their score."""
    rng = np.random.default_rng(7)
    key, unit, outcome, group, a, b = (words.name() for _ in range(6))
    first, second, column, other = (words.name() for _ in range(4))
    levels, positive, negative = (words.name(), words.name()), words.name(), words.name()
    x = rng.normal(size=(PATIENTS, 2)).round(3)
    risk = 1 / (1 + np.exp(-(0.2 + 1.5 * x[:, 0] - 0.5 * x[:, 1])))
    y = rng.random(PATIENTS) < risk
    units = [words.change(f"{LEADS[i % 6]}{MARKUP}{i}") for i in range(PATIENTS)]
    cells: dict[str, Sequence[Any]] = {
        key: units,
        unit: units,
        outcome: [positive if one else negative for one in y],
        group: [levels[i % 2] for i in range(PATIENTS)],
        a: x[:, 0].tolist(),
        b: x[:, 1].tolist(),
        column: [repr(float(one)) for one in risk],
        other: rng.random(PATIENTS).round(3).tolist(),
    }
    (folder / "t.csv").write_text(table(dict(cells)), "utf-8")
    model = {"intercept": 0.2, "coefficients": {a: 1.5, b: -0.5}}
    (folder / "linear.json").write_text(json.dumps(model), "utf-8")
    declared = {
        "path": "t.csv",
        "key": key,
        "unit": unit,
        "label": {"column": outcome, "positive": positive, "negative": negative},
        "scores": {first: column, second: other},
        "groups": [group],
        "features": [a, b],
    }
    return {"score": first, "group": group, "a": a, "b": b}, declared


def _deployed(folder: Path, words: Words) -> dict[str, Any]:
    """Write boxes, their images' names and a class map."""
    classes = [words.name() for _ in range(3)]
    images = [
        {"id": i, "file_name": words.file(".png"), "width": 90, "height": 90} for i in range(1, 9)
    ]
    boxes = [
        {"id": i, "image_id": i, "category_id": i % 3, "bbox": [9, 9, 20, 20], "area": 400}
        for i in range(1, 9)
    ]
    truth = {
        "images": images,
        "categories": [{"id": i, "name": name} for i, name in enumerate(classes)],
        "annotations": [{**one, "iscrowd": 0} for one in boxes],
    }
    found = [
        {key: one[key] for key in ("image_id", "category_id", "bbox")} | {"score": 0.5 + i / 20}
        for i, one in enumerate(boxes)
    ]
    (folder / "truth.json").write_text(json.dumps(truth), "utf-8")
    (folder / "found.json").write_text(json.dumps(found), "utf-8")
    index, model, shown = words.name(), words.name(), words.name()
    rows = {index: range(3), model: classes, shown: [*classes[:2], words.name()]}
    (folder / "map.csv").write_text(table(dict(rows)), "utf-8")
    tool = {"tool": words.name(), "version": words.name(), "confidence": 0.05}
    boxed = {"ground_truth": "truth.json", "predictions": "found.json", "settings": tool}
    columns = {"index": index, "model": model, "shown": shown}
    return {
        "detections": {"d": boxed},
        "class_maps": {"c": {"path": "map.csv", "columns": columns}},
    }


def _of_scores(words: Words, names: dict[str, str]) -> list[dict[str, Any]]:
    """Return the sections on a table's scores."""
    on = {"table": "t"}
    moves = {
        names["a"]: {"eps": 0.1, "unit": words.name(), "basis": words.text()},
        names["b"]: {"eps": 0.1, "unit": words.name(), "basis": words.text()},
    }
    return [
        {**on, "kind": "frame", "title": words.text(), "threshold": 0.5, "margin": 0.05},
        {
            **on,
            "kind": "robust",
            "title": words.text(),
            "score": names["score"],
            "model": {"linear": "linear.json"},
            "sensitive": names["group"],
            "threshold": 0.5,
            "tolerance": 0.2,
            "perturbation": {"norm": "l2", "features": moves},
            "curve": [0, 1],
        },
        {
            **on,
            "kind": "dca",
            "title": words.text(),
            "thresholds": {
                "from": 0.2,
                "to": 0.6,
                "step": 0.1,
                "owner": words.text(),
                "reason": words.text(),
            },
        },
        {
            **on,
            "kind": "prevalence",
            "title": words.text(),
            "score": names["score"],
            "threshold": 0.5,
            "prevalences": [0.5, 0.1],
        },
    ]


def _of_integrity(words: Words, names: dict[str, str]) -> dict[str, Any]:
    """Return the section on the benchmark's integrity."""
    return {
        "kind": "integrity",
        "title": words.text(),
        "detections": "d",
        "class_map": "c",
        "evaluator": {},
        "classifier": {
            "table": "t",
            "score": names["score"],
            "threshold": 0.5,
            "split": names["group"],
        },
        "duplicate_rows": {"table": "t"},
        "counting_heads": {
            "table": "t",
            "heads": {words.name(): {"true": names["a"], "predicted": names["b"]}},
        },
        "claims": [
            {"metric": "auc", "value": "0.91", "source": words.text()},
            {"metric": "map50", "value": "0.85", "source": words.text()},
        ],
        "planted": words.text(),
    }
