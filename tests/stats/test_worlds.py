"""The worlds hold what their truth says; the article's sample is the article's."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from sklearn.metrics import roc_auc_score

from reportgen.stats.roc import area_and_variance
from reportgen.stats.worlds import LAWS, World, article_sample, world

EXAMPLE = Path(__file__).resolve().parents[2] / "examples" / "frame-simulation"


def areas(w: World) -> tuple[float, float, float]:
    """Return the area in the group, in the reference, and the error of their difference."""
    found = []
    for rows in (w.in_group, ~w.in_group):
        _, unit = np.unique(w.unit[rows], return_inverse=True)
        found.append(area_and_variance(w.positive[rows], w.score[rows], unit.astype(np.intp)))
    (a, va), (b, vb) = found
    return a, b, float(np.sqrt(va + vb))


@pytest.fixture(scope="module")
def large() -> dict[str, World]:
    return {
        name: world(name, np.random.default_rng(1), patients=(15_000, 15_000), images=1)
        for name in LAWS
    }


@pytest.mark.parametrize("name", sorted(LAWS))
def test_there_is_a_gap_where_the_truth_says_so(name: str, large: dict[str, World]) -> None:
    group, reference, error = areas(large[name])
    if large[name].gap:
        assert group < reference - 10 * error
    else:
        assert abs(group - reference) < 3 * error
    if name == "N0":
        assert abs(group - 0.5) < 3 * error


@pytest.mark.parametrize("name", ["N1", "N3", "N5"])
def test_shifted_groups_lie_elsewhere_in_what_the_model_ignores_alone(
    name: str, large: dict[str, World]
) -> None:
    w = large[name]
    moved = w.features[w.in_group].mean(axis=0) - w.features[~w.in_group].mean(axis=0)
    assert (np.abs(moved[:4]) < 0.06).all()
    assert (moved[4:] > 0.9).all()


def test_label_noise_is_the_same_with_and_without_a_shift(large: dict[str, World]) -> None:
    noisy, both = areas(large["N2"]), areas(large["N5"])
    assert abs(noisy[0] - both[0]) < 3 * np.hypot(noisy[2], both[2])
    # A share q of flipped labels, balanced, brings an area A to 1/2 + (1 - 2 q) (A - 1/2).
    assert abs(noisy[0] - (0.5 + 0.5 * (noisy[1] - 0.5))) < 3 * noisy[2]


def test_only_the_representational_world_loses_more_with_distance(large: dict[str, World]) -> None:
    for name in ("N3", "N5"):
        w = large[name]
        far = w.features[:, 4:].sum(axis=1)
        wrong = (w.score >= 0.5) != w.positive
        cut = np.median(far[w.in_group])
        near_rate = wrong[w.in_group & (far < cut)].mean()
        far_rate = wrong[w.in_group & (far >= cut)].mean()
        assert (far_rate - near_rate > 0.05) == w.representational


def test_patients_sizes_and_determinism() -> None:
    w = world("N2", np.random.default_rng(3), patients=(30, 10), images=(1, 20))
    held = np.bincount(w.unit)
    assert len(held) == 40
    assert held.min() >= 1
    assert held.max() <= 20
    assert len(np.unique(held)) > 5
    for unit in range(40):
        assert len(np.unique(w.positive[w.unit == unit])) == 1
        assert len(np.unique(w.in_group[w.unit == unit])) == 1
    again = world("N2", np.random.default_rng(3), patients=(30, 10), images=(1, 20))
    np.testing.assert_array_equal(w.features, again.features)
    assert "wrong label" in w.truth


def test_unknown_worlds_and_sizes_are_refused() -> None:
    with pytest.raises(ValueError, match="no world 'N4'; there are N0, N1, N2, N3, N5, article"):
        world("N4", np.random.default_rng(1))
    with pytest.raises(ValueError, match="no such sizes"):
        world("N0", np.random.default_rng(1), images=(3, 2))


def articles_loop(seed: int) -> tuple[list[float], list[int]]:
    """The first numbers that the article's own loops draw, as its listing has them."""
    rng = np.random.default_rng(seed)
    first, labels = [], []
    for n_patients, shift in ((200, 0.0), (80, 0.6)):
        for _ in range(n_patients):
            base_feature = rng.normal(shift, 1.0, size=16)
            labels.append(int(rng.binomial(1, 0.4)))
            for _ in range(4):
                image = base_feature + rng.normal(0, 0.25, size=16)
            first.append(float(image[0]))
    return first, labels


def test_the_articles_sample_is_drawn_as_in_its_listing() -> None:
    features, positive, group, unit = article_sample(np.random.default_rng(42))
    last, labels = articles_loop(42)
    np.testing.assert_allclose(features[3::4, 0], last, rtol=1e-14)
    np.testing.assert_array_equal(positive[::4], np.array(labels) == 1)
    assert features.shape == (1120, 16)
    assert len(np.unique(unit[~group])) == 200


def test_the_articles_world_learned_nothing() -> None:
    draws = [world("article", np.random.default_rng([1, seed])) for seed in range(40)]
    gaps = np.array([a - b for a, b, _ in map(areas, draws)])
    assert abs(gaps.mean()) < 3 * gaps.std(ddof=1) / np.sqrt(40)
    assert len(np.unique(draws[0].unit)) == 135  # 30 % of 450
    several = world("article", np.random.default_rng(1), images=(1, 3))
    assert set(np.bincount(several.unit).tolist()) == {1, 2, 3}


def test_the_example_is_the_articles_seed_42(tmp_path: Path) -> None:
    table = pd.read_csv(EXAMPLE / "test.csv")
    printed = {"major": (59, 236, 0.615), "minor": (25, 100, 0.330)}
    for name, (patients, images, area) in printed.items():
        rows = table[table["group"] == name]
        assert (rows["patient_id"].nunique(), len(rows)) == (patients, images)
        assert round(float(roc_auc_score(rows["label"], rows["score"])), 3) == area
    minor = table[(table["group"] == "minor") & (table["label"] == 1)]
    assert minor["patient_id"].nunique() == 9
    subprocess.run([sys.executable, EXAMPLE / "make_data.py", tmp_path], check=True)
    made = pd.read_csv(tmp_path / "test.csv")
    pd.testing.assert_frame_equal(made, table, rtol=0, atol=2e-6)
