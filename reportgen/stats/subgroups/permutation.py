"""Studentised permutation of patients between two groups that share none.

The gap is divided by its own standard error in the data and in every permutation, so that groups of
unlike spread or size do not make the test reject too often. Areas and rates of one class permute
patients among those with like labels (positive rows only, negative only, both), which keeps the
number of patients of each kind in either group; figures that mix the classes permute all patients.

References
----------
Janssen (1997), Stat Probab Lett 36:9; Chung & Romano (2013), Ann Stat 41:484; Pauly, Asendorf &
Konietschke (2016), Biom J 58:1319 (for the area, independent rows). The patient-level version
within labels is an extension, justified here by simulation.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from reportgen.stats.subgroups.draws import CountArray
from reportgen.stats.subgroups.resampling import row_terms
from reportgen.stats.subgroups.study import BoolArray, FloatArray, IntArray, Pair, Study

PERMUTATIONS = 4999
WITHIN_LABEL = ("auc", "sensitivity", "specificity", "balanced_accuracy")
"""Metrics whose test permutes patients among those with like labels."""

_BLOCK = 200_000  # rows times permutations held at once: they stay in the cache


@dataclass(frozen=True)
class PermutationTest:
    """The result of a studentised permutation test.

    Attributes
    ----------
    p : float
        Two-sided, (1 + permutations at least as extreme) / (1 + permutations).
    statistic : float
        The gap over its standard error.
    permutations : int
        Number of permutations drawn.
    within_label : bool
        Whether patients were permuted among those with like labels.
    """

    p: float
    statistic: float
    permutations: int
    within_label: bool


def permutation_test(
    study: Study, pair: Pair, rng: np.random.Generator, *, permutations: int = PERMUTATIONS
) -> PermutationTest:
    """Test whether a metric of two groups without shared patients differs.

    Parameters
    ----------
    study : Study
    pair : Pair
        The metric is any but calibration. Exchanging group and reference changes the sign of the
        statistic alone.
    rng : numpy.random.Generator
    permutations : int
        Number of permutations, > 0.

    Raises
    ------
    ValueError
        If a patient has rows in both groups.

    Notes
    -----
    A permutation in which the metric or its variance is undefined counts as extreme.
    """
    rows = np.sort(np.concatenate([study.rows(pair.group), study.rows(pair.reference)]))
    patients, unit = np.unique(study.patient[rows], return_inverse=True)
    member = _membership(unit, study.level[rows] == pair.group, len(patients))
    # The smaller group is permuted whichever is called the reference, so that p is the same.
    swapped = 2 * np.count_nonzero(member) > len(member)
    smaller = ~member if swapped else member
    within = pair.metric in WITHIN_LABEL
    kind = _label_kinds(study.positive[rows], unit, len(patients))
    engine: _Areas | _Rates
    if pair.metric == "auc":
        engine = _Areas(study.positive[rows], study.scores[pair.model, rows], unit, kind == 2)
    else:
        terms = row_terms(study, rows, model=pair.model, threshold=pair.threshold, probability=True)
        engine = _Rates(pair.metric, terms, unit, len(patients))
    observed = float(engine.statistics(smaller[None])[0])
    extreme = 0
    block = max(1, min(permutations, _BLOCK // len(rows)))
    strata = kind if within else np.zeros_like(kind)
    for drawn in _permuted(smaller, strata, rng, permutations=permutations, block=block):
        # Equal statistics may differ in the last bits.
        below = np.abs(engine.statistics(drawn)) < abs(observed) * (1 - 1e-9)
        extreme += int(np.count_nonzero(~below))
    p = math.nan if math.isnan(observed) else (1 + extreme) / (1 + permutations)
    return PermutationTest(p, -observed if swapped else observed, permutations, within)


def _membership(unit: IntArray, in_group: BoolArray, n_patients: int) -> BoolArray:
    member = np.zeros(n_patients, dtype=bool)
    member[unit[in_group]] = True
    if member[unit[~in_group]].any():
        raise ValueError("the groups share patients: there is nothing to permute")
    return member


def _label_kinds(positive: BoolArray, unit: IntArray, n_patients: int) -> IntArray:
    """Return 0 for patients with negative rows only, 1 for positive only, 2 for both."""
    has_positive = np.bincount(unit, positive, minlength=n_patients) > 0
    has_negative = np.bincount(unit, ~positive, minlength=n_patients) > 0
    return np.where(has_positive & has_negative, 2, has_positive.astype(int))


def _permuted(
    member: BoolArray, kind: IntArray, rng: np.random.Generator, *, permutations: int, block: int
) -> Iterator[BoolArray]:
    """Yield (b, P) memberships, permuted among the patients of each kind."""
    places = [np.flatnonzero(kind == k) for k in range(int(kind.max()) + 1)]
    for start in range(0, permutations, block):
        size = min(block, permutations - start)
        drawn = np.empty((size, len(member)), dtype=bool)
        for place in places:
            drawn[:, place] = rng.permuted(np.tile(member[place], (size, 1)), axis=1)
        yield drawn


def _studentised(gap: FloatArray, variance: FloatArray) -> FloatArray:
    """Return gap / standard error; 0 where there is no gap, infinite where only a gap."""
    with np.errstate(divide="ignore", invalid="ignore"):
        t = gap / np.sqrt(np.maximum(variance, 0.0))
    return np.where(gap == 0, 0.0, t)


class _Areas:
    """Gaps of the area with Obuchowski's variance for any split of the patients in two.

    Rows are kept in the order of patients, so that sums by patient are sums of neighbours.
    """

    def __init__(
        self, positive: BoolArray, score: FloatArray, unit: IntArray, both: BoolArray
    ) -> None:
        self._one = _Side(score, unit, positive)
        self._zero = _Side(score, unit, ~positive)
        self._rank_in_zero = _neighbours(self._one.score, self._zero.sorted_score)
        self._rank_in_one = _neighbours(self._zero.score, self._one.sorted_score)
        self._both_in_one = np.flatnonzero(both[self._one.patients])
        self._both_in_zero = np.flatnonzero(both[self._zero.patients])

    def statistics(self, member: BoolArray) -> FloatArray:
        """Return the studentised gap, members minus others, for each row of `member`."""
        one, zero = self._one, self._zero
        z1, z0 = member[:, one.patients], member[:, zero.patients]
        # Twice the number of negatives of the own group below each patient's positives.
        below = one.own_group(zero.running(member), self._rank_in_zero, z1)
        above = zero.own_group(one.running(member), self._rank_in_one, z0, reverse=True)
        gap = np.zeros(len(member))
        variance = np.zeros(len(member))
        for sign, a, b in ((1.0, z1, z0), (-1.0, ~z1, ~z0)):
            units = np.count_nonzero(member if sign > 0 else ~member, axis=1)
            area, own = self._area(below, above, a, b, units)
            gap += sign * area
            variance += own
        return _studentised(gap, variance)

    def _area(
        self, below: FloatArray, above: FloatArray, z1: BoolArray, z0: BoolArray, units: IntArray
    ) -> tuple[FloatArray, FloatArray]:
        m, n = z1 @ self._one.size, z0 @ self._zero.size
        with np.errstate(divide="ignore", invalid="ignore"):
            area = np.einsum("bp,bp->b", z1, below) / (2 * m * n)
            first = z1 * (below / (2 * n)[:, None] - area[:, None] * self._one.size)
            second = z0 * (above / (2 * m)[:, None] - area[:, None] * self._zero.size)
            variance = _spread(first, first, np.count_nonzero(z1, axis=1)) / m**2
            variance += _spread(second, second, np.count_nonzero(z0, axis=1)) / n**2
            if len(self._both_in_one):
                first, second = first[:, self._both_in_one], second[:, self._both_in_zero]
                variance += 2 * _spread(first, second, units) / (m * n)
        return area, variance


class _Side:
    """The rows of one class, in the order of patients."""

    def __init__(self, score: FloatArray, unit: IntArray, chosen: BoolArray) -> None:
        self.score = score[chosen]
        patient = unit[chosen]
        self.patients, self._first, size = np.unique(patient, return_index=True, return_counts=True)
        self.size = size.astype(np.float64)
        order = np.argsort(self.score, kind="stable")
        self.sorted_score = self.score[order]
        self._sorted_patient = patient[order]

    def running(self, member: BoolArray) -> CountArray:
        """Return how many rows of members lie among the first 0, 1, 2, … by score, (b, k + 1)."""
        sums = np.zeros((len(member), len(self.score) + 1), dtype=np.int32)
        taken = np.take(member, self._sorted_patient, axis=1, mode="clip")
        np.cumsum(taken, axis=1, dtype=np.int32, out=sums[:, 1:])
        return sums

    def own_group(
        self,
        running: CountArray,
        rank: tuple[IntArray, IntArray],
        member: BoolArray,
        *,
        reverse: bool = False,
    ) -> FloatArray:
        """Return, by patient, twice the rows of the other class and own group below (or above)."""
        below, upto = rank
        looked_up = np.take(running, below, axis=1, mode="clip")
        looked_up += np.take(running, upto, axis=1, mode="clip")
        members = np.add.reduceat(looked_up, self._first, axis=1)
        everyone = np.add.reduceat(below + upto, self._first)
        own = np.where(member, members, everyone - members).astype(np.float64)
        if not reverse:
            return own
        total = running[:, -1:]
        own_total = np.where(member, total, running.shape[1] - 1 - total)
        return np.asarray(2 * own_total * self.size - own)


def _neighbours(score: FloatArray, sorted_score: FloatArray) -> tuple[IntArray, IntArray]:
    return (
        np.searchsorted(sorted_score, score, side="left"),
        np.searchsorted(sorted_score, score, side="right"),
    )


def _spread(a: FloatArray, b: FloatArray, units: IntArray) -> FloatArray:
    return np.asarray(np.einsum("bp,bp->b", a, b) * units / (units - 1))


class _Rates:
    """Gaps of a rate, a mean of two rates or a mean, for any split of the patients in two.

    All sums are products of memberships with what each patient adds, so that one matrix product
    gives every permutation.
    """

    def __init__(self, metric: str, terms: FloatArray, unit: IntArray, n_patients: int) -> None:
        pos, neg, tp, fp, squares = (
            np.bincount(unit, column, minlength=n_patients).astype(np.float64) for column in terms.T
        )
        ratios = {
            "sensitivity": [(tp, pos)],
            "specificity": [(neg - fp, neg)],
            "balanced_accuracy": [(tp, pos), (neg - fp, neg)],
            "ppv": [(tp, tp + fp)],
            "npv": [(neg - fp, pos + neg - tp - fp)],
            "selection_rate": [(tp + fp, pos + neg)],
            "prevalence": [(pos, pos + neg)],
            "brier": [(squares, pos + neg)],
        }[metric]
        self._parts = len(ratios)
        columns = [np.ones(n_patients)]
        for top, bottom in ratios:
            columns += [
                top,
                bottom,
                np.where(bottom > 0, 1.0, 0.0),
                top * top,
                top * bottom,
                bottom * bottom,
            ]
        if self._parts == 2:
            (a, m), (b, n) = ratios
            columns += [a * b, a * n, m * b, m * n]
        self._columns = np.column_stack(columns).astype(np.float64)
        self._total = self._columns.sum(axis=0)

    def statistics(self, member: BoolArray) -> FloatArray:
        """Return the studentised gap, members minus others, for each row of `member`."""
        sums = member.astype(np.float64) @ self._columns
        first, own = self._figure(sums)
        second, other = self._figure(self._total - sums)
        return _studentised(first - second, own + other)

    def _figure(self, sums: FloatArray) -> tuple[FloatArray, FloatArray]:
        value, variance = np.zeros(len(sums)), np.zeros(len(sums))
        rates, bottoms = [], []
        with np.errstate(divide="ignore", invalid="ignore"):
            for part in range(self._parts):
                top, bottom, units, tt, tb, bb = sums[:, 1 + 6 * part : 7 + 6 * part].T
                rate = top / bottom
                spread = (tt - 2 * rate * tb + rate**2 * bb) / bottom**2
                value += rate / self._parts
                variance += spread * units / (units - 1) / self._parts**2
                rates.append(rate)
                bottoms.append(bottom)
            if self._parts == 2:
                ab, an, mb, mn = sums[:, 13:17].T
                (p, q), (m, n), units = rates, bottoms, sums[:, 0]
                shared = (ab - q * an - p * mb + p * q * mn) / (m * n)
                variance += 2 * shared * units / (units - 1) / 4
        # Differences of nearly equal sums: what is left of a variance of 0 is rounding.
        return value, np.where(np.abs(variance) < 1e-15, 0.0, variance)
