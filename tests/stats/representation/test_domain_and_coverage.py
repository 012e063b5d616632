"""The domain classifier by patient, and coverage against the reference's own distances."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray
from sklearn.metrics import roc_auc_score
from sklearn.neighbors import NearestNeighbors

from reportgen.stats.representation.coverage import coverage
from reportgen.stats.representation.domain import domain_auc, within_fold_area
from reportgen.stats.representation.neighbours import patient_distances
from reportgen.stats.roc import area_and_variance
from reportgen.stats.worlds import article_sample

Floats = NDArray[np.float64]


def test_one_fold_is_obuchowskis_area_and_variance() -> None:
    rng = np.random.default_rng(1)
    unit = rng.integers(0, 30, 120)
    positive, score = rng.random(120) < 0.4, rng.integers(0, 15, 120) + 3.0 * (unit % 2)
    area, variance, degrees = within_fold_area(positive, score, unit, np.zeros(120, dtype=np.intp))
    assert (area, variance) == pytest.approx(area_and_variance(positive, score, unit), rel=1e-12)
    assert 20 < degrees < 120


def test_only_pairs_of_one_fold_are_compared() -> None:
    rng = np.random.default_rng(2)
    fold = np.repeat([0, 1, 2], [20, 30, 10])
    positive, score = rng.random(60) < 0.5, rng.normal(size=60).round(1) + 100.0 * fold
    won, pairs = 0.0, 0
    for i in np.flatnonzero(positive):
        for j in np.flatnonzero(~positive):
            if fold[i] == fold[j]:
                won += 1.0 if score[i] > score[j] else 0.5 if score[i] == score[j] else 0.0
                pairs += 1
    assert within_fold_area(positive, score, np.arange(60), fold)[0] == pytest.approx(won / pairs)


def test_no_shift_gives_one_half_by_patient_where_a_split_by_image_does_not() -> None:
    by_patient, excluding = [], 0
    for seed in range(30):
        x, _, group, unit = article_sample(
            np.random.default_rng([1, seed]), patients=(59, 25), shift=0.0
        )
        found = domain_auc(x, group, unit, np.random.default_rng(seed))
        assert found.low is not None
        assert found.high is not None
        excluding += found.low > 0.5 or found.high < 0.5
        by_patient.append(found.value)
    values = np.array(by_patient, dtype=float)
    assert abs(values.mean() - 0.5) < 3 * values.std(ddof=1) / np.sqrt(30)
    assert excluding <= 5  # of 30 at 5 %: more happens once in 300 tries
    image = domain_auc(x, group, np.arange(len(x)), np.random.default_rng(0))
    assert image.value is not None
    assert image.value > 0.6


def test_patients_in_both_groups_share_a_fold() -> None:
    # Each patient has one image in either group, and the two are all but equal. Were one of them
    # seen while the other is held out, the classifier would rank them by their patient.
    rng = np.random.default_rng(3)
    person = rng.normal(size=(60, 30))
    x = np.concatenate([person, person + rng.normal(0, 1e-3, (60, 30))])
    found = domain_auc(x, np.arange(120) < 60, np.tile(np.arange(60), 2), np.random.default_rng(1))
    assert found.value == pytest.approx(0.5, abs=0.1)


def test_reasons_for_no_domain_auc() -> None:
    rng = np.random.default_rng(4)
    x, group = rng.normal(size=(40, 2)), np.arange(40) < 9
    found = domain_auc(x, group, np.arange(40), rng)
    assert found.reason == "fewer than 10 patients on a side"
    assert domain_auc(x[:, :0], group, np.arange(40), rng).reason == "no feature varies"
    apart = domain_auc(
        x + 50.0 * (np.arange(40) < 20)[:, None], np.arange(40) < 20, np.arange(40), rng
    )
    assert (apart.value, apart.low) == (1.0, None)
    assert "separated without an exception" in apart.reason


def articles_coverage(reference: Floats, group: Floats) -> float:
    """Article 000's function: the threshold from the distances of the group itself."""
    near, _ = NearestNeighbors(n_neighbors=5).fit(reference).kneighbors(group)
    mean = near.mean(axis=1)
    return float((mean <= np.percentile(mean, 90)).mean())


# The right values and their design (200 and 80 patients) are those of the review of the article.
@pytest.mark.parametrize(
    ("shift", "right"), [(0.0, 0.888), (0.3, 0.843), (0.6, 0.674), (1.0, 0.281), (2.0, 0), (4.0, 0)]
)
def test_coverage_falls_with_the_shift_where_the_articles_does_not(
    shift: float, right: float
) -> None:
    ours = []
    for seed in range(10):
        x, _, group, unit = article_sample(np.random.default_rng([2, seed]), shift=shift)
        assert articles_coverage(x[~group], x[group]) == pytest.approx(0.9, abs=0.002)
        ours.append(coverage(x, group, unit).group.value)
    values = np.array(ours, dtype=float)
    # Both are means of simulations; the other's error is taken to be as large as ours.
    error = values.std(ddof=1) / np.sqrt(10)
    assert abs(values.mean() - right) <= 3 * np.sqrt(2) * error + 5e-4


def test_the_references_own_coverage_is_ninety_percent_and_the_deficit_its_excess() -> None:
    x, _, group, unit = article_sample(np.random.default_rng(5), shift=0.6)
    found = coverage(x, group, unit)
    assert found.reference.value == pytest.approx(0.9, abs=1 / 800)
    assert found.reference.value is not None
    assert found.group.value is not None
    assert found.deficit.value == pytest.approx(found.reference.value - found.group.value)
    assert found.group.low is not None
    assert found.group.high is not None
    assert found.group.low < found.group.value < found.group.high
    assert found.p is not None
    assert found.p < 1e-4


def test_training_images_cover_in_place_of_the_reference() -> None:
    rng = np.random.default_rng(6)
    x, group, unit = rng.normal(size=(60, 2)), np.arange(60) < 20, np.arange(60)
    bank, bank_unit = rng.normal(size=(100, 2)), np.arange(100, 200)
    found = coverage(x, group, unit, bank=bank, bank_unit=bank_unit)
    own = patient_distances(bank, bank_unit, bank, bank_unit)
    assert found.threshold == np.sort(own)[89]
    assert found.distance is not None
    assert found.threshold is not None
    np.testing.assert_allclose(found.distance, patient_distances(x, unit, bank, bank_unit))
    assert found.reference.value == (found.distance[20:] <= found.threshold).mean()


def test_a_patient_of_both_groups_does_not_cover_itself() -> None:
    rng = np.random.default_rng(7)
    x = rng.normal(size=(30, 2))
    both = np.concatenate([x, x])
    found = coverage(both, np.arange(60) < 30, np.tile(np.arange(30), 2))
    assert found.distance is not None
    np.testing.assert_allclose(found.distance[:30], found.distance[30:])
    assert found.deficit.value == pytest.approx(0)


def test_too_few_patients_leave_coverage_undefined() -> None:
    x = np.random.default_rng(8).normal(size=(20, 2))
    few = coverage(x, np.arange(20) < 15, np.arange(20))
    assert few.reason == "the reference has 5 patients; 6 are needed"
    assert few.group.value is None
    assert few.p is None
    assert coverage(x, np.arange(20) < 5, np.arange(20)).reason.startswith("the group has 5")
    assert coverage(x[:, :0], np.arange(20) < 9, np.arange(20)).reason == "no feature varies"


def test_image_split_by_scikit_learn_agrees_on_what_a_plain_fold_gives() -> None:
    # With one image a patient and huge samples all ways of measuring the AUC meet.
    rng = np.random.default_rng(9)
    x, group = rng.normal(size=(4000, 2)), np.arange(4000) < 2000
    x[group, 0] += 1.0
    found = domain_auc(x, group, np.arange(4000), rng)
    assert found.value == pytest.approx(roc_auc_score(group, x[:, 0]), abs=0.004)
