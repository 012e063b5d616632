"""What the reported number becomes under another convention, or in another run."""

from __future__ import annotations

from collections.abc import Iterator

from reportgen.inputs.detections import DetectionSet
from reportgen.language import _, n_
from reportgen.sections.integrity.audits import Audited, Job
from reportgen.sections.integrity.evaluator_drift import (
    Against,
    against,
    convention_drift,
    own_conventions,
)
from reportgen.sections.integrity.evaluator_facts import CODES, Found, evaluator_facts, no_labels
from reportgen.sections.integrity.evaluator_rows import (
    convention_rows,
    crowded,
    cut_short,
    evaluate,
    never_predicted,
    pin_rows,
    without_boxes,
)
from reportgen.sections.integrity.joined import detections_of
from reportgen.sections.integrity.label_unmatched import unmatched_facts
from reportgen.sections.integrity.records import overall, recorded, split_up
from reportgen.sections.integrity.result_evaluation import Evaluator
from reportgen.sections.integrity.settings import EvaluatorSettings
from reportgen.stats.detection import CONVENTIONS
from reportgen.stats.detection.matching import COCO_MAX_DETECTIONS
from reportgen.wording import fixed, named, quoted

__all__ = ["CODES", "audit"]


def audit(job: Job) -> Audited:
    """Sum the same matches under every convention, and hold a second file against them.

    Returns
    -------
    Audited
        With an Evaluator; None if it was not asked for.
    """
    settings = job.settings.evaluator
    if settings is None:
        return Audited()
    detections = detections_of(job)
    reason = _not_testable(detections)
    if reason is not None or detections is None:
        pair = recorded(job, no_labels(reason or ""))
        return Audited(Evaluator("not testable", reason), *split_up([pair]))
    other = None if settings.against is None else job.inputs.detections.get(settings.against)
    needed = _needed(settings, detections, other)
    first = evaluate(detections, needed)
    held = _against(settings, first.detections, other, needed)
    wanted = tuple(CONVENTIONS) if settings.conventions == "all" else tuple(settings.conventions)
    rows = tuple(row for row in convention_rows(first) if row.convention in wanted)
    drift = convention_drift(first, settings.compare[0], settings.compare[1])
    pins = pin_rows(detections)
    found = Found(
        detections=detections,
        other=other,
        rows=rows,
        drift=drift,
        pins=pins,
        held=held,
        cut=(*cut_short(detections), *_cut_of(other)),
        without_boxes=without_boxes(detections),
        never_predicted=never_predicted(detections),
    )
    # Told with the boxes' geometry, unless that is not looked at.
    unmatched = () if job.settings.label_geometry else unmatched_facts(job)
    pairs = [recorded(job, facts) for facts in (*evaluator_facts(found), *unmatched)]
    predicted = detections.predicted
    result = Evaluator(
        *overall(pairs),
        rows=rows,
        drift=(*drift, *(held.rows if held else ())),
        pins=pins,
        n_images=len(detections.images),
        n_boxes=int((~detections.truth.crowd & ~detections.truth.ignore).sum()),
        n_detections=0 if predicted is None else len(predicted.ids),
        classes_without_boxes=found.without_boxes,
        predictions_sha256=detections.predictions_digest,
        against_sha256=other.predictions_digest if other else None,
        identical=held.identical if held else None,
        never_predicted=found.never_predicted,
        notes=(*found.cut, *_notes(detections)),
    )
    return Audited(result, *split_up(pairs))


def _cut_of(other: DetectionSet | None) -> Iterator[str]:
    """Yield how the predictions of the other run contradict their pins or begin too high."""
    for text in () if other is None else cut_short(other):
        yield named(quoted(other.name) if other else "", text)


def _not_testable(detections: DetectionSet | None) -> str | None:
    if detections is None:
        return _("no detections were named")
    if detections.predicted is None or detections.predicted.score is None:
        return _("detections {name} have no predictions with scores").format(
            name=repr(detections.name)
        )
    if not (~detections.truth.crowd & ~detections.truth.ignore).any():
        return _(
            "there is no labelled box: average precision is not defined (pycocotools prints −1)"
        )
    return None


def _needed(
    settings: EvaluatorSettings, detections: DetectionSet, other: DetectionSet | None
) -> tuple[str, ...]:
    """Return the conventions that anything here rests on, in the order they are shown."""
    wanted: set[str] = {*settings.compare}
    wanted |= set(CONVENTIONS) if settings.conventions == "all" else {*settings.conventions}
    if other is not None:
        wanted |= {*own_conventions(detections.pins, other.pins, settings.compare[0])[0]}
    return tuple(key for key in CONVENTIONS if key in wanted)


def _against(
    settings: EvaluatorSettings,
    detections: DetectionSet,
    other: DetectionSet | None,
    needed: tuple[str, ...],
) -> Against | None:
    if other is None or other.predicted is None or other.predicted.score is None:
        return None
    return against(evaluate(detections, needed), evaluate(other, needed), settings.compare[0])


def _notes(detections: DetectionSet) -> Iterator[str]:
    """Yield what a reader must know of the matches behind every convention."""
    yield _(
        "every convention rests on the same matches: of each class the {most} predictions of an"
        " image with the best scores; VOC with inclusive pixels has its own"
    ).format(most=COCO_MAX_DETECTIONS)
    predicted = detections.predicted
    if predicted is not None and (many := crowded(predicted, COCO_MAX_DETECTIONS)):
        yield n_(
            "{n} group of one image and class with more than {most} predictions: the others are"
            " left out",
            "{n} groups of one image and class with more than {most} predictions: the others are"
            " left out",
            many,
        ).format(n=fixed(many, 0), most=COCO_MAX_DETECTIONS)
