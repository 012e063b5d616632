"""The sentences a reader of a robust audit must see, the verdicts first."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from reportgen.language import _, n_
from reportgen.result import Finding
from reportgen.sections.attributes import units_in_several
from reportgen.sections.robust.audit import Audit
from reportgen.sections.robust.codes import CUT_AT_HALF, PROXY_LIMITS
from reportgen.sections.robust.data import Data
from reportgen.sections.robust.result import NO_BASIS, JointRow, RobustResult
from reportgen.sections.robust.settings import RobustSettings
from reportgen.sections.robust.threat_findings import threats
from reportgen.sections.robust.verdict_findings import (
    BOUNDS,
    known_figures,
    proxy_verdicts,
    verdict_findings,
)
from reportgen.sections.robust.wording import (
    direction_words,
    gap,
    radius_evidence,
    words_of,
)
from reportgen.wording import (
    fixed,
    level_named,
    listed_first,
    number,
    percent,
    quoted,
    rows_left_out,
    sentences,
    separated,
)

MOST_NAMED = 20
"""Patients that are named."""
PARITY = (
    "selection_rate",
    "demographic_parity",
    "demographic_parity_ratio",
    "demographic_parity_overall",
)


def list_findings(
    result: RobustResult, audit: Audit | None, data: Data, settings: RobustSettings
) -> tuple[Finding, ...]:
    """Return every finding: the verdicts in the order of the metrics, then the notes."""
    return (
        *verdict_findings(result, audit, settings),
        *proxy_verdicts(result, settings),
        *rows_left_out("ROB-006", data.left_out, table=data.table, n_read=data.n_read),
        *_no_units(data),
        *_blank(data),
        *_several(data),
        *_base_rates(result),
        *threats(result),
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
        n = len(data.score)
        statement = n_(
            "Table {table} declares no unit: each of its {n} row counts as a patient of its own.",
            "Table {table} declares no unit: each of its {n} rows counts as a patient of its own.",
            n,
        )
        yield Finding(
            "ROB-007",
            "note",
            _("No patients are named"),
            statement.format(table=quoted(data.table), n=fixed(n, 0)),
            limits=_("If patients have several rows, every interval and limit is too narrow."),
        )


def _blank(data: Data) -> Iterator[Finding]:
    if data.blank:
        n = int((data.group == len(data.levels) - 1).sum())
        statement = n_(
            "{n} row without {attribute} is a group of its own, “{group}”.",
            "{n} rows without {attribute} are a group of their own, “{group}”.",
            n,
        )
        yield Finding(
            "ROB-021",
            "note",
            _("Rows without a group"),
            statement.format(
                n=fixed(n, 0),
                attribute=data.sensitive,
                group=level_named(data.sensitive, data.levels[-1]),
            ),
            {"rows": float(n)},
            _("Who they are is not known."),
        )


def _several(data: Data) -> Iterator[Finding]:
    names = units_in_several(data.group, data.unit, data.unit_text)
    if names:
        statement = n_(
            "{n} patient has rows in several groups of {attribute}: {names}.",
            "{n} patients have rows in several groups of {attribute}: {names}.",
            len(names),
        )
        yield Finding(
            "ROB-022",
            "note",
            _("Patients in several groups"),
            statement.format(
                n=fixed(len(names), 0),
                attribute=data.sensitive,
                names=listed_first(names, MOST_NAMED),
            ),
            {"patients": float(len(names))},
        )


def _base_rates(result: RobustResult) -> Iterator[Finding]:
    rates = {
        level_named(result.sensitive, row.group): row.base_rate.estimate
        for row in result.groups
        if row.base_rate.estimate is not None
    }
    if len(set(rates.values())) < 2 or not any(name in PARITY for name in result.metrics):
        return  # without a gap there is nothing to be read beside
    high, low = max(rates, key=lambda g: rates[g]), min(rates, key=lambda g: rates[g])
    difference = rates[high] - rates[low]
    statement = _(
        "The label is positive in {most} of {high} and in {least} of {low}: its own gap is {gap}."
        " A demographic parity gap has to be read beside it."
    )
    yield Finding(
        "ROB-008",
        "note",
        _("Base rates of the label"),
        statement.format(
            most=percent(rates[high]),
            high=quoted(high),
            least=percent(rates[low]),
            low=quoted(low),
            gap=gap(difference),
        ),
        {"label_gap": difference, "highest": high, "lowest": low},
        _(
            "A model that follows the label has such a gap; that alone does not show it to be"
            " unfair."
        ),
    )


def _directions(result: RobustResult) -> Iterator[Finding]:
    for row in result.risk_list:
        if not row.fragile_direction:
            continue
        own = [flip for flip in result.flips if flip.metric == row.metric]
        up, down = sum(f.selected for f in own), sum(f.deselected for f in own)
        counts = {"selected": float(up), "no longer selected": float(down)} if own else {}
        changed = _changed(up, down) if own else ""
        moves = [one for one in result.direction if one.metric == row.metric]
        first = direction_words(moves, most=1, attribute=result.sensitive)
        shares = _(
            "The largest shares in the worst move found, with the mean move of each group: {moves}."
        ).format(moves=direction_words(moves, attribute=result.sensitive))
        yield Finding(
            "ROB-010",
            "note",
            _("{score}: {metric}, worst direction").format(
                score=result.score, metric=words_of(row.metric)
            ),
            sentences((shares, changed)),
            {"metric": row.metric, **counts},
            _(
                "Other directions may come near it. For improving a model, not for judging a"
                " person."
            ),
            summary=sentences((_("Largest share: {move}.").format(move=first), changed)),
        )


def _changed(up: int, down: int) -> str:
    """Return how many records a worst move selects, and how many no longer."""
    selected = n_("{n} record becomes selected", "{n} records become selected", up)
    text = n_("{selected}, {n} ceases to be.", "{selected}, {n} cease to be.", down)
    return text.format(selected=selected.format(n=fixed(up, 0)), n=fixed(down, 0))


def _joint(result: RobustResult) -> Iterator[Finding]:
    if len(result.risk_list) < 2 or not result.model:
        return
    for row in result.joint:
        if row.reason:
            continue
        statement = _("The first of {n} metrics passes its tolerance {where}.")
        summary = _("The first metric passes its tolerance {where}.")
        if row.binding_metric:
            statement = _("The first of {n} metrics passes its tolerance {where}; {metric} binds.")
            summary = _("The first metric passes its tolerance {where}; {metric} binds.")
        words = {
            "n": len(result.risk_list),
            "where": _reached(row),
            "metric": words_of(row.binding_metric),
        }
        averaged = _("No figures are averaged: the worst verdict is that of all.")
        yield Finding(
            "ROB-011",
            "note",
            _("Joint critical radius"),
            sentences((statement.format(**words), averaged)),
            {"binding": row.binding_metric, **radius_evidence(row)},
            summary=summary.format(**words),
        )


def _reached(row: JointRow) -> str:
    """Return at which size of moves the first metric passes its tolerance."""
    safe, unsafe = row.critical_safe, row.critical_unsafe
    if unsafe is None:
        return _("at no size that was looked at")
    if unsafe == 0:
        return _("as the data stand")
    if safe is None or safe == unsafe:
        return _("at {times} times the declared moves").format(times=number(unsafe))
    text = _("between {safe} and {unsafe} times the declared moves")
    return text.format(safe=number(safe), unsafe=number(unsafe))


def _no_basis(result: RobustResult) -> Iterator[Finding]:
    bare = [row.feature for row in result.perturbation if row.basis == NO_BASIS and row.eps > 0]
    if bare:
        statement = n_(
            "No basis is given for the size of {n} move: {features}.",
            "No basis is given for the size of {n} moves: {features}.",
            len(bare),
        )
        yield Finding(
            "ROB-012",
            "note",
            _("Moves without a basis"),
            statement.format(n=fixed(len(bare), 0), features=separated(bare)),
            {"moves": float(len(bare))},
            _("Whether these sizes occur in practice is not known."),
        )


def _attribute_moved(
    result: RobustResult, data: Data, settings: RobustSettings
) -> Iterator[Finding]:
    if settings.sensitive is not None and settings.sensitive in data.feature_names:
        statement = _(
            "The model of {score} takes {attribute} itself. It is held still: groups are compared"
            " as they are."
        )
        yield Finding(
            "ROB-013",
            "note",
            _("The attribute is an input of the model"),
            statement.format(score=quoted(result.score), attribute=quoted(settings.sensitive)),
        )


def _model(result: RobustResult) -> Iterator[Finding]:
    if result.banner is not None:
        yield Finding("ROB-014", "warn", _("The model carries code"), result.banner)
    for row in result.model:
        if not row.certifiable:
            statement = _(
                "A model in the format {kind} can only be asked for scores. What the search found"
                " are lower bounds, and “robust” cannot be reached."
            )
            yield Finding(
                "ROB-015", "note", _("Found, not certified"), statement.format(kind=row.kind)
            )
    if not result.model:
        yield Finding(
            "ROB-016",
            "note",
            _("No model is given"),
            _("The gaps are those of the table's scores as they stand; no move is looked at."),
        )


def _witnesses(result: RobustResult) -> Iterator[Finding]:
    broken = sum(row.violations for row in result.witness)
    off = max((row.largest_difference for row in result.witness), default=0.0)
    if broken or off > 1e-9:
        statement = n_(
            "Scored again, {n} witness broke a constraint, and the largest distance from the score"
            " said is {distance}. Such records count as not moved.",
            "Scored again, {n} witnesses broke a constraint, and the largest distance from the"
            " score said is {distance}. Such records count as not moved.",
            broken,
        )
        yield Finding(
            "ROB-017",
            "warn",
            _("Witnesses not counted"),
            statement.format(n=fixed(broken, 0), distance=number(off)),
            {"violations": float(broken), "largest_difference": off},
        )


def _proxy(result: RobustResult) -> Iterator[Finding]:
    for row in result.proxy:
        if row.weighted is None:
            continue
        bounds = n_(
            "By {n} cell of like probability the gap lies between {low} and {high} without"
            " assumptions.",
            "By {n} cells of like probability the gap lies between {low} and {high} without"
            " assumptions.",
            row.cells,
        ).format(n=fixed(row.cells, 0), low=gap(row.low), high=gap(row.high))
        weighted = _(
            "Weighted by the probabilities it is {weighted}, if score and membership are"
            " independent given them. Cut at 0.5 it would be {cut}."
        ).format(weighted=gap(row.weighted), cut=gap(row.thresholded))
        summary = _("Weighted by the probabilities {weighted}; bounds come first.")
        yield Finding(
            "ROB-019",
            "note",
            _("{score}: {metric} by a proxy").format(
                score=result.score, metric=words_of(row.metric)
            ),
            sentences((bounds, weighted)),
            dict(known_figures(row, (*BOUNDS, "weighted", "thresholded"))),
            sentences((_(PROXY_LIMITS), _(CUT_AT_HALF))),
            summary=summary.format(weighted=gap(row.weighted)),
        )


def not_assessable(data: Data, reason: str) -> tuple[Finding, ...]:
    """Return the findings of a section that could not be assessed."""
    statement = _("Nothing could be audited: {reason}.").format(reason=reason)
    finding = Finding("ROB-020", "warn", _("Not assessable"), statement)
    left = rows_left_out("ROB-006", data.left_out, table=data.table, n_read=data.n_read)
    return (finding, *left)


def dependent(names: Sequence[str]) -> Finding:
    """Return the finding of inputs that are exact functions of others."""
    statement = _(
        "{inputs} can be computed from other inputs of the model by a linear formula. Moves of one"
        " alone may be impossible; the worst case is then an upper bound. Declare such columns"
        " under derived."
    )
    return Finding(
        "ROB-018",
        "note",
        _("Inputs that depend on others"),
        statement.format(inputs=separated(map(quoted, names))),
        {"inputs": float(len(names))},
    )
