"""What is said of a pipeline: blocked images, lost sensitivity, accepted strangers."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from reportgen.language import _, mark, n_
from reportgen.result import Estimate
from reportgen.section import Code
from reportgen.sections.integrity.pipeline_funnel import Way
from reportgen.sections.integrity.pipeline_gates import ALL, ALL_GATES
from reportgen.sections.integrity.records import Facts, written_share
from reportgen.sections.integrity.result import Grade
from reportgen.sections.integrity.result_use import FunnelRow, GateRow
from reportgen.sections.integrity.settings import PipelineAudit
from reportgen.wording import clauses, estimate, fixed, percent, quoted, sentences

CODES: tuple[Code, ...] = (
    Code(
        "INT-070",
        ("fail", "warn", "pass", "note"),
        mark(
            "Gates stop images that the system is meant for: critical if they stop a larger share"
            " of the images of a class (or of all) than the manifest allows (most_blocked), else"
            " minor."
        ),
    ),
    Code(
        "INT-071",
        ("fail", "warn", "pass", "note"),
        mark(
            "Fewer images of a class are reported to the user, under its name, than the detector"
            " alone finds: major if the loss exceeds half the width of the latter's interval,"
            " else minor."
        ),
    ),
    Code(
        "INT-072",
        ("fail", "warn", "pass", "note"),
        mark(
            "Gates accept images that the system is not meant for: major if the share is shown to "
            "exceed 5 %, else minor."
        ),
    ),
    Code(
        "INT-073",
        ("note", "pass"),
        mark("Specificity: not testable where no image is without a finding; else stated."),
    ),
    Code("INT-074", ("note",), mark("What the pipeline's inputs leave open.")),
)

CHECK = "pipeline"
MOST_ACCEPTED = 0.05
NO_NEGATIVES = mark(
    "no negatives: every image that the labels list holds a finding, so neither specificity nor any"
    " figure of healthy images can be had"
)


@dataclass(frozen=True)
class Seen:
    """What was seen of a pipeline.

    Attributes
    ----------
    has_gates : bool
    gates : tuple of GateRow
    rejected, met : int
        Images that the system is meant for: stopped, and in all.
    outside : int
        Those of the latter that are not among the evaluation's.
    elsewhere : Estimate or None
        Share accepted of the images of other domains; None without such images.
    elsewhere_counts : (int, int)
    rows : tuple of FunnelRow
    specificity : Estimate or None
    no_negatives : bool
    analysed : Way or None
        None without detections.
    notes : tuple of text
    """

    has_gates: bool
    gates: tuple[GateRow, ...] = ()
    rejected: int = 0
    met: int = 0
    outside: int = 0
    elsewhere: Estimate | None = None
    elsewhere_counts: tuple[int, int] = (0, 0)
    rows: tuple[FunnelRow, ...] = ()
    specificity: Estimate | None = None
    no_negatives: bool = False
    analysed: Way | None = None
    notes: tuple[str, ...] = ()

    @property
    def origin(self) -> str:
        """Where it is known from what is displayed: "displayed", "class map" or ""."""
        display = None if self.analysed is None else self.analysed.display
        return "" if display is None else display.origin


def pipeline_facts(seen: Seen, settings: PipelineAudit) -> Iterator[Facts]:
    """Yield what each check of a pipeline found."""
    yield _blocked(seen, settings.most_blocked)
    yield _lost(seen)
    yield _strangers(seen)
    yield _negatives(seen)
    if seen.notes:
        yield Facts(
            "INT-074",
            CHECK,
            "pipeline",
            _("What the pipeline's inputs leave open"),
            _sentence(seen.notes),
            status="found",
            grade="info",
            evidence=seen.notes,
        )


def _sentence(notes: Sequence[str]) -> str:
    text = clauses(notes)
    return _("{sentence}.").format(sentence=f"{text[:1].upper()}{text[1:]}")


def _blocked(seen: Seen, most: float) -> Facts:
    base = Facts("INT-070", CHECK, "pipeline", _("Images stopped by gates"), "")
    if not seen.has_gates:
        return replace(base, statement=_("no gates were declared"), status="not testable")
    rows = [row for row in seen.gates if row.in_domain and row.gate == ALL_GATES and row.rejected]
    if not seen.met:
        return replace(
            base, statement=_("no image of a domain that is meant"), status="not testable"
        )
    total = written_share(seen.rejected, seen.met)
    counts = replace(base, k=seen.rejected, n=seen.met)
    if not rows:
        said = _("Gates stop {share} images that they are meant for.").format(share=total)
        return replace(counts, statement=sentences((said, *_outside(seen))))
    worst = max(rows, key=lambda row: (row.rejected / row.n, row.class_))
    blocked = [row for row in rows if row.rejected > most * row.n]
    said = _("Gates stop {share} images that the system is meant for.")
    if worst.class_ != ALL:
        said = _(
            "Gates stop {share} images that the system is meant for, most of all images with"
            " {class_}: {most}."
        )
    said = said.format(
        share=total,
        class_=quoted(worst.class_),
        most=written_share(worst.rejected, worst.n, worst.share_rejected),
    )
    limit = [_("The manifest allows {share} of a class.").format(share=percent(most))]
    return replace(
        counts,
        statement=sentences((said, *_outside(seen), *(limit if blocked else ()))),
        status="found",
        grade="critical" if blocked else "minor",
        evidence=[
            _("{domain}, {class_}: {share}").format(
                domain=row.domain or _("images"),
                class_=_(ALL) if row.class_ == ALL else row.class_,
                share=written_share(row.rejected, row.n),
            )
            for row in sorted(rows, key=lambda row: -row.rejected / row.n)
        ],
        affected_claim=_("sensitivity of the deployed system"),
        remedy=_(
            "measure each gate on images of every class; show a stopped image as not analysed"
        ),
        limits=_("A blank result of a stopped image is no negative finding."),
    )


def _outside(seen: Seen) -> Iterator[str]:
    """Yield how many of the images at the gates no figure of the evaluation rests on."""
    if seen.outside:
        yield n_(
            "{n} of the images at the gates is not among the evaluation's.",
            "{n} of the images at the gates are not among the evaluation's.",
            seen.outside,
        ).format(n=fixed(seen.outside, 0))


def _lost(seen: Seen) -> Facts:
    base = Facts("INT-071", CHECK, "pipeline", _("Sensitivity from end to end"), "")
    known = [
        row
        for row in seen.rows
        if row.image_sensitivity.estimate is not None and _alone(row).estimate is not None
    ]
    if not known:
        reason = _why_unknown(seen)
        return replace(base, statement=reason, status="not testable")
    worst = max(known, key=_loss)
    said = _told(worst)
    evidence = [_told(row) for row in sorted(known, key=_loss, reverse=True)]
    facts = replace(
        base,
        statement=_("{sentence}.").format(sentence=said),
        evidence=evidence,
        k=_reported(worst),
        n=worst.n,
        share=worst.image_sensitivity,
        before=_alone(worst).estimate,
        after=worst.image_sensitivity.estimate,
        affected_claim=_("sensitivity for {class_}").format(class_=worst.class_),
    )
    if _loss(worst) <= 0:
        return facts
    half = _half_width(_alone(worst))
    grade: Grade = "major" if _loss(worst) > half else "minor"
    return replace(
        facts,
        status="found",
        grade=grade,
        remedy=_("report sensitivity from end to end, by image and by class"),
        limits=_("Of images in the evaluation; users send others."),
    )


def _why_unknown(seen: Seen) -> str:
    if seen.analysed is None:
        return _("no detections were named: classes of images are not known")
    if not seen.rows:
        return _("no image of the evaluation holds a finding")
    row = seen.rows[0]
    reason = row.image_sensitivity.reason if row.image_sensitivity.estimate is None else None
    return reason or _alone(row).reason or _("nothing is displayed")


def _alone(row: FunnelRow) -> Estimate:
    """Return what the detector alone would report, else what the application without gates."""
    return row.image_sensitivity_of_detector or row.image_sensitivity_without_gates


def _loss(row: FunnelRow) -> float:
    before, after = _alone(row).estimate, row.image_sensitivity.estimate
    return 0.0 if before is None or after is None else before - after


def _half_width(found: Estimate) -> float:
    return 0.0 if found.low is None or found.high is None else (found.high - found.low) / 2


def _reported(row: FunnelRow) -> int | None:
    return None if row.misses is None else row.n - row.misses


def _told(row: FunnelRow) -> str:
    """Return one class in words: reported, found by the detector alone, misses never analysed."""
    reported, misses = _reported(row) or 0, row.misses or 0
    never = row.misses_never_analysed.estimate
    text = _(
        "{class_} is reported, under its name, on {share} of its images; the detector alone finds"
        " it on a share of {alone}"
    )
    if never is not None:
        text = _(
            "{class_} is reported, under its name, on {share} of its images; the detector alone"
            " finds it on a share of {alone}; of the misses {never} were never analysed"
        )
    return text.format(
        class_=quoted(row.class_),
        share=written_share(reported, row.n, row.image_sensitivity),
        alone=estimate(_alone(row)),
        never="" if never is None else written_share(round(never * misses), misses),
    )


def _strangers(seen: Seen) -> Facts:
    base = Facts("INT-072", CHECK, "pipeline", _("Images the system is not meant for"), "")
    k, n = seen.elsewhere_counts
    if not seen.has_gates:
        return replace(base, statement=_("no gates were declared"), status="not testable")
    if seen.elsewhere is None:
        reason = _("no image of a domain that the system is not meant for")
        return replace(base, statement=reason, status="not testable")
    said = _("Gates accept {share} images of other domains.")
    said = said.format(share=written_share(k, n, seen.elsewhere))
    facts = replace(base, statement=said, k=k, n=n)
    if not k:
        return facts
    low = seen.elsewhere.low
    return replace(
        facts,
        status="found",
        grade="major" if low is not None and low > MOST_ACCEPTED else "minor",
        remedy=_("say what is accepted; test gates on the images that users really send"),
        limits=_("The share holds for these images of other domains, not for those users send."),
    )


def _negatives(seen: Seen) -> Facts:
    base = Facts("INT-073", CHECK, "pipeline", _("Specificity"), "")
    if seen.analysed is None:
        reason = _("no detections were named: images without a finding are not known")
        return replace(base, statement=reason, status="not testable")
    if seen.no_negatives:
        return replace(base, statement=_(NO_NEGATIVES), status="not testable")
    found = seen.specificity
    if found is None or found.estimate is None:
        reason = _("not estimable") if found is None or found.reason is None else found.reason
        return replace(base, statement=reason, status="not testable")
    said = _("Of the analysed images without a finding {share} show none.")
    said = said.format(share=estimate(found))
    return replace(base, statement=said, share=found)
