"""The sentences a reader of a FRAME section must see, beside one verdict a comparison."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from reportgen.result import Finding, NotApplicable, Outcome
from reportgen.sections.frame.codes import CODES
from reportgen.sections.frame.data import Data
from reportgen.sections.frame.findings_scope import (
    determined_groups,
    nothing_compared,
    required_not_assessed,
)
from reportgen.sections.frame.metrics import METRICS
from reportgen.sections.frame.models import NO_CHANGE
from reportgen.sections.frame.result import OVERALL, ClusterRow, FrameResult, GapRow
from reportgen.sections.frame.settings import FrameSettings
from reportgen.sections.frame.verdict_findings import verdict_findings
from reportgen.sections.frame.wording import counted, listed, p_value, side, signed_interval
from reportgen.stats.subgroups.draws import NO_INTERVAL, UNSTABLE
from reportgen.wording import coverage, estimate, fixed, percent, quoted, rows_left_out

__all__ = ["CODES", "list_findings", "not_assessable"]

MOST_PATIENTS = 20


def list_findings(result: FrameResult, data: Data, settings: FrameSettings) -> tuple[Finding, ...]:
    """Return every finding: the verdicts first, then the others by their codes."""
    return (
        *verdict_findings(result),
        *_required(result),
        *nothing_compared(result, data),
        *_exploratory(result),
        *_left_out(data),
        *_missing(data),
        *_several(result),
        *_no_units(data),
        *_no_threshold(settings),
        *_unstable(result),
        *_perfect(result),
        *_clusters(result),
        *_models(result),
        *_heterogeneous(result),
        *determined_groups(data),
        *_seen(data),
        *_all_the_same(result),
    )


def not_assessable(data: Data, settings: FrameSettings, reason: str) -> Outcome:
    """Return the outcome of a section that could not be assessed; required groups then hold."""
    statement = f"Groups could not be compared: {reason}."
    finding = Finding("FRM-020", "warn", "Groups not assessable", statement)
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
            f"{row.attribute} {row.group}: required and not estimable",
            f"A release requires that {side(row.attribute, row.group)} can be estimated. It "
            f"cannot: {row.reason}. Next: collect its patients.",
            limits="Nothing is shown of this group.",
        )


def _exploratory(result: FrameResult) -> Iterator[Finding]:
    others = _tests_once(row for row in result.gaps if not row.primary and row.p is not None)
    out = [row for row in others if row.p_adjusted is not None and row.p_adjusted <= result.alpha]
    if not out:
        return
    named = [
        f"{METRICS[row.metric].words} of {side(row.attribute, row.group)} against "
        f"{quoted(row.reference)} ({quoted(row.score)}) {signed_interval(row.gap)}"
        for row in sorted(out, key=lambda row: (row.p_adjusted or 0, -abs(row.gap.estimate or 0)))
    ]
    yield Finding(
        "FRM-009",
        "note",
        "Exploratory gaps that stand out",
        f"Of {counted(len(others), 'exploratory comparison')}, {len(out)} stand out at a false "
        f"discovery rate of {coverage(result.alpha)}: {listed(named, 5)}.",
        {"exploratory comparisons": float(len(others)), "standing out": float(len(out))},
        "Exploratory: they were not declared as primary, have no verdict and decide nothing. "
        "Declare them in the plan of the next study.",
    )


def _tests_once(rows: Iterable[GapRow]) -> list[GapRow]:
    """Return the rows without a false positive rate whose specificity, the same test, is there."""
    by_test: dict[tuple[str, str, str, str], GapRow] = {}
    for row in rows:
        by_test.setdefault((row.score, row.attribute, row.group, METRICS[row.metric].source), row)
    return list(by_test.values())


def _left_out(data: Data) -> Iterator[Finding]:
    return rows_left_out("FRM-010", data.left_out, table=data.table, n_read=data.n_read)


def _missing(data: Data) -> Iterator[Finding]:
    blank = [
        (one.name, int((one.code == one.missing).sum()))
        for one in data.attributes
        if one.missing >= 0
    ]
    if blank:
        told = ", ".join(f"{counted(k, 'row')} without {name}" for name, k in blank)
        yield Finding(
            "FRM-011",
            "note",
            "Groups of rows without a value",
            f"There {'is' if blank[0][1] == 1 else 'are'} {told}, in the group “missing” of "
            f"{'its' if len(blank) == 1 else 'each'} attribute: counted, "
            "compared, in the overall figures, never dropped.",
            {f"rows without {name}": float(k) for name, k in blank},
            "Who they are is not known.",
        )


def _several(result: FrameResult) -> Iterator[Finding]:
    if result.units_in_several:
        told = "; ".join(
            f"{counted(row.n_units, 'patient')} in several groups of {row.attribute}"
            for row in result.units_in_several
        )
        one = result.units_in_several[0].n_units == 1
        yield Finding(
            "FRM-012",
            "note",
            "Patients in several groups",
            f"There {'is' if one else 'are'} {told}. Each is drawn as one unit with all rows, so "
            "that the covariance of the groups is kept; how such a gap is tested stands beside its "
            "p value.",
            {
                f"patients in several: {r.attribute}": float(r.n_units)
                for r in result.units_in_several
            },
        )


def _no_units(data: Data) -> Iterator[Finding]:
    if data.unit_name is None:
        yield Finding(
            "FRM-013",
            "note",
            "No patients are named",
            f"Table {data.table} declares no unit: each of its {counted(data.n_rows, 'row')} "
            "counts as a patient of its own.",
            limits="If patients have several rows, every interval is too narrow and every p value "
            "too small.",
        )


def _no_threshold(settings: FrameSettings) -> Iterator[Finding]:
    if settings.threshold is None:
        yield Finding(
            "FRM-014",
            "note",
            "No threshold is declared",
            "Without an operating point nothing is said of decisions: there is no sensitivity, "
            "specificity, precision, selection rate, parity or failure cluster, by group or "
            "overall.",
            limits="Groups that are ranked alike may still be decided on unalike.",
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
        told = [f"{name} ({percent(share)})" for name, share in shaky.items()]
        yield Finding(
            "FRM-015",
            "note",
            "Figures that some draws leave undefined",
            "In draws of the patients one class vanishes from: "
            f"{listed(told, 5)}. Above {coverage(NO_INTERVAL)} there is no percentile interval; "
            "such draws are never replaced.",
            dict(list(shaky.items())[:20]),
        )


def _perfect(result: FrameResult) -> Iterator[Finding]:
    found = [
        f"{side(row.attribute, row.group)} ({quoted(row.score)}) {estimate(row.auc)}"
        for row in result.groups
        if row.auc.estimate in (0.0, 1.0)
    ]
    if found:
        yield Finding(
            "FRM-016",
            "note",
            "Perfect separation",
            f"The AUC is 0 or 1 in: {listed(found, 5)}. Its variance cannot be "
            "estimated, and an interval from draws would be degenerate: the limits are exact, "
            "one-sided, on the patients of the scarcer class.",
            {"groups": float(len(found))},
            "It does not show that separation is perfect in other patients.",
        )


def _clusters(result: FrameResult) -> Iterator[Finding]:
    found = [
        row for row in result.clusters if row.confirmed and row.error_rate_elsewhere is not None
    ]
    if not found:
        return
    worst = min(found, key=lambda row: 1.0 if row.p_adjusted is None else row.p_adjusted)
    yield Finding(
        "FRM-017",
        "note",
        f"{counted(len(found), 'failure cluster')} confirmed",
        f"Found on half the patients and confirmed on the other half: "
        f"{counted(len(found), 'region')} of the feature space with more errors. The clearest, "
        f"{_where(worst)} with {quoted(worst.score)} ({worst.describing}): "
        f"{estimate(worst.error_rate)} against {fixed(worst.error_rate_elsewhere or 0, 3)} "
        f"elsewhere, Holm {p_value(worst.p_adjusted)}. The table of regions with more errors has "
        "all.",
        {"confirmed regions": float(len(found)), "error rate": worst.error_rate},
        "A description of where errors lie, not of why.",
    )


def _where(row: ClusterRow) -> str:
    return "in all rows" if row.attribute == OVERALL else f"in {side(row.attribute, row.group)}"


def _models(result: FrameResult) -> Iterator[Finding]:
    if len(result.scores) < 2:
        return
    changed = [row for row in result.models if row.reading != NO_CHANGE]
    told = [
        f"{METRICS[row.metric].words} of {side(row.attribute, row.group)} against "
        f"{quoted(row.reference)} with {quoted(row.score)} less that with {quoted(row.against)} "
        f"{signed_interval(row.change)}: {row.reading}"
        for row in changed
    ]
    differ = f"{len(changed)} {'differs' if len(changed) == 1 else 'differ'} between the scores"
    yield Finding(
        "FRM-018",
        "note",
        "Gaps of one score against another",
        f"Of {counted(len(result.models), 'gap')} compared on the same patients, "
        + (f"{differ}: {listed(told, 5)}." if changed else "none is shown to change."),
        {"paired comparisons": float(len(result.models)), "changed": float(len(changed))},
        "Intervals from joint draws of patients, one at a time: not adjusted for their number. "
        "Where no change is shown, one may still be there.",
    )


def _heterogeneous(result: FrameResult) -> Iterator[Finding]:
    for row in result.heterogeneity:
        if row.p <= result.alpha:
            yield Finding(
                "FRM-019",
                "note",
                f"Groups of {row.attribute} differ",
                f"The {METRICS[row.metric].words} of {quoted(row.score)} differs over the "
                f"{row.levels} groups of {row.attribute} by more than sampling explains: "
                f"Q = {row.q:.1f} on {row.levels - 1} degrees of freedom ({p_value(row.p)}), "
                f"I² = {percent(row.i_squared)}. Figures of small groups are shown as measured and "
                "drawn toward the common one.",
                {"Q": row.q, "p": row.p, "I squared": row.i_squared},
                "Not adjusted for the number of attributes; it does not say which group differs.",
            )


def _seen(data: Data) -> Iterator[Finding]:
    if data.seen_units:
        yield Finding(
            "FRM-021",
            "warn",
            "Test patients are in the training set",
            f"{counted(len(data.seen_units), 'patient')} of the test set, with "
            f"{counted(data.seen_rows, 'row')}, are in the training set too: "
            f"{listed(data.seen_units, MOST_PATIENTS)}.",
            {"patients": float(len(data.seen_units)), "rows": float(data.seen_rows)},
            "No figure of this section is claimed to hold for patients the model has not seen.",
        )


def _all_the_same(result: FrameResult) -> Iterator[Finding]:
    for row in result.groups:
        if row.attribute == OVERALL and row.selection_rate.estimate in (0.0, 1.0):
            who = "Nobody" if row.selection_rate.estimate == 0 else "Everybody"
            yield Finding(
                "FRM-022",
                "note",
                f"{who} is selected",
                f"At the threshold {quoted(row.score)} selects {who.lower()}: equal rates of "
                "groups follow from that and are no sign of parity.",
            )
