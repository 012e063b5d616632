"""Claims recomputed: what was published against what these data give."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from reportgen.language import _, mark
from reportgen.section import Code
from reportgen.sections.integrity.audits import Audited, Job
from reportgen.sections.integrity.claims_rows import claim_row
from reportgen.sections.integrity.evaluator_facts import NAMES
from reportgen.sections.integrity.records import Facts, overall, recorded, split_up
from reportgen.sections.integrity.result_use import ClaimRow, ClaimsAudit
from reportgen.wording import named, quoted, sentences

CODES: tuple[Code, ...] = (
    Code(
        "INT-080",
        ("fail", "pass"),
        mark(
            "A claimed figure against the recomputed one: they differ by more than the rounding"
            " of the printed digits (major)."
        ),
    ),
    Code(
        "INT-081",
        ("fail", "pass"),
        mark(
            "A claimed figure that cannot be: no whole number of the declared (or, of these data,"
            " the only possible) denominator gives its digits, or its own counts give others"
            " (major)."
        ),
    ),
    Code(
        "INT-082",
        ("fail",),
        mark("Two claims of one figure that cannot both hold (major)."),
    ),
    Code(
        "INT-083",
        ("note",),
        mark(
            "A claim that these data cannot be held against: nothing here recomputes it, or it"
            " rests on another number of rows."
        ),
    ),
)

CHECK = "claims"
METRICS = (
    mark("accuracy"),
    mark("prevalence"),
    mark("sensitivity"),
    mark("specificity"),
    mark("precision"),
    mark("balanced accuracy"),
    mark("kappa"),
)
"""What a claim may be of and is no abbreviation, as it is written."""
ROUNDING = mark(
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
    name = _name(row.metric)
    told = _("{metric} {value}").format(metric=name, value=row.claimed)
    claim = told
    if row.source:
        claim = _("{claim}, {source}").format(claim=told, source=row.source)
    base = Facts("INT-080", CHECK, "evaluator", "", "", affected_claim=claim)
    yield _recomputed(row, told, base)
    if row.possible is not None:
        yield _possible(row, told, base)
    if row.conflict:
        yield replace(
            base,
            code="INT-082",
            what=named(_("Claims that contradict each other"), name),
            statement=_("The claim {claim} and {others} cannot both hold.").format(
                claim=quoted(claim), others=row.conflict
            ),
            status="found",
            grade="major",
            remedy=_("say which of the figures holds, on which data, and withdraw the other"),
        )


def _name(metric: str) -> str:
    """Return a claimed metric as it is written."""
    name = NAMES.get(metric) or metric.replace("_", " ")
    return _(name)


def _recomputed(row: ClaimRow, told: str, base: Facts) -> Facts:
    what = named(_("Claimed against recomputed"), told)
    if row.recomputed is None or row.agrees is None:
        reason = _("{claim} is not compared: {reason}")
        if row.recomputed is None:
            reason = _("{claim} has nothing to be compared with: {reason}")
        reason = reason.format(claim=told, reason=row.reason)
        return replace(base, code="INT-083", what=what, statement=reason, status="not testable")
    said = _("Claimed {claim}; recomputed {figure} ({source}): they differ by more than rounding.")
    if row.agrees:
        said = _("Claimed {claim}; recomputed {figure} ({source}): they agree as printed.")
    said = said.format(claim=told, figure=f"{row.recomputed:.6f}", source=row.recomputed_from)
    said = sentences((said, _note(row)))
    if row.agrees:
        return replace(base, what=what, statement=said)
    return replace(
        base,
        what=what,
        statement=said,
        status="found",
        grade="major",
        after=row.recomputed,
        remedy=_(
            "publish the recomputed figure, or the data and settings that give the claimed one"
        ),
        limits=_(ROUNDING),
    )


def _note(row: ClaimRow) -> str:
    return _("Note: {reason}.").format(reason=row.reason) if row.reason else ""


def _possible(row: ClaimRow, told: str, base: Facts) -> Facts:
    what = named(_("Whether it can be"), told)
    if row.possible:
        said = _("{claim} is possible.")
        if row.nearest:
            said = _("{claim} is possible; the nearest is {nearest}.")
        said = said.format(claim=told, nearest=row.nearest)
        said = sentences((said, _note(row)))
        return replace(base, code="INT-081", what=what, statement=said)
    said = _("{claim} cannot be: no whole count gives these digits.")
    if row.nearest:
        said = _("{claim} cannot be: no whole count gives these digits; the nearest is {nearest}.")
    return replace(
        base,
        code="INT-081",
        what=what,
        statement=said.format(claim=told, nearest=row.nearest),
        status="found",
        grade="major",
        remedy=_("ask for the counts behind the figure"),
        limits=sentences((_(ROUNDING), _("Weighted figures and means over folds are not counts."))),
    )
