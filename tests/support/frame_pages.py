"""A FRAME section, hand-made: chest X-rays of invented patients, most figures after real ones."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from reportgen.result import Estimate, LeftOut, plain
from reportgen.sections.frame.result import (
    BELOW_MARGIN,
    NO_GAP,
    NOT_ESTIMABLE,
    NOT_EXCLUDED,
    RULE,
    WITHOUT_EVIDENCE,
    AlternativeRow,
    ClusterRow,
    FrameResult,
    GapRow,
    GroupRow,
    HeterogeneityRow,
    MapRow,
    ModelRow,
    ParityRow,
    PlainPictureRow,
    RepresentationRow,
    RequiredRow,
    SeveralRow,
    ShrunkenRow,
)

SCRIPT = "<script>alert(1)</script>"
QUANTILES = (0.025, 0.25, 0.5, 0.75, 0.975)
FEW = "M: 3 positive units, fewer than 10"

# Attribute, group, units, rows, positive rows, units with a positive, AUC.
GROUPS = (
    ("overall", "all", 6187, 22433, 2756, 860, 0.883),
    ("sex", "F", 2822, 9802, 1238, 406, 0.889),
    ("sex", "M", 3365, 12631, 1518, 454, 0.877),
    ("view", "AP", 1828, 8847, 1335, 418, 0.83),
    ("view", "PA", 5809, 13586, 1421, 666, 0.911),
    ("site", SCRIPT, 400, 1300, 130, 60, 0.86),
    ("site", "main", 5400, 20100, 2600, 790, 0.884),
    ("site", "missing", 20, 33, 4, 3, None),
    ("sex × view", "F × AP", 786, 3640, 555, 184, 0.843),
    ("sex × view", "M × PA", 3157, 7424, 738, 351, 0.909),
)
# Attribute, group, reference, gap, standard error, adjusted p, verdict, release.
GAPS = (
    ("sex", "F", "M", 0.0118, 0.0097, 0.66, NO_GAP, "release"),
    ("view", "AP", "PA", -0.0803, 0.0101, 4e-15, WITHOUT_EVIDENCE, "hold"),
    ("site", SCRIPT, "main", -0.024, 0.031, 0.88, NOT_EXCLUDED, "conditional"),
    ("site", "missing", "main", None, None, 1.0, NOT_ESTIMABLE, "conditional"),
    ("sex × view", "F × AP", "M × PA", -0.066, 0.016, 0.0004, None, None),
)


def estimate(value: float | None, half: float, method: str = "logit t") -> Estimate:
    """An estimate with a symmetric interval, or none for want of positives."""
    if value is None:
        return Estimate.missing(FEW)
    return Estimate(value, value - half, value + half, 0.95, method)


def group_row(score: str, row: tuple[Any, ...], shift: float = 0.0) -> GroupRow:
    """The figures of a group; those at the threshold follow from the AUC, for want of better."""
    attribute, group, units, rows, positive, positive_units, auc = row
    value = None if auc is None else auc - shift

    def at(offset: float) -> Estimate:
        return estimate(None if value is None else value - offset, 0.02)

    return GroupRow(
        score=score,
        attribute=attribute,
        group=group,
        n_units=units,
        n_rows=rows,
        n_positive=positive,
        n_negative=rows - positive,
        n_positive_units=positive_units,
        n_negative_units=units - positive_units // 2,
        prevalence=estimate(positive / rows, 0.004),
        auc=at(0.0),
        sensitivity=at(0.26),
        specificity=at(-0.02),
        balanced_accuracy=at(0.12),
        precision=at(0.4),
        npv=at(-0.05),
        selection_rate=at(0.7),
        false_positive_rate=at(0.77),
        brier=at(0.8),
        calibration_intercept=at(0.95),
        calibration_slope=at(0.1),
        design_effect=None if value is None else 2.3,
        undefined_share=0.0 if value is not None else 0.31,
        estimable=value is not None,
        reason="" if value is not None else FEW,
    )


def gap_row(score: str, row: tuple[Any, ...], shift: float = 0.0) -> GapRow:
    """The gap of a comparison in the AUC."""
    attribute, group, reference, found, error, adjusted, verdict, release = row
    gap = None if found is None else found - shift
    wide, thin = (0.0, 0.0) if error is None else (1.96 * error, 1.94 * error)
    return GapRow(
        score=score,
        attribute=attribute,
        group=group,
        reference=reference,
        metric="auc",
        primary=verdict is not None,
        gap=estimate(gap, wide, "MOVER: logit t, Obuchowski variance"),
        gap_percentile=estimate(gap, thin, "percentile of 2,000 joint draws"),
        p=None if gap is None else adjusted / 4,
        p_adjusted=adjusted,
        adjustment="Holm" if verdict is not None else "Benjamini–Hochberg",
        test="z, standard error from joint draws of units" if gap is not None else "",
        margin=0.05,
        equivalence_low=None if gap is None else gap - 1.645 * error,
        equivalence_high=None if gap is None else gap + 1.645 * error,
        minimum_detectable_gap=None if error is None else 3.34 * error,
        units_needed=None if error is None else 2816,
        image_level_p=None if gap is None else adjusted / 40,
        design_effect=None if gap is None else 2.2,
        undefined_share=0.0 if gap is not None else 0.31,
        units_in_both=1450 if attribute == "view" else 0,
        verdict=verdict,
        release=release,
        reason=FEW if gap is None else "",
    )


def sensitivity_of(row: GapRow) -> GapRow:
    """The same gap in an exploratory metric."""
    return replace(
        row,
        metric="sensitivity",
        primary=False,
        verdict=None,
        release=None,
        adjustment="Benjamini–Hochberg",
    )


def picture_rows(score: str) -> list[PlainPictureRow]:
    """What chance does in groups of this size."""
    return [
        PlainPictureRow(score, a, g, r, 1828, q, 0.911 + 0.01 * (q - 0.5), 0.83, 0.0)
        for a, g, r, gap, *_ in GAPS
        if gap is not None
        for q in QUANTILES
    ]


def representation_row(score: str, attribute: str, group: str, reference: str) -> RepresentationRow:
    """The features of AP against PA: far apart, and no link."""
    return RepresentationRow(
        score=score,
        attribute=attribute,
        group=group,
        reference=reference,
        domain_auc=estimate(0.963, 0.007),
        domain_auc_in_negatives=estimate(0.962, 0.007),
        domain_auc_in_positives=estimate(0.977, 0.009),
        coverage=estimate(0.443, 0.022),
        reference_coverage=estimate(0.9, 0.01),
        coverage_deficit=estimate(0.457, 0.024),
        coverage_p=1e-12,
        link_z=-0.488,
        link_p=0.687,
        evidence=False,
        reason="the group is covered less than its reference; a link is not shown",
        covered_by="reference",
        features=14,
    )


def alternatives(score: str) -> list[AlternativeRow]:
    """A check and an explanation that cannot be checked."""
    where = (score, "view", "AP", "PA", "auc")
    left = "100 % of the gap is left: this explains little of it"
    unchecked = Estimate.missing("cannot be checked from these data")
    return [
        AlternativeRow(*where, "case mix", "weighted by sex", estimate(-0.08, 0.02), -0.0803, left),
        AlternativeRow(
            *where, "label bias", "none from predictions", unchecked, None, "audit them"
        ),
    ]


def clusters(score: str) -> list[ClusterRow]:
    """A region that was confirmed and one that was not found."""
    rate = estimate(0.261, 0.037)
    region = ClusterRow(
        score, "view", "AP", 1, 380, 900, rate, 0.113, 1e-9, 1e-8, True, "logits 10 +1.3 SD"
    )
    return [region, replace(region, cluster=2, p=None, p_adjusted=None, confirmed=None)]


def map_rows(n: int = 90) -> list[MapRow]:
    """Points of two attributes."""
    return [
        MapRow(a, g, (i * 37 % 100) / 25 - 2, (i * 61 % 97) / 24 - 2, i % 9 == 0, 100)
        for a, names in (("sex", ("F", "M")), ("site", (SCRIPT, "main")))
        for i in range(n)
        for g in [names[i % 2]]
    ]


def frame_result(*, scores: tuple[str, ...] = ("effusion",), features: bool = True) -> FrameResult:
    """A FRAME result with every kind of row, of one score or of several."""
    shifts = {score: 0.01 * place for place, score in enumerate(scores)}
    gaps = [gap_row(score, row, shifts[score]) for score in scores for row in GAPS]
    where = ("site", SCRIPT, "main")
    shown = scores if features else ()
    return FrameResult(
        rule=RULE,
        table="test",
        scores=scores,
        threshold=0.3,
        n_rows=22433,
        n_units=6187,
        n_positive=2756,
        n_negative=19677,
        left_out=(LeftOut("no label", 5),),
        units_in_several=(SeveralRow("view", 1450),),
        primary=("auc",),
        margin=0.05,
        alpha=0.05,
        confidence=0.95,
        resamples=2000,
        resampled="units",
        unit="patient_id",
        minimum_positive_units=10,
        minimum_negative_units=10,
        required=(RequiredRow("sex", "F", True, ""),),
        family_size=4 * len(scores),
        notes=("Reference of view: PA.",),
        groups=tuple(group_row(s, row, shifts[s]) for s in scores for row in GROUPS),
        gaps=(*gaps, *(sensitivity_of(row) for row in gaps)),
        parity=tuple(
            ParityRow(s, "site", metric, estimate(0.2, 0.01), "main", SCRIPT, ("missing: no rate",))
            for s in scores
            for metric in ("demographic_parity", "demographic_parity_ratio")
        ),
        heterogeneity=tuple(
            HeterogeneityRow(s, "site", "auc", 3, 4.4, 0.11, 0.5, 0.2) for s in scores
        ),
        shrunken=tuple(
            ShrunkenRow(s, "site", g, "auc", estimate(0.86, 0.05), estimate(0.88, 0.02))
            for s in scores
            for g in (SCRIPT, "main")
        ),
        plain_picture=tuple(row for s in scores for row in picture_rows(s)),
        models=tuple(
            ModelRow(
                *where,
                "auc",
                new,
                scores[0],
                estimate(-0.01, 0.02),
                estimate(0.01, 0.02),
                0.4,
                "no change shown",
            )
            for new in scores[1:]
        ),
        alternatives=tuple(row for s in scores for row in alternatives(s)),
        representation=tuple(representation_row(s, "view", "AP", "PA") for s in shown),
        clusters=tuple(row for s in shown for row in clusters(s)),
        map=tuple(map_rows()) if features else (),
        features=tuple(f"logits {i}" for i in range(1, 15)) if features else (),
        explained_variance=(0.45, 0.143) if features else (),
    )


def frame_section(**choices: Any) -> dict[str, Any]:
    """The section of results.json that holds `frame_result(**choices)`."""
    result = json.loads(json.dumps(plain(frame_result(**choices))))
    return {
        "id": "frame",
        "kind": "frame",
        "title": "Subgroup gaps",
        "question": "Is a gap between groups sampling variation?",
        "parameters": {"margin": 0.05},
        "result": result,
    }


def frame_results(section: Mapping[str, Any]) -> dict[str, Any]:
    """The sample results with this section alone."""
    sample = Path(__file__).parents[1] / "render" / "sample_results.json"
    results: dict[str, Any] = json.loads(sample.read_text("utf-8"))
    return {**results, "sections": [section], "findings": []}


SITES = {
    7: (-0.2, 1e-9, WITHOUT_EVIDENCE, "hold"),
    8: (-0.1, 0.01, BELOW_MARGIN, "release"),
    9: (-0.1, 0.02, WITHOUT_EVIDENCE, "conditional"),
}


def many_sites(n: int = 150) -> dict[str, Any]:
    """A section of so many sites, the odd ones too small; site 7 is on hold, 8 and 9 are shown."""
    section = frame_section(features=False)
    groups = [group_row("effusion", ("overall", "all", 9000, 9000, 900, 900, 0.88))]
    gaps = []
    for i in range(n):
        auc = 0.88 if i % 2 == 0 or i in (7, 9) else None
        count = 100 if auc else 6
        name = f"site {i}"
        groups.append(group_row("effusion", ("site", name, count, count, count // 10, 3, auc)))
        if i:
            small = (None, 1.0, NOT_ESTIMABLE, "conditional")
            large = (-0.01, 0.5 + i / 1000, NOT_EXCLUDED, "conditional")
            case = SITES.get(i, small if auc is None else large)
            gap, p, verdict, release = case
            error = None if gap is None else 0.03
            gaps.append(
                gap_row("effusion", ("site", name, "site 0", gap, error, p, verdict, release))
            )
    section["result"]["groups"] = json.loads(json.dumps(plain(groups)))
    section["result"]["gaps"] = json.loads(json.dumps(plain(gaps)))
    for key in ("shrunken", "plain_picture", "alternatives", "parity", "heterogeneity"):
        section["result"][key] = []
    return section
