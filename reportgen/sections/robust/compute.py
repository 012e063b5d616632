"""The whole run of a robust audit, top to bottom."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from reportgen.errors import Fault, InputError, Key, key_text
from reportgen.inputs import Inputs
from reportgen.language import _, mark
from reportgen.result import Finding, NotApplicable, Outcome
from reportgen.section import Context
from reportgen.sections.robust.allowed import Allowed, allowed_moves
from reportgen.sections.robust.audit import Audit, audit, moved_of, sample_of
from reportgen.sections.robust.checks import check_inputs
from reportgen.sections.robust.data import Data, read_data
from reportgen.sections.robust.direction import Directions, directions
from reportgen.sections.robust.findings import dependent, list_findings, not_assessable
from reportgen.sections.robust.proxy import proxy_rows
from reportgen.sections.robust.result import (
    HARD_RULE,
    SOFT_RULE,
    ModelRow,
    ProxyRow,
    RobustResult,
    Verdict,
)
from reportgen.sections.robust.rows import (
    curve_rows,
    gap_rows,
    group_rows,
    joint_row,
    risk_rows,
    witness_rows,
)
from reportgen.sections.robust.rungs import Moved
from reportgen.sections.robust.settings import RobustSettings
from reportgen.sections.robust.subject import (
    ALLOWED_DIFFERENCE,
    UndefinedColumn,
    open_model,
    score_difference,
    takes_missing,
)
from reportgen.sections.robust.threats import threat_rows
from reportgen.stats.robust.metrics import AuditSample, OutsideUnit
from reportgen.stats.robust.verdicts import joint_verdict
from reportgen.stats.robust_models import Model, NoProbability
from reportgen.wording import clauses, named, sentences, separated

# Shares of the run's time, for the progress bar.
REACHED, AUDITED, DRAWN = 0.2, 0.6, 0.8
NO_ROWS = mark("no row has all of score, label, group and features")


def compute(inputs: Inputs, settings: RobustSettings, context: Context) -> Outcome:
    """Compute a robust audit: gaps, moves, radii, verdicts.

    Parameters
    ----------
    inputs : Inputs
        Holds the section's table and, where one is named, its model.
    settings : RobustSettings
        As `check` has passed them.
    context : Context
        Its generator gives the seed of every search.

    Returns
    -------
    Outcome
        A RobustResult, or NotApplicable with its reason, and the findings.

    Raises
    ------
    InputError
        If data or model do not fit the settings: see `checks.check_inputs`.
    """
    _refuse(settings, inputs)
    seed = int(context.rng.integers(2**62))
    model = None if settings.model is None else open_model(settings, inputs)
    data = _data(inputs, settings, model)
    if not len(data.score):
        return Outcome(NotApplicable(_(NO_ROWS)), not_assessable(data, _(NO_ROWS)))
    sample = sample_of(data, settings, model)
    if settings.sensitive is None:
        result = _by_proxy(data, sample, settings, context)
        return Outcome(result, list_findings(result, None, data, settings))
    try:
        moved = _moved(inputs, data, settings, model, sample, seed)
        result, done = _audited(inputs, data, settings, context, sample, moved, seed)
    except (NoProbability, OutsideUnit, UndefinedColumn) as error:
        raise InputError([_moved_away(error, settings)]) from None
    findings = list_findings(result, done, data, settings)
    return Outcome(result, (*findings, *_dependent(moved)))


def _audited(
    inputs: Inputs,
    data: Data,
    settings: RobustSettings,
    context: Context,
    sample: AuditSample,
    moved: Moved | None,
    seed: int,
) -> tuple[RobustResult, Audit]:
    """Return the result with the audit behind it."""
    context.progress(REACHED)
    done = audit(
        data,
        settings,
        sample,
        moved,
        confidence=context.confidence,
        seed=seed,
        progress=lambda part: context.progress(REACHED + (AUDITED - REACHED) * part),
    )
    ways = directions(done, data, settings, seed)
    context.progress(DRAWN)
    return _result(inputs, data, settings, context, done, ways), done


def _moved_away(error: ValueError, settings: RobustSettings) -> Fault:
    """Return the fault of what held for the table and does not hold for its moved records.

    Any other error is one of ours, and is not laid at the manifest's door.
    """
    if isinstance(error, NoProbability) and settings.model is not None:
        key: Key = ("model", settings.model.kind)
        what, mend = f"moved records cannot be scored: {error}", "check the model beyond the table"
    elif isinstance(error, UndefinedColumn):
        key, what = ("perturbation", "derived", error.name), f"as moved, {error}"
        mend = "give the columns it rests on bounds within which it is defined"
    else:
        key, what = ("metrics",), str(error)
        mend = "take a metric of decisions or ranks, or a model with the link logit"
    return Fault(f"section {settings.name}: {key_text(key)}", what, mend)


def _refuse(settings: RobustSettings, inputs: Inputs) -> None:
    if settings.model is not None and settings.name not in inputs.models:
        where = f"section {settings.name}: model"
        raise InputError([Fault(where, "the model was not read", "read it with the inputs")])
    faults = [
        Fault(f"section {settings.name}: {key_text(one.key)}", one.what, one.mend)
        for one in check_inputs(settings, inputs)
    ]
    if faults:
        raise InputError(faults)


def _data(inputs: Inputs, settings: RobustSettings, model: Model | None) -> Data:
    if model is None:
        return read_data(inputs, settings)
    missing = takes_missing(model)
    return read_data(inputs, settings, model.features, missing_allowed=missing)


def _moved(
    inputs: Inputs,
    data: Data,
    settings: RobustSettings,
    model: Model | None,
    sample: AuditSample,
    seed: int,
) -> Moved | None:
    if model is None or settings.perturbation is None:
        return None
    train = inputs.tables[settings.table].train
    fitted_on = None if train is None else train.features
    allowed = allowed_moves(settings.perturbation, model.features, data.features, fitted_on)
    return moved_of(data, settings, model, allowed, sample, seed)


def _result(
    inputs: Inputs,
    data: Data,
    settings: RobustSettings,
    context: Context,
    done: Audit,
    ways: Directions,
) -> RobustResult:
    allowed: Allowed | None = None if done.moved is None else done.moved.allowed
    joint = joint_row(done)
    fitted = inputs.tables[settings.table].train is not None
    worst = [one for one in done.metrics if one.verdict == joint.verdict]
    reason = clauses(dict.fromkeys(one.reason for one in worst if one.reason))
    return replace(
        _head(data, settings, context, joint.verdict, reason),
        norm=None if settings.perturbation is None else settings.perturbation.norm,
        eps=None if allowed is None else allowed.one_eps,
        banner=_banner(inputs, settings),
        notes=tuple(_notes(done, data, settings, fitted=fitted)),
        immutable=() if allowed is None else allowed.immutable,
        n_near_boundary=ways.n_near_boundary,
        curve=tuple(curve_rows(done, settings)),
        risk_list=tuple(risk_rows(done, data, ways.direction)),
        gaps=tuple(gap_rows(done, data, settings)),
        direction=ways.direction,
        attribution=ways.attribution,
        flips=ways.flips,
        groups=tuple(group_rows(data, done.sample, settings, context.confidence)),
        other_threats=tuple(threat_rows(done, data, settings)),
        joint=(joint,),
        proxy=tuple(proxy_rows(data, done.sample, settings)),
        perturbation=() if allowed is None else allowed.rows,
        derived=() if allowed is None else allowed.derived,
        model=_model_rows(inputs, settings, done.moved),
        witness=() if done.moved is None else tuple(witness_rows(done.moved, len(data.score))),
    )


def _by_proxy(
    data: Data, sample: AuditSample, settings: RobustSettings, context: Context
) -> RobustResult:
    """Return the result where membership is known by a probability alone."""
    rows: tuple[ProxyRow, ...] = tuple(proxy_rows(data, sample, settings))
    verdict: Verdict = joint_verdict([row.verdict for row in rows])
    reasons = dict.fromkeys(row.reason for row in rows if row.verdict == verdict)
    return replace(_head(data, settings, context, verdict, clauses(reasons)), proxy=rows)


def _head(
    data: Data, settings: RobustSettings, context: Context, verdict: Verdict, reason: str
) -> RobustResult:
    """Return a result that holds no more than its rows, its rule and its verdict."""
    return RobustResult(
        rule=HARD_RULE if settings.decisions == "hard" else SOFT_RULE,
        table=data.table,
        score=data.score_name,
        sensitive=data.sensitive,
        decisions=settings.decisions,
        threshold=settings.threshold,
        n_rows=len(data.score),
        n_units=data.n_units,
        unit=data.unit_name,
        n_read=data.n_read,
        left_out=data.left_out,
        confidence=context.confidence,
        minimum_units=settings.minimum,
        metrics=tuple(settings.metrics),
        verdict=verdict,
        verdict_reason=reason,
    )


def _banner(inputs: Inputs, settings: RobustSettings) -> str | None:
    read = inputs.models.get(settings.name)
    if settings.model is None or read is None or not read.runs_code:
        return None
    text = _(
        "{path} is a {kind} model: code that it carries was run when it was opened, as the command"
        " line allowed. Nothing in this dossier says what that code did."
    ).format(path=read.path, kind=read.kind)
    if not read.notes:
        return text
    said = clauses(note.rstrip(".") for note in read.notes)
    return sentences((text, _("Said when it was opened: {notes}.").format(notes=said)))


def _model_rows(
    inputs: Inputs, settings: RobustSettings, moved: Moved | None
) -> tuple[ModelRow, ...]:
    if moved is None:
        return ()
    read = inputs.models[settings.name]
    made_by = clauses(named(name, str(value)) for name, value in sorted(read.source.items()))
    return (
        ModelRow(
            kind=read.kind,
            path=read.path,
            sha256=read.sha256,
            made_by=made_by,
            n_features=len(moved.model.features),
            certifiable=moved.model.certifiable,
            runs_code=read.runs_code,
            largest_score_difference=score_difference(settings, inputs),
            allowed_score_difference=ALLOWED_DIFFERENCE,
        ),
    )


def _notes(done: Audit, data: Data, settings: RobustSettings, *, fitted: bool) -> list[str]:
    notes = []
    if done.moved is not None:
        changed = int(
            np.count_nonzero(
                (done.sample.score >= done.sample.threshold)
                != (data.score >= done.sample.threshold)
            )
        )
        notes.append(_own_scores(changed if settings.decisions == "hard" else 0))
        notes += _deviations(done.moved.allowed, fitted=fitted)
    if settings.proxy is not None:
        notes.append(_("the proxy's bounds stand beside the attribute and decide nothing"))
    return notes


def _own_scores(changed: int) -> str:
    if not changed:
        return _("the model's own scores are audited, not the table's rounded ones")
    text = _(
        "the model's own scores are audited, not the table's rounded ones: {n} decisions differ"
    )
    return text.format(n=changed)


def _deviations(allowed: Allowed, *, fitted: bool) -> Iterator[str]:
    """Yield of which records the standard deviations are, where moves are stated in such."""
    if all(row.eps_sd is None for row in allowed.rows):
        return
    still = separated(row.feature for row in allowed.rows if row.eps_sd and not row.eps)
    if fitted:
        yield _("standard deviations are those of the training set")
        constant = _("{features}: one value throughout the training set, so eps is 0")
    else:
        yield _("standard deviations are those of the audited records")
        constant = _("{features}: one value throughout the audited records, so eps is 0")
    if still:
        yield constant.format(features=still)


def _dependent(moved: Moved | None) -> tuple[Finding, ...]:
    """Return the finding of moving inputs that are exact linear functions of the others."""
    if moved is None:
        return ()
    moves, values = moved.allowed.moves, moved.reach.values
    known = values[~np.isnan(values).any(axis=1)]
    inside = {column for columns in moves.categories for column in columns}
    names = [
        moved.model.features[j]
        for j in np.flatnonzero(moves.mutable).tolist()
        if j not in inside and _follows(known, j)
    ]
    return (dependent(names),) if names else ()


def _follows(values: np.ndarray, j: int) -> bool:
    """Return whether a column is a linear function of the others, but for rounding."""
    n, d = values.shape
    column = values[:, j]
    spread = float(column.std()) if n else 0.0
    if n <= d + 1 or spread == 0:
        return False
    others = np.column_stack([np.ones(n), np.delete(values, j, axis=1)])
    size = np.maximum(np.abs(others).max(axis=0), 1e-300)
    fitted, *_rest = np.linalg.lstsq(others / size, column, rcond=None)
    return bool(np.abs(column - (others / size) @ fitted).max() < 1e-8 * spread)
