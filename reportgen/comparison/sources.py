"""The figures of each kind of section that are compared: those of the criteria, and a few more.

Left out is what says the same again: the false positive rate beside the specificity, net benefit in
other units, counts per 1,000 beside shares.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace

from reportgen.criteria.catalogue import (
    BETWEEN,
    CATALOGUE,
    GAPS,
    RATIOS,
    ROBUST,
    ROBUST_GAPS,
    Source,
)

REPEATED = frozenset(
    {
        "false_positive_rate",
        "false_positive_rate_gap",
        "flagged_per_1000",
        "false_alarms_per_1000",
        "interventions_avoided_per_100",
        "missed_per_1000",
        "net_benefit_untreated",
        "standardised_net_benefit",
        "true_positives_per_1000",
    }
)
"""Figures that move with another one that is compared."""
DEFAULTS = frozenset({"treat all", "treat none"})
"""Strategies of a decision curve that are no model."""
OF_A_GAP = {**ROBUST, "rung": "rung"}


def _under_moves(value: str, suffix: str) -> tuple[Source, ...]:
    return tuple(
        Source("gaps", metrics, suffix, metric_key="metric", value=value, of_section=ROBUST,
               keys={"rung": "rung"})
        for metrics in (ROBUST_GAPS, RATIOS)
    )  # fmt: skip


def _of_threats(value: str, suffix: str) -> Source:
    return Source(
        "other_threats",
        (*GAPS, "demographic_parity_overall", "equalized_odds_mean"),
        suffix,
        metric_key="metric",
        value=value,
        of_section=ROBUST,
        keys={"threat": "threat", "size": "size"},
    )


MORE: Mapping[str, tuple[Source, ...]] = {
    "frame": (
        Source(
            "representation",
            ("domain_auc", "coverage", "coverage_deficit"),
            keys={name: name for name in ("score", "attribute", "group")}
            | {"against": "reference"},
        ),
    ),
    "robust": (
        *_under_moves("found", "_found"),
        *_under_moves("certified", "_certified"),
        *_under_moves("critical_safe", "_critical_radius"),
        _of_threats("found", "_found"),
        _of_threats("certified", "_certified"),
    ),
    "dca": (Source("", ("prevalence",)),),
    "integrity": (
        Source("class_map.wrong", ("wrong_name_share",), value="share", keys={"of": "of"}),
        Source("pipeline.rows", ("misses_never_analysed",), keys={"class": "class"}),
        Source("label_agreement.rows", ("label_agreement_kappa",), value="kappa", keys=BETWEEN),
    ),
}
REPLACED = frozenset({"_worst"})
"""Endings of figures of the criteria that `MORE` has, by rung."""


def sources(kind: str) -> Iterator[Source]:
    """Yield where the figures of a kind of section stand, each figure once."""
    for source in CATALOGUE.get(kind, ()):
        kept = tuple(name for name in source.metrics if name + source.suffix not in REPEATED)
        if kept and source.suffix not in REPLACED:
            yield replace(source, metrics=kept)
    yield from MORE.get(kind, ())
