"""How a check becomes a line of the findings table and a sentence: both from one set of facts."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from reportgen.language import _, mark, p_
from reportgen.result import Estimate, Finding, Severity
from reportgen.sections.integrity.audits import Job
from reportgen.sections.integrity.nouns import FORMS
from reportgen.sections.integrity.result import Grade, Layer, Record, Status
from reportgen.stats.proportions import Proportion, clopper_pearson
from reportgen.wording import clauses, coverage, fixed, interval, per_cent, percent

MOST_ROWS = 20
OF_UNITS = mark("unit")
CLOPPER_PEARSON = "Clopper–Pearson"
MAJOR_SHARE = 0.05
"""From this share of the evaluation units on, a broken independence is major (methods §9)."""
SEVERITY_OF: dict[Grade, Severity] = {
    "critical": "fail",
    "major": "fail",
    "minor": "warn",
    "info": "note",
}


@dataclass(frozen=True)
class Facts:
    """What one check looked for and what came of it.

    Attributes
    ----------
    code, check, layer, what
        As in `Record`; `what` is a few words and the finding's title.
    statement : str
        The sentence with its figures. Of a check that is not testable: the reason.
    status : {"found", "not found", "not testable"}
    grade : {"critical", "major", "minor", "info"} or None
        Given if and only if the status is "found".
    k, n : int or None
        The count behind the share, where there is one.
    interval : bool
        Whether k of n is a sample, so that its share has an interval; columns or splits are none.
    lower_bound_reason : str or None
        Why the count is "at least"; None if it is not.
    affected_claim, remedy : str
    evidence : sequence of text
        Rows that show it; the first twenty are kept.
    limits : str
        What the check cannot show.
    summary : str
        The statement in one line; the statement itself if "".
    share : Estimate or None
        Given where it is not the Clopper–Pearson interval of k of n.
    p, before, after : float or None
    resamples : int or None
        Given where something was drawn; the seed is then recorded with it.
    estimates : mapping of text to Estimate
        Figures of the sentence that are no share: they stand with the finding's numbers.
    """

    code: str
    check: str
    layer: Layer
    what: str
    statement: str
    status: Status = "not found"
    grade: Grade | None = None
    k: int | None = None
    n: int | None = None
    interval: bool = True
    lower_bound_reason: str | None = None
    affected_claim: str = ""
    remedy: str = ""
    evidence: Sequence[str] = ()
    limits: str = ""
    summary: str = ""
    share: Estimate | None = None
    p: float | None = None
    before: float | None = None
    after: float | None = None
    resamples: int | None = None
    estimates: Mapping[str, Estimate] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if (self.grade is None) == (self.status == "found"):
            raise ValueError(f"{self.code}: a grade goes with what was found, and with that alone")


def severity(status: Status, grade: Grade | None) -> Severity:
    """Return the severity by rule: critical and major fail, minor warns; not testable is a note."""
    if status == "not testable":
        return "note"
    return "pass" if grade is None else SEVERITY_OF[grade]


def independence_grade(k: int, n: int, *, same_patient: bool = False) -> Grade:
    """Return how grave it is that `k` of `n` evaluation units are not independent of training.

    Major from 5 % of them on, and for any unit (patient) on both sides; else minor. `k` is > 0.
    """
    return "major" if same_patient or k >= MAJOR_SHARE * n else "minor"


def share_of(k: int, n: int, *, confidence: float, of: str = OF_UNITS) -> Estimate:
    """Return `k` of `n` with its exact interval.

    Parameters
    ----------
    k, n : int
        0 <= k <= n.
    confidence : float
    of : str
        What is counted, for the reason where n is 0: "there is no image"; marked, in English.
    """
    if n == 0:
        return Estimate.missing(_("there is no {of} to take a share of").format(of=_(of)))
    low, high = clopper_pearson(Proportion(k, n), confidence=confidence)
    return Estimate(k / n, low, high, confidence, CLOPPER_PEARSON)


def written_share(k: int, n: int, found: Estimate | None = None) -> str:
    """Return "96 of 109 (88.1 %)", with the limits of `found` in per cent if it is given."""
    counts = {"k": fixed(k, 0), "n": fixed(n, 0)}
    if n == 0:
        return _("{k} of {n}").format(**counts)
    share = percent(k / n)
    if found is None or found.low is None or found.high is None or found.confidence is None:
        return _("{k} of {n} ({share})").format(**counts, share=share)
    return _("{k} of {n} ({share}; {coverage} interval {limits})").format(
        **counts,
        share=share,
        coverage=coverage(found.confidence),
        limits=interval(100 * found.low, 100 * found.high) + per_cent(),
    )


def counted(k: int, noun: str) -> str:
    """Return a count with its noun, one of `FORMS`: "1 image", "2,000 images"."""
    return FORMS[noun](k).format(n=fixed(k, 0))


def stated(parts: Iterable[str]) -> str:
    """Return clauses as one sentence: "a; b.", empty ones passed over."""
    return _("{statement}.").format(statement=clauses(filter(None, parts)))


def together(parts: Iterable[str]) -> str:
    """Return clauses one beside the other: "a and b and c"."""
    return p_("clauses", "{first} and {last}").format(first="", last="").join(parts)


def sentence(clause: str) -> str:
    """Return a clause as a sentence of its own, with a capital where its letters have them."""
    return _("{statement}.").format(statement=clause[:1].upper() + clause[1:])


def recorded(job: Job, facts: Facts) -> tuple[Record, Finding]:
    """Return the record and the finding of one check.

    Parameters
    ----------
    job : Job
        Gives the confidence, the seed, the command, and whether the plan fixed the check.
    facts : Facts
    """
    share = facts.share
    if share is None and facts.interval and facts.k is not None and facts.n:
        share = share_of(facts.k, facts.n, confidence=job.context.confidence)
    untestable = facts.status == "not testable"
    record = Record(
        code=facts.code,
        check=facts.check,
        layer=facts.layer,
        what=facts.what,
        status=facts.status,
        reason=facts.statement if untestable else None,
        grade=facts.grade,
        analysis="exploratory" if facts.check == "memorisation" else job.analysis(facts.check),
        k=facts.k,
        n=facts.n,
        share=share,
        lower_bound=facts.lower_bound_reason is not None,
        lower_bound_reason=facts.lower_bound_reason,
        p=facts.p,
        resamples=facts.resamples,
        seed=job.seed if facts.resamples is not None else None,
        affected_claim=facts.affected_claim,
        before=facts.before,
        after=facts.after,
        evidence=tuple(facts.evidence[:MOST_ROWS]),
        remedy=facts.remedy,
        command=job.command,
    )
    return record, _finding(facts, share)


def _finding(facts: Facts, share: Estimate | None) -> Finding:
    """Return the sentence with its numbers."""
    evidence: dict[str, float | str | Estimate] = {
        name: value
        for name, value in (
            ("k", facts.k),
            ("n", facts.n),
            ("share", share),
            ("p", facts.p),
            ("before", facts.before),
            ("after", facts.after),
        )
        if value is not None
    }
    evidence |= facts.estimates
    if facts.lower_bound_reason is not None:
        evidence["lower_bound"] = "yes"
    untestable = facts.status == "not testable"
    statement = facts.statement
    if untestable:
        statement = _("Not testable: {reason}.").format(reason=statement.rstrip(".。"))
    return Finding(
        facts.code,
        severity(facts.status, facts.grade),
        facts.what,
        statement,
        evidence,
        facts.limits,
        facts.summary or statement,
    )


def split_up(
    pairs: Sequence[tuple[Record, Finding]],
) -> tuple[tuple[Record, ...], tuple[Finding, ...]]:
    """Return the records and the findings of several checks, each in the same order."""
    return tuple(one[0] for one in pairs), tuple(one[1] for one in pairs)


def overall(pairs: Sequence[tuple[Record, Finding]]) -> tuple[Status, str | None]:
    """Return the status of a sub-audit from its checks, with the reason if none was testable.

    "found" if any check found something, else "not found" if any could be made.
    """
    records = [one[0] for one in pairs]
    statuses = [record.status for record in records]
    if "found" in statuses:
        return "found", None
    if "not found" in statuses:
        return "not found", None
    reasons = [record.reason for record in records if record.reason]
    return "not testable", reasons[0] if reasons else _("nothing to look at")
