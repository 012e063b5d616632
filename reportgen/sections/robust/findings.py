"""The sentences a reader of a robust audit must see, the verdicts first."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from reportgen.result import Finding
from reportgen.sections.robust.audit import Audit
from reportgen.sections.robust.codes import PROXY_LIMITS
from reportgen.sections.robust.data import Data
from reportgen.sections.robust.result import NO_BASIS, JointRow, RobustResult
from reportgen.sections.robust.settings import RobustSettings
from reportgen.sections.robust.verdict_findings import (
    BOUNDS,
    known_figures,
    proxy_verdicts,
    verdict_findings,
)
from reportgen.sections.robust.wording import (
    counted,
    direction_words,
    gap,
    radius_evidence,
    sized,
    words_of,
)
from reportgen.stats.robust.gaps import MEASURES
from reportgen.stats.robust.proxy import THRESHOLDED_WARNING
from reportgen.wording import level_named, number, percent, quoted, rows_left_out

PARITY = (
    "selection_rate",
    "demographic_parity",
    "demographic_parity_ratio",
    "demographic_parity_overall",
)
MOST_THREATS = 4
"""Threats past the tolerance that a sentence names; the table has them all."""


def list_findings(
    result: RobustResult, audit: Audit | None, data: Data, settings: RobustSettings
) -> tuple[Finding, ...]:
    """Return every finding: the verdicts in the order of the metrics, then the notes."""
    return (
        *verdict_findings(result, audit, settings),
        *proxy_verdicts(result, settings),
        *rows_left_out("ROB-006", data.left_out, table=data.table, n_read=data.n_read),
        *_no_units(data),
        *_base_rates(result),
        *_threats(result),
        *_directions(result),
        *_joint(result),
        *_no_basis(result),
        *_attribute_moved(result, data, settings),
        *_model(result),
        *_witnesses(result),
        *_proxy(result),
    )


def _no_units(data: Data) -> Iterator[Finding]:
    if data.unit_name is None:
        yield Finding(
            "ROB-007",
            "note",
            "No patients are named",
            f"Table {quoted(data.table)} declares no unit: each of its "
            f"{counted(len(data.score), 'row')} counts as a patient of its own.",
            limits="If patients have several rows, every interval and limit is too narrow.",
        )


def _base_rates(result: RobustResult) -> Iterator[Finding]:
    rates = {
        level_named(result.sensitive, row.group): row.base_rate.estimate
        for row in result.groups
        if row.base_rate.estimate is not None
    }
    if len(rates) < 2 or not any(name in PARITY for name in result.metrics):
        return
    high, low = max(rates, key=lambda g: rates[g]), min(rates, key=lambda g: rates[g])
    difference = rates[high] - rates[low]
    yield Finding(
        "ROB-008",
        "note",
        "Base rates of the label",
        f"The label is positive in {percent(rates[high])} of {quoted(high)} and in "
        f"{percent(rates[low])} of {quoted(low)}: its own gap is {gap(difference)}. A demographic "
        "parity gap has to be read beside it.",
        {"label_gap": difference, "highest": high, "lowest": low},
        "A model that follows the label has such a gap; that alone does not show it to be unfair.",
    )


def _threats(result: RobustResult) -> Iterator[Finding]:
    known = [row for row in result.other_threats if not row.reason]
    if not known:
        return
    tolerance = {row.metric: row.tolerance for row in result.risk_list}
    past = [
        (abs(row.found - tolerance[row.metric]), row)
        for row in known
        if row.found is not None and MEASURES[row.metric].exceeds(row.found, tolerance[row.metric])
    ]
    gravest = [row for _, row in sorted(past, key=lambda one: -one[0])[:MOST_THREATS]]
    told = "; ".join(f"{sized(row)}, {words_of(row.metric)} {gap(row.found)}" for row in gravest)
    more = len(past) - len(gravest)
    told = f": {told}" if told else ""
    told += f"; and {more} more: table" if more else ""
    yield Finding(
        "ROB-009",
        "note",
        "Other threats",
        f"Of {counted(len(known), 'threat')} in declared sizes, {len(past) or 'none'} can take a "
        f"gap past its tolerance{told}.",
        {"threats": float(len(known)), "past tolerance": float(len(past))},
        "Worst cases of the declared sizes: what such errors do at random is less.",
        summary=(
            f"{len(past) or 'None'} of {counted(len(known), 'threat')} in declared sizes can take "
            "a gap past its tolerance."
        ),
    )


def _directions(result: RobustResult) -> Iterator[Finding]:
    for row in result.risk_list:
        if not row.fragile_direction:
            continue
        own = [flip for flip in result.flips if flip.metric == row.metric]
        up, down = sum(f.selected for f in own), sum(f.deselected for f in own)
        counts = {"selected": float(up), "no longer selected": float(down)} if own else {}
        changed = (
            f" {counted(up, 'record')} {'becomes' if up == 1 else 'become'} selected, {down:,} "
            f"{'ceases' if down == 1 else 'cease'} to be."
            if own
            else ""
        )
        moves = [one for one in result.direction if one.metric == row.metric]
        first = direction_words(moves, most=1, attribute=result.sensitive)
        yield Finding(
            "ROB-010",
            "note",
            f"{result.score}: {words_of(row.metric)}, worst direction",
            "The largest shares in the worst move found, with the mean move of each group: "
            f"{direction_words(moves, attribute=result.sensitive)}.{changed}",
            {"metric": row.metric, **counts},
            "Other directions may come near it. For improving a model, not for judging a person.",
            summary=f"Largest share: {first}.{changed}",
        )


def _joint(result: RobustResult) -> Iterator[Finding]:
    if len(result.risk_list) < 2 or not result.model:
        return
    for row in result.joint:
        if row.reason:
            continue
        where = _reached(row)
        binds = f"; {words_of(row.binding_metric)} binds" if row.binding_metric else ""
        yield Finding(
            "ROB-011",
            "note",
            "Joint critical radius",
            f"The first of {len(result.risk_list)} metrics passes its tolerance {where}{binds}. "
            "No figures are averaged: the worst verdict is that of all.",
            {"binding": row.binding_metric, **radius_evidence(row)},
            summary=f"The first metric passes its tolerance {where}{binds}.",
        )


def _reached(row: JointRow) -> str:
    """Return at which size of moves the first metric passes its tolerance."""
    safe, unsafe = row.critical_safe, row.critical_unsafe
    if unsafe is None:
        return "at no size that was looked at"
    if unsafe == 0:
        return "as the data stand"
    if safe is None or safe == unsafe:
        return f"at {number(unsafe)} times the declared moves"
    return f"between {number(safe)} and {number(unsafe)} times the declared moves"


def _no_basis(result: RobustResult) -> Iterator[Finding]:
    bare = [row.feature for row in result.perturbation if row.basis == NO_BASIS and row.eps > 0]
    if bare:
        yield Finding(
            "ROB-012",
            "note",
            "Moves without a basis",
            f"No basis is given for the size of {counted(len(bare), 'move')}: {', '.join(bare)}.",
            {"moves": float(len(bare))},
            "Whether these sizes occur in practice is not known.",
        )


def _attribute_moved(
    result: RobustResult, data: Data, settings: RobustSettings
) -> Iterator[Finding]:
    if settings.sensitive is not None and settings.sensitive in data.feature_names:
        yield Finding(
            "ROB-013",
            "note",
            "The attribute is an input of the model",
            f"The model of {quoted(result.score)} takes {quoted(settings.sensitive)} itself. It is "
            "held still: groups are compared as they are.",
        )


def _model(result: RobustResult) -> Iterator[Finding]:
    if result.banner is not None:
        yield Finding("ROB-014", "warn", "The model carries code", result.banner)
    for row in result.model:
        if not row.certifiable:
            yield Finding(
                "ROB-015",
                "note",
                "Found, not certified",
                f"A model in the format {row.kind} can only be asked for scores. What the search "
                "found are lower bounds, and “robust” cannot be reached.",
            )
    if not result.model:
        yield Finding(
            "ROB-016",
            "note",
            "No model is given",
            "The gaps are those of the table's scores as they stand; no move is looked at.",
        )


def _witnesses(result: RobustResult) -> Iterator[Finding]:
    broken = sum(row.violations for row in result.witness)
    off = max((row.largest_difference for row in result.witness), default=0.0)
    if broken or off > 1e-9:
        yield Finding(
            "ROB-017",
            "warn",
            "Witnesses not counted",
            f"Scored again, {counted(broken, 'witness')} broke a constraint, and the largest "
            f"distance from the score said is {number(off)}. Such records count as not moved.",
            {"violations": float(broken), "largest_difference": off},
        )


def _proxy(result: RobustResult) -> Iterator[Finding]:
    for row in result.proxy:
        if row.weighted is None:
            continue
        cut = "not defined" if row.thresholded is None else gap(row.thresholded)
        yield Finding(
            "ROB-019",
            "note",
            f"{result.score}: {words_of(row.metric)} by a proxy",
            f"By {counted(row.cells, 'cell')} of like probability the gap lies between "
            f"{gap(row.low)} and {gap(row.high)} without assumptions. Weighted by the "
            f"probabilities it is {gap(row.weighted)}, if score and membership are independent "
            f"given them. Cut at 0.5 it would be {cut}.",
            dict(known_figures(row, (*BOUNDS, "weighted", "thresholded"))),
            f"{PROXY_LIMITS} {THRESHOLDED_WARNING.capitalize()}.",
            summary=f"Weighted by the probabilities {gap(row.weighted)}; bounds come first.",
        )


def not_assessable(data: Data, reason: str) -> tuple[Finding, ...]:
    """Return the findings of a section that could not be assessed."""
    finding = Finding("ROB-020", "warn", "Not assessable", f"Nothing could be audited: {reason}.")
    left = rows_left_out("ROB-006", data.left_out, table=data.table, n_read=data.n_read)
    return (finding, *left)


def dependent(names: Sequence[str]) -> Finding:
    """Return the finding of inputs that are exact functions of others."""
    return Finding(
        "ROB-018",
        "note",
        "Inputs that depend on others",
        f"{', '.join(map(quoted, names))} can be computed from other inputs of the model by a "
        "linear formula. Moves of one alone may be impossible; the worst case is then an upper "
        "bound. Declare such columns under derived.",
        {"inputs": float(len(names))},
    )
