"""What is said of the removal of duplicates: changes, what could be detected, gaps, strata."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from reportgen.language import _, mark, n_
from reportgen.section import Code
from reportgen.sections.integrity.audits import Job
from reportgen.sections.integrity.evaluator_facts import NAMES
from reportgen.sections.integrity.records import Facts
from reportgen.sections.integrity.result_evaluation import RemovalEffect, RemovalRow
from reportgen.wording import estimate, fixed, named, number, percent, quoted, sentences, separated

CODES: tuple[Code, ...] = (
    Code(
        "INT-050",
        ("fail", "pass", "note"),
        mark(
            "Leaving the duplicates out changes a mean average precision: its interval excludes"
            " zero and matched removals seldom change it as much, adjusted by Holm's method"
            " (major). Where the interval excludes zero and matched removals change it as much,"
            " or there are none, that is told (a note). Otherwise no change is detectable, with"
            " the smallest effect that could have been."
        ),
    ),
    Code(
        "INT-051",
        ("warn", "pass", "note"),
        mark("Leaving the duplicates out changes the recall of a class, by the same rule (minor)."),
    ),
    Code(
        "INT-052",
        ("warn", "pass", "note"),
        mark(
            "The model does better or worse on the duplicates than on the other images: the"
            " interval of the gap excludes zero (minor)."
        ),
    ),
    Code(
        "INT-053",
        ("note", "pass"),
        mark(
            "Strata with fewer other images than duplicates: the control removals match them"
            " poorly."
        ),
    ),
    Code("INT-054", ("note",), mark("The effect of removal cannot be tested, with the reason.")),
)

CHECK = "removal_effect"
DILUTED = mark(
    "Removal dilutes it: it changes the figure by about the removed share times the gap."
)
NOT_INDEPENDENCE = mark(
    "The model was not fitted anew without the duplicates, so this is not what it would do on"
    " independent images; that no change is detectable does not restore independence."
)


def not_testable(reason: str) -> Facts:
    """Return that the removal cannot be looked at."""
    what = _("Effect of removing duplicates")
    return Facts("INT-054", CHECK, "evaluator", what, reason, status="not testable")


def removal_facts(made: RemovalEffect, job: Job) -> Iterator[Facts]:
    """Yield what each check of the removal found."""
    means = [row for row in made.rows if row.class_ == "all"]
    draws = made.controls
    for row in means:
        yield replace(_change(made, row), resamples=draws)
    yield replace(_recalls(made), resamples=draws)
    for row in means:
        yield replace(_gap(made, row), resamples=made.resamples)
    yield _short(made, job)


def _told(row: RemovalRow) -> str:
    """Return a row in words: from, to, the change and its p."""
    text = _("{before} to {after}, change {change}; p {p} against matched removals")
    if row.p_adjusted is not None:
        text = _(
            "{before} to {after}, change {change}; p {p} against matched removals, {adjusted} after"
            " Holm"
        )
    return text.format(
        before=_("not defined") if row.all_images is None else fixed(row.all_images, 4),
        after=_("not defined") if row.without is None else fixed(row.without, 4),
        change=estimate(row.change),
        p=_("not tested") if row.p is None else number(row.p),
        adjusted="" if row.p_adjusted is None else number(row.p_adjusted),
    )


def _change(made: RemovalEffect, row: RemovalRow) -> Facts:
    name = NAMES[row.metric]
    what = _("{metric} without the duplicates").format(metric=name)
    base = Facts("INT-050", CHECK, "evaluator", what, "")
    n = made.duplicates or 0
    said = n_(
        "Without {n} duplicate of {images} images ({share} of the boxes) {metric} goes from"
        " {told}.",
        "Without {n} duplicates of {images} images ({share} of the boxes) {metric} goes from"
        " {told}.",
        n,
    ).format(
        n=fixed(n, 0),
        images=fixed(made.images or 0, 0),
        share=percent(made.instances_share or 0.0),
        metric=name,
        told=_told(row),
    )
    reading = _("{sentence}.").format(sentence=row.reading.capitalize())
    said = sentences((said, reading, _classes(made)))
    if row.change.estimate is None:
        reason = named(name, row.change.reason or "")
        return replace(base, statement=reason, status="not testable")
    facts = replace(
        base,
        statement=said,
        before=row.all_images,
        after=row.without,
        p=row.p,
        estimates={"change": row.change, "gap": row.gap},
        affected_claim=name,
        limits=_(NOT_INDEPENDENCE),
    )
    if not (row.detected or _apart(row)):
        return facts
    return replace(
        facts,
        status="found",
        grade="major" if row.detected else "info",
        remedy=_("report the figure without the duplicates beside the one with them"),
    )


def _apart(row: RemovalRow) -> bool:
    """Return whether the interval of the change excludes zero."""
    low, high = row.change.low, row.change.high
    return low is not None and high is not None and not low <= 0 <= high


def _classes(made: RemovalEffect) -> str:
    """Return that the means are over other classes, where they are; "" where they are not."""
    if made.n_classes == made.n_classes_without == made.n_classes_duplicates:
        return ""
    return _(
        "The means are over the classes with boxes: {all} on all images, {without} without the"
        " duplicates, {alone} on the duplicates; part of a difference is that of the classes."
    ).format(all=made.n_classes, without=made.n_classes_without, alone=made.n_classes_duplicates)


def _recalls(made: RemovalEffect) -> Facts:
    rows = [row for row in made.rows if row.class_ != "all"]
    base = Facts("INT-051", CHECK, "evaluator", _("Recall by class without the duplicates"), "")
    tested = [row for row in rows if row.p is not None]
    if not tested:
        reason = _("no class has boxes among the duplicates and among the others")
        if any(row.change.estimate is not None for row in rows):
            reason = _(
                "no class has matched removals to compare with: each makes the same change, or"
                " leaves the recall undefined"
            )
        return replace(base, statement=reason, status="not testable")
    hit = [row for row in tested if row.detected]
    said = n_(
        "Recall changes detectably in {k} of {n} class ({rule}).",
        "Recall changes detectably in {k} of {n} classes ({rule}).",
        len(tested),
    ).format(k=len(hit), n=len(tested), rule=made.recall_rule)
    facts = replace(
        base,
        statement=sentences((said, *_least(tested))),
        k=len(hit),
        n=len(tested),
        interval=False,
        limits=_(NOT_INDEPENDENCE),
    )
    if not hit:
        return facts
    return replace(
        facts,
        status="found",
        grade="minor",
        evidence=[named(row.class_, _told(row)) for row in hit],
        remedy=_("report recall by class without the duplicates"),
    )


def _least(tested: Sequence[RemovalRow]) -> Iterator[str]:
    """Yield what could have been detected, and where only the interval says that anything was."""
    known = sorted(
        row.minimum_detectable_effect for row in tested if row.minimum_detectable_effect is not None
    )
    if not known:
        yield _("No class has duplicates and others in enough clusters for an interval.")
        return
    n = len(tested)
    told = n_(
        "Smallest detectable effects run from {least} to {most} ({k} of {n} class with an"
        " interval).",
        "Smallest detectable effects run from {least} to {most} ({k} of {n} classes with an"
        " interval).",
        n,
    )
    if len(known) == 1:
        told = n_(
            "The smallest detectable effect is {least} ({k} of {n} class with an interval).",
            "The smallest detectable effect is {least} ({k} of {n} classes with an interval).",
            n,
        )
    yield told.format(least=fixed(known[0], 4), most=fixed(known[-1], 4), k=len(known), n=n)
    alone = [quoted(row.class_) for row in tested if _apart(row) and not row.detected]
    if alone:
        yield _(
            "The interval alone excludes zero, and matched removals change as much, for {classes}."
        ).format(classes=separated(alone))


def _gap(made: RemovalEffect, row: RemovalRow) -> Facts:
    name = NAMES[row.metric]
    what = _("{metric} on duplicates and on the others").format(metric=name)
    base = Facts("INT-052", CHECK, "evaluator", what, "")
    if row.gap.estimate is None:
        reason = named(name, row.gap.reason or "")
        return replace(base, statement=reason, status="not testable")
    said = _("{metric} on the duplicates minus that on the other images: {gap}.")
    said = said.format(metric=name, gap=estimate(row.gap))
    facts = replace(
        base,
        statement=sentences((said, _classes(made) or _(DILUTED))),
        estimates={"gap": row.gap},
        limits=_("Duplicates may also be easier or harder images for other reasons."),
    )
    low, high = row.gap.low, row.gap.high
    if low is None or high is None or low <= 0 <= high:
        return facts
    return replace(
        facts,
        status="found",
        grade="minor",
        affected_claim=name,
        remedy=_("report the figure on the images without a twin"),
    )


def _short(made: RemovalEffect, job: Job) -> Facts:
    base = Facts("INT-053", CHECK, "evaluator", _("Strata of the control removals"), "")
    held = [row for row in made.strata if row.duplicates]
    short = [row for row in held if row.short]
    said = n_(
        "{k} of {n} stratum with duplicates have fewer other images than duplicates. Control sets:"
        " {sets}, seed {seed}.",
        "{k} of {n} strata with duplicates have fewer other images than duplicates. Control sets:"
        " {sets}, seed {seed}.",
        len(held),
    ).format(k=len(short), n=len(held), sets=fixed(made.controls or 0, 0), seed=job.seed)
    facts = replace(base, statement=said, k=len(short), n=len(held), interval=False)
    if not short:
        return facts
    return replace(
        facts,
        status="found",
        grade="info",
        evidence=[
            _("{class_}, quarter {quarter}: {duplicates} duplicates, {pool} others").format(
                class_=quoted(row.dominant_class),
                quarter=row.instance_quartile,
                duplicates=row.duplicates,
                pool=row.pool,
            )
            for row in short
        ],
        limits=_("There the control sets hold many of the duplicates themselves."),
    )
