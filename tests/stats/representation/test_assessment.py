"""Layer 3 put together: what counts as evidence, what is left out, what cannot matter."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from reportgen.stats.representation.assessment import (
    Representation,
    feature_shift,
    linked,
    representation,
)
from reportgen.stats.worlds import World, world


def assessed(w: World, seed: int = 1) -> Representation:
    return representation(
        w.features, w.score, w.positive, w.in_group, w.unit, np.random.default_rng(seed)
    )


@pytest.fixture(scope="module")
def shifted() -> World:
    return world("N5", np.random.default_rng(1), patients=(120, 60), images=3)


def test_a_shift_without_link_is_no_evidence(shifted: World) -> None:
    found = assessed(shifted)
    assert found.shift.domain.value is not None
    assert found.shift.domain.value > 0.7
    assert found.shift.coverage.p is not None
    assert found.shift.coverage.p < 0.001
    assert found.link.p is not None
    assert found.link.p > 0.05
    assert found.evidence is False
    assert found.reason == (
        "the group is covered less than its reference; "
        "a link of its loss with distance is not shown"
    )


def test_a_representational_gap_in_a_large_sample_is_evidence() -> None:
    found = assessed(world("N3", np.random.default_rng(2), patients=(300, 1200), images=2))
    assert found.evidence is True
    assert found.link.z is not None
    assert found.link.z > 2


@pytest.mark.parametrize(
    ("coverage_p", "link_p", "evidence"),
    [
        (0.05, 0.05, True),
        (0.051, 0.001, False),
        (0.001, 0.051, False),
        (0.2, None, False),
        (None, 0.2, False),
        (0.01, None, None),
        (None, 0.01, None),
        (None, None, None),
    ],
)
def test_evidence_needs_both(
    shifted: World, coverage_p: float | None, link_p: float | None, evidence: bool | None
) -> None:
    from reportgen.stats.representation.assessment import _judge

    found = assessed(shifted)
    cover = replace(found.shift.coverage, p=coverage_p, reason="few patients")
    link = replace(found.link, p=link_p, reason="no probability")
    assert _judge(cover, link, 0.05)[0] is evidence


def test_row_order_and_patient_names_cannot_matter(shifted: World) -> None:
    rng = np.random.default_rng(3)
    order, names = rng.permutation(len(shifted.unit)), rng.permutation(180)
    other = World(
        shifted.features[order],
        shifted.score[order],
        shifted.positive[order],
        shifted.in_group[order],
        names[shifted.unit][order] * 2,
        "",
        True,
        False,
        "",
    )
    plain, moved = assessed(shifted), assessed(other)
    assert moved.shift.domain == plain.shift.domain
    assert moved.shift.domain_in_positives == plain.shift.domain_in_positives
    assert moved.shift.coverage.deficit == plain.shift.coverage.deficit
    assert moved.link.z == pytest.approx(plain.link.z, abs=1e-9)
    assert plain.shift.coverage.distance is not None
    assert moved.shift.coverage.distance is not None
    np.testing.assert_array_equal(
        moved.shift.coverage.distance, plain.shift.coverage.distance[order]
    )


def test_the_unit_of_a_feature_cannot_matter(shifted: World) -> None:
    scaled = replace(shifted, features=shifted.features * 1000 + 7)
    plain, other = assessed(shifted), assessed(scaled)
    assert other.shift.coverage.group.value == plain.shift.coverage.group.value
    assert other.link.z == pytest.approx(plain.link.z, abs=1e-6)


def test_rows_without_a_feature_are_left_out_and_counted(shifted: World) -> None:
    holed = shifted.features.copy()
    holed[[0, -1], 2] = np.nan
    found = assessed(replace(shifted, features=holed))
    assert found.shift.notes == ("2 rows of the test set left out: a feature is missing",)
    assert found.shift.used.sum() == len(holed) - 2
    kept = found.shift.used
    alone = World(
        holed[kept],
        shifted.score[kept],
        shifted.positive[kept],
        shifted.in_group[kept],
        shifted.unit[kept],
        "",
        True,
        False,
        "",
    )
    assert assessed(alone).link == found.link
    holed[shifted.in_group] = np.nan
    none = assessed(replace(shifted, features=holed))
    assert none.evidence is None
    assert none.shift.domain.reason == "no row of the group has every feature"


def test_a_ranking_score_has_no_link_test(shifted: World) -> None:
    w = shifted
    shift = feature_shift(
        w.features, w.positive, w.in_group, w.unit, np.random.default_rng(1), names=list("abcdefgh")
    )
    found = linked(shift, None, w.positive, w.in_group, w.unit)
    assert shift.names == tuple("abcdefgh")
    assert found.evidence is None
    assert found.link.reason == "the score is no probability, so it has no loss"
    with pytest.raises(ValueError, match="between 0 and 1"):
        linked(shift, w.score * 100, w.positive, w.in_group, w.unit)


def test_training_images_of_a_test_patient_do_not_cover_it(shifted: World) -> None:
    w = shifted

    def distances(bank_unit: np.ndarray[tuple[int], np.dtype[np.intp]]) -> float:
        shift = feature_shift(
            w.features,
            w.positive,
            w.in_group,
            w.unit,
            np.random.default_rng(1),
            bank=w.features,
            bank_unit=bank_unit,
        )
        assert shift.coverage.distance is not None
        return float(shift.coverage.distance.min())

    # The bank is the test set itself: known as the same patients it is as far as the others are,
    # under other names every image finds its own copy, and so one distance of the five is 0.
    assert distances(w.unit) > distances(w.unit + 1000)


def test_lengths_must_agree(shifted: World) -> None:
    with pytest.raises(ValueError, match="differ in length"):
        assessed(replace(shifted, unit=shifted.unit[1:]))
