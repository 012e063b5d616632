"""A comparison as results.json holds it, for the tests of its pages: every kind of row once."""

from __future__ import annotations

from typing import Any

from reportgen.comparison import (
    Comparison,
    DecisionChange,
    FigureChange,
    FindingChange,
    InputChange,
    ManifestChange,
    ModelNamed,
    PackageChange,
    Pairing,
    Regression,
    Side,
)
from reportgen.result import Estimate, plain

PAIRED = "paired bootstrap of units, percentile"
UNPAIRED = "square-and-add (MOVER) of the two stored intervals"
NOT_THERE = "it is not in the older dossier"
CLUSTERS = "cluster bootstrap, percentile"


def _of(value: float, low: float, high: float, method: str = "logit t") -> Estimate:
    return Estimate(value, low, high, 0.95, method)


def sample() -> Comparison:
    """Return a comparison of two versions of a model, with a regression in one group."""
    missing = Estimate.missing(NOT_THERE)
    figures = (
        FigureChange(
            "frame",
            "frame",
            "groups",
            "auc",
            "logistic, overall all",
            {"score": "logistic", "attribute": "overall", "group": "all"},
            _of(0.842, 0.801, 0.876),
            _of(0.861, 0.822, 0.893),
            _of(0.019, 0.004, 0.035, PAIRED),
            "difference",
            True,
            "higher",
            "better",
            0.0126,
            0.022,
        ),
        FigureChange(
            "frame",
            "frame",
            "groups",
            "sensitivity",
            "logistic, sex F, threshold 0.5",
            {"score": "logistic", "attribute": "sex", "group": "F", "threshold": 0.5},
            _of(0.81, 0.72, 0.88, "Wilson score"),
            _of(0.62, 0.52, 0.71, "Wilson score"),
            _of(-0.19, -0.27, -0.11, PAIRED),
            "difference",
            True,
            "higher",
            "worse",
            0.000004,
            0.000024,
        ),
        FigureChange(
            "frame",
            "frame",
            "gaps",
            "sensitivity_gap",
            "logistic, sex F against M, threshold 0.5",
            {
                "score": "logistic",
                "attribute": "sex",
                "group": "F",
                "reference": "M",
                "threshold": 0.5,
            },
            _of(-0.02, -0.11, 0.07, "MOVER"),
            _of(-0.2, -0.31, -0.09, "MOVER"),
            _of(0.18, 0.02, 0.27, PAIRED),
            "size",
            True,
            "lower",
            "worse",
            0.0031,
            0.0093,
        ),
        FigureChange(
            "dca",
            "dca",
            "gains",
            "net_benefit_gain",
            "logistic against better of treat all and treat none, threshold 0.2",
            {
                "model": "logistic",
                "against": "better of treat all and treat none",
                "probabilities": "as deployed",
                "threshold": 0.2,
            },
            _of(0.091, 0.061, 0.121, CLUSTERS),
            _of(0.088, 0.058, 0.118, CLUSTERS),
            _of(-0.003, -0.0454, 0.0394, UNPAIRED),
            "difference",
            False,
            "higher",
            "not shown",
            0.89,
            0.89,
        ),
        FigureChange(
            "prevalence",
            "prevalence",
            "operating_points",
            "positive_likelihood_ratio",
            "threshold 0.3",
            {"threshold": 0.3},
            _of(2.85, 2.2, 3.7, "log"),
            _of(4.95, 3.9, 6.3, "log"),
            _of(1.73684210526, 1.21, 2.49, UNPAIRED + ", on the log scale"),
            "ratio",
            False,
            "higher",
            "better",
            0.0028,
            0.0093,
        ),
        FigureChange(
            "prevalence",
            "prevalence",
            "rows",
            "selection_rate",
            "threshold 0.3, prevalence 0.1",
            {"threshold": 0.3, "prevalence": 0.1},
            _of(0.31, 0.27, 0.35, "MOVER"),
            _of(0.22, 0.18, 0.26, "MOVER"),
            _of(-0.09, -0.147, -0.033, UNPAIRED),
            "difference",
            False,
            None,
            "changed",
            0.0019,
        ),
        FigureChange(
            "robust",
            "robust",
            "gaps",
            "demographic_parity_certified",
            "sex, rung record",
            {"metric": "demographic_parity", "sensitive": "sex", "rung": "record"},
            Estimate(0.234, reason="it is given without an interval"),
            Estimate(0.251, reason="it is given without an interval"),
            Estimate(0.017, reason="one of the two has no interval"),
            "difference",
            False,
            "lower",
            "changed",
        ),
        FigureChange(
            "integrity",
            "integrity",
            "near_duplicates.counts",
            "near_duplicate_share",
            "train, test, rms32",
            {"detector": "rms32", "split": "train", "twin_split": "test"},
            _of(0.2115, 0.12, 0.34, "Wilson score"),
            _of(0.2115, 0.12, 0.34, "Wilson score"),
            _of(0.0, -0.129, 0.129, UNPAIRED),
            "difference",
            False,
            "lower",
            "same",
            1.0,
            1.0,
        ),
        FigureChange(
            "frame",
            "frame",
            "groups",
            "auc",
            "logistic, scanner C",
            {"score": "logistic", "attribute": "scanner", "group": "C"},
            missing,
            _of(0.79, 0.66, 0.88),
            Estimate.missing(NOT_THERE),
            "difference",
            False,
            "higher",
            "not comparable",
        ),
    )
    findings = (
        FindingChange(
            "frame",
            "FRM-003",
            "sex F: sensitivity gap shown",
            None,
            "fail",
            "new",
            None,
            "The sensitivity of F lies 0.20 below that of M.",
        ),
        FindingChange(
            "dca",
            "DCA-002",
            "logistic: undecided",
            "warn",
            "pass",
            "better",
            "The gain is not shown at every threshold.",
            "The gain is shown at every threshold.",
        ),
        FindingChange(
            "robust",
            "ROB-003",
            "demographic parity: undetermined",
            "note",
            "warn",
            "worse",
            "Not looked at.",
            "Undetermined.",
        ),
        FindingChange(
            "integrity",
            "INT-001",
            "Near duplicates of train in test by rms32",
            "warn",
            "warn",
            "same",
            "11 of 52 images.",
            "11 of 52 images.",
        ),
        FindingChange(
            "prevalence",
            "PRV-002",
            "Precision moves with the mix",
            "note",
            None,
            "gone",
            "Precision falls to 0.2.",
            None,
        ),
    )
    return Comparison(
        old=Side(
            "Progression model",
            ModelNamed("diabetes-progression", "2.1.0"),
            "2026-05-30",
            1,
            "a" * 64,
            "conditional",
        ),
        new=Side(
            "Progression model",
            ModelNamed("diabetes-progression", "2.2.0"),
            "2026-11-30",
            None,
            None,
            "hold",
        ),
        pairing=(
            Pairing("test", True, 221, None),
            Pairing(
                "field", False, None, "the inputs of the older dossier are not at hand: field.csv"
            ),
        ),
        decision=DecisionChange("conditional", "hold", "worse"),
        findings=findings,
        figures=figures,
        inputs=(
            InputChange("tables.test", "changed", "b" * 64, "c" * 64, 221, 221),
            InputChange("images.scans", "same", "d" * 64, "d" * 64, 160, 160),
            InputChange("tables.field", "new", None, "e" * 64, None, 60),
            InputChange("plan", "gone", "f" * 64, None, None, None),
        ),
        manifest=(
            ManifestChange("model.version", "2.1.0", "2.2.0"),
            ManifestChange("sections.frame.threshold", 0.4, 0.5),
            ManifestChange("sections.dca.harm.logistic", None, 0.002),
            ManifestChange("sections.robust.exact", True, False),
        ),
        packages=(
            PackageChange("numpy", "2.3.4", "2.3.5"),
            PackageChange("scikit-learn", None, "1.7.2"),
        ),
        regressions=(
            Regression("decision", "", "The decision went from conditional to hold."),
            Regression("finding", "frame", "New, fail: sex F: sensitivity gap shown."),
            Regression("finding", "robust", "Worse: demographic parity: undetermined."),
            Regression(
                "figure",
                "frame",
                "Sensitivity, logistic, sex F, threshold 0.5: from 0.81 to 0.62, "
                "difference −0.19 (−0.27 to −0.11), paired.",
            ),
            Regression(
                "figure",
                "frame",
                "Size of the sensitivity gap, logistic, sex F against M, threshold 0.5: "
                "from 0.02 to 0.2, difference 0.18 (0.02 to 0.27), paired.",
            ),
        ),
    )


def sample_comparison() -> dict[str, Any]:
    """Return the same as plain data."""
    data: dict[str, Any] = plain(sample())
    return data
