"""Whether predictions follow the labels of the training copy; always exploratory."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from reportgen.inputs.images import ImageSet
from reportgen.language import _, mark
from reportgen.result import Estimate
from reportgen.section import Code
from reportgen.sections.integrity.audits import Audited, Job, Pairs
from reportgen.sections.integrity.joined import Joined, images_of, joined_of
from reportgen.sections.integrity.records import Facts, counted, recorded, split_up
from reportgen.sections.integrity.result_labels import Memorisation, MemorisationRow
from reportgen.sections.integrity.settings import MemorisationSettings
from reportgen.sections.integrity.splits import is_training
from reportgen.sections.integrity.twins import (
    Labelled,
    Twins,
    carried_labels,
    drawn_estimate,
    own_labels,
    pairs_of,
    predictions,
    twins_by_split,
    why_none,
)
from reportgen.stats.detection.boxes import greedy_f1
from reportgen.stats.duplicates import SYMMETRIES
from reportgen.stats.label_agreement import pooled_f1
from reportgen.wording import clauses, estimate, sentences, typed

CODES: tuple[Code, ...] = (
    Code(
        "INT-030",
        ("note", "pass"),
        mark(
            "Predictions lie nearer to the training copy's labels than to their own: consistent"
            " with memorised labels. Exploratory, so a note at most."
        ),
    ),
)
CHECK = "memorisation"
TITLE = mark("Predictions against the training copy's labels")
SEEN, UNSEEN = mark("seen"), mark("unseen")
UNDEFINED = mark("neither predictions nor labels on any pair")


def audit(job: Job) -> Audited:
    """Compare predictions with the labels of the training copy and with their own.

    Returns
    -------
    Audited
        With a `Memorisation`; without result if it was not asked for.
    """
    settings = job.settings.memorisation
    if settings is None:
        return Audited()
    images, pairs, joined = images_of(job), pairs_of(job), joined_of(job)
    if images is None or pairs is None or not len(pairs.image):
        return _untestable(job, why_none(job))
    if joined is None or joined.detections.predicted is None:
        return _untestable(job, _("there are no predicted boxes on these images"))
    twins = _training_twins(job, images, pairs, joined)
    if twins is None:
        reason = _("no pair of a training copy and another split has boxes on both")
        return _untestable(job, reason)
    rows = _rows(job, settings, joined, twins)
    made = [recorded(job, _facts(job, settings, rows))]
    status = made[0][0].status
    result = Memorisation(
        status, None, rows, tuple(settings.seen), settings.confidence, settings.iou
    )
    return Audited(result, *split_up(made))


def _untestable(job: Job, reason: str) -> Audited:
    facts = Facts("INT-030", CHECK, "model", _(TITLE), reason, "not testable")
    return Audited(Memorisation("not testable", reason), *split_up([recorded(job, facts)]))


def _training_twins(job: Job, images: ImageSet, pairs: Pairs, joined: Joined) -> Twins | None:
    """Return each image outside training with its nearest training copy, all splits together.

    Training is the split that is called so; where none is, the first of each two.
    """
    across = [one for one in twins_by_split(job, images, pairs) if one.first != one.second]
    named = [one for one in across if is_training(one.first)]
    known = (joined.at >= 0) & ~joined.turned
    parts = [one.take(known[one.image] & known[one.twin]) for one in named or across]
    parts = [one for one in parts if len(one)]
    if not parts:
        return None
    columns = ("image", "twin", "symmetry")
    image, twin, symmetry = (
        np.concatenate([getattr(one, name) for one in parts]) for name in columns
    )
    cluster = np.unique(pairs.cluster[image], return_inverse=True)[1].astype(np.intp)
    return Twins(parts[0].first, parts[0].second, image, twin, symmetry, cluster)


def _rows(
    job: Job, settings: MemorisationSettings, joined: Joined, twins: Twins
) -> tuple[MemorisationRow, ...]:
    """Return one row for the orientations that training could show, one for the others."""
    seen = np.isin(twins.symmetry, [SYMMETRIES.index(name) for name in settings.seen])
    return tuple(
        _row(job, settings, joined, twins.take(chosen), name)
        for name, chosen in ((SEEN, seen), (UNSEEN, ~seen))
    )


def _row(
    job: Job, settings: MemorisationSettings, joined: Joined, twins: Twins, orientation: str
) -> MemorisationRow:
    if not len(twins):
        reason = _("no pair has an orientation that was unseen")
        if orientation == SEEN:
            reason = _("no pair has an orientation that was seen")
        none = Estimate.missing(reason)
        return MemorisationRow(orientation, 0, 0, none, none, none)
    matched, boxes = [], []
    for image, twin, symmetry in zip(
        twins.image.tolist(), twins.twin.tolist(), twins.symmetry.tolist(), strict=True
    ):
        said = predictions(joined, image, confidence=settings.confidence)
        both = [carried_labels(joined, image, twin, symmetry), own_labels(joined, image)]
        found = [_against(said, labels, settings.iou) for labels in both]
        matched.append([one[0] for one in found])
        boxes.append([one[1] for one in found])
    figures = pooled_f1(
        np.array(matched, dtype=np.intp),
        np.array(boxes, dtype=np.intp),
        twins.cluster,
        rng=job.context.rng,
        resamples=job.context.resamples,
    )
    f1_twin, f1_own, difference = (
        drawn_estimate(job, one, twins.cluster, undefined=_(UNDEFINED)) for one in figures
    )
    clusters = len(np.unique(twins.cluster))
    return MemorisationRow(orientation, len(twins), clusters, f1_twin, f1_own, difference)


def _against(said: Labelled, labels: Labelled, iou: float) -> tuple[int, int]:
    found = greedy_f1(said.xywh, said.category, labels.xywh, labels.category, iou=iou)
    return found.matched, found.n_first + found.n_second


def _facts(job: Job, settings: MemorisationSettings, rows: Sequence[MemorisationRow]) -> Facts:
    seen, unseen = rows
    nearer = seen.difference.low is not None and seen.difference.low > 0
    reversed_ = unseen.difference.high is not None and unseen.difference.high < 0
    statement = _("Predictions with a score of {score} or more: {parts}.").format(
        score=typed(settings.confidence), parts=clauses(_part(row) for row in rows if row.pairs)
    )
    conclusion = _("That predictions follow the training copy's labels is not shown.")
    if nearer:
        conclusion = _("This is consistent with memorised training labels.")
    unexplained = ""
    if nearer and reversed_:
        unexplained = _("The reversed difference in the other orientations it does not explain.")
    summary = _("Training copy's labels against own: difference {difference} in orientations seen")
    return Facts(
        "INT-030",
        CHECK,
        "model",
        _(TITLE),
        sentences([statement, conclusion, unexplained]),
        "found" if nearer else "not found",
        "info" if nearer else None,
        seen.pairs,
        seen.pairs + unseen.pairs,
        affected_claim=_("That predictions on duplicates tell of pictures that were not seen"),
        remedy=_("Train without the duplicates, and compare again.") if nearer else "",
        limits=_(
            "Exploratory: which orientations training showed is declared, not observed, and the"
            " labels of both copies can be wrong."
        ),
        summary=summary.format(difference=estimate(seen.difference)),
        resamples=job.context.resamples,
    )


def _part(row: MemorisationRow) -> str:
    text = _(
        "on {pairs} in unseen orientation F1 is {f1_twin} against the training copy's labels and"
        " {f1_own} against their own, difference {difference}"
    )
    if row.orientation == SEEN:
        text = _(
            "on {pairs} in seen orientation F1 is {f1_twin} against the training copy's labels and"
            " {f1_own} against their own, difference {difference}"
        )
    return text.format(
        pairs=counted(row.pairs, "pair"),
        f1_twin=estimate(row.f1_twin),
        f1_own=estimate(row.f1_own),
        difference=estimate(row.difference),
    )
