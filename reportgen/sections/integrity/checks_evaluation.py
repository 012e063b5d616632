"""Mistakes in the settings of evaluation, models, pipeline and claims."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import numpy as np

from reportgen.errors import Key, KeyFault, choose_from, key_text, unknown_name
from reportgen.inputs import BinaryLabel, Inputs, TableSettings
from reportgen.inputs.deployed import Pipeline
from reportgen.inputs.detections import DetectionSet
from reportgen.sections.attributes import numbers_for_groups
from reportgen.sections.integrity.claims_rows import MAPS, SHARES
from reportgen.sections.integrity.display import as_displayed, image_positions
from reportgen.sections.integrity.plain_names import plain_name
from reportgen.sections.integrity.removal_images import LIST_KEY
from reportgen.sections.integrity.settings import Claim, IntegritySettings
from reportgen.stats.possible import read_printed

SIGNED = ("mcc",)


def check_evaluation(
    settings: IntegritySettings, tables: Mapping[str, TableSettings]
) -> Iterator[KeyFault]:
    """Yield the mistakes that the manifest alone shows."""
    yield from _classifier_faults(settings, tables)
    yield from _head_faults(settings, tables)
    yield from _evaluator_faults(settings)
    for at, claim in enumerate(settings.claims):
        yield from _claim_faults(claim, ("claims", at))
    if settings.same_names and settings.class_map is None and settings.pipeline is None:
        what = "same_names is about displayed names, and the section names none"
        yield KeyFault(("same_names",), what, "add class_map or pipeline, or take it out")


def _classifier_faults(
    settings: IntegritySettings, tables: Mapping[str, TableSettings]
) -> Iterator[KeyFault]:
    one = settings.classifier
    table = None if one is None else tables.get(one.table)
    if one is None or table is None:
        return
    if one.score is not None and one.score not in table.scores:
        yield unknown_name("score", one.score, table.scores, key=("classifier", "score"))
    if one.split is not None:
        groups = {*table.groups, *table.declared_levels}
        if one.split not in groups:
            yield unknown_name("group attribute", one.split, groups, key=("classifier", "split"))
    if not isinstance(table.label, BinaryLabel):
        what = f"table {one.table!r} has no binary label"
        yield KeyFault(("classifier", "table"), what, "add label: {column: …, positive: …}")


def _head_faults(
    settings: IntegritySettings, tables: Mapping[str, TableSettings]
) -> Iterator[KeyFault]:
    given = settings.counting_heads
    table = None if given is None else tables.get(given.table)
    if given is None or table is None or not isinstance(table.features, list):
        return
    for head, columns in given.heads.items():
        for role, name in (("true", columns.true), ("predicted", columns.predicted)):
            if name not in table.features:
                key: Key = ("counting_heads", "heads", head, role)
                yield unknown_name("feature", name, table.features, key=key)


def _evaluator_faults(settings: IntegritySettings) -> Iterator[KeyFault]:
    one = settings.evaluator
    if one is None:
        return
    if one.compare[0] == one.compare[1]:
        what = f"{one.compare[0]} is compared with itself"
        yield KeyFault(("evaluator", "compare"), what, "name two different conventions")
    if one.against is not None and one.against == settings.detections:
        what = f"{one.against!r} is compared with itself"
        mend = "name another entry of detections: the other run"
        yield KeyFault(("evaluator", "against"), what, mend)


def _claim_faults(claim: Claim, key: Key) -> Iterator[KeyFault]:
    try:
        printed = read_printed(claim.value)
    except ValueError:
        what = f"{claim.value!r} is no figure as printed"
        yield KeyFault((*key, "value"), what, 'write "0.9633" or "96.33 %", in quotes')
        return
    least = -1 if claim.metric in SIGNED else 0
    if not least <= printed.value <= 1:
        hint = f'write "{claim.value} %" if per cent is meant' if printed.value > 1 else ""
        what = f"{claim.value} lies outside of {least} to 1"
        yield KeyFault((*key, "value"), what, hint or "check the figure")
    if claim.k is not None and claim.n is None:
        yield KeyFault((*key, "k"), "k without n", "add n, the units that k is counted among")
    if claim.k is not None and claim.n is not None and claim.k > claim.n:
        what = f"k = {claim.k} is more than n = {claim.n}"
        yield KeyFault((*key, "k"), what, "check the counts")
    if claim.k is not None and claim.metric not in SHARES:
        what = f"{claim.metric} is no share k of n"
        yield KeyFault((*key, "k"), what, f"take k out; shares are {', '.join(SHARES)}")
    if claim.split is not None and claim.metric in MAPS:
        what = f"{claim.metric} is recomputed over the detections as a whole"
        yield KeyFault((*key, "split"), what, "take split out")


def check_evaluation_inputs(settings: IntegritySettings, inputs: Inputs) -> Iterator[KeyFault]:
    """Yield the mistakes that only the data show."""
    detections = inputs.detections.get(settings.detections or "")
    listed = inputs.lists.get((settings.name, key_text(LIST_KEY)))
    if listed is not None:
        yield from _list_faults(listed, detections)
    pipeline = None if settings.pipeline is None else inputs.pipelines.get(settings.pipeline.of)
    if pipeline is not None:
        yield from _domain_faults(settings, pipeline)
        if detections is not None:
            yield from _pipeline_faults(pipeline, detections)
    yield from _name_faults(settings, inputs, detections)
    yield from _split_faults(settings, inputs)


def _split_faults(settings: IntegritySettings, inputs: Inputs) -> Iterator[KeyFault]:
    """Yield that a measurement stands where the classifier's splits are to be named."""
    one = settings.classifier
    table = None if one is None else inputs.tables.get(one.table)
    if one is None or table is None or one.split is None or one.split not in table.groups:
        return
    measured = numbers_for_groups(table, one.split)
    if measured:
        yield KeyFault(("classifier", "split"), *measured)


def _list_faults(
    listed: Mapping[str, tuple[str, ...]], detections: DetectionSet | None
) -> Iterator[KeyFault]:
    if "image" not in listed:
        what = "the list of duplicates has no column 'image'"
        yield KeyFault(LIST_KEY, what, f"name it image; it has {', '.join(listed) or 'none'}")
    elif detections is not None and listed["image"]:
        at = image_positions(listed["image"], detections)
        if (at < 0).all():
            what = f"none of {len(at)} listed duplicates is an image of {detections.name!r}"
            mend = choose_from(map(str, detections.images[:3]), listed["image"][0])
            yield KeyFault(LIST_KEY, what, mend)


def _domain_faults(settings: IntegritySettings, pipeline: Pipeline) -> Iterator[KeyFault]:
    if settings.pipeline is None or pipeline.gates is None:
        return
    key: Key = ("pipeline", "in_domain")
    known = sorted(set(pipeline.gates.domain.tolist()))
    if settings.pipeline.in_domain is None:
        if len(known) > 1:
            what = f"the gates know {len(known)} domains: {', '.join(map(repr, known[:10]))}"
            yield KeyFault(key, what, "name those the system is meant for: in_domain: […]")
        return
    for at, name in enumerate(settings.pipeline.in_domain):
        if name not in known:
            yield unknown_name("domain", name, known, key=(*key, at))


def _pipeline_faults(pipeline: Pipeline, detections: DetectionSet) -> Iterator[KeyFault]:
    key: Key = ("pipeline",)
    parts = (("gates", pipeline.gates), ("displayed findings", pipeline.shown))
    for name, part in parts:
        if part is None or not len(part.image):
            continue
        if (image_positions(np.unique(part.image.astype(str)), detections) < 0).all():
            what = f"no image of the {name} is one of detections {detections.name!r}"
            mend = choose_from(map(str, detections.images[:3]), str(part.image[0]))
            yield KeyFault(key, what, f"use the same identifiers; {mend}")
            return
    shown = pipeline.shown
    if shown is None or detections.predicted is None or not (shown.detection != "").any():
        return
    if not as_displayed(shown, detections).named_rows:
        what = "no displayed finding names a prediction of its image"
        mend = choose_from(map(str, detections.predicted.ids[:3]), str(shown.detection[0]))
        yield KeyFault(
            key, what, f"use the ids of the predictions (their rows without ids); {mend}"
        )


def _name_faults(
    settings: IntegritySettings, inputs: Inputs, detections: DetectionSet | None
) -> Iterator[KeyFault]:
    class_map = inputs.class_maps.get(settings.class_map or "")
    known = list(detections.categories) if detections else []
    if class_map is not None:
        known += class_map.model or ()
        known += [name for one in class_map.artefacts for name in one.classes]
    plain = {plain_name(name) for name in known}
    for name in settings.same_names if known else ():
        if plain_name(name) not in plain:
            yield unknown_name("class", name, sorted(set(known)), key=("same_names", name))
