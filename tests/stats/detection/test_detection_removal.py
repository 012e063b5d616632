"""Removal of images: by hand, by enumeration of every set, and what cannot be estimated."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from scipy.stats import norm

from reportgen.stats.detection import (
    Strata,
    WeightedStudy,
    control_removals,
    holm,
    match,
    merge_codes,
    removal_effect,
    removal_strata,
    weighted_ap,
    weighted_study,
)
from reportgen.stats.detection.removal import expanded_confidence
from tests.support.detection import columns, made_up


def planted(
    seed: int, *, n: int = 120, easy: float = 0.95, hard: float = 0.6
) -> tuple[WeightedStudy, np.ndarray, Strata]:
    """Return a study in which the first quarter of the images is easier than the rest."""
    rng = np.random.default_rng(seed)
    removed = np.arange(n) < n // 4
    truth, seen = made_up(
        rng, n_images=n, n_boxes=6 * n, n_classes=2, found=np.where(removed, easy, hard)
    )
    matches = match(truth, seen, n_images=n, n_classes=2)
    return weighted_study(matches), removed, removal_strata(matches.positives)


def one_box_each(found: list[bool]) -> WeightedStudy:
    """Return a study of one box on each image, found or not; only its recall is looked at."""
    n = len(found)
    hit = np.flatnonzero(found)
    truth = columns(np.arange(n), [0] * n, [(0, 0, 9, 9)] * n)
    seen = columns(hit, [0] * len(hit), [(0, 0, 9, 9)] * len(hit), score=1 - hit / 100)
    return weighted_study(match(truth, seen, n_images=n, n_classes=1))


RECALL = 3
"""The column of the first class's recall: after the three means."""


def test_changes_and_gaps_by_hand() -> None:
    study = one_box_each([True, True, True, False, False, True, False, False])
    removed = np.array([1, 1, 0, 0, 0, 0, 0, 0], dtype=bool)
    effect = removal_effect(study, removed, np.arange(8), np.random.default_rng(0), resamples=100)
    assert effect.contrasts.metric == ("map50", "map75", "map50_95", "recall")
    assert effect.contrasts.category.tolist() == [-1, -1, -1, 0]
    assert effect.all_images[RECALL] == pytest.approx(4 / 8)
    assert effect.without[RECALL] == pytest.approx(2 / 6)
    assert effect.removed_only[RECALL] == pytest.approx(1)
    assert effect.change[RECALL] == pytest.approx(2 / 6 - 4 / 8)
    assert effect.gap[RECALL] == pytest.approx(1 - 2 / 6)
    # A mean dilutes: minus the removed share (2 of 8) times the gap.
    assert effect.change[RECALL] == pytest.approx(-(2 / 8) * effect.gap[RECALL])


def test_two_clusters_are_too_few_for_an_interval_and_it_says_so() -> None:
    study = one_box_each([True, True, True, False, False, True, False, False])
    removed = np.array([1, 1, 0, 0, 0, 0, 0, 0], dtype=bool)
    effect = removal_effect(study, removed, np.arange(8), np.random.default_rng(0), resamples=100)
    assert np.isnan(effect.change_low).all()
    assert np.isnan(effect.minimum_detectable_effect).all()
    assert effect.change_reason[RECALL] == (
        "removed images of 2 clusters and other images of 6 hold boxes that it rests on; an "
        "interval needs 10 on each side"
    )


def test_recall_interval_is_that_of_resampled_clusters() -> None:
    """For recall the bootstrap is a ratio of sums; draw it anew, cluster by cluster."""
    study, removed, _ = planted(3)
    cluster = merge_codes(np.arange(120) // 2)
    effect = removal_effect(study, removed, cluster, np.random.default_rng(5), resamples=4000)
    rng = np.random.default_rng(99)
    members = [np.flatnonzero(cluster == each) for each in range(60)]
    draws = []
    for _ in range(4000):
        image = np.concatenate([members[each] for each in rng.integers(0, 60, 60)])
        kept = image[~removed[image]]
        found, boxes = study.recalled[:, 0], study.positives[:, 0]
        draws.append(
            found[kept].sum() / boxes[kept].sum() - found[image].sum() / boxes[image].sum()
        )
    # Clusters of two: the first 15 are removed, the other 45 kept; t with 14 degrees of freedom.
    tail = norm.sf(2.144787 * (15 / 14) ** 0.5)
    low, high = np.quantile(draws, [tail, 1 - tail])
    # Error of such a quantile of 4000 normal draws; there are two of them.
    density = norm.pdf(norm.isf(tail)) / np.std(draws)
    error = np.sqrt(2 * tail * (1 - tail) / 4000) / density
    assert effect.change_low[RECALL] == pytest.approx(low, abs=4 * error)
    assert effect.change_high[RECALL] == pytest.approx(high, abs=4 * error)
    half = (effect.change_high - effect.change_low) / 2
    np.testing.assert_array_equal(effect.minimum_detectable_effect, half)


def test_a_planted_advantage_is_found_by_both() -> None:
    study, removed, strata = planted(1)
    effect = removal_effect(study, removed, np.arange(120), np.random.default_rng(0), resamples=400)
    assert (effect.change_high[:3] < 0).all()
    assert (effect.gap_low[:3] > 0).all()
    assert set(effect.change_reason) == {""}
    controls = control_removals(study, removed, strata, np.random.default_rng(1), draws=499)
    assert (controls.p[:3] <= 0.01).all()
    assert (controls.p_low[:3] <= 0.01).all()
    assert (controls.p_high[:3] >= 0.99).all()
    assert (controls.change[:3] < controls.low[:3]).all()
    np.testing.assert_array_equal(controls.change, effect.change)


def test_equal_generators_give_equal_figures() -> None:
    study, removed, strata = planted(1)
    first, second = (
        removal_effect(study, removed, np.arange(120), np.random.default_rng(4), resamples=120)
        for _ in range(2)
    )
    assert first.change_low.tobytes() == second.change_low.tobytes()
    assert first.gap_high.tobytes() == second.gap_high.tobytes()
    one, two = (
        control_removals(study, removed, strata, np.random.default_rng(4), draws=120)
        for _ in range(2)
    )
    assert one.draws.tobytes() == two.draws.tobytes()


def test_control_p_is_that_of_all_sets_enumerated() -> None:
    """Recall of one class and stratum: every set of 3 of 10 images, removed ones included."""
    found = [True, True, True, True, False, True, False, False, True, False]
    study, removed = one_box_each(found), np.arange(10) < 3
    strata = removal_strata(study.positives.T.astype(np.intp))
    draws = 20_000
    controls = control_removals(study, removed, strata, np.random.default_rng(2), draws=draws)
    value = np.array(found, dtype=float)
    changes = np.array(
        [
            np.delete(value, chosen).mean() - value.mean()
            for chosen in map(list, combinations(range(10), 3))
        ]
    )
    observed = value[3:].mean() - value.mean()
    exact = {
        "p": np.mean(np.abs(changes - changes.mean()) >= np.abs(observed - changes.mean()) - 1e-9),
        "p_low": np.mean(changes <= observed + 1e-9),
        "p_high": np.mean(changes >= observed - 1e-9),
    }
    for name, share in exact.items():
        error = np.sqrt(share * (1 - share) / draws) + 1 / draws
        assert getattr(controls, name)[RECALL] == pytest.approx(share, abs=4 * error)
    assert controls.mean[RECALL] == pytest.approx(0, abs=4 * changes.std() / np.sqrt(draws))


def test_p_counts_the_observed_set_in() -> None:
    study, removed, strata = planted(1, n=400)
    controls = control_removals(study, removed, strata, np.random.default_rng(1), draws=99)
    assert controls.p[0] == controls.p_low[0] == 1 / 100
    assert controls.p_high[0] == 1


def test_controls_from_others_stay_beside_the_removed_images() -> None:
    study, removed, strata = planted(1)
    controls = control_removals(
        study, removed, strata, np.random.default_rng(1), draws=300, pool="others"
    )
    # The removed images are easier and stay in, so taking others away raises the figures.
    assert controls.mean[0] > 0
    every = control_removals(study, removed, strata, np.random.default_rng(1), draws=300)
    assert every.draws[:, 0].std() > controls.draws[:, 0].std()


def test_short_strata_are_named() -> None:
    study = one_box_each([True, False] * 10)
    removed = np.arange(20) < 12
    strata = removal_strata(study.positives.T.astype(np.intp))
    controls = control_removals(
        study, removed, strata, np.random.default_rng(0), draws=20, pool="others"
    )
    assert controls.removed.tolist() == [12]
    assert controls.others.tolist() == [8]
    assert controls.short.tolist() == [True]
    assert controls.pool == "others"


def test_without_a_choice_there_is_no_p() -> None:
    study = one_box_each([True, False] * 10)
    removed = np.arange(20) < 10
    strata = removal_strata(study.positives.T.astype(np.intp))
    controls = control_removals(
        study, removed, strata, np.random.default_rng(0), draws=20, pool="others"
    )
    assert np.isnan(controls.p).all()
    assert controls.reason[RECALL] == "every control removal makes the same change"


def test_a_class_that_leaves_with_the_removed_images_is_not_defined() -> None:
    box = (0, 0, 9, 9)
    n = 40
    truth = columns(np.arange(n), np.where(np.arange(n) < 12, 1, 0), [box] * n)
    seen = columns(
        np.arange(0, n, 2), truth.category[::2], [box] * 20, score=1 - np.arange(20) / 99
    )
    study = weighted_study(match(truth, seen, n_images=n, n_classes=2))
    removed = np.arange(n) < 12
    effect = removal_effect(study, removed, np.arange(n), np.random.default_rng(0), resamples=100)
    assert np.isnan(effect.without[RECALL + 1])
    assert np.isnan(effect.change[RECALL + 1])
    assert effect.change_reason[RECALL + 1].startswith("no box on one of the two sides")
    assert effect.without[0] == weighted_ap(study, ~removed).ap50[0, 0]
    strata = removal_strata(study.positives.T.astype(np.intp), by=[])
    controls = control_removals(study, removed, strata, np.random.default_rng(0), draws=50)
    assert controls.reason[RECALL + 1] == "the change is not defined"
    assert np.isnan(controls.p[RECALL + 1])


def test_clusters_are_counted_not_images() -> None:
    study, removed, _ = planted(1)
    cluster = merge_codes(np.where(removed, 0, 1 + np.arange(120)))
    effect = removal_effect(study, removed, cluster, np.random.default_rng(0), resamples=100)
    assert (effect.n_clusters, effect.n_clusters_removed, effect.n_clusters_kept) == (91, 1, 90)
    assert np.isnan(effect.gap_low).all()
    assert "removed images of 1 clusters and other images of 90" in effect.gap_reason[0]


def test_few_clusters_widen_the_interval_as_for_a_mean() -> None:
    # Hesterberg: sqrt(n / (n - 1)) t in place of z; for 10 units t is 2.262157, together 2.384522.
    tail = norm.sf(2.262157 * (10 / 9) ** 0.5)
    assert expanded_confidence(0.95, 10) == pytest.approx(1 - 2 * tail, abs=1e-6)
    assert expanded_confidence(0.95, 100_000) == pytest.approx(0.95, abs=1e-5)


def test_a_class_of_one_image_has_no_p() -> None:
    box = (0, 0, 9, 9)
    truth = columns(np.arange(40), [*[0] * 39, 1], [box] * 40)
    seen = columns(np.arange(0, 40, 3), [0] * 14, [box] * 14, score=1 - np.arange(14) / 99)
    study = weighted_study(match(truth, seen, n_images=40, n_classes=2))
    removed = np.arange(40) < 12
    strata = removal_strata(study.positives.T.astype(np.intp), by=[])
    controls = control_removals(study, removed, strata, np.random.default_rng(0), draws=200)
    # 12 of 40 images go, and the class with them in three tenths of the sets.
    assert controls.reason[RECALL + 1] == "undefined in too many control removals"
    assert controls.reason[RECALL] == ""


@pytest.mark.parametrize("removed", [np.zeros(120, dtype=bool), np.ones(120, dtype=bool)])
def test_removing_none_or_all_is_refused(removed: np.ndarray) -> None:
    study, _, strata = planted(1)
    with pytest.raises(ValueError, match="of 120 images removed: nothing to compare"):
        removal_effect(study, removed, np.arange(120), np.random.default_rng(0), resamples=9)
    with pytest.raises(ValueError, match="of 120 images removed: nothing to compare"):
        control_removals(study, removed, strata, np.random.default_rng(0), draws=9)


def test_wrong_lengths_are_refused() -> None:
    study, removed, _ = planted(1)
    with pytest.raises(ValueError, match="120 images, but removed of the shape"):
        removal_effect(study, removed[:9], np.arange(120), np.random.default_rng(0), resamples=9)


def test_the_family_is_adjusted_by_holm() -> None:
    assert holm([0.01, 0.04, 0.03]).tolist() == pytest.approx([0.03, 0.06, 0.06])
