"""From benchmark to user: which images and findings get through the deployed pipeline."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from reportgen.inputs.deployed import Pipeline
from reportgen.inputs.detections import DetectionSet
from reportgen.language import _, n_
from reportgen.result import Estimate
from reportgen.sections.integrity.audits import Audited, Job
from reportgen.sections.integrity.display import (
    Display,
    as_displayed,
    clusters,
    deployed_thresholds,
    image_positions,
    map_rows,
    name_book,
    on_images,
    repeats_told,
    work_out,
)
from reportgen.sections.integrity.joined import detections_of
from reportgen.sections.integrity.pipeline_facts import CODES, Seen, pipeline_facts
from reportgen.sections.integrity.pipeline_funnel import (
    Way,
    funnel_row,
    hits_by_class,
    images_with,
    specificity,
)
from reportgen.sections.integrity.pipeline_gates import (
    Passage,
    accepted_elsewhere,
    gate_rows,
    inside,
    passage,
)
from reportgen.sections.integrity.records import overall, recorded, share_of, split_up
from reportgen.sections.integrity.result_use import FunnelRow, GateRow, PipelineFunnel
from reportgen.sections.integrity.settings import PipelineAudit
from reportgen.sections.integrity.shares import BoolArray, IntArray, codes
from reportgen.wording import fixed, quoted, separated

__all__ = ["CODES", "audit", "gates_and_display"]


def audit(job: Job) -> Audited:
    """Follow the images of the evaluation through gates, detector, threshold, display and names.

    Returns
    -------
    Audited
        With a PipelineFunnel; None if it was not asked for.
    """
    settings = job.settings.pipeline
    if settings is None:
        return Audited()
    pipeline = job.inputs.pipelines[settings.of]
    detections = detections_of(job)
    found = None if pipeline.gates is None else passage(pipeline.gates)
    seen = _gates(job, settings, found, detections)
    rows: tuple[FunnelRow, ...] = ()
    exact: Estimate | None = Estimate.missing(_("no detections were named"))
    notes = list(seen.notes)
    if detections is not None:
        way, more = _way(job, settings, pipeline, found, detections)
        notes += more
        held = [at for at in range(len(detections.categories)) if images_with(detections, at).any()]
        rows = tuple(funnel_row(way, at) for at in held)
        exact = specificity(way)
        seen = replace(seen, analysed=way, no_negatives=exact is None)
    seen = replace(seen, rows=rows, specificity=exact, notes=tuple(notes))
    pairs = [recorded(job, facts) for facts in pipeline_facts(seen, settings)]
    result = PipelineFunnel(
        *overall(pairs),
        rows,
        seen.gates,
        exact or Estimate.missing(_("not testable: no negatives")),
        seen.elsewhere or Estimate.missing(_("not testable: no image of another domain")),
        seen.origin,
        seen.notes,
    )
    return Audited(result, *split_up(pairs))


def _gates(
    job: Job, settings: PipelineAudit, found: Passage | None, detections: DetectionSet | None
) -> Seen:
    """Return what the gates did, before any finding is looked at."""
    if found is None:
        return Seen(has_gates=False)
    confidence = job.context.confidence
    meant = inside(found.domain, settings.in_domain)
    classes: list[tuple[str, BoolArray]] = []
    unit = codes(found.names)
    outside = 0
    if detections is not None:
        at = image_positions(found.names, detections)
        for category, name in enumerate(detections.categories):
            held = images_with(detections, category)
            classes.append((name, (at >= 0) & held[at]))
        unit = _units(at, clusters(job, detections))
        outside = int(np.count_nonzero(meant & (at < 0)))
    gates: tuple[GateRow, ...] = gate_rows(
        found, in_domain=meant, classes=classes, unit=unit, confidence=confidence
    )
    k, n = accepted_elsewhere(found, meant)
    elsewhere = share_of(k, n, confidence=confidence) if n else None
    return Seen(
        has_gates=True,
        gates=gates,
        rejected=int((meant & ~found.accepted).sum()),
        met=int(meant.sum()),
        outside=outside,
        elsewhere=elsewhere,
        elsewhere_counts=(k, n),
    )


def _units(at: IntArray, unit: IntArray) -> IntArray:
    """Return the patient of each image at the gates; others are units of their own."""
    alone = len(unit) + np.arange(len(at))
    return np.where(at >= 0, unit[at], alone).astype(np.intp)


def gates_and_display(
    job: Job, pipeline: Pipeline | None, detections: DetectionSet, *, least: float
) -> tuple[BoolArray, BoolArray, Display | None, Display | None]:
    """Return which images were accepted, which decided on, what is displayed, and what would be.

    Parameters
    ----------
    job : Job
    pipeline : Pipeline or None
        Without one every image is accepted, and the class map alone says what is displayed.
    detections : DetectionSet
    least : float
        Score from which something is displayed, where the class map has no thresholds.
    """
    n = len(detections.images)
    accepted = decided = np.ones(n, dtype=np.bool_)
    if pipeline is not None and pipeline.gates is not None:
        found = passage(pipeline.gates)
        at = image_positions(found.names, detections)
        accepted, decided = np.zeros(n, dtype=np.bool_), np.zeros(n, dtype=np.bool_)
        decided[at[at >= 0]] = True
        accepted[at[(at >= 0) & found.accepted]] = True
    class_map = job.inputs.class_maps.get(job.settings.class_map or "")
    simulated = None
    if class_map is not None:
        rows = map_rows(class_map, detections, name_book(job))
        if (rows >= 0).any():  # a map of other classes says nothing of these
            simulated = work_out(class_map, detections, rows, least=least)
    if pipeline is not None and pipeline.shown is not None:
        return accepted, decided, as_displayed(pipeline.shown, detections), simulated
    display = None if simulated is None else on_images(simulated, accepted)
    return accepted, decided, display, simulated


def _way(
    job: Job,
    settings: PipelineAudit,
    pipeline: Pipeline,
    found: Passage | None,
    detections: DetectionSet,
) -> tuple[Way, list[str]]:
    accepted, decided, display, simulated = gates_and_display(
        job, pipeline, detections, least=settings.confidence
    )
    book = name_book(job)
    class_map = job.inputs.class_maps.get(job.settings.class_map or "")
    rows = (
        np.full(len(detections.categories), -1, dtype=np.intp)
        if class_map is None
        else map_rows(class_map, detections, book)
    )
    way = Way(
        detections=detections,
        accepted=accepted,
        decided=decided,
        unit=clusters(job, detections),
        hits=hits_by_class(detections, settings.iou),
        threshold=deployed_thresholds(class_map, rows),
        display=display,
        simulated=simulated,
        book=book,
        least=settings.confidence,
        confidence=job.context.confidence,
    )
    notes = _notes(way, found)
    absent = [name for name, row in zip(detections.categories, rows, strict=True) if row < 0]
    if class_map is not None and absent:
        text = _("not in the class map: {names}")
        notes.append(text.format(names=separated(map(quoted, absent))))
    return way, notes


def _notes(way: Way, found: Passage | None) -> list[str]:
    """Return what a reader must know of the inputs."""
    notes = []
    blank = int((~way.decided).sum())
    if blank:
        notes.append(
            n_(
                "{n} image of the evaluation without a decision of a gate, counted as not analysed",
                "{n} images of the evaluation without a decision of a gate, counted as not"
                " analysed",
                blank,
            ).format(n=fixed(blank, 0))
        )
    if found is not None and (image_positions(found.names, way.detections) < 0).all():
        notes.append(_("no image at the gates is one of the evaluation's"))
    display = way.display
    if display is not None:
        notes += repeats_told(display)
        lost = int((display.image < 0).sum())
        if lost:
            text = n_(
                "{n} displayed finding on images outside the evaluation",
                "{n} displayed findings on images outside the evaluation",
                lost,
            )
            notes.append(text.format(n=fixed(lost, 0)))
        on_stopped = int((~way.accepted[display.image[display.image >= 0]]).sum())
        if on_stopped:
            text = n_(
                "{n} finding displayed on images that gates stopped",
                "{n} findings displayed on images that gates stopped",
                on_stopped,
            )
            notes.append(text.format(n=fixed(on_stopped, 0)))
        unknown = int(((display.row < 0) & (display.image >= 0)).sum())
        if unknown and display.named_rows:
            text = n_(
                "{n} displayed finding name no known prediction",
                "{n} displayed findings name no known prediction",
                unknown,
            )
            notes.append(text.format(n=fixed(unknown, 0)))
    if np.isnan(way.threshold).all() and way.hits is not None:
        notes.append(
            _("no deployed thresholds are known: the score that counts as detected is used")
        )
    return notes
