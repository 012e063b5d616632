"""Does what is displayed bear the name of what was found? The class map against the model."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from reportgen.inputs.deployed import ClassMap
from reportgen.inputs.detections import DetectionSet
from reportgen.language import _, mark, n_
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
from reportgen.sections.integrity.class_map_words import (
    CHECK,
    copy_facts,
    shown_as,
    wrongly_named,
)
from reportgen.sections.integrity.display import (
    Display,
    clusters,
    map_rows,
    name_book,
    repeats_told,
)
from reportgen.sections.integrity.joined import detections_of
from reportgen.sections.integrity.names import NameBook
from reportgen.sections.integrity.pipeline import gates_and_display
from reportgen.sections.integrity.records import (
    Facts,
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
from reportgen.wording import clauses, estimate, fixed, sentences

CODES: tuple[Code, ...] = (
    Code(
        "INT-075",
        ("fail", "warn", "pass", "note"),
        mark(
            "Displayed names against the model's: classes that are shown under the name of"
            " another (critical), or under a spelling that is only near (minor). Not testable"
            " where the model's own names are not known."
        ),
    ),
    Code(
        "INT-076",
        ("fail", "pass", "note"),
        mark(
            "Displayed findings that bear a wrong name, and images on which every name is wrong "
            "(critical)."
        ),
    ),
    Code(
        "INT-077",
        ("fail", "pass", "note"),
        mark(
            "Predictions shown or hidden because the threshold was looked up by the wrong name "
            "(major)."
        ),
    ),
    Code(
        "INT-078",
        ("fail", "pass", "note"),
        mark(
            "Another assignment of names to classes explains the labelled boxes better than the"
            " names as shown, with an interval of the gain above zero (critical)."
        ),
    ),
    Code(
        "INT-079",
        ("fail", "pass", "note"),
        mark("Deployed copies of the class map that carry wrong names (critical)."),
    ),
)

LEAST, IOU = 0.25, 0.5
"""Score and overlap where the section has no pipeline to say them."""
COMPARED = mark(
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
    why_not: str = ""
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
    use = _Use(why_not=_("no detections were named"))
    if detections is not None:
        use = _displayed(job, class_map, plain, detections, book)
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
    display = gates_and_display(job, pipeline, detections, least=least)[2]
    if detections.predicted is None:
        return _Use(why_not=_("there are no predictions"))
    known = map_rows(class_map, detections, book)
    thresholds = threshold_rows(rows, detections, known)
    if display is None and (known < 0).all():
        return _Use(why_not=_("no class of the detections is in the class map"))
    if display is None or not len(display.row):
        return _Use(thresholds=thresholds, why_not=_("nothing is displayed"))
    if not display.named_rows:
        reason = _("the table of displayed findings does not name their predictions")
        return _Use(thresholds=thresholds, origin=display.origin, why_not=reason)
    unit = clusters(job, detections)
    wrong = wrong_findings(display, detections, book)
    return _Use(
        wrong=wrong_names(display, wrong, detections, unit, job.context.confidence),
        thresholds=thresholds,
        found=suggestion(display, detections, unit, book, job, iou=iou),
        origin=display.origin,
        why_not=_("no displayed finding meets a labelled box"),
        notes=tuple(_notes(display)),
    )


def _notes(display: Display) -> Iterator[str]:
    yield from repeats_told(display)
    unknown = int(((display.row < 0) | (display.image < 0)).sum())
    if unknown:
        yield n_(
            "{n} displayed finding left out: their prediction or image is not known",
            "{n} displayed findings left out: their prediction or image is not known",
            unknown,
        ).format(n=fixed(unknown, 0))
    yield (
        _(
            "findings are single predictions; images without a displayed finding stay in the"
            " denominator of “images”"
        )
    )


def _sentence(notes: Sequence[str]) -> str:
    text = clauses(notes)
    if not text:
        return ""
    return _("{sentence}.").format(sentence=f"{text[:1].upper()}{text[1:]}")


def _facts(
    rows: Sequence[MapRow], names: ModelNames, use: _Use, copies: Sequence[CopyRow]
) -> Iterator[Facts]:
    yield _named(rows, names)
    yield _shown(use)
    yield _thresholds(rows, use)
    yield _inferred(use)
    yield copy_facts(copies)


def _named(rows: Sequence[MapRow], names: ModelNames) -> Facts:
    base = Facts("INT-075", CHECK, "display", _("Displayed names against the model's"), "")
    known = [row for row in rows if row.model is not None]
    if not known:
        reason = _("neither the class map nor an artefact names the model's own classes")
        return replace(base, statement=reason, status="not testable")
    wrong = [row for row in known if row.same is False]
    near = [row for row in known if row.same is None]
    told = wrongly_named(names, wrong, len(known))
    also = _("Nearly the same spelling, not counted: {names}.").format(names=shown_as(near))
    counts = replace(base, k=len(wrong), n=len(known), interval=False, limits=_(COMPARED))
    if not wrong and not near:
        return replace(counts, statement=told)
    return replace(
        counts,
        statement=sentences((told, also)) if near else told,
        status="found",
        grade="critical" if wrong else "minor",
        evidence=[
            _("{index}: {name} shown as {shown}").format(
                index=row.index, name=row.model, shown=row.shown
            )
            for row in (*wrong, *near)
        ],
        affected_claim=_("every name that a user is shown"),
        remedy=_("generate the displayed names from the checkpoint; test each name end to end"),
    )


def _shown(use: _Use) -> Facts:
    base = Facts("INT-076", CHECK, "display", _("Findings under a wrong name"), "")
    if not use.wrong:
        return replace(base, statement=use.why_not, status="not testable")
    of = {row.of: row for row in use.wrong}
    findings, images = of["findings"], of["images"]
    said = _(
        "{findings} displayed findings bear a wrong name; on {images} images every name shown is"
        " wrong."
    )
    if use.origin == "class map":
        said = _(
            "{findings} displayed findings (worked out from the class map) bear a wrong name; on"
            " {images} images every name shown is wrong."
        )
    said = said.format(
        findings=written_share(findings.k, findings.n, findings.share),
        images=written_share(images.k, images.n, images.share),
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
        affected_claim=_("what users were told"),
        remedy=_("withdraw what was displayed; correct the class map in every copy"),
    )


def _thresholds(rows: Sequence[MapRow], use: _Use) -> Facts:
    base = Facts("INT-077", CHECK, "display", _("Thresholds of the wrong name"), "")
    if not use.thresholds:
        wrong = [row for row in rows if row.same is False]
        if rows and not wrong and all(row.same is not None for row in rows):
            said = _("No class is shown under another name, so no threshold follows a wrong one.")
            return replace(base, statement=said)
        reason = _("thresholds, predictions or the names they belong to are not known")
        return replace(base, statement=reason, status="not testable")
    shown = sum(row.wrongly_shown for row in use.thresholds)
    hidden = sum(row.wrongly_hidden for row in use.thresholds)
    n = sum(row.n for row in use.thresholds)
    said = n_(
        "Of {n} prediction of wrongly named classes {shown} are shown and {hidden} hidden because"
        " the threshold follows the wrong name.",
        "Of {n} predictions of wrongly named classes {shown} are shown and {hidden} hidden because"
        " the threshold follows the wrong name.",
        n,
    ).format(n=fixed(n, 0), shown=fixed(shown, 0), hidden=fixed(hidden, 0))
    facts = replace(base, statement=said, k=shown + hidden, n=n, interval=False)
    if not shown + hidden:
        return facts
    return replace(
        facts,
        status="found",
        grade="major",
        evidence=[
            _("{name} as {shown_as}: {used} for {meant}, {shown} shown, {hidden} hidden").format(
                name=row.model,
                shown_as=row.shown_as,
                used=f"{row.threshold_used:g}",
                meant=f"{row.threshold_meant:g}",
                shown=row.wrongly_shown,
                hidden=row.wrongly_hidden,
            )
            for row in use.thresholds
        ],
        remedy=_("look thresholds up by class index"),
        limits=_("Before gates; the effect of the names themselves is counted apart."),
    )


def _inferred(use: _Use) -> Facts:
    base = Facts("INT-078", CHECK, "display", _("Names inferred from what they were shown on"), "")
    if use.found is None:
        return replace(base, statement=use.why_not, status="not testable")
    one = use.found.summary
    crossed = one.gain_crossed or one.gain
    said = n_(
        "Of {matched} displayed findings on a labelled box the names as shown explain {diagonal},"
        " the best assignment {best}; {n} name would stand for another class. Chosen on one half of"
        " the images and counted on the other it gains {gain} of them.",
        "Of {matched} displayed findings on a labelled box the names as shown explain {diagonal},"
        " the best assignment {best}; {n} names would stand for another class. Chosen on one half"
        " of the images and counted on the other it gains {gain} of them.",
        one.classes_moved,
    ).format(
        matched=fixed(one.matched, 0),
        diagonal=fixed(one.diagonal, 0),
        best=fixed(one.best, 0),
        n=fixed(one.classes_moved, 0),
        gain=estimate(crossed),
    )
    facts = replace(
        base,
        statement=said,
        limits=_("What is inferred is which class a name is mostly shown on, not what was meant."),
    )
    if not one.classes_moved or crossed.low is None or crossed.low <= 0:
        return facts
    return replace(
        facts,
        status="found",
        grade="critical",
        evidence=[
            _("{name} stands for {class_}").format(name=name, class_=of)
            for name, of in use.found.names.items()
        ],
        remedy=_("compare the order of the classes with the checkpoint's own"),
    )
