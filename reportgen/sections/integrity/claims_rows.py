"""A published figure beside what these data give, to the digits that were printed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from reportgen.language import _
from reportgen.result import Estimate
from reportgen.sections.integrity.audits import Job
from reportgen.sections.integrity.pins import declared_convention
from reportgen.sections.integrity.result_evaluation import (
    ClassifierAudit,
    ClassifierRow,
    Evaluator,
)
from reportgen.sections.integrity.result_use import ClaimRow
from reportgen.sections.integrity.settings import Claim
from reportgen.stats.possible import Printed, granularity, possible_from_table, read_printed
from reportgen.wording import clauses, fixed, quoted, separated

SHARES = ("accuracy", "prevalence", "sensitivity", "specificity", "precision")
TABLES = ("balanced_accuracy", "f1", "mcc", "precision")
MAPS = ("map50", "map50_95", "map75")


@dataclass(frozen=True)
class Recomputed:
    """What these data give for a claim: the value and where it comes from, or why there is none."""

    value: float | None
    source: str | None
    reason: str | None = None
    agrees: bool | None = None


def claim_row(claim: Claim, job: Job, *, others: Sequence[Claim]) -> ClaimRow:
    """Return one claim against these data.

    Parameters
    ----------
    claim : Claim
        Its value is a figure as printed.
    job : Job
        The classifier and the evaluator are among what is done, if they were asked for.
    others : sequence of Claim
        The other claims, which may contradict it.
    """
    printed = read_printed(claim.value)
    row = _classifier_row(claim, job)
    found = _of_evaluator(claim, printed, job) if claim.metric in MAPS else _of_rows(claim, row)
    agrees = found.agrees
    if agrees is None and found.value is not None:
        agrees = printed.agrees(found.value)
    possible, nearest, why = _possible(claim, printed, row)
    other = _other_count(claim, found.value, row)
    elsewhere = _other_n(claim, row)
    if elsewhere:  # another sample may give another figure, and the same one by chance
        agrees = None
    elif other and agrees:
        agrees = False
    reasons = [text for text in (found.reason, why, other, elsewhere) if text]
    return ClaimRow(
        metric=claim.metric,
        claimed=claim.value,
        n=claim.n,
        k=claim.k,
        split=claim.split,
        source=claim.source,
        recomputed=found.value,
        recomputed_from=found.source,
        possible=possible,
        nearest=nearest,
        agrees=agrees,
        reason=clauses(reasons) or None,
        conflict=_conflict(claim, printed, others),
    )


def _classifier_row(claim: Claim, job: Job) -> ClassifierRow | None:
    done = job.done.get("classifier")
    result = done.result if done else None
    if not isinstance(result, ClassifierAudit) or claim.metric in MAPS:
        return None
    wanted = claim.split or "all"
    return next((row for row in result.rows if row.split == wanted), None)


def _of_rows(claim: Claim, row: ClassifierRow | None) -> Recomputed:
    if row is None:
        why = _("no classifier was audited to compare it with")
        if claim.split:
            why = _("no classifier was audited on split {split} to compare it with")
        return Recomputed(None, None, why.format(split=quoted(claim.split or "")))
    name = "base_rate" if claim.metric == "prevalence" else claim.metric
    figure: Estimate = getattr(row, name)
    source = _("classifier, {n} rows ({split})").format(
        n=fixed(row.n, 0), split=_("all") if row.split == "all" else row.split
    )
    reason = None if figure.estimate is not None else figure.reason
    return Recomputed(figure.estimate, source, reason)


def _of_evaluator(claim: Claim, printed: Printed, job: Job) -> Recomputed:
    """Return the figure under the declared tool's rule; undeclared, under the one that agrees."""
    done = job.done.get("evaluator")
    result = done.result if done else None
    if not isinstance(result, Evaluator) or not result.rows or job.settings.detections is None:
        return Recomputed(None, None, _("no evaluator was audited to compare it with"))
    values = {
        row.convention: row.value
        for row in result.rows
        if row.metric == claim.metric and row.class_ == "all" and row.value is not None
    }
    if not values:
        return Recomputed(None, None, _("undefined in these data"))
    rule = declared_convention(job.inputs.detections[job.settings.detections].pins)
    agreeing = [name for name, value in values.items() if printed.agrees(value)]
    if rule in values:
        said = _("it agrees under {rules}, not under the rule of the declared tool")
        said = said.format(rules=separated(agreeing))
        return Recomputed(values[rule], rule, said if agreeing and rule not in agreeing else None)
    if rule is not None:
        why = _("the rule of the declared tool, {rule}, was not evaluated")
        return Recomputed(None, None, why.format(rule=rule))
    if agreeing:
        said = _("the tool and its version are not declared; it agrees under {rules} alone")
        said = said.format(rules=separated(agreeing))
        return Recomputed(values[agreeing[0]], agreeing[0], said, agrees=True)
    first = "coco_101" if "coco_101" in values else next(iter(values))
    why = _("the tool and its version are not declared; it agrees under no convention")
    return Recomputed(values[first], first, why)


def _possible(
    claim: Claim, printed: Printed, row: ClassifierRow | None
) -> tuple[bool | None, str | None, str | None]:
    """Return whether the digits are possible, the nearest share, and what to say of it."""
    if claim.k is not None and claim.n is not None:
        own = Fraction(claim.k, claim.n)
        if not printed.agrees(own):
            text = f"{claim.k}/{claim.n} = {float(own):.6f}"
            return False, text, _("its own counts give {counts}").format(counts=text)
    n = _denominator(claim, row)
    if n is None:
        return _possible_table(claim, printed, row), None, None
    grain = granularity(printed, n)
    text = f"{grain.nearest}/{n} = {grain.nearest / n:.6f}"
    if claim.metric == "auc":  # pairs, of which ties count half
        half = ".5" if grain.nearest % 2 else ""
        text = f"{grain.nearest // 2}{half}/{n // 2} = {grain.nearest / n:.6f}"
    why = _("with n = {n} any figure of these digits is possible").format(n=fixed(n, 0))
    return grain.possible, text, why if grain.any_figure else None


def _denominator(claim: Claim, row: ClassifierRow | None) -> int | None:
    """Return the n of the share that a claim is, None where it is none or n is not known."""
    if claim.metric == "auc":
        pairs = (
            0
            if row is None or claim.n not in (None, row.n)
            else row.n_positive * (row.n - row.n_positive)
        )
        return 2 * pairs or None
    if claim.metric not in SHARES:
        return None
    if row is None or claim.k is not None or claim.n not in (None, row.n):
        return claim.n
    # The n of a claim is mostly that of its rows; a rate rests on those of one class alone, and
    # precision on those called positive, which these data cannot say for whoever claims it.
    own = {"sensitivity": row.n_positive, "specificity": row.n - row.n_positive, "precision": 0}
    return own.get(claim.metric, row.n) or None


def _possible_table(claim: Claim, printed: Printed, row: ClassifierRow | None) -> bool | None:
    if claim.metric not in TABLES or row is None or claim.n not in (None, row.n):
        return None
    negatives = row.n - row.n_positive
    return possible_from_table(
        printed, claim.metric, n_positive=row.n_positive, n_negative=negatives
    )


def _other_count(claim: Claim, value: float | None, row: ClassifierRow | None) -> str | None:
    """Return that the same rows give another count than the claim's, where its digits agree."""
    if claim.k is None or claim.n is None or value is None or _other_n(claim, row):
        return None
    own = round(value * claim.n)
    said = _("it counts k = {k}, these data give {own}")
    return None if own == claim.k else said.format(k=fixed(claim.k, 0), own=fixed(own, 0))


def _other_n(claim: Claim, row: ClassifierRow | None) -> str | None:
    """Return that a claim rests on another number of rows than these data have."""
    if claim.n is None or row is None:
        return None
    own = {"sensitivity": row.n_positive, "specificity": row.n - row.n_positive}
    known = {row.n, own.get(claim.metric, row.n)}
    if claim.metric == "precision":
        known.add(row.n_called_positive)
    if claim.n in known:
        return None
    return _("it rests on n = {n}, these data have {own}").format(
        n=fixed(claim.n, 0), own=fixed(own.get(claim.metric, row.n), 0)
    )


def _conflict(claim: Claim, printed: Printed, others: Sequence[Claim]) -> str | None:
    """Return the claims of the same figure with which this one cannot hold together.

    A mean average precision has as many values as there are rules to sum it by, and a claim does
    not say its rule: two of them may both hold.
    """
    against: list[str] = []
    if claim.metric in MAPS:
        return None
    for other in others:
        if (other.metric, other.split) != (claim.metric, claim.split):
            continue
        if None not in (claim.n, other.n) and claim.n != other.n:
            continue  # of other rows
        theirs = read_printed(other.value)
        if theirs.high < printed.low or printed.high < theirs.low:
            told = other.value
            if other.source:
                told = _("{value} ({source})").format(value=told, source=other.source)
            against.append(told)
    return separated(against) or None
