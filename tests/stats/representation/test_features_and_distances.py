"""Features made ready, distances to distinct patients, shares compared by patient."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.stats import ttest_ind

from reportgen.stats.proportions import Proportion, wilson
from reportgen.stats.representation.features import canonical_order, complete_rows, standardise
from reportgen.stats.representation.neighbours import patient_distances
from reportgen.stats.representation.shares import compare_shares

Floats = NDArray[np.float64]
Ints = NDArray[np.intp]


def test_constant_and_copied_features_are_dropped_with_a_note() -> None:
    rng = np.random.default_rng(1)
    a, b = rng.normal(size=(2, 30))
    ready = standardise(
        np.column_stack([a, np.full(30, 7.3), b, a, b * 0]), names=["a", "flat", "b", "a2", "nil"]
    )
    assert ready.names == ("a", "b")
    assert ready.notes == (
        "flat left out: constant",
        "nil left out: constant",
        "a2 left out: a copy of a",
    )
    np.testing.assert_allclose(ready.values.mean(axis=0), 0, atol=1e-12)
    np.testing.assert_allclose(ready.values.std(axis=0), 1)


def test_the_scale_is_the_references() -> None:
    features = np.array([[0.0, 1.0], [2.0, 1.0], [11.0, 5.0]])
    ready = standardise(features, on=np.array([True, True, False]))
    assert ready.notes == ("feature 2 left out: constant in the reference",)
    np.testing.assert_array_equal(ready.values[:, 0], [-1, 1, 10])


def test_missing_features_are_refused_and_found() -> None:
    features = np.array([[1.0, np.nan], [1.0, 2.0], [np.inf, 0.0]])
    assert complete_rows(features).tolist() == [False, True, False]
    with pytest.raises(ValueError, match="finite"):
        standardise(features)
    with pytest.raises(ValueError, match="2 features but 1 names"):
        standardise(features, names=["a"])


def test_canonical_order_does_not_know_names_or_row_order() -> None:
    rng = np.random.default_rng(2)
    features, unit = rng.normal(size=(40, 3)), rng.integers(0, 12, 40)
    order, codes = canonical_order(unit, features)
    shuffled = rng.permutation(40)
    renamed = rng.permutation(12)[unit] * 3
    other, other_codes = canonical_order(renamed[shuffled], features[shuffled])
    np.testing.assert_array_equal(features[order], features[shuffled][other])
    np.testing.assert_array_equal(codes[shuffled], other_codes)


def by_hand(query: Floats, query_unit: Ints, bank: Floats, bank_unit: Ints, k: int) -> Floats:
    """The definition, one image and one patient at a time."""
    found = []
    for x, own in zip(query, query_unit, strict=True):
        nearest = [
            min(float(np.linalg.norm(x - other)) for other in bank[bank_unit == patient])
            for patient in np.unique(bank_unit)
            if patient != own
        ]
        found.append(np.mean(sorted(nearest)[:k]))
    return np.array(found)


@pytest.mark.parametrize("columns", [3, 40])  # 40: the way of long vectors
@pytest.mark.parametrize("k", [1, 5])
def test_distances_are_their_definition(columns: int, k: int) -> None:
    rng = np.random.default_rng(3)
    bank_unit = np.repeat(np.arange(9), rng.integers(1, 12, 9))
    bank = rng.normal(size=(len(bank_unit), columns))
    query, query_unit = rng.normal(size=(25, columns)), rng.integers(5, 15, 25)
    found = patient_distances(query, query_unit, bank, bank_unit, patients=k)
    np.testing.assert_allclose(found, by_hand(query, query_unit, bank, bank_unit, k), rtol=1e-12)
    own = patient_distances(bank, bank_unit, bank, bank_unit, patients=k)
    np.testing.assert_allclose(own, by_hand(bank, bank_unit, bank, bank_unit, k), rtol=1e-7)


def test_one_patient_of_many_images_does_not_crowd_the_others_out() -> None:
    bank = np.concatenate([np.full((184, 1), 0.01), np.arange(1.0, 6.0)[:, None]])
    bank_unit = np.concatenate([np.zeros(184), np.arange(1, 6)]).astype(np.intp)
    found = patient_distances(np.zeros((1, 1)), np.array([99]), bank, bank_unit, patients=5)
    assert found[0] == pytest.approx((0.01 + 1 + 2 + 3 + 4) / 5)
    own = patient_distances(np.zeros((1, 1)), np.array([0]), bank, bank_unit, patients=5)
    assert own[0] == pytest.approx(3)


def test_too_few_patients_are_an_error() -> None:
    with pytest.raises(ValueError, match="holds 5 patients; more than 5"):
        patient_distances(np.zeros((1, 2)), np.array([0]), np.zeros((5, 2)), np.arange(5))


def test_one_image_a_patient_is_welchs_test() -> None:
    rng = np.random.default_rng(4)
    hit, inside = rng.random(90) < 0.4, np.arange(90) < 30
    found = compare_shares(hit, inside, np.arange(90))
    welch = ttest_ind(hit[:30], hit[30:], equal_var=False, alternative="greater")
    assert found.p == pytest.approx(welch.pvalue, rel=1e-12)
    assert found.excess.value == pytest.approx(hit[:30].mean() - hit[30:].mean())


def test_patients_of_equal_size_are_welchs_test_of_their_means() -> None:
    rng = np.random.default_rng(5)
    hit, unit = rng.random(200) < np.repeat(rng.random(40), 5), np.repeat(np.arange(40), 5)
    found = compare_shares(hit, unit < 15, unit)
    means = hit.reshape(40, 5).mean(axis=1)
    welch = ttest_ind(means[:15], means[15:], equal_var=False, alternative="greater")
    assert found.p == pytest.approx(welch.pvalue, rel=1e-12)


def test_every_image_twice_changes_nothing() -> None:
    rng = np.random.default_rng(6)
    hit, inside, unit = rng.random(80) < 0.3, rng.random(80) < 0.5, rng.integers(0, 20, 80)
    once = compare_shares(hit, inside, unit)
    twice = compare_shares(np.tile(hit, 2), np.tile(inside, 2), np.tile(unit, 2))
    assert twice.p == pytest.approx(once.p)
    assert twice.excess.low == pytest.approx(once.excess.low)
    assert twice.inside.high == pytest.approx(once.inside.high)


def test_patients_on_both_sides_are_paired() -> None:
    # Each patient's two images agree: the shares are equal in every resample of patients.
    hit = np.repeat(np.arange(20) < 7, 2)
    inside = np.tile([True, False], 20)
    found = compare_shares(hit, inside, np.repeat(np.arange(20), 2))
    assert (found.excess.value, found.p) == (0, 0.5)
    # Zou's interval with correlation 1: the difference of the two arms of Wilson's. The effective
    # number is 19, for the variance between 20 patients has the divisor 19.
    low, high = wilson(Proportion(0.35 * 19, 19), confidence=0.95)
    assert found.excess.low == pytest.approx(-abs((0.35 - low) - (high - 0.35)))
    apart = compare_shares(hit, inside, np.arange(40))
    assert apart.excess.low is not None
    assert apart.excess.low < -0.25


def test_shares_of_none_keep_wilsons_interval_and_some_variance() -> None:
    hit = np.concatenate([np.zeros(12), np.repeat([1.0, 0.0], 10)]) > 0
    found = compare_shares(hit, np.arange(32) < 12, np.arange(32))
    low, high = wilson(Proportion(0, 12), confidence=0.95)
    assert (found.inside.low, found.inside.high) == (low, high)
    assert found.p is not None
    assert 0.99 < found.p < 1


def test_a_side_of_one_patient_has_its_reason() -> None:
    found = compare_shares(
        np.array([True, False, True]), np.array([True, False, False]), np.arange(3)
    )
    assert found.excess.reason == "fewer than two patients inside"
    assert found.p is None
