"""How much of a group lies within the feature space that a reference covers."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from reportgen.stats.representation.features import BoolArray, FloatArray, IntArray, Measured
from reportgen.stats.representation.neighbours import patient_distances
from reportgen.stats.representation.shares import compare_shares

PATIENTS = 5
PERCENTILE = 90.0


@dataclass(frozen=True)
class Coverage:
    """Coverage of a group and of its reference.

    Attributes
    ----------
    group, reference : Measured
        Share of images within the threshold, 0 to 1.
    deficit : Measured
        Reference minus group; above 0 if the group is covered less.
    p : float or None
        One-sided, of a deficit this large where there is none.
    threshold : float or None
        Distance up to which an image counts as covered.
    distance : (n,) float array or None
        Distance of each image to the reference (or training) patients.
    reason : str
        Why coverage is not defined.
    """

    group: Measured
    reference: Measured
    deficit: Measured
    p: float | None
    threshold: float | None
    distance: FloatArray | None
    reason: str = ""

    @classmethod
    def undefined(cls, reason: str) -> Coverage:
        """Return the coverage that cannot be had, because of `reason`."""
        missing = Measured.missing(reason)
        return cls(missing, missing, missing, None, None, None, reason)


def coverage(
    features: FloatArray,
    in_group: BoolArray,
    unit: IntArray,
    *,
    bank: FloatArray | None = None,
    bank_unit: IntArray | None = None,
    patients: int = PATIENTS,
    percentile: float = PERCENTILE,
    confidence: float = 0.95,
) -> Coverage:
    """Compare how much of a group and of its reference the reference covers.

    Parameters
    ----------
    features : (n, F) float array
        Standardised on the reference, or on the bank if there is one.
    in_group : (n,) bool array
        True for the group's images, False for the reference's.
    unit : (n,) int array
        Patient of each image, 0 to U - 1; a patient may have images in both.
    bank, bank_unit : (b, F) float array, (b,) int array
        Training images, on the same scale, and their patients; if given, they are what covers.
        A code that also occurs in `unit` is the same patient.
    patients : int
        Distinct patients whose nearest images a distance is averaged over.
    percentile : float
        Of the covering set's own distances; the threshold.
    confidence : float
        Of the intervals.

    Returns
    -------
    Coverage
        Undefined with its reason where the group or the covering set has too few patients.

    Notes
    -----
    The distance of an image is the mean Euclidean distance to the nearest image of each of the 5
    nearest *other* patients of the covering set, and the threshold the 90th percentile of that
    set's own such distances. Without training images the reference's own coverage is then 90 % by
    construction, each image measured without its patient: it is what a group like the reference
    would reach. That the threshold is itself estimated adds nothing to first order when group and
    reference are alike, so the test of the difference holds.
    """
    cover, cover_unit = features[~in_group], unit[~in_group]
    if bank is not None and bank_unit is not None:
        cover, cover_unit = bank, bank_unit
    held, asked = len(np.unique(cover_unit)), len(np.unique(unit[in_group]))
    covering = "reference" if bank is None else "training set"
    if not features.shape[1]:
        return Coverage.undefined("no feature varies")
    if held <= patients or asked <= patients:
        few = min((held, covering), (asked, "group"))
        return Coverage.undefined(f"the {few[1]} has {few[0]} patients; {patients + 1} are needed")
    distance = patient_distances(features, unit, cover, cover_unit, patients=patients)
    own = distance[~in_group]
    if bank is not None:
        own = patient_distances(cover, cover_unit, cover, cover_unit, patients=patients)
    threshold = float(np.percentile(own, percentile, method="inverted_cdf"))
    # Counted as not covered, so that the excess and its one-sided p are those of the deficit.
    found = compare_shares(distance > threshold, in_group, unit, confidence=confidence)
    return Coverage(
        _complement(found.inside),
        _complement(found.outside),
        found.excess,
        found.p,
        threshold,
        distance,
    )


def _complement(share: Measured) -> Measured:
    if share.value is None or share.low is None or share.high is None:
        return share
    return Measured(1 - share.value, 1 - share.high, 1 - share.low, share.method)
