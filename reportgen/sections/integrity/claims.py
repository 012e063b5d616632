"""Claims recomputed: what was published against what these data give."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from reportgen.section import Code
from reportgen.sections.integrity.audits import Audited, Job
from reportgen.sections.integrity.claims_rows import claim_row
from reportgen.sections.integrity.evaluator_facts import NAMES
from reportgen.sections.integrity.records import Facts, overall, recorded, split_up
from reportgen.sections.integrity.result_use import ClaimRow, ClaimsAudit
from reportgen.wording import quoted

CODES: tuple[Code, ...] = (
    Code(
        "INT-080",
        ("fail", "pass"),
        "A claimed figure against the recomputed one: they differ by more than the rounding of the "
        "printed digits (major).",
    ),
    Code(
        "INT-081",
        ("fail", "pass"),
        "A claimed figure that cannot be: no whole number of the declared (or, of these data, the "
        "only possible) denominator gives its digits, or its own counts give others (major).",
    ),
    Code(
        "INT-082",
        ("fail",),
        "Two claims of one figure that cannot both hold (major).",
    ),
    Code(
        "INT-083",
        ("note",),
        "A claim that these data cannot be held against: nothing here recomputes it, or it rests "
        "on another number of rows.",
    ),
)

CHECK = "claims"
ROUNDING = (
    "A printed figure stands for every value that rounds to its digits, halves to either side."
)


def audit(job: Job) -> Audited:
    """Hold each claim against these data (methods §7).

    Returns
    -------
    Audited
        With a ClaimsAudit; None if nothing was claimed. It rests on the classifier and the
        evaluator, which run before it.
    """
    claims = job.settings.claims
    if not claims:
        return Audited()
    rows, pairs = [], []
    for at, claim in enumerate(claims):
        others = [other for place, other in enumerate(claims) if place != at]
        row = claim_row(claim, job, others=others)
        rows.append(row)
        pairs += [recorded(job, facts) for facts in _facts(row)]
    return Audited(ClaimsAudit(*overall(pairs), tuple(rows)), *split_up(pairs))


def _facts(row: ClaimRow) -> Iterator[Facts]:
    name = NAMES.get(row.metric, row.metric.replace("_", " "))
    told = f"{name} {row.claimed}"
    where = f", {row.source}" if row.source else ""
    claim = f"{told}{where}"
    base = Facts("INT-080", CHECK, "evaluator", "", "", affected_claim=claim)
    yield _recomputed(row, told, base)
    if row.possible is not None:
        yield _possible(row, told, base)
    if row.conflict:
        yield replace(
            base,
            code="INT-082",
            what=f"Claims that contradict each other: {name}",
            statement=f"The claim {quoted(claim)} and {row.conflict} cannot both hold.",
            status="found",
            grade="major",
            remedy="say which of the figures holds, on which data, and withdraw the other",
        )


def _recomputed(row: ClaimRow, told: str, base: Facts) -> Facts:
    what = f"Claimed against recomputed: {told}"
    also = f" Note: {row.reason}." if row.reason else ""
    if row.recomputed is None or row.agrees is None:
        how = "has nothing to be compared with" if row.recomputed is None else "is not compared"
        reason = f"{told} {how}: {row.reason}"
        return replace(base, code="INT-083", what=what, statement=reason, status="not testable")
    said = f"Claimed {told}; recomputed {row.recomputed:.6f} ({row.recomputed_from})"
    if row.agrees:
        return replace(base, what=what, statement=f"{said}: they agree as printed.{also}")
    return replace(
        base,
        what=what,
        statement=f"{said}: they differ by more than rounding.{also}",
        status="found",
        grade="major",
        after=row.recomputed,
        remedy="publish the recomputed figure, or the data and settings that give the claimed one",
        limits=ROUNDING,
    )


def _possible(row: ClaimRow, told: str, base: Facts) -> Facts:
    what = f"Whether it can be: {told}"
    near = f"; the nearest is {row.nearest}" if row.nearest else ""
    if row.possible:
        also = f" Note: {row.reason}." if row.reason else ""
        said = f"{told} is possible{near}.{also}"
        return replace(base, code="INT-081", what=what, statement=said)
    return replace(
        base,
        code="INT-081",
        what=what,
        statement=f"{told} cannot be: no whole count gives these digits{near}.",
        status="found",
        grade="major",
        remedy="ask for the counts behind the figure",
        limits=f"{ROUNDING} Weighted figures and means over folds are not counts.",
    )
