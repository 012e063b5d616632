"""Findings of a FRAME section on regions, several scores, whole attributes and the rows at hand."""

from __future__ import annotations

from collections.abc import Iterator

from reportgen.language import _, n_
from reportgen.result import Finding
from reportgen.sections.frame.data import Data
from reportgen.sections.frame.metrics import words_of
from reportgen.sections.frame.models import NO_CHANGE
from reportgen.sections.frame.result import OVERALL, ClusterRow, FrameResult, ModelRow
from reportgen.sections.frame.wording import (
    group_quoted,
    listed,
    patients,
    rows,
    side,
    signed_interval,
)
from reportgen.wording import estimate, fixed, p_value, percent, quoted, sentences

MOST_PATIENTS = 20


def confirmed_clusters(result: FrameResult) -> Iterator[Finding]:
    """Yield the finding on regions with more errors that were confirmed."""
    found = [
        row for row in result.clusters if row.confirmed and row.error_rate_elsewhere is not None
    ]
    if not found:
        return
    worst = min(found, key=lambda row: 1.0 if row.p_adjusted is None else row.p_adjusted)
    n = fixed(len(found), 0)
    regions = n_(
        "Found on half the patients and confirmed on the other half: {n} region of the feature "
        "space with more errors.",
        "Found on half the patients and confirmed on the other half: {n} regions of the feature "
        "space with more errors.",
        len(found),
    )
    yield Finding(
        "FRM-017",
        "note",
        n_("{n} failure cluster confirmed", "{n} failure clusters confirmed", len(found)).format(
            n=n
        ),
        sentences(
            (
                regions.format(n=n),
                _clearest(worst),
                _("The table of regions with more errors has all."),
            )
        ),
        {_("confirmed regions"): float(len(found)), _("error rate"): worst.error_rate},
        _("A description of where errors lie, not of why."),
    )


def _clearest(worst: ClusterRow) -> str:
    text = _(
        "The clearest, in {group} with {score} ({describing}): {rate} against {elsewhere} "
        "elsewhere, Holm {p}."
    )
    if worst.attribute == OVERALL:
        text = _(
            "The clearest, in all rows with {score} ({describing}): {rate} against {elsewhere} "
            "elsewhere, Holm {p}."
        )
    return text.format(
        group=side(worst.attribute, worst.group),
        score=quoted(worst.score),
        describing=worst.describing,
        rate=estimate(worst.error_rate),
        elsewhere=fixed(worst.error_rate_elsewhere or 0, 3),
        p=p_value(worst.p_adjusted),
    )


def gaps_of_scores(result: FrameResult) -> Iterator[Finding]:
    """Yield the finding on how gaps change from one score to another, if there are several."""
    if len(result.scores) < 2:
        return
    changed = [row for row in result.models if row.reading != NO_CHANGE]
    yield Finding(
        "FRM-018",
        "note",
        _("Gaps of one score against another"),
        _compared(len(result.models), changed),
        {_("paired comparisons"): float(len(result.models)), _("changed"): float(len(changed))},
        _(
            "Intervals from joint draws of patients, one at a time: not adjusted for their number. "
            "Where no change is shown, one may still be there."
        ),
    )


def _compared(n: int, changed: list[ModelRow]) -> str:
    if not changed:
        return n_(
            "Of {n} gap compared on the same patients, none is shown to change.",
            "Of {n} gaps compared on the same patients, none is shown to change.",
            n,
        ).format(n=fixed(n, 0))
    told = [
        _(
            "{metric} of {group} against {reference} with {score} less that with {against} "
            "{change}: {reading}"
        ).format(
            metric=words_of(row.metric),
            group=side(row.attribute, row.group),
            reference=group_quoted(row.reference),
            score=quoted(row.score),
            against=quoted(row.against),
            change=signed_interval(row.change),
            reading=_(row.reading),
        )
        for row in changed
    ]
    differ = (
        _("Of {of} compared on the same patients, {k} differs between the scores: {gaps}.")
        if len(changed) == 1
        else _("Of {of} compared on the same patients, {k} differ between the scores: {gaps}.")
    )
    of = n_("{n} gap", "{n} gaps", n).format(n=fixed(n, 0))
    return differ.format(of=of, k=len(changed), gaps=listed(told, 5))


def heterogeneous(result: FrameResult) -> Iterator[Finding]:
    """Yield a finding for each attribute whose groups differ by more than sampling explains."""
    for row in result.heterogeneity:
        if row.p <= result.alpha:
            statement = _(
                "The {metric} of {score} differs over the {n} groups of {attribute} by more than "
                "sampling explains: Q = {q} on {df} degrees of freedom ({p}), I² = {i_squared}. "
                "Figures of small groups are shown as measured and drawn toward the common one."
            )
            yield Finding(
                "FRM-019",
                "note",
                _("Groups of {attribute} differ").format(attribute=row.attribute),
                statement.format(
                    metric=words_of(row.metric),
                    score=quoted(row.score),
                    n=row.levels,
                    attribute=row.attribute,
                    q=f"{row.q:.1f}",
                    df=row.levels - 1,
                    p=p_value(row.p),
                    i_squared=percent(row.i_squared),
                ),
                {"Q": row.q, "p": row.p, _("I squared"): row.i_squared},
                _(
                    "Not adjusted for the number of attributes; it does not say which group "
                    "differs."
                ),
            )


def seen_patients(data: Data) -> Iterator[Finding]:
    """Yield the finding that patients of the test set were trained on."""
    if data.seen_units:
        statement = _(
            "{patients} of the test set, with {rows}, are in the training set too: {names}."
        )
        yield Finding(
            "FRM-021",
            "warn",
            _("Test patients are in the training set"),
            statement.format(
                patients=patients(len(data.seen_units)),
                rows=rows(data.seen_rows),
                names=listed(data.seen_units, MOST_PATIENTS),
            ),
            {
                _("patients"): float(len(data.seen_units)),
                _("rows"): float(data.seen_rows),
            },
            _("No figure of this section is claimed to hold for patients the model has not seen."),
        )


def all_the_same(result: FrameResult) -> Iterator[Finding]:
    """Yield a finding for each score that selects nobody, or everybody."""
    for row in result.groups:
        if row.attribute == OVERALL and row.selection_rate.estimate in (0.0, 1.0):
            title = _("Everybody is selected")
            statement = _(
                "At the threshold {score} selects everybody: equal rates of groups follow from "
                "that and are no sign of parity."
            )
            if row.selection_rate.estimate == 0:
                title = _("Nobody is selected")
                statement = _(
                    "At the threshold {score} selects nobody: equal rates of groups follow from "
                    "that and are no sign of parity."
                )
            yield Finding("FRM-022", "note", title, statement.format(score=quoted(row.score)))
