"""Whether the attribution holds its promise: worlds of known truth, and labels redrawn on NIH.

The figures are printed: `pytest -m slow -s` shows them. Rates are compared with what is promised
plus three standard errors of a rate of that size at the number of draws that was run.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from numpy.typing import NDArray
from sklearn.linear_model import LogisticRegression

from reportgen.stats.representation.assessment import ALPHA, FeatureShift, feature_shift, linked
from reportgen.stats.representation.clusters import failure_clusters
from reportgen.stats.representation.coverage import coverage
from reportgen.stats.representation.domain import domain_auc
from reportgen.stats.representation.features import standardise
from reportgen.stats.representation.link import brier_loss, link_test, score_basis
from reportgen.stats.subgroups.permutation import permutation_test
from reportgen.stats.subgroups.study import Pair, arrange
from reportgen.stats.worlds import World, article_sample, world

Floats = NDArray[np.float64]
PERMUTATIONS = 999
SETS = {1: 1000, 4: 400, 20: 150}
NAMES = ("N0", "N1", "N2", "N3", "N5")


def report(line: str) -> None:
    """Print a figure: what was measured is worth as much as that it passed."""
    print(line)  # noqa: T201


def above(promised: float, draws: int) -> float:
    """Return what a rate may reach by chance if the true one is `promised`."""
    return promised + 3 * float(np.sqrt(promised * (1 - promised) / draws))


def gap_shown(w: World, rng: np.random.Generator) -> bool:
    study = arrange(w.positive, w.score, w.in_group.astype(int), w.unit, n_levels=2)
    test = permutation_test(study, Pair("auc", 1, 0), rng, permutations=PERMUTATIONS)
    return test.p <= ALPHA


def attribution(w: World, rng: np.random.Generator) -> tuple[bool, bool, bool]:
    """Return whether a deficit, a link and a gap *with* representational evidence are found."""
    z = standardise(w.features, on=~w.in_group).values
    found = coverage(z, w.in_group, w.unit)
    assert found.p is not None
    assert found.distance is not None
    g = w.in_group
    link = link_test(
        brier_loss(w.score[g], w.positive[g]), found.distance[g], w.score[g], w.unit[g]
    )
    assert link.p is not None
    deficit, related = found.p <= ALPHA, link.p <= ALPHA
    # The gap is tested where it decides, for its permutations take the time.
    return deficit, related, deficit and related and gap_shown(w, rng)


@pytest.mark.slow
@pytest.mark.parametrize("images", [1, 4, 20, (1, 20)])
def test_false_attribution_is_rare_and_power_is_printed(
    images: int | tuple[int, int], simulation_share: float
) -> None:
    most = images if isinstance(images, int) else images[1]
    draws = max(20, round(SETS[most] * simulation_share))
    rates = {}
    for name in NAMES:
        found = np.array(
            [
                attribution(world(name, rng, images=images), rng)
                for rng in np.random.default_rng(NAMES.index(name)).spawn(draws)
            ]
        )
        rates[name] = found.mean(axis=0)
        deficit, related, attributed = rates[name]
        report(
            f"{name}, {images} images a patient, {draws} sets: deficit {deficit:.3f}, "
            f"link {related:.3f}, attributed {attributed:.3f}"
        )
    for name in ("N0", "N1", "N2", "N5"):
        assert rates[name][2] <= above(0.05, draws)
        assert rates[name][1] <= above(0.07, draws)  # the link test's own type I error
    for name in ("N0", "N2"):
        assert rates[name][0] <= above(0.07, draws)  # no shift: the test of coverage
    for name in ("N1", "N5"):
        assert rates[name][0] >= 0.5  # a shift is seen, so that the link is what holds
    assert rates["N3"][2] > above(0.05, draws)


@pytest.fixture(scope="module")
def nih(shared: Path) -> tuple[pd.DataFrame, Floats]:
    folder = shared / "data" / "fairness"
    table = pd.read_csv(folder / "nih_cxr14_chexnet.csv")
    with np.load(folder / "nih_cxr14_chexnet_logits.npz", allow_pickle=False) as stored:
        return table, stored["logits"].astype(np.float64)


def shift_of(table: pd.DataFrame, logits: Floats, column: str, group: str) -> FeatureShift:
    return feature_shift(
        logits,
        table["y_effusion"].to_numpy() == 1,
        (table[column] == group).to_numpy(),
        table["patient_id"].to_numpy(),
        np.random.default_rng(20261130),
    )


@pytest.fixture(scope="module")
def views(nih: tuple[pd.DataFrame, Floats]) -> FeatureShift:
    return shift_of(*nih, "view", "AP")


@pytest.mark.slow
def test_nih_views_are_far_apart_and_yet_no_evidence(
    nih: tuple[pd.DataFrame, Floats], views: FeatureShift
) -> None:
    table, _ = nih
    # Folds are drawn: a third digit may differ from the values that the review got.
    assert views.domain.value == pytest.approx(0.963, abs=0.002)
    assert views.domain_in_negatives.value == pytest.approx(0.962, abs=0.002)
    assert views.domain_in_positives.value == pytest.approx(0.977, abs=0.002)
    # By the definition, twice over (see the brute force of test_features_and_distances).
    assert views.coverage.group.value == pytest.approx(0.382, abs=0.0005)
    assert views.coverage.p is not None
    assert views.coverage.p < 1e-6
    for finding in ("effusion", "pneumothorax", "cardiomegaly"):
        found = linked(
            views,
            table[f"p_{finding}"].to_numpy(),
            table[f"y_{finding}"].to_numpy() == 1,
            (table["view"] == "AP").to_numpy(),
            table["patient_id"].to_numpy(),
        )
        report(f"NIH {finding} AP: z {found.link.z:.2f}, one-sided p {found.link.p:.3f}")
        assert found.link.p is not None
        assert found.link.p > 0.4
        assert found.evidence is False


@pytest.mark.slow
def test_nih_sexes_are_told_apart_though_covered_alike(nih: tuple[pd.DataFrame, Floats]) -> None:
    found = shift_of(*nih, "sex", "M")
    assert found.domain.value == pytest.approx(0.747, abs=0.004)
    assert found.coverage.group.value == pytest.approx(0.871, abs=0.0005)
    assert found.coverage.deficit.value is not None
    assert found.coverage.deficit.value < 0.05


@pytest.mark.slow
@pytest.mark.parametrize("finding", ["effusion", "cardiomegaly", "pneumothorax"])
def test_link_test_on_labels_redrawn_given_the_score(
    finding: str,
    nih: tuple[pd.DataFrame, Floats],
    views: FeatureShift,
    simulation_share: float,
) -> None:
    table, _ = nih
    ap = (table["view"] == "AP").to_numpy()
    p = table.loc[ap, f"p_{finding}"].to_numpy()
    y, unit = table.loc[ap, f"y_{finding}"].to_numpy(), table.loc[ap, "patient_id"].to_numpy()
    basis = score_basis(p)
    basis = basis / np.abs(basis).max(axis=0)
    model = LogisticRegression(C=1e6, max_iter=5000).fit(basis, y)
    calibrated = model.predict_proba(basis)[:, 1]
    assert calibrated.mean() == pytest.approx(y.mean(), rel=0.01)
    assert views.coverage.distance is not None
    distance = views.coverage.distance[ap]
    rng, draws = np.random.default_rng(7), max(100, round(1000 * simulation_share))
    rejected = 0
    for _ in range(draws):
        label = rng.random(len(p)) < calibrated
        found = link_test(brier_loss(p, label), distance, p, unit)
        assert found.p is not None
        rejected += found.p <= 0.05
    report(f"link test on redrawn {finding} labels, {draws} draws: rejects {rejected / draws:.3f}")
    # 0.07 at full size; at a smaller one the added Monte-Carlo error.
    spare = 3 * np.sqrt(0.05 * 0.95) * (draws**-0.5 - 1000**-0.5)
    assert rejected / draws <= 0.07 + spare


@pytest.mark.slow
@pytest.mark.parametrize("patients", [(59, 25), (200, 80)])
def test_domain_auc_without_a_shift(patients: tuple[int, int], simulation_share: float) -> None:
    draws = max(30, round(400 * simulation_share))
    values, excluding = np.empty(draws), 0
    for at, rng in enumerate(np.random.default_rng(8).spawn(draws)):
        x, _, group, unit = article_sample(rng, patients=patients, shift=0.0)
        found = domain_auc(x, group, unit, rng)
        assert found.value is not None
        assert found.low is not None
        assert found.high is not None
        values[at] = found.value
        excluding += found.low > 0.5 or found.high < 0.5
    error = values.std(ddof=1) / np.sqrt(draws)
    report(f"domain AUC, {patients}, no shift: {values.mean():.3f} ± {error:.3f}")
    report(f"{excluding / draws:.3f} of its intervals exclude 0.5")
    assert abs(values.mean() - 0.5) < 3 * error
    assert excluding / draws <= above(0.05, draws)


@pytest.mark.slow
@pytest.mark.parametrize(("images", "share"), [(1, 0.1), (20, 0.1), (4, 0.3)])
def test_clusters_of_errors_at_random_are_not_confirmed(
    images: int, share: float, simulation_share: float
) -> None:
    draws, confirmed = max(30, round(300 * simulation_share)), 0
    for rng in np.random.default_rng(9).spawn(draws):
        unit = np.repeat(np.arange(300), rng.integers(1, images + 1, 300))
        x = rng.normal(size=(300, 6))[unit] + 0.5 * rng.normal(size=(len(unit), 6))
        failed = (rng.random(300) < share)[unit] & (rng.random(len(unit)) < 0.7)
        found = failure_clusters(x, failed, unit, rng)
        confirmed += any(cluster.confirmed for cluster in found.clusters)
    report(f"clusters of random errors, up to {images} images: confirmed {confirmed / draws:.3f}")
    assert confirmed / draws <= above(0.05, draws)
