"""Are the scores of a classifier the risks that they are taken for? In bins, and as a whole."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from reportgen.language import _, mark
from reportgen.result import Estimate
from reportgen.section import Code
from reportgen.sections.integrity.audits import Job
from reportgen.sections.integrity.classifier_rows import Rows
from reportgen.sections.integrity.records import Facts
from reportgen.sections.integrity.result_evaluation import CalibrationBin, CalibrationRow
from reportgen.sections.integrity.settings import CalibrationSettings
from reportgen.sections.integrity.shares import as_estimate, repeats, share_in_units
from reportgen.stats.calibration_bins import RiskBins, errors_if_calibrated, risk_bins
from reportgen.stats.subgroups.calibration import calibration
from reportgen.wording import fixed, number, p_value

CODES: tuple[Code, ...] = (
    Code(
        "INT-069",
        ("warn", "pass", "note"),
        mark(
            "Calibration of the scores: in bins of the scores the observed rates differ from the"
            " mean scores by more than chance gives if the scores are right (minor). Not testable"
            " where the scores only rank, or rows of one patient are not independent."
        ),
    ),
)
RANKS = mark("the scores only rank: they are declared to be no probabilities")
DEPENDENT = mark("rows of one unit are not independent: what chance alone gives is not known")
NO_INTERVAL = mark("the error is 0 at least, so that resamples lie above it")
EMPTY = mark("undefined (0/0): there is no row")


def calibrated(
    rows: Rows, job: Job, settings: CalibrationSettings
) -> tuple[CalibrationRow, tuple[CalibrationBin, ...]]:
    """Return how far scores are from observed rates on one split, and the bins of the scores.

    Parameters
    ----------
    rows : Rows
        At least one; their scores are probabilities.
    job : Job
        Gives the confidence, the resamples and the generator.
    settings : CalibrationSettings
    """
    found = risk_bins(rows.positive, rows.score, bins=settings.bins, by=settings.by)
    line = calibration(rows.positive, rows.score, rows.unit)
    confidence = job.context.confidence
    expected, p, reason = None, None, None
    if repeats(rows.unit):
        reason = _(DEPENDENT)
    else:
        draws = job.context.resamples
        drawn = errors_if_calibrated(rows.score, found, job.context.rng, draws=draws)
        expected = float(drawn.mean())
        p = (1 + int(np.count_nonzero(drawn >= found.error - 1e-12))) / (1 + draws)
    row = CalibrationRow(
        split=rows.split,
        n=len(rows.positive),
        bins_by=settings.by,
        n_bins=len(found.n),
        error=Estimate(found.error, reason=_(NO_INTERVAL)),
        error_if_calibrated=expected,
        p=p,
        reason=reason,
        intercept=as_estimate(line.intercept, confidence=confidence),
        slope=as_estimate(line.slope, confidence=confidence),
    )
    return row, tuple(_bins(rows, found, confidence))


def _bins(rows: Rows, found: RiskBins, confidence: float) -> Iterator[CalibrationBin]:
    for at in range(len(found.n)):
        empty = found.n[at] == 0
        yield CalibrationBin(
            split=rows.split,
            low=float(found.low[at]),
            high=float(found.high[at]),
            n=int(found.n[at]),
            mean_score=None if empty else float(found.mean[at]),
            rate=share_in_units(
                rows.positive, found.code == at, rows.unit, confidence=confidence, empty=_(EMPTY)
            ),
        )


def calibration_facts(row: CalibrationRow, job: Job, title: str, where: str) -> Facts:
    """Return whether scores differ from observed rates by more than chance gives."""
    base = Facts("INT-069", "classifier", "model", title, "")
    error = number(row.error.estimate or 0.0)
    if row.p is None or row.error_if_calibrated is None:
        said = _("{reason} (the calibration error{where} is {error})")
        reason = said.format(reason=row.reason, where=where, error=error)
        return replace(base, statement=reason, status="not testable")
    base = replace(
        base,
        p=row.p,
        resamples=job.context.resamples,
        estimates={_("calibration error"): row.error},
    )
    figures = {
        "error": error,
        "where": where,
        "bins": fixed(row.n_bins, 0),
        "expected": number(row.error_if_calibrated),
        "p": p_value(row.p),
    }
    if row.p > 1 - job.context.confidence:
        said = _(
            "The calibration error{where} is {error} over {bins} bins; were the scores right, it"
            " would be {expected} on average ({p})."
        )
        limits = _("That the scores are calibrated does not follow.")
        return replace(base, statement=said.format(**figures), limits=limits)
    said = _(
        "Scores are not the rates that are observed: the calibration error{where} is {error} over"
        " {bins} bins; were the scores right, it would be {expected} on average ({p})."
    )
    return replace(
        base,
        statement=said.format(**figures),
        status="found",
        grade="minor",
        remedy=_("recalibrate on data of the intended use, or do not call the scores risks"),
        limits=_("The class mix of the test set enters: another mix is another calibration."),
    )


def only_ranks(title: str) -> Facts:
    """Return that scores which are no probabilities have no calibration."""
    return Facts("INT-069", "classifier", "model", title, _(RANKS), status="not testable")
