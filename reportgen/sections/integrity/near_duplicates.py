"""Near duplicates between and within splits, by up to two detectors."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from reportgen.inputs.images import ImageSet
from reportgen.language import _, mark, p_
from reportgen.section import Code
from reportgen.sections.integrity.audits import Audited, Job, Pairs
from reportgen.sections.integrity.declared_sizes import size_facts
from reportgen.sections.integrity.joined import BOXES, Joined, image_labels, images_of, joined_of
from reportgen.sections.integrity.near_counts import all_pairs_count, nearest_bins, pair_count
from reportgen.sections.integrity.near_pictures import chosen_pairs, picture_rows
from reportgen.sections.integrity.near_rows import Flagged, flagged_pairs, read_verdicts, reviewed
from reportgen.sections.integrity.near_search import DEFINITION, Search, search
from reportgen.sections.integrity.near_words import (
    CHECK,
    WHY_LOWER_BOUND,
    all_facts,
    detector_facts,
    review_facts,
    split_facts,
    trouble_facts,
)
from reportgen.sections.integrity.records import Facts, overall, recorded, split_up
from reportgen.sections.integrity.result_partition import (
    AllPairsCount,
    DetectorRow,
    NearDuplicates,
    NearestBin,
    PairCount,
    ReviewRow,
)
from reportgen.sections.integrity.settings import NearDuplicatesSettings
from reportgen.sections.integrity.splits import SplitPair, split_pairs
from reportgen.sections.integrity.splits_left import (
    left_out_told,
    uncompared,
    uncompared_facts,
)
from reportgen.wording import clauses, fixed

CODES: tuple[Code, ...] = (
    Code(
        "INT-001",
        ("fail", "warn", "pass", "note"),
        mark(
            "Images of one split have near duplicates in another. Fail from 5 % of the images"
            " on, else a warning; the count is a lower bound."
        ),
    ),
    Code(
        "INT-002",
        ("note", "pass"),
        mark(
            "Images have near duplicates within their own split: fewer independent observations"
            " than images."
        ),
    ),
    Code(
        "INT-003",
        ("note",),
        mark("A detector cannot compare some images, or none: wdct needs sides of 64 pixels."),
    ),
    Code(
        "INT-004",
        ("warn", "note"),
        mark(
            "Images were not compared: unreadable, oversized, without contrast. A warning above"
            " 5 %."
        ),
    ),
    Code(
        "INT-005",
        ("note", "pass"),
        mark("What reviewers said of the flagged pairs: a note if any is no duplicate."),
    ),
    Code(
        "INT-006",
        ("note", "pass"),
        mark("Near duplicates among images that have no splits."),
    ),
)
VERDICTS = "near_duplicates.verdicts"
"""Key of the reviewers' table in `Inputs.lists`."""


@dataclass(frozen=True)
class _Report:
    """All that one detector adds to the result."""

    detector: DetectorRow
    counts: tuple[PairCount, ...] = ()
    sensitivity: tuple[PairCount, ...] = ()
    all_pairs: tuple[AllPairsCount, ...] = ()
    histogram: tuple[NearestBin, ...] = ()
    flagged: tuple[Flagged, ...] = ()
    reviewed: tuple[ReviewRow, ...] = ()
    facts: tuple[Facts, ...] = ()
    pairs: tuple[Pairs, ...] = ()


def audit(job: Job) -> Audited:
    """Search the images for near duplicates.

    Parameters
    ----------
    job : Job
        Images; boxes and verdicts where they are named.

    Returns
    -------
    Audited
        With a `NearDuplicates` and the `Pairs` of each detector that could be used, in the order of
        the manifest; without result if it was not asked for.
    """
    settings = job.settings.near_duplicates
    if settings is None:
        return Audited()
    images = images_of(job)
    if images is None or images.n_images < 2:
        reason = _("there are fewer than two images")
        if images is None:
            reason = _("no images are named")
        title = _("Near duplicates")
        facts = Facts("INT-001", CHECK, "partition", title, reason, "not testable")
        return Audited(NearDuplicates("not testable", reason), *split_up([recorded(job, facts)]))
    joined = joined_of(job)
    pairs = split_pairs(images, settings.between, within=True)
    reports = [
        _report(job, images, joined, pairs, search(images, detector, threshold))
        for detector, threshold in settings.detectors.items()
    ]
    return _audited(job, images, joined, settings, reports)


def _report(
    job: Job,
    images: ImageSet,
    joined: Joined | None,
    pairs: Sequence[SplitPair],
    found: Search,
) -> _Report:
    """Count, verify and word what one detector found."""
    n = int(found.comparable.sum())
    row = _detector_row(found, n)
    if row.reason is not None:
        return _Report(row, facts=tuple(detector_facts(row, images.n_images)))
    confidence = job.context.confidence
    asked = (found.threshold, *found.others)
    by_pair = [
        [pair_count(found, at, pair, joined, confidence=confidence) for at in asked]
        for pair in pairs
    ]
    everything = tuple(all_pairs_count(found, at, images) for at in asked)
    verdicts = read_verdicts(job.inputs.lists.get((job.settings.name, VERDICTS)))
    flagged = flagged_pairs(found, images, pairs, verdicts)
    rows = [one.row for one in flagged]
    review = (reviewed(found.detector, rows, confidence=confidence),) if verdicts else ()
    settings = job.settings.near_duplicates
    between = "all" if settings is None else settings.between
    left_out = left_out_told(uncompared(images, between))
    facts = [
        split_facts(found, pair, counts[0], counts[1:], rows, left_out=left_out)
        for pair, counts in zip(pairs, by_pair, strict=True)
    ]
    if images.split is None:
        facts.append(all_facts(found, everything, rows, n))
    facts.extend(detector_facts(row, images.n_images))
    facts.extend(review_facts(one, len(rows)) for one in review)
    across = [pair for pair in pairs if not pair.within]
    held: Sequence[SplitPair | None] = across or (None,)
    return _Report(
        row,
        tuple(counts[0] for counts in by_pair),
        tuple(one for counts in by_pair for one in counts[1:]),
        everything,
        tuple(one for pair in held for one in nearest_bins(found, pair)),
        flagged,
        review,
        tuple(facts),
        (_pairs(found),),
    )


def _detector_row(found: Search, n: int) -> DetectorRow:
    reason = None
    if n < 2:
        why = clauses(
            p_("images", "{k} {reason}").format(k=fixed(one.k, 0), reason=one.reason)
            for one in found.not_comparable
        )
        text = _("{detector} can compare {n} of {of} images: {why}")
        reason = text.format(detector=found.detector, n=n, of=len(found.comparable), why=why)
    return DetectorRow(
        found.detector,
        found.threshold,
        _(DEFINITION[found.detector]),
        n,
        found.not_comparable,
        "not testable" if reason else "found" if len(found.found) else "not found",
        reason,
    )


def _pairs(found: Search) -> Pairs:
    hits = found.found
    return Pairs(
        found.detector,
        hits.first,
        hits.second,
        np.asarray(hits.symmetry, dtype=np.intp),
        hits.distance,
        found.cluster,
    )


def _audited(
    job: Job,
    images: ImageSet,
    joined: Joined | None,
    settings: NearDuplicatesSettings,
    reports: Sequence[_Report],
) -> Audited:
    """Put the detectors' parts together, with the pictures of a few pairs of each."""
    labels = image_labels(images, joined, first=BOXES)
    usable = [one for one in reports if one.flagged]
    chosen: list[tuple[str, Flagged]] = []
    for at, report in enumerate(usable):
        most = settings.show // len(usable) + (at < settings.show % len(usable))
        chosen.extend(chosen_pairs(report.flagged, most))
    shown = settings.pictures == "show"
    rows, pictures = picture_rows(chosen, images, joined=joined, labels=labels, pictured=shown)
    facts = [fact for report in reports for fact in report.facts]
    of_images = (
        *trouble_facts(images),
        *uncompared_facts(uncompared(images, settings.between), CHECK),
        *size_facts(job, CHECK),
    )
    made = [recorded(job, fact) for fact in (*facts, *of_images)]
    status, reason = overall(made[: len(facts)])
    records, findings = split_up(made)
    result = NearDuplicates(
        status,
        reason,
        tuple(report.detector for report in reports),
        tuple(row for report in reports for row in report.counts),
        tuple(row for report in reports for row in report.sensitivity),
        tuple(row for report in reports for row in report.all_pairs),
        tuple(row for report in reports for row in report.histogram),
        tuple(one.row for report in reports for one in report.flagged),
        tuple(row for report in reports for row in report.reviewed),
        rows,
        _(WHY_LOWER_BOUND),
    )
    pairs = tuple(one for report in reports for one in report.pairs)
    return Audited(result, records, findings, pictures, pairs)
