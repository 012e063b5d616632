"""Layer 3 for one group against its reference: shift, link, and whether they are evidence."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from reportgen.stats.representation.coverage import PATIENTS, PERCENTILE, Coverage, coverage
from reportgen.stats.representation.domain import domain_auc
from reportgen.stats.representation.features import (
    BoolArray,
    FloatArray,
    IntArray,
    Measured,
    canonical_order,
    complete_rows,
    standardise,
)
from reportgen.stats.representation.link import Link, brier_loss, link_test

ALPHA = 0.05


@dataclass(frozen=True)
class FeatureShift:
    """How a group's features differ from its reference's; no score is involved.

    Attributes
    ----------
    domain, domain_in_negatives, domain_in_positives : Measured
        AUC of the domain classifier: overall, and among images with either label.
    coverage : Coverage
        Its `distance` is NaN for rows left out.
    used : (n,) bool array
        Rows with complete features.
    names : tuple of str
        Features used.
    notes : tuple of str
        What was left out and why.
    """

    domain: Measured
    domain_in_negatives: Measured
    domain_in_positives: Measured
    coverage: Coverage
    used: BoolArray
    names: tuple[str, ...]
    notes: tuple[str, ...]


@dataclass(frozen=True)
class Representation:
    """Layer 3 for one group against its reference and one score.

    Attributes
    ----------
    shift : FeatureShift
    link : Link
    evidence : bool or None
        Whether there is representational evidence: the group is covered less (one-sided p <= alpha)
        and its loss rises with distance beyond what the score explains (one-sided p <= alpha).
        None where either could not be assessed and the other does not settle it.
    reason : str
        Why, in words for the page.
    """

    shift: FeatureShift
    link: Link
    evidence: bool | None
    reason: str


def representation(
    features: FloatArray,
    probability: FloatArray | None,
    positive: BoolArray,
    in_group: BoolArray,
    unit: IntArray,
    rng: np.random.Generator,
    *,
    names: Sequence[str] = (),
    bank: FloatArray | None = None,
    bank_unit: IntArray | None = None,
    alpha: float = ALPHA,
    confidence: float = 0.95,
) -> Representation:
    """Assess layer 3 for one group against its reference: `feature_shift`, then `linked`.

    With several scores call `feature_shift` once and `linked` for each.
    """
    shift = feature_shift(
        features,
        positive,
        in_group,
        unit,
        rng,
        names=names,
        bank=bank,
        bank_unit=bank_unit,
        confidence=confidence,
    )
    return linked(shift, probability, positive, in_group, unit, alpha=alpha)


def feature_shift(
    features: FloatArray,
    positive: BoolArray,
    in_group: BoolArray,
    unit: IntArray,
    rng: np.random.Generator,
    *,
    names: Sequence[str] = (),
    bank: FloatArray | None = None,
    bank_unit: IntArray | None = None,
    patients: int = PATIENTS,
    percentile: float = PERCENTILE,
    confidence: float = 0.95,
) -> FeatureShift:
    """Compare the features of a group with those of its reference.

    Parameters
    ----------
    features : (n, F) float array
        Rows of the group and of the reference, nothing else; NaN where missing.
    positive : (n,) bool array
        The label.
    in_group : (n,) bool array
        True for the group, False for the reference.
    unit : (n,) int array
        Patient, 0 upwards; patients may have rows in both.
    rng : numpy.random.Generator
        Draws the folds. Neither row order nor patients' names change the result.
    names : sequence of str
        One a feature, for the notes.
    bank, bank_unit : (b, F) float array, (b,) int array
        Training images and their patients, if they are to be what covers; equal codes in `unit`
        and `bank_unit` mean the same patient. Without `bank_unit` each row is its own patient,
        other than all of `unit`.
    patients, percentile
        See `coverage`.
    confidence : float
        Of the intervals.

    Raises
    ------
    ValueError
        If the shapes do not fit.
    """
    if not len(features) == len(positive) == len(in_group) == len(unit):
        raise ValueError("features, positive, in_group and unit differ in length")
    used = complete_rows(features)
    notes = _left_out(~used, "of the test set")
    for side, name in ((in_group, "group"), (~in_group, "reference")):
        if not (side & used).any():
            return _no_shift(f"no row of the {name} has every feature", used, notes)
    order, codes = canonical_order(unit[used], in_group[used], positive[used], features[used])
    rows = np.flatnonzero(used)[order]
    x, y, g, u = features[rows], positive[rows], in_group[rows], codes[order]
    cover, cover_unit, more = _covering(bank, bank_unit, unit[rows], u)
    notes += more
    if cover is None:
        ready = standardise(x, on=~g, names=names)
    else:
        on = np.arange(len(x) + len(cover)) >= len(x)
        both = np.concatenate([x, cover])
        ready = standardise(both, on=on, names=names, called="the training set")
    z = ready.values[: len(x)]
    found = coverage(
        z,
        g,
        u,
        bank=None if cover is None else ready.values[len(x) :],
        bank_unit=cover_unit,
        patients=patients,
        percentile=percentile,
        confidence=confidence,
    )
    overall, in_negatives, in_positives = (
        domain_auc(z[part], g[part], u[part], child, confidence=confidence)
        for part, child in zip((y | ~y, ~y, y), rng.spawn(3), strict=True)
    )
    return FeatureShift(
        domain=overall,
        domain_in_negatives=in_negatives,
        domain_in_positives=in_positives,
        coverage=_in_given_order(found, rows, len(features)),
        used=used,
        names=ready.names,
        notes=(*notes, *ready.notes),
    )


def linked(
    shift: FeatureShift,
    probability: FloatArray | None,
    positive: BoolArray,
    in_group: BoolArray,
    unit: IntArray,
    *,
    alpha: float = ALPHA,
) -> Representation:
    """Add a score's link test to a shift and say whether there is representational evidence.

    Parameters
    ----------
    shift : FeatureShift
        Of the same rows.
    probability : (n,) float array or None
        Predicted probability, 0 to 1; None if the score only ranks (it has no loss).
    positive, in_group, unit
        As given to `feature_shift`.
    alpha : float
        Level of both one-sided tests.

    Notes
    -----
    The loss is Brier's. Given the score it is linear in the outcome, as the log loss is, so both
    test the same hypothesis; but it is bounded, so that no single image with a score near 0 or 1
    rules the sum, and it needs no clipping.
    """
    link = _link(shift, probability, positive, in_group, unit)
    evidence, reason = _judge(shift.coverage, link, alpha)
    return Representation(shift, link, evidence, reason)


def _link(
    shift: FeatureShift,
    probability: FloatArray | None,
    positive: BoolArray,
    in_group: BoolArray,
    unit: IntArray,
) -> Link:
    distance = shift.coverage.distance
    if distance is None:
        return Link(None, None, f"no distances: {shift.coverage.reason}")
    if probability is None:
        return Link(None, None, "the score is no probability, so it has no loss")
    rows = in_group & shift.used
    p = probability[rows]
    if not ((p >= 0) & (p <= 1)).all():
        raise ValueError("probabilities must lie between 0 and 1")
    return link_test(brier_loss(p, positive[rows]), distance[rows], p, unit[rows])


def _judge(found: Coverage, link: Link, alpha: float) -> tuple[bool | None, str]:
    covered_less = None if found.p is None else found.p <= alpha
    related = None if link.p is None else link.p <= alpha
    first = {
        None: f"coverage not assessed ({found.reason or found.deficit.reason})",
        True: "the group is covered less than its reference",
        False: "a coverage deficit is not shown",
    }[covered_less]
    second = {
        None: f"the link of loss and distance not assessed ({link.reason})",
        True: "its loss rises with distance beyond what the score explains",
        False: "a link of its loss with distance is not shown",
    }[related]
    both = (covered_less, related)
    evidence = False if False in both else None if None in both else True
    return evidence, f"{first}; {second}"


def _no_shift(reason: str, used: BoolArray, notes: list[str]) -> FeatureShift:
    missing = Measured.missing(reason)
    undefined = Coverage.undefined(reason)
    return FeatureShift(missing, missing, missing, undefined, used, (), tuple(notes))


def _left_out(rows: BoolArray, where: str) -> list[str]:
    k = int(np.count_nonzero(rows))
    return [f"{k} rows {where} left out: a feature is missing"] if k else []


def _covering(
    bank: FloatArray | None, bank_unit: IntArray | None, unit: IntArray, codes: IntArray
) -> tuple[FloatArray | None, IntArray | None, list[str]]:
    """Return the complete training rows, their patients in the test set's codes, and notes."""
    if bank is None:
        return None, None, []
    used = complete_rows(bank)
    own = np.arange(len(bank), dtype=np.intp) if bank_unit is None else bank_unit
    order, fresh = canonical_order(own[used], bank[used])
    cover, fresh = bank[used][order], fresh[order] + int(codes.max(initial=-1)) + 1
    if bank_unit is not None:
        known, at = np.unique(unit, return_index=True)
        place = np.searchsorted(known, own[used][order]).clip(max=len(known) - 1)
        same = known[place] == own[used][order]
        fresh[same] = codes[at[place[same]]]
    return cover, fresh, _left_out(~used, "of the training set")


def _in_given_order(found: Coverage, rows: IntArray, n: int) -> Coverage:
    if found.distance is None:
        return found
    distance = np.full(n, np.nan)
    distance[rows] = found.distance
    return replace(found, distance=distance)
