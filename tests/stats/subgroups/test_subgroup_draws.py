"""Patient draws and every metric under them, against rows repeated and scikit-learn."""

from __future__ import annotations

import tracemalloc

import numpy as np
import pytest
from sklearn.metrics import (
    balanced_accuracy_score,
    brier_score_loss,
    precision_score,
    recall_score,
    roc_auc_score,
)

from reportgen.stats.subgroups.draws import draw_pools, drawn_interval, patient_draws
from reportgen.stats.subgroups.gaps import gap_draws, standard_error
from reportgen.stats.subgroups.metrics import area
from reportgen.stats.subgroups.ranking import AreaPlan, weighted_areas
from reportgen.stats.subgroups.resampling import METRICS, resample
from reportgen.stats.subgroups.study import FloatArray, IntArray, Pair, Study, arrange


def random_study(seed: int, *, digits: int, n: int = 240, models: int = 2) -> Study:
    """Return rows of three groups; patients with several images, labels and groups."""
    rng = np.random.default_rng(seed)
    patient = rng.integers(0, n // 4, n)
    scores = np.round(rng.random((models, n)), digits)
    return arrange(
        rng.random(n) < rng.uniform(0.1, 0.9),
        scores,
        (patient + (rng.random(n) < 0.2)) % 3,
        patient,
        n_levels=3,
    )


def by_scikit_learn(y: np.ndarray, score: FloatArray, threshold: float) -> dict[str, float]:
    chosen = score >= threshold
    nan = float("nan")
    both = y.any() and not y.all()
    return {
        "auc": roc_auc_score(y, score) if both else nan,
        "sensitivity": recall_score(y, chosen) if y.any() else nan,
        "specificity": recall_score(~y, ~chosen) if not y.all() else nan,
        "balanced_accuracy": balanced_accuracy_score(y, chosen) if both else nan,
        "ppv": precision_score(y, chosen) if chosen.any() else nan,
        "npv": precision_score(~y, ~chosen) if not chosen.all() else nan,
        "selection_rate": float(chosen.mean()) if len(y) else nan,
        "brier": brier_score_loss(y.astype(int), score, pos_label=1) if len(y) else nan,
        "prevalence": float(y.mean()) if len(y) else nan,
    }


@pytest.mark.parametrize("digits", [0, 1, 2, 9])
def test_every_metric_equals_scikit_learn_on_repeated_rows(digits: int) -> None:
    for seed in range(2):
        study = random_study(seed, digits=digits)
        draws = patient_draws(study, np.random.default_rng(seed), resamples=3)
        found = resample(study, draws, thresholds=[0.5, 0.25])
        counts = np.concatenate(list(draws.blocks()))
        for model, threshold in enumerate([0.5, 0.25]):
            for level in (None, 0, 1, 2):
                rows = study.rows(level)
                for b, count in enumerate(counts):
                    drawn = np.repeat(rows, count[study.patient[rows]])
                    right = by_scikit_learn(
                        study.positive[drawn], study.scores[model, drawn], threshold
                    )
                    got = {
                        name: found.draws_of(name, model=model, level=level)[b] for name in METRICS
                    }
                    assert got == pytest.approx(right, abs=1e-12, rel=0, nan_ok=True)


def test_weighted_areas_are_those_of_repeated_rows() -> None:
    rng = np.random.default_rng(5)
    y, score = rng.random(60) < 0.4, np.round(rng.random(60), 1)
    weights = rng.integers(0, 4, (5, 60))
    right = [roc_auc_score(np.repeat(y, w), np.repeat(score, w)) for w in weights]
    assert weighted_areas(y, score, weights.astype(float)) == pytest.approx(right, abs=1e-12)


def test_each_draw_keeps_every_large_stratum_and_repeats_itself() -> None:
    study = random_study(1, digits=2, n=2000)
    assert set(study.strata) > {(0,), (0, 1)}
    draws = patient_draws(study, np.random.default_rng(1), resamples=37)
    counts = np.concatenate(list(draws.blocks()))
    assert counts.shape == (37, study.n_patients)
    sizes = np.diff(study.edges)
    drawn = np.add.reduceat(counts, study.edges[:-1], axis=1)
    assert (drawn == sizes)[:, sizes >= 10].all()
    assert (drawn.sum(axis=1) == study.n_patients).all()
    assert np.array_equal(counts, np.concatenate(list(draws.blocks())))


def members(pool: slice | IntArray) -> list[int]:
    return list(range(pool.start, pool.stop)) if isinstance(pool, slice) else pool.tolist()


@pytest.mark.parametrize("seed", range(6))
def test_every_patient_is_in_one_pool_and_few_are_alone(seed: int) -> None:
    study = random_study(seed, digits=2, n=120 * (1 + seed))
    pools = [members(pool) for pool in draw_pools(study)]
    assert sorted(patient for pool in pools for patient in pool) == list(range(study.n_patients))
    assert min(map(len, pools)) >= 10  # the three groups hang together, and hold 30 patients


def test_groups_that_share_no_patients_are_drawn_apart_however_small() -> None:
    """A draw keeps the four patients of group 1 and the five of group 2."""
    level = np.repeat([0, 1, 2], [40, 4, 5])
    study = arrange(np.arange(49) % 2 == 0, np.linspace(0, 1, 49), level, np.arange(49), n_levels=3)
    assert sorted(len(members(pool)) for pool in draw_pools(study)) == [4, 5, 40]


def test_a_lone_patient_of_two_groups_joins_the_smaller_stratum() -> None:
    level = np.concatenate([np.zeros(30), np.ones(20), [0, 1]])
    patient = np.concatenate([np.arange(50), [50, 50]])
    study = arrange(np.arange(52) % 2 == 0, np.linspace(0, 1, 52), level, patient, n_levels=2)
    assert sorted(len(members(pool)) for pool in draw_pools(study)) == [21, 30]


def scanners(rng: np.random.Generator, *, levels: int, patients: int, images: int) -> Study:
    """Return patients imaged several times, each time on any of the scanners; no gap."""
    y = rng.random(patients) < 0.4
    unit = np.repeat(np.arange(patients), images)
    own = 1.47 * y + 0.8 * rng.normal(size=patients)
    score = own[unit] + 0.6 * rng.normal(size=len(unit))
    level = rng.integers(0, levels, len(unit))
    return arrange(y[unit], score, level, unit, n_levels=levels)


@pytest.mark.parametrize(
    ("levels", "patients", "images", "samples"),
    [(2, 100, 4, 8), (6, 100, 4, 4), (12, 150, 4, 2), (150, 100, 150, 1)],
)
def test_draws_vary_as_patients_do(levels: int, patients: int, images: int, samples: int) -> None:
    """Their standard deviation is Obuchowski's standard error, however groups share patients."""
    rng = np.random.default_rng([levels, images])
    ratio = []
    for _ in range(samples):
        study = scanners(rng, levels=levels, patients=patients, images=images)
        draws = patient_draws(study, rng, resamples=400)
        found = resample(study, draws, thresholds=[0.5], overall=False)
        for level in range(1, min(levels, 12)):
            own, other = area(study, level), area(study, 0)
            drawn = gap_draws(found, Pair("auc", level, 0))
            if np.isnan(drawn).mean() <= 0.01:
                ratio.append(np.nanstd(drawn, ddof=1) / standard_error(own, other))
    assert len(ratio) >= 8
    assert 0.9 <= np.median(ratio) <= 1.1


def test_strata_hold_the_patients_of_one_set_of_groups() -> None:
    study = random_study(2, digits=2)
    for stratum, levels in enumerate(study.strata):
        for patient in range(study.edges[stratum], study.edges[stratum + 1]):
            rows = study.patient == patient
            assert tuple(np.unique(study.level[rows])) == levels


def test_many_patients_are_drawn_evenly() -> None:
    # More than 4,096 patients take the other branch: each is drawn once on average.
    n = 5000
    study = arrange(
        np.arange(n) % 2 == 0, np.linspace(0, 1, n), np.zeros(n), np.arange(n), n_levels=1
    )
    draws = patient_draws(study, np.random.default_rng(3), resamples=400)
    counts = np.concatenate(list(draws.blocks()))
    assert (counts.sum(axis=1) == n).all()
    mean = counts.mean(axis=0)
    # A patient's count is binomial with variance 1 - 1/n: 6 standard errors over 5,000 patients.
    assert np.abs(mean - 1).max() < 6 * np.sqrt(1 / 400)
    assert counts.var() == pytest.approx(1 - 1 / n, rel=0.01)


def test_one_positive_patient_of_ten_is_often_missed() -> None:
    """(9/10)^10 = 0.349 of the draws hold no positive: they stay in place and are counted."""
    study = arrange(
        np.arange(10) == 0, np.linspace(0.05, 0.95, 10), np.zeros(10), np.arange(10), n_levels=1
    )
    draws = patient_draws(study, np.random.default_rng(4), resamples=4000)
    areas = resample(study, draws, thresholds=[0.5]).draws_of("auc", model=0, level=0)
    assert len(areas) == 4000
    interval = drawn_interval(areas, confidence=0.95)
    expected = 0.9**10
    assert interval.undefined == pytest.approx(
        expected, abs=4 * np.sqrt(expected * (1 - expected) / 4000)
    )
    assert interval.unstable
    assert np.isnan(interval.low)
    assert "of the draws" in interval.reason


@pytest.mark.parametrize(
    ("undefined", "unstable", "has_interval"),
    [(0, False, True), (10, False, True), (11, True, True), (50, True, True), (51, True, False)],
)
def test_limits_of_undefined_draws(undefined: int, unstable: bool, has_interval: bool) -> None:
    values = np.arange(1000.0)
    values[:undefined] = np.nan
    interval = drawn_interval(values, confidence=0.9)
    assert interval.undefined == undefined / 1000
    assert interval.unstable is unstable
    assert np.isfinite(interval.low) == has_interval == (interval.reason == "")
    if has_interval:
        assert interval.low == pytest.approx(np.quantile(values[undefined:], 0.05))


def test_memory_at_two_hundred_thousand_images() -> None:
    rng = np.random.default_rng(6)
    patients, images = 50_000, 4
    n = patients * images
    study = arrange(
        np.repeat(rng.random(patients) < 0.4, images),
        rng.random(n),
        np.repeat(rng.integers(0, 2, patients), images),
        np.repeat(np.arange(patients), images),
        n_levels=2,
    )
    tracemalloc.start()
    resample(study, patient_draws(study, rng, resamples=12), thresholds=[0.5])
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak <= 50e6


@pytest.mark.parametrize(
    ("change", "word"),
    [
        ({"scores": [0.1, np.nan]}, "finite"),
        ({"level": [0, 2]}, "groups run"),
        ({"patient": [0, 1, 2]}, "lengths"),
        ({"covariate": [0, -1]}, "covariate"),
    ],
)
def test_wrong_arrays_are_refused(change: dict[str, object], word: str) -> None:
    arrays: dict[str, object] = {
        "positive": [True, False],
        "scores": [0.1, 0.2],
        "level": [0, 1],
        "patient": [0, 1],
    }
    with pytest.raises(ValueError, match=word):
        arrange(**(arrays | change), n_levels=2)  # type: ignore[arg-type]


def test_no_rows_and_wrong_numbers_are_refused() -> None:
    with pytest.raises(ValueError, match="no rows"):
        arrange([], [], [], [], n_levels=1)
    study = random_study(0, digits=1)
    with pytest.raises(ValueError, match="draw"):
        patient_draws(study, np.random.default_rng(0), resamples=0)
    with pytest.raises(ValueError, match="thresholds"):
        resample(study, patient_draws(study, np.random.default_rng(0), resamples=1), thresholds=[1])


def test_repeated_images_and_smaller_pieces_change_no_draw() -> None:
    """Every image four times under its patient: the same draws, the same figures (D42)."""
    rng = np.random.default_rng(8)
    n = 30_000
    y, score, level = rng.random(n) < 0.3, np.round(rng.random(n), 3), np.arange(n) % 2
    patient = np.arange(n) // 10
    found = []
    for times in (1, 4):
        study = arrange(
            *(np.repeat(column, times) for column in (y, score, level, patient)), n_levels=2
        )
        draws = patient_draws(study, np.random.default_rng(9), resamples=60)
        resampled = resample(study, draws, thresholds=[0.5])
        found.append([resampled.draws_of(name, model=0, level=1) for name in METRICS])
    np.testing.assert_allclose(found[0], found[1], rtol=1e-12)
    pieces = list(draws.blocks(rows=10**9))
    assert {len(piece) for piece in pieces} == {1}
    assert np.array_equal(np.concatenate(pieces), np.concatenate(list(draws.blocks())))


@pytest.mark.parametrize("n", [80_000, 140_000])
def test_pairs_that_thirty_two_bits_cannot_count(n: int) -> None:
    """1.6 thousand million pairs and 4.9: the second overflows 2^31 (pROC once gave 15.97)."""
    rng = np.random.default_rng(n)
    y = rng.random(n) < 0.5
    score: FloatArray = np.round(rng.random(n) + np.where(y, 0.2, 0.0), 4)
    counts = rng.integers(0, 3, (1, n)).astype(np.int32)
    area = AreaPlan(y, score, np.arange(n)).areas(counts)[0]
    right = roc_auc_score(np.repeat(y, counts[0]), np.repeat(score, counts[0]))
    assert area == pytest.approx(right, abs=1e-12)
