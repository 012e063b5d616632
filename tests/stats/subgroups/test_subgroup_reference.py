"""Every figure of reference.json, made with scikit-learn, fairlearn and by brute force."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from reportgen.stats.roc import area_and_variance
from reportgen.stats.subgroups.metrics import group_figures, group_size
from reportgen.stats.subgroups.parity import parity
from reportgen.stats.subgroups.ranking import AreaPlan
from reportgen.stats.subgroups.study import Study, arrange

Arranged = Callable[[str, str, str, str], tuple[Study, list[str]]]

EXACT = 1e-12
SINGLE_PRECISION = 1e-5  # as the source of the values says

ENTRIES = [
    ("nih_cxr14_chexnet.csv", number, attribute)
    for number, attribute in enumerate(["sex", "age_band", "view", "sex_x_age"] * 3)
] + [("papila_eyes.csv", 0, "sex_code"), ("papila_eyes.csv", 1, "age_band")]


def test_every_entry_is_tested(reference: dict[str, Any]) -> None:
    listed = [
        (file, number, entry["attribute"])
        for file in ("nih_cxr14_chexnet.csv", "papila_eyes.csv")
        for number, entry in enumerate(reference[file])
    ]
    assert listed == ENTRIES


@pytest.mark.parametrize(("file", "number", "attribute"), ENTRIES)
def test_group_figures(
    file: str, number: int, attribute: str, reference: dict[str, Any], arranged: Arranged
) -> None:
    entry = reference[file][number]
    study, names = arranged(file, entry["label"], entry["score"], attribute)
    assert names == sorted(entry["groups"])
    levels: list[tuple[int | None, dict[str, float]]] = [(None, entry["overall"])]
    levels += [(level, entry["groups"][name]) for level, name in enumerate(names)]
    for level, right in levels:
        assert figures_as_listed(study, level, entry["threshold"], right) == pytest.approx(
            {k: v for k, v in right.items() if "_var_" not in k}, abs=EXACT, rel=0
        )
        area = group_figures(study, level, threshold=entry["threshold"])["auc"]
        delong = right["delong_var_image_level"]
        assert area.image_variance == pytest.approx(delong, rel=SINGLE_PRECISION)
        if "obuchowski_var_patient_level" in right:
            obuchowski = right["obuchowski_var_patient_level"]
            assert area.variance == pytest.approx(obuchowski, rel=EXACT)


def figures_as_listed(
    study: Study, level: int | None, threshold: float, right: dict[str, float]
) -> dict[str, float]:
    size = group_size(study, level)
    figures = group_figures(study, level, threshold=threshold)
    return {
        "n_images": size.images,
        "n_patients": size.patients,
        "n_pos": size.positives,
        "prevalence": figures["prevalence"].value,
        "selection_rate": figures["selection_rate"].value,
        "tpr": figures["sensitivity"].value,
        "fpr": 1 - figures["specificity"].value,
        "tnr": figures["specificity"].value,
        "balanced_accuracy": figures["balanced_accuracy"].value,
        "auc": figures["auc"].value,
    }


@pytest.mark.parametrize(("file", "number", "attribute"), ENTRIES)
def test_parity_as_fairlearn_where_every_rate_is_defined(
    file: str, number: int, attribute: str, reference: dict[str, Any], arranged: Arranged
) -> None:
    entry = reference[file][number]
    study, names = arranged(file, entry["label"], entry["score"], attribute)
    counts = []
    for level in range(len(names)):
        rows = study.rows(level)
        y, chosen = study.positive[rows], study.scores[0, rows] >= entry["threshold"]
        counts.append([(y & chosen).sum(), (~y & chosen).sum(), y.sum(), (~y).sum()])
    found = parity(*np.array(counts).T)
    assert {
        "demographic_parity_difference": found.demographic_parity.difference,
        "demographic_parity_ratio": found.demographic_parity.ratio,
        "equalized_odds_difference": found.equalized_odds_difference,
        "equalized_odds_ratio": found.equalized_odds_ratio,
        "equal_opportunity_difference": found.equal_opportunity.difference,
        "equal_opportunity_ratio": found.equal_opportunity.ratio,
    } == pytest.approx(entry["fairlearn"], abs=EXACT, rel=0)


def test_the_fourteen_published_areas(reference: dict[str, Any], fairness: Path) -> None:
    published = reference["nih_published_auc"]["auc"]
    with np.load(fairness / "nih_cxr14_chexnet_logits.npz", allow_pickle=False) as stored:
        names, labels, logits = stored["findings"], stored["labels"], stored["logits"]
        patient = stored["patient_id"]
    assert set(names.tolist()) == set(published)
    # Logits are in single precision, so that a few neighbouring probabilities have become ties.
    for k, name in enumerate(names.tolist()):
        study = arrange(
            labels[:, k] == 1, logits[:, k], np.zeros(len(patient)), patient, n_levels=1
        )
        plan = AreaPlan(study.positive, study.scores[0], study.patient)
        every_patient_once = np.ones((1, study.n_patients), dtype=np.int32)
        assert plan.areas(every_patient_once)[0] == pytest.approx(published[name], abs=2e-7)


def test_published_areas_of_the_scores_to_the_last_digit(
    reference: dict[str, Any], arranged: Arranged
) -> None:
    published = reference["nih_published_auc"]["auc"]
    for name in ("Effusion", "Pneumothorax", "Cardiomegaly"):
        lower = name.lower()
        study, _ = arranged("nih_cxr14_chexnet.csv", f"y_{lower}", f"p_{lower}", "sex")
        plan = AreaPlan(study.positive, study.scores[0], study.patient)
        area = plan.areas(np.ones((1, study.n_patients), dtype=np.int32))[0]
        assert area == pytest.approx(published[name], abs=EXACT)


def test_jackknife_over_patients_through_the_draws(
    reference: dict[str, Any], arranged: Arranged
) -> None:
    right = reference["papila_jackknife_patient"]
    study, _ = arranged("papila_eyes.csv", "y_glaucoma", "score", "sex_code")
    plan = AreaPlan(study.positive, study.scores[0], study.patient)
    n = study.n_patients
    without_one = plan.areas((1 - np.eye(n)).astype(np.int32))
    off = without_one.mean() - without_one
    assert n == right["n_patients"]
    error = np.sqrt((n - 1) / n * (off**2).sum())
    assert error == pytest.approx(right["jackknife_se"], rel=EXACT)
    acceleration = (off**3).sum() / (6 * (off**2).sum() ** 1.5)
    assert acceleration == pytest.approx(right["bca_acceleration"], rel=1e-10)


def test_one_image_a_patient_is_delong(
    tables: dict[str, pd.DataFrame], reference: dict[str, Any]
) -> None:
    table = tables["papila_eyes.csv"]
    study = arrange(
        table["y_glaucoma"] == 1,
        table["score"],
        np.zeros(len(table)),
        np.arange(len(table)),
        n_levels=1,
    )
    area = group_figures(study, 0, threshold=0.25)["auc"]
    right = reference["papila_eyes.csv"][0]["overall"]["delong_var_image_level"]
    assert area.variance == pytest.approx(right, rel=SINGLE_PRECISION)
    assert area.design_effect == pytest.approx(1, rel=EXACT)
    older = area_and_variance(study.positive, study.scores[0], study.patient)
    assert (area.value, area.variance) == older
