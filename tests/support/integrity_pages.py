"""A section of kind integrity with every sub-audit filled, by running the audits on a small set.

Twelve training pictures, 24 of evaluation: half of them are flipped or copied training pictures.
The detector, the gates, the class map and the tables are planted, so that every check has something
to say. All names can be made hostile.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import fields
from pathlib import Path
from typing import Any

import numpy as np

from reportgen.inputs import Inputs
from reportgen.inputs.deployed import NamedClasses, Pipeline, ShownClasses
from reportgen.inputs.detections import DetectionSet, EvaluatorPins
from reportgen.inputs.images import ImageSet
from reportgen.result import Outcome, plain
from reportgen.section import Context
from reportgen.sections.integrity import compute
from reportgen.sections.integrity.result import IntegrityResult
from reportgen.sections.integrity.settings import IntegritySettings
from tests.support.integrity_images import Grey, image_set, texture
from tests.support.integrity_jobs import (
    boxes,
    class_map,
    detection_set,
    gates,
    score_table,
    shown,
)

SCRIPT, FORMULA, BRACES = "<script>alert(1)</script>", "=cmd|' /C calc'!A0", "{{ 7*7 }}"
LONG = "long" * 75
PLAIN_CLASSES = ("ulcer", "caries", "calculus")
HOSTILE_CLASSES = (SCRIPT, FORMULA, LONG)
NOT_AUDITS = ("planted", "confidence", "images", "detections", "records", "notes")
AUDITS = tuple(one.name for one in fields(IntegrityResult) if one.name not in NOT_AUDITS)
N_TRAIN, N_TEST, N_COPIES = 12, 24, 12

SETTINGS: Mapping[str, Any] = {
    "images": "scans",
    "detections": "boxes",
    "class_map": "app",
    "near_duplicates": {"detectors": {"wdct": 0.6, "rms32": 15.0}, "show": 3},
    "duplicate_rows": {"table": "rows"},
    "leakage": {},
    "label_agreement": {},
    "memorisation": {},
    "label_geometry": True,
    "removal_effect": {"controls": 100},
    "evaluator": {"against": "rerun"},
    "classifier": {"table": "scores", "threshold": 0.2, "split": "site"},
    "counting_heads": {"table": "counts", "heads": {"mitoses": {"true": "t", "predicted": "p"}}},
    "pipeline": {"of": "app", "in_domain": ["oral"]},
    "claims": [
        {"metric": "accuracy", "value": "0.9633", "source": "the paper"},
        {"metric": "accuracy", "value": "0.97"},
        {"metric": "map50", "value": "0.912"},
    ],
}


def _ids(hostile: bool) -> list[str]:
    names = [f"t{at:02d}" for at in range(N_TRAIN)] + [f"v{at:02d}" for at in range(N_TEST)]
    if hostile:
        names[0], names[1] = f"t00{SCRIPT}", f"t01{BRACES}"
        names[N_TRAIN], names[N_TRAIN + 1] = f"v00{LONG}", f"v01{FORMULA}"
    return names


def _pictures() -> list[Grey]:
    train = [texture(at, side=64) for at in range(N_TRAIN)]
    copies = [one if at % 3 else one[:, ::-1] for at, one in enumerate(train)]
    return [*train, *copies, *(texture(100 + at, side=64) for at in range(N_TEST - N_COPIES))]


def _truth() -> list[tuple[int, int, tuple[float, float, float, float]]]:
    """Two boxes an image, of classes in turn; the last one leaves its image."""
    rows = []
    for image in range(N_TRAIN + N_TEST):
        for place in range(2):
            box = (100.0 + 300 * place, 100.0, 100.0 + 10 * image, 120.0)
            rows.append((image, (image + place) % 3, box))
    rows.append((N_TRAIN + N_TEST - 1, 0, (950.0, 10.0, 100.0, 50.0)))
    return rows


def _predictions() -> tuple[list[tuple[int, int, tuple[float, float, float, float]]], list[float]]:
    """Most boxes of the evaluation again, a little off; some missed, some false."""
    rows, scores = [], []
    for at, (image, category, (x, y, w, h)) in enumerate(_truth()):
        if image < N_TRAIN or at % 5 == 0:
            continue
        rows.append((image, category, (x + 4.0, y, w, h)))
        scores.append(0.3 + 0.03 * (at % 20))
        if at % 4 == 0:
            rows.append((image, (category + 1) % 3, (x, y + 400.0, w, h)))
            scores.append(0.5)
    return rows, scores


def _detections(
    ids: Sequence[str], classes: Sequence[str], name: str, pins: EvaluatorPins
) -> DetectionSet:
    rows, scores = _predictions()
    return detection_set(ids, classes, boxes(_truth()), boxes(rows, scores), name=name, pins=pins)


def _image_set(ids: Sequence[str], classes: Sequence[str], hostile: bool) -> ImageSet:
    n = N_TRAIN + N_TEST
    source = [f"s{at % N_TRAIN}" for at in range(n)]
    if hostile:
        source = [one.replace("s0", SCRIPT) for one in source]
    return image_set(
        _pictures(),
        ids=ids,
        split=["train"] * N_TRAIN + ["test"] * N_TEST,
        labels=[[classes[at % 3]] for at in range(n)],
        source=source,
        unit=[f"p{at}" for at in range(n)],
        files=[f"{name}.png" for name in ids],
    )


def _inputs(hostile: bool) -> Inputs:
    ids, classes = _ids(hostile), HOSTILE_CLASSES if hostile else PLAIN_CLASSES
    rng = np.random.default_rng(1)
    test = ids[N_TRAIN:]
    named = [(str(at), name, classes[(at + 1) % 3], 0.4) for at, name in enumerate(classes)]
    named[2] = ("2", classes[2], classes[2], 0.4)
    copy = ShownClasses("copy", ("0", "1", "2"), tuple(classes), (0.4, 0.5, 0.4), "b" * 64)
    way = [(name, "oral", "router", at % 4 != 0) for at, name in enumerate(test)]
    way += [(f"street{at}", "street", "router", at == 0) for at in range(5)]
    rows, _ = _predictions()
    display = shown([(ids[row[0]], str(at + 1), named[row[1]][2]) for at, row in enumerate(rows)])
    site = ["north"] * 8 + ["south" if not hostile else SCRIPT] * 4
    counts = {"t": [0.0, 1.0, 2.0] * 8, "p": [0.1, 0.2, 0.3] * 8}
    features = {"a": rng.normal(size=12).tolist(), "b": [1.0, 2.0] * 6}
    features["a"][1], features["b"][1] = features["a"][0], features["b"][0]
    label = [1.0] * 10 + [0.0] * 2
    tables = (
        score_table(label, rng.uniform(0.3, 1, 12).tolist(), groups={"site": site}, name="scores"),
        score_table([0.0, 1.0] * 12, [0.5] * 24, features=counts, name="counts"),
        score_table(label, [0.5] * 12, features=features, name="rows"),
    )
    old, new = EvaluatorPins("ultralytics", "8.4.36"), EvaluatorPins("ultralytics", "8.4.37")
    artefacts = (NamedClasses("data.yaml", ("0", "1", "2"), (classes[1], classes[0], classes[2])),)
    return Inputs(
        tables={one.name: one for one in tables},
        records=(),
        images={"scans": _image_set(ids, classes, hostile)},
        detections={
            "boxes": _detections(ids, classes, "boxes", old),
            "rerun": _detections(ids, classes, "rerun", new),
        },
        class_maps={"app": class_map(named, copies=(copy,), artefacts=artefacts)},
        pipelines={"app": Pipeline("app", gates(way), display)},
    )


def outcome(settings: Mapping[str, Any] = SETTINGS, *, hostile: bool = False) -> Outcome:
    """Run every sub-audit that the settings ask for."""
    chosen = IntegritySettings.model_validate({"kind": "integrity", **settings})
    context = Context(np.random.default_rng(20261130), 100, 0.95)
    return compute(_inputs(hostile), chosen, context)


def section(found: Outcome) -> dict[str, Any]:
    """Return an outcome as the section that results.json holds."""
    return {
        "id": "integrity",
        "kind": "integrity",
        "title": "Benchmark integrity",
        "question": "Is it what it claims to be?",
        "parameters": {},
        "result": plain(found.result),
    }


def results(found: Outcome) -> dict[str, Any]:
    """Return the sample results with this section and its findings alone."""
    sample = Path(__file__).parents[1] / "render" / "sample_results.json"
    whole: dict[str, Any] = json.loads(sample.read_text("utf-8"))
    findings = [
        {**plain(one), "id": f"integrity/{one.code}-{at}", "section": "integrity"}
        for at, one in enumerate(found.findings)
    ]
    return {**whole, "sections": [section(found)], "findings": findings}
