"""The tables of a decision curve section."""

from __future__ import annotations

from collections.abc import Callable

from reportgen.language import _
from reportgen.render import numbers
from reportgen.render.pages.dca_by_threshold import (
    band_column,
    between,
    by_threshold,
    gains,
    model_column,
    threshold_column,
)
from reportgen.render.pages.dca_rows import TREAT_ALL, TREAT_NONE, modes, named_in_recalibration
from reportgen.render.pages.dca_words import drawn_again, named
from reportgen.render.pages.words import coverage
from reportgen.render.tables import file_name
from reportgen.render.view import Column, Plain, TableView


def made_from(section: Plain) -> list[TableView]:
    """Return every table that the result gives rise to, in the order of the page."""
    kinds: tuple[Callable[[str, Plain], TableView | None], ...] = (
        _overall,
        _verdicts,
        _curve,
        gains,
        between,
        _avoided,
        _recalibration,
        _evpi,
        _harm,
        _self_check,
    )
    made = (kind(section["id"], section["result"]) for kind in kinds)
    return [table for table in made if table is not None]


def _verdict_columns() -> list[Column]:
    return [
        model_column(),
        Column("from", _("From"), "threshold"),
        Column("to", _("To"), "threshold"),
        Column("verdict", _("Verdict")),
        Column("reason", _("Reason")),
    ]


def _overall(_section: str, result: Plain) -> TableView:
    rows = [*result["overall"], *result.get("between_models", ())]
    return TableView(
        key="overall",
        caption=_(
            "Verdict over the stated range. By the simultaneous {coverage} band of the gain over "
            "what the model is held against: supported where its lower limit is above 0, not "
            "supported where its upper limit is below 0, else undecided; undecided too where fewer "
            "than five {resampled} stand behind a side of it. A model is supported only if it is "
            "at every threshold of the range."
        ).format(coverage=coverage(result), resampled=drawn_again(result)),
        columns=_verdict_columns(),
        rows=named(rows, result),
    )


def _verdicts(section: str, result: Plain) -> TableView | None:
    if not result["verdicts"]:
        return None
    return TableView(
        key="verdicts",
        caption=_(
            "Verdicts by stretch of thresholds. Neighbouring thresholds with the same verdict, by "
            "the rule of the table above."
        ),
        columns=_verdict_columns(),
        rows=named(result["verdicts"], result),
        csv=file_name(section, "verdicts"),
    )


def _strategy_column() -> Column:
    return Column("name", _("Strategy"))


def _curve(section: str, result: Plain) -> TableView:
    return by_threshold(
        "curve",
        named(result["curve"], result),
        caption=_(
            "Net benefit of each strategy. In net true positives per row, with pointwise "
            "{coverage} interval (percentile bootstrap) and simultaneous band. Standardised: net "
            "benefit as a share of the prevalence, the most it can be."
        ).format(coverage=coverage(result)),
        columns=[
            threshold_column(),
            _strategy_column(),
            Column("net_benefit", _("Net benefit"), "estimate"),
            band_column(),
            Column("standardised_net_benefit", _("Standardised"), "estimate"),
        ],
        csv=file_name(section, "curve"),
        estimate="net_benefit",
        unprinted=(TREAT_NONE,),
    )


def _avoided(section: str, result: Plain) -> TableView:
    return by_threshold(
        "avoided",
        named(result["curve"], result),
        caption=_(
            "Interventions avoided and the net benefit of the untreated. Net interventions avoided "
            "per 100 rows against treating all; the net benefit of the untreated is in net true "
            "negatives per row, not the unit of the net benefit of the treated. Pointwise "
            "{coverage} intervals (percentile bootstrap)."
        ).format(coverage=coverage(result)),
        columns=[
            threshold_column(),
            _strategy_column(),
            Column("interventions_avoided_per_100", _("Avoided"), "estimate", _("per 100")),
            Column("net_benefit_untreated", _("Net benefit of the untreated"), "estimate"),
            *_counts(result),
        ],
        csv=file_name(section, "curve"),
        estimate="net_benefit",
        unprinted=(TREAT_ALL, TREAT_NONE),
    )


def _counts(result: Plain) -> list[Column]:
    """Return the columns of the counts, where the outcome can be counted at all."""
    if any(row["true_positives"] is None for row in result["curve"]):
        return []
    return [
        Column("true_positives", _("TP"), "count"),
        Column("false_positives", _("FP"), "count"),
        Column("false_negatives", _("FN"), "count"),
        Column("true_negatives", _("TN"), "count"),
    ]


def _recalibration(section: str, result: Plain) -> TableView | None:
    rows = result.get("recalibration", ())
    if not rows:
        return None
    low, high = (numbers.number(rows[0][f"prevalence_{end}"]) for end in ("low", "high"))
    shifted = _("Shifted from {prevalence}")
    return by_threshold(
        "recalibration",
        [
            {
                **row,
                "low": row["net_benefit_low"]["estimate"],
                "high": row["net_benefit_high"]["estimate"],
            }
            for row in rows
        ],
        named=named_in_recalibration(result),
        caption=_(
            "How far the recalibrated curve hangs on the prevalence here. Net benefit per row with "
            "the shift of the scores taken from the prevalence here, and from either end of its "
            "{coverage} interval. The intervals of the recalibrated curve leave this out: "
            "right where the sampling fixed the share of positives (case-control), perhaps too "
            "narrow of a cohort."
        ).format(coverage=coverage(result)),
        columns=[
            threshold_column(),
            Column("model", _("Model")),
            Column("net_benefit", _("Net benefit"), "estimate"),
            Column("low", shifted.format(prevalence=low), "number"),
            Column("high", shifted.format(prevalence=high), "number"),
        ],
        csv=file_name(section, "recalibration"),
    )


def _evpi(section: str, result: Plain) -> TableView | None:
    if not result["evpi"]:
        return None
    return by_threshold(
        "evpi",
        [{**row, "probabilities": _(row["probabilities"])} for row in result["evpi"]],
        caption=_(
            "Expected value of perfect information on which strategy is best. In net true "
            "positives per row: what a decision on these data may be expected to lose to their "
            "limited number. Multiply it by the decisions a year to judge whether more data pay."
        ),
        columns=[threshold_column(), *_mode(result), Column("value", _("Value"), "probability")],
        csv=file_name(section, "evpi"),
    )


def _harm(_section: str, result: Plain) -> TableView | None:
    rows = [{"model": name, "harm": harm} for name, harm in result["harm"].items()]
    if not rows:
        return None
    return TableView(
        key="harm",
        caption=_(
            "Harm of obtaining a model's score. Stated in the manifest and subtracted from its "
            "net benefit at every threshold."
        ),
        columns=[
            Column("model", _("Model")),
            Column("harm", _("Harm"), "number", _("net true positives per row")),
        ],
        rows=rows,
    )


def _self_check(section: str, result: Plain) -> TableView | None:
    rows = [row for row in result["self_check"] if row["model"] != TREAT_NONE]
    if not rows:
        return None
    return TableView(
        key="self_check",
        caption=_(
            "Check of the resampling. Bootstrap standard error of the net benefit over its "
            "analytic standard error, across the thresholds checked. Both estimate the same; a "
            "ratio near 1 is expected. A model is checked only at thresholds with at least five "
            "{resampled} each with a false negative, a true positive and a false positive, as no "
            "verdict rests on the others. Treat none does not vary."
        ).format(resampled=drawn_again(result)),
        columns=[
            _strategy_column(),
            Column("ratio_low", _("Lowest"), "number"),
            Column("ratio_median", _("Median"), "number"),
            Column("ratio_high", _("Highest"), "number"),
            Column("thresholds_checked", _("Thresholds checked"), "count"),
        ],
        rows=named(rows, result),
        csv=file_name(section, "self_check"),
    )


def _mode(result: Plain) -> list[Column]:
    return [Column("probabilities", _("Probabilities"))] if len(modes(result)) > 1 else []
