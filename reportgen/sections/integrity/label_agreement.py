"""Whether both copies of a picture carry the same labels."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from reportgen.inputs.images import ImageSet
from reportgen.language import _, mark
from reportgen.result import Estimate
from reportgen.section import Code
from reportgen.sections.integrity.audits import Audited, Job
from reportgen.sections.integrity.joined import (
    BOXES,
    ImageLabels,
    Joined,
    image_labels,
    images_of,
    joined_of,
)
from reportgen.sections.integrity.leakage_described import label_text
from reportgen.sections.integrity.records import (
    MAJOR_SHARE,
    Facts,
    counted,
    overall,
    recorded,
    share_of,
    split_up,
    stated,
    written_share,
)
from reportgen.sections.integrity.result import Grade
from reportgen.sections.integrity.result_labels import (
    AgreementRow,
    ClassAgreementRow,
    LabelAgreement,
)
from reportgen.sections.integrity.splits import is_training
from reportgen.sections.integrity.twins import (
    Twins,
    carried_labels,
    drawn_estimate,
    own_labels,
    pairs_of,
    twins_by_split,
    why_none,
)
from reportgen.stats.detection.boxes import greedy_f1
from reportgen.stats.label_agreement import class_agreement, pooled_f1
from reportgen.wording import estimate, named, quoted

BoolArray = NDArray[np.bool_]

CODES: tuple[Code, ...] = (
    Code(
        "INT-025",
        ("fail", "warn", "pass", "note"),
        mark(
            "The two copies of a picture carry different sets of labels. Fail from 5 % of the"
            " pairs "
            "on, except within training; with F1 of their boxes, where there are any, and kappa."
        ),
    ),
)
CHECK = "label_agreement"
TITLE = mark("Differing labels of duplicate pairs")
TITLE_WITHIN = mark("Differing labels of duplicate pairs within {second}")
TITLE_OF = mark("Differing labels of duplicate pairs of {first} and {second}")
MOST_NAMED = 20
TURNED = mark(
    "the boxes of every pair lie in a picture that is not upright: width and height swapped"
)


@dataclass(frozen=True)
class _Compared:
    """The rows of two splits, with examples of pairs whose labels differ."""

    row: AgreementRow
    classes: tuple[ClassAgreementRow, ...]
    differing: tuple[str, ...]
    left_out: int


def audit(job: Job) -> Audited:
    """Compare the labels of the two pictures of each near-duplicate pair.

    Labels are the classes of the boxes where images have boxes, else the images' own.

    Returns
    -------
    Audited
        With a `LabelAgreement`; without result if it was not asked for.
    """
    settings = job.settings.label_agreement
    if settings is None:
        return Audited()
    images, pairs = images_of(job), pairs_of(job)
    if images is None or pairs is None or not len(pairs.image):
        return _untestable(job, why_none(job))
    joined = joined_of(job)
    labels = image_labels(images, joined, first=BOXES)
    if labels is None:
        return _untestable(job, _("neither boxes nor images have labels"))
    compared = [
        one
        for twins in twins_by_split(job, images, pairs)
        if (one := _compared(job, images, twins, labels, joined)) is not None
    ]
    if not compared:
        return _untestable(job, _("no duplicate pair has labels on both sides"))
    made = [recorded(job, _facts(job, one, labels)) for one in compared]
    result = LabelAgreement(
        *overall(made),
        tuple(one.row for one in compared),
        tuple(row for one in compared for row in one.classes),
        settings.iou if labels.origin == BOXES else None,
    )
    return Audited(result, *split_up(made))


def _untestable(job: Job, reason: str) -> Audited:
    facts = Facts("INT-025", CHECK, "label", _(TITLE), reason, "not testable")
    return Audited(LabelAgreement("not testable", reason), *split_up([recorded(job, facts)]))


def _compared(
    job: Job, images: ImageSet, twins: Twins, labels: ImageLabels, joined: Joined | None
) -> _Compared | None:
    """Return the agreement over the pairs of two splits; None if no pair has both labels."""
    known = np.array(
        [
            labels.sets[image] is not None and labels.sets[twin] is not None
            for image, twin in zip(twins.image, twins.twin, strict=True)
        ],
        dtype=bool,
    )
    left_out, twins = int(np.count_nonzero(~known)), twins.take(known)
    if not len(twins):
        return None
    own, other = _presence(labels, twins.image), _presence(labels, twins.twin)
    same = (own == other).all(axis=1)
    k, n = int(same.sum()), len(twins)
    box_f1 = _box_f1(job, twins, joined if labels.origin == BOXES else None)
    kappa, classes = _kappas(job, twins, labels, own, other)
    row = AgreementRow(
        twins.first,
        twins.second,
        k,
        n,
        share_of(k, n, confidence=job.context.confidence),
        box_f1,
        kappa,
    )
    differing = tuple(
        " | ".join(
            named(images.ids[one], label_text(labels.sets[one]))
            for one in (twins.image[at], twins.twin[at])
        )
        for at in np.flatnonzero(~same)[:MOST_NAMED]
    )
    return _Compared(row, classes, differing, left_out)


def _presence(labels: ImageLabels, at: NDArray[np.intp]) -> BoolArray:
    """Return which of the images at `at` have which label, (p, C)."""
    sets = [labels.sets[one] or frozenset() for one in at]
    return np.array([[name in one for name in labels.names] for one in sets], dtype=bool).reshape(
        len(at), len(labels.names)
    )


def _box_f1(job: Job, twins: Twins, joined: Joined | None) -> Estimate:
    """Return F1 of the boxes of both copies, the twin's carried through the symmetry."""
    if joined is None or job.settings.label_agreement is None:
        return Estimate.missing(_("the labels are those of images, without boxes"))
    iou = job.settings.label_agreement.iou
    twins = twins.take(~(joined.turned[twins.image] | joined.turned[twins.twin]))
    if not len(twins):
        return Estimate.missing(_(TURNED))
    counts = []
    for image, twin, symmetry in zip(
        twins.image.tolist(), twins.twin.tolist(), twins.symmetry.tolist(), strict=True
    ):
        own, other = own_labels(joined, image), carried_labels(joined, image, twin, symmetry)
        found = greedy_f1(own.xywh, own.category, other.xywh, other.category, iou=iou)
        counts.append((found.matched, found.n_first + found.n_second))
    table = np.array(counts, dtype=np.intp)
    (drawn,) = pooled_f1(
        table[:, :1],
        table[:, 1:],
        twins.cluster,
        rng=job.context.rng,
        resamples=job.context.resamples,
    )
    return drawn_estimate(
        job, drawn, twins.cluster, undefined=_("no box on either side of any pair")
    )


def _kappas(
    job: Job, twins: Twins, labels: ImageLabels, own: BoolArray, other: BoolArray
) -> tuple[Estimate, tuple[ClassAgreementRow, ...]]:
    """Return kappa over all classes, and the row of each class."""
    if not labels.names:
        return Estimate.missing(_("no image has a label")), ()
    found = class_agreement(
        own, other, twins.cluster, rng=job.context.rng, resamples=job.context.resamples
    )
    undefined = _("0/0: all pairs agree by necessity, for the class is always or never there")
    rows = []
    for name, cells, drawn in zip(labels.names, found.cells.tolist(), found.kappa, strict=True):
        both, image_only, twin_only, neither = cells
        kappa = drawn_estimate(job, drawn, twins.cluster, undefined=undefined)
        row = ClassAgreementRow(
            twins.first, twins.second, name, both, image_only, twin_only, neither, kappa
        )
        rows.append(row)
    total = drawn_estimate(job, found.overall, twins.cluster, undefined=undefined)
    return total, tuple(rows)


def _facts(job: Job, one: _Compared, labels: ImageLabels) -> Facts:
    row = one.row
    wrong = row.n - row.k
    title = _(TITLE_OF)
    statement = _(
        "{share} duplicate pairs of {first} and {second} carry the same set of labels ({origin})"
    )
    summary = _("{share} duplicate pairs of {first} and {second} have the same labels")
    if row.split == row.twin_split:
        title = _(TITLE_WITHIN)
        statement = _(
            "{share} duplicate pairs within {second} carry the same set of labels ({origin})"
        )
        summary = _("{share} duplicate pairs within {second} have the same labels")
    splits = {"first": quoted(row.split), "second": quoted(row.twin_split)}
    statement = statement.format(
        share=written_share(row.k, row.n, row.share), origin=_(labels.origin), **splits
    )
    # Pairs within training touch no evaluation label.
    evaluated = row.split != row.twin_split or not is_training(row.split)
    grade: Grade = "major" if evaluated and wrong >= MAJOR_SHARE * row.n else "minor"
    return Facts(
        "INT-025",
        CHECK,
        "label",
        title.format(**splits),
        stated([statement, *_details(row, one, labels.assumed)]),
        "found" if wrong else "not found",
        grade if wrong else None,
        row.k,
        row.n,
        affected_claim=_("Every figure against the labels of {second}").format(**splits),
        remedy=_("Have the differing pairs labelled again, blind to the first labels.")
        if wrong
        else "",
        evidence=one.differing,
        limits=_(
            "Which copy is labelled rightly is not known; a copy that was cropped can rightly"
            " lack a label. The interval takes pairs to be independent."
        ),
        summary=summary.format(share=written_share(row.k, row.n), **splits),
        resamples=job.context.resamples,
    )


def _details(row: AgreementRow, one: _Compared, assumed: int) -> Iterator[str]:
    if row.box_f1.estimate is not None:
        yield _("F1 of their boxes {figure}").format(figure=estimate(row.box_f1))
    if row.kappa.estimate is not None:
        yield _("kappa over all classes {figure}").format(figure=estimate(row.kappa))
    if one.left_out:
        pairs = counted(one.left_out, "pair")
        yield _("{pairs} without labels on both sides left out").format(pairs=pairs)
    if assumed:
        text = _("{images} that the table of boxes does not name count as empty")
        yield text.format(images=counted(assumed, "image"))
