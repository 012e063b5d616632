"""What is said of the removal of duplicates: changes, what could be detected, gaps, strata."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from reportgen.section import Code
from reportgen.sections.integrity.audits import Job
from reportgen.sections.integrity.evaluator_facts import NAMES
from reportgen.sections.integrity.records import Facts, counted
from reportgen.sections.integrity.result_evaluation import RemovalEffect, RemovalRow
from reportgen.wording import estimate, fixed, number, percent, quoted

CODES: tuple[Code, ...] = (
    Code(
        "INT-050",
        ("fail", "pass", "note"),
        "Leaving the duplicates out changes a mean average precision: its interval excludes zero "
        "and matched removals seldom change it as much, adjusted by Holm's method (major). Where "
        "the interval excludes zero and matched removals change it as much, or there are none, "
        "that is told (a note). Otherwise no change is detectable, with the smallest effect that "
        "could have been.",
    ),
    Code(
        "INT-051",
        ("warn", "pass", "note"),
        "Leaving the duplicates out changes the recall of a class, by the same rule (minor).",
    ),
    Code(
        "INT-052",
        ("warn", "pass", "note"),
        "The model does better or worse on the duplicates than on the other images: the interval "
        "of the gap excludes zero (minor).",
    ),
    Code(
        "INT-053",
        ("note", "pass"),
        "Strata with fewer other images than duplicates: the control removals match them poorly.",
    ),
    Code("INT-054", ("note",), "The effect of removal cannot be tested, with the reason."),
)

CHECK = "removal_effect"
DILUTED = " Removal dilutes it: it changes the figure by about the removed share times the gap."
NOT_INDEPENDENCE = (
    "The model was not fitted anew without the duplicates, so this is not what it would do on"
    " independent images; that no change is detectable does not restore independence."
)


def not_testable(reason: str) -> Facts:
    """Return that the removal cannot be looked at."""
    what = "Effect of removing duplicates"
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
    before = "not defined" if row.all_images is None else fixed(row.all_images, 4)
    after = "not defined" if row.without is None else fixed(row.without, 4)
    p = "not tested" if row.p is None else number(row.p)
    holm = "" if row.p_adjusted is None else f", {number(row.p_adjusted)} after Holm"
    return (
        f"{before} to {after}, change {estimate(row.change)}; p {p} against matched removals{holm}"
    )


def _change(made: RemovalEffect, row: RemovalRow) -> Facts:
    name = NAMES[row.metric]
    base = Facts("INT-050", CHECK, "evaluator", f"{name} without the duplicates", "")
    share = percent(made.instances_share or 0.0)
    said = (
        f"Without {counted(made.duplicates or 0, 'duplicate')} of {made.images:,} images ({share}"
        f" of the boxes) {name} goes from {_told(row)}. {row.reading.capitalize()}.{_classes(made)}"
    )
    if row.change.estimate is None:
        reason = f"{name}: {row.change.reason}"
        return replace(base, statement=reason, status="not testable")
    facts = replace(
        base,
        statement=said,
        before=row.all_images,
        after=row.without,
        p=row.p,
        estimates={"change": row.change, "gap": row.gap},
        affected_claim=name,
        limits=NOT_INDEPENDENCE,
    )
    if not (row.detected or _apart(row)):
        return facts
    return replace(
        facts,
        status="found",
        grade="major" if row.detected else "info",
        remedy="report the figure without the duplicates beside the one with them",
    )


def _apart(row: RemovalRow) -> bool:
    """Return whether the interval of the change excludes zero."""
    low, high = row.change.low, row.change.high
    return low is not None and high is not None and not low <= 0 <= high


def _classes(made: RemovalEffect) -> str:
    """Return that the means are over other classes, where they are; "" where they are not."""
    if made.n_classes == made.n_classes_without == made.n_classes_duplicates:
        return ""
    return (
        f" The means are over the classes with boxes: {made.n_classes} on all images,"
        f" {made.n_classes_without} without the duplicates, {made.n_classes_duplicates} on the"
        " duplicates; part of a difference is that of the classes."
    )


def _recalls(made: RemovalEffect) -> Facts:
    rows = [row for row in made.rows if row.class_ != "all"]
    base = Facts("INT-051", CHECK, "evaluator", "Recall by class without the duplicates", "")
    tested = [row for row in rows if row.p is not None]
    if not tested:
        reason = "no class has boxes among the duplicates and among the others"
        if any(row.change.estimate is not None for row in rows):
            reason = (
                "no class has matched removals to compare with: each makes the same change, or"
                " leaves the recall undefined"
            )
        return replace(base, statement=reason, status="not testable")
    hit = [row for row in tested if row.detected]
    facts = replace(
        base,
        statement=(
            f"Recall changes detectably in {len(hit)} of {counted(len(tested), 'class', 'classes')}"
            f" ({made.recall_rule}).{_least(tested)}"
        ),
        k=len(hit),
        n=len(tested),
        interval=False,
        limits=NOT_INDEPENDENCE,
    )
    if not hit:
        return facts
    return replace(
        facts,
        status="found",
        grade="minor",
        evidence=[f"{row.class_}: {_told(row)}" for row in hit],
        remedy="report recall by class without the duplicates",
    )


def _least(tested: Sequence[RemovalRow]) -> str:
    """Return what could have been detected, and where only the interval says that anything was."""
    known = sorted(
        row.minimum_detectable_effect for row in tested if row.minimum_detectable_effect is not None
    )
    if not known:
        return " No class has duplicates and others in enough clusters for an interval."
    of = f"{len(known)} of {counted(len(tested), 'class', 'classes')} with an interval"
    least, most = fixed(known[0], 4), fixed(known[-1], 4)
    if len(known) == 1:
        told = f" The smallest detectable effect is {least} ({of})."
    else:
        told = f" Smallest detectable effects run from {least} to {most} ({of})."
    alone = [quoted(row.class_) for row in tested if _apart(row) and not row.detected]
    if not alone:
        return told
    return (
        f"{told} The interval alone excludes zero, and matched removals change as much, for"
        f" {', '.join(alone)}."
    )


def _gap(made: RemovalEffect, row: RemovalRow) -> Facts:
    name = NAMES[row.metric]
    base = Facts("INT-052", CHECK, "evaluator", f"{name} on duplicates and on the others", "")
    if row.gap.estimate is None:
        reason = f"{name}: {row.gap.reason}"
        return replace(base, statement=reason, status="not testable")
    facts = replace(
        base,
        statement=(
            f"{name} on the duplicates minus that on the other images: {estimate(row.gap)}."
            f"{_classes(made) or DILUTED}"
        ),
        estimates={"gap": row.gap},
        limits="Duplicates may also be easier or harder images for other reasons.",
    )
    low, high = row.gap.low, row.gap.high
    if low is None or high is None or low <= 0 <= high:
        return facts
    return replace(
        facts,
        status="found",
        grade="minor",
        affected_claim=name,
        remedy="report the figure on the images without a twin",
    )


def _short(made: RemovalEffect, job: Job) -> Facts:
    base = Facts("INT-053", CHECK, "evaluator", "Strata of the control removals", "")
    held = [row for row in made.strata if row.duplicates]
    short = [row for row in held if row.short]
    said = (
        f"{len(short)} of {counted(len(held), 'stratum', 'strata')} with duplicates have fewer"
        f" other images than duplicates. Control sets: {made.controls:,}, seed {job.seed}."
    )
    facts = replace(base, statement=said, k=len(short), n=len(held), interval=False)
    if not short:
        return facts
    return replace(
        facts,
        status="found",
        grade="info",
        evidence=[
            f"{quoted(row.dominant_class)}, quarter {row.instance_quartile}: {row.duplicates}"
            f" duplicates, {row.pool} others"
            for row in short
        ],
        limits="There the control sets hold many of the duplicates themselves.",
    )
