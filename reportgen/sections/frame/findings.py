"""The sentences a reader of a FRAME section must see, beside one verdict a comparison."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from reportgen.language import _, n_
from reportgen.result import Finding, NotApplicable, Outcome
from reportgen.sections.attributes import units_in_several
from reportgen.sections.frame.codes import CODES
from reportgen.sections.frame.data import Attribute, Data
from reportgen.sections.frame.evidence import Clustered, Evidence
from reportgen.sections.frame.findings_features import (
    coverage_not_assessed,
    determined_groups,
    features_left_out,
    not_clustered,
)
from reportgen.sections.frame.findings_rows import (
    MOST_PATIENTS,
    all_the_same,
    confirmed_clusters,
    gaps_of_scores,
    heterogeneous,
    seen_patients,
)
from reportgen.sections.frame.findings_scope import (
    nothing_compared,
    one_class,
    required_not_assessed,
)
from reportgen.sections.frame.metrics import METRICS, words_of
from reportgen.sections.frame.result import FrameResult, GapRow
from reportgen.sections.frame.settings import FrameSettings
from reportgen.sections.frame.verdict_findings import verdict_findings
from reportgen.sections.frame.wording import (
    group_quoted,
    level_shown,
    listed,
    patients,
    rows,
    side,
    signed_interval,
)
from reportgen.stats.subgroups.draws import NO_INTERVAL, UNSTABLE
from reportgen.wording import (
    alternatives,
    clauses,
    coverage,
    estimate,
    fixed,
    percent,
    quoted,
    rows_left_out,
    separated,
)

__all__ = ["CODES", "list_findings", "not_assessable"]


def list_findings(
    result: FrameResult,
    data: Data,
    settings: FrameSettings,
    evidence: Evidence,
    clustered: Clustered,
) -> tuple[Finding, ...]:
    """Return every finding: the verdicts first, then the others by their codes."""
    return (
        *verdict_findings(result),
        *_required(result),
        *one_class(result),
        *nothing_compared(result, data),
        *_exploratory(result),
        *_left_out(data),
        *_missing(data),
        *_several(result, data),
        *_no_units(data),
        *_no_threshold(settings),
        *_unstable(result),
        *_perfect(result),
        *confirmed_clusters(result),
        *gaps_of_scores(result),
        *heterogeneous(result),
        *determined_groups(data),
        *features_left_out(evidence, clustered, data),
        *coverage_not_assessed(result),
        *not_clustered(clustered),
        *seen_patients(data),
        *all_the_same(result),
    )


def not_assessable(data: Data, settings: FrameSettings, reason: str) -> Outcome:
    """Return the outcome of a section that could not be assessed; required groups then hold."""
    statement = _("Groups could not be compared: {reason}.").format(reason=reason)
    finding = Finding("FRM-020", "warn", _("Groups not assessable"), statement)
    required = required_not_assessed(settings, reason)
    return Outcome(NotApplicable(reason), (*required, finding, *_left_out(data)))


def _required(result: FrameResult) -> Iterator[Finding]:
    compared = {
        (row.attribute, group)
        for row in result.gaps
        if row.primary
        for group in (row.group, row.reference)
    }
    lacking = [
        row
        for row in result.required
        if not row.estimable and (row.attribute, row.group) not in compared
    ]
    for row in lacking:
        yield Finding(
            "FRM-008",
            "fail",
            _("{attribute} {group}: required and not estimable").format(
                attribute=row.attribute, group=level_shown(row.group)
            ),
            _(
                "A release requires that {group} can be estimated. It cannot: {reason}. Next: "
                "collect its patients."
            ).format(group=side(row.attribute, row.group), reason=row.reason),
            limits=_("Nothing is shown of this group."),
        )


def _exploratory(result: FrameResult) -> Iterator[Finding]:
    others = _tests_once(row for row in result.gaps if not row.primary and row.p is not None)
    out = [row for row in others if row.p_adjusted is not None and row.p_adjusted <= result.alpha]
    if not out:
        return
    named = [
        _("{metric} of {group} against {reference} ({score}) {gap}").format(
            metric=words_of(row.metric),
            group=side(row.attribute, row.group),
            reference=group_quoted(row.reference),
            score=quoted(row.score),
            gap=signed_interval(row.gap),
        )
        for row in sorted(out, key=lambda row: (row.p_adjusted or 0, -abs(row.gap.estimate or 0)))
    ]
    yield Finding(
        "FRM-009",
        "note",
        _("Exploratory gaps that stand out"),
        n_(
            "Of {n} exploratory comparison, {k} stand out at a false discovery rate of {rate}: "
            "{gaps}.",
            "Of {n} exploratory comparisons, {k} stand out at a false discovery rate of {rate}: "
            "{gaps}.",
            len(others),
        ).format(
            n=fixed(len(others), 0),
            k=len(out),
            rate=coverage(result.alpha),
            gaps=listed(named, 5),
        ),
        {_("exploratory comparisons"): float(len(others)), _("standing out"): float(len(out))},
        _(
            "Exploratory: they were not declared as primary, have no verdict and decide nothing. "
            "Declare them in the plan of the next study."
        ),
    )


def _tests_once(tested: Iterable[GapRow]) -> list[GapRow]:
    """Return the rows without a false positive rate whose specificity, the same test, is there."""
    by_test: dict[tuple[str, str, str, str], GapRow] = {}
    for row in tested:
        by_test.setdefault((row.score, row.attribute, row.group, METRICS[row.metric].source), row)
    return list(by_test.values())


def _left_out(data: Data) -> Iterator[Finding]:
    return rows_left_out("FRM-010", data.left_out, table=data.table, n_read=data.n_read)


def _missing(data: Data) -> Iterator[Finding]:
    blank = [
        (one, int((one.code == one.missing).sum()))
        for one in data.attributes
        if one.missing >= 0 and (one.code == one.missing).any()
    ]
    if blank:
        told = separated(_without(one, k) for one, k in blank)
        names = dict.fromkeys(level_shown(one.levels[one.missing]) for one, _k in blank)
        yield Finding(
            "FRM-011",
            "note",
            _("Groups of rows without a value"),
            _blank(one_row=blank[0][1] == 1, one_attribute=len(blank) == 1).format(
                rows=told, group=alternatives(map(quoted, names))
            ),
            {
                _("rows without {attribute}").format(attribute=one.name): float(k)
                for one, k in blank
            },
            _("Who they are is not known."),
        )


def _without(one: Attribute, k: int) -> str:
    text = _("{rows} without {attribute}").format(rows=rows(k), attribute=one.name)
    if not one.outside:
        return text
    beyond = n_(
        "{statement} ({n} of the table has a value outside the bins)",
        "{statement} ({n} of the table have a value outside the bins)",
        one.outside,
    )
    return beyond.format(statement=text, n=fixed(one.outside, 0))


def _blank(*, one_row: bool, one_attribute: bool) -> str:
    """Return the statement on rows without a value, with a place left for them."""
    if one_row and one_attribute:
        return _(
            "There is {rows}, in the group {group} of its attribute: counted, compared, in the "
            "overall figures, never dropped."
        )
    if one_row:
        return _(
            "There is {rows}, in the group {group} of each attribute: counted, compared, in the "
            "overall figures, never dropped."
        )
    if one_attribute:
        return _(
            "There are {rows}, in the group {group} of its attribute: counted, compared, in the "
            "overall figures, never dropped."
        )
    return _(
        "There are {rows}, in the group {group} of each attribute: counted, compared, in the "
        "overall figures, never dropped."
    )


def _several(result: FrameResult, data: Data) -> Iterator[Finding]:
    if result.units_in_several:
        told = clauses(
            _("{patients} in several groups of {attribute} ({names})").format(
                patients=patients(row.n_units),
                attribute=row.attribute,
                names=listed(_names(data, row.attribute), MOST_PATIENTS),
            )
            for row in result.units_in_several
        )
        statement = n_(
            "In the rows used, “missing” being a group too, there is {patients}. Each is drawn as "
            "one unit with all rows, so that the covariance of the groups is kept; how such a gap "
            "is tested stands beside its p value.",
            "In the rows used, “missing” being a group too, there are {patients}. Each is drawn as "
            "one unit with all rows, so that the covariance of the groups is kept; how such a gap "
            "is tested stands beside its p value.",
            result.units_in_several[0].n_units,
        )
        yield Finding(
            "FRM-012",
            "note",
            _("Patients in several groups"),
            statement.format(patients=told),
            {
                _("patients in several: {attribute}").format(attribute=r.attribute): float(
                    r.n_units
                )
                for r in result.units_in_several
            },
        )


def _names(data: Data, attribute: str) -> tuple[str, ...]:
    code = data.attributes_by_name[attribute].code
    return units_in_several(code, data.unit, data.unit_text)


def _no_units(data: Data) -> Iterator[Finding]:
    if data.unit_name is None:
        yield Finding(
            "FRM-013",
            "note",
            _("No patients are named"),
            n_(
                "Table {table} declares no unit: each of its {n} row counts as a patient of its "
                "own.",
                "Table {table} declares no unit: each of its {n} rows counts as a patient of its "
                "own.",
                data.n_rows,
            ).format(table=data.table, n=fixed(data.n_rows, 0)),
            limits=_(
                "If patients have several rows, every interval is too narrow and every p value "
                "too small."
            ),
        )


def _no_threshold(settings: FrameSettings) -> Iterator[Finding]:
    if settings.threshold is None:
        yield Finding(
            "FRM-014",
            "note",
            _("No threshold is declared"),
            _(
                "Without an operating point nothing is said of decisions: there is no sensitivity, "
                "specificity, precision, selection rate, parity or failure cluster, by group or "
                "overall."
            ),
            limits=_("Groups that are ranked alike may still be decided on unalike."),
        )


def _unstable(result: FrameResult) -> Iterator[Finding]:
    shaky = {
        side(row.attribute, row.group): row.undefined_share
        for row in result.groups
        if row.undefined_share is not None
        and row.undefined_share > UNSTABLE
        # From a group that never had a class none can vanish; its row says so.
        and row.n_positive
        and row.n_negative
    }
    if shaky:
        told = [
            _("{group} ({share})").format(group=name, share=percent(share))
            for name, share in shaky.items()
        ]
        yield Finding(
            "FRM-015",
            "note",
            _("Figures that some draws leave undefined"),
            _(
                "In draws of the patients one class vanishes from: {groups}. Above {share} there "
                "is no percentile interval; such draws are never replaced."
            ).format(groups=listed(told, 5), share=coverage(NO_INTERVAL)),
            dict(list(shaky.items())[:20]),
        )


def _perfect(result: FrameResult) -> Iterator[Finding]:
    found = [
        _("{group} ({score}) {figure}").format(
            group=side(row.attribute, row.group), score=quoted(row.score), figure=estimate(row.auc)
        )
        for row in result.groups
        if row.auc.estimate in (0.0, 1.0)
    ]
    if found:
        yield Finding(
            "FRM-016",
            "note",
            _("Perfect separation"),
            _(
                "The AUC is 0 or 1 in: {groups}. Its variance cannot be estimated, and an interval "
                "from draws would be degenerate: the limits are exact, one-sided, on the patients "
                "of the scarcer class."
            ).format(groups=listed(found, 5)),
            {_("groups"): float(len(found))},
            _("It does not show that separation is perfect in other patients."),
        )
