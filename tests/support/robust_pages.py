"""A robust section, hand-made: the article's data (tests/reference/article_001), its figures kept.

Hard decisions, L2 norm, eps 0.05, tolerance 0.35. Tree models are told by a bracket that does not
close; the figures of theirs are invented.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from reportgen.result import Estimate, LeftOut, plain
from reportgen.sections.robust.result import (
    HARD_RULE,
    NO_BASIS,
    AttributionRow,
    CurveRow,
    DerivedRow,
    DirectionRow,
    FlipRow,
    GapRow,
    GroupRow,
    JointRow,
    ModelRow,
    MoveRow,
    ProxyRow,
    RiskRow,
    RobustResult,
    Rung,
    ThreatRow,
    Verdict,
    WitnessRow,
)

SCRIPT = "<script>alert(1)</script>"
TOLERANCE = 0.35
NO_INTERVAL = "a worst shift is a search over these very patients"
MULTIPLES = (0.0, 0.25, 0.5, 0.75, 1.0, 1.25, 1.5, 1.75, 2.0)
CURVES: Mapping[str, tuple[float, ...]] = {
    "demographic_parity": (
        0.321117, 0.327789, 0.334638, 0.348159, 0.361679, 0.368351, 0.368351, 0.375022, 0.385296,
    ),
    "equalized_odds": (
        0.31746, 0.323413, 0.329365, 0.34127, 0.367063, 0.380952, 0.380952, 0.400794, 0.406746,
    ),
}  # fmt: skip
CRITICAL = {"demographic_parity": 0.769255454639, "equalized_odds": 0.915118353846}
COMMON = {"demographic_parity": 0.34544565024, "equalized_odds": 0.347222222222}
ALONE = {
    "demographic_parity": {"x1": 0.04457118, "x2": 0.07612071},
    "equalized_odds": {"x1": 0.05302258, "x2": 0.09055439},
}
SHARE = {"x1": 0.74468548, "x2": 0.25531452}
MOVE = {"x1": 0.04314758, "x2": -0.02526433}
UNIT = {"x1": "mmHg", "x2": "kg/m2"}
UNIT_OF = {
    "flips": "share of records",
    "mix": "largest weight",
    "prevalence": "change of prevalence",
    "average": "mean move, in multiples of eps",
}
GROUPS = (("A", 308, 236, 274), ("B", 292, 124, 166))
"""Group, rows, positive and selected rows."""
FLIPS = (("B", "positive", 124, 0, 3), ("B", "negative", 168, 0, 6), ("A", "positive", 236, 2, 0),
         ("A", "negative", 72, 1, 0))  # fmt: skip


def estimate(value: float, half: float = 0.033, method: str = "MOVER") -> Estimate:
    """An estimate with a symmetric interval."""
    return Estimate(value, value - half, value + half, 0.95, method)


def base(metric: str) -> float:
    """The gap without moves."""
    return CURVES[metric][0]


def found(metric: str) -> float:
    """The worst gap at the declared eps."""
    return CURVES[metric][4]


def gap_row(metric: str, rung: Rung, slack: float) -> GapRow:
    """The gap of a metric on a rung; the certified value is `slack` above the found one."""
    worst = COMMON[metric] if rung == "common" else found(metric)
    unsafe = None if rung == "common" else CRITICAL[metric]
    safe = 1.0 if unsafe is None else unsafe - slack
    return GapRow(
        metric=metric,
        sensitive="sex",
        rung=rung,
        norm="l2",
        eps=0.05,
        base=estimate(base(metric)),
        found=estimate(worst) if rung == "record" else Estimate(worst, reason=NO_INTERVAL),
        certified=estimate(worst + slack)
        if rung == "record"
        else Estimate(worst + slack, reason=NO_INTERVAL),
        exact=slack == 0,
        critical_safe=safe,
        critical_unsafe=unsafe,
        critical_safe_raw=0.05 * safe,
        critical_unsafe_raw=None if unsafe is None else 0.05 * unsafe,
        critical_exact=slack == 0,
        critical_reason="",
        tolerance=TOLERANCE,
        highest_group="A",
        lowest_group="B",
        left_out="missing" if metric == "equalized_odds" else "",
        verdict="fragile",
        reason="",
    )


def risk_row(metric: str, slack: float, verdict: Verdict) -> RiskRow:
    """A line of the risk list."""
    worst = found(metric) + slack
    return RiskRow(
        metric=metric,
        verdict=verdict,
        reason="a move of the record rung passes the tolerance",
        tolerance=TOLERANCE,
        static=estimate(base(metric)),
        worst_found=found(metric),
        worst_certified=worst,
        exact=slack == 0,
        limit=Estimate(worst, 0.0, worst + 0.054, 0.95, "Clopper-Pearson, one-sided"),
        critical_safe=CRITICAL[metric] - slack,
        critical_unsafe=CRITICAL[metric],
        critical_reason="",
        leading_metric="selection_rate" if metric == "demographic_parity" else "sensitivity",
        highest_group="A",
        lowest_group="B",
        fragile_direction="A up, B down; most by x1",
    )


def curve_rows(metric: str, slack: float) -> list[CurveRow]:
    """The curve of a metric; its band opens with the size of the moves."""
    return [
        CurveRow(
            metric=metric,
            multiple=multiple,
            eps=0.05 * multiple,
            base=base(metric),
            found=value,
            certified=value + slack * multiple,
            exact=slack == 0 or multiple == 0,
            normalised_found=value / TOLERANCE,
            normalised_certified=(value + slack * multiple) / TOLERANCE,
            tolerance=TOLERANCE,
        )
        for multiple, value in zip(MULTIPLES, CURVES[metric], strict=True)
    ]


def direction_rows(metric: str) -> list[DirectionRow]:
    """Group A goes up along the dual vector, group B down."""
    return [
        DirectionRow(
            metric, group, name, sign * MOVE[name], UNIT[name], SHARE[name], None,
            ALONE[metric][name], "",
        )
        for name in MOVE
        for group, sign in (("A", 1), ("B", -1))
    ]  # fmt: skip


def threat_rows(metric: str) -> list[ThreatRow]:
    """Flips, mix, prevalence and the average budget, of the article."""
    ends = ("A", "B")
    if metric == "equalized_odds":
        why = "rates within a label do not depend on prevalence"
        return [ThreatRow(metric, "prevalence", 0.05, UNIT_OF["prevalence"], None, None, None,
                          None, None, *ends, why)]  # fmt: skip
    rows: list[tuple[Any, ...]] = [
        ("flips", 0.01, 0.3502, 0.3502, 0.0083333, 0.0083333, 6),
        ("flips", 0.05, 0.4701, 0.4701, 0.0083333, 0.0083333, 30),
        ("mix", 1.1, 0.374303, 0.374303, 1.053860, 1.053860, None),
        ("prevalence", 0.05, 0.351318, 0.351318, 0.047818, 0.047818, None),
        ("average", 0.1, 0.425503, 0.427300, 0.007209, 0.006616, 31),
    ]
    return [
        ThreatRow(*(metric, name, size, UNIT_OF[name], *values, *ends, ""))
        for name, size, *values in rows
    ]


def group_rows() -> list[GroupRow]:
    """The two groups, with base rates 0.766 and 0.425."""
    return [
        GroupRow(
            "sex", name, n, n, positive, n - positive, positive, n - positive,
            estimate(positive / n, 0.05, "Wilson score"), estimate(selected / n, 0.04),
            estimate(0.64, 0.03),
        )
        for name, n, positive, selected in GROUPS
    ]  # fmt: skip


def model_row(kind: str) -> ModelRow:
    """The model: linear and trees are data and certified, a pickle is neither."""
    pickled = kind == "pickle"
    return ModelRow(
        kind, f"models/{SCRIPT}.json", "3f" * 32, "scikit-learn 1.9.1", 2, not pickled, pickled,
        2.2e-16, 1e-6,
    )  # fmt: skip


def robust_result(
    *,
    metrics: tuple[str, ...] = ("demographic_parity", "equalized_odds"),
    kind: str = "linear",
    verdict: Verdict = "fragile",
) -> RobustResult:
    """A robust result with every kind of row; trees do not close their bracket."""
    slack = 0.0 if kind == "linear" else 0.02
    first = min(CRITICAL[metric] for metric in metrics)
    rungs: tuple[Rung, ...] = ("common", "group", "record")
    joint = JointRow(
        first - slack, first, 0.05 * (first - slack), 0.05 * first, slack == 0, metrics[0], verdict,
        "",
    )  # fmt: skip
    return RobustResult(
        rule=HARD_RULE,
        table="test",
        score="logistic",
        sensitive="sex",
        decisions="hard",
        threshold=0.5,
        n_rows=600,
        n_units=580,
        unit="patient_id",
        n_read=605,
        left_out=(LeftOut("no label", 5),),
        confidence=0.95,
        minimum_units=10,
        metrics=metrics,
        norm="l2",
        eps=0.05,
        verdict=verdict,
        verdict_reason="moves within the declared size pass the tolerance",
        banner="The model is a pickle: reading it ran its code." if kind == "pickle" else None,
        notes=("x3 is an exact function of other columns: independent moves may be impossible.",),
        immutable=("age", "stage"),
        n_near_boundary=7,
        risk_list=tuple(risk_row(metric, slack, verdict) for metric in metrics),
        gaps=tuple(gap_row(metric, rung, slack) for metric in metrics for rung in rungs),
        curve=tuple(row for metric in metrics for row in curve_rows(metric, slack)),
        direction=tuple(row for metric in metrics for row in direction_rows(metric)),
        attribution=tuple(
            AttributionRow(metric, "linear shares", 0.040562, 0.040562, 0.0, "")
            for metric in metrics
        ),
        flips=tuple(FlipRow(metric, *row) for metric in metrics for row in FLIPS),  # type: ignore[arg-type]
        groups=tuple(group_rows()),
        other_threats=tuple(row for metric in metrics for row in threat_rows(metric)),
        joint=(joint,) if len(metrics) > 1 else (),
        proxy=(),
        perturbation=(
            MoveRow("x1", "continuous", 0.05, None, "mmHg", "repeatability CV, device manual",
                    "both", -6.0, 6.0, "x1"),
            MoveRow("x2", "continuous", 0.05, 0.051, "kg/m2", NO_BASIS, "up", None, 7.5, "x2"),
        ),
        derived=(DerivedRow("ratio", "x1 / x2"),),
        model=(model_row(kind),),
        witness=(WitnessRow("low", 600, 0, 2.2e-16, 600), WitnessRow("high", 600, 0, 0.0, 600)),
    )  # fmt: skip


def static_result() -> RobustResult:
    """Without a model and moves, and with membership known only by a probability."""
    whole = robust_result()
    risks = [
        replace(row, worst_found=None, worst_certified=None, exact=None, critical_safe=None,
                critical_unsafe=None, critical_reason="no model", fragile_direction="",
                limit=Estimate.missing("no model"), verdict="undetermined")
        for row in whole.risk_list
    ]  # fmt: skip
    gaps = [
        replace(row, rung=None, norm=None, eps=None, exact=None,
                found=Estimate.missing("no model"), certified=Estimate.missing("no model"),
                critical_safe=None, critical_unsafe=None, critical_safe_raw=None,
                critical_unsafe_raw=None, critical_exact=None, critical_reason="no model")
        for row in whole.gaps
        if row.rung == "record"
    ]  # fmt: skip
    proxy = ProxyRow(
        "demographic_parity", 0.102, 0.488, 0.102, 0.488, 0.295, 0.51, 10, TOLERANCE,
        "undetermined", "",
    )  # fmt: skip
    return replace(
        whole, norm=None, eps=None, verdict="undetermined", verdict_reason="", immutable=(),
        n_near_boundary=None, risk_list=tuple(risks), gaps=tuple(gaps), curve=(), direction=(),
        attribution=(), flips=(), joint=(), proxy=(proxy,), perturbation=(), derived=(), model=(),
        witness=(),
    )  # fmt: skip


def proxy_result() -> RobustResult:
    """Without the attribute: bounds and nothing else."""
    whole = static_result()
    return replace(whole, risk_list=(), gaps=(), groups=(), other_threats=(), notes=())


def robust_section(result: RobustResult | None = None, **choices: Any) -> dict[str, Any]:
    """The section of results.json that holds a result, by default `robust_result(**choices)`."""
    made = robust_result(**choices) if result is None else result
    return {
        "id": "robust",
        "kind": "robust",
        "title": "Robust fairness",
        "question": "How far is the gap from its tolerance, and in which direction?",
        "parameters": {"tolerance": TOLERANCE},
        "result": json.loads(json.dumps(plain(made))),
    }


def robust_results(section: Mapping[str, Any]) -> dict[str, Any]:
    """The sample results with this section alone."""
    sample = Path(__file__).parents[1] / "render" / "sample_results.json"
    results: dict[str, Any] = json.loads(sample.read_text("utf-8"))
    return {**results, "sections": [section], "findings": []}
