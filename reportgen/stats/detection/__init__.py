"""Detection: matching, average precision under every convention, and effects of leaving images out.

`match` says once which detection finds which box. Average precision (`conventions`), the figures of
weighted images (`weighted`) and the effect of a removal (`removal`) are sums over these matches.
"""

from __future__ import annotations

from reportgen.stats.detection.boxes import BoxAgreement, greedy_f1, iou_matrix
from reportgen.stats.detection.contrasts import Contrasts
from reportgen.stats.detection.controls import Controls, control_removals
from reportgen.stats.detection.conventions import (
    CONVENTIONS,
    FIGURES,
    ApTable,
    Convention,
    ap_table,
    average_precision,
)
from reportgen.stats.detection.matching import COCO_THRESHOLDS, Matches, match
from reportgen.stats.detection.removal import (
    INTERVAL_METHOD,
    MINIMUM_DETECTABLE_EFFECT,
    RemovalEffect,
    removal_effect,
)
from reportgen.stats.detection.units import Strata, merge_codes, removal_strata
from reportgen.stats.detection.weighted import (
    WeightedFigures,
    WeightedStudy,
    weighted_ap,
    weighted_study,
)
from reportgen.stats.subgroups.multiplicity import holm

__all__ = [
    "COCO_THRESHOLDS",
    "CONVENTIONS",
    "FIGURES",
    "INTERVAL_METHOD",
    "MINIMUM_DETECTABLE_EFFECT",
    "ApTable",
    "BoxAgreement",
    "Contrasts",
    "Controls",
    "Convention",
    "Matches",
    "RemovalEffect",
    "Strata",
    "WeightedFigures",
    "WeightedStudy",
    "ap_table",
    "average_precision",
    "control_removals",
    "greedy_f1",
    "holm",
    "iou_matrix",
    "match",
    "merge_codes",
    "removal_effect",
    "removal_strata",
    "weighted_ap",
    "weighted_study",
]
