"""Decision curves: what using the model adds to treating all or none, and at which thresholds."""

from __future__ import annotations

import numpy as np

from reportgen.inputs import Inputs
from reportgen.language import _, mark
from reportgen.result import Outcome
from reportgen.section import Context, Section
from reportgen.sections.dca.analysis import Data, analyse, read_data
from reportgen.sections.dca.assemble import assemble
from reportgen.sections.dca.codes import CODES
from reportgen.sections.dca.findings import findings, not_assessable
from reportgen.sections.dca.result import (
    AS_DEPLOYED,
    BETTER_DEFAULT,
    RECALIBRATED,
    RULE,
    TREAT_ALL,
    TREAT_NONE,
    CurveRow,
    DcaResult,
    EvpiRow,
    GainRow,
    SelfCheckRow,
    ShiftRow,
    Verdict,
    VerdictRow,
)
from reportgen.sections.dca.settings import (
    DcaSettings,
    Thresholds,
    check,
    read_thresholds,
    threshold_faults,
)
from reportgen.stats.survival import survival_shares
from reportgen.wording import number, typed

__all__ = [
    "AS_DEPLOYED",
    "BETTER_DEFAULT",
    "CODES",
    "RECALIBRATED",
    "RULE",
    "SECTION",
    "TREAT_ALL",
    "TREAT_NONE",
    "CurveRow",
    "DcaResult",
    "DcaSettings",
    "EvpiRow",
    "GainRow",
    "SelfCheckRow",
    "ShiftRow",
    "Thresholds",
    "Verdict",
    "VerdictRow",
    "check",
    "compute",
    "threshold_faults",
]


def compute(inputs: Inputs, settings: DcaSettings, context: Context) -> Outcome:
    """Compute the decision curves of a section.

    Parameters
    ----------
    inputs : Inputs
        Holds the section's table.
    settings : DcaSettings
        As `check` has passed them.
    context : Context
        Generator, number of resamples and confidence.

    Returns
    -------
    Outcome
        A DcaResult, or NotApplicable with its reason, and the findings.
    """
    grid = read_thresholds(settings.thresholds)
    data = read_data(inputs.tables[settings.table], settings)
    reason = _obstacle(data)
    if reason:
        return not_assessable(data, reason)
    analysis = analyse(data, grid, target=settings.prevalence, context=context)
    result = assemble(data, grid, settings, context, analysis)
    return Outcome(result, findings(result, data, grid))


def _obstacle(data: Data) -> str:
    """Return why nothing can be assessed, or ""."""
    if not data.n_rows:
        return _("no row has an outcome and every score")
    low, high = float(data.scores.min()), float(data.scores.max())
    if low < 0 or high > 1:
        text = _("scores run from {low} to {high} and are no probabilities")
        return text.format(low=number(low), high=number(high))
    if data.survival is None:
        if not data.positive.any():
            return _("none of {n} rows is positive").format(n=data.n_rows)
        if not data.negative.any():
            return _("none of {n} rows is negative").format(n=data.n_rows)
        return ""
    return _survival_obstacle(data)


def _survival_obstacle(data: Data) -> str:
    outcome = data.survival
    if outcome is None or not data.positive.any():
        return _("none of {n} rows has the event by the horizon").format(n=data.n_rows)
    event = outcome.event.astype(np.int64)
    everyone = np.zeros((1, data.n_rows))
    shares = survival_shares(everyone, outcome.time, event, at=outcome.at, thresholds=[0.0])
    prevalence = float(shares.prevalence)
    if np.isnan(prevalence):
        return _("follow-up ends before the horizon {at}").format(at=typed(outcome.at))
    return "" if prevalence < 1 else _("everyone has the event by the horizon")


SECTION = Section(
    kind="dca",
    title=mark("Decision curves"),
    question=mark("Does deciding with the model beat treating everyone or treating no one?"),
    settings=DcaSettings,
    compute=compute,
    check=check,
    codes=CODES,
)
