"""The worked example of article 000 (seed 42): its printed figures, and what ours say of them.

Labels do not depend on features there, so the true area is 0.5 in both groups and the true gap 0.
"""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import balanced_accuracy_score
from sklearn.model_selection import train_test_split
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from reportgen.stats.subgroups.draws import patient_draws
from reportgen.stats.subgroups.estimate import satterthwaite
from reportgen.stats.subgroups.gaps import gap_interval, standard_error, t_test
from reportgen.stats.subgroups.metrics import area, group_size
from reportgen.stats.subgroups.permutation import permutation_test
from reportgen.stats.subgroups.ranking import AreaPlan
from reportgen.stats.subgroups.resampling import resample
from reportgen.stats.subgroups.study import FloatArray, Pair, Study, arrange

MAJOR, MINOR = 0, 1
IMAGES, FEATURES = 4, 16


def patients(seed: int) -> tuple[FloatArray, np.ndarray, np.ndarray]:
    """Return features (280, 4, 16), labels and groups of patients, in the article's order."""
    rng = np.random.default_rng(seed)
    features, labels, groups = [], [], []
    for group, count, centre in ((MAJOR, 200, 0.0), (MINOR, 80, 0.6)):
        for _ in range(count):
            own = rng.normal(centre, 1.0, FEATURES)
            labels.append(rng.binomial(1, 0.4))
            features.append([own + rng.normal(0, 0.25, FEATURES) for _ in range(IMAGES)])
            groups.append(group)
    return np.array(features), np.array(labels), np.array(groups)


@pytest.fixture(scope="module")
def study() -> Study:
    """Return the 30 % of patients held out, scored by the article's logistic regression."""
    features, labels, groups = patients(42)
    train, test = train_test_split(np.arange(len(labels)), test_size=0.3, random_state=42)
    # Rows come patient by patient, whatever the order of the split.
    train, test = np.sort(train), np.sort(test)
    model = make_pipeline(StandardScaler(), LogisticRegression(max_iter=1000))
    model.fit(features[train].reshape(-1, FEATURES), np.repeat(labels[train], IMAGES))
    score = model.predict_proba(features[test].reshape(-1, FEATURES))[:, 1]
    return arrange(
        np.repeat(labels[test], IMAGES),
        score,
        np.repeat(groups[test], IMAGES),
        np.repeat(test, IMAGES),
        n_levels=2,
    )


def test_its_table_of_groups(study: Study) -> None:
    printed = {MAJOR: (59, 236, 0.615, 0.573), MINOR: (25, 100, 0.330, 0.365)}
    for level, (n_patients, images, auc, accuracy) in printed.items():
        size, rows = group_size(study, level), study.rows(level)
        assert (size.patients, size.images) == (n_patients, images)
        assert area(study, level).value == pytest.approx(auc, abs=5e-4)
        balanced = balanced_accuracy_score(study.positive[rows], study.scores[0, rows] > 0.5)
        assert balanced == pytest.approx(accuracy, abs=5e-4)
    assert group_size(study, MINOR).positive_patients == 9  # fewer than a verdict needs


def test_its_bootstrap_with_its_own_draws(study: Study) -> None:
    """Patients drawn from all 84 by the article's generator; our areas give what it prints."""
    # The article sorts patients by name, "major_0000" first: the order in which they were made.
    position = {int(p): k for k, p in enumerate(np.unique(study.patient[np.argsort(study.source)]))}
    by_name = study.patient[np.argsort(study.source)][::IMAGES]
    assert len(position) == len(by_name) == 84
    rng = np.random.default_rng(42)
    counts = np.zeros((1000, 84), dtype=np.int32)
    for row in counts:
        np.add.at(row, rng.choice(by_name, size=84, replace=True), 1)
    drawn = {}
    for level in (MAJOR, MINOR):
        rows = study.rows(level)
        plan = AreaPlan(study.positive[rows], study.scores[0, rows], study.patient[rows])
        drawn[level] = plan.areas(counts)
    quantiles = [0.025, 0.5, 0.975]
    gap = np.quantile(drawn[MINOR] - drawn[MAJOR], quantiles)
    assert gap == pytest.approx([-0.518, -0.297, -0.034], abs=5.1e-4)
    major, minor = (np.quantile(drawn[level], [0.025, 0.975]) for level in (MAJOR, MINOR))
    assert major == pytest.approx([0.474, 0.754], abs=5.1e-4)
    assert minor == pytest.approx([0.138, 0.559], abs=5.1e-4)


def test_our_interval_holds_no_gap(study: Study) -> None:
    own, other = area(study, MINOR), area(study, MAJOR)
    interval = gap_interval(own, other, confidence=0.95)
    assert (interval.low, interval.high) == pytest.approx((-0.507, 0.003), abs=5.1e-4)
    df = satterthwaite([*own.pieces, *other.pieces])
    t = t_test(own.value - other.value, standard_error(own, other), df)
    assert t.p == pytest.approx(0.034, abs=5.1e-4)
    exact = permutation_test(
        study, Pair("auc", MINOR, MAJOR), np.random.default_rng(1), permutations=19_999
    )
    # The printed 0.043 came from 4,999 draws: four Monte-Carlo errors.
    assert exact.p == pytest.approx(0.043, abs=4 * np.sqrt(0.043 * 0.957 * (1 / 4999 + 1 / 19_999)))


def test_our_draws_keep_both_groups_sizes(study: Study) -> None:
    draws = patient_draws(study, np.random.default_rng(42), resamples=200)
    found = resample(study, draws, thresholds=[0.5])
    rows = found.counts[0, :2, :2].sum(axis=1)
    assert (rows == [[236], [100]]).all()
