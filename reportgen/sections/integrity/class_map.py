"""Does what is displayed bear the name of what was found? The class map against the model."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from reportgen.inputs.deployed import ClassMap
from reportgen.inputs.detections import DetectionSet
from reportgen.section import Code
from reportgen.sections.integrity.audits import Audited, Job
from reportgen.sections.integrity.class_map_inferred import Suggestion, suggestion
from reportgen.sections.integrity.class_map_rows import (
    ModelNames,
    copy_rows,
    model_names,
    row_of_map,
    threshold_rows,
    wrong_findings,
    wrong_names,
)
from reportgen.sections.integrity.display import Display, clusters, map_rows, name_book
from reportgen.sections.integrity.joined import detections_of
from reportgen.sections.integrity.names import NameBook
from reportgen.sections.integrity.pipeline import gates_and_display
from reportgen.sections.integrity.records import (
    Facts,
    counted,
    overall,
    recorded,
    split_up,
    written_share,
)
from reportgen.sections.integrity.result_use import (
    ClassMapAudit,
    CopyRow,
    MapRow,
    ThresholdRow,
    WrongNames,
)
from reportgen.wording import estimate, quoted

CODES: tuple[Code, ...] = (
    Code(
        "INT-075",
        ("fail", "warn", "pass", "note"),
        "Displayed names against the model's: classes that are shown under the name of another "
        "(critical), or under a spelling that is only near (minor). Not testable where the model's "
        "own names are not known.",
    ),
    Code(
        "INT-076",
        ("fail", "pass", "note"),
        "Displayed findings that bear a wrong name, and images on which every name is wrong "
        "(critical).",
    ),
    Code(
        "INT-077",
        ("fail", "pass", "note"),
        "Predictions shown or hidden because the threshold was looked up by the wrong name "
        "(major).",
    ),
    Code(
        "INT-078",
        ("fail", "pass", "note"),
        "Another assignment of names to classes explains the labelled boxes better than the names "
        "as shown, with an interval of the gain above zero (critical).",
    ),
    Code(
        "INT-079",
        ("fail", "pass", "note"),
        "Deployed copies of the class map that carry wrong names (critical).",
    ),
)

CHECK = "class_map"
LEAST, IOU = 0.25, 0.5
"""Score and overlap where the section has no pipeline to say them."""
COMPARED = (
    "Names are compared without capitals, with one blank for blanks, hyphens and underscores, and"
    " as declared under same_names."
)


@dataclass(frozen=True)
class _Use:
    """What the map does to the predictions; empty without detections."""

    wrong: tuple[WrongNames, ...] = ()
    thresholds: tuple[ThresholdRow, ...] = ()
    found: Suggestion | None = None
    origin: str = ""
    why_not: str = "no detections were named"
    notes: tuple[str, ...] = ()


def audit(job: Job) -> Audited:
    """Hold the displayed names against the model's, and count what users were shown (methods §3).

    Returns
    -------
    Audited
        With a ClassMapAudit; None if no class map was named.
    """
    if job.settings.class_map is None:
        return Audited()
    class_map = job.inputs.class_maps[job.settings.class_map]
    book, names = name_book(job), model_names(class_map)
    detections = detections_of(job)
    if names.origin not in ("", "class map"):
        book = replace(book, classes=[name for name in names.names if name])
    plain = row_of_map(class_map, names, {}, book)
    use = _Use() if detections is None else _displayed(job, class_map, plain, detections, book)
    inferred = use.found.names if use.found else {}
    rows = row_of_map(class_map, names, inferred, book)
    copies = copy_rows(class_map, names, inferred, book)
    facts = [*_facts(rows, names, use, copies)]
    pairs = [recorded(job, _with_draws(one, job, use)) for one in facts]
    known = [row for row in rows if row.model is not None]
    result = ClassMapAudit(
        *overall(pairs),
        rows,
        sum(row.same is False for row in known) if known else None,
        len(known) or None,
        use.wrong,
        use.thresholds,
        use.found.summary if use.found else None,
        copies,
        names.origin,
        use.origin,
        use.notes,
    )
    return Audited(result, *split_up(pairs))


def _with_draws(facts: Facts, job: Job, use: _Use) -> Facts:
    """Return the facts with the number of draws, where the check drew any."""
    drawn = facts.code == "INT-078" and use.found is not None
    return replace(facts, resamples=job.context.resamples) if drawn else facts


def _displayed(
    job: Job,
    class_map: ClassMap,
    rows: tuple[MapRow, ...],
    detections: DetectionSet,
    book: NameBook,
) -> _Use:
    settings = job.settings.pipeline
    pipeline = None if settings is None else job.inputs.pipelines[settings.of]
    least, iou = (LEAST, IOU) if settings is None else (settings.confidence, settings.iou)
    _, _, display, _ = gates_and_display(job, pipeline, detections, least=least)
    if detections.predicted is None:
        return _Use(why_not="there are no predictions")
    known = map_rows(class_map, detections, book)
    thresholds = threshold_rows(rows, detections, known)
    if display is None and (known < 0).all():
        return _Use(why_not="no class of the detections is in the class map")
    if display is None or not len(display.row):
        return _Use(thresholds=thresholds, why_not="nothing is displayed")
    if not display.named_rows:
        reason = "the table of displayed findings does not name their predictions"
        return _Use(thresholds=thresholds, origin=display.origin, why_not=reason)
    unit = clusters(job, detections)
    wrong = wrong_findings(display, detections, book)
    return _Use(
        wrong=wrong_names(display, wrong, detections, unit, job.context.confidence),
        thresholds=thresholds,
        found=suggestion(display, detections, unit, book, job, iou=iou),
        origin=display.origin,
        why_not="no displayed finding meets a labelled box",
        notes=tuple(_notes(display)),
    )


def _notes(display: Display) -> Iterator[str]:
    unknown = int(((display.row < 0) | (display.image < 0)).sum())
    if unknown:
        yield (
            f"{counted(unknown, 'displayed finding')} left out: their prediction or image is not"
            " known"
        )
    yield (
        "findings are single predictions; images without a displayed finding stay in the"
        " denominator of “images”"
    )


def _sentence(notes: Sequence[str]) -> str:
    text = "; ".join(notes)
    return f"{text[:1].upper()}{text[1:]}." if text else ""


def _facts(
    rows: Sequence[MapRow], names: ModelNames, use: _Use, copies: Sequence[CopyRow]
) -> Iterator[Facts]:
    yield _named(rows, names)
    yield _shown(use)
    yield _thresholds(rows, use)
    yield _inferred(use)
    yield _copies(copies)


def _named(rows: Sequence[MapRow], names: ModelNames) -> Facts:
    base = Facts("INT-075", CHECK, "display", "Displayed names against the model's", "")
    known = [row for row in rows if row.model is not None]
    if not known:
        reason = "neither the class map nor an artefact names the model's own classes"
        return replace(base, statement=reason, status="not testable")
    wrong = [row for row in known if row.same is False]
    near = [row for row in known if row.same is None]
    source = "" if names.origin == "class map" else f" (as {quoted(names.origin)} has them)"
    told = f"{written_share(len(wrong), len(known))} classes are shown under a wrong name{source}"
    spelt = "; ".join(f"{quoted(row.model or '')} as {quoted(row.shown)}" for row in near)
    also = f" Nearly the same spelling, not counted: {spelt}." if near else ""
    counts = replace(base, k=len(wrong), n=len(known), interval=False, limits=COMPARED)
    if not wrong and not near:
        return replace(counts, statement=f"{told}.")
    listed = "; ".join(f"{quoted(row.model or '')} as {quoted(row.shown)}" for row in wrong)
    return replace(
        counts,
        statement=f"{told}{f': {listed}' if wrong else ''}.{also}",
        status="found",
        grade="critical" if wrong else "minor",
        evidence=[f"{row.index}: {row.model} shown as {row.shown}" for row in (*wrong, *near)],
        affected_claim="every name that a user is shown",
        remedy="generate the displayed names from the checkpoint; test each name end to end",
    )


def _shown(use: _Use) -> Facts:
    base = Facts("INT-076", CHECK, "display", "Findings under a wrong name", "")
    if not use.wrong:
        return replace(base, statement=use.why_not, status="not testable")
    of = {row.of: row for row in use.wrong}
    findings, images = of["findings"], of["images"]
    how = " (worked out from the class map)" if use.origin == "class map" else ""
    said = (
        f"{written_share(findings.k, findings.n, findings.share)} displayed findings{how} bear a"
        f" wrong name; on {written_share(images.k, images.n, images.share)} images every name shown"
        " is wrong."
    )
    facts = replace(
        base,
        statement=said,
        k=findings.k,
        n=findings.n,
        share=findings.share,
        limits=_sentence(use.notes),
    )
    if not findings.k:
        return facts
    return replace(
        facts,
        status="found",
        grade="critical",
        affected_claim="what users were told",
        remedy="withdraw what was displayed; correct the class map in every copy",
    )


def _thresholds(rows: Sequence[MapRow], use: _Use) -> Facts:
    base = Facts("INT-077", CHECK, "display", "Thresholds of the wrong name", "")
    if not use.thresholds:
        wrong = [row for row in rows if row.same is False]
        if rows and not wrong and all(row.same is not None for row in rows):
            said = "No class is shown under another name, so no threshold follows a wrong one."
            return replace(base, statement=said)
        reason = "thresholds, predictions or the names they belong to are not known"
        return replace(base, statement=reason, status="not testable")
    shown = sum(row.wrongly_shown for row in use.thresholds)
    hidden = sum(row.wrongly_hidden for row in use.thresholds)
    n = sum(row.n for row in use.thresholds)
    said = (
        f"Of {counted(n, 'prediction')} of wrongly named classes {shown:,} are shown and"
        f" {hidden:,} hidden because the threshold follows the wrong name."
    )
    facts = replace(base, statement=said, k=shown + hidden, n=n, interval=False)
    if not shown + hidden:
        return facts
    return replace(
        facts,
        status="found",
        grade="major",
        evidence=[
            f"{row.model} as {row.shown_as}: {row.threshold_used:g} for {row.threshold_meant:g},"
            f" {row.wrongly_shown} shown, {row.wrongly_hidden} hidden"
            for row in use.thresholds
        ],
        remedy="look thresholds up by class index",
        limits="Before gates; the effect of the names themselves is counted apart.",
    )


def _inferred(use: _Use) -> Facts:
    base = Facts("INT-078", CHECK, "display", "Names inferred from what they were shown on", "")
    if use.found is None:
        return replace(base, statement=use.why_not, status="not testable")
    one = use.found.summary
    crossed = one.gain_crossed or one.gain
    said = (
        f"Of {one.matched:,} displayed findings on a labelled box the names as shown explain"
        f" {one.diagonal:,}, the best assignment {one.best:,};"
        f" {counted(one.classes_moved, 'name')} would stand for another class. Chosen on one half"
        f" of the images and counted on the other it gains {estimate(crossed)} of them."
    )
    facts = replace(
        base,
        statement=said,
        limits="What is inferred is which class a name is mostly shown on, not what was meant.",
    )
    if not one.classes_moved or crossed.low is None or crossed.low <= 0:
        return facts
    return replace(
        facts,
        status="found",
        grade="critical",
        evidence=[f"{name} stands for {of}" for name, of in use.found.names.items()],
        remedy="compare the order of the classes with the checkpoint's own",
    )


def _copies(copies: Sequence[CopyRow]) -> Facts:
    base = Facts("INT-079", CHECK, "display", "Copies of the class map", "")
    known = [row for row in copies if row.affected is not None]
    if not known:
        reason = "no other copy was named" if not copies else "the right names are not known"
        return replace(base, statement=reason, status="not testable")
    hit = [row for row in known if row.affected]
    said = f"{written_share(len(hit), len(known))} copies checked carry wrong names."
    facts = replace(base, statement=said, k=len(hit), n=len(known), interval=False)
    if not hit:
        return facts
    return replace(
        facts,
        status="found",
        grade="critical",
        evidence=[
            f"{row.copy}: {row.wrong} of {row.classes} wrong, sha256 {row.digest[:12]}"
            f"{', the same file' if row.same_file else ''}"
            for row in hit
        ],
        remedy="correct each copy and compare its digest afterwards",
    )
