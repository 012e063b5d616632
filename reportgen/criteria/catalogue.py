"""Which figures each kind of section computes, and where in its result they stand."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

Sided = Literal["", "upper", "lower"]
GAPS = ("demographic_parity", "equalized_odds", "equal_opportunity")
RATIOS = ("demographic_parity_ratio", "equalized_odds_ratio", "equal_opportunity_ratio")
PARITY = (*GAPS, *RATIOS)
ROBUST_GAPS = (*GAPS, "demographic_parity_overall", "equalized_odds_mean")
BY_GROUP = (
    "auc",
    "sensitivity",
    "specificity",
    "balanced_accuracy",
    "precision",
    "npv",
    "selection_rate",
    "false_positive_rate",
    "brier",
    "calibration_intercept",
    "calibration_slope",
    "prevalence",
)
AT_A_MIX = (
    "precision",
    "npv",
    "accuracy",
    "f1",
    "mcc",
    "kappa",
    "lift",
    "selection_rate",
    "net_benefit",
    "flagged_per_1000",
    "false_alarms_per_1000",
    "true_positives_per_1000",
    "missed_per_1000",
)
AT_A_THRESHOLD = (
    "sensitivity",
    "specificity",
    "balanced_accuracy",
    "youden",
    "positive_likelihood_ratio",
    "negative_likelihood_ratio",
    "diagnostic_odds_ratio",
)
OF_A_CLASSIFIER = (
    "accuracy",
    "sensitivity",
    "specificity",
    "balanced_accuracy",
    "precision",
    "f1",
    "kappa",
    "mcc",
    "auc",
)


@dataclass(frozen=True)
class Source:
    """A list of rows, or a mapping, whose figures a criterion may name.

    Attributes
    ----------
    rows : str
        Path in the section's result; "" is the result itself.
    metrics : tuple of str
        Names of the figures there, without `suffix`.
    suffix : str
        What a criterion puts behind them: ``auc_gap``.
    metric_key : str
        Key of a row that holds the metric's name; "" where each metric is a key of its own.
    value : str
        Key of the figure in a row; "" if it is the metric's name.
    keys : mapping of str to str
        A criterion's selector and the row's key that it meets.
    of_section : mapping of str to str
        The same, met by a key of the whole result.
    fixed : mapping of str to str
        Keys of a row that must hold these values.
    sided : {"", "upper", "lower"}
        "upper" where the figure bounds the true one from above, so that it cannot show a bound
        to be broken from below; "lower" the other way round.
    lifted : (str, bool) or None
        Key and value of a row with which the figure is the true one after all.
    """

    rows: str
    metrics: tuple[str, ...]
    suffix: str = ""
    metric_key: str = ""
    value: str = ""
    keys: Mapping[str, str] = field(default_factory=dict)
    of_section: Mapping[str, str] = field(default_factory=dict)
    fixed: Mapping[str, str] = field(default_factory=dict)
    sided: Sided = ""
    lifted: tuple[str, bool] | None = None

    @property
    def names(self) -> tuple[str, ...]:
        """The figures as criteria name them."""
        return tuple(metric + self.suffix for metric in self.metrics)

    @property
    def selectors(self) -> frozenset[str]:
        """What may narrow a figure of this source down."""
        return frozenset({*self.keys, *self.of_section})


def _same(*names: str) -> dict[str, str]:
    return {name: name for name in names}


ROBUST = {"score": "score", "threshold": "threshold", "attribute": "sensitive"}
BETWEEN = _same("split", "twin_split")


def _worst(metrics: tuple[str, ...], sided: Sided) -> Source:
    """Return where the certified worst case of a robust section stands."""
    return Source(
        "gaps",
        metrics,
        suffix="_worst",
        metric_key="metric",
        value="certified",
        of_section=ROBUST,
        fixed={"rung": "record"},
        sided=sided,
        lifted=("exact", True),
    )


CATALOGUE: Mapping[str, tuple[Source, ...]] = {
    "frame": (
        Source(
            "groups",
            BY_GROUP,
            keys=_same("score", "attribute", "group"),
            of_section=_same("threshold"),
        ),
        Source(
            "gaps",
            BY_GROUP,
            suffix="_gap",
            metric_key="metric",
            value="gap",
            keys={**_same("score", "attribute", "group"), "against": "reference"},
            of_section=_same("threshold"),
        ),
        Source(
            "parity",
            PARITY,
            metric_key="metric",
            value="value",
            keys=_same("score", "attribute"),
            of_section=_same("threshold"),
        ),
    ),
    "robust": (
        Source(
            "risk_list",
            (*ROBUST_GAPS, *RATIOS),
            metric_key="metric",
            value="static",
            of_section=ROBUST,
        ),
        _worst(ROBUST_GAPS, "upper"),
        _worst(RATIOS, "lower"),  # of a ratio the lowest is the worst
        Source(
            "joint",
            ("critical_radius",),
            value="critical_safe",
            of_section=ROBUST,
            sided="lower",
            lifted=("exact", True),
        ),
    ),
    "dca": (
        Source(
            "curve",
            (
                "net_benefit",
                "standardised_net_benefit",
                "net_benefit_untreated",
                "interventions_avoided_per_100",
            ),
            keys={"score": "model", **_same("threshold", "probabilities")},
        ),
        Source(
            "gains",
            ("net_benefit_gain",),
            value="gain",
            keys={"score": "model", **_same("against", "threshold", "probabilities")},
        ),
    ),
    "prevalence": (
        Source("", ("auc",), of_section=_same("score")),
        Source(
            "operating_points",
            AT_A_THRESHOLD,
            keys=_same("threshold"),
            of_section=_same("score"),
        ),
        Source(
            "rows",
            AT_A_MIX,
            metric_key="metric",
            value="value",
            keys=_same("threshold", "prevalence"),
            of_section=_same("score"),
        ),
    ),
    "integrity": (
        Source(
            "evaluator.rows",
            ("map50", "map50_95", "map75", "ap50", "ap50_95"),
            metric_key="metric",
            value="value",
            keys=_same("convention", "class"),
        ),
        Source(
            "removal_effect.rows",
            ("map50", "map50_95", "recall"),
            suffix="_change",
            metric_key="metric",
            value="change",
            keys=_same("class"),
        ),
        Source("classifier.rows", OF_A_CLASSIFIER, keys=_same("split")),
        Source(
            "counting_heads.rows",
            ("mae", "r2", "gain_over_zero"),
            keys=_same("head"),
        ),
        Source(
            "near_duplicates.counts",
            ("near_duplicate_share",),
            value="share",
            keys={**BETWEEN, **_same("detector")},
            sided="lower",
            lifted=("lower_bound", False),
        ),
        Source(
            "leakage.rows",
            ("leaked_share",),
            value="share",
            keys={**BETWEEN, **_same("by")},
            fixed={"of": "all"},
        ),
        Source("label_agreement.rows", ("label_agreement",), value="share", keys=BETWEEN),
        Source(
            "pipeline.rows",
            ("image_sensitivity", "instance_sensitivity"),
            keys=_same("class"),
        ),
        Source("pipeline", ("pipeline_specificity",), value="specificity"),
        Source("pipeline", ("out_of_domain_accepted",)),
    ),
}


def sources(kind: str, metric: str) -> tuple[Source, ...]:
    """Return where a kind of section holds a figure of this name."""
    return tuple(one for one in CATALOGUE.get(kind, ()) if metric in one.names)


def metrics(kind: str) -> tuple[str, ...]:
    """Return every figure that a kind of section offers."""
    return tuple(dict.fromkeys(name for one in CATALOGUE.get(kind, ()) for name in one.names))
