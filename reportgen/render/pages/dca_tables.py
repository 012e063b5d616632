"""The tables of a decision curve section."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from reportgen.render import numbers
from reportgen.render.pages.dca_rows import (
    BETTER_DEFAULT,
    TREAT_ALL,
    TREAT_NONE,
    modes,
    named_in_gains,
    named_in_recalibration,
    pairs,
)
from reportgen.render.pages.words import coverage, limits, printed
from reportgen.render.tables import file_name
from reportgen.render.view import Column, Plain, TableView

THRESHOLD = Column("threshold", "Threshold", "threshold")
MODEL = Column("name", "Model")
STRATEGY = Column("name", "Strategy")
BAND = Column("band", "Simultaneous band")
FROM, TO = Column("from", "From", "threshold"), Column("to", "To", "threshold")
VERDICT = Column("verdict", "Verdict")
REASON = Column("reason", "Reason")


def made_from(section: Plain) -> list[TableView]:
    """Return every table that the result gives rise to, in the order of the page."""
    kinds: tuple[Callable[[str, Plain], TableView | None], ...] = (
        _overall,
        _verdicts,
        _curve,
        _gains,
        _between,
        _avoided,
        _recalibration,
        _evpi,
        _harm,
        _self_check,
    )
    made = (kind(section["id"], section["result"]) for kind in kinds)
    return [table for table in made if table is not None]


def _overall(_section: str, result: Plain) -> TableView:
    rows = [*result["overall"], *result.get("between_models", ())]
    return TableView(
        key="overall",
        caption=(
            f"Verdict over the stated range. {_verdict_rule(result)} A model is supported only if "
            "it is at every threshold of the range."
        ),
        columns=[MODEL, FROM, TO, VERDICT, REASON],
        rows=_named(rows, result),
    )


def _verdicts(section: str, result: Plain) -> TableView | None:
    if not result["verdicts"]:
        return None
    return TableView(
        key="verdicts",
        caption=(
            "Verdicts by stretch of thresholds. Neighbouring thresholds with the same verdict, by "
            "the rule of the table above."
        ),
        columns=[MODEL, FROM, TO, VERDICT, REASON],
        rows=_named(result["verdicts"], result),
        csv=file_name(section, "verdicts"),
    )


def _curve(section: str, result: Plain) -> TableView:
    return _by_threshold(
        "curve",
        _named(result["curve"], result),
        caption=(
            "Net benefit of each strategy. In net true positives per row, with pointwise "
            f"{coverage(result)} interval "
            "(percentile bootstrap) and simultaneous band. Standardised: net benefit as a share of "
            "the prevalence, the most it can be."
        ),
        columns=[
            THRESHOLD,
            STRATEGY,
            Column("net_benefit", "Net benefit", "estimate"),
            BAND,
            Column("standardised_net_benefit", "Standardised", "estimate"),
        ],
        csv=file_name(section, "curve"),
        estimate="net_benefit",
        unprinted=(TREAT_NONE,),
    )


def _gains(section: str, result: Plain) -> TableView | None:
    rows = [row for row in result["gains"] if row["against"] == BETTER_DEFAULT]
    if not rows:
        return None
    return _gain_table(
        "gains",
        section,
        result,
        rows,
        caption=(
            "Gain in net benefit over the better of treat all and treat none. In net true "
            f"positives per row, paired on the same rows, with pointwise {coverage(result)} "
            "interval (percentile bootstrap), simultaneous band, and the share of resamples in "
            "which the model is better."
        ),
    )


def _between(section: str, result: Plain) -> TableView | None:
    compared = list(pairs(result))
    rows = [row for row in result["gains"] if (row["model"], row["against"]) in compared]
    if not rows:
        return None
    one, other = compared[0]
    which = f"{one} less {other}" if len(compared) == 1 else "the first-named less the second"
    return _gain_table(
        "between",
        section,
        result,
        rows,
        caption=(
            f"Difference in net benefit between two models. Here {which}, in net true positives "
            f"per row, paired on the same rows, with pointwise {coverage(result)} interval "
            "(percentile bootstrap), simultaneous band, and the share of resamples in which the "
            "first is better."
        ),
        named=len(compared) > 1 or len(modes(result)) > 1,
    )


def _gain_table(
    key: str,
    section: str,
    result: Plain,
    rows: Sequence[Plain],
    *,
    caption: str,
    named: bool = True,
) -> TableView:
    return _by_threshold(
        key,
        _named(rows, result),
        named=named_in_gains(result, paired=key == "between"),
        caption=caption + " Test trade-off: rows for which the model must be used for one more net "
        "true positive.",
        columns=[
            THRESHOLD,
            *((MODEL,) if named else ()),
            Column("gain", "Gain", "signed_estimate"),
            BAND,
            Column("probability_better", "Probability better", "probability"),
            Column("test_tradeoff", "Test trade-off", "estimate", "rows"),
        ],
        csv=file_name(section, "gains"),
        estimate="gain",
    )


def _avoided(section: str, result: Plain) -> TableView:
    return _by_threshold(
        "avoided",
        _named(result["curve"], result),
        caption=(
            "Interventions avoided and the net benefit of the untreated. Net interventions avoided "
            "per 100 rows against treating all; the net benefit of the untreated is in net true "
            "negatives per row, not the unit of the net benefit of the treated. Pointwise "
            f"{coverage(result)} intervals (percentile bootstrap)."
        ),
        columns=[
            THRESHOLD,
            STRATEGY,
            Column("interventions_avoided_per_100", "Avoided", "estimate", "per 100"),
            Column("net_benefit_untreated", "Net benefit of the untreated", "estimate"),
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
        Column("true_positives", "TP", "count"),
        Column("false_positives", "FP", "count"),
        Column("false_negatives", "FN", "count"),
        Column("true_negatives", "TN", "count"),
    ]


def _recalibration(section: str, result: Plain) -> TableView | None:
    rows = result.get("recalibration", ())
    if not rows:
        return None
    low, high = (numbers.number(rows[0][f"prevalence_{end}"]) for end in ("low", "high"))
    return _by_threshold(
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
        caption=(
            "How far the recalibrated curve hangs on the prevalence here. Net benefit per row with "
            "the shift of the scores taken from the prevalence here, and from either end of its "
            f"{coverage(result)} interval. The intervals of the recalibrated curve leave this out: "
            "right where the sampling fixed the share of positives (case-control), perhaps too "
            "narrow of a cohort."
        ),
        columns=[
            THRESHOLD,
            Column("model", "Model"),
            Column("net_benefit", "Net benefit", "estimate"),
            Column("low", f"Shifted from {low}", "number"),
            Column("high", f"Shifted from {high}", "number"),
        ],
        csv=file_name(section, "recalibration"),
    )


def _evpi(section: str, result: Plain) -> TableView | None:
    if not result["evpi"]:
        return None
    return _by_threshold(
        "evpi",
        result["evpi"],
        caption=(
            "Expected value of perfect information on which strategy is best. In net true "
            "positives per row: what a decision on these data may be expected to lose to their "
            "limited number. Multiply it by the decisions a year to judge whether more data pay."
        ),
        columns=[THRESHOLD, *_mode(result), Column("value", "Value", "probability")],
        csv=file_name(section, "evpi"),
    )


def _harm(_section: str, result: Plain) -> TableView | None:
    rows = [{"model": name, "harm": harm} for name, harm in result["harm"].items()]
    if not rows:
        return None
    return TableView(
        key="harm",
        caption=(
            "Harm of obtaining a model's score. Stated in the manifest and subtracted from its "
            "net benefit at every threshold."
        ),
        columns=[
            Column("model", "Model"),
            Column("harm", "Harm", "number", "net true positives per row"),
        ],
        rows=rows,
    )


def _self_check(section: str, result: Plain) -> TableView | None:
    rows = [row for row in result["self_check"] if row["model"] != TREAT_NONE]
    if not rows:
        return None
    return TableView(
        key="self_check",
        caption=(
            "Check of the resampling. Bootstrap standard error of the net benefit over its "
            "analytic standard error, across the thresholds checked. Both estimate the same; a "
            "ratio near 1 is expected. A model is checked only at thresholds with at least five "
            f"{result['resampled']} each with a false negative, a true positive and a false "
            "positive, as no verdict rests on the others. Treat none does not vary."
        ),
        columns=[
            STRATEGY,
            Column("ratio_low", "Lowest", "number"),
            Column("ratio_median", "Median", "number"),
            Column("ratio_high", "Highest", "number"),
            Column("thresholds_checked", "Thresholds checked", "count"),
        ],
        rows=_named(rows, result),
        csv=file_name(section, "self_check"),
    )


def _by_threshold(
    key: str,
    rows: Iterable[Plain],
    *,
    caption: str,
    columns: Sequence[Column],
    csv: str,
    named: Sequence[float] = (),
    estimate: str = "",
    unprinted: Sequence[str] = (),
) -> TableView:
    """Return a table by ascending threshold; a long one is printed at a few thresholds only."""
    ordered = sorted(_with_band(rows, estimate), key=lambda row: row["threshold"])
    few, rule = printed([row["threshold"] for row in ordered], named)
    kept = [r for r in ordered if r["threshold"] in few and r.get("model") not in unprinted]
    left_out = f", without {' and '.join(unprinted)}" if unprinted else ""
    whole = len(kept) == len(ordered)
    return TableView(
        key=key,
        caption=caption,
        columns=columns,
        rows=ordered,
        print_rows=None if whole else kept,
        csv=csv,
        note="" if whole else f"The print shows {rule}{left_out}.",
    )


def _with_band(rows: Iterable[Plain], estimate: str) -> Iterable[Plain]:
    """Add the simultaneous limits as text, written like the pointwise ones beside them."""
    if not estimate:
        return rows
    return ({**row, "band": _band(row, row[estimate]["estimate"])} for row in rows)


def _band(row: Plain, value: float | None) -> str:
    low, high = row["simultaneous_low"], row["simultaneous_high"]
    return limits({"estimate": value, "low": low, "high": high})


def _mode(result: Plain) -> list[Column]:
    return [Column("probabilities", "Probabilities")] if len(modes(result)) > 1 else []


def _named(rows: Iterable[Plain], result: Plain) -> list[Plain]:
    """Add how a row's strategy is called: the model, what it is held against, its probabilities."""
    rows, several = list(rows), len(modes(result)) > 1
    paired = any(row.get("against", BETTER_DEFAULT) != BETTER_DEFAULT for row in rows)
    return [{**row, "name": _name(row, paired=paired, several=several)} for row in rows]


def _name(row: Plain, *, paired: bool, several: bool) -> str:
    name = str(row["model"])
    if paired:
        default = row["against"] == BETTER_DEFAULT
        name += " against " + ("the better default" if default else row["against"])
    return f"{name}, {row['probabilities']}" if several else name


def _verdict_rule(result: Plain) -> str:
    return (
        f"By the simultaneous {coverage(result)} band of the gain over what the model is held "
        "against: supported where its lower limit is above 0, not supported where its upper "
        "limit is below 0, else undecided; undecided too where fewer than five "
        f"{result['resampled']} stand behind a side of it."
    )
