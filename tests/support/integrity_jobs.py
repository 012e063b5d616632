"""Jobs for the sub-audits of integrity, with inputs made in memory."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from reportgen.inputs import Inputs
from reportgen.inputs.deployed import ClassMap, Gates, Shown, ShownClasses
from reportgen.inputs.detections import Boxes, DetectionSet, EvaluatorPins
from reportgen.inputs.table import Table
from reportgen.section import Context
from reportgen.sections.integrity.audits import Audited, Job
from reportgen.sections.integrity.settings import IntegritySettings

SEED = 20261130


def job(
    settings: Mapping[str, Any],
    *,
    resamples: int = 400,
    done: Mapping[str, Audited] | None = None,
    **inputs: Any,
) -> Job:
    """Return a job of an integrity section with these settings and inputs."""
    given = {"tables": {}, "records": (), **inputs}
    return Job(
        Inputs(**given),
        IntegritySettings.model_validate({"kind": "integrity", **settings}),
        Context(np.random.default_rng(SEED), resamples, 0.95),
        done or {},
        SEED,
    )


def score_table(
    label: Sequence[float],
    score: Sequence[float],
    *,
    unit: Sequence[str] | None = None,
    groups: Mapping[str, Sequence[str]] | None = None,
    features: Mapping[str, Sequence[float]] | None = None,
    name: str = "test",
) -> Table:
    """Return a table with one score."""
    return Table(
        name,
        len(label),
        "score",
        np.array(label, dtype=float),
        None,
        {"model": np.array(score, dtype=float)},
        None if unit is None else np.array(unit, dtype=object),
        {key: np.array(value, dtype=object) for key, value in (groups or {}).items()},
        {key: np.array(value, dtype=float) for key, value in (features or {}).items()},
    )


def boxes(
    rows: Sequence[tuple[int, int, tuple[float, float, float, float]]],
    scores: Sequence[float] | None = None,
    *,
    ids: Sequence[str] | None = None,
) -> Boxes:
    """Return boxes from rows of image, category and x, y, w, h."""
    n = len(rows)
    xywh = np.array([row[2] for row in rows], dtype=float).reshape(n, 4)
    none = np.zeros(n, dtype=bool)
    return Boxes(
        np.array(list(ids) if ids is not None else [str(i + 1) for i in range(n)], dtype=object),
        np.array([row[0] for row in rows], dtype=np.intp),
        np.array([row[1] for row in rows], dtype=np.intp),
        xywh,
        xywh[:, 2] * xywh[:, 3],
        none,
        none.copy(),
        none.copy(),
        None if scores is None else np.array(scores, dtype=float),
    )


def detection_set(
    images: Sequence[str],
    categories: Sequence[str],
    truth: Boxes,
    predicted: Boxes | None,
    **more: Any,
) -> DetectionSet:
    """Return a set of 1000 by 1000 images."""
    return DetectionSet(
        more.pop("name", "boxes"),
        np.array(list(images), dtype=object),
        None,
        np.full((len(images), 2), 1000.0),
        tuple(categories),
        more.pop("category_ids", tuple(str(i) for i in range(len(categories)))),
        truth,
        predicted,
        more.pop("pins", EvaluatorPins()),
        **more,
    )


def grades(audited: Audited) -> dict[str, list[str | None]]:
    """Return the grades (None where not found) of every code's records."""
    found: dict[str, list[str | None]] = {}
    for record in audited.records:
        found.setdefault(record.code, []).append(record.grade)
    return found


def gates(rows: Sequence[tuple[str, str, str, bool]], order: Sequence[str] = ()) -> Gates:
    """Return gates from rows of image, domain, gate and accepted."""
    image, domain, gate, accepted = zip(*rows, strict=True)
    return Gates(
        np.array(image, dtype=object),
        np.array(domain, dtype=object),
        np.array(gate, dtype=object),
        np.array(accepted, dtype=bool),
        tuple(order) or tuple(dict.fromkeys(gate)),
    )


def shown(rows: Sequence[tuple[str, str, str]]) -> Shown:
    """Return displayed findings from rows of image, detection and name."""
    image, detection, name = zip(*rows, strict=True) if rows else ((), (), ())
    return Shown(
        np.array(image, dtype=object),
        np.array(detection, dtype=object),
        np.array(name, dtype=object),
    )


ORAL_APP = (
    ("0", "calculus", "Caries", 0.35),
    ("1", "caries", "Calculus", 0.25),
    ("2", "gingivitis", "Gingivitis", 0.30),
    ("3", "hypodontia", "Tooth Discoloration", 0.40),
    ("4", "tooth_discolation", "Ulcers", 0.75),
    ("5", "ulcer", "Hypodontia", 0.60),
)
"""The class map of the public application (oral_app/class_maps.csv)."""


def class_map(
    rows: Sequence[tuple[str, str, str, float]] = ORAL_APP, *, model: bool = True, **more: Any
) -> ClassMap:
    """Return a class map from rows of index, model's name, displayed name and threshold."""
    index, names, words, thresholds = zip(*rows, strict=True)
    app = ShownClasses("app", index, words, thresholds, "a" * 64)
    return ClassMap("app", names if model else None, app, **more)
